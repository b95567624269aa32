"""Names that may not come twice, as the keys of an object: what a network has to be told by who knows its texts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from guidance_kit.fsm.token_trie import TokenTrie

__all__ = ["KeyTracker", "Written"]

Written = Any
"""Names of a text as a tracker keeps them; None where none has ended at a `fresh` edge yet."""


class KeyTracker(Protocol):
    """Names that a text has. An *old* name is one with which the name that is being read may not agree.

    `text` is the whole text up to somewhere, or gives it: it is not asked for where it does not matter.
    """

    def enter(self, written: Written, text: bytes) -> Written | None:
        """Names after a text that ends with one; None if that name is not new.

        Args:
            written: what was known before the name.
        """
        ...

    def is_open(self, written: Written, text: bytes) -> bool:
        """Test whether a text that ends within a name may go on so that the name becomes an old one."""
        ...

    def suspects(
        self, written: Written, text: Callable[[], bytes], trie: TokenTrie, *, is_inside: bool
    ) -> tuple[frozenset[int], Collection[int]]:
        """All tokens, and maybe others, within which a name ends that is not new.

        Args:
            is_inside: whether the text may end within a name.
        Returns:
            Those with which that name becomes an old one; and those in which another one ends.
        """
        ...

    def may_run_out(self) -> bool:
        """Test whether a text that ends within a name may have no way on to a new one, where it may use all
        characters."""
        ...

    def openings(self, written: Written, text: Callable[[], bytes], trie: TokenTrie, *, is_inside: bool) -> set[int]:
        """All tokens, and maybe others, after which the text `is_open`."""
        ...
