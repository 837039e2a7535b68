"""The language server, on pygls: what it answers to an editor, and when it checks a text.

    Server(seconds=10).serve(sys.stdout.buffer)

See Note [What may end the server].
"""

import asyncio
import contextlib
import inspect
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO, Protocol
from urllib.parse import quote, unquote

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from anvl.dialect.core.context import context
from anvl.tools.io.versions import anvl_version
from anvl.tools.lsp import analysis
from anvl.tools.lsp.child import Child
from anvl.tools.lsp.completion import TRIGGERS, completions
from anvl.tools.lsp.document import Document
from anvl.tools.lsp.views import pipelines_of, views
from anvl.tools.run.worker import ChildEnded

__all__ = ["Server"]

# Note [What may end the server]
#
# MLIR may crash on a text, a pass may take for ever, and type rules and passes of a person's own
# may do anything: they run in children, one for the checks and one for what is shown, so that a
# check never waits for a pass.  A child that ends or takes too long is replaced, and what is said
# then is a diagnostic.  In the server itself there is the text alone, read by `outline.py`.

_PAUSE_SECONDS = 0.15  # in typing, before a text is checked
_PATIENCE_SECONDS = 2.0  # of a hover, for the types of a text that is being checked
_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "remark": lsp.DiagnosticSeverity.Information,
    "note": lsp.DiagnosticSeverity.Hint,
}
_KINDS = {
    "op": lsp.CompletionItemKind.Function,
    "attribute": lsp.CompletionItemKind.Property,
    "symbol": lsp.CompletionItemKind.Reference,
}


class _Place(Protocol):
    """The parameters of a question about a place."""

    text_document: lsp.TextDocumentIdentifier
    position: lsp.Position


class _NotOpen(Exception):
    """A document that the editor asks about without having opened it; the answer is null."""


class Server:
    """A server for one editor, on stdin and stdout."""

    def __init__(self, *, seconds: float, unregistered: bool = False) -> None:
        self._unregistered = unregistered
        self._checker = Child(analysis.answer, seconds, analysis.__name__)
        self._shower = Child(analysis.answer, seconds, analysis.__name__)
        self._documents: dict[str, Document] = {}
        self._checks: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()  # of a check
        self._folder = tempfile.TemporaryDirectory(prefix="anvl-lsp-")
        # VS Code refuses a command that two servers have, and has one server for each folder.
        self._show_command = f"anvl.show.{os.getpid()}"
        self._pygls = LanguageServer(
            "anvl-lsp", anvl_version(), text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental
        )
        self._register()

    def serve(self, answers: BinaryIO) -> None:
        """Answer the editor, on stdin, until it leaves."""
        context()  # the children get it with the fork
        signal.signal(signal.SIGTERM, self._end)
        try:
            self._pygls.start_io(sys.stdin.buffer, answers)
        finally:
            self._close()

    def _close(self) -> None:
        for child in (self._checker, self._shower):
            child.close()
        self._folder.cleanup()

    def _end(self, number: int, _: FrameType | None) -> None:
        """End with the signal, and leave no files.

        An exception would wait for the thread that reads stdin, until the editor closes it.
        """
        self._close()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def _register(self) -> None:
        options = {
            lsp.TEXT_DOCUMENT_COMPLETION: lsp.CompletionOptions(trigger_characters=[*TRIGGERS])
        }
        handlers: dict[str, Callable[..., Any]] = {
            lsp.TEXT_DOCUMENT_DID_OPEN: self._opened,
            lsp.TEXT_DOCUMENT_DID_CHANGE: self._changed,
            lsp.TEXT_DOCUMENT_DID_CLOSE: self._closed,
            lsp.TEXT_DOCUMENT_HOVER: self._hover,
            lsp.TEXT_DOCUMENT_DEFINITION: self._definition,
            lsp.TEXT_DOCUMENT_REFERENCES: self._references,
            lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: self._symbols,
            lsp.TEXT_DOCUMENT_COMPLETION: self._completion,
            lsp.TEXT_DOCUMENT_CODE_ACTION: self._actions,
        }
        for name, method in handlers.items():
            self._pygls.feature(name, options.get(name))(_function(method))
        self._pygls.command(self._show_command)(_function(self._show))

    # -- documents and their checks ----------------------------------------------------------------

    def _opened(self, params: lsp.DidOpenTextDocumentParams) -> None:
        self._check(params.text_document.uri, 0.0)

    def _changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        self._check(params.text_document.uri, _PAUSE_SECONDS)

    def _closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._documents.pop(uri, None)
        check = self._checks.pop(uri, None)
        if check is not None:
            check.cancel()
        self._publish(uri, None, [])

    def _document(self, uri: str) -> Document:
        """The document as the editor has it now; `_NotOpen` if it has none."""
        # pygls, which decodes its keys, would read a file, whose text need not be the editor's.
        if unquote(uri) not in self._pygls.workspace.text_documents:
            raise _NotOpen
        held = self._pygls.workspace.get_text_document(uri)
        known = self._documents.get(uri)
        if known is None or known.version != held.version:
            encoding = str(self._pygls.workspace.position_encoding or "utf-16")
            known = self._documents[uri] = Document(uri, held.source, held.version, encoding)
        return known

    def _check(self, uri: str, pause: float) -> None:
        self._documents.pop(uri, None)
        before = self._checks.get(uri)
        if before is not None:
            before.cancel()
        self._checks[uri] = asyncio.get_running_loop().create_task(self._checked(uri, pause))

    async def _checked(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        # A check that is no longer wanted cannot be stopped; without turns, all that were ever
        # begun while one types would be waited for.
        await self._turn.acquire()
        try:
            document = self._document(uri)
        except _NotOpen:
            self._turn.release()
            return
        question = {
            "do": "check",
            "name": document.name,
            "text": document.text,
            "unregistered": self._unregistered,
        }
        asked = asyncio.ensure_future(asyncio.to_thread(self._checker.ask, question))
        asked.add_done_callback(self._end_of_check)
        try:
            document.checked = await asyncio.shield(asked)
            found = document.checked["diagnostics"]
        except ChildEnded as error:
            found = [_whole(f"reading this text {error}")]
        self._publish(uri, document.version, [_diagnostic(document, each) for each in found])

    def _end_of_check(self, asked: "asyncio.Future[Any]") -> None:
        self._turn.release()
        if not asked.cancelled():
            asked.exception()  # is not lost where the check is no longer wanted

    def _publish(self, uri: str, version: int | None, found: list[lsp.Diagnostic]) -> None:
        self._pygls.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, found, version)
        )

    # -- questions about a place -------------------------------------------------------------------

    def _at(self, params: "_Place") -> tuple[Document, int]:
        document = self._document(params.text_document.uri)
        return document, document.places.offset(params.position.line, params.position.character)

    async def _hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        document, at = self._at(params)
        check = self._checks.get(document.uri)
        if check is not None:
            await asyncio.wait([check], timeout=_PATIENCE_SECONDS)
        found = document.hover(at)
        if found is None:
            return None
        contents = lsp.MarkupContent(lsp.MarkupKind.Markdown, found.text)
        return lsp.Hover(contents, _range(document, found.start, found.end))

    def _definition(self, params: lsp.DefinitionParams) -> lsp.Location | None:
        document, at = self._at(params)
        found = document.definition(at)
        return None if found is None else lsp.Location(document.uri, _range(document, *found))

    def _references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        document, at = self._at(params)
        found = document.references(at, declaration=params.context.include_declaration)
        return [lsp.Location(document.uri, _range(document, *each)) for each in found]

    def _symbols(self, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        document = self._document(params.text_document.uri)
        return [
            lsp.DocumentSymbol(
                name=function.name.text,
                kind=lsp.SymbolKind.Function,
                range=_range(document, function.start, function.end),
                selection_range=_range(document, function.name.start, function.name.end),
            )
            for function in document.functions()
        ]

    def _completion(self, params: lsp.CompletionParams) -> lsp.CompletionList:
        document, at = self._at(params)
        piece = document.piece(at)
        return lsp.CompletionList(
            is_incomplete=False,
            items=[
                lsp.CompletionItem(
                    label=each.label,
                    kind=_KINDS[each.kind],
                    detail=each.detail or None,
                    documentation=lsp.MarkupContent(lsp.MarkupKind.Markdown, each.help),
                    # An editor compares it with what is being typed, quote included.
                    filter_text=each.insert,
                    text_edit=lsp.TextEdit(_range(document, each.start, each.end), each.insert),
                )
                for each in completions(document.text, at, piece.start, piece.end)
            ],
        )

    # -- code actions ------------------------------------------------------------------------------

    def _actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        document = self._document(params.text_document.uri)
        start = params.range.start
        at = document.places.offset(start.line, start.character)
        function = document.function_at(at)
        name = function.name.text if function is not None and function.body is not None else None
        return [
            lsp.CodeAction(
                title=view.title,
                kind=lsp.CodeActionKind.Empty,
                command=lsp.Command(
                    view.title, self._show_command, arguments=[document.uri, view.kind, name, at]
                ),
            )
            for view in views(name)
        ]

    async def _show(self, uri: str, kind: str, function: str | None, at: int) -> str | None:
        """Show a program after passes; returns its text, or None after an error."""
        try:
            document = self._document(uri)
        except _NotOpen:
            self._say(lsp.MessageType.Error, f"{uri} is not open: open it, and ask again")
            return None
        error = f"there is nothing to show by the name {kind!r}"
        for passes in pipelines_of(kind, function or ""):
            question = {
                "do": "show",
                "name": document.name,
                "text": document.text,
                "at": at,
                "pipeline": passes,
                "unregistered": self._unregistered,
            }
            try:
                answer = await asyncio.to_thread(self._shower.ask, question)
            except ChildEnded as ended:
                answer = {"error": f"{passes} {ended}"}
            if "text" in answer:
                text = f'// anvl-opt {document.name} -p "{passes}"\n{answer["text"]}\n'
                await self._open(document, f"{(function or '')[1:]}.{kind}", text)
                return text
            error = answer["error"]
        self._say(lsp.MessageType.Error, error.partition("\n")[0])
        return None

    async def _open(self, document: Document, what: str, text: str) -> None:
        """Open a text in the editor, or say where it is."""
        stem = Path(document.name).stem
        folder = Path(self._folder.name) / f"{abs(hash(document.uri)):x}"
        folder.mkdir(exist_ok=True)
        path = folder / f"{stem}.{quote(what.strip('.'), safe='')}.mlir"[-200:]
        path.write_text(text)
        window = self._pygls.client_capabilities.window
        if window is not None and window.show_document and window.show_document.support:
            shown = lsp.ShowDocumentParams(path.as_uri(), external=False, take_focus=True)
            with contextlib.suppress(Exception):  # the editor answers with an error
                if (await self._pygls.window_show_document_async(shown)).success:
                    return
        self._say(lsp.MessageType.Info, f"written to {path}")

    def _say(self, severity: lsp.MessageType, text: str) -> None:
        self._pygls.window_show_message(lsp.ShowMessageParams(severity, text))


def _function(method: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls a method: pygls writes attributes on what it is given.

    It returns None, null to the editor, where the method asks for a document that is not open.
    """
    if inspect.iscoroutinefunction(method):

        @wraps(method)
        async def awaited(*args: Any) -> Any:
            with contextlib.suppress(_NotOpen):
                return await method(*args)

        return awaited

    @wraps(method)
    def called(*args: Any) -> Any:
        with contextlib.suppress(_NotOpen):
            return method(*args)

    return called


def _range(document: Document, start: int, end: int) -> lsp.Range:
    ends = (lsp.Position(*document.places.in_editor(at)) for at in (start, end))
    return lsp.Range(*ends)


def _whole(message: str) -> dict[str, Any]:
    """A diagnostic without a place."""
    return {"severity": "error", "message": message, "start": 0, "end": 1, "notes": []}


def _diagnostic(document: Document, found: dict[str, Any]) -> lsp.Diagnostic:
    notes = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(document.uri, _range(document, start, end)), message
        )
        for message, start, end in found["notes"]
    ]
    return lsp.Diagnostic(
        range=_range(document, found["start"], found["end"]),
        message=found["message"],
        severity=_SEVERITIES[found["severity"]],
        source="anvl",
        related_information=notes or None,
    )
