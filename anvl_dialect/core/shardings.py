"""Meshes of devices and specs of arrays, as text: in the IR, on the command line and in messages.

    mesh    "x=4,y=2"    8 devices: 4 along the axis x, 2 along y; the last axis varies fastest
    spec    "x,-"        an entry for each dimension of an array:
              -          whole on each device
              x          cut along x
              x*y        cut along x, and each part along y
              ?          left to XLA's partitioner; x*? is cut along x, and perhaps further

The command line also takes `:` for `=`, as in `mesh=x:4,y:2`.  The spec of a scalar is the empty
text.  Arguments and results of functions hold both in one attribute, `"x=4,y=2;x,-"`.

A mesh names no devices: a program is compiled for a list of them, in this order.
Source: Shardy's representation, https://openxla.org/shardy/sharding_representation.
"""

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from anvl.dialect.core.errors import ShardingError

__all__ = [
    "OPEN", "MeshShape", "Spec", "Tiles", "check_sharding", "drawn", "joined", "mesh_from_sdy",
    "sharding_from_sdy", "split_sharding",
]  # fmt: skip

#: The last part of an entry that the partitioner may cut further.
OPEN = "?"
_WHOLE = "-"
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SIZE = re.compile(r"[1-9]\d{0,8}", re.ASCII)


class Tiles(NamedTuple):
    """Which part of an array each device holds, in the form of XLA's tile assignments.

    Attributes
    ----------
    parts
        The number of parts along each dimension.
    devices
        Positions in the list of devices: of part (0, .., 0) and its copies first, the last
        dimension varying fastest.
    copies
        How many devices hold the same part.
    """

    parts: tuple[int, ...]
    devices: tuple[int, ...]
    copies: int


@dataclass(frozen=True)
class MeshShape:
    """The named axes of a mesh of devices, and their sizes."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.names or len(self.names) != len(self.sizes):
            raise ShardingError(f"mesh: {len(self.names)} axes and {len(self.sizes)} sizes; "
                                "give one size for each axis, of one axis at least")  # fmt: skip
        for name, size in zip(self.names, self.sizes, strict=True):
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                raise ShardingError(f"mesh: {name!r} is not the name of an axis; use letters, "
                                    "digits and underscores")  # fmt: skip
            if size < 1:
                raise ShardingError(f"mesh: axis {name} has size {size}; it must be at least 1")
        if twice := _repeated(self.names):
            raise ShardingError(f"mesh: axis {twice} is named twice, in {str(self)!r}")

    @staticmethod
    def parse(text: str) -> "MeshShape":
        """Read `x=4,y=2` or `x:4,y:2`.  Raises `ShardingError`."""
        return _mesh_of(text)

    def __str__(self) -> str:
        return ",".join(f"{n}={size}" for n, size in zip(self.names, self.sizes, strict=True))

    @property
    def size(self) -> int:
        """The number of devices."""
        return math.prod(self.sizes)

    def along(self, axes: Iterable[str]) -> int:
        """The number of devices along some axes."""
        return math.prod(self.sizes[self.names.index(axis)] for axis in axes)

    def ordered(self, axes: Sequence[str]) -> list[int]:
        """The positions of all devices, listed with the axes in this order, the last fastest."""
        strides = [math.prod(self.sizes[i + 1 :]) for i in range(len(self.sizes))]
        places = [self.names.index(axis) for axis in axes]
        ranges = [range(0, self.sizes[i] * strides[i], strides[i]) for i in places]
        return [sum(steps) for steps in itertools.product(*ranges)]

    def groups(self, axes: Sequence[str]) -> list[list[int]]:
        """Devices that differ along these axes alone: one list for each place on the others.

        Members are in the order of `axes`, the last fastest.  These are the replica groups of a
        collective.
        """
        others = [name for name in self.names if name not in axes]
        found, size = self.ordered([*others, *axes]), self.along(axes)
        return [found[i : i + size] for i in range(0, len(found), size)]

    def to_sdy(self) -> str:
        """The mesh in Shardy's text: `#sdy.mesh<["x"=4, "y"=2]>`."""
        axes = ", ".join(f'"{n}"={size}' for n, size in zip(self.names, self.sizes, strict=True))
        return f"#sdy.mesh<[{axes}]>"


@lru_cache(256)
def _mesh_of(text: str) -> MeshShape:
    names, sizes = [], []
    for part in text.split(","):
        name, _, size = part.strip().replace(":", "=").partition("=")
        if not _NAME.fullmatch(name) or not _SIZE.fullmatch(size):
            raise ShardingError(
                f"mesh: {part.strip()!r} in {text!r} is not an axis with its size; write the mesh "
                "like x=4,y=2"
            )
        names.append(name)
        sizes.append(int(size))
    return MeshShape(tuple(names), tuple(sizes))


@dataclass(frozen=True)
class Spec:
    """How an array lies on a mesh: for each dimension the axes that it is cut along.

    An entry is a tuple of names, the outermost first: `()` is whole on each device.  `OPEN` as the
    last one leaves further cuts to the partitioner.
    """

    entries: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for entry in self.entries:
            if not _is_entry(entry):
                raise ShardingError(
                    f"spec: {entry!r} is no entry; write a tuple of names of axes, the last of "
                    f"which may be {OPEN!r}"
                )

    @staticmethod
    def parse(text: str) -> "Spec":
        """Read `x,-`.  Raises `ShardingError`."""
        return _spec_of(text)

    @staticmethod
    def whole(rank: int) -> "Spec":
        """The spec of an array that is whole on each device."""
        return Spec(((),) * rank)

    @staticmethod
    def open(rank: int) -> "Spec":
        """The spec of an array that the partitioner may place as it likes."""
        return Spec(((OPEN,),) * rank)

    def __str__(self) -> str:
        return ",".join(_entry_text(entry) for entry in self.entries)

    @property
    def axes(self) -> tuple[str, ...]:
        """All axes that the array is cut along, in the order of the dimensions."""
        return tuple(name for entry in self.entries for name in entry if name != OPEN)

    @property
    def is_open(self) -> bool:
        """Whether something is left to the partitioner."""
        return any(OPEN in entry for entry in self.entries)

    def parts(self, mesh: MeshShape) -> tuple[int, ...]:
        """The number of parts along each dimension, as far as this spec says."""
        return tuple(mesh.along(name for name in entry if name != OPEN) for entry in self.entries)

    def local_shape(self, mesh: MeshShape, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of the part of a device; of the largest one, if the cuts are uneven."""
        return tuple(-(-n // cuts) for n, cuts in zip(shape, self.parts(mesh), strict=True))

    def global_shape(self, mesh: MeshShape, local: Sequence[int]) -> tuple[int, ...]:
        """The shape of an array whose parts have this shape."""
        return tuple(n * cuts for n, cuts in zip(local, self.parts(mesh), strict=True))

    def tiles(self, mesh: MeshShape) -> Tiles:
        """Which part each device holds."""
        others = [name for name in mesh.names if name not in self.axes]
        devices = mesh.ordered([*self.axes, *others])
        return Tiles(self.parts(mesh), tuple(devices), mesh.along(others))

    def with_axis(self, axis: int, entry: tuple[str, ...] = (OPEN,)) -> "Spec":
        """The spec with one more dimension, at `axis`."""
        return Spec((*self.entries[:axis], entry, *self.entries[axis:]))

    def to_sdy(self) -> str:
        """The entries in Shardy's text: `[{"x"}, {}, {?}]`."""
        return f"[{', '.join(map(_sdy_entry, self.entries))}]"


@lru_cache(1024)
def _spec_of(text: str) -> Spec:
    if not text.strip():
        return Spec(())
    return Spec(tuple(_entry_of(part.strip(), text) for part in text.split(",")))


def _entry_of(part: str, text: str) -> tuple[str, ...]:
    if part == _WHOLE:
        return ()
    entry = tuple(name.strip() for name in part.split("*"))
    if _is_entry(entry):
        return entry
    raise ShardingError(
        f"spec: {part!r} in {text!r} is no entry; write an axis for each dimension, several "
        "as x*y, - for none, ? for any, like x,-"
    )


def _is_entry(entry: Sequence[str]) -> bool:
    names = entry[:-1] if entry[-1:] and entry[-1] == OPEN else entry
    return all(map(_NAME.fullmatch, names))


def _entry_text(entry: tuple[str, ...]) -> str:
    return "*".join(entry) if entry else _WHOLE


def _sdy_entry(entry: tuple[str, ...]) -> str:
    return "{" + ", ".join(OPEN if name == OPEN else f'"{name}"' for name in entry) + "}"


def joined(mesh: MeshShape, spec: Spec) -> str:
    """Both in one text, the attribute `anvl.sharding` of an argument or result: `x=4,y=2;x,-`."""
    return f"{mesh};{spec}"


def split_sharding(text: str) -> tuple[MeshShape, Spec]:
    """Read the text of `joined`.  Raises `ShardingError`."""
    mesh, semicolon, spec = text.partition(";")
    if not semicolon:
        raise ShardingError(
            f"sharding: {text!r} has no ; between mesh and spec; write it like x=4,y=2;x,-"
        )
    return MeshShape.parse(mesh), Spec.parse(spec)


_SDY_AXIS = re.compile(r'"([^"]*)"\s*=\s*(\d+)')
_SDY_SHARDING = re.compile(
    r"#sdy\.sharding(?:_per_value)?<\[?<?\s*"
    r"(?:@(?P<name>[\w$.-]+)|mesh(?P<mesh><[^>]*>))\s*,\s*"
    r"\[(?P<entries>[^\]]*)\]\s*(?P<rest>(?:,[^<>]*)?)>\]?>?"
)
_SDY_ENTRY = re.compile(r"\{([^}]*)\}(?:p\d+)?")


def mesh_from_sdy(text: str) -> MeshShape:
    """Read a mesh in Shardy's text, `<["x"=2, "y"=2]>`.  Raises `ShardingError`.

    The order of its devices is not kept: a program is given its devices when it is compiled.
    """
    axes = _SDY_AXIS.findall(text)
    return MeshShape(tuple(name for name, _ in axes), tuple(int(size) for _, size in axes))


def sharding_from_sdy(text: str, meshes: Mapping[str, MeshShape]) -> tuple[MeshShape, Spec]:
    """Read `#sdy.sharding<@mesh, [{"x"}, {?}]>`, or the same for one value of several.

    Raises `ShardingError` for what a spec cannot say: part of an axis, a sum that is not done yet,
    shardings of several values, a mesh that is not among `meshes`.
    """
    found = _SDY_SHARDING.fullmatch(text.strip())
    if found is None or "unreduced" in found["rest"] or ":" in found["entries"]:
        raise ShardingError(f"sharding: {text!r} is not the text of one sharding by whole axes")
    if found["mesh"] is None and found["name"] not in meshes:
        raise ShardingError(f"sharding: {text!r} names a mesh that the program does not have")
    mesh = meshes[found["name"]] if found["mesh"] is None else mesh_from_sdy(found["mesh"])
    entries = [
        tuple(name.strip().strip('"') for name in entry.split(",") if name.strip())
        for entry in _SDY_ENTRY.findall(found["entries"])
    ]
    return mesh, Spec(tuple(entries))


def check_sharding(
    function: str, mesh: MeshShape, spec: Spec, shape: Sequence[int], *, even: bool
) -> None:
    """Refuse a spec that does not fit the mesh and the shape of the array.

    Parameters
    ----------
    function
        The op or function that speaks.
    mesh, spec
    shape
        Of the whole array.
    even
        Whether each part must have the same shape, as those of arguments and results.

    Raises
    ------
    ShardingError
        The rank differs; an axis is unknown, or used twice; a dimension is not divisible.  The
        message draws the mesh, and the spec along the dimensions.
    """
    wrong, where = _mistake(mesh, spec, shape, even)
    if wrong:
        picture = drawn(mesh, spec, shape, where)
        raise ShardingError(f"{function}: {wrong}\n{picture}")


def _mistake(
    mesh: MeshShape, spec: Spec, shape: Sequence[int], even: bool
) -> tuple[str, int | None]:
    """The first mistake, and the dimension at fault."""
    if len(spec.entries) != len(shape):
        return (
            f"spec {str(spec)!r} has {len(spec.entries)} entries, the array has {len(shape)} "
            "dimensions; give one entry for each, - where it is not cut"
        ), None
    seen: list[str] = []
    for dimension, (entry, size) in enumerate(zip(spec.entries, shape, strict=True)):
        axes = [name for name in entry if name != OPEN]
        wrong = _wrong_axes(mesh, spec, axes, seen)
        cuts = 1 if wrong else mesh.along(axes)
        if even and size % cuts:
            wrong = (
                f"dimension {dimension} of size {size} does not divide into {cuts} parts, spec "
                f"{str(spec)!r} on mesh {str(mesh)!r}; pad it to {-(-size // cuts) * cuts}, or cut "
                "another dimension"
            )
        if wrong:
            return wrong, dimension
        seen += axes
    return "", None


def _wrong_axes(mesh: MeshShape, spec: Spec, axes: Sequence[str], seen: Sequence[str]) -> str:
    """The mistake in the axes of an entry; `seen` are those of the entries before it."""
    for i, name in enumerate(axes):
        if name not in mesh.names:
            return (
                f"axis {name} of spec {str(spec)!r} is not in mesh {str(mesh)!r}; its axes are "
                f"{', '.join(mesh.names)}"
            )
        if name in seen or name in axes[:i]:
            return (
                f"axis {name} is used twice in spec {str(spec)!r}; an axis cuts one dimension, once"
            )
    return ""


def drawn(mesh: MeshShape, spec: Spec, shape: Sequence[int], where: int | None = None) -> str:
    """A picture of a mesh, and of the dimensions of an array with their cuts.

    `where` marks a dimension.
    """
    axes = "  ".join(f"{n}={size}" for n, size in zip(mesh.names, mesh.sizes, strict=True))
    lines = [f"    mesh  {axes}  ({mesh.size} devices)"]
    for i in range(max(len(shape), len(spec.entries))):
        size = str(shape[i]) if i < len(shape) else "none"
        entry = _entry_text(spec.entries[i]) if i < len(spec.entries) else "no entry"
        lines.append(f"    dim {i}  {size:>6}  {entry}{'  <- here' if i == where else ''}")
    return "\n".join(lines)


def _repeated(names: Sequence[str]) -> str | None:
    return next((name for i, name in enumerate(names) if name in names[:i]), None)
