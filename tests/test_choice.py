"""Choices: exactly the given texts, however many."""

from __future__ import annotations

import random

import pytest
from oracles import Interpreter

from guidance_kit.errors import ConstraintError, OptionError, UnsatisfiableError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.grammars.choice import choice_network
from guidance_kit.grammars.regular import alternate, declare, literal


@pytest.mark.parametrize("seed", range(60))
def test_random_choices(seed):
    rng = random.Random(seed)
    longest = 30 if seed % 6 == 0 else 4
    words = {"".join(rng.choice("abé") for _ in range(rng.randint(0, longest))) for _ in range(rng.randint(1, 40))}
    interpreter = Interpreter(choice_network(words))
    for word in words:
        assert interpreter.accepts(word.encode())
    for _ in range(150):
        text = "".join(rng.choice("abé") for _ in range(rng.randint(0, 5)))
        assert interpreter.accepts(text.encode()) == (text in words)
        assert interpreter.is_viable(text.encode()) == any(word.startswith(text) for word in words)
    for word in words:  # also in the middle of a character, and one byte too far
        written = word.encode()
        for end in range(len(written) + 1):
            assert interpreter.is_viable(written[:end])
        assert not interpreter.accepts(written + b"\x80")


def test_the_automaton_is_minimal():
    """As many states as there are different sets of endings."""
    for seed in range(30):
        rng = random.Random(seed)
        words = {"".join(rng.choice("ab") for _ in range(rng.randint(0, 6))) for _ in range(rng.randint(1, 30))}
        network = choice_network(words)
        network.ensure_built(network.root)
        prefixes = {word[:end] for word in words for end in range(len(word) + 1)}
        endings = {frozenset(w[len(prefix) :] for w in words if w.startswith(prefix)) for prefix in prefixes}
        assert len(network.edges) == len(endings | {frozenset([""])}), words


def test_a_hundred_thousand_choices():
    rng = random.Random(1)
    syllables = ["ka", "to", "ri", "men", "sha", "ing", "er", "s", "ed", "pre", "un", "ly"]
    words = set()
    while len(words) < 100_000:
        words.add("".join(rng.choice(syllables) for _ in range(rng.randint(2, 7))))
    network = choice_network(words)
    automaton = Automaton(network)
    assert len(network.edges) < 100_000
    for word in rng.sample(sorted(words), 500):
        path = automaton.advance(automaton.start, word.encode())
        assert len(path) == len(word)
        assert automaton.is_complete(int(path[-1]))
        other = word[:-1] + "x"
        assert len(automaton.advance(automaton.start, other.encode())) < len(other)


def test_long_texts_with_little_in_common():
    words = [f"{k:032x}" * 40 for k in range(2000)]
    network = choice_network(words)
    automaton = Automaton(network)
    assert len(network.edges) < 10_000
    for word in words[::400]:
        path = automaton.advance(automaton.start, word.encode())
        assert automaton.is_complete(int(path[-1]))
        assert not automaton.is_complete(int(path[-2]))


def test_as_an_alternation_of_literals():
    words = ["", "a", "ab", "abc", "bc", "é", "éa", "x" * 40]
    network = choice_network(words)
    network.ensure_built(network.root)
    first, second = Interpreter(network), None
    other = type(network)()
    other.root = declare(other, alternate([literal(word) for word in words]))
    second = Interpreter(other)
    for text in [*words, "b", "c", "abcd", "éé", "x" * 39, "x" * 41]:
        assert first.accepts(text.encode()) == second.accepts(text.encode()) == (text in words)


def test_order_and_repetition_do_not_matter():
    assert Interpreter(choice_network(["b", "a", "b"])).accepts(b"a")
    assert Interpreter(choice_network(iter(["b", "a"]))).accepts(b"b")


@pytest.mark.parametrize(
    ("texts", "error"),
    [
        ([], UnsatisfiableError),
        ("abc", OptionError),
        ([1], OptionError),
        ([b"a"], OptionError),
        (["\ud800"], ConstraintError),
    ],
)
def test_errors(texts, error):
    with pytest.raises(error):
        choice_network(texts)


def test_errors_tell_which_choice():
    with pytest.raises(ConstraintError, match="choice 1 has a lone surrogate at position 2"):
        choice_network(["ok", "ab\ud800"])
    with pytest.raises(OptionError, match="choice 1 must be a str, not int"):
        choice_network(["ok", 5])
