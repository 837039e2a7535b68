"""A headless browser for tests, through its debugging pipe: Chromium or Chrome, and no library.

with Browser(found()) as browser:
    browser.open(path)
    browser.value("document.title")
"""

import base64
import json
import os
import select
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

__all__ = ["Browser", "found"]

_NAMES = (
    "google-chrome", "google-chrome-stable", "chrome", "chromium", "chromium-browser",
    "chrome-headless-shell",
)  # fmt: skip
_SECONDS = 60


def found():
    """The path of a browser: that of ANVL_BROWSER, or one on the PATH; None without one."""
    names = filter(None, (os.environ.get("ANVL_BROWSER"), *_NAMES))
    return next((path for name in names if (path := shutil.which(name))), None)


class Browser:
    """One page in a browser."""

    def __init__(self, path):
        self._path = path

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        flags = [
            "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
            f"--user-data-dir={self._folder.name}", "--window-size=1400,900", "about:blank",
        ]  # fmt: skip
        # The browser reads from descriptor 3 and writes to 4.
        command = f"exec {shlex.join([self._path, *flags])} 3<&{theirs_in} 4>&{theirs_out}"
        self._process = subprocess.Popen(
            ["bash", "-c", command],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._number, self._buffer, self._session = 0, b"", None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.errors = []
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._folder.cleanup()

    def call(self, method, **params):
        """The result of a command."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while True:
            answer = self._read()
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(answer["params"]["exceptionDetails"])
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def _read(self):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], _SECONDS)
            assert ready, f"the browser has not answered for {_SECONDS} s"
            data = os.read(self._in, 1 << 20)
            if not data:
                raise EOFError("the browser has ended")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(line)

    def open(self, path):
        """Open a file, and wait until it is loaded."""
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        self.wait("document.readyState === 'complete'")

    def value(self, expression):
        """The value of an expression of JavaScript."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition):
        """Wait for a condition in JavaScript."""
        end = time.monotonic() + _SECONDS
        while not self.value(condition):
            assert time.monotonic() < end, f"{condition} stays false"
            time.sleep(0.02)

    def hover(self, selector):
        """Move the mouse to the middle of an element."""
        self._mouse("mouseMoved", selector)

    def click(self, selector):
        """Press and release the mouse in the middle of an element."""
        self._mouse("mousePressed", selector, button="left", clickCount=1)
        self._mouse("mouseReleased", selector, button="left", clickCount=1)

    def _mouse(self, type_, selector, **more):
        box = self.value(
            f"(e => {{ e.scrollIntoView({{block: 'center', inline: 'start'}});"
            " const b = e.getBoundingClientRect();"
            " return [b.x + Math.min(b.width / 2, 60), b.y + Math.min(b.height / 2, 9)]; })"
            f"(document.querySelector({json.dumps(selector)}))"
        )
        self.call("Input.dispatchMouseEvent", type=type_, x=box[0], y=box[1], **more)

    def type(self, text):
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)

    def picture(self):
        """What the page looks like, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
