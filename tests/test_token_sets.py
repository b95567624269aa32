"""Tokens that are taken by their numbers: masks against a twin that tries every token, and what is refused."""

from __future__ import annotations

import random

import numpy as np
import pytest
from marks import slow
from oracles import Interpreter
from vocabularies import END, TOOL, random_vocabulary, special_vocabulary

import guidance_kit as gk
from guidance_kit.errors import GrammarError, MatchError, OptionError, UnsupportedFeature, VocabularyError
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.mask_batch import fill_masks
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import marked, numbered


class Twin:
    """Tries all tokens of a vocabulary one by one: each by its text or name, and by its number where it is in a set.

    Args:
        sets: by how a set is written, its tokens.
    """

    def __init__(self, constraint, vocabulary, sets: dict[str, set[int]]) -> None:
        network = constraint.network()
        self.interpreter = Interpreter(network)
        self.vocabulary = vocabulary
        self.sets = [sets[str(chosen)] for chosen in network.token_sets]

    def after(self, items, token: int):
        """All places after a token, none if it cannot be taken."""
        vocabulary = self.vocabulary
        text = vocabulary.token_bytes[token] if token < len(vocabulary) else b""
        if token in vocabulary.special_names:
            text = marked(vocabulary.special_names[token])
        elif b"\xff" in text:
            text = b""
        found = frozenset()
        for spelt in [text, *(numbered(number) for number, tokens in enumerate(self.sets) if token in tokens)]:
            there = items if spelt else frozenset()
            for byte in spelt:
                there = self.interpreter.step(there, byte)
            found |= there
        return found

    def allowed(self, items) -> np.ndarray:
        allowed = [bool(self.after(items, token)) for token in range(self.vocabulary.rows)]
        for token in self.vocabulary.eos:
            allowed[token] |= None in items
        return np.array(allowed)


def random_constraint(rng: random.Random, vocabulary, sets: dict[str, set[int]], depth: int = 3) -> gk.Constraint | str:
    """Sequences, choices and repetitions of texts, patterns, and tokens by their numbers."""
    kind = rng.random()
    inner = [random_constraint(rng, vocabulary, sets, depth - 1) for _ in range(rng.randint(2, 3))] if depth else []
    if depth and kind < 0.4:
        return gk.sequence(*inner)
    if depth and kind < 0.7:
        return gk.choice(inner)
    if depth and kind < 0.8:
        return gk.optional(inner[0])
    if depth and kind < 0.9:
        return gk.repeat(gk.sequence("a", inner[0]), rng.randint(0, 2), rng.choice([None, 3]))
    if rng.random() < 0.4:
        return rng.choice(["a", "ab", "bca", gk.regex("[ab]+c?"), gk.regex("[abc]{1,9}")])
    tokens = {token for token in range(len(vocabulary)) if token in vocabulary.special or vocabulary.token_bytes[token]}
    chosen = set(rng.sample(sorted(tokens), rng.choice([1, 3, 30])))
    if rng.random() < 0.3:
        found, chosen = gk.any_token(without=sorted(chosen)), tokens - chosen - set(vocabulary.eos)
    else:
        found = gk.any_token(sorted(chosen))
    sets[str(found.source)] = chosen
    return found


def check_random_constraints(seeds: range) -> dict[str, int]:
    count = {"masks": 0, "by number": 0, "ambiguous": 0}
    for seed in seeds:
        rng = random.Random(seed)
        vocabulary = special_vocabulary() if seed % 2 else random_vocabulary(seed)
        sets: dict[str, set[int]] = {}
        constraint = gk.sequence(*(random_constraint(rng, vocabulary, sets) for _ in range(2)))
        twin = Twin(constraint, vocabulary, sets)
        index = constraint.compile(vocabulary)
        matcher, items = Matcher(index), twin.interpreter.start
        for _ in range(8):
            allowed = matcher.allowed()
            wanted = twin.allowed(items)
            assert np.array_equal(bitmask.unpack(allowed, vocabulary.rows), wanted), (seed, len(matcher))
            assert matcher.is_complete == (None in items)
            out = np.empty((2, len(allowed)), dtype=np.int32)
            fill_masks([matcher, None], out)
            assert np.array_equal(out[0], allowed)
            count["masks"] += 1
            tokens = np.flatnonzero(wanted).tolist()
            if not tokens:
                break
            token = rng.choice(tokens)
            config = matcher._place.config
            count["by number"] += index.token_id_sets is not None and index.token_id_sets.after(config, token) > 0
            count["ambiguous"] += index.token_id_sets is not None and token in index.token_id_sets.ambiguous(config)
            matcher.advance(token)
            matcher.rollback()
            assert np.array_equal(matcher.allowed(), allowed)
            matcher.advance(token)
            if matcher.is_finished:
                break
            items = twin.after(items, token)
    return count


@pytest.mark.parametrize("seeds", [4, *slow(20)])
def test_masks_bit_for_bit(seeds):
    count = check_random_constraints(range(seeds))
    assert count["masks"] > 4 * seeds
    assert count["by number"] > seeds
    assert count["ambiguous"] > seeds // 8


@pytest.mark.slow
def test_many_masks_bit_for_bit():
    assert check_random_constraints(range(1000, 1500))["ambiguous"] > 150


def check_budgets(seeds: range) -> int:
    """Within a number of tokens there is always one, until the text is complete; the mask says what can be taken."""
    restricted = 0
    for seed in seeds:
        rng = random.Random(seed)
        vocabulary = special_vocabulary() if seed % 2 else random_vocabulary(seed)
        constraint = gk.sequence(*(random_constraint(rng, vocabulary, {}) for _ in range(2)))
        free = Matcher(constraint.compile(vocabulary))
        matcher = free.within(free.min_tokens_to_complete() + rng.choice([0, 0, 1, 3]))
        while not matcher.is_finished and matcher.tokens_left:
            allowed = matcher.allowed()
            tokens = bitmask.tokens_of(allowed).tolist()
            assert tokens, (seed, len(matcher))
            assert tokens == [token for token in range(vocabulary.rows) if matcher.can_advance(token)], seed
            restricted += not np.array_equal(allowed, matcher.within(None).allowed())
            needed = [matcher.follow([token])[0].min_tokens_to_complete() for token in tokens]
            assert max(needed) < matcher.tokens_left, (seed, len(matcher))
            matcher.advance(rng.choice(tokens))
        assert matcher.is_complete
    return restricted


@pytest.mark.parametrize("count", [5, *slow(20)])
def test_budgets(count):
    assert check_budgets(range(100, 100 + count)) > count // 2


@pytest.mark.slow
def test_many_budgets():
    assert check_budgets(range(2000, 2500)) > 250


def masked(source: str, *tokens: int, dialect="lark") -> list[int]:
    matcher = Matcher(gk.grammar(source, dialect=dialect).compile(special_vocabulary()))
    matcher.advance_all(tokens)
    return matcher.allowed_tokens().tolist()


A, B = b"ab"
ALL = [token for token in range(len(special_vocabulary())) if token != END]


@pytest.mark.parametrize(
    ("rule", "tokens"),
    [
        ("<[5]>", [5]),
        ("<[5-7, 256,0]>", [0, 5, 6, 7, TOOL]),
        ("<[257]>", [END]),
        ("<[*]>", ALL),
        ("<[^5-7,256]>", [token for token in ALL if token not in (5, 6, 7, TOOL)]),
        ("<tool>", [TOOL]),
        ("<[5]> | <[6]>", [5, 6]),
        ("<[5]> | <end>", [5, END]),
        ('"a" | <[97-98]>', [A, B]),
    ],
)
def test_notation(rule, tokens):
    assert masked(f"start: {rule}") == tokens
    assert masked(f'start: x~2 -> y // <[\nx: ({rule}) "<[" # <[', tokens[0]) != []
    if "257" not in rule:
        assert masked(f"root ::= ({rule}) # <[", dialect="gbnf") == tokens


def test_dialect_of_llama_cpp():
    assert masked("root ::= !<[5]>", dialect="gbnf") == [token for token in ALL if token != 5]
    assert masked('root ::= <tool> !<tool>* <tool> "a"', TOOL, 300 - 50, TOOL, dialect="gbnf") == [A]


def test_a_token_in_two_ways_leads_to_what_both_lead_to():
    source = 'start: <[97]> "b" | "aac"'
    assert masked(source, A) == [A, B]
    matcher = Matcher(gk.grammar(source).compile(special_vocabulary()))
    assert matcher.within(2).allowed_tokens().tolist() == [A]
    assert matcher.forced_tokens() == [A]
    with pytest.raises(MatchError, match="not allowed here"):
        matcher.advance_bytes(b"b")


def test_end_of_sequence_only_where_it_is_listed():
    assert masked('start: "a" <[*]>*', A) == [*ALL[:END], END, *ALL[END:]]
    matcher = Matcher(gk.grammar('start: "a" <[250-257]> "b"').compile(special_vocabulary()))
    matcher.advance_all([A, END])
    assert matcher.allowed_tokens().tolist() == [B]


@pytest.mark.parametrize(
    ("source", "dialect", "message"),
    [
        ('start: "a"\n  | <[7-5]>', "lark", r"(?s)a range from 7 to 5 \(at line 2, column 7\).*<\[7-5\]>\n {8}\^"),
        ("start: <[]>", "lark", "expected numbers of tokens.*column 10"),
        ("start: <[5;6]>", "lark", r"expected a comma, or \]>.*column 11"),
        ("start: <[1,,2]>", "lark", "expected the number of a token.*column 12"),
        ("start: <[5", "lark", "expected numbers of tokens.*column 9"),
        ("start: <[12345678901]>", "lark", "more than 9 digits"),
        ('start: <[5]> "a" valu\nvalue: "b"', "lark", r"(?s)did you mean 'value'.*\n  start: <\[5\]> \"a\" valu\n"),
        ('start: A\nA: "b"\n  | <[5]>', "lark", r"(?s)<\[5\]> cannot be a part of a terminal.*line 3, column 5"),
        ("start: A\nA: X\n%declare X", "lark", "X cannot be a part of a terminal.*line 2, column 4"),
        ('start: "a"\n%ignore <[5]>', "lark", r"%ignore takes what has a pattern, which <\[5\]> has not"),
        ("root ::= <[7-5]>", "gbnf", r"(?s)a range from 7 to 5.*\n {13}\^"),
        ("root ::= !x", "gbnf", "expected a token.*column 11"),
    ],
)
def test_malformed(source, dialect, message):
    with pytest.raises(GrammarError, match=message):
        gk.grammar(source, dialect=dialect)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (gk.any_token([range(3, 400)]), r"<\[3-399\]> names tokens 3-399, but the vocabulary has 267 tokens, 0-266"),
        (gk.any_token(without=[267]), r"<\[\^267\]> names token 267"),
        (gk.any_token(["<toll>"]), "no token '<toll>'; did you mean '<tool>'"),
    ],
)
def test_vocabularies_without_the_tokens(part, message):
    with pytest.raises(VocabularyError, match=message):
        gk.sequence("a", part).compile(special_vocabulary())


def test_refused():
    for of, without in ([[], ()], [None, [-1]], [[1], [2]], [[True], ()], [[range(5, 5)], ()], [[range(0, 9, 2)], ()]):
        with pytest.raises(OptionError):
            gk.any_token(of, without=without)
    with pytest.raises(OptionError, match="captures"):
        gk.grammar("start: <[5]>").captures("a")
    whole = gk.sequence(gk.any_token([5]), gk.json_schema({"type": "integer"}))
    with pytest.raises(UnsupportedFeature, match="does not say of which tokens"):
        whole.parse("x1")
    assert all(text.startswith("<[5]>") for text in whole.sample(3, seed=0))


def test_beside_json_with_open_objects():
    part = gk.sequence(gk.any_token([TOOL, 258]), gk.json_schema({"type": "object"}, whitespace="compact"))
    matcher = Matcher(part.compile(special_vocabulary()))
    matcher.advance_all([258, *b'{"a":1,"a'])
    assert ord('"') not in matcher.allowed_tokens()
    matcher.advance_all(b'b":2}')
    assert matcher.is_over


def test_in_structural_tags():
    def allowed(format_, *tokens):
        matcher = Matcher(
            gk.structural_tag({"type": "structural_tag", "format": format_}).compile(special_vocabulary())
        )
        matcher.advance_all(tokens)
        return matcher.allowed_tokens().tolist()

    assert allowed({"type": "token", "token": 5}) == [5]
    assert allowed({"type": "exclude_token", "exclude_tokens": [5, "<tool>"]}) == [
        token for token in ALL if token not in (5, TOOL)
    ]
    some = {"type": "any_tokens", "exclude_tokens": [A], "max_tokens": 2}
    assert allowed(some, B) == [token for token in range(len(special_vocabulary())) if token != A]
    assert allowed(some, B, TOOL) == [END]


def test_imported_grammars_name_no_tokens(tmp_path):
    (tmp_path / "other.lark").write_text('a: "x" <[5]>')
    with pytest.raises(GrammarError, match=r"other\.lark, line 1, column 8"):
        gk.grammar("%import other.a\nstart: a", folders=[tmp_path])
