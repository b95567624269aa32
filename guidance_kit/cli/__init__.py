"""The command `guidance-kit`: extract, generate, check, warmup.

Each command stands in its own file. A command imports the model, and with it torch, only when everything that the
user gave has been checked.
"""

from __future__ import annotations

from guidance_kit.cli.application import app, main

__all__ = ["app", "main"]
