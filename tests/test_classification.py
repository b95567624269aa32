"""From texts to labels: calibration against closed forms, decisions, prompts, and what is refused."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from small_models import merging_tokenizer, small_llama
from trained_tokenizers import metaspace

from examples.ticket import Intent
from guidance_kit.decoding.classification import DecisionRule, LabelClassifier, LabelMassWarning
from guidance_kit.decoding.sampling import TIE
from guidance_kit.errors import (
    BatchError,
    ContextLengthError,
    ModelError,
    OptionError,
    UnspellableError,
)
from guidance_kit.grammars.choice import choice
from guidance_kit.model import Model, load
from guidance_kit.models import TransformersModel
from guidance_kit.models.loading import BUNDLED, bundled_models
from guidance_kit.models.prompts import classification_prompt, label_text

LABELS = ("refund", "refund request", "praise", "other")
TEXTS = ["cat", "dog", "cow", "hen", "cat"]
RNG = np.random.default_rng(3)
TABLE = {text: np.log(RNG.dirichlet(np.ones(4)) * 0.7) for text in ("cat", "dog", "cow", "hen", "N/A", "[MASK]", "")}
"""Log-probabilities of the labels after each text; 0.3 is left for what is no label."""


def classifier(**options) -> LabelClassifier:
    return LabelClassifier(LABELS, lambda texts: np.array([TABLE[text] for text in texts]), DecisionRule(**options))


def table(found, attribute="probability") -> np.ndarray:
    """What each label got: (texts, labels)."""
    scores = [{score.label: getattr(score, attribute) for score in one.scores} for one in found]
    return np.array([[of[label] for label in LABELS] for of in scores])


def softmax(values):
    weights = np.exp(values)
    return weights / weights.sum(-1, keepdims=True)


RAW = np.array([TABLE[text] for text in TEXTS])


def test_probabilities_are_among_labels_and_sorted():
    found = classifier()(TEXTS)
    np.testing.assert_allclose(table(found), np.exp(RAW) / 0.7, atol=1e-14)
    np.testing.assert_array_equal(table(found, "logprob"), RAW)
    for one, raw in zip(found, RAW, strict=True):
        assert [score.label for score in one.scores] == [LABELS[place] for place in np.argsort(-raw)]
        assert (one.label, one.probability) == (one.scores[0].label, one.scores[0].probability)
        assert not one.abstained
        assert one.mass == pytest.approx(0.7)


@pytest.mark.parametrize("seed", range(10))
def test_rounding_decides_nothing_among_equal_labels(seed):
    """Ties keep the order of the labels, and a threshold or margin that is met exactly is met."""
    noise = np.random.default_rng(seed).normal(scale=1e-7, size=4)
    logs = np.log([0.2, 0.2, 0.1, 0.2]) + noise
    (found,) = LabelClassifier(LABELS, lambda texts: logs[None], DecisionRule(threshold=2 / 7, top_k=4))(["text"])
    assert [score.label for score in found.scores] == ["refund", "refund request", "other", "praise"]
    assert found.label == "refund"
    halves = np.log([0.3, 0.1, 1e-9, 1e-9]) + noise
    (found,) = LabelClassifier(LABELS, lambda texts: halves[None], DecisionRule(threshold=0.75, margin=0.5))(["text"])
    assert found.label == "refund"


def test_contextual_calibration_divides_by_the_mean_after_texts_without_content():
    prior = np.mean([np.exp(TABLE[text]) / 0.7 for text in ("N/A", "[MASK]", "")], axis=0)
    weighted = np.exp(RAW) / prior
    expected = weighted / weighted.sum(-1, keepdims=True)
    found = classifier(calibration="contextual")(TEXTS)
    np.testing.assert_allclose(table(found), expected, atol=1e-14)
    np.testing.assert_array_equal(table(found, "logprob"), RAW)
    # The matrix of the paper, diag(prior)^-1, chooses the same labels.
    chosen = np.argmax((np.exp(RAW) / 0.7) @ np.linalg.inv(np.diag(prior)), axis=-1)
    assert [one.label for one in found] == [LABELS[place] for place in chosen]
    neutral = classifier(calibration="contextual", content_free=["hen"])(["hen"])
    np.testing.assert_allclose(table(neutral), 0.25, atol=1e-14)


def test_labels_with_hardly_any_mass_are_warned_of_once():
    logs = {"much": np.log([0.2, 0.1, 0.1, 0.1]), "little": np.log([3e-4, 3e-4, 2e-4, 2e-4])}
    judge = LabelClassifier(LABELS, lambda texts: np.array([logs[text] for text in texts]), DecisionRule())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert judge(["much"])[0].mass == pytest.approx(0.5)
    with pytest.warns(LabelMassWarning, match=r"the labels have 0\.001 of the probability after text 1, and.* 1 of 2"):
        found = judge(["much", "little"])
    assert [one.mass for one in found] == pytest.approx([0.5, 0.001])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judge(["little"])


@pytest.mark.parametrize("calibration", [None, "batch"])
def test_one_text_without_a_label_does_not_cost_the_others(calibration):
    impossible = np.full(4, -np.inf)
    logs = {"cat": TABLE["cat"], "dog": TABLE["dog"], "nothing": impossible}
    judge = LabelClassifier(
        LABELS, lambda texts: np.array([logs[text] for text in texts]), DecisionRule(calibration=calibration)
    )
    with pytest.raises(BatchError, match=r"1 of 3 failed.*no label is possible after text 1") as caught:
        judge(["cat", "nothing", "dog"])
    assert list(caught.value.errors) == [1]
    cat, nothing, dog = caught.value.results
    assert nothing is None
    assert [cat, dog] == judge(["cat", "dog"])


@pytest.mark.parametrize("calibration", [None, "batch", "contextual"])
def test_one_text_whose_scores_fail_does_not_cost_the_others(calibration):
    def logprobs(texts):
        failed = {number: ModelError("NaN") for number, text in enumerate(texts) if text == "bad"}
        scores = [None if text == "bad" else TABLE.get(text, TABLE["cat"]) for text in texts]
        if failed:
            raise BatchError(failed, scores)
        return np.array(scores)

    judge = LabelClassifier(LABELS, logprobs, DecisionRule(calibration=calibration))
    with pytest.raises(BatchError, match=r"1 of 3 failed.*NaN") as caught:
        judge(["cat", "bad", "dog"])
    cat, bad, dog = caught.value.results
    assert bad is None
    assert [cat, dog] == judge(["cat", "dog"])


def test_a_prior_that_fails_says_that_it_is_one():
    def logprobs(texts):
        if "empty" in texts:
            raise BatchError({1: ModelError("NaN")}, [TABLE["cat"], None])
        return np.array([TABLE[text] for text in texts])

    judge = LabelClassifier(LABELS, logprobs, DecisionRule(calibration="contextual", content_free=["cat", "empty"]))
    with pytest.raises(ModelError, match="NaN") as caught:
        judge(["cat", "dog"])
    assert caught.value.__notes__ == [
        "while the prior of the labels was computed, of which this is content-free text 1"
    ]


def test_batch_calibration_divides_by_the_mean_over_the_batch():
    chances = np.exp(RAW) / 0.7
    weighted = chances / chances.mean(axis=0)
    found = classifier(calibration="batch")(TEXTS)
    np.testing.assert_allclose(table(found), weighted / weighted.sum(-1, keepdims=True), atol=1e-14)
    shifted = softmax(np.log(chances) - np.log(chances.mean(axis=0)))  # as the paper has it
    np.testing.assert_allclose(table(found), shifted, atol=1e-14)


def test_calibration_takes_back_whatever_the_prompt_adds_to_a_label():
    moved = {text: logs + np.array([2.0, 0.0, -1.0, 0.5]) for text, logs in TABLE.items()}
    for calibration in ("contextual", "batch"):
        # Only up to the renormalisation of each text, so the prior has to come from the same text.
        rule = DecisionRule(calibration=calibration, content_free=["cat"])
        plain, shifted = (
            LabelClassifier(LABELS, lambda texts, of=of: np.array([of[text] for text in texts]), rule)
            for of in (TABLE, moved)
        )
        texts = ["cat", "cat"] if calibration == "batch" else TEXTS
        np.testing.assert_allclose(table(shifted(texts)), table(plain(texts)), atol=1e-14)


def test_the_prior_is_asked_for_once():
    asked = []

    def logprobs(texts):
        asked.append(list(texts))
        return np.array([TABLE[text] for text in texts])

    made = LabelClassifier(LABELS, logprobs, DecisionRule(calibration="contextual"))
    assert made(["cat"]) + made(["dog"]) == made(["cat", "dog"])
    assert asked == [["cat"], ["N/A", "[MASK]", ""], ["dog"], ["cat", "dog"]]


def test_biases_are_nats_after_calibration():
    biases = {"praise": 1.5, "refund": -0.5}
    added = np.array([-0.5, 0.0, 1.5, 0.0])
    expected = softmax(RAW + added)
    np.testing.assert_allclose(table(classifier(biases=biases)(TEXTS)), expected, atol=1e-14)
    calibrated = np.log(table(classifier(calibration="contextual")(TEXTS)))
    found = classifier(biases=biases, calibration="contextual")(TEXTS)
    np.testing.assert_allclose(table(found), softmax(calibrated + added), atol=1e-14)
    forbidden = classifier(biases={"praise": float("-inf")})(TEXTS)
    assert (table(forbidden)[:, 2] == 0).all()
    with pytest.raises(OptionError, match=r"unknown label with a bias 'prais'; did you mean 'praise'\?"):
        classifier(biases={"prais": 1.0})
    with pytest.raises(OptionError, match="forbid all labels"):
        classifier(biases=dict.fromkeys(LABELS, float("-inf")))


def test_abstention_below_the_threshold_or_the_margin():
    for text, one in zip(TEXTS, classifier()(TEXTS), strict=True):
        gap = one.probability - one.scores[1].probability
        for options, is_sure in [
            ({"threshold": one.probability}, True),
            ({"threshold": one.probability + 2 * TIE}, False),
            ({"margin": gap}, True),
            ({"margin": gap + 2 * TIE}, False),
            ({"threshold": one.probability, "margin": gap + 2 * TIE}, False),
        ]:
            found = classifier(**options)([text])[0]
            assert found.label == (one.label if is_sure else None)
            assert found.abstained is not is_sure
            assert (found.probability, found.scores) == (one.probability, one.scores)


def test_top_k_keeps_the_first_scores_among_all_labels():
    for short, long in zip(classifier(top_k=2)(TEXTS), classifier()(TEXTS), strict=True):
        assert short.scores == long.scores[:2]
        assert (short.label, short.mass) == (long.label, long.mass)
    assert len(classifier(top_k=9)(["cat"])[0].scores) == 4


def impossible(text: str, place: int) -> dict[str, np.ndarray]:
    changed = {key: logs.copy() for key, logs in TABLE.items()}
    changed[text][place] = -np.inf
    return changed


def test_what_has_no_prior_is_not_divided_by_it():
    never = {text: logs.copy() for text, logs in TABLE.items()}
    for logs in never.values():
        logs[1] = -np.inf
    for calibration in ("contextual", "batch"):
        made = LabelClassifier(
            LABELS, lambda texts: np.array([never[t] for t in texts]), DecisionRule(calibration=calibration)
        )
        assert (table(made(TEXTS))[:, 1] == 0).all()
    lost = impossible("hen", 1)
    made = LabelClassifier(
        LABELS,
        lambda texts: np.array([lost[text] for text in texts]),
        DecisionRule(calibration="contextual", content_free=["hen"]),
    )
    with pytest.raises(BatchError, match="label 'refund request' is possible after text 1, but after none of the con"):
        made(["hen", "cat"])
    with pytest.raises(ModelError, match="label 'refund request' is possible after text 0"):
        made(["cat"])
    made = LabelClassifier(LABELS, lambda texts: np.full((len(texts), 4), -np.inf), DecisionRule())
    with pytest.raises(ModelError, match="no label is possible after text 0"):
        made(["cat"])


OPTIONS = [
    ({"threshold": 1.1}, "threshold must be a number from 0 to 1, not 1.1"),
    ({"margin": "0.1"}, "margin must be a number from 0 to 1, not '0.1'"),
    ({"threshold": float("nan")}, "threshold must be a number from 0 to 1, not nan"),
    ({"top_k": 0}, "top_k must be an integer, at least 1, not 0"),
    ({"calibration": "contextul"}, "unknown calibration 'contextul'; did you mean 'contextual'?"),
    ({"end": "eof"}, "unknown end of labels 'eof'; did you mean 'eos'?"),
    ({"content_free": "N/A"}, "content_free must be texts, at least one, not 'N/A'"),
    ({"content_free": []}, "content_free must be texts, at least one, not []"),
    ({"biases": {"praise": float("nan")}}, "the bias of 'praise' must be a number of nats, not nan"),
    ({"biases": {"praise": float("inf")}}, "the bias of 'praise' must be a number of nats, not inf"),
    ({"treshold": 0.5}, "unknown option 'treshold'; did you mean 'threshold'?"),
    ({"batch_size": 0}, "batch_size must be an integer, at least 1, not 0"),
]


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(small_llama())


@pytest.mark.parametrize(("options", "message"), OPTIONS, ids=lambda value: str(value))
def test_bad_options(model, options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        model.classify("a text", ["yes", "no"], **options)


BAD_LABELS = [
    ([], "labels must be a list of texts, or a mapping from texts to descriptions, not []"),
    ({}, "labels must be a list of texts, or a mapping from texts to descriptions, not {}"),
    ("yes", "labels must be a list of texts, or a mapping from texts to descriptions, not 'yes'"),
    (["yes", "no", "yes"], "label 'yes' is given twice"),
    (["yes", ""], "label 1 is empty"),
    (["yes", 3], "label 1 is 3, described by ''; both must be texts"),
    ({"yes": None}, "label 0 is 'yes', described by None; both must be texts"),
    (["\ud800"], "lone surrogate"),
]


@pytest.mark.parametrize(("labels", "message"), BAD_LABELS, ids=lambda value: ascii(value))
def test_bad_labels(model, labels, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        model.classify("a text", labels)


@pytest.fixture(scope="module")
def spaced(tmp_path_factory) -> Model:
    return Model(TransformersModel(small_llama().model, metaspace("always")(tmp_path_factory.mktemp("spaced"))))


def test_a_prompt_that_is_no_function(model):
    with pytest.raises(OptionError, match=r"prompt is a function from a text to a prompt, .* not 'Text: {}'"):
        model.classify("a text", ["yes", "no"], prompt="Text: {}")


def test_labels_that_the_vocabulary_cannot_spell(model, spaced):
    with pytest.raises(UnspellableError) as caught:
        model.classify("a text", ["yes", "no<|end|>"])
    assert caught.value.__notes__ == ["in 'no<|end|>'"]
    with pytest.raises(UnspellableError) as caught:
        spaced.classifier(["cat", "cat漢"])
    assert caught.value.characters == ("漢",)


def test_tokenizers_that_begin_a_text_with_a_space_do_not_put_one_before_labels(spaced):
    for label in ("hello", " hello", "cat sat", "\n\n\n"):
        assert spaced.vocabulary.text_of(spaced.language_model.spell(label)) == label.encode()
    found = spaced.classify("the cat", ["mat", " mat"], prompt=str)
    assert len({score.logprob for score in found.scores}) == 2


def test_a_prompt_that_is_too_long(model):
    with pytest.raises(ContextLengthError, match="context of 1024"):
        model.classify(["short", "word " * 2000], ["yes", "no"])


def test_no_texts(model):
    assert model.classify([], ["yes", "no"]) == []
    with pytest.raises(OptionError, match="batch calibration needs the other texts of a batch, and there are 1 texts"):
        model.classify("a text", ["yes", "no"], calibration="batch")


# The door


def close(one, two) -> None:
    assert one.label == two.label
    np.testing.assert_allclose(table([one]), table([two]), 1e-4)
    np.testing.assert_allclose(table([one], "logprob"), table([two], "logprob"), 1e-4)


@pytest.mark.parametrize("options", [{}, {"calibration": "contextual"}, {"end": "eos", "biases": {"other": 1.0}}])
def test_a_batch_equals_singles(model, options):
    texts = ["the cat sat", "hello", "the cat sat on the mat, hello hello"]
    whole = model.classify(texts, LABELS, **options)
    for text, one in zip(texts, whole, strict=True):
        close(model.classify(text, LABELS, **options), one)
    for one, two in zip(model.classify(texts, LABELS, batch_size=1, **options), whole, strict=True):
        close(one, two)


def test_a_formula_is_a_model(model):
    other = Model(small_llama())
    texts = ["the cat sat", "hello"]
    for one, two in zip(
        (model + 0.7 * (model - other)).classify(texts, LABELS), model.classify(texts, LABELS), strict=True
    ):
        close(one, two)
    sharper = (2 * model).classify(texts, ["a", "b"])  # of one token each: squares
    for one, two in zip(sharper, model.classify(texts, ["a", "b"]), strict=True):
        squares = {score.label: score.probability**2 for score in two.scores}
        for score in one.scores:
            assert score.probability == pytest.approx(squares[score.label] / sum(squares.values()), rel=1e-4)
    guided = 1.5 * model.given("Be kind. ") - 0.5 * model
    made = guided.classify(texts, LABELS, prompt=lambda text: f"{text} is: ")
    assert [len(one.scores) for one in made] == [4, 4]


def test_the_likeliest_is_what_greedy_generation_writes_where_labels_are_single_tokens(model):
    for text in ("the cat", "hello", "world, hello"):
        found = model.classify(text, ["a", "b", "c"], prompt=str)
        assert model.generate(text, choice(["a", "b", "c"]), temperature=0).text == found.label


def test_prompts_show_labels_with_descriptions(model):
    labels = {"refund": "wants money back", "other": ""}
    written = classification_prompt("Hello there.", labels)
    assert "- refund: wants money back\n- other\n" in written
    assert "Hello there." in written
    assert model.classification_prompt("Hello there.", labels) == model.language_model.chat(
        [{"role": "user", "content": written}]
    )
    plain = Model(TransformersModel(model.language_model.model, merging_tokenizer(None)))
    plain.language_model.tokenizer.chat_template = None
    assert plain.classification_prompt("Hello.", ["a"]) == plain.language_model.encode(
        classification_prompt("Hello.", {"a": ""})
    )
    with pytest.raises(OptionError, match="did you mean 'support-v1'"):
        classification_prompt("Hello.", {"a": ""}, "support-v2")


def test_the_bundled_style_asks_for_a_field_of_json():
    written = classification_prompt("Hi <|record|>", {"a": "left out", 'say "b"': ""}, "support-v1")
    assert written == '<|fields|>Ticket:intent(a|say "b")<|text|>Hi < |record|><|record|>{"intent": "'
    assert label_text('say "b"', "support-v1") == 'say \\"b\\"'
    assert label_text('say "b"') == 'say "b"'


def test_the_bundled_model_knows_the_examples():
    if BUNDLED not in bundled_models():
        pytest.skip("there is no bundled model")
    folder = Path(__file__).resolve().parent.parent / "examples"
    entries = [json.loads(line) for line in (folder / "expected.jsonl").read_text().splitlines()]
    entries = [entry for entry in entries if entry["file"].startswith("messages/")]
    found = load().classify([(folder / entry["file"]).read_text() for entry in entries], get_args(Intent))
    right = [one.label == entry["record"]["intent"] for one, entry in zip(found, entries, strict=True)]
    assert sum(right) >= len(right) - 1
    assert min(one.mass for one in found) > 0.8


def test_the_examples_of_the_page_run(capsys):
    if BUNDLED not in bundled_models():
        pytest.skip("there is no bundled model")
    page = (Path(__file__).resolve().parent.parent / "docs" / "classify.md").read_text(encoding="utf-8")
    here: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(block, here)
    assert here["found"].label == "damaged_item"
    assert capsys.readouterr().out.startswith("damaged_item: 0.")
    assert here["many"][0].label == "late_delivery"
    assert [len(one.scores) for one in here["sure"]] == [1, 1]
