"""Pipelines: our passes and MLIR's own, mixed and in order.

    Pipeline([Gradient("main", (0,)), "cse"]).run(module)
    parse("builtin.module(anvl-gradient{function=main wrt=0},func.func(cse))").run(module)

A pipeline is a value: it compares, hashes and prints (`parse(str(p)) == p`).  Each element runs in
a pass manager of MLIR's, one after another, so that a failure has the name of its pass and an
instrument sees every stage.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from anvl.dialect.core.attributes import extra_names
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes.framework import native, pipeline_parser
from anvl.passes.framework.instrument import Instrument
from anvl.passes.framework.managers import Managers, give_back, take
from anvl.passes.framework.pass_base import Pass, find
from anvl.passes.framework.reproducer import reproducer_text, write_reproducer
from anvl.passes.framework.verification import Verifier

__all__ = ["Native", "Nest", "Pipeline", "exists", "lookup", "parse"]

_MODULE = "builtin.module"
_FAILED = "the pass failed"
_LONGEST_MESSAGE = 2000  # some passes put whole operations into a diagnostic


@dataclass(frozen=True)
class Native:
    """A pass of MLIR's own, as text with its options."""

    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def argument(self) -> str:
        return self.text.partition("{")[0]


@dataclass(frozen=True)
class Nest:
    """Elements that run on each `anchor` op directly inside."""

    anchor: str
    elements: tuple["Element", ...]

    def __str__(self) -> str:
        return f"{self.anchor}({','.join(map(str, self.elements))})"

    @property
    def argument(self) -> str:
        return str(self)


Element: TypeAlias = Pass | Native | Nest
AfterEach: TypeAlias = Callable[[str, ir.Operation], None]


class Pipeline:
    """Passes to run on a module, in order: each a `Pass`, or text such as `"cse"`."""

    def __init__(self, elements: Iterable[Element | str]) -> None:
        self.elements: tuple[Element, ...] = tuple(_flat(elements))

    def __str__(self) -> str:
        return str(Nest(_MODULE, self.elements))

    def __repr__(self) -> str:
        return f"Pipeline({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pipeline) and self.elements == other.elements

    def __hash__(self) -> int:
        return hash(self.elements)

    def run(
        self,
        module: ir.Module | ir.Operation,
        *,
        after_each: AfterEach | None = None,
        verify_each: bool = False,
        instruments: Sequence[Instrument] = (),
        reproducer: str | Path | None = None,
    ) -> None:
        """Run every pass on `module`, which changes in place.

        `reproducer` is a file that is left if a pass fails, or ends the process: the module as it
        is now, with the pipeline, for `anvl-opt --run-reproducer`.

        `after_each(name, module)` is called after each element.  Whatever a pass written in Python
        raises arrives unchanged; a failure inside MLIR is a `PassError` that names the pass.  After
        this call every handle into `module` other than `module` itself is invalid.
        """
        root = module.operation
        if reproducer is not None:
            write_reproducer(reproducer, reproducer_text(root, str(self), verify_each=verify_each))
        managers = take(root.context)
        runner = _Runner(root, managers, verify_each, instruments)
        for instrument in instruments:
            instrument.begin(root, self)
        with root.context, ir.Location.unknown():
            for element in self._elements_on(root):
                runner.run(element, root, root.name)
                if after_each is not None:
                    after_each(element.argument, root)
        give_back(managers)
        if reproducer is not None:
            Path(reproducer).unlink(missing_ok=True)

    def _elements_on(self, root: ir.Operation) -> Iterator[Element]:
        """What runs on `root`: if it is a function by itself, what is nested for functions."""
        for element in self.elements:
            if isinstance(element, Nest) and element.anchor == root.name != _MODULE:
                yield from element.elements
            else:
                yield element


@dataclass(slots=True)
class _Runner:
    """One run of a pipeline."""

    root: ir.Operation
    managers: Managers
    verify_each: bool
    instruments: Sequence[Instrument]
    #: The attributes of the functions, where they have been looked up since the last change.
    marks: frozenset[str] | None = None
    verifier: Verifier = field(default_factory=Verifier)

    def run(self, element: Element, op: ir.Operation, anchor: str) -> None:
        if isinstance(element, Nest):
            self._run_nest(element, op, anchor)
            return
        for instrument in self.instruments:
            instrument.before(element, op)
        try:
            self._run_pass(element, op, anchor)
            for instrument in self.instruments:
                instrument.after(element, op)
        except BaseException:
            for instrument in self.instruments:
                instrument.failed(element, op)
            raise

    def _run_nest(self, nest: Nest, op: ir.Operation, anchor: str) -> None:
        if nest.anchor == "any":
            self.run(Native(str(nest)), op, anchor)
            return
        for inner in _ops_inside(op, nest.anchor):
            for element in nest.elements:
                self.run(element, inner, nest.anchor)

    def _run_pass(self, element: Pass | Native, op: ir.Operation, anchor: str) -> None:
        try:
            if isinstance(element, Native):
                self.managers.run_native(element.text, op, anchor)
            else:
                _check_anchor(element, op.name)
                if anchor == _MODULE and self._is_idle(element, op):
                    return
                self.managers.run_python(element, op, anchor)
            self.marks = None
        except ir.MLIRError as error:
            # Not chained: the text of the cause may hold the whole module.
            failure = _pass_error(element, error)
            raise failure.with_traceback(error.__traceback__) from None
        if self.verify_each:
            self.verifier.verify(element.argument, op, self.root)

    def _is_idle(self, element: Pass, module: ir.Operation) -> bool:
        if type(element).idle is Pass.idle:  # it always runs: nothing needs to be looked up
            return False
        if self.marks is None:
            functions = [op.operation for op in module.regions[0].blocks[0].operations]
            self.marks = frozenset([name for f in functions for name in extra_names(f)])
        return element.idle(self.marks)


def _check_anchor(element: Pass, found: str) -> None:
    if element.anchor and element.anchor != found:
        raise PassError(
            element.argument,
            f"runs on {element.anchor}, not on {found}; take it out of {found}(...)",
        )


def _ops_inside(op: ir.Operation, name: str) -> list[ir.Operation]:
    """The ops called `name` directly inside `op`, listed first because the passes change them."""
    blocks = [block for region in op.regions for block in region.blocks]
    inside = [inner.operation for block in blocks for inner in block.operations]
    return [inner for inner in inside if inner.name == name]


def _pass_error(element: Pass | Native, error: ir.MLIRError) -> PassError:
    """The first diagnostic of `error` only: its notes may hold the text of the whole module."""
    if not error.error_diagnostics:
        return PassError(element.argument, _FAILED)
    first = error.error_diagnostics[0]
    return PassError(
        element.argument, f"{_FAILED}: {first.message[:_LONGEST_MESSAGE]}", str(first.location)
    )


# From text


def parse(text: str) -> Pipeline:
    """The pipeline that `text` describes: `builtin.module(a,b)`, or `a,b` alone.

    Raises `ValueError` for text that is out of balance, and for passes and options that do not
    exist.
    """
    nodes = pipeline_parser.parse(text)
    if len(nodes) == 1 and nodes[0].name in (_MODULE, "any") and nodes[0].children is not None:
        nodes = nodes[0].children
    return Pipeline(_element(node, _MODULE) for node in nodes)


def lookup(name: str) -> type[Pass]:
    """Look up a pass written in Python by name, with or without `anvl-`.

    For an unknown name, raises an error that suggests the nearest name.
    """
    found = _find(name)
    if found is None:
        raise native.unknown_pass(name)
    return found


def exists(name: str) -> bool:
    """Whether a pipeline may name this pass: an anvl pass or a native one."""
    return _find(name) is not None or native.exists(name)


def _find(name: str) -> type[Pass] | None:
    return find(name) or (None if native.exists(name) else find(f"anvl-{name}"))


def _element(node: pipeline_parser.Node, anchor: str) -> Element:
    if node.children is not None:
        return _nest(node)
    if find(node.name) is None and native.exists(node.name):
        native.check(anchor, str(node))
        return Native(str(node))
    return lookup(node.name).from_text(node.options or "")


def _nest(node: pipeline_parser.Node) -> Nest:
    nest = Nest(node.name, tuple(_element(child, node.name) for child in node.children or ()))
    if nest.anchor == "any" and any(not isinstance(x, Native) for x in nest.elements):
        raise ValueError(
            f"{nest}: any(...) holds MLIR's own passes only; name the op, as in func.func(...)"
        )
    return nest


@lru_cache(maxsize=1024)
def _elements_of(text: str) -> tuple[Element, ...]:
    return parse(text).elements


def _flat(elements: Iterable[Element | str]) -> Iterator[Element]:
    for element in elements:
        if isinstance(element, str):
            yield from _elements_of(element)
        elif isinstance(element, (Pass, Native, Nest)):
            yield element
        else:
            raise TypeError(
                f"Pipeline: an element is a Pass or text, got {type(element).__name__} {element!r}"
            )
