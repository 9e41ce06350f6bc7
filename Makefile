# Conch needs Go, git and make, and nothing else.

GO      ?= go
BIN     := conch
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
BUILD   := CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags "$(LDFLAGS)"

# The race detector needs a C compiler on Linux.
CC_FOUND := $(shell command -v $${CC:-cc} 2>/dev/null || command -v gcc 2>/dev/null || command -v clang 2>/dev/null)
ifneq ($(CC_FOUND),)
RACE := -race
TEST_ENV := CGO_ENABLED=1
else
RACE :=
TEST_ENV := CGO_ENABLED=0
endif

.PHONY: run build test check unit cross release bench bench-run ends fuzz conformance screens clean

run: build
	./$(BIN)

build:
	$(BUILD) -o $(BIN) .

test: check unit cross

check:
	@echo "formatting"; out=$$(gofmt -l $$(git ls-files '*.go')); \
	  if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi
	@echo "vet"; $(GO) vet ./...
	@echo "staticcheck"; $(GO) tool staticcheck ./...

unit:
	@if [ -z "$(RACE)" ]; then echo "no C compiler here: the tests run without the race detector"; fi
	$(TEST_ENV) $(GO) test $(RACE) -timeout 8m ./...

# Conch runs on three systems; what only compiles on one is found here.
cross:
	@for os in darwin windows; do echo "vet $$os"; GOOS=$$os CGO_ENABLED=0 $(GO) vet ./... || exit 1; done

TARGETS := linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64

# Two builds of one commit are the same byte for byte: no paths, no times, no VCS stamps.
release:
	@rm -rf dist && mkdir -p dist
	@for t in $(TARGETS); do os=$${t%-*}; arch=$${t#*-}; ext=; [ $$os = windows ] && ext=.exe; \
	  echo "build $$t"; GOOS=$$os GOARCH=$$arch $(BUILD) -o dist/conch-$(VERSION)-$$t$$ext . || exit 1; done
	@cd dist && { command -v sha256sum >/dev/null && sha256sum conch-* || shasum -a 256 conch-*; } > checksums.txt
	@cat dist/checksums.txt

# The first package measures the real program, as ratios; it takes four minutes and 2 GB of disk.
bench:
	$(GO) test -run '^$$' -bench . .
	$(GO) test -run '^$$' -bench . -benchmem $$($(GO) list ./... | tail -n +2)

# What a run of several agents takes, with its bounds: docs/runs.md has the figures.
bench-run:
	$(GO) test -run '^$$' -bench 'Benchmark(Rebuild|Commit)' -benchtime 100x ./allchat/record
	$(GO) test -run '^$$' -bench 'BenchmarkRun' -benchtime 25x -timeout 15m .
	$(GO) test -run '^$$' -bench BenchmarkKeyInARun -benchtime 40x ./tui

# A hundred starts and ends with an agent that has a stubborn grandchild.
ends:
	CONCH_TEST_ROUNDS=25 $(GO) test -count=1 -v -timeout 20m -run 'TestNoProcessIsLeft' .

# Every fuzzer for a minute each: make fuzz FUZZTIME=10s for a quick look.
FUZZTIME ?= 60s
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg 2>/dev/null | grep '^Fuzz'); do \
	    echo "fuzz $$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; done; done

# The real agents, from npm, against pretend model servers on loopback. Needs node and npm.
conformance: build
	CONCH_BIN=$(CURDIR)/$(BIN) $(GO) test -tags conformance -count=1 -v -timeout 40m -run Conformance ./pretend/...

# The screens and the reference in the docs, made again from the program.
screens: build
	CONCH_UPDATE_SCREENS=1 $(GO) test -count=1 -run 'TestCapturedScreens|TestTheReadme' .

clean:
	rm -rf $(BIN) $(BIN).exe dist
