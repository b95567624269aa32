"""Steering of an engine's rows without the engine: in any schedule, a row is what our own evaluation gives for it."""

from __future__ import annotations

import dataclasses
import json
import logging
import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from steered_models import ANTI, BASE, EXPERT, OTHER
from toy_models import AB, ABC, EOS, A, B

import guidance_kit as gk
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import ModelError, OptionError, VocabularyError
from guidance_kit.integrations.vllm.steered_texts import SteeredRow, SteeredText, Steering, TermModels
from guidance_kit.integrations.vllm.steering_request import (
    ClassifierTerm,
    ExpertTerm,
    SteeringRequest,
    SteeringSettings,
    read_request,
    read_settings,
    settings_of_environment,
)
from guidance_kit.integrations.vllm.text_slots import MovedSlots, TokenSlots
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import Formula

SETTINGS = SteeringSettings(
    terms={
        "polite": ExpertTerm(kind="experts", expert="expert", anti_expert="anti"),
        "away": ExpertTerm(kind="experts", anti_expert="anti"),
        "tuned": ExpertTerm(kind="experts", expert="other", anti_expert="expert"),
        "kind": ClassifierTerm(kind="prefix_classifier", classifier="letters", labels=("kind",), top_k=3),
    }
)


@gk.on_tokens
def letters(rows: list[list[int]]) -> list[float]:
    """Log-probability of a class that likes B after AB, and short texts."""
    return [-0.1 * len(row) - (0.0 if row[-2:] == [AB, B] else 1.5 * (row[-1] == A)) for row in rows]


MODELS = TermModels({"expert": EXPERT, "anti": ANTI, "other": OTHER}, {"kind": letters})
STEERING = Steering(SETTINGS, MODELS, ABC)
REQUESTS = [
    {"weights": {"polite": 2.0}, "keep": {"top_p": 0.9}},
    {"weights": {"polite": 0.5}},
    {"weights": {"tuned": 1.0, "polite": -0.7}},
    {"weights": {"away": 1.5}, "keep": {"min_p": 0.05}},
    {"weights": {"kind": 3.0}},
    {"weights": {"kind": 2.0, "tuned": 1.0}, "keep": {"top_k": 4}, "presence": 0.5},
    {"weights": {"polite": 0.0}, "logit_bias": {str(B): 2.0}, "frequency": 0.3},
    {"logit_bias": {str(A): -3.0}, "repetition": 1.4},
    {},
]


def formula_of(request: SteeringRequest) -> Formula:
    """The formula of a request, as a user of our own loop writes it."""
    base, expert, anti, other = map(Formula.of, (BASE, EXPERT, ANTI, OTHER))
    keep = request.keep.model_dump(exclude_none=True) if request.keep else {}
    formula = base.keep(**keep) if keep else base
    weights = request.weights
    formula += weights.get("polite", 0.0) * (expert - anti)
    formula += weights.get("away", 0.0) * (base - anti)
    formula += weights.get("tuned", 0.0) * (other - expert)
    if weights.get("kind"):
        formula = gk.classifier_guided(formula, letters, alpha=weights["kind"], top_k=3)
    return formula


def expected(request: SteeringRequest, prompt: list[int], generated: list[int], mask: np.ndarray) -> np.ndarray:
    """Probabilities of our own loop for the next token: formula, guides, mask."""
    allowed = torch.tensor(mask)[None, None]
    logits = Ensemble(formula_of(request)).logits(
        [[*prompt, *generated]], starts=[len(prompt)], allowed=lambda device: allowed
    )[:, -1]
    for guide in request.guides:
        logits = guide.adjust(logits.float(), guide.advance(guide.start([prompt]), [generated]))
    return logits.masked_fill(~allowed[0], -torch.inf).softmax(-1)[0].double().numpy()


class Engine:
    """Requests with their tokens, and random masks of a constraint."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.made = 0

    def request(self) -> SimpleNamespace:
        """A request, steered or not, some of whose text is there already."""
        asked = self.rng.choice([None, *REQUESTS])
        self.made += 1
        return SimpleNamespace(
            name=self.made,
            asked=None if asked is None else SteeringRequest.model_validate(asked),
            prompt=self.rng.choices([A, B, AB], k=self.rng.randint(1, 3)),
            generated=self.rng.choices([A, B, AB], k=self.rng.randint(0, 2)),
        )

    def mask(self) -> np.ndarray:
        """Allowed tokens; never none, and no padding."""
        mask = np.zeros(ABC.rows, dtype=bool)
        mask[self.rng.sample([EOS, A, B, AB], k=self.rng.randint(1, 4))] = True
        return mask


def opening(request: SimpleNamespace) -> Any:
    return None if request.asked is None else lambda prompt: SteeredText(request.asked, prompt, [EOS])


def check(steering: Steering, rows: list[SteeredRow], truth: list[Any], engine: Engine) -> None:
    """Steer rows, and compare each with our own evaluation; rows that are not steered stay as they are."""
    masks = [engine.mask() for _ in truth]
    logits = torch.cat([
        BASE.logits([[*prompt, *generated]])[0].float().masked_fill(~torch.tensor(mask), -torch.inf)
        for (_, prompt, generated), mask in zip(truth, masks, strict=True)
    ])  # fmt: skip
    before = logits.clone()
    steering.adjust(logits, rows)
    for row, ((asked, prompt, generated), mask) in enumerate(zip(truth, masks, strict=True)):
        if asked is None:
            assert torch.equal(logits[row], before[row])
            continue
        found = logits[row].double().softmax(-1).numpy()
        np.testing.assert_allclose(found, expected(asked, prompt, generated, mask), atol=2e-6)
        assert not found[~mask].any()


@given(st.randoms(use_true_random=False))
@settings(max_examples=settings.default.max_examples // 4)
def test_rows_of_the_first_runner(rng: random.Random):
    """Requests join, leave, are preempted and come back, move and change places, and share rows with others."""
    engine, slots = Engine(rng), MovedSlots()
    batch: dict[int, SimpleNamespace] = {}
    waiting: list[SimpleNamespace] = []
    for _ in range(6):
        removed = [index for index in batch if rng.random() < 0.25]
        for index in removed:
            request = batch.pop(index)
            if rng.random() < 0.5:  # preempted
                waiting.append(request)
        added = []
        for _ in range(rng.randint(0, 3)):
            request = waiting.pop() if waiting and rng.random() < 0.5 else engine.request()
            index = next(number for number in range(10**6) if number not in batch)
            batch[index] = request
            added.append((index, opening(request), list(request.prompt), request.generated))
            removed = [one for one in removed if one != index]
        moved = []
        while batch and max(batch) >= len(batch):
            last, hole = max(batch), min(set(range(max(batch))) - set(batch))
            batch[hole] = batch.pop(last)
            moved.append((last, hole, SimpleNamespace(name="UNIDIRECTIONAL")))
        if len(batch) > 1 and rng.random() < 0.5:
            one, other = rng.sample(sorted(batch), 2)
            batch[one], batch[other] = batch[other], batch[one]
            moved.append((one, other, SimpleNamespace(name="SWAP")))
        slots.update(removed, added, moved)
        requests = [batch[index] for index in range(len(batch))]
        if requests:
            check(STEERING, slots.rows(), [(one.asked, one.prompt, one.generated) for one in requests], engine)
        for request in requests:
            request.generated.append(rng.choice([A, B, AB]))  # the engine's own list grows


@given(st.randoms(use_true_random=False))
@settings(max_examples=settings.default.max_examples // 4)
def test_rows_of_the_second_runner(rng: random.Random):
    """Slots are used again, rows come in any order, several for a request with drafts; prompts are read in chunks."""
    engine = Engine(rng)
    state = SimpleNamespace(
        all_token_ids=SimpleNamespace(gpu=torch.zeros((4, 64), dtype=torch.int32)),
        prompt_len=SimpleNamespace(np=np.zeros(4, dtype=np.int32)),
        prefill_len=SimpleNamespace(np=np.zeros(4, dtype=np.int32)),
    )
    slots = TokenSlots(state)
    batch: dict[int, SimpleNamespace] = {}
    for _ in range(6):
        for slot in range(4):
            if slot in batch and rng.random() > 0.2:
                continue
            batch.pop(slot, None)
            if rng.random() < 0.7:
                request = batch[slot] = engine.request()
                request.read = rng.randint(1, len(request.prompt) + len(request.generated))
                state.prompt_len.np[slot] = len(request.prompt)
                state.prefill_len.np[slot] = len(request.prompt) + len(request.generated)
                assert slots.add(slot, opening(request)) == (request.asked is not None)
        layout: list[tuple[int, int, int, int]] = []  # slot, offset, position, input
        truth: dict[tuple[int, int], Any] = {}
        order = rng.sample(sorted(batch), len(batch))
        for slot in order:
            request = batch[slot]
            tokens = [*request.prompt, *request.generated]
            state.all_token_ids.gpu[slot] = 77  # what lies beyond the text is nobody's
            state.all_token_ids.gpu[slot, : len(tokens)] = torch.tensor(tokens, dtype=torch.int32)
            if request.read < len(tokens):
                layout.append((slot, 0, request.read - 1, tokens[request.read - 1]))
                truth[slot, 0] = None, request.prompt, []
                request.read = rng.randint(request.read + 1, len(tokens))
                continue
            drafts = rng.choices([A, B, AB], k=rng.randint(0, 2))
            for offset in range(len(drafts) + 1):
                token = [tokens[-1], *drafts][offset]
                layout.append((slot, offset, len(tokens) - 1 + offset, token))
                truth[slot, offset] = request.asked, request.prompt, [*request.generated, *drafts[:offset]]
            request.kept = drafts[: rng.randint(0, len(drafts))]
        if not layout:
            continue
        rng.shuffle(layout)
        columns = [torch.tensor(column) for column in zip(*layout, strict=True)]
        context = SimpleNamespace(
            expanded_idx_mapping=columns[0],
            idx_mapping_np=np.array(order),
            expanded_local_pos=columns[1],
            pos=columns[2],
            input_ids=columns[3],
        )
        check(STEERING, slots.rows(context), [truth[slot, offset] for slot, offset, _, _ in layout], engine)
        for request in batch.values():
            if hasattr(request, "kept"):
                request.generated += [*request.kept, rng.choice([A, B, AB])]
                request.read = len(request.prompt) + len(request.generated)


def test_the_comparison_finds_a_wrong_weight():
    """A negative control: another weight, other tokens, or a move that is not followed."""
    engine = Engine(random.Random(1))
    engine.mask = lambda: np.isin(np.arange(ABC.rows), [EOS, A, B, AB])
    asked, more = (SteeringRequest(weights={"polite": weight}) for weight in (2.0, 2.1))
    row = SteeredRow(0, SteeredText(more, [A, B], [EOS]), [AB])
    with pytest.raises(AssertionError):
        check(STEERING, [row], [(asked, [A, B], [AB])], engine)
    row = SteeredRow(0, SteeredText(asked, [A, B], [EOS]), [A])
    with pytest.raises(AssertionError):
        check(STEERING, [row], [(asked, [A, B], [AB])], engine)
    slots = MovedSlots()
    slots.update([], [(1, lambda prompt: SteeredText(asked, prompt, [EOS]), [A], [])], [])
    with pytest.raises(AssertionError):
        check(STEERING, slots.rows(), [(asked, [A], []), (None, [A], [])], engine)


def test_each_expert_runs_once_in_a_step():
    calls: list[int] = []

    class Counting(TabularModel):
        def logits(self, prefixes, positions=1, **options):
            calls.append(len(prefixes))
            return super().logits(prefixes, positions, **options)

    models = TermModels({**MODELS.experts, "expert": Counting(ABC, EXPERT.table)}, MODELS.classifiers)
    steering = Steering(SETTINGS, models, ABC)
    weights = [{"polite": 1.0}, {"polite": 2.0}, {"tuned": 1.0}, {"polite": 1.0, "tuned": 1.0}, {"kind": 1.0}]
    rows = [
        SteeredRow(number, SteeredText(SteeringRequest(weights=one), [A, AB, B][: 1 + number % 3], [EOS]), [])
        for number, one in enumerate(weights)
    ]
    steering.adjust(torch.zeros(5, ABC.rows), rows)
    assert calls == [3]  # of four rows, two have the same tokens


class Fails(TabularModel):
    """Expert that cannot go on after AB."""

    def logits(self, prefixes, positions=1, **options):
        if any(prefix[-1] == AB for prefix in prefixes):
            raise ModelError("the expert cannot read AB")
        return super().logits(prefixes, positions, **options)


def test_a_request_fails_alone(caplog):
    """Its row has its ends alone from then on; the others are steered as if it were not there."""
    steering = Steering(SETTINGS, TermModels({**MODELS.experts, "expert": Fails(ABC, EXPERT.table)}, {}), ABC)
    asked = SteeringRequest(weights={"polite": 1.0})
    texts = [SteeredText(asked, [A], [EOS, B]), SteeredText(asked, [B], [EOS]), SteeredText(asked, None, [EOS])]
    ends = [[EOS, B], None, [EOS]]
    for generated in ([AB], [A]):
        logits = torch.zeros(4, ABC.rows)
        rows = [SteeredRow(number, text, generated if text is texts[0] else [A]) for number, text in enumerate(texts)]
        with caplog.at_level(logging.ERROR):
            steering.adjust(logits, rows)
        for row, allowed in enumerate(ends):
            if allowed is not None:
                assert (logits[row] > -torch.inf).nonzero()[:, 0].tolist() == allowed
        alone = torch.zeros(1, ABC.rows)
        steering.adjust(alone, [SteeredRow(0, texts[1], [A])])
        assert torch.equal(logits[1], alone[0])
        assert not logits[3].any()
    assert "cannot read AB" in caplog.messages[0]
    assert len(caplog.messages) == 2  # one for each request that failed, once


def test_a_placeholder_for_a_token_fails():
    text = SteeredText(SteeringRequest(weights={"polite": 1.0}), [A], [EOS])
    STEERING.adjust(torch.zeros(1, ABC.rows), [SteeredRow(0, text, [A, -1])])
    assert isinstance(text.error, ModelError)


def test_nothing_left_ends_the_text():
    """An expert forbids all that the constraint allows."""
    table = np.zeros((ABC.rows + 1, ABC.rows))
    table[:, A] = -np.inf
    steering = Steering(SETTINGS, TermModels({**MODELS.experts, "expert": TabularModel(ABC, table)}, {}), ABC)
    text = SteeredText(SteeringRequest(weights={"polite": 1.0}), [A], [EOS])
    logits = torch.full((1, ABC.rows), -torch.inf).index_fill(1, torch.tensor([A]), 0.0)
    steering.adjust(logits, [SteeredRow(0, text, [])])
    assert text.error is not None
    assert logits.argmax() == EOS


def test_what_the_engine_cannot_start_with():
    short = TabularModel(ABC, EXPERT.table, context_length=20, name="short")
    models = TermModels({**MODELS.experts, "expert": short}, MODELS.classifiers)
    Steering(SETTINGS, models, ABC, longest=20)
    with pytest.raises(ModelError, match=r"expert reads 20 tokens.*--max-model-len 20"):
        Steering(SETTINGS, models, ABC, longest=21)
    others = dataclasses.replace(ABC, token_bytes=(*ABC.token_bytes[:3], b"c", *ABC.token_bytes[4:]))
    with pytest.raises(VocabularyError, match="the served model and expert differ"):
        Steering(SETTINGS, TermModels({"expert": TabularModel(others, EXPERT.table)}, {}), ABC)


def params(asked: Any, **fields: Any) -> SimpleNamespace:
    """vLLM's parameters of a request."""
    neutral = {"logit_bias": None, "presence_penalty": 0.0, "frequency_penalty": 0.0, "repetition_penalty": 1.0}
    return SimpleNamespace(extra_args={"guidance_kit": asked}, **{**neutral, **fields})


@pytest.mark.parametrize("asked", REQUESTS)
def test_requests_are_read_as_objects_and_as_text(asked):
    read = [read_request(params(one), SETTINGS) for one in (asked, json.dumps(asked))]
    assert read[0] == read[1] == SteeringRequest.model_validate(asked)


def test_requests_without_steering():
    assert read_request(SimpleNamespace(extra_args=None), None) is None
    assert read_request(SimpleNamespace(extra_args={"other": 1}), SETTINGS) is None


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"weights": {"polit": 1.0}}, "unknown term of this server 'polit'; did you mean 'polite'?"),
        ({"weights": {"polite": "1"}}, "weights.polite: Input should be a valid number"),
        ({"weights": {"polite": True}}, "weights.polite: Input should be a valid number"),
        ({"weights": {"polite": float("nan")}}, "a weight must be a finite number"),
        ({"weights": {"polite": 1e31}}, "a weight must be a finite number"),
        ('{"weights": {"polite": Infinity}}', "a weight must be a finite number"),
        ({"weights": {"kind": -1.0}}, "the weight of kind is -1.0; to steer away"),
        ({"weights": {"away": -1.0}}, "a model's own logits can only be added"),
        ({"weights": [1]}, "weights: Input should be a valid dictionary"),
        ({"weight": {}}, "weight: Extra inputs are not permitted"),
        ({"keep": {"top_p": 0.0}}, "top_p must be a number greater than 0"),
        ({"keep": {"top_q": 1}}, "keep.top_q: Extra inputs"),
        ({"keep": {"top_k": 1.5}}, "keep.top_k: Input should be a valid integer"),
        ({"logit_bias": {"dog": 1.0}}, "token ids as keys, not 'dog'"),
        ({"logit_bias": {"-4": 1.0}}, "token ids as keys, not '-4'"),
        ({"logit_bias": {"3": 101}}, "from -100 to 100"),
        ({"presence": 1e40}, "presence must be a finite number"),
        ({"repetition": 0.0}, "repetition must be a number greater than 0"),
        ({"repetition": 1.2, "weights": {"polite": 1.0}}, "take presence and frequency"),
        ({"repetition": 1.2, "keep": {"top_k": 3}}, "take presence and frequency"),
        ("{", "Expecting property name"),
        ("[" * 100_000, "nested too deeply"),
        ("[1]", "Input should be a valid dictionary"),
        (3, "Input should be a valid dictionary"),
    ],
)
def test_requests_that_are_refused(asked, reason):
    with pytest.raises(OptionError) as caught:
        read_request(params(asked), SETTINGS)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [("logit_bias", {3: 1.0}), ("presence_penalty", 0.1), ("frequency_penalty", -0.1), ("repetition_penalty", 1.1)],
)
def test_penalties_of_the_engine_beside_ours_are_refused(field, value):
    with pytest.raises(OptionError, match=f"{field} beside guidance_kit"):
        read_request(params({"presence": 1.0}, **{field: value}), SETTINGS)


def test_steering_without_settings_is_refused():
    with pytest.raises(OptionError, match="GUIDANCE_KIT_VLLM_STEERING of the server is not set"):
        read_request(params({}), None)


def test_settings_of_a_file_and_of_the_environment(tmp_path, monkeypatch):
    text = SETTINGS.model_dump_json()
    (tmp_path / "steering.json").write_text(text)
    for value in (text, str(tmp_path / "steering.json")):
        assert read_settings(value) == SETTINGS
    for value, found in (("1", SteeringSettings()), ("0", None), ("", None), (text, SETTINGS)):
        monkeypatch.setenv("GUIDANCE_KIT_VLLM_STEERING", value)
        assert settings_of_environment() == found


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("nowhere.json", "names a file of settings, and 'nowhere.json' cannot be read"),
        ('{"terms": {"a": {"kind": "expert"}}}', "terms.a: Input tag 'expert'"),
        ('{"terms": {"a": {"kind": "experts"}}}', "terms.a.experts.anti_expert: Field required"),
        ('{"terms": {"a": {"kind": "prefix_classifier", "classifier": "x", "labels": []}}}', "labels"),
        ('{"term": {}}', "term: Extra inputs"),
        ("{", "Invalid JSON"),
    ],
)
def test_settings_that_are_refused(value, reason):
    with pytest.raises(OptionError) as caught:
        read_settings(value)
    assert reason in str(caught.value)


def test_terms_of_bundled_models():
    """Models are loaded once each, and steer as in our own evaluation."""
    text = """{"terms": {
        "polite": {"kind": "experts", "expert": "polite", "anti_expert": "rude"},
        "civil": {"kind": "experts", "expert": "polite", "anti_expert": "rude"}
    }, "dtype": "float32"}"""
    chosen = read_settings(text)
    models = TermModels.load(chosen, torch.device("cpu"))
    assert sorted(models.experts) == ["polite", "rude"]
    base = gk.load("base-small", dtype="float32")
    steering = Steering(chosen, models, base.vocabulary, longest=2048)
    prompt = base.language_model.encode("This is ")
    own = Ensemble(gk.dexperts(base, gk.load("polite", dtype="float32"), gk.load("rude", dtype="float32")).formula)
    asked = SteeringRequest.model_validate({"weights": {"polite": 2.0}, "keep": {"top_p": 0.9}})
    logits = base.language_model.logits([prompt])[0].clone()
    steering.adjust(logits, [SteeredRow(0, SteeredText(asked, prompt, base.vocabulary.eos), [])])
    torch.testing.assert_close(logits.softmax(-1), own.logits([prompt])[0].softmax(-1), atol=1e-5, rtol=0)
