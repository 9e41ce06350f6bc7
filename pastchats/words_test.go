package pastchats

import (
	"strings"
	"testing"
	"time"
)

func TestBlocksThatAProgramPutInAreTakenOut(t *testing.T) {
	m := newMarks(commonMarks()...)
	tests := map[string]string{
		"Fix the menu.": "Fix the menu.",
		"<system-reminder>Be kind.</system-reminder>":                      "",
		"<system-reminder>Be kind.</system-reminder>\n\nFix it.":           "Fix it.",
		"Fix it.\n<system-reminder>\nBe\nkind.\n</system-reminder>\n":      "Fix it.",
		"Fix <system-reminder>x</system-reminder>it.":                      "Fix it.",
		"<command-name>/x</command-name>\n<command-args></command-args>":   "",
		"<ide_selection path=\"a.ts\" line='3'>let a</ide_selection>Why?":  "Why?",
		"<ide_opened_file\n>a</ide_opened_file> Why?":                      "Why?",
		"What does <system-reminder> do?":                                  "What does <system-reminder> do?",
		"What does <system-reminder>x</system-remainder> do?":              "What does <system-reminder>x</system-remainder> do?",
		"</system-reminder> first":                                         "</system-reminder> first",
		"<system-reminder>a</system-reminder> and <system-reminder> alone": "and <system-reminder> alone",
		"<system-reminder>a<system-reminder>b</system-reminder>c":          "c",
		"<system-reminder><command-name>a</system-reminder>b":              "b",
		"<command-name>a<system-reminder>b</system-reminder>":              "<command-name>a",
		"<system-reminders>a</system-reminders>":                           "<system-reminders>a</system-reminders>",
		"<System-Reminder>a</System-Reminder>":                             "<System-Reminder>a</System-Reminder>",
		"<system-reminder/>a</system-reminder>":                            "<system-reminder/>a</system-reminder>",
		"a < b && c > d":                                                   "a < b && c > d",
		"\ufeff \n text \u00a0\ufeff":                                      "text",
		"<":                                                                "<",
		"<system-reminder":                                                 "<system-reminder",
		"<system-reminder>":                                                "<system-reminder>",
		"":                                                                 "",
	}
	for text, want := range tests {
		if got := m.strip(text); got != want {
			t.Errorf("of %q stays %q, want %q", text, got, want)
		}
	}
}

// R-111-17: removal is linear in the text's length. The bound is far above what a
// busy machine needs, and far below what a square would take.
func TestHostileMarksAreTakenOutInLinearTime(t *testing.T) {
	m := newMarks(commonMarks()...)
	for name, text := range map[string]string{
		"open":            strings.Repeat("<system-reminder>", 1<<20/17),
		"open with space": strings.Repeat("<system-reminder ", 1<<20/17),
		"open all kinds":  strings.Repeat("<"+strings.Join(commonMarks(), "><")+">", 1<<20/200),
		"angles":          strings.Repeat("<", 1<<20),
		"closed":          strings.Repeat("</system-reminder>", 1<<20/18),
		"half closed":     strings.Repeat("<system-reminder></system-reminder", 1<<20/34),
		"pairs":           strings.Repeat("<command-name>x</command-name>", 1<<20/30),
		"crossed":         strings.Repeat("<command-name><command-args>", 1<<20/56) + strings.Repeat("</command-args>", 1<<20/30),
		"nearly a name":   strings.Repeat("<system-reminde<system-reminder \t", 1<<20/33),
	} {
		start := time.Now()
		m.strip(text)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: 1 MB took %v", name, took)
		}
	}
}
