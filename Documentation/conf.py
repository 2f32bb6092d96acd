# SPDX-License-Identifier: GPL-2.0-only
# Sphinx's configuration; testbed/docs.sh sets srctree, the source of Linux.
# pylint: disable=invalid-name

import os
import re
import sys

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
