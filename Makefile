# What people type. The work is in scripts/ and CMake; everything that is made lies under build/.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
MINUTES ?= 10
SEEDS ?= 10000
ONLY ?=

.PHONY: build run test lint format bench bench-check profile fuzz soak install clean help

build: ## build/release/agenttalk (installs what is missing)
	@scripts/install-packages.sh build
	@scripts/build.sh release agenttalk

run: build ## a small team works through a plan: no key, no network, no server
	@scripts/demo.sh

test: ## every check and every test
	@scripts/install-packages.sh build test
	@JOBS=$(JOBS) scripts/test.sh

lint: ## format, arrows, shellcheck and clang-tidy alone; records what clang-tidy found clean
	@scripts/install-packages.sh build test
	@JOBS=$(JOBS) TIDY_RECORD=1 scripts/test.sh format arrows shell tidy

format: ## format the sources in place
	@scripts/install-packages.sh build test
	@scripts/format.sh

bench: build ## one table of measurements and build/bench.json; ONLY=chain,plans runs some
	@scripts/install-packages.sh build test
	@python3 scripts/bench.py $(ONLY)

bench-check: build ## instruction counts of the core paths against the committed baseline
	@scripts/install-packages.sh build test
	@python3 scripts/bench-check.py

profile: ## finds out which code is hot, for the optimization of the release build
	@scripts/install-packages.sh build profile
	@scripts/profile.sh

fuzz: ## every fuzz target for MINUTES each (default 10)
	@scripts/install-packages.sh build test
	@scripts/fuzz.sh $$(($(MINUTES) * 60))

soak: build ## the long reliability runs; SEEDS=N simulation seeds
	@scripts/install-packages.sh build test
	@SEEDS=$(SEEDS) scripts/soak.sh

install: build ## into PREFIX (default /usr/local)
	@cmake --install build/release --prefix "$(PREFIX)" # and below DESTDIR, which it reads itself

clean: ## removes build/
	rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
