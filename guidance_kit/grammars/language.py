"""Language: the seam between a constraint and its front end."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from guidance_kit.errors import OptionError
from guidance_kit.fsm.network import Network

if TYPE_CHECKING:
    from guidance_kit.grammars.constraint import Constraint

__all__ = ["CaptureReader", "Language"]


class CaptureReader(Protocol):
    """Incremental reader of a text: it finds the captures of groups or rules."""

    def read(self, piece: str) -> None:
        """Read the next piece of the text.

        Raises:
            MatchError: no text of the constraint has this prefix.
        """
        ...

    def captures(self, *, is_whole: bool = False) -> dict[str, Any]:
        """Certain part of the captures; see `Constraint.partial_captures`.

        Args:
            is_whole: whether the text ends here.
        """
        ...


class Language(Protocol):
    """Texts of a constraint and their values; each front end is one implementation.

    Implementations are frozen values and derive from this class. They define `declare`, and override what differs from
    plain text: by default a text is its own value, which is not written, has no captures and cannot be restricted to
    excerpts.

    Attributes:
        has_values: whether texts have values; only then `to_value` and `to_partial_value` are called.
        has_captures: whether there are named groups or rules; only then `capture` and `make_capture_reader` are called.
    """

    has_values: bool = False
    has_captures: bool = False

    @abstractmethod
    def declare(self, network: Network) -> int:
        """Declare the rule of the texts in a network, which may have other rules; its invariants are in `fsm.network`.

        Returns:
            The number of the rule.
        Raises:
            UnsatisfiableError: there is no text.
        """
        ...

    def to_value(self, text: str) -> Any:
        """Value of a text.

        Raises:
            ValueError: the text has none, as a condition beyond the network fails.
        """
        return text

    def to_partial_value(self, text: str, is_whole: bool) -> Any:
        """Value of a prefix, as far as all texts with this prefix agree; see `Constraint.partial`.

        Args:
            text: the prefix.
            is_whole: whether the text ends here.
        """
        return text

    def to_text(self, value: Any) -> str:
        """Text of a value; see `Constraint.write`."""
        raise OptionError("values of this kind are not written")

    def capture(self, text: str, names: Iterable[str] | None) -> dict[str, Any]:
        """Captures in a whole text; see `Constraint.captures`."""
        reader = self.make_capture_reader(names)
        reader.read(text)
        return reader.captures(is_whole=True)

    def make_capture_reader(self, names: Iterable[str] | None) -> CaptureReader:
        """Reader of captures in a text that is still being written; see `Constraint.capture_reader`."""
        raise OptionError("there are no named groups or rules")

    def excerpt(self, text: str) -> Constraint | None:
        """The constraint with strings restricted to excerpts of a text; None if the language has no strings."""
        return None

    def report(self) -> Any:
        """Remarks on the source; see `Constraint.report`."""
        return None
