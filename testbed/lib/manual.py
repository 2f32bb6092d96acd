#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""manual.py [DIR]: does the manual list what the code has, and the code have what it lists?

Attributes, flags, module parameters, files of debugfs, their columns and words, states, entries
of Documentation/ABI, lines of the log, limits of the engine, the code of recipes and examples, the
events and commands of tracing, and what kpool-top shows and takes are read from the tree and from
Documentation/, and compared both ways.  Prints what is missing on either side.  What tables.py
generates is not compared.
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True  # of tables, into the tree
from tables import COMMENT, STRING, engine_file, statistics, tunables

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]

# Limits of the engine, and the words around each of them in the manual.
LIMITS = {
    "KPOOL_MAX_LOOKS": ("at most @ items that are about to start", "behind at most @ older ones",
                        "at most @ queued items of each priority, and the first @",
                        "first @ delayed jobs are checked"),
    "KPOOL_MAX_KILLABLE": ("At most @",),
    "KPOOL_MAX_CHAIN": ("cycles of more than @ waits",),
    "KPOOL_NR_ERRORS": ("the last @ errors of items", "The last @ errors, oldest first"),
    "KPOOL_NR_STALLS": ("the last @ stalls", "The last @ runs longer than"),
    "KPOOL_MAX_SHOWN": ("Each list has the @ that",),
    "KPOOL_RING_SIZE": ("``pool->inbox``, @ slots", "``pool->ready``, @ slots"),
    "KPOOL_MULTI_MAX": ("creates up to @ pools",),
    "KPOOL_SCAN_BATCH": ("A search takes @ items",),
    "KPOOL_MAX_DEPTH": ("inside @ external runs",),
}


def read(*names):
    for name in names:
        if os.path.exists(name):
            with open(name, encoding="utf-8") as file:
                return file.read()
    sys.exit(f"{names[0]}: not found")


def engine():
    """The sources and headers of the engine, without comments."""
    return "\n".join(COMMENT.sub("", read(p)) for p in
                     sorted(glob.glob("*.[ch]") + glob.glob("core/*.[ch]"))
                     if not p.endswith(".mod.c"))


def strings(text):
    return [s.replace('\\"', '"').replace("\\n", "") for s in STRING.findall(text)]


def part(text, begin, end):
    found = re.search(begin + r"(.*?)" + end, text, re.S | re.M)
    return found[1] if found else ""


def function(text, name):
    return part(text, rf"^[^\n]*\b{name}\(.*?^\{{", r"^\}")


def python_function(text, name):
    """The body of a function of Python."""
    return part(text, rf"^def {name}\(.*?\n", r"^(?=\S)")


def section(page, title):
    """The text below a title, up to the next one."""
    return part(page, rf"^{re.escape(title)}\n[=-]+\n", r"(?:^[^\n]+\n(?:===+|---+)\n\n|\Z)")


def table(text, header):
    """Rows of a simple table, as lists of their cells; header is its first word or ''."""
    lines, rows = text.split("\n"), []
    borders = [i for i, line in enumerate(lines) if re.fullmatch(r"=+( =+)+", line)]
    for at, i in enumerate(borders):
        if (lines[i + 1].split() or [""])[0] != header and header:
            continue
        first, last = (borders[at + 1], borders[at + 2]) if header else (i, borders[at + 1])
        starts = [m.start() for m in re.finditer(r"=+", lines[i])] + [None]
        for line in lines[first + 1:last]:
            cells = [line[a:b].strip() for a, b in zip(starts, starts[1:])]
            if cells[0]:
                rows.append(cells)
            else:
                rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], cells)]
        return rows
    return rows


def terms(text):
    """Terms of definition lists: a line in the first column, with an indented one below."""
    return re.findall(r"^(\S.*)\n(?=[ \t]+\S)", text, re.M)


def marked(text):
    return [" ".join(span.split()) for span in re.findall(r"``(.+?)``", text, re.S)]


def same(what, a_name, a, b_name, b, ordered=False):
    for x in a:
        if x not in b:
            print(f"{what} {x}: in {a_name}, not in {b_name}")
    for x in b:
        if x not in a:
            print(f"{what} {x}: in {b_name}, not in {a_name}")
    if ordered and sorted(a) == sorted(b) and list(a) != list(b):
        print(f"{what}: {a_name} and {b_name} have another order")


def kernel_doc(header, kind):
    """Names that the kernel-doc of a struct or an enum describes."""
    doc = part(header, rf"^/\*\*\n \* {kind} - ", r"^ \*/")
    return re.findall(r"^ \* @(\w+):", doc, re.M)


def members(header, kind):
    body = COMMENT.sub("", part(header, rf"^{kind} \{{", r"^\};"))
    if kind.startswith("enum"):
        return re.findall(r"^\s*(\w+),?", body, re.M)
    return [m for line in body.split(";")
            for m in re.findall(r"\(\*(\w+)\)|(\w+)\s*$", line)[:1] for m in m if m]


# Attributes

def check_flags(header, attrs, page, cell):
    defined = part(header, r"^/\* Flags of kpool_attrs[^\n]*\n", r"\n\n")
    described = re.findall(r"^    KPOOL_\w+:", part(page, r"^``flags``\n", r"^``"), re.M)
    for name, text in (("kpool_attrs_validate()", part(attrs, r"flags & ~\(", r"\)")),
                       ("the kernel-doc", part(header, r"^ \* @flags:", r"^ \* @")),
                       ("attributes.rst's table", re.sub(r"\b_", "KPOOL_", cell)),
                       ("attributes.rst's descriptions", " ".join(described))):
        same("flag", "kpool.h", re.findall(r"^#define (\w+)", defined, re.M), name,
             sorted(set(re.findall(r"\bKPOOL_\w+", text))))


def check_attributes(header, code):
    attrs, page = engine_file("attrs.c"), read("Documentation/attributes.rst")
    names = [tunable.field for tunable in tunables(header)]
    fields = members(header, "struct kpool_attrs")
    rows = {cells[0].strip("`"): cells for cells in table(page, "other")}
    described = [name for term in terms(page) if term.startswith("``")
                 for name in re.findall(r"``(\w+)``", term)]
    params = re.findall(r"\bmodule_param\w*\(([\w#]+),", code)

    same("attribute", "struct kpool_attrs", fields, "its kernel-doc",
         kernel_doc(header, "struct kpool_attrs"))
    same("attribute", "struct kpool_attrs", fields[len(names):], "attributes.rst's table", list(rows))
    same("attribute", "struct kpool_attrs", fields, "attributes.rst's descriptions",
         [name for name in described if "default_" not in name])
    same("parameter", "the code",
         sorted({re.sub("(##)?_field", name, param) for param in params for name in names}),
         "attributes.rst", [prefix + name for name in names + ["cpumask"]
                            for prefix in ("", "default_")])
    check_flags(header, attrs, page, rows["flags"][1])


# Statistics and files

def check_statistics(header, code, page):
    flags = re.findall(r"^\s*bool (\w+);", part(header, r"^struct kpool_stats \{", r"^\};"), re.M)
    same("statistic", "struct kpool_stats", [stat.name for stat in statistics(header)] + flags,
         "its kernel-doc", kernel_doc(header, "struct kpool_stats"))
    same("key", "kpool_stats_show()", re.findall(r'"(\w+)', function(code, "kpool_stats_show")),
         "debugfs.rst", marked(part(section(page, "<pool>/stats"), "per line:", ";")))


def words_of(text):
    return [s for s in strings(text) if re.fullmatch(r"[a-z]+", s)]


def debugfs_files(code):
    """The files of debugfs, each with its mode."""
    calls = re.findall(r'\bdebugfs_create_(?!dir\([^"])\w+\(([^,]+),\s*([^,]+),\s*([^,)]+)', code)
    return [("" if directory == "kpool_debugfs_root" else "<pool>/") +
            ("<attribute>" if "row->name" in name else name.strip('" \n\t')) + " " + mode
            for name, mode, directory in calls]


def check_files(code, page):
    same("file", "the code", debugfs_files(code), "debugfs.rst",
         [cells[0].strip("`") + " " + cells[1] for cells in table(page, "file")])
    headers = {" ".join(h.split()) for h in strings(" ".join(
        re.findall(r'seq_puts\(m, "\w+ {2,}\w.*?"', code)))}
    shown = {}
    for title in ("pools", "<pool>/workers", "<pool>/errors", "<pool>/latency"):
        text = section(page, title)
        head = " ".join(part(text, r"^    # cat [^\n]*\n", r"\n").split())
        shown[head] = re.sub(r"^    .*\n", "", text, flags=re.M)
    same("columns", "debugfs.c", sorted(headers), "debugfs.rst", sorted(shown))
    for head, prose in shown.items():
        for column in head.split():
            if not re.search(rf"\b{column}\b", prose + section(page, "<pool>/stats")):
                print(f"column {column}: not explained in debugfs.rst")


def check_words(code, page):
    states = words_of(function(code, "kpool_state_name"))
    listed = re.search(r"``state`` is (\w+(?:, \w+)* or \w+)", section(page, "pools"))
    same("state", "debugfs.c", states, "debugfs.rst", re.split(r", | or ", listed[1]))
    states = words_of(function(code, "kpool_show_worker"))
    same("state of a worker", "debugfs.c", sorted(set(states)), "debugfs.rst",
         [t for t in terms(section(page, "<pool>/workers")) if re.fullmatch(r"\w+", t)])
    same("word of errors", "debugfs.c", words_of(function(code, "kpool_show_error")),
         "debugfs.rst", re.search(r"``how`` is (\w+), or (\w+)", page).groups())
    text = section(page, "<pool>/latency")
    same("state of latency", "debugfs.c", words_of(function(code, "kpool_latency_show")),
         "debugfs.rst", re.findall(r"``state (\w+)``", text))
    words = re.findall(r'streq\(text, "(\w+)"', function(code, "kpool_latency_by_text"))
    same("word of latency", "debugfs.c", sorted(set(words)), "debugfs.rst",
         [t.strip("`") for t in terms(text) if t.startswith("``")])


def check_diagnosis(code, page):
    text = section(page, "<pool>/diagnosis")
    same("reason", "debugfs.c", re.findall(r'"(\w+)', function(code, "kpool_show_reason")),
         "debugfs.rst", [t.strip("`") for t in terms(text) if t.startswith("``")])
    roles = strings(function(code, "kpool_caller_role")) + re.findall(r'\.role\s*= "(.+?)"', code)
    same("thread", "debugfs.c", sorted(set(roles)), "debugfs.rst",
         marked(part(text, r"are[ \n]called", r"\.")))
    same("list", "debugfs.c", re.findall(r'"(\w+)', function(code, "kpool_diagnosis_show")),
         "debugfs.rst", re.findall(r"``(\w+)``\s(?:is|lists|those)\b", text))


# States

def state_names(code, prefix):
    """The values of an enum, without their prefix."""
    return [name.removeprefix(prefix) for name in members(code, f"enum {prefix.lower()}state")]


def check_states(code, page):
    items = re.findall(r"^([A-Z]+) \(``KPOOL_ITEM_\1``\)$", section(page, "Item states"), re.M)
    same("state of an item", "internal.h", state_names(code, "KPOOL_ITEM_"), "internals.rst", items)
    workers = sorted(set(re.findall(r"\b[A-Z]{3,}\b", section(page, "Worker states"))))
    same("state of a worker", "internal.h", state_names(code, "KPOOL_WORKER_"), "internals.rst",
         workers)


# The interface to user space

def abi(name):
    """Paths that a file of Documentation/ABI describes."""
    return re.findall(r"^What:\t+(\S+)$", read(f"Documentation/ABI/testing/{name}"), re.M)


def check_abi(code):
    same("file", "the code", [f"/sys/kernel/debug/kpool/{file.rsplit(' ', 1)[0]}"
                              for file in debugfs_files(code)],
         "ABI/testing/debugfs-kpool", abi("debugfs-kpool"))
    same("parameter", "the code", [f"/sys/module/kpool/parameters/{name}"
                                   for name in ("<attribute>", "default_<attribute>")],
         "ABI/testing/sysfs-module-kpool", abi("sysfs-module-kpool"))


# Code that the manual shows

def code_blocks(page, language):
    """The code blocks of a page, each with the paragraph in front of it."""
    blocks = re.findall(rf"((?:^\S.*\n)*)\n? *\.\. code-block:: {language}\n\n((?:    .*\n|\n)+)",
                        page, re.M)
    return [(intro, "".join(re.sub(r"^    ", "", line) for line in
                            body.rstrip("\n").splitlines(True)) + "\n")
            for intro, body in blocks]


def shown_code(name):
    """A file without its first line, which is the license."""
    return read(name).split("\n", 1)[1]


def half(diff, other):
    """One of the two files that a diff of whole files shows."""
    return "".join(line[1:] or "\n" for line in diff.splitlines(True) if line[0] != other)


def check_recipes():
    """Each recipe is shown once, as it is; a diff shows the file before and the one after."""
    shown = []
    for name in sorted(glob.glob("Documentation/**/*.rst", recursive=True)):
        page = read(name)
        pairs = [(file, body) for intro, body in code_blocks(page, "c")
                 for file in re.findall(r"samples/recipes/\w+\.c", intro)]
        for intro, body in code_blocks(page, "diff"):
            files = re.findall(r"samples/recipes/\w+\.c", intro)
            pairs += zip(files, (half(body, "+"), half(body, "-")))
        for file, code in pairs:
            if code != shown_code(file):
                print(f"{name}: shows other code than {file}")
        shown += [file for file, code in pairs]
    same("recipe", "the manual", sorted(shown), "samples/recipes", sorted(
        glob.glob("samples/recipes/*.c")), True)


def pieces(code):
    """What lies between empty lines and dots of an example, without its indentation."""
    return [[line.strip() for line in piece.splitlines()]
            for piece in re.split(r"\n\s*(?:\.\.\.)?\n|^\.\.\.\n", code, flags=re.M) if piece.strip()]


def check_examples():
    """The examples of features are compiled, and so is other C: complete files by client.sh,
    the rest in pieces."""
    code = read("selftests/doc_examples.c")
    features = read("Documentation/clients.rst").split("\nFeatures\n========\n")[1]
    for _, body in code_blocks(features, "c"):
        if body not in code:
            print(f"clients.rst: not in doc_examples.c: {body.splitlines()[0]}")
    stripped = "\n".join(line.strip() for line in code.splitlines())
    for name in ["README.rst", "CONTRIBUTING.rst"] + sorted(
            glob.glob("in-tree/*.rst") + glob.glob("Documentation/**/*.rst", recursive=True)):
        for intro, body in code_blocks(read(name), "c"):
            if "samples/recipes/" in intro or body.startswith("// SPDX-License-Identifier"):
                continue
            # not the name of the module, nor of the header in Linux
            body = re.sub(r"KT_MODULE\(.*, (KT_CASE\(\w+\))\);", r"\1", body)
            for piece in pieces(body.replace("#include <linux/kpool.h>", "")):
                if "\n".join(piece) not in stripped:
                    print(f"{name}: not in doc_examples.c: {piece[0]}")


def check_events(code, page):
    """Each event, with its fields, which can be those of its class."""
    bodies = dict(re.findall(r"^(?:TRACE_EVENT|DECLARE_EVENT_CLASS)\w*\((\w+),(.*?)^\);",
                             code, re.S | re.M))
    events = re.findall(r"^DEFINE_EVENT\w*\((\w+), (\w+),", code, re.M) + [
        (name, name) for name in re.findall(r"^TRACE_EVENT\w*\((\w+),", code, re.M)]
    fields = {name: re.findall(r"\s__\w+\([^,]+,\s*(\w+)", body) for name, body in bodies.items()}
    same("event", "trace.h", [f"{name}: {', '.join(fields[of])}" for of, name in events],
         "tracing.rst", [f"{name.strip('`')}: {listed}, pool"
                         for name, listed, _ in table(page, "event")])


def check_tracing():
    """The commands of tracing.rst are run by a selftest; trace-cmd records another command there."""
    run = " ".join(read("selftests/trace_questions.sh").split()).replace("tracepoints", "rx")
    page = read("Documentation/tracing.rst")
    for line in re.findall(r"^    (.+)$", page, re.M) + [
            line for line in marked(page) if line.startswith("trace-cmd ")]:
        if line.split()[0] in ("mount", "cd", "echo", "cat", "trace-cmd") and \
           line.removesuffix(" sleep 1") not in run:
            print(f"tracing.rst: not in trace_questions.sh: {line}")


# Lines of the log

def log_formats(code):
    """What pr_err() and its like are given, without what is only a value."""
    calls = re.findall(r'\b(?:pr_(?!fmt\b)\w+\(|printk\w*\((?:\s*KERN_\w+)?|WARN\w*\([^";]*?)'
                       r'(?:\s*pr_fmt\()?\s*((?:"(?:\\.|[^"\\])*"\s*)+)', code)
    formats = {"".join(strings(call)).strip() for call in calls}
    return sorted(f for f in formats if re.search(r"[a-z]{2}", re.sub(r"%[\w*]+", "", f)))


def pattern(text, wild):
    """What a line can be: "..." of a page and a last %s are any text.  Other values of the code
    are words, those of a page are only values."""
    values, other = wild.findall(text), r"\S+" if wild is CODE_WILD else "@"
    words = [r".*" if "..." in value or value == "%s" and i == len(values) - 1 and
             text.endswith(value) else other for i, value in enumerate(values)] + [""]
    return re.compile("".join(re.escape(piece) + word for piece, word in
                              zip(wild.split(text), words)), re.S)


CODE_WILD = re.compile(r"(?:%[*.\d]*(?:p[A-Za-z]*|[a-z]+|#x|#[a-z]+))+")
PAGE_WILD = re.compile(r"<.+?>| ?\.\.\. ?")


def fits(page_line, code_line):
    return bool(pattern(page_line, PAGE_WILD).fullmatch(CODE_WILD.sub("@", code_line)) or
                pattern(code_line, CODE_WILD).fullmatch(PAGE_WILD.sub("@", page_line)))


def check_log(code, page):
    text = section(page, "Lines in the kernel's log")
    listed = [line for term in terms(text) for line in marked(term)]
    cited = [line for line in marked(text) if " " in line and line not in listed]
    formats, said = log_formats(code), strings(code)
    for line in formats:
        if not any(fits(p, line) or fits("..." + p, line) for p in listed + cited):
            print(f"log line \"{line}\": not in debugfs.rst")
    for line in listed + cited:
        if not any(fits(line, f) for f in formats) and \
           (line in listed or not any(fits("..." + line, f) for f in formats) and
                not any(line in text for text in said)):
            print(f"log line \"{line}\": in debugfs.rst, not in the code")


# Limits

def check_limits(code):
    """The manual has each limit of the engine, in figures or as a word."""
    pages = " ".join(" ".join(read(name).split()) for name in glob.glob("Documentation/*.rst"))
    for name, phrases in LIMITS.items():
        value = re.search(rf"^#define {name}\s+\D*(\d+)", code, re.M)[1]
        written = "|".join([value] + WORDS[int(value):int(value) + 1])
        for phrase in phrases:
            if not re.search(re.escape(phrase).replace("@", rf"(?:{written})\b"), pages):
                print(f"limit {name} is {value}: not in the manual: {phrase}")


# Tools

def check_top(header):
    """The columns, options and messages of kpool-top, and the statistics that it reads."""
    code, page = read("tools/kpool-top"), read("Documentation/tools.rst")
    columns = re.findall(r'^    \("([A-Z0-9/]+)", "([\w/]+)", \d+\),', code, re.M)
    options = re.findall(r'add_argument\((?:"(-\w)", )?"(--\w+)"', code)
    messages = re.findall(r'(?:return|raise Failure\() ?f?"(.+?)"', python_function(code, "failure_text") +
                          python_function(code, "run_live"))
    same("column of kpool-top", "the code", [head for head, _ in columns], "tools.rst",
         [cells[0] for cells in table(section(page, "Columns"), "column")], True)
    same("option of kpool-top", "the code", [[o for o in pair if o] for pair in options],
         "tools.rst", [marked(cells[0]) for cells in table(section(page, "Options"), "option")], True)
    same("message of kpool-top", "the code", [re.sub("{.+?}", "@", m) for m in messages if
                                              not m.startswith("cannot")], "tools.rst",
         [re.sub("<.+?>", "@", m) for t in terms(section(page, "Messages")) for m in marked(t)])
    known = kernel_doc(header, "struct kpool_stats") + [
        "name", "state", "owner", "waiting_99", "running_99"]
    for line in strings(part(code, r"^HELP = ", r"\n")) or ["HELP"]:
        if line not in page:
            print(f"keys of kpool-top: not in tools.rst: {line}")
    for head, key in columns:
        if key.removesuffix("/s") not in known:
            print(f"column {head} of kpool-top: there is no statistic {key}")


# Functions

def check_functions():
    """A function of kpool that the manual names is one of this tree."""
    code = "\n".join(read(name) for pattern in ("*.[ch]", "core/*.[ch]", "samples/**/*.c", "selftests/**/*.[ch]")
                     for name in glob.glob(pattern, recursive=True) if not name.endswith(".mod.c"))
    known = set(re.findall(r"\b(_*kpool_\w+)\b", code))
    for name in sorted(glob.glob("Documentation/**/*.rst", recursive=True)):
        for function_name in sorted(set(re.findall(r"\b(_*kpool_\w+)\(\)", read(name))) - known):
            print(f"{name}: there is no {function_name}()")


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else ".")
    header, page = read("kpool.h"), read("Documentation/debugfs.rst")
    code = engine()
    check_attributes(header, code)
    check_statistics(header, code, page)
    check_files(code, page)
    check_words(code, page)
    check_diagnosis(code, page)
    check_states(engine_file("internal.h"), read("Documentation/internals.rst"))
    check_log(code, page)
    check_limits(code)
    check_abi(code)
    check_recipes()
    check_examples()
    check_events(code, read("Documentation/tracing.rst"))
    check_tracing()
    check_top(header)
    check_functions()


if __name__ == "__main__":
    main()
