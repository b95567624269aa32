# ruff: noqa: E501 - a case stays on one line
"""What do engines do with each feature: enforce it, refuse it by an error, or something else without a word?

    python benchmarks/features.py [--markdown]

Every case is a JSON Schema or a regular expression with texts that fit and texts that do not; each is given to each
engine token by token, with the end of sequence behind it, over the tokenizer of the bundled model. "yes": all are
judged rightly. "refused": the engine says that it cannot. "loose": it lets something through that does not fit.
"strict": it lets something not be written that fits. JSON is spaced as `json.dumps` does, keys stand in the order of
the schema, and options are those by which an engine is most exact (XGrammar: strict_mode=False).
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import guidance_kit as gk
from guidance_kit.models.loading import load_tokenizer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.peers import ENGINES, Engine


@dataclass(frozen=True, slots=True)
class Case:
    """A feature.

    Args:
        rule: a schema (dict), or a regular expression.
        fits, fails: texts; for a schema, JSON values.
    """

    name: str
    rule: Any
    fits: tuple[Any, ...]
    fails: tuple[Any, ...]

    def texts(self, some: tuple[Any, ...]) -> Iterator[str]:
        """As they are written."""
        for one in some:
            yield one if isinstance(self.rule, str) else json.dumps(one, ensure_ascii=False)


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


INTEGER = {"type": "integer"}
CASES = (
    Case("pattern is searched for, not matched whole", {"type": "string", "pattern": "b"}, ("b", "abc"), ("ac",)),
    Case("pattern with maxLength", {"type": "string", "pattern": "^a+$", "maxLength": 3}, ("aaa",), ("aaaa", "b")),
    Case("pattern with lookahead", {"type": "string", "pattern": "^(?!ab)[a-c]+$"}, ("ac", "ba"), ("ab", "abc")),
    Case("lengths count characters", {"type": "string", "maxLength": 2}, ("é€", "a"), ("abc", "é€é")),
    Case("format date knows the calendar", {"type": "string", "format": "date"}, ("2024-02-29",), ("2023-02-29",)),
    Case("format uri-reference", {"type": "string", "format": "uri-reference"}, ("a/b", "#x"), ("\\a", "a b")),
    Case("format idn-hostname", {"type": "string", "format": "idn-hostname"}, ("münchen.de",), ("-a.de", "a b")),
    Case("integer bounds", {"type": "integer", "minimum": -3, "exclusiveMaximum": 20}, (-3, 19), (-4, 20)),
    Case("number bounds", {"type": "number", "minimum": 0.5, "maximum": 2}, (0.5, 1.75, 2), (0.25, 2.5)),
    Case("multipleOf decimal", {"type": "number", "multipleOf": 0.25}, (0.75, 3), (0.3,)),
    Case("multipleOf with a bound", {"type": "integer", "multipleOf": 7, "minimum": 1}, (7, 21), (0, 8)),
    Case("enum beside type", {"enum": [1, "a", None], "type": "string"}, ("a",), (1, None)),
    Case("anyOf beside properties", {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], **_object(a=INTEGER, b=INTEGER)},
         ({"a": 1}, {"b": 1}, {"a": 1, "b": 2}), ({},)),
    Case("allOf of two objects", {"allOf": [{"properties": {"a": INTEGER}, "required": ["a"]},
                                            {"properties": {"b": INTEGER}, "required": ["b"]}], "type": "object"},
         ({"a": 1, "b": 2},), ({"a": 1}, {"a": 1, "b": "x"})),
    Case("oneOf whose branches overlap", {"oneOf": [{"type": "integer", "minimum": 5}, {"type": "integer", "maximum": 9}]},
         (4, 10), (7,)),
    Case("not", {"type": "string", "not": {"enum": ["no"]}}, ("yes", "n", "non"), ("no",)),
    Case("if, then, else", {**_object(kind={"enum": ["a", "b"]}, n=INTEGER), "required": ["kind"],
                            "if": {"properties": {"kind": {"const": "a"}}}, "then": {"required": ["n"]}},
         ({"kind": "a", "n": 1}, {"kind": "b"}), ({"kind": "a"},)),
    Case("$ref with keywords beside it", {"$defs": {"s": {"type": "string"}}, "$ref": "#/$defs/s", "maxLength": 1},
         ("a",), ("ab", 1)),
    Case("recursion", {"$defs": {"n": _object(next={"$ref": "#/$defs/n"})}, "$ref": "#/$defs/n"},
         ({}, {"next": {"next": {}}}), ({"next": 1},)),
    Case("$anchor", {"$defs": {"s": {"$anchor": "here", "type": "string"}}, "items": {"$ref": "#here"}, "type": "array"},
         (["a"],), ([1],)),
    Case("additionalProperties true by default", {"type": "object", "properties": {"a": INTEGER}},
         ({"a": 1, "z": [2]}, {"z": 0}), ({"a": "x"},)),
    Case("additional keys are no declared ones", {"type": "object", "properties": {"a": INTEGER}},
         ({"a": 1, "ab": "x"},), ({"b": 1, "a": "x"},)),
    Case("no key twice", {"type": "object", "additionalProperties": INTEGER}, ({"a": 1, "b": 2},), ()),
    Case("patternProperties", {"type": "object", "patternProperties": {"^s_": {"type": "string"}, "^i_": INTEGER},
                               "additionalProperties": False}, ({"s_a": "x", "i_b": 2},), ({"s_a": 1}, {"x": 1})),
    Case("patternProperties that overlap", {"type": "object", "additionalProperties": False, "patternProperties": {
        "a": INTEGER, "b": {"maximum": 5}}}, ({"ab": 5, "a": 9},), ({"ab": 9},)),
    Case("propertyNames", {"type": "object", "propertyNames": {"maxLength": 2}, "additionalProperties": INTEGER},
         ({"ab": 1},), ({"abc": 1},)),
    Case("minProperties, maxProperties", {**_object(a=INTEGER, b=INTEGER, c=INTEGER), "minProperties": 2, "maxProperties": 2},
         ({"a": 1, "c": 2},), ({"a": 1}, {"a": 1, "b": 2, "c": 3})),
    Case("dependentRequired", {**_object(a=INTEGER, b=INTEGER), "dependentRequired": {"a": ["b"]}},
         ({"a": 1, "b": 2}, {"b": 2}), ({"a": 1},)),
    Case("unevaluatedProperties", {"type": "object", "allOf": [{"properties": {"a": INTEGER}}], "unevaluatedProperties": False},
         ({"a": 1},), ({"a": 1, "b": 2},)),
    Case("prefixItems and items", {"type": "array", "prefixItems": [INTEGER, {"type": "string"}], "items": INTEGER},
         ([1, "a", 2], [1]), ([1, 2], [1, "a", "b"])),
    Case("contains, minContains", {"type": "array", "items": {"maximum": 9, "type": "integer"}, "contains": {"minimum": 5},
                                   "minContains": 2}, ([5, 1, 6],), ([5, 1], [])),
    Case("uniqueItems", {"type": "array", "items": INTEGER, "uniqueItems": True}, ([1, 2, 3],), ([1, 2, 1],)),
    Case("maxItems 5,000", {"type": "array", "items": INTEGER, "maxItems": 5000}, ([1] * 40,), (["a"],)),
    Case("regex: lookahead", "(?=.*a)[abc]{3}", ("abc", "bca"), ("bcc",)),
    Case("regex: lookbehind", "[ab]+(?<=ab)c", ("abc", "bbabc"), ("bac",)),
    Case("regex: word boundary", r"a\b.b", ("a b", "a-b"), ("acb",)),
    Case("regex: dot is no line end", "a.b", ("axb",), ("a\nb",)),
    Case(r"regex: \d and \w of Unicode", r"\w\d", ("é7", "a٣"), ("-1",)),
    Case(r"regex: \p{Lu}", r"\p{Lu}+", ("AÉ",), ("a",)),
    Case("regex: inline flags", "(?i)ab", ("aB",), ("ac",)),
    Case("regex: a{5000}", "a{5000}", ("a" * 5000,), ("a" * 4999,)),
)  # fmt: skip

TWICE = '{"a": 1, "a": 2}'
"""What `json.dumps` cannot write."""


def accepts(engine: Engine, case: Case, text: str, tokenizer: Any, eos: int) -> bool:
    """Whether an engine lets a whole text be written. Raises what the engine does if it refuses the rule."""
    session = engine.regex(case.rule) if isinstance(case.rule, str) else engine.schema(case.rule)
    session.mask()
    return all(map(session.take, tokenizer.encode(text, add_special_tokens=False))) and session.ends(eos)


def verdict(engine: Engine, case: Case, tokenizer: Any, eos: int) -> str:
    """What an engine does with a feature."""
    fails = [*case.texts(case.fails), *([TWICE] if case.name == "no key twice" else [])]
    try:
        if any(accepts(engine, case, text, tokenizer, eos) for text in fails):
            return "loose"
        return "yes" if all(accepts(engine, case, text, tokenizer, eos) for text in case.texts(case.fits)) else "strict"
    except Exception:  # engines raise what they like
        return "refused"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true", help="as Markdown")
    options = parser.parse_args()
    model = gk.load(device="cpu").language_model
    tokenizer = load_tokenizer("support-2m")
    engines = [engine(model.vocabulary, tokenizer) for engine in ENGINES]
    eos = model.vocabulary.eos[0]
    rows = [[case.name, *(verdict(engine, case, tokenizer, eos) for engine in engines)] for case in CASES]
    rows.append(
        ["yes, of all", *(str(sum(row[place] == "yes" for row in rows)) for place in range(1, len(engines) + 1))]
    )
    names = [f"{engine.name} {importlib.metadata.version(engine.name)}" for engine in engines]
    if options.markdown:
        print(f"| feature | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
        for row in rows:
            print(f"| {' | '.join(row)} |")
        return
    table = Table("feature", *names)
    for row in rows:
        table.add_row(*row)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
