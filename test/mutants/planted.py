"""Which functions are the rules of an op, and how one of them is made wrong while it is tested."""

import ast
import copy
import functools
import inspect
import re
import sys
import textwrap
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from operators import edits

from anvl.dialect.core.create import full_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import kind as kind_of
from anvl.passes.lower.lowering_patterns import expansions

__all__ = ["Bug", "bugs_of"]

RULES = (
    "adjoint", "tangent", "batch", "lower", "lift", "simplify", "fold", "operand_support",
    "result_support", "result_type", "pad_axes",
)  # fmt: skip
_DERIVATIVES = ("adjoint", "tangent")
#: What an op may not say of itself unless it is so; not to say it is slower, never wrong.
_FLAGS = ("diagonal", "preserves_zeros", "moves_elements", "linear")
_HOME = ("anvl.dialect.ops.", "anvl.dialect.core.create", "anvl.dialect.core.shape")
#: Helpers of all ops, which the tests of no single op are for.
_SHARED = {"anvl.dialect.core.create", "anvl.dialect.ops.elementwise.upcast"}
#: What refuses calls, and words its messages: the tables of constraints try these.
_NO_RULE = re.compile("_?check|_?remedy|_either|_refuse|_describe|_shape_without|sample$")
#: Lowerings for platforms without routines of their own.
_ELSEWHERE = {"anvl.dialect.ops.linalg.linalg_fallback", "anvl.dialect.ops.linalg.jacobi"}


@dataclass
class Bug:
    """One planted bug: of an op, in a function that serves some of its rules."""

    op: str
    rules: tuple[str, ...]
    kind: str
    where: str
    text: str
    home: str
    plant: Callable[[], Callable[[], None]] = field(repr=False, default=lambda: lambda: None)

    @property
    def name(self) -> str:
        """The same from run to run, wherever in its file the function stands."""
        return f"{self.op} {self.where} {self.kind}: {self.text}"

    @property
    def platform(self) -> str:
        """Where the planted code is lowered to."""
        return "elsewhere" if self.home in _ELSEWHERE else "cpu"

    @contextmanager
    def planted(self) -> Iterator[None]:
        """While inside, the rule is wrong."""
        undo = self.plant()
        self.forget()
        try:
            yield
        finally:
            undo()
            self.forget()

    def forget(self) -> None:
        """Let go of what was made by the rules as they were."""
        for op_class in OPS.values():
            op_class._plans.clear()
            for recipes in (op_class.recipes, op_class.tangent_recipes, op_class.batch_recipes):
                if recipes is not None:
                    recipes.clear()
        if set(self.rules) - {"adjoint", "tangent", "batch", "simplify", "fold", "pad_axes"}:
            expansions.cache_clear()
        for cached in _caches():
            cached.cache_clear()


@functools.cache
def _caches() -> list[Any]:
    found = []
    for name, module in list(sys.modules.items()):
        if name.startswith(_HOME) and name not in _SHARED:
            found += [v for v in vars(module).values() if hasattr(v, "cache_clear")]
    return found


def bugs_of(name: str) -> list[Bug]:
    """Every bug that is known to plant in the rules of an op."""
    op_class, found = OPS[name], []
    for function, rules in _functions(op_class).items():
        found += _in_function(name, function, tuple(rules))
    for i, through in enumerate(getattr(op_class, "passes", ())):
        if isinstance(through, types.FunctionType):
            found += _in_partial(name, op_class, i, through)
    found += _in_flags(name, op_class)
    if "fold" in RULES and op_class.has_rule("fold"):
        found += _in_fold(name, op_class)
    return _numbered(found)


def _numbered(found: list[Bug]) -> list[Bug]:
    seen: dict[str, int] = {}
    for bug in found:
        n = seen[bug.name] = seen.get(bug.name, 0) + 1
        if n > 1:
            bug.text += f" (#{n})"
    return found


# -- functions -------------------------------------------------------------------------------------


def _functions(op_class: Any) -> dict[types.FunctionType, list[str]]:
    """The functions of the dialect that serve the rules of an op, each with these rules."""
    found: dict[types.FunctionType, list[str]] = {}
    for rule in RULES:
        method = inspect.getattr_static(op_class, rule, None)
        function = getattr(method, "__func__", None)
        if isinstance(function, types.FunctionType):
            _follow(op_class, function, rule, found)
    return found


def _follow(op_class: Any, function: Any, rule: str, found: dict[Any, list[str]]) -> None:
    at_home = (
        function.__module__.startswith(_HOME) or function.__module__ == "anvl.dialect.core.families"
    )
    shared = function.__module__ in _SHARED and op_class.__module__ not in _SHARED
    if _NO_RULE.match(function.__name__):
        return
    if not at_home or shared or rule in found.get(function, ()) or _tree(function) is None:
        return
    found.setdefault(function, []).append(rule)
    for other in _referred(op_class, function):
        _follow(op_class, other, rule, found)


def _referred(op_class: Any, function: types.FunctionType) -> Iterator[types.FunctionType]:
    for cell in function.__closure__ or ():
        yield from _functions_in(cell.cell_contents, op_class.short_name)
    tree = _tree(function)
    made_by = {id(node) for d in getattr(tree, "decorator_list", ()) for node in ast.walk(d)}
    for node in ast.walk(tree):
        value = None
        if id(node) in made_by:  # what made the function has run
            continue
        if isinstance(node, ast.Name):
            value = function.__globals__.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "cls" and node.attr not in (*RULES, "build", "sample"):
                value = getattr(inspect.getattr_static(op_class, node.attr, None), "__func__", None)
        yield from _functions_in(value, op_class.short_name)


def _functions_in(value: Any, op: str) -> Iterator[types.FunctionType]:
    """The functions that a name stands for; of a table with a row for the op, those in its row."""
    value = inspect.unwrap(value) if callable(value) else value
    if isinstance(value, types.FunctionType):
        yield value
    elif isinstance(value, dict):
        rows = {op_class.short_name for op_class in OPS.values()} & value.keys()
        for part in [value[k] for k in value if k == op or k not in rows]:
            yield from _functions_in(part, op)
    elif (
        isinstance(value, type) and value.__module__.startswith(_HOME) and value not in OPS.values()
    ):
        for part in vars(value).values():
            yield from _functions_in(getattr(part, "__func__", part), op)


@functools.cache
def _definitions(path: str) -> list[Any]:
    """The functions and lambdas in a file; none in code that was made from a text."""
    if not Path(path).exists():
        return []
    tree = ast.parse(Path(path).read_text())
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda)]


@functools.cache
def _tree(function: types.FunctionType) -> Any:
    """The definition of a function, or its lambda; None where there is no one."""
    code = function.__code__
    matches = [node for node in _definitions(code.co_filename) if _is_of(node, code)]
    return matches[0] if len(matches) == 1 else None


def _is_of(node: Any, code: types.CodeType) -> bool:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    first = node.decorator_list[0] if getattr(node, "decorator_list", None) else node
    if code.co_name != name or code.co_firstlineno != first.lineno:
        return False
    if not isinstance(node, ast.Lambda):
        return True
    spans = [p for p in code.co_positions() if None not in p]
    body = node.body
    return (
        any(p[0] == body.lineno and p[2] == body.col_offset for p in spans)
        and all((p[0], p[2]) >= (node.lineno, node.col_offset) for p in spans if p[2])
        and all((p[1], p[3]) <= (node.end_lineno, node.end_col_offset) for p in spans if p[3])
    )


def _in_function(name: str, function: types.FunctionType, rules: Sequence[str]) -> Iterator[Bug]:
    tree = _tree(function)
    is_answer = function.__name__ in _DERIVATIVES
    for kind, node, wrong in edits(tree, is_answer):
        yield Bug(
            name,
            tuple(rules),
            kind,
            function.__qualname__,
            f"{_text(node)} -> {_text(wrong)}",
            function.__module__,
            partial(_plant_code, function, tree, node, wrong),
        )


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.If):
        return f"if {_text(node.test)}"
    if isinstance(node, ast.comprehension):
        return f"for {_text(node.target)} in {_text(node.iter)} if {_text(node.ifs[0])}"
    return textwrap.shorten(" ".join(ast.unparse(node).split()), 110, placeholder="...")


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().visit(node)


def _edited(tree: ast.AST, node: ast.AST, wrong: ast.AST) -> ast.AST:
    """A copy of a tree with one node replaced."""
    memo: dict[int, Any] = {}
    copied = copy.deepcopy(tree, memo)
    return _Replace(memo[id(node)], copy.deepcopy(wrong)).visit(copied)


def _plant_code(
    function: types.FunctionType, tree: ast.AST, node: ast.AST, wrong: ast.AST
) -> Callable[[], None]:
    right = function.__code__
    function.__globals__.update(_HELPERS)
    function.__code__ = _compiled(_edited(tree, node, wrong), function)
    return lambda: setattr(function, "__code__", right)


def _compiled(tree: Any, function: types.FunctionType) -> types.CodeType:
    free = function.__code__.co_freevars
    if isinstance(tree, ast.Lambda):
        tree = ast.Assign([ast.Name("__made", ast.Store())], tree)
    else:  # renamed: what it calls by its own name is the one of its module
        tree.decorator_list, tree.returns, tree.name = [], None, "__planted"
        made = ast.Name("__planted", ast.Load())
        tree = [tree, ast.Assign([ast.Name("__made", ast.Store())], made)]
    body = tree if isinstance(tree, list) else [tree]
    made = ast.Return(ast.Name("__made", ast.Load()))
    arguments = ast.arguments([], [ast.arg(n) for n in free], None, [], [], None, [])
    outer = ast.FunctionDef("__outer", arguments, [*body, made], [], None)
    module = ast.fix_missing_locations(ast.Module([outer], []))
    namespace: dict[str, Any] = {}
    exec(compile(module, "<planted>", "exec"), dict(function.__globals__), namespace)
    return namespace["__outer"](*[None] * len(free)).__code__


# -- partial derivatives, flags, folds -------------------------------------------------------------


def _in_partial(name: str, op_class: Any, i: int, function: types.FunctionType) -> Iterator[Bug]:
    tree = _tree(function)
    if tree is None:
        raise LookupError(f"{name}: no lambda found for its derivative {i}")
    where = f"passes[{i}]"
    for kind, node, wrong in edits(tree, True):
        if kind == "none":
            continue
        text = f"{_text(node)} -> {_text(wrong)}"
        plant = partial(_plant_code, function, tree, node, wrong)
        yield Bug(name, _DERIVATIVES, kind, where, text, name, plant)
    yield Bug(
        name,
        _DERIVATIVES,
        "none",
        where,
        "None",
        name,
        _setting(
            op_class, "passes", tuple(None if k == i else p for k, p in enumerate(op_class.passes))
        ),
    )


def _in_flags(name: str, op_class: Any) -> Iterator[Bug]:
    if not _is_asked(op_class):
        return
    for flag in filter(partial(hasattr, op_class), _FLAGS):
        # Of a diagonal op nothing asks whether it moves zeros; of others, whether it keeps them.
        unasked = "moves_elements" if op_class.diagonal else "preserves_zeros"
        if not getattr(op_class, flag) and flag != unasked:
            plant = _setting(op_class, flag, True)
            yield Bug(name, _DERIVATIVES, "mask", flag, "False -> True", name, plant)


def _is_asked(op_class: Any) -> bool:
    """Whether a derivative goes through an op: else nothing asks what it does to zeros."""
    takes_none = op_class.n_operands == 0 and not op_class.multiple_results
    count = op_class.n_operands or 1
    if len(op_class.undefined_of(count)) == count:
        return False
    return not (
        op_class.zero_derivative_reason
        or takes_none
        or not any(getattr(op_class, "passes", (True,)))
    )


def _in_fold(name: str, op_class: Any) -> Iterator[Bug]:
    right = op_class.fold

    def plus_one(*xs: Any, **params: Any) -> Any:
        y = np.asarray(right(*xs, **params))
        return ~y if y.dtype == bool else y + np.ones((), y.dtype)

    def first(*xs: Any, **params: Any) -> Any:
        return xs[0]

    for text, wrong in (("one more", plus_one), ("the first operand", first)):
        yield Bug(
            name,
            ("fold",),
            "fold",
            "fold",
            text,
            name,
            _setting(op_class, "fold", staticmethod(wrong)),
        )


def _setting(op_class: Any, name: str, wrong: Any) -> Callable[[], Callable[[], None]]:
    def plant() -> Callable[[], None]:
        own = name in vars(op_class)
        right = inspect.getattr_static(op_class, name)
        setattr(op_class, name, wrong)
        return lambda: setattr(op_class, name, right) if own else delattr(op_class, name)

    return plant


# -- what planted code calls -----------------------------------------------------------------------


def _answer(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def wrong(answer: Any) -> Any:
        if answer is None or isinstance(answer, ir.Value):
            return answer if answer is None else _of_number(f, answer)
        if isinstance(answer, list | tuple):
            return [wrong(part) for part in answer]
        if hasattr(answer, "masks"):
            answer.g = _of_number(f, answer.g)
            return answer
        return (lambda: wrong(answer())) if callable(answer) else answer

    return wrong


def _of_number(f: Callable[[Any], Any], x: Any) -> Any:
    return f(x) if kind_of(x.type.element_type) in ("float", "complex") else x


def _permuting(f: Callable[[list[int]], Sequence[int]]) -> Callable[[Any], Any]:
    return lambda permutation: tuple(int(i) for i in f(list(permutation)))


_HELPERS = {
    "_wrong_negated_answer": _answer(lambda g: emit.neg(g)),
    "_wrong_scaled_answer": _answer(lambda g: emit.mul(g, full_like(g, 1.01))),
    "_wrong_no_answer": lambda answer: None,
    "_wrong_inverse": _permuting(lambda p: np.argsort(p)),
    "_wrong_swapped": _permuting(lambda p: [*p[1::-1], *p[2:]] if len(p) > 1 else p),
    "_wrong_reversed": _permuting(lambda p: p[::-1]),
    "full_like": full_like,
}
