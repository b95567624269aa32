"""Evaluation of thoughts and sketches before a record: accuracy and validity, with and without the constraint."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guidance_kit.decoding.completion import Completion
from guidance_kit.evaluation.records import is_valid, score
from guidance_kit.evaluation.results import (
    Column,
    Curve,
    Evaluation,
    Example,
    Plot,
    Progress,
    Rate,
    Table,
    Traced,
)
from guidance_kit.evaluation.shuffled_objects import LENGTHS, MODES, PLACES, SCHEMA, Mode, ShuffledObject
from guidance_kit.prompt import Prompt
from guidance_kit.thinking import Think

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = ["BUDGETS", "Budgets", "evaluate_reasoning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Numbers of tokens: of thoughts, of a sketch, and of a record without a constraint."""

    thoughts: int = 192
    sketch: int = 96
    record: int = 96


BUDGETS = Budgets()
"""Budgets that hold every text of the bundled model's training."""

_RUNS: tuple[tuple[Mode, bool], ...] = tuple((mode, constrained) for constrained in (True, False) for mode in MODES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """Judged answer to one problem."""

    problem: ShuffledObject
    completion: Completion
    has_place: bool
    is_right: bool
    is_valid: bool


def evaluate_reasoning(
    model: Model,
    problems: Sequence[ShuffledObject],
    *,
    is_trained: bool = True,
    budgets: Budgets = BUDGETS,
    batch_size: int = 32,
    on_step: Progress = lambda step: None,
) -> Evaluation:
    """Answer problems greedily in each mode, with and without the constraint of the record.

    Args:
        is_trained: the model was trained on the requests of `ShuffledObject.prompt`; any other model is asked the
            question in full, in its chat template where it has one.
    """
    found: dict[tuple[Mode, bool], list[_Answer]] = {}
    for mode, constrained in _RUNS:
        on_step(f"{len(problems)} problems, {mode}{'' if constrained else ', without the constraint'}")
        prompts = [_prompt(model, one, mode, is_trained=is_trained) for one in problems]
        completions = model.generate(
            prompts,
            SCHEMA if constrained else None,
            temperature=0,
            max_tokens=budgets.record,
            complete=constrained,
            logprobs=0,
            batch_size=batch_size,
            **_ahead(mode, budgets),
        )
        found[mode, constrained] = [_judged(*pair) for pair in zip(problems, completions, strict=True)]
    return _summarised(model.language_model.name, found, is_trained=is_trained)


def _prompt(model: Model, one: ShuffledObject, mode: Mode, *, is_trained: bool) -> Prompt:
    if is_trained:
        return one.prompt(mode)
    if model.language_model.has_chat_template:
        return [{"role": "user", "content": one.question}]
    return one.question + "\n"


def _ahead(mode: Mode, budgets: Budgets) -> dict[str, Any]:
    """Options of `generate` for what a mode writes before the record."""
    greedy = {"temperature": 0}
    if mode == "thoughts first":
        return {"think": Think(tokens=budgets.thoughts, options=greedy)}
    if mode == "sketch first":
        return {"sketch": Think(is_sketch=True, tokens=budgets.sketch, options=greedy)}
    return {}


def _judged(problem: ShuffledObject, completion: Completion) -> _Answer:
    try:
        record = json.loads(completion.text)
    except ValueError:
        record = None
    return _Answer(
        problem=problem,
        completion=completion,
        has_place=isinstance(record, dict) and record.get("place") == problem.record["place"],
        is_right=bool(score(completion.text, problem.record).records),
        is_valid=is_valid(completion.text, SCHEMA),
    )


def _rate(answers: Sequence[_Answer], what: str) -> Rate:
    return Rate(sum(getattr(one, what) for one in answers), len(answers))


def _summarised(name: str, found: Mapping[tuple[Mode, bool], Sequence[_Answer]], *, is_trained: bool) -> Evaluation:
    places = {mode: _rate(found[mode, True], "has_place") for mode in MODES}
    figures: dict[str, float] = {}
    for (mode, constrained), answers in found.items():
        run = f"{mode}, {'schema' if constrained else 'none'}"
        figures[f"place right, {run}"] = _rate(answers, "has_place").share
        figures[f"record right, {run}"] = _rate(answers, "is_right").share
        figures[f"valid, {run}"] = _rate(answers, "is_valid").share
    shown = {mode: Column("", "rate").shown(rate) for mode, rate in places.items()}
    summary = (
        f"Under the schema the place is right in {shown['schema at once']} of the problems at once, in "
        f"{shown['thoughts first']} after thoughts, in {shown['sketch first']} after a sketch; by chance in "
        f"{100 / len(PLACES):.0f} %."
    )
    count = len(found[_RUNS[0]])
    return Evaluation(
        name="reasoning",
        title="Reason, then answer",
        summary=(summary,),
        figures=figures,
        settings={
            "model": name, "problems": f"{count:,}", "decoding": "greedy",
            "requests": "those of training" if is_trained else "the question in full",
        },
        headline=_modes(found),
        tables=(_lengths(found),),
        plots=(_plot(found),),
        samples=_samples(found),
        traced=_traced(found, is_trained=is_trained),
    )  # fmt: skip


def _modes(found: Mapping[tuple[Mode, bool], Sequence[_Answer]]) -> Table:
    columns = (
        Column("mode"), Column("constraint"), Column("place right", "rate"), Column("record right", "rate"),
        Column("valid", "rate"), Column("tokens ahead", "number"), Column("tokens of the record", "number"),
        Column("probability removed", "share"),
    )  # fmt: skip
    rows = tuple(
        (
            mode,
            "schema" if constrained else "none",
            *(_rate(answers, what) for what in ("has_place", "is_right", "is_valid")),
            sum(len(one.completion.thoughts.tokens) for one in answers if one.completion.thoughts) / len(answers),
            sum(len(one.completion.tokens) for one in answers) / len(answers),
            _removed([one.completion for one in answers]),
        )
        for (mode, constrained), answers in found.items()
    )
    return Table(
        title="Modes",
        columns=columns,
        rows=rows,
        note="In brackets: counts, and 95 % intervals (Wilson) in per cent. Tokens ahead: thoughts or sketch, mean of "
        "a problem. Probability removed: by the constraint, mean over the tokens of the records.",
    )


def _removed(completions: Sequence[Completion]) -> float:
    masses = [record.removed_mass for one in completions for record in one.logprobs or ()]
    return sum(masses) / max(len(masses), 1)


def _in_range(answers: Sequence[_Answer], lengths: tuple[int, int]) -> list[_Answer]:
    return [one for one in answers if lengths[0] <= len(one.problem.swaps) <= lengths[1]]


def _lengths(found: Mapping[tuple[Mode, bool], Sequence[_Answer]]) -> Table:
    rows: list[tuple[str | Rate, ...]] = []
    for lengths in LENGTHS:
        rates = (_rate(_in_range(found[mode, True], lengths), "has_place") for mode in MODES)
        rows.append((f"{lengths[0]} to {lengths[1]}", *rates))
    return Table(
        title="Place right, by the lines of the log",
        columns=(Column("lines"), *(Column(mode, "rate") for mode in MODES)),
        rows=tuple(rows),
        note="Under the schema.",
    )


def _plot(found: Mapping[tuple[Mode, bool], Sequence[_Answer]]) -> Plot:
    curves: list[Curve] = []
    for mode in MODES:
        some = [_in_range(found[mode, True], lengths) for lengths in LENGTHS]
        pairs = [(lengths, answers) for lengths, answers in zip(LENGTHS, some, strict=True) if answers]
        x = tuple(sum(lengths) / 2 for lengths, _ in pairs)
        y = tuple(_rate(answers, "has_place").share for _, answers in pairs)
        curves.append(Curve(name=mode, x=x, y=y))
    return Plot(
        title="Accuracy over the length of the problem",
        x="lines of the log",
        y="share of problems whose place is right",
        curves=tuple(curves),
        note="Under the schema; by chance one in five.",
    )


def _samples(found: Mapping[tuple[Mode, bool], Sequence[_Answer]]) -> tuple[Example, ...]:
    """The first problem of each range in all modes."""
    samples: list[Example] = []
    for lengths in LENGTHS:
        in_range = {mode: _in_range(found[mode, True], lengths) for mode in MODES}
        if not in_range[MODES[0]]:
            continue
        first = in_range[MODES[0]][0].problem
        lines = [("problem", first.log), ("right", first.record_text)]
        for mode in MODES:
            answer = in_range[mode][0].completion
            ahead = f"{answer.thoughts.text}\n" if answer.thoughts else ""
            lines.append((mode, ahead + answer.text))
        heading = "1 line" if len(first.swaps) == 1 else f"{len(first.swaps)} lines"
        samples.append(Example(heading=heading, lines=tuple(lines)))
    return tuple(samples)


def _traced(found: Mapping[tuple[Mode, bool], Sequence[_Answer]], *, is_trained: bool) -> Traced:
    """Answers of each mode to the last problem."""
    some = [found[mode, True][-1] for mode in MODES]
    prompts = tuple(
        one.problem.prompt(mode) if is_trained else one.problem.question for one, mode in zip(some, MODES, strict=True)
    )
    return Traced(prompts=prompts, completions=tuple(one.completion for one in some))
