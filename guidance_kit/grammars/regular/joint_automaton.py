"""Joint automaton of several languages: which of them texts belong to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from guidance_kit.fsm.network import Work
from guidance_kit.grammars.regular.expression import Expression
from guidance_kit.grammars.regular.language_automaton import language_automaton
from guidance_kit.grammars.regular.minimal_automaton import MinimalAutomaton
from guidance_kit.grammars.regular.nodes import WHERE
from guidance_kit.grammars.regular.partition import Partition

__all__ = ["MOST_CHARACTERS", "JointAutomaton", "joint_automaton"]

_MOST_PAIRS = 2**22
"""Pairs of states of two automata that are numbered, whether a text reaches them or not."""

_MOST_STATES = 30_000
"""States from which on an automaton is said to have many; 50 milliseconds."""

MOST_CHARACTERS = 32
"""Length of the texts that are counted."""


class JointAutomaton:
    """Deterministic, complete automaton whose states know the languages of the texts that lead to them.

    The start state is 0.

    Args:
        letters: classes of characters.
        steps: int32 (states, letters), the state after each letter.
        members: bool (states, languages), whether the texts that lead to a state belong to each language.

    Attributes:
        letters, steps, members: as given.
    """

    def __init__(self, letters: Partition, steps: np.ndarray, members: np.ndarray) -> None:
        self.letters = letters
        self.steps = steps
        self.members = members

    def languages_of(self, text: str) -> np.ndarray:
        """Languages that a text of Unicode scalar values belongs to: bool (languages,)."""
        state = 0
        for character in text:
            state = self.steps[state, self.letters.class_of(ord(character))]
        return self.members[state]

    @cached_property
    def combinations(self) -> np.ndarray:
        """Combinations of languages to which some text belongs, and to no other ones: bool (combinations, languages),
        those with the first language first, and so on."""
        return self.members[self._combined[0]]

    def numbers(self, is_asked: np.ndarray, most: int) -> np.ndarray:
        """Lower bounds of the numbers of texts of combinations, of which those of up to MOST_CHARACTERS are counted.

        Args:
            is_asked: bool (combinations,), whether a number matters; texts are counted until each of these is large.
            most: the greatest number of texts that is told from greater ones.
        Returns:
            int64 (combinations,), at least 1; exact up to `most` for those that are asked and have no longer texts.
        """
        _, combination_of = self._combined
        sizes = np.array([len(self.letters.charset(1 << letter)) for letter in range(self.letters.count)])
        targets = self.steps.ravel().astype(np.intp)  # as `bincount` takes them
        texts = np.zeros(len(self.steps))
        texts[0] = 1
        numbers = np.bincount(combination_of, texts)
        for _ in range(MOST_CHARACTERS):
            if numbers[is_asked].min(initial=most) >= most:
                break
            texts = np.bincount(targets, np.multiply.outer(texts, sizes).ravel(), minlength=len(self.steps))
            numbers += np.bincount(combination_of, texts)
        return np.maximum(np.minimum(numbers, most), 1).astype(np.int64)

    @cached_property
    def _combined(self) -> tuple[np.ndarray, np.ndarray]:
        """A state of each combination, and the combination of each state."""
        missed = np.packbits(~self.members, axis=1)
        _, firsts, combination_of = np.unique(
            missed.view(f"S{missed.shape[1]}")[:, 0], return_index=True, return_inverse=True
        )
        return firsts, combination_of


def joint_automaton(languages: Sequence[Expression], work: Work) -> JointAutomaton | None:
    """Product of the minimal automata of some languages, as far as texts reach it; None if it has many states.

    Args:
        work: from which the states are taken.
    Raises:
        LimitError: no work is left.
    """
    automata: list[MinimalAutomaton] = []
    for language in languages:
        automaton = language_automaton(language).minimal()
        if automaton is None:
            return None
        automata.append(automaton)
    charsets = {charset for one in automata for state in range(len(one.edges)) for charset, _ in one.steps(state)}
    letters = Partition(charsets)
    steps, members = np.zeros((1, letters.count), dtype=np.int32), np.ones((1, 0), dtype=bool)
    order = sorted(range(len(automata)), key=lambda number: len(automata[number].edges))
    for number in order:  # the largest ones last, so that few pairs are looked at
        table, is_final = _completed(automata[number], letters)
        states = _reached(steps, table)
        if states is None:
            return None
        work.spend(len(states), WHERE)
        numbers = np.zeros(len(steps) * len(table), dtype=np.int32)
        numbers[states] = np.arange(len(states), dtype=np.int32)
        left, right = np.divmod(states, len(table))
        members = np.concatenate([members[left], is_final[right, None]], axis=1)
        steps = numbers[steps[left] * len(table) + table[right]]
    return JointAutomaton(letters, steps, np.take(members, np.argsort(order), axis=1))


def _completed(automaton: MinimalAutomaton, letters: Partition) -> tuple[np.ndarray, np.ndarray]:
    """Steps by letters, with a last state without texts, and final states of an automaton; it begins in state 0."""
    count = len(automaton.edges)
    table = np.full((count + 1, letters.count), count, dtype=np.int32)
    for state in range(count):
        for charset, target in automaton.steps(state):
            mask = letters.masks[charset]
            table[state, [letter for letter in range(letters.count) if mask >> letter & 1]] = target
    is_final = np.array([*automaton.is_final, False])
    if automaton.root > 0:
        order = np.arange(count + 1, dtype=np.int32)
        order[[0, automaton.root]] = automaton.root, 0
        table, is_final = order[table[order]], is_final[order]
    return table, is_final


def _reached(steps: np.ndarray, table: np.ndarray) -> np.ndarray | None:
    """Pairs of states that texts reach, as numbers, the first of which is 0; None if there are many."""
    width = len(table)
    if len(steps) * width > _MOST_PAIRS:
        return None
    is_known = np.zeros(len(steps) * width, dtype=bool)
    places = np.empty(len(steps) * width, dtype=np.int32)  # of pairs in what follows a level, the last ones
    is_known[0] = True
    level = np.zeros(1, dtype=np.int32)
    levels = [level]
    count = 1
    while len(level):
        left, right = np.divmod(level, width)
        following = (steps[left] * width + table[right]).ravel()
        following = following[~is_known[following]]
        order = np.arange(len(following), dtype=np.int32)
        places[following] = order
        level = following[places[following] == order]  # each pair once
        is_known[level] = True
        levels.append(level)
        count += len(level)
        if count > _MOST_STATES:
            return None
    return np.concatenate(levels)
