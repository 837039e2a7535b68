"""Which ops of two modules correspond, by structure; the names of SSA values mean nothing.

    found = matched(before, after)
    found.after[op]         the op of the second module that `op` of the first is, if there is one
    found.merged[op]        for an op that is gone: an equal op that stayed

Note [Matching]
Functions are matched by name, or else by their bodies.  Within two functions:

1. Ops whose cones are equal, that is, ops with equal names, attributes, types and regions whose
   operands are equal in the same sense, are matched in the order of the text; where one module has
   more of them, by the names of their results and their locations.
2. Ops with equal names, attributes and types whose operands correspond are matched, from each new
   pair on to its users.
3. Of what is left, these are matched if they have the same name: operands of matched ops at the
   same position, the last ops of blocks, and ops that share operands, a location or the name of
   their result.  These are the ops that changed; each such pair is followed by step 2.
4. The same for ops of different names, such as an op and what it was lowered to: they must have the
   same types, and the same operands or location.

All steps look only at users and at tables, so that the time is about linear.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, zip_longest

from anvl.dialect.view.record import Block, Op, Record, Value

__all__ = ["Matching", "matched"]

_BESIDE = -1  # a value that is not in the function, or is defined further down
_MOST_CANDIDATES = 32  # of the users of one value, for a value with thousands of users


@dataclass(eq=False)
class Matching:
    """Pairs of ops and of values, and the functions of only one of the two modules."""

    after: dict[Op, Op] = field(default_factory=dict)
    before: dict[Op, Op] = field(default_factory=dict)
    values: dict[Value, Value] = field(default_factory=dict)
    merged: dict[Op, Op] = field(default_factory=dict)

    def add(self, a: Op, b: Op) -> None:
        self.after[a], self.before[b] = b, a
        self.values.update(zip(a.results, b.results, strict=False))


def matched(before: Record, after: Record) -> Matching:
    """Match the ops of two modules."""
    found = Matching()
    found.add(before.root, after.root)
    numbers = _Numbers()
    for a, b in _functions(before.root, after.root, numbers):
        _Matcher(a, b, found, numbers).run()
    return found


class _Numbers:
    """Equal things get equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def of(self, *key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def own(self, op: Op) -> int:
        """An op without its operands and the contents of its regions."""
        blocks = ((x.region, tuple(y.type for y in x.arguments)) for x in op.blocks)
        attributes = frozenset(op.attributes.items())
        types = tuple(x.type for x in op.results)
        return self.of("own", op.name, attributes, types, tuple(blocks), op.successors)

    def fresh(self) -> int:
        return self.of("fresh", len(self._numbers))


def _functions(a: Op, b: Op, numbers: _Numbers) -> Iterator[tuple[Op, Op]]:
    """The functions that correspond, and what else the modules hold at the top."""
    left, right = _top(a), _top(b)
    names = left.keys() & right.keys()
    yield from ((left[name], right[name]) for name in left if name in names)
    bodies: dict[int, deque[Op]] = defaultdict(deque)
    for name, op in left.items():
        if name not in names and op.blocks:
            bodies[_body(op, numbers)].append(op)
    for name, op in right.items():
        if name not in names and op.blocks and (same := bodies[_body(op, numbers)]):
            yield same.popleft(), op


def _top(module: Op) -> dict[Hashable, Op]:
    found: dict[Hashable, Op] = {}
    counts: Counter[str] = Counter()
    for block in module.blocks:
        for op in block.ops:
            counts[op.name] += 1
            found[op.name, op.symbol or counts[op.name]] = op
    return found


def _body(function: Op, numbers: _Numbers) -> int:
    """A number for the body of a function, whatever the name of the function."""
    cones = _Cones(numbers)
    for block in function.blocks:
        for x in block.arguments:
            cones.values[x] = numbers.of("argument", block.index, x.index, x.type)
    cones.read(function)
    return numbers.of("body", *(tuple(cones.ops[op] for op in x.ops) for x in function.blocks))


class _Cones:
    """For each op of a function a number that is the same for ops with equal cones."""

    def __init__(self, numbers: _Numbers) -> None:
        self.ops: dict[Op, int] = {}
        self.own: dict[Op, int] = {}
        self.values: dict[Value, int] = {}
        self._numbers = numbers

    def read(self, function: Op) -> None:
        """Number the ops in a function, whose own arguments have a number."""
        for block in function.blocks:
            for op in block.ops:
                self._read(op)

    def _read(self, op: Op) -> None:
        numbers = self._numbers
        own = self.own[op] = numbers.own(op)
        operands = tuple(self.values.get(x, _BESIDE) for x in op.operands)
        header = numbers.of("header", own, operands)
        regions = []
        for block in op.blocks:
            for x in block.arguments:
                self.values[x] = numbers.of("of", header, block.region, block.index, x.index)
            for inner in block.ops:
                self._read(inner)
            regions.append(tuple(self.ops[inner] for inner in block.ops))
        made = self.ops[op] = numbers.of("op", header, tuple(regions))
        for x in op.results:
            self.values[x] = numbers.of("result", made, x.index)


class _Matcher:
    """Matches the ops in two functions.  See Note [Matching]."""

    def __init__(self, a: Op, b: Op, found: Matching, numbers: _Numbers) -> None:
        self._a, self._b, self._found = a, b, found
        self._back: dict[Value, Value] = {}  # from the second function to the first
        self._cones = [_Cones(numbers), _Cones(numbers)]
        self._reached: deque[Op] = deque()  # ops of the second whose operands got a counterpart
        self._pairs: list[tuple[Op, Op]] = []
        self._compared = 0  # pairs whose operands have been compared
        self._pair(a, b)
        self._number_arguments(numbers)

    def _number_arguments(self, numbers: _Numbers) -> None:
        left, right = self._cones
        for block in self._a.blocks:
            left.values.update((x, numbers.fresh()) for x in block.arguments)
        for block in self._b.blocks:
            for x in block.arguments:
                back = self._back.get(x)
                right.values[x] = numbers.fresh() if back is None else left.values[back]
        left.read(self._a)
        right.read(self._b)

    def run(self) -> None:
        self._match_cones()
        self._left = _Table(self._rest(self._a), self._cones[0], self._found)
        self._propagate()
        for same_name in (True, False):
            self._compared = 0
            self._match_operands(same_name)
            for b in self._rest(self._b):
                if b not in self._found.before and (a := self._candidate(b, same_name)):
                    self._pair(a, b)
                    self._propagate()
                    self._match_operands(same_name)
        self._find_merged()

    def _rest(self, function: Op) -> list[Op]:
        """The ops of a function that are not matched, in the order of the text."""
        found = self._found
        return [op for op in function.walk() if op not in found.after and op not in found.before]

    def _pair(self, a: Op, b: Op) -> None:
        """Note that two ops correspond, and so do their results and arguments."""
        self._found.add(a, b)
        pairs = list(zip(a.results, b.results, strict=False))
        if len(a.blocks) == len(b.blocks):
            for one, other in zip(a.blocks, b.blocks, strict=True):
                pairs += _arguments(one, other)
        for x, y in pairs:
            self._found.values[x] = y
            self._back[y] = x
            self._reached += y.users
        self._pairs.append((a, b))

    # Step 1

    def _match_cones(self) -> None:
        left, right = self._cones
        waiting: dict[int, deque[Op]] = defaultdict(deque)
        for op in self._a.walk():
            if op is not self._a:
                waiting[left.ops[op]].append(op)
        as_many = self._cones_of_as_many(waiting)
        for b in self._b.walk():
            if b is self._b or b in self._found.before:
                continue
            cone = right.ops[b]
            same = waiting.get(cone, deque())
            while same and same[0] in self._found.after:
                same.popleft()
            most = 1 if cone in as_many else _MOST_CANDIDATES
            a = _namesake(b, islice(same, most), self._found)
            if a is not None:
                self._pair_all(a, b)

    def _cones_of_as_many(self, waiting: dict[int, deque[Op]]) -> set[int]:
        """The cones that both functions have the same number of."""
        counts = Counter(self._cones[1].ops[op] for op in self._b.walk() if op is not self._b)
        return {cone for cone, ops in waiting.items() if len(ops) == counts[cone]}

    def _pair_all(self, a: Op, b: Op) -> None:
        """Pair two ops that are equal, and the ops in their regions."""
        for one, other in zip(a.walk(), b.walk(), strict=True):
            if one not in self._found.after:
                self._pair(one, other)

    # Step 2

    def _propagate(self) -> None:
        while self._reached:
            b = self._reached.popleft()
            if b in self._found.before or b not in self._cones[1].own:  # beside the function
                continue
            back = [self._back.get(x) for x in b.operands]
            if any(x is None for x in back):
                continue
            a = self._left.equal(self._cones[1].own[b], back)
            if a is not None:
                self._pair(a, b)

    # Steps 3 and 4

    def _match_operands(self, same_name: bool) -> None:
        """Match the operands of matched ops, at the same position."""
        while self._compared < len(self._pairs):
            pair = self._pairs[self._compared]
            self._compared += 1
            for a, b in (*_terminators(*pair), *_operands(*pair)):
                if a in self._found.after or b in self._found.before:
                    continue
                if a.name == b.name if same_name else self._is_renamed(a, b):
                    self._pair(a, b)
                    self._propagate()

    def _is_renamed(self, a: Op, b: Op) -> bool:
        if [x.type for x in a.results] != [x.type for x in b.results]:
            return False
        return a.origin == b.origin or (bool(a.operands) and self._shared(a, b) == len(a.operands))

    def _shared(self, a: Op, b: Op) -> int:
        """Number of operands that correspond, at the same position."""
        pairs = zip_longest(a.operands, (self._back.get(y) for y in b.operands))
        return sum(self._left.same(x, y) for x, y in pairs if x is not None and y is not None)

    def _candidate(self, b: Op, same_name: bool) -> Op | None:
        """The op of the first function that is most like `b`; None if none is alike."""
        best, most = None, 0
        for a in self._left.like(b, (self._back.get(y) for y in b.operands)):
            if a in self._found.after or (a.name == b.name) is not same_name:
                continue
            score = self._score(a, b) if same_name else int(self._is_renamed(a, b))
            if score > most:
                best, most = a, score
        return best

    def _score(self, a: Op, b: Op) -> int:
        shared = self._shared(a, b)
        is_placed = a.origin == b.origin or (bool(_name(a)) and _name(a) == _name(b))
        if not is_placed and 2 * shared < max(len(a.operands), len(b.operands), 1):
            return 0
        of = self._cones
        equal = of[0].own.get(a) == of[1].own[b]
        is_parallel = a.block is not None and b.block is not None and a.parent is not None
        near = is_parallel and self._found.after.get(a.parent) is b.parent  # type: ignore[arg-type]
        return 8 * is_placed + 4 * shared + 2 * equal + near

    def _find_merged(self) -> None:
        """Ops that are gone, but for an equal one."""
        of = self._cones[0].ops
        kept: dict[int, Op] = {}
        for a in self._a.walk():
            if a is not self._a and a in self._found.after:
                kept.setdefault(of[a], self._found.after[a])
        for a in self._rest(self._a):
            b = kept.get(of[a]) if a.results else None
            if b is not None:
                self._found.merged[a] = b


class _Table:
    """The ops of the first function that are not matched, to be found by what is known of them."""

    def __init__(self, ops: Iterable[Op], cones: _Cones, found: Matching) -> None:
        self._cones, self._found = cones, found
        self._equal: dict[tuple[int, ...], list[Op]] = defaultdict(list)
        self._placed: dict[Hashable, list[Op]] = defaultdict(list)
        for op in reversed(list(ops)):  # so that the first is at the end
            self._equal[self._key(cones.own[op], op.operands)].append(op)
            for key in (op.origin, _name(op)):
                if key:
                    self._placed[key].append(op)

    def _key(self, own: int, operands: Iterable[Value | None]) -> tuple[int, ...]:
        return (own, *(self._cones.values.get(x, _BESIDE) for x in operands if x is not None))

    def same(self, x: Value, y: Value) -> bool:
        """Whether two values of the first function are the same, or equal by their cones."""
        values = self._cones.values
        return x is y or (x in values and values[x] == values.get(y))

    def equal(self, own: int, operands: list[Value | None]) -> Op | None:
        """An op with these operands; rather with these very values than with equal ones."""
        found = self._equal.get(self._key(own, operands), [])
        while found and found[-1] in self._found.after:
            found.pop()
        left = [op for op in found[: -_MOST_CANDIDATES - 1 : -1] if op not in self._found.after]
        return next((op for op in left if op.operands == operands), left[0] if left else None)

    def like(self, b: Op, operands: Iterable[Value | None]) -> Iterator[Op]:
        """Ops that share an operand, the location or the name with an op of the second function."""
        for key in (b.origin, _name(b)):
            yield from self._placed.get(key, ())[:_MOST_CANDIDATES]
        for x in operands:
            if x is not None:
                yield from x.users[:_MOST_CANDIDATES]


def _name(op: Op) -> str:
    """The name that the text or Python gives to a result."""
    return getattr(op.location, "name_str", "") if len(op.results) == 1 else ""


def _namesake(b: Op, equal: Iterable[Op], found: Matching) -> Op | None:
    """Of several equal ops the first that has the name or location of `b`, or else the first."""
    left = [a for a in equal if a not in found.after]
    named = (a for a in left if a.origin == b.origin or _name(a) == _name(b) != "")
    return next(named, left[0] if left else None)


def _terminators(a: Op, b: Op) -> Iterator[tuple[Op, Op]]:
    """The last ops of the blocks of two ops."""
    for one, other in zip(a.blocks, b.blocks, strict=False):
        if one.ops and other.ops:
            yield one.ops[-1], other.ops[-1]


def _operands(a: Op, b: Op) -> Iterator[tuple[Op, Op]]:
    """The ops that make the operands at the same position."""
    for x, y in zip(a.operands, b.operands, strict=False):
        if x.op is not None and y.op is not None and x.index == y.index:
            yield x.op, y.op


def _arguments(a: Block, b: Block) -> Iterator[tuple[Value, Value]]:
    """The arguments that correspond: all in order, or by name where their types differ."""
    if [x.type for x in a.arguments] == [x.type for x in b.arguments]:
        yield from zip(a.arguments, b.arguments, strict=True)
        return
    named = {x.name: x for x in a.arguments}
    left, right = dict.fromkeys(a.arguments), []
    for y in b.arguments:
        x = named.get(y.name)
        if x is not None and x in left:
            del left[x]
            yield x, y
        else:
            right.append(y)
    for y in right:
        same = next((x for x in left if x.type == y.type), None)
        if same is not None:
            del left[same]
            yield same, y
