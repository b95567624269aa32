"""Random grammars in Lark's notation, and a slow, obvious recogniser of what lark accepts. Tests only."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import lark.lexer
import numpy as np
from lark import Lark, Token, Transformer, Tree
from lark.exceptions import LarkError, UnexpectedInput, VisitError
from lark.parsers.lalr_interactive_parser import InteractiveParser

from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.opcodes import CALL, EPSILON
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.vocabulary import Vocabulary

_BYTES = Vocabulary.from_bytes()

_sliced: Callable[[str], Any] = lark.lexer.TextSlice.cast_from if hasattr(lark.lexer, "TextSlice") else str
"""A text as lark's lexers match in it: a slice from lark 1.3 on."""


_LITERALS = ['"a"', '"b"', '"c"', '"ab"', '"ba"', '"a"i', '"bc"']
_PATTERNS = [
    "/a+/", "/[ab]/", "/[ab]+c/", "/a|ab/", "/ab?/", "/a*?b/", "/b.*?c/", "/[^a]/", "/a(?!b)/", "/[abc]+\\b/",
    "/(?!ab)[abc]+/", "/(?!ab\\b)[abc]+/", "/(?:(?!aab)a+|aabc)/", "/a+(?!c)/", "/a\\b|ab/",
    "/(?!(?:a|bc)\\b)[abc]\\w*/",
    "/(?:ab|a)+/", "/b(?!c)+a?/", "/c(?<=c)a*/", "/a{2,3}/", "/(a|b)*?c/",
]  # fmt: skip
_IGNORED = ["/ +/", '" "', "/ /", "/c+/", "/ c?/", "/( c)+/", "/ab?/", '" " | "b"']


def random_grammar(rng: random.Random) -> str:
    """A small grammar, often with left recursion, rules without text, and several ways to read a text."""
    names = ["start", "x", "y", "z"][: rng.randint(1, 4)]
    terminals = [f"T{k}" for k in range(rng.randint(0, 3))]

    def expression(depth: int) -> str:
        ways = (sequence(depth) for _ in range(rng.choice([1, 1, 2, 2, 3])))
        return " | ".join(ways)

    def sequence(depth: int) -> str:
        return " ".join(item(depth) for _ in range(rng.choice([0, 1, 1, 2, 2, 3])))

    def item(depth: int) -> str:
        kind = rng.random()
        if kind < 0.35:
            base = rng.choice(names)
        elif kind < 0.45 and terminals:
            base = rng.choice(terminals)
        elif kind < 0.55:
            base = rng.choice(_PATTERNS)
        elif kind < 0.8 or depth == 0:
            base = rng.choice(_LITERALS)
        elif kind < 0.9:
            return f"[{expression(depth - 1)}]"
        else:
            base = f"({expression(depth - 1)})"
        return base + rng.choice(["", "", "", "", "", "*", "+", "?", "~2", "~0..2"])

    lines = [f"{rng.choice(['', '', '?', '!']) if name != 'start' else ''}{name}: {expression(1)}" for name in names]
    for name in terminals:
        priority = rng.choice(["", "", ".2"])
        lines.append(f"{name}{priority}: {rng.choice(_PATTERNS + _LITERALS)}{rng.choice(['', '', '+', '?'])}")
        lines[-1] += f" {rng.choice(_LITERALS)}" if rng.random() < 0.5 else ""
    if rng.random() < 0.4:
        lines += [f"%ignore {what}" for what in rng.sample(_IGNORED, rng.choice([1, 1, 2]))]
    return "\n".join(lines) + "\n"


def lark_of(grammar: str, lexer: str = "dynamic_complete") -> Lark | None:
    """lark's own parser for a grammar; None if lark refuses it."""
    try:
        return Lark(grammar, parser="earley", lexer=lexer, ambiguity="forest")
    except LarkError:
        return None


def lark_accepts(lark: Lark, text: str) -> bool:
    """Test whether lark's Earley parser accepts a text."""
    try:
        lark.parse(text)
    except UnexpectedInput:
        return False
    except RuntimeError as error:
        if "multiple start symbol items" not in str(error):  # it has accepted, and does not know what to make of it
            raise
    return True


class Texts:
    """A constraint as a set of texts, with what can be begun."""

    def __init__(self, constraint: Constraint | None) -> None:
        self.automaton = None if constraint is None else Automaton(constraint.network())

    def after(self, text: str) -> int:
        """The configuration after a text, 0 if it is not a beginning."""
        if self.automaton is None:
            return 0
        path = self.automaton.advance(self.automaton.start, text.encode())
        return 0 if len(path) < len(text.encode()) else int(path[-1]) if text else self.automaton.start

    def accepts(self, text: str) -> bool:
        config = self.after(text)
        return bool(config) and self.automaton.is_complete(config)

    def finished(self, text: str) -> str:
        """A shortest text that goes on from `text`."""
        index, found = TokenIndex(self.automaton, _BYTES), text.encode()
        config = self.after(text)
        while not index.automaton.is_complete(config):
            left = index.min_tokens_to_complete(config)
            steps = ((byte, index.advance(config, byte)[0]) for byte in range(256))
            byte, config = next(
                (byte, there) for byte, there in steps if there and index.min_tokens_to_complete(there) < left
            )
            found += bytes([byte])
        return found.decode()


def brute_force_by_bytes(vocabulary, automaton: Automaton, text: bytes) -> np.ndarray:
    """The same by stepping through the automaton, which handles left recursion."""
    path = automaton.advance(automaton.start, text)
    config = int(path[-1]) if text else automaton.start
    allowed = np.zeros(vocabulary.rows, dtype=bool)
    for token, spelled in enumerate(vocabulary.token_bytes):
        if token in vocabulary.eos:
            allowed[token] = automaton.is_complete(config)
        elif spelled and token not in vocabulary.special:
            allowed[token] = len(automaton.advance(config, spelled)) == len(spelled)
    return allowed


class Recogniser:
    """All spans of all rules in a text, found by trying until nothing changes.

    A terminal, and what is ignored, is looked for as lark's dynamic lexer does it: `re.match`, and for a terminal again
    in what that took, cut short after each character.
    """

    def __init__(self, lark: Lark) -> None:
        self.productions = [
            (rule.origin.name, [(symbol.name, symbol.is_term) for symbol in rule.expansion]) for rule in lark.rules
        ]
        self.patterns = {terminal.name: re.compile(terminal.pattern.to_regexp()) for terminal in lark.terminals}
        self.ignored = lark.ignore_tokens
        self.tries_all_lengths = lark.options.lexer == "dynamic_complete"

    def accepts(self, text: str) -> bool:
        """Test whether a text matches the rule `start`."""
        size = len(text)
        skips = [{k} for k in range(size + 1)]  # where one gets by ignoring
        for k in range(size, -1, -1):
            for name in self.ignored:
                found = self.patterns[name].match(text, k)
                if found:
                    skips[k] |= skips[found.end()]
        tokens = {
            (name, k): {end for begin in skips[k] for end in self._ends(name, text, begin)}
            for name in self.patterns
            for k in range(size + 1)
        }
        spans: dict[tuple[str, int], set[int]] = {}
        changed = True
        while changed:
            changed = False
            for name, expansion in self.productions:
                for begin in range(size + 1):
                    ends = {begin}
                    for symbol, is_terminal in expansion:
                        table = tokens if is_terminal else spans
                        ends = {end for k in ends for end in table.get((symbol, k), ())}
                    known = spans.setdefault((name, begin), set())
                    if not ends <= known:
                        known |= ends
                        changed = True
        return any(size in skips[end] for end in spans.get(("start", 0), ()))

    def _ends(self, name: str, text: str, begin: int) -> set[int]:
        pattern = self.patterns[name]
        found = pattern.match(text, begin)
        if not found:
            return set()
        ends, whole = {found.end()}, found[0]
        for length in range(1, len(whole) if self.tries_all_lengths else 0):
            shorter = pattern.match(whole[:length])
            if shorter:
                ends.add(begin + shorter.end())
        return ends


def is_left_recursive(network: Network) -> bool:
    """Test whether some rule can call itself before it reads anything."""
    number = 0
    while number < len(network.rules):  # building a rule may declare others
        network.ensure_built(number)
        number += 1
    begins = []
    for rule in network.rules:
        todo, called = [rule.start], set()
        for state in todo:  # grows meanwhile
            for op, a, b in network.edges[state]:
                if op == CALL:
                    called.add(a)
                following = a if op == EPSILON else b if op == CALL and network.rules[a].nullable else None
                if following is not None and following not in todo:
                    todo.append(following)
        begins.append(called)
    for first in range(len(begins)):
        todo = list(begins[first])
        for rule in todo:  # grows meanwhile
            todo += begins[rule] - set(todo)
        if first in todo:
            return True
    return False


_LEXED_TERMINALS = [
    "/[a-z]+/", "/[a-b]+/", "/a+/", "/a|ab/", "/ab?/", "/a+?b?/", "/b.*?c/", "/[abc]+c/", "/a(?!b)/", "/a(?=b)/",
    "/1+(\\.1+)?/", "/1+/", "/\\.1+/", "/1\\.?/", "/\"[^\"]*\"/", "/\".*?\"/", "/\\/\\*(.|\\n)*?\\*\\//", "/a\\b/",
    "/ab(?!.*c)/", "/(a|b)+(?=1|$)/", "/[ab](?<=b)/", "/a{1,2}/", "/(ab)+/", "/(?!ab)[a-c]+/", "/b$/", "/a[1.]*1/",
    '"a"', '"b"', '"ab"', '"abc"', '"a"i', '"AB"i', '"1"', '"."', '"/"', '"*"', '"1."', '"c"', '"\\""', '"-" ', '"->"',
]  # fmt: skip
_LEXED_IGNORED = ['" "', "/ +/", "/ /", "/\\/\\*.*?\\*\\//", "/#[^\\n]*/", "/b+/", "/ 1?/", '"-"']


def random_lexed_grammar(rng: random.Random, others: Sequence[str] = ()) -> str:
    """A small grammar whose terminals overlap in many ways, most of them with a parser without conflicts.

    Args:
        others: what may stand in rules beside its own terminals.
    """
    names = ["start", "x", "y", "z"][: rng.randint(1, 4)]
    terminals = [f"T{k}" for k in range(rng.randint(2, 6))]
    literals = [what for what in _LEXED_TERMINALS if what.startswith('"')]

    def item(depth: int) -> str:
        kind = rng.random()
        if others and rng.random() < 0.3:
            base = rng.choice(others)
        elif kind < 0.25:
            base = rng.choice(names)
        elif kind < 0.75:
            base = rng.choice(terminals)
        elif kind < 0.9 or depth == 0:
            base = rng.choice(literals)
        else:
            base = f"({sequence(depth - 1)} | {sequence(depth - 1)})"
        return base + rng.choice(["", "", "", "", "*", "+", "?"])

    def sequence(depth: int) -> str:
        return " ".join(item(depth) for _ in range(rng.choice([1, 1, 2, 2, 3])))

    lines: list[str] = []
    for name in names:
        priority = rng.choice(["", "", "", ".2"]) if name != "start" else ""
        ways = [sequence(1) for _ in range(rng.choice([1, 1, 2, 2, 3]))] + [""] * (rng.random() < 0.15)
        lines.append(f"{name}{priority}: {' | '.join(ways)}")
    for name in terminals:
        priority = rng.choice(["", "", "", "", ".2", ".-1"])
        lines.append(f"{name}{priority}: {' | '.join(rng.sample(_LEXED_TERMINALS, rng.choice([1, 1, 1, 2])))}")
    if rng.random() < 0.6:
        lines += [f"%ignore {what}" for what in rng.sample([*_LEXED_IGNORED, *terminals], rng.choice([1, 1, 2]))]
    return "\n".join(lines) + "\n"


class _Endless(Exception):
    pass


class _Steps(Transformer):
    """Counts the rules that a parser ends: some grammars let lark's go on for ever."""

    def __default__(self, data, children, meta):
        self.left -= 1
        if self.left < 0:
            raise _Endless
        return Tree(data, [])


class LexingLark:
    """lark's LALR parser with its contextual lexer.

    Raises:
        LarkError: lark refuses the grammar.
    """

    def __init__(self, grammar: str, **options) -> None:
        self._steps = _Steps()
        self.lark = Lark(grammar, parser="lalr", lexer="contextual", transformer=self._steps, **options)

    def accepts(self, text: str) -> bool:
        """Test whether lark parses a text; not if it does not come to an end."""
        self._steps.left = 2_000 + 20 * len(text)
        return self._comes_through(lambda: self.lark.parse(text))

    def _comes_through(self, parse: Callable[[], object]) -> bool:
        """Test whether lark parses something, and comes to an end."""
        try:
            parse()
        except (UnexpectedInput, _Endless):
            return False
        except VisitError as error:
            if not isinstance(error.orig_exc, _Endless):
                raise
            return False
        return True

    def accepts_with(
        self, chunks: Sequence[str], declared: Mapping[str, re.Pattern[str]], between: Sequence[str]
    ) -> bool:
        """Test whether lark parses chunks of text, between which there is a declared terminal without text each.

        Args:
            chunks: each is a whole text for the lexer.
            declared: patterns of other declared terminals; where the parser accepts one, all texts of it are tried.
            between: names of the terminals between two chunks.
        """
        self._steps.left = 2_000 + 200 * sum(map(len, chunks))
        todo = [(self.lark.parse_interactive(), 0, 0)]
        while todo:
            parser, chunk, place = todo.pop()
            if place == len(chunks[chunk]):
                last = chunk == len(chunks) - 1
                there = self._fed(parser, "$END" if last else between[chunk], "")
                if there is not None and last:
                    return True
                todo += [] if there is None else [(there, chunk + 1, 0)]
            else:
                text = chunks[chunk]
                todo += [(there, chunk, end) for there, end in self._lexed(parser, text, place)]
                for name, pattern in declared.items():
                    ends = [end for end in range(place + 1, len(text) + 1) if pattern.fullmatch(text, place, end)]
                    there = self._fed(parser, name, "") if ends else None
                    todo += [] if there is None else [(there, chunk, end) for end in ends]
        return False

    def _lexed(self, parser: InteractiveParser, text: str, place: int) -> Iterator[tuple[InteractiveParser, int]]:
        """The parser behind the terminal that its lexer finds at a place of a text, and the place behind it."""
        lexer = self.lark.parser.lexer.lexers[parser.parser_state.position]
        found = lexer.match(_sliced(text), place)
        if found:
            value, name = found
            if name not in lexer.ignore_types:
                name = lexer.callback[name](Token(name, value)).type if name in lexer.callback else name
                parser = self._fed(parser, name, value)
            if parser is not None:
                yield parser, place + len(value)

    def _fed(self, parser: InteractiveParser, name: str, value: str) -> InteractiveParser | None:
        """The parser behind a terminal; None if it does not accept it."""
        there = parser.copy(deepcopy_values=False)
        return there if self._comes_through(lambda: there.feed_token(Token(name, value))) else None
