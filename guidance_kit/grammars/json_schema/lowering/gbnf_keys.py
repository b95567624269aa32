"""Keys of an object that are none of its declared names, as rules in GBNF."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from guidance_kit.grammars.json_schema.lowering.gbnf_notation import char_class, quoted
from guidance_kit.grammars.regular.charset import ALL, CharSet

__all__ = ["other_keys"]

_CONTROLS = CharSet.of([(0x00, 0x1F)])
_RAW = ALL - _CONTROLS - CharSet.characters('"\\')
"""Characters that stand in a JSON string as they are."""

_ESCAPES = dict(zip('"\\/\b\f\n\r\t', '"\\/bfnrt', strict=True))
"""Characters with an escape of one letter, and the letter."""


def other_keys(names: Iterable[str], rule: Callable[[str, str], str]) -> str:
    """Name of the rule of all JSON strings but some: a trie of these, left at the first other character.

    A character of a name is spelled as `json.dumps` spells it. All others may be escaped as in `char`.

    Args:
        names: the strings that are left out.
        rule: gives the name of the rule with a body, from the body and a hint.
    """
    whole = set(names)
    prefixes = {name[:end] for name in whole for end in range(len(name) + 1)}
    children: dict[str, set[str]] = {prefix: set() for prefix in prefixes}
    for prefix in prefixes - {""}:
        children[prefix[:-1]].add(prefix[-1])
    found: dict[str, str] = {}
    for prefix in sorted(prefixes, key=lambda prefix: (-len(prefix), prefix)):
        ways = [
            f"{quoted(json.dumps(one, ensure_ascii=False)[1:-1])} {found[prefix + one]}"
            for one in sorted(children[prefix])
        ]
        ways += [f"{way} ending" for way in _others(children[prefix])]
        found[prefix] = rule(" | ".join(ways if prefix in whole else [*ways, quoted('"')]), "key")
    return rule(f"{quoted(chr(34))} {found['']}", "key")


def _others(taken: set[str]) -> list[str]:
    """Spellings of one character that is not taken."""
    characters = CharSet.characters(taken)
    raw = char_class(_RAW - characters)
    if not (characters & _CONTROLS or taken & _ESCAPES.keys()):
        return [raw, "escaped"]
    letters = "".join(letter for one, letter in _ESCAPES.items() if one not in taken)
    ways = [raw, f"{quoted(chr(92))} {char_class(CharSet.characters(letters))}"]
    for digit in "01":
        left = [last for last in range(16) if 16 * int(digit) + last not in characters]
        signs = "".join(f"{last:x}{last:X}" for last in left)
        ways.append(f"{quoted(chr(92) + 'u00' + digit)} {char_class(CharSet.characters(signs))}")
    return ways
