# SPDX-License-Identifier: GPL-2.0-only
# The files of kpool, and rules that link them into other modules.
#
# A Kbuild file that includes this below its obj-m has kpool linked into each
# module of obj-m, or into those that KPOOL_EMBED names, such as "foo" for
# foo.ko.  See "kpool inside a module" in Documentation/clients.rst.

kpool-dir := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))

# Below core/; main.c is what only kpool.ko has.
kpool-core := lock submit queue stream item delay group call multi worker \
	      manager run drop wait deadlock fault watchdog module attrs \
	      debugfs debug

KPOOL_EMBED ?= $(basename $(filter %.o,$(obj-m)))

# kpool-object MODULE OBJECT SOURCE: compile it for this module, which Kbuild
# finds by the whole name of the object.
define kpool-object
$(1)-y += $(2).o
CFLAGS_$(2).o := -I$(kpool-dir) -I$(kpool-dir)/core \
		 -include $(kpool-dir)/core/embed.h
# sparse cannot follow a lock that a function takes on some paths only
$(obj)/$(2).o: CHECKFLAGS += -Wno-context
$(obj)/$(2).o: $(obj)/%.o: $(kpool-dir)/$(3).c FORCE
	$$(call if_changed_rule,cc_o_c)

endef

# A module of one file NAME.c has no list of objects that could be extended.
define kpool-embed
$(if $($(1)-y)$($(1)-objs),,$(error kpool.mk: $(1).o needs a list $(1)-y, \
	and a file of its own with another name))
$(call kpool-object,$(1),$(1)-kpool,kpool)
$(foreach file,$(kpool-core),$(call \
	kpool-object,$(1),$(1)-kpool-$(file),core/$(file)))
endef

ifneq ($(strip $(KPOOL_EMBED)),)
ccflags-y += -I$(kpool-dir)
$(foreach module,$(KPOOL_EMBED),$(eval $(call kpool-embed,$(module))))
endif
