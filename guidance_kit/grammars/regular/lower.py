"""From expressions to network states."""

from __future__ import annotations

from guidance_kit.errors import UnsatisfiableError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.regular.derived_rules import declare_derived
from guidance_kit.grammars.regular.encoding import UTF8, Encoding
from guidance_kit.grammars.regular.expression import NOTHING, Expression
from guidance_kit.grammars.regular.plain_rules import add_plain, declare_plain

__all__ = ["add", "declare"]


def declare(network: Network, expression: Expression, encoding: Encoding = UTF8, *, name: str = "") -> int:
    """Declare a rule with the texts of an expression; it is built on first use.

    Returns:
        The number of the rule.
    Raises:
        UnsatisfiableError: if there is no such text.
        LimitError: if it takes too long to find out.
    """
    if expression is NOTHING:
        raise UnsatisfiableError("no text matches", where=name)
    if expression.is_plain:
        return declare_plain(network, expression, encoding, name=name)
    return declare_derived(network, expression, encoding, name=name)


def add(network: Network, source: int, expression: Expression, target: int, encoding: Encoding = UTF8) -> None:
    """Add paths from `source` to `target` that read a text of an expression. See `declare` for what is raised."""
    if expression.is_plain and expression is not NOTHING:
        add_plain(network, source, expression, target, encoding)
    else:
        network.call(source, declare(network, expression, encoding), target)
