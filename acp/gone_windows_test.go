package acp

func gone(int) bool { return true }
