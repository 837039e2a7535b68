"""Which programs the processes call over their devices: all must call the same, in one order.

Note [Processes that disagree]

XLA's collectives do not look at who takes part: processes that call different programs wait for
each other for ever, and programs for other shapes may give wrong numbers.  So

    - before its first run, a program with collectives is compared with those that the other
      processes begin, by a digest of what it computes and where;
    - each sign of life tells the coordinator the latest calls, and processes whose calls of one
      number differ are told so: some seconds later, since a run has no time to ask;
    - a process that ends waits, some milliseconds, until the others have told theirs.

Programs without collectives wait for nobody, and are called by whom one likes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from anvl.runtime.distributed.messages import NEVER
from anvl.runtime.distributed.status import Status
from anvl.runtime.errors import DistributedError
from anvl.runtime.locks import fresh_lock

__all__ = [
    "Called", "are_compared", "begin", "disagreement", "first_call", "later_call", "processes_of",
    "recent_calls", "refuse_other_values",
]  # fmt: skip

_MOST = 64  # calls that are remembered
_LONGEST_TEXT = 300

#: Calls by the processes that take part: the number of the last, digests, and texts by digest.
Recent = dict[str, tuple[int, list[str], dict[str, str]]]

_ADVICE = "all processes must call the same programs over their devices, in one order"


class Called(NamedTuple):
    """A program over several processes.

    Attributes
    ----------
    digest : str
        Equal for programs that compute the same on the same devices.
    text : str
        Its name, and the types and places of its arguments.
    processes : tuple of int
        Those whose devices it runs on.
    """

    digest: str
    text: str
    processes: tuple[int, ...]


class _Calls:
    """The calls of some processes: how many, and the latest."""

    def __init__(self) -> None:
        self.count = 0
        self.recent: deque[Called] = deque(maxlen=_MOST)


_lock = fresh_lock()
_calls: dict[tuple[int, ...], _Calls] = {}
_asked_before: dict[tuple[str, tuple[int, ...]], int] = {}
_gather: Callable[..., Sequence[Any]] | None = None
_status: Status | None = None


def begin(status: Status, gather: Callable[..., Sequence[Any]]) -> None:
    """Begin to compare: `gather` collects values of all processes, as in `membership.py`."""
    global _gather, _status
    _status, _gather = status, gather


def later_call(of: Called) -> None:
    """Note a call."""
    with _lock:
        calls = _calls.setdefault(of.processes, _Calls())
        calls.count += 1
        calls.recent.append(of)


def first_call(of: Called) -> None:
    """Note the first call of a program, and compare it with those of the other processes.

    Raises
    ------
    DistributedError
        Another process begins another program, or has ended.
    """
    later_call(of)
    found = _asked("execute", "program", of.processes, [of.digest, of.text[:_LONGEST_TEXT]])
    for process, (digest, text) in zip(of.processes, found, strict=False):
        if digest != found[0][0]:
            one = of.processes[0], found[0][1]
            _refuse("execute", _difference(one, (process, text), "the first call of a program"))


def refuse_other_values(function: str, text: str, digest: str, processes: tuple[int, ...]) -> None:
    """Compare the digest of values that all processes give; `text` describes them.

    Raises
    ------
    DistributedError
        Another process gives others, or has ended.
    """
    found = _asked(function, "array", processes, [digest, text])
    for process, (other, what) in zip(processes, found, strict=False):
        if other != found[0][0]:
            said = f"process {processes[0]} gives {found[0][1]}, process {process} {what}"
            said += " of other values" if what == found[0][1] else ""
            advice = "give all of them the same array, or each its part: make_array_from_local"
            _refuse(function, f"the processes disagree: {said}; {advice}")


def processes_of(devices: Sequence[Any]) -> tuple[int, ...]:
    """The processes of some devices, as PJRT has them."""
    return tuple(sorted({device.process_index for device in devices}))


def _asked(function: str, kind: str, processes: tuple[int, ...], value: Any) -> Sequence[Any]:
    """The values of all these processes; none in a process that works alone."""
    if _gather is None:
        return []
    with _lock:
        number = _asked_before[kind, processes] = _asked_before.get((kind, processes), 0) + 1
    name = f"{kind} {number} over processes {_listed(processes)}"
    return _gather(function, name, value, NEVER, processes)


def _refuse(function: str, reason: str) -> NoReturn:
    assert _status is not None
    _status.fail(reason)
    _status.is_raised = True
    raise DistributedError(f"{function}: {reason}")


def recent_calls() -> Recent:
    """The latest calls, for the coordinator."""
    with _lock:
        return {
            _listed(processes): (
                calls.count,
                [of.digest for of in calls.recent],
                {of.digest: of.text[:_LONGEST_TEXT] for of in calls.recent},
            )
            for processes, calls in _calls.items()
        }


def disagreement(calls: Mapping[int, Mapping[str, Any]]) -> str | None:
    """How the `recent_calls` of processes, by their index, differ; None if they do not."""
    known: dict[tuple[str, int], tuple[int, str, str]] = {}
    for process, of_process in sorted(calls.items()):
        for processes, (last, digests, texts) in of_process.items():
            for number, digest in enumerate(digests, last - len(digests) + 1):
                mine = process, digest, texts[digest]
                one = known.setdefault((processes, number), mine)
                if one[1] != digest:
                    name = f"call {number} over processes {processes}"
                    return _difference((one[0], one[2]), (process, mine[2]), name)
    return None


def are_compared(process: int, calls: Mapping[int, Mapping[str, Any]], left: Sequence[int]) -> bool:
    """Whether the others have told as many calls as a process, or have left: its are compared."""
    for processes, (last, *_) in calls[process].items():
        for other in map(int, processes.split(", ")):
            told = calls[other].get(processes, (0,))[0]
            if told < last and other not in left:
                return False
    return True


def _difference(one: tuple[int, str], other: tuple[int, str], name: str) -> str:
    (first, text), (second, other_text) = one, other
    if text == other_text:
        what = f"process {first} and process {second} both call\n    {text}\nand compute different "
        what += "things in it: a number or a function that it uses differs"
    else:
        what = f"process {first} calls\n    {text}\nand process {second}\n    {other_text}"
    return f"the processes disagree, at {name}: {what}\n{_ADVICE}"


def _listed(processes: Sequence[int]) -> str:
    return ", ".join(map(str, processes))
