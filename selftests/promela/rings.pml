/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The protocol of core/queue.h: fast submits and fast starts are committed
 * between two holds of the lock, and a lock holder accounts for them.
 *
 * Two submitters submit items, one of them the same item unless DISTINCT.  Two
 * workers run them, both at once if CAPACITY is 2: then both can want the same
 * slot.  A client cancels item 1, or waits for it.  The pool is closed, at once or
 * when all items have started, and freed when all threads have left it.
 *
 * A statement, or an atomic block, has at most one access to what threads share
 * without the lock; two if no other thread can tell.  A thread can stop between
 * any two of them, for as long as it likes: that is how an interrupt looks.
 * Accesses take effect in program order; the litmus tests are about machines
 * where they do not.  Instead of numbers that never repeat, tags of slots and
 * generations are the least number that no other thread has kept.
 *
 * -D NAME weakens the protocol: see testbed/model.sh.
 */
#ifndef RING
#define RING		2	/* slots of each ring */
#endif
#ifndef CAPACITY
#define CAPACITY	1
#endif
#ifndef DEPTH
#define DEPTH		1	/* of the queue */
#endif
#ifndef SECOND
#define SECOND		3	/* submits of the first submitter, and the second */
#endif
#ifdef DISTINCT
#define ITEM(op)	((op) + 1)
#else
#define ITEM(op)	((op) == 2 -> 1 : (op) + 1)
#endif

#define IDLE		0	/* states of an item */
#define SUBMITTING	1
#define READY		2
#define QUEUED		3

#define ASLEEP		0	/* states of a worker */
#define WAKING		1
#define AWAKE		2

#define TAG(number)	(128 + (number))
#define IS_TAG(value)	((value) >= 128)
#define NEXT(slot)	(((slot) + 1) % RING)
#define FIRST		((rd_end + RING - rd_nr) % RING)
#define FREE		(CAPACITY - units)
#define BIT(op)		(1 << (op))
#define RUNS(item)	(in_run[item] && run_item[in_run[item]] == item)
#ifdef IDLE_OPENS
#define IDLE_OPEN	true
#define LOOKED_FOR	true
#else
#define IDLE_OPEN	false
#define LOOKED_FOR	(!FREE || nr_waking)
#endif
#ifdef TAKER_OVERWRITTEN
#define TAKEN_AGAIN	true
#else
#define TAKEN_AGAIN	false
#endif
#define CAN_BE_READY(item) \
	(!rd_item[rd_end] && !RUNS(item) && !has_waiter[item])

/* items, from 1 */
byte state[4], in_run[4];
bool has_waiter[4];

/* workers, from 1, and their runs */
byte run_item[3], run_fn[3], worker[3] = AWAKE;
bool run_waiter[3];

/* pool->inbox: next is in_left and in_pos */
byte in_left, in_pos, in_first, in_open, in_slot[RING] = TAG(0), in_tag[RING];
byte kept_slot[2] = RING, kept_tag[2];

/* pool->ready: next is rd_left and rd_gen */
byte rd_left, rd_gen, rd_open, rd_nr, rd_end, rd_item[RING], rd_taker[RING];
byte kept_gen[3];

/* what the lock protects */
bool lock, closed, freed;
byte queue[3], length, nr_queued, units, nr_waking;
bool half[2];			/* equal, whenever the lock is free */
byte h, n, v;			/* of the lock holder */

/* what has happened in fact */
byte pending, submit[4], before[4], runs[3], nr_pending, nr_runs;
bool called[4], waited;
byte gone;			/* threads that have left the pool */

inline accepted(op, item) {
	assert(!submit[item] && !closed);
	submit[item] = op + 1;
	pending = pending | BIT(op);
	nr_pending++;
	assert(nr_pending + nr_runs <= CAPACITY + DEPTH)
}

inline not_pending(item) {
	assert(submit[item]);
	pending = pending & ~BIT(submit[item] - 1);
	before[submit[item] - 1] = 0;
	submit[item] = 0;
	nr_pending--
}

inline started(w, item) {
	assert(submit[item] && !called[item] && !run_waiter[w]);
	assert(!(before[submit[item] - 1] & pending));
	not_pending(item);
	nr_runs = nr_runs + !runs[w];
	runs[w] = item;
	called[item] = true;
	assert(nr_runs <= CAPACITY)
}

inline committed() {		/* between two holds of the lock, as if at once */
	assert(!freed && half0 == half[0] && half1 == half[0] && half1 == half[1])
}

/* What a lock holder can rely on, for @item after kpool_item_settle(). */
inline check(item) {
	assert(nr_pending == nr_queued && nr_runs == units && !freed);
	assert(rd_nr + length == nr_queued);
	assert(run_item[1] == runs[1] && run_item[2] == runs[2]);
	assert(run_fn[1] == runs[1] && run_fn[2] == runs[2]);
	for (n : 0 .. RING - 1) {
		assert(IS_TAG(in_slot[n]));
		assert(n >= rd_nr || submit[rd_item[(FIRST + n) % RING]])
	}
	for (n : 0 .. 2) {
		assert(n >= length || state[queue[n]] == QUEUED && submit[queue[n]])
	}
	n = 0;
	assert(!(item) || (state[item] >= READY) == (submit[item] > 0));
	assert(!(item) || RUNS(item) == (runs[1] == item || runs[2] == item))
}

/* With the lock held */

inline new_tag(slot) {
	in_tag[slot] = 0;
	do
	:: (kept_slot[0] == slot && kept_tag[0] == in_tag[slot]) ||
	   (kept_slot[1] == slot && kept_tag[1] == in_tag[slot]) -> in_tag[slot]++
	:: else -> break
	od;
	in_slot[slot] = TAG(in_tag[slot])
}

inline ready_add(item) {
	rd_taker[rd_end] = 0;
	rd_item[rd_end] = item;
	state[item] = READY;
	rd_end = NEXT(rd_end);
	rd_nr++
}

inline queue_plain(item) {
	if
	:: !length && CAN_BE_READY(item) -> ready_add(item)
	:: else -> state[item] = QUEUED; queue[length] = item; length++
	fi;
	nr_queued++
}

inline dequeue_list() {
	v = queue[0]; queue[0] = queue[1]; queue[1] = queue[2]; queue[2] = 0; length--
}

inline ready_return() {
	do
	:: rd_nr ->
		rd_nr--;
		rd_end = (rd_end + RING - 1) % RING;
		queue[2] = queue[1]; queue[1] = queue[0]; queue[0] = rd_item[rd_end];
		rd_item[rd_end] = 0;
		state[queue[0]] = QUEUED;
		length++
	:: else -> break
	od
}

/* kpool_lock(), when @cond holds.  Most often, there is nothing to account for. */
inline take_lock(cond) {
	if
	:: atomic { !lock && (cond) && !rd_open && !in_open -> lock = true; check(0) }
	:: atomic {
		!lock && (cond) && (rd_open || in_open) -> lock = true;
		n = rd_open - rd_left; h = FIRST; rd_open = rd_left;
		rd_nr = rd_nr - n; nr_queued = nr_queued - n;
		rd_left = 0; rd_gen = 0
	   };
		do
		:: n -> v = rd_item[h];
			d_step {
				if
				:: v ->
					run_item[rd_taker[h]] = v;
#ifndef FUNCTION_LEFT
					run_fn[rd_taker[h]] = v
#endif
				:: else
				fi;
				h = NEXT(h); n--; v = 0
			}
		:: atomic { !n ->
			if
			:: rd_open -> rd_taker[h] = 0
			:: else
			fi;
			rd_open = 0;
			n = in_open - in_left; h = in_first; in_open = 0; in_left = 0; in_pos = 0
		   }
			break
		od;
		do
		:: atomic { n ->
			v = in_slot[h];
			if
#ifdef TAG_KEPT
			:: IS_TAG(v)
#endif
			:: else -> new_tag(h)
			fi;
			if
			:: !IS_TAG(v) -> queue_plain(v)
			:: else
			fi;
			h = NEXT(h); n--; v = 0
		   }
		:: atomic { !n -> in_first = h; h = 0; check(0) }
			break
		od
	fi
}

/* kpool_item_settle(), kpool_finish_start() */
inline item_settle(item) {
	if
	:: atomic { state[item] == READY -> n = 0 };
		do
		:: atomic { n < RING && rd_item[(FIRST + n) % RING] != item -> n++ }
		:: atomic { n < RING && rd_item[(FIRST + n) % RING] == item ->
			if
			:: n >= rd_nr -> in_run[item] = rd_taker[(FIRST + n) % RING]
			:: else -> n = RING
			fi
		   }
			if
			:: atomic { n < RING && state[item] == READY -> state[item] = IDLE }
			:: else
			fi;
			break
		:: n == RING -> break
		od;
		atomic { n = 0; check(item) }
	:: atomic { state[item] != READY -> check(item) }
	fi
}

/*
 * kpool_kick(), kpool_rings_open().  All at once, because what a fast operation
 * does before the lock is free cannot be told from what it does afterwards.
 */
inline unlock(open) {
	check(0);
	if
	:: !nr_waking && nr_queued && FREE && (rd_nr || !RUNS(queue[0])) ->
		if
		:: worker[1] == ASLEEP -> worker[1] = WAKING; nr_waking++
		:: worker[1] != ASLEEP && worker[2] == ASLEEP -> worker[2] = WAKING; nr_waking++
		:: else
		fi
	:: else
	fi;
	if
	:: open && !closed && rd_nr ->
		rd_open = rd_nr; rd_left = rd_nr; rd_gen = 1;
#ifndef GENERATION_KEPT
		do
		:: rd_gen == kept_gen[1] || rd_gen == kept_gen[2] -> rd_gen++
		:: else -> break
		od
#endif
	:: else
	fi;
	if
	:: open && !closed && nr_queued < FREE + DEPTH && LOOKED_FOR ->
#ifdef ROOM_NOT_LIMITED
		in_open = RING;
#else
		n = FREE + DEPTH - nr_queued;
		in_open = (n < RING -> n : RING);
		n = 0;
#endif
		in_left = in_open; in_pos = in_first
	:: else
	fi;
	lock = false
}

/* Threads */

inline submit_ends(s) {
	kept_slot[s] = RING; kept_tag[s] = 0; half0 = 0; half1 = 0;
	op++
}

proctype submitter(byte s, op, end) {	/* kpool_submit_fast(), _locked() */
	bool half0, half1;

	do
	:: op < end ->
		atomic {
			before[op] = pending;
			if
			:: state[ITEM(op)] == IDLE && in_left ->
				kept_slot[s] = in_pos; kept_tag[s] = in_tag[in_pos];
				in_pos = NEXT(in_pos); in_left--;
				half0 = half[0]
			:: else -> goto locked
			fi
		};
		atomic {
			half1 = half[1];
			if
			:: state[ITEM(op)] == IDLE -> state[ITEM(op)] = SUBMITTING
			:: else -> goto locked
			fi
		};
		atomic {
			if
			:: in_slot[kept_slot[s]] == TAG(kept_tag[s]) ->
				in_slot[kept_slot[s]] = ITEM(op);
				accepted(op, ITEM(op));
				committed();
				submit_ends(s);
				goto next
			:: else
			fi
		};
locked:		take_lock(true);
		item_settle(ITEM(op));
		atomic {
			if
			:: state[ITEM(op)] < READY && !closed && nr_queued < FREE + DEPTH ->
				accepted(op, ITEM(op));
				queue_plain(ITEM(op))
			:: else -> before[op] = 0
			fi;
			submit_ends(s);
			unlock(true)
		};
next:		skip
	:: else -> break
	od;
	gone++
}

proctype worker_main(byte w) {
	byte item, left, slot;
	bool half0, half1;

	take_lock(true);
next:	atomic {			/* kpool_dequeue() */
		if
		:: nr_queued && FREE && rd_nr ->
			item = rd_item[FIRST]; rd_item[FIRST] = 0; rd_nr--
		:: nr_queued && FREE && !rd_nr && !RUNS(queue[0]) ->
			dequeue_list(); item = v; v = 0
		:: else -> goto sleep
		fi;
		state[item] = IDLE; nr_queued--;
		started(w, item);
		units++; in_run[item] = w; run_item[w] = item; run_fn[w] = item;
		run_waiter[w] = has_waiter[item]; has_waiter[item] = false;
		if
		:: !closed && !rd_nr ->	/* kpool_ready_fill() */
			do
			:: length && CAN_BE_READY(queue[0]) ->
				dequeue_list(); ready_add(v); v = 0
			:: else -> break
			od
		:: else
		fi;
		unlock(true)
	};
call:	atomic { called[item] = false; item = 0 };
again:	atomic {			/* kpool_start_fast() */
		left = rd_left; kept_gen[w] = rd_gen; half0 = half[0];
		if
		:: !left -> goto end
#ifndef WAITERS_LEFT
		:: left && run_waiter[w] -> goto end
#endif
		:: else
		fi
	};
	atomic {
		slot = (rd_end + RING - left) % RING;
#ifndef TAKER_LATE
		if
		:: !rd_taker[slot] || TAKEN_AGAIN -> rd_taker[slot] = w
		:: rd_taker[slot] && rd_left == left && rd_gen == kept_gen[w] -> goto end
		:: else -> goto again
		fi
#endif
	};
	atomic { item = rd_item[slot]; half1 = half[1] };
	atomic {
		if
		:: rd_left == left && rd_gen == kept_gen[w] ->
			rd_left--;
			committed();
			started(w, item);
			left = 0; kept_gen[w] = 0; half0 = 0; half1 = 0
		:: else -> goto failed
		fi
	};
#ifdef TAKER_LATE
	rd_taker[slot] = w;
#endif
	d_step { run_fn[w] = item; run_item[w] = item; in_run[item] = w };
	atomic { state[item] = (state[item] == READY -> IDLE : state[item]) };
	atomic { rd_item[slot] = 0; slot = 0; goto call };
failed:	atomic { rd_taker[slot] = (rd_taker[slot] == w -> 0 : rd_taker[slot]) };
end:	atomic { left = 0; kept_gen[w] = 0; slot = 0; item = 0; half0 = 0; half1 = 0 };
	take_lock(true);
	atomic {			/* kpool_worker_run_end() */
		units--; run_item[w] = 0; run_fn[w] = 0; runs[w] = 0; nr_runs--;
		waited = waited && !run_waiter[w];
		run_waiter[w] = false;
		goto next
	};
sleep:	if
#ifdef IDLE_LATE
	:: atomic { !closed || nr_queued -> unlock(false) };
		atomic { worker[w] = ASLEEP };
#else
	:: atomic { !closed || nr_queued -> worker[w] = ASLEEP; unlock(IDLE_OPEN) };
#endif
		take_lock(worker[w] == WAKING || closed);
		atomic {
			nr_waking = nr_waking - (worker[w] == WAKING); worker[w] = AWAKE;
			goto next
		}
	:: atomic { closed && !nr_queued -> unlock(false); gone++ }
	fi
}

proctype client() {		/* kpool_cancel() or kpool_flush_item() of item 1 */
	take_lock(true);
	half[0] = 1;
	item_settle(1);
	atomic {
		half[1] = 1;
		if
		:: state[1] >= READY ->		/* kpool_item_unlink() */
			ready_return();
			dequeue_list();
			if
			:: v != 1 && queue[0] == 1 -> queue[0] = v
			:: v != 1 && queue[0] != 1 -> queue[1] = queue[0]; queue[0] = v
			:: else
			fi;
			v = 0;
			state[1] = IDLE;
			nr_queued--;
			not_pending(1)
		:: state[1] >= READY && !RUNS(1) ->
			ready_return();
			has_waiter[1] = true; waited = true
		:: RUNS(1) && state[1] < READY -> run_waiter[in_run[1]] = true; waited = true
		:: else
		fi;
		unlock(false)
	};
	!waited;
	gone++
}

proctype destroyer() {		/* kpool_shutdown(), kpool_destroy() */
	if
	:: true -> gone == 3 && !pending
	:: true
	fi;
	take_lock(true);
	atomic { closed = true; ready_return(); unlock(false) };
	gone == 5;
	freed = true
}

init {
	atomic {
		run submitter(0, 0, SECOND - 1); run submitter(1, SECOND - 1, SECOND);
		run worker_main(1); run worker_main(2);
		run client(); run destroyer()
	}
}
