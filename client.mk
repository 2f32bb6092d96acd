# SPDX-License-Identifier: GPL-2.0-only
# Included by the Kbuild file of a module that uses kpool.ko: finds kpool.h,
# beside this file, and the Module.symvers of the kpool.ko that it is built for.
#
# That is the one beside this file, of a tree in which kpool was built, or else
# the one that DKMS kept of the kpool.ko installed for this kernel.  In a tree of
# DKMS it is always the latter: "dkms add" also copies what was built in a checkout,
# for any kernel.  KPOOL_SYMVERS names another.

kpool-client-dir := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))

ccflags-y += -I$(kpool-client-dir)

kpool-client-dkms := $(filter $(realpath $(kpool-client-dir)), \
	$(realpath $(wildcard /var/lib/dkms/kpool/*/source)))
KPOOL_SYMVERS ?= $(firstword $(wildcard \
	$(if $(kpool-client-dkms),,$(kpool-client-dir)/Module.symvers) \
	/var/lib/dkms/kpool/kernel-$(KERNELRELEASE)-*/Module.symvers))
KBUILD_EXTRA_SYMBOLS += $(KPOOL_SYMVERS)

# "make clean" does without.
ifeq ($(KPOOL_SYMVERS)$(filter __clean,$(PHONY)),)
$(error No Module.symvers of kpool for Linux $(KERNELRELEASE): run "make" in \
	$(kpool-client-dir), or "dkms install" for this kernel)
endif
