"""`Think`: thoughts, or a sketch, that a model writes before its answer, with a budget and settings of their own.

The thoughts are a text of the model after the prompt, free or constrained, up to the tag that ends them. The answer is
generated after prompt, thoughts and tag, under its own constraint. Both are prefixes of one sequence, so the key-value
cache of the thoughts serves the answer.

Sources: reasoning before a constrained answer, Tam et al. 2024, "Let Me Speak Freely?"; the tag that is written for the
model when the budget ends, Muennighoff et al. 2025, "s1: Simple test-time scaling"; a free draft that conditions the
constrained text, "Draft-Conditioned Constrained Decoding", arXiv 2603.03305.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

import numpy as np

from guidance_kit.decoding.async_stream import AsyncStream
from guidance_kit.decoding.completion import Completion
from guidance_kit.decoding.options import GenerateOptions, Options
from guidance_kit.decoding.stream import Stream
from guidance_kit.errors import OptionError
from guidance_kit.grammars.composition import sequence
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.special_token import special_token
from guidance_kit.grammars.tag import Trigger, held_back
from guidance_kit.prompt import Prompt, is_conversation, prompt_tokens
from guidance_kit.text_model import TextModel
from guidance_kit.vocabulary import Vocabulary

__all__ = [
    "BEGIN", "BETWEEN", "END", "SKETCHED", "AnswerOptions", "AsyncThoughtStream", "Think", "ThoughtPlan",
    "ThoughtStream", "answer_seed", "think_of",
]  # fmt: skip

BEGIN, END, BETWEEN = "<think>\n", "</think>", "\n\n"
"""Tags of models whose chat template has none, and the text between the end of the thoughts and the answer."""

_ASKED = f"\n\nFirst think step by step, between {BEGIN.strip()} and {END}. Then give the answer alone."
_AS_RECORD = "Give the same answer in the format that was asked for, and nothing else."
SKETCHED = "\n\nThe same in the format that was asked for:\n"
"""Text between a sketch and the answer that continues it."""


class AnswerOptions(GenerateOptions, total=False):
    """Options of generation, with those of thoughts before the answer.

    The constraint and all other options are those of the answer; the thoughts have a budget and settings of their own,
    and are in `Completion.thoughts`.

    Attributes:
        think: True, a number of tokens, a constraint or a `Think`: the model thinks first, between the tags of its chat
            template, or `<think>` and `</think>`.
        sketch: True, a number of tokens or a `Think(is_sketch=True)`: the model writes the answer freely first, and the
            constrained answer reads it.
    """

    think: bool | int | Constraint | Think
    sketch: bool | int | Think


@dataclass(frozen=True, slots=True, kw_only=True)
class Think:
    """Settings of the thoughts before an answer.

    Args:
        tokens: maximum number of tokens of the thoughts, at least 1. When they are used up, the end of the thoughts is
            written for the model.
        constraint: constraint of the thoughts, which are complete then; None for any text up to the end.
        begin, end, between: texts around the thoughts, and between their end and the answer; special tokens by their
            names. None for those of the model's chat template; for a model without any `<think>` and `</think>`, which
            a conversation is then asked for.
        options: options of `generate` for the thoughts, as `{"temperature": 0.6, "top_p": 0.95}`; by default
            temperature 1. Those of the call are for the answer, besides `seed` and `logprobs`, which are for both.
        is_sketch: the thoughts are a free sketch of the answer, without tags; see `sketch` of `Model.generate`.
    Raises:
        OptionError: a value is out of range; an unknown option, or one of the call as a whole.
    """

    tokens: int = 512
    constraint: Constraint | None = None
    begin: str | None = None
    end: str | None = None
    between: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    is_sketch: bool = False

    def __post_init__(self) -> None:
        Options.from_keywords({"max_tokens": self.tokens})
        for name in ("max_tokens", "seed", "complete", "logprobs", "max_field_tokens"):
            if name in self.options:
                raise OptionError(f"{name} of thoughts is set by the call, or by tokens=")
        Options.from_keywords(self.options)
        if self.constraint is not None and not isinstance(self.constraint, Constraint):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError(f"the constraint of thoughts is a constraint, not {self.constraint!r}")
        if self.is_sketch and (self.begin is not None or self.end is not None or self.constraint is not None):
            raise OptionError("a sketch is free and has no tags; it takes tokens, between and options")
        if self.end == "":
            raise OptionError("the end of thoughts is a text that is not empty")

    def keywords(self, options: Options) -> dict[str, Any]:
        """Options of `generate` for the thoughts, beside those of the answer."""
        has_end = self.constraint is not None
        given = {"max_tokens": self.tokens, "seed": options.sampling.seed, "logprobs": options.logprobs}
        return {**self.options, **given, "complete": has_end}

    def joined(self, thoughts: Completion, answer: Completion, plan: ThoughtPlan) -> Completion:
        """Answer with its thoughts, and with the seed that repeats both."""
        text = thoughts.text.removesuffix(plan.end) if plan.end else thoughts.text
        own = replace(thoughts, text=text, constraint=self.constraint)
        return replace(answer, thoughts=own, seed=thoughts.seed, prompt_tokens=thoughts.prompt_tokens)

    def plan(self, model: TextModel, prompt: Prompt) -> ThoughtPlan:
        """Prompt and constraint of the thoughts before the answer to a prompt.

        Raises:
            ModelError, OptionError: as the encoding of the prompt.
        """
        if self.is_sketch:
            return _sketch_plan(self, model, prompt)
        tags = getattr(model, "reasoning_tags", None)
        begin, end, between = tags or (BEGIN, END, BETWEEN)
        begin = begin if self.begin is None else self.begin
        end = end if self.end is None else self.end
        between = between if self.between is None else self.between
        if is_conversation(prompt):
            messages = prompt if tags or self.begin is not None else _asked(prompt)
            tokens = model.chat(messages, **({"enable_thinking": True} if tags else {}))
        else:
            tokens = _tokens(model, prompt)
        written = b"".join(model.vocabulary.shown(token) for token in tokens[-32:]).decode(errors="replace")
        if not written.rstrip().endswith(begin.strip()) or not begin.strip():
            tokens = [*tokens, *_spelled(model, begin)]
        closing = _closing(end, model.vocabulary)
        if self.constraint is None:
            constraint = Trigger(end, closing).behind_text((end,))
        else:
            constraint = sequence(self.constraint, closing)
        return ThoughtPlan(tuple(tokens), constraint, end, _spelled(model, end), _spelled(model, between))


@dataclass(frozen=True, slots=True)
class ThoughtPlan:
    """Thoughts before the answer to one prompt.

    Attributes:
        prompt: token ids before the thoughts.
        constraint: constraint of the thoughts with the tag that ends them; None for a sketch.
        end: the tag; "" for a sketch, which the end of the sequence ends.
        closing: token ids of the tag, for thoughts that were cut.
        between: token ids between the thoughts and the answer.
        turns: conversation of the second turn, without the sketch; None if the answer continues the sequence.
    """

    prompt: tuple[int, ...]
    constraint: Constraint | None
    end: str
    closing: list[int]
    between: list[int]
    turns: tuple[TextModel, Prompt] | None = None

    def after(self, thoughts: Completion) -> list[int]:
        """Token ids before the answer."""
        if self.turns is not None:
            model, prompt = self.turns
            said = {"role": "assistant", "content": thoughts.text}
            asked = {"role": "user", "content": _AS_RECORD}
            return model.chat([*cast("Sequence[Mapping[str, Any]]", prompt), said, asked])
        vocabulary = thoughts.vocabulary
        ends = () if vocabulary is None else vocabulary.eos
        written = [token for token in thoughts.tokens if token not in ends]
        closing = [] if not self.end or thoughts.text.endswith(self.end) else self.closing
        return [*self.prompt, *written, *closing, *self.between]


def think_of(options: Mapping[str, Any]) -> tuple[Think | None, dict[str, Any]]:
    """Settings of thoughts among the options of a call, and the others.

    Raises:
        OptionError: `think` or `sketch` is of another type; both are given.
    """
    others = {name: value for name, value in options.items() if name not in ("think", "sketch")}
    found = [one for one in (_think(options), _sketch(options)) if one is not None]
    if len(found) > 1:
        raise OptionError("think and sketch exclude each other: a sketch is a thought, too")
    return (found[0] if found else None), others


def answer_seed(seed: int) -> int:
    """Seed of an answer, from that of its thoughts, so that their draws are independent."""
    return int(np.random.SeedSequence(seed, spawn_key=(0x7417,)).generate_state(1, np.uint64)[0]) >> 1


class _Writing(Protocol):
    """Stream of a text."""

    @property
    def text(self) -> str: ...

    @property
    def completion(self) -> Completion: ...


class _Thoughts:
    """Text of thoughts while they are written, without the tag that ends them.

    Args:
        stream: stream of the thoughts with the tag.
        end: the tag.
    """

    def __init__(self, stream: _Writing, end: str) -> None:
        self._stream = stream
        self._end = end
        self._shown = 0

    def released(self, *, is_over: bool) -> str:
        """New text since the last call; before the end without what may belong to the tag."""
        text = self._whole if is_over else self.text
        piece = text[self._shown :]
        self._shown = max(self._shown, len(text))
        return piece

    @property
    def text(self) -> str:
        """Text so far, without what may belong to the tag."""
        whole = self._whole
        return whole if not self._end or whole != self._stream.text else held_back(whole, [self._end])

    @property
    def _whole(self) -> str:
        return self._stream.text.removesuffix(self._end) if self._end else self._stream.text

    @property
    def completion(self) -> Completion:
        """Completion of the thoughts, with the tag."""
        return self._stream.completion


class ThoughtStream(Iterator[str]):
    """Iterator over the pieces of thoughts, without the tag that ends them.

    Args:
        stream: stream of the thoughts with the tag.
        end: the tag.
    """

    def __init__(self, stream: Stream, end: str) -> None:
        self._stream = stream
        self._thoughts = _Thoughts(stream, end)

    def __next__(self) -> str:
        while True:
            ended = next(self._stream, None) is None
            piece = self._thoughts.released(is_over=ended)
            if piece:
                return piece
            if ended:
                raise StopIteration

    @property
    def text(self) -> str:
        """Text so far, without what may belong to the tag."""
        return self._thoughts.text

    @property
    def completion(self) -> Completion:
        """Completion of the thoughts, with the tag."""
        return self._thoughts.completion


class AsyncThoughtStream:
    """Pieces of the thoughts before an answer of `AsyncModel.stream`; see `decoding.async_stream.AsyncThoughts`.

    Args:
        think: settings of the thoughts.
        begin: starts them; returns their stream and the plan of the answer.
    """

    def __init__(self, think: Think, begin: Callable[[], Awaitable[tuple[AsyncStream, ThoughtPlan]]]) -> None:
        self._think = think
        self._begin = begin
        self._running: tuple[AsyncStream, ThoughtPlan, _Thoughts] | None = None
        self._is_over = False

    async def next(self) -> str | None:
        """See `AsyncThoughts.next`."""
        if self._running is None:
            stream, plan = await self._begin()
            self._running = stream, plan, _Thoughts(stream, plan.end)
        stream, _, thoughts = self._running
        while not self._is_over:
            self._is_over = await anext(stream, None) is None
            piece = thoughts.released(is_over=self._is_over)
            if piece:
                return piece
        return None

    @property
    def text(self) -> str:
        """Thoughts so far."""
        return "" if self._running is None else self._running[2].text

    def before_answer(self) -> tuple[list[int], int]:
        """Token ids before the answer, and its seed."""
        assert self._running is not None
        stream, plan, _ = self._running
        return plan.after(stream.completion), answer_seed(stream.completion.seed)

    def joined(self, answer: Completion) -> Completion:
        """See `AsyncThoughts.joined`."""
        assert self._running is not None
        stream, plan, _ = self._running
        return self._think.joined(stream.completion, answer, plan)

    async def aclose(self) -> None:
        """See `AsyncThoughts.aclose`."""
        if self._running is not None:
            await self._running[0].aclose()


def _think(options: Mapping[str, Any]) -> Think | None:
    given = options.get("think", False)
    if given is None or given is False:
        return None
    if given is True:
        return Think()
    if isinstance(given, int):
        return Think(tokens=given)
    if isinstance(given, Constraint):
        return Think(constraint=given)
    if isinstance(given, Think) and not given.is_sketch:
        return given
    raise OptionError(f"think is True, a number of tokens, a constraint or a Think, not {given!r}")


def _sketch(options: Mapping[str, Any]) -> Think | None:
    given = options.get("sketch", False)
    if given is None or given is False:
        return None
    if given is True:
        return Think(is_sketch=True)
    if isinstance(given, int):
        return Think(tokens=given, is_sketch=True)
    if isinstance(given, Think) and given.is_sketch:
        return given
    raise OptionError(f"sketch is True, a number of tokens or a Think(is_sketch=True), not {given!r}")


def _sketch_plan(think: Think, model: TextModel, prompt: Prompt) -> ThoughtPlan:
    if is_conversation(prompt):
        return ThoughtPlan(tuple(model.chat(prompt)), None, "", [], [], (model, prompt))
    between = SKETCHED if think.between is None else think.between
    return ThoughtPlan(tuple(_tokens(model, prompt)), None, "", [], _spelled(model, between))


def _closing(end: str, vocabulary: Vocabulary) -> Constraint:
    """Constraint of the tag that ends thoughts: a special token, a text, or several of both."""
    names = sorted((name for name in vocabulary.special_names.values() if name and name in end), key=len, reverse=True)
    if not names or end in names:
        return special_token(end, or_text=True)
    pieces = re.split(f"({'|'.join(map(re.escape, names))})", end)
    return sequence(*(special_token(piece) if piece in names else piece for piece in pieces if piece))


def _asked(prompt: Prompt) -> list[Mapping[str, Any]]:
    """A conversation whose last message asks for thoughts."""
    *before, last = cast("Sequence[Mapping[str, Any]]", prompt)
    content = last.get("content")
    if not isinstance(content, str):
        raise OptionError("the last message of a conversation is a text, to which the request for thoughts is added")
    return [*before, {**last, "content": content + _ASKED}]


def _tokens(model: TextModel, prompt: Prompt) -> list[int]:
    encoded = model.encode(prompt) if isinstance(prompt, str) else cast("Sequence[int]", prompt)
    tokens = prompt_tokens(model, encoded)
    return tokens if tokens or model.start_token is None else [model.start_token]


def _spelled(model: TextModel, text: str) -> list[int]:
    """Token ids of a text in the middle of another one, in which names of special tokens are these tokens."""
    if any(name in text for name in model.vocabulary.special_names.values()):
        return model.encode(text, with_special_tokens=False)
    return model.spell(text) if text else []
