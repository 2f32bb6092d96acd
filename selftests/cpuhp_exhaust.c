// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes all places that the kernel has for callbacks that want to know of CPUs.
 * kpool needs one, so it cannot be loaded until this module goes.
 */
#include <linux/cpuhotplug.h>
#include <linux/kernel.h>
#include <linux/module.h>

static int slots[256];
static int nr;

static int slot_online(unsigned int cpu)
{
	return 0;
}

static int __init slots_init(void)
{
	while (nr < ARRAY_SIZE(slots)) {
		int slot = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
						     "kpool-selftest:slot",
						     slot_online, NULL);

		if (slot < 0)
			break;
		slots[nr++] = slot;
	}
	return 0;
}
module_init(slots_init);

static void __exit slots_exit(void)
{
	while (nr)
		cpuhp_remove_state_nocalls(slots[--nr]);
}
module_exit(slots_exit);

MODULE_DESCRIPTION("kpool selftest: no place for a hotplug callback is left");
MODULE_LICENSE("GPL");
