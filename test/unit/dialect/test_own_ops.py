"""Ops of one's own: a dialect of one's own, defined at any time, in every pass."""

import sys
import threading
from types import ModuleType

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import prim
from anvl.dialect import parse
from anvl.dialect.core.create import full_like
from anvl.dialect.core.definition import op_checks
from anvl.dialect.core.dialect import irdl_text, own_dialects
from anvl.dialect.core.errors import MissingRule, PassError
from anvl.dialect.core.families import Linear
from anvl.dialect.core.mlir import _cext, ir
from anvl.dialect.core.op import AnvlOp, Operand, Operands, Result, emit
from anvl.dialect.core.op_registry import MAYBE_RULES, OPS, RULES
from anvl.dialect.core.params.base import Body, Bool, Float, Int, Text
from anvl.dialect.ops.elementwise.table import F, binary, unary
from anvl.passes.framework.pipeline import Pipeline

X = np.array([0.3, -1.2, 2.0])


pytestmark = pytest.mark.usefixtures("own_ops")


@pytest.fixture(autouse=True)
def context_is_there():
    """What the tests define comes late."""
    anvl.trace(anp.sin, 1.0)


def test_a_line_of_the_table_in_every_pass():
    unary("mine.twice_sin", lambda x: emit.mul(emit.sin(x), full_like(x, 2)), F, _twice_cos)
    twice_sin = prim.mine.twice_sin
    assert np.allclose(twice_sin(X), 2 * np.sin(X))
    assert np.allclose(anvl.jit(lambda x: twice_sin(x))(X), 2 * np.sin(X))
    slope = anvl.grad(lambda x: anp.sum(twice_sin(x)))
    assert np.allclose(slope(X), 2 * np.cos(X))
    assert np.allclose(anvl.grad(lambda x: anp.sum(slope(x)))(X), -2 * np.sin(X))
    graph = anvl.trace(lambda x: twice_sin(x), X)
    assert "%1: f64[3] = mine.twice_sin(%x1)" in str(graph)
    assert '"mine.twice_sin"(%x)' in graph.mlir()
    parse(graph.mlir()).operation.verify()


def _twice_cos(g, x, y):
    return emit.mul(g, emit.mul(emit.cos(x), full_like(x, 2)))


def test_a_line_that_is_a_rename_and_one_of_two_operands():
    unary("mine.tanh", "tanh", F, lambda g, x, y: emit.sub(g, emit.mul(g, emit.mul(y, y))))
    binary("mine.arctan2", "atan2", F, None, None)
    assert np.allclose(prim.mine.tanh(X), np.tanh(X))
    assert np.allclose(prim.mine.arctan2(X, X + 1), np.arctan2(X, X + 1))
    text = anvl.jit(lambda x: prim.mine.tanh(x)).lower(X).mlir("stablehlo")
    assert "stablehlo.tanh" in text and "mine." not in text


def _polar():
    class PolarOp(AnvlOp, name="mine.polar"):
        """Length and angle."""

        x: Operand
        y: Operand
        scale: Float
        r: Result
        angle: Result

        @classmethod
        def result_type(cls, x, y, scale):
            return [x, y]

        @classmethod
        def lower(cls, hlo, x, y, scale):
            r = emit.sqrt(emit.add(emit.mul(x, x), emit.mul(y, y)))
            return [emit.mul(r, full_like(r, scale)), emit.atan2(y, x)]

    return PolarOp


def test_several_results_and_a_parameter():
    op_class = _polar()
    r, angle = prim.primitive(op_class)(X, X + 1, scale=2)
    assert np.allclose(r, 2 * np.hypot(X, X + 1)) and np.allclose(angle, np.arctan2(X + 1, X))
    graph = anvl.trace(lambda x: prim.mine.polar(x, x, scale=0.5)[1], X)
    assert "%1: f64[3], %2: f64[3] = mine.polar [scale = 0.5] (%x1, %x1)" in str(graph)
    with pytest.raises(
        MissingRule, match=r"it has no `adjoint` rule; define it on PolarOp in .*test_own"
    ):
        anvl.grad(lambda x: anp.sum(prim.mine.polar(x, x, scale=0.5)[1]))(X)


def test_views_of_its_ops_cost_no_failing_import():
    _polar()
    assert _cext.globals._check_dialect_module_loaded("mine")


def test_irdl_of_its_dialect():
    _polar()
    assert "irdl.operation @polar" in irdl_text("mine")
    assert "mine" in own_dialects()
    assert "@polar" not in irdl_text()


def test_a_file_that_postpones_annotations(monkeypatch):
    source = (
        "from __future__ import annotations\n"
        "from anvl.dialect.core.families import Linear\n"
        "from anvl.dialect.core.op import Operand, Result\n"
        "from anvl.dialect.core.params.base import Int\n"
        "class LaterOp(Linear, name='mine.later'):\n"
        "    x: Operand\n"
        "    axis: Int\n"
        "    y: Result\n"
        "    @classmethod\n"
        "    def result_type(cls, x, axis): return x\n"
        "    @classmethod\n"
        "    def lower(cls, hlo, x, axis): return x\n"
    )
    module = ModuleType("somebodys")
    monkeypatch.setitem(sys.modules, "somebodys", module)
    exec(source, vars(module))
    assert list(OPS["mine.later"].params) == ["axis"]
    assert np.allclose(prim.mine.later(X, axis=0), X)
    with pytest.raises(TypeError, match="LaterOp: its fields cannot be read, name 'Int' is not"):
        del module.Int
        exec(source.replace("from anvl.dialect.core.params.base import Int\n", ""), vars(module))


# What is refused where a class is defined


def _define(name="mine.refused", base=AnvlOp, **body):
    fields = {"x": Operand, "y": Result, **body.pop("fields", {})}
    rules = {"result_type": classmethod(lambda cls, x: x), **body}
    kept = {key: value for key, value in rules.items() if value is not None}
    return type("RefusedOp", (base,), {"__annotations__": fields, **kept}, name=name)


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"name": "cycle"}, ValueError, r'cycle: the name of a user-defined op .*name="my.cycle"'),
        ({"name": "arith.cycle"}, ValueError, "MLIR has a dialect named arith already"),
        ({"name": "stablehlo.cycle"}, ValueError, "MLIR has a dialect named stablehlo already"),
        ({"name": "anvl.cycle"}, ValueError, "MLIR has a dialect named anvl already"),
        ({"name": "sum.cycle"}, ValueError, "anvl has an op named sum; choose another word"),
        ({"name": "sort.cycle"}, ValueError, "anvl has an op named sort; choose another word"),
        ({"name": "mine.a.b"}, ValueError, "must be two words of lowercase letters"),
        ({"name": "mine."}, ValueError, "must be two words of lowercase letters"),
        ({"name": "mine.Cycle"}, ValueError, "must be two words of lowercase letters"),
        ({"name": "my dialect.cycle"}, ValueError, "must be two words of lowercase letters"),
        ({"fields": {"W": Operand}}, TypeError, "field `W`: the name of a field must be a word"),
        ({"fields": {"_w": Int}}, TypeError, "field `_w`: the name of a field must be a word"),
        (
            {"fields": {"lambda": Int}},
            TypeError,
            "field `lambda`: the name of a field must be a word",
        ),
        ({"fields": {"build": Operand}}, TypeError, "field `build`: every op has an attribute"),
        ({"fields": {"results": Result}}, TypeError, "field `results`: every op has an attribute"),
        ({"fields": {"bodies": Int}}, TypeError, "field `bodies`: every op has an attribute"),
        ({"result_type": None}, TypeError, "has no `result_type` rule, so it cannot be built"),
        ({"result_type": lambda x: x}, TypeError, "`result_type` is not a classmethod"),
        ({"fields": {"axis": int}}, TypeError, "field `axis` is int; it must be Operand"),
        ({"fields": {"f": Body}}, TypeError, "has the body `f`, but no rule `body_types`"),
        (
            {"fields": {"f": Body}, "body_types": classmethod(lambda cls: [])},
            TypeError,
            r"`body_types` takes .*, but is called with \(cls, x\)",
        ),
        ({"fields": {"a": Operands, "b": Operands}}, TypeError, "fields a, b are all Operands"),
        ({"fields": {"axis": Int}}, TypeError, r"`result_type` takes .*axis=\): got an unexpected"),
        (
            {"adjoint": classmethod(lambda cls, g, x, y, extra: [g])},
            TypeError,
            r"`adjoint` takes \(cls, g, x, y, extra\), but is called with \(cls, g, xs, y\): miss",
        ),
        ({"batch": classmethod(lambda cls, xs: xs[0])}, TypeError, "`batch` takes"),
        ({"pad_axes": classmethod(lambda cls, xs: xs[0])}, TypeError, "`pad_axes` takes"),
        ({"sample": classmethod(lambda cls: [])}, TypeError, "`sample` takes"),
        (
            {"hlo": "sine", "lower": classmethod(lambda cls, hlo, x: x)},
            TypeError,
            "says `hlo = 'sine'` and defines `lower`, which lowering would not ask",
        ),
    ],
)
def test_a_class_that_cannot_work(changes, error, message):
    with pytest.raises(error, match=message):
        _define(**changes)
    assert "mine.refused" not in OPS
    assert "@refused" not in (irdl_text("mine") if "mine" in own_dialects() else "")


def test_a_family_of_ones_own():
    with pytest.raises(TypeError, match="Rows: field `axis` is int; it must be"):

        class Rows(AnvlOp):
            x: Operand
            axis: int

    class Scaled(AnvlOp):
        """x times a number that each op has."""

        x: Operand
        y: Result

        by = 1.0

        @classmethod
        def result_type(cls, x):
            return x

        @classmethod
        def lower(cls, hlo, x):
            return emit.mul(x, full_like(x, cls.by))

    class DoubledOp(Scaled, name="mine.doubled"):
        by = 2.0

    class HalvedOp(Scaled, name="mine.halved"):
        by = 0.5

    assert np.allclose(prim.mine.doubled(prim.mine.halved(X)), X)
    assert np.allclose(prim.primitive(HalvedOp)(X), X / 2)
    assert np.allclose(prim.primitive(DoubledOp)(X), X * 2)


def test_a_refused_class_can_be_defined_well_after():
    with pytest.raises(TypeError):
        _define(name="mine.mended", result_type=None)
    _define(name="mine.mended", hlo="sine")
    assert np.allclose(prim.mine.mended(X), np.sin(X))


def test_the_rules_of_our_ops_would_pass():
    for op_class in OPS.values():
        if not op_class.bodies:  # which a type rule does not get
            op_checks.check_rules(op_class, [*RULES, *MAYBE_RULES])


# A second time


def test_a_class_defined_again_takes_the_place_of_the_first():
    for factor in (2.0, 3.0):
        unary("mine.times", lambda x, f=factor: emit.mul(x, full_like(x, f)), F, None)
        assert np.allclose(prim.mine.times(X), factor * X)
        assert np.allclose(anvl.jit(lambda x: prim.mine.times(x))(X), factor * X)


def test_fields_cannot_change():
    _define(name="mine.fixed", hlo="sine")
    with pytest.raises(TypeError, match=r"mine\.fixed: is defined again with other operands"):
        _define(
            name="mine.fixed", fields={"z": Operand}, result_type=classmethod(lambda cls, x, z: x)
        )
    assert np.allclose(prim.mine.fixed(X), np.sin(X))


def test_two_classes_cannot_have_one_name():
    _define(name="mine.one", hlo="sine")
    with pytest.raises(ValueError, match=r"mine\.one: two ops have this name, .*RefusedOp and"):

        class OtherOp(Linear, name="mine.one"):
            x: Operand
            y: Result

            @classmethod
            def result_type(cls, x):
                return x


def test_threads_may_define_ops_at_once():
    def define(i):
        unary(f"mine.threaded{i}", "sine", F, None)

    threads = [threading.Thread(target=define, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(8):
        assert np.allclose(prim.primitive(f"mine.threaded{i}")(X), np.sin(X))


# What rules give


@pytest.mark.parametrize(
    "given, message",
    [
        (lambda cls, x: 3, r"mine\.typed: `result_type` gives 3, which is not an MLIR type"),
        (lambda cls, x: None, r"mine\.typed: `result_type` gives None, which is not an MLIR type"),
        (lambda cls, x: [x], r"mine\.typed: `result_type` gives \[.*\], which is not an MLIR type"),
    ],
)
def test_a_type_rule_that_gives_no_type(given, message):
    _define(name="mine.typed", result_type=classmethod(given))
    with pytest.raises(TypeError, match=message):
        prim.mine.typed(X)
    with pytest.raises(ir.MLIRError, match=message):
        _parsed("mine.typed")


def test_a_type_rule_of_several_results():
    fields = {"z": Result}
    _define(name="mine.several", fields=fields, result_type=classmethod(lambda cls, x: x))
    with pytest.raises(TypeError, match="but the op has several results; return a list of types"):
        prim.mine.several(X)
    _define(name="mine.several", fields=fields, result_type=classmethod(lambda cls, x: [x]))
    with pytest.raises(TypeError, match="gives 1 types, but the op has 2 results"):
        prim.mine.several(X)


def test_an_error_in_a_type_rule_reaches_the_person_and_not_mlir():
    _define(name="mine.broken", result_type=classmethod(lambda cls, x: [][1]))
    with pytest.raises(IndexError):
        prim.mine.broken(X)
    with pytest.raises(
        ir.MLIRError, match=r"mine\.broken: `result_type` raised IndexError: list.*py"
    ):
        _parsed("mine.broken")


def _parsed(name):
    return parse(
        "func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {\n"
        f'  %0 = "{name}"(%x) : (tensor<3xf64>) -> tensor<3xf64>\n'
        "  return %0 : tensor<3xf64>\n}"
    )


def test_an_error_in_a_rule_stays_as_it_is_and_says_where():
    _define(name="mine.raises", lower=classmethod(lambda cls, hlo, x: {}["key"]))
    module = _parsed("mine.raises")
    with pytest.raises(KeyError) as raised:
        Pipeline(["anvl-lower-to-stablehlo"]).run(module)
    assert ":2:8" in raised.value.location


def test_an_op_that_nothing_lowers():
    _define(name="mine.stays")
    with pytest.raises(
        PassError, match=r"mine\.stays is left; its class defines neither `hlo` nor"
    ):
        prim.mine.stays(X)


def test_composites_of_composites():
    unary("mine.c0", "sine", F, None)
    for i in range(1, 6):
        lower = classmethod(lambda cls, hlo, x, i=i: getattr(emit.mine, f"c{i - 1}")(emit.neg(x)))
        _define(name=f"mine.c{i}", lower=lower)
    assert np.allclose(prim.primitive("mine.c5")(X), -np.sin(X))


def test_operands_of_one_field_have_one_type():
    fields = {"x": Operands, "y": Result}
    rules = {
        "result_type": classmethod(lambda cls, *xs: xs[0]),
        "lower": classmethod(lambda cls, hlo, *xs: hlo("add", *xs, type=xs[0].type)),
    }
    type("SumOp", (AnvlOp,), {"__annotations__": fields, **rules}, name="mine.sum")
    assert np.allclose(prim.mine.sum(X, X), 2 * X)
    with pytest.raises(TypeError, match=r"mine\.sum: x are tensor<3xf64>, tensor<2xf64>; the val"):
        prim.mine.sum(X, X[:2])


def test_an_op_that_is_defined_inside_of_a_trace():
    def f(x):
        unary("mine.inside", "sine", F, None)
        return prim.mine.inside(x)

    assert np.allclose(anvl.jit(f)(X), np.sin(X))


# Names


def test_what_is_not_there():
    _define(name="mine.there", hlo="sine")
    with pytest.raises(AttributeError, match=r"no op mine\.gone; the dialect has .*there"):
        prim.mine.gone  # noqa: B018
    with pytest.raises(AttributeError, match=r"emit: there is no op mine\.gone"):
        emit.mine.gone  # noqa: B018
    with pytest.raises(AttributeError, match=r"no op anvl\.nobodys"):
        prim.nobodys  # noqa: B018
    for wrong in ("mine.gone", 3, AnvlOp, Linear):
        with pytest.raises(TypeError, match="is not an op; give its class, or its name"):
            prim.primitive(wrong)
    assert "there" in dir(prim.mine) and "mine" in dir(prim)
    assert repr(prim.mine) == "<primitives of the dialect mine>"


def test_a_parameter_that_is_a_text():
    _define(
        name="mine.mode",
        fields={"mode": Text},
        result_type=classmethod(lambda cls, x, mode: x),
        lower=classmethod(lambda cls, hlo, x, mode: hlo(mode, x, type=x.type)),
    )
    assert np.allclose(prim.mine.mode(X, mode="sine"), np.sin(X))
    assert 'mode = "cosine"' in anvl.trace(lambda x: prim.mine.mode(x, mode="cosine"), X).mlir()


def test_parameters_of_0_and_minus_0_are_two():
    class ScaledOp(AnvlOp, name="own_zeros.scaled"):
        """x p."""

        x: Operand
        p: Float
        y: Result

        @classmethod
        def result_type(cls, x, p):
            return x

        @classmethod
        def lower(cls, hlo, x, p):
            return emit.mul(x, full_like(x, p))

    scaled = prim.primitive(ScaledOp)
    f = anvl.jit(lambda x: (1 / scaled(x, p=0.0), 1 / scaled(x, p=-0.0)))
    plus, minus = f(np.ones(2))
    assert np.all(plus.numpy() == np.inf) and np.all(minus.numpy() == -np.inf)


def test_each_choice_of_optional_attributes_stays_with_a_rename():
    class FlaggedOp(AnvlOp, name="own_flags.flagged"):
        """tan x, with flags that nobody reads."""

        x: Operand
        u: Bool
        v: Bool
        y: Result
        hlo = "tan"

        @classmethod
        def result_type(cls, x, u=False, v=False):
            return x

    for flags in ({}, {"u": True}, {"v": True}, {"u": True, "v": True}):
        traced = anvl.jit(lambda x, flags=flags: prim.primitive(FlaggedOp)(x, **flags))
        text = traced.lower(anvl.aval("f32")).mlir("stablehlo")
        assert all((f"{name} = true" in text) == (name in flags) for name in "uv")
