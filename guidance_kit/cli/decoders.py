"""Decoders of the command line: names, and the options that each of them takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guidance_kit.cli.constraints import function_of
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.decoder import Decoder

__all__ = [
    "Alpha", "By", "DecoderOption", "Groups", "LengthPenalty", "PotentialName", "ProposalOption", "UtilityOption",
    "Width", "decoder_of",
]  # fmt: skip

DECODERS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "sample": ("Sample", {}),
    "beam": ("Beam", {"--width": "width", "--length-penalty": "length_penalty", "--groups": "groups"}),
    "most-likely": ("MostLikely", {"--width": "k"}),
    "sample-among-beams": ("SampleAmongBeams", {"--width": "width"}),
    "stochastic-beam": ("StochasticBeam", {"--width": "k"}),
    "best-of": ("BestOf", {"--width": "n", "--by": "by"}),
    "mbr": ("MBR", {"--width": "n", "--utility": "utility"}),
    "particles": ("Particles", {"--width": "particles", "--potential": "potential", "--proposal": "proposal"}),
    "cars": ("Cars", {"--width": "attempts", "--potential": "predicate"}),
    "contrastive-search": ("ContrastiveSearch", {"--width": "k", "--alpha": "alpha"}),
    "importance": ("Importance", {"--width": "particles"}),
    "asap": ("Asap", {"--width": "samples"}),
}
"""For each decoder the name of its class, and from the options of the command line to its arguments."""

DecoderOption = Annotated[
    str | None,
    typer.Option("--decoder", metavar="NAME", help=f"Decoder: {', '.join(DECODERS)}.", show_default=False),
]
Width = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Beams, samples, particles, attempts or candidates of the decoder, or texts it looks for.",
        show_default=False,
    ),
]
LengthPenalty = Annotated[
    float | None,
    typer.Option(metavar="A", help="Divide the scores of beams by length to the power A.", show_default=False),
]
Groups = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Groups of diverse beams, a divisor of --width.", show_default=False),
]
By = Annotated[
    str | None,
    typer.Option(
        metavar="RULE", help="Rule of best-of: log_probability, mean_log_probability, majority.", show_default=False
    ),
]
UtilityOption = Annotated[
    str | None, typer.Option("--utility", metavar="NAME", help="Utility of mbr: chrf, bleu.", show_default=False)
]

PotentialName = Annotated[
    str | None,
    typer.Option(
        "--potential",
        metavar="MODULE:NAME",
        help="Function from a list of partial texts to True, False or ln of a factor for each; for particles and cars.",
        show_default=False,
    ),
]
ProposalOption = Annotated[
    str | None,
    typer.Option(
        "--proposal", metavar="NAME", help="Proposal of particles: mask, count, mass, rejection.", show_default=False
    ),
]
Alpha = Annotated[
    float | None,
    typer.Option(metavar="A", help="Weight of similarity in contrastive-search, from 0 to 1.", show_default=False),
]


def decoder_of(name: str | None, options: Mapping[str, Any]) -> Decoder | None:
    """Decoder that was asked for; None without one.

    Args:
        options: options of the command line by name; None where they were not given.
    Raises:
        OptionError: an unknown decoder; an option that it does not take, or a value out of range.
    """
    given = {option: value for option, value in options.items() if value is not None}
    if name is None:
        if given:
            raise OptionError(f"{', '.join(given)}: for a --decoder, and none is given")
        return None
    if name not in DECODERS:
        raise OptionError.unknown(name, DECODERS, "decoder")
    kind, taken = DECODERS[name]
    for option in given:
        if option not in taken:
            known = ", ".join(taken) or "no option"
            raise OptionError(f"{option} is not for --decoder {name}, which takes {known}")
    import guidance_kit
    from guidance_kit.decoding.sample import Sample

    arguments = {taken[option]: value for option, value in given.items()}
    if "--potential" in given:
        arguments[taken["--potential"]] = function_of(given["--potential"], "--potential")
    if name == "cars" and "attempts" in arguments:
        arguments["at_once"] = min(8, arguments["attempts"])
    return Sample() if kind == "Sample" else getattr(guidance_kit, kind)(**arguments)
