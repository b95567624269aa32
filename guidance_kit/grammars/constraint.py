"""A constraint: what a text must look like, as a value; compiled for a vocabulary when it is used."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from guidance_kit.errors import OptionError
from guidance_kit.fsm.forks import ForkSafeLock
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.choice import declare_choice
from guidance_kit.grammars.regex import declare_regex

if TYPE_CHECKING:
    from guidance_kit.fsm.token_index import TokenIndex
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["Constraint", "choice", "regex"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """What a text must look like. Make it with `regex`, `choice`, `grammar`, `json_schema`, `text`, `special_token`, or
    of other constraints with `sequence`, `choice`, `optional`, `repeat` and `tags`.

    Two constraints of the same kind, source and options are equal and share what was compiled for them.

    Args:
        kind: which front end reads `source`; it is named as the function that made the constraint.
        source: what was given: the pattern, the choices, the grammar, the schema as JSON, the parts.
        options: options of the front end, as (name, value).
        declare: declares the rule of the texts in a network, and returns its number.
        parse: turns a text of the constraint into the value that it stands for; None if that is the text itself.
        parse_beginning: turns a beginning of a text into what it has of the value; None if that is the text itself.
        report: what the front end has to say about the source; for a JSON Schema its `Report`.
        made: networks of the texts that nobody has asked for yet.
    """

    kind: str
    source: str | tuple[Any, ...]
    options: tuple[tuple[str, Any], ...] = ()
    declare: Callable[[Network], int] = field(compare=False, repr=False)
    parse: Callable[[str], Any] | None = field(default=None, compare=False, repr=False)
    parse_beginning: Callable[[str], Any] | None = field(default=None, compare=False, repr=False)
    report: Any = field(default=None, compare=False, repr=False)
    made: list[Network] = field(default_factory=list[Network], compare=False, repr=False)

    def checked(self) -> Constraint:
        """This constraint, after its network was written, which says what is wrong before a model is there."""
        self.made.append(self._written())
        return self

    def network(self) -> Network:
        """A fresh network of the texts; it grows while it is used, so each automaton gets its own."""
        try:
            return self.made.pop()
        except IndexError:
            return self._written()

    def _written(self) -> Network:
        network = Network()
        network.root = self.declare(network)
        return network

    def compile(self, vocabulary: Vocabulary, *, limits: Limits | None = None) -> TokenIndex:
        """The index of the tokens that can follow in each situation; those used last are kept, as memory allows.

        Args:
            vocabulary: the tokens.
            limits: bounds on time and memory; the defaults of `Limits` if None.
        Raises:
            UnspellableError: if the vocabulary cannot spell any text of the constraint.
            VocabularyError: if it does not have a special token that the constraint names.
            LimitError: if a limit is reached.
        """
        from guidance_kit.fsm.token_index import TokenIndex  # brings numba, which a constraint alone does not need

        key = self, vocabulary.fingerprint, limits
        with _LOCK:
            index = _COMPILED.get(key)
            if index is not None and index.automaton.network.has_recalls and index.automaton.size > _MOST_BYTES:
                del _COMPILED[key]
                index = None
            if index is not None:
                _COMPILED.move_to_end(key)
                return index
        index = TokenIndex.build(self.network(), vocabulary, limits=limits)
        with _LOCK:
            index = _COMPILED.setdefault(key, index)
            size = sum(other.automaton.size for other in _COMPILED.values())
            while len(_COMPILED) > 1 and (len(_COMPILED) > _MOST_COMPILED or size > _MOST_BYTES):
                size -= _COMPILED.popitem(last=False)[1].automaton.size
        return index

    def partial(self, text: str) -> Any:
        """What a text that is still being written stands for, as far as that is certain.

        Of JSON: the value, with strings under way as far as they are written, and without what else is not whole: a
        key without its value, a number that may have more digits, half of an escape. So every beginning of the text
        gives a beginning of its value, which has no conditions of a Python type yet and is no instance of it. Of other
        constraints: the text itself.

        Args:
            text: a beginning of a text of the constraint.
        Returns:
            None where there is nothing of a JSON value yet.
        Raises:
            ValueError: it is no beginning of a JSON text, or nested more than 200 deep.
        """
        return text if self.parse_beginning is None else self.parse_beginning(text)

    def captures(self, text: str) -> dict[str, str | None]:
        """What the named groups of a `regex`, `(?P<name>...)`, match in a whole text, as `re.fullmatch` has them.

        Returns:
            A text for each name; None for a group that took no part.
        Raises:
            MatchError: the text does not match.
            OptionError: the constraint is not a `regex`.

        >>> regex(r"(?P<hour>[0-9]+):(?P<minute>[0-9]+)").captures("12:30")
        {'hour': '12', 'minute': '30'}
        """
        if self.kind != "regex":
            raise OptionError(f"only regex() has named groups, and this is {self.kind}()")
        from guidance_kit.grammars.regular.captures import captures

        return captures(str(self.source), dict(self.options).get("flags", 0), text)

    def sample(self, count: int = 1, *, seed: int | None = None, max_length: int | None = None) -> list[str]:
        """Texts of the constraint, drawn without a model: readable and varied, but from no particular distribution.

        Args:
            count: how many different texts are wanted, at least 1.
            seed: the same one draws the same texts; None draws others each time.
            max_length: the greatest number of bytes in UTF-8, at least 0; None: as many as it takes, which are few.
        Returns:
            As many, or fewer if no others came up; of a Python type those that pass its own conditions too.
        Raises:
            OptionError: a value out of range; the shortest text is longer than `max_length`.
            LimitError: if a limit is reached.

        >>> regex("(yes|no)!").sample(2, seed=0)
        ['no!', 'yes!']
        """
        from guidance_kit.grammars.specimens import specimens

        for name, value, least in (("count", count, 1), ("max_length", max_length, 0), ("seed", seed, 0)):
            if value is not None and (not isinstance(value, int) or value < least):
                raise OptionError(f"{name} must be an integer, at least {least}, not {value!r}")
        return specimens(self, count, seed=seed, max_length=max_length)


_COMPILED: OrderedDict[tuple[Constraint, str, Limits | None], TokenIndex] = OrderedDict()
_LOCK = ForkSafeLock()

_MOST_COMPILED, _MOST_BYTES = 64, 96 * 2**20
"""Constraints that are kept compiled, and bytes of their automata, besides the masks. An automaton grows while it is
used: what it has come to is looked at when the next constraint is compiled. One that recalls texts grows with each of
them; if it alone has come to so much, it is begun anew."""


def regex(pattern: str | re.Pattern[str], flags: int = 0) -> Constraint:
    r"""Texts that a regular expression matches as a whole, in the syntax of Python's `re`.

    In addition there are `\p{...}` and `\P{...}` with the properties of the `regex` package, and lookbehinds of any
    width.

    Args:
        pattern: the expression, or one that `re.compile` made, which brings its flags.
        flags: of `re`: IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII.
    Raises:
        PatternError: the pattern is malformed.
        UnsupportedFeature: it does not describe a regular language (backreferences and the like).
        UnsatisfiableError: no text matches it.
        LimitError: it is too long, too deep or too involved.

    >>> regex(r"\d{3}-\d{4}")
    Constraint(kind='regex', source='\\d{3}-\\d{4}', options=())
    """
    if isinstance(pattern, re.Pattern):
        flags |= pattern.flags
        pattern = pattern.pattern
    flags = int(flags & ~re.UNICODE)  # the default
    return Constraint(
        kind="regex",
        source=pattern,
        options=(("flags", flags),) if flags else (),
        declare=lambda network: declare_regex(network, pattern, flags),
    ).checked()


def choice(parts: Iterable[str | Constraint]) -> Constraint:
    """One of the given texts, of which there may be very many, or a text of one of the given constraints.

    Where constraints are among them, `parse` returns the value of the first one to which a text belongs.

    Raises:
        UnsatisfiableError: if there are no parts.
        OptionError: if one of them is neither a str nor a constraint.

    >>> choice(["yes", "no"])
    Constraint(kind='choice', source=('yes', 'no'), options=())
    """
    source = parts if isinstance(parts, str) else tuple(dict.fromkeys(parts))
    if any(isinstance(part, Constraint) for part in source):
        from guidance_kit.grammars.composition import either  # which is made of constraints

        return either(source)
    texts = cast("tuple[str, ...]", source)
    return Constraint(kind="choice", source=source, declare=lambda network: declare_choice(network, texts)).checked()
