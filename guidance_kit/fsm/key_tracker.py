"""Names that may not come twice, as the keys of an object: what a network has to be told by who knows its texts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from guidance_kit.fsm.token_trie import TokenTrie

__all__ = ["KeyTracker", "Keys", "Prefixes"]

Keys = Any
"""Names of a text as a tracker keeps them; None where none has ended at a `fresh` edge yet."""

Prefixes = Literal["any", "exhausted"]
"""Prefixes of old names: all of them, or those with which no new name may begin, where all characters may be used."""


class KeyTracker(Protocol):
    """Names that a text has. An *old* name is one with which the name that is being read may not agree.

    `text` is the whole text up to somewhere, or gives it: it is not asked for where it does not matter.
    """

    def enter(self, written: Keys, text: bytes) -> Keys | None:
        """Names after a text that ends with one; None if that name is not new.

        Args:
            written: what was known before the name.
        """
        ...

    def is_open(self, written: Keys, text: bytes, prefixes: Prefixes) -> bool:
        """Test whether a text ends within a name of which there is one of these prefixes, or may be after a character
        that is there in part."""
        ...

    def candidates(
        self, written: Keys, text: Callable[[], bytes], trie: TokenTrie, *, is_inside: bool
    ) -> tuple[tuple[int, ...], Collection[int]]:
        """All tokens, and maybe others, within which a name ends that is not new.

        Args:
            is_inside: whether the text may end within a name.
        Returns:
            Those with which that name becomes an old one, in the order of their texts; and those in which another one
            ends.
        """
        ...

    def openings(
        self,
        written: Keys | None,
        text: Callable[[], bytes],
        trie: TokenTrie,
        prefixes: Prefixes,
        *,
        is_inside: bool,
    ) -> Collection[int]:
        """All tokens, and maybe others, after which the text `is_open`; with the names then.

        Args:
            is_inside: whether the text may end within a name.
        """
        ...

    def are_followed_in_tokens(self, trie: TokenTrie) -> bool:
        """Test whether some token has the end of a name, and all up to where another one has to begin."""
        ...

    def separators(self, trie: TokenTrie) -> tuple[Collection[int], Collection[int]]:
        """All tokens, and maybe others, behind which a name may have to begin: those of blanks, and others.

        Those with the end of a name before the beginning of another one are among the others.
        """
        ...
