# SPDX-License-Identifier: GPL-2.0-only
# file: odd.c
# kernel: uml
# tests: deadline
# breaks: The deadline is examined at submit.
s/^\treturn job->group \&\& kpool_group_is_cancelled(job->group) ?/\tif (job->deadline \&\& ktime_after(ktime_get(), job->deadline))\n\t\treturn -ETIME;\n&/
