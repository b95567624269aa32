"""Write the options in docs/cli.md from the command's own help, and what the examples there print.

python tools/document_cli.py            # the options
python tools/document_cli.py --run      # the options, and the examples run anew with the bundled model
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from typer.testing import CliRunner

from guidance_kit.cli.application import app

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "cli.md"
COMMANDS = (
    "extract", "classify", "generate", "trace", "check", "diff", "lower", "explain", "sample", "draw", "evaluate",
    "demo", "watermark-key", "detect", "infer-settings", "estimate", "warmup",
)  # fmt: skip

_WIDTH = 100


def options(command: str) -> str:
    """What the help of a command says of its arguments and options."""
    shown = CliRunner().invoke(app, [command, "--help"], terminal_width=_WIDTH).stdout
    return shown[re.search("(?m)^(Arguments|Options):", shown).start() :].strip()


def with_options(page: str) -> str:
    """The page with the options as they are now."""
    for command in COMMANDS:
        begin, end = f"<!-- {command}: begin -->\n", f"<!-- {command}: end -->"
        block = f"{begin}```text\n{options(command)}\n```\n{end}"
        page = re.sub(f"(?s){begin}.*?{end}", lambda _, block=block: block, page)
    return page


def with_examples(page: str) -> str:
    """The page with its examples run: each block of `console` is a session in a folder that has `examples` in it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "examples").symlink_to(ROOT / "examples")
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

        def run(block: re.Match[str]) -> str:
            lines = []
            for command in re.findall(r"(?m)^\$ (.*(?:\\\n.*)*)", block[1]):
                done = subprocess.run(
                    command,
                    shell=True,
                    cwd=folder,
                    env={**os.environ, "PATH": path},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
                lines += [f"$ {command}\n", done.stdout]
            return f"```console\n{''.join(lines)}```"

        return re.sub(r"(?s)```console\n(.*?)```", run, page)


def main() -> None:
    """Read the arguments and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="store_true", help="run the examples too")
    page = with_options(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(with_examples(page) if parser.parse_args().run else page, encoding="utf-8")


if __name__ == "__main__":
    main()
