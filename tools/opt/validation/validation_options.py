"""The options of `--anvl-validate-each`, written as those of a pass."""

from dataclasses import dataclass

from anvl.dialect.core.errors import nearest
from anvl.passes.framework import options
from anvl.passes.framework.options import option
from anvl.tools.run.executors import EXECUTORS
from anvl.tools.run.random_runs import Draws

__all__ = ["ValidationOptions"]


@dataclass(frozen=True)
class ValidationOptions:
    """The functions to execute, and how."""

    functions: tuple[str, ...] = option((), help="the functions to compare; by default all public")
    inputs: int = option(3, help="how many sets of random inputs")
    seed: int = option(0, help="of the random inputs")
    rtol: float = option(0.0, help="the relative error allowed; by dtype where not given")
    atol: float = option(0.0, help="the absolute error allowed; by dtype where not given")
    executor: str = option("plugin", help="plugin, or interpreter: StableHLO's own")
    seconds: float = option(60.0, help="an execution that takes longer is ended")

    @classmethod
    def from_text(cls, flag: str, text: str) -> "ValidationOptions":
        """The options that the value of a flag gives; raises `ValueError`."""
        known = options.options_of(cls)
        made = cls(**options.parse(flag, text, known))
        if made.executor not in EXECUTORS:
            near = nearest(made.executor, EXECUTORS)
            raise ValueError(
                f"{flag}: executor is {' or '.join(EXECUTORS)}, got {made.executor!r}{near}"
            )
        if made.inputs < 1 or made.seed < 0 or not 0 < made.seconds < float("inf"):
            raise ValueError(f"{flag}: inputs and seconds must be above 0, and seed not below")
        if not 0 <= made.rtol < float("inf") or not 0 <= made.atol < float("inf"):
            raise ValueError(f"{flag}: rtol and atol must not be negative")
        return made

    def __str__(self) -> str:
        known = options.options_of(type(self))
        return options.show(vars(self), known)

    @property
    def names(self) -> tuple[str, ...]:
        """The functions by name, without `@`."""
        return tuple(name.removeprefix("@") for name in self.functions)

    @property
    def draws(self) -> Draws:
        """The sets of random inputs."""
        return Draws(self.inputs, self.seed, self.executor, self.seconds)
