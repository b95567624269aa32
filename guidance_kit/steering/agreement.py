"""Agreement of the vocabularies of a formula's models. Their logits can be added only if each id is the same token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from guidance_kit.errors import VocabularyError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["joint_vocabulary"]

_SHOWN = 3


def joint_vocabulary(named: Sequence[tuple[str, Vocabulary]]) -> Vocabulary:
    """Joint vocabulary of a formula's models.

    Tokens with text must be the same in all of them. Rows beyond the shortest vocabulary are padding in it; they must
    be padding in the others too, and no formula ever generates them. A special token of one model is a special token
    of the formula, so a text ends where any of the models ends it.

    Args:
        named: names and vocabularies of the models, the base first.
    Returns:
        A vocabulary with the tokens and rows of the base; that of the base itself if there is nothing to add.
    Raises:
        VocabularyError: two vocabularies differ (the message shows the first tokens that do), or every end-of-sequence
            token of the base is padding in another model.
    """
    base_name, base = named[0]
    special, eos = set(base.special), list(base.eos)
    width = min(vocabulary.rows for _, vocabulary in named)
    for name, other in named[1:]:
        if other == base:
            continue
        differences = list(islice(_differences(base, other), _SHOWN + 1))
        if differences:
            shown = [f"{token} is {_shown(one)} and {_shown(two)}" for token, one, two in differences[:_SHOWN]]
            more = ", and others" if len(differences) > _SHOWN else ""
            raise VocabularyError(
                f"the tokens of {base_name} and {name} differ: token {'; '.join(shown)}{more}. Only models with one "
                "tokenizer can be combined"
            )
        special |= {token for token in other.special if token < width}
        eos += [token for token in other.eos if token < width]
    if eos and min(eos) >= width:
        raise VocabularyError(
            f"no text of {base_name} could end: its end-of-sequence tokens {eos} lie beyond the {width} rows that all "
            "models of the formula have"
        )
    if special == base.special and len(set(eos)) == len(base.eos):
        return base
    return replace(base, special=frozenset(special), eos=tuple(eos))


def _differences(first: Vocabulary, second: Vocabulary) -> Iterator[tuple[int, bytes, bytes]]:
    """Ids whose bytes differ, with the bytes in the first and in the second vocabulary."""
    if first.token_bytes == second.token_bytes:
        return
    for token in range(max(len(first), len(second))):
        one = first.token_bytes[token] if token < len(first) else b""
        other = second.token_bytes[token] if token < len(second) else b""
        if one != other:
            yield token, one, other


def _shown(text: bytes) -> str:
    return repr(text) if text else "no text"
