"""MaskBench by its own runner: a part of its schemas, one engine or several in turn, with a local tokenizer.

    git clone https://github.com/guidance-ai/jsonschemabench
    python benchmarks/maskbench/run.py --checkout jsonschemabench --tokenizer FOLDER --output out/maskbench
    python benchmarks/maskbench/run.py ... --engines guidance_kit llguidance --every 10 --time-limit 60
    python benchmarks/maskbench/run.py ... --schemas development.jsonl.xz

Each engine has a folder in the output: a file a schema, as the runner writes them, and `log.txt` of its processes. An
interrupted run continues where it was. At the end `table.md` has the figures of all engines in the output, computed as
MaskBench's `maskbench_results.py` does, and `results.jsonl.xz` a line a schema and engine, without single masks.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import lzma
import os
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from summary import summarize

HERE = Path(__file__).parent

FLAGS = {
    "guidance_kit": "--guidance-kit",
    "llguidance": "--llg",
    "xgrammar": "--xgr",
    "xgrammar_compliant": "--xgr-compliant",
}
"""Option of the runner for each engine; XGrammar as it comes, and with any whitespace and additional properties."""

ROWS = 151_936
"""Logit rows of Qwen 2.5, for a tokenizer folder without config.json, which XGrammar's adapter reads."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", type=Path, required=True, help="clone of guidance-ai/jsonschemabench")
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder with tokenizer.json")
    parser.add_argument("--schemas", type=Path, help=".jsonl.xz file instead of the checkout's schemas")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th schema (default: all)")
    parser.add_argument("--engines", nargs="+", choices=FLAGS, default=["guidance_kit"])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--time-limit", type=int, default=60, help="seconds a schema (default: 60)")
    parser.add_argument("--output", type=Path, default=Path("out/maskbench"))
    options = parser.parse_args()
    package = options.checkout.resolve() / "maskbench"
    files = sorted(schema_files(options.schemas, package, options.output))[:: options.every]
    tokenizer = with_config(options.tokenizer, options.output)
    os.environ.update(PYTHONPATH=f"{package}:{os.environ.get('PYTHONPATH', '')}", OMP_NUM_THREADS="1")
    for engine in options.engines:
        print(f"{engine}: {len(files)} schemas in {options.processes} processes", flush=True)
        run(engine, files, package, tokenizer, options)
    names = {path.stem for path in files}
    print(summarize([engine for engine in FLAGS if (options.output / engine).is_dir()], names, options.output))


def schema_files(schemas: Path | None, package: Path, output: Path) -> Iterable[Path]:
    """Files of the schemas, one each, as the runner reads them."""
    if schemas is None:
        return (package / "data").glob("*.json")
    folder = output / "schemas"
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    with lzma.open(schemas, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            found.append(folder / (Path(row["file"]).stem + ".json"))
            found[-1].write_text(json.dumps(row), encoding="utf-8")
    return found


def with_config(tokenizer: Path, output: Path) -> Path:
    """A tokenizer folder that has a config.json with the number of logit rows; a copy by links if need be."""
    if (tokenizer / "config.json").exists():
        return tokenizer.resolve()
    folder = output.resolve() / "tokenizer"
    folder.mkdir(parents=True, exist_ok=True)
    for path in tokenizer.resolve().iterdir():
        if not (folder / path.name).exists():
            (folder / path.name).symlink_to(path)
    (folder / "config.json").write_text(json.dumps({"model_type": "qwen2", "vocab_size": ROWS}))
    return folder


def run(engine: str, files: list[Path], package: Path, tokenizer: Path, options: argparse.Namespace) -> None:
    """Run an engine over the files by `run_maskbench.py`, whose worker processes know our adapter too."""
    script = module_of(package / "scripts" / "run_maskbench.py")
    folder = options.output.resolve() / engine
    folder.mkdir(parents=True, exist_ok=True)
    script.output_path = str(folder)
    script.cmd = [
        sys.executable, str(HERE / "worker.py"), "--multi", FLAGS[engine], "--tokenizer", str(tokenizer),
        "--time-limit", str(options.time_limit), "--output", str(folder),
    ]  # fmt: skip
    name = engine.partition("_compliant")[0]
    meta: dict[str, Any] = {"id": engine, "module_version": version(name), "time_limit": options.time_limit}
    (folder / "meta.txt").write_text(json.dumps(meta))
    script.process_files_in_threads([str(path) for path in files], thread_count=options.processes)


def module_of(path: Path) -> Any:
    """The module in a file outside of packages."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
