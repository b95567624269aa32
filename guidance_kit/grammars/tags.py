"""`tags`: free text with constrained regions that certain strings open, such as tool calls and reasoning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from typing import Any, Literal, NamedTuple, cast

from guidance_kit.errors import MatchError, OptionError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.argument_checks import as_items, as_number
from guidance_kit.grammars.choice import Part, as_constraint, choice
from guidance_kit.grammars.common_prefix import common_prefix
from guidance_kit.grammars.composition import optional, repeat, sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.language import Language
from guidance_kit.grammars.segmentation import Segmenter, Transition
from guidance_kit.grammars.tag import Tag, Trigger, silent
from guidance_kit.grammars.tagged import Tagged
from guidance_kit.grammars.text import strings, unchecked_text

__all__ = ["FreeText", "pieces", "tags"]

FreeText = Literal["anywhere", "before", "after", "between"]
"""Positions of free text. "before": before the tags and between them; "after": behind them and between them."""

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
    """Free text with tags, or, with a separator, a list of tags.

    Free text never contains a trigger: wherever a trigger is complete, one of its tags continues. `parse` returns a
    list of pieces: texts as str, tags as `Tagged`.

    Args:
        members: the tags.
        triggers: strings that open tags: prefixes of their begins, and names of special tokens. Each tag has exactly
            one trigger. None: the first texts of the tags; of two with a common prefix, the shorter one.
        without: strings that the free text does not contain.
        separator: constraint between two tags, in place of free text.
        minimum, maximum: number of tags; None: any number.
        free_text: positions of free text, if there are tags at all: "anywhere", "before" the tags and between them,
            "after" them and between them, or only "between" them.
    Raises:
        OptionError: there are no tags; a tag has no trigger, or several; other numbers.

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
        language = _separated(several, separator, minimum, maximum)
    else:
        language = _amid_text(several, _triggers(several, triggers, without), without, minimum, maximum, free_text)
    given = {"triggers": triggers, "without": without or None, "separator": separator, "minimum": minimum or None}
    given |= {"maximum": maximum, "free_text": None if free_text == "anywhere" else free_text}
    options = {name: value for name, value in given.items() if value is not None}
    return Constraint(
        kind="tags",
        source=several,
        options=tuple(options.items()),
        language=language,
        origin=(tags, (several,), options),
    ).checked()


def pieces(value: Any) -> Iterator[str | Tagged]:
    """Non-empty texts, and tags, in the nested value of a composition."""
    if isinstance(value, Tagged) or (isinstance(value, str) and value):
        yield value
    elif isinstance(value, list | tuple):
        for part in cast("Iterable[Any]", value):
            yield from pieces(part)


class _TagState(NamedTuple):
    """State between two parts of a text with tags.

    Attributes:
        done: number of tags so far.
        trigger: number of the trigger just read; of `_separated`, 0 behind a separator; else -1.
        is_last: whether nothing follows.
    """

    done: int
    trigger: int = -1
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class _Tags(Language):
    """Texts with tags, and their pieces.

    Attributes:
        whole: the texts as a composition.
        transitions: parts that may follow in a state, for prefixes.
        is_final: whether the text may end in a state.
    """

    whole: Constraint
    transitions: Callable[[_TagState], list[Transition]]
    is_final: Callable[[_TagState], bool]
    has_values = True

    def declare(self, network: Network) -> int:
        return self.whole.language.declare(network)

    def to_value(self, text: str) -> list[str | Tagged]:
        return list(pieces(self.whole.value_of(text)))

    def to_partial_value(self, text: str, is_whole: bool) -> list[str | Tagged]:
        if is_whole:
            return list(pieces(self.whole.partial_value_of(text, True)))
        return Segmenter(text).prefix_values(_TagState(0), self.transitions, self.is_final)


def _flat(part: Constraint, target: _TagState) -> Transition:
    """Transition by a part, with the pieces of its value."""
    return Transition(part, target, lambda text, is_whole: pieces(part.partial_value_of(text, is_whole)))


def _amid_text(
    members: Sequence[Tag],
    triggers: Sequence[Trigger],
    without: tuple[str, ...],
    minimum: int,
    maximum: int | None,
    free_text: FreeText,
) -> _Tags:
    """Tags amid free text."""
    stops = tuple(dict.fromkeys([*(trigger.text for trigger in triggers), *without]))
    regions = [_regions([member for member in members if trigger.opens(member)], trigger.text) for trigger in triggers]
    openers = [trigger.behind_text(stops) for trigger in triggers]
    alone = [trigger.alone() for trigger in triggers]
    turn = choice(list(map(sequence, openers, regions)))
    first = choice(list(map(sequence, alone, regions)))
    plain = unchecked_text(without=stops)
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

    def transitions(here: _TagState) -> list[Transition]:
        if here.is_last:
            return []
        if here.trigger >= 0:
            return [_flat(regions[here.trigger], _TagState(_counted(here.done + 1, least, maximum)))]
        found: list[Transition] = []
        if maximum is None or here.done < maximum:
            for number, opener in enumerate(openers if begins_with_text or here.done else alone):
                found.append(_flat(opener, here._replace(trigger=number)))
        if (ends_with_text and here.done >= least) or not (here.done or minimum):
            found.append(_flat(plain, here._replace(is_last=True)))
        return found

    def is_final(here: _TagState) -> bool:
        return here.is_last or (here.trigger < 0 and here.done >= least and not ends_with_text)

    return _Tags(choice([some, plain]) if least > minimum else some, transitions, is_final)


def _counted(done: int, least: int, maximum: int | None) -> int:
    """Number of tags, up to the bound from which on the exact number is irrelevant."""
    return done if maximum is not None else min(done, max(1, least))


def _separated(members: Sequence[Tag], separator: Part, minimum: int, maximum: int | None) -> _Tags:
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

    def transitions(here: _TagState) -> list[Transition]:
        if here.trigger >= 0 or not here.done:
            return [_flat(region, _TagState(_counted(here.done + 1, minimum, maximum)))]
        is_more = maximum is None or here.done < maximum
        return [_flat(between, here._replace(trigger=0))] if is_more else []

    def is_final(here: _TagState) -> bool:
        return here.trigger < 0 and here.done >= minimum

    return _Tags(some if minimum else optional(some), transitions, is_final)


def _regions(members: Sequence[Tag], trigger: str) -> Constraint:
    """Continuations after the trigger of some tags, as `Tagged` values."""
    lefts = tuple(member.left(trigger) for member in members)
    rests = tuple(sequence(*member.rest()) for member in members)
    regions = tuple(_region(member, trigger) for member in members)
    return Constraint(kind="regions", source=(*members, trigger), language=_Regions(lefts, rests, regions))


def _region(member: Tag, trigger: str) -> Constraint:
    """Continuation after the trigger of a tag, as a `Tagged` value."""
    rest = as_constraint(member.left(trigger), "the beginning of a tag"), *member.rest()
    return Constraint(kind="tag", source=(member, trigger), language=_Region(member, rest))


@dataclass(frozen=True, slots=True)
class _Regions(Language):
    """Continuations of several tags.

    Attributes:
        lefts: for each tag the remainder of its first text, with which its continuation starts.
        rests: for each tag the rest of the continuation.
        regions: for each tag the whole continuation.
    """

    lefts: tuple[str, ...]
    rests: tuple[Constraint, ...]
    regions: tuple[Constraint, ...]
    has_values = True

    def declare(self, network: Network) -> int:
        rules = (rest.language.declare(network) for rest in self.rests)
        return _declare_branches(network, sorted(zip(map(str.encode, self.lefts), rules, strict=True)))

    def to_value(self, text: str) -> Any:
        return self._region_of(text).value_of(text)

    def to_partial_value(self, text: str, is_whole: bool) -> Any:
        if is_whole:
            return self._region_of(text).partial_value_of(text, True)
        segmenter = Segmenter(text)
        found = (region for region in self.regions if segmenter.is_prefix_of(region))
        return reduce(common_prefix, (region.partial_value_of(text) for region in found))

    def _region_of(self, text: str) -> Constraint:
        """The first continuation that a whole text matches."""
        segmenter = Segmenter(text)
        for left, region in zip(self.lefts, self.regions, strict=True):
            if text.startswith(left) and segmenter.matches(region):
                return region
        raise MatchError("the text does not belong to the constraint")


@dataclass(frozen=True, slots=True)
class _Region(Language):
    """Continuation of one tag.

    Attributes:
        tag: the tag.
        rest: the remainder of its first text, the other parts of its beginning, its content, and its end.
    """

    tag: Tag
    rest: tuple[Constraint, Constraint, Constraint, Constraint]
    has_values = True

    def declare(self, network: Network) -> int:
        return sequence(*self.rest).language.declare(network)

    def to_value(self, text: str) -> Tagged:
        segmenter = Segmenter(text)
        return self._tagged(segmenter.value(self.rest[2], segmenter.sequence(self.rest)[2]))

    def to_partial_value(self, text: str, is_whole: bool) -> Tagged | None:
        segmenter = Segmenter(text)
        if is_whole:
            return self._tagged(segmenter.plain_value(self.rest[2], segmenter.sequence(self.rest)[2]))
        found = segmenter.prefix_values(0, self._transitions, is_final=lambda place: place == len(self.rest))
        return found[0] if found else None

    def _transitions(self, place: int) -> Iterable[Transition]:
        for part in self.rest[place : place + 1]:
            yield Transition(part, place + 1, self._content if place == 2 else lambda *_: ())

    def _content(self, text: str, is_whole: bool) -> list[Tagged]:
        found = self.rest[2].partial_value_of(text, is_whole)
        return [self._tagged(found) if is_whole else Tagged(self.tag.name, self.tag.value_so_far(found))]

    def _tagged(self, content: Any) -> Tagged:
        return Tagged(self.tag.name, self.tag.value(content))


def _declare_branches(network: Network, ways: list[tuple[bytes, int]]) -> int:
    """Declare the rule of several sorted texts, each followed by another rule; built lazily as a trie."""

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
            network.jump(behind, _declare_branches(network, [(text[size:], rule) for text, rule in alike]))
        return start

    is_nullable = any(not text and network.rules[rule].nullable for text, rule in ways)
    return network.rule(build, nullable=is_nullable, name="tag")


def _triggers(members: Sequence[Tag], given: Iterable[str] | None, without: tuple[str, ...]) -> list[Trigger]:
    """Triggers of several tags, checked."""
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
