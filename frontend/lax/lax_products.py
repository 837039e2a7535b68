"""Products, Fourier transforms and random bits with the names and the order of `jax.lax`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import anvl.numpy as anp
from anvl.core.config import as_dtype, precision_of
from anvl.core.promote import as_tracer, promoted
from anvl.dialect.core.params.base import DotDims
from anvl.dialect.core.params.ragged_params import RaggedDims
from anvl.dialect.core.types import dtype_name
from anvl.dispatch.eager import public
from anvl.lax.lax_options import FftType, RandomAlgorithm
from anvl.numpy.arrays.axes import ints_of, sizes_of
from anvl.numpy.functions.contraction_options import with_precision
from anvl.numpy.functions.elementwise import mark_weak
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.numpy.linear.fourier import operand_of
from anvl.numpy.linear.product_forms import widened
from anvl.runtime import hiding_frames
from anvl.transforms.jvp import jvp

__all__ = [
    "RaggedDotDimensionNumbers", "batch_matmul", "dot", "dot_general", "fft", "igamma_grad_a",
    "ragged_dot", "ragged_dot_general",
    "random_gamma_grad", "rng_bit_generator",
]  # fmt: skip


Pairs = tuple[Sequence[int], Sequence[int]]


@public("dimension_numbers")
def dot_general(lhs: Any, rhs: Any, dimension_numbers: tuple[Pairs, Pairs]) -> Any:
    """Contract arrays; the result has the batch axes, then the other axes of lhs, then of rhs.

    `dimension_numbers` is ((contracting axes of lhs, of rhs), (batch axes of lhs, of rhs)).
    Raises `TypeError` for sizes that differ.  Source: StableHLO, `dot_general`.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> rows = lax.dot_general(np.ones((4, 2, 3)), np.ones((4, 3)), (((2,), (1,)), ((0,), (0,))))
    >>> rows.shape
    (4, 2)
    """
    (a, b), weak = promoted("dot_general", (lhs, rhs), broadcast=False)
    contracting, batching = dimension_numbers
    axes = [ints_of(each, "dot_general") for each in (*batching, *contracting)]
    found = prim(
        "dot_general", a, b, dot_dimension_numbers=DotDims(*axes),
        precision_config=precision_of(None),
    )  # fmt: skip
    return mark_weak(found, weak)


@hiding_frames
def dot(lhs: Any, rhs: Any) -> Any:
    """Multiply vectors and matrices."""
    return anp.matmul(lhs, rhs)


@hiding_frames
def batch_matmul(lhs: Any, rhs: Any) -> Any:
    """Multiply stacks of matrices."""
    return anp.matmul(lhs, rhs)


class RaggedDotDimensionNumbers(NamedTuple):
    """Axes of `lax.ragged_dot_general`.

    Attributes
    ----------
    dot_dimension_numbers : ((axes, axes), (axes, axes))
        Contracting axes of lhs and of rhs, and batch axes of both, as of `dot_general`.
    lhs_ragged_dimensions : sequence of int
        The axis of lhs that the groups divide.
    rhs_group_dimensions : sequence of int
        The axis of the groups of rhs, or none.
    """

    dot_dimension_numbers: Any
    lhs_ragged_dimensions: Sequence[int]
    rhs_group_dimensions: Sequence[int]


@hiding_frames
def ragged_dot(
    lhs: Any, rhs: Any, group_sizes: Any, precision: Any = None,
    preferred_element_type: Any = None, group_offset: None = None,
) -> Any:  # fmt: skip
    """Multiply groups of rows, each with the matrix of its group.

    Parameters
    ----------
    lhs : array of shape (m, k)
        The rows, those of the first group first.
    rhs : array of shape (g, k, n)
        A matrix for each group.
    group_sizes : array of integers, of shape (g,)
        The number of rows of each group.
    precision : Precision, str or None
    preferred_element_type : dtype, optional
        Of the result.
    group_offset : None

    Returns
    -------
    Array of shape (m, n); zeros in rows of no group.

    Raises
    ------
    TypeError
        Shapes that do not fit, or a `group_offset`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> rows, matrices = np.ones((3, 1)), np.asarray([[[10.0]], [[20.0]]])
    >>> print(lax.ragged_dot(rows, matrices, np.asarray([1, 2])).ravel())
    [10. 20. 20.]
    """
    dims = RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))
    return _ragged(
        "ragged_dot", lhs, rhs, group_sizes, dims, precision, preferred_element_type, group_offset
    )


@hiding_frames
def ragged_dot_general(
    lhs: Any, rhs: Any, group_sizes: Any,
    ragged_dot_dimension_numbers: RaggedDotDimensionNumbers, precision: Any = None,
    preferred_element_type: Any = None, group_offset: None = None,
) -> Any:  # fmt: skip
    """Contract groups of rows along any axes; the op `ragged_dot` says what results.

    Parameters
    ----------
    lhs, rhs : array
    group_sizes : array of integers
        The number of rows of each group.
    ragged_dot_dimension_numbers : RaggedDotDimensionNumbers
    precision : Precision, str or None
    preferred_element_type : dtype, optional
        Of the result.
    group_offset : None

    Returns
    -------
    Array: of the ragged axis, if it is contracted, one result for each group, first.

    Raises
    ------
    TypeError
        Axes or shapes that do not fit, or a `group_offset`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> dims = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
    >>> rows = np.asarray([[1.0], [2.0], [3.0]])
    >>> print(lax.ragged_dot_general(rows, rows, np.asarray([1, 2]), dims).ravel())
    [ 1. 13.]
    """
    return _ragged(
        "ragged_dot_general", lhs, rhs, group_sizes, ragged_dot_dimension_numbers, precision,
        preferred_element_type, group_offset,
    )  # fmt: skip


def _ragged(
    name: str, lhs: Any, rhs: Any, group_sizes: Any, dims: Any, precision: Any, wanted: Any,
    offset: Any,
) -> Any:  # fmt: skip
    if offset is not None:
        raise TypeError(
            f"{name}: group_offset is {offset!r}, and can be None only; cut the groups before it "
            "off `rhs` and `group_sizes`"
        )
    if not isinstance(dims, RaggedDotDimensionNumbers):
        raise TypeError(
            f"{name}: ragged_dot_dimension_numbers is {dims!r}; it must be a "
            "lax.RaggedDotDimensionNumbers"
        )
    contracting, batching = dims.dot_dimension_numbers
    axes = [ints_of(a, name) for a in (*batching, *contracting, *dims[1:])]
    a, b = widened((lhs, rhs), wanted)
    with with_precision(name, precision):
        found = _ragged_dot(a, b, group_sizes, name, tuple(axes), precision_of(None))
    return found if wanted is None else anp.astype(found, wanted)


@public("name", "axes", "precision")
def _ragged_dot(
    lhs: Any, rhs: Any, group_sizes: Any, name: str, axes: tuple[Any, ...], precision: str
) -> Any:
    (a, b), weak = promoted(name, (lhs, rhs), broadcast=False)
    found = prim(
        "ragged_dot", a, b, as_tracer(group_sizes, name),
        ragged_dot_dimension_numbers=RaggedDims(*axes), precision_config=precision,
    )  # fmt: skip
    return mark_weak(found, weak)


@hiding_frames
def fft(x: Any, fft_type: FftType | str, fft_lengths: Sequence[int]) -> Any:
    """Discrete Fourier transform of the last axes, of these lengths.

    Parameters
    ----------
    x : array
    fft_type : FftType or str
        "FFT", "IFFT", "RFFT" or "IRFFT".
    fft_lengths : sequence of 1 to 3 int
        The sizes of the last axes of x; of the last one, for "IRFFT", that of the result.

    Returns
    -------
    Array: complex, for "IRFFT" real; linear in x.

    Raises
    ------
    TypeError
        A dtype or lengths that do not fit.
    ValueError
        Another kind.

    Notes
    -----
    Source: StableHLO, `fft`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.fft(np.asarray([1.0, 2.0, 3.0, 4.0]), "RFFT", (4,)))
    [10.+0.j -2.+2.j -2.+0.j]
    """
    name = fft_type.upper() if isinstance(fft_type, str) else fft_type
    try:
        found = FftType[name] if isinstance(name, str) else FftType(name)
    except (KeyError, ValueError):
        raise ValueError(
            f"fft: fft_type is {fft_type!r}; it must be one of {', '.join(FftType.__members__)}"
        ) from None
    return _fft(x, found.name, ints_of(fft_lengths, "fft"))


@public("kind", "lengths")
def _fft(x: Any, kind: str, lengths: tuple[int, ...]) -> Any:
    return prim("fft", operand_of("fft", kind, x), fft_type=kind, fft_length=lengths)


# -- samples ---------------------------------------------------------------------------------------


@hiding_frames
def rng_bit_generator(
    key: Any, shape: Sequence[int], dtype: Any = np.uint32,
    algorithm: RandomAlgorithm | int = RandomAlgorithm.RNG_DEFAULT,
) -> tuple[Any, Any]:  # fmt: skip
    """Draw random bits from a state, and give the next state.

    `anvl.random.bits` draws from a key, with equal bits on all plugins.

    Parameters
    ----------
    key : array
        The state: four numbers of dtype ui32, or two of ui64.
    shape : sequence of int
        The shape of the bits.
    dtype : dtype
        An unsigned integer.
    algorithm : RandomAlgorithm
        RNG_DEFAULT is the platform's, others are the same everywhere.

    Returns
    -------
    (state, bits): the next state, of the dtype of the key, and the bits.

    Raises
    ------
    TypeError
        Another state or dtype.
    ValueError
        Another algorithm.

    Notes
    -----
    Source: StableHLO, `rng_bit_generator`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> key = np.asarray([1, 2, 3, 4], dtype="ui32")
    >>> key, bits = lax.rng_bit_generator(key, (2,), algorithm=lax.RandomAlgorithm.RNG_THREE_FRY)
    >>> bits.shape, bits.dtype
    ((2,), dtype('uint32'))
    """
    try:
        found = RandomAlgorithm(algorithm)
    except ValueError:
        raise ValueError(
            f"rng_bit_generator: algorithm is {algorithm!r}; it must be one of "
            f"{', '.join(RandomAlgorithm.__members__)} of lax.RandomAlgorithm"
        ) from None
    sizes, bits = sizes_of(shape, "rng_bit_generator"), as_dtype(dtype)
    state, drawn = _bits(key, sizes, bits, found.name.removeprefix("RNG_"))
    return state, drawn


@public("shape", "dtype", "algorithm")
def _bits(key: Any, shape: tuple[int, ...], dtype: np.dtype[Any], algorithm: str) -> Any:
    state = as_tracer(key, "rng_bit_generator")
    is_narrow = state.dtype == np.uint32
    if state.shape != ((4,) if is_narrow else (2,)) or not (is_narrow or state.dtype == np.uint64):
        raise TypeError(
            f"rng_bit_generator: the key is {state.aval}; it must be four numbers of dtype ui32 or "
            "two of ui64"
        )
    if is_narrow:
        state = prim("bitcast_convert", prim("reshape", state, shape=(2, 2)), dtype="ui64")
    state, drawn = prim(
        "rng_bit_generator", state, rng_algorithm=algorithm, shape=shape, dtype=dtype_name(dtype)
    )
    if is_narrow:
        state = prim("reshape", prim("bitcast_convert", state, dtype="ui32"), shape=(4,))
    return state, drawn


def _slope(name: str, a: Any, x: Any, by: int) -> Any:
    (first, second), _ = promoted(name, (a, x), at_least="float")
    if is_kind(first, "complex"):
        raise TypeError(f"{name}: takes real numbers, got {first.aval}")
    primals = [first, second]

    def along(value: Any) -> Any:
        return prim("igamma", *(value if i == by else v for i, v in enumerate(primals)))

    return jvp(along, (primals[by],), (anp.ones_like(primals[by]),))[1]


@public()
def igamma_grad_a(a: Any, x: Any) -> Any:
    """Derivative of `igamma(a, x)` in a, elementwise.

    >>> from anvl import lax
    >>> print(round(lax.igamma_grad_a(1.0, 2.0).item(), 6))
    -0.220825
    """
    return _slope("igamma_grad_a", a, x, 0)


@public()
def random_gamma_grad(a: Any, x: Any) -> Any:
    """Derivative in a of a sample x of the gamma distribution, elementwise.

    That is of the x at which `igamma(a, x)` has a fixed value.

    >>> from anvl import lax
    >>> print(f"{lax.random_gamma_grad(1.0, 2.0):.5f}")
    1.63169
    """
    name = "random_gamma_grad"
    return anp.negative(anp.divide(_slope(name, a, x, 0), _slope(name, a, x, 1)))
