"""`special_token`: the constraint of one special token of a model's vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

from guidance_kit.errors import OptionError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.regular.charset import is_spellable

__all__ = ["special_token"]


def special_token(name: str, *, or_text: bool = False) -> Constraint:
    """One special token of the model's vocabulary, like `<|python_tag|>`, which no text spells.

    The text of a completion shows the token by its name, where `parse` looks for it. An end-of-sequence token ends
    the text, unless the constraint names it there.

    Args:
        name: name of the token in the vocabulary.
        or_text: whether its name as text will do for a vocabulary without such a special token, as for `<tool_call>`,
            which is a token of text in some.
    Raises:
        OptionError: the name is empty or no str.
        VocabularyError: on use with a vocabulary without such a special token, unless `or_text` is set.

    >>> special_token("<|eot_id|>")
    Constraint(kind='special_token', source='<|eot_id|>', options=())
    """
    if not isinstance(name, str) or not name or not is_spellable(name):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"a special token has a name, which {name!r} is not")
    return Constraint(
        kind="special_token",
        source=name,
        options=(("or_text", True),) if or_text else (),
        language=_SpecialToken(name, or_text),
        origin=(special_token, (name,), {"or_text": or_text}),
    )


@dataclass(frozen=True, slots=True)
class _SpecialToken(Language):
    """A special token, spelled as its name."""

    name: str
    or_text: bool

    def declare(self, network: Network) -> int:
        return network.special(self.name, or_text=self.or_text)
