"""Texts with tags, against a recogniser that searches for triggers, and against XGrammar where it is installed."""

from __future__ import annotations

import itertools
import random
import re
from typing import Literal

import pytest
from marks import slow, thinned
from vocabularies import END, TOOL, special_vocabulary, texts_of

import guidance_kit as gk
from guidance_kit.errors import OptionError, UnsupportedFeature, VocabularyError
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.matcher import Matcher

WORDS = ["".join(word) for length in range(8) for word in itertools.product("ab<", repeat=length)]
"""3,280 texts."""

CONTENTS = {None: None, "a*": gk.regex("a*"), "b": gk.regex("b"), "a?b?": gk.regex("a?b?"), "": gk.regex("")}


def turns(text: str, begin: int, members, triggers, *, has_text: bool) -> set[int]:
    """Ends of free text with one tag behind it."""
    found = [text.find(trigger, begin) + len(trigger) for trigger in triggers if trigger in text[begin:]]
    if not found:
        return set()
    here = min(found)
    ends = set()
    for opens, content, closes in members:
        for trigger in triggers:
            start = here - len(trigger)
            is_opened = opens.startswith(trigger) and start >= begin and text.startswith(trigger, start)
            if not (is_opened and text.startswith(opens, start) and (has_text or start == begin)):
                continue
            first = start + len(opens)
            if content is None:
                end = text.find(closes, first)
                ends |= {end + len(closes)} if end >= 0 else set()
                continue
            for end in range(first, len(text) + 1):
                if re.fullmatch(content, text[first:end]) and text.startswith(closes, end):
                    ends.add(end + len(closes))
    return ends


def is_tagged(text: str, members, triggers, minimum, maximum, free_text) -> bool:
    """Test whether a text has free text and tags as they are asked for."""
    is_plain = lambda begin: not any(trigger in text[begin:] for trigger in triggers)  # noqa: E731
    may_follow = free_text in ("anywhere", "after")
    if minimum == 0 and is_plain(0):
        return True
    places, count = {0}, 0
    while places and count < (len(text) + 1 if maximum is None else maximum):
        has_text = count > 0 or free_text in ("anywhere", "before")
        places = {end for place in places for end in turns(text, place, members, triggers, has_text=has_text)}
        count += 1
        if count >= minimum and any(place == len(text) or (may_follow and is_plain(place)) for place in places):
            return True
    return False


def random_tags(rng: random.Random):
    """Members, as (begin, pattern, end), with triggers."""
    triggers = rng.choice([["<"], ["<<"], ["a<"], ["<", "ab"], ["ba", "a<"], ["aa"], ["aba"]])
    members = []
    for trigger in triggers * 2:
        content = rng.choice(list(CONTENTS))
        members.append((trigger + rng.choice(["", "", "a", "b"]), content, rng.choice(["b", "ba", "<", "aa"])))
    return list(dict.fromkeys(members)), triggers


@pytest.mark.parametrize("seed", [*range(5), *slow(*range(5, 40))])
def test_random_tags(seed):
    rng = random.Random(seed)
    members, triggers = random_tags(rng)
    minimum = rng.choice([0, 0, 1, 2])
    maximum = rng.choice([None, None, max(1, minimum), minimum + 2])
    free_text = rng.choice(["anywhere", "anywhere", "before", "after", "between"])
    constraint = gk.tags(
        [gk.tag(opens, CONTENTS[content], closes) for opens, content, closes in members],
        triggers=triggers,
        minimum=minimum,
        maximum=maximum,
        free_text=free_text,
    )
    texts = texts_of(constraint, WORDS)
    expected = {word for word in WORDS if is_tagged(word, members, triggers, minimum, maximum, free_text)}
    assert texts == expected
    for text in sorted(texts)[::40]:
        pieces = constraint.parse(text)
        assert all(isinstance(piece, gk.Tagged) or not any(one in piece for one in triggers) for piece in pieces)


FUNCTION = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def weather(city: str, days: int = 1) -> str:
    """Never called here."""
    raise AssertionError(city, days)


def now() -> str:
    """Never called here."""
    raise AssertionError


CALL = gk.Tagged("weather", {"city": "Oslo", "days": 1})
NOW = gk.Tagged("now", {})

CALLS = {
    "hermes": (
        'Well. <tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
        ["Well. ", CALL, "\n", NOW],
    ),
    "llama3": ('Well. {"name": "weather", "parameters": {"city": "Oslo"}}', ["Well. ", CALL]),
    "mistral": (
        'Well.[TOOL_CALLS] [{"name": "weather", "arguments": {"city": "Oslo"}}, {"name": "now", "arguments": {}}]',
        ["Well.", CALL, NOW],
    ),
    "deepseek_v3": (
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n{"city": "Oslo"}\n```'
        "<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜>",
        [CALL, NOW],
    ),
    "deepseek_v3_1": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        [NOW],
    ),
    "mistral_v11": ('Well.[TOOL_CALLS]weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]now[ARGS]{}', ["Well.", CALL, NOW]),
    "kimi_k2": (
        "Well.<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>"
        '{"city": "Oslo"}<|tool_call_end|><|tool_call_begin|>functions.now:12<|tool_call_argument_begin|>{}'
        "<|tool_call_end|><|tool_calls_section_end|>",
        ["Well.", CALL, NOW],
    ),
    "qwen3_coder": (
        "<tool_call>\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>\n"
        "<tool_call>\n<function=now>\n</function>\n</tool_call>",
        [CALL, "\n", NOW],
    ),
    "glm4_5": (
        "Well.<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n"
        "<arg_key>days</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
        ["Well.", CALL],
    ),
    "glm4_7": (
        "<tool_call>weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call><tool_call>now</tool_call>",
        [CALL, NOW],
    ),
    "granite3": (
        '<|tool_call|>[{"name": "weather", "arguments": {"city": "Oslo"}}, {"name": "now", "arguments": {}}]',
        [CALL, NOW],
    ),
    "phi4_mini": ('functools[{"name": "weather", "arguments": {"city": "Oslo"}}]', [CALL]),
    "harmony": (
        "<|channel|>analysis<|message|>Need it.<|end|><|start|>assistant<|channel|>commentary to=functions.weather "
        '<|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
        [gk.Tagged("analysis", "Need it."), CALL],
    ),
}


@pytest.mark.parametrize("style", CALLS)
def test_calls_of_the_families_of_models(style):
    text, pieces = CALLS[style]
    constraint = gk.tool_calls([weather, {"type": "function", "function": {"name": "now"}}], style)
    assert constraint.parse(text) == pieces
    matcher = Matcher(constraint.compile(special_vocabulary()))
    matcher.advance_bytes(text.encode())  # the special tokens of the style are text in this vocabulary
    assert matcher.is_complete
    for wrong in (text.replace("now", "later"), text.replace('"Oslo"', "5"), text.replace("weather", "wether")):
        if wrong != text:
            with pytest.raises(gk.MatchError):
                Matcher(matcher.index).advance_bytes(wrong.encode())


@pytest.mark.parametrize("count", [4, *slow(10)])
@pytest.mark.parametrize("style", thinned(CALLS, 2))
def test_random_walks_end_in_calls(style, count):
    rng = random.Random(1)
    constraint = gk.tool_calls([weather, now], style, minimum=1)
    matcher = Matcher(constraint.compile(special_vocabulary()))
    for _ in range(count):
        walker, text = matcher.within(matcher.min_tokens_to_complete() + rng.randint(0, 40)), b""
        while not walker.is_over:
            token = rng.choice(walker.allowed_tokens().tolist())
            walker.advance(token)
            text += b"" if walker.is_finished else special_vocabulary().shown(token)
        pieces = constraint.parse(text.decode(errors="replace"))
        assert any(isinstance(piece, gk.Tagged) and piece.name in ("weather", "now") for piece in pieces)


def order(
    what: str,
    count: int,
    size: Literal["S", "L"] = "S",
    note: str | None = None,
    extras: list[str] = [],  # noqa: B006, as in many signatures
) -> str:
    """Never called here."""
    raise AssertionError(what, count, size, note, extras)


def test_arguments_that_are_written_one_by_one():
    calls = gk.tool_calls([order], "qwen3_coder", minimum=1, maximum=1)
    arguments = {
        "what": 'a "b"\n</param>, {c}',
        "count": "3",
        "size": "L",
        "note": "null",
        "extras": '["x\\ny", "z"]',
    }
    begin, end = "<tool_call>\n<function=order>\n", "</function>\n</tool_call>"

    def written(**values: str) -> str:
        listed = "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in values.items())
        return begin + listed + end

    found = {"what": 'a "b"\n</param>, {c}', "count": 3, "size": "L", "note": None, "extras": ["x\ny", "z"]}
    assert calls.parse(written(**arguments)) == [gk.Tagged("order", found)]
    assert calls.parse(written(what="", count="-1")) == [
        gk.Tagged("order", {"what": "", "count": -1, "size": "S", "note": None, "extras": []})
    ]
    for wrong in (
        written(count="3"),
        written(count="3", what="a"),
        written(count="3", what="a</parameter>b"),
        written(what="a", count="three"),
        written(what="a", count="1", size="M"),
        written(what="a", count="1", extras="x"),
        written(what="a", count="1", other="x"),
    ):
        with pytest.raises(gk.MatchError):
            calls.parse(wrong)
    before = {}
    text = written(**arguments | {"note": "nullify"})
    for length in range(len(text)):
        pieces = calls.partial(text[:length])
        value = pieces[-1].value if pieces else {}
        assert list(value)[: len(before)] == list(before)
        assert all(
            str(value[name]).startswith(str(one).removesuffix("]").removesuffix("'")) for name, one in before.items()
        )
        before = value
    assert before == found | {"note": "nullify"}


def test_numbers_of_calls():
    one = gk.tool_calls([now], "mistral", minimum=2, maximum=2)
    call = '{"name": "now", "arguments": {}}'
    assert one.parse(f"[TOOL_CALLS] [{call}, {call}]") == [NOW, NOW]
    with pytest.raises(gk.MatchError):
        one.parse(f"[TOOL_CALLS] [{call}]")


@pytest.mark.parametrize("style", ["hermes", "mistral"])
def test_only_the_tool_that_is_named_is_written(style):
    text = CALLS[style][0].replace("weather", "tool_7").replace("now", "tool_5").encode()
    written = []
    for count in (8, 128):
        tools = [{"name": f"tool_{number}", "parameters": {"type": "object"}} for number in range(count)]
        network = gk.tool_calls(tools, style, minimum=1).network()
        network.as_text = frozenset(network.specials)
        automaton = Automaton(network)
        path = automaton.advance(automaton.start, text)
        assert len(path) == len(text)
        assert automaton.is_complete(int(path[-1]))
        written.append(sum(rule.start >= 0 for rule in network.rules))
    assert written[1] < written[0] + 10


def test_tags_of_special_tokens():
    """They are opened by the token, and neither the token nor its name stands in the free text."""
    token = gk.special_token("<tool>")
    constraint = gk.tags([gk.tag(token, gk.regex("a"), gk.special_token("<end>"))])
    matcher = Matcher(constraint.compile(special_vocabulary()))
    assert set(matcher.allowed_tokens()) >= {TOOL, END, *range(0x20, 0x7F)}
    with pytest.raises(gk.MatchError):
        matcher.advance_bytes(b"x<tool>")
    matcher.advance_all([*b"x<tool", TOOL])
    assert matcher.allowed_tokens().tolist() == [ord("a")]
    matcher.advance_all([ord("a"), END])
    assert not matcher.is_finished
    assert constraint.parse("x<tool<tool>a<end>y") == ["x<tool", gk.Tagged("<tool>", "a"), "y"]


def test_a_special_token_as_text_opens_where_it_is_first_complete():
    opener = gk.special_token("<a<a", or_text=True)
    constraint = gk.tags([gk.tag(opener, gk.regex("b"), "!"), gk.tag("x<", gk.regex("c"), "!")])
    index = constraint.compile(special_vocabulary())
    for text, is_text in (("x<c!", True), ("<a<ab!", True), ("<a<a<ab!", False), ("x<a<ab!", False)):
        matcher = Matcher(index)
        try:
            matcher.advance_bytes(text.encode())
        except gk.MatchError:
            assert not is_text
        else:
            assert matcher.is_complete == is_text


def test_the_name_of_a_special_token_may_have_what_the_free_text_has_not():
    """The token is none of the free text, though its name is read with it."""
    tool, missing = (gk.special_token(name, or_text=True) for name in ("<tool>", "<xool>"))
    for opener in (tool, missing):
        constraint = gk.tags([gk.tag(opener, gk.regex("b"), "!")], without="<")
        matcher = Matcher(constraint.compile(special_vocabulary()))
        matcher.advance_all(b"a")
        assert not matcher.can_advance(ord("<")) or opener is missing
        matcher.advance_all([TOOL] if opener is tool else b"<xool>")
        matcher.advance_all(b"b!")
        assert matcher.is_complete
        assert constraint.parse(f"a{opener.source}b!") == ["a", gk.Tagged(opener.source, "b")]
    both = gk.tags([gk.tag("<t", gk.regex("b"), "!"), gk.tag(gk.special_token("<tool>"), gk.regex("b"), "!")])
    assert both.parse("a<tb!<tool>b!") == ["a", gk.Tagged("<t", "b"), gk.Tagged("<tool>", "b")]


def test_text_ends_at_the_first_end_that_is_complete():
    """The name of the token overlaps itself, and is text in this vocabulary."""
    end = gk.special_token("<a<", or_text=True)
    constraint = gk.tags([gk.tag("!", None, [end, "b"])], minimum=1, maximum=1, free_text="between")
    matcher = Matcher(constraint.compile(special_vocabulary()))
    matcher.advance_bytes(b"!x<a<b")
    assert matcher.is_over
    with pytest.raises(gk.MatchError):
        Matcher(matcher.index).advance_bytes(b"!x<a<a<b")
    assert constraint.parse("!x<a<b") == [gk.Tagged("!", "x")]


def test_reasoning_then_an_answer():
    constraint = gk.sequence(
        "<think>", gk.text(until="</think>", max_length=500), "\n", gk.json_schema(FUNCTION, whitespace="json")
    )
    assert constraint.parse('<think>ok</think>\n{"city": "Rome"}')[-1] == {"city": "Rome"}


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: gk.tags([]), OptionError, "some of what"),
        (lambda: gk.tags([gk.tag("a", None, "b")], minimum=2, maximum=1), OptionError, "between 2 and 1"),
        (lambda: gk.tags([gk.tag("ab", None, "b")], triggers=["a", "ab"]), OptionError, "'a' and 'ab'"),
        (lambda: gk.tags([gk.tag("ab", None, "b")], triggers=["b"]), OptionError, "no trigger"),
        (lambda: gk.tags([gk.tag("ab", None, "b")], triggers=["a", "c"]), OptionError, "'c'"),
        (
            lambda: gk.tags([gk.tag("abc", None, "d"), gk.tag("b", None, "d")]),
            OptionError,
            "'b' is complete before",
        ),
        (lambda: gk.tags([gk.tag("abc", None, "d")], without="b"), OptionError, "the free text is without 'b'"),
        (
            lambda: gk.tags([gk.tag(gk.special_token("<tool>", or_text=True), None, "d"), gk.tag("<t", None, "d")]),
            OptionError,
            "'<t' is complete before",
        ),
        (lambda: gk.tags([gk.tag("a", None, "b")], free_text="befor"), OptionError, "'before'"),
        (lambda: gk.tags([gk.tag("a", None, "b")], separator=",", without="x"), OptionError, "separator"),
        (lambda: gk.tags([gk.tag("", None, "b")]), OptionError, "nothing opens it"),
        (lambda: gk.tag(gk.regex("a"), None, "b"), OptionError, "begins with"),
        (lambda: gk.tag("a", None, ""), OptionError, "without content"),
        (lambda: gk.tag("a", "x", "b"), OptionError, "not str"),
        (lambda: gk.tool_calls([now], "herms"), OptionError, "'hermes'"),
        (lambda: gk.tool_calls([now, now], "hermes"), OptionError, "name of its own"),
        (lambda: coded({"type": "string", "pattern": "a"}), UnsupportedFeature, "'pattern'.*x, an argument of f"),
        (lambda: coded({"type": ["string", "integer"]}), UnsupportedFeature, "a text or a value of another type"),
        (
            lambda: gk.tool_calls([{"name": "f", "parameters": {"required": ["x"]}}], "glm4_5"),
            UnsupportedFeature,
            "x, which is required and not declared",
        ),
        (lambda: coded({"enum": ["a", 1]}), UnsupportedFeature, "not all are plain texts"),
        (lambda: coded({}), UnsupportedFeature, "a text or a value of another type"),
        (lambda: coded(True), UnsupportedFeature, "a text or a value of another type"),
        (
            lambda: gk.tool_calls([{"parameters": {}}], "hermes"),
            OptionError,
            r"tools\[0\] has no name: {'parameters': {}}; give ",
        ),
        (
            lambda: gk.tool_calls([{"name": "a"}, {"name": "a\nb"}], "hermes"),
            OptionError,
            r"tools\[1\]: the name of a tool is a text",
        ),
        (lambda: gk.tool_calls([now], "llama3", maximum=2), OptionError, "at most 1"),
        (lambda: gk.tool_calls([lambda a, /: a], "hermes"), UnsupportedFeature, "without a name in calls"),
        (lambda: gk.json_schema(isinstance), UnsupportedFeature, "not written in Python"),
    ],
)
def test_bad_tags_are_told_at_once(make, error, said):
    with pytest.raises(error, match=said):
        make()


def coded(schema):
    """The calls of a tool with one argument, written as Qwen3-Coder does it."""
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"x": schema}}}
    return gk.tool_calls([tool], "qwen3_coder")


@pytest.mark.slow
def test_tool_calls_over_a_real_vocabulary(shared_data):
    """`<tool_call>` is a token of text there, `<|im_end|>` a special one; no walk has a dead end."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(str(shared_data / "tokenizers" / "qwen2.5" / "tokenizer.json"))
    vocabulary = gk.Vocabulary.from_tokenizer(tokenizer, eos=tokenizer.token_to_id("<|im_end|>"))
    with pytest.raises(VocabularyError, match="a token of text"):
        gk.special_token("<tool_call>").compile(vocabulary)
    end = gk.special_token("<|im_end|>")
    constraint = gk.sequence(gk.tool_calls([weather, now], "hermes", minimum=1, maximum=3), end)
    matcher = Matcher(constraint.compile(vocabulary))
    rng = random.Random(0)
    for _ in range(6):
        walker, tokens = matcher.within(rng.randint(40, 60)), []
        while not walker.is_over:
            allowed = walker.allowed_tokens()
            tokens.append(int(allowed[rng.randrange(len(allowed))]))
            walker.advance(tokens[-1])
        assert tokens[-1] == tokenizer.token_to_id("<|im_end|>")
        text = b"".join(map(vocabulary.shown, tokens)).decode()
        pieces, closing = constraint.parse(text)
        assert 1 <= sum(isinstance(piece, gk.Tagged) for piece in pieces) <= 3
        assert closing == "<|im_end|>"
