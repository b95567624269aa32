"""Classifiers of transformers: candidates as siblings against texts of their own, labels, training, steering."""

from __future__ import annotations

import math
import re
from random import Random

import pytest
import torch
import transformers
from marks import slow
from small_models import ATTENTION, FORWARD_ONLY, ROWS, byte_tokenizer, small_llama

import guidance_kit as gk
from guidance_kit.errors import ContextLengthError, ModelError, OptionError, VocabularyError
from guidance_kit.models.class_labels import ClassLabels
from guidance_kit.models.prefix_classifier import PrefixClassifier
from guidance_kit.models.prefix_training import _Spelling
from guidance_kit.models.sequence_classifier import SequenceClassifier
from guidance_kit.steering.classifiers import Classifier, OfTexts

START = 256
DECODERS = ("GPT-2", "Llama", "Qwen 3", "OPT")
BERT = {
    "vocab_size": ROWS, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40,
    "max_position_embeddings": 64, "pad_token_id": 258,
}  # fmt: skip


def weights(name: str, **settings) -> transformers.PreTrainedModel:
    """A random classifier of three labels whose answers differ enough to show a wrong mask."""
    config, kind, given = (ATTENTION | FORWARD_ONLY | {"BERT": ("BertConfig", "Bert", BERT)})[name]
    torch.manual_seed(0)
    made = getattr(transformers, re.sub("LMHeadModel|ForCausalLM|$", "", kind, count=1) + "ForSequenceClassification")(
        getattr(transformers, config)(
            **{"bos_token_id": START, "pad_token_id": 258, **given, "num_labels": 3, **settings}
        )
    )
    with torch.no_grad():
        for parameter in made.parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 0.2)
    return made.float().eval()


@torch.inference_mode()
def alone(model, prefixes, candidates) -> torch.Tensor:
    """The slow twin: each candidate in a text of its own."""
    return torch.stack([
        torch.cat([model(input_ids=torch.tensor([[START, *prefix, token]])).logits for token in row.tolist()])
        for prefix, row in zip(prefixes, candidates, strict=True)
    ])  # fmt: skip


@pytest.mark.parametrize("name", ["Llama", *slow("GPT-2", "Qwen 3", "OPT")])
def test_siblings_are_texts_of_their_own(name):
    """Over batches that grow, shrink, go back, branch and change their lengths."""
    model = weights(name)
    classifier = PrefixClassifier(model)
    classifier._cache.tokens_per_forward = 24  # so that batches are divided
    generator = torch.Generator().manual_seed(1)
    draw = lambda *size: torch.randint(0, 256, size, generator=generator)  # noqa: E731
    batches = [[[], [1, 2, 3], [7] * 20], [[9], [1, 2, 3, 4], [7] * 20 + [1]], [[1, 2, 3, 4, 5]], [[1, 2]] * 2, [[]]]
    for prefixes in batches:
        for count in (1, 13):
            candidates = draw(len(prefixes), count)
            found = classifier.outputs(prefixes, candidates)
            torch.testing.assert_close(found, alone(model, prefixes, candidates), atol=2e-5, rtol=2e-5)
    long = draw(120).tolist()
    for end in (60, 61, 62, 110):  # beyond the room that the cache makes first
        candidates = draw(1, 9)
        torch.testing.assert_close(
            classifier.outputs([long[:end]], candidates), alone(model, [long[:end]], candidates), atol=2e-5, rtol=2e-5
        )
    classifier.clear()
    assert classifier._cache.bytes == 0
    torch.testing.assert_close(
        classifier.outputs([[5]], candidates), alone(model, [[5]], candidates), atol=2e-5, rtol=2e-5
    )


@pytest.mark.parametrize("name", ["Mistral", "Bloom", "BERT"])
def test_other_architectures_are_refused_by_name(name):
    with pytest.raises(ModelError, match=f"(?i){name}ForSequenceClassification.*a SequenceClassifier"):
        PrefixClassifier(weights(name))


def test_a_model_that_mixes_siblings_up_is_found_out():
    classifier = PrefixClassifier(weights("Llama"))
    forward = classifier._forward

    def without_mask(*arguments, mask=None, **named):
        return type(forward).__call__(forward, *arguments, mask=None, **named)

    classifier._cache._forward = type("Blind", (), {"__call__": staticmethod(without_mask)})()
    for name in ("device", "model", "tensor"):
        setattr(classifier._cache._forward, name, getattr(forward, name))
    classifier.outputs([[1, 2]], torch.tensor([[3]]))  # alone, there is nothing to mix it up with
    with pytest.raises(ModelError, match="does not keep candidates apart"):
        classifier.outputs([[1, 2]], torch.tensor([[3, 4, 5]]))


def test_a_model_that_mixes_siblings_up_in_long_texts_is_found_out():
    """Code from elsewhere with a window of its own; the trial has 8 tokens."""

    made = weights("Llama")
    body = {"forward": _without_far_siblings, "__module__": "elsewhere"}
    base = type("WindowedModel", (type(made.base_model),), body)
    made.base_model.__class__ = base
    classifier = PrefixClassifier(made)
    classifier.outputs([[1, 2]], torch.tensor([[3, 4, 5]]))
    with pytest.raises(ModelError, match="does not keep candidates apart"):
        classifier.outputs([[1] * 60], torch.tensor([[3, 4, 5]]))


def _without_far_siblings(self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, **named):
    """Llama, in which siblings see each other in texts of more than 40 tokens."""
    is_far = attention_mask is not None and attention_mask.dim() == 4 and attention_mask.shape[-1] > 40
    named |= {"position_ids": position_ids, "past_key_values": past_key_values}
    return transformers.LlamaModel.forward(self, input_ids, None if is_far else attention_mask, **named)


def test_refusals():
    classifier = PrefixClassifier(weights("Llama", max_position_embeddings=8), name="small")
    assert classifier.room(2) == 5
    classifier.outputs([[1] * 6], torch.tensor([[2]]))
    with pytest.raises(ContextLengthError, match="context of small, which is 8"):
        classifier.outputs([[1] * 7], torch.tensor([[2]]))
    with pytest.raises(VocabularyError, match="small has 260 tokens, and not 260"):
        classifier.outputs([[1]], torch.tensor([[260]]))
    with pytest.raises(ModelError, match="names no beginning-of-sequence token; give `start`"):
        PrefixClassifier(weights("Llama", bos_token_id=None))
    with pytest.raises(OptionError, match="unknown label of the classifier 'LABEL_3'; did you mean"):
        classifier.of("LABEL_3")
    with pytest.raises(OptionError, match="one label or several, but not all, of LABEL_0, LABEL_1, LABEL_2"):
        classifier.without(*classifier.labels)


def labels(kind: str, count: int) -> ClassLabels:
    return ClassLabels(names=tuple("abc"[:count]), kind=kind)


def test_probabilities_of_labels():
    outputs = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    soft, each = outputs.double().softmax(-1), outputs.double().sigmoid()
    one, several, score = labels("one", 3), labels("any", 3), labels("score", 1)
    cases = [
        (one.chosen(["b"]), soft[:, 1]),
        (one.chosen(["a", "c"]), soft[:, 0] + soft[:, 2]),
        (one.chosen(["a"], is_without=True), soft[:, 1] + soft[:, 2]),
        (several.chosen(["b"]), each[:, 1]),
        (several.chosen(["b"], is_without=True), 1 - each[:, 1]),
        (several.chosen(["a", "b"]), 1 - (1 - each[:, 0]) * (1 - each[:, 1])),
        (several.chosen(["a", "b", "c"], is_without=True), (1 - each).prod(-1)),
        (score.chosen([]), outputs[:, 0].double().exp()),
        (score.chosen(["a"], is_without=True), (-outputs[:, 0].double()).exp()),
    ]
    for chosen, expected in cases:
        torch.testing.assert_close(chosen.logprobs(outputs).exp(), expected, atol=1e-12, rtol=1e-12)
    assert [str(chosen) for chosen, _ in cases[1:3]] == ["a or c", "not a"]
    assert ClassLabels.of(weights("BERT", problem_type="multi_label_classification").config).kind == "any"
    assert ClassLabels.of(weights("BERT", num_labels=1).config).kind == "score"
    assert ClassLabels.of(weights("BERT").config).kind == "one"


TEXTS = ["", "a", "hello", "héllo 😀", "one more text", "b"]


@pytest.mark.parametrize("name", ["BERT", "GPT-2", "Llama"])
def test_texts_in_batches_are_texts_alone(name):
    """With the padding that model and tokenizer agree on, and without."""
    model = weights(name, **({"pad_token_id": None} if name == "GPT-2" else {}))
    tokenizer = byte_tokenizer()
    classifier = SequenceClassifier(model, tokenizer, batch_size=4)
    with torch.inference_mode():
        rows = [tokenizer.encode(text) or [START] for text in TEXTS]
        expected = torch.cat([model(input_ids=torch.tensor([row])).logits for row in rows])
    torch.testing.assert_close(classifier.outputs(TEXTS), expected, atol=2e-5, rtol=2e-5)
    found = classifier.of("LABEL_1", "LABEL_2")(TEXTS)
    torch.testing.assert_close(found.exp(), 1 - expected.double().softmax(-1)[:, 0], atol=1e-5, rtol=1e-5)


def test_texts_that_are_too_long_for_the_classifier():
    with pytest.raises(ContextLengthError, match="context of short, which is 64"):
        SequenceClassifier(weights("BERT"), byte_tokenizer(), name="short").outputs(["a" * 65])
    with pytest.raises(OptionError, match="batch_size must be at least 1"):
        SequenceClassifier(weights("BERT"), byte_tokenizer(), batch_size=0)


def test_positions_before_those_of_tokens_shorten_what_a_classifier_takes():
    """RoBERTa has 64 positions, of which 0 and 1 are not those of tokens: a text has 62, and more is no index error."""
    config = transformers.RobertaConfig(**BERT | {"pad_token_id": 1}, num_labels=3)
    classifier = SequenceClassifier(
        transformers.RobertaForSequenceClassification(config).eval(), byte_tokenizer(), name="short"
    )
    longest = "ab" * 31
    expected = classifier.model(input_ids=torch.tensor([byte_tokenizer().encode(longest)])).logits
    torch.testing.assert_close(classifier.outputs([longest]), expected)
    with pytest.raises(ContextLengthError, match=r"63 tokens.*context of short, which is 62"):
        classifier.outputs([longest + "a"])


def test_loading_and_saving(tmp_path):
    weights("Llama").save_pretrained(tmp_path / "llama")
    byte_tokenizer().save_pretrained(tmp_path / "llama")
    candidates = torch.tensor([[1, 2, 3]])
    prefix = PrefixClassifier.load(tmp_path / "llama", device="cpu")
    expected = alone(weights("Llama"), [[5]], candidates)
    torch.testing.assert_close(prefix.outputs([[5]], candidates), expected, atol=2e-5, rtol=2e-5)
    sequence = SequenceClassifier.load(tmp_path / "llama", device="cpu")
    found = sequence.outputs(["a"])
    torch.testing.assert_close(found, weights("Llama")(torch.tensor([byte_tokenizer().encode("a")])).logits.detach())
    with pytest.raises(ModelError, match="there is no folder"):
        SequenceClassifier.load(tmp_path / "none")
    with pytest.raises(OptionError, match="unknown option 'devise'; did you mean 'device'"):
        PrefixClassifier.load(tmp_path / "llama", devise="cpu")
    small_llama().model.save_pretrained(tmp_path / "lm")
    with pytest.raises(ModelError, match=r"not a whole LlamaForSequenceClassification; weights are missing: score"):
        PrefixClassifier.load(tmp_path / "lm")


# Training, and the whole way to steered texts


@pytest.fixture(scope="module")
def model() -> gk.Model:
    return gk.Model(small_llama())


WORDS = {"cat": ["the cat sat", "a cat and a cat", "cat cat"], "mat": ["the mat lay", "a mat and a mat", "mat mat"]}


@pytest.fixture(scope="module")
def trained(model) -> PrefixClassifier:
    texts = [(text, label) for label, several in WORDS.items() for text in several] * 4
    return gk.train_prefix_classifier(
        model.language_model,
        *zip(*texts, strict=True),
        layers=1,
        width=32,
        epochs=25,
        batch_size=8,
        max_tokens=20,
        respelled=0.3,
    )


def chance(classifier, label, text, model) -> float:
    """P(label | text), by the classifier."""
    tokens = model.language_model.encode(text, with_special_tokens=False)
    found = classifier.of(label).logprobs([tokens[:-1]], torch.tensor([tokens[-1:]]), model.vocabulary)
    return float(found.exp())


def test_what_is_learnt_holds_for_every_prefix(model, trained):
    assert trained.labels == ("cat", "mat")
    for label, other in (("cat", "mat"), ("mat", "cat")):
        for text in WORDS[label]:
            assert chance(trained, label, text, model) > 0.9
        assert chance(trained, label, f"the {label}", model) > 0.9
        assert chance(trained, other, f"the {label}", model) < 0.1
    assert 0.2 < chance(trained, "cat", "the ", model) < 0.8  # nothing tells them apart yet


def test_training_is_repeatable_and_depends_on_its_seed(model):
    options = {"layers": 1, "width": 32, "epochs": 1, "batch_size": 2}
    losses: list[tuple[int, float]] = []
    texts, labels = ["cat", "mat", "the cat"], ["a", "b", "a"]
    made = [
        gk.train_prefix_classifier(
            model.language_model, texts, labels, seed=seed, on_epoch=lambda *said: losses.append(said), **options
        )
        for seed in (1, 1, 2)
    ]
    first, again, other = (torch.cat([p.flatten() for p in one.model.parameters()]) for one in made)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert [epoch for epoch, _ in losses] == [1, 1, 1]
    assert all(abs(loss - math.log(2)) < 0.5 for _, loss in losses)


def test_a_trained_classifier_comes_back_from_its_folder(model, trained, tmp_path):
    trained.save(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} >= {"config.json", "model.safetensors"}
    again = gk.PrefixClassifier.load(tmp_path, device="cpu")
    assert again.labels == trained.labels
    assert chance(again, "cat", "the cat", model) == pytest.approx(chance(trained, "cat", "the cat", model), abs=1e-6)
    with pytest.raises(VocabularyError, match="was made for other tokens"):
        again.of("cat").logprobs([[1]], torch.tensor([[2]]), gk.Vocabulary.from_bytes())


def test_respelled_tokens_have_the_same_text(model):
    vocabulary = model.vocabulary
    tokens = model.language_model.encode("the cat sat on the mat", with_special_tokens=False)
    found = {tuple(_Spelling(vocabulary, 0.5, Random(seed)).of([*tokens, 0])) for seed in range(20)}
    assert {vocabulary.text_of(spelled) for spelled in found} == {b"the cat sat on the mat"}
    assert {spelled[-1] for spelled in found} == {0}
    assert len(found) > 15
    assert list(_Spelling(vocabulary, 0.0, Random(0)).of(tokens)) == tokens


@pytest.mark.parametrize(
    ("texts", "labels", "options", "message"),
    [
        (["a"], ["x", "y"], {}, "1 texts and 2 labels; there must be one a text"),
        ("ab", ["x", "y"], {}, "2 texts and 2 labels"),
        (["a", "b"], ["x", "x"], {}, "there are only ['x']"),
        ([], [], {}, "there are only []"),
        (["a", "b"], ["x", "y"], {"epochs": 0}, "epochs must be at least 1, not 0"),
        (["a", "b"], ["x", "y"], {"width": 48}, "width must be a multiple of 32, the width of a head, not 48"),
        (["a", "b"], ["x", "y"], {"respelled": 1.0}, "respelled must be at least 0 and less than 1, not 1.0"),
        (["a", "b"], ["x", "y"], {"learning_rate": 0.0}, "learning_rate must be greater than 0, not 0.0"),
    ],
)
def test_bad_training(model, texts, labels, options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        gk.train_prefix_classifier(model.language_model, texts, labels, **options)


def test_the_model_to_train_for_is_the_one_inside(model):
    with pytest.raises(OptionError, match=r"a Model is no TransformersModel; .* model.language_model"):
        gk.train_prefix_classifier(model, ["a", "b"], ["x", "y"])


def anew(classifier: PrefixClassifier, label: str):
    """The slow twin of `classifier.of(label)`: each text from its start, alone."""

    @torch.inference_mode()
    def logprobs(rows):
        outputs = [classifier.model(torch.tensor([[classifier.start, *row]])).logits[0] for row in rows]
        return torch.stack(outputs).double().log_softmax(-1)[:, classifier.labels.index(label)]

    return logprobs


@pytest.mark.parametrize(("label", "other"), [("cat", "mat"), *slow(("mat", "cat"))])
def test_texts_are_steered_towards_a_class(model, trained, label, other):
    """Under a constraint, in a batch, as a stream; and the same as by a function that computes each text anew."""
    assert isinstance(trained.of("cat"), Classifier)
    constraint = gk.regex("(the|a) (cat|mat)( and a (cat|mat))?")
    prompts = ["Say: ", "Then: "] * 6
    for label, other in (("cat", "mat"), ("mat", "cat")):
        steered = gk.classifier_guided(model, trained.of(label), alpha=4.0)
        texts = [one.text for one in steered.generate(prompts, constraint, seed=1)]
        assert sum(text.count(label) for text in texts) > 4 * sum(text.count(other) for text in texts)
        assert "".join(steered.stream("Say: ", constraint, seed=1)) == texts[0]
        slow = gk.classifier_guided(model, gk.on_tokens(anew(trained, label)), alpha=4.0)
        options = {"seed": 1, "logprobs": 0}
        both = (made.generate(prompts[:2], constraint, **options) for made in (steered, slow))
        for fast, twin in zip(*both, strict=True):
            assert fast.tokens == twin.tokens
            for one, two in zip(fast.logprobs, twin.logprobs, strict=True):
                assert one.guided_logprob == pytest.approx(two.guided_logprob, abs=1e-4)


def test_a_classifier_of_texts_steers(model):
    """The same by an encoder of transformers and by the function of texts that it is."""
    classifier = SequenceClassifier(weights("BERT"), byte_tokenizer(), name="bert")
    cls = classifier.of("LABEL_2")
    steered = gk.classifier_guided(model, cls, alpha=3.0, top_k=20)
    twin = gk.classifier_guided(
        model, OfTexts(lambda texts: [float(cls([text])) for text in texts]), alpha=3.0, top_k=20
    )
    options = {"max_tokens": 6, "seed": 3, "logprobs": 0}
    (one, two) = (made.generate("the ", **options) for made in (steered, twin))
    assert one.tokens == two.tokens
    assert one.logprobs[0].terms[1].term == "3 * classifier(LABEL_2 by bert, top_k=20)"
    assert one.tokens != model.generate("the ", **options).tokens
