"""Regions of the command line: a template around the constraint, and sampling settings of a part of a text."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.grammars.constraint import Constraint

__all__ = ["Template", "ThoughtSampling", "in_template", "sampling_settings"]

Template = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="Text in which the constraint is written, a format string of Python: {constraint} is the constraint, "
        "{text} free text up to the text behind it; {text:max_tokens=40,temperature=0.8} has a budget and sampling "
        "settings of its own.",
        show_default=False,
    ),
]
ThoughtSampling = Annotated[
    str | None,
    typer.Option(
        metavar="SETTINGS",
        help="Sampling settings of the thoughts or the sketch, as temperature=0.6,top_p=0.95; temperature 1 if left "
        "out.",
        show_default=False,
    ),
]


def sampling_settings(given: str, option: str) -> dict[str, Any]:
    """Sampling settings of a part of a text, from NAME=VALUE with commas between them.

    Args:
        option: name of the option, for messages.
    Raises:
        OptionError: an unknown setting, one that is set twice, or a value that is no number or out of range.
    """
    from guidance_kit.grammars.region import RegionSampling

    return _settings(given, option, (*RegionSampling.__annotations__,))


def in_template(template: str, constraint: Constraint | None, thoughts: Mapping[str, Any]) -> Constraint:
    """Sequence of the texts and regions of a template.

    Args:
        template: format string of `--template`.
        constraint: the constraint that its field {constraint} stands for; None if there is none.
        thoughts: options `think` and `sketch`, which exclude it.
    Raises:
        OptionError: there are thoughts; the template is no format string, or has another field; a setting is unknown
            or wrong; it has no field {constraint} for the constraint, or one without any; nothing ends a free text.
    """
    from guidance_kit.grammars.composition import sequence
    from guidance_kit.grammars.region import RegionSampling, region
    from guidance_kit.grammars.text import text

    if thoughts:
        raise OptionError("--template excludes --think and --sketch: a field '{text}' in it is for thoughts")
    pieces = _pieces(template)
    has_field = any(name == "constraint" for name, _ in pieces)
    if has_field and constraint is None:
        raise OptionError("--template has the field '{constraint}', but no constraint is given")
    if constraint is not None and not has_field:
        raise OptionError("--template has no field '{constraint}' for the constraint that is given")
    parts: list[Constraint | str] = []
    for place, (name, content) in enumerate(pieces):
        if name is None:
            parts.append(content)
            continue
        if name == "text" and place + 1 < len(pieces) and pieces[place + 1][0] is not None:
            raise OptionError("--template: nothing ends a '{text}'; write a text behind it, as a line end")
        own = _settings(content, "--template", ("max_tokens", *RegionSampling.__annotations__)) if content else {}
        if name == "text" or constraint is None:
            parts.append(region(text(), **own))
        else:
            parts.append(region(constraint, **own) if own else constraint)
    return sequence(*parts)


def _pieces(template: str) -> list[tuple[str | None, str]]:
    """Pieces of a template: (None, a text), or (name of a field, its settings); no text follows another one.

    Raises:
        OptionError: the template is no format string, or has another field.
    """
    pieces: list[tuple[str | None, str]] = []
    written = ""
    try:
        for literal, name, settings, conversion in Formatter().parse(template):
            written += literal
            if name is None:  # of a brace that is written twice
                continue
            if name not in ("text", "constraint") or conversion:
                shown = name + (f"!{conversion}" if conversion else "")
                raise OptionError(f"--template: the fields are '{{text}}' and '{{constraint}}', not '{{{shown}}}'")
            pieces += ([(None, written)] if written else []) + [(name, settings or "")]
            written = ""
    except ValueError as error:
        raise OptionError(f"--template: {error}; a brace itself is written twice") from None
    return pieces + ([(None, written)] if written else [])


def _settings(given: str, option: str, known: tuple[str, ...]) -> dict[str, Any]:
    """Settings of a region from NAME=VALUE with commas between them.

    Raises:
        OptionError: as `sampling_settings`.
    """
    from guidance_kit.decoding.options import Options

    settings: dict[str, Any] = {}
    for pair in given.split(","):
        name, _, value = (piece.strip() for piece in pair.partition("="))
        if name not in known:
            raise OptionError(f"{option}: unknown setting '{name}'; known: {', '.join(map(repr, known))}")
        if name in settings:
            raise OptionError(f"{option} sets '{name}' twice")
        number, kind = (int, "integer") if name in ("max_tokens", "top_k") else (float, "number")
        try:
            settings[name] = number(value)
            Options.from_keywords({name: settings[name]})
        except OptionError as error:
            raise OptionError(f"{option} '{pair.strip()}': {error}") from None
        except ValueError:
            raise OptionError(f"{option} '{pair.strip()}': the value is no {kind}") from None
    return settings
