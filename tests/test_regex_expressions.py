"""Combining regular languages: intersections, complements, lengths, witnesses, encodings of one's own."""

from __future__ import annotations

import random
import re
from array import array
from itertools import pairwise, product

import pytest
from marks import slow
from oracles import Interpreter
from patterns import random_pattern

from guidance_kit.errors import LimitError, UnsatisfiableError
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.grammars.regular import (
    ANYTHING,
    EPSILON,
    NOTHING,
    CharSet,
    add,
    alternate,
    characters,
    complement,
    concatenate,
    declare,
    intersect,
    is_empty,
    is_member,
    length,
    literal,
    lookahead,
    lookbehind,
    optional,
    parse,
    parse_search,
    repeat,
    shortest,
)
from guidance_kit.grammars.regular.derivative import Derivatives
from guidance_kit.grammars.regular.encoding import UTF8, FirstEdges
from guidance_kit.grammars.regular.expression import Concatenation, Expression, Repetition, deferred
from guidance_kit.grammars.regular.listing import listing

ALPHABET = "ab1 \né"
TEXTS = ["".join(letters) for n in range(4) for letters in product(ALPHABET, repeat=n)]


def accepted(expression: Expression, texts: list[str] = TEXTS) -> set[str]:
    """The texts that the network of an expression accepts."""
    network = Network()
    try:
        network.root = declare(network, expression)
    except UnsatisfiableError:
        return set()
    interpreter = Interpreter(network)
    return {text for text in texts if interpreter.accepts(text.encode())}


def random_expression(rng: random.Random, depth: int = 2) -> tuple[Expression, set[str]]:
    """A random combination, and the texts that belong to it according to `re`."""
    kind = rng.randint(0, 4) if depth else 0
    if kind <= 1:
        pattern = random_pattern(rng, conditions=0.2, depth=2)
        compiled = re.compile(pattern)
        if kind == 0 and rng.random() < 0.5:
            return parse_search(pattern), {text for text in TEXTS if compiled.search(text)}
        return parse(pattern), {text for text in TEXTS if compiled.fullmatch(text)}
    if kind == 2:
        expression, members = random_expression(rng, depth - 1)
        return complement(expression), set(TEXTS) - members
    several = [random_expression(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    expressions, sets = [one for one, _ in several], [members for _, members in several]
    if kind == 3:
        return alternate(expressions), set.union(*sets)
    bounds = rng.randint(0, 2), rng.choice([UNBOUNDED, 2, 3])
    within = {text for text in TEXTS if bounds[0] <= len(text) and (bounds[1] < 0 or len(text) <= bounds[1])}
    return intersect(*expressions, length(*bounds)), set.intersection(within, *sets)


@pytest.mark.parametrize("seeds", [range(20), *slow(range(20, 250))])
def test_random_combinations(seeds):
    for seed in seeds:
        expression, members = random_expression(random.Random(seed))
        assert accepted(expression) == members, seed
        witness = shortest(expression)
        assert is_empty(expression) == (witness is None), seed
        if members:
            assert len(witness) == min(map(len, members)), seed
        if witness is not None:
            assert accepted(expression, [witness]) == {witness}, seed
            assert is_member(witness, expression)
        for text in random.Random(seed).sample(TEXTS, 20):
            assert is_member(text, expression) == (text in members), (seed, text)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (EPSILON, ""),
        (NOTHING, None),
        (ANYTHING, ""),
        (parse(r"\w{3}x"), "aaax"),
        (parse(r"(?=.*[A-Z])(?=.*\d).{4,}"), "A0aa"),
        (parse(r"\d+(?<=5)"), "5"),
        (intersect(parse("a+"), parse("b+")), None),
        (intersect(parse("(?:aa)+"), parse("(?:aaa)+")), "a" * 6),
        (complement(length(0, 2)), "aaa"),
        (parse("[^ -~]"), "\0"),
    ],
)
def test_shortest(expression, text):
    found = shortest(expression)
    assert (found is None) == (text is None)
    if text is not None:
        assert len(found) == len(text)
        assert is_member(found, expression)
        assert is_member(text, expression)


def test_constructors_simplify():
    a = literal("a")
    assert concatenate([]) is EPSILON
    assert concatenate([a, NOTHING]) is NOTHING
    assert concatenate([EPSILON, a]) is a
    assert alternate([]) is NOTHING
    assert alternate([NOTHING, a]) is a
    assert alternate([a, ANYTHING]) is ANYTHING
    assert optional(optional(a)).least == 0
    assert repeat(a, 0, 0) is EPSILON
    assert repeat(NOTHING, 0, 5) is EPSILON
    assert repeat(NOTHING, 1, 5) is NOTHING
    assert length(0, UNBOUNDED) is ANYTHING
    assert intersect() is ANYTHING
    assert intersect(a, ANYTHING) is a
    assert intersect(a, NOTHING) is NOTHING
    assert intersect(a, literal("b")) is NOTHING
    assert complement(NOTHING) is ANYTHING
    assert complement(ANYTHING) is NOTHING
    assert lookahead(ANYTHING) is EPSILON
    assert lookahead(NOTHING) is NOTHING
    assert lookbehind(NOTHING) is NOTHING
    assert lookbehind(NOTHING, is_negated=True) is EPSILON
    assert literal("\ud800") is NOTHING


def test_whole_text_operators_stay_outside():
    other = complement(parse(".*a"))
    assert not other.is_plain
    with pytest.raises(ValueError, match="concatenation"):
        concatenate([literal("a"), other])
    with pytest.raises(ValueError, match="repeated"):
        repeat(other, 2, 3)
    with pytest.raises(ValueError, match="concatenation"):
        concatenate([literal("a"), alternate([intersect(parse("a*b"), parse("(?:a|b)*")), literal("x")])])
    assert accepted(alternate([EPSILON, intersect(parse("a*b"), parse("..|b"))])) == {"", "b", "ab"}
    assert accepted(optional(complement(length(0, 2)))) == {""} | {text for text in TEXTS if len(text) == 3}


def test_bounds_of_nested_repetitions():
    """(x{a,b}){c,d} becomes x{m,n} exactly if that is the same."""
    x = literal("x")
    for a, b, c, d in product(range(4), range(1, 5), range(4), range(1, 5)):
        if a <= b and c <= d:
            wanted = {k for turns in range(c, d + 1) for k in range(turns * a, turns * b + 1)}
            found = accepted(repeat(repeat(x, a, b), c, d), ["x" * k for k in range(20)])
            assert {len(text) for text in found} == wanted, (a, b, c, d)
            merged = repeat(repeat(x, a, b), c, d)
            is_interval = len(wanted) == max(wanted) - min(wanted) + 1
            assert (not isinstance(getattr(merged, "body", x), Repetition)) == is_interval, (a, b, c, d)
    assert {len(t) for t in accepted(repeat(repeat(x, 3, UNBOUNDED), 2, 3), ["x" * k for k in range(9)])} == {6, 7, 8}
    assert {len(t) for t in accepted(repeat(repeat(x, 2, 3), 0, UNBOUNDED), ["x" * k for k in range(9)])} == {
        0, 2, 3, 4, 5, 6, 7, 8,
    }  # fmt: skip


@pytest.mark.parametrize(
    "pattern",
    ["[a-z]*", "a[^b]*", "ab*c?", *slow("[a-z]+", "[A-Z][a-z]{2,5}1", "(?:ab)*", "", "a{3}", "[a-z]{4,9}", "a*b*")],
)
def test_lengths_of_simple_patterns_need_no_intersection(pattern):
    texts = ["".join(letters) for n in range(7) for letters in product("abA1", repeat=n) if n < 5 or letters[0] in "aA"]
    for least, most in [(0, 3), (2, 4), (3, 3), (5, UNBOUNDED), (0, 0), (0, 100), (2, 1)]:
        joint = intersect(parse(pattern), length(least, most)) if most < 0 or least <= most else NOTHING
        wanted = {t for t in texts if re.fullmatch(pattern, t) and least <= len(t) and (most < 0 or len(t) <= most)}
        assert accepted(joint, texts) == wanted, (least, most)
        if pattern not in ("(?:ab)*", "ab*c?", "a*b*"):
            assert joint.is_plain


WORDS = ["", "a", "ab", "abc", "b", "ba", "1"]


def test_complements_of_fixed_texts_are_plain():
    rng = random.Random(7)
    for _ in range(100):
        words = rng.sample(WORDS, rng.randint(1, 5))
        starts = rng.sample(WORDS[1:], rng.randint(0, 2))
        body = alternate([literal(word) for word in words] + [concatenate([literal(s), ANYTHING]) for s in starts])
        outside = complement(body)
        assert outside.is_plain
        wanted = {text for text in TEXTS if text not in words and not text.startswith(tuple(starts))}
        assert accepted(outside) == wanted
    folded = complement(parse("(?i)ab|b"))
    assert folded.is_plain
    assert accepted(folded, ["", "ab", "AB", "aB", "b", "a", "abc"]) == {"", "a", "abc"}


def test_complements_of_some_texts():
    def others(texts):
        return complement(alternate(map(literal, texts)))

    rng = random.Random(4)
    for _ in range(60):
        some = rng.sample(TEXTS, rng.choice([0, 1, 1, 2, 3, 20]))
        found = others([*some, *some[:1]])
        assert found.is_plain
        assert accepted(found) == set(TEXTS).difference(some), some
    assert accepted(others(["a", "\ud800", "b\udfff"])) == set(TEXTS) - {"a"}
    assert accepted(others(["b", "a" * 100]), ["a" * 99, "a" * 100, "b"]) == {"a" * 99}


def test_complements_that_are_no_tries():
    for pattern in [r"(?s).*a.*", "[ab]1|a", "[ab]1|a2", "a*", "(?:a|b)1", r"(?s).*.*b.*"]:
        wanted = {text for text in TEXTS if not re.fullmatch(pattern, text)}
        assert accepted(complement(parse(pattern))) == wanted, pattern
    wanted = {text for text in TEXTS if not re.search("a", text)}
    assert accepted(parse("(?s)(?!.*a).*")) == wanted
    assert accepted(complement(literal("a" * 100)), ["a" * 100, "a" * 99, "a" * 101]) == {"a" * 99, "a" * 101}


class Hexadecimal:
    """Every character as two hexadecimal digits or more, in either case, and a full stop."""

    writes_slice = False

    def add(self, network: Network, source: int, charset: CharSet, target: int) -> None:
        self.first_edges(network, charset, target).write(network, source)

    def first_edges(self, network: Network, charset: CharSet, target: int) -> FirstEdges:
        edges = array("i")
        for lo, hi in charset.ranges:
            for point in range(lo, min(hi, lo + 300) + 1):
                for text in {f"{point:02x}.", f"{point:02X}."}:
                    middle = network.state()
                    edges.extend((0, ord(text[0]) | ord(text[0]) << 8, middle, 0))
                    network.literal(middle, text[1:].encode(), target)
        return FirstEdges(edges, 0)


@pytest.mark.parametrize("pattern", ["[a-k]{2}é?", "(?=.*é)[a-zé]{2,3}", "(?:a|b){70}", r"(?!ab)[a-k]+\b"])
def test_another_encoding(pattern):
    network = Network()
    network.root = declare(network, parse(pattern), Hexadecimal())
    interpreter = Interpreter(network)
    for text in ["ab", "kk", "aé", "éaé", "a" * 70, "ab" * 35, "a" * 69, "j", "ac"]:
        written = "".join(f"{ord(character):02x}." for character in text)
        is_match = re.fullmatch(pattern, text) is not None
        assert interpreter.accepts(written.encode()) == is_match, text
        assert interpreter.accepts(written.upper().encode()) == is_match, text
        assert not interpreter.accepts(text.encode())


@pytest.mark.parametrize(
    "ranges", [[(0, 0)], [(0x7F, 0x7F)], [(0x30, 0x39), (0x41, 0x5A)], [(0, 0x7F)], [(0x41, 0x80)], [(0xE9, 0xE9)]]
)
def test_paths_are_the_first_edges_of_any_source(ranges):
    charset = CharSet.of(ranges)
    one, other = Network(), Network()
    for network in (one, other):
        network.states(2)
    UTF8.add(one, 0, charset, 1)
    UTF8.first_edges(other, charset, 1).write(other, 0)
    assert (one.flat, one.alike, one.size) == (other.flat, other.alike, other.size)


def test_parts_of_a_rule():
    """Expressions can be written between states of another rule, plain or not."""
    network = Network()

    def build() -> int:
        start, middle, quoted, end = network.states(4)
        network.byte(start, ord('"'), ord('"'), middle)
        add(network, middle, intersect(parse("[a-z]*"), complement(parse(".*foo.*")), length(0, 5)), quoted)
        network.byte(quoted, ord('"'), ord('"'), end)
        add(network, start, parse("null|true"), end)
        network.final(end)
        return start

    network.root = network.rule(build, nullable=False)
    interpreter = Interpreter(network)
    for text, wanted in [('"abc"', 1), ('""', 1), ('"foo"', 0), ('"abcdef"', 0), ("null", 1), ('"null', 0), ("", 0)]:
        assert interpreter.accepts(text.encode()) == bool(wanted), text
    with pytest.raises(UnsatisfiableError):
        add(network, 0, intersect(parse("a*b"), parse("b*a")), 1)


def test_limits_of_the_search_for_a_text(monkeypatch):
    from guidance_kit.grammars.regular import liveness, nodes

    monkeypatch.setattr(liveness, "_MOST_STEPS", 0)
    monkeypatch.setattr(liveness, "MAX_SEARCH", 50)
    with pytest.raises(LimitError) as caught:
        is_empty(intersect(parse("(?:aaaaaaa)*a"), parse("(?:aaaaaaaaaaa)*"), parse("(?:aaaaaaaaaaaaa)*aa")))
    assert caught.value.limit == "max_search"
    monkeypatch.setattr(nodes, "MAX_NODES", 100)
    with pytest.raises(LimitError) as caught:
        is_empty(parse("(?=.*a.{9}b)(?=.*b.{9}a)(?=.*[ab]{5}).*x"))
    assert caught.value.limit == "max_derivatives"


def test_ways_to_count_the_same_turns_are_one():
    pattern = parse(r"(?!.*://)(?=.{1,255}\Z)(?:.{1,63}\.){1,127}(?![0-9]*\Z)[a-z0-9-]+\.?")
    derivatives = Derivatives(pattern)
    counts = []
    for label in range(60):
        assert derivatives.contains("a." * (label + 1) + "b")
        counts.append(len(derivatives.nodes.keys))
    growth = [after - before for before, after in pairwise(counts)]
    assert max(growth[30:]) <= max(growth[:10])  # not more for each label that the dots before may have ended


@pytest.mark.parametrize("count", [2000, *slow(15_000)])
def test_long_sequences_do_not_recurse(count):
    text = "ab" * count
    expression = literal(text)
    assert isinstance(expression, Concatenation)
    assert shortest(intersect(expression, parse("(?s)(?!.*ac).*"))) == text
    chain = concatenate([optional(characters(CharSet.single(0x61 + k % 26))) for k in range(300)])
    assert not is_empty(intersect(chain, parse(".*z.*y.*x.*")))


def test_a_plain_language_is_endless_where_some_part_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by the enumeration of its texts, with none of it: no derivative is taken."""
    expressions = [parse(random_pattern(random.Random(seed), conditions=0, depth=2)) for seed in range(150)]
    few = deferred(lambda: literal("abc"), 3, 2, [CharSet.single(ord(letter)) for letter in "abc"])
    expressions += [
        few,
        repeat(few, 1, 2),
        repeat(few, 1, UNBOUNDED),
        deferred(lambda: parse("ab*"), 1, 0, [CharSet.single(ord(letter)) for letter in "ab"]),
    ]
    plain = [expression for expression in expressions if expression.is_plain]
    found = [listing(expression, 60) for expression in plain]
    with monkeypatch.context() as patched:
        patched.setattr("guidance_kit.grammars.regular.listing._has_endless_turns", lambda expression: False)
        assert found == [listing(expression, 60) for expression in plain]
    assert found[-4] == ["abc"]
    assert found[-3] == ["abc", "abcabc"]
    assert found[-2] is found[-1] is None
    monkeypatch.setattr("guidance_kit.grammars.regular.listing.Derivatives", None)
    assert listing(parse("[a-z]+://(?:x|y*){2}"), 60) is None
    assert listing(parse("(?:ab|c*d)e"), 60) is None
