"""What ops compute, in JAX: `counterparts()` for each op that has one, None where there is none.

Imported with `jax` installed alone, by `test_against_jax`.
"""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import numpy_dtype
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["WITHOUT", "NoCounterpart", "body_in_jax", "counterparts"]


class NoCounterpart(Exception):
    """JAX has no function for this use of the op."""


#: Ops that no function of JAX computes, and why.
WITHOUT = {
    "captured": "it is replaced before lowering",
    "get_dimension_size": "jax's shapes are static: it is x.shape[i]",
    "set_dimension_size": "jax's shapes are static",
    "bessel_ie": "jax.scipy has orders 0 and 1 alone",
    "bessel_i": "jax.scipy has orders 0 and 1 alone",
    "order_statistics": "anvl's own",
    "share_ties": "anvl's own",
    "stop_gradient": "jax.lax's is no op of its own: the identity",
    "tag": "jax's names are for checkpoints alone",
    "with_sharding": "jax.lax's needs the devices of a mesh",
    **dict.fromkeys(
        "all_reduce all_gather reduce_scatter all_to_all collective_permute axis_index".split(),
        "jax.lax's are for the members of a batch, or devices",
    ),
    "norm": "jax.numpy's is composed of sums",
    "ldexp": "jax.numpy's is composed of products",
    "mulhi": "jax.lax of 0.10.2 has none",
    "check": "jax.experimental.checkify is a transformation",
    "custom_call": "it is what the call is",
    "linear_recurrence": "anvl's own",
    "select_and_scatter": "jax.lax differentiates into it and has no function for it",
    "sort": "jax.lax.sort takes no comparator",
    "is_inf": "CHLO's; jax.lax has none",
    "is_neg_inf": "CHLO's; jax.lax has none",
    "is_pos_inf": "CHLO's; jax.lax has none",
    "batch_norm_grad": "jax.lax has none",
    "pinv_move": "a part of anvl's derivative of pinv",
    "cofactors": "jax has none; its derivative of det fails without rows",
    "batch_norm_inference": "jax.lax has none",
    "batch_norm_training": "jax.lax has none",
}

_SAME = (
    "abs acos acosh add asin asinh atan atan2 atanh bessel_i0e bessel_i1e betainc cbrt ceil clamp "
    "complex conj cos cosh digamma div erf erf_inv erfc exp exp2 expm1 floor igamma igammac imag "
    "is_finite lgamma log log1p logistic mul neg nextafter polygamma pow real rem rsqrt "
    "shift_left shift_right_arithmetic shift_right_logical sign sin sinh sqrt square sub tan tanh "
    "zeta"
).split()
_RENAMED = {
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "not": "bitwise_not",
    "maximum": "max", "minimum": "min", "popcnt": "population_count", "count_leading_zeros": "clz",
}  # fmt: skip


def counterparts() -> dict[str, Callable[..., Any]]:
    """For each op, by its short name, a function of arrays and of its parameters."""
    jax = importlib.import_module("jax")
    lax, jnp, linalg = jax.lax, jax.numpy, importlib.import_module("jax.lax.linalg")
    plain = {name: getattr(lax, name) for name in _SAME}
    plain |= {name: getattr(lax, other) for name, other in _RENAMED.items()}
    return {
        name: f
        for found in (
            plain, _elementwise(lax), _shapes(lax), _reductions(lax, jnp), _indexing(lax),
            _linear_algebra(jnp, linalg), _others(jax, lax),
        )
        for name, f in found.items()
    }  # fmt: skip


def body_in_jax(f: Callable[..., Any], types: Sequence[Any]) -> Callable[..., Any]:
    """A body of ours as a function of JAX: op by op."""

    def listed(*xs: Any) -> list[Any]:
        results = f(*xs)
        return list(results) if isinstance(results, list | tuple) else [results]

    program, table = Program.of(listed, types), counterparts()

    def run(*xs: Any) -> list[Any]:
        values = dict(zip(program.arguments, xs, strict=True))
        for op in program.block.operations:
            rules = OPS[op.operation.name]
            y = table[rules.short_name](
                *[values[x] for x in op.operands], **rules.read(op.operation)
            )
            values.update(zip(op.results, y if rules.multiple_results else [y], strict=True))
        return [values[y] for y in program.results]

    return run


# -- by family -------------------------------------------------------------------------------------


def _elementwise(lax: Any) -> dict[str, Any]:
    asked = {"EQ": lax.eq, "NE": lax.ne, "GE": lax.ge, "GT": lax.gt, "LE": lax.le, "LT": lax.lt}
    rounding = lax.RoundingMethod
    return {
        "integer_pow": lambda x, exponent: lax.integer_pow(x, exponent),
        "compare": lambda x, y, comparison_direction: asked[comparison_direction](x, y),
        "select": lax.select,
        "convert": lambda x, dtype: _converted(lax, x, numpy_dtype(dtype)),
        "bitcast_convert": lambda x, dtype: lax.bitcast_convert_type(x, numpy_dtype(dtype)),
        "reduce_precision": lax.reduce_precision,
        "round_nearest_even": lambda x: lax.round(x, rounding.TO_NEAREST_EVEN),
        "round_nearest_afz": lambda x: lax.round(x, rounding.AWAY_FROM_ZERO),
        "map": lambda *xs, dimensions, computation, dtype: _filled(lax, xs[0], computation(*xs)[0]),
    }


def _filled(lax: Any, x: Any, y: Any) -> Any:
    return y if np.shape(y) == np.shape(x) else lax.full_like(x, y, dtype=y.dtype)


def _converted(lax: Any, x: Any, dtype: Any) -> Any:
    if dtype.kind == "b":
        return lax.ne(x, lax.full_like(x, 0))
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = lax.real(x)
    return lax.convert_element_type(x, dtype)


def _shapes(lax: Any) -> dict[str, Any]:
    return {
        "constant": lambda value: np.asarray(value),
        "iota": lambda iota_dimension, shape, dtype: lax.broadcasted_iota(
            numpy_dtype(dtype), shape, iota_dimension
        ),
        "broadcast_in_dim": lax.broadcast_in_dim,
        "reshape": lambda x, shape: lax.reshape(x, shape),
        "transpose": lax.transpose,
        "reverse": lax.rev,
        "slice": lax.slice,
        "pad": lambda x, value, edge_padding_low, edge_padding_high, interior_padding: lax.pad(
            x, value, [*zip(edge_padding_low, edge_padding_high, interior_padding, strict=True)]
        ),
        "concatenate": lambda *xs, dimension: lax.concatenate(xs, dimension),
        "dot_general": lambda x, y, dot_dimension_numbers, dtype=None, **_: lax.dot_general(
            x,
            y,
            (dot_dimension_numbers[2:], dot_dimension_numbers[:2]),
            "highest",
            dtype and numpy_dtype(dtype),
        ),
        "ragged_dot": lambda x, y, sizes, ragged_dot_dimension_numbers, **_: lax.ragged_dot_general(
            x, y, sizes, _ragged(lax, ragged_dot_dimension_numbers), "highest"
        ),
        "optimization_barrier": lambda *xs: lax.optimization_barrier(xs),
    }


def _ragged(lax: Any, dims: Any) -> Any:
    numbers = (dims[2:4], dims[:2])
    return lax.RaggedDotDimensionNumbers(numbers, dims.lhs_ragged, dims.rhs_group)


def _reductions(lax: Any, jnp: Any) -> dict[str, Any]:
    def folded(f: Any, identity: Any) -> Any:
        return lambda x, axes: lax.reduce(x, np.array(identity(x), x.dtype), f, axes)

    def bound(name: str, infinity: float, of_bool: bool) -> Any:
        def of(x: Any) -> Any:
            if x.dtype == bool:
                return of_bool
            return getattr(np.iinfo(x.dtype), name) if x.dtype.kind in "iu" else infinity

        return of

    def reduce(*xs: Any, dimensions: Any, body: Any) -> Any:
        n = len(xs) // 2
        return lax.reduce(xs[:n], xs[n:], lambda a, b: tuple(body(*a, *b)), dimensions)

    def reduce_window(*xs: Any, window_dimensions: Any, body: Any, **given: Any) -> Any:
        n, ones = len(xs) // 2, (1,) * len(window_dimensions)
        return lax.reduce_window(
            xs[:n], xs[n:], lambda a, b: tuple(body(*a, *b)), window_dimensions,
            given.get("window_strides") or ones, given.get("padding") or ((0, 0),) * len(ones),
            given.get("base_dilations"), given.get("window_dilations"),
        )  # fmt: skip

    return {
        "sum": folded(lax.add, lambda x: 0),
        "prod": folded(lax.mul, lambda x: 1),
        "max": folded(lax.max, bound("min", -np.inf, False)),
        "min": folded(lax.min, bound("max", np.inf, True)),
        "all": folded(lax.bitwise_and, lambda x: True),
        "any": folded(lax.bitwise_or, lambda x: False),
        "argmax": lambda x, axis, dtype: lax.argmax(x, axis, numpy_dtype(dtype)),
        "argmin": lambda x, axis, dtype: lax.argmin(x, axis, numpy_dtype(dtype)),
        "cumsum": lax.cumsum,
        "cumprod": lax.cumprod,
        "cummax": lax.cummax,
        "cummin": lax.cummin,
        "cumlogsumexp": lax.cumlogsumexp,
        "reduce": reduce,
        "reduce_window": reduce_window,
    }


def _last(lax: Any, indices: Any, axis: int) -> Any:
    """Index vectors along the last axis, where JAX wants them."""
    if axis == indices.ndim:
        return lax.expand_dims(indices, [axis])
    return np.moveaxis(np.asarray(indices), axis, -1)


def _without_axis(axes: Any, axis: int) -> tuple[int, ...]:
    """Numbers of axes after `axis` became the last."""
    return tuple(a - (a > axis) for a in axes)


def _indexing(lax: Any) -> dict[str, Any]:
    def gather(x: Any, indices: Any, dimension_numbers: Any, slice_sizes: Any, **given: Any) -> Any:
        offset, collapsed, batch, of_indices, index_map, axis = dimension_numbers
        of_indices = _without_axis(of_indices, axis)
        dims = lax.GatherDimensionNumbers(offset, collapsed, index_map, batch, of_indices)
        at = _last(lax, indices, axis)
        return lax.gather(x, at, dims, slice_sizes, mode="clip")

    combiners = {
        emit.add: lax.scatter_add, emit.mul: lax.scatter_mul, emit.maximum: lax.scatter_max,
        emit.minimum: lax.scatter_min,
    }  # fmt: skip

    def scatter(
        *xs: Any, scatter_dimension_numbers: Any, update_computation: Any,
        indices_are_sorted: bool = False, unique_indices: bool = False,
    ) -> Any:  # fmt: skip
        combine = combiners.get(getattr(update_computation, "ours", None))
        if len(xs) != 3 or combine is None:
            raise NoCounterpart("jax.lax scatters one array, by a sum, product or extremum")
        window, inserted, batch, of_indices, index_map, axis = scatter_dimension_numbers
        of_indices = _without_axis(of_indices, axis)
        dims = lax.ScatterDimensionNumbers(window, inserted, index_map, batch, of_indices)
        at = _last(lax, xs[1], axis)
        return [combine(xs[0], at, xs[2], dims, mode="drop")]

    return {
        "gather": gather,
        "scatter": scatter,
        "dynamic_slice": lambda x, *starts, slice_sizes: lax.dynamic_slice(
            x, starts, slice_sizes, allow_negative_indices=False
        ),
        "dynamic_update_slice": lambda x, u, *starts: lax.dynamic_update_slice(
            x, u, starts, allow_negative_indices=False
        ),
        "top_k": lambda x, k: lax.top_k(x, k),
    }


def _linear_algebra(jnp: Any, linalg: Any) -> dict[str, Any]:
    def hermitian(x: Any) -> Any:
        return (x + jnp.conj(jnp.swapaxes(x, -1, -2))) / 2

    def triangular_solve(
        a: Any, b: Any, left_side: bool, lower: bool, unit_diagonal: bool, transpose_a: str
    ) -> Any:
        return linalg.triangular_solve(
            a, b, left_side=left_side, lower=lower, unit_diagonal=unit_diagonal,
            transpose_a=transpose_a != "NO_TRANSPOSE", conjugate_a=transpose_a == "ADJOINT",
        )  # fmt: skip

    def solve(a: Any, b: Any, transpose_a: str) -> Any:
        a = a if transpose_a == "NO_TRANSPOSE" else jnp.swapaxes(a, -1, -2)
        return jnp.linalg.solve(jnp.conj(a) if transpose_a == "ADJOINT" else a, b)

    def qr(x: Any, full_matrices: bool = False) -> Any:
        return jnp.linalg.qr(x, "complete" if full_matrices else "reduced")

    def eigh(x: Any) -> Any:
        return jnp.linalg.eigh(hermitian(x))

    return {
        "triangular_solve": triangular_solve,
        "solve": solve,
        "qr": qr,
        "cholesky": lambda x: linalg.cholesky(hermitian(x)),
        "lu": linalg.lu,
        "svd": lambda x, full_matrices=False: jnp.linalg.svd(x, full_matrices=full_matrices),
        "pinv": lambda x, rcond: jnp.linalg.pinv(x, rtol=rcond),
        "nuclear_norm": lambda x: jnp.linalg.svd(x, compute_uv=False).sum(-1),
        "svdvals": lambda x: jnp.linalg.svd(x, compute_uv=False),
        "eigh": eigh,
        "eigvalsh": lambda x: eigh(x)[0],
        "eig": jnp.linalg.eig,
        "eigvals": jnp.linalg.eigvals,
        "det": jnp.linalg.det,
        "slogdet": jnp.linalg.slogdet,
    }


def _sinc(jax: Any, x: Any, order: int) -> Any:
    if order:
        raise NoCounterpart("jax.numpy.sinc is of order 0")
    return jax.numpy.sinc(x)


def _others(jax: Any, lax: Any) -> dict[str, Any]:
    def convolution(
        x: Any, y: Any, dimension_numbers: Any, feature_group_count: int, batch_group_count: int,
        window_strides: Any = None, padding: Any = None, lhs_dilation: Any = None,
        rhs_dilation: Any = None, window_reversal: Any = None, precision_config: str = "DEFAULT",
        dtype: Any = None,
    ) -> Any:  # fmt: skip
        d = dimension_numbers
        ones = (1,) * (x.ndim - 2)
        window_strides, padding = window_strides or ones, padding or "VALID"
        window_reversal = window_reversal or (False,) * len(ones)
        turned = [a for a, r in zip(d[5], window_reversal, strict=True) if r]
        specs = ((d[0], d[1], *d[2]), (d[4], d[3], *d[5]), (d[6], d[7], *d[8]))
        return lax.conv_general_dilated(
            x, lax.rev(y, turned), window_strides, padding, lhs_dilation, rhs_dilation,
            lax.ConvDimensionNumbers(*specs), feature_group_count, batch_group_count, "highest",
            dtype and numpy_dtype(dtype),
        )  # fmt: skip

    def rng_bit_generator(initial_state: Any, rng_algorithm: str, shape: Any, dtype: str) -> Any:
        algorithms = {
            "THREE_FRY": lax.RandomAlgorithm.RNG_THREE_FRY,
            "PHILOX": lax.RandomAlgorithm.RNG_PHILOX,
        }
        if initial_state.shape != (2,) or dtype in ("ui8", "ui16"):
            raise NoCounterpart("jax.lax takes keys of 128 bits, and gives 32 or 64")
        return lax.rng_bit_generator(
            initial_state, shape, numpy_dtype(dtype), algorithms[rng_algorithm]
        )

    return {
        "hypot": jax.numpy.hypot,
        "logsumexp": lambda x, axes: jax.scipy.special.logsumexp(x, axes),
        "softmax": lambda x, axes: jax.nn.softmax(x, axes),
        "log_softmax": lambda x, axes: jax.nn.log_softmax(x, axes),
        "logistic_slope": lambda x: 0.25 / jax.numpy.cosh(0.5 * x) ** 2,
        "silu": jax.nn.silu,
        "silu_slope": jax.numpy.vectorize(jax.grad(jax.nn.silu)),
        "gelu_tanh": jax.nn.gelu,
        "gelu_tanh_slope": jax.numpy.vectorize(jax.grad(jax.nn.gelu)),
        "rough_zero": jax.numpy.zeros_like,
        "sech_squared": lambda x: 1 / jax.numpy.cosh(x) ** 2,
        "log2": jax.numpy.log2,
        "log10": jax.numpy.log10,
        "logaddexp": jax.numpy.logaddexp,
        "sinc": lambda x, order: _sinc(jax, x, order),
        "psi": lambda x, order: jax.scipy.special.polygamma(order, x),
        "convolution": convolution,
        "rng_bit_generator": rng_bit_generator,
        "fft": lambda x, fft_type, fft_length: lax.fft(x, fft_type, fft_length),
    }
