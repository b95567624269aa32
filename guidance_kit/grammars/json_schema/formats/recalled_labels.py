"""Labels of host names that look back at the text: A-labels, and U-labels of critical length.

What a label in Punycode stands for is no matter of a finite automaton. So the automaton takes any letters, digits and
hyphens behind the prefix, and behind each of them a `recall` edge asks whether the label may end. It always can, since
a hyphen and Punycode of U+00DF make a label of all that has been written, up to MOST_PLAIN characters; longer ones end
so, or there. Labels beyond ASCII that are longer than those of the regular language go on character by character,
within the blocks of 128 that they have, as long as each beginning is a label.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement

from guidance_kit.errors import LimitError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.json_schema.formats.host_names import (
    LABEL,
    PLAIN_LABEL,
    LabelKind,
    most_characters,
    u_labels,
    write_names,
)
from guidance_kit.grammars.json_schema.formats.u_labels import (
    SEPARATORS,
    follows_bidi_rule,
    is_right_to_left,
    is_u_label,
    u_label_of,
)
from guidance_kit.grammars.json_schema.strings.last_value import string_so_far
from guidance_kit.grammars.regular.charset import CharSet
from guidance_kit.grammars.regular.encoding import Encoding
from guidance_kit.grammars.regular.expression import Expression, intersect, length, literal
from guidance_kit.grammars.regular.lower import add
from guidance_kit.grammars.regular.parse import parse

__all__ = ["MOST_PLAIN", "ending", "recalling_host_name_rule", "recalling_idn_host_name_rule"]

MOST_PLAIN = 51
"""Greatest number of characters after `xn--` before a label must end, or continue by `ending`."""

_LDH = CharSet.of([(0x2D, 0x2D), (0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)])
_BLOCK = 128


def recalling_host_name_rule(network: Network, encoding: Encoding) -> int:
    """The rule of the names of `hostname`, in JSON strings."""
    return _name_rule(network, encoding, ".", PLAIN_LABEL)


def recalling_idn_host_name_rule(network: Network, encoding: Encoding) -> int:
    """The rule of the names of `idn-hostname`, in JSON strings."""
    return _name_rule(network, encoding, SEPARATORS, LABEL)


def _name_rule(network: Network, encoding: Encoding, separators: str, ascii_label: str) -> int:
    def label_rule(kind: LabelKind, own: Expression) -> int:
        return _RecalledLabels(network, encoding, kind, separators).rule(own)

    def write() -> int:
        return write_names(network, encoding, separators, ascii_label, label_rule)

    return network.rule(write, nullable=False, name="host name")


class _RecalledLabels:
    """Writes the labels of one kind into one network.

    Args:
        network, encoding: where and how to write; characters are those of a JSON string.
        kind: of labels.
        separators: characters that end the label before.
    """

    def __init__(self, network: Network, encoding: Encoding, kind: LabelKind, separators: str) -> None:
        self._network = network
        self._encoding = encoding
        self._kind: LabelKind = kind
        self._separators = separators
        self._rules: dict[str, int] = {}
        self._end = network.rule(self._ended, nullable=True, name="end of a label")
        self._nothing = network.rule(network.state, nullable=False, name="no label")

    def rule(self, ascii_label: Expression) -> int:
        """The rule of all labels, some of ASCII among them."""
        return self._network.rule(lambda: self._build(ascii_label), nullable=False, name="label")

    def _build(self, ascii_label: Expression) -> int:
        network, encoding = self._network, self._encoding
        start, end, here = network.states(3)
        network.final(end)
        add(network, start, ascii_label, end, encoding)
        add(network, start, parse("[Xx][Nn]--"), here, encoding)
        for count in range(1, MOST_PLAIN + 1):
            following = network.state()
            encoding.add(network, here, _LDH, following)
            waiting = network.state()
            network.epsilon(following, waiting)
            network.recall(waiting, self._after_plain if count < MOST_PLAIN else self._after_most)
            here = following
        if self._separators != ".":
            for labels in u_labels(self._kind):
                add(network, start, labels, end, encoding)
                waiting = network.state()
                add(network, start, intersect(labels, length(labels.most, labels.most)), waiting, encoding)
                network.recall(waiting, self._after_characters)
        return start

    def _after_plain(self, text: bytes) -> int:
        """Further continuation after some characters behind `xn--`: the end, if they are a label."""
        return self._end if self._is_label(u_label_of(self._label(text))) else self._nothing

    def _after_most(self, text: bytes) -> int:
        """Continuation after MOST_PLAIN characters behind `xn--`: the end, if they are a label, or the shortest
        ending."""
        label = self._label(text)
        rule = self._rules.get(label)
        if rule is None:
            is_whole = self._is_label(u_label_of(label))

            def build() -> int:
                start, end = self._network.states(2)
                self._network.final(end)
                add(self._network, start, literal(ending(label, self._kind)), end, self._encoding)
                if is_whole:
                    self._network.final(start)
                return start

            rule = self._rules[label] = self._network.rule(build, nullable=is_whole, name="rest of a label")
        return rule

    def _after_characters(self, text: bytes) -> int:
        """Continuation after a U-label so long that its Punycode may exceed the limit."""
        label = self._label(text)
        if len(label) < most_characters(label):
            return self._nothing
        rule = self._rules.get(label)
        if rule is None:
            longer = self._longer(label)
            rule = self._network.rule(lambda: self._longer_labels(longer), nullable=False, name="rest of a label")
            rule = self._rules[label] = rule if longer else self._nothing
        return rule

    def _longer_labels(self, following: CharSet) -> int:
        network = self._network
        start, after, end, waiting = network.states(4)
        network.final(end)
        network.epsilon(after, end)
        network.epsilon(after, waiting)
        network.recall(waiting, self._after_characters)
        self._encoding.add(network, start, following, after)
        return start

    def _longer(self, label: str) -> CharSet:
        """Characters that extend a label to another label."""
        blocks = sorted({0, *(ord(character) // _BLOCK for character in label)})
        codes = (code for block in blocks for code in range(_BLOCK * block, _BLOCK * (block + 1)))
        return CharSet.of((code, code) for code in codes if self._is_label(label + chr(code)))

    def _is_label(self, text: str | None) -> bool:
        """Test whether a string is a U-label of this kind."""
        return text is not None and _is_label(text, self._kind)

    def _label(self, text: bytes) -> str:
        """Label at the end of a text."""
        written = string_so_far(text)
        return written[1 + max(map(written.rfind, self._separators)) :]

    def _ended(self) -> int:
        state = self._network.state()
        self._network.final(state)
        return state


def _is_label(text: str, kind: LabelKind) -> bool:
    return is_u_label(text) and (not is_right_to_left(text) if kind == "usual" else follows_bidi_rule(text))


@lru_cache(maxsize=1024)
def ending(label: str, kind: LabelKind) -> str:
    """Ending of an A-label of `xn--` and at most MOST_PLAIN letters, digits and hyphens: a hyphen and Punycode.

    Raises:
        LimitError: there is nothing short enough, which is not known to happen.
    """
    plain = label[len("xn--") :].lower()
    for count in (1, 2, 3):
        for places in combinations_with_replacement((len(plain), 0, 1, 2, 3), count):
            text = plain
            for place in sorted(places, reverse=True):
                text = f"{text[:place]}\xdf{text[place:]}"
            if _is_label(text, kind):
                return text.encode("punycode").decode()[len(plain) :]
    raise LimitError("max_label", MOST_PLAIN, where=label)
