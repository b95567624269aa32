"""What a caller may give for a prompt, a text or a conversation, and what is refused."""

from __future__ import annotations

import array

import numpy as np
import pytest
import torch
from small_models import small_llama
from transformers import LogitsProcessorList

from guidance_kit.decoding.completion import Completion
from guidance_kit.errors import GuidanceKitError, ModelError, OptionError
from guidance_kit.integrations.transformers import GuideProcessor
from guidance_kit.model import Model
from guidance_kit.models.transformers_model import TransformersModel
from guidance_kit.prompt import read_prompt, read_prompts, read_texts
from guidance_kit.steering.context import as_chat

torch.set_num_threads(1)

HELLO = [{"role": "user", "content": "hello"}]
TERSE = [{"role": "system", "content": "be terse"}, {"role": "user", "content": "the cat"}]


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(small_llama())


SINGLE = [
    ("a text", "a text"),
    ([1, 2], [1, 2]),
    ((1, 2), [1, 2]),
    (range(1, 3), [1, 2]),
    (np.array([1, 2]), [1, 2]),
    (np.array([1, 2], dtype=np.uint64), [1, 2]),
    ([np.int64(1), 2], [1, 2]),
    (torch.tensor([1, 2]), [1, 2]),
    (list(torch.tensor([1, 2], dtype=torch.int32)), [1, 2]),
    (array.array("i", [1, 2]), [1, 2]),
    (iter([1, 2]), [1, 2]),
    (HELLO, HELLO),
    (tuple(HELLO), HELLO),
]
SEVERAL = [
    ([], []),
    (["a", "b"], ["a", "b"]),
    (("a", "b"), ["a", "b"]),
    ((text for text in "ab"), ["a", "b"]),
    ({"a": 1, "b": 2}.keys(), ["a", "b"]),
    (np.array(["a", "b"]), ["a", "b"]),
    ([[1, 2], [3]], [[1, 2], [3]]),
    (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    (torch.tensor([[1, 2]]), [[1, 2]]),
    ([torch.tensor([1, 2]), np.array([3])], [[1, 2], [3]]),
    ([HELLO, TERSE], [HELLO, TERSE]),
    (["a", [1, 2], HELLO], ["a", [1, 2], HELLO]),
]


@pytest.mark.parametrize(("given", "prompt"), SINGLE)
def test_one_prompt(given, prompt):
    assert read_prompts(given) == ([prompt], True)


@pytest.mark.parametrize(("given", "prompts"), SEVERAL)
def test_several_prompts(given, prompts):
    found, is_single = read_prompts(given)
    assert (found, is_single) == (prompts, False)
    assert all(type(token) is int for prompt in found for token in prompt if not isinstance(token, str | dict))


REFUSED = [
    (b"a", "the prompt is b'a' .*decode"),
    (bytearray(b"a"), "bytearray.*decode"),
    (memoryview(b"a"), "memoryview.*decode"),
    ([b"a", b"b"], "prompt 0 is b'a' .*decode"),
    (["a", b"b"], "prompt 1 is b'b' .*decode"),
    (np.array([b"a"]), "prompt 0 is b'a' .*decode"),
    (None, "the prompt is None"),
    ([None], "prompt 0 is None"),
    (5, r"the prompt is 5 \(int\)"),
    (1.5, r"1\.5 \(float\)"),
    (np.array(5), "ndarray"),
    ([1.5], r"prompt 0 is 1\.5 \(float\)"),
    ([1, 2.0], r"token 1 of the prompt is 2\.0"),
    ([[1, 2.0]], r"token 1 of prompt 0 is 2\.0"),
    (np.array([1.0, 2.0]), "float"),
    (torch.tensor([[1.0]]), "token 0 of prompt 0"),
    ([True], r"prompt 0 is True \(bool\)"),
    ([1, True], "token 1 of the prompt is True"),
    (np.array([True]), "bool"),
    (torch.tensor([True]), "bool"),
    ([1, "a"], "token 1 of the prompt is 'a'"),
    (["a", 1], "token 0 of the prompt is 'a'"),
    ([["a"]], "token 0 of prompt 0 is 'a'"),
    ({"a"}, "a set has no order"),
    ({"role": "user", "content": "hi"}, "put the message into a list"),
    ({"input_ids": [1]}, "input_ids"),
    ([{"content": "hi"}], "message 0 of the prompt"),
    ([*HELLO, "hi"], "message 1 of the prompt is 'hi'"),
    ([HELLO, [*HELLO, {"role": 5, "content": "hi"}]], "message 1 of prompt 1"),
    ([{"role": "user", "content": b"hi"}], "message 0"),
    ([{"role": "user", "content": 5}], "message 0"),
    ([{"role": "user"}], "message 0"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_what_is_no_prompt_is_refused_wherever_one_is_taken(model, given, message):
    with pytest.raises(OptionError, match=message):
        read_prompts(given)
    with pytest.raises(OptionError):
        model.generate(given)
    with pytest.raises(GuidanceKitError):
        model.stream(given)
    with pytest.raises(OptionError):
        model.classify("a text", ["x", "y"], prompt=lambda _: given)
    steered = model + 1.0 * model.given(lambda _: given)
    with pytest.raises(OptionError):
        steered.generate("a text")


@pytest.mark.parametrize("prefix", [b"a", "a", [1.5], [True], np.array([1.0]), ["a"], [2**70], HELLO])
def test_a_model_reads_token_ids_only(model, prefix):
    with pytest.raises(OptionError, match=r"token ids|prefix 0"):
        model.language_model.logits([prefix])


@pytest.mark.parametrize(
    "given", [b"a", bytearray(b"a"), memoryview(b"a"), None, 5, [b"a"], ["a", None], np.array([1])]
)
def test_what_is_no_text_is_refused_wherever_one_is_taken(model, given):
    def refused(run):
        with pytest.raises(OptionError, match=r"text( \d)? is "):
            run()

    refused(lambda: read_texts(given))
    refused(lambda: model.extract(given, {"type": "integer"}))
    refused(lambda: model.extract(given, {"type": "integer"}, excerpts=True))
    refused(lambda: model.classify(given, ["x", "y"]))
    refused(lambda: model.classifier(["x", "y"])(given))
    refused(lambda: model.extraction_prompt(given, {"type": "integer"}))
    refused(lambda: model.classification_prompt(given, ["x", "y"]))


@pytest.mark.parametrize("given", [b"a", None, 5])
def test_a_model_encodes_and_is_given_texts_only(model, given):
    with pytest.raises(OptionError, match="a text to encode"):
        model.language_model.encode(given)
    with pytest.raises(OptionError, match="a model is given"):
        model.given(given)


def test_a_classifier_takes_a_list(model):
    with pytest.raises(OptionError, match="put the text into one"):
        model.classifier(["x", "y"])("abc")
    with pytest.raises(OptionError, match="one text"):
        model.extraction_prompt(["a", "b"], {"type": "integer"})


@pytest.mark.parametrize("labels", [b"ab", 5, None])
def test_labels_are_texts(model, labels):
    with pytest.raises(OptionError, match="labels must be"):
        model.classify("a", labels)


def test_texts_may_come_from_a_generator(model):
    texts = ["the cat", "hello"]
    found = model.classify(iter(texts), iter("xy"))
    assert [one.label for one in found] == [one.label for one in model.classify(texts, ["x", "y"])]
    schema = {"enum": [1, 2]}
    assert model.extract(iter(texts), schema) == model.extract(texts, schema)


def test_arrays_give_what_lists_give(model):
    tokens = model.language_model.encode("the cat")
    expected = model.generate(tokens, max_tokens=4, seed=1)
    for given in (np.array(tokens), torch.tensor(tokens), tuple(tokens), iter(tokens)):
        assert model.generate(given, max_tokens=4, seed=1) == expected
    assert model.generate(torch.tensor([tokens]), max_tokens=4, seed=1) == [expected]


# Conversations


def test_a_conversation_is_written_by_the_chat_template(model):
    written = model.language_model.chat(TERSE)
    expected = model.generate(written, max_tokens=4, seed=1)
    assert model.generate(TERSE, max_tokens=4, seed=1) == expected
    assert model.chat(TERSE, max_tokens=4, seed=1) == expected
    assert "".join(model.stream(TERSE, max_tokens=4, seed=1)) == expected.text
    many = model.generate([TERSE, HELLO, "hello"], max_tokens=4, seed=1)
    hello = model.language_model.chat(HELLO)
    assert many == model.generate([written, hello, model.language_model.encode("hello")], max_tokens=4, seed=1)
    assert model.classify("hi", ["x", "y"], prompt=lambda _: HELLO) == model.classify(
        "hi", ["x", "y"], prompt=lambda _: hello
    )
    assert isinstance(expected, Completion)


def test_a_conversation_needs_a_template(model):
    small = model.language_model
    plain = small.tokenizer.chat_template
    try:
        small.tokenizer.chat_template = None
        with pytest.raises(ModelError, match="no chat template"):
            model.generate(HELLO)
    finally:
        small.tokenizer.chat_template = plain
    bare = Model(TransformersModel(small.model, vocabulary=small.vocabulary))
    with pytest.raises(ModelError, match="without a tokenizer"):
        bare.generate(HELLO)


@pytest.mark.parametrize("given", ["hello", [1, 2], HELLO[0]])
def test_chat_takes_messages(model, given):
    with pytest.raises(OptionError, match=r"messages|put the message into a list"):
        model.chat(given)


def test_terms_read_conversations(model):
    """Each context gives the ids that the term would read, were they given to it."""
    language_model = model.language_model
    seen = []

    def noted(prompt):
        seen.append(prompt)
        return prompt

    for context, expected in [
        (noted, language_model.chat(HELLO)),
        (as_chat(), language_model.chat(HELLO)),
        (as_chat("be terse"), language_model.chat([TERSE[0], *HELLO])),
        ("hi", [*language_model.encode("hi"), *language_model.chat(HELLO)]),
    ]:
        steered = 0.0 * model + 1.0 * model.given(context)
        alone = model.generate(expected, max_tokens=4, temperature=0)
        assert steered.generate(HELLO, max_tokens=4, temperature=0).tokens == alone.tokens
    assert seen == [HELLO]


def test_two_system_messages_are_refused(model):
    with pytest.raises(OptionError, match="another one"):
        (model + model.given(as_chat("be kind"))).generate(TERSE, max_tokens=4)


def test_a_prompt_alone_is_no_batch():
    assert read_prompt("a") == "a"
    with pytest.raises(OptionError, match="token 0 of the prompt"):
        read_prompt(["a", "b"])


# transformers


@pytest.mark.parametrize(
    "inputs",
    [
        b"a",
        "a",
        [[1, 2]],
        torch.tensor([1, 2]),
        torch.tensor([[1.0]]),
        {"input_ids": [[1]]},
        {},
        torch.tensor([[True]]),
    ],
)
def test_the_logits_processor_takes_a_matrix_of_tokens(model, inputs):
    with pytest.raises(OptionError, match="input_ids of integers"):
        LogitsProcessorList([GuideProcessor(inputs, model.vocabulary)])
