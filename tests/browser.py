"""A headless Chromium over the DevTools protocol, through a pair of pipes. Tests only."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)

_EXEC = """
import os, sys
read, write = os.dup2(int(sys.argv[1]), 100), os.dup2(int(sys.argv[2]), 101)
os.dup2(read, 3), os.dup2(write, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page of a browser, to be used in a `with`.

    Args:
        profile: an empty folder.
    """

    def __init__(self, profile: Path) -> None:
        self._profile = profile
        self._numbers = itertools.count(1)

    def __enter__(self) -> Self:
        theirs, ours = os.pipe()
        heard, said = os.pipe()
        self._process = subprocess.Popen(
            [
                sys.executable, "-c", _EXEC, str(theirs), str(said), str(CHROMIUM), "--headless", "--no-sandbox",
                "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={self._profile}", "about:blank",
            ],
            pass_fds=(theirs, said),
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs)
        os.close(said)
        self._write, self._read = os.fdopen(ours, "wb"), os.fdopen(heard, "rb")
        self._session = None
        pages = self.call("Target.getTargets")["targetInfos"]
        target = next(page["targetId"] for page in pages if page["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.logged: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.requested: list[str] = []
        return self

    def __exit__(self, *_: object) -> None:
        self._write.close()
        self._read.close()
        self._process.terminate()
        self._process.wait(20)

    def call(self, method: str, **params: Any) -> Any:
        """Ask for something and return the answer; what the page logs and requests meanwhile is kept."""
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]
            self._note(message)

    def open(self, path: Path, *, width: int, height: int, is_dark: bool = False) -> None:
        """Show a file in a window of a size, in CSS pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.logged, self.requested = [], []
        self.call("Page.navigate", url=path.as_uri())
        while (message := self._receive()).get("method") != "Page.loadEventFired":
            self._note(message)

    def run(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def point_at(self, selector: str) -> None:
        """Move the mouse over an element."""
        box = self.run(
            f"(e => {{ const r = e.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2] }})"
            f"(document.querySelector({selector!r}))"
        )
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])

    def press(self, key: str) -> None:
        """Press and release a key."""
        code = {"Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "Escape": 27}[key]
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def screenshot(self) -> bytes:
        """The window as a PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def _send(self, message: dict[str, Any]) -> None:
        if self._session is not None:
            message["sessionId"] = self._session
        self._write.write(json.dumps(message).encode() + b"\0")
        self._write.flush()

    def _receive(self) -> dict[str, Any]:
        raw = bytearray()
        while (byte := self._read.read(1)) != b"\0":
            assert byte, "the browser is gone"
            raw += byte
        return json.loads(raw)

    def _note(self, message: dict[str, Any]) -> None:
        if message.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
            self.logged.append(json.dumps(message["params"]))
        elif message.get("method") == "Network.requestWillBeSent":
            self.requested.append(message["params"]["request"]["url"])
