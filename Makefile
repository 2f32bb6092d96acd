# SPDX-License-Identifier: GPL-2.0-only
# What is built stands in Kbuild; see "make help".

ifneq ($(words $(subst :, ,$(CURDIR))),1)
$(error The path "$(CURDIR)" has a space or a colon, which Kbuild cannot take: move the tree)
endif

KDIR ?= /lib/modules/$(shell uname -r)/build
KERNEL ?= stock
MINUTES ?= 10

modules modules_install:
	$(MAKE) -C $(KDIR) M=$(CURDIR) $@

# Also what was built with KPOOL_WITH.
clean: clean-docs
	$(MAKE) -C $(KDIR) M=$(CURDIR) KPOOL_WITH="samples selftests bench" $@

clean-docs:
	rm -rf build

deb:
	@testbed/deb.sh build

rpm:
	@testbed/rpm.sh build

docs:
	@testbed/docs.sh build/docs
	@echo 'build/docs/html/index.html; man -M build/docs/man kpool_submit'

demo:
	@testbed/demo.sh $(KERNEL)

check:
	@CPUS="$(CPUS)" STUTTER="$(STUTTER)" LONG="$(LONG)" testbed/check.sh $(KERNEL) $(TESTS)

check-all:
	@CONTINUE="$(CONTINUE)" testbed/check-all.sh $(STEPS)

torture:
	@CPUS="$(CPUS)" testbed/torture.sh $(KERNEL) $(MINUTES) $(PARAMETERS)

simulate:
	@SEEDS="$(SEEDS)" FIRST="$(FIRST)" MASK="$(MASK)" VARIANT="$(VARIANT)" TRACE="$(TRACE)" \
		testbed/simulate.sh

coverage:
	@CPUS="$(CPUS)" testbed/coverage.sh $(KERNELS)

bench:
	@RATIOS="$(RATIOS)" testbed/bench.sh $(GROUNDS)

reach:
	@testbed/reach.sh $(NAMES)

in-tree:
	@testbed/in-tree.sh add "$(TREE)"

series:
	@testbed/in-tree.sh series "$(TREE)"

tables:
	@python3 testbed/lib/tables.py --write

lint:
	@testbed/lint.sh $(LINTERS)

litmus:
	@testbed/litmus.sh $(TESTS)

model:
	@testbed/model.sh

mutants:
	@KERNELS="$(KERNELS)" testbed/mutants.sh $(if $(LIST),--list) $(NAMES)

help:
	@echo 'On this machine, against KDIR=$(KDIR):'
	@echo '  modules (default)  build kpool.ko; with KPOOL_WITH="samples" those too'
	@echo '  modules_install    install them'
	@echo '  clean              remove what was built'
	@echo '  deb                Debian packages for DKMS, clients and tools, in build/deb'
	@echo '  rpm                the same as RPM packages, in build/rpm'
	@echo
	@echo 'In a guest, which is built when it is first needed; nothing else has to be prepared:'
	@echo '  demo               show kpool at work'
	@echo '  check              run the selftests'
	@echo '  torture            run the torture test alone, for MINUTES=$(MINUTES)'
	@echo '    PARAMETERS="..."   of its module, such as "oops=20 seed=7"'
	@echo '  simulate           try SEEDS=n schedules against a model; see Documentation/testing.rst'
	@echo '  coverage           which lines the selftests run, on kernels that count'
	@echo '    KERNELS="..."      only on these, with what was counted on others before'
	@echo '  bench              compare kpool with workqueues and kthreads: instructions, times, memory'
	@echo '    GROUNDS="..."      of icount, uml, stock, httpd, holds; default all'
	@echo '    RATIOS=yes         only write bench/ratios, which make check compares with'
	@echo '    KERNEL=$(KERNEL)     or $(filter-out $(KERNEL),$(basename $(notdir $(wildcard testbed/kernels/*.sh))))'
	@echo '    TESTS="..."        only these selftests: $(shell selftests/run.sh -l)'
	@echo '                       or ported, which is all of: $(shell selftests/run.sh -l ported)'
	@echo '    CPUS="..."         numbers of processors, one run each'
	@echo '    LONG=yes           as long as check-all does it'
	@echo '    STUTTER=yes        stop the guest again and again, as a busy machine does'
	@echo
	@echo '  check-all          all that can be checked, on every kernel: hours'
	@echo '    STEPS="..."        only what matches a word, such as kcsan or canary'
	@echo '    CONTINUE=yes       not what has passed since the tree was changed last'
	@echo
	@echo '  lint               sparse, checkpatch, kernel-doc, coccinelle, shellcheck, codespell, mutants,'
	@echo '                     words, and whether the manual builds and lists what the code has'
	@echo '    LINTERS="..."      only these; rooms counts which files call each other'
	@echo '  tables             write what is generated from core/tunables.h and struct kpool_stats'
	@echo '  reach              compile kpool.ko for other architectures, by clang, and without features'
	@echo '    NAMES="..."        only these of testbed/reach.sh'
	@echo '  in-tree            add kpool to the source of Linux in TREE=DIR'
	@echo '  series             write that as a patch series, to build/series'
	@echo '  docs               the manual as HTML and as man pages, in build/docs'
	@echo '  litmus             check the order of memory accesses with herd7'
	@echo '    TESTS="..."        only these of selftests/litmus/'
	@echo '  model              check all interleavings of fast operations in a model with spin'
	@echo '  mutants            break kpool in one way at a time: does a test notice?'
	@echo '    NAMES="..."        only these of selftests/mutants/'
	@echo '    KERNELS="..."      only on these; simulate is the simulation'
	@echo '    LIST=yes           print what each of them breaks'

.PHONY: modules modules_install clean demo check check-all torture coverage bench lint litmus model mutants help \
	docs clean-docs deb rpm reach in-tree series tables
