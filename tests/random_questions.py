"""What decoders may ask of a model, one question after the other. Tests only."""

from __future__ import annotations

import random


def changed(rows: list[list[int]], rng: random.Random) -> list[list[int]]:
    """What a decoder may ask next: rows go on, go back, branch, end, come anew."""
    new = lambda count: [rng.randrange(256) for _ in range(count)]  # noqa: E731
    change = rng.choice(["step"] * 5 + ["ragged", "back", "replace", "branch", "drop", "new", "shuffle", "repeat"])
    if change == "step":
        rows = [row + new(1) for row in rows]
    elif change == "ragged":
        rows = [row + new(rng.randint(0, 4)) for row in rows]
    elif change == "back":
        rows = [row[: max(1, len(row) - rng.randint(0, 9))] for row in rows]
    elif change == "replace":
        rows = [row[: max(1, len(row) - 2)] + new(2) for row in rows]
    elif change == "branch":
        rows = [rng.choice(rows) + new(1) for _ in range(rng.randint(1, 4))]
    elif change == "drop" and len(rows) > 1:
        rows = rows[:-1] if rng.random() < 0.5 else rows[1:]
    elif change == "new":
        rows = [*rows, new(rng.randint(1, 25))]
    elif change == "shuffle":
        rows = rng.sample(rows, len(rows))
    elif change == "repeat":
        rows = [*rows, list(rng.choice(rows))]
    return [row[:60] for row in rows[:4]]


def script(seed: int, questions: int) -> list[tuple[list[list[int]], int]]:
    """Prefixes and positions, one question after the other."""
    rng = random.Random(seed)
    rows = [[rng.randrange(256) for _ in range(rng.randint(1, 20))] for _ in range(3)]
    asked = []
    for _ in range(questions):
        asked.append((rows, min(rng.choice([1, 1, 1, 2, 5]), *map(len, rows))))
        rows = changed(rows, rng)
    return asked
