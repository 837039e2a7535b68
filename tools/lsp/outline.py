"""The names of a program: where each is defined and used, and its functions, from the text alone.

    outline = Outline("func.func @f(%x: f32) { return %x : f32 }")
    outline.definition(outline.at(31))      Token(VALUE, "%x", 13)

It is made for text that is being written: MLIR refuses most of it.  See Note [Scopes].
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from anvl.tools.lsp.lexing import Kind, Token, tokens

__all__ = ["Function", "Outline", "closings"]

# Note [Scopes]
#
# Braces are the scopes.  A name is what the innermost scope around it defines, before it if there
# is such a definition, else after it.  The arguments of a function, and those of ops with a form
# of their own (`scf.for %i = ...`, `reducer(%a: f32)`), stand outside the braces in which they
# are known, so they are entered in the scope around: two functions with an `%x` each are told apart
# since a use takes the definition before it.

_OPEN, _CLOSE = "({[", ")}]"
_VISIBILITIES = ("private", "public", "nested")
_SYMBOL_OPS = (
    "func.func", "module", "builtin.module", "memref.global", "llvm.func",
    "pdl.pattern", "irdl.dialect", "irdl.operation", "irdl.type", "irdl.attribute",
)  # fmt: skip
_FUNCTION = "func.func"
_MOST_SCOPES = 100  # in one another; what nests deeper is one scope


class Function(NamedTuple):
    """A function: from its op to its end, its name, and the braces of its body, if it has one."""

    start: int
    end: int
    name: Token
    body: tuple[int, int] | None


class _Scope:
    """The definitions of each name in a scope, in their order, and the scopes around it."""

    def __init__(self, parent: "_Scope | None") -> None:
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.names: dict[str, list[Token]] = {}

    def around(self) -> "Iterator[_Scope]":
        """This scope, and those around it."""
        scope: _Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


def closings(tokens: Sequence[Token]) -> dict[int, int]:
    """The position of the bracket that closes each bracket, by the position of that.

    In text that is being written some are missing: a brace closes no other bracket than a brace,
    and no other bracket closes a brace.
    """
    found: dict[int, int] = {}
    opened: list[int] = []
    for i, token in enumerate(tokens):
        if token.text in _OPEN:
            opened.append(i)
        elif token.text in _CLOSE:
            sought = _OPEN[_CLOSE.index(token.text)]
            at = len(opened) - 1
            while at >= 0 and tokens[opened[at]].text not in ("{", sought):
                at -= 1
            if at >= 0 and tokens[opened[at]].text == sought:
                found[opened[at]] = i
                del opened[at:]
    return found


class Outline:
    """The names of one program, which is a text without split markers."""

    def __init__(self, text: str, start: int = 0, end: int | None = None) -> None:
        self.tokens: Sequence[Token] = list(tokens(text, start, end))
        self._starts = [token.start for token in self.tokens]
        self._closings = closings(self.tokens)
        self._scope_of: dict[int, _Scope] = {}  # by the start of a name
        self._names: dict[int, Token] = {}  # the same
        self._definitions: dict[int, Token] = {}
        self._named: dict[str, list[Token]] = defaultdict(list)
        self._by_op: dict[int, list[Token]] = {}
        _Reader(self).read()

    def closing(self, i: int) -> int:
        """The position in the tokens of the bracket that closes one; the last, if none does."""
        return self._closings.get(i, len(self.tokens) - 1)

    def is_closed(self, i: int) -> bool:
        """Whether a token is a bracket that another one closes."""
        return i in self._closings

    # -- questions ---------------------------------------------------------------------------------

    def at(self, offset: int) -> Token | None:
        """The token that covers an offset, or ends there; the latter only if none begins there."""
        i = bisect_right(self._starts, offset) - 1
        if i < 0:
            return None
        token = self.tokens[i]
        if token.start == offset and token.kind is Kind.OTHER and i:
            before = self.tokens[i - 1]
            if before.end == offset and before.kind is not Kind.OTHER:
                return before
        return token if offset <= token.end else None

    def name_at(self, offset: int) -> Token | None:
        """The name at an offset, defined or used there; that of `sym_name = "f"` is `@f`."""
        token = self.at(offset)
        return self._names.get(token.start) if token is not None else None

    def extent(self, token: Token) -> tuple[int, int]:
        """Where a name begins and ends."""
        return token.start, self.tokens[self.index(token)].end

    def index(self, token: Token) -> int:
        """The position of a token among all."""
        return bisect_right(self._starts, token.start) - 1

    def definition(self, token: Token | None) -> Token | None:
        """Where a name is defined; None for a name that nothing defines, or another token."""
        if token is None or token.start not in self._scope_of:
            return None
        for scope in self._scope_of[token.start].around():
            found = scope.names.get(token.text)
            if found:
                before = bisect_right(found, token.start, key=attrgetter("start"))
                return found[max(before - 1, 0)]
        if token.kind is Kind.SYMBOL:  # in the table of another op: `@module::@f`
            return next((x for x in self._named[token.text] if self.is_definition(x)), None)
        return None

    def is_definition(self, token: Token) -> bool:
        return token.start in self._definitions

    def uses(self, definition: Token) -> list[Token]:
        """The uses of a definition, in their order, without itself."""
        return [
            token
            for token in self._named[definition.text]
            if token.start != definition.start and self.definition(token) == definition
        ]

    def symbols(self) -> list[Token]:
        """The definitions of symbols."""
        return [x for x in self._definitions.values() if x.kind is Kind.SYMBOL]

    def defined_by(self, op: Token) -> list[Token]:
        """The names of the results of an op, by the token of its name."""
        return self._by_op.get(op.start, [])

    def op_defining(self, value: Token) -> Token | None:
        """The token of the name of the op that a value is a result of; None for arguments."""
        for i in range(self.index(value) + 1, len(self.tokens)):
            if self.tokens[i].text == "=":
                op = self.tokens[i + 1] if i + 1 < len(self.tokens) else None
                return op if op is not None and value in self.defined_by(op) else None
        return None

    @cached_property
    def functions(self) -> list[Function]:
        """The functions, in their order."""
        return [self._function(token) for token in self.symbols() if self._op_of(token)]

    def function_at(self, offset: int) -> Function | None:
        """The function around an offset."""
        found = [f for f in self.functions if f.start <= offset <= f.end]
        return found[-1] if found else None

    # -- functions ---------------------------------------------------------------------------------

    def _op_of(self, symbol: Token) -> Token | None:
        """The token of the op of a function, from its name."""
        i = self.index(symbol) - 1
        if i >= 0 and self.tokens[i].text in _VISIBILITIES:
            i -= 1
        return self.tokens[i] if i >= 0 and self.tokens[i].text == _FUNCTION else None

    def _function(self, name: Token) -> Function:
        op = self._op_of(name)
        assert op is not None
        body = self._body(self.index(name) + 1)
        if body is None:
            return Function(op.start, name.end, name, None)
        last = self.tokens[body[1]]
        begin = self.tokens[body[0]].start
        return Function(op.start, last.end, name, (begin, last.end))

    def _body(self, i: int) -> tuple[int, int] | None:
        """The braces of a body, as positions in the tokens, searched from behind the name on."""
        before = ""
        while i < len(self.tokens):
            token = self.tokens[i]
            if token.text == "{" and before != "attributes":
                return i, self.closing(i)
            if token.text in _OPEN:
                i = self.closing(i)
            elif token.kind in (Kind.VALUE, Kind.STRING, Kind.SYMBOL, Kind.BLOCK) or (
                token.kind is Kind.WORD and "." in token.text
            ):
                return None  # the next op
            elif token.text in _CLOSE:
                return None
            before = token.text
            i += 1
        return None


class _Reader:
    """Enters the names of a text in its outline, token by token."""

    def __init__(self, outline: Outline) -> None:
        self._of = outline
        self._tokens = outline.tokens
        self._scope = _Scope(None)
        self._too_deep = 0
        # For each open `(`, whether arguments are defined in it; None if its words may tell.
        self._headers: list[bool | None] = []
        self._around: list[list[bool | None]] = []  # those outside of each open brace
        # Of the last list `%a, %b = ` that was met: its end, and the start of the op if it has one.
        self._list: tuple[int, int | None] = (0, None)

    def read(self) -> None:
        for i, token in enumerate(self._tokens):
            if token.text in ("{", "}"):
                self._move(token.text)
            elif token.text == "(":
                self._headers.append(self._is_header(i))
            elif token.text == ")" and self._headers:
                self._headers.pop()
            elif token.kind in (Kind.VALUE, Kind.SYMBOL, Kind.BLOCK):
                self._enter(token, is_definition=self._defines(i))
            elif token.kind is Kind.STRING and self._text(i - 2) == "sym_name":
                name = Token(Kind.SYMBOL, f"@{token.text.strip(chr(34))}", token.start)
                self._enter(name, is_definition=True)

    def _move(self, brace: str) -> None:
        """Go into a new scope, or out of one."""
        if brace == "{":
            self._around.append(self._headers)
            self._headers = []
        elif self._around:
            self._headers = self._around.pop()
        if brace == "{":
            if self._scope.depth >= _MOST_SCOPES:
                self._too_deep += 1
            else:
                self._scope = _Scope(self._scope)
        elif self._too_deep:
            self._too_deep -= 1
        elif self._scope.parent is not None:
            self._scope = self._scope.parent

    def _enter(self, token: Token, *, is_definition: bool) -> None:
        of = self._of
        of._scope_of[token.start] = self._scope
        of._names[token.start] = token
        of._named[token.text].append(token)
        if is_definition:
            self._scope.names.setdefault(token.text, []).append(token)
            of._definitions[token.start] = token

    def _text(self, i: int) -> str:
        return self._tokens[i].text if 0 <= i < len(self._tokens) else ""

    def _defines(self, i: int) -> bool:
        """Whether the name at `i` is a definition."""
        token = self._tokens[i]
        if token.kind is Kind.SYMBOL:
            return self._text(i - 1) in (*_VISIBILITIES, *_SYMBOL_OPS)
        if token.kind is Kind.BLOCK:
            return self._is_label(i)
        return self._is_result(i) or self._is_argument(i)

    def _is_result(self, i: int) -> bool:
        """Whether `=` follows the name, or the list of names: `%a, %b:2 = `."""
        if self._headers:  # the names of arguments: `while(%i = %0, %c = %1)`
            return self._text(i + 1) == "="
        if i >= self._list[0]:
            self._list = self._read_list(i)
        op = self._list[1]
        if op is None:
            return False
        self._of._by_op.setdefault(op, []).append(self._tokens[i])
        return True

    def _read_list(self, i: int) -> tuple[int, int | None]:
        """The end of the list of names that begins at `i`, and the start of the op behind its `=`.

        Each list is read once, as it may be long.
        """
        while True:
            i += 1
            if self._text(i) == ":" and self._text(i + 1).isdigit():
                i += 2
            if self._text(i) != "," or not self._text(i + 1).startswith("%"):
                break
            i += 1
        return i, self._start(i + 1) if self._text(i) == "=" else None

    def _start(self, i: int) -> int:
        return self._tokens[i].start if i < len(self._tokens) else -1

    def _is_argument(self, i: int) -> bool:
        """Whether a type follows the name in the header of a function, a block or a region."""
        if self._text(i + 1) != ":" or not self._headers:
            return False
        if self._headers[-1] is not None:
            return self._headers[-1]
        word = self._text(i - 1) in ("(", ",")
        return word and not self._is_known(self._tokens[i].text)

    def _is_known(self, name: str) -> bool:
        return any(name in scope.names for scope in self._scope.around())

    def _is_header(self, i: int) -> bool | None:
        """Whether the parenthesis at `i` follows the name of a function, or a label of a block.

        Not if the name is used there; None if there is no name.
        """
        before = self._tokens[i - 1] if i else None
        if before is None or before.kind not in (Kind.SYMBOL, Kind.BLOCK):
            return None
        return before.start in self._of._definitions

    def _is_label(self, i: int) -> bool:
        """Whether the name of a block is that of the block which follows, not of a successor."""
        if self._text(i + 1) == "(":
            i = self._of.closing(i + 1)
        return self._text(i + 1) == ":"
