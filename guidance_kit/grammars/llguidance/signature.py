"""Signature of llguidance's dialect: constructs that lark's own notation lacks."""

from __future__ import annotations

import re

__all__ = ["is_llguidance"]

_PARTS = re.compile(
    r"""//[^\n]*|\#[^\n]*|"(?:\\.|[^"\\\n])*"i?|/(?!/)(?:\\.|[^/\\\n])+/[imslux]*|<[^<>\s]+>
    |(?P<own>
        %(?:llguidance|json|regex|lark|if)\b
        |@[A-Za-z_]
        |^[ \t]*[!?_]*[a-z][\w-]*(?:::_)?[ \t]*\[[ \t]*(?:capture|lazy|max_tokens|stop|suffix|temperature)\b
        |\w[ \t]*::
        |\{[ \t]*(?:\d+|,[ \t]*\d+)[ \t]*(?:,[ \t]*\d*[ \t]*)?\}
        |&
        |~[ \t]*[^\s\d]
    )""",
    re.VERBOSE | re.MULTILINE,
)
"""Comments, texts, patterns and tokens, which say nothing; and constructs of the dialect alone."""

_SERIALIZED = re.compile(r'\s*\{\s*"(?:grammars|max_tokens)"\s*:')


def is_llguidance(text: str) -> bool:
    """Test whether a grammar is in llguidance's dialect, or a list of such grammars in JSON.

    A grammar without any construct of the dialect alone is in lark's notation.
    """
    return _SERIALIZED.match(text) is not None or any(found["own"] for found in _PARTS.finditer(text))
