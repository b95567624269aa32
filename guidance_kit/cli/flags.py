"""Messages of the library in the words of the command line: its flags in place of parameters of Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["flags_of", "in_flags"]

_ELSEWHERE = {"alternatives": "logprobs", "bias": "biases", "calibrate": "calibration", "number": "count"}
"""Parameters of commands that have another name in Python."""

_QUOTED = r"""(?<![\w])(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""


def flags_of(command: Any) -> dict[str, str]:
    """The flags of a command by the names that their values have in Python."""
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    flags = {option.name: max(option.opts, key=len) for option in options}
    return {**flags, **{_ELSEWHERE[name]: flag for name, flag in flags.items() if name in _ELSEWHERE}}


def in_flags(message: str, flags: Mapping[str, str]) -> str:
    """A message with flags in place of the parameters that it names.

    A parameter is told from a word of English by an underscore, by a value behind it, or as the subject of the
    message. What stands in quotes belongs to the user, and stays; so does an attribute of a rule of a grammar.

    >>> in_flags("raise max_tokens, or set complete=True", {"max_tokens": "--max-tokens", "complete": "--complete"})
    'raise --max-tokens, or set --complete'
    """
    names = "|".join(re.escape(name) for name in sorted(flags, key=len, reverse=True))
    if not names:
        return message
    pattern = re.compile(
        rf"(?<![\w.-])(?P<given>{names})=(?P<value>{_QUOTED}|[\w.+-]+)"
        rf"|{_QUOTED}|(?<![\w.-])(?P<name>{names})(?![\w=-]| of the rule )"
    )

    def flag(found: re.Match[str]) -> str:
        if given := found["given"]:
            value = found["value"].strip("'\"")
            return flags[given] if value == "True" else f"{flags[given]} {value}"
        name = found["name"]
        is_subject = name and message.startswith((f"{name} must ", f"{name} has ", f"{name} is ", f"{name} holds "))
        is_parameter = name and ("_" in name or (found.start() == 0 and is_subject))
        return flags[name] if is_parameter else found[0]

    return pattern.sub(flag, message)
