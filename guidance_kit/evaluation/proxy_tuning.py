"""Evaluation of proxy-tuning: share of the gain of tuning a large model that a small tuned model achieves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from guidance_kit.decoding.completion import Completion
from guidance_kit.evaluation.judges import ReplyScore, mean_score
from guidance_kit.evaluation.results import Column, Curve, Evaluation, Example, Plot, Progress, Table, Traced
from guidance_kit.evaluation.sets import Message, World, transcript
from guidance_kit.steering.context import as_chat
from guidance_kit.steering.named import proxy_tuning
from guidance_kit.vocabulary import Vocabulary

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = ["evaluate_proxy_tuning", "gap_closed"]

_COLUMNS = (
    Column("written by"), Column("polite", "share"), Column("right answer", "share"),
    Column("details repeated", "share"), Column("score", "share"), Column("gap closed", "share"),
)  # fmt: skip

_NOTE = (
    "A reply is to be polite, to do something about the intent of the message and about no other, and to repeat every "
    "detail; the score is the mean of the three. Gap closed = (score - base large) / (tuned large - base large), as in "
    "Liu et al. 2024."
)


def gap_closed(base: float, proxy: float, ceiling: float) -> float | None:
    """Share of the gain of tuning the large model that the proxy achieves; None if tuning has no gain.

    Source: Liu et al. 2024, Tuning Language Models by Proxy.

    >>> gap_closed(0.2, 0.6, 0.7)
    0.8
    """
    return round((proxy - base) / (ceiling - base), 12) if ceiling > base else None


def evaluate_proxy_tuning(
    large: Model,
    large_tuned: Model,
    small: Model,
    small_tuned: Model,
    source: Sequence[Message],
    world: World,
    *,
    alphas: Sequence[float] = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5),
    on_step: Progress = lambda step: None,
) -> Evaluation:
    """Reply to messages greedily by base models, tuned models and proxy-tuned models.

    Args:
        large, small: base models, prompted by `sets.TRANSCRIPT`.
        large_tuned, small_tuned: chat models.
        alphas: strengths of the proxy; 1 is the method of the paper.
    """
    writers = _writers(large, large_tuned, small, small_tuned, alphas)
    texts = [one.text for one in source]
    replies = _replies(writers, texts, on_step)
    scores = {name: mean_score([one.text for one in of], source, world) for name, of in replies.items()}
    base, ceiling = scores["base-large"].total, scores["large-tuned"].total
    closed = {name: gap_closed(base, of.total, ceiling) for name, of in scores.items()}
    rows = tuple((name, *_cells(of), closed[name]) for name, of in scores.items())
    proxy = "proxy-tuned, alpha 1"
    written = replies.get(proxy, [])
    tables = [
        Table(
            title="Replies to messages with unseen names, numbers and sentences",
            columns=_COLUMNS,
            rows=rows,
            note=_NOTE,
        )
    ]
    if written:
        tables.append(_moved(written, large.vocabulary))
    known = {name: value for name, value in closed.items() if value is not None}
    summary = [
        f"The large model scores {base:.1%} before tuning and {ceiling:.1%} after; the small tuned one "
        f"{scores['small-tuned'].total:.1%}."
    ]
    if proxy in known:
        summary.append(
            f"Tuned by proxy it scores {scores[proxy].total:.1%}, which closes {known[proxy]:.0%} of the gap."
        )
    return Evaluation(
        name="proxy_tuning",
        title="Tuning a large model by a small one",
        summary=tuple(summary),
        figures={
            "score, base large": base,
            "score, large tuned": ceiling,
            "score, small tuned": scores["small-tuned"].total,
        }
        | ({"score, proxy": scores[proxy].total, "gap closed": known[proxy]} if proxy in known else {}),
        settings={
            "large": large.language_model.name, "tuned": large_tuned.language_model.name,
            "small": small.language_model.name, "small tuned": small_tuned.language_model.name,
            "messages": str(len(source)), "decoding": "greedy",
        },
        tables=tuple(tables),
        plots=(_over_alpha(alphas, scores),),
        samples=tuple(_samples(source, replies)),
        traced=Traced(prompts=tuple(texts[:4]), completions=tuple(written[:4]))
        if written
        else None,
    )  # fmt: skip


def _writers(
    large: Model, large_tuned: Model, small: Model, small_tuned: Model, alphas: Sequence[float]
) -> dict[str, Model]:
    """Prompted models by name: base, tuned, and proxy-tuned with each alpha."""
    reads, chats = large.given(transcript), small_tuned.given(as_chat())
    return {
        "base-small": small.given(transcript),
        "small-tuned": chats,
        "base-large": reads,
        **{f"proxy-tuned, alpha {a:g}": proxy_tuning(reads, chats, small.given(transcript), alpha=a) for a in alphas},
        "large-tuned": large_tuned.given(as_chat()),
    }


def _replies(writers: Mapping[str, Model], texts: Sequence[str], on_step: Progress) -> dict[str, list[Completion]]:
    """Greedy replies of each model to each text; with alternatives of each token for alpha 1."""
    replies: dict[str, list[Completion]] = {}
    for name, model in writers.items():
        on_step(f"{len(texts)} replies: {name}")
        replies[name] = model.generate(
            texts,
            max_tokens=120,
            temperature=0,
            stop="\n",
            batch_size=100,
            logprobs=3 if name == "proxy-tuned, alpha 1" else None,
        )
    return replies


def _cells(score: ReplyScore) -> tuple[float, ...]:
    return (score.politeness, score.answer, score.details, score.total)


def _over_alpha(alphas: Sequence[float], scores: dict[str, ReplyScore]) -> Plot:
    places = (0.0, *alphas)
    of = [scores["base-large"], *(scores[f"proxy-tuned, alpha {alpha:g}"] for alpha in alphas)]
    parts = {"score": "total", "polite": "politeness", "right answer": "answer", "details": "details"}
    curves = [Curve(name=name, x=places, y=tuple(getattr(score, part) for score in of)) for name, part in parts.items()]
    ends = (places[0], places[-1])
    for name in ("large-tuned", "small-tuned"):
        curves.append(Curve(name=f"{name}, score", x=ends, y=(scores[name].total,) * 2))
    return Plot(title="Strength of the proxy", x="alpha", y="share", curves=tuple(curves))


def _moved(written: Sequence[Completion], vocabulary: Vocabulary, least: int = 3, most: int = 15) -> Table:
    """Table of the tokens whose log-probability the proxy raised most, over all replies."""
    shifts: dict[int, list[float]] = {}
    for completion in written:
        for record in completion.logprobs or ():
            shifts.setdefault(record.token, []).append(record.guided_logprob - record.logprob)
    total = sum(sum(of) for of in shifts.values())
    ordered = sorted((token for token, of in shifts.items() if len(of) >= least), key=lambda token: -sum(shifts[token]))
    rows = tuple(
        (
            repr(vocabulary.shown(token).decode(errors="replace"))[1:-1].replace(" ", "␣"),
            len(shifts[token]),
            sum(shifts[token]) / len(shifts[token]),
            sum(shifts[token]) / total if total else None,
        )
        for token in ordered[:most]
    )
    columns = (
        Column("token"), Column("times", "count"), Column("moved by, nats", "number"), Column("of all shifts", "share"),
    )  # fmt: skip
    note = "By how much likelier the chosen tokens are than under the large model alone; alpha 1, greedy."
    return Table(title="Which tokens were moved", columns=columns, rows=rows, note=note)


def _samples(source: Sequence[Message], replies: dict[str, list[Completion]]) -> list[Example]:
    names = [name for name in ("base-large", "small-tuned", "proxy-tuned, alpha 1", "large-tuned") if name in replies]
    return [
        Example(
            heading=f"Message {number + 1}",
            lines=(("message", one.text), *((name, replies[name][number].text) for name in names)),
        )
        for number, one in enumerate(source[:4])
    ]
