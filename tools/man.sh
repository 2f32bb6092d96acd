#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# man.sh: print the manual page kpool-top(8), made of the section of Documentation/tools.rst by rst2man of
# docutils. A table becomes a list, because roff cannot break a table between two pages well.

cd "$(dirname "$0")/.." || exit
page=$(awk '
	BEGIN {
		print "=========\nkpool-top\n=========\n"
		print "--------------------------------------\nshow the pools of kpool as they change\n--------------------------------------\n"
		print ":Manual section: 8\n:Manual group: kpool\n"
		print "Description\n===========\n"
	}
	/^kpool-top$/ { inside = 1; getline; getline; next }
	/^kpool\.drgn\.py$/ { exit }
	!inside { next }
	{ gsub("tools/kpool-top", "kpool-top") }
	/^-+$/ { gsub("-", "=") }
	/^=+ =+$/ {
		border = (border + 1) % 3
		column = index($0, " ") + 1
		next
	}
	border == 1 { next }
	border == 2 {
		term = substr($0, 1, column - 1)
		sub(" +$", "", term)
		if (term)
			print term
		$0 = "    " substr($0, column)
	}
	{ print }
	END { exit !inside }' Documentation/tools.rst) || exit
printf '%s\n' "$page" | rst2man --halt=info
