"""Options of the drafts that propose tokens."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from guidance_kit.cli.arguments import load_model

__all__ = ["Ahead", "DraftOption", "draft_of"]

_NAMED = ("lookup", "forced", "excerpts", "expert")
"""Drafts that load no model."""

DraftOption = Annotated[
    str | None,
    typer.Option(
        "--draft",
        metavar="NAME",
        help="Draft of tokens, which the model verifies: a smaller model with the same tokens, lookup, forced, "
        "excerpts, or expert, the positive term of a formula.",
        show_default=False,
    ),
]
Ahead = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="Number of proposed tokens in a block; by measured times if not given.",
        show_default=False,
    ),
]


def draft_of(name: str | None, device: str | None, dtype: str | None, *, trust_remote_code: bool) -> Any:
    """Draft of a name: a loaded model, or the name of a draft that loads none.

    Raises:
        OptionError, ModelError: as `load_model`.
    """
    if name is None or name in _NAMED:
        return name
    return load_model(name, device, dtype, trust_remote_code=trust_remote_code)
