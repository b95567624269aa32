"""The adapter for MaskBench's runner, in a package that has no more of MaskBench than the adapter uses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "maskbench"

RUNNER = """
import argparse, json, sys
from tokenizers import Tokenizer

def setup_argparse():
    parser = argparse.ArgumentParser()
    for flag in ("--llg", "--multi", "--debug"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--tokenizer")
    parser.add_argument("files", nargs="+")
    return parser

def get_engine(args):
    raise SystemExit("no engine of the package was asked for")

def main():
    args = setup_argparse().parse_args()
    engine = get_engine(args)
    engine.tokenizer = Tokenizer.from_file(engine.tokenizer_model_id)
    engine.init()
    said = []
    for file in args.files:
        with open(file) as f:
            row = json.load(f)
        engine.compile_grammar(row["schema"])
        for test in row["tests"]:
            engine.reset()
            accepted = True
            for token in engine.tokenizer.encode(json.dumps(test["data"]), add_special_tokens=False).ids:
                engine.compute_mask()
                if not engine.commit_token(token):
                    accepted = False
                    break
            said.append(accepted)
    print(json.dumps(said))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "upstream"
    (folder / "maskbench").mkdir(parents=True)
    (folder / "maskbench" / "__init__.py").touch()
    (folder / "maskbench" / "engine.py").write_text("class Engine:\n    multi = debug = False\n")
    (folder / "maskbench" / "runner.py").write_text(RUNNER)
    return folder


def run(package: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARK / "worker.py"), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": f"{package}:{Path(__file__).parents[1]}", "PATH": ""}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_adapter_judges_instances_in_any_order_of_keys(package: Path, tmp_path: Path) -> None:
    import guidance_kit

    tokenizer = Path(guidance_kit.__file__).parent / "bundled" / "support-2m" / "tokenizer.json"
    schema = {
        "type": "object",
        "properties": {"id": {"type": "integer", "minimum": 3}, "name": {"type": "string", "maxLength": 4}},
        "required": ["id"],
        "additionalProperties": False,
    }
    cases = [
        ({"name": "Ada\n", "id": 3}, True), ({"id": 12}, True), ({"id": 2}, False), ({"name": "Ada"}, False),
        ({"id": 3, "name": "Grace"}, False), ({"id": 3, "other": 1}, False),
    ]  # fmt: skip
    row = {"schema": schema, "tests": [{"data": data, "valid": valid} for data, valid in cases]}
    file = tmp_path / "case.json"
    file.write_text(json.dumps(row))
    done = run(package, "--guidance-kit", "--multi", "--tokenizer", tokenizer, file)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [valid for _, valid in cases]


def test_other_engines_are_left_to_the_runner(package: Path) -> None:
    done = run(package, "--tokenizer", "none", "none.json")
    assert (done.returncode, done.stderr.strip()) == (1, "no engine of the package was asked for")


def test_summary_counts_as_maskbench_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARK))
    from summary import summarize  # pyright: ignore[reportMissingImports]

    folder = tmp_path / "guidance_kit"
    folder.mkdir()
    (folder / "meta.txt").write_text('{"module_version": "1.0", "time_limit": 60}')
    common = {"num_tests": 2, "num_valid_tests": 1, "num_invalid_tests": 1}
    results = {
        "right": {**common, "ttfm_us": 100, "all_mask_us": [1, 2, 3, 4]},
        "strict": {
            **common,
            "ttfm_us": 300,
            "all_mask_us": [5],
            "validation_error": "test #0: should accept but didn't",
        },
        "loose": {
            **common,
            "ttfm_us": 200,
            "all_mask_us": [6],
            "validation_error": "test #1: should reject but didn't",
        },
        "refused": {**common, "ttfm_us": 0, "all_mask_us": [], "compile_error": "no"},
        "ended": {"pending_file": 1},
        "elsewhere": {**common, "ttfm_us": 9, "all_mask_us": [9]},
    }
    for name, result in results.items():
        (folder / f"{name}.json").write_text(json.dumps(result))
    table = summarize(["guidance_kit"], set(results) - {"elsewhere"}, tmp_path)
    rows = dict(row.strip("| ").split(" | ") for row in table.splitlines()[2:])
    expected = {
        "TBM avg": "4", "TBM p50": "4", "TBM p100": "6", "TTFM p25": "200", "TTFM p100": "60,000,000", "masks": "6",
        "schemas": "5", "passing": "1", "compile error": "1", "time limit, or died": "1", "validation error": "1",
        "invalidation error": "1",
    }  # fmt: skip
    assert {name: rows[name] for name in expected} == expected
