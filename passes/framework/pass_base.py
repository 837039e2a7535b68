"""Base class of passes, and the registry of all passes.

    @dataclass(frozen=True)
    class Gradient(Pass, argument="anvl-gradient"):
        \"\"\"Add the adjoint of a function.\"\"\"

        function: str = option("", help="the function to differentiate")
        wrt: tuple[int, ...] = option((), help="positions of the arguments")

        def run(self, module: ir.Operation) -> None: ...

Defining the class registers it, unless with `registered=False`: then a tool that has the pass
registers it (`register`).  `str(Gradient("main", (0, 2)))` is its text in a pipeline,
`anvl-gradient{function=main wrt=0,2}`, which parses back.  A field that is not made by `option`
has no text form: only Python code can set it.
"""

import functools
import importlib
from collections.abc import Set
from typing import Any, ClassVar, Self

from anvl.dialect.core.mlir import ir
from anvl.passes.framework import options
from anvl.passes.framework.erasure import check_erasures
from anvl.passes.framework.options import Option, option

__all__ = ["Option", "Pass", "find", "option", "register", "registered_passes"]

_registry: dict[str, type["Pass"]] = {}
_deferred: dict[str, tuple[str, str]] = {}  # module and name


class Pass:
    """Base of all passes: a frozen dataclass of options with a `run`.

    `run` receives the operation that the pipeline is anchored on (the module, unless the pass is
    nested in `func.func(...)`).  It changes the operation in place, keeps no handle into it, and
    raises `PassError` when it cannot do its work.
    """

    argument: ClassVar[str] = ""
    #: The op that the pass runs on; empty for any op.
    anchor: ClassVar[str] = ""

    def __init_subclass__(cls, argument: str = "", registered: bool = True, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__module__.startswith("anvl."):
            check_erasures()
        if argument:
            cls.argument = argument
            if registered:
                register(cls)

    def __post_init__(self) -> None:
        options.check(self.argument, vars(self), self.options())

    def run(self, module: ir.Operation) -> None:
        raise NotImplementedError(
            f"{self.argument}: the class {type(self).__name__} defines no `run`"
        )

    def idle(self, marks: Set[str]) -> bool:
        """Whether there is nothing to do in a module whose functions have only these attributes
        beside their name, type and visibility, and those of arguments and results.

        Then the pass is skipped: most programs have only one or two of these attributes.
        """
        return False

    @functools.cached_property
    def is_plain(self) -> bool:
        """Whether all options have their defaults."""
        values = vars(self)
        return all(values[o.name] == o.default for o in self.options().values())

    @classmethod
    @functools.cache
    def options(cls) -> dict[str, Option]:
        """The options by name, in the order of their definition."""
        return options.options_of(cls)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The pass with the options that `text` gives, as in `function=main wrt=0,2`."""
        return cls(**options.parse(cls.argument, text, cls.options()))

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    def __str__(self) -> str:
        return self._text

    def text_with_defaults(self) -> str:
        """The text of the pass with the values of all options, but not empty ones."""
        shown = options.show_all(vars(self), self.options())
        return f"{self.argument}{{{shown}}}" if shown else self.argument

    @functools.cached_property
    def _text(self) -> str:
        shown = options.show(vars(self), self.options())
        return f"{self.argument}{{{shown}}}" if shown else self.argument


def register(cls: type[Pass]) -> None:
    """Add a pass to those that pipelines and `anvl-opt` know by name.

    Raises `ValueError` if another pass has its name.
    """
    known = _known(cls.argument)
    if known not in ("", _identity(cls)):  # a reload defines it again
        raise ValueError(f"{cls.argument}: two passes have this name, {known} and {_identity(cls)}")
    _deferred.pop(cls.argument, None)
    _registry[cls.argument] = cls


def register_later(argument: str, module: str, name: str) -> None:
    """Add the pass `argument`, the class `name` of a module that is imported when a pipeline or a
    list first needs it."""
    if argument not in _registry:
        _deferred[argument] = module, name


def _known(argument: str) -> str:
    """The identity of the pass of this name; `""` if there is none."""
    if argument in _deferred:
        return ".".join(_deferred[argument])
    return _identity(_registry[argument]) if argument in _registry else ""


def _load(argument: str) -> None:
    if argument in _deferred:
        module, name = _deferred[argument]
        register(getattr(importlib.import_module(module), name))


def _identity(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def registered_passes() -> dict[str, type[Pass]]:
    """Every registered pass, written in Python, by its name on the command line."""
    for argument in list(_deferred):
        _load(argument)
    return dict(sorted(_registry.items()))


def find(name: str) -> type[Pass] | None:
    """The pass written in Python of this name, or None."""
    _load(name)
    return _registry.get(name)
