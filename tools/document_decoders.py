"""Write the table of docs/decoding.md with what each decoder composes with, from runs of each pair.

python tools/document_decoders.py           # write
python tools/document_decoders.py --print   # show only

A mark says that a small generation ran and its result held what the option promises; a dash, that it was refused by an
`OptionError`. Anything else is a mistake of the library, and ends the script.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import guidance_kit as gk

__all__ = ["COMPOSES", "DECODERS", "table", "with_table"]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "decoding.md"

PROMPT = "We met on "
OTHER = "The word is "
WORDS = gk.regex("[ab]{2,3}")


def _is_not_bb(texts: Sequence[str]) -> list[bool]:
    """Predicate for rejection."""
    return [not text.startswith("bb") for text in texts]


def _rather_not_bb(texts: Sequence[str]) -> list[float]:
    """Potential for particles: ln of a factor."""
    return [-float(text.startswith("bb")) for text in texts]


DECODERS: Mapping[str, Any] = {
    '"sample"': "sample",
    "Beam": gk.Beam(3),
    "MostLikely": gk.MostLikely(2),
    "SampleAmongBeams": gk.SampleAmongBeams(3),
    "StochasticBeam": gk.StochasticBeam(3),
    "BestOf": gk.BestOf(3),
    "MBR": gk.MBR(3),
    "Particles": gk.Particles(3, potential=_rather_not_bb),
    "Cars": gk.Cars(predicate=_is_not_bb),
    "ContrastiveSearch": gk.ContrastiveSearch(3),
    '"importance"': gk.Importance(3),
    '"asap"': gk.Asap(3),
}
"""Small settings of each decoder."""


def _generated(model: gk.Model, decoder: Any, **options: Any) -> Any:
    return model.generate(
        **({"prompts": PROMPT, "constraint": WORDS, "seed": 1, "max_tokens": 8} | options), decoder=decoder
    )


def _is_word(completion: Any) -> bool:
    return re.fullmatch("[ab]{2,3}", completion.text) is not None


def _formula(model: gk.Model, decoder: Any) -> bool:
    steered = model + 0.5 * (model.given("Write ") - model)
    return _is_word(_generated(steered, decoder))


def _batch(model: gk.Model, decoder: Any) -> bool:
    runs = [_generated(model, decoder, prompts=[PROMPT, OTHER, PROMPT], batch_size=size) for size in (64, 1)]
    return [one.text for one in runs[0]] == [one.text for one in runs[1]]


def _several(model: gk.Model, decoder: Any) -> bool:
    return len(_generated(model, decoder, n=2)) == 2


def _stream(model: gk.Model, decoder: Any) -> bool:
    pieces = model.stream(PROMPT, WORDS, decoder=decoder, seed=1, max_tokens=8)
    return "".join(pieces) == pieces.completion.text == _generated(model, decoder).text


def _draft(model: gk.Model, decoder: Any) -> bool:
    return _generated(model, decoder, draft=gk.PromptLookup()).text == _generated(model, decoder).text


def _free(model: gk.Model, decoder: Any) -> bool:
    return len(_generated(model, decoder, constraint=None, max_tokens=4).tokens) <= 4


def _constraint(model: gk.Model, decoder: Any) -> bool:
    return _is_word(_generated(model, decoder))


def _guided(model: gk.Model, decoder: Any) -> bool:
    bias = model.logit_bias({"a": -1.0})
    return _is_word(_generated(model, decoder, guides=bias))


def _stop(model: gk.Model, decoder: Any) -> bool:
    return "b" not in _generated(model, decoder, stop="b").text


def _logprobs(model: gk.Model, decoder: Any) -> bool:
    completion = _generated(model, decoder, logprobs=0)
    return len(completion.logprobs) == len(completion.tokens)


def _with(model: gk.Model, decoder: Any, **options: Any) -> bool:
    return _is_word(_generated(model, decoder, **options))


COMPOSES: Mapping[str, Callable[[gk.Model, Any], bool]] = {
    "constraint": _constraint,
    "none": _free,
    "formula": _formula,
    "guides": _guided,
    "batch": _batch,
    "`n=`": _several,
    "`stream`": _stream,
    "`draft=`": _draft,
    "`draw=`": partial(_with, draw=gk.Mirostat()),
    "watermark": partial(_with, watermark=gk.Watermark("0123456789abcdef" * 2, "gumbel")),
    "temperature 0": partial(_with, temperature=0),
    "truncation": partial(_with, epsilon_cutoff=1e-12),
    "`stop`": _stop,
    "`complete`": partial(_with, complete=True),
    "`logprobs`": _logprobs,
}
"""For each column a run that tells whether a decoder composes with it."""


def composes(model: gk.Model, decoder: Any, check: Callable[[gk.Model, Any], bool]) -> bool:
    """Test whether a decoder composes with something; False for a refusal.

    Raises:
        AssertionError: it ran, and the result is not what it is to be.
    """
    try:
        holds = check(model, decoder)
    except gk.OptionError:
        return False
    assert holds, f"{decoder} with {check}"
    return True


def table(model: gk.Model) -> str:
    """Table of all decoders and columns, for a single model of transformers."""
    lines = ["| decoder | " + " | ".join(COMPOSES) + " |", "|---|" + ":-:|" * len(COMPOSES)]
    for name, decoder in DECODERS.items():
        shown = name if name.startswith('"') else f"gk.{name}"
        marks = ("✓" if composes(model, decoder, check) else "–" for check in COMPOSES.values())
        lines.append(f"| `{shown}` | " + " | ".join(marks) + " |")
    return "\n".join(lines) + "\n"


def with_table(page: str, made: str) -> str:
    """The page with its table as it is now."""
    begin, end = "<!-- composes: begin -->\n", "<!-- composes: end -->"
    return re.sub(f"(?s){begin}.*?{end}", lambda _: begin + made + end, page)


def main() -> None:
    """Read the arguments and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true", help="show the table and write nothing")
    made = table(gk.load())
    if parser.parse_args().print:
        print(made)
    else:
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
