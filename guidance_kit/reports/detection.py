"""Page of a test for a watermark: the text with its tokens coloured by their evidence, as a single HTML file.

The page has no external resources and no script; it shares the style of the trace page.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from guidance_kit.reports.token_text import IN_TEXT, spelt

if TYPE_CHECKING:
    from guidance_kit.analysis.detection import Detection, TokenEvidence

__all__ = ["detection_html"]

_FACTORS = (2, 4, 16, 64)
"""Thresholds of the colours: reciprocals of p-values."""

_USES = {
    "scored": "scored",
    "context": "not scored: its context reaches before the text",
    "repeated": "not scored: counted before in the same context",
    "forced": "not scored: no other token was possible",
    "weightless": "no weight: the model was sure of it",
}

_LEGEND = """<ul class="legend" aria-label="Colours: evidence of a token for the mark">
<li>none</li><li class="up1">p ≤ 1/2</li><li class="up2">p ≤ 1/4</li><li class="up3">p ≤ 1/16</li>
<li class="up4">p ≤ 1/64</li><li class="unscored">not scored</li><li class="part">strongest part</li>
</ul>"""

_GLOSSARY = """<aside>
<h2>How to read this</h2>
<p>A colour says how improbable so high a score of the token would be if the text did not depend on the key. Point at a
token to see its p-value and its weight. One token says little: a quarter of the tokens of any text has p ≤ 1/4. The
p-value of the text joins all of them, each counted once in the same context.</p>
</aside>"""


def detection_html(detection: Detection, *, title: str = "Which tokens are marked?") -> str:
    """Page of a detection: verdict, p-values, and the text with its tokens coloured by their evidence.

    Args:
        title: title of the page.
    Returns:
        The whole page, to be written to a file in UTF-8.
    """
    part = detection.part
    inside = range(0) if part is None else range(part.start, part.stop)
    shown = "".join(
        _token(detection, place, one, is_inside=place in inside) for place, one in enumerate(detection.tokens)
    )
    style = Path(__file__).with_name("trace.css").read_text(encoding="utf-8")
    verdict = "Marked" if detection.is_marked else "No evidence of the mark"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{style}
.unscored {{ color: var(--faint); }}
.part {{ text-decoration: underline solid 2px; text-underline-offset: .3em; }}
</style>
</head>
<body>
<main>
<header>
<h1>{escape(title)}</h1>
{_LEGEND}
</header>
<section>
<p class="move"><b>{verdict}</b> at a p-value of {detection.significance:g}</p>
<div class="text" dir="auto">{shown}</div>
{_totals(detection)}
</section>
</main>
{_GLOSSARY}
</body>
</html>
"""


def _token(detection: Detection, place: int, one: TokenEvidence, *, is_inside: bool) -> str:
    """Element of a token in its text."""
    level = bisect_right([math.log(factor) for factor in _FACTORS], -math.log(max(one.p_value, 1e-300)) + 1e-9)
    is_scored = one.weight > 0
    looks = ["token", f"up{level}" if is_scored and level else "", "" if is_scored else "unscored", "part" * is_inside]
    use = f"p = {one.p_value:.2g}, weight {one.weight}" if is_scored else _USES[_use(one)]
    vocabulary = detection.vocabulary
    text = vocabulary.text_of([one.token])
    name = "end" if one.token in vocabulary.eos else vocabulary.special_names.get(one.token, f"token {one.token}")
    inner = spelt(text, IN_TEXT) if text and one.token not in vocabulary.eos else f"<i>{escape(name)}</i>"
    return f'<span class="{" ".join(filter(None, looks))}" title="token {place + 1}: {use}">{inner}</span>'


def _use(one: TokenEvidence) -> str:
    """Use of a token, a key of `_USES`."""
    return "weightless" if one.status == "scored" and not one.weight else one.status


def _totals(detection: Detection) -> str:
    """Totals of the test, as a description list."""
    uses = Counter(map(_use, detection.tokens))
    part = detection.part
    rows = {
        "p-value of the text": _shown(detection.p_value),
        "p-value of the strongest part": "too short" if part is None else _shown(part.p_value),
        "its tokens": "–" if part is None else f"{part.start + 1} to {part.stop}",
        "tokens": f"{len(detection.tokens):,}",
        "scored": f"{detection.scored:,}",
        "context before the text": f"{uses['context']:,}",
        "repeated": f"{uses['repeated']:,}",
        "without a choice": f"{uses['forced']:,}",
        "the model was sure": f"{uses['weightless']:,}",
        "key": str(detection.key),
    }
    facts = "\n".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in rows.items())
    return f'<dl class="totals">\n{facts}\n</dl>'


def _shown(p_value: float) -> str:
    return f"{p_value:.2g}"
