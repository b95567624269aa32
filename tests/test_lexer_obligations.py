"""Terminals and obligations of a lexer, compared with their slow definitions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidance_kit.grammars.context_free.maximal_munch import MaximalMunch
from guidance_kit.grammars.context_free.pattern_nfa import PatternNfa
from guidance_kit.grammars.context_free.scanner import MATCHED, Obligations, PathDfa, TerminalDfa
from guidance_kit.grammars.context_free.threads import Threads
from guidance_kit.grammars.lark import read_lexed
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.parse import read_tree
from guidance_kit.grammars.regular.partition import Partition

GRAMMARS = {
    "words": """
        start: (NAME | NUMBER | "in" | "is" | "i" "." "5" | "/" | COMMENT)+
        NAME: /[a-z]+/
        NUMBER: /[0-9]+(\\.[0-9]+)?/
        COMMENT.2: /\\/\\*([^*]|\\*(?!\\/))*\\*\\//
        %ignore / +/
    """,
    "lookaheads": """
        start: (A | B | C | D)+
        A: /a(?=b|cd)/
        B: /b+(?!b|cc)/
        C: /c(?![0-9])/
        D: /[d0-9](?=[a-d])/
    """,
    "case": """
        start: (SELECT | NAME | STAR)+
        SELECT: "select"i
        NAME: /[A-Za-z_]+/
        STAR: "*"
        %ignore " "
    """,
}


def compare(one: TerminalDfa, other: TerminalDfa, kinds: range) -> int:
    """Walk through two DFAs in parallel; return the number of pairs of states."""
    todo = [(one.start, other.start)]
    seen = set(todo)
    for here, there in todo:  # grows meanwhile
        assert len(list(one.matches(here))) == len(list(other.matches(there)))
        assert one.is_matched(here) == other.is_matched(there)
        assert one.matches_at_end(here) == other.matches_at_end(there)
        for kind in kinds:
            (after, is_sure), (following, is_certain) = one.step(here, kind), other.step(there, kind)
            assert (after < 0, is_sure) == (following < 0, is_certain)
            until = [state for mask, state in one.until_match(here) if mask >> kind & 1]
            as_other = [state for mask, state in other.until_match(there) if mask >> kind & 1]
            assert [state == MATCHED for state in until] == [state == MATCHED for state in as_other]
            if after >= 0 and (after, following) not in seen:
                seen.add((after, following))
                todo.append((after, following))
    return len(seen)


@given(st.text("abA.*é\U0001f600", min_size=1, max_size=6), st.sampled_from([0, re.IGNORECASE]))
def test_paths_are_what_threads_find(text, flags):
    nfa = read_tree(re.escape(text), flags, PatternNfa)
    assert nfa.path is not None
    partition = Partition({*nfa.charsets, CharSet.single(ord("a"))})
    path = PathDfa([partition.masks[chars] for chars in nfa.path], (1 << partition.count) - 1)
    assert compare(path, TerminalDfa(Threads(nfa, text, partition)), range(partition.count)) == len(text) + 1


@pytest.mark.parametrize("pattern", ["a|b", "ab?", "(?=a)a", "a*", "ab(?!c)", "(a|bc)d"])
def test_other_patterns_are_no_paths(pattern):
    nfa = read_tree(pattern, 0, PatternNfa)
    assert (nfa.path is None) == (pattern != "a|b")  # which is a set of characters


def after_kind(munch: MaximalMunch, obligations: Obligations, kind: int) -> Obligations | None:
    """Pending obligations after a character of a class; None if one has failed."""
    left = set()
    for name, obligation in obligations:
        terminal = munch._terminals[name]
        if isinstance(obligation, int):
            following, is_sure = terminal.step(obligation, kind)
            if is_sure:
                return None
            if following >= 0:
                left.add((name, following))
        else:
            kept = terminal.threads.kept(frozenset((obligation,)), 1 << kind)
            if kept is None:
                return None
            left.update((name, other) for other in kept)
    return frozenset(left)


@pytest.mark.parametrize("text", GRAMMARS.values(), ids=GRAMMARS)
def test_obligations_after_a_character(text):
    munch = read_lexed(text).maximal_munch
    todo = [frozenset()]
    for name in munch._behind:
        todo += [obligations for _, obligations in munch.pieces(name, munch.read_of(name).lexer)]
    seen = set(todo)
    for obligations in todo:  # grows meanwhile
        expected: dict[Obligations, int] = {}
        for kind in munch._kinds:
            left = after_kind(munch, obligations, kind)
            if left is not None:
                expected[left] = expected.get(left, 0) | 1 << kind
        assert munch.after(obligations) == expected
        todo += expected.keys() - seen
        seen |= expected.keys()
    assert len(seen) > 1
    for first in (0, 1, 5):
        for obligations in seen:
            kept = munch.mattering(obligations, first)
            assert kept <= obligations
            for obligation in obligations - kept:
                decided = munch.after(frozenset((obligation,))).get(frozenset(), 0)
                assert first & ~decided == 0
                assert not munch.fails_at_end(obligation)
