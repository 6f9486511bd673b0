# SPDX-License-Identifier: Apache-2.0
# Two commands are enough on a fresh Debian machine:
#   make demo    installs what is missing, builds, simulates Andrews' squeezing mechanism
#   make test    the same set-up, then every test
# `make` builds the program and the libraries, without the tests.
# The work is done by CMake; this file only saves typing.

BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
CMAKE_FLAGS ?=

# CMake calls make again; it shall not inherit flags and job slots of this one
cmake_build = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake --build $(1) -j $(JOBS)

.PHONY: all everything demo test bench accuracy scoreboard references gallery sanitize threads coverage tidy torture thorough fuzz memory mutate \
        format install clean setup configure python

all: configure
	@$(call cmake_build,$(BUILD)) --target program

# with tests, examples and benchmarks
everything: configure
	@$(call cmake_build,$(BUILD))

configure: setup
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS)

setup:
	@scripts/setup.sh

demo: configure
	@$(call cmake_build,$(BUILD)) --target holonom_cli
	@scripts/demo.sh $(BUILD)

test: everything
	@scripts/run_tests.sh $(BUILD) $(JOBS)

# with the programs of the peers whose packages are installed
bench: CMAKE_FLAGS += -DHOLONOM_PEERS=ON
bench: everything
	@scripts/run_bench.sh $(BUILD)

# achieved error / tolerance of every adaptive method over the mechanisms of test/accuracy
accuracy: configure
	@$(call cmake_build,$(BUILD)) --target bench_accuracy
	@$(BUILD)/bench/accuracy

# problems published by others, ours beside them: writes docs/scoreboard.md, fails beyond their trust
scoreboard: configure
	@$(call cmake_build,$(BUILD)) --target bench_scoreboard
	@$(BUILD)/bench/scoreboard -o docs/scoreboard.md

# references of friction, stops and contacts: writes docs/references.md, fails where a figure is outside
references: configure
	@$(call cmake_build,$(BUILD)) --target bench_references
	@$(BUILD)/bench/references -o docs/references.md

# the package `holonom` in build/python, with the libraries and the command; PYTHON names the interpreter
PYTHON ?= /usr/bin/python3
python: all
	@PYTHON="$(PYTHON)" scripts/make_python.sh $(BUILD)

# pictures and pages of every model, in docs/gallery
gallery: all
	@scripts/gallery.sh $(BUILD)

# the tests again, with the address and undefined-behaviour sanitizers, and each fuzz target for 5 s;
# LONG=OFF leaves those out that take longest, TESTS: options of ctest. The same build counts lines.
SANITIZED = $(BUILD)-sanitize
LONG ?= ON
sanitize: setup
	@cmake -S . -B $(SANITIZED) -DHOLONOM_SANITIZE=ON -DHOLONOM_COVERAGE=ON -DHOLONOM_LONG_TESTS=$(LONG) \
	    $(CMAKE_FLAGS)
	@find $(SANITIZED) -name '*.gcda' -delete
	@$(call cmake_build,$(SANITIZED))
	@UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_stack_use_after_return=1 \
	    scripts/run_tests.sh $(SANITIZED) $(JOBS) $(TESTS)

# lines of src that ran since then
coverage:
	@scripts/coverage.sh $(SANITIZED)

# what runs in several threads, with the thread sanitizer
threads: setup
	@cmake -S . -B $(BUILD)-thread -DHOLONOM_THREAD_SANITIZE=ON $(CMAKE_FLAGS)
	@$(call cmake_build,$(BUILD)-thread) --target holonom_cli tests_of_threads
	@scripts/check_threads.sh $(BUILD)-thread $(JOBS)

# bugs that clang-tidy sees (.clang-tidy says which)
tidy: configure
	@scripts/check_tidy.sh $(BUILD) $(JOBS)

# what a hostile world may do, with counts (docs/reliability.md), in less than 20 minutes: runs that are
# killed and resumed, allocations that fail, disks that are full, fuzzing of every reader for a minute
# each, attacks by files, names and requests. KILLS: how many
KILLS ?= 1000
torture: everything
	@cmake -S . -B $(BUILD)-fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DHOLONOM_FUZZ=ON \
	    -DBUILD_TESTING=OFF
	@$(call cmake_build,$(BUILD)-fuzz) --target fuzz_targets
	@scripts/torture.sh $(BUILD) $(BUILD)-fuzz $(KILLS) $(FUZZ)

# what takes too long for every change: all tests with the sanitizers, and built by clang
thorough: setup
	@$(MAKE) sanitize coverage threads tidy
	@$(MAKE) torture
	@cmake -S . -B $(BUILD)-clang -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	    -DHOLONOM_WERROR=ON
	@$(call cmake_build,$(BUILD)-clang)
	@scripts/run_tests.sh $(BUILD)-clang $(JOBS)

# every reader, for so many seconds each (FUZZ=3600: hours in all)
FUZZ ?= 60
fuzz: setup
	@cmake -S . -B $(BUILD)-fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DHOLONOM_FUZZ=ON \
	    -DBUILD_TESTING=OFF
	@$(call cmake_build,$(BUILD)-fuzz) --target fuzz_targets
	@scripts/fuzz.sh $(BUILD)-fuzz $(FUZZ)

memory: everything
	@HOL_MEMORY_TRIALS=170 $(BUILD)/test/test_memory

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
	@rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-thread $(BUILD)-clang $(BUILD)-fuzz
