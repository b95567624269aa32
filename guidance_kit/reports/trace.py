"""Trace page: completions with the log-probabilities and the attribution of each token, as a single HTML file.

The page has no external resources. The details of a token are inside its element, and CSS shows them under the pointer
or with the focus; the script adds the arrow keys only. Texts are escaped; as a second defence the content security
policy of the page forbids all but its own style and script.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from guidance_kit.decoding.completion import Alternative, Completion, TokenLogprob
from guidance_kit.decoding.field_confidence import FieldConfidence
from guidance_kit.decoding.speculation import Speculation
from guidance_kit.errors import OptionError
from guidance_kit.reports.token_text import ALONE, IN_TEXT, spelt
from guidance_kit.vocabulary import Vocabulary

__all__ = ["trace_html"]

_FACTORS = (1.1, 2, 10, 100)
"""Thresholds of the colours: factors by which a token became more or less likely."""

_ENDS = {
    "complete": "complete",
    "budget": "completed for lack of room",
    "stop": "ended by a stop string",
    "length": "cut for lack of room",
    "field": "cut in a field that had too many tokens",
}


def trace_html(
    completions: Completion | Sequence[Completion],
    *,
    prompts: str | Sequence[str] | None = None,
    title: str = "Why these tokens?",
) -> str:
    """Trace page of completions: log-probability and attribution of each token.

    Tokens are coloured by guided_logprob - logprob: the change of their log-probability by steering and the constraint,
    against the model alone, or the base of a formula. Pointing at a token, or moving the focus to it with Tab and the
    arrow keys, shows the terms of the formula, the mass removed by the constraint, the divergence, and the
    alternatives. If the completions have a confidence, a line under the tokens of a field shows how sure it is, and a
    table has the probabilities.

    Args:
        completions: one or several, generated with `logprobs`, the number of alternatives to show.
        prompts: prompts shown before the texts; one for each completion.
        title: title of the page.
    Returns:
        The whole page, to be written to a file in UTF-8.
    Raises:
        OptionError: a completion without log-probabilities, or without a vocabulary; different numbers of prompts and
            completions.
    """
    several = [completions] if isinstance(completions, Completion) else list(completions)
    before = [prompts] if isinstance(prompts, str) else [None] * len(several) if prompts is None else list(prompts)
    if len(before) != len(several):
        raise OptionError(f"{len(before)} prompts for {len(several)} completions; give one for each")
    sections = "\n".join(
        _section(number, len(several), completion, prompt)
        for number, (completion, prompt) in enumerate(zip(several, before, strict=True), 1)
    )
    style, script = _asset(".css"), _asset(".js")
    legend = _SURE_LEGEND if any(completion.confidence for completion in several) else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<main>
<header>
<h1>{escape(title)}</h1>
{_LEGEND}{legend}
</header>
{sections}
</main>
{_GLOSSARY}
<script>{script}</script>
</body>
</html>
"""


def _asset(suffix: str) -> str:
    """Style or script of the page, from the files beside this one."""
    return Path(__file__).with_suffix(suffix).read_text(encoding="utf-8")


_LEGEND = """<ul class="legend" aria-label="Colours: how many times as likely a token became">
<li class="down4">÷ 100</li><li class="down3">÷ 10</li><li class="down2">÷ 2</li><li class="down1">less likely</li>
<li>as it was</li>
<li class="up1">likelier</li><li class="up2">× 2</li><li class="up3">× 10</li><li class="up4">× 100</li>
<li class="forced">no choice</li>
</ul>"""

_SURE_LEGEND = """
<ul class="legend" aria-label="Lines under the tokens: how sure the value of a field is">
<li class="sure0">field below 50 %</li><li class="sure1">below 70 %</li><li class="sure2">below 90 %</li>
<li class="sure3">below 99 %</li><li class="sure4">surer</li>
</ul>"""

_GLOSSARY = """<aside>
<h2>How to read this</h2>
<p>A colour says how far steering and the constraint moved a token from what the model alone, or the base of a formula,
had said. Point at a token, or go there with Tab and the arrow keys, to see why; a click keeps it open until Escape.</p>
<dl>
<dt>log p</dt>
<dd>Logarithm of a token's probability, in nats: 0 is certain, −0.69 one in two, −4.6 one in a hundred. All are before
temperature, top-k, top-p and min-p.</dd>
<dt>So far, moved</dt>
<dd>log p after this term and those before it, and the difference that this one made.</dd>
<dt>Removed mass</dt>
<dd>The probability of all that the constraint forbade at this place.</dd>
<dt>Log p of the constraint</dt>
<dd>Sum of the logarithms of the probability that the constraint left at each place: how much of what the model would
have written along this text was forbidden.</dd>
<dt>Divergence</dt>
<dd>Kullback–Leibler, from the base to what was drawn from, in nats: how far the whole distribution was moved. Added up
over a text, it estimates by how much the text as a whole was.</dd>
<dt>Confidence</dt>
<dd>The line under the tokens of a field: the probability of its value among those that the constraint allows there,
under the formula before the constraint. "exact" sums all ways to write each value; "text" is the probability of the
written tokens.</dd>
<dt>No choice</dt>
<dd>All other tokens were forbidden.</dd>
<dt>Drafts</dt>
<dd>Tokens that a draft proposed and the model took, or rejected; those behind a rejected one do not count. Time saved
is that of as many calls for one token each, less the time of the calls and their drafts; of a batch, that of all its
texts.</dd>
<dt><i>␣</i> <i>↵</i> <i>E2</i></dt>
<dd>A space, a line end, a byte of a character that the token holds only a part of.</dd>
</dl>
</aside>"""


def _section(number: int, count: int, completion: Completion, prompt: str | None) -> str:
    """Section of one text with its totals.

    Raises:
        OptionError: the completion has no log-probabilities, or no vocabulary.
    """
    which = f"completion {number - 1}" if count > 1 else "the completion"
    heading = f"<h2>Text {number} of {count}</h2>\n" if count > 1 else ""
    read = f'<p class="prompt" dir="auto">{spelt(prompt.encode(errors="replace"), IN_TEXT)}</p>\n' if prompt else ""
    if completion.thoughts is None:
        return f"<section>\n{heading}{read}{_text(completion, which)}\n</section>"
    thoughts = _text(completion.thoughts, f"the thoughts of {which}")
    return f"""<section>
{heading}{read}<h3>Thoughts</h3>
{thoughts}
<h3>Answer</h3>
{_text(completion, which)}
</section>"""


def _text(completion: Completion, which: str) -> str:
    """Tokens of a text and its totals.

    Raises:
        OptionError: the completion has no log-probabilities, or no vocabulary.
    """
    records = completion.logprobs
    if records is None:
        raise OptionError(f"{which} has no log-probabilities; generate it with logprobs=5, say")
    if completion.vocabulary is None:
        raise OptionError(f"{which} has no vocabulary, which says what its tokens are")
    writer = _TokenWriter(completion.vocabulary)
    fields = _fields_of_tokens(completion, completion.vocabulary)
    shown = "".join(
        writer.token(place, len(records), record, field)
        for place, (record, field) in enumerate(zip(records, fields, strict=True), 1)
    )
    return f"""<div class="text" dir="auto">{shown}</div>
{_totals(completion, records)}{_confidence(completion)}"""


_SURE = (0.5, 0.7, 0.9, 0.99)
"""Thresholds of the marks of confidence."""


def _sure(field: FieldConfidence) -> str:
    """CSS class for a confidence, from "sure0" to "sure4"."""
    return f"sure{bisect_right(_SURE, field.probability)}"


def _fields_of_tokens(completion: Completion, vocabulary: Vocabulary) -> list[FieldConfidence | None]:
    """Field of which each token has a byte, the first of several; None for tokens of no field."""
    fields = list(completion.confidence.values()) if completion.confidence is not None else []
    found: list[FieldConfidence | None] = []
    at = 0
    for token in completion.tokens:
        end = at + (0 if token in vocabulary.eos else len(vocabulary.shown(token)))
        found.append(next((one for one in fields if one.begin < end and at < one.end), None))
        at = end
    return found


def _confidence(completion: Completion) -> str:
    """Table of the confidence in the fields of a record; "" without one."""
    if not completion.confidence:
        return ""
    rows = "\n".join(
        f'<tr><th scope="row">{escape(one.pointer) or "(root)"}</th>'
        f'<td class="{_sure(one)}">{_percent(one.probability)}</td>'
        f"<td>{one.method}{_bounds(one)}</td><td>{_others(one)}</td></tr>"
        for one in completion.confidence.values()
    )
    return f"""
<table class="confidence">
<caption>How sure each field is</caption>
<thead><tr><th>field</th><th>probability</th><th>method</th><th>alternatives</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>"""


def _bounds(field: FieldConfidence) -> str:
    if field.low is None or field.high is None or field.high - field.low < 1e-3:
        return ""
    return f", {_percent(field.low)} to {_percent(field.high)}"


def _others(field: FieldConfidence) -> str:
    """Other values of a field with their probabilities."""
    others = [one for one in field.alternatives if one.value != field.value]
    shown = (f"{escape(json.dumps(one.value, ensure_ascii=False))} {_percent(one.probability)}" for one in others)
    return ", ".join(shown)


def _totals(completion: Completion, records: Sequence[TokenLogprob]) -> str:
    """Totals of a text, as a description list."""
    forced = sum(record.choices == 1 for record in records)
    mean = sum(record.removed_mass for record in records) / max(len(records), 1)
    rows = {
        "tokens": f"{len(records):,}",
        "ended": _ENDS[completion.finish_reason],
        "log p, base": _nats(sum(record.logprob for record in records)),
        "log p, guided": _nats(sum(record.guided_logprob for record in records)),
        "mean removed mass": _percent(mean),
        "log p of the constraint": _nats(sum(record.log_kept for record in records)),
        "total divergence": f"{_nats(sum(record.divergence for record in records))} nats",
        "without a choice": f"{forced:,}",
        "seed": str(completion.seed),
    }
    speculation = completion.speculation
    if speculation is not None:
        rows |= {
            "calls of the model": f"{speculation.blocks:,} for {speculation.tokens:,} tokens",
            "time saved": _seconds(speculation.seconds_saved),
        }
    facts = "\n".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in rows.items())
    return f'<dl class="totals">\n{facts}\n</dl>{_drafts(speculation)}'


def _drafts(speculation: Speculation | None) -> str:
    """Table of the accepted and rejected tokens of each draft; nothing without verified ones."""
    if speculation is None or not speculation.drafts:
        return ""
    rows = "\n".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{one.accepted:,}</td><td>{one.rejected:,}</td>'
        f"<td>{_bar(100 * one.rate)}</td><td>{_percent(one.rate)}</td></tr>"
        for name, one in speculation.drafts.items()
    )
    return f"""
<table class="drafts">
<caption>Proposed tokens</caption>
<thead><tr><td>draft</td><td>accepted</td><td>rejected</td><td colspan="2">acceptance</td></tr></thead>
<tbody>
{rows}
</tbody>
</table>"""


class _TokenWriter:
    """HTML writer for the tokens of one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def token(self, place: int, count: int, record: TokenLogprob, field: FieldConfidence | None) -> str:
        """Element of a token in its text, with the card of its details and the mark of its field."""
        moved = record.guided_logprob - record.logprob
        sure = "" if field is None else _sure(field)
        look = " ".join(filter(None, ("token", _tone(moved), "forced" if record.choices == 1 else "", sure)))
        name = f"token {place} of {count}, moved by {_signed(moved)} nats"
        return (
            f'<div class="{look}" tabindex="0" role="group" aria-label="{name}">{self._name(record.token, IN_TEXT)}'
            f"{self._card(place, count, record, field)}</div>"
        )

    def _card(self, place: int, count: int, record: TokenLogprob, field: FieldConfidence | None) -> str:
        moved = record.guided_logprob - record.logprob
        tone = _tone(moved)
        change = f'<span class="{tone}">{_times(moved)}</span>' if tone else "as it was"
        left = f"{record.choices:,} of {len(self._vocabulary):,} tokens"
        mass = 100 * record.removed_mass
        sure = (
            "" if field is None else f"\n<dt>field {escape(field.pointer)}</dt><dd>{_percent(field.probability)}</dd>"
        )
        return f"""<div class="card" dir="ltr">
<p class="what"><b>{self._name(record.token, ALONE)}</b> <small>id {record.token}, {place} of {count}</small></p>
<p class="move">{_percent(math.exp(record.logprob))} → {_percent(math.exp(record.guided_logprob))} {change}</p>
<dl>
<dt>removed mass</dt><dd>{_bar(mass, "removed")} {_percent(record.removed_mass)}</dd>
<dt>left</dt><dd>{left}</dd>
<dt>divergence</dt><dd>{_nats(record.divergence)} nats</dd>{sure}
</dl>
{_history(record)}
{self._alternatives(record)}</div>"""

    def _alternatives(self, record: TokenLogprob) -> str:
        """Table of the most likely tokens, and the generated one if it is not among them."""
        if not record.top:
            return ""
        listed = list(record.top)
        if all(other.token != record.token for other in listed):
            listed.append(Alternative(token=record.token, logprob=record.logprob, is_allowed=True))
        rows = "\n".join(self._alternative(other, is_taken=other.token == record.token) for other in listed)
        return f'<table class="others">\n<caption>Most likely under the base</caption>\n{rows}\n</table>\n'

    def _alternative(self, other: Alternative, *, is_taken: bool) -> str:
        look, note = ("taken", "taken") if is_taken else ("", "") if other.is_allowed else ("forbidden", "forbidden")
        chance = math.exp(other.logprob)
        return (
            f'<tr class="{look}"><th scope="row">{self._name(other.token, ALONE)}</th>'
            f"<td>{_bar(100 * chance)}</td><td>{_percent(chance)}</td><td>{_nats(other.logprob)}</td>"
            f"<td>{note}</td></tr>"
        )

    def _name(self, token: int, marks: Mapping[str, str]) -> str:
        """Readable form of a token: its text, or its name."""
        if token in self._vocabulary.eos:
            return "<i>end</i>"
        spelling = self._vocabulary.text_of([token])
        name = escape(self._vocabulary.special_names.get(token, f"token {token}"))
        return spelt(spelling, marks) if spelling else f"<i>{name}</i>"


def _history(record: TokenLogprob) -> str:
    """Table of the attribution of the log-probability."""
    rows = "\n".join(_steps(record))
    return f"""<table class="steps">
<caption>How it came about, in nats</caption>
<thead><tr><td>weight</td><td>own log p</td><td>so far</td><td>moved</td><td>divergence</td></tr></thead>
{rows}
</table>"""


def _steps(record: TokenLogprob) -> Iterator[str]:
    """Rows of the attribution: the base, each term, the guides and the constraint."""
    before: float | None = None
    for term in record.terms:
        own = "not asked" if term.own_logprob is None else _nats(term.own_logprob)
        yield _step(escape(term.term), _signed(term.weight), own, before, term.logprob, term.divergence)
        before = term.logprob
    if before is None:
        before = record.logprob
        yield _step("model", "", _nats(before), None, before, 0.0)
    yield _step("guides, constraint", "", "", before, record.guided_logprob, record.divergence)


def _step(name: str, weight: str, own: str, before: float | None, after: float, divergence: float) -> str:
    """Row of the attribution: `before` and `after` are log-probabilities of the token."""
    moved = "" if before is None else f'<span class="{_tone(after - before)}">{_signed(after - before)}</span>'
    cells = "".join(f"<td>{cell}</td>" for cell in (weight, own, _nats(after), moved, _nats(divergence)))
    return f'<tbody><tr><th colspan="5" scope="rowgroup">{name}</th></tr><tr>{cells}</tr></tbody>'


def _bar(percent: float, look: str = "") -> str:
    """Horizontal bar of a percentage."""
    return f'<span class="bar {look}"><span style="width:{percent:.1f}%"></span></span>'


def _tone(moved: float) -> str:
    """CSS class for a difference of log-probabilities, "" below the first threshold."""
    if math.isnan(moved):
        return ""
    level = bisect_right([math.log(factor) for factor in _FACTORS], abs(moved))
    return f"{'up' if moved > 0 else 'down'}{level}" if level else ""


def _times(moved: float) -> str:
    """Difference of log-probabilities as a factor, in words."""
    factor = math.exp(min(abs(moved), 20.0))
    shown = "over a million" if factor > 1e6 else f"{factor:,.0f}" if factor >= 10 else f"{factor:.1f}"
    return f"{shown} times {'as' if moved > 0 else 'less'} likely"


def _percent(chance: float) -> str:
    """Probability as a percentage."""
    if 0 < chance < 1e-4:
        return "< 0.01 %"
    if 0.9995 <= chance < 1:
        return "> 99.9 %"
    return f"{100 * chance:.1f} %" if chance >= 0.01 else f"{100 * chance:.2g} %"


def _nats(value: float) -> str:
    """Log-probability or divergence, with two decimals."""
    if math.isnan(value):
        return "–"
    return f"{value:.2f}".replace("inf", "∞").replace("-0.00", "0.00").replace("-", "−")


def _seconds(value: float | None) -> str:
    """Time with its sign, in seconds or milliseconds."""
    if value is None:
        return "not measured"
    shown = f"{value:.2f} s" if abs(value) >= 1 else f"{round(1000 * value)} ms"
    return shown.replace("-", "−")


def _signed(value: float) -> str:
    """Difference or weight, with its sign."""
    shown = _nats(value)
    return shown if shown[0] in "–−" or shown == "0.00" else f"+{shown}"
