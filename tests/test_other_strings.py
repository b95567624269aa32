"""All strings but some, in every spelling, beside Python's own reading of JSON."""

from __future__ import annotations

import json
import random

import pytest

from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.strings import other_strings
from guidance_kit.grammars.json_schema.strings.encoding import ENCODINGS, TextRules
from guidance_kit.grammars.json_schema.strings.spellings import SHORT

ALPHABET = 'ab0/"\\\né語𝄞'


def spelled(text: str, rng: random.Random) -> str:
    """A random spelling of a text, closing quote included."""
    found = ""
    for character in text:
        units = character.encode("utf-16-be").hex()
        escape = "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))
        ways = [escape, escape.upper().replace("\\U", "\\u")]
        ways += [f"\\{SHORT[ord(character)].decode()}"] if ord(character) in SHORT else []
        ways += [character] if character >= " " and character not in '"\\' else []
        found += rng.choice(ways)
    return found + '"'


def automaton_of(taken: tuple[str, ...], escapes: str) -> Automaton:
    network = Network()
    network.root = TextRules(network, ENCODINGS[escapes]).others(taken)
    return Automaton(network)


def accepts(automaton: Automaton, text: str) -> bool:
    path = automaton.advance(automaton.start, text.encode())
    return len(path) == len(text.encode()) and automaton.is_complete(int(path[-1]))


@pytest.mark.parametrize("most", [1, 4, 64])
@pytest.mark.parametrize("escapes", ["all", "minimal", "ascii"])
def test_all_strings_but_some_are_read_in_every_spelling(monkeypatch, most, escapes):
    monkeypatch.setattr(other_strings, "MOST_PLACES", most)
    rng = random.Random(f"{most} {escapes}")
    judged = {True: 0, False: 0}
    for _ in range(12):
        drawn = ("".join(rng.choices(ALPHABET, k=rng.randint(0, 4))) for _ in range(rng.randint(0, 9)))
        taken = tuple(dict.fromkeys(drawn))
        automaton = automaton_of(taken, escapes)
        near = [text[: rng.randint(0, len(text))] + rng.choice(["", *ALPHABET]) for text in taken]
        for text in (*taken, *near, "", "x"):
            if escapes == "all":
                written = spelled(text, rng)
            else:
                written = json.dumps(text, ensure_ascii=escapes == "ascii")[1:]
            assert json.loads(f'"{written}') == text
            assert accepts(automaton, written) == (text not in taken), (taken, written)
            judged[text in taken] += 1
    assert min(judged.values()) > 40


def test_one_spelling_alone_is_read_where_json_dumps_is_followed():
    automaton = automaton_of(("b",), "minimal")
    assert accepts(automaton, 'a"')
    assert not accepts(automaton, '\\u0061"')


def test_of_many_strings_a_block_is_written_at_once():
    rng = random.Random(1)
    names = tuple({"".join(rng.choices("abcdefgh", k=12)) for _ in range(500)})
    network = Network()
    rule = TextRules(network, ENCODINGS["all"]).others(names)
    network.ensure_built(rule)
    assert network.size < 8 * other_strings.MOST_PLACES + 1_000  # there are 5,000 places of six states
    network.root = rule
    automaton = Automaton(network)
    assert not accepts(automaton, f'{names[7]}"')
    assert accepts(automaton, f'{names[7]}a"')
    assert network.size < 40 * other_strings.MOST_PLACES
