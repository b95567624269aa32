"""A constraint: what a text must look like, as a value; compiled for a vocabulary when it is used."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pickle import PicklingError
from typing import TYPE_CHECKING, Any, Protocol, cast

from guidance_kit.errors import ConstraintError, LimitError, OptionError
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.choice import declare_words, spelled
from guidance_kit.grammars.given import as_items, as_number, as_text
from guidance_kit.grammars.recent import Recent
from guidance_kit.grammars.regex import declare_regex
from guidance_kit.grammars.regular.shorthands import PatternReport

if TYPE_CHECKING:
    from guidance_kit.fsm.token_index import TokenIndex
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["CaptureReader", "Constraint", "choice", "regex"]


class CaptureReader(Protocol):
    """Reads a text while it is written, and says what groups or rules have matched in it."""

    def read(self, piece: str) -> None:
        """Read on.

        Raises:
            MatchError: no text of the constraint begins so.
        """
        ...

    def captures(self, *, is_whole: bool = False) -> dict[str, Any]:
        """Certain part of the captures; see `Constraint.partial_captures`.

        Args:
            is_whole: whether the text ends here.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A set of allowed texts. Make it with `regex`, `choice`, `grammar`, `json_schema`, `text`, `special_token`, or
    of other constraints with `sequence`, `choice`, `optional`, `repeat` and `tags`.

    Two constraints of the same kind, source and options are equal and share what was compiled for them.

    Args:
        kind: which front end reads `source`; it is named as the function that made the constraint.
        source: what was given: the pattern, the choices, the grammar, the schema as JSON, the parts.
        options: options of the front end, as (name, value).
        declare: declares the rule of the texts in a network, and returns its number.
        to_value: makes of a text of the constraint the value that it stands for; None if that is the text itself.
        to_partial_value: makes of a prefix of a text what it has of the value, given whether it is the whole text;
            None if that is the text itself.
        capture: finds what groups or rules of some names (None: all) match in a text; None if there are no names.
        make_capture_reader: the same for a text that is being written; None if there are no names.
        excerpt: makes of it the constraint whose strings are excerpts of a text; None if it has no strings.
        report: remarks of the front end on the source: `Report` of a JSON Schema, `GrammarReport` of a grammar,
            `PatternReport` of a regex; None of others.
        origin: the function that made it, with its arguments, by which it is pickled.
        depth: how many constraints stand within each other.
    Raises:
        LimitError: more than `MAX_NESTING` constraints stand within each other.
    """

    kind: str
    source: str | tuple[Any, ...]
    options: tuple[tuple[str, Any], ...] = ()
    declare: Callable[[Network], int] = field(compare=False, repr=False)
    to_value: Callable[[str], Any] | None = field(default=None, compare=False, repr=False)
    to_partial_value: Callable[[str, bool], Any] | None = field(default=None, compare=False, repr=False)
    capture: Callable[[str, Iterable[str] | None], dict[str, Any]] | None = field(
        default=None, compare=False, repr=False
    )
    make_capture_reader: Callable[[Iterable[str] | None], CaptureReader] | None = field(
        default=None, compare=False, repr=False
    )
    excerpt: Callable[[str], Constraint] | None = field(default=None, compare=False, repr=False)
    report: Any = field(default=None, compare=False, repr=False)
    origin: Origin | None = field(default=None, compare=False, repr=False)
    depth: int = field(default=1, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        depth = 1 + _depth((self.source, self.options))
        if depth > MAX_NESTING:
            raise LimitError("max_nesting", MAX_NESTING, where=f"{self.kind}(...), {depth} constraints deep")
        object.__setattr__(self, "depth", depth)

    def __copy__(self) -> Constraint:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Constraint:
        return self

    def __reduce__(self) -> tuple[Callable[..., Constraint], tuple[Any, ...]]:
        """Pickle what it was made of; it is made again where it is read, and compiled again.

        Types and functions are found by their names, so they must be importable there.
        """
        if self.origin is None:
            raise PicklingError(f"a constraint that {self.kind}() did not make cannot be pickled")
        return _made_again, (self.origin, self.kind, self.source, self.options)

    def _repr_svg_(self) -> str | None:
        """Picture of the automaton, for notebooks; None where there is none, and they show the text."""
        from guidance_kit.reports.drawing import constraint_svg  # which is rarely needed

        try:
            return constraint_svg(self)
        except (OptionError, ConstraintError):  # without Graphviz, over bytes alone, or within the limits
            return None

    def checked(self) -> Constraint:
        """This constraint, after its network was declared, which says what is wrong before a model is there."""
        self.network()
        return self

    def network(self) -> Network:
        """A fresh network of the texts; it grows while it is used, so each automaton gets its own.

        Raises:
            LimitError: it is nested too deep for Python's stack.
        """
        network = Network()
        try:
            network.root = self.declare(network)
        except RecursionError:
            where = f"{self.kind}(...), {self.depth} constraints deep"
            raise LimitError("max_nesting", MAX_NESTING, where=where) from None
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

        return _COMPILED.get(
            (self, vocabulary.fingerprint, limits),
            lambda: TokenIndex.build(self.network(), vocabulary, limits=limits),
        )

    def parse(self, text: str) -> Any:
        """The value that a text stands for: of JSON the value, of a Python type a validated instance, of compositions
        the values of their parts; of other constraints the text itself.

        Args:
            text: a whole text of the constraint; special tokens stand in it by their names.
        Raises:
            MatchError: the text does not match the constraint, with the first position that does not and what could
                follow there; or it matches and has no value, as its Python type refuses it, or it is nested too deep
                for Python. `__cause__` is the error of the type or parser.
            UnsupportedFeature: the constraint has tokens by their numbers, of which a text says nothing.
            Exception: what else validators of the type raise.

        >>> from guidance_kit import json_schema
        >>> json_schema({"type": "array"}).parse("[1, [2]]")
        [1, [2]]
        """
        from guidance_kit.grammars.membership import (
            require_match,  # brings numba, which a constraint alone does not need
        )

        require_match(self, text)
        return self.evaluate(text)

    @property
    def has_values(self) -> bool:
        """True if texts stand for something else than themselves."""
        return self.to_value is not None

    def evaluate(self, text: str) -> Any:
        """The same for a text that is known to match, as one that was generated under the constraint.

        Raises:
            MatchError: the text has no value.
        """
        from guidance_kit.grammars.values import read_value

        to_value = self.to_value
        return text if to_value is None else read_value(self.kind, text, lambda: to_value(text))

    def partial(self, text: str, *, is_whole: bool = False) -> Any:
        """Certain part of the value of a text that is still being written.

        Of JSON: the value, with strings under way as far as they are written, and without what else is not whole: a
        key without its value, a number that may have more digits, half of an escape. So every beginning of the text
        gives a beginning of its value, which has no conditions of a Python type yet and is no instance of it.

        Of sequences, repetitions and tags: the values of the parts so far, the last one under way; nothing of a part of
        which it is not certain yet where it begins, or that it comes at all. A text under way that a trigger or an end
        tag ends is there without what may become that. Of choices: what all parts of which there is a text that begins
        so have in common. Of other constraints: the text itself.

        Args:
            text: a beginning of a text of the constraint.
            is_whole: whether the text ends here; then it is the value that `parse` gives, as plain JSON.
        Returns:
            None where there is nothing of a JSON value yet.
        Raises:
            MatchError: no text of the constraint begins so, with the first position that does not match; or it is
                nested more than 200 deep.
            UnsupportedFeature: the constraint has tokens by their numbers, of which a text says nothing.

        >>> from guidance_kit import json_schema, sequence
        >>> sequence("n = ", json_schema({"type": "array"}), ";").partial("n = [1, 2")
        ('n = ', [1])
        """
        from guidance_kit.grammars.membership import require_match, require_prefix

        (require_match if is_whole else require_prefix)(self, text)
        return self.evaluate_prefix(text, is_whole=is_whole)

    def evaluate_prefix(self, text: str, *, is_whole: bool = False) -> Any:
        """The same for a text that is known to match so far.

        Raises:
            MatchError: it is nested more than 200 deep.
        """
        from guidance_kit.grammars.values import read_value

        to_value = self.to_partial_value
        return text if to_value is None else read_value(self.kind, text, lambda: to_value(text, is_whole))

    def captures(self, text: str, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Captures of the named groups of a `regex`, or of the rules of a `grammar`, in a whole text.

        A rule may match many pieces of a text, and has a tuple of all that are not empty, in the order in which they
        begin, outer ones first; what is ignored around them is not in them. Of the ways in which lark reads a text all
        must agree on that; with `lexer="longest"` there is only one.

        Args:
            text: a whole text of the constraint.
            names: of groups; of rules or terminals. None: of all groups, or all rules.
        Returns:
            For each name: of a group, `(?P<name>...)`, the text that `re.fullmatch` has for it, None if it took no
            part; of a rule the tuple.
        Raises:
            MatchError: the text does not match, with the first position that does not.
            OptionError: no group or rule has such a name; the constraint is neither a `regex` nor a `grammar` in Lark's
                notation, without `rules`.
            UnsupportedFeature: a text of a grammar can be read in several ways that differ in what is asked for.

        >>> regex(r"(?P<hour>[0-9]+):(?P<minute>[0-9]+)").captures("12:30")
        {'hour': '12', 'minute': '30'}
        >>> from guidance_kit import grammar
        >>> grammar('start: "x" start | "y"').captures("xxy")
        {'start': ('xxy', 'xy', 'y')}
        """
        if self.capture is None:
            raise self._without_captures()
        from guidance_kit.grammars.membership import require_match

        require_match(self, text)
        return self.capture(text, None if names is None else list(names))

    def partial_captures(self, text: str, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Certain part of the captures of a text that is still being written, whatever comes.

        A group has the text that it surely begins with, if it is certain where it begins; a group in a repetition may
        begin anew, so it is there when that is over. A rule has the texts that it surely matches, or that what it
        matches surely begins with: that which is under way as far as its terminals are written. So for each name what
        is said later continues what is said now. A rule may turn out to stand around what it has matched already; then
        the longer text comes before the other one.

        A grammar may read a text in several ways: what is said holds in all of them.

        Args:
            text: a beginning of a text of the constraint.
            names: as in `captures`.
        Returns:
            For each name: of a group the text, None if it is not certain yet where, or whether, it begins; of a rule
            the tuple of texts, in the order in which they begin, outer ones first.
        Raises:
            MatchError: no text of the constraint begins so.
            OptionError: as `captures` does.
            UnsupportedFeature: conditions of a pattern in which there are conditions, atomic groups, possessive
                quantifiers.
            LimitError: more than 5,000 situations of a pattern would have to be looked at to see what is certain.

        >>> regex(r"(?P<hour>[0-9]+):(?P<minute>[0-9]+)").partial_captures("12:3")
        {'hour': '12', 'minute': '3'}
        >>> regex(r"(?P<hour>[0-9]+):(?P<minute>[0-9]+)").partial_captures("12")
        {'hour': '12', 'minute': None}
        """
        reader = self.capture_reader(names)
        reader.read(text)
        return reader.captures()

    def capture_reader(self, names: Iterable[str] | None = None) -> CaptureReader:
        """Incremental reader of `partial_captures`: it reads a text piece by piece, and nothing twice.

        Raises:
            OptionError: as `captures` does.
            UnsupportedFeature: as `partial_captures` does.
        """
        if self.make_capture_reader is None:
            raise self._without_captures()
        return self.make_capture_reader(names)

    def _without_captures(self) -> OptionError:
        return OptionError(f"captures are those of regex(), or of grammar() in Lark's notation, not {self.kind}()")

    def excerpts_of(self, text: str) -> Constraint:
        """The same, where strings about which a JSON Schema says no more are excerpts of a text; see `json_schema`.

        Raises:
            OptionError: this is no `json_schema`.
            UnsatisfiableError: the schema needs longer excerpts than the text has.
        """
        if self.excerpt is None:
            raise OptionError(f"strings that are excerpts of a text are those of json_schema(), not of {self.kind}()")
        return self.excerpt(text)

    def sample(self, count: int = 1, *, seed: int | None = None, max_length: int | None = None) -> list[str]:
        """Texts of the constraint, drawn without a model: readable and varied, but from no particular distribution.

        Special tokens stand in them by their names.

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


Origin = tuple[Callable[..., Constraint], tuple[Any, ...], dict[str, Any]]
"""A function, its arguments by place and by name."""

MAX_NESTING = 100
"""Constraints within constraints that can be compared, compiled and pickled without exhausting Python's stack."""


def _made_again(origin: Origin, kind: str, source: Any, options: tuple[tuple[str, Any], ...]) -> Constraint:
    """The constraint that was pickled.

    Raises:
        ConstraintError: what it was made of has changed: a type, an imported grammar, or a schema after it was read.
    """
    function, arguments, named = origin
    made = function(*arguments, **named)
    if (made.kind, made.source, made.options) != (kind, source, options):
        raise ConstraintError(f"what {kind}() was given has changed since this constraint was made; make it again")
    return made


def _depth(value: object) -> int:
    """The greatest depth of constraints among nested values."""
    if isinstance(value, tuple):
        others = (part for part in cast("tuple[Any, ...]", value) if type(part) is not str)
        return max(map(_depth, others), default=0)
    found = getattr(value, "depth", 0)
    return found if isinstance(found, int) else 0


_MOST_BYTES = 96 * 2**20


def _is_spent(index: TokenIndex) -> bool:
    """Test whether what was compiled has grown too much by itself: what recalls texts grows with each of them."""
    return index.automaton.network.has_recalls and index.automaton.size > _MOST_BYTES


_COMPILED: Recent[tuple[Constraint, str, Limits | None], TokenIndex] = Recent(
    64, _MOST_BYTES, lambda index: index.automaton.size, _is_spent
)
"""Compiled indexes of constraints; the bytes are those of automata, besides the masks."""


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
        OptionError: the pattern is no str, or the flags are none of `re`.

    >>> regex(r"\d{3}-\d{4}")
    Constraint(kind='regex', source='\\d{3}-\\d{4}', options=())
    """
    if isinstance(pattern, re.Pattern):
        flags |= pattern.flags
        pattern = pattern.pattern
    as_text(pattern, "a pattern")
    flags = int(as_number(flags, "flags") & ~re.UNICODE)  # the default
    return Constraint(
        kind="regex",
        source=pattern,
        options=(("flags", flags),) if flags else (),
        declare=lambda network: declare_regex(network, pattern, flags),
        capture=lambda text, names: _captures(pattern, flags, text, names),
        make_capture_reader=lambda names: _capture_reader(pattern, flags, names),
        report=PatternReport(pattern, flags),
        origin=(regex, (pattern, flags), {}),
    ).checked()


def _captures(pattern: str, flags: int, text: str, names: Iterable[str] | None) -> dict[str, str | None]:
    from guidance_kit.grammars.regular.captures import captures

    found = captures(pattern, flags, text)
    names = found if names is None else list(names)
    for name in names:
        if name not in found:
            raise OptionError.unknown(name, found, "group")
    return {name: found[name] for name in names}


def _capture_reader(pattern: str, flags: int, names: Iterable[str] | None) -> CaptureReader:
    from guidance_kit.grammars.regex_captures import GroupReader

    return GroupReader(pattern, flags, names)


def choice(parts: Iterable[str | Constraint]) -> Constraint:
    """One of the given texts, of which there may be very many, or a text of one of the given constraints.

    Where constraints are among them, `parse` returns the value of the first one to which a text belongs.

    Raises:
        UnsatisfiableError: if there are no parts.
        OptionError: if there are not several parts, or one of them is neither a str nor a constraint.

    >>> choice(["yes", "no"])
    Constraint(kind='choice', source=('yes', 'no'), options=())
    """
    given = parts if isinstance(parts, str) else as_items(parts, "choice()", "texts or constraints")
    if any(isinstance(part, Constraint) for part in given):
        from guidance_kit.grammars.composition import either  # which is made of constraints

        return either(given)
    words = spelled(given)
    source = tuple(dict.fromkeys(given))
    return Constraint(
        kind="choice",
        source=source,
        declare=lambda network: declare_words(network, words),
        origin=(choice, (source,), {}),
    )
