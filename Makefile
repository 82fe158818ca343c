# Thin names; the work is in scripts/ and `cargo xtask`.
# Everything builds into one folder outside the checkout, shared by runs, tests and CI.

CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)
export CARGO_TARGET_DIR ?= $(CACHE)/lakeglass-target
# Our own crates compile under clippy's driver where it is installed, so that one pass builds and lints.
export RUSTC_WORKSPACE_WRAPPER ?= $(notdir $(shell command -v clippy-driver))

DATA ?= data
LISTEN ?= 127.0.0.1:8080
BIN := $(CARGO_TARGET_DIR)/debug/lakeglass

.PHONY: help run build test check bench bench-namespace release conformance clients-heavy

help: ## list these targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

run: build ## set up, build and serve with demo data on 127.0.0.1:8080
	@exec $(BIN) serve --data $(DATA) --listen $(LISTEN) --demo

build: ## set up and build everything that `run` needs
	@scripts/setup run
	@scripts/build

test: ## every test: Rust, Python clients, browser
	@scripts/setup test
	@scripts/build
	@scripts/test

check: ## formatting, lints on both targets, licences, layers, texts
	@scripts/setup build
	@scripts/check

clients-heavy: ## Ray and PyTorch against the server (installs Debian's PyTorch; not part of `test`)
	@scripts/setup clients-heavy
	@scripts/build
	@scripts/clients-heavy

conformance: ## the conformance suite on this server, the reference server and SeaweedFS: docs/CONFORMANCE.md
	@scripts/setup test
	@scripts/build
	@scripts/conformance

bench: ## previews against bare lance, as ratios (optimised build; takes long the first time)
	@scripts/setup build
	@scripts/bench

bench-namespace: release ## the namespace beside the reference server and SeaweedFS, as ratios (optimised build)
	@scripts/setup test
	@scripts/bench-namespace

release: ## the optimised binary that is deployed, with its assets beside it
	@scripts/setup build
	@scripts/release
