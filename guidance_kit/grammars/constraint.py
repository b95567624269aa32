"""Constraint: a set of allowed texts as a value, compiled for a vocabulary on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pickle import PicklingError
from typing import TYPE_CHECKING, Any, cast

from guidance_kit.errors import ConstraintError, LimitError, OptionError
from guidance_kit.fsm.caches import BoundedCache, caches
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.language import CaptureReader, Language

if TYPE_CHECKING:
    from guidance_kit.fsm.token_index import TokenIndex
    from guidance_kit.vocabulary import Vocabulary

__all__ = ["Constraint", "Origin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A set of allowed texts. Make it with `regex`, `choice`, `grammar`, `json_schema`, `text`, `special_token`, or
    of other constraints with `sequence`, `choice`, `optional`, `repeat` and `tags`.

    Two constraints of the same kind, source and options are equal and share compiled automata.

    Args:
        kind: name of the front end, and of the function that makes its constraints.
        source: argument of that function: the pattern, the choices, the grammar, the schema as JSON, the parts.
        options: options of the front end, as (name, value).
        language: the texts and their values, as the front end implements them.
        origin: function and arguments by which the constraint is pickled; None: it cannot be pickled.
        declared: networks of the texts that no automaton has yet; shared with copies that differ in values alone.
    Attributes:
        depth: number of constraints within each other.
    Raises:
        LimitError: more than `MAX_NESTING` constraints within each other.
    """

    kind: str
    source: str | tuple[Any, ...]
    options: tuple[tuple[str, Any], ...] = ()
    language: Language = field(compare=False, repr=False)
    origin: Origin | None = field(default=None, compare=False, repr=False)
    declared: list[Network] = field(default_factory=list, compare=False, repr=False)
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
        """Pickle by the function and its arguments; unpickling calls it again.

        Types and functions are pickled by their names, so they must be importable.
        """
        if self.origin is None:
            raise PicklingError(f"a constraint that {self.kind}() did not make cannot be pickled")
        return _unpickled, (self.origin, self.kind, self.source, self.options)

    def _repr_svg_(self) -> str | None:
        """Drawing of the automaton, for notebooks; None where there is none, and they show the text."""
        from guidance_kit.reports.drawing import constraint_svg  # which is rarely needed

        try:
            return constraint_svg(self)
        except (OptionError, ConstraintError):  # without Graphviz, over bytes alone, or within the limits
            return None

    def checked(self) -> Constraint:
        """This constraint, with its network declared, so that errors come before any model is loaded."""
        self.declared.append(self._declare())
        return self

    def network(self) -> Network:
        """A network of the texts for one automaton, which grows it: the declared one if no other automaton has it.

        Raises:
            LimitError: it is nested too deep for Python's stack.
        """
        try:
            return self.declared.pop()
        except IndexError:
            return self._declare()

    def _declare(self) -> Network:
        network = Network()
        try:
            network.root = self.language.declare(network)
        except RecursionError:
            where = f"{self.kind}(...), {self.depth} constraints deep"
            raise LimitError("max_nesting", MAX_NESTING, where=where) from None
        return network

    def compile(self, vocabulary: Vocabulary, *, limits: Limits | None = None) -> TokenIndex:
        """Compile to an index of the allowed tokens of each state; a bounded number of indexes is cached.

        Args:
            vocabulary: the tokens.
            limits: bounds on time and memory; the defaults of `Limits` if None.
        Raises:
            UnspellableError: the vocabulary cannot spell any text of the constraint.
            VocabularyError: it lacks a special token that the constraint names.
            LimitError: a limit is reached.
        """
        from guidance_kit.fsm.token_index import TokenIndex  # brings numba, which a constraint alone does not need

        return _COMPILED.get(
            (self, vocabulary.fingerprint, limits),
            lambda: TokenIndex.build(self.network(), vocabulary, limits=limits),
        )

    @property
    def report(self) -> Any:
        """Remarks of the front end on the source: `Report` of a JSON Schema, `GrammarReport` of a grammar,
        `PatternReport` of a regex; None of others."""
        return self.language.report()

    @property
    def has_values(self) -> bool:
        """True if texts have values other than themselves."""
        return self.language.has_values

    def parse(self, text: str) -> Any:
        """Parse a text to its value: of JSON the value, of a Python type a validated instance, of compositions the
        values of their parts; of other constraints the text itself.

        Args:
            text: a whole text of the constraint, with special tokens spelled as their names.
        Raises:
            MatchError: the text does not match the constraint; with the first position that does not match and the
                characters expected there. Or it has no value: its Python type refuses it, or it is nested too deep
                for Python; `__cause__` is the error of the type or parser.
            UnsupportedFeature: the constraint has tokens by their numbers, which a text does not determine.
            Exception: any other error of a validator of the type.

        >>> from guidance_kit import json_schema
        >>> json_schema({"type": "array"}).parse("[1, [2]]")
        [1, [2]]
        """
        from guidance_kit.grammars.membership import (
            require_match,  # brings numba, which a constraint alone does not need
        )

        require_match(self, text)
        return self.evaluate(text)

    def evaluate(self, text: str) -> Any:
        """Value of a text that is known to match, such as one generated under the constraint.

        Raises:
            MatchError: the text has no value.
        """
        from guidance_kit.grammars.value_errors import evaluated

        return evaluated(self.kind, text, lambda: self.value_of(text)) if self.has_values else text

    def value_of(self, text: str) -> Any:
        """Value of a text that is known to match; errors are those of the language."""
        return self.language.to_value(text) if self.has_values else text

    def write(self, value: Any) -> str:
        """Text of a value of `tool_calls`, the inverse of `parse`: for examples in prompts, and for earlier turns.

        Args:
            value: pieces as `parse` returns them, with JSON values as arguments.
        Raises:
            OptionError: this is no `tool_calls`; a piece is neither a text nor a call of one of its tools.
            MatchError: no text of the constraint has this value; with the first position that does not match.

        >>> from guidance_kit import Tagged, tool_calls
        >>> calls = tool_calls([{"name": "now"}], "hermes", free_text=False)
        >>> calls.write([Tagged("now", {})])
        '<tool_call>\\n{"name": "now", "arguments": {}}\\n</tool_call>'
        """
        from guidance_kit.grammars.membership import require_match

        text = self.language.to_text(value)
        require_match(self, text)
        return text

    def partial(self, text: str, *, is_whole: bool = False) -> Any:
        """Value of a prefix of a text, as far as every completion agrees.

        Of JSON: the value without its unfinished parts: a key without its value, a number that may have more digits,
        half of an escape; an unfinished string is there as far as it is written. So each prefix of a text has a prefix
        of its value. Python types are not applied.

        Of sequences, repetitions and tags: the values of the parts so far, the last one unfinished, without parts whose
        beginning is still ambiguous. A text that ends with a trigger or an end tag is there without characters that may
        belong to that. Of choices: the common prefix of the values of all parts that have a text with this prefix. Of
        other constraints: the text itself.

        Args:
            text: a prefix of a text of the constraint.
            is_whole: whether the text ends here; then the result is that of `parse`, as plain JSON.
        Returns:
            None where a JSON value has not begun.
        Raises:
            MatchError: no text of the constraint has this prefix, with the first position that does not match; or it
                is nested more than 200 deep.
            UnsupportedFeature: the constraint has tokens by their numbers, which a text does not determine.

        >>> from guidance_kit import json_schema, sequence
        >>> sequence("n = ", json_schema({"type": "array"}), ";").partial("n = [1, 2")
        ('n = ', [1])
        """
        from guidance_kit.grammars.membership import require_match, require_prefix

        (require_match if is_whole else require_prefix)(self, text)
        return self.evaluate_prefix(text, is_whole=is_whole)

    def evaluate_prefix(self, text: str, *, is_whole: bool = False) -> Any:
        """Value of a prefix that is known to match; see `partial`.

        Raises:
            MatchError: it is nested more than 200 deep.
        """
        from guidance_kit.grammars.value_errors import evaluated

        if not self.has_values:
            return text
        return evaluated(self.kind, text, lambda: self.partial_value_of(text, is_whole))

    def partial_value_of(self, text: str, is_whole: bool = False) -> Any:
        """Value of a prefix that is known to match; errors are those of the language."""
        return self.language.to_partial_value(text, is_whole) if self.has_values else text

    def captures(self, text: str, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Captures of the named groups of a `regex`, or of the rules of a `grammar`, in a whole text.

        A rule may match several spans of a text. Its captures are all that are not empty, in the order of their starts,
        outer ones first, without ignored text around them. All of lark's derivations of the text must agree on them;
        with `lexer="longest"` there is only one.

        Args:
            text: a whole text of the constraint.
            names: of groups; of rules or terminals. None: of all groups, or all rules.
        Returns:
            For each name: of a group, `(?P<name>...)`, its text in `re.fullmatch`, None if it took no part; of a rule
            the tuple of its texts.
        Raises:
            MatchError: the text does not match, with the first position that does not.
            OptionError: no group or rule has such a name; the constraint is neither a `regex` nor a `grammar` in Lark's
                notation, without `rules`.
            UnsupportedFeature: derivations of a text by a grammar differ in the captures.

        >>> from guidance_kit import grammar, regex
        >>> regex(r"(?P<hour>[0-9]+):(?P<minute>[0-9]+)").captures("12:30")
        {'hour': '12', 'minute': '30'}
        >>> grammar('start: "x" start | "y"').captures("xxy")
        {'start': ('xxy', 'xy', 'y')}
        """
        self._require_captures()
        from guidance_kit.grammars.membership import require_match

        require_match(self, text)
        return self.language.capture(text, None if names is None else list(names))

    def partial_captures(self, text: str, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Captures in a prefix of a text, as far as every completion, and every derivation, agrees.

        The text of a group is a prefix of its capture, once the start of the group is certain. A group in a repetition
        may start again, so it is there when the repetition is over. A rule has the texts that it certainly matches, or
        prefixes of these; the unfinished one is there as far as its terminals are written. So later captures of a name
        continue earlier ones. A rule may turn out to match a longer span around an earlier one; then the longer text
        comes first.

        Args:
            text: a prefix of a text of the constraint.
            names: as in `captures`.
        Returns:
            For each name: of a group the text, None while its start is not certain; of a rule the tuple of texts, in
            the order of their starts, outer ones first.
        Raises:
            MatchError: no text of the constraint has this prefix.
            OptionError: as `captures` does.
            UnsupportedFeature: conditions of a pattern within conditions, atomic groups, possessive quantifiers.
            LimitError: more than 5,000 states of a pattern would have to be compared.

        >>> from guidance_kit import regex
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
        self._require_captures()
        return self.language.make_capture_reader(names)

    def _require_captures(self) -> None:
        if not self.language.has_captures:
            raise OptionError(f"captures are those of regex(), or of grammar() in Lark's notation, not {self.kind}()")

    def excerpts_of(self, text: str) -> Constraint:
        """The constraint with unspecified strings of a JSON Schema restricted to excerpts of a text; see `json_schema`.

        Raises:
            OptionError: this is no `json_schema`.
            UnsatisfiableError: the schema needs longer excerpts than the text has.
        """
        restricted = self.language.excerpt(text)
        if restricted is None:
            raise OptionError(f"strings that are excerpts of a text are those of json_schema(), not of {self.kind}()")
        return restricted

    def sample(self, count: int = 1, *, seed: int | None = None, max_length: int | None = None) -> list[str]:
        """Random texts of the constraint, drawn without a model: readable and varied, from no particular distribution.

        Special tokens are spelled as their names.

        Args:
            count: number of different texts, at least 1.
            seed: equal seeds draw equal texts; None: texts differ from call to call.
            max_length: bytes of a text in UTF-8, at least 0; None: no bound beyond the usual length, which is small.
        Returns:
            `count` texts, or fewer if no others were found; of a Python type only texts that it validates.
        Raises:
            OptionError: a value out of range; the shortest text is longer than `max_length`.
            LimitError: a limit is reached.

        >>> from guidance_kit import regex
        >>> regex("(yes|no)!").sample(2, seed=0)
        ['no!', 'yes!']
        """
        from guidance_kit.grammars.random_walk import sample_texts

        for name, value, least in (("count", count, 1), ("max_length", max_length, 0), ("seed", seed, 0)):
            if value is not None and (not isinstance(value, int) or value < least):
                raise OptionError(f"{name} must be an integer, at least {least}, not {value!r}")
        return sample_texts(self, count, seed=seed, max_length=max_length)


Origin = tuple[Callable[..., Constraint], tuple[Any, ...], dict[str, Any]]
"""A function, its positional arguments, and those by name."""

MAX_NESTING = 100
"""Constraints within constraints that can be compared, compiled and pickled without exhausting Python's stack."""


def _unpickled(origin: Origin, kind: str, source: Any, options: tuple[tuple[str, Any], ...]) -> Constraint:
    """The constraint of a pickle.

    Raises:
        ConstraintError: its argument has changed: a type, an imported grammar, or a schema after the constraint was
            made.
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
    """Test whether an index has outgrown the cache by itself, as one with recalls grows with each text."""
    return index.automaton.network.has_recalls and index.automaton.size > _MOST_BYTES


_COMPILED: BoundedCache[tuple[Constraint, str, Limits | None], TokenIndex] = caches.register(
    "indexes", BoundedCache(1024, _MOST_BYTES, lambda index: index.automaton.size, _is_spent)
)
"""Compiled indexes of constraints; the bytes are those of automata, besides the masks."""
