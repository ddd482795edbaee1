"""Compiled signals between threads that share short tasks.

A thread that sleeps needs up to a tenth of a millisecond to wake up, and a thread that waits for the interpreter's lock
sleeps. So threads wait for each other in compiled code, which needs no lock, and a round begins in compiled code too, once
the thread that leads it has let go of the lock: whoever hears the bell finds the lock free.

On a busy machine a thread may come late. Then nobody waits for it: whoever claims its part of the round first, the thread
itself or the leader, has it.

All signals are numbers on a board, an array of int64. Its head says which round was rung last, which round is to be rung and
how many threads share it. Then there are four entries per thread, each in a cache line of its own: how many pieces of its
slice of the rows are taken, the last round in which its part was claimed and by whom, the last round in which it has
counted, and the last round after which it was listening again.
"""

from __future__ import annotations

import os
from typing import Any

from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

APART = 8  # numbers in a cache line; two threads should not write to the same one all the time
RUNG, ROUND, PEOPLE = 0, 1, 2  # entries of a board's head
TAKEN, CLAIMED, COUNTED, LISTENS = APART, 2 * APART, 3 * APART, 4 * APART  # entries of thread 0; the others' follow ...
EACH = 4 * APART  # ... at this distance
ITSELF, LEADER = 0, 1  # who has claimed a part
PATIENCE = 4000  # looks at a board, giving way after each, before a thread goes to sleep: about a millisecond
GLANCES = 20_000  # looks at a board without giving way: a few hundredths of a millisecond
PIECE = 1 << 13  # rows: few enough that nobody waits long for the last one, so many that taking them costs nothing

_give_way = types.ExternalFunction("SwitchToThread" if os.name == "nt" else "sched_yield", types.int32())


def _compiled(function: Any) -> Any:
    """An intrinsic; called without the context that its definition has."""
    return intrinsic(function)


def _place(context, builder, array_type, array, index):
    """The address of an array's entry."""
    made = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, made, [index], wraparound=False)


@_compiled
def load(_context, array, index):
    """Read an entry of an array of int64 that another thread may be writing."""

    def generate(context, builder, signature, args):
        return builder.load_atomic(_place(context, builder, signature.args[0], *args), "acquire", 8)

    return types.int64(array, types.intp), generate


@_compiled
def store(_context, array, index, value):
    """Write an entry of an array of int64 that another thread may be reading."""

    def generate(context, builder, signature, args):
        builder.store_atomic(args[2], _place(context, builder, signature.args[0], *args[:2]), "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.int64), generate


@_compiled
def count_up(_context, array, index):
    """Add one to an entry of an array of int64 that other threads may be counting up; what it was before."""

    def generate(context, builder, signature, args):
        place = _place(context, builder, signature.args[0], *args)
        return builder.atomic_rmw("add", place, context.get_constant(types.int64, 1), "monotonic")

    return types.int64(array, types.intp), generate


@_compiled
def replace(_context, array, index, old, new):
    """Write an entry of an array of int64 if it still is what it was; whether it was."""

    def generate(context, builder, signature, args):
        place = _place(context, builder, signature.args[0], *args[:2])
        return builder.extract_value(builder.cmpxchg(place, args[2], args[3], "acq_rel", "monotonic"), 1)

    return types.boolean(array, types.intp, types.int64, types.int64), generate


@njit(nogil=True, cache=True)
def ring(board):
    """Let the others hear the round that is to be rung."""
    store(board, RUNG, board[ROUND])


@njit(nogil=True, cache=True)
def claim(board, number, which_round, who):
    """Claim a thread's part of a round; whether nobody had it."""
    # A leader and a latecomer may claim at the same time; only one of them finds the entry as it was.
    while True:
        before = load(board, CLAIMED + EACH * number)
        # An entry is 2 * round + who.
        if before // 2 >= which_round:
            return False
        if replace(board, CLAIMED + EACH * number, before, 2 * which_round + who):
            return True


@njit(nogil=True, cache=True)
def has_counted(board, other):
    """Claim another thread's part of this round, or else wait until it has counted; whether it has."""
    if claim(board, other, board[ROUND], LEADER):
        return False
    # The leader had claimed it earlier in this round: there is nobody to wait for.
    if load(board, CLAIMED + EACH * other) % 2 == LEADER:
        return False
    looks = 0
    while load(board, COUNTED + EACH * other) < board[ROUND]:
        looks += 1
        # First without giving way, as the other is likely to be done in a moment; a system call would take longer than
        # that. If it takes so long it may have lost its core, and gets this one.
        if looks > GLANCES:
            _give_way()
    return True


@njit(nogil=True, cache=True)
def gather(board):
    """Ring, if nobody has yet, and wait until all others have counted what they claimed.

    If they are quick they listen again by then, and do not want the interpreter's lock when the leader needs it.
    """
    ring(board)
    for other in range(1, board[PEOPLE]):
        if has_counted(board, other):
            looks = 0
            while load(board, LISTENS + EACH * other) < board[ROUND] and looks < GLANCES:
                looks += 1


@njit(nogil=True, cache=True)
def listen(board, me, heard):
    """Say that one is done with a round, and wait for a later one; whether there was one before patience ended."""
    store(board, COUNTED + EACH * me, heard)
    store(board, LISTENS + EACH * me, heard)
    for _ in range(PATIENCE):
        if load(board, RUNG) > heard:
            return True
        _give_way()
    return False


@njit(nogil=True, cache=True)
def next_piece(board, me, n):
    """Take a piece of n rows, of one's own slice or then of what is left of another's: where it begins and ends.

    That is the same if nothing is left.
    """
    people = board[PEOPLE]
    size = (n + people - 1) // people
    for turn in range(people):
        owner = (me + turn) % people
        last = min((owner + 1) * size, n)
        # Counting up is how a piece is taken: no two threads get the same number. A counter may run on beyond the
        # slice, which then has no piece for anybody.
        begin = owner * size + PIECE * count_up(board, TAKEN + EACH * owner)
        if begin < last:
            return begin, min(begin + PIECE, last)
    return n, n
