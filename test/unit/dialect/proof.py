"""`anvl.testing` for the ops of anvl: with the references that are known of them."""

from collections.abc import Sequence
from typing import Any

from references import REFERENCES

from anvl.testing.draw import Call
from anvl.testing.examine import Examination
from anvl.testing.findings import Findings

__all__ = ["examination", "examine"]


def examine(op_class: Any, calls: Sequence[Call]) -> Findings:
    """What is wrong with an op of anvl."""
    return examination(op_class, calls).findings


def examination(op_class: Any, calls: Sequence[Call], every: bool = False) -> Examination:
    """The checks of an op of anvl, compiled."""
    return Examination(op_class, calls, REFERENCES, every)
