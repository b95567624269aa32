"""Draw the pictures of docs/architecture.md: `python -m tools.draw_architecture`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"

WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 236, 58, 262, 92, 16
"""Size of a box, distance of columns and rows, and margin, in pixels."""

INK, LINE, GREY = "#1f2937", "#6366f1", "#6b7280"


@dataclass(frozen=True, slots=True)
class Box:
    """Noun of the code with what it is.

    Args:
        name: a name that the package defines, or words if `is_code` is false.
        lines: one or two lines below it.
        column, row: its place in the grid.
    """

    name: str
    lines: tuple[str, ...]
    column: float
    row: int
    is_code: bool = True

    @property
    def left(self) -> float:
        return MARGIN + self.column * ACROSS

    @property
    def top(self) -> float:
        return MARGIN + self.row * DOWN

    @property
    def middle(self) -> float:
        return self.left + WIDTH / 2

    def drawn(self) -> Iterator[str]:
        """Elements of the box."""
        yield (
            f'<rect x="{self.left:g}" y="{self.top:g}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#eef2ff"'
            f' stroke="{LINE}"/>'
        )
        font = "monospace" if self.is_code else "sans-serif"
        yield _text(self.middle, self.top + 19, self.name, f'font-family="{font}" font-weight="bold" font-size="14"')
        for number, line in enumerate(self.lines):
            yield _text(self.middle, self.top + 35 + 14 * number, line, f'font-size="11.5" fill="{GREY}"')


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes in a grid, and arrows between them.

    Args:
        title: alternative text.
        arrows: names of the boxes at both ends, and a label.
    """

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[tuple[str, str, str], ...]

    def svg(self) -> str:
        """The picture as SVG."""
        width = max(box.left for box in self.boxes) + WIDTH + MARGIN
        height = max(box.top for box in self.boxes) + HEIGHT + MARGIN
        named = {box.name: box for box in self.boxes}
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}"'
            f' height="{height:g}" role="img" font-family="sans-serif">',
            f"<title>{escape(self.title)}</title>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"'
            f' orient="auto"><path d="M0 0 8 4 0 8z" fill="{INK}"/></marker></defs>',
            '<rect width="100%" height="100%" fill="white"/>',
            *(line for box in self.boxes for line in box.drawn()),
            *(line for start, end, label in self.arrows for line in _arrow(named[start], named[end], label)),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"


def _text(x: float, y: float, text: str, style: str, *, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" {style}>{escape(text)}</text>'


def _arrow(start: Box, end: Box, label: str) -> Iterator[str]:
    """Elements of an arrow: along a row, or down to a later one."""
    if start.row == end.row:
        right = start.left < end.left
        x1, x2 = (start.left + WIDTH, end.left) if right else (start.left, end.left + WIDTH)
        y1 = y2 = start.top + HEIGHT / 2
    else:
        x1, y1, x2, y2 = start.middle, start.top + HEIGHT, end.middle, end.top
    yield (
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{INK}" stroke-width="1.3"'
        ' marker-end="url(#head)"/>'
    )
    if label:
        yield _text((x1 + x2) / 2 + 8, (y1 + y2) / 2 + 4, label, f'font-size="11" fill="{INK}"', anchor="start")


TEXT_TO_COMPLETION = Picture(
    "From a constraint and a model to a completion",
    (
        Box("source", ("pattern, schema, grammar,", "choices or Python type"), 0, 0, is_code=False),
        Box("Constraint", ("value, checked when it is made;", "its Language writes rules"), 0, 1),
        Box("Network", ("states, byte edges, calls,", "counters"), 0, 2),
        Box("Automaton", ("determinised lazily", ""), 0, 3),
        Box("TokenIndex", ("one automaton and one vocabulary;", "masks, packed int32"), 0, 4),
        Box("Matcher", ("state of one text:", "advance, rollback, fork"), 0, 5),
        Box("Guide", ("logits to logits,", "with a state that is a value"), 0, 6),
        Box("model", ("folder or hub name,", "or a formula of models"), 2, 0, is_code=False),
        Box("TransformersModel", ("weights, tokenizer and", "key-value cache"), 2, 1),
        Box("Distribution", ("logits, (batch, positions, rows),", "as a function of the prefix"), 2, 5),
        Box("Vocabulary", ("token id to bytes", ""), 1, 3),
        Box("Walk", ("rows of a batch, advanced by", "a Decoder and its Draw"), 1, 6),
        Box("Completion", ("text, tokens, log-probabilities,", "value; for extraction and cli"), 1, 7),
    ),
    (
        ("source", "Constraint", ""),
        ("Constraint", "Network", ""),
        ("Network", "Automaton", ""),
        ("Automaton", "TokenIndex", ""),
        ("TokenIndex", "Matcher", ""),
        ("Matcher", "Guide", ""),
        ("model", "TransformersModel", ""),
        ("TransformersModel", "Vocabulary", ""),
        ("TransformersModel", "Distribution", ""),
        ("Vocabulary", "TokenIndex", ""),
        ("Guide", "Walk", ""),
        ("Distribution", "Walk", ""),
        ("Walk", "Completion", ""),
    ),
)

SCHEMA_TO_MASK = Picture(
    "From a JSON Schema to a mask",
    (
        Box("JSON Schema", ("given by the caller",), 1, 0, is_code=False),
        Box("Survey", ("validity and support of each", "keyword, before anything is built"), 1, 1),
        Box(
            "normal form",
            ("for each JSON type a list of records,", "closed under conjunction and negation"),
            1,
            2,
            False,
        ),
        Box("SchemaError", ("or UnsupportedFeature, with the", "path of the keyword in the schema"), 2, 1),
        Box("SchemaFacts", ("satisfiability, members, values:", "each found when it is first needed"), 0, 2),
        Box("Network", ("rules over bytes with calls and counters,", "each built when a text reaches it"), 1, 3),
        Box("Automaton", ("configurations: sets of states with", "stacks, determinised lazily"), 1, 4),
        Box("TokenIndex", ("walk of the token trie; masks are", "cached by configuration"), 1, 5),
        Box("Vocabulary", ("bytes of each token; tries and slices,", "built once for a tokenizer"), 0, 5),
        Box("Matcher", ("state of one text: advance,", "rollback, fork"), 1, 6),
        Box("mask", ("int32, (batch, ceil(rows / 32)),", "one bit a token"), 1, 7, is_code=False),
    ),
    (
        ("JSON Schema", "Survey", ""),
        ("Survey", "normal form", ""),
        ("Survey", "SchemaError", ""),
        ("SchemaFacts", "normal form", ""),
        ("normal form", "Network", ""),
        ("Network", "Automaton", ""),
        ("Automaton", "TokenIndex", ""),
        ("Vocabulary", "TokenIndex", ""),
        ("TokenIndex", "Matcher", ""),
        ("Matcher", "mask", ""),
    ),
)

FORMULA_TO_TENSORS = Picture(
    "From a formula to the logits of a step",
    (
        Box("Formula", ("base + 1.5 * (expert - anti),", "a value built by operators"), 1, 0),
        Box("EvaluationPlan", ("joint vocabulary; adapters of one", "model are rows of one batch"), 1, 1),
        Box("FormulaEvaluation", ("one evaluation at a batch of prefixes;", "weights of 0 run no model"), 1, 2),
        Box("Allowed", ("tokens of the constraint, which", "truncation in a formula keeps to"), 0, 2),
        Box("base", ("logits, (batch, positions, rows);", "its own KVCache, by prefix"), 0, 3, is_code=False),
        Box("expert", ("logits, (batch, positions, rows);", "its own KVCache, by prefix"), 1, 3, is_code=False),
        Box("anti", ("logits, (batch, positions, rows);", "its own KVCache, by prefix"), 2, 3, is_code=False),
        Box("combine", ("weighted sum of log-probabilities, nats;", "rules for -inf"), 1, 4),
        Box("Ensemble", ("Distribution: logits as a pure", "function of the prefix"), 1, 5),
        Box("Walk", ("guides, mask, temperature and", "truncation, watermark, draw"), 1, 6),
    ),
    (
        ("Formula", "EvaluationPlan", "once"),
        ("EvaluationPlan", "FormulaEvaluation", "each step, or block of positions"),
        ("Allowed", "FormulaEvaluation", ""),
        ("FormulaEvaluation", "base", ""),
        ("FormulaEvaluation", "expert", ""),
        ("FormulaEvaluation", "anti", ""),
        ("base", "combine", ""),
        ("expert", "combine", ""),
        ("anti", "combine", ""),
        ("combine", "Ensemble", ""),
        ("Ensemble", "Walk", "(batch, positions, rows)"),
    ),
)

PICTURES = {
    "text_to_completion.svg": TEXT_TO_COMPLETION,
    "schema_to_mask.svg": SCHEMA_TO_MASK,
    "formula_to_tensors.svg": FORMULA_TO_TENSORS,
}


def main() -> None:
    """Write the pictures."""
    for name, picture in PICTURES.items():
        (FOLDER / name).write_text(picture.svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
