"""Simplification of a function: nothing twice, nothing unused, each op in its simplest form.

Numbers the values of a function from the first op to the last, and asks each op for its `simplify`.
Names no op.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.effects import all_dce_able
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp

__all__ = ["simplify"]

_NAME = "anvl-simplify"

# Note [Simplifying between expansions]
#
# The adjoint of an adjoint is three times as long as what it is made of, so what can go has to go
# before: a primal result that nobody asked for, a cotangent that is 1, the cosine that the sweep
# has made beside that of the program.  Afterwards is too late, since by then each of these has
# grown derivatives of its own.  So the engine of the declarations simplifies a function with a
# derivative in it before it makes another of it; programs with one derivative pay nothing.  Which
# functions these are is written on them, `anvl.derived`, since each pass expands its own kind.
#
# What comes out is the same to the bit, but for the sign of a NaN: people compare numbers, and a
# program must not change its own by being differentiated.  So there is no x * 0 = 0, wrong for
# infinity, and no x + 0 = x, wrong for -0.0.


def simplify(function: ir.Operation) -> None:
    """Simplify the body, of one block, of a function.  Handles to its ops are not good after."""
    block = function.regions[0].blocks[0]
    _settle_all(block)
    _drop_unused(block)


def _settle_all(block: ir.Block) -> None:
    simplifier = _Simplifier(block)
    for op in list(block.operations):
        simplifier.settle(op)


def _drop_unused(block: ir.Block) -> None:
    for op in reversed(list(block.operations)):
        if all_dce_able(type(op)) and not _is_used(op):
            op.operation.erase()


def _is_used(op: Any) -> bool:
    for y in op.results if op.multiple_results else (op.result,):
        for _ in y.uses:
            return True
    return False


class _Simplifier:
    """The ops of one block that have their simplest form, each by what it computes.

    An op that has a simpler one stays where it is, unused.
    """

    def __init__(self, block: ir.Block) -> None:
        self.known: dict[Any, Any] = {}
        #: The op that each value is a result of; None for arguments.
        self.makers: dict[ir.Value, Any] = dict.fromkeys(block.arguments)
        self.forms: dict[type, _Form] = {}

    def settle(self, op: Any, rounds: int = 0) -> Sequence[ir.Value]:
        """What has the values of the results of an op, which may be these results.

        `rounds` counts the rules that have led here.
        """
        form = self.forms.get(type(op)) or self._form(type(op))
        if form.several:
            results = tuple(op.results)
            self.makers.update(dict.fromkeys(results, op))
        else:
            results = (op.result,)
            self.makers[results[0]] = op
        if form.opaque:
            return results
        xs = tuple(op.operands)
        if form.rule is not None:
            found = self._ask(form.rule, op, xs)
            if found is not None:
                return [self._replaced(op, found, rounds)]
        known = self.known.setdefault(_key(form, op, xs, results), results)
        if known is not results:
            for y, other in zip(results, known, strict=True):
                y.replace_all_uses_with(other)
        return known

    def _form(self, rules: type) -> "_Form":
        form = self.forms[rules] = _form(rules)
        return form

    def _ask(self, rule: Callable[..., Any], op: Any, xs: Sequence[ir.Value]) -> Any:
        """What the op's own rule makes of it."""
        maker = self.makers.get
        try:
            params = op.read(op.operation) if op.params else {}
            found = rule(xs, [maker(x) for x in xs], **params)
            if found is None or isinstance(found, ir.Value):
                return found
            with op.location, ir.InsertionPoint(op):
                return found()
        except Exception as error:  # of a rule's author: it stays as it is, and says where
            if not getattr(error, "location", ""):
                error.location = str(op.location)  # type: ignore[attr-defined]
            raise

    def _replaced(self, op: Any, found: Any, rounds: int) -> ir.Value:
        """Put what a rule gave, in its simplest form, in place of an op."""
        if not isinstance(found, ir.Value) or found.type != op.result.type:
            given = found.type if isinstance(found, ir.Value) else repr(found)
            _refuse(op, f"gave {given} for {op.result.type}")
        if rounds == _MOST_ROUNDS:
            _refuse(op, "does not come to an end")
        simpler = self._settled(found, rounds + 1)
        op.result.replace_all_uses_with(simpler)
        return simpler

    def _settled(self, x: ir.Value, rounds: int) -> ir.Value:
        """A value in its simplest form, of ops that a rule may just have made."""
        if x in self.makers:
            return x
        op = x.owner
        for operand in list(op.operands):
            self._settled(operand, rounds)
        return self.settle(op, rounds)[list(op.results).index(x)]


_MOST_ROUNDS = 32


class _Form(NamedTuple):
    """What is true of all ops of a class.

    `opaque`: they are never shared; `several`: they may have any number of results.
    """

    rules: Any
    opaque: bool
    several: bool
    rule: Callable[..., Any] | None = None


def _form(rules: Any) -> _Form:
    if not issubclass(rules, AnvlOp):
        return _Form(rules, opaque=True, several=True)
    several = rules.multiple_results
    if not all_dce_able(rules) or rules.bodies:
        return _Form(rules, True, several)
    has_rule = rules.has_rule("simplify") and not several
    return _Form(rules, False, several, rules.simplify if has_rule else None)


def _key(form: _Form, op: Any, xs: Sequence[ir.Value], results: Sequence[ir.Value]) -> Any:
    """What is equal for two ops that compute the same."""
    rules = form.rules
    operands = frozenset(xs) if rules.commutative else xs
    if not rules.params and not len(op.attributes):
        return rules, operands
    try:
        attributes = tuple(op.attributes.items())
    except TypeError:  # the bindings have no class for constants of complex numbers
        return results
    # Some parameters are read off the types of the results.
    return rules, operands, attributes, tuple([y.type for y in results])


def _refuse(op: Any, what: str) -> None:
    problem = f"{op.operation.name}: its simplify rule {what}"
    raise PassError(_NAME, problem, str(op.operation.location))
