"""One text to read a record out of, or the reason why there is none."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from guidance_kit.errors import DocumentError

__all__ = ["Document", "Unreadable", "digest_of", "document", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One text to read a record out of.

    Args:
        source: where it stands: a path, with `#row` if it is one of several in a file; "-" for standard input.
        text: not empty, newlines as `\\n`, without NUL.
        digest: of the text, see `digest_of`. A document that changes is another document.
    """

    source: str
    text: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A document that cannot be read.

    Args:
        source: as in `Document`.
        digest: of the bytes that were there, "" if there were none.
        error: why.
    """

    source: str
    digest: str
    error: DocumentError


def digest_of(content: str | bytes) -> str:
    """Sixteen hexadecimal digits of SHA-256 of a text in UTF-8, or of bytes."""
    raw = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(raw).hexdigest()[:16]


def document(source: str, text: str) -> Document | Unreadable:
    """The document with this text, if there is one in it."""
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        return unreadable(
            source, text.encode("utf-8", "surrogatepass"), f"the text has a lone surrogate at character {error.start}"
        )
    if not text.strip():
        return unreadable(source, raw, "the document is empty")
    if "\0" in text:
        return unreadable(
            source, raw, f"character {text.index(chr(0))} is NUL, which no text has; perhaps --encoding utf-16-le"
        )
    return Document(source=source, text=text, digest=digest_of(raw))


def unreadable(source: str, raw: bytes, problem: str) -> Unreadable:
    """A document that cannot be read: the bytes that were there, and why."""
    return Unreadable(source=source, digest=digest_of(raw) if raw else "", error=DocumentError(f"{source}: {problem}"))
