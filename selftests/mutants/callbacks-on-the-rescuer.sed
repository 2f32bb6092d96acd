# SPDX-License-Identifier: GPL-2.0-only
# file: context.c
# kernel: uml-time
# tests: callback
# breaks: Owners' functions are called in the context of a rescuer, from where no ordinary workqueue may be flushed.
s/queue_work(kpool_callback_wq, /queue_work(kpool_wq, /
