"""`anvl.testing` for the ops of anvl: with the references that are known of them."""

from collections.abc import Sequence
from typing import Any

from references import REFERENCES

from anvl.testing.draw import Call
from anvl.testing.examine import examine as _examine
from anvl.testing.findings import Findings

__all__ = ["examine"]


def examine(op_class: Any, calls: Sequence[Call]) -> Findings:
    """What is wrong with an op of anvl."""
    return _examine(op_class, calls, REFERENCES)
