"""Retrieval-augmented extraction: find the texts that a question is about, and read a record out of each.

python -m examples.retrieve_and_extract "a mug with a crack" --folder examples/messages

The retriever is BM25 (`pip install bm25s`). In extractive mode every name, number and address of a record is a span of
its text, so a record can be checked against its source. Other models: --model Qwen/Qwen3-0.6B
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import bm25s
import typer

import guidance_kit as gk
from examples.ticket import Ticket

MESSAGES = Path(__file__).parent / "messages"
QUESTION = "a mug arrived with a crack"


class Retriever:
    """BM25 index of texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._index = bm25s.BM25()
        self._index.index(bm25s.tokenize(list(texts), show_progress=False), show_progress=False)
        self._count = len(texts)

    def best(self, question: str, k: int) -> list[int]:
        """Places of the k texts that match a question best, those that match no word of it left out."""
        words = bm25s.tokenize([question], show_progress=False)
        places, scores = self._index.retrieve(words, k=min(k, self._count), show_progress=False)
        return [place for place, score in zip(places[0].tolist(), scores[0].tolist(), strict=True) if score > 0]


def main(
    question: Annotated[str, typer.Argument(help="The question.")] = QUESTION,
    folder: Annotated[Path, typer.Option(help="Folder with the texts.")] = MESSAGES,
    model: Annotated[str, typer.Option(help="The model.")] = "support-2m",
    k: Annotated[int, typer.Option(help="Number of texts to read.")] = 2,
) -> None:
    """Print the record of each text that the question is about, the best match first."""
    files = sorted(folder.glob("*.txt"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    places = Retriever(texts).best(question, k)
    records = gk.load(model).extract([texts[place] for place in places], Ticket, excerpts=True)
    for place, record in zip(places, records, strict=True):
        print(f"{files[place].name}\n  {record.model_dump_json(exclude_none=True)}")


if __name__ == "__main__":
    typer.run(main)
