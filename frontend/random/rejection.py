"""Rejection sampling: proposals are drawn for all samples until each has accepted one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.control_flow.loops import while_loop
from anvl.core.promote import constant
from anvl.core.tracer import Tracer
from anvl.random.prng import U64, Source

__all__ = ["accepted", "counted"]

Proposal = Callable[[Source], tuple[Tracer, Any]]


def accepted(source: Source, like: Tracer, propose: Proposal) -> Tracer:
    """For each element of `like` the first proposal that is accepted.

    `propose(source)` maps a stream of bits to proposals, and whether to accept them.  Where the
    parameters are invalid it must accept whatever it proposes, so that the loop ends.
    """

    def step(state: Any) -> Any:
        i, value, is_done = state
        proposed, is_accepted = propose(source._replace(step=i))
        return i + 1, anp.where(is_done, value, proposed), anp.logical_or(is_done, is_accepted)

    start = constant(0, U64), constant(0, like.dtype, like.shape), _no(like)
    return while_loop(lambda state: anp.logical_not(anp.all(state[2])), step, start)[1]


def counted(source: Source, limit: Tracer, draw: Callable[[Source], Any]) -> Tracer:
    """How many draws, added up, stay below the limit: an array of the dtype of the limit."""

    def step(state: Any) -> Any:
        i, total, count = state
        total = anp.add(total, draw(source._replace(step=i)))
        return i + 1, total, anp.add(count, anp.where(anp.less(total, limit), 1, 0))

    zero = constant(0, limit.dtype, limit.shape)
    start = constant(0, U64), zero, zero
    return while_loop(lambda state: anp.any(anp.less(state[1], limit)), step, start)[2]


def _no(like: Tracer) -> Tracer:
    return constant(False, np.dtype(bool), like.shape)
