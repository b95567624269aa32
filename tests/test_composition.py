"""Constraints made of others against a recogniser that tries everything, and their masks against brute force."""

from __future__ import annotations

import itertools
import random
import re

import pytest
from marks import slow
from oracles import Interpreter, brute_force
from vocabularies import END, TOOL, special_vocabulary

import guidance_kit as gk
from guidance_kit.decoding.generation import generate
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import BudgetError, OptionError, UnsatisfiableError, UnsupportedFeature, VocabularyError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.guides.constraint import ConstraintGuide

SYMBOLS = (ord("a"), ord("b"), TOOL, END)
"""Tokens that words are made of here."""

Word = tuple[int, ...]


def ends(tree, word: Word, begin: int) -> set[int]:
    """Places of a word where a text of a tree that begins at one may end."""
    kind, *parts = tree
    if kind == "regex":
        letters = "".join(chr(symbol) if symbol < 256 else "!" for symbol in word)
        stops = range(begin, len(word) + 1)
        return {end for end in stops if re.fullmatch(parts[0], letters[begin:end])}
    if kind == "special":
        return {begin + 1} if word[begin : begin + 1] == (parts[0],) else set()
    if kind == "choice":
        return set().union(*(ends(part, word, begin) for part in parts))
    if kind == "sequence":
        found = {begin}
        for part in parts:
            found = {end for place in found for end in ends(part, word, place)}
        return found
    body, minimum, maximum = parts
    turns = [{begin}]
    while len(turns) <= (len(word) + minimum + 1 if maximum is None else maximum):
        turns.append({end for place in turns[-1] for end in ends(body, word, place)})
    return set().union(*turns[minimum:])


def constraint_of(tree) -> gk.Constraint:
    """The constraint that a tree describes."""
    kind, *parts = tree
    if kind == "regex":
        return gk.regex(parts[0])
    if kind == "special":
        return gk.special_token({TOOL: "<tool>", END: "<end>"}[parts[0]])
    if kind == "choice":
        return gk.choice([constraint_of(part) for part in parts])
    if kind == "sequence":
        return gk.sequence(*map(constraint_of, parts))
    body, minimum, maximum = parts
    if (minimum, maximum) == (0, 1):
        return gk.optional(constraint_of(body))
    return gk.repeat(constraint_of(body), minimum, maximum)


def random_tree(rng: random.Random, depth: int):
    kind = rng.choice(["regex", "special"] if depth == 0 else ["regex", "special", "choice", "sequence", "repeat"] * 2)
    if kind == "regex":
        return kind, rng.choice(["a", "b", "ab", "a*", "a?b", "(ab|b)+", "", "[ab]{1,2}"])
    if kind == "special":
        return kind, rng.choice([TOOL, TOOL, END])
    if kind == "repeat":
        minimum = rng.randint(0, 2)
        return kind, random_tree(rng, depth - 1), minimum, rng.choice([None, max(1, minimum), minimum + 1, minimum + 2])
    return kind, *(random_tree(rng, depth - 1) for _ in range(rng.randint(1, 3)))


WORDS = [word for length in range(5) for word in itertools.product(SYMBOLS, repeat=length)]


@pytest.mark.parametrize("seed", [*range(20), *slow(*range(20, 60))])
def test_texts_and_masks_of_random_compositions(seed):
    """341 words each; tokens that end a sequence belong to the text where they are named."""
    rng = random.Random(seed)
    tree = random_tree(rng, 3)
    index = constraint_of(tree).compile(special_vocabulary())
    for word in WORDS:
        matcher = Matcher(index)
        is_viable = all(matcher.can_advance(token) and (matcher.advance(token) or True) for token in word)
        is_text = len(word) in ends(tree, word, 0)
        assert (is_viable and matcher.is_complete and not matcher.is_finished) == is_text, word
    twin = Interpreter(constraint_of(tree).network())
    for _ in range(6):
        matcher, items = Matcher(index), twin.start
        for _ in range(rng.randint(0, 5)):
            allowed = [token for token in matcher.allowed_tokens() if token < 256]
            if not allowed:
                break
            token = int(rng.choice(allowed))
            matcher.advance(token)
            items = twin.step(items, token)
        expected = brute_force(special_vocabulary(), twin, items)
        assert (matcher.allowed() == bitmask.pack(expected)[: index.words]).all()


@pytest.mark.parametrize("seed", range(60))
def test_random_walks_are_completed_within_their_budget(seed):
    rng = random.Random(seed)
    matcher = Matcher(constraint_of(random_tree(rng, 3)).compile(special_vocabulary()))
    needed = matcher.min_tokens_to_complete()
    if needed:
        with pytest.raises(BudgetError):
            matcher.within(needed - 1)
    walker = matcher.within(needed + rng.randint(0, 3))
    while not walker.is_over:
        allowed = walker.allowed_tokens().tolist()
        assert allowed
        walker.advance(rng.choice(allowed))
    assert walker.is_complete
    walker.rollback(len(walker))
    assert walker.min_tokens_to_complete() == needed


INTEGER = gk.json_schema({"type": "integer"})


@pytest.mark.parametrize(
    ("constraint", "text", "value"),
    [
        (gk.sequence("n = ", INTEGER, gk.optional(";")), "n = 12;", ("n = ", 12, ";")),
        (gk.sequence("n = ", INTEGER, gk.optional(gk.repeat(INTEGER))), "n = 12", ("n = ", 12, None)),
        (gk.sequence(gk.regex(r"\d*"), INTEGER), "123", ("12", 3)),
        (gk.repeat(gk.sequence(INTEGER, "é")), "1é22é", [(1, "é"), (22, "é")]),
        (gk.repeat(INTEGER, 2, 2), "123", [12, 3]),
        (gk.repeat(gk.choice([INTEGER, ""]), 2, 3), "", ["", ""]),
        (gk.choice(["12", INTEGER]), "12", "12"),
        (gk.choice([INTEGER, "12"]), "12", 12),
        (gk.choice(["x", gk.sequence(INTEGER, INTEGER)]), "12", (1, 2)),
        (gk.optional(INTEGER), "", None),
        (gk.sequence(gk.special_token("<tool>"), INTEGER), "<tool>7", ("<tool>", 7)),
    ],
)
def test_values(constraint, text, value):
    assert constraint.parse(text) == value


@pytest.mark.parametrize(
    "constraint", [gk.sequence("a", INTEGER), gk.repeat(INTEGER, 1), gk.choice([INTEGER, gk.repeat(INTEGER)])]
)
def test_other_texts_have_no_value(constraint):
    with pytest.raises(gk.MatchError):
        constraint.parse("b")


def test_a_composition_of_texts_is_a_text():
    assert not gk.sequence("a", gk.repeat(gk.regex("b"))).has_values


def test_long_texts_are_cut_too():
    assert gk.repeat(gk.sequence(INTEGER, ",")).parse("7," * 2000) == [(7, ",")] * 2000


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: gk.sequence("a", 5), OptionError, "part 1 of the sequence"),
        (lambda: gk.sequence("a\ud800"), OptionError, "surrogate"),
        (lambda: gk.choice([INTEGER, None]), OptionError, "choice 1 must be a str or a constraint"),
        (lambda: gk.choice([INTEGER, ["a"]]), OptionError, "choice 1 must be a str or a constraint, not list"),
        (lambda: gk.choice([["a"], "b"]), OptionError, "choice 0 must be a str, not list"),
        (lambda: gk.repeat("a", 3, 2), OptionError, "between 3 and 2"),
        (lambda: gk.repeat("a", 0, 0), OptionError, "between 0 and 0"),
        (lambda: gk.repeat(gk.regex("a*"), 0, 65), UnsupportedFeature, "may be empty"),
        (lambda: gk.special_token(""), OptionError, "has a name"),
        (lambda: gk.text(without=["a", ""]), OptionError, "without"),
        (lambda: gk.text(min_length=3, max_length=2), OptionError, "between 3 and 2"),
        (lambda: gk.text(until="ab", without="b"), UnsatisfiableError, "'ab'"),
    ],
)
def test_bad_parts_are_told_at_once(make, error, said):
    with pytest.raises(error, match=said):
        make()


def test_equal_compositions_share_what_was_compiled():
    one, other = (gk.sequence("a", gk.repeat(gk.regex("b"), 1), gk.special_token("<tool>")) for _ in range(2))
    assert one == other
    assert one.compile(special_vocabulary()) is other.compile(special_vocabulary())
    assert gk.repeat("a", 1) != gk.repeat("a", 2)
    assert gk.text(until="a") != gk.text(without="a")


def test_a_vocabulary_without_a_special_token_is_refused_by_name():
    for name, hint in (("<tol>", "did you mean '<tool>'"), ("ab", "a token of text"), ("<x>", "or_text")):
        with pytest.raises(VocabularyError, match=re.escape(hint)):
            gk.choice([gk.special_token(name), "a"]).compile(special_vocabulary())


def test_the_text_of_a_special_token_where_it_has_none():
    constraint = gk.sequence(gk.special_token("<x>", or_text=True), gk.special_token("<tool>", or_text=True))
    matcher = Matcher(constraint.compile(special_vocabulary()))
    assert matcher.forced_text() == b"<x>"
    matcher.advance_all(b"<x>")
    assert matcher.allowed_tokens().tolist() == [TOOL]


def test_no_text_spells_a_special_token():
    matcher = Matcher(gk.special_token("<tool>").compile(special_vocabulary()))
    assert matcher.allowed_tokens().tolist() == [TOOL]
    assert matcher.forced_tokens() == [TOOL, END]
    assert matcher.forced_text() == b""
    assert matcher.min_tokens_to_complete() == 1
    for text in (b"\xff<tool>\xff", b"<tool>"):
        with pytest.raises(gk.MatchError):
            matcher.advance_bytes(text)
    with pytest.raises(gk.MatchError, match="<tool>"):
        Matcher(gk.regex("a").compile(special_vocabulary())).advance(TOOL)


def test_an_end_of_sequence_token_is_text_where_it_is_named():
    matcher = Matcher(gk.sequence("a", gk.optional(gk.special_token("<end>"))).compile(special_vocabulary()))
    matcher.advance_all([ord("a"), END])
    assert (matcher.is_complete, matcher.is_finished, matcher.is_over) == (True, False, True)
    matcher.advance(END)
    assert matcher.is_finished


def test_special_tokens_where_not_all_bytes_have_tokens():
    vocabulary = gk.Vocabulary(
        token_bytes=(b"a", b"b", b"", b""),
        special=frozenset({2, 3}),
        eos=(3,),
        rows=4,
        special_names={2: "<é>", 3: "<end>"},
    )
    matcher = Matcher(gk.sequence(gk.choice(["a", "c"]), gk.special_token("<é>")).compile(vocabulary))
    assert matcher.allowed_tokens().tolist() == [0]
    matcher.advance(0)
    assert matcher.allowed_tokens().tolist() == [2]
    matcher.advance(2)
    assert matcher.allowed_tokens().tolist() == [3]


ALPHABET = "ab<é"
"""Characters that free text is tried on."""


@pytest.mark.parametrize("seed", [*range(15), *slow(*range(15, 40))])
def test_free_text(seed):
    """All texts of up to 5 characters, 1,365 each, against `str.find`."""
    rng = random.Random(seed)
    draw = lambda: tuple("".join(rng.choices(ALPHABET, k=rng.randint(1, 3))) for _ in range(rng.randint(0, 2)))  # noqa: E731
    without, until = draw(), draw()
    least, most = rng.choice([(0, None), (0, None), (1, 3), (2, 4), (0, 2)])

    def is_text(text: str) -> bool:
        lengths = [len(text)] if not until else [len(text) - len(stop) for stop in until if text.endswith(stop)]
        return (
            not any(stop in text for stop in without)
            and not any(stop in text[:-1] for stop in until)
            and any(least <= length <= (99 if most is None else most) for length in lengths)
        )

    texts = ["".join(text) for length in range(6) for text in itertools.product(ALPHABET, repeat=length)]
    try:
        constraint = gk.text(without=without, until=until, min_length=least, max_length=most)
    except UnsatisfiableError:
        assert not any(map(is_text, texts))
        return
    index = constraint.compile(special_vocabulary())
    for text in texts:
        matcher = Matcher(index)
        try:
            matcher.advance_bytes(text.encode())
        except gk.MatchError:
            assert not is_text(text), text
        else:
            assert matcher.is_complete == is_text(text), text


@pytest.mark.parametrize("options", [{}, {"logprobs": 0}, {"complete": True, "max_tokens": 5}])
def test_generated_texts_show_the_special_tokens_that_the_constraint_names(options):
    """Forced ones too, and one that ends a sequence where it is not named."""
    vocabulary = gk.Vocabulary(
        token_bytes=(b"a", b"b", b"", b""),
        special=frozenset({2, 3}),
        eos=(3,),
        rows=4,
        special_names={2: "<tool>", 3: "<end>"},
    )
    letters = gk.repeat(gk.choice(["a", "b"]), 1, 2)
    constraint = gk.sequence(letters, gk.special_token("<tool>"), gk.special_token("<end>"), letters)
    guide = ConstraintGuide(Matcher(constraint.compile(vocabulary)))
    model = TabularModel.random(vocabulary, order=2, seed=3)
    seeded = Options(sampling=Sampling(seed=4), **options)
    pieces = list(generate(model, vocabulary, [[0]] * 6, options=seeded, constraint=guide))
    texts = {piece.row: "" for piece in pieces}
    for piece in pieces:
        texts[piece.row] += piece.text
        if (completion := piece.completion) is not None:
            assert completion.text == texts[piece.row]
            assert re.fullmatch("[ab]{1,2}<tool><end>[ab]{1,2}", completion.text)
            assert completion.finish_reason in ("complete", "budget")
            assert completion.tokens.count(2) == 1
    assert len(set(texts.values())) > 1


def test_a_stop_string_may_be_the_name_of_a_special_token():
    vocabulary = special_vocabulary()
    guide = ConstraintGuide(Matcher(gk.sequence("ab", gk.special_token("<tool>"), "b").compile(vocabulary)))
    model = TabularModel.random(vocabulary, order=1, seed=1)
    [*_, last] = generate(model, vocabulary, [[97]], options=Options(stop=("<tool>",)), constraint=guide)
    assert (last.completion.text, last.completion.finish_reason) == ("ab", "stop")
