"""Tags: free text in which some strings open regions that are constrained, as tool calls and reasoning are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from guidance_kit.errors import MatchError, OptionError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.composition import Part, as_constraint, optional, plainly, reader_of, repeat, sequence, way
from guidance_kit.grammars.constraint import Constraint, choice
from guidance_kit.grammars.given import as_items, as_number
from guidance_kit.grammars.tag import Tag, Trigger, silent
from guidance_kit.grammars.text import strings, text
from guidance_kit.grammars.values import Tagged, in_common

if TYPE_CHECKING:
    from guidance_kit.grammars.reading import Way

__all__ = ["FreeText", "pieces", "tags"]

FreeText = Literal["anywhere", "before", "after", "between"]
"""Places of free text. "before": before the tags and between them; "after": behind them and between them."""

_FREE_TEXT: tuple[str, ...] = ("anywhere", "before", "after", "between")


def tags(
    members: Iterable[Tag],
    *,
    triggers: Iterable[str] | None = None,
    without: str | Iterable[str] = (),
    separator: Part | None = None,
    minimum: int = 0,
    maximum: int | None = None,
    free_text: FreeText = "anywhere",
) -> Constraint:
    """Free text in which tags stand, or, with a separator, nothing but tags.

    What opens a tag never stands in the free text without opening one: where a trigger is complete, a tag that begins
    with it goes on. `parse` returns the pieces in a list: texts as str, tags as `Tagged`.

    Args:
        members: the tags.
        triggers: what opens them: texts with which they begin, and names of special tokens. Each tag begins with
            exactly one of them. None: what they begin with; of two that begin alike, the shorter one.
        without: strings that do not stand in the free text.
        separator: what stands between one tag and the next, instead of free text.
        minimum, maximum: how many tags there are; None: any number.
        free_text: where it may stand, if there are tags at all: "anywhere", "before" the tags and between them, "after"
            them and between them, or only "between" them.
    Raises:
        OptionError: there are no tags; a tag that no trigger opens, or that several do; other numbers.

    >>> from guidance_kit import tag
    >>> thinking = tags([tag("<think>", None, "</think>", name="think")])
    >>> thinking.parse("Well, <think>hm</think>yes")
    ['Well, ', Tagged(name='think', value='hm'), 'yes']
    """
    several = as_items(members, "tags()", "of what tag() makes")
    minimum = as_number(minimum, "minimum")
    if maximum is not None:
        maximum = as_number(maximum, "maximum")
    if not several or not all(isinstance(member, Tag) for member in several):
        raise OptionError("tags() takes some of what tag() makes")
    if free_text not in _FREE_TEXT:
        raise OptionError.unknown(str(free_text), _FREE_TEXT, "place of free text")
    if minimum < 0 or (maximum is not None and maximum < max(1, minimum)):
        raise OptionError(f"between {minimum} and {maximum} tags")
    without = strings(without, "without")
    triggers = None if triggers is None else strings(triggers, "triggers")
    if separator is not None:
        as_constraint(separator, "the separator")
        if triggers is not None or without or free_text != "anywhere":
            raise OptionError("with a separator between tags there is no free text to speak of")
        written = _separated(several, separator, minimum, maximum)
    else:
        written = _amid_text(several, _triggers(several, triggers, without), without, minimum, maximum, free_text)
    options = {
        "triggers": triggers,
        "without": without or None,
        "separator": separator,
        "minimum": minimum or None,
        "maximum": maximum,
        "free_text": None if free_text == "anywhere" else free_text,
    }
    whole = written.whole

    def to_partial_value(read: str, is_whole: bool) -> list[Any]:
        if is_whole:
            return list(pieces(plainly(whole, read, True)))
        return reader_of(read).beginning(_Place(0), written.ways, written.is_end)

    return Constraint(
        kind="tags",
        source=several,
        options=tuple((name, value) for name, value in options.items() if value is not None),
        declare=whole.declare,
        to_value=lambda read: list(pieces(reader_of(read).value(whole))),
        to_partial_value=to_partial_value,
        origin=(tags, (several,), {name: value for name, value in options.items() if value is not None}),
    ).checked()


def pieces(value: Any) -> Iterator[str | Tagged]:
    """The texts that are not empty, and the tags, in what sequences, choices and repetitions of them stand for."""
    if isinstance(value, Tagged) or (isinstance(value, str) and value):
        yield value
    elif isinstance(value, list | tuple):
        for part in cast("Iterable[Any]", value):
            yield from pieces(part)


class _Place(NamedTuple):
    """A place between two parts of a text with tags.

    Attributes:
        done: how many tags there were.
        trigger: the number of the trigger that was read last; of `_separated`, 0 behind a separator; -1 if a tag, or
            nothing, was read since.
        is_last: whether nothing follows.
    """

    done: int
    trigger: int = -1
    is_last: bool = False


class _Written(NamedTuple):
    """A text with tags as a constraint, and how it goes on from each place, piece by piece."""

    whole: Constraint
    ways: Callable[[_Place], list[Way]]
    is_end: Callable[[_Place], bool]


def _flat_way(part: Constraint, target: _Place) -> Way:
    """A way to go on that brings the pieces of what the part stands for."""
    return way(part, target, lambda text, is_whole: pieces(plainly(part, text, is_whole)))


def _amid_text(
    members: Sequence[Tag],
    triggers: Sequence[Trigger],
    without: tuple[str, ...],
    minimum: int,
    maximum: int | None,
    free_text: FreeText,
) -> _Written:
    """Tags with free text around them."""
    stops = tuple(dict.fromkeys([*(trigger.text for trigger in triggers), *without]))
    regions = [_regions([member for member in members if trigger.opens(member)], trigger.text) for trigger in triggers]
    opened = list(zip(triggers, regions, strict=True))
    turn = choice([sequence(trigger.behind_text(stops), region) for trigger, region in opened])
    first = choice([sequence(trigger.alone(), region) for trigger, region in opened])
    plain = text(without=stops)
    least = minimum if free_text == "anywhere" else max(1, minimum)
    begins_with_text = free_text in ("anywhere", "before")
    ends_with_text = free_text in ("anywhere", "after")
    if begins_with_text:
        some = repeat(turn, least, maximum)
    elif maximum == 1:
        some = first
    else:
        some = sequence(first, repeat(turn, least - 1, None if maximum is None else maximum - 1))
    if ends_with_text:
        some = sequence(some, plain)

    def ways(here: _Place) -> list[Way]:
        if here.is_last:
            return []
        if here.trigger >= 0:
            return [_flat_way(regions[here.trigger], _Place(_counted(here.done + 1, least, maximum)))]
        found: list[Way] = []
        if maximum is None or here.done < maximum:
            for number, trigger in enumerate(triggers):
                opener = trigger.behind_text(stops) if begins_with_text or here.done else trigger.alone()
                found.append(_flat_way(opener, here._replace(trigger=number)))
        if (ends_with_text and here.done >= least) or not (here.done or minimum):
            found.append(_flat_way(plain, here._replace(is_last=True)))
        return found

    def is_end(here: _Place) -> bool:
        return here.is_last or (here.trigger < 0 and here.done >= least and not ends_with_text)

    return _Written(choice([some, plain]) if least > minimum else some, ways, is_end)


def _counted(done: int, least: int, maximum: int | None) -> int:
    """A number of tags as far as it matters."""
    return done if maximum is not None else min(done, max(1, least))


def _separated(members: Sequence[Tag], separator: Part, minimum: int, maximum: int | None) -> _Written:
    """Tags with a separator between them."""
    if all(isinstance(member.begin[0], str) for member in members):
        region = _regions(members, "")
    else:
        region = choice([sequence(silent(member.begin[0]), _region(member, member.opener)) for member in members])
    between = silent(separator)
    more = sequence(between, region)
    if maximum == 1:
        some = region
    else:
        some = sequence(region, repeat(more, max(0, minimum - 1), None if maximum is None else maximum - 1))

    def ways(here: _Place) -> list[Way]:
        if here.trigger >= 0 or not here.done:
            return [_flat_way(region, _Place(_counted(here.done + 1, minimum, maximum)))]
        is_more = maximum is None or here.done < maximum
        return [_flat_way(between, here._replace(trigger=0))] if is_more else []

    def is_end(here: _Place) -> bool:
        return here.trigger < 0 and here.done >= minimum

    return _Written(some if minimum else optional(some), ways, is_end)


def _regions(members: Sequence[Tag], trigger: str) -> Constraint:
    """Continuations after the trigger of some tags, as `Tagged` values."""
    regions = [(member.left(trigger), _region(member, trigger)) for member in members]

    def declare_regions(network: Network) -> int:
        ways = [(member.left(trigger).encode(), sequence(*member.rest()).declare(network)) for member in members]
        return _declare_told_apart(network, sorted(ways))

    def to_value(read: str) -> Any:
        reader = reader_of(read)
        found = (region for left, region in regions if read.startswith(left) and reader.is_text_of(region))
        region = next(found, None)
        if region is None:
            raise MatchError("the text does not belong to the constraint")
        return reader.value(region)

    def to_partial_value(read: str, is_whole: bool) -> Tagged | None:
        reader = reader_of(read)
        if is_whole:
            fitting = (one for left, one in regions if read.startswith(left) and reader.is_text_of(one))
            return plainly(next(fitting), read, True)
        return reduce(in_common, (plainly(one, read) for _, one in regions if reader.is_beginning_of(one)))

    return Constraint(
        kind="regions",
        source=(*members, trigger),
        declare=declare_regions,
        to_value=to_value,
        to_partial_value=to_partial_value,
    )


def _region(member: Tag, trigger: str) -> Constraint:
    """Continuation after the trigger of a tag, as a `Tagged` value."""
    parts = as_constraint(member.left(trigger), "the beginning of a tag"), *member.rest()

    def to_value(read: str) -> Tagged:
        reader = reader_of(read)
        return Tagged(member.name, member.value(reader.value(parts[2], reader.sequence(parts)[2])))

    def content(read: str, is_whole: bool) -> list[Tagged]:
        found = plainly(parts[2], read, is_whole)
        return [Tagged(member.name, member.value(found) if is_whole else member.value_so_far(found))]

    def to_partial_value(read: str, is_whole: bool) -> Tagged | None:
        reader = reader_of(read)
        if is_whole:
            return Tagged(member.name, member.value(reader.plain(parts[2], reader.sequence(parts)[2])))
        found = reader.beginning(
            0,
            lambda place: [
                way(part, place + 1, content if place == 2 else lambda *_: []) for part in parts[place : place + 1]
            ],
            is_end=lambda place: place == len(parts),
        )
        return found[0] if found else None

    return Constraint(
        kind="tag",
        source=(member, trigger),
        declare=sequence(*parts).declare,
        to_value=to_value,
        to_partial_value=to_partial_value,
    )


def _declare_told_apart(network: Network, ways: list[tuple[bytes, int]]) -> int:
    """Declare the rule of some texts, sorted, each with what follows it; written as far as a text gets."""

    def build() -> int:
        start = network.state()
        for first, group in groupby(ways, key=lambda way: way[0][:1]):
            alike = list(group)
            if not first or len(ways) == 1:
                for text, rule in alike:
                    behind = network.state()
                    network.literal(start, text, behind)
                    network.jump(behind, rule)
                continue
            least, greatest = alike[0][0], alike[-1][0]
            pairs = enumerate(zip(least, greatest, strict=False))
            size = next((k for k, (one, other) in pairs if one != other), len(least)) if len(alike) > 1 else 1
            behind = network.state()
            network.literal(start, least[:size], behind)
            network.jump(behind, _declare_told_apart(network, [(text[size:], rule) for text, rule in alike]))
        return start

    is_nullable = any(not text and network.rules[rule].nullable for text, rule in ways)
    return network.rule(build, nullable=is_nullable, name="tag")


def _triggers(members: Sequence[Tag], given: Iterable[str] | None, without: tuple[str, ...]) -> list[Trigger]:
    """Triggers of some tags, checked."""
    if not all(member.opener for member in members):
        raise OptionError("a tag that begins with '' can only stand among tags with a separator: nothing opens it")
    tokens = {str(one.source): one for member in members if isinstance(one := member.begin[0], Constraint)}
    if given is None:
        texts = dict.fromkeys(member.opener for member in members if isinstance(member.begin[0], str))
        chosen = [one for one in texts if not any(one != other and one.startswith(other) for other in texts)]
        triggers = [*map(Trigger, chosen), *(Trigger(name, token) for name, token in tokens.items())]
    else:
        triggers = [Trigger(one, tokens.get(one)) for one in strings(given, "triggers")]
    for member in members:
        fitting = [repr(trigger.text) for trigger in triggers if trigger.opens(member)]
        if len(fitting) != 1:
            which = " and ".join(fitting) or "no trigger"
            raise OptionError(f"the tag that begins with {member.opener!r} is opened by {which}; it must be one")
    for trigger in triggers:
        if not any(map(trigger.opens, members)):
            raise OptionError(f"no tag begins with the trigger {trigger.text!r}")
        token = trigger.token
        sooner = trigger.interrupting(other.text for other in triggers)
        if sooner is not None and (token is None or token.options):  # which may be text
            raise OptionError(f"the trigger {trigger.text!r} opens no tag, since {sooner!r} is complete before it is")
        excluded = trigger.interrupting(without)
        if excluded is not None and token is None:
            raise OptionError(f"the trigger {trigger.text!r} opens no tag, since the free text is without {excluded!r}")
    return triggers
