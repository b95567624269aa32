"""Formulas over models with caches: whatever is asked, the answer is that of full forward passes without any cache."""

from __future__ import annotations

import random

import pytest
import torch
from marks import slow
from random_questions import script
from small_models import random_model, random_weights, recomputed

from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.model import Model
from guidance_kit.models.forward import Forward
from guidance_kit.steering import named
from guidance_kit.steering.context import as_chat
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula, maximum
from guidance_kit.steering.schedules import entropy_gate, first_tokens

TOLERANCE = 1e-4  # logits deviate by 1e-5 from rounding alone, and are added with weights up to 3


@pytest.fixture
def trio():
    """A large model and two small ones, of three architectures."""
    return [random_model(name) for name in ("Llama", "GPT-2", "Mistral")]


@pytest.fixture
def blocks(monkeypatch) -> list[tuple[str, tuple[int, int]]]:
    """Architecture and shape of all blocks that go through a model."""
    seen: list[tuple[str, tuple[int, int]]] = []
    real = Forward.__call__

    def counted(self, tokens, **settings):
        seen.append((type(self.model).__name__, tuple(tokens.shape)))
        return real(self, tokens, **settings)

    monkeypatch.setattr(Forward, "__call__", counted)
    return seen


def logs(model, prefixes, positions=1) -> torch.Tensor:
    """Log-probabilities without cache: float64, (batch, positions, rows)."""
    return recomputed(model, prefixes, positions).double().log_softmax(-1)


def close(actual: torch.Tensor, expected: torch.Tensor) -> None:
    assert actual.shape == expected.shape
    actual, expected = actual.double().log_softmax(-1), expected.double().log_softmax(-1)
    forbidden = expected == -torch.inf
    assert torch.equal(forbidden, actual == -torch.inf)
    assert (actual - expected).masked_fill(forbidden, 0).abs().max() <= TOLERANCE


@pytest.mark.parametrize("questions", [15, *slow(60)])
def test_random_questions(trio, questions):
    """Questions of a decoder: rows go on, go back, branch, end, come anew; steps and blocks."""
    base, tuned, untuned = map(Formula.of, trio)
    ensemble = Ensemble(base + 1.5 * (tuned - untuned) + 0.5 * maximum(base, tuned))
    for prefixes, positions in script(seed=3, questions=questions):
        first, second, third = (logs(model, prefixes, positions) for model in trio)
        expected = first + 1.5 * (second - third) + 0.5 * torch.maximum(first, second)
        close(ensemble.logits(prefixes, positions), expected)


def texts(seed: int, questions: int):
    """Prompts, and what was generated after each: rows go on, go back, end, change places, together or not."""
    rng = random.Random(seed)
    new = lambda count: [rng.randrange(256) for _ in range(count)]  # noqa: E731
    prompts = [new(rng.randint(1, 9)) for _ in range(3)]
    rows = [(prompt, list[int]()) for prompt in prompts]
    for _ in range(questions):
        yield [list(prompt) for prompt, _ in rows], [list(tokens) for _, tokens in rows]
        change = rng.choice(["step"] * 5 + ["ragged", "back", "drop", "again", "shuffle"])
        if change == "step":
            rows = [(prompt, tokens + new(1)) for prompt, tokens in rows]
        elif change == "ragged":
            rows = [(prompt, tokens + new(rng.randint(0, 5))) for prompt, tokens in rows]
        elif change == "back":
            rows = [(prompt, tokens[: rng.randint(0, len(tokens))]) for prompt, tokens in rows]
        elif change == "drop" and len(rows) > 1:
            rows = rows[1:]
        elif change == "again":
            rows = [*rows, (rng.choice(prompts), new(rng.randint(0, 3)))][-4:]
        else:
            rows = rng.sample(rows, len(rows))


@pytest.mark.parametrize("questions", [12, *slow(50)])
def test_random_texts_with_prompts_of_their_own(trio, questions):
    """One model reads three prompts, another its own, and weights change along the text."""
    large, small, _ = trio
    base, tuned = Formula.of(large), Formula.of(small)
    formula = (
        base
        + 0.5 * (base.given(lambda prompt: [7, *prompt, 8]) - base.given(lambda prompt: [9]))
        + first_tokens(4) * (tuned.given(lambda prompt: [1, 2, 3, *prompt]) - base)
    )
    ensemble = Ensemble(formula)
    for prompts, tokens in texts(seed=1, questions=questions):
        prefixes = [[*prompt, *new] for prompt, new in zip(prompts, tokens, strict=True)]
        positions = min(2, 1 + min(map(len, tokens)))
        framed, alone, told = (
            [[*own(prompt), *new] for prompt, new in zip(prompts, tokens, strict=True)]
            for own in (lambda prompt: [7, *prompt, 8], lambda _: [9], lambda prompt: [1, 2, 3, *prompt])
        )
        plain = logs(large, prefixes, positions)
        expected = plain + 0.5 * (logs(large, framed, positions) - logs(large, alone, positions))
        early = torch.tensor(
            [[len(new) - back < 4 for back in range(positions - 1, -1, -1)] for new in tokens], dtype=torch.float64
        )
        expected = expected + early[..., None] * (logs(small, told, positions) - plain)
        close(ensemble.logits(prefixes, positions, starts=[len(prompt) for prompt in prompts]), expected)


def test_a_text_scored_by_classes(trio):
    """Bayes' rule from every generated token, without a cache."""
    large, small, third = trio
    base, good, bad = Formula.of(large), Formula.of(small), Formula.of(third)
    formula = named.gedi(base, good, bad, omega=3.0, priors=[0.3, 0.7], is_averaged=False)
    ensemble = Ensemble(formula)
    for prompts, tokens in texts(seed=2, questions=8):
        prefixes = [[*prompt, *new] for prompt, new in zip(prompts, tokens, strict=True)]
        expected = []
        for _, new, prefix in zip(prompts, tokens, prefixes, strict=True):
            scores = []
            for model, prior in ((small, 0.3), (third, 0.7)):
                each = logs(model, [prefix], len(new) + 1)[0]
                passed = sum(float(row[token]) for row, token in zip(each, new, strict=False))
                scores.append(torch.tensor(prior).log() + passed + each[-1])
            posterior = torch.stack(scores).log_softmax(0)[0]
            expected.append(logs(large, [prefix])[0, 0] + 3 * posterior)
        starts = [len(prompt) for prompt in prompts]
        close(ensemble.logits(prefixes, starts=starts), torch.stack(expected)[:, None])


# What it costs


def test_a_step_is_one_column_of_each_model(trio, blocks):
    base, tuned, untuned = map(Formula.of, trio)
    ensemble = Ensemble(base + (tuned - untuned))
    rows = [[1, 2, 3], [4, 5]]
    ensemble.logits(rows)
    blocks.clear()
    for token in range(3):
        rows = [[*row, token] for row in rows]
        ensemble.logits(rows)
    names = [type(model.model).__name__ for model in trio]
    assert blocks == [(name, (2, 1)) for name in names] * 3


def test_terms_that_share_weights_are_rows_of_one_pass(trio, blocks):
    model = Formula.of(trio[0])
    ensemble = Ensemble(model * 1.5 - 0.5 * model.given(lambda prompt: [9, 9]))
    rows = [[1, 2, 3], [4, 5, 6]]
    ensemble.logits(rows, starts=[3, 3])
    blocks.clear()
    for token in range(3):
        rows = [[*row, token] for row in rows]
        ensemble.logits(rows, starts=[3, 3])
    # Equal prompts are computed once while nothing tells them apart: here the rows of the second prompt are equal.
    assert blocks == [("LlamaForCausalLM", (3, 1))] * 3


def test_a_model_without_weight_rests_and_catches_up(trio, blocks):
    base, tuned = Formula.of(trio[0]), Formula.of(trio[1])
    ensemble = Ensemble(base + first_tokens(2) * tuned)
    prefix = [1, 2, 3]
    for token in range(4):
        ensemble.logits([prefix], starts=[3])
        prefix = [*prefix, token]
    assert [shape for name, shape in blocks if name == "GPT2LMHeadModel"] == [(1, 3), (1, 1)]
    close(ensemble.logits([prefix[:4]], starts=[3]), logs(trio[0], [prefix[:4]]) + logs(trio[1], [prefix[:4]]))


def test_a_closed_gate_saves_the_step(trio, blocks):
    base, tuned = Formula.of(trio[0]), Formula.of(trio[1])
    ensemble = Ensemble(base + entropy_gate(4.93) * tuned)
    entropies = []
    for token in range(8):
        prefix = [token, 3, 200 - token]
        ran = len(blocks)
        logits = ensemble.logits([prefix])
        chances = logs(trio[0], [prefix])
        entropies.append(float(-(chances.exp() * chances).sum()))
        asked = "GPT2LMHeadModel" in {name for name, _ in blocks[ran:]}
        assert asked == (entropies[-1] >= 4.93)
        close(logits, chances + asked * logs(trio[1], [prefix]))
    assert min(entropies) < 4.93 < max(entropies)


# The front door


@pytest.fixture
def doors(trio) -> list[Model]:
    return [Model(model) for model in trio]


def test_a_formula_of_models_is_a_model(doors):
    base, tuned, untuned = doors
    steered = base + 1.0 * (tuned - untuned)
    assert isinstance(steered, Model)
    assert steered.language_model is base.language_model
    one = steered.generate("the cat", max_tokens=8, temperature=0)
    prefix = base.language_model.encode("the cat")
    for token in one.tokens:
        first, second, third = (logs(door.language_model, [prefix])[0, 0] for door in doors)
        assert token == int((first + second - third)[:258].argmax())
        prefix.append(token)
    pieces = steered.stream("the cat", max_tokens=8, temperature=0)
    assert "".join(pieces) == one.text


def test_a_formula_that_is_the_model_changes_nothing(doors):
    base, tuned, untuned = doors
    options = {"max_tokens": 12, "seed": 4}
    plain = base.generate(["a", "bb"], **options)
    for same in (base + 0.0 * (tuned - untuned), base + 2.0 * (tuned - tuned), (base + base) / 2):
        assert [one.tokens for one in same.generate(["a", "bb"], **options)] == [one.tokens for one in plain]
    only = tuned + (base - tuned)
    assert [one.tokens for one in only.generate(["a", "bb"], **options)] == [one.tokens for one in plain]


def test_records_of_a_steered_model(doors):
    """A base filter, a prompt of its own and a schema: every text is completed, and a batch is its rows."""
    base, tuned, untuned = doors
    steered = named.dexperts(base, tuned.given("As JSON: "), untuned, alpha=1.5, top_p=0.5)
    schema = json_schema({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
    prompts = ["one", "twenty-two", "three hundred"]
    found = steered.generate(prompts, schema, max_tokens=24, complete=True, seed=7)
    assert all(isinstance(one.value["n"], int) for one in found)
    for prompt, one in zip(prompts, found, strict=True):
        alone = steered.generate(prompt, schema, max_tokens=24, complete=True, seed=one.seed)
        assert alone.tokens == one.tokens


def test_texts_before_the_prompt(doors):
    """A context may be a text: it is encoded together with the prompt, or put before ids without a second beginning."""
    base = doors[0]
    focused = base.given("context: ")
    expected = base.generate("context: hello", max_tokens=6, seed=1).tokens
    assert focused.generate("hello", max_tokens=6, seed=1).tokens == expected
    ids = base.language_model.encode("hello")
    assert focused.generate(ids, max_tokens=6, seed=1).tokens == expected
    several = base.given(["context: ", "other: "]).generate(["hello", "world"], max_tokens=6, temperature=0)
    alone = base.generate(["context: hello", "other: world"], max_tokens=6, temperature=0)
    assert [one.tokens for one in several] == [one.tokens for one in alone]


def test_a_chat_template_for_one_term():
    from small_models import small_llama

    model = Model(small_llama())
    answered = model.given(as_chat("Be kind.")).generate("the cat", max_tokens=5, temperature=0)
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "the cat"}]
    assert answered.tokens == model.chat(messages, max_tokens=5, temperature=0).tokens
    mixed = (model + (model.given(as_chat()) - model)).generate("the cat", max_tokens=5, temperature=0)
    assert mixed.tokens == model.chat(messages[1:], max_tokens=5, temperature=0).tokens


def test_weights_of_one_dtype_or_another(trio):
    """What half precision gives is added in float32; what float64 gives makes the sum one of float64."""
    large, small = trio[0], trio[1]
    ensemble = Ensemble(Formula.of(large) - 0.5 * Formula.of(small))
    assert ensemble.logits([[1, 2]]).dtype == torch.float32
    config = random_weights("GPT-2").config
    half = type(random_weights("GPT-2"))(config).to(torch.bfloat16)
    from guidance_kit.models import TransformersModel

    mixed = Ensemble(Formula.of(large) - 0.5 * Formula.of(TransformersModel(half, small.tokenizer)))
    assert mixed.logits([[1, 2]]).dtype == torch.float32


@pytest.mark.gpu
def test_models_on_two_devices():
    """What they give is moved to the device of the base, schedules and masks too."""
    import copy

    from guidance_kit.models import TransformersModel

    def model(name, device):
        made = random_model(name)
        return Model(TransformersModel(copy.deepcopy(made.model).to(device), made.tokenizer))

    def formula(first, second):
        base, expert = model("Llama", first), model("GPT-2", second)
        return first_tokens(3) * base.keep(top_p=0.9) + named.gedi(base, expert, base.given("x"), omega=0.5)

    options = {"max_tokens": 8, "temperature": 0}
    near, *far = (
        formula(*devices).generate(["ab", "c"], **options)
        for devices in (("cpu", "cpu"), ("cuda", "cpu"), ("cpu", "cuda"))
    )
    for found in far:
        assert [one.tokens for one in found] == [one.tokens for one in near]


class Elsewhere:
    """A model as if it were on a device of its own, which notes when it is asked."""

    def __init__(self, inner, device: str, asked: list[str]) -> None:
        self.inner, self.device, self.asked = inner, torch.device(device), asked
        self.name, self.vocabulary, self.rows, self.room = device, inner.vocabulary, inner.rows, inner.room

    def logits(self, prefixes, positions=1, *, starts=(), allowed=None):
        self.asked.append(self.name)
        return self.inner.logits(prefixes, positions)


def test_models_on_gpus_are_asked_before_those_on_a_cpu(trio):
    asked: list[str] = []
    devices = ("cpu", "cuda:0", "cuda:1")
    base, expert, anti = (Formula.of(Elsewhere(*pair, asked)) for pair in zip(trio, devices, strict=True))
    here = [Formula.of(model) for model in trio]
    prefixes, starts = [[1, 2, 3], [4, 5]], [1, 1]
    for formula, same, order in (
        (base + 2.0 * (expert - anti), here[0] + 2.0 * (here[1] - here[2]), ["cuda:0", "cuda:1", "cpu"]),
        (base + maximum(anti, expert), here[0] + maximum(here[2], here[1]), ["cuda:1", "cuda:0", "cpu"]),
        (expert + base + anti, here[1] + here[0] + here[2], ["cuda:0", "cuda:1", "cpu"]),
        (expert + anti, here[1] + here[2], ["cuda:0", "cuda:1"]),
        # one that may not be needed is not asked ahead
        (base + first_tokens(9) * anti, here[0] + first_tokens(9) * here[2], ["cpu", "cuda:1"]),
        (base + first_tokens(1) * anti + expert, here[0] + here[1], ["cuda:0", "cpu"]),
    ):
        asked.clear()
        close(Ensemble(formula).logits(prefixes, starts=starts), Ensemble(same).logits(prefixes, starts=starts))
        assert asked == order, str(formula)
