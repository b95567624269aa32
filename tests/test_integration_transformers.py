"""Guides in `generate` of transformers: the same texts as ours, beams against all texts, purity, what is refused."""

from __future__ import annotations

import re

import pytest
import torch
from loop_runs import Note
from small_models import small_llama

import guidance_kit as gk
from guidance_kit.errors import ConstraintError, MatchError, ModelError, OptionError, VocabularyError
from guidance_kit.guides.guide import Stage
from guidance_kit.integrations.transformers import GuideProcessor

torch.set_num_threads(1)

OURS = gk.Model(small_llama())
PLAIN = OURS.language_model.model
TOKENIZER = OURS.language_model.tokenizer
TOKENIZER.padding_side, TOKENIZER.pad_token = "left", TOKENIZER.eos_token
VOCABULARY = OURS.vocabulary
PROMPTS = ["the cat", "a", "the mat on the cat"]
INPUTS = TOKENIZER(PROMPTS, return_tensors="pt", padding=True)
WIDTH = INPUTS["input_ids"].shape[1]
WORDS = gk.regex("(cat|mat|hat)( (cat|mat|hat))*")
FINITE = gk.choice(["cat", "cats", "the mat", "hello", "a hat"])


def texts(inputs, processor, **options) -> list[list[int]]:
    """What transformers generates, up to the end of the sequence."""
    found = PLAIN.generate(
        **inputs, logits_processor=[processor], pad_token_id=0, eos_token_id=list(VOCABULARY.eos), **options
    )
    return [up_to_the_end(row[inputs["input_ids"].shape[1] :]) for row in found.tolist()]


def up_to_the_end(tokens: list[int]) -> list[int]:
    return tokens[: next((place for place, token in enumerate(tokens) if token in VOCABULARY.eos), len(tokens))]


def guides():
    return [OURS.logit_bias({"cat": 1.0, " hat": -2.0, "t": 3.0}), gk.Penalties(presence=0.5, repetition=1.2)]


CASES = {
    "constraint": {"constraint": WORDS},
    "constraints": {"constraint": [WORDS, FINITE, gk.regex("[a-z]{12}")]},
    "guides": {"guides": guides()},
    "both": {"constraint": FINITE, "guides": guides()},
    "nothing": {},
}


@pytest.mark.parametrize("name", CASES)
def test_greedy_texts_are_ours(name):
    """Token for token, in a padded batch, whose processor may be used again."""
    case = CASES[name]
    processor = GuideProcessor(INPUTS, VOCABULARY, **case)
    expected = OURS.generate(PROMPTS, temperature=0, max_tokens=16, **case)
    for _ in range(2):
        found = texts(INPUTS, processor, do_sample=False, max_new_tokens=16)
        assert found == [up_to_the_end(list(one.tokens)) for one in expected]


def test_samples_keep_to_the_constraint():
    processor = GuideProcessor(INPUTS, VOCABULARY, constraint=[FINITE, WORDS, FINITE])
    torch.manual_seed(1)
    found = texts(INPUTS, processor, do_sample=True, num_return_sequences=8, max_new_tokens=60)
    spelled = [VOCABULARY.text_of(tokens).decode() for tokens in found]
    assert {text for row in (0, 2) for text in spelled[8 * row : 8 * row + 8]} <= FINITE_TEXTS
    assert len(set(spelled)) > 4
    assert all(re.match(r"(cat|mat|hat)\b", text) for text in spelled[8:16])


FINITE_TEXTS = {"cat", "cats", "the mat", "hello", "a hat"}


def spellings(text: bytes) -> list[list[int]]:
    """All ways to write a text in tokens."""
    if not text:
        return [[]]
    starts = [token for token, own in enumerate(VOCABULARY.token_bytes) if own and text.startswith(own)]
    return [[token, *rest] for token in starts for rest in spellings(text[len(VOCABULARY.token_bytes[token]) :])]


@torch.inference_mode()
def logprob(prompt: list[int], tokens: list[int]) -> float:
    """What the model gives to tokens and the end of the sequence."""
    logits = PLAIN(torch.tensor([[*prompt, *tokens]])).logits[0].log_softmax(-1)
    return sum(float(logits[len(prompt) - 1 + place, token]) for place, token in enumerate([*tokens, 0]))


def test_beams_find_the_likeliest_text():
    """With as many beams as there are texts to choose from; some of them die, as there are not that many."""
    everything = [way for text in ("cat", "mat", "a hat") for way in spellings(text.encode())]
    constraint = gk.choice(["cat", "mat", "a hat"])
    for prompt in PROMPTS:
        inputs = TOKENIZER([prompt], return_tensors="pt")
        processor = GuideProcessor(inputs, VOCABULARY, constraint=constraint)
        found = texts(
            inputs,
            processor,
            num_beams=40,
            num_return_sequences=4,
            do_sample=False,
            max_new_tokens=8,
            length_penalty=0.0,
        )
        ids = inputs["input_ids"][0].tolist()
        ordered = sorted(everything, key=lambda way, ids=ids: -logprob(ids, way))
        assert found == ordered[:4]


def test_what_it_does_depends_on_the_tokens_alone():
    """Rows in any order, repeated, taken back: as a processor that knows nothing yet."""
    case = {"constraint": WORDS, "guides": guides()}
    inputs = TOKENIZER(PROMPTS[:1], return_tensors="pt")
    used = GuideProcessor(inputs, VOCABULARY, **case)
    generator = torch.Generator().manual_seed(2)
    path = OURS.language_model.encode("cat hat mat", with_special_tokens=False)
    ids = inputs["input_ids"]
    for _ in range(60):
        length = int(torch.randint(0, len(path) + 1, (), generator=generator))
        rows = int(torch.randint(1, 4, (), generator=generator))
        given = torch.cat([ids, torch.tensor([path[:length]], dtype=torch.int64)], dim=1).expand(rows, -1)
        scores = torch.randn(rows, VOCABULARY.rows, generator=generator)
        assert torch.equal(used(given, scores), GuideProcessor(inputs, VOCABULARY, **case)(given, scores))


def test_beams_with_dead_rows_and_ended_rows():
    inputs = TOKENIZER(PROMPTS[:1], return_tensors="pt")
    processor = GuideProcessor(inputs, VOCABULARY, constraint=gk.choice(["c"]))
    c, other = (OURS.language_model.encode(text, with_special_tokens=False)[0] for text in ("c", "m"))
    start = inputs["input_ids"].expand(3, -1)
    rows = torch.cat([start, torch.tensor([[c, 0], [c, c], [other, 0]])], dim=1)
    found = processor(rows, torch.zeros(3, VOCABULARY.rows))
    assert found[0].isfinite().nonzero().flatten().tolist() == [0]
    assert not found[1:].isfinite().any()


def test_assisted_generation_gives_the_same():
    inputs = TOKENIZER(PROMPTS[:1], return_tensors="pt")
    processor = GuideProcessor(inputs, VOCABULARY, constraint=WORDS)
    plain = texts(inputs, processor, do_sample=False, max_new_tokens=16)
    assert texts(inputs, processor, do_sample=False, max_new_tokens=16, prompt_lookup_num_tokens=3) == plain


def test_refusals():
    with pytest.raises(OptionError, match="2 constraints for 3 prompts"):
        GuideProcessor(INPUTS, VOCABULARY, constraint=[WORDS, WORDS])
    with pytest.raises(OptionError, match="padded on the left"):
        GuideProcessor(TOKENIZER(PROMPTS, return_tensors="pt", padding=True, padding_side="right"), VOCABULARY)
    with pytest.raises(OptionError, match="a watermark comes after truncation"):
        GuideProcessor(INPUTS, VOCABULARY, guides=[Note(Stage.WATERMARK, [])])
    processor = GuideProcessor(INPUTS["input_ids"][:1], VOCABULARY, constraint=FINITE)
    scores = torch.zeros(1, VOCABULARY.rows)
    with pytest.raises(VocabularyError, match="320 rows in the vocabulary, 319 in the scores"):
        processor(INPUTS["input_ids"][:1], scores[:, 1:])
    with pytest.raises(ModelError, match="the 1 rows of `generate` do not begin with the 1 prompts"):
        processor(INPUTS["input_ids"][1:2], scores)
    with pytest.raises(MatchError, match="prompt 0 went on with a token that the constraint forbids"):
        processor(torch.cat([INPUTS["input_ids"][:1], torch.tensor([[0]])], dim=1), scores)
    with pytest.raises(ConstraintError, match="no token is left after prompt 0 and 0 tokens"):
        processor(INPUTS["input_ids"][:1], scores - torch.inf)
