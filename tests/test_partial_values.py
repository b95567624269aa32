"""Values of texts that are still being written, against a slow reader; and what named groups match."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise

import pytest
from marks import slow
from pydantic import BaseModel
from schemas import random_value
from small_models import small_llama

from guidance_kit.errors import MatchError, OptionError
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.regex import regex
from guidance_kit.model import Model

ANY = json_schema(True)

NOTHING = object()


class Reader:
    """The slow twin: reads character by character, and knows of each value whether it is whole."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def blank(self) -> None:
        while self.peek() in (" ", "\n", "\t", "\r"):
            self.at += 1

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def value(self):
        """A value, or as much of it as is certain; NOTHING if that is nothing."""
        self.blank()
        first = self.peek()
        if first == '"':
            return self.string()[0]
        if first == "[":
            return self.items()
        if first == "{":
            return self.members()
        word = re.compile(r"[^\s,\]}]*").match(self.text, self.at)[0]
        self.at += len(word)
        is_whole = word in ("true", "false", "null") or (word[:1] in list("-0123456789") and self.peek() != "")
        return json.loads(word) if is_whole else NOTHING

    def string(self) -> tuple[str, bool]:
        """A string as far as it goes, and whether it is closed."""
        found: list[str] = []
        self.at += 1
        while (here := self.peek()) not in ("", '"'):
            escape = re.compile(r'\\(u[dD][89abAB]..\\u[dD][c-fC-F]..|u(?![dD][89abAB])....|["\\/bfnrt])').match(
                self.text, self.at
            )
            if here != "\\":
                found.append(here)
                self.at += 1
            elif escape:
                found.append(json.loads(f'"{escape[0]}"'))
                self.at = escape.end()
            else:
                self.at = len(self.text)
        self.at += 1
        return "".join(found), here == '"'

    def items(self) -> list:
        found: list = []
        while self.peek() not in ("", "]"):
            self.at += 1
            self.blank()
            if self.peek() in ("", "]"):
                break
            value = self.value()
            if value is not NOTHING:
                found.append(value)
            self.blank()
        self.at += 1
        return found

    def members(self) -> dict:
        found: dict = {}
        while self.peek() not in ("", "}"):
            self.at += 1
            self.blank()
            if self.peek() != '"':
                break
            key, is_closed = self.string()
            self.blank()
            if not is_closed or self.peek() != ":":
                break
            self.at += 1
            value = self.value()
            if value is not NOTHING:
                found[key] = value
            self.blank()
        self.at += 1
        return found


def expected(text: str):
    value = Reader(text).value()
    return None if value is NOTHING else value


def written(value, rng: random.Random) -> str:
    """A JSON text of a value, with white space and escapes of all sorts."""
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, None, 0, 2]))
    return rng.choice(["", " ", "\n"]) + text + rng.choice(["", " "])


STRINGS = ["", 'a "quote" \\ and / more', "line\nline\t", "é€😀 😀", "12", "-3.5e7", "true", "{[,:]}", "\u007f\u2028"]


def random_json(rng: random.Random, depth: int = 3):
    kind = rng.randrange(8 if depth else 5)
    if kind < 2:
        return rng.choice(STRINGS)
    if kind < 4:
        return rng.choice([0, -1, 12, 1.5, -2e-7, 1e300, 10**20, True, False, None])
    if kind == 4:
        return random_value(rng)
    if kind < 6:
        return [random_json(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice(STRINGS): random_json(rng, depth - 1) for _ in range(rng.randrange(4))}


def is_beginning(part, whole) -> bool:
    """Whether a value is one from which another one can come about by writing on."""
    if part is None:
        return True
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part)
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(is_beginning, part, whole))
    if isinstance(part, dict) and isinstance(whole, dict):
        keys = list(whole)[: len(part)]
        return list(part) == keys and all(is_beginning(part[key], whole[key]) for key in keys)
    return part == whole


@pytest.mark.parametrize("count", [200, *slow(600)])
def test_every_beginning_of_random_texts(count):
    """Each at all its beginnings: some 33."""
    rng = random.Random(1)
    for _ in range(count):
        value = random_json(rng)
        text = written(value, rng)
        before = None
        for end in range(len(text) + 1):
            part = ANY.evaluate_prefix(text[:end])
            assert part == expected(text[:end]), text[:end]
            assert is_beginning(part, value)
            assert is_beginning(before, part)
            before = part
        assert ANY.evaluate_prefix(text + " ") == json.loads(text)


TABLE = [
    ("", None),
    (" ", None),
    ("12", None),
    ("12 ", 12),
    ("nul", None),
    ("null", None),
    ("-", None),
    ('"', ""),
    ('"12', "12"),
    ('"a\\', "a"),
    ('"a\\u00', "a"),
    ('"a\\ud83d\\ude0', "a"),
    ('"a\\ud83d\\ude00', "a😀"),
    ("[", []),
    ("[1", []),
    ("[1,", [1]),
    ("[1, -", [1]),
    ('{"a', {}),
    ('{"a":', {}),
    ('{"a": "', {"a": ""}),
    ('{"a": 1.', {}),
    ('{"a": 1e+', {}),
    ('{"a": 1}', {"a": 1}),
    ('{"a": {"b": [true, fal', {"a": {"b": [True]}}),
]


@pytest.mark.parametrize(("text", "value"), TABLE)
def test_table(text, value):
    assert ANY.evaluate_prefix(text) == value
    assert expected(text) == value


def test_what_is_no_json_is_refused():
    with pytest.raises(ValueError, match="expected value"):
        ANY.evaluate_prefix("}")
    with pytest.raises(ValueError, match="recursion limit"):
        ANY.evaluate_prefix("[" * 300)


def test_other_constraints_stand_for_their_text():
    assert choice(["yes"]).partial("ye") == "ye"
    assert regex("[0-9]+").partial("12") == "12"


class Ticket(BaseModel):
    name: str
    count: int


def test_a_stream_shows_its_value_as_it_grows():
    model = Model(small_llama())
    constraint = json_schema(Ticket, escapes="minimal")
    stream = model.stream("the cat", constraint, seed=1, max_tokens=60, complete=True)
    assert stream.partial is None
    parts, texts = [], []
    for piece in stream:
        texts.append(piece)
        assert stream.text == "".join(texts)
        parts.append(stream.partial)
    whole = stream.completion.value
    assert isinstance(whole, Ticket)
    assert parts[-1] == whole.model_dump()
    for before, after in pairwise(parts):
        assert is_beginning(before, after)
    assert len({part["name"] for part in parts if part and "name" in part}) > 3
    plain = model.stream("the cat", seed=1, max_tokens=5)
    assert "".join(plain) == plain.partial == plain.text


PATTERNS = [
    (r"(?P<year>\d{4})-(?P<month>\d\d)(-(?P<day>\d\d))?", 0, ["2024-05", "2024-05-17"]),
    (r"(?P<a>a+)(?P<b>a*?)(?P<rest>.*)", re.DOTALL, ["a", "aaab\n"]),
    (r"(?P<word>[a-z]+)", re.IGNORECASE, ["ABC"]),
    (r"(?P<digits>\d+)(?P<word>\w*)", re.ASCII, ["12ab"]),
    (r"(?x) (?P<x> x ) # comment", 0, ["x"]),
    (r"(\d)(?:\d)", 0, ["12"]),
]


@pytest.mark.parametrize(("pattern", "flags", "texts"), PATTERNS)
def test_captures_are_those_of_re(pattern, flags, texts):
    for text in texts:
        assert regex(pattern, flags).captures(text) == re.fullmatch(pattern, text, flags).groupdict()
        assert regex(re.compile(pattern, flags)).captures(text) == re.fullmatch(pattern, text, flags).groupdict()


def test_captures_of_what_re_does_not_know():
    assert regex(r"(?P<upper>\p{Lu}+)(?P<rest>.*)").captures("ÄÖü") == {"upper": "ÄÖ", "rest": "ü"}
    assert regex(r"(?P<a>\w+)(?<=aa?b)(?P<b>.)").captures("xab.") == {"a": "xab", "b": "."}
    assert regex(r"(?P<a>\p{Ll})(?P<b>\w*)", re.ASCII | re.IGNORECASE).captures("ab") == {"a": "a", "b": "b"}


def test_captures_need_a_pattern_and_a_whole_text():
    with pytest.raises(MatchError, match="the text '2024-' does not match"):
        regex(r"(?P<year>\d+)-(?P<month>\d+)").captures("2024-")
    with pytest.raises(OptionError, match=r"those of regex.* not json_schema\(\)"):
        ANY.captures("1")


def test_captures_of_some_groups():
    date = regex(r"(?P<year>\d+)-(?P<month>\d+)")
    assert date.captures("2024-05", ["month"]) == {"month": "05"}
    with pytest.raises(OptionError, match="unknown group 'moth'; did you mean 'month'"):
        date.captures("2024-05", ["moth"])
