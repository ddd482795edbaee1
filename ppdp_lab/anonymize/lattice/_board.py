"""Compiled signals between threads that share short tasks.

A thread that sleeps needs up to a tenth of a millisecond to wake up, and a thread that waits for the interpreter's lock
sleeps. So threads wait for each other in compiled code, which needs no lock, and a round begins in compiled code too, once
the thread that leads it has let go of the lock: whoever hears the bell finds the lock free.

All signals are numbers on a board, an array of int64. Its head says which round was rung last, which round is to be rung and
how many threads share it. Then there are three entries per thread, each in a cache line of its own: how many pieces of its
slice of the rows are taken, the last round in which it has counted, and the last round after which it was listening again.
"""

from __future__ import annotations

import os
from typing import Any

from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

APART = 8  # numbers in a cache line; two threads should not write to the same one all the time
RUNG, ROUND, PEOPLE = 0, 1, 2  # entries of a board's head
TAKEN, COUNTED, LISTENS = APART, 2 * APART, 3 * APART  # entries of thread 0; those of the next ones follow ...
EACH = 3 * APART  # ... at this distance
PATIENCE = 4000  # looks at a board before a thread goes to sleep: about a millisecond
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


@njit(nogil=True, cache=True)
def ring(board):
    """Let the others hear the round that is to be rung."""
    store(board, RUNG, board[ROUND])


@njit(nogil=True, cache=True)
def wait_for_others(board, what):
    """Wait until all other threads have counted, or listen again, in this round."""
    for other in range(1, board[PEOPLE]):
        while load(board, what + EACH * other) < board[ROUND]:
            _give_way()


@njit(nogil=True, cache=True)
def gather(board):
    """Ring, if nobody has yet, and wait until all others listen again: then they do not want the interpreter's lock."""
    ring(board)
    wait_for_others(board, LISTENS)


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
        begin = owner * size + PIECE * count_up(board, TAKEN + EACH * owner)
        if begin < last:
            return begin, min(begin + PIECE, last)
    return n, n
