"""`Setting`, one setting, and `Settings`, the object that has them as attributes.

A value comes from the innermost `with` block of the context, else from an assignment, else from
the environment variable, else from the declaration.

Note [Settings of a context]

A `with` block holds for the current thread or task alone: the blocks of a context are in a
`ContextVar`.  Blocks may end in any order, since generators and exit stacks suspend them; so a
block that ends is removed from the list of its context, wherever it is in it, and the values are
computed from the others.

A setting that changes programs is a part of `programs_version`, which every cache of traced
programs has in its keys; equal settings have equal versions, so that programs are found again.
Generated code does not check the version: it has a variant for each context (`set_variant` in
`anvl.runtime.dispatch`), and forgets all programs when such a setting changes for the process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, TypeVar, overload

from anvl.runtime.locks import fresh_lock
from anvl.runtime.settings.kinds import Kind

__all__ = [
    "Setting", "Settings", "programs_version", "settings_of_version", "watch_programs",
]  # fmt: skip

T = TypeVar("T")

_UNSET: Any = object()


class _Blocks(NamedTuple):
    """The `with` blocks of a context, in order, the values that they set, and the version."""

    given: tuple[dict[str, Any], ...]
    values: dict[str, Any]
    version: int | None  # None if they set nothing that changes programs
    generation: int


_blocks: ContextVar[_Blocks | None] = ContextVar("anvl settings", default=None)

# The settings that change programs, by name, and the numbers of their values.
_in_programs: dict[str, Setting[Any]] = {}
_numbers: dict[tuple[Any, ...], int] = {}
_number_lock = fresh_lock()

# Counts changes for the process of settings that change programs.
_generation = 0
_process_version: tuple[int, int] = (-1, 0)  # the generation that the version is of, the version

_set_variant: Callable[[int | None], object] = lambda key: None  # noqa: E731
_forget_programs: Callable[[], object] = lambda: None  # noqa: E731


def watch_programs(
    set_variant: Callable[[int | None], object], forget_programs: Callable[[], object]
) -> None:
    """Call these when a setting that changes programs changes: in a context, for the process."""
    global _set_variant, _forget_programs
    _set_variant, _forget_programs = set_variant, forget_programs


def programs_version() -> int:
    """Number of the current values of the settings that change programs."""
    global _process_version
    blocks = _blocks.get()
    if blocks is None or blocks.version is None:
        if _process_version[0] != _generation:
            _process_version = _generation, _number_of({})
        return _process_version[1]
    if blocks.generation != _generation:  # a setting of the process has changed since
        _enter(blocks.given)
        return programs_version()
    return blocks.version


def _number_of(values: dict[str, Any]) -> int:
    found = tuple(
        values[name] if name in values else setting.of_process()
        for name, setting in _in_programs.items()
    )
    with _number_lock:
        return _numbers.setdefault(found, len(_numbers))


def settings_of_version(version: int) -> dict[str, str]:
    """The values, as text, of the settings that change programs, for a `programs_version`."""
    values = list(_numbers)[version]
    pairs = zip(_in_programs.items(), values, strict=True)
    return {name: setting.kind.show(value) for (name, setting), value in pairs}


def _enter(given: tuple[dict[str, Any], ...]) -> None:
    """Set the blocks of this context."""
    made = None
    if given:
        values: dict[str, Any] = {}
        for of_block in given:
            values |= of_block
        generation = _generation
        version = None if _in_programs.keys().isdisjoint(values) else _number_of(values)
        made = _Blocks(given, values, version, generation)
    _blocks.set(made)
    _set_variant(None if made is None else made.version)


def _given() -> tuple[dict[str, Any], ...]:
    blocks = _blocks.get()
    return () if blocks is None else blocks.given


@contextmanager
def _block(values: dict[str, Any]) -> Iterator[None]:
    mine = dict(values)  # a block that decorates a function is entered again by each call
    _enter((*_given(), mine))
    try:
        yield
    finally:
        _enter(tuple(given for given in _given() if given is not mine))


class Setting(Generic[T]):
    """One setting, declared as a field of a subclass of `Settings`.

    Parameters
    ----------
    kind
        The allowed values.
    default
        The value where nothing sets one.
    doc
        One sentence that says what it does.
    changes_programs
        Whether tracing or lowering reads it, so that a program made under another value is another
        program.

    Notes
    -----
    The environment variable of a setting `cache_dir` is `ANVL_CACHE_DIR`; it is read once, at the
    first use, and an empty one counts as not set.

    Examples
    --------
    >>> from anvl.runtime.settings import Setting, Settings, number
    >>> class Mine(Settings):
    ...     level = Setting(number(), 3, "How much is printed.")
    >>> mine = Mine()
    >>> with mine(level=4):
    ...     print(mine.level)
    4
    """

    def __init__(
        self, kind: Kind[T], default: T, doc: str, *, changes_programs: bool = False
    ) -> None:
        self.kind = kind
        self.default = default
        self.changes_programs = changes_programs
        self.name: str = ""
        self.doc: str = doc
        self.__doc__ = doc
        self._value: T = _UNSET  # of the process
        self._origin = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        if self.changes_programs:
            _in_programs[name] = self

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"ANVL_{self.name.upper()}"

    @overload
    def __get__(self, settings: None, owner: type) -> Setting[T]: ...

    @overload
    def __get__(self, settings: Settings, owner: type) -> T: ...

    def __get__(self, settings: Settings | None, owner: type) -> Setting[T] | T:
        if settings is None:
            return self
        blocks = _blocks.get()
        if blocks is not None and self.name in blocks.values:
            return blocks.values[self.name]
        return self.of_process() if self._value is _UNSET else self._value

    def __set__(self, settings: Settings, value: T) -> None:
        self._change(self.checked(f"config.{self.name}", value), "set")

    def __delete__(self, settings: Settings) -> None:
        """Return to the environment variable or the default, which are read again."""
        self._change(_UNSET, "")

    def checked(self, where: str, value: Any) -> T:
        """The value of the setting for a given one; errors say `where` it was given."""
        try:
            return self.kind.check(value)
        except (TypeError, ValueError) as error:
            said = str(error) or f"must be {self.kind.allowed}, got {value!r}"
            is_type = isinstance(error, TypeError) and where != self.variable
            raise (TypeError if is_type else ValueError)(f"{where}: {said}") from None

    def of_process(self) -> T:
        """The value outside of all `with` blocks."""
        if self._value is _UNSET:
            text = os.environ.get(self.variable, "")
            if text:
                self._value = self.checked(self.variable, self.kind.read(text))
                self._origin = self.variable
            else:
                self._value, self._origin = self.default, "default"
        return self._value

    def origin(self) -> str:
        """Source of the current value: `with block`, `set`, the variable, or `default`."""
        blocks = _blocks.get()
        if blocks is not None and self.name in blocks.values:
            return "with block"
        self.of_process()
        return self._origin

    def _change(self, value: T, origin: str) -> None:
        global _generation
        before = self._value
        self._value, self._origin = value, origin
        if self.changes_programs and value is not before:
            with _number_lock:
                _generation += 1
            _forget_programs()
            _enter(_given())


class Settings:
    """Settings as attributes.  A subclass declares each with `Setting`.

    Assigning an attribute sets the setting for the process, deleting it returns to the
    environment variable or the default, and calling the object makes a `with` block.
    """

    def __call__(self, **values: Any) -> Any:
        """Set settings within a `with` block, for the current thread or task alone.

        Blocks in blocks add to each other, and may end in any order.

        Parameters
        ----------
        **values
            A value for each setting to set.

        Returns
        -------
        context manager
            It decorates functions, too.

        Raises
        ------
        AttributeError
            There is no such setting.
        TypeError, ValueError
            The setting does not allow the value.

        Examples
        --------
        >>> import anvl
        >>> with anvl.config(traceback_filtering=False):
        ...     print(anvl.config.traceback_filtering)
        False
        """
        settings = self.settings()
        for name in values:
            if name not in settings:
                self._refuse(name)
        return _block({n: settings[n].checked(f"config({n}=)", v) for n, v in values.items()})

    if not TYPE_CHECKING:  # a type checker would allow any name

        def __setattr__(self, name: str, value: Any) -> None:
            if name not in self.settings():
                self._refuse(name)
            object.__setattr__(self, name, value)

        def __getattr__(self, name: str) -> NoReturn:
            self._refuse(name)

    def __repr__(self) -> str:
        values = ", ".join(f"{n}={getattr(self, n)!r}" for n in self.settings())
        return f"config({values})"

    @classmethod
    def settings(cls) -> dict[str, Setting[Any]]:
        """All settings by name, in alphabetical order.

        Examples
        --------
        >>> import anvl
        >>> anvl.config.settings()["traceback_filtering"].variable
        'ANVL_TRACEBACK_FILTERING'
        """
        found: dict[str, Setting[Any]] = {}
        for base in cls.__mro__:
            found |= {n: s for n, s in vars(base).items() if isinstance(s, Setting)}
        return dict(sorted(found.items()))

    def describe(self) -> None:
        """Print all settings: name, value, and where the value comes from.

        Sources are `default`, the name of an environment variable, `set` (by assignment), and
        `with block`.

        Examples
        --------
        >>> import anvl
        >>> anvl.config.describe()
        setting ...
        """
        rows = [("setting", "value", "from")]
        for name, setting in self.settings().items():
            rows.append((name, setting.kind.show(getattr(self, name)), setting.origin()))
        widths = [max(len(row[i]) for row in rows) for i in range(2)]
        for name, value, origin in rows:
            print(f"{name:{widths[0]}}  {value:{widths[1]}}  {origin}")

    def _refuse(self, name: str) -> NoReturn:
        from difflib import get_close_matches  # milliseconds, which only an error should cost

        known = self.settings()
        close = get_close_matches(name, known, n=1)
        near = f"did you mean {close[0]!r}?" if close else f"the settings are {', '.join(known)}"
        raise AttributeError(f"config: no setting {name!r}; {near}") from None
