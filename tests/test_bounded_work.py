"""Cost of hostile constraints, counted in steps: never in seconds."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from marks import slow
from vocabularies import gpt2_like_vocabulary, special_vocabulary, texts_of

import guidance_kit as gk
from guidance_kit.errors import LimitError
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Work
from guidance_kit.grammars.context_free import lexeme, writer
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.regular import parse
from guidance_kit.grammars.regular.charset import NONE, CharSet, union
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.equivalent_states import equivalent_states
from guidance_kit.grammars.regular.liveness import Liveness


def lookaheads(count: int) -> str:
    """A pattern of so many conditions, each with two letters of its own; their states multiply."""
    return "".join(f"(?=.*{chr(97 + k)}.*{chr(98 + k)})" for k in range(count)) + ".*"


def test_a_text_of_many_lookaheads_is_found_along_one_path():
    derivatives = Derivatives(parse(lookaheads(20)))
    derivatives.work = Work(20_000)  # there are 3 ** 20 states
    assert Liveness(derivatives).is_live(derivatives.root)


def test_many_lookaheads_reach_a_named_limit():
    matcher = Matcher(gk.regex(lookaheads(20)).compile(gpt2_like_vocabulary(), limits=Limits(max_work=20_000)))
    with pytest.raises(LimitError, match=r"max_work=20000 reached \(at a pattern with lookarounds.*Limits\(max_work="):
        matcher.allowed_tokens()


def test_the_limit_holds_for_budgets():
    matcher = Matcher(gk.regex(lookaheads(20)).compile(gpt2_like_vocabulary(), limits=Limits(max_work=20_000)))
    with pytest.raises(LimitError, match=r"max_work=20000 reached \(at a pattern with lookarounds"):
        matcher.within(40)


def test_the_limit_holds_for_networks_that_a_vocabulary_restricts():
    vocabulary = replace(gpt2_like_vocabulary(), token_bytes=without_zero())
    with pytest.raises(LimitError, match=r"max_work=20000 reached .* the vocabulary has no token for some bytes\)"):
        gk.regex(lookaheads(20)).compile(vocabulary, limits=Limits(max_work=20_000))
    matcher = Matcher(gk.regex(lookaheads(2)).compile(vocabulary, limits=Limits(max_work=20_000)))
    matcher.advance_bytes(b"abc")
    assert matcher.is_complete


def without_zero() -> tuple[bytes, ...]:
    return tuple(b"" if text == b"\0" else text for text in gpt2_like_vocabulary().token_bytes)


def test_work_is_counted_for_each_mask():
    """Work for a long text altogether is not bounded: a limit that suffices for each of its masks suffices."""

    def steps(limit: int) -> list[int]:
        matcher = Matcher(gk.regex(lookaheads(6)).compile(gpt2_like_vocabulary(), limits=Limits(max_work=limit)))
        counted, spent = matcher.index.automaton.work, []
        for letter in b"abcdefg":
            counted.renew()
            matcher.allowed_tokens()
            spent.append(counted.limit - counted.left)
            matcher.advance_bytes(bytes([letter]))
        return spent

    found = steps(10**9)
    assert sum(found) > max(found) > 0
    assert steps(max(found)) == found


def of_moore(edges, endings):
    """Blocks of equivalent states, refined until nothing changes."""
    keys = list(endings)
    count = 0
    while True:
        numbers: dict = {}
        block = [numbers.setdefault(key, len(numbers)) for key in keys]
        if len(numbers) == count:
            return block
        count = len(numbers)
        keys = []
        for state, steps in enumerate(edges):
            into: dict = {}
            for chars, target in steps:
                into.setdefault(block[target], []).append(chars)
            keys.append((block[state], frozenset((target, union(sets)) for target, sets in into.items())))


def in_order(block):
    numbers: dict = {}
    return [numbers.setdefault(each, len(numbers)) for each in block]


def test_equal_states_are_found_as_by_refining_all_blocks():
    rng = random.Random(0)
    for _ in range(3000):
        size = rng.randint(1, 9)
        edges = []
        for _ in range(size):
            letters = rng.sample(range(97, 101), rng.randint(0, 4))
            edges.append([(CharSet.single(letter), rng.randrange(size)) for letter in letters])
        endings = [rng.choice([None, None, NONE, CharSet.single(120)]) for _ in range(size)]
        assert in_order(equivalent_states(edges, endings, union)) == of_moore(edges, endings)


@pytest.mark.parametrize("period", ["a", "ab", "abcdefgh"])
def test_periodic_texts_are_made_small_in_steps_that_grow_with_their_length(monkeypatch, period):
    counted = [0]

    def counting(sets):
        counted[0] += 1
        return union(sets)

    monkeypatch.setattr(lexeme, "union", counting)
    size = 1600
    text = (period * size)[:size]
    edges = [[(CharSet.single(ord(letter)), k + 1)] for k, letter in enumerate(text)] + [[]]
    made = Lexeme.smallest(edges, [None] * size + [NONE])
    assert made == Lexeme.of_literal([CharSet.single(ord(letter)) for letter in text])
    assert counted[0] < 11 * size  # log2(1600) = 10.6; 1.3 million if all blocks are refined each time


def test_texts_of_a_million_characters_are_not_drawn():
    with pytest.raises(LimitError, match="a shortest text of 1000000 bytes"):
        gk.regex("a{1000000}").sample(1)
    with pytest.raises(gk.OptionError, match="1000000 bytes, more than max_length=100"):
        gk.regex("a{1000000}").sample(1, max_length=100)
    assert gk.regex("a{1000}").sample(1) == ["a" * 1000]


def test_of_a_long_terminal_only_what_texts_reach_is_written():
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefgh", k=650)) for _ in range(40)]
    named = "\n".join(f'T{k}: "{word}"' for k, word in enumerate(words))
    matcher = Matcher(
        gk.grammar(f"start: {' | '.join(f'T{k}' for k in range(40))}\n{named}").compile(special_vocabulary())
    )
    matcher.allowed_tokens()
    network = matcher.index.automaton.network
    assert network.size < 40 * 80  # there are 26,000 characters
    matcher.advance_bytes(words[7][:-1].encode())
    assert not matcher.is_complete
    assert set(matcher.allowed_tokens()) == {ord(words[7][-1])}
    matcher.advance_bytes(words[7][-1].encode())
    assert matcher.is_complete
    assert network.size < 40 * 80 + 1000


@pytest.mark.parametrize("count", [200, *slow(500)])
@pytest.mark.parametrize(
    "pattern", ["abcdeé", "(x|yy?)abcd", "a?b?c?de", "(ab)*cdef", "[ab]cd|[ab]ce", "x*yabcdef", "(a|b)bcd(e|f)ghi"]
)
def test_terminals_whose_tails_are_written_later_have_the_same_texts(monkeypatch, pattern, count):
    monkeypatch.setattr(writer, "_AT_ONCE", 2)
    rng = random.Random(pattern)
    words = {"".join(rng.choices("abcdefghixyé", k=rng.randint(0, 8))) for _ in range(count)}
    words |= set(gk.regex(pattern).sample(count // 10, seed=1))
    words |= {f"{word}{word}" for word in words}
    expected = {word for word in words if re.fullmatch(f"(?:{pattern})(?:{pattern})?", word)}
    assert len(expected) > 1
    assert texts_of(gk.grammar(f"start: T T?\nT: /{pattern}/"), words) == expected


@pytest.mark.parametrize("lexer", ["dynamic_complete", "dynamic", "longest"])
def test_no_parser_of_lark_is_made_of_a_grammar_that_is_only_written(monkeypatch, lexer):
    """lark's parsers compute all the rules with which each rule can begin, tables, and lexers for each state."""

    def refuse(*args, **options):
        raise AssertionError

    monkeypatch.setattr("lark.Lark.__init__", refuse)
    assert texts_of(gk.grammar('start: a "b"\na: a "c" | "d"', lexer=lexer), ["db", "dcb", "dcc"]) == {"db", "dcb"}


def test_terminals_too_large_for_any_lexer_are_refused_before_their_lexers_are_made(monkeypatch):
    def refuse(*args, **options):
        raise AssertionError

    monkeypatch.setattr("guidance_kit.grammars.context_free.lalr.MaximalMunch", refuse)
    rng = random.Random(0)
    named = "\n".join(f'T{k}: "{"".join(rng.choices("abcdefgh", k=650))}"' for k in range(100))
    with pytest.raises(LimitError, match=r"max_places=50000 reached \(at the terminals of a grammar, at T\d+\)"):
        gk.grammar(f"start: {' | '.join(f'T{k}' for k in range(100))}\n{named}", lexer="longest")


HUGE = "9" * 5000


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (lambda: gk.regex(f"a{{{HUGE}}}"), "max_digits=.* a number in a pattern"),
        (lambda: gk.regex(f"a{{1,{HUGE[:22]}}}"), "max_turns=.* a repetition in a pattern"),
        (lambda: gk.grammar(f'start: "a"~{HUGE}'), "max_digits=.* a number in a grammar"),
        (lambda: gk.grammar(f'start: "a"~1..{HUGE}'), "max_digits=.* a number in a grammar"),
        (lambda: gk.grammar(f"start: /a{{{HUGE}}}/"), "max_digits=.* a number in a grammar"),
        (lambda: gk.grammar(f"start: /a{{{HUGE}}}/", lexer="longest"), "max_digits=.* a number in a grammar"),
        (lambda: gk.grammar(f"start: /a{{{HUGE[:22]}}}/"), "max_turns=.* a repetition in a pattern of a grammar"),
        (lambda: gk.grammar(f"start: /a{{{HUGE[:22]}}}/", lexer="longest"), "max_turns=.* a pattern of a grammar"),
        (lambda: gk.grammar(f'root ::= "a"{{{HUGE}}}', dialect="gbnf"), "max_turns=.* a repetition in a grammar"),
        (lambda: gk.structural_tag(f'{{"format": {{"min": {HUGE}}}}}'), "max_digits=.* a number in a structural tag"),
        (lambda: gk.text(min_length=10**5000), "max_turns=.* min_length"),
        (lambda: gk.text(until="a", max_length=10**22), "max_turns=.* max_length"),
        (lambda: gk.repeat("a", 0, 10**22), "max_turns=.* maximum"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_numbers_that_are_never_counted_to_are_refused_by_name(make, where):
    with pytest.raises(LimitError, match=where):
        make()
