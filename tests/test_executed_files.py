"""Files of the package that one task executes: the length of the way that a reader follows.

A file counts if a function of its own runs; the compiled kernels count as one. What happens once for a vocabulary is
done before. The finalizers of objects that other tests dropped wait until the end.
"""

from __future__ import annotations

import gc
import inspect
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from small_models import random_model

import guidance_kit as gk
from guidance_kit.grammars.json_schema.objects.key_tokens import KeyTokens
from guidance_kit.model import Model
from guidance_kit.steering.ensemble import Ensemble

PACKAGE = Path(gk.__file__).parent
VOCABULARY = gk.Vocabulary.from_bytes()


@contextmanager
def executed_files() -> Iterator[set[str]]:
    """Names below the package, filled while the block runs."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # a function, not a module or class body
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(PACKAGE):
                name = path.relative_to(PACKAGE).as_posix()
                files.add("fsm/kernels" if name.startswith("fsm/kernels/") else name)

    before = sys.getprofile()
    gc.collect()
    gc.disable()
    sys.setprofile(note)
    threading.setprofile(note)
    try:
        yield files
    finally:
        sys.setprofile(before)
        threading.setprofile(None)  # type: ignore[arg-type]
        gc.enable()


def regex_to_mask() -> set[str]:
    gk.Matcher(gk.choice(["x"]).compile(VOCABULARY)).allowed()
    with executed_files() as files:
        gk.Matcher(gk.regex(r"\d{3}").compile(VOCABULARY)).allowed()
    return files


def schema_to_mask() -> set[str]:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}}}
    index = gk.choice(["x"]).compile(VOCABULARY)
    gk.Matcher(index).allowed()
    KeyTokens.of(index.trie)
    with executed_files() as files:
        gk.Matcher(gk.json_schema(schema).compile(VOCABULARY)).allowed()
    return files


def formula_to_logits() -> set[str]:
    models = [Model(random_model(name)) for name in ("Llama", "GPT-2", "Mistral")]
    for model in models:
        model.language_model.logits([[1]])
    base, expert, anti = models
    Ensemble((base + expert).formula).logits([[1]])
    with executed_files() as files:
        Ensemble((base + 1.0 * (expert - anti)).formula).logits([[1, 2, 3]], starts=[2])
    return files


LIMITS = {regex_to_mask: 15, schema_to_mask: 35, formula_to_logits: 15}
ARCHITECTURE = Path(__file__).parent.parent / "docs/architecture.md"


@pytest.mark.parametrize(("task", "limit"), LIMITS.items(), ids=[task.__name__ for task in LIMITS])
def test_no_task_executes_more(task: Callable[[], set[str]], limit: int):
    files = task()
    assert 3 < len(files) <= limit, sorted(files)


def test_the_documented_numbers():
    text = " ".join(ARCHITECTURE.read_text(encoding="utf-8").split())
    paragraph = text.partition("**Few files on a way.**")[2].partition("**")[0]
    assert [int(number) for number in re.findall(r"through (\d+)", paragraph)] == list(LIMITS.values())
