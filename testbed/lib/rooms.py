#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""rooms.py [DIR [-v]]: how the engine's C files call each other.

From definitions and calls, with comments, strings and macros left out; the kernel's
style is taken for granted: a function's braces stand in the first column. A static
inline of a header belongs to the .c file of the same name; one of the public header, or of
a header without such a file, to the header itself. Fails if there are too many files in
core/ or pairs of files that call each other both ways, a function is too long, one of a few lines is in another file
than its only caller, too much is inlined where a plain item passes, or a function takes or releases a
pool's lock other than by kpool_lock() and kpool_unlock(). The page on internals has a table of the files,
one of the pairs, and one of the counts with their limits, which must be those of the code.
"""
import glob
import os
import re
import sys

MAX_CORE_FILES = 22
MAX_MUTUAL_PAIRS = 5
MAX_FUNCTION_LINES = 60
MIN_FILE_LINES = 60
MAX_HOP_LINES = 3

# They set up or end what only their file can see.
OWN = {"kpool_debugfs_init", "kpool_debugfs_exit", "kpool_debugfs_remove", "kpool_stack_req_flush"}

MAX_ONE_CALLER = 56
MAX_ONE_USER = 95

# What a plain item passes through, and how many functions are inlined into it at most.
WALKS = {"kpool_submit": 8, "kpool_lock_and_submit": 28, "kpool_process_item": 31}

# What may call raw_spin_unlock(): kpool_unlock(), and the search for an item's owner.
UNLOCKERS = {
    "kpool_unlock", "kpool_unlock_irq", "kpool_unlock_open", "kpool_unlock_irq_open",
    "kpool_unlock_kick", "kpool_unlock_irq_slow",
    "kpool_trylock_owner", "kpool_lock_null_pool", "kpool_item_lock_for_submit", "kpool_item_migrate",
    "kpool_lock_both", "kpool_remove_id",
}

# What may call raw_spin_lock(): kpool_lock(), and the one that holds two locks.
LOCKERS = {"kpool_lock", "kpool_lock_irq", "kpool_lock_nested", "kpool_remove_id"}

PUBLIC_HEADER = "kpool.h"
PAGE = "Documentation/internals.rst"
ENGINE = ("*.c", "*.h", "core/*.c", "core/*.h")
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
MACRO = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M)
ATTRIBUTE = re.compile(r"\b__(?!kpool)\w+\([^()]*\)")
WORD = re.compile(r"\b([A-Za-z_]\w*)\b(\s*\()?")


class Function:
    def __init__(self, name, file, head, line, lines, body):
        self.name, self.file = name, file
        self.shared = not re.search(r"\bstatic\b", head)
        self.inline = re.search(r"\b(__always_)?inline\b", head) is not None
        self.line, self.lines = line, lines
        self.body_lines = sum(1 for line in body.split("\n") if line.strip())
        self.calls, self.mentions = set(), set()
        for word, bracket in WORD.findall(body):
            self.mentions.add(word)
            if bracket:
                self.calls.add(word)


def blank(match):
    """Leave the lines of what is removed, so that they can be counted."""
    return "\n" * match.group().count("\n") or " "


def functions_of(path, home):
    text = open(path, encoding="utf-8").read()
    exported = set(re.findall(r"\bEXPORT_SYMBOL\w*\((\w+)\)", text))
    lines = MACRO.sub(blank, NOT_CODE.sub(blank, text)).split("\n")
    start = 0
    for i, line in enumerate(lines):
        if line.strip() == "" or line[0] == "}" or line.rstrip().endswith(";"):
            start = i + 1
        if line.rstrip() != "{":
            continue
        head = ATTRIBUTE.sub("", " ".join(lines[start:i]))
        end = lines.index("}", i)
        name = re.search(r"(\w+)\s*\(", head)
        if name:
            f = Function(name[1], home, head, start + 1, end - start + 1, "\n".join(lines[i + 1:end]) + "\n")
            f.shared &= f.name not in exported
            yield f


def home_of(path, paths):
    name = os.path.basename(path)
    same = re.sub(r"\.h$", ".c", name)
    if name != PUBLIC_HEADER and same in {os.path.basename(p) for p in paths}:
        return same
    return name


def read_engine(top):
    paths = sorted(p for pattern in ENGINE for p in glob.glob(os.path.join(top, pattern))
                   if not p.endswith(".mod.c"))
    functions = []
    for path in paths:
        functions += functions_of(path, home_of(path, paths))
    return paths, functions


class Rooms:
    def __init__(self, functions):
        self.shared = {f.name: f for f in functions}
        local = {(f.file, f.name) for f in functions}
        self.arrows, self.users, self.callers = {}, {}, {}
        for f in functions:
            for name in f.calls & self.shared.keys():
                self.callers.setdefault(name, set()).add(f.name)
            for name in f.mentions & self.shared.keys():
                callee = self.shared[name]
                if callee.file == f.file or (f.file, name) in local:
                    continue
                self.users.setdefault(name, set()).add(f.file)
                if name in f.calls:
                    self.arrows.setdefault((f.file, callee.file), {}) \
                        .setdefault(name, set()).add(f.name)

    def mutual(self):
        return sorted((a, b) for a, b in self.arrows if a < b and (b, a) in self.arrows)

    def one_user(self):
        return sorted((f.file, name, *self.users[name]) for name, f in self.shared.items()
                      if f.shared and len(self.users.get(name, ())) == 1)

    def one_caller(self):
        return [f for f in self.shared.values() if f.shared and len(self.callers.get(f.name, ())) == 1]

    def hops(self):
        """Functions of a few lines with one caller, in another file. Those that a header inlines do
        not count: they hide a configuration, or how a word is encoded."""
        return [f for f in self.one_caller() if f.body_lines <= MAX_HOP_LINES and
                self.users.get(f.name) and f.name not in OWN]

    def walk(self, name, seen):
        """Add to seen all that is inlined into a function."""
        for callee in self.shared[name].calls & self.shared.keys():
            if self.shared[callee].inline and callee not in seen:
                seen.add(callee)
                self.walk(callee, seen)
        return seen


def compare(what, code, page):
    for x in sorted(code ^ page):
        where = "the code" if x in code else PAGE
        print(f"{what} {x}: only in {where}")
    return code != page


def figures_of(core, mutual, one_user, one_caller, walks):
    """What the page shows: each count, and its limit."""
    figures = {
        "C files in core/": (len(core), MAX_CORE_FILES),
        "pairs of files that call each other both ways": (len(mutual), MAX_MUTUAL_PAIRS),
        "shared functions that one other file uses": (len(one_user), MAX_ONE_USER),
        "shared functions that one other function calls": (len(one_caller), MAX_ONE_CALLER),
    }
    for name, walk in walks.items():
        figures[f"functions inlined into {name}()"] = (len(walk), WALKS[name])
    return figures


def page_is_wrong(top, paths, mutual, figures):
    """Does the page list other files, other pairs of files, or other counts than there are?"""
    page = open(os.path.join(top, PAGE), encoding="utf-8").read()
    pairs = set(re.findall(r"^``(\w+\.c)`` and ``(\w+\.c)``$", page, re.M))
    files = {os.path.relpath(p, top) for p in paths}
    listed = set(re.findall(r"^``(core/\w+\.[ch]|kpool\.[ch])``  ", page, re.M))
    # headers that go with a file of the table
    listed |= {f for f in files if f[:-1] + "c" in listed} | {"core/tunables.h"}
    shown = set(re.findall(r"^(\w.*\S) +(\d+) +(\d+)$", page, re.M))
    counted = {(name, str(count), str(limit)) for name, (count, limit) in figures.items()}
    return compare("pair", {" ".join(pair) for pair in mutual}, {" ".join(pair) for pair in pairs}) + \
        compare("file", files, listed) + \
        compare("count", {" ".join(row) for row in counted}, {" ".join(row) for row in shown})


def show_arrow(rooms, a, b):
    for callee, callers in sorted(rooms.arrows[a, b].items()):
        print(f"    {a} -> {b}: {callee}() by {', '.join(sorted(callers))}")


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else "."
    paths, functions = read_engine(top)
    rooms = Rooms(functions)
    mutual, one_user, one_caller, hops = rooms.mutual(), rooms.one_user(), rooms.one_caller(), rooms.hops()
    walks = {name: rooms.walk(name, set()) for name in WALKS}
    files = {f.file for f in functions}
    core = [p for p in paths if re.search(r"\bcore/\w+\.c$", p)]
    figures = figures_of(core, mutual, one_user, one_caller, walks)
    long = [f for f in functions if f.lines > MAX_FUNCTION_LINES]
    unlockers = [f for f in functions if f.name not in UNLOCKERS and
                 any(name.startswith("raw_spin_unlock") for name in f.calls)]
    lockers = [f for f in functions if f.name not in LOCKERS and
               any(name.startswith("raw_spin_lock") and name != "raw_spin_lock_init"
                   for name in f.calls)]
    short = [(os.path.basename(p), n) for p in paths if p.endswith(".c")
             for n in [sum(1 for _ in open(p, encoding="utf-8"))] if n < MIN_FILE_LINES]

    for a, b in mutual:
        print(f"{a} <-> {b}")
        show_arrow(rooms, a, b)
        show_arrow(rooms, b, a)
    if "-v" in sys.argv:
        for file, name, user in one_user:
            print(f"used by one other file: {file} {name}(), by {user}")
    for f in unlockers:
        print(f"{f.file} {f.name}() releases a lock without kpool_unlock()")
    for f in lockers:
        print(f"{f.file} {f.name}() takes a lock without kpool_lock()")
    for f in hops:
        print(f"hop: {f.file} {f.name}(), {f.body_lines} lines, called by {', '.join(rooms.callers[f.name])}()")
    for f in long:
        print(f"long: {f.file} {f.name}(), {f.lines} lines")
    for name, lines in short:
        print(f"short: {name}, {lines} lines")
    wrong = page_is_wrong(top, paths, mutual, figures)
    print(f"{len(core):5} C files in core/, at most {MAX_CORE_FILES} allowed")
    print(f"{len(files):5} files with functions")
    print(f"{len(rooms.arrows):5} call arrows of {len(files) * (len(files) - 1)} possible")
    print(f"{len(mutual):5} pairs of files that call each other both ways,"
          f" at most {MAX_MUTUAL_PAIRS} allowed")
    print(f"{len(one_user):5} shared functions that one other file uses,"
          f" of {sum(f.shared for f in functions)}, at most {MAX_ONE_USER} allowed")
    print(f"{len(one_caller):5} shared functions that one other function calls, at most {MAX_ONE_CALLER} allowed")
    print(f"{len(hops):5} of these have at most {MAX_HOP_LINES} lines and are in another file; none allowed but"
          f" {', '.join(sorted(OWN))}")
    for name, walk in walks.items():
        print(f"{len(walk):5} functions of {len({rooms.shared[f].file for f in walk})} files are inlined"
              f" into {name}(), at most {WALKS[name]} allowed")
    print(f"{len(long):5} functions over {MAX_FUNCTION_LINES} lines, of {len(functions)}; none allowed")
    print(f"{len(short):5} files under {MIN_FILE_LINES} lines")
    print(f"{len(unlockers):5} functions that release a pool's lock without kpool_unlock()")
    print(f"{len(lockers):5} functions that take a pool's lock without kpool_lock()")
    return any(count > limit for count, limit in figures.values()) or \
        bool(hops or long or unlockers or lockers or wrong)


if __name__ == "__main__":
    sys.exit(main())
