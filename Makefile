# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# One entry point for people. Every target calls a CMake preset or a script in scripts/.

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
FUZZ_JOBS ?= 1
DETERMINISM_BLOCKS ?= 20000
DIFFERENTIAL_TRANSACTIONS ?= 500000

.DEFAULT_GOAL := help
.PHONY: help package check-package run demo replay-demo testnet testnet-lanes build test page \
	determinism rerun-soak \
	failovers crash soak mutants clients openzeppelin bench bench-rivals curves profile fmt lint asan gcc tsan fuzz fuzz-differential \
	deps

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' Makefile

run: deps build ## Set up, build and run a development chain until Ctrl-C (ARGS: see docs/cli.md)
	@scripts/run-demo.sh run $(ARGS)

demo: deps build ## Start a node, send it a bounded load of mixed transactions, show the result
	@scripts/run-demo.sh load $(ARGS)

replay-demo: deps build ## Generate a small chain, replay it and verify every root
	@scripts/run-demo.sh replay

testnet: deps build ## Four validators under CometBFT, a load, and whether they agree
	@scripts/run-testnet.sh $(ARGS)

testnet-lanes: deps build ## Three lanes, three nodes, a load, kills, and whether all nodes agree
	@scripts/run-testnet-lanes.sh $(ARGS)

build: deps ## Build the program at build/release/heddle
	@scripts/build.sh release heddle

test: deps ## Build and run every test; the last line is "N passed, N failed"
	@JOBS=$(JOBS) scripts/run-tests.sh release

determinism: deps ## Compare the parallel executor with the serial one on DETERMINISM_BLOCKS blocks
	@JOBS=$(JOBS) HEDDLE_DETERMINISM_BLOCKS=$(DETERMINISM_BLOCKS) scripts/run-determinism.sh

rerun-soak: deps ## Record HEDDLE_RERUN_RUNS (500) nodes that are killed under load, run each again and compare
	@JOBS=$(JOBS) scripts/run-rerun-soak.sh

failovers: deps ## Kill HEDDLE_FAILOVERS (200) primaries under load, promote a backup each time, look for every receipt
	@JOBS=$(JOBS) scripts/run-failovers.sh

crash: deps ## Kill, cut the power, fill the disk, damage files: thousands of cases
	@JOBS=$(JOBS) scripts/run-crash.sh

soak: deps ## Kill, stop, restart and cut off validators under load for HEDDLE_SOAK_SECONDS (30 min)
	@JOBS=$(JOBS) scripts/run-soak.sh

mutants: deps ## Put plausible bugs in, one at a time, and see that tests notice each
	@JOBS=$(JOBS) scripts/run-mutants.sh

clients: deps ## Drive a node with ethers, viem, web3.py, cast, forge, hardhat, ignition and Uniswap's contracts
	@JOBS=$(JOBS) scripts/run-clients.sh

openzeppelin: build ## Run OpenZeppelin's hardhat tests against `heddle dev`, beside hardhat's own network (ARGS: see docs/development.md)
	@scripts/run-openzeppelin.sh --hardhat $(ARGS)

page: build ## Look at a node's page with Chromium, at every view; pictures are left in build/page
	@python3 -B tests/clients/page.py --heddle build/release/heddle --packages build/clients \
		--install --screenshots build/page

package: deps ## Debian packages in build/packages: the program, libheddle, its development files
	@JOBS=$(JOBS) scripts/make-package.sh

check-package: package ## Install them on a bare Debian 12 (debootstrap, root), make the image (buildah), start nodes there
	@JOBS=$(JOBS) scripts/check-package.sh
	@scripts/check-container.sh || [ $$? = 77 ]

bench: deps ## Build and run the benchmarks (see bench/README.md)
	@JOBS=$(JOBS) scripts/run-bench.sh

curves: deps build ## Measure and draw the papers' curves, half an hour (ONLY: some of them; see docs/benchmarks.md)
	@python3 -B bench/curves.py --only "$(ONLY)"

bench-rivals: deps ## Build revm and run mainnet blocks through it and Heddle in turn (ARGS: bench/rivals/blocks.py)
	@scripts/build.sh bench block_stopwatch
	@scripts/rivals/build-revm.sh
	@scripts/rivals/measure-blocks.sh $(ARGS)

profile: deps ## Make cmake/heddle.profdata anew, by which release builds are optimised
	@JOBS=$(JOBS) scripts/make-profile.sh

fmt: ## Format every C++ file in place
	@scripts/format.sh

lint: deps ## Check format, clang-tidy, layering and that every public header stands alone
	@JOBS=$(JOBS) scripts/lint.sh

asan: deps ## Unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@JOBS=$(JOBS) scripts/run-tests.sh asan

gcc: deps ## Unit tests of what g++ compiles, whose interpreter jumps in another way
	@JOBS=$(JOBS) scripts/run-tests.sh gcc

tsan: deps ## Unit and determinism tests under ThreadSanitizer
	@JOBS=$(JOBS) scripts/run-tests.sh tsan

fuzz: deps ## Run each libFuzzer driver for FUZZ_SECONDS (default 60), FUZZ_JOBS side by side
	@JOBS=$(JOBS) FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_JOBS=$(FUZZ_JOBS) scripts/run-fuzz.sh

fuzz-differential: deps ## Compare executors, interpreters and geth on DIFFERENTIAL_TRANSACTIONS of each kind
	@JOBS=$(JOBS) HEDDLE_DIFFERENTIAL_TRANSACTIONS=$(DIFFERENTIAL_TRANSACTIONS) scripts/run-fuzz-differential.sh

deps:
	@scripts/install-deps.sh
