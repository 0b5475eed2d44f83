# SPDX-License-Identifier: BSD-2-Clause
#
# Builds fping-bench with nothing but make and a C compiler: there is no configure step and no
# pkg-config, so that `sudo make try` and `sudo make check` can start on a machine without them.
# Sources are found by wildcard and dependencies are generated, so a new file needs no line here.
# Everything that is made lands under $(BUILD); `make BUILD=/tmp/x` makes another tree beside it.
# `make help` lists the goals.

VERSION := 0.1.0
BUILD   := build

MAKEFLAGS += --no-builtin-rules --no-builtin-variables --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# ---- flags ---------------------------------------------------------------------------------------
# CFLAGS and LDFLAGS are left to whoever builds. What the project itself requires (the language, the
# warnings, the hardening) stands beside them and cannot be lost by setting them.

ifeq ($(filter-out default undefined,$(origin CC)),)
CC := gcc
endif
AR      := ar
CFLAGS  ?= -O2 -g
LDFLAGS ?=

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wformat=2 -Wvla -Wundef -Wcast-align -Wwrite-strings
ifeq ($(WERROR),1)
WARNINGS += -Werror
endif

CC_IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null))
CC_MACHINE  := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))

# A program that may be installed setuid is built with every mitigation that the compiler offers. A
# sanitizer build checks more than these do and clashes with some, so it goes without.
ifdef SANITIZE
HARDENING      := -O1 -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -fPIE
HARDENING_LINK := -fsanitize=$(SANITIZE) -pie
else
HARDENING := -fPIE -fstack-protector-strong -fstack-clash-protection \
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 \
	-fno-strict-overflow -fno-delete-null-pointer-checks
HARDENING_LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code
# clang 14 takes "pattern" but refuses "zero", and has no -fzero-call-used-regs.
ifneq ($(CC_IS_CLANG),)
HARDENING += -ftrivial-auto-var-init=pattern
else
HARDENING += -ftrivial-auto-var-init=zero -fzero-call-used-regs=used-gpr
endif
ifneq ($(filter x86_64 i%86,$(CC_MACHINE)),)
HARDENING += -fcf-protection=full
else ifneq ($(filter aarch64,$(CC_MACHINE)),)
HARDENING += -mbranch-protection=standard
endif
endif

# base and core are strict C11: what goes beyond the standard library has no prototype there.
LANGUAGE_PURE   := -std=c11 -Iinclude
LANGUAGE_SYSTEM := -std=c11 -D_GNU_SOURCE -Iinclude
LANGUAGE_TESTS  := -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -Itests

ALL_CFLAGS  = $(CFLAGS) $(HARDENING) $(WARNINGS) -MMD -MP
ALL_LDFLAGS = $(HARDENING_LINK) -Wl,--as-needed $(LDFLAGS)
LIBRARIES  := -lcap -ljansson -lmnl -lm -pthread

# Which commit this is, for the reports; a tree without git is a release.
GIT_BUILD := $(or $(shell git describe --always --dirty --tags 2>/dev/null),release)
VERSION_DEFINES := -DFPING_BENCH_VERSION='"$(VERSION)"' -DFPING_BENCH_BUILD='"$(GIT_BUILD)"'

# ---- sources, objects, programs ------------------------------------------------------------------
# The floors become objects, and src/apps/probe the program. All of that but the program's main.c is
# also put into one archive, which is what the test programs link against.

PURE_SOURCES   := $(wildcard src/base/*.c src/core/*.c)
SYSTEM_SOURCES := $(wildcard src/os/*.c src/run/*.c src/report/*.c)
PROBE_SOURCES  := $(wildcard src/apps/probe/*.c)
TEST_SOURCES   := $(wildcard tests/*/*.c tests/e2e/peer/*.c tests/e2e/tap/*.c)

PRODUCT_SOURCES := $(PURE_SOURCES) $(SYSTEM_SOURCES) $(PROBE_SOURCES)
SOURCES := $(PRODUCT_SOURCES) $(TEST_SOURCES)
HEADERS := $(wildcard include/*/*.h include/*/*/*.h src/*/*.h src/*/*/*.h tests/*/*.h tests/*/*/*.h)

object = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(patsubst tests/%.c,$(BUILD)/tests/obj/%.o,$(1)))

FLOOR_OBJECTS := $(call object,$(PURE_SOURCES) $(SYSTEM_SOURCES))
PROBE_OBJECTS := $(call object,$(PROBE_SOURCES))
TEST_OBJECTS  := $(call object,$(TEST_SOURCES))
ALL_OBJECTS   := $(FLOOR_OBJECTS) $(PROBE_OBJECTS) $(TEST_OBJECTS)
PROGRAMS      := $(BUILD)/fping-bench
ARCHIVE       := $(BUILD)/product.a

# A suite is one program made of all the files of its directory, a helper one of a single file.
SUITES       := $(foreach s,unit contract sim golden,$(if $(wildcard tests/$(s)/*.c),$(s)))
FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
HELPERS      := $(wildcard tests/e2e/*.c tests/bench/*.c)
helper_program = $(BUILD)/tests/$(basename $(notdir $(1)))

SHIMS := $(patsubst tests/e2e/shim/%.c,$(BUILD)/tests/%-shim.so,$(wildcard tests/e2e/shim/*.c))

TEST_PROGRAMS := $(SUITES:%=$(BUILD)/tests/%) $(FUZZ_TARGETS:%=$(BUILD)/tests/replay-%) \
	$(foreach h,$(HELPERS),$(call helper_program,$(h))) \
	$(BUILD)/tests/peer $(BUILD)/tests/tap $(SHIMS)
FUZZ_PROGRAMS := $(FUZZ_TARGETS:%=$(BUILD)/fuzz-%)

.PHONY: FORCE

# Three small files that change only when their content does: with other flags (WERROR=1, another
# compiler) everything is compiled again, with another commit the program, and what consists of a
# whole directory is linked again when a file of it has gone.
$(BUILD)/flags:   export STAMP = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(LANGUAGE_SYSTEM)
$(BUILD)/version: export STAMP = $(VERSION) $(GIT_BUILD)
$(BUILD)/sources: export STAMP = $(SOURCES)
$(BUILD)/flags $(BUILD)/version $(BUILD)/sources: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$STAMP" | cmp -s - $@ || printf '%s\n' "$$STAMP" >$@

# One look for the libraries' headers, before the first compile only.
look = printf '\#include <%s>\n' $(1) | $(CC) $(CFLAGS) -fsyntax-only -x c - 2>/dev/null || { \
	echo "make: headers are missing; Debian and Ubuntu have them in: `contrib/packages.sh list $(2)`" \
	"(sudo make packages installs them)" >&2; exit 1; }

$(BUILD)/headers:
	@mkdir -p $(@D)
	@command -v $(CC) >/dev/null || { echo "make: there is no C compiler '$(CC)'" >&2; exit 1; }
	@$(call look,stdio.h sys/capability.h jansson.h libmnl/libmnl.h,build)
	@touch $@

$(BUILD)/tests/headers: | $(BUILD)/headers
	@mkdir -p $(@D)
	@$(call look,CUnit/CUnit.h,test)
	@touch $@

# ---- compiling -----------------------------------------------------------------------------------

$(ALL_OBJECTS): $(BUILD)/flags | $(BUILD)/headers
$(TEST_OBJECTS): | $(BUILD)/tests/headers
$(PROBE_OBJECTS): $(BUILD)/version

compile = @mkdir -p $(@D); echo '  CC      $<'; $(CC) $(1) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/obj/base/%.o: src/base/%.c
	$(call compile,$(LANGUAGE_PURE))
$(BUILD)/obj/core/%.o: src/core/%.c
	$(call compile,$(LANGUAGE_PURE))
$(BUILD)/obj/apps/%.o: src/apps/%.c
	$(call compile,$(LANGUAGE_SYSTEM) $(VERSION_DEFINES))
$(BUILD)/obj/%.o: src/%.c
	$(call compile,$(LANGUAGE_SYSTEM))
$(BUILD)/tests/obj/%.o: tests/%.c
	$(call compile,$(LANGUAGE_TESTS))

.SECONDARY: $(ALL_OBJECTS)
-include $(wildcard $(ALL_OBJECTS:.o=.d))

# ---- linking -------------------------------------------------------------------------------------

link = @mkdir -p $(@D); echo '  LINK    $@'; \
	$(CC) $(ALL_LDFLAGS) $(2) -o $@ $(filter %.o %.a,$^) $(1)

$(BUILD)/fping-bench: $(PROBE_OBJECTS) $(FLOOR_OBJECTS) $(BUILD)/sources
	$(call link,$(LIBRARIES))

$(ARCHIVE): $(FLOOR_OBJECTS) $(filter-out %/main.o,$(PROBE_OBJECTS)) $(BUILD)/sources
	@rm -f $@
	@$(AR) rcs $@ $(filter %.o,$^)

define suite_rule
$(BUILD)/tests/$(1): $(call object,$(wildcard tests/$(1)/*.c)) $(ARCHIVE) $(BUILD)/sources
	$$(call link,-lcunit $(LIBRARIES))
endef
$(foreach s,$(SUITES),$(eval $(call suite_rule,$(s))))

define helper_rule
$(call helper_program,$(1)): $(call object,$(1)) $(ARCHIVE)
	$$(call link,$(LIBRARIES))
endef
$(foreach h,$(HELPERS),$(eval $(call helper_rule,$(h))))

# Peer and tap share no code with the product: a fault in both would cancel out.
$(BUILD)/tests/peer $(BUILD)/tests/tap: $(BUILD)/tests/%: $(BUILD)/sources
	$(call link,-lm)
$(BUILD)/tests/peer: $(call object,$(wildcard tests/e2e/peer/*.c))
$(BUILD)/tests/tap:  $(call object,$(wildcard tests/e2e/tap/*.c))

# Put in front of the C library (LD_PRELOAD) of programs that know nothing of it, so without the flags
# of programs, among them the sanitizers.
$(BUILD)/tests/%-shim.so: tests/e2e/shim/%.c $(BUILD)/flags | $(BUILD)/tests/headers
	@mkdir -p $(@D); echo '  LINK    $@'; \
	$(CC) $(CFLAGS) -fPIC -shared $(WARNINGS) -std=c11 -D_GNU_SOURCE $(LDFLAGS) \
		-o $@ $< -ldl

FUZZ_OBJECTS := $(BUILD)/tests/obj/fuzz
$(BUILD)/tests/replay-%: $(FUZZ_OBJECTS)/fuzz_%.o $(FUZZ_OBJECTS)/replay.o $(ARCHIVE)
	$(call link,$(LIBRARIES))

$(BUILD)/fuzz-%: $(FUZZ_OBJECTS)/fuzz_%.o $(ARCHIVE)
	$(call link,$(LIBRARIES),-fsanitize=fuzzer)

# ---- goals ---------------------------------------------------------------------------------------

GOALS_AS_CALLER := all test-programs bench-programs check-unit lint asan analyze fuzz format clean
GOALS_AS_ROOT   := try check check-e2e check-diagnose packages bench bench-check history
.PHONY: $(GOALS_AS_CALLER) $(GOALS_AS_ROOT) fuzz-programs help

# What runs as root on somebody's behalf (sudo) builds as that somebody, so that a later `make`
# without root finds its own files. The goals that need root hand their building on likewise.
ifneq ($(filter-out 0,$(SUDO_UID)),)
ifeq ($(shell id -u),0)
DELEGATE := yes
endif
endif

EXTRA        ?=
FUZZ_SECONDS ?= 60
# What the scripts need to know of this Makefile.
export BUILD MAKE CC FUZZ_SECONDS

ifdef DELEGATE
$(GOALS_AS_CALLER):
	+@contrib/as-caller.sh $(MAKE) $@
else
all: $(PROGRAMS)

test-programs: $(PROGRAMS) $(TEST_PROGRAMS)

bench-programs: $(BUILD)/tests/timed $(BUILD)/tests/bench_core $(BUILD)/tests/tap

check-unit:
	+@tests/run.sh unit

lint:
	+@tests/run.sh lint

asan:
	+@$(MAKE) BUILD=$(BUILD)/asan SANITIZE=address,undefined check-unit

fuzz:
	+@$(MAKE) BUILD=$(BUILD)/fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined fuzz-programs
	@tests/fuzz/run.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

fuzz-programs: $(FUZZ_PROGRAMS)

# Three analysers over the product's own sources; each must stay silent. Left out of clang-tidy's
# checks are two that ask for another language (Annex K's memcpy_s, distinct parameter types).
.PHONY: analyze-gcc analyze-tidy analyze-cppcheck
analyze: analyze-gcc analyze-tidy analyze-cppcheck
	@echo 'analyze: 0 warnings'

language_of = $(if $(filter base/% core/%,$(1)),$(LANGUAGE_PURE),$(LANGUAGE_SYSTEM)) \
	$(VERSION_DEFINES)

analyze-gcc: $(PRODUCT_SOURCES:src/%.c=$(BUILD)/analyze/%.o)
$(BUILD)/analyze/%.o: src/%.c FORCE
	@mkdir -p $(@D)
	@echo '  GCC     $<'
	@gcc -O2 -g -fanalyzer $(WARNINGS) -Wstrict-overflow=2 -Werror $(call language_of,$*) -c -o $@ $<

# On stderr clang-tidy counts the warnings that it suppressed, unless the call itself was wrong.
TIDY_WITHOUT := bugprone-easily-swappable-parameters \
	clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling
comma := ,
empty :=
TIDY_CHECKS := -*,bugprone-*,cert-*,clang-analyzer-*$(TIDY_WITHOUT:%=$(comma)-%)
TIDY_CHECKS := $(subst $(empty) ,,$(TIDY_CHECKS))

analyze-tidy: $(PRODUCT_SOURCES:src/%.c=$(BUILD)/analyze/%.tidy)
$(BUILD)/analyze/%.tidy: src/%.c FORCE
	@mkdir -p $(@D)
	@echo '  TIDY    $<'
	@clang-tidy --quiet '--checks=$(TIDY_CHECKS)' '--warnings-as-errors=*' $< -- \
		$(call language_of,$*) 2>$@ || { cat $@; exit 1; }

# cppcheck 2.10 reads an attribute behind a function pointer only if it does not know it.
analyze-cppcheck:
	@echo '  CPPCHK  src'
	@cppcheck --enable=warning,portability,performance --inline-suppr --error-exitcode=3 --quiet \
		--std=c11 -D_GNU_SOURCE -UMUST_CHECK -Iinclude $(VERSION_DEFINES) src

format:
	clang-format -i $(SOURCES) $(HEADERS)

clean:
	rm -rf -- $(BUILD)
endif

try:
	+@contrib/try.sh

check:
	+@tests/run.sh check $(EXTRA)

check-e2e:
	+@tests/run.sh e2e

# The diagnosis of fragments, every row of its laboratory DIAGNOSE_RUNS times.
DIAGNOSE_RUNS ?= 10
check-diagnose:
	+@contrib/as-caller.sh $(MAKE) all test-programs
	@DIAGNOSE_RUNS=$(DIAGNOSE_RUNS) bash tests/e2e/diagnose.test.sh

packages:
	@contrib/packages.sh test

bench:
	+@tests/bench/bench.sh

bench-check:
	+@tests/bench/bench.sh check

history:
	+@tests/bench/history.sh

help:
	@printf '%s\n' \
	'make              build $(BUILD)/fping-bench; no root needed' \
	'sudo make try     install what that needs, build, and flood from one namespace to another' \
	'sudo make check   install what the tests need, build, and run every test' \
	'make check        the same without installing; what needs root is skipped' \
	'make check-unit   unit, contract, simulation, golden and fuzz-corpus tests' \
	'make check-e2e    end-to-end tests in network namespaces (root)' \
	'make lint         the rules of the source tree, the shell files and the manual page' \
	'make asan         the unit part under AddressSanitizer and UndefinedBehaviorSanitizer' \
	'make analyze      gcc -fanalyzer, clang-tidy and cppcheck' \
	'make fuzz         every fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS) each (clang)' \
	'make bench        speed, the cost of stamps and pacing, beside ping, fping and irtt (root)' \
	'make bench-check  the same; fails below the targets' \
	'make check-diagnose   the diagnosis of fragments, each case DIAGNOSE_RUNS=10 times (root)' \
	'make history      the flood pings of 1992 again, old figures beside new ones (root)' \
	'make packages     install the packages for building and testing (root)' \
	'make format       clang-format over the sources' \
	'make clean        remove $(BUILD)' \
	'' \
	'variables         CC CFLAGS LDFLAGS BUILD; WERROR=1: warnings are errors;' \
	'                  SANITIZE=address,undefined; make check EXTRA="asan fuzz analyze": these too'
