"""Mixtures of agents against the calls of which they are made."""

from __future__ import annotations

import pytest
from small_models import small_llama

import guidance_kit as gk
from guidance_kit.decoding.sampling import row_seeds
from guidance_kit.errors import BatchError, OptionError

MODEL = gk.Model(small_llama())
OTHER = gk.Model(small_llama(bos=None))
DRAWN = {"max_tokens": 6, "seed": 5}
ANSWER = gk.regex("[ab]{2}")


def numbered(prompt, proposals):
    """Short writer of prompts."""
    return "|".join(one.text for one in proposals) + prompt


def texts(completions) -> list[str]:
    return [one.text for one in completions]


def test_proposals_are_those_of_the_models_and_the_answer_reads_them():
    agents = gk.MixtureOfAgents([MODEL, OTHER], MODEL, n=2, options=DRAWN, prompt=numbered)
    prompts = ["the cat", "a"]
    proposals = agents.propose(prompts)
    first, second = row_seeds(5, 2)
    wanted = [
        [*of_one, *of_other]
        for of_one, of_other in zip(
            MODEL.generate(prompts, n=2, max_tokens=6, seed=first),
            OTHER.generate(prompts, n=2, max_tokens=6, seed=second),
            strict=True,
        )
    ]
    assert [texts(own) for own in proposals] == [texts(own) for own in wanted]
    asked = [numbered(prompt, own) for prompt, own in zip(prompts, wanted, strict=True)]
    answers = agents.generate(prompts, ANSWER, seed=9, max_tokens=8)
    assert texts(answers) == texts(MODEL.generate(asked, ANSWER, seed=9, max_tokens=8))
    assert asked != prompts
    alone = agents.generate("the cat", ANSWER, seed=9, max_tokens=8)
    assert alone.text == answers[0].text


def test_proposals_may_keep_a_constraint_and_models_draw_with_seeds_of_their_own():
    agents = gk.MixtureOfAgents(
        [MODEL, MODEL], MODEL, constraint=gk.regex("[0-9]{12}"), options=DRAWN | {"max_tokens": 20}
    )
    ((one, other),) = agents.propose("x")
    assert one.text.isdigit()
    assert other.text.isdigit()
    assert one.text != other.text
    assert agents.generate("x", gk.json_schema({"enum": [1, 2]}), seed=1).value in (1, 2)


def test_later_layers_read_the_proposals_before():
    seen = []

    def noted(prompt, proposals):
        seen.append((prompt, texts(proposals)))
        return numbered(prompt, proposals)

    agents = gk.MixtureOfAgents([MODEL, OTHER], OTHER, layers=2, options=DRAWN, prompt=noted)
    last = agents.propose("the cat")
    seeds = row_seeds(5, 4)
    first = [
        model.generate("the cat", max_tokens=6, seed=seed) for model, seed in zip([MODEL, OTHER], seeds, strict=False)
    ]
    assert seen == [("the cat", texts(first))]
    asked = numbered("the cat", first)
    wanted = [
        model.generate(asked, max_tokens=6, seed=seed) for model, seed in zip([MODEL, OTHER], seeds[2:], strict=True)
    ]
    assert texts(last[0]) == texts(wanted)


def failing(on: str):
    """Decoder that fails on a prompt."""

    def reward(prompt, completions):
        if prompt == on:
            raise ValueError("no reward")
        return [0.0] * len(completions)

    return gk.BestOf(1, reward)


def test_a_proposal_that_fails_is_left_out_and_a_prompt_without_any_leaves_the_others():
    options = DRAWN | {"decoder": failing("a")}
    agents = gk.MixtureOfAgents([MODEL], OTHER, options=options, prompt=numbered)
    warned = pytest.warns(RuntimeWarning, match="model 0 has no proposal to prompt 1: by failed")
    with warned, pytest.raises(BatchError) as caught:
        agents.generate(["the cat", "a"], ANSWER, seed=1)
    assert list(caught.value.errors) == [1]
    assert caught.value.results[0].finish_reason == "complete"
    with pytest.warns(RuntimeWarning), pytest.raises(OptionError, match="by failed on prompt 0"):
        agents.generate("a", ANSWER, seed=1)
    with pytest.warns(RuntimeWarning), pytest.raises(BatchError) as caught:
        agents.propose(["the cat", "a"])
    assert caught.value.results[1] is None
    assert len(caught.value.results[0]) == 1


def test_an_answer_that_fails_leaves_the_others():
    agents = gk.MixtureOfAgents([MODEL], OTHER, options=DRAWN, prompt=lambda prompt, proposals: prompt)
    with pytest.raises(BatchError) as caught:
        agents.generate(["the cat", "a"], ANSWER, seed=1, decoder=failing("the cat"))
    assert list(caught.value.errors) == [0]
    assert caught.value.results[1].finish_reason == "complete"


def test_the_prompt_with_proposals():
    proposals = MODEL.generate("x", gk.choice(["yes", "no"]), n=2, seed=1)
    first, second = texts(proposals)
    written = gk.aggregation_prompt("Is it so?", proposals)
    assert written.endswith(f"Answers of the models:\n1. {first}\n2. {second}\n\nIs it so?")
    user = {"role": "user", "content": "Is it so?"}
    head, last = gk.aggregation_prompt([user], proposals)
    assert (head["role"], last) == ("system", user)
    head, _ = gk.aggregation_prompt([{"role": "system", "content": "Be brief."}, user], proposals)
    assert head["content"].startswith("Be brief.\n\nSeveral models")
    with pytest.raises(OptionError, match="token ids need a `prompt` function"):
        gk.aggregation_prompt([1, 2], proposals)


def test_bad_settings_are_refused():
    for make, message in [
        (lambda: gk.MixtureOfAgents([], MODEL), "needs a list of models, at least one"),
        (lambda: gk.MixtureOfAgents([MODEL, "gpt"], MODEL), "model 1 of the mixture must be a Model, not 'gpt'"),
        (lambda: gk.MixtureOfAgents([MODEL], None), "the aggregator of the mixture must be a Model"),
        (lambda: gk.MixtureOfAgents([MODEL], MODEL, n=0), "n must be an integer"),
        (lambda: gk.MixtureOfAgents([MODEL], MODEL, layers=0), "layers must be an integer"),
        (lambda: gk.MixtureOfAgents([MODEL], MODEL, options={"max_token": 3}), "did you mean 'max_tokens'"),
        (lambda: gk.MixtureOfAgents([MODEL], MODEL, prompt="x"), "prompt must be a function"),
        (lambda: gk.MixtureOfAgents([MODEL], MODEL).generate("x", max_token=3), "did you mean 'max_tokens'"),
    ]:
        with pytest.raises(OptionError, match=message):
            make()
