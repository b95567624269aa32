"""White space: what each mode accepts, against `json.dumps`."""

from __future__ import annotations

import json
import random

import pytest
from json_texts import Judge, judge, walk
from oracles import Interpreter

from guidance_kit.errors import OptionError
from guidance_kit.grammars.json_schema import Indent, Separators, json_schema

TREE = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 3},
        "tags": {"type": "array", "items": {"enum": ["x", "y"]}, "maxItems": 6},
        "children": {"type": "array", "items": {"$ref": "#"}},
        "meta": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "required": ["name"],
    "additionalProperties": False,
}
VALUES = [
    {"name": ""},
    {"name": "a", "tags": [], "children": [], "meta": {}},
    {"name": "a", "tags": ["x"], "meta": {"k": 1, "l": -2}},
    {
        "name": "a",
        "tags": ["x", "y", "x", "x", "y"],
        "children": [{"name": "b", "children": [{"name": "c", "tags": ["y"]}]}],
    },
]
STYLES = {
    "compact": {"separators": (",", ":")},
    "json": {},
    "0": {"indent": 0},
    "1": {"indent": 1},
    "2": {"indent": 2},
    "4": {"indent": 4},
    "8": {"indent": 8},
    "tab": {"indent": "\t"},
    "wide": {"separators": (" ,\n", "\t:\r ")},
    "tight": {"separators": (",", ":"), "indent": 3},
}
MODES = {"compact": "compact", "json": "json", "0": Indent(0), "1": Indent(1), "2": Indent(2), "4": Indent(4),
         "wide": Separators(" ,\n", "\t:\r "), "tight": Separators(",", ":", indent=3)}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_fixed_modes_are_exactly_those_of_json_dumps(mode):
    judge_of_mode = judge(TREE, whitespace=MODES[mode])
    for value in VALUES:
        text = json.dumps(value, **STYLES[mode])
        for style in STYLES.values():
            other = json.dumps(value, **style)
            assert judge_of_mode.accepts(other) == (other == text), other


def test_flexible_contains_the_usual_styles():
    flexible = judge(TREE)
    for value in VALUES:
        for name, style in STYLES.items():
            text = json.dumps(value, **style)
            is_narrow = name != "wide" and all(len(line) - len(line.lstrip()) <= 40 for line in text.splitlines())
            assert flexible.accepts(text) == is_narrow, text


@pytest.mark.parametrize(
    ("gap", "is_flexible", "is_any"),
    [
        ("", True, True),
        (" ", True, True),
        ("\n", True, True),
        ("\n" + 40 * " ", True, True),
        ("\n" + 20 * "\t \t"[:2], True, True),
        ("\n" + 41 * " ", False, True),
        ("  ", False, True),
        ("\t", False, True),
        ("\r\n", False, True),
        ("\n\n", False, True),
        (" \n", False, True),
        (500 * " ", False, True),
        ("\f", False, False),
        ("\u00a0", False, False),
        ("/**/", False, False),
    ],
)
def test_gaps(gap, is_flexible, is_any):
    flexible, free = judge(TREE), judge(TREE, whitespace="any")
    tokens = [
        "{",
        '"name"',
        ":",
        '""',
        ",",
        '"tags"',
        ":",
        "[",
        '"x"',
        ",",
        '"y"',
        "]",
        ",",
        '"meta"',
        ":",
        "{",
        "}",
        "}",
    ]
    for place in range(1, len(tokens)):
        text = "".join(tokens[:place]) + gap + "".join(tokens[place:])
        assert flexible.accepts(text) == is_flexible, text
        assert free.accepts(text) == is_any, text
    for text in (gap + '{"name":""}', '{"name":""}' + gap):
        assert flexible.accepts(text) == free.accepts(text) == (gap == "")


@pytest.mark.parametrize("whitespace", ["flexible", "compact", "json", "any", Indent(2)])
def test_walks_are_json_and_satisfy_the_slow_twin(whitespace):
    constraint = json_schema(TREE, whitespace=whitespace)
    fast, slow = Judge(constraint), Interpreter(constraint.network())
    chance = random.Random(3)
    for _ in range(20):
        text = walk(fast.automaton, chance, patience=40)
        assert slow.accepts(text)
        value = json.loads(text)
        if whitespace == "json":
            assert json.loads(json.dumps(value)) == value


def test_options_are_checked():
    with pytest.raises(OptionError, match="did you mean 'flexible'"):
        json_schema(True, whitespace="flexibel")
    with pytest.raises(OptionError, match="whitespace"):
        json_schema(True, whitespace=3)
    for spaces in (-1, 41, 2.0, True):
        with pytest.raises(OptionError, match="Indent"):
            Indent(spaces)
    for item, key in ((";", ":"), (",,", ":"), (",", "="), ("", ":"), (",\xa0", ":"), (",", None)):
        with pytest.raises(OptionError, match="separator"):
            Separators(item, key)
    with pytest.raises(OptionError, match="escapes"):
        json_schema(True, escapes="none")
