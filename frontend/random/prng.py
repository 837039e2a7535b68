"""Keys of random numbers, and their bits; public in `anvl.random`.

Note [Which bits]

All numbers are made of the words of Threefry-2x32 with 20 rounds: a function of a key and a
counter, both of 64 bits, to 64 bits in which no test has found structure.  No state is kept
between draws.  `bits` counts from 0, distributions that need several streams from 2^62, `split`
from 2^63 and `fold_in` from 3 * 2^62, so that they never use the same words of a key.  Two keys
give two streams that are unrelated, as far as is known; the probability that two of many keys are
equal is that of a birthday problem of 2^64 days.

Source: J. Salmon, M. Moraes, R. Dror and D. Shaw, Parallel random numbers: as easy as 1, 2, 3
(2011), section 3.3; the op is StableHLO's `rng_bit_generator` with THREE_FRY.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl import numpy as anp
from anvl.core.config import as_dtype
from anvl.core.promote import abstract, as_tracer, constant, convert
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import dtype_name
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import ints_of, sizes_of
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.random.key_reuse import begun_anew, draws
from anvl.runtime import hiding_frames

__all__ = [
    "U64",
    "PRNGKey",
    "Source",
    "bits",
    "clone",
    "fold_in",
    "key",
    "key_data",
    "key_impl",
    "random_bits",
    "split",
    "unsigned",
    "wrap_key_data",
]  # fmt: skip

U64 = np.dtype(np.uint64)
# First counter of each use: Note [Which bits].
_DRAWING, _WITHIN, _SPLITTING, _FOLDING = 0, 2**62, 2**63, 3 * 2**62
_IMPLEMENTATION = "threefry2x32"


@hiding_frames
def key(seed: Any, *, impl: str | None = None) -> Any:
    """Make the key, ui64[], of a seed: a Python integer from 0 to 2^64 - 1, or a 0-d integer array.

    `impl` names the generator; there is one, "threefry2x32".
    Raises `TypeError` for a non-integer, `ValueError` for an integer out of range or another
    generator.

    >>> import anvl
    >>> print(anvl.random.key(7))
    7
    """
    _check_implementation("key", impl)
    if isinstance(seed, bool) or not isinstance(seed, int):
        return begun_anew(_key_of_array(seed))
    if not 0 <= seed < 2**64:
        raise ValueError(f"key: seed {seed} must be between 0 and 2**64 - 1")
    return begun_anew(anp.asarray(np.uint64(seed)))


@hiding_frames
def PRNGKey(seed: Any, *, impl: str | None = None) -> Any:
    """Make a key: JAX's older name of `key`, with its arguments and errors.

    >>> import anvl
    >>> print(anvl.random.PRNGKey(7))
    7
    """
    return key(seed, impl=impl)


def _check_implementation(name: str, impl: Any) -> None:
    if impl not in (None, _IMPLEMENTATION):
        raise ValueError(f"{name}: impl is {impl!r}; the only generator is {_IMPLEMENTATION!r}")


@public()
def _key_of_array(seed: Any) -> Any:
    operand = as_tracer(seed, "key")
    if operand.shape or not is_kind(operand, "int", "uint"):
        raise TypeError(f"key: seed is {operand.aval}; it must be one integer")
    return unsigned(operand)


@draws
@public("num")
def split(key: Any, num: int | Sequence[int] = 2) -> Any:
    """Split a key into `num` new keys, ui64[num]: `first, second = split(key)`, or `keys[i]`.

    They are unrelated to each other and to the numbers drawn with `key` itself.  `num` may be a
    shape.  Raises `TypeError` for an invalid key, `ValueError` for a negative number.

    >>> import anvl
    >>> anvl.random.split(anvl.random.key(0), 3).shape
    (3,)
    """
    shape = ints_of(num, "split")
    if any(n < 0 for n in shape):
        raise ValueError(f"split: num is {num}; it must be at least 0")
    return _words(_checked("split", key), _SPLITTING, shape, "ui64")


@hiding_frames
def fold_in(key: Any, data: Any) -> Any:
    """Derive a new key, ui64[], from a key and an integer, such as the number of a step.

    The last 62 bits of `data` count.  Raises `TypeError` for an invalid key or non-integer data.

    >>> import anvl
    >>> key = anvl.random.key(0)
    >>> bool(anvl.random.fold_in(key, 1) != anvl.random.fold_in(key, 2))
    True
    """
    # The bits that count; otherwise it would have to fit the dtype of the key.
    return _folded(key, np.uint64(data % 2**62) if type(data) is int else data)


def _fold(key: Any, data: Any) -> Any:
    operand = as_tracer(data, "fold_in")
    if operand.shape or not is_kind(operand, "int", "uint"):
        raise TypeError(f"fold_in: data is {operand.aval}; it must be one integer")
    low = anp.bitwise_and(unsigned(operand), constant(2**62 - 1, U64))
    counter = anp.add(low, constant(_FOLDING, U64))
    return anp.reshape(_words(_checked("fold_in", key), counter, (1,), "ui64"), ())


_fold.__name__ = "fold_in"
_folded = public()(_fold)


@public()
def key_data(keys: Any) -> Any:
    """The bits of keys, ui64[...]: an array of ui32[..., 2], the upper half first, as in JAX.

    Raises `TypeError` for another dtype.

    >>> import anvl
    >>> print(anvl.random.key_data(anvl.random.key(7)))
    [0 7]
    """
    operand = as_tracer(keys, "key_data")
    if operand.dtype != U64:
        raise TypeError(f"key_data: the keys are {operand.aval}, not ui64[...]")
    low = anp.bitwise_and(operand, constant(2**32 - 1, U64))
    halves = anp.stack([anp.right_shift(operand, 32), low], axis=-1)
    return convert(halves, np.dtype(np.uint32))


@hiding_frames
def wrap_key_data(key_bits_array: Any, *, impl: str | None = None) -> Any:
    """Make keys, ui64[...], of their bits, ui32[..., 2]: the inverse of `key_data`.

    Raises `TypeError` for another dtype or last axis, `ValueError` for another generator than
    "threefry2x32".

    >>> import anvl, numpy
    >>> print(anvl.random.wrap_key_data(numpy.asarray([0, 7], "u4")))
    7
    """
    _check_implementation("wrap_key_data", impl)
    return begun_anew(_wrapped(key_bits_array))


@public()
def _wrapped(key_bits_array: Any) -> Any:
    operand = as_tracer(key_bits_array, "wrap_key_data")
    if operand.dtype != np.uint32 or operand.shape[-1:] != (2,):
        raise TypeError(f"wrap_key_data: the bits are {operand.aval}, not ui32[..., 2]")
    wide = convert(operand, U64)
    return anp.bitwise_or(anp.left_shift(wide[..., 0], 32), wide[..., 1])


@hiding_frames
def key_impl(keys: Any) -> str:
    """Name of the generator of keys: "threefry2x32".  Raises `TypeError` for other arrays.

    >>> import anvl
    >>> anvl.random.key_impl(anvl.random.key(0))
    'threefry2x32'
    """
    of = abstract(keys, "key_impl")
    if of.dtype != U64:
        raise TypeError(f"key_impl: the keys are {of}, not ui64[...]")
    return _IMPLEMENTATION


@hiding_frames
def clone(key: Any) -> Any:
    """The same key, ui64[], once more: the numbers drawn with it are the same.

    It says that the reuse of a key is meant, to `anvl.config.check_key_reuse`.
    Raises `TypeError` for an invalid key.

    >>> import anvl
    >>> key = anvl.random.key(7)
    >>> bool(anvl.random.clone(key) == key)
    True
    """
    return begun_anew(_cloned(key))


@public()
def _cloned(key: Any) -> Any:
    return prim("optimization_barrier", _checked("clone", key))[0]


def _checked(name: str, key: Any) -> Tracer:
    operand = as_tracer(key, name)
    if operand.dtype != U64 or operand.shape:
        raise TypeError(
            f"{name}: the key is {operand.aval}, not ui64[]; make one with anvl.random.key(seed), "
            "and of several take one, keys[i]"
        )
    return operand


def unsigned(x: Tracer) -> Tracer:
    """An integer as ui64, negative ones modulo 2^64."""
    if is_kind(x, "uint"):
        return convert(x, U64)
    wide = convert(x, np.dtype(np.int64))
    return prim("bitcast_convert", wide, dtype="ui64")


class Source(NamedTuple):
    """A stream of the bits of a key, within a trace.

    Attributes
    ----------
    key
        The key.
    name
        The function that draws, for messages.
    part
        Streams of different numbers are unrelated; 0 is that of `bits`.
    step
        A tracer, ui64[], which numbers the draws of a loop.
    """

    key: Any
    name: str
    part: int = 0
    step: Tracer | None = None

    def words(self, shape: tuple[int, ...], dtype: str) -> Tracer:
        """The bits, the first of the stream or those of the step."""
        counter: Any = _WITHIN + (self.part << 56) if self.part else _DRAWING
        if self.step is not None:
            stride = constant(math.prod(shape), U64)  # each element takes one count at most
            counter = anp.add(constant(counter, U64), anp.multiply(self.step, stride))
        return _words(_checked(self.name, self.key), counter, shape, dtype)


def random_bits(name: str, key: Any, shape: tuple[int, ...], dtype: str) -> Tracer:
    """The first bits of a key, within a trace."""
    return Source(key, name).words(shape, dtype)


def _words(key: Tracer, counter: Any, shape: tuple[int, ...], dtype: str) -> Tracer:
    first = constant(counter, U64) if isinstance(counter, int) else counter
    parts = [prim("reshape", x, shape=(1,)) for x in (key, first)]
    state = prim("concatenate", *parts, dimension=0)
    # Drawn flat: XLA lays words out in order only in a vector.
    params = {"rng_algorithm": "THREE_FRY", "shape": (math.prod(shape),), "dtype": dtype}
    flat = prim("rng_bit_generator", state, **params)[1]
    return prim("reshape", flat, shape=shape)


@draws
@public("shape", "dtype")
def bits(key: Any, shape: Any = (), dtype: Any = "ui32") -> Any:
    """Random bits, uniformly distributed: an array of `shape` of an unsigned dtype.

    In row-major order, elements 2i and 2i + 1 of a ui32 array are the two words of the key and the
    counter i, and element i of a ui64 array is both, the first one low; an element of ui8 and ui16
    is the low bits of a word.  Raises `TypeError` for an invalid key, or another dtype.

    >>> import anvl
    >>> print(anvl.random.bits(anvl.random.key(0), (2,)))
    [1797259609 2579123966]
    """
    wanted = as_dtype(dtype)
    return random_bits("bits", key, sizes_of(shape, "bits"), dtype_name(wanted))
