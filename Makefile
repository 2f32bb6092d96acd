# SPDX-License-Identifier: GPL-2.0-only
# What is built stands in Kbuild; see "make help".

KDIR ?= /lib/modules/$(shell uname -r)/build
KERNEL ?= stock

modules modules_install clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) $@

demo:
	@testbed/demo.sh $(KERNEL)

check:
	@CPUS="$(CPUS)" testbed/check.sh $(KERNEL) $(TESTS)

bench:
	@testbed/testbed.sh -k $(KERNEL) -i -t 600 bench/bench.sh

lint:
	@testbed/lint.sh $(LINTERS)

help:
	@echo 'On this machine, against KDIR=$(KDIR):'
	@echo '  modules (default)  build kpool.ko; with KPOOL_WITH="samples" those too'
	@echo '  modules_install    install them'
	@echo '  clean              remove what was built'
	@echo
	@echo 'In a guest, which is built when it is first needed; nothing else has to be prepared:'
	@echo '  demo               show kpool at work'
	@echo '  check              run the selftests'
	@echo '  bench              count instructions per item'
	@echo '    KERNEL=$(KERNEL)     or $(filter-out $(KERNEL),$(basename $(notdir $(wildcard testbed/kernels/*.sh))))'
	@echo '    TESTS="..."        only these selftests: $(filter-out run ktap,$(basename $(notdir $(wildcard selftests/*.sh))))'
	@echo '                       or seeds, which is all of: $(basename $(notdir $(wildcard selftests/seeds/*.sh)))'
	@echo '    CPUS="..."         numbers of processors, one run each'
	@echo
	@echo '  lint               sparse, checkpatch, kernel-doc, coccinelle, shellcheck, codespell'
	@echo '    LINTERS="..."      only these'

.PHONY: modules modules_install clean demo check bench lint help
