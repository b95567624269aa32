"""A shortest text of a network."""

from __future__ import annotations

import string

import numpy as np

from guidance_kit.fsm import bitmask
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.fsm.network import Network
from guidance_kit.fsm.token_index import TokenIndex
from guidance_kit.vocabulary import Vocabulary

__all__ = ["shortest_text"]

LONGEST = 30_000
"""Bytes; longer ones are not written out."""

_PLAIN = (string.ascii_letters + string.digits).encode()

_PREFERRED = np.array(sorted(range(256), key=lambda byte: (byte not in _PLAIN, _PLAIN.find(byte), byte)))
"""Bytes, those of letters and digits first."""


def shortest_text(network: Network, limits: Limits | None = None) -> str | None:
    """A text with the fewest bytes, of letters and digits where there is a choice.

    Returns:
        None if it has more than LONGEST bytes, or if nothing is known of their lengths: the network recalls texts, may
        need several names, or tells too many sets of values apart.
    """
    if network.depends_on_texts or network.needs_names or network.has_many_sets:
        return None
    matcher = Matcher(TokenIndex.build(network, Vocabulary.from_bytes(), limits=limits))
    count = matcher.min_tokens_to_complete()
    if count is None or count > LONGEST:
        return None
    matcher = matcher.within(count)
    text = bytearray()
    while len(text) < count:
        byte = int(_PREFERRED[bitmask.unpack(matcher.allowed(), 256)[_PREFERRED].argmax()])
        matcher.advance(byte)
        text.append(byte)
    return text.decode()
