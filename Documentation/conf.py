# SPDX-License-Identifier: GPL-2.0-only
# Sphinx's configuration; testbed/docs.sh sets srctree, the source of Linux.
# pylint: disable=invalid-name

import os
import re
import sys
from itertools import groupby

sys.path.insert(0, os.path.join(os.environ["srctree"], "Documentation/sphinx"))

kerneldoc_srctree = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

with open(os.path.join(kerneldoc_srctree, "core/main.c"), encoding="utf-8") as file:
    release = re.search(r'^MODULE_VERSION\("(.*)"\);', file.read(), re.M)[1]

project = "kpool"
extensions = ["kerneldoc", "automarkup"]
primary_domain = "c"
highlight_language = "none"
html_theme = "alabaster"
html_copy_source = False
html_show_copyright = False

sys.path.insert(0, os.path.join(kerneldoc_srctree, "testbed/lib"))
from mutate import read_mutants  # pylint: disable=wrong-import-position


def add_mutants(_app, name, source):
    """Let the page of protections end with all mutants, a section for each file."""
    if name != "protections":
        return
    for path, mutants in groupby(read_mutants(kerneldoc_srctree).values(), lambda m: m.file):
        source[0] += f"\n{path}\n{'=' * len(path)}\n\n"
        for m in mutants:
            seen = [f"{m.kernel} {m.tests}"] if m.tests else []
            seen += ["the simulation"] if m.seeds else []
            breaks = re.sub(r"([*`|_\\])", r"\\\1", m.breaks)
            source[0] += f"``{m.name}``\n    {breaks} *({', '.join(seen)})*\n"


def setup(app):
    app.connect("source-read", add_mutants)
