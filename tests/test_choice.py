"""Choices: exactly the given texts, however many."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from marks import slow
from oracles import Interpreter

from guidance_kit.errors import ConstraintError, OptionError, UnsatisfiableError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.choice import choice
from guidance_kit.grammars.regular import alternate, declare, literal


@pytest.mark.parametrize("seed", [*range(20), *slow(*range(20, 60))])
def test_random_choices(seed):
    rng = random.Random(seed)
    longest = 30 if seed % 6 == 0 else 4
    words = {"".join(rng.choice("abé") for _ in range(rng.randint(0, longest))) for _ in range(rng.randint(1, 40))}
    interpreter = Interpreter(choice(words).network())
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


def language(network: Network, letters: Iterable[int]) -> set[bytes]:
    """All texts of a network over some bytes; there must be finitely many."""
    interpreter = Interpreter(network)
    texts = set()
    todo = [(b"", interpreter.start)]
    while todo:
        text, here = todo.pop()
        if None in here:
            texts.add(text)
        following = ((text + bytes([letter]), interpreter.step(here, letter)) for letter in letters)
        todo += [(longer, there) for longer, there in following if there]
    return texts


ENDS = ["", "a", "b", "é" * 9, "ab" * 9, "ab" * 8 + "a"]
TEXTS = st.builds(
    str.__add__, st.text(st.sampled_from("\0abcé€\U0001f600\U0010ffff"), max_size=5), st.sampled_from(ENDS)
)


@given(st.lists(TEXTS, min_size=1, max_size=30))
@example([""])
@example(["", "", "a", "a"])
@example(["a", "b", "d", "f"])
@example(["a" * n for n in range(40)])
def test_the_language_is_the_set_of_texts(texts):
    written = {text.encode() for text in texts}
    letters = {byte for text in written for byte in text}
    network = choice(texts).network()
    assert network.rules[network.root].nullable == ("" in texts)
    assert language(network, letters | {byte + 1 for byte in letters} | {0x20}) == written


def test_beginnings_are_shared():
    """A state for each beginning that goes on, and one for all ends."""
    for seed in range(30):
        rng = random.Random(seed)
        words = {"".join(rng.choice("ab") for _ in range(rng.randint(0, 6))) for _ in range(rng.randint(1, 30))}
        network = choice(words).network()
        network.ensure_built(network.root)
        beginnings = {word[:end] for word in words for end in range(len(word))}
        assert network.size == len(beginnings | {""}) + 1, words


@pytest.mark.slow
def test_a_hundred_thousand_choices():
    rng = random.Random(1)
    syllables = ["ka", "to", "ri", "men", "sha", "ing", "er", "s", "ed", "pre", "un", "ly"]
    words = set()
    while len(words) < 100_000:
        words.add("".join(rng.choice(syllables) for _ in range(rng.randint(2, 7))))
    network = choice(words).network()
    automaton = Automaton(network)
    for word in rng.sample(sorted(words), 500):
        path = automaton.advance(automaton.start, word.encode())
        assert len(path) == len(word)
        assert automaton.is_complete(int(path[-1]))
        other = word[:-1] + "x"
        assert len(automaton.advance(automaton.start, other.encode())) < len(other)


def test_long_texts_with_little_in_common():
    words = [f"{k:032x}" * 40 for k in range(2000)]
    network = choice(words).network()
    automaton = Automaton(network)
    assert len(network.edges) < 10_000
    for word in words[::400]:
        path = automaton.advance(automaton.start, word.encode())
        assert automaton.is_complete(int(path[-1]))
        assert not automaton.is_complete(int(path[-2]))


def test_as_an_alternation_of_literals():
    words = ["", "a", "ab", "abc", "bc", "é", "éa", "x" * 40]
    network = choice(words).network()
    network.ensure_built(network.root)
    first, second = Interpreter(network), None
    other = type(network)()
    other.root = declare(other, alternate([literal(word) for word in words]))
    second = Interpreter(other)
    for text in [*words, "b", "c", "abcd", "éé", "x" * 39, "x" * 41]:
        assert first.accepts(text.encode()) == second.accepts(text.encode()) == (text in words)


def test_order_and_repetition_do_not_matter():
    assert Interpreter(choice(["b", "a", "b"]).network()).accepts(b"a")
    assert Interpreter(choice(iter(["b", "a"])).network()).accepts(b"b")


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
        choice(texts).network()


def test_errors_tell_which_choice():
    with pytest.raises(ConstraintError, match="choice 1 has a lone surrogate at position 2"):
        choice(["ok", "ab\ud800"]).network()
    with pytest.raises(OptionError, match="choice 1 must be a str, not int"):
        choice(["ok", 5]).network()
