"""`anvl.trace` prints and hands out the program; `anvl.eval_shape` its types."""

import textwrap

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl import dialect, tree


def form(text):
    return textwrap.dedent(text).strip("\n")


def test_the_form_of_a_graph_with_all_sections():
    w = np.ones(100, "f4")
    graph = anvl.trace(lambda x, y: anp.sum(w * x) * y, anvl.aval("f32"), 2.0)
    assert str(graph) == form(
        """
        <AnvlGraph>
          Inputs:
            %x1: f32[]
            %x2: f32?[]
          Constants:
            %c1: f32[100]
          Body:
            %1: f32[100] = broadcast_in_dim [shape = 100, broadcast_dimensions = <any>] (%x1)
            %2: f32[100] = mul(%c1, %1)
            %3: f32[] = sum [axes = 0] (%2)
            %4: f32[] = mul(%3, %x2)
          Outputs:
            %4: f32[]
        """
    )
    assert repr(graph) == str(graph)


def test_the_form_without_constants_body_or_inputs():
    assert str(anvl.trace(lambda x: x, 1)) == form(
        """
        <AnvlGraph>
          Inputs:
            %x1: i32?[]
          Body: (empty)
          Outputs:
            %x1: i32?[]
        """
    )
    assert str(anvl.trace(lambda: None)) == form(
        """
        <AnvlGraph>
          Inputs: (none)
          Body: (empty)
          Outputs: (none)
        """
    )


def test_numbers_stand_in_the_body():
    text = str(anvl.trace(lambda x: (x + 1.5) * 2, anvl.aval("f64", (2,))))
    assert "%1: f64[2] = add(%x1, 1.5:f64[2])" in text
    assert "%2: f64[2] = mul(%1, 2:f64[2])" in text


def test_derivatives_and_calls_stand_as_what_was_asked_for():
    def f(x):
        return x * x

    graph = anvl.trace(lambda x: anvl.grad(f)(x) + anvl.jit(f)(x), anvl.aval("f32"))
    names = [call.primitive for call in graph.calls]
    assert names == ["vjp", "call", "add"]
    assert graph.calls[0].params == {"callee": "@f", "wrt": (0,)}
    assert graph.calls[1].params == {"callee": "@f_1"}


def test_the_parts_of_a_graph():
    w = np.ones((3, 2), "f4")
    graph = anvl.trace(lambda p: {"y": (p["x"] @ w, p["x"])}, {"x": anvl.aval("f32", (3,))})
    assert graph.inputs == [("%x1", anvl.aval("f32", (3,)))]
    assert graph.constants == [("%c1", anvl.aval("f32", (3, 2)))]
    assert graph.outputs == [("%1", anvl.aval("f32", (2,))), ("%x1", anvl.aval("f32", (3,)))]
    assert graph.in_tree == tree.structure((({"x": 0},), {}))
    assert graph.out_tree == tree.structure({"y": (0, 0)})
    (call,) = graph.calls
    assert (call.primitive, call.inputs, call.outputs) == ("dot_general", ["%x1", "%c1"], ["%1"])
    assert call.avals == [anvl.aval("f32", (2,))]
    assert "precision_config" in call.params
    assert dialect.parse(graph.mlir()).operation.verify()


def test_abstract_values_arrays_and_numbers_are_arguments():
    graph = anvl.trace(
        lambda *xs: xs, anvl.aval("bf16", 4), np.ones(2, "i1"), anp.ones(3), 1, 2.0, 1j, np.int8(3)
    )
    shown = [str(of) for _, of in graph.inputs]
    assert shown == ["bf16[4]", "i8[2]", "f32[3]", "i32?[]", "f32?[]", "c64?[]", "i8[]"]


def test_plain_values_are_passed_as_they_are():
    seen = []

    def f(x, mode, flag, nothing=None, *, names=(), scale=1.0):
        seen.append((mode, flag, nothing, names))
        return x * scale if flag else x

    graph = anvl.trace(f, anvl.aval("f32"), "train", True, names=["a", {"k": len}], scale=3)
    assert seen == [("train", True, None, ["a", {"k": len}])]
    assert [str(of) for _, of in graph.inputs] == ["f32[]", "i32?[]"]
    assert "%x: tensor<f32>, %scale: tensor<i32>" in graph.mlir()
    assert len(anvl.trace(f, anvl.aval("f32"), "eval", False).calls) == 0


def test_static_arguments_are_passed_as_they_are():
    graph = anvl.trace(lambda x, n: x * n, anvl.aval("f32"), 3, static="n")
    assert [str(of) for _, of in graph.inputs] == ["f32[]"]
    assert "3:f32[]" in str(graph)


def test_what_tracing_refuses_trace_refuses():
    with pytest.raises(TypeError, match="static argument n is an array"):
        anvl.trace(lambda n: n, n=np.ones(2), static="n")
    with pytest.raises(TypeError, match="result is 'text' of type str"):
        anvl.trace(lambda x, mode: mode, 1.0, "text")
    with pytest.raises(anvl.TraceError):
        anvl.trace(lambda x: float(x), 1.0)


def test_eval_shape_gives_types_and_computes_nothing():
    def f(params, x):
        return {"y": anp.tanh(x @ params["w"]), "n": anp.sum(x > 0)}

    huge = anvl.aval("f32", (10**6, 10**6))
    found = anvl.eval_shape(f, {"w": huge}, anvl.aval("f32", (3, 10**6)))
    assert found == {"y": anvl.aval("f32", (3, 10**6)), "n": anvl.aval("i32")}
    assert anvl.eval_shape(lambda x: x, 2.0).weak_type


def test_an_aval_is_interned_and_says_what_it_is():
    a = anvl.aval("f32", (2, 3))
    assert a is anvl.aval(np.float32, [2, 3])
    assert (a.shape, a.dtype, a.ndim, a.size, a.weak_type) == ((2, 3), np.float32, 2, 6, False)
    assert repr(anvl.aval("bool")) == "bool[]"
    assert repr(anvl.aval("f32", 3, weak_type=True)) == "f32?[3]"
    assert anvl.aval("f32", 3, True).strong() is anvl.aval("f32", 3)
    with pytest.raises(ValueError, match="negative size"):
        anvl.aval("f32", (-1,))
    with pytest.raises(TypeError, match="is not the dtype of an array"):
        anvl.aval("f33")


def test_a_rule_that_calls_its_own_function_is_shown_by_name():
    @anvl.custom_jvp
    def exp(x):
        return anp.exp(x)

    @exp.defjvp
    def exp_jvp(primals, tangents):
        y = exp(*primals)
        return y, y * tangents[0]

    text = str(anvl.trace(anvl.grad(exp), 1.0))
    assert text.count("exp_rule") >= 1
