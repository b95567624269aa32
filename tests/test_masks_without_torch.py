"""The mask engine alone: from regex, grammar, schema and composition to masks without torch and transformers."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())

import numpy as np
from pydantic import BaseModel

import guidance_kit as gk

class Pair(BaseModel):
    a: int
    b: bool | None

vocabulary = gk.Vocabulary.from_bytes()
cases = {
    gk.regex("a+(?!c)[bc]"): "aab",
    gk.choice(["yes", "no"]): "no",
    gk.json_schema({"enum": [1, "x"]}): '"x"',
    gk.json_schema(Pair): '{"a": 1, "b": null}',
    gk.grammar('start: "(" start ")" | "x"'): "((x))",
    gk.grammar('root ::= "a" root | "b"', dialect="gbnf"): "aab",
    gk.sequence("<", gk.text(until=">")): "<text>",
    gk.tags([gk.tag("<f>", gk.json_schema({"type": "integer"}), "</f>")]): "so <f>12</f>",
}
steps = 0
for constraint, text in cases.items():
    matcher = gk.Matcher(constraint.compile(vocabulary))
    for byte in text.encode():
        mask = matcher.allowed()
        assert mask.dtype == np.int32
        assert int(mask[byte // 32]) >> byte % 32 & 1, (text, byte)
        matcher.advance(byte)
        steps += 1
    assert matcher.is_complete, text
    assert constraint.sample(2, seed=1)
assert not {"torch", "transformers"} & sys.modules.keys()
print(steps)
"""


def test_constraints_compile_to_masks():
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) == 53
