"""Where checks stand in a test: those that were written before are replaced at their place.

A prefix is written by the tool or by a person.  The first line of the test names those of the tool;
of these, -NOT, -DAG and -COUNT lines are a person's, who may add them, and stay.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anvl.tools.checks.check_lines import Block, at_line
from anvl.tools.checks.lit_test import KINDS, RUN, directives, is_directive

__all__ = ["ChecksError", "Placed", "marked_prefixes", "of_person", "placed", "written"]

_MARK = "NOTE: the checks of {} were written by anvl-update-checks, which replaces them"
_MARKED = re.compile(_MARK.format(r"([\w, -]+)"))
_WRITTEN_KINDS = ("NEXT", "SAME", "LABEL", "EMPTY")


class ChecksError(Exception):
    """Checks of a test cannot be written."""


@dataclass(frozen=True)
class Placed:
    """A block of a prefix, with the line of the test, counted from 0, before which it stands."""

    prefix: str
    block: Block
    at: int
    is_new: bool


def marked_prefixes(lines: Sequence[str]) -> tuple[str, ...]:
    """The prefixes whose checks the tool wrote, as the test says."""
    found = (_MARKED.search(line) for line in lines)
    return next((tuple(match[1].split(", ")) for match in found if match), ())


def of_person(lines: Sequence[str], prefixes: Collection[str]) -> list[str]:
    """Those of `prefixes` that have checks which the tool did not write."""
    names = {directive.name for directive in directives(lines)}
    used = [p for p in prefixes if any(is_directive(name, p, KINDS) for name in names)]
    return [prefix for prefix in used if prefix not in marked_prefixes(lines)]


def _owned(lines: Sequence[str], prefixes: Collection[str]) -> dict[int, tuple[str, str, str]]:
    """The lines that are replaced, counted from 0: prefix, kind and pattern of each."""
    by_hand = of_person(lines, prefixes)
    found = {}
    for d in directives(lines):
        for prefix in prefixes:
            kinds = KINDS if prefix in by_hand else _WRITTEN_KINDS
            if is_directive(d.name, prefix, kinds):
                found[d.line - 1] = prefix, d.name[len(prefix) + 1 :], d.pattern
    return found


def placed(
    lines: Sequence[str], outputs: Sequence[tuple[Collection[str], Sequence[Block]]]
) -> list[Placed]:
    """The blocks of all outputs, each with its place.

    A block stands where it stood before, or else before the function of its name, or else after the
    block before it: for its filecheck, blocks are in the order of the output.
    """
    found: dict[tuple[str, str, int], Placed] = {}
    chosen = _chosen_prefixes(outputs)
    old = _old_places(lines, {prefix for prefix in chosen.values() if prefix})
    for which, (_, blocks) in enumerate(outputs):
        at = -1
        for block, copy in _copies(blocks):
            prefix = chosen[which, block.name, copy]
            key = (prefix, block.name, copy)
            if key not in found:
                place = old.get((prefix, block.label, copy))
                is_new = place is None
                if place is None:
                    place = _function(lines, block.name, copy)
                if place is None:
                    place = at if at >= 0 else _next_place(lines, blocks, block)
                found[key] = Placed(prefix, block, max(at, place), is_new)
            at = max(at, found[key].at)
    return sorted(found.values(), key=lambda one: one.at)


def _copies(blocks: Sequence[Block]) -> Iterator[tuple[Block, int]]:
    """Each block, with the number of blocks of its name before it."""
    seen: dict[str, int] = {}
    for block in blocks:
        yield block, seen.get(block.name, 0)
        seen[block.name] = seen.get(block.name, 0) + 1


def _chosen_prefixes(
    outputs: Sequence[tuple[Collection[str], Sequence[Block]]],
) -> dict[tuple[int, str, int], str]:
    """The prefix of each block of each output: the first under which all that read it agree."""
    contents = [
        {(block.name, copy): block.lines for block, copy in _copies(blocks)}
        for _, blocks in outputs
    ]
    chosen: dict[tuple[int, str, int], str] = {}
    for which, (prefixes, _) in enumerate(outputs):
        for key, lines in contents[which].items():
            if (which, *key) in chosen:
                continue
            for prefix in prefixes:
                readers = [i for i, (names, _) in enumerate(outputs) if prefix in names]
                if all(contents[i].get(key) == lines for i in readers):
                    chosen |= {(i, *key): prefix for i in readers}
                    break
            else:
                what = f"@{key[0]}" if key[0] else "what they print"
                raise ChecksError(
                    f"several RUN lines have the prefix {', '.join(prefixes)}, but {what} differs "
                    "between them; give each a prefix of its own (--check-prefixes=CHECK,A)"
                )
    return chosen


def _old_places(
    lines: Sequence[str], prefixes: Collection[str]
) -> Mapping[tuple[str, str, int], int]:
    """The line of each block that was written before, by prefix and label."""
    found: dict[tuple[str, str, int], int] = {}
    labels: dict[str, int] = dict.fromkeys(prefixes, 0)
    for at, (prefix, kind, pattern) in _owned(lines, prefixes).items():
        if kind == "LABEL":
            labels[prefix] += 1
            copy = sum(key[:2] == (prefix, pattern) for key in found)
            found[prefix, pattern, copy] = at
        elif not labels[prefix]:
            found.setdefault((prefix, "", 0), at)
    return found


def _function(lines: Sequence[str], name: str, copy: int) -> int | None:
    """The line where the test itself defines a function."""
    if not name:
        return None
    quoted = re.escape(name)
    starts = re.compile(rf"\s*(?:[\w.]*func (?:\w+ )?@{quoted}\(|\"func\.func\".*\"{quoted}\")")
    found = [at for at, line in enumerate(lines) if starts.match(line)]
    return found[min(copy, len(found) - 1)] if found else None


def _next_place(lines: Sequence[str], blocks: Sequence[Block], block: Block) -> int:
    """The place of what comes before all that has one: before the next function, or on top."""
    if block.name:
        for later in blocks[blocks.index(block) :]:
            if (at := _function(lines, later.name, 0)) is not None:
                return at
    runs = [at for at, line in enumerate(lines) if RUN.search(line)]
    return runs[-1] + 1


def written(
    lines: Sequence[str],
    blocks: Sequence[Placed],
    prefixes: Sequence[str],
    marked: Sequence[str],
) -> list[str]:
    """The test with these blocks in place of the old ones of `prefixes`.

    Its first line says that the checks of `marked` are the tool's.
    """
    text = _Text(lines, _removed(lines, prefixes))
    text.out.append(f"{text.comment} {_MARK.format(', '.join(marked))}")
    for at, line in enumerate(lines):
        text.add_blocks([one for one in blocks if one.at == at])
        text.add_line(at, line)
    text.add_blocks([one for one in blocks if one.at == len(lines)])
    return text.finished()


class _Text:
    """The new text of a test, made line by line."""

    def __init__(self, lines: Sequence[str], removed: Collection[int]) -> None:
        run = next(line for line in lines if RUN.search(line))
        self.comment = "//" if run.lstrip().startswith("//") else "#"
        self.removed = removed
        self.out: list[str] = []
        self.checks: list[tuple[int, str, str]] = []
        self.moved = [0] * (len(lines) + 2)  # new numbers of the lines, which count from 1
        self.cut = False  # whether lines were removed since the last that is not empty
        self.ends_block = False

    def add_line(self, at: int, line: str) -> None:
        self.moved[at + 1] = len(self.out) + 1
        if at in self.removed:
            self.cut = True
            return
        if line.strip():
            if self.ends_block and re.match(r"\s*(//|#)", line):
                self.out.append("")
                self.moved[at + 1] += 1
            self.cut = False
        elif self.cut and not self.out[-1].strip():
            return
        self.ends_block = False
        self.out.append(line)

    def add_blocks(self, blocks: Sequence[Placed]) -> None:
        for n, one in enumerate(blocks):
            if self.out[-1].strip() and (n or one.is_new or self.ends_block):
                self.out.append("")
            for directive, pattern in _directives(one):
                self.checks.append((len(self.out), directive, pattern))
                self.out.append(self.comment)
            self.ends_block = True

    def finished(self) -> list[str]:
        """All lines, with checks that know where they stand."""
        for at, directive, pattern in self.checks:
            shown = at_line(pattern, self.moved, at + 1)
            self.out[at] = f"{self.comment} {directive}{shown}".rstrip()
        return self.out


def _directives(one: Placed) -> Iterator[tuple[str, str]]:
    """Each line of a block: the directive, padded so that the patterns stand below each other."""
    longest = max(len(kind) for kind, _ in one.block.lines)
    width = len(one.prefix) + (longest + 1 if longest else 0) + 2
    for kind, pattern in one.block.lines:
        name = f"{one.prefix}-{kind}:" if kind else f"{one.prefix}:"
        yield name.ljust(width), pattern


def _removed(lines: Sequence[str], prefixes: Collection[str]) -> set[int]:
    """The mark, the checks that were written before, and the empty lines between two of them."""
    removed = {at for at, line in enumerate(lines) if _MARKED.search(line)}
    owned = _owned(lines, prefixes)
    removed |= set(owned)
    last = None
    for at, line in enumerate(lines):
        if at in owned:
            removed |= set(range(last + 1, at)) if last is not None else set()
            last = at
        elif line.strip():
            last = None
    return removed
