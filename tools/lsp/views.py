"""What code actions show of a program: the result of a pipeline, as text.

[view.title for view in views("wave")]     ["Show the gradient of @wave", ...]
"""

from collections.abc import Sequence
from typing import NamedTuple

from anvl.passes.pipelines.jit_pipeline import pipeline

__all__ = ["View", "pipelines_of", "views"]

_BATCH = 8


class View(NamedTuple):
    """Something to show; `kind` names it in a command."""

    title: str
    kind: str


def views(function: str | None) -> list[View]:
    """What can be shown of a program, and of the function, `@wave`, at hand."""
    of_program = [View("Show StableHLO", "stablehlo")]
    if function is None:
        return of_program
    return [
        View(f"Show the gradient of {function}", "gradient"),
        View(f"Show the tangent of {function}", "tangent"),
        View(f"Show {function} on a batch of {_BATCH}", "batch"),
        *of_program,
    ]


def pipelines_of(kind: str, function: str) -> Sequence[str]:
    """The pipelines of a view, of which the first that succeeds is shown; empty if unknown."""
    name = function.removeprefix("@")
    gradient = f"anvl-gradient{{function={name}}},cse"
    for_cotangent = f"anvl-gradient{{function={name} split}},cse"
    return {
        "gradient": (gradient, for_cotangent),  # the latter if its result is no scalar
        "tangent": (f"anvl-forward{{function={name}}},cse",),
        "batch": (f"anvl-vectorize{{function={name} size={_BATCH}}},cse",),
        "stablehlo": (str(pipeline()),),
    }.get(kind, ())
