"""Objects that a text of their first property tells apart, against the same ones written one by one."""

from __future__ import annotations

import json
import random

import numpy as np

import guidance_kit as gk
from guidance_kit.errors import ConstraintError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.json_schema.objects.automaton import ObjectWriter

NAMES = ["a", "ab", "b", "é", ""]


def random_union(rng: random.Random, depth: int = 1) -> dict:
    """Objects of which most begin with the same property, a text."""

    def value() -> dict:
        plain = [{"type": "null"}, {"enum": ["a", 1, "ab"]}, {"type": "integer", "maximum": 9, "minimum": 0}]
        return random_union(rng, depth - 1) if depth and rng.random() < 0.4 else rng.choice(plain)

    def telling() -> dict:
        kind = rng.random()
        if kind < 0.5:
            return {"const": rng.choice(NAMES)}
        if kind < 0.9:
            return {"enum": rng.sample([*NAMES, "abc"], rng.randint(1, 3))}
        return rng.choice(
            [{"type": "string", "maxLength": 1}, {"enum": ["a", 1]}, {"enum": ["a", "bb"], "minLength": 2}]
        )

    def one() -> dict:
        keys = rng.sample(["kind", "x", "y"], rng.randint(1, 3))
        if rng.random() < 0.8:
            keys = ["kind", *(key for key in keys if key != "kind")]
        properties = {key: telling() if key == "kind" else value() for key in keys}
        required = [key for key in keys if rng.random() < (0.9 if key == "kind" else 0.5)]
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": rng.choice([False, False, False, True, {"type": "null"}]),
            **rng.choice([{}, {}, {}, {"minProperties": 2}, {"maxProperties": 1}]),
        }

    return {rng.choice(["anyOf", "anyOf", "oneOf"]): [one() for _ in range(rng.randint(2, 4))]}


def test_the_same_texts_as_one_by_one(monkeypatch):
    """The same bytes can follow at every step of random walks through either."""
    told_apart: list[int] = []
    build, telling_key = ObjectWriter._build_told_apart, ObjectWriter._telling_key
    monkeypatch.setattr(ObjectWriter, "_build_told_apart", lambda *given: told_apart.append(seed) or build(*given))
    for seed in range(40):
        rng = random.Random(seed)
        schema, how = random_union(rng), rng.choice(["compact", "json", "flexible", gk.Indent(1)])
        try:
            constraint = gk.json_schema(schema, whitespace=how)
        except ConstraintError:
            continue
        monkeypatch.setattr(ObjectWriter, "_telling_key", telling_key)
        together = Automaton(constraint.network())
        monkeypatch.setattr(ObjectWriter, "_telling_key", lambda self, objects: None)
        one_by_one = Automaton(constraint.network())
        for _ in range(12):
            here, there = together.start, one_by_one.start
            for _ in range(60):
                live = together.live_bytes(here)
                assert np.array_equal(live, one_by_one.live_bytes(there)), schema
                assert together.is_complete(here) == one_by_one.is_complete(there), schema
                following = np.flatnonzero(live).tolist()
                if not following:
                    break
                likely = [byte for byte in following if byte in b'"{}:,ab01kindxy\xc3\xa9']
                byte = bytes([rng.choice(likely if likely and rng.random() < 0.9 else following)])
                here, there = int(together.advance(here, byte)[0]), int(one_by_one.advance(there, byte)[0])
    assert len(set(told_apart)) > 15


def test_only_what_is_named_in_the_text_is_written():
    def call(number: int) -> dict:
        arguments = {f"argument_{number}_{k}": {"type": "string"} for k in range(5)}
        properties = {"name": {"const": f"tool_{number}"}, "arguments": {"type": "object", "properties": arguments}}
        return {"type": "object", "properties": properties, "required": ["name", "arguments"]}

    sizes = []
    for count in (64, 256):  # both so large that equal schemas are sought
        automaton = Automaton(gk.json_schema({"anyOf": [call(number) for number in range(count)]}).network())
        text = json.dumps({"name": "tool_7", "arguments": {"argument_7_3": "x"}})
        path = automaton.advance(automaton.start, text.encode())
        assert automaton.is_complete(int(path[-1]))
        sizes.append(sum(rule.start >= 0 for rule in automaton.network.rules))
    assert sizes[0] == sizes[1]
