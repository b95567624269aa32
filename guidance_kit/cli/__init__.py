"""The command `guidance-kit`: extract, generate, check, draw, warmup.

Each command stands in its own file. A command imports the model, and with it torch, only when everything that the
user gave has been checked.
"""

from __future__ import annotations

import sys

from guidance_kit.cli.exit_status import Exit

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of the process."""
    try:
        from guidance_kit.cli.application import app  # half a second, in which the user may already change their mind

        app()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted\n")
        raise SystemExit(Exit.INTERRUPTED) from None
