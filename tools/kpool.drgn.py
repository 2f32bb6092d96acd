# SPDX-License-Identifier: GPL-2.0-only
"""kpool.drgn.py [POOL...]: print pools, their workers, running items and blocked submitters.

Of a core, or without -c, as root, of the running kernel:

    drgn -c CORE -s vmlinux -s kpool.ko tools/kpool.drgn.py

Both files need their debug information; that of kpool.ko must be of the same build as the
module that was loaded.  Documentation/tools.rst explains the output.
"""
# pylint: disable=invalid-name,undefined-variable
import sys
import textwrap

from drgn import FaultError, cast, container_of
from drgn.helpers.linux.list import list_for_each_entry
from drgn.helpers.linux.rbtree import rbtree_inorder_for_each_entry

KPOOL_FN = 0x80		# __KPOOL_FN of kpool.h
GAUGES = ("alive", "idle", "running", "units", "pending", "delayed", "blocked")


def words(enum, prefix):
    """Return the names of an enum's values, without their prefix."""
    return {value: name[len(prefix):].lower()
            for name, value in prog.type(f"enum {enum}").enumerators}


WORKER_STATES = {value: "exiting" if word in ("expired", "retired", "failed") else word
                 for value, word in words("kpool_worker_state", "KPOOL_WORKER_").items()}
RUN_KINDS = words("kpool_run_kind", "KPOOL_RUN_")


# Time

def ms_since(jiffies):
    """Return the milliseconds since then; a tick is what the clock of ticks says."""
    clock = prog["clocksource_jiffies"]
    ticks = cast("unsigned long", prog["jiffies_64"]) - jiffies
    return ticks.value_() * (clock.mult.value_() >> clock.shift.value_()) // 1000000


# Functions

def areas(module):
    """Return the parts of a module, each by its address and size."""
    try:
        layouts = [module.core_layout]
    except AttributeError:	# since Linux 6.4
        layouts = module.mem
    return [(part.base.value_(), part.size.value_()) for part in layouts]


def module_of(address):
    for module in list_for_each_entry("struct module", prog["modules"].address_of_(), "list"):
        if any(base <= address < base + size for base, size in areas(module)):
            return module
    return None


def name_in(module, address):
    """Return the function's name from the module's own symbols: it needs no debug information."""
    symbols = module.kallsyms
    for i in range(symbols.num_symtab):
        symbol = symbols.symtab[i]
        if symbol.st_value == address:
            name = (symbols.strtab + symbol.st_name).string_().decode()
            if name and not name.startswith("__pfx_"):
                return name
    return hex(address)


def function(pointer):
    address = pointer.value_()
    module = module_of(address)
    if module:
        return f"{name_in(module, address)} [{module.name.string_().decode()}]"
    try:
        return prog.symbol(address).name
    except LookupError:
        return hex(address)


def function_of_item(item):
    """Return the client's function, also of an item that kpool allocated."""
    if item.flags & KPOOL_FN:
        return function(container_of(item, "struct kpool_fn_item", "item").fn)
    return function(item.fn)


# Pools

def fast_operations_of(pool):
    """Return the numbers of submits and starts that no lock holder has accounted for."""
    inbox, ready = pool.inbox, pool.ready
    nr_open, first = inbox.nr_open.value_(), inbox.first.value_()
    used = nr_open - (inbox.next.counter.value_() & 0xff) if nr_open else 0
    slots = [inbox.slots[(first + i) % len(inbox.slots)].value_() for i in range(used)]
    starts = ready.nr_open.value_()
    if starts:
        starts -= ready.next.counter.value_() & 0xff
    return sum(not slot & 1 for slot in slots), starts


def stats_of(pool):
    """Return counters and gauges, as kpool_get_stats() does."""
    submits, starts = fast_operations_of(pool)
    stats = {member.name: getattr(pool.stats, member.name).value_()
             for member in prog.type("struct kpool_counters").members}
    stats["alive"] = pool.mgr.nr_workers.value_()
    stats["idle"] = pool.mgr.nr_idle.value_()
    stats["running"] = (pool.nr_running + pool.runs.nr_caller).value_()
    stats["units"] = pool.units_used.value_()
    stats["delayed"] = pool.delays.nr.value_()
    stats["pending"] = (pool.q.nr_queued - pool.q.nr_completions + pool.q.nr_requeue +
                        pool.q.nr_parked + pool.q.nr_backlog + pool.drops.nr +
                        pool.runs.nr_drop).value_()
    stats["submitted"] += submits
    stats["completed"] += starts
    stats["pending"] += submits - starts
    stats["blocked"] = pool.q.nr_blocked.value_()
    return stats


def state_of(pool):
    if pool.closed:
        return "closed"
    return "paused" if pool.paused else "open"


def print_thread(what, task, ms, fn, item):
    comm = task.comm.string_().decode()
    print(f"  {what} {task.pid.value_()} ({comm}): {fn} for {ms} ms, item {item.value_():#x}")
    try:
        print(textwrap.indent(str(prog.stack_trace(task)), "    "))
    except (FaultError, LookupError, ValueError) as error:
        print(f"    no stack: {error}")


def print_workers(pool):
    """Print each worker; one with an item has a stack."""
    for worker in list_for_each_entry("struct kpool_worker",
                                      pool.mgr.workers.address_of_(), "member"):
        state, run = WORKER_STATES[worker.state.value_()], worker.run
        ms = ms_since(worker.since)
        if state == "running":
            print_thread("blocked worker" if run.item and run.blocked_on else "running worker",
                         worker.task, ms, function(run.fn), run.item)
        else:
            print(f"  {state} worker {worker.task.pid.value_()} for {ms} ms")


def print_others(pool):
    """Print other threads in a run: submitters that run their items, drop functions."""
    for run in rbtree_inorder_for_each_entry("struct kpool_run",
                                             pool.runs.by_task.address_of_(), "by_task"):
        print_thread(f"{RUN_KINDS[run.kind.value_()]} run", run.task, ms_since(run.since),
                     function(run.fn), run.item)


def print_blocked(pool):
    for waiter in list_for_each_entry("struct kpool_waiter",
                                      pool.q.submitters.address_of_(), "node"):
        print_thread("blocked submitter", waiter.task, ms_since(waiter.since),
                     function_of_item(waiter.item), waiter.item)


def print_pool(pool):
    stats = stats_of(pool)
    print(f"{pool.name.string_().decode()}: {state_of(pool)}, owner "
          f"{pool.owner_name.string_().decode()}, struct kpool {pool.value_():#x}")
    print("  " + ", ".join(f"{key} {stats[key]}" for key in GAUGES))
    print("  " + ", ".join(f"{key} {value}" for key, value in stats.items()
                           if value and key not in GAUGES))
    print_workers(pool)
    print_others(pool)
    print_blocked(pool)


def main():
    wanted, missing = sys.argv[1:], set(sys.argv[1:])
    for pool in list_for_each_entry("struct kpool", prog["kpool_pools"].address_of_(), "member"):
        name = pool.name.string_().decode()
        if not wanted or name in wanted:
            print_pool(pool)
            missing.discard(name)
    if missing:
        sys.exit(f"no pool {', '.join(sorted(missing))}")


main()
