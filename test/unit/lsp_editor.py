"""A document that is being typed, for tests of the language server."""

import itertools

from anvl.tools.lsp.text_positions import TextPositions

__all__ = ["Editor"]

_numbers = itertools.count()


class Editor:
    """A document that is being typed."""

    def __init__(self, client, text):
        self.client, self.text, self.version = client, text, 1
        self.uri = f"file:///folder/wave{next(_numbers)}.mlir"
        self.id = {"uri": self.uri}
        document = self.id | {"languageId": "mlir", "version": 1, "text": text}
        client.notify("textDocument/didOpen", textDocument=document)

    def type(self, text):
        self.text = text
        self.version += 1
        document = self.id | {"version": self.version}
        changes = [{"text": text}]
        self.client.notify("textDocument/didChange", textDocument=document, contentChanges=changes)
        return self

    def edit(self, start, end, new):
        """Replace what is between two offsets, and tell the server that alone."""
        places = TextPositions(self.text)
        (a, b), (c, d) = map(places.in_editor, (start, end))
        ends = {"line": a, "character": b}, {"line": c, "character": d}
        change = {"range": {"start": ends[0], "end": ends[1]}, "text": new}
        self.text = self.text[:start] + new + self.text[end:]
        self.version += 1
        document = self.id | {"version": self.version}
        self.client.notify("textDocument/didChange", textDocument=document, contentChanges=[change])
        return self

    def replace(self, old, new):
        assert old in self.text
        return self.type(self.text.replace(old, new))

    def diagnostics(self):
        """Severity, text in the range, and message of each."""
        found = self.client.diagnostics(self.uri, self.version)
        return [(x["severity"], self.at(x["range"]), x["message"]) for x in found]

    def ask(self, method, mark, **params):
        """Ask about the place of `|` in `mark`, a part of the text."""
        assert self.text.count(mark.replace("|", "")) >= 1, mark
        offset = self.text.index(mark.replace("|", "")) + mark.index("|")
        before = self.text[:offset]
        line = before.count("\n")
        column = len(before[before.rfind("\n") + 1 :].encode("utf-16-le")) // 2
        position = {"line": line, "character": column}
        return self.client.request(
            f"textDocument/{method}", textDocument=self.id, position=position, **params
        )

    def at(self, range_):
        """`line: text` of a range, with lines from 1."""
        start, end = range_["start"], range_["end"]
        line = self.text.split("\n")[start["line"]].encode("utf-16-le")
        assert start["line"] == end["line"]
        text = line[2 * start["character"] : 2 * end["character"]].decode("utf-16-le")
        return f"{start['line'] + 1}: {text}"

    def hover(self, mark):
        return self.ask("hover", mark)["contents"]["value"]

    def complete(self, mark):
        return self.ask("completion", mark)["items"]

    def actions(self, line):
        place = {"line": line - 1, "character": 3}
        return {
            x["title"]: x["command"]
            for x in self.client.request(
                "textDocument/codeAction",
                textDocument=self.id,
                range={"start": place, "end": place},
                context={"diagnostics": []},
            )
        }

    def run(self, command):
        return self.client.request(
            "workspace/executeCommand",
            command=command["command"],
            arguments=command["arguments"],
        )
