"""Regular expressions over code points, as immutable values.

    NOTHING                       no text at all
    EPSILON                       the empty text
    Characters(charset)           one character of a set
    Concatenation(parts)          one after the other
    Alternation(parts)            one of them
    Repetition(body, m, n)        between m and n times, n may be UNBOUNDED
    Lookahead(rest)               nothing, where the whole rest of the text belongs to `rest`
    Lookbehind(past, is_negated)  nothing, where the whole text up to here belongs (or not) to `past`
    Intersection(parts)           texts that belong to all of them
    Complement(body)              texts that do not belong to it
    Deferred(make)                a part constructed on first use

The constructors below simplify: `literal`, `characters`, `concatenate`, `alternate`, `repeat`, `optional`, `length`,
`lookahead`, `lookbehind`, `intersect`, `deferred`; `complement` has a module of its own. A *plain* expression has
neither lookarounds nor intersections nor complements in it; it is lowered directly to a network, the others by
derivatives.
Intersections and complements describe whole texts: they cannot be parts of a concatenation or repetition, only of
alternations, lookarounds and each other.

All expressions can be combined freely, e.g. for "contains `foo`, does not end with a digit, at most 20 characters":

>>> from guidance_kit.grammars.regular import parse_search, intersect, complement, length, shortest
>>> wanted = intersect(parse_search("foo"), complement(parse_search(r"\\d\\Z")), length(0, 20))
>>> shortest(wanted)
'foo'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.regular.charset import ALL, CharSet, union

__all__ = [
    "ANYTHING",
    "EPSILON",
    "NOTHING",
    "Alternation",
    "Characters",
    "Complement",
    "Concatenation",
    "Deferred",
    "Expression",
    "Intersection",
    "Lookahead",
    "Lookbehind",
    "Repetition",
    "alternate",
    "characters",
    "concatenate",
    "deferred",
    "intersect",
    "length",
    "length_bounds",
    "literal",
    "lookahead",
    "lookbehind",
    "optional",
    "repeat",
]

MAX_TURNS = 2**31 - 2
"""Greatest bound of one repetition; repetitions of repetitions may go beyond."""

_UNROLL = 64
"""Repetitions up to this size are unrolled, others counted."""


class Expression:
    """A regular expression, immutable, with derived facts.

    Attributes:
        is_plain: whether it has no lookaround, intersection or complement.
        least, most: bounds of the length of its texts, in characters; `most` may be UNBOUNDED. If it is plain, then
            `least` is exact, and it is nullable exactly if `least` is 0.
        size: approximate number of network states.
        is_whole: whether it describes whole texts: an intersection, a complement, or an alternation of such.
    """

    __slots__ = ("is_plain", "is_whole", "least", "most", "size")

    def __init__(self, is_plain: bool, least: int, most: int, size: int, *, is_whole: bool = False) -> None:
        self.is_plain = is_plain
        self.is_whole = is_whole
        self.least = least
        self.most = most
        self.size = size

    def __repr__(self) -> str:
        fields = ", ".join(repr(getattr(self, name)) for name in type(self).__slots__)
        return f"{type(self).__name__}({fields})"


class _Constant(Expression):
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__(True, 0, 0, 0)
        self.name = name

    def __repr__(self) -> str:
        return self.name


class Characters(Expression):
    """One character of a non-empty set."""

    __slots__ = ("charset",)

    def __init__(self, charset: CharSet) -> None:
        self.is_plain = True
        self.is_whole = False
        self.least = self.most = 1
        self.size = 1 if len(charset.bounds) < 16 else 4
        self.charset = charset


class Concatenation(Expression):
    """At least two parts one after the other, none of them a concatenation."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Expression, ...]) -> None:
        is_plain = True
        least = most = size = 0
        for part in parts:
            is_plain = is_plain and part.is_plain
            least += part.least
            size += part.size
            if most >= 0:
                most = UNBOUNDED if part.most < 0 else most + part.most
        super().__init__(is_plain, least, most, size)
        self.parts = parts


class Alternation(Expression):
    """One of at least two parts, none of them an alternation; EPSILON only beside parts that speak of whole texts."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Expression, ...]) -> None:
        is_plain, is_whole, least, most, size = True, False, parts[0].least, 0, 0
        for part in parts:
            is_plain = is_plain and part.is_plain
            is_whole = is_whole or part.is_whole
            size += part.size
            if part.least < least:
                least = part.least
            if most >= 0:
                most = UNBOUNDED if part.most < 0 else max(most, part.most)
        super().__init__(is_plain, least, most, size, is_whole=is_whole)
        self.parts = parts


class Repetition(Expression):
    """Between `minimum` and `maximum` times the body, one after the other; `maximum` may be UNBOUNDED.

    If the body has the empty text, `minimum` is 0.
    """

    __slots__ = ("body", "maximum", "minimum")

    def __init__(self, body: Expression, minimum: int, maximum: int) -> None:
        unrolled = body.size * max(1, minimum if maximum < 0 else maximum)
        super().__init__(
            body.is_plain,
            body.least * minimum,
            0 if body.most == 0 else UNBOUNDED if maximum < 0 or body.most < 0 else body.most * maximum,
            unrolled if unrolled <= _UNROLL else body.size + 2,
        )
        self.body = body
        self.minimum = minimum
        self.maximum = maximum

    @property
    def is_counted(self) -> bool:
        """True if it is lowered to a counter, as it is too large to be unrolled."""
        return self.body.size * max(self.minimum, self.maximum) > _UNROLL


class Deferred(Expression):
    """A large plain part, of which most texts need little.

    Attributes:
        left: characters that suffice to complete any text after its first character.
        charsets: all sets of characters in it.
        is_common: as in `deferred`.
    """

    __slots__ = ("_body", "_make", "charsets", "is_common", "left")

    def __init__(
        self, make: Callable[[], Expression], least: int, left: int, charsets: tuple[CharSet, ...], is_common: bool
    ) -> None:
        super().__init__(True, least, UNBOUNDED, 1)
        self.is_common = is_common
        self.left = left
        self._make = make
        self._body: Expression | None = None
        self.charsets = charsets

    @property
    def body(self) -> Expression:
        """The part itself."""
        if self._body is None:
            self._body = self._make()
        return self._body


class Lookahead(Expression):
    """The empty text, where the rest of the whole text belongs to `rest`."""

    __slots__ = ("rest",)

    def __init__(self, rest: Expression) -> None:
        super().__init__(False, 0, 0, rest.size)
        self.rest = rest


class Lookbehind(Expression):
    """The empty text, where the whole text up to here belongs to `past`, or does not if `is_negated`."""

    __slots__ = ("is_negated", "past")

    def __init__(self, past: Expression, is_negated: bool) -> None:
        super().__init__(False, 0, 0, past.size)
        self.past = past
        self.is_negated = is_negated


class Intersection(Expression):
    """Texts that belong to all of at least two parts, none of them an intersection."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Expression, ...]) -> None:
        bounded = [part.most for part in parts if part.most >= 0]
        super().__init__(
            False,
            max(part.least for part in parts),
            min(bounded) if bounded else UNBOUNDED,
            sum(part.size for part in parts),
            is_whole=True,
        )
        self.parts = parts


class Complement(Expression):
    """Texts that do not belong to the body."""

    __slots__ = ("body",)

    def __init__(self, body: Expression) -> None:
        super().__init__(False, 0, UNBOUNDED, body.size, is_whole=True)
        self.body = body


NOTHING: Expression = _Constant("NOTHING")
EPSILON: Expression = _Constant("EPSILON")
ANY_CHARACTER: Expression = Characters(ALL)
ANYTHING: Expression = Repetition(ANY_CHARACTER, 0, UNBOUNDED)
_SINGLES: dict[int, Expression] = {}


def characters(charset: CharSet) -> Expression:
    """One character of a set."""
    return Characters(charset) if charset.bounds else NOTHING


def single(code_point: int) -> Expression:
    """One given character."""
    found = _SINGLES.get(code_point)
    if found is None:
        found = characters(CharSet.single(code_point))
        if code_point < 0x250:
            _SINGLES[code_point] = found
    return found


def literal(text: str) -> Expression:
    """Exactly this text."""
    return concatenate([single(ord(character)) for character in text])


def concatenate(parts: Iterable[Expression]) -> Expression:
    """All parts, one after the other."""
    flat: list[Expression] = []
    for part in parts:
        if part is EPSILON:
            continue
        if part is NOTHING:
            return NOTHING
        if type(part) is Concatenation:
            flat += part.parts
        elif part.is_whole:
            raise ValueError("an intersection or complement cannot be part of a concatenation")
        elif not (part is ANYTHING and flat and flat[-1] is ANYTHING):
            flat.append(part)
    if len(flat) < 2:
        return flat[0] if flat else EPSILON
    return Concatenation(tuple(flat))


def alternate(parts: Iterable[Expression]) -> Expression:
    """Any one of the parts."""
    flat: list[Expression] = []
    sets: list[CharSet] = []
    has_epsilon = False
    seen: set[int] = set()
    for part in parts:
        for member in part.parts if type(part) is Alternation else (part,):
            if type(member) is Characters:
                if not sets:
                    flat.append(member)  # keeps the place for the union of all sets
                sets.append(member.charset)
            elif member is EPSILON:
                has_epsilon = True
            elif member is not NOTHING and id(member) not in seen:
                seen.add(id(member))
                flat.append(member)
    if ANYTHING in flat:
        return ANYTHING
    if len(sets) > 1:
        place = next(i for i, member in enumerate(flat) if type(member) is Characters)
        flat[place] = Characters(union(sets))
    if not flat:
        return EPSILON if has_epsilon else NOTHING
    if has_epsilon and any(member.is_whole for member in flat):
        return Alternation((*flat, EPSILON))
    result = flat[0] if len(flat) == 1 else Alternation(tuple(flat))
    return optional(result) if has_epsilon else result


def optional(body: Expression) -> Expression:
    """The body or nothing."""
    return body if body.is_plain and body.least == 0 and body is not NOTHING else repeat(body, 0, 1)


def repeat(body: Expression, minimum: int, maximum: int) -> Expression:
    """Between `minimum` and `maximum` times the body; `maximum` may be UNBOUNDED."""
    if maximum == 0 or body is EPSILON:
        return EPSILON
    if body is NOTHING:
        return EPSILON if minimum == 0 else NOTHING
    if minimum == maximum == 1:
        return body
    if body.is_whole:
        if (minimum, maximum) == (0, 1):
            return alternate([EPSILON, body])
        raise ValueError("an intersection or complement cannot be repeated")
    if body.is_plain and body.least == 0:
        minimum = 0  # some turns may read nothing
    if body.most == 0 and not body.is_plain:
        # Only conditions: once is as good as often.
        return body if minimum > 0 else EPSILON
    if type(body) is Repetition:
        merged = _merged(body, minimum, maximum)
        if merged is not None:
            return repeat(body.body, *merged)
    if minimum == 0 and maximum == UNBOUNDED and type(body) is Characters and body.charset == ALL:
        return ANYTHING
    return Repetition(body, minimum, maximum)


def _merged(inner: Repetition, minimum: int, maximum: int) -> tuple[int, int] | None:
    """Bounds (m, n) for which (x{a,b}){minimum,maximum} is x{m,n}, if there are such.

    The numbers of turns are the union of the intervals k*a..k*b for k from `minimum` to `maximum`; they leave no gap
    if the first two intervals (after that of k = 0, which is 0) touch.
    """
    if not inner.body.is_plain:
        return None
    a, b = inner.minimum, inner.maximum
    k = max(minimum, 1)
    has_no_gap = minimum == maximum or b == UNBOUNDED or maximum == k or (k + 1) * a <= k * b + 1
    if minimum == 0:
        has_no_gap = has_no_gap and a <= 1
    if not has_no_gap:
        return None
    least, most = minimum * a, UNBOUNDED if UNBOUNDED in (maximum, b) else maximum * b
    return (least, most) if max(least, most) <= MAX_TURNS else None


def deferred(
    make: Callable[[], Expression], least: int, left: int, charsets: Iterable[CharSet], *, is_common: bool = True
) -> Expression:
    """Expression constructed on first use.

    Args:
        make: function that returns a plain expression without the empty text.
        least: length of its shortest texts, exact.
        left: characters that suffice to complete any nonempty prefix of a text.
        charsets: all sets of characters in it.
        is_common: whether it depends on no constraint, so that its rule is kept for good.
    """
    return Deferred(make, least, left, tuple(charsets), is_common)


def length(minimum: int, maximum: int) -> Expression:
    """All texts of between `minimum` and `maximum` (or UNBOUNDED) characters."""
    return repeat(ANY_CHARACTER, minimum, maximum)


def lookahead(rest: Expression) -> Expression:
    """Nothing, where the whole rest of the text belongs to `rest`."""
    if rest is NOTHING:
        return NOTHING
    return EPSILON if rest is ANYTHING else Lookahead(rest)


def lookbehind(past: Expression, *, is_negated: bool = False) -> Expression:
    """Nothing, where the whole text up to here belongs to `past` (or does not)."""
    if past is NOTHING or past is ANYTHING:
        return EPSILON if (past is ANYTHING) != is_negated else NOTHING
    return Lookbehind(past, is_negated)


def intersect(*parts: Expression) -> Expression:
    """Texts that belong to all parts; ANYTHING if there are none."""
    flat: list[Expression] = []
    bounds = (0, UNBOUNDED)
    for part in parts:
        for member in part.parts if type(part) is Intersection else (part,):
            if member is NOTHING:
                return NOTHING
            limits = length_bounds(member)
            if limits is not None:
                bounds = _narrowed(bounds, limits)
            elif all(member is not other for other in flat):
                flat.append(member)
    charsets = [member.charset for member in flat if type(member) is Characters]
    if len(charsets) > 1:
        common = charsets[0]
        for charset in charsets[1:]:
            common = common & charset
        flat = [member for member in flat if type(member) is not Characters]
        flat.append(characters(common))
    if bounds[1] != UNBOUNDED and bounds[0] > bounds[1]:
        return NOTHING
    if bounds != (0, UNBOUNDED):
        for place, member in enumerate(flat):
            fitted = _fitted(member, *bounds)
            # Beside other parts a length stays a part of its own, so that characters can be counted.
            if fitted is not None and (len(flat) == 1 or fitted is member or fitted is NOTHING):
                flat[place] = fitted
                break
        else:
            flat.append(length(*bounds))
    if any(member is NOTHING for member in flat):
        return NOTHING
    if EPSILON in flat and all(member.is_plain for member in flat):
        return EPSILON if all(member.least == 0 for member in flat) else NOTHING
    if len(flat) < 2:
        return flat[0] if flat else ANYTHING
    return Intersection(tuple(flat))


def length_bounds(expression: Expression) -> tuple[int, int] | None:
    """(m, n) if the expression is `length(m, n)`."""
    if type(expression) is Repetition and type(expression.body) is Characters and expression.body.charset == ALL:
        return expression.minimum, expression.maximum
    return (1, 1) if type(expression) is Characters and expression.charset == ALL else None


def _narrowed(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """The common part of two intervals of lengths; empty if its first number is greater than its second."""
    most = max(a[1], b[1]) if UNBOUNDED in (a[1], b[1]) else min(a[1], b[1])
    return max(a[0], b[0]), most


def _fitted(expression: Expression, minimum: int, maximum: int) -> Expression | None:
    """Plain expression for the texts of bounded length of another one, if it needs no intersection.

    It needs none if the bounds exclude nothing, or if all parts but a repeated character have fixed lengths.
    """
    if not expression.is_plain:
        return None
    least, most = expression.least, expression.most
    if maximum != UNBOUNDED and least > maximum:
        return NOTHING
    if most != UNBOUNDED and most < minimum:
        return NOTHING
    if least >= minimum and (maximum == UNBOUNDED or (most != UNBOUNDED and most <= maximum)):
        return expression
    parts = expression.parts if type(expression) is Concatenation else (expression,)
    loose = [place for place, part in enumerate(parts) if part.least != part.most]
    if len(loose) != 1:
        return None
    part = parts[loose[0]]
    if type(part) is not Repetition or part.body.most != 1 or part.body.least != 1:
        return None
    fixed = least - part.least
    limits = (max(0, minimum - fixed), maximum if maximum == UNBOUNDED else maximum - fixed)
    low, high = _narrowed((part.minimum, part.maximum), limits)
    if high != UNBOUNDED and (high < 0 or low > high):
        return NOTHING
    return concatenate([*parts[: loose[0]], repeat(part.body, low, high), *parts[loose[0] + 1 :]])
