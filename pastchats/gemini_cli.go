package pastchats

// newGeminiCLI reads Gemini CLI.
func newGeminiCLI(h *Home) finder { return nothing{} }
