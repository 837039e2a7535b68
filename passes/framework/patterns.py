"""Patterns: rewrites of ops of one class, applied until none matches.

    @pattern(Transpose, benefit=2)
    def merge_transposes(op):
        inner = made_by(op.operands[0], Transpose)
        return None if inner is None else ...  # the value that replaces `op`

    apply_patterns(module, [merge_transposes, Pdl("pdl.pattern : benefit(1) { ... }")])

MLIR's greedy driver does the work.  Its sets hold patterns in Python or in PDL, not both, so two
sets run in turns.
"""

import collections
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from anvl.dialect.core.create import number_of
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir, rewrite
from anvl.passes.framework.erasure import check_erasures

__all__ = ["Pattern", "Pdl", "apply_patterns", "constant_of", "made_by", "pattern"]

#: Rewrites of one run: more, for each op that was there at first, are taken for a loop.
_REWRITES_PER_OP = 100

_Rewrite: TypeAlias = Callable[[Any], Any]


class _OpClass(Protocol):
    """A class of `OPS`, or a view of MLIR's."""

    OPERATION_NAME: str


@dataclass(frozen=True)
class Pattern:
    """A rewrite of ops of some classes, made by `pattern`; the larger benefit is tried first."""

    ops: tuple[str, ...]
    rewrite: _Rewrite
    benefit: int = 1

    @property
    def name(self) -> str:
        return getattr(self.rewrite, "__name__", str(self.rewrite))

    def __call__(self, op: Any) -> Any:
        """What the function gives for `op`."""
        return self.rewrite(op)


@dataclass(frozen=True)
class Pdl:
    """Patterns in PDL: the text of one or more `pdl.pattern`, each with its benefit.

    They rename and rearrange ops ten times as fast as Python, and compute nothing.
    """

    text: str


def pattern(*ops: _OpClass | str, benefit: int = 1) -> Callable[[_Rewrite], Pattern]:
    """A function of an op as a pattern: it gives what replaces the op, or None for no match.

    `ops` are the classes of the ops, or their names.  The function emits new ops, which get the
    place and the location of `op`, and gives a value for each result: one value, a list, or `op`
    itself if it changed `op` in place.

    Parameters
    ----------
    *ops : op classes or str
    benefit : int
        The larger is tried first.

    Returns
    -------
    A decorator of a function of an op, which gives a `Pattern`.

    Examples
    --------
    >>> from anvl.dialect import OPS
    >>> from anvl.passes import pattern
    >>> @pattern("anvl.neg")
    ... def twice(op):
    ...     inner = op.operands[0].owner
    ...     return inner.operands[0] if inner.name == "anvl.neg" else None
    >>> twice.benefit
    1
    """
    names = tuple(_name_of(op) for op in ops)
    if not names:
        raise TypeError("pattern: names no op; write @pattern(Transpose)")
    if isinstance(benefit, bool) or not isinstance(benefit, int) or not 0 <= benefit < 2**16 - 1:
        raise TypeError(f"pattern: benefit is {benefit!r}; it must be an integer from 0 to 65534")

    def made(function: _Rewrite) -> Pattern:
        try:
            inspect.signature(function).bind(None)
        except TypeError:
            raise TypeError(
                f"pattern: {getattr(function, '__name__', function)} must take one argument, the op"
            ) from None
        return Pattern(names, function, benefit)

    return made


def _name_of(op: Any) -> str:
    name = op if isinstance(op, str) else getattr(op, "OPERATION_NAME", None)
    if not isinstance(name, str) or "." not in name:
        raise TypeError(
            f"pattern: {op!r} is no op; give a class of anvl.dialect.OPS, or a name with its "
            "dialect, as in 'anvl.transpose'"
        )
    return name


def made_by(x: ir.Value, op_class: Any) -> Any:
    '''The op of this class that makes `x`, or None.

    Parameters
    ----------
    x : ir.Value
    op_class : op class

    Returns
    -------
    The op, a view of its class; or None.

    Examples
    --------
    >>> from anvl.dialect import OPS, parse
    >>> from anvl.passes import made_by
    >>> module = parse("""
    ... func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    ...   %c = "anvl.constant"() {value = dense<2.0> : tensor<3xf32>} : () -> tensor<3xf32>
    ...   %y = "anvl.mul"(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ...   return %y : tensor<3xf32>
    ... }
    ... """)
    >>> y = module.body.operations[0].regions[0].blocks[0].operations[2].operands[0]
    >>> made_by(y, OPS["anvl.mul"]) is not None, made_by(y, OPS["anvl.add"])
    (True, None)
    '''
    maker = x.owner
    if not isinstance(maker, ir.Block):
        view = maker.opview
        if view.operation.name == op_class.OPERATION_NAME:
            return view
    return None


def constant_of(x: ir.Value) -> int | float | bool | None:
    '''The number that each element of `x` is, if a constant makes it; no complex number.

    Parameters
    ----------
    x : ir.Value

    Returns
    -------
    int, float, bool or None

    Examples
    --------
    >>> from anvl.dialect import parse
    >>> from anvl.passes import constant_of
    >>> module = parse("""
    ... func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    ...   %c = "anvl.constant"() {value = dense<2.0> : tensor<3xf32>} : () -> tensor<3xf32>
    ...   %y = "anvl.mul"(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ...   return %y : tensor<3xf32>
    ... }
    ... """)
    >>> y = module.body.operations[0].regions[0].blocks[0].operations[2].operands[0]
    >>> constant_of(y.owner.operands[1]), constant_of(y)
    (2.0, None)
    '''
    maker = x.owner
    return None if isinstance(maker, ir.Block) else number_of(maker.opview)


def apply_patterns(root: ir.Operation, patterns: Iterable[Pattern | Pdl]) -> int:
    '''Apply patterns inside `root` until none matches; return how many rewrites Python made.

    New ops are rewritten too, and pure ops without uses erased; constants are not folded, for which
    there is `canonicalize`.  Every handle into `root` is invalid afterwards.

    Raises `PassError` for a pattern that gives what cannot replace its op, and for patterns that
    undo each other; what a function raises arrives unchanged.

    Parameters
    ----------
    root : ir.Operation
    patterns : iterable of Pattern or Pdl

    Returns
    -------
    int

    Examples
    --------
    >>> from anvl.dialect import emit, parse
    >>> from anvl.passes import apply_patterns, pattern
    >>> module = parse("""
    ... func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    ...   %c = "anvl.constant"() {value = dense<2.0> : tensor<3xf32>} : () -> tensor<3xf32>
    ...   %y = "anvl.mul"(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ...   return %y : tensor<3xf32>
    ... }
    ... """)
    >>> @pattern("anvl.mul")
    ... def as_sum(op):
    ...     return emit.add(op.operands[0], op.operands[1])
    >>> apply_patterns(module.operation, [as_sum])
    1
    >>> "anvl.add" in str(module)
    True
    '''
    given = list(patterns)
    for one in given:
        if not isinstance(one, Pattern | Pdl):
            raise TypeError(f"apply_patterns: {one!r} is no pattern; write @pattern(...) above it")
    check_erasures()
    run = _Run(limit=_REWRITES_PER_OP * (_count(root) + 1))
    in_python = [one for one in given if isinstance(one, Pattern)]
    texts = [one.text for one in given if isinstance(one, Pdl)]
    with root.context, ir.Location.unknown():
        pdl = _pdl_set(texts) if texts else None
        python = _python_set(in_python, run) if in_python else None
        changed = True
        while changed:
            before = run.total
            if pdl is not None:
                run.drive(root, pdl)
            if python is not None:
                run.drive(root, python)
            changed = pdl is not None and run.total > before
    return run.total


class _Run:
    """One application: it counts, so that patterns that undo each other end."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.counts: collections.Counter[str] = collections.Counter()
        self.total = 0

    def count(self, name: str, op: Any) -> None:
        self.counts[name] += 1
        self.total += 1
        if self.total > self.limit:
            (first, n), *rest = self.counts.most_common(2)
            among = "".join(f", {other} {m}" for other, m in rest)
            raise PassError(
                first,
                f"the patterns do not end: {first} has rewritten {n} times{among}; let each make "
                "something simpler, which none of the others undoes",
                str(op.location),
            )

    def drive(self, root: ir.Operation, patterns: Any) -> None:
        config = rewrite.GreedyRewriteConfig()
        config.enable_folding = False
        config.region_simplification_level = rewrite.GreedySimplifyRegionLevel.DISABLED
        config.max_iterations = config.max_num_rewrites = self.limit + 1
        try:
            rewrite.apply_patterns_and_fold_greedily(root, patterns, config)
        except RuntimeError as error:
            if "failed to converge" not in str(error):
                raise
            raise PassError(
                "apply_patterns", f"the patterns do not end: {self.limit} rewrites were made"
            ) from None


def _count(root: ir.Operation) -> int:
    n = 0

    def visit(_: ir.Operation) -> ir.WalkResult:
        nonlocal n
        n += 1
        return ir.WalkResult.ADVANCE

    root.walk(visit)
    return n


def _pdl_set(texts: Sequence[str]) -> Any:
    try:
        module = ir.Module.parse("\n".join(texts))
    except ir.MLIRError as error:
        first = error.error_diagnostics[0] if error.error_diagnostics else error
        where = str(getattr(first, "location", "")).removeprefix('loc("-":').removesuffix(")")
        message = getattr(first, "message", str(first))
        raise ValueError(f"Pdl: line:column {where}: {message}") from None
    frozen = rewrite.PDLModule(module).freeze()  # the module lives until here: Hazard 14
    del module
    return frozen


def _python_set(patterns: Sequence[Pattern], run: _Run) -> Any:
    made = rewrite.RewritePatternSet()
    for one in patterns:
        for name in one.ops:
            made.add(name, _callback(one, run), one.benefit)
    return made.freeze()


def _callback(one: Pattern, run: _Run) -> Callable[[Any, Any], bool]:
    def rewrite_op(op: Any, rewriter: Any) -> bool:
        """Whether the pattern does not match, by MLIR's convention."""
        with op.location, rewriter.ip:
            found = one.rewrite(op)
        if found is None:
            return True
        run.count(one.name, op)
        if found is not op:
            rewriter.replace_op(op, _replacement(one.name, op, found))
        return False

    return rewrite_op


def _replacement(name: str, op: Any, found: Any) -> list[ir.Value]:
    """The values that `found` stands for, each of the type of the result that it replaces."""
    values = list(found) if isinstance(found, list | tuple) else [found]
    shown = [str(v.type) if isinstance(v, ir.Value) else repr(v) for v in values]
    wanted = [str(y.type) for y in op.results]
    if shown != wanted or not all(isinstance(v, ir.Value) for v in values):
        raise PassError(
            name,
            f"the pattern gives {', '.join(shown) or 'nothing'} in place of "
            f"{op.operation.name}, whose results are {', '.join(wanted) or 'none'}",
            str(op.location),
        )
    return values
