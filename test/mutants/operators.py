"""How a rule is made wrong in one way: edits of its syntax tree, each with the kind of bug it is.

    for kind, node, wrong in edits(tree):     `wrong` stands in the place of `node`

A kind is the mistake a person would make: a sign, a factor, a permutation, an axis, a term that is
missing, operands that change places, an attribute that is kept, a comparison, a condition, a
cotangent that is left out, a constant, padding that is not masked.
"""

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

__all__ = ["Edit", "edits"]

Edit: TypeAlias = tuple[str, ast.AST, ast.AST]

#: Attributes that say something of operands, or choose between two ways.
_HINTS = {
    "indices_are_sorted", "unique_indices", "is_stable", "left_side", "lower", "unit_diagonal",
    "reverse", "transpose_a", "descending",
}  # fmt: skip
_CLAIMS = {"indices_are_sorted", "unique_indices"}
_DIRECTIONS = {"GE": "GT", "GT": "GE", "LE": "LT", "LT": "LE", "EQ": "NE", "NE": "EQ"}
_OPPOSITE = {"GE": "LE", "GT": "LT", "LE": "GE", "LT": "GT"}
_OTHER_NAME = {
    "add": "multiply", "multiply": "add", "maximum": "minimum", "minimum": "maximum",
    "and": "or", "or": "and", "mul": "add", "subtract": "add",
}  # fmt: skip
_COMPARES: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
#: Calls whose operands may not change places, or where that changes nothing.
_ORDERLESS = {
    "add", "mul", "maximum", "minimum", "and_", "or_", "xor", "isinstance", "zip", "getattr",
    "dict", "enumerate", "map", "hasattr", "cast", "check_axes", "check_kind", "full", "full_like",
    "partial", "print", "super", "min", "max", "hlo", "and", "or", "_equal", "result_type", "_and",
    "_or", "_one_of", "both", "one_of", "masked", "widened", "reduced",
}  # fmt: skip


def edits(tree: ast.AST, of_answers: bool) -> Iterator[Edit]:
    """Each way to make a function or a lambda wrong; `of_answers`: also what it returns.

    Guards that raise are left alone: the tables of constraints try what they refuse.
    """
    for node in _visited(tree):
        for kind, wrong in _wrong(node):
            yield kind, node, wrong
    if of_answers:
        yield from _wrong_answers(tree)


def _visited(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes in which a bug would change what is computed."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "defaults", "kw_defaults"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_silent(child):
                continue
            yield child
            yield from _visited(child)


def _is_silent(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return any(isinstance(inner, ast.Raise) for inner in node.body)
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert)


def _wrong(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    make = _BY_TYPE.get(type(node))
    if make is not None:
        yield from make(node)


# -- calls -----------------------------------------------------------------------------------------


def name_of(call: ast.Call) -> str:
    f = call.func
    if isinstance(f, ast.Call) and isinstance(last := f.args[-1], ast.Constant):
        return str(last.value)  # getattr(emit, "and")
    return f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ""


def _of_call(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    name, args = name_of(call).rstrip("_"), call.args
    is_plain = len(args) > 0 and not any(isinstance(x, ast.Starred) for x in args)
    if is_plain and len(args) == _TERMS.get(name):
        yield from _of_terms(name, call)
    if is_plain and name in _OF_NAME:
        yield from _OF_NAME[name](call)
    is_check = name.lstrip("_").startswith("check")
    is_orderless = name in _ORDERLESS or _is_of_equals(call)
    are_alike = len(args) > 1 and ast.dump(args[0]) == ast.dump(args[1])
    if is_plain and len(args) > 1 and not (are_alike or is_orderless or is_check):
        yield "operands", _with_args(call, [args[1], args[0], *args[2:]])
    for i, keyword in enumerate(call.keywords):
        for kind, wrong in _of_keyword(keyword):
            yield kind, _with_keyword(call, i, wrong)


_TERMS = {"neg": 1, "add": 2, "sub": 2, "mul": 2, "div": 2, "times": 2, "select": 3, "one_minus": 1}


def _of_terms(name: str, call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    args = call.args
    if name == "neg":
        yield "sign", args[0]
    elif name == "one_minus":
        yield "term", args[0]
    elif name == "times":
        yield "factor", args[0]
    elif name == "select":
        yield "condition", _with_args(call, [args[0], args[2], args[1]])
        yield from (("term", x) for x in args[1:])
    else:
        yield from (("term", x) for x in args)
    if name in ("add", "sub"):
        yield "sign", _renamed(call, "sub" if name == "add" else "add")
    if name == "div":
        yield "factor", _renamed(call, "mul")


def _is_of_equals(call: ast.Call) -> bool:
    """Whether a call compares for equality, whose sides may change places."""
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(isinstance(x, ast.Constant) and x.value in ("EQ", "NE") for x in values)


def _of_permuted(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    yield "permutation", call.args[0]
    for i, keyword in enumerate(call.keywords):
        if keyword.arg == "permutation":
            for make in ("_wrong_inverse", "_wrong_swapped", "_wrong_reversed"):
                yield "permutation", _with_keyword(call, i, _call(make, keyword.value))
    if len(call.args) == 2:
        for make in ("_wrong_inverse", "_wrong_swapped", "_wrong_reversed"):
            yield "permutation", _with_args(call, [call.args[0], _call(make, call.args[1])])


def _of_reversed(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    yield "permutation", call.args[0]


def _of_sorted(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    if not call.keywords:
        yield "permutation", _call("list", call.args[0])


def _of_extreme(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    if len(call.args) > 1:
        yield "constant", _renamed(call, "max" if name_of(call) == "min" else "min")


def _of_zeros(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    yield "constant", _call("full_like", call.args[0], ast.Constant(1))


def _of_total(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    (parts,) = call.args
    for i in range(len(parts.elts)) if isinstance(parts, ast.List) else ():
        kept = ast.List([e for k, e in enumerate(parts.elts) if k != i], ast.Load())
        yield "term", _with_args(call, [kept])


def _of_masked(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    """Padding that is left as it is."""
    yield "padding", ast.Attribute(call.args[0], "value", ast.Load())


def _of_widened(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    """An operand that stays at its size; not to do what is `wanted` is to refuse it."""
    if "wanted" not in ast.unparse(call.args[1]):
        yield "padding", call.args[0]


_OF_NAME: dict[str, Callable[[ast.Call], Iterator[tuple[str, ast.AST]]]] = {
    "transpose": _of_permuted, "permuted": _of_permuted, "_permuted": _of_permuted,
    "reverse": _of_reversed, "sorted": _of_sorted, "reversed": _of_sorted, "min": _of_extreme,
    "max": _of_extreme, "zeros_like": _of_zeros, "add_tangents": _of_total, "masked": _of_masked,
    "widened": _of_widened,
}  # fmt: skip


def _of_keyword(keyword: ast.keyword) -> Iterator[tuple[str, ast.AST]]:
    value = keyword.value
    if keyword.arg in _HINTS:
        is_said = isinstance(value, ast.Constant) and value.value is True
        if not (is_said and keyword.arg in _CLAIMS):  # not to claim it is slower, never wrong
            yield "attribute", ast.UnaryOp(ast.Not(), value)
        if not is_said:
            yield "attribute", ast.Constant(True)
    if keyword.arg == "comparison_direction" and isinstance(value, ast.Constant):
        yield from _of_direction(value)


def _of_direction(value: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    for table in (_DIRECTIONS, _OPPOSITE):
        if value.value in table:
            yield "comparison", ast.Constant(table[value.value])


# -- everything else -------------------------------------------------------------------------------


def _of_binary(node: ast.BinOp) -> Iterator[tuple[str, ast.AST]]:
    other: dict[type, ast.operator] = {ast.Add: ast.Sub(), ast.Sub: ast.Add()}
    is_axis = any(isinstance(x, ast.Constant) for x in (node.left, node.right))
    kind = "axis" if is_axis else "term"
    yield kind, node.left
    if type(node.op) in other and not isinstance(node.left, ast.Tuple | ast.List):
        yield "axis" if is_axis else "sign", ast.BinOp(node.left, other[type(node.op)], node.right)


def _of_unary(node: ast.UnaryOp) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.op, ast.USub):
        yield "sign", node.operand
    if isinstance(node.op, ast.Not):
        yield "condition", node.operand


def _of_bool(node: ast.BoolOp) -> Iterator[tuple[str, ast.AST]]:
    yield from (("condition", value) for value in node.values)


def _of_compare(node: ast.Compare) -> Iterator[tuple[str, ast.AST]]:
    if len(node.ops) == 1:
        yield (
            "condition",
            ast.Compare(node.left, [_COMPARES[type(node.ops[0])]()], node.comparators),
        )


def _of_choice(node: ast.IfExp) -> Iterator[tuple[str, ast.AST]]:
    yield "condition", ast.IfExp(node.test, node.orelse, node.body)


def _of_if(node: ast.If) -> Iterator[tuple[str, ast.AST]]:
    yield "condition", ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


def _of_constant(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    value = node.value
    if type(value) is int:
        yield "axis", ast.Constant(value + 1)
        if value > 0:
            yield "axis", ast.Constant(value - 1)
    elif type(value) is float:
        yield "factor", ast.Constant(value * 1.01 if value else 0.01)
    elif value in _DIRECTIONS:
        yield from _of_direction(node)
    elif value in _OTHER_NAME:
        yield "constant", ast.Constant(_OTHER_NAME[value])


def _of_sequence(node: ast.Tuple | ast.List) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.ctx, ast.Load) and len(node.elts) > 1:
        first, second, *rest = node.elts
        if ast.dump(first) != ast.dump(second):
            yield "permutation", type(node)([second, first, *rest], ast.Load())


def _of_comprehension(node: ast.comprehension) -> Iterator[tuple[str, ast.AST]]:
    if node.ifs:
        ifs = [ast.UnaryOp(ast.Not(), node.ifs[0]), *node.ifs[1:]]
        yield "condition", ast.comprehension(node.target, node.iter, ifs, node.is_async)


_BY_TYPE: dict[type, Callable[..., Iterator[tuple[str, ast.AST]]]] = {
    ast.Call: _of_call, ast.BinOp: _of_binary, ast.UnaryOp: _of_unary, ast.BoolOp: _of_bool,
    ast.Compare: _of_compare, ast.IfExp: _of_choice, ast.If: _of_if, ast.Constant: _of_constant,
    ast.Tuple: _of_sequence, ast.List: _of_sequence, ast.comprehension: _of_comprehension,
}  # fmt: skip


# -- answers ---------------------------------------------------------------------------------------


def _is_refusal(value: ast.AST) -> bool:
    """Whether an answer is a call of what raises."""
    return isinstance(value, ast.Call) and name_of(value).lstrip("_") in ("refuse", "missing")


def _wrong_answers(tree: ast.AST) -> Iterator[Edit]:
    """Of a derivative: its sign, a factor of 1.01, and none where there is one."""
    if isinstance(tree, ast.Lambda):
        for kind, make in _ANSWERS:
            yield kind, tree.body, _call(make, tree.body)
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        many = isinstance(node.value, ast.List | ast.Tuple)
        for value in node.value.elts if many else [node.value]:
            if isinstance(value, ast.Constant | ast.Starred) or _is_refusal(value):
                continue
            for kind, make in _ANSWERS:
                yield kind, value, _call(make, value)


_ANSWERS = (
    ("sign", "_wrong_negated_answer"),
    ("factor", "_wrong_scaled_answer"),
    ("none", "_wrong_no_answer"),
)


# -- building --------------------------------------------------------------------------------------


def _call(name: str, *args: ast.AST) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _with_args(call: ast.Call, args: Sequence[ast.AST]) -> ast.Call:
    return ast.Call(call.func, list(args), call.keywords)


def _with_keyword(call: ast.Call, i: int, value: ast.AST) -> ast.Call:
    keywords = list(call.keywords)
    keywords[i] = ast.keyword(keywords[i].arg, value)
    return ast.Call(call.func, call.args, keywords)


def _renamed(call: ast.Call, name: str) -> ast.Call:
    func = copy.copy(call.func)
    if isinstance(func, ast.Attribute):
        func.attr = name
    elif isinstance(func, ast.Name):
        func.id = name
    return ast.Call(func, call.args, call.keywords)
