#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# docs.sh [DIR]: make the manual as HTML, in DIR or build/docs. Make there a page of section 9 for
# each function and type of kpool.h, and that of kpool-top. Then check that each exported function has
# both, that charts are drawn, and that pages outside of Documentation/ are well-formed. A warning is
# an error, and nothing else is printed.

# shellcheck disable=SC2154 # set by what is sourced

set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
for part in common packages source; do
	# shellcheck source=/dev/null
	. "$here/lib/$part.sh"
done

make_html() {
	srctree=$linux PYTHONDONTWRITEBYTECODE=1 sphinx-build -q -W --keep-going -b html \
		-d "$out/doctrees" "$tree/Documentation" "$out/html"
}

# The chart of performance.rst.
draw_chart() {
	gnuplot -e "data='$tree/bench/ratios'; picture='$out/html/ratios.svg'" "$tree/bench/ratios.gnuplot"
}

# kernel-doc prints all pages in a row. The name of a type's page has two words: "struct kpool_attrs".
make_man() {
	local man=$out/man/man9
	mkdir -p "$man" "$out/man/man8"
	"$tree/tools/man.sh" >"$out/man/man8/kpool-top.8" || return
	(cd "$tree" && "$linux/scripts/kernel-doc" -Werror -man kpool.h) |
		awk -v dir="$man" '/^\.TH / { split($0, word, "\""); file = dir "/" word[2] ".9" } { print > file }'
}

# A function that is exported as NAME_owned is called by the macro NAME.
exported() {
	sed -nE 's/^EXPORT_SYMBOL(_GPL)?\((\w+)\);/\2/p' "$tree"/*.c "$tree"/core/*.c | sed 's/_owned$//' | sort -u
}

check_pages() {
	local name names missing=0
	readarray -t names < <(exported)
	for name in "${names[@]}"; do
		if ! grep -qs "^$name \\\\- " "$out/man/man9/$name.9"; then
			echo "$name: no manual page"
		elif ! grep -q "id=\"c\.$name\"" "$out/html/api.html"; then
			echo "$name: not in api.html"
		else
			continue
		fi
		missing=$((missing + 1))
	done
	while read -r name; do
		[ -s "$out/html/$name" ] || { echo "$name: not drawn"; missing=$((missing + 1)); }
	done < <(grep -rhoE 'src="[a-z]+\.svg"' "$out"/html/*.html | cut -d '"' -f 2)
	[ ${#names[@]} -gt 0 ] && [ "$missing" = 0 ]
}

# README and its like, which Sphinx does not read.
check_other_pages() {
	local page bad=0
	for page in "$tree"/*.rst "$tree"/samples/*.rst; do
		rst2html --exit-status=warning "$page" >/dev/null || bad=1
	done
	return "$bad"
}

main() {
	local out=${1:-$tree/build/docs}
	need_packages gnuplot-nox python3 python3-docutils python3-sphinx "${source_packages[@]}"
	linux=$(kernel_source "$linux_series" "$linux_suite") || exit
	rm -rf "$out"
	make_html && draw_chart && make_man && check_other_pages && check_pages
}

main "$@"
