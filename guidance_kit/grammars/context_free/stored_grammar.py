"""A grammar as bytes: all its rules, written once, as arrays."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from guidance_kit.errors import GuidanceKitError
from guidance_kit.fsm.fragment import Fragment
from guidance_kit.fsm.kernels.columns import ALIKE, FLAT, width
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.rule import Rule
from guidance_kit.grammars.context_free.writer import CompiledGrammar

__all__ = ["StoredGrammar"]

_MOST_EDGES = 500_000
"""Edges of all rules of a grammar; those of larger ones are written when a text gets there."""

_INT32 = np.dtype("<i4")


@dataclass(frozen=True, slots=True)
class StoredGrammar:
    """The network of a grammar, to be copied into others.

    Attributes:
        fragment: of all its rules.
        nullable: whether the empty text belongs to it.
        name: of the rule of whole texts.
    """

    fragment: Fragment
    nullable: bool
    name: str

    @classmethod
    def of(cls, compiled: CompiledGrammar) -> StoredGrammar | None:
        """Build all rules of a grammar.

        Returns:
            None if they are too large, or depend on more than its text.
        """
        network = Network()
        number, built = compiled.declare(network), 0
        try:
            while built < len(network.rules):  # grows meanwhile
                network.ensure_built(built)
                built += 1
                if len(network.flat) > width(FLAT) * _MOST_EDGES:
                    return None
        except (GuidanceKitError, RecursionError):  # of a rule that a text may never reach
            return None
        if network.specials or network.token_sets or network.recalls or network.shared:
            return None
        root = network.rules[number]
        return cls(Fragment.of(network, root.start), root.nullable, root.name)

    @classmethod
    def of_bytes(cls, written: bytes) -> StoredGrammar:
        """Read what `to_bytes` wrote.

        Raises:
            ValueError: it is something else.
        """
        try:
            line = written.index(b"\n") + 1
            head = json.loads(written[:line])
            count = width(FLAT) * head["edges"]
            edges = np.frombuffer(written, dtype=_INT32, offset=line, count=count)
            alike = np.frombuffer(written, dtype=_INT32, offset=line + edges.nbytes)
            fragment = Fragment(
                edges.astype(np.int32).reshape(-1, width(FLAT)),
                alike.astype(np.int32).reshape(-1, width(ALIKE)),
                head["size"],
                head["start"],
                tuple(Rule(nullable, None, *others) for nullable, *others in head["rules"]),
            )
            return cls(fragment, head["nullable"], head["name"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"no grammar: {error}") from None

    def to_bytes(self) -> bytes:
        """A line of JSON and the arrays: nothing in it can be executed."""
        fragment = self.fragment
        head = {
            "nullable": self.nullable,
            "name": self.name,
            "size": fragment.size,
            "start": fragment.start,
            "edges": len(fragment.edges),
            "rules": [
                (
                    rule.nullable,
                    rule.start,
                    rule.minimum,
                    rule.maximum,
                    rule.slack,
                    rule.is_free,
                    rule.is_absorbed,
                    rule.name,
                )
                for rule in fragment.rules
            ],
        }
        arrays = (array.astype(_INT32).tobytes() for array in (fragment.edges, fragment.alike))
        return b"".join((json.dumps(head).encode(), b"\n", *arrays))

    @property
    def nbytes(self) -> int:
        """Memory, estimated, in bytes."""
        return self.fragment.nbytes

    def declare(self, network: Network) -> int:
        """See `CompiledGrammar.declare`; all rules are copied on first use."""
        return network.rule(lambda: self.fragment.paste(network), nullable=self.nullable, name=self.name)
