#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""tables.py [--write] [DIR]: does the tree have what its tables generate?

A row of core/tunables.h describes a tunable attribute.  Its field, its value of enum kpool_tunable
and the kernel-doc of both, in kpool.h, and a row of Documentation/attributes.rst come from it.  A
field of struct kpool_stats, with its kernel-doc, describes a statistic.  KPOOL_STATS, in kpool.h,
and a row of Documentation/debugfs.rst come from it.  Prints what differs, or writes it.
"""
import difflib
import itertools
import os
import re
import sys
import textwrap

COMMENT = re.compile(r"/\*.*?\*/", re.S)
STRING = re.compile(r'"((?:\\.|[^"\\])*)"')
ROW = re.compile(r"^(?:/\*((?:[^*]|\*(?!/))*)\*/\n)?"
                 r"KPOOL_TUNABLE\((\w+), (\w+),\s*((?:\"[^\"]*\"\s*)+),(.*?)\)$", re.S | re.M)


def engine_file(name):
    """A file of core/, which can be the directory itself."""
    for path in (os.path.join("core", name), name):
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    sys.exit(f"{name}: not found")


class Tunable:
    def __init__(self, row, attrs, header):
        more, self.field, self.id, text, members = row
        self.text = "".join(STRING.findall(text))
        self.more = re.sub(r"^ \*", "", more, flags=re.M).strip()
        self.member = {key: value.strip('"') for key, value in
                       re.findall(r"\.(\w+)\s*=\s*(\"[^\"]*\"|[\w-]+)", members)}
        self.list = []
        if "words" in self.member:
            words = re.search(rf"\b{self.member['words']}\[\] = \{{(.*?)\}};", attrs, re.S)
            self.list = STRING.findall(words[1])
        self.enum, self.values = enum_with(self.member["min"], header)

    def zero(self):
        """What KPOOL_NONE stands for, in C."""
        if self.enum:
            return self.values[0]
        return {"none": "0"}.get(self.member["none_word"], self.member["none_word"])

    def range(self):
        """The values in C, but for 0, which asks for the default."""
        least = {"0": "1"}.get(self.member["min"], self.member["min"])
        if self.enum:
            text = f"enum {self.enum}"
        elif "from_zero" in self.member:
            text = f"KPOOL_{self.id}(nid)"
        else:
            text = least if least == self.member["max"] else f"{least} to {self.member['max']}"
        return text + (f", KPOOL_NONE for {self.zero()}" if "none_word" in self.member else "")

    def kernel_doc(self):
        text = f"@{self.field}: {self.text}; {self.range()}"
        word = self.member.get("max_word")
        if word and word.upper() not in self.member["max"]:
            text += f", which means {word}"
        if self.more:
            text += (", " if self.more[0].islower() else ".  ") + self.more
        return sentences(text)

    def default(self):
        value = self.member["def"]
        if self.list:
            return self.list[self.values.index(value) if self.enum else int(value)]
        if value == self.member["max"]:
            return self.member["max_word"]
        return self.member["none_word"] if "from_zero" in self.member and value == "0" else value

    def words(self):
        words = [self.member.get("none_word"), *self.list, self.member.get("max_word")]
        return list(dict.fromkeys(filter(None, words)))


def enum_with(name, header):
    """The enum that has the value, and all its values."""
    for enum, body in re.findall(r"^enum (\w+) \{(.*?)^\};", header, re.S | re.M):
        values = re.findall(r"^\s*(\w+)", COMMENT.sub("", body), re.M)
        if name in values:
            return enum, values
    return None, []


def tunables(header):
    attrs, table = engine_file("attrs.c"), engine_file("tunables.h")
    rows = ROW.findall(table)
    if len(rows) != len(re.findall(r"^KPOOL_TUNABLE\(", table, re.M)):
        sys.exit("tunables.h: a row has another form than the others")
    return [Tunable(row, attrs, header) for row in rows]


class Statistic:
    def __init__(self, name, text):
        self.name, self.text = name, text

    def cell(self):
        """The kernel-doc as text of the manual."""
        return sentences(re.sub(r"@(\w+)|&\w+\.(\w+)", r"``\1\2``", self.text))


def statistics(header):
    """The numbers of struct kpool_stats, with their kernel-doc."""
    doc, body = re.search(r"^ \* struct kpool_stats - [^\n]*\n(.*?)^ \*\n.*?"
                          r"^struct kpool_stats \{(.*?)^\};", header, re.S | re.M).groups()
    texts = {name: " ".join(text.replace("*", " ").split()) for name, text in
             re.findall(r"^ \* @(\w+): (.*?)(?=^ \* @|\Z)", doc, re.S | re.M)}
    return [Statistic(name, texts.get(name, "")) for name in
            re.findall(r"^\s*u64 (\w+);", COMMENT.sub("", body), re.M)]


# Forms

def sentences(text):
    """The text in one line, with two spaces between sentences."""
    return re.sub(r"\. (?=[A-Z])", ".  ", " ".join(text.split()))


def doc_lines(text):
    """A parameter of kernel-doc, in lines of 80 columns."""
    lines = textwrap.wrap(text, 80, initial_indent=" * ", subsequent_indent=" *      ")
    return "".join(line.replace(" *      ", " *\t") + "\n" for line in lines)


def macro_lines(words):
    """A list in parentheses, as the last lines of a macro."""
    lines = [f"\t({words[0]},"] + [f"\t {word}," for word in words[1:]]
    lines = [line + "\t" * ((79 - len(line.expandtabs())) // 8) + "\\\n" for line in lines[:-1]] + \
        [f"{lines[-1][:-1]})\n"]
    return "".join(lines)


def rst_table(widths, rows, header=None):
    """A simple table; a width is that of the lines of a cell."""
    lines = []
    for row in ([header] if header else []) + rows:
        cells = [textwrap.wrap(cell, width) for cell, width in zip(row, widths)]
        lines += itertools.zip_longest(*cells, fillvalue="")
    widths = [max(len(line[i]) for line in lines) for i in range(len(widths))]
    border = " ".join("=" * width for width in widths)
    text = [" ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    if header:
        text.insert(1, border)
    return "\n".join([border, *text, border]) + "\n"


def replace(path, text, begin, end, new):
    """The text, with all between the lines begin and end replaced."""
    text, count = re.subn(rf"^({begin}\n)(?s:.*?)(?=^{end})", lambda match: match[1] + new, text,
                          flags=re.M)
    if count != 1:
        sys.exit(f"{path}: there are {count} places between \"{begin}\" and \"{end}\"")
    return text


# What is generated

def generate_header(path, header, rows, stats):
    for begin, end, new in (
            (r" \* struct kpool_attrs - .*", r" \* @flags:",
             "".join(doc_lines(row.kernel_doc()) for row in rows)),
            (r"struct kpool_attrs \{", r"\tunsigned int flags;",
             "".join(f"\tint {row.field};\n" for row in rows)),
            (r" \* enum kpool_tunable - .*", r" \* @KPOOL_NR_TUNABLES:",
             "".join(f" * @KPOOL_TUNE_{row.id}: see &kpool_attrs.{row.field}\n" for row in rows)),
            (r"enum kpool_tunable \{", r"\tKPOOL_NR_TUNABLES$",
             "".join(f"\tKPOOL_TUNE_{row.id},\n" for row in rows)),
            (r"#define KPOOL_STATS\s*\\", "\n",
             macro_lines([f"KPOOL_STAT({stat.name})" for stat in stats]))):
        header = replace(path, header, begin, end, new)
    return header


def generate_attributes(path, page, rows, _stats):
    table = rst_table((15, 28, 9, 22), [(f"``{row.field}``", row.range(), row.default(),
                                         ", ".join(row.words())) for row in rows],
                      ("attribute", "range in C", "default", "words"))
    return replace(path, page, ".*besides numbers\\.\n", "\n", table)


def generate_debugfs(path, page, _rows, stats):
    table = rst_table((17, 64), [(stat.name, stat.cell()) for stat in stats])
    return replace(path, page, "grow while the pool exists:\n", "\n", table)


GENERATED = {
    "kpool.h": generate_header,
    "Documentation/attributes.rst": generate_attributes,
    "Documentation/debugfs.rst": generate_debugfs,
}


def main():
    write = sys.argv[1:2] == ["--write"]
    os.chdir((sys.argv[2 if write else 1:] or ["."])[0])
    with open("kpool.h", encoding="utf-8") as file:
        header = file.read()
    rows, stats = tunables(header), statistics(header)
    for path, generate in GENERATED.items():
        with open(path, encoding="utf-8") as file:
            old = file.read()
        new = generate(path, old, rows, stats)
        if new == old:
            continue
        if write:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
            continue
        print(f"{path}: \"make tables\" would change this:")
        print("\n".join(difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=0)))


if __name__ == "__main__":
    main()
