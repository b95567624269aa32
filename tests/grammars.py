"""Random grammars in Lark's notation, and a slow, obvious recogniser of what lark accepts. Tests only."""

from __future__ import annotations

import random
import re

from lark import Lark
from lark.exceptions import LarkError, UnexpectedInput

from guidance_kit.fsm.network import CALL, EPSILON, Network

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
    """Whether lark's Earley parser accepts a text."""
    try:
        lark.parse(text)
    except UnexpectedInput:
        return False
    except RuntimeError as error:
        if "multiple start symbol items" not in str(error):  # it has accepted, and does not know what to make of it
            raise
    return True


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
        """Whether a text matches the rule `start`."""
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
    """Whether some rule can call itself before it reads anything."""
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
