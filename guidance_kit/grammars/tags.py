"""Tags: free text in which some strings open regions that are constrained, as tool calls and reasoning are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal, cast

from guidance_kit.errors import MatchError, OptionError
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.composition import Part, as_constraint, optional, reader_of, repeat, sequence
from guidance_kit.grammars.constraint import Constraint, choice
from guidance_kit.grammars.regular import declare
from guidance_kit.grammars.text import opening, strings, text

__all__ = ["FreeText", "Tag", "Tagged", "pieces", "silent", "tag", "tags"]

FreeText = Literal["anywhere", "before", "after", "between"]
"""Where free text may stand: "before": before the tags and between them; "after": behind them and between them."""

_FREE_TEXT: tuple[str, ...] = ("anywhere", "before", "after", "between")


@dataclass(frozen=True, slots=True)
class Tagged:
    """A region of a text that a tag opened.

    Attributes:
        name: of the tag.
        value: what stands between its beginning and its end: for a JSON Schema the parsed JSON, for a type an instance,
            else the text.
    """

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Tag:
    """A region with its beginning and its end; made by `tag`.

    Attributes:
        begin: parts, one after the other; the first is not empty.
        content: what stands in between; None: any text up to the end.
        end: parts, one after the other.
        name: what `Tagged` calls it.
    """

    begin: tuple[Part, ...]
    content: Constraint | None
    end: tuple[Part, ...]
    name: str

    @property
    def opener(self) -> str:
        """What it begins with, or the name of the special token that it begins with."""
        first = self.begin[0]
        return first if isinstance(first, str) else str(first.source)

    def left(self, trigger: str) -> str:
        """What is left of the text that it begins with, behind the trigger."""
        first = self.begin[0]
        return first[len(trigger) :] if isinstance(first, str) else ""

    def rest(self) -> tuple[Constraint, Constraint, Constraint]:
        """What follows that: the other parts of the beginning, the content, and the end."""
        begin = sequence(*self.begin[1:])
        if self.content is not None:
            return begin, self.content, sequence(*self.end)
        stop = self.end[0]
        if isinstance(stop, str):
            return begin, text(until=stop), sequence(*self.end[1:])
        if stop.kind == "choice":
            return begin, text(until=stop.source), sequence(*self.end[1:])
        name = str(stop.source)
        return begin, _Trigger(name, stop).behind_text((name,)), sequence(*self.end[1:])

    def value(self, content: Any) -> Any:
        """What the value of the second of these parts stands for."""
        stop = self.end[0] if self.content is None else ""
        if isinstance(stop, str):
            return content.removesuffix(stop) if stop else content
        return min((content.removesuffix(one) for one in stop.source), key=len) if stop.kind == "choice" else content


def tag(
    begin: Part | Sequence[Part],
    content: Constraint | None,
    end: Part | Sequence[Part],
    *,
    name: str = "",
) -> Tag:
    """A region with its beginning and its end, for `tags`.

    Args:
        begin: a text, or several parts, of which the first is a text or a special token.
        content: what stands in between; None: any text up to the end.
        end: a text, or several parts. Where there is no `content`, the first of them is a text, a choice of texts or a
            special token.
        name: what the result of `parse` calls it; by default what it begins with.
    Raises:
        OptionError: something else.

    >>> tag("<think>", None, "</think>").name
    '<think>'
    """
    opens, closes = _parts(begin, "the beginning of a tag"), _parts(end, "the end of a tag")
    first = opens[0] if opens else ""
    if not first or not (isinstance(first, str) or first.kind == "special_token"):
        raise OptionError("a tag begins with a text that is not empty, or with a special token")
    if content is not None and not isinstance(content, Constraint):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"the content of a tag is a constraint or None, not {type(content).__name__}")
    last = closes[0] if closes else ""
    if content is None and not (last and _is_stop(last)):
        raise OptionError(
            "a tag without content ends with a text that is not empty, a choice of texts or a special token"
        )
    made = Tag(opens, content, closes, name)
    return made if name else Tag(opens, content, closes, made.opener)


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

    >>> thinking = tags([tag("<think>", None, "</think>", name="think")])
    >>> thinking.parse("Well, <think>hm</think>yes")
    ['Well, ', Tagged(name='think', value='hm'), 'yes']
    """
    several = tuple(members)
    if not several or not all(isinstance(member, Tag) for member in several):
        raise OptionError("tags() takes some of what tag() makes")
    if free_text not in _FREE_TEXT:
        raise OptionError.unknown(str(free_text), _FREE_TEXT, "place of free text")
    if minimum < 0 or (maximum is not None and maximum < max(1, minimum)):
        raise OptionError(f"between {minimum} and {maximum} tags")
    without = strings(without, "without")
    if separator is not None:
        as_constraint(separator, "the separator")
        if triggers is not None or without or free_text != "anywhere":
            raise OptionError("with a separator between tags there is no free text to speak of")
        whole = _separated(several, separator, minimum, maximum)
    else:
        whole = _amid_text(several, _triggers(several, triggers, without), without, minimum, maximum, free_text)
    options = {
        "triggers": None if triggers is None else tuple(triggers),
        "without": without or None,
        "separator": separator,
        "minimum": minimum or None,
        "maximum": maximum,
        "free_text": None if free_text == "anywhere" else free_text,
    }
    return Constraint(
        kind="tags",
        source=several,
        options=tuple((name, value) for name, value in options.items() if value is not None),
        declare=whole.declare,
        parse=lambda read: list(pieces(reader_of(read).value(whole))),
    ).checked()


def pieces(value: Any) -> Iterator[str | Tagged]:
    """The texts that are not empty, and the tags, in what sequences, choices and repetitions of them stand for."""
    if isinstance(value, Tagged) or (isinstance(value, str) and value):
        yield value
    elif isinstance(value, list | tuple):
        for part in cast("Iterable[Any]", value):
            yield from pieces(part)


def _parts(given: Part | Sequence[Part], where: str) -> tuple[Part, ...]:
    parts = (given,) if isinstance(given, str | Constraint) else tuple(given)
    for part in parts:
        as_constraint(part, where)
    return parts


def _is_stop(part: Part) -> bool:
    """Whether free text may be read up to a part."""
    if isinstance(part, str):
        return True
    is_choice = part.kind == "choice" and all(isinstance(one, str) and one for one in part.source)
    return is_choice or part.kind == "special_token"


@dataclass(frozen=True, slots=True)
class _Trigger:
    """What opens some tags.

    Attributes:
        text: the text, or the name of the special token.
        token: the special token, if it is one.
    """

    text: str
    token: Constraint | None = None

    def opens(self, member: Tag) -> bool:
        """Whether a tag begins with it."""
        first = member.begin[0]
        return first == self.token if isinstance(first, Constraint) else not self.token and first.startswith(self.text)

    def interrupting(self, stops: Iterable[str]) -> str | None:
        """The first of some strings that is complete in the text before the text is."""
        return next((stop for stop in stops if stop in self.text[:-1]), None)

    def alone(self) -> Constraint:
        """Nothing but it."""
        return silent(self.text if self.token is None else self.token)

    def behind_text(self, stops: tuple[str, ...]) -> Constraint:
        """Any text, in which none of some strings is complete before it ends with the trigger."""
        token = self.token
        is_interrupted = self.interrupting(stops) is not None

        def declare_opening(network: Network) -> int:
            if token is None:
                return declare(network, opening(self.text, stops), name="text")
            plain, last = text(without=stops).declare(network), token.declare(network)

            def build() -> int:
                start, middle, end = network.states(3)
                if self.text in network.as_text and not is_interrupted:
                    network.call(start, declare(network, opening(self.text, stops)), end)
                else:
                    network.call(start, plain, middle)
                    network.call(middle, last, end)
                network.final(end)
                return start

            return network.rule(build, nullable=False, name="text")

        return Constraint(
            kind="opening",
            source=(self.text, token, stops),
            declare=declare_opening,
            parse=lambda read: read.removesuffix(self.text),
        )


def _amid_text(
    members: Sequence[Tag],
    triggers: Sequence[_Trigger],
    without: tuple[str, ...],
    minimum: int,
    maximum: int | None,
    free_text: FreeText,
) -> Constraint:
    """Tags with free text around them."""
    stops = tuple(dict.fromkeys([*(trigger.text for trigger in triggers), *without]))
    regions = [_regions([member for member in members if trigger.opens(member)], trigger.text) for trigger in triggers]
    opened = list(zip(triggers, regions, strict=True))
    turn = choice([sequence(trigger.behind_text(stops), region) for trigger, region in opened])
    first = choice([sequence(trigger.alone(), region) for trigger, region in opened])
    plain = text(without=stops)
    least = minimum if free_text == "anywhere" else max(1, minimum)
    if free_text in ("anywhere", "before"):
        some = repeat(turn, least, maximum)
    elif maximum == 1:
        some = first
    else:
        some = sequence(first, repeat(turn, least - 1, None if maximum is None else maximum - 1))
    if free_text in ("anywhere", "after"):
        some = sequence(some, plain)
    return choice([some, plain]) if least > minimum else some


def _separated(members: Sequence[Tag], separator: Part, minimum: int, maximum: int | None) -> Constraint:
    """Tags with a separator between them."""
    if all(isinstance(member.begin[0], str) for member in members):
        region = _regions(members, "")
    else:
        region = choice([sequence(silent(member.begin[0]), _region(member, member.opener)) for member in members])
    more = sequence(silent(separator), region)
    if maximum == 1:
        some = region
    else:
        some = sequence(region, repeat(more, max(0, minimum - 1), None if maximum is None else maximum - 1))
    return some if minimum else optional(some)


def _regions(members: Sequence[Tag], trigger: str) -> Constraint:
    """What follows the trigger of some tags; it stands for what `Tagged` says."""
    regions = [(member.left(trigger), _region(member, trigger)) for member in members]

    def declare_regions(network: Network) -> int:
        ways = [(member.left(trigger).encode(), sequence(*member.rest()).declare(network)) for member in members]
        return _declare_told_apart(network, sorted(ways))

    def parse(read: str) -> Any:
        reader = reader_of(read)
        found = (region for left, region in regions if read.startswith(left) and reader.is_text_of(region))
        region = next(found, None)
        if region is None:
            raise MatchError("the text does not belong to the constraint")
        return reader.value(region)

    return Constraint(kind="regions", source=(*members, trigger), declare=declare_regions, parse=parse)


def _region(member: Tag, trigger: str) -> Constraint:
    """What follows the trigger of a tag; it stands for what `Tagged` says."""
    parts = as_constraint(member.left(trigger), "the beginning of a tag"), *member.rest()

    def parse(read: str) -> Tagged:
        reader = reader_of(read)
        return Tagged(member.name, member.value(reader.value(parts[2], reader.sequence(parts)[2])))

    return Constraint(kind="tag", source=(member, trigger), declare=sequence(*parts).declare, parse=parse)


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


def silent(part: Part) -> Constraint:
    """A part that stands for nothing."""
    return replace(as_constraint(part, "a part"), parse=lambda _: None)


def _triggers(members: Sequence[Tag], given: Iterable[str] | None, without: tuple[str, ...]) -> list[_Trigger]:
    """What opens some tags, checked."""
    tokens = {str(one.source): one for member in members if isinstance(one := member.begin[0], Constraint)}
    if given is None:
        texts = dict.fromkeys(member.opener for member in members if isinstance(member.begin[0], str))
        chosen = [one for one in texts if not any(one != other and one.startswith(other) for other in texts)]
        triggers = [*map(_Trigger, chosen), *(_Trigger(name, token) for name, token in tokens.items())]
    else:
        triggers = [_Trigger(one, tokens.get(one)) for one in strings(given, "triggers")]
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
