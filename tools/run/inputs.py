"""Arrays for the arguments of a function: literals, `.npy` and `.npz` files, random numbers.

inputs = chosen(program.arguments, given={0: literal([1, 2], program.arguments[0])}, seed=0)
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anvl.dialect.core.errors import nearest
from anvl.dialect.core.types import element_type, kind, shape_text, tensor
from anvl.tools.run.entry import Argument, Result

__all__ = [
    "RANGE", "InvalidInput", "chosen", "fitted", "keys_of", "literal", "load_npy", "load_npz",
    "name_in", "of_npz", "random_input",
]  # fmt: skip

#: Range of random floats.
RANGE = (-1.0, 1.0)
_LARGEST_INTEGER = 3  # of random integers: indices, counts, choices, of which small ones fit most


class InvalidInput(ValueError):
    """A value does not fit the argument that it is given for, or a file holds none."""


def chosen(
    arguments: Sequence[Argument],
    given: Mapping[int, np.ndarray],
    seed: int | None = None,
    range_: tuple[float, float] = RANGE,
) -> list[np.ndarray]:
    """An array for each argument: the one that is `given` by index, or a random one by `seed`."""
    missing = [x for x in arguments if x.index not in given]
    if missing and seed is None:
        raise InvalidInput(
            f"no value for argument {', '.join(map(str, missing))}; give --args, --input, --inputs "
            "or --random-seed"
        )
    return [
        given[x.index] if x.index in given else random_input(x, 0 if seed is None else seed, range_)
        for x in arguments
    ]


# -- literals --------------------------------------------------------------------------------------


def literal(value: Any, of: Result) -> np.ndarray:
    """The array of a JSON value: nested lists, or one number for all elements.

    Text stands for the numbers that JSON lacks: `"1+2j"`, `"nan"`, `"-inf"`.
    """
    try:
        read = np.asarray(value)
    except (ValueError, OverflowError):  # lists of different lengths
        read = np.empty((), object)
    if read.dtype.kind not in "biufcUO" or (read.dtype.kind == "O" and not _integers(read)):
        raise InvalidInput(f"{_short(value)} is not an array for argument {of}")
    made = _converted(read, value, of)
    if made.ndim and made.shape != of.shape:
        raise InvalidInput(
            f"{_short(value)} has shape {shape_text(made.shape)}, argument {of} has shape "
            f"{shape_text(of.shape)}"
        )
    return np.broadcast_to(made, of.shape).copy()


def _integers(read: np.ndarray) -> bool:
    """Whether all are integers, of which some are too large for NumPy."""
    return read.size > 0 and all(type(x) is int for x in read.ravel())


def _converted(read: np.ndarray, value: Any, of: Result) -> np.ndarray:
    what = _kind(of.dtype)
    try:
        if read.dtype.kind == "U":
            read = np.vectorize(complex, otypes=[complex])(read)
        if read.dtype.kind == "c" and what != "complex" and not np.any(read.imag):
            read = read.real
        if what in ("int", "uint", "bool"):
            return _exact(read, of.dtype)
        if read.dtype.kind == "c" and what != "complex":
            raise ValueError
        with np.errstate(over="ignore"):
            return np.asarray(read.astype(of.dtype))
    except (ValueError, OverflowError, TypeError):
        raise InvalidInput(f"{_short(value)} does not fit argument {of}") from None


def _exact(read: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Integers and bools, none of which may change."""
    if read.dtype.kind == "f" and not np.all(np.isfinite(read)):
        raise ValueError
    with np.errstate(invalid="ignore"):
        made = np.asarray(read.astype(dtype))
    wide = [int(x) for x in np.asarray(made.astype(object)).ravel()]
    if any(x != y for x, y in zip(wide, read.ravel().tolist(), strict=True)):
        raise ValueError
    return made


def _kind(dtype: np.dtype) -> str:
    return kind(element_type(dtype))


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 50 else f"{text[:50]}..."


# -- files -----------------------------------------------------------------------------------------


def load_npy(path: str, of: Result) -> np.ndarray:
    """The array of an `.npy` file, which must have the dtype and the shape of the argument."""
    found = _read(path)
    if not isinstance(found, np.ndarray):
        raise InvalidInput(f"{path}: holds several arrays; give it as --inputs={path}")
    return fitted(found, of, path)


def load_npz(path: str) -> dict[str, np.ndarray]:
    """The arrays of an `.npz` file, by name."""
    found = _read(path)
    if isinstance(found, np.ndarray):
        raise InvalidInput(
            f"{path}: holds one array without a name; give it as --input NAME={path}"
        )
    return found


def of_npz(arrays: Mapping[str, np.ndarray], of: Result, path: str) -> np.ndarray:
    """The array of a file that is called as the argument is, or by its index.

    The array `x`, `0`, `arg0` or `arr_0` is for argument 0 that is called `%x`, and `0`, `result0`
    or `arr_0` for result 0.
    """
    name = name_in(arrays, of)
    if name is None:
        wanted = keys_of(of)[0]
        near = nearest(wanted, arrays)
        raise InvalidInput(
            f"{path}: no array {wanted!r} for {_what(of)} {of}{near}; it has "
            f"{', '.join(map(repr, arrays)) or 'none'}"
        )
    return fitted(arrays[name], of, f"{path}: {name!r}")


def name_in(names: Iterable[str], of: Result) -> str | None:
    """The name that an array for an argument or a result has among those of a file."""
    known = set(names)
    return next((name for name in keys_of(of) if name in known), None)


def keys_of(of: Result) -> list[str]:
    """The names that an array for an argument or a result may have: its own one first.

    That of a captured array is as in `lowered.constants()`.
    """
    if isinstance(of, Argument):
        named = [of.name] if of.name else []
        named += [] if of.captured is None else [f"captured{of.captured}"]
        return [*named, f"arg{of.index}", f"arr_{of.index}", str(of.index)]
    return [f"result{of.index}", f"arr_{of.index}", str(of.index)]


def _what(of: Result) -> str:
    return "argument" if isinstance(of, Argument) else "result"


def _read(path: str) -> np.ndarray | dict[str, np.ndarray]:
    try:
        with Path(path).open("rb") as file:
            found = np.load(file, allow_pickle=False)
            return found if isinstance(found, np.ndarray) else {x: found[x] for x in found.files}
    except MemoryError:
        raise InvalidInput(f"{path}: needs more memory than there is") from None
    except Exception as error:  # NumPy, zipfile and zlib raise all kinds for a damaged file
        raise InvalidInput(f"{path}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"cannot read the file, {error.strerror}"
    if "allow_pickle" in str(error) or "pickle" in str(error).lower():
        return (
            "holds Python objects, which are not read, since a pickle runs code, or is no .npy or "
            ".npz file; save arrays of numbers with numpy.save or numpy.savez"
        )
    text = " ".join(str(error).split())
    return f"not an .npy or .npz file that can be read, {text or type(error).__name__}"


def fitted(found: np.ndarray, of: Result, source: str) -> np.ndarray:
    """The array, if it has the type of an argument; of a result, comparing looks at the type."""
    found = np.asarray(found, found.dtype.newbyteorder("="), order="C")
    if found.dtype.kind == "V" and found.dtype.itemsize == of.dtype.itemsize:
        found = found.view(of.dtype)  # bf16 and its like, whose dtype a file does not name
    if isinstance(of, Argument) and (found.dtype != of.dtype or found.shape != of.shape):
        raise InvalidInput(f"{source}: is {described(found)}, argument {of} is not")
    return found


def described(array: np.ndarray) -> str:
    """`tensor<2x3xf32>`: the type of an array as MLIR writes it."""
    try:
        return str(tensor(array.shape, element_type(array.dtype)))
    except TypeError:
        return f"an array of {array.dtype} of shape {shape_text(array.shape)}"


# -- random numbers --------------------------------------------------------------------------------


def random_input(of: Argument, seed: int, range_: tuple[float, float] = RANGE) -> np.ndarray:
    """Random numbers for an argument, the same for the same seed, range, index and type.

    Floats are from the range, integers from 0 to 3, as far as the dtype has them.
    """
    random = np.random.default_rng([seed, of.index])
    what = _kind(of.dtype)
    if what == "bool":
        return np.asarray(random.integers(0, 2, of.shape)).astype(of.dtype)
    if what in ("int", "uint"):
        return np.asarray(random.integers(0, _LARGEST_INTEGER + 1, of.shape)).astype(of.dtype)
    drawn: Any = random.uniform(*range_, of.shape)
    if what == "complex":
        drawn = drawn + 1j * random.uniform(*range_, of.shape)
    return np.asarray(drawn).astype(of.dtype)
