"""Simplification of a function: nothing twice, nothing unused, each op in its simplest form.

Value-numbers a function from the first op to the last, and applies the `simplify` rule of each op.
Names no op.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.effects import all_dce_able
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp
from anvl.passes.functions.dce import erase_unused

__all__ = ["simplify"]

_NAME = "anvl-simplify"

# Note [Simplifying between expansions]
#
# The adjoint of an adjoint is three times as long as its primal, so dead and duplicate ops have to
# be removed first: an unused primal result, a cotangent that is 1, the cosine that the sweep
# emitted beside that of the program.  Afterwards is too late, since by then each of these has
# derivatives of its own.  So the engine of the declarations simplifies a function that contains a
# derivative before it differentiates it again; programs with one derivative pay nothing.  Such
# functions are marked with `anvl.derived`, since each pass expands its own kind.
#
# The result is the same to the bit, except for the sign of a NaN: users compare numbers, and
# differentiating a program must not change its values.  So there is no x * 0 = 0, wrong for
# infinity, and no x + 0 = x, wrong for -0.0.


def simplify(function: ir.Operation) -> None:
    """Simplify a function of one block.  Invalidates all handles to its ops."""
    block = function.regions[0].blocks[0]
    _simplify_block(block)
    erase_unused(block, lambda op: all_dce_able(type(op)))


def _simplify_block(block: ir.Block) -> None:
    simplifier = _Simplifier(block)
    for op in list(block.operations):
        simplifier.settle(op)


class _Simplifier:
    """Table of the ops of one block in simplest form, keyed by the computed expression.

    An op that was replaced by a simpler one stays in place, unused.
    """

    def __init__(self, block: ir.Block) -> None:
        self.known: dict[Any, Any] = {}
        #: The defining op of each value; None for arguments.
        self.makers: dict[ir.Value, Any] = dict.fromkeys(block.arguments)
        self.forms: dict[type, _Form] = {}

    def settle(self, op: Any, rounds: int = 0) -> Sequence[ir.Value]:
        """Return values equal to the results of an op in simplest form, perhaps the results.

        `rounds` counts the simplifications applied so far.
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
        """Apply the `simplify` rule of an op; return its answer, emitted, or None."""
        maker = self.makers.get
        try:
            params = op.read(op.operation) if op.params else {}
            found = rule(xs, [maker(x) for x in xs], **params)
            if found is None or isinstance(found, ir.Value):
                return found
            with op.location, ir.InsertionPoint(op):
                return found()
        except Exception as error:  # a bug in a user's rule: passes through, with the location
            if not getattr(error, "location", ""):
                error.location = str(op.location)  # type: ignore[attr-defined]
            raise

    def _replaced(self, op: Any, found: Any, rounds: int) -> ir.Value:
        """Replace an op by the answer of a rule, in its simplest form."""
        if not isinstance(found, ir.Value) or found.type != op.result.type:
            given = found.type if isinstance(found, ir.Value) else repr(found)
            _refuse(op, f"gave {given} for {op.result.type}")
        if rounds == _MOST_ROUNDS:
            _refuse(op, "does not terminate")
        simpler = self._simplest_form(found, rounds + 1)
        op.result.replace_all_uses_with(simpler)
        return simpler

    def _simplest_form(self, x: ir.Value, rounds: int) -> ir.Value:
        """Simplest form of a value whose defining ops a rule may just have emitted."""
        if x in self.makers:
            return x
        op = x.owner
        for operand in list(op.operands):
            self._simplest_form(operand, rounds)
        return self.settle(op, rounds)[list(op.results).index(x)]


_MOST_ROUNDS = 32


class _Form(NamedTuple):
    """Properties of all ops of a class.

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
    """Value-numbering key: equal for two ops that compute the same."""
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
