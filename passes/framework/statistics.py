"""Counters of a pass, which `anvl-opt --mlir-pass-statistics` reports.

    class DropNegations(Pass, argument="my-drop-negations"):
        dropped = Statistic("num-dropped", "Number of negations that were dropped")

        def run(self, module):
            self.dropped.add(3)

As in MLIR, a counter belongs to the pass, not to a run: a tool reads it before and after.
"""

__all__ = ["Statistic", "statistics_of"]


class Statistic:
    """A counter with the name and the description that the report shows."""

    def __init__(self, name: str, description: str) -> None:
        self.name = name
        self.description = description
        self.value: int = 0

    def add(self, n: int = 1) -> None:
        """Count `n` more."""
        self.value += n


def statistics_of(pass_: object) -> list[Statistic]:
    """The counters that the class of a pass has, in the order of their definition."""
    found = {
        name: each
        for cls in reversed(type(pass_).__mro__)
        for name, each in vars(cls).items()
        if isinstance(each, Statistic)
    }
    return list(found.values())
