# SPDX-License-Identifier: Apache-2.0
# Two commands are enough on a fresh Debian machine:
#   make demo    installs what is missing, builds, simulates Andrews' squeezing mechanism
#   make test    the same set-up, then every test
# The work is done by CMake; this file only saves typing.

BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
CMAKE_FLAGS ?=

.PHONY: all demo test bench sanitize format install clean setup

all: setup
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS) > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@cmake --build $(BUILD) -j $(JOBS)

setup:
	@scripts/setup.sh

demo: all
	@scripts/demo.sh $(BUILD)

test: all
	@scripts/run_tests.sh $(BUILD) $(JOBS)

bench: all
	@scripts/run_bench.sh $(BUILD)

# every test again, with the address and undefined-behaviour sanitizers
sanitize: setup
	@cmake -S . -B $(BUILD)-sanitize -DHOLONOM_SANITIZE=ON $(CMAKE_FLAGS)
	@cmake --build $(BUILD)-sanitize -j $(JOBS)
	@UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_stack_use_after_return=1 \
	    scripts/run_tests.sh $(BUILD)-sanitize $(JOBS)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i --style=file

install: all
	@cmake --install $(BUILD)

clean:
	@rm -rf $(BUILD) $(BUILD)-sanitize
