"""Tracking of a shuffled object: problems that take one pass of a model many steps, and its text only one step a line.

A log says where an object is and which places change their contents; the record says where it is in the end, how often
it moved, and its path, in this order: the conclusion before what leads to it.

Sources: the task, `tracking_shuffled_objects` of BIG-bench, Srivastava et al. 2022; why a text of intermediate steps
helps a transformer, Merrill and Sabharwal 2024, "The Expressive Power of Transformers with Chain of Thought".
"""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

__all__ = ["LENGTHS", "MODES", "PLACES", "SCHEMA", "Mode", "ShuffledObject", "held_out", "training_problems"]

PLACES = "ABCDE"

LENGTHS = ((1, 4), (5, 8), (9, 12), (13, 16))
"""Numbers of lines of the log, in four ranges; the same for training and held-out problems."""

Mode = Literal["schema at once", "thoughts first", "sketch first"]

MODES: tuple[Mode, ...] = ("schema at once", "thoughts first", "sketch first")

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "place": {"enum": list(PLACES)},
        "moves": {"type": "integer", "minimum": 0, "maximum": LENGTHS[-1][1]},
        "path": {
            "type": "array", "items": {"enum": list(PLACES)}, "minItems": 1, "maxItems": LENGTHS[-1][1] + 1,
        },
    },
    "required": ["place", "moves", "path"],
    "additionalProperties": False,
}  # fmt: skip

_REQUESTS: dict[Mode, str] = {
    "schema at once": "Write the record.",
    "thoughts first": "Think, then write the record.",
    "sketch first": "Answer in words.",
}
_QUESTION = (
    "Follow the coin through the swaps, line by line. Then answer as JSON: place, where it is in the end; moves, how "
    "often it changed its place; path, a list of all its places from the first to the last."
)
_HELD_OUT = 16


@dataclass(frozen=True, slots=True)
class ShuffledObject:
    """One problem: where an object is at first, and the pairs of places that change their contents.

    Args:
        start: a letter of `PLACES`.
        swaps: two letters of `PLACES` each, in the order of the log.
    """

    start: str
    swaps: tuple[tuple[str, str], ...]

    @property
    def log(self) -> str:
        """Text of the problem.

        >>> ShuffledObject("A", (("C", "A"),)).log
        'The coin is in A.\\nSwap C and A.\\n'
        """
        return f"The coin is in {self.start}.\n" + "".join(f"Swap {one} and {other}.\n" for one, other in self.swaps)

    @property
    def places(self) -> list[str]:
        """Place of the object at first, and after each line."""
        moves = ({one: other, other: one} for one, other in self.swaps)
        return list(itertools.accumulate(moves, lambda place, move: move.get(place, place), initial=self.start))

    @property
    def record(self) -> dict[str, Any]:
        """Reference record.

        >>> ShuffledObject("A", (("C", "A"), ("B", "D"))).record
        {'place': 'C', 'moves': 1, 'path': ['A', 'C']}
        """
        path = [place for place, _ in itertools.groupby(self.places)]
        return {"place": path[-1], "moves": len(path) - 1, "path": path}

    @property
    def record_text(self) -> str:
        """Reference record as JSON."""
        return json.dumps(self.record)

    @property
    def thoughts(self) -> str:
        """Each line again, with the place after it.

        >>> ShuffledObject("A", (("C", "A"), ("B", "D"))).thoughts
        'C A: C\\nB D: C\\n'
        """
        return "".join(f"{a} {b}: {place}\n" for (a, b), place in zip(self.swaps, self.places[1:], strict=True))

    @property
    def sketch(self) -> str:
        """The answer in words: what leads to the conclusion, then the conclusion.

        >>> ShuffledObject("A", (("C", "A"), ("B", "D"))).sketch
        'From A to C: moves 1, place C.'
        """
        record = self.record
        return f"From {' to '.join(record['path'])}: moves {record['moves']}, place {record['place']}."

    def prompt(self, mode: Mode) -> str:
        """Log with the request of a mode, as the bundled model was trained on it."""
        return f"{self.log}{_REQUESTS[mode]}\n"

    @property
    def question(self) -> str:
        """Log with the question in full, for a model that was not trained on the requests."""
        return f"{self.log}\n{_QUESTION}"

    @property
    def is_held_out(self) -> bool:
        """Test for the sixteenth of all problems that training leaves out; decided by their logs."""
        return zlib.crc32(self.log.encode()) % _HELD_OUT == 0


def held_out(number: int, *, seed: int = 0) -> list[ShuffledObject]:
    """Problems that training leaves out, `number` of each range of `LENGTHS`, all different."""
    found: list[ShuffledObject] = []
    for lengths in LENGTHS:
        drawn = (one for one in _drawn(Random(f"held out:{seed}:{lengths}"), lengths) if one.is_held_out)
        different: dict[ShuffledObject, None] = {}
        while len(different) < number:
            different[next(drawn)] = None
        found += different
    return found


def training_problems(start: int, stop: int, *, seed: int = 0) -> list[ShuffledObject]:
    """Problems of training from one number to another; each depends on its number and the seed alone."""
    lengths = LENGTHS[0][0], LENGTHS[-1][1]
    return [
        next(one for one in _drawn(Random(f"training:{seed}:{number}"), lengths) if not one.is_held_out)
        for number in range(start, stop)
    ]


def _drawn(random: Random, lengths: tuple[int, int]) -> Iterator[ShuffledObject]:
    while True:
        swaps = [random.sample(PLACES, 2) for _ in range(random.randint(*lengths))]
        yield ShuffledObject(random.choice(PLACES), tuple((one, other) for one, other in swaps))
