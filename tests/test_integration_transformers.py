"""In `generate` of transformers: guides, and our loop; the same texts, beams against all texts, what is refused."""

from __future__ import annotations

import re

import pytest
import torch
from loop_runs import Note
from marks import slow
from small_models import byte_tokenizer, random_weights, small_llama
from transformers import (
    LogitNormalization,
    LogitsProcessor,
    LogitsProcessorList,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
)

import guidance_kit as gk
from guidance_kit.errors import ConstraintError, FormulaError, MatchError, ModelError, OptionError, VocabularyError
from guidance_kit.guides.guide import Stage
from guidance_kit.integrations.transformers import GuideProcessor, guided_generate
from guidance_kit.models import TransformersModel

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
    for wrong in ({}, {"vocabulary": VOCABULARY, "formula": OURS}):
        with pytest.raises(OptionError, match="either formula"):
            GuideProcessor(INPUTS, **wrong)
    with pytest.raises(OptionError, match="has a prompt of its own; `generate` reads another one"):
        GuideProcessor(INPUTS, formula=OURS.given("x") + OURS)
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


# The whole loop


def ours(inputs=INPUTS, **options):
    """What our loop makes of a call of `generate`."""
    if "formula" not in options:
        options.setdefault("vocabulary", VOCABULARY)
    return PLAIN.generate(
        **inputs,
        **{
            "custom_generate": guided_generate,
            "pad_token_id": 0,
            "eos_token_id": list(VOCABULARY.eos),
            "do_sample": False,
            **options,
        },
    )


@pytest.mark.parametrize("length", [*slow(3), 16])
@pytest.mark.parametrize("name", CASES)
def test_the_loop_returns_what_generate_returns(name, length):
    """Token for token, with ends and padding, of a batch that is padded on the left."""
    processor = GuideProcessor(INPUTS, VOCABULARY, **CASES[name])
    options = {"max_new_tokens": length, "pad_token_id": 5, "do_sample": False, "eos_token_id": list(VOCABULARY.eos)}
    expected = PLAIN.generate(**INPUTS, logits_processor=[processor], return_dict_in_generate=True, **options)
    found = ours(**CASES[name], **options, return_dict_in_generate=True)
    assert type(found) is type(expected)
    assert torch.equal(found.sequences, expected.sequences)
    assert torch.equal(ours(**CASES[name], **options), expected.sequences)


def test_the_loop_is_plain_greedy_generation_on_the_bundled_model():
    model = gk.load(device="cpu")
    bundled = model.language_model
    schema = {"title": "Ticket", "properties": {"intent": {"enum": ["praise", "refund"]}}, "required": ["intent"]}
    tokens = [model.extraction_prompt(text, schema) for text in ("Thanks a lot!", "Please give me my money back.")]
    width = max(map(len, tokens))
    inputs = {
        "input_ids": torch.tensor([[0] * (width - len(row)) + row for row in tokens]),
        "attention_mask": torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in tokens]),
    }
    options = {"max_new_tokens": 24, "do_sample": False, "eos_token_id": list(bundled.vocabulary.eos)}
    expected = bundled.model.generate(**inputs, **options)
    found = bundled.model.generate(**inputs, **options, custom_generate=guided_generate, vocabulary=bundled.vocabulary)
    assert torch.equal(found, expected)
    assert all(len(set(row)) > 3 for row in found[:, width:].tolist())


@pytest.mark.parametrize("negative", [*slow(None), "the mat"])
def test_guidance_without_a_classifier_is_that_of_transformers(negative):
    """Where it is right: greedily, one text at a time."""
    formula = gk.classifier_free(OURS, None if negative is None else lambda prompt: negative, scale=1.8)
    moved = 0
    for prompt in PROMPTS:
        inputs = TOKENIZER(prompt, return_tensors="pt")
        options = {"max_new_tokens": 12, "do_sample": False}
        if negative is not None:
            options["negative_prompt_ids"] = TOKENIZER(negative, return_tensors="pt")["input_ids"]
        expected = texts(inputs, GuideProcessor(inputs, VOCABULARY), **options, guidance_scale=1.8)
        found = formula.generate(prompt, max_tokens=12, temperature=0)
        assert up_to_the_end(list(found.tokens)) == expected[0]
        moved += found.tokens != OURS.generate(prompt, max_tokens=12, temperature=0).tokens
    assert moved


class Added(LogitsProcessor):
    """The slow twin of proxy-tuning: two more models, read from the start at each step."""

    def __init__(self, tuned, untuned) -> None:
        self.models = tuned, untuned

    def __call__(self, input_ids, scores):
        tuned, untuned = (model(input_ids).logits[:, -1].log_softmax(-1) for model in self.models)
        return scores.log_softmax(-1) + 1.5 * (tuned - untuned)


@torch.inference_mode()
def test_formulas_go_through_generate():
    base = gk.Model(TransformersModel(random_weights("Llama"), byte_tokenizer()))
    tuned, untuned = (
        gk.Model(TransformersModel(random_weights(name), byte_tokenizer())) for name in ("GPT-2", "Qwen 2")
    )
    formula = base + 1.5 * (tuned - untuned)
    plain, eos = base.language_model.model, list(formula.vocabulary.eos)
    options = {"eos_token_id": eos, "pad_token_id": 0, "do_sample": False, "max_new_tokens": 12}
    for prompt in PROMPTS:
        inputs = {"input_ids": torch.tensor([base.language_model.encode(prompt)])}
        twin = Added(tuned.language_model.model, untuned.language_model.model)
        constraint = gk.regex("[a-z ]{6,20}")
        found = plain.generate(
            **inputs, **options, custom_generate=guided_generate, formula=formula, constraint=constraint
        )
        processor = GuideProcessor(inputs, formula.vocabulary, constraint=constraint)
        assert torch.equal(found, plain.generate(**inputs, **options, logits_processor=[twin, processor]))


@torch.inference_mode()
@pytest.mark.parametrize(
    "options", [{"num_beams": 4, "num_return_sequences": 3}, *slow({"prompt_lookup_num_tokens": 3}, {})], ids=str
)
def test_formulas_in_beams_and_assisted_generation(options):
    """As a processor that keeps nothing, and reads the other models from the start at each step."""
    base = gk.Model(TransformersModel(random_weights("Llama"), byte_tokenizer()))
    tuned, untuned = (
        gk.Model(TransformersModel(random_weights(name), byte_tokenizer())) for name in ("GPT-2", "Qwen 2")
    )
    formula = base + 1.5 * (tuned - untuned)
    settings = {"eos_token_id": list(formula.vocabulary.eos), "pad_token_id": 0, "max_new_tokens": 8, **options}
    for prompt in PROMPTS[1:]:
        inputs = {"input_ids": torch.tensor([base.language_model.encode(prompt)])}
        for case in ({}, {"constraint": gk.regex("[a-z ]{4,20}"), "guides": [base.logit_bias({"e": 1.0})]}):
            twin = [Added(tuned.language_model.model, untuned.language_model.model), LogitNormalization()]
            twin.append(GuideProcessor(inputs, formula.vocabulary, **case))
            expected = base.language_model.model.generate(**inputs, **settings, do_sample=False, logits_processor=twin)
            ours = GuideProcessor(inputs, formula=formula, **case)
            found = base.language_model.model.generate(**inputs, **settings, do_sample=False, logits_processor=[ours])
            assert torch.equal(found, expected)


def test_nan_in_the_scores_names_the_base_and_the_prompt():
    scores = torch.zeros(len(PROMPTS), VOCABULARY.rows)
    scores[1, 5] = torch.nan
    with pytest.raises(FormulaError, match=r"is nan for token \d+ \(row 1, after 0 generated tokens\)") as caught:
        GuideProcessor(INPUTS, formula=OURS + OURS.given(lambda prompt: prompt))(INPUTS["input_ids"], scores)
    assert caught.value.term == str(OURS.formula)
    assert caught.value.__notes__ == ["prompt 1"]


def test_a_formula_truncates_among_what_the_constraint_leaves():
    inputs = TOKENIZER(PROMPTS, return_tensors="pt", padding=True)
    formula = OURS.keep(top_k=1)
    processor = GuideProcessor(inputs, formula=formula, constraint=FINITE)
    expected = formula.generate(PROMPTS, FINITE, temperature=0, max_tokens=16)
    found = texts(inputs, processor, do_sample=False, max_new_tokens=16)
    assert found == [up_to_the_end(list(one.tokens)) for one in expected]


@pytest.mark.parametrize(
    "settings", [*slow({"no_repeat_ngram_size": 1}), {"no_repeat_ngram_size": 2, "min_new_tokens": 9}]
)
def test_the_loop_keeps_settings_of_length_and_repetition(settings):
    """Token for token; and without them the texts are others, the negative control."""
    inputs = TOKENIZER(PROMPTS[:1], return_tensors="pt")
    options = {"max_new_tokens": 60, "pad_token_id": 5, "do_sample": False, "eos_token_id": list(VOCABULARY.eos)}
    processor = GuideProcessor(inputs, VOCABULARY)  # which forbids padding rows
    expected = PLAIN.generate(**inputs, **options, **settings, logits_processor=[processor])
    assert torch.equal(ours(inputs, **options, **settings), expected)
    assert not torch.equal(ours(inputs, **options), expected)


def test_the_loop_ends_no_text_too_early():
    processor = GuideProcessor(INPUTS, VOCABULARY, constraint=gk.regex("[a-z ]*"), guides=gk.LogitBias({(0,): 50.0}))
    options = {"max_new_tokens": 8, "pad_token_id": 5, "do_sample": False, "eos_token_id": [0]}
    for settings in ({"min_new_tokens": 3}, {"min_length": WIDTH + 2}):
        expected = PLAIN.generate(**INPUTS, logits_processor=[processor], **options, **settings)
        found = ours(constraint=gk.regex("[a-z ]*"), guides=gk.LogitBias({(0,): 50.0}), **options, **settings)
        assert torch.equal(found, expected)
        assert found.shape[1] > WIDTH + 1


SHAPES = [
    {"temperature": 0.7, "top_k": 5, "top_p": 0.95, "min_p": 0.02},
    {"typical_p": 0.6, "epsilon_cutoff": 0.003, "eta_cutoff": 0.004, "top_k": 0},
]


@pytest.mark.parametrize("count", [1000, *slow(4000)])
@pytest.mark.parametrize("shapes", SHAPES)
def test_the_loop_draws_as_generate_does(count, shapes):
    """Frequencies of the first token, and where they come from."""
    inputs = TOKENIZER(PROMPTS[:1], return_tensors="pt")
    options = {"do_sample": True, "max_new_tokens": 1, **shapes}
    torch.manual_seed(3)
    drawn = ours(inputs, **options, num_return_sequences=count)[:, -1]
    torch.manual_seed(3)
    assert torch.equal(ours(inputs, **options, num_return_sequences=count)[:, -1], drawn)
    assert not torch.equal(ours(inputs, **options, num_return_sequences=count)[:, -1], drawn)
    processor = GuideProcessor(inputs, VOCABULARY)
    output = PLAIN.generate(
        **inputs,
        **options,
        logits_processor=[processor],
        pad_token_id=0,
        return_dict_in_generate=True,
        output_scores=True,
        eos_token_id=[0],
    )
    chances = output.scores[0][0].double().softmax(-1)
    found = torch.bincount(drawn, minlength=len(chances)) / count
    assert found[chances == 0].sum() == 0
    # Five standard deviations of a frequency.
    assert ((found - chances).abs() <= 5 * (chances * (1 - chances) / count).sqrt()).all()


def test_the_loop_completes_texts():
    constraint = gk.json_schema({"type": "array", "items": {"type": "integer"}, "minItems": 2})
    for row in ours(constraint=constraint, complete=True, max_new_tokens=8):
        constraint.parse(VOCABULARY.text_of(row[WIDTH:].tolist()).decode())


REFUSED = [
    ({"num_beams": 2}, OptionError, r"ask for beam_search \(num_beams=2\); leave custom_generate out and use a Guide"),
    ({"prompt_lookup_num_tokens": 3}, OptionError, "ask for assisted_generation"),
    ({"repetition_penalty": 1.2}, OptionError, "a RepetitionPenaltyLogitsProcessor cannot act .* take a guide"),
    ({"top_h": 0.5, "do_sample": True}, OptionError, "a TopHLogitsWarper cannot act"),
    ({"logits_processor": LogitsProcessorList([TopKLogitsWarper(3), TemperatureLogitsWarper(0.5)])}, OptionError,
     "a TemperatureLogitsWarper cannot act"),
    ({"max_time": 5.0}, OptionError, "a MaxTimeCriteria cannot end texts"),
    ({"return_dict_in_generate": True, "output_scores": True, "output_logits": True}, OptionError,
     "gives no output_scores, output_logits; `Model.generate` has logprobs"),
    ({"eos_token_id": [5, 0]}, OptionError, r"end with the tokens \[0, 5\] for `generate`, with \[0.* vocabulary"),
    ({"vocabulary": None}, OptionError, "give guided_generate either formula=.*or vocabulary="),
    ({"formula": OURS, "vocabulary": VOCABULARY}, OptionError, "give guided_generate either"),
    ({"formula": gk.Model(small_llama())}, ModelError, "that is not the base of the formula LlamaForCausalLM"),
    ({"constraint": [WORDS] * 2}, OptionError, "2 constraints for 3 prompts"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "kind", "message"), REFUSED, ids=lambda value: str(value)[:40])
def test_what_the_loop_cannot_honour_is_refused_by_name(options, kind, message):
    with pytest.raises(kind, match=message):
        ours(**options, max_new_tokens=4)


def test_inputs_that_the_loop_refuses():
    with pytest.raises(OptionError, match="padded on the left"):
        ours(TOKENIZER(PROMPTS, return_tensors="pt", padding=True, padding_side="right"), max_new_tokens=4)
    inputs = TOKENIZER(PROMPTS[:1], return_tensors="pt")
    begun = PLAIN.generate(**inputs, max_new_tokens=2, do_sample=False, return_dict_in_generate=True, pad_token_id=0)
    longer = {"input_ids": begun.sequences, "past_key_values": begun.past_key_values}
    with pytest.raises(OptionError, match="leave past_key_values out and give all tokens"):
        ours(longer, max_new_tokens=2)
    embeddings = PLAIN.get_input_embeddings()(inputs["input_ids"])
    with pytest.raises(OptionError, match="nothing on to the model but tokens, and not inputs_embeds"):
        ours({"inputs_embeds": embeddings, "attention_mask": inputs["attention_mask"]}, max_new_tokens=2)
