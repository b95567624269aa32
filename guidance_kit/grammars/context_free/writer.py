"""Lowering of grammars to networks."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import partial

from guidance_kit.errors import UnsatisfiableError
from guidance_kit.fsm.kernels.columns import FLAT, width
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.context_free.condition_product import ConditionProduct, Key, Repeated
from guidance_kit.grammars.context_free.lalr import LexedGrammar
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.reduction import NumberedRules, reduced_diagrams
from guidance_kit.grammars.context_free.report import rule_at_fault
from guidance_kit.grammars.context_free.rule_template import Pieces, RuleTemplate
from guidance_kit.grammars.context_free.scannerless import Scannerless
from guidance_kit.grammars.context_free.tree import Grammar
from guidance_kit.grammars.regular.encoding import UTF8

__all__ = ["CompiledGrammar"]

_AT_ONCE = 64
"""States written at once of the tail of a terminal."""

_PLACE_BYTES, _STATE_BYTES = 2_000, 1_000
"""Memory of a state of a rule under a condition, and of a state of a terminal: averages over some languages."""


_WIDTH = width(FLAT)


class CompiledGrammar:
    """A grammar with texts, ready to be written into networks.

    Args:
        grammar: the grammar.
    Raises:
        UnsatisfiableError: it has no text.
        UnsupportedFeature: it cannot be enforced exactly.
        LimitError: it is too large.
    """

    def __init__(self, grammar: Grammar | LexedGrammar) -> None:
        rules = NumberedRules.of(grammar.rules) if isinstance(grammar, Grammar) else grammar.numbered_rules
        diagrams = reduced_diagrams(rules, grammar.start, grammar.terminals_with_texts)
        if not diagrams:
            raise UnsatisfiableError(
                f"no text matches the grammar: the rule {rule_at_fault(grammar)!r} always leads back to itself, "
                "or to a terminal without texts"
            )
        self._embedded = grammar.embedded
        self._conditions = Scannerless(grammar) if isinstance(grammar, Grammar) else grammar.maximal_munch
        self._product = ConditionProduct(grammar.start, diagrams, self._conditions)
        if not self._product.has_texts:
            raise UnsatisfiableError("no text matches the grammar: what must follow its terminals may not follow them")

    @property
    def nbytes(self) -> int:
        """Memory, estimated from the numbers of places and of states of terminals, in bytes."""
        return _PLACE_BYTES * self._product.count + _STATE_BYTES * self._conditions.states

    def declare(self, network: Network) -> int:
        """Declare the rule of the texts of the grammar, in UTF-8; other rules are built on first use.

        Returns:
            The number of the rule.
        """
        embedded = [constraint.declare(network) for constraint in self._embedded]
        return _GrammarWriter(network, self._product, embedded).rule(self._product.root)


class _GrammarWriter:
    """Writes one grammar into one network."""

    def __init__(self, network: Network, product: ConditionProduct, embedded: Sequence[int]) -> None:
        self.network = network
        self.product = product
        self.embedded = embedded
        self.numbers: dict[Key | Repeated | Lexeme, int] = {}
        self._templates: dict[str, RuleTemplate] = {}
        self._tails: dict[tuple[Lexeme, int], int] = {}

    def rule(self, key: Key) -> int:
        """The number of a rule, declared."""
        number = self.numbers.get(key)
        if number is None:
            nullable = self.product.is_nullable(key)
            number = self.network.rule(partial(self._build, key), nullable=nullable, name=key[0])
            self.numbers[key] = number
        return number

    def _build(self, key: Key) -> int:
        name, before, behind = key
        template = self._templates.get(name)
        if template is None:
            template = self._templates[name] = RuleTemplate()
        start = template.starts.get(before)
        if start is None:
            start = template.starts[before] = self.product.add(name, before, template.rule)
            self._draw(template)
        return template.copied(self.network, behind)[template.states[start]]

    def _draw(self, template: RuleTemplate) -> None:
        """Write the new states of a rule into its draft."""
        draft, states = template.draft, template.states
        for state in template.add_states():
            source = states[state]
            pieces: list[tuple[Lexeme, int]] = []
            for symbol, target in template.rule.edges[state]:
                if symbol is None:
                    draft.epsilon(source, states[target])
                elif isinstance(symbol, Repeated):
                    draft.call(source, self._repetition(symbol), states[target])
                elif isinstance(symbol, tuple):
                    draft.call(source, self.rule(symbol), states[target])
                elif symbol.embedded is not None:
                    draft.call(source, self.embedded[symbol.embedded], states[target])
                elif symbol.is_small:
                    pieces.append((symbol, target))
                else:
                    draft.call(source, self._terminal(symbol), states[target])
            if pieces:
                self._lexemes(template, source, tuple(pieces))

    def _repetition(self, repeated: Repeated) -> int:
        """The number of the rule of a counted repetition, declared."""
        number = self.numbers.get(repeated)
        if number is None:

            def build(end: int) -> int:
                start = self.network.state()
                self.network.call(start, self.rule(repeated.key), end)
                return start

            number = self.network.repeat(build, repeated.minimum, repeated.maximum, name=repeated.key[0])
            self.numbers[repeated] = number
        return number

    def _terminal(self, lexeme: Lexeme) -> int:
        number = self.numbers.get(lexeme)
        if number is None:

            def build() -> int:
                start, end = self.network.states(2)
                self.network.final(end)
                self._write(self.network, start, lexeme, end)
                return start

            number = self.numbers[lexeme] = self.network.rule(build, nullable=False, name="terminal")
        return number

    def _lexemes(self, template: RuleTemplate, source: int, pieces: Pieces) -> None:
        """Add paths from a state that read texts of terminals, each to its state.

        Rules have many predecessors and few successors, so all but the first character is written once for each
        successor; and many states read the same terminals, so those are copied together.
        """
        draft = template.draft
        known = template.first.get(pieces)
        if known is None:
            template.first[pieces] = self._written(template, source, pieces)
            return
        first, promises = known[0][:], known[1]
        first[::_WIDTH] = array("i", [source]) * (len(first) // _WIDTH)
        draft.flat.extend(first)
        for slices in promises:
            draft.treats_alike(source, slices)

    def _written(self, template: RuleTemplate, source: int, pieces: Pieces) -> tuple[array[int], list[int]]:
        """Add paths that no other state has in common; return their first edges and promises."""
        (lexeme, target), *others = pieces
        if others:
            for piece in pieces:
                self._lexemes(template, source, (piece,))
            parts = [template.first[piece,] for piece in pieces]
            joined = array("i")
            for first, _ in parts:
                joined += first
            return joined, [slices for _, promises in parts for slices in promises]
        draft = template.draft
        edges, alike = len(draft.flat), len(draft.alike)
        self._write(draft, source, lexeme, template.states[target])
        template.note(target)
        first = array("i")
        for row in zip(*[iter(draft.flat[edges:])] * _WIDTH, strict=True):
            if row[0] == source:
                first.extend(row)
        told = iter(draft.alike[alike:])
        return first, [slices for state, slices in zip(told, told, strict=True) if state == source]

    def _write(self, network: Network, source: int, lexeme: Lexeme, target: int) -> None:
        """Add paths that read the texts of a terminal to a network."""
        path = lexeme.path
        if path and len(path) <= _AT_ONCE:
            places = [source, *network.states(len(path) - 1), target]
            for k, chars in enumerate(path, 1):
                UTF8.add(network, places[k - 1], chars, places[k])
            return
        tail = lexeme.tail
        if len(lexeme.edges) - tail > _AT_ONCE:
            written, rest = lexeme.edges[:tail], [network.state()]
            network.call(rest[0], self._tail(lexeme, tail), target)
        else:
            written, rest = lexeme.edges, []
        is_entered = any(following == 0 for steps in written for _, following in steps)
        places: list[int] = []
        for state, steps in enumerate(written):
            if state == 0 and not is_entered:
                places.append(source)
            elif not steps:
                places.append(target)
            else:
                places.append(network.state())
                if lexeme.endings[state] is not None:
                    network.epsilon(places[-1], target)
        places += rest
        if is_entered or not written:
            network.epsilon(source, places[0])
        for state, steps in enumerate(written):
            for chars, following in steps:
                UTF8.add(network, places[state], chars, places[following])

    def _tail(self, lexeme: Lexeme, state: int) -> int:
        """Rule of the texts from a state of a terminal's tail, built on first use."""
        number = self._tails.get((lexeme, state))
        if number is None:

            def build() -> int:
                following = min(state + _AT_ONCE, len(lexeme.edges) - 1)
                places = self.network.states(following - state + 1)
                for place, ((chars, _),) in zip(places, lexeme.edges[state:following], strict=False):
                    UTF8.add(self.network, place, chars, place + 1)
                if following == len(lexeme.edges) - 1:
                    self.network.final(places[-1])
                else:
                    self.network.jump(places[-1], self._tail(lexeme, following))
                return places[0]

            number = self._tails[lexeme, state] = self.network.rule(build, nullable=False, name="terminal")
        return number
