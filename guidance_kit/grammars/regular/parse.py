r"""Parser of regular expressions in the syntax of Python's `re`, over the parse trees of the standard library.

Only this file, `shorthands` and `context_free.pattern_nfa` depend on the parse trees of `re`. Two extensions of the
dialect: `\p{...}` and `\P{...}` with the properties of the `regex` package, and lookbehinds of any width.
"""

from __future__ import annotations

import re
import re._constants as op  # pyright: ignore[reportMissingImports]
import re._parser as parser  # pyright: ignore[reportMissingImports]
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeVar

import regex

from guidance_kit.errors import LimitError, OptionError, PatternError, UnsupportedFeature
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.regular import charset, ecma
from guidance_kit.grammars.regular.assertions import after_anything, before_anything, eliminate_assertions, search
from guidance_kit.grammars.regular.charset import CharSet, union
from guidance_kit.grammars.regular.complements import complement
from guidance_kit.grammars.regular.expression import (
    ANYTHING,
    EPSILON,
    MAX_TURNS,
    NOTHING,
    Characters,
    Expression,
    alternate,
    characters,
    concatenate,
    intersect,
    lookahead,
    lookbehind,
    optional,
    repeat,
    single,
)
from guidance_kit.grammars.regular.ignorecase import folded_class, folded_literal
from guidance_kit.grammars.regular.liveness import is_empty
from guidance_kit.grammars.regular.substituted_pattern import SubstitutedPattern, without_properties

__all__ = ["MALFORMED", "Dialect", "TreeReader", "combined_flags", "parse", "parse_search", "read_tree", "turns"]

Dialect = Literal["python", "ecma"]

_Read = TypeVar("_Read")

MALFORMED: tuple[type[Exception], ...] = (re.error, regex.error)
"""Errors of `re` and `regex` about a malformed pattern."""

MAX_PATTERN_LENGTH = 262_144
"""Characters; the parser of `re` takes about a microsecond for each, more for long common prefixes."""

MAX_NESTING = 200
"""Groups within groups."""

_FLAGS = int(re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.ASCII | re.UNICODE)


@lru_cache(maxsize=256)
def parse(pattern: str, flags: int = 0, dialect: Dialect = "python") -> Expression:
    """Texts that `re.fullmatch(pattern, text, flags)` matches.

    Args:
        pattern: the regular expression.
        flags: any of re.IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII, UNICODE.
        dialect: "python", or "ecma" for ECMA-262 with the flag `u`.
    Raises:
        PatternError: malformed.
        UnsupportedFeature: not a regular language: backreferences, conditional groups, some atomic groups.
        LimitError: too long, too deep, or repeated too often.
        OptionError: another flag or dialect.
    """
    return read_tree(pattern, flags, _expression, dialect)


@lru_cache(maxsize=256)
def parse_search(pattern: str, flags: int = 0, dialect: Dialect = "python") -> Expression:
    """Texts in which `re.search(pattern, text, flags)` finds a match. See `parse`."""
    return read_tree(pattern, flags, _search_expression, dialect)


def read_tree(
    pattern: str, flags: int, read: Callable[[TreeReader, Any, int], _Read], dialect: Dialect = "python"
) -> _Read:
    """Result of `read` for the parse tree of a pattern, given a reader, the tree and the flags of the whole.

    Raises what `parse` raises.
    """
    if not isinstance(pattern, str):
        raise OptionError(f"a pattern must be a str, not {type(pattern).__name__}")
    if int(flags) & ~_FLAGS:
        raise OptionError(f"flags {re.RegexFlag(int(flags) & ~_FLAGS)!r} cannot be used; known: I, M, S, X, A, U")
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise LimitError("max_pattern_length", MAX_PATTERN_LENGTH, where=f"a pattern of {len(pattern)} characters")
    if dialect == "python":
        has_properties = "\\p" in pattern or "\\P" in pattern
        written = without_properties(pattern) if has_properties else SubstitutedPattern(pattern, pattern)
    elif dialect == "ecma":
        if flags:
            raise OptionError("the dialect ecma takes no flags")
        written = ecma.translate(pattern)
    else:
        raise OptionError.unknown(dialect, ["python", "ecma"], "dialect")
    try:
        tree = parser.parse(written.text, int(flags))
        return read(TreeReader(written), tree, tree.state.flags)
    except re.error as error:
        position = None if error.pos is None else written.position(error.pos)
        raise PatternError(error.msg, pattern=pattern, position=position) from None
    except RecursionError:
        raise LimitError("max_nesting", MAX_NESTING, where="groups in a pattern") from None
    except OverflowError:
        raise LimitError("max_turns", MAX_TURNS, where="a repetition in a pattern") from None
    except ValueError as error:
        if isinstance(error, UnsupportedFeature | LimitError | PatternError):
            raise
        if "integer string conversion" in str(error):
            raise LimitError("max_digits", sys.get_int_max_str_digits(), where="a number in a pattern") from None
        raise PatternError(str(error), pattern=pattern) from None


def _expression(reader: TreeReader, tree: Any, flags: int) -> Expression:
    found = reader.read(tree, flags)
    return found if found.is_plain else eliminate_assertions(found)


def _search_expression(reader: TreeReader, tree: Any, flags: int) -> Expression:
    return eliminate_assertions(search(reader.read(tree, flags)))


class TreeReader:
    """Turn one parse tree of `re` into an expression."""

    def __init__(self, written: SubstitutedPattern) -> None:
        self.written = written

    def read(self, tree: Iterable[tuple[Any, Any]], flags: int, depth: int = 0) -> Expression:
        """The expression for a sequence of nodes under `flags`."""
        if depth > MAX_NESTING:
            raise LimitError("max_nesting", MAX_NESTING, where="groups in a pattern")
        parts = []
        for kind, value in tree:
            if kind is op.LITERAL and not flags & re.IGNORECASE and value not in self.written.sets:
                parts.append(single(value))
            else:
                parts.append(self._node(kind, value, flags, depth + 1))
        return concatenate(parts)

    def _node(self, kind: Any, value: Any, flags: int, depth: int) -> Expression:
        one = self.charset(kind, value, flags)
        if one is not None:
            return characters(one)
        if kind is op.BRANCH:
            return alternate([self.read(branch, flags, depth) for branch in value[1]])
        if kind is op.SUBPATTERN:
            _, added, removed, body = value
            return self.read(body, combined_flags(flags, added, removed), depth)
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            return repeat(self.read(value[2], flags, depth), *turns(value))
        if kind in (op.ASSERT, op.ASSERT_NOT):
            direction, body = value
            look = _look_ahead if direction > 0 else _look_behind
            return look(self.read(body, flags, depth), is_negated=kind is op.ASSERT_NOT)
        if kind is op.AT:
            return _at(value, flags)
        if kind in (op.ATOMIC_GROUP, op.POSSESSIVE_REPEAT):
            return self._atomic(kind, value, flags, depth)
        if kind is op.FAILURE:
            return NOTHING
        if kind in (op.GROUPREF, op.GROUPREF_EXISTS):
            raise self._refused("backreference" if kind is op.GROUPREF else "conditional group", flags)
        raise UnsupportedFeature(str(kind).lower(), where="a pattern")

    def charset(self, kind: Any, value: Any, flags: int) -> CharSet | None:
        """Set of characters of a node; None if it does not read a single character."""
        if kind is op.LITERAL:
            return self._literal(value, flags)
        if kind is op.NOT_LITERAL:
            return ~self._literal(value, flags)
        if kind is op.IN:
            return self._class(value, flags)
        if kind is op.ANY:
            return charset.ALL if flags & re.DOTALL else _NOT_NEWLINE
        return None

    def _literal(self, value: int, flags: int) -> CharSet:
        sets = self.written.sets.get(value)
        if sets is not None:
            return sets[bool(flags & re.IGNORECASE)]
        if flags & re.IGNORECASE:
            return folded_literal(value, is_ascii=not flags & re.UNICODE)
        return CharSet.single(value)

    def _class(self, items: Sequence[tuple[Any, Any]], flags: int) -> CharSet:
        is_negated = items[0][0] is op.NEGATE
        literals: list[int] = []
        ranges: list[tuple[int, int]] = []
        others: list[CharSet] = []
        for kind, value in items[is_negated:]:
            if kind is op.LITERAL:
                sets = self.written.sets.get(value)
                if sets is not None:
                    others.append(sets[bool(flags & re.IGNORECASE)])
                else:
                    literals.append(value)
            elif kind is op.RANGE:
                for end in value:
                    if end in self.written.sets:
                        where = self.written.text.index(chr(end))
                        raise PatternError(
                            "a property cannot bound a range",
                            pattern=self.written.origin,
                            position=self.written.position(where),
                        )
                ranges.append(value)
            elif kind is op.CATEGORY:
                others.append(_category(value, flags))
            else:
                raise UnsupportedFeature(f"{str(kind).lower()} in a character class", where="a pattern")
        if flags & re.IGNORECASE:
            return folded_class(literals, ranges, others, is_negated=is_negated, is_ascii=not flags & re.UNICODE)
        ranges += [(point, point) for point in literals]
        members = union([CharSet.of(ranges), *others]) if others else CharSet.of(ranges)
        return ~members if is_negated else members

    def _atomic(self, kind: Any, value: Any, flags: int, depth: int) -> Expression:
        """`(?>...)` and possessive quantifiers, if they are expressible without priorities."""

        def read(body: Iterable[tuple[Any, Any]], inner: int) -> Expression:
            return self.read(body, inner, depth)

        if kind is op.ATOMIC_GROUP:
            found = _committed(list(value), flags, read)
        else:
            # Here `re` commits after every single turn.
            body = read(value[2], flags)
            turn = _committed(list(value[2]), flags, read) if body.least > 0 else None
            found = None if turn is None else _greediest(turn, body, *turns(value))
        if found is None:
            raise self._refused("atomic group" if kind is op.ATOMIC_GROUP else "possessive quantifier", flags)
        return found

    def _refused(self, feature: str, flags: int) -> UnsupportedFeature:
        place = _first(feature, self.written.text, bool(flags & re.VERBOSE))
        where = "a pattern" if place is None else f"position {self.written.position(place)}"
        return UnsupportedFeature(feature, where=where, hint="what it matches depends on more than a regular language")


_NOT_NEWLINE = ~CharSet.single(0x0A)


def combined_flags(flags: int, added: int, removed: int) -> int:
    """Flags inside a group like (?i-s:...), as `re` combines them."""
    if added & parser.TYPE_FLAGS:
        flags &= ~parser.TYPE_FLAGS
    return (flags | added) & ~removed


def turns(value: tuple[Any, Any, Any]) -> tuple[int, int]:
    """Least and greatest number of turns of a repetition node."""
    minimum, maximum = int(value[0]), UNBOUNDED if value[1] is op.MAXREPEAT else int(value[1])
    if max(minimum, maximum) > MAX_TURNS:
        raise LimitError("max_turns", MAX_TURNS, where=f"a repetition {{{minimum},{maximum}}}")
    return minimum, maximum


def _category(value: Any, flags: int) -> CharSet:
    r"""The set of \d, \D, \s, \S, \w or \W."""
    name = str(value).removeprefix("CATEGORY_")
    positive = name.removeprefix("NOT_")
    if flags & re.UNICODE:
        found = {"DIGIT": charset.digits, "SPACE": charset.spaces, "WORD": charset.words}[positive]()
    else:
        found = {"DIGIT": charset.ASCII_DIGIT, "SPACE": charset.ASCII_SPACE, "WORD": charset.ASCII_WORD}[positive]
    return ~found if name != positive else found


def _look_ahead(body: Expression, *, is_negated: bool) -> Expression:
    if not is_negated:
        return lookahead(before_anything(body))
    if type(body) is Characters:
        return lookahead(optional(concatenate([characters(~body.charset), ANYTHING])))
    return lookahead(complement(before_anything(body)))


def _look_behind(body: Expression, *, is_negated: bool) -> Expression:
    if not is_negated:
        return lookbehind(after_anything(body))
    if type(body) is Characters:
        return lookbehind(optional(concatenate([ANYTHING, characters(~body.charset)])))
    return lookbehind(after_anything(body), is_negated=True)


@lru_cache(maxsize=64)
def _at(value: Any, flags: int) -> Expression:
    r"""The condition of ^, $, \A, \Z, \b or \B."""
    newline = single(0x0A)
    if value is op.AT_BEGINNING_STRING or (value is op.AT_BEGINNING and not flags & re.MULTILINE):
        return lookbehind(EPSILON)
    if value is op.AT_BEGINNING:
        return lookbehind(optional(concatenate([ANYTHING, newline])))
    if value is op.AT_END_STRING:
        return lookahead(EPSILON)
    if value is op.AT_END:
        return lookahead(optional(concatenate([newline, ANYTHING]) if flags & re.MULTILINE else newline))
    if value not in (op.AT_BOUNDARY, op.AT_NON_BOUNDARY):
        raise UnsupportedFeature(str(value).lower(), where="a pattern")
    word = characters(charset.words() if flags & re.UNICODE else charset.ASCII_WORD)
    before, after = _look_behind(word, is_negated=False), _look_ahead(word, is_negated=False)
    not_before, not_after = _look_behind(word, is_negated=True), _look_ahead(word, is_negated=True)
    if value is op.AT_BOUNDARY:
        return alternate([concatenate([before, not_after]), concatenate([not_before, after])])
    if _is_boundary_of_empty_text():
        return alternate([concatenate([before, after]), concatenate([not_before, not_after])])
    other = characters(~word.charset) if isinstance(word, Characters) else NOTHING
    between = [
        concatenate([_look_behind(other, is_negated=False), not_after]),
        concatenate([not_before, _look_ahead(other, is_negated=False)]),
    ]
    return alternate([concatenate([before, after]), *between])


@lru_cache(maxsize=1)
def _is_boundary_of_empty_text() -> bool:
    r"""Test whether \B matches the empty text, which it does from Python 3.14 on."""
    return re.fullmatch(r"\B", "") is not None


def _committed(nodes: list[tuple[Any, Any]], flags: int, read: Any) -> Expression | None:
    """Expression for the atomic group of `nodes`; None if it needs priorities.

    An atomic group commits to the first match of `re`. If all matches end at the same position, or lookaheads express
    the priority ("the second branch, where the first does not match"), the result is a regular language.
    """
    whole = read(nodes, flags)
    if _has_one_end(whole):
        return whole
    if len(nodes) > 1:
        first = read(nodes[:-1], flags)
        last = _committed(nodes[-1:], flags, read) if _has_one_end(first) else None
        return None if last is None else concatenate([first, last])
    kind, value = nodes[0]
    if kind is op.SUBPATTERN:
        return _committed(list(value[3]), combined_flags(flags, value[1], value[2]), read)
    if kind in (op.ATOMIC_GROUP, op.POSSESSIVE_REPEAT):
        return whole
    if kind is op.BRANCH:
        ways: list[Expression] = []
        earlier: Expression = NOTHING
        for branch in value[1]:
            way = _committed(list(branch), flags, read) if len(branch) else EPSILON
            if way is None:
                return None
            ways.append(concatenate([_look_ahead(earlier, is_negated=True), way]))
            earlier = alternate([earlier, read(branch, flags)])
        return alternate(ways)
    if kind not in (op.MAX_REPEAT, op.MIN_REPEAT):
        return None
    minimum, maximum = turns(value)
    body = read(value[2], flags)
    if body.least == 0:
        return None
    turn = body if _has_one_end(body) else _committed(list(value[2]), flags, read)
    # A turn with several lengths is settled once and for all only if nothing that must follow can fail.
    if turn is None or (turn is not body and minimum > 1):
        return None
    if kind is op.MIN_REPEAT:
        return repeat(turn, minimum, minimum)
    return _greediest(turn, body, minimum, maximum)


def _has_one_end(expression: Expression) -> bool:
    """Test whether all matches from any position end at the same position: no text is a prefix of another one."""
    if expression.least == expression.most:
        return True
    if not expression.is_plain or expression.least == 0:
        return False
    longer = concatenate([expression, repeat(characters(charset.ALL), 1, UNBOUNDED)])
    return is_empty(intersect(expression, longer))


def _greediest(turn: Expression, body: Expression, minimum: int, maximum: int) -> Expression:
    """As many turns as possible: `maximum`, or up to a position where the body does not match."""
    stop = _look_ahead(body, is_negated=True)
    if maximum == UNBOUNDED:
        return concatenate([repeat(turn, minimum, maximum), stop])
    if minimum == maximum:
        return repeat(turn, minimum, maximum)
    return alternate([concatenate([repeat(turn, minimum, maximum - 1), stop]), repeat(turn, maximum, maximum)])


_TOKEN = re.compile(
    r"""\\. | \[\^?\]?(?:\\.|[^\]\\])*\] | \(\?\#[^)]*\) | \(\?P= | \(\?\( | \(\?> | [*+?}]\+ | \#[^\n]* | .""",
    re.VERBOSE | re.DOTALL,
)


def _first(feature: str, text: str, is_verbose: bool) -> int | None:
    """First position of a feature in a pattern."""
    starts = {
        "backreference": lambda token: token == "(?P=" or (token[0] == "\\" and token[1] in "123456789"),
        "conditional group": lambda token: token == "(?(",
        "atomic group": lambda token: token == "(?>",
        "possessive quantifier": lambda token: len(token) == 2 and token[1] == "+" and token[0] != "\\",
    }[feature]
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None
        token = match[0]
        if token[0] == "#" and not is_verbose:
            token = "#"
        if starts(token):
            return at
        at += len(token)
    return None
