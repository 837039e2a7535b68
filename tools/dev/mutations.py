"""Mutations of MLIR text that a user or a broken file could have caused."""

import random
import re
from collections.abc import Callable, Sequence

__all__ = ["Mutator", "mutated_bytes"]

_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|[%@#!^][\w$.\-]+|->|[A-Za-z_][\w$.]*|-?\d[\w.+]*|\s+|.',
    re.DOTALL,
)
_NUMBERS = (
    "0", "-1", "1", "2", "7", "255", "65536", "2147483647", "2147483648", "4294967296",
    "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1" + "0" * 40, "0x7FC0",
    "1.0", "-0.0", "1.0e400", "1e-400", "nan", "inf", '"0xFF"', "(1.0, 2.0)", "dense<[]>",
)  # fmt: skip
_TYPES = (
    "f16", "bf16", "f32", "f64", "i1", "i4", "i8", "i32", "i64", "ui8", "ui64", "si32", "index",
    "complex<f32>", "complex<f64>", "f8E4M3FN", "f4E2M1FN", "i7", "i1000", "tensor<f32>", "none",
    "vector<2xf32>", "memref<2xf32>", "tuple<>", "!quant.uniform<i8:f32, 0.1>", "tensor<*xf32>",
    "tensor<?xf32>", "(f32) -> f32", "token",
)  # fmt: skip
# Tokens replaced wherever they occur: a tensor type by another, a number, an op by one of the
# corpus.
_CONSISTENT: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"tensor<[^<>]*>", ("tensor<f32>", "tensor<0xf32>", "tensor<2x0xf64>", "tensor<?xf32>",
                         "tensor<3xi1>", "tensor<1x1x1x1xf16>", "tensor<i32>", "tensor<2xui8>",
                         "tensor<3xbf16>", "tensor<9223372036854775807xf32>")),
    (r"tensor<[^<>]*>", ()),
    (r'"(?:anvl|stablehlo)\.\w+"', ()),
    (r"\b(?:stablehlo|chlo)\.\w+", ()),
    (r"(?<=[ \[])-?\d+(?=[, \]])", ("0", "1", "-1", "2", "9223372036854775807")),
    (r"%\w+", ()),
)  # fmt: skip
_INSERTED = (
    "loc(unknown)", 'loc("a":1:1)', r'loc("\E0":1:1)', 'loc(fused["a", "b"])', "{a = 1 : i32}",
    "attributes {anvl.vjp = {callee = @main, wrt = array<i64: 0>, targets = array<i64: 0>}}",
    "{anvl.captured = 0 : i64}", "^bb0:", "module {", "}", "->", "\u00e9", "\x01", '"', "//",
)  # fmt: skip


class Mutator:
    """Mutate texts of a corpus; replacements are taken from the corpus."""

    def __init__(self, corpus: Sequence[str], draw: random.Random) -> None:
        self._corpus = corpus
        self._draw = draw
        self._steps: tuple[Callable[[str], str], ...] = (
            self._delete, self._double, self._exchange, self._replace, self._replace, self._number,
            self._number, self._type, self._type, self._line, self._splice, self._bracket,
            self._byte, self._insert, self._cut, *[self._everywhere] * 12,
        )  # fmt: skip

    def text(self) -> str:
        """One of the texts, with one to four mutations."""
        text = self._draw.choice(self._corpus)
        for _ in range(self._draw.choice((1, 1, 1, 1, 1, 2, 2, 3))):
            text = self._draw.choice(self._steps)(text)
        return text

    def _chosen_token(self, tokens: list[str], pattern: str = r"\S") -> int | None:
        found = [i for i, token in enumerate(tokens) if re.match(pattern, token)]
        return self._draw.choice(found) if found else None

    def _delete(self, text: str) -> str:
        tokens = _TOKEN.findall(text)
        at = self._chosen_token(tokens)
        return (
            text if at is None else "".join(tokens[:at] + tokens[at + self._draw.randint(1, 4) :])
        )

    def _double(self, text: str) -> str:
        tokens = _TOKEN.findall(text)
        at = self._chosen_token(tokens)
        if at is None:
            return text
        end = at + self._draw.randint(1, 6)
        return "".join([*tokens[:end], " ", *tokens[at:]])

    def _exchange(self, text: str) -> str:
        tokens = _TOKEN.findall(text)
        one = self._chosen_token(tokens)
        if one is None:
            return text
        other = self._chosen_token(tokens, _kind(tokens[one])) or one
        tokens[one], tokens[other] = tokens[other], tokens[one]
        return "".join(tokens)

    def _replace(self, text: str) -> str:
        tokens = _TOKEN.findall(text)
        at = self._chosen_token(tokens, r'["%@#!A-Za-z]')
        if at is None:
            return text
        others = _TOKEN.findall(self._draw.choice(self._corpus))
        other = self._chosen_token(others, _kind(tokens[at]))
        if other is not None:
            tokens[at] = others[other]
        return "".join(tokens)

    def _number(self, text: str) -> str:
        return self._put(text, r"-?\d+(?:\.\d+(?:e[+-]?\d+)?)?", _NUMBERS)

    def _type(self, text: str) -> str:
        return self._put(text, r"(?<=[x<: ])(?:[fiu]+\d+|complex<\w+>)(?=[>,) ])", _TYPES)

    def _everywhere(self, text: str) -> str:
        """Replace all occurrences of a type, number, value or op: often valid."""
        pattern, choices = self._draw.choice(_CONSISTENT)
        found = re.findall(pattern, text)
        if not found:
            return text
        new = self._draw.choice(
            choices or re.findall(pattern, self._draw.choice(self._corpus)) or found
        )
        return re.sub(
            rf"(?<![\w.]){re.escape(self._draw.choice(found))}(?![\w.])", lambda _: new, text
        )

    def _put(self, text: str, pattern: str, choices: Sequence[str]) -> str:
        found = list(re.finditer(pattern, text))
        if not found:
            return text
        match = self._draw.choice(found)
        return text[: match.start()] + self._draw.choice(choices) + text[match.end() :]

    def _line(self, text: str) -> str:
        lines = text.split("\n")
        at = self._draw.randrange(len(lines))
        kept = self._draw.choice(([], [lines[at]] * 2))
        return "\n".join(lines[:at] + kept + lines[at + 1 :])

    def _splice(self, text: str) -> str:
        lines, others = text.split("\n"), self._draw.choice(self._corpus).split("\n")
        at, start = self._draw.randrange(len(lines)), self._draw.randrange(len(others))
        taken = others[start : start + self._draw.randint(1, 8)]
        return "\n".join(lines[:at] + taken + lines[at:])

    def _bracket(self, text: str) -> str:
        """Empty a pair of brackets, or double its contents."""
        found = list(re.finditer(r"[<(\[{]([^<>()\[\]{}]*)[>)\]}]", text))
        if not found:
            return text
        match = self._draw.choice(found)
        inside = self._draw.choice(("", match[1] * 2, f"{match[1]}, {match[1]}"))
        return text[: match.start(1)] + inside + text[match.end(1) :]

    def _byte(self, text: str) -> str:
        at = self._draw.randrange(len(text) + 1)
        return text[:at] + chr(self._draw.randrange(1, 127)) + text[at + self._draw.randint(0, 1) :]

    def _insert(self, text: str) -> str:
        tokens = _TOKEN.findall(text)
        at = self._draw.randrange(len(tokens) + 1)
        return "".join([*tokens[:at], " ", self._draw.choice(_INSERTED), " ", *tokens[at:]])

    def _cut(self, text: str) -> str:
        return text[: self._draw.randrange(len(text) + 1)]


def _kind(token: str) -> str:
    """A pattern for tokens of the same kind."""
    if token[0] in '"%@#!^':
        return re.escape(token[0])
    if token[0].isalpha():
        return r"[A-Za-z]"
    return r"-?\d" if token[0].isdigit() else r"[^\w\s]"


def mutated_bytes(data: bytes, draw: random.Random) -> bytes:
    """Bytecode with up to four bytes changed, left out, inserted or cut off."""
    changed = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(4, len(changed)) if len(changed) > 5 else 0
        action = draw.choice(("change", "change", "change", "drop", "add", "cut"))
        if action == "change":
            changed[at] = draw.choice((0, 1, 255, draw.randrange(256), changed[at] ^ 1))
        elif action == "add":
            changed[at:at] = draw.randbytes(draw.randint(1, 4))
        elif action == "drop":
            del changed[at : at + draw.randint(1, 4)]
        elif draw.random() < 0.2:
            del changed[at:]
    return bytes(changed)
