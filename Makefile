# SPDX-License-Identifier: Apache-2.0
# Two commands are enough on a fresh Debian machine:
#   make demo    installs what is missing, builds, simulates Andrews' squeezing mechanism
#   make test    the same set-up, then every test
# The work is done by CMake; this file only saves typing.

BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
CMAKE_FLAGS ?=

# CMake calls make again; it shall not inherit flags and job slots of this one
cmake_build = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake --build $(1) -j $(JOBS)

.PHONY: all demo test bench accuracy gallery sanitize mutate format install clean setup configure

all: configure
	@$(call cmake_build,$(BUILD))

configure: setup
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS)

setup:
	@scripts/setup.sh

demo: configure
	@$(call cmake_build,$(BUILD)) --target holonom_cli
	@scripts/demo.sh $(BUILD)

test: all
	@scripts/run_tests.sh $(BUILD) $(JOBS)

# with the programs of the peers whose packages are installed
bench: CMAKE_FLAGS += -DHOLONOM_PEERS=ON
bench: all
	@scripts/run_bench.sh $(BUILD)

# achieved error / tolerance of every adaptive method over the mechanisms of test/accuracy
accuracy: configure
	@$(call cmake_build,$(BUILD)) --target bench_accuracy
	@$(BUILD)/bench/accuracy

# pictures and pages of every model, in docs/gallery
gallery: all
	@scripts/gallery.sh $(BUILD)

# every test again, with the address and undefined-behaviour sanitizers
sanitize: setup
	@cmake -S . -B $(BUILD)-sanitize -DHOLONOM_SANITIZE=ON $(CMAKE_FLAGS)
	@$(call cmake_build,$(BUILD)-sanitize)
	@UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_stack_use_after_return=1 \
	    scripts/run_tests.sh $(BUILD)-sanitize $(JOBS)

# do the tests notice? N random mutations of src/ (docs/testing.md); the same SEED, the same ones
N ?= 20
SEED ?= 1
mutate: setup
	@JOBS=$(JOBS) scripts/mutate.sh $(N) $(SEED)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i --style=file

install: all
	@cmake --install $(BUILD)

clean:
	@rm -rf $(BUILD) $(BUILD)-sanitize
