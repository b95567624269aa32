"""`warm_up`: after it, a constraint finds all that it needs in the process."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import guidance_kit as gk
from guidance_kit.fsm import fragment
from guidance_kit.fsm.kernels import compiling
from guidance_kit.grammars.json_schema.formats.table import FORMATS

REQUEST = """
import json, sys
import guidance_kit as gk
from guidance_kit.fsm.kernels.compiling import KERNELS

vocabulary = gk.Vocabulary.from_bytes()
if sys.argv[1] == "warm":
    gk.warm_up(vocabulary, escapes="all")
modules, kernels = set(sys.modules), {name: len(kernel.signatures) for name, kernel in KERNELS.items()}

value = {"name": "Ada", "born": "1815-12-10", "height": 1.6, "tags": ["x", "y"]}
strings = {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}, "uniqueItems": True}
properties = {"name": {"type": "string", "maxLength": 9}, "born": {"format": "date"}, "height": {"minimum": 1.5}}
schema = {"type": "object", "properties": properties | {"tags": strings}, "required": ["name"]}
matcher = gk.Matcher(gk.json_schema(schema, escapes="all").compile(vocabulary))
for byte in json.dumps(value).encode():
    assert byte in matcher.allowed_tokens()
    matcher.advance(byte)
assert matcher.is_complete
later = {name: len(kernel.signatures) for name, kernel in KERNELS.items()}
print(len(set(sys.modules) - modules), sum(later.values()) - sum(kernels.values()))
"""


@pytest.mark.skipif(compiling.IS_PLAIN, reason="needs compiled kernels")
@pytest.mark.parametrize("state", ["cold", "warm"])
def test_a_request_loads_nothing(state):
    code = [sys.executable, "-c", REQUEST, state]
    done = subprocess.run(code, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    modules, kernels = map(int, done.stdout.split())
    assert (modules > 50 and kernels > 5) if state == "cold" else (modules, kernels) == (0, 0), done.stdout


@pytest.mark.parametrize("whitespace", ["flexible", "compact", "json", "any", gk.Indent(2)])
@pytest.mark.parametrize("order", ["declared", "any"])
def test_options_are_those_of_schemas(whitespace, order):
    for formats in ("annotate", "recall"):
        assert gk.warm_up(whitespace=whitespace, order=order, formats=formats) == 0


def test_the_rules_of_formats_are_written(monkeypatch):
    written: list[Any] = []
    record = fragment._record
    monkeypatch.setattr(fragment, "_CONSTANTS", fragment._cache(4096, 8 * 2**20))
    monkeypatch.setattr(fragment, "_record", lambda shared, network: written.append(shared) or record(shared, network))
    gk.warm_up(escapes="all", whitespace="compact")
    count = len(written)
    assert count >= len(FORMATS)
    for name in FORMATS.keys() - {"iri"}:  # which declares too many rules to be kept
        properties = {"a": {"type": "string", "format": name}}
        schema = {"type": "object", "properties": properties, "additionalProperties": False}
        constraint = gk.json_schema(schema, escapes="all", whitespace="compact")
        matcher = gk.Matcher(constraint.compile(gk.Vocabulary.from_bytes()))
        for byte in b'{"a":"':
            assert byte in matcher.allowed_tokens()
            matcher.advance(byte)
        assert matcher.allowed_tokens().size
    assert [one.key for one in written[count:]] == []


def test_an_option_that_schemas_do_not_have_is_refused():
    with pytest.raises(gk.OptionError, match="escapes"):
        gk.warm_up(escapes="some")


def test_a_vocabulary_that_cannot_spell_json_is_loaded_all_the_same():
    letters = gk.Vocabulary(token_bytes=(b"", b"a", b"b"), special=frozenset({0}), eos=(0,), rows=3)
    assert gk.warm_up(letters) == 0
