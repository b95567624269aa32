"""Tokens and other constraints as rules of grammars with lexer="longest", compared with lark's parser and lexer."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from grammars import LexingLark, random_lexed_grammar
from lark.exceptions import LarkError
from marks import slow
from vocabularies import TOOL, special_vocabulary

import guidance_kit as gk
from guidance_kit.errors import GrammarError, UnsatisfiableError, UnsupportedFeature
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.matcher import Matcher

AB = 259
"""Token with the text "ab", which grammars here also name by its number."""

TOKENS = {"<tool>": frozenset({TOOL}), f"<[{AB}]>": frozenset({AB})}
"""Token references, and their tokens."""

DECLARED = {"RA": "a|ab|cc", "RB": "[1.]{1,2}", "RC": '"[ab]?"|b'}
"""Other constraints, as patterns."""

PIECES = [*map(ord, 'abc1. "'), TOOL, AB]


def judge_of(source: str, used: Sequence[str]) -> LexingLark:
    """lark's parser of a grammar, with declared terminals T0, T1 in place of tokens."""
    for number, written in enumerate(TOKENS):
        source = source.replace(written, f"TOKEN_{number}")
    return LexingLark(source + "".join(f"\n%declare {name}" for name in (*used, "TOKEN_0", "TOKEN_1")))


def readings(tokens: Sequence[int]) -> Iterator[tuple[list[str], list[str]]]:
    """Ways to read tokens: texts, and the references between them."""
    ways: list[list[tuple[str, str]]] = []
    for token in tokens:
        text = "" if token == TOOL else special_vocabulary().token_bytes[token].decode()
        ways.append([("text", text)] if text else [])
        ways[-1] += [("token", f"TOKEN_{k}") for k, members in enumerate(TOKENS.values()) if token in members]
    for way in product(*ways):
        chunks, between = [""], []
        for kind, what in way:
            if kind == "text":
                chunks[-1] += what
            else:
                between.append(what)
                chunks.append("")
        yield chunks, between


def accepts(constraint: gk.Constraint, tokens: Sequence[int]) -> bool:
    matcher = Matcher(constraint.compile(special_vocabulary()))
    for token in tokens:
        if not bitmask.unpack(matcher.allowed()[None], special_vocabulary().rows)[0][token]:
            return False
        matcher.advance(token)
    return matcher.is_complete


def walked(constraint: gk.Constraint, rng: random.Random) -> list[int]:
    """Random tokens that can be begun, to the end where that comes soon."""
    matcher, tokens = Matcher(constraint.compile(special_vocabulary())), list[int]()
    while len(tokens) < 7 and not (matcher.is_complete and rng.random() < 0.5):
        allowed = bitmask.unpack(matcher.allowed()[None], special_vocabulary().rows)[0]
        following = [token for token in PIECES if allowed[token]]
        if not following:
            break
        tokens.append(rng.choice(following))
        matcher.advance(tokens[-1])
    return tokens


def check_random_grammars(seeds: Sequence[int], others: Sequence[str], *, texts: int) -> dict[str, int]:
    """Compare short, random and begun sequences of tokens with lark."""
    patterns = {name: re.compile(DECLARED[name]) for name in others if name in DECLARED}
    count = {"grammars": 0, "accepted": 0, "rejected": 0, "not LALR": 0, "refused": 0}
    for seed in seeds:
        rng = random.Random(seed)
        source = random_lexed_grammar(rng, others)
        used = {name: pattern for name, pattern in patterns.items() if re.search(rf"\b{name}\b", source)}
        declared = source + "".join(f"\n%declare {name}" for name in used)
        rules = {name: gk.regex(DECLARED[name]) for name in used}
        try:
            judge = judge_of(source, list(used))
        except LarkError:
            with pytest.raises((GrammarError, UnsatisfiableError)):
                gk.grammar(declared, lexer="longest", rules=rules)
            count["not LALR"] += 1
            continue
        tried = [list(tokens) for size in range(3) for tokens in product(PIECES, repeat=size)]
        tried += [rng.choices(PIECES, k=rng.randint(3, 6)) for _ in range(texts)]
        try:
            constraint = gk.grammar(declared, lexer="longest", rules=rules)
        except UnsatisfiableError:
            constraint = None
        except UnsupportedFeature:
            count["refused"] += 1
            continue
        except gk.OptionError:  # a rule that cannot be reached is unused
            continue
        for _ in range(texts if constraint is not None else 0):
            begun = walked(constraint, rng)
            place = rng.randrange(len(begun) + 1)
            tried += [begun, [*begun[:place], rng.choice(PIECES), *begun[place:]]]
        for tokens in tried:
            found = constraint is not None and accepts(constraint, tokens)
            wanted = any(judge.accepts_with(chunks, used, between) for chunks, between in readings(tokens))
            assert found == wanted, (seed, declared, tokens)
            count["accepted" if found else "rejected"] += 1
        count["grammars"] += 1
    return count


@pytest.mark.parametrize(
    ("others", "seeds"),
    [
        (tuple(TOKENS), [*range(12), 284]),
        (tuple(DECLARED), range(30)),
        *slow((tuple(TOKENS), range(100, 300)), (tuple(DECLARED), range(100, 500)), ((*TOKENS, *DECLARED), range(300))),
    ],
    ids=lambda value: str(len(value)),
)
def test_random_grammars_as_lark(others, seeds):
    found = check_random_grammars(seeds, others, texts=10)
    assert found["grammars"] > len(seeds) // 8
    assert found["accepted"] > len(seeds)
    assert found["rejected"] > 10 * len(seeds)


WORDS = '\nNAME: /[a-z]+/\nINT: /[0-9]+/\n%ignore " "\n'


def test_key_words_and_names_around_tokens():
    """The lexer reads each text between tokens by itself, so that letters on both sides of a token are two words."""
    source = f'start: "if" NAME <tool> NAME | NAME "=" <[{AB}]> INT{WORDS}'
    constraint = gk.grammar(source, lexer="longest")
    whole = lambda before, token, after: accepts(constraint, [*before.encode(), token, *after.encode()])  # noqa: E731
    assert whole("if x", TOOL, "if")
    assert whole("if if ", TOOL, " b")
    assert whole("x =", AB, "1 ")
    assert not whole("ifx", TOOL, "b")
    assert not whole("x =", ord("a"), "b1")
    assert not whole("x =", TOOL, "1")


def test_other_constraints_stand_beside_what_the_lexer_finds():
    amount = gk.json_schema({"type": "object", "properties": {"n": {"type": "integer"}}}, whitespace="compact")
    source = f'start: (NAME "=" (INT | AMOUNT) ";")+{WORDS}%declare AMOUNT'
    constraint = gk.grammar(source, lexer="longest", rules={"AMOUNT": amount})
    reads = lambda text: accepts(constraint, list(text.encode()))  # noqa: E731
    assert all(map(reads, ['a = {"n":1}; b=2 ;', "a=12;", "a={};"]))
    assert not any(map(reads, ['a = {"n": 1};', "a={}", "={};", "a=1 2;"]))
    assert constraint.report.terminals == 5


@pytest.mark.parametrize(
    ("rules", "pattern", "message"),
    [
        ("start: NAME R", "[a-z]", "begins with what must not follow .* .at the rule R.; let them be told apart"),
        ("start: INT R", " |x", "begins with what must not follow"),
        ("start: NAME R", "[0-9]*", "a constraint with the empty text .* .at the rule R of a .*; .* write R[?]$"),
        ('start: "x" A R\nA: /a(?=b)/', "b", "behind a terminal that asks for certain text after it .* .at the rule R"),
    ],
)
def test_refused_by_name(rules, pattern, message):
    source = rules + WORDS.replace('" "', "/ +/") + "%declare R"
    with pytest.raises(UnsupportedFeature, match=message):
        gk.grammar(
            source if "NAME" in rules else source.replace("INT R", "INT? R"),
            lexer="longest",
            rules={"R": gk.regex(pattern)},
        )


def test_errors_name_what_is_written():
    with pytest.raises(GrammarError, match="<a : <tool>>, <b : <tool>>"):
        gk.grammar("start: a | b\na: <tool>\nb: <tool>", lexer="longest")
    with pytest.raises(gk.OptionError, match=r"no rule for rules.'R'.: use it, and write %declare R"):
        gk.grammar("start: A\nA: /a/", lexer="longest", rules={"R": "x"})
    unused = gk.grammar("start: A\nA: /a/\n%declare R", lexer="longest", rules={"R": "x"})
    assert unused.report.unused == ("R",)
    with pytest.raises(gk.OptionError, match="captures"):
        gk.grammar("start: <tool>", lexer="longest").captures("x")
