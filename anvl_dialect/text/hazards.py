r"""Detection of text that crashes MLIR's parser, a verifier or the bindings, before it is parsed.

Found by mutating programs (`make fuzz-text`); all of them with StableHLO 1.19, in torch-mlir
20261001.  Bytecode with such content is read in a separate process.

* `reduce` without an array, or without an initial value: its verifier.
* A convolution whose layout has an axis number of many digits, for which its parser allocates.
* `dense<(1.0, 2.0)>`, complex numbers, of a type that is not complex: the parser of `dense`.
* `all_to_all` with empty replica groups: its verifier divides by their number.
* Names, of symbols, attributes and in locations, that are not UTF-8: no binding can return them.
"""

import re
from collections.abc import Iterator

__all__ = ["InvalidOp", "check_text", "not_utf8", "undecodable"]

# As strings: `re` compiles them on first use, not at import.
_REDUCE = r'"stablehlo\.reduce"[ \t]*\(([^()]*)\)'
_LAYOUT = r"(?:#stablehlo\.conv<|\bdim_numbers\s*=\s*)(?:[^>={}\"]|->)*?\b(\d{5,})"
_COMPLEX = r"\bdense\s*<[\s\[]*\([^<>]*>\s*:\s*(?:(?P<alias>![\w$.\-]+)|(?P<type>\w+\s*<[^<>]*>?))"
_GROUPS = r"\breplica_groups\s*=\s*(?:(?P<alias>#[\w$.\-]+)|dense\s*<[^<>]*>\s*:\s*(?P<type>\S*))"
_ALIAS = r"^[ \t]*{}\s*=(.*)$"
_NO_GROUPS = r"tensor\s*<\s*0\s*x"
_STRING_OR_COMMENT = r'"(?:[^"\\\n]|\\.)*"|//[^\n]*'
_HIGH_BYTE = r"\\[89A-Fa-f][0-9A-Fa-f]"
_ESCAPE = r"\\([0-9A-Fa-f]{2}|.)"


class InvalidOp(TypeError):
    """An op that violates a constraint.  Attributes: `location` (MLIR text)."""

    def __init__(self, message: str, location: str) -> None:
        super().__init__(message)
        self.location = location


def check_text(name: str, text: str) -> None:
    """Raise `InvalidOp` for text of the file `name` that is not safe to parse."""
    # Searching a substring is many times as fast as searching a pattern; few programs contain one.
    if "stablehlo.reduce" in text:
        _check_reduce(name, text)
    if "stablehlo.conv" in text:
        _check_layouts(name, text)
    # A word boundary before it would be tried at each character: 70 ms for 20,000 ops.
    if "dense" in text and re.search(r"dense\s*<[\s\[]*(?:\(|//)", text):
        _check_complex(name, without_comments(text))
    if "all_to_all" in text:
        _check_groups(name, without_comments(text))
    found = undecodable(text)
    if found is not None:
        raise _refused(name, text, found[0], not_utf8(found[1]))


def _refused(name: str, text: str, at: int, message: str) -> InvalidOp:
    line = text.count("\n", 0, at) + 1
    return InvalidOp(message, f'loc("{name}":{line}:{at - text.rfind(chr(10), 0, at)})')


def _check_reduce(name: str, text: str) -> None:
    for match in re.finditer(_REDUCE, text):
        line = text[: match.start()].rpartition("\n")[2]
        n_operands = match[1].count("%")
        if n_operands >= 2 or "//" in line:  # valid, or a comment
            continue
        counted = f"{n_operands} operand{'s' * (n_operands != 1)}"
        message = f"reduce: takes one initial value per array, got {counted}"
        raise _refused(name, text, match.start(), message)


def _check_layouts(name: str, text: str) -> None:
    match = re.search(_LAYOUT, text)
    if match is not None:
        message = (
            f"convolution: dimension numbers name axis {match[1]}; no array has that many axes"
        )
        raise _refused(name, text, match.start(1), message)


def _check_complex(name: str, text: str) -> None:
    for match in re.finditer(_COMPLEX, text):
        of = match["type"] or _aliased(match["alias"], text)
        if "complex" not in of:
            message = f"a complex number in a literal of {of.strip() or match['alias']}"
            raise _refused(name, text, match.start(), message)


def _check_groups(name: str, text: str) -> None:
    for op in re.finditer(r"\ball_to_all\b", text):
        match = re.compile(_GROUPS).search(text, op.end())
        if match is None:
            return
        of = match["type"] or _aliased(match["alias"], text)
        if re.search(_NO_GROUPS, of):
            message = "all_to_all: replica_groups has no group; give one, or one for each part"
            raise _refused(name, text, match.start(), message)


def _aliased(alias: str, text: str) -> str:
    """Expand an alias: its definition and those of the aliases in it, concatenated."""
    found, pending = [], [alias]
    while pending:
        definition = re.search(_ALIAS.format(re.escape(pending.pop())), text, re.MULTILINE)
        if definition is not None and definition[1] not in found:
            found.append(definition[1])
            pending += re.findall(r"[!#][A-Za-z_$][\w$.\-]*", definition[1])
    return " ".join(found)


def without_comments(text: str) -> str:
    """Blank out the comments."""
    return re.sub(
        _STRING_OR_COMMENT,
        lambda m: m[0] if m[0][0] == '"' else " " * len(m[0]),
        text,
    )


def undecodable(text: str) -> tuple[int, str] | None:
    r"""Position and text of a name that is not UTF-8, such as `"\E0"`; None if there is none.

    Attribute values may be any bytes.
    """
    if re.search(_HIGH_BYTE, text) is None:
        return None
    for match in _strings(text):
        is_value = text[: match.start()].rstrip().endswith("=")
        is_op = text[match.end() : match.end() + 20].lstrip().startswith("(")
        if (is_op or not is_value) and not _is_utf8(match[0]):
            return match.start(), match[0]
    return None


def not_utf8(string: str) -> str:
    """Message for a name that `undecodable` found."""
    return (
        f"the name {string} is not UTF-8 text; rename the symbol, attribute or file of a location"
    )


def _strings(text: str) -> Iterator[re.Match[str]]:
    return (m for m in re.finditer(_STRING_OR_COMMENT, text) if m[0][0] == '"')


def _is_utf8(string: str) -> bool:
    if re.search(_HIGH_BYTE, string) is None:
        return True
    data = re.sub(
        _ESCAPE.encode(),
        lambda m: bytes([int(m[1], 16)]) if len(m[1]) == 2 else m[1],
        string.encode(),
    )
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
