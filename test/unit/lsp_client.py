"""A client of a language server: JSON-RPC on the pipes of a process."""

import json
import queue
import subprocess
import threading
from typing import Any

_SECONDS = 60  # for an answer, on a machine that is busy


class ResponseError(Exception):
    """The server answered with an error."""


class Client:
    """Starts a server; what it says without being asked is kept in `heard`."""

    def __init__(self, command: list[str], capabilities: dict[str, Any]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number = 0
        self.heard: list[dict[str, Any]] = []
        self.errors: list[str] = []
        for read in (self._read, self._read_errors):
            threading.Thread(target=read, daemon=True).start()
        self.capabilities = self.request(
            "initialize", processId=None, rootUri=None, capabilities=capabilities
        )["capabilities"]
        self.notify("initialized")

    def request(self, method: str, **params: Any) -> Any:
        """The result of a request."""
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": params})
        answer = self._until(lambda m: m.get("id") == number and "method" not in m)
        if "error" in answer:
            raise ResponseError(answer["error"]["message"])
        return answer["result"]

    def notify(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def diagnostics(self, uri: str, version: int) -> list[dict[str, Any]]:
        """The diagnostics of a version of a document, once they come."""

        def are_they(message: dict[str, Any]) -> bool:
            params = message.get("params") or {}
            is_ours = message.get("method") == "textDocument/publishDiagnostics"
            return is_ours and (params["uri"], params.get("version")) == (uri, version)

        known = next((m for m in reversed(self.heard) if are_they(m)), None)
        return (known or self._until(are_they))["params"]["diagnostics"]

    def close(self) -> int:
        """Leave as an editor does; the exit code."""
        self.request("shutdown")
        self.notify("exit")
        code = self.process.wait(_SECONDS)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        return code

    # -- messages ----------------------------------------------------------------------------------

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self.process.stdin.flush()

    def _until(self, is_wanted: Any) -> dict[str, Any]:
        while True:
            message = self._messages.get(timeout=_SECONDS)
            if message is None:
                raise EOFError(f"the server left: {''.join(self.errors)}")
            if "method" in message:
                self.heard.append(message)
                if "id" in message:  # it asks us
                    self._send({"id": message["id"], "result": {"success": True}})
            if is_wanted(message):
                return message

    def _read(self) -> None:
        stream = self.process.stdout
        while header := stream.readline():
            if not header.startswith(b"Content-Length: "):
                self.errors.append(f"this is no header: {header!r}")
                break
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            self._messages.put(json.loads(stream.read(length)))
        self._messages.put(None)

    def _read_errors(self) -> None:
        for line in self.process.stderr:
            self.errors.append(line.decode(errors="replace"))
