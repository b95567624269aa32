"""What formulas refuse, saying which term: numbers that are none, other vocabularies, contexts, prompts."""

from __future__ import annotations

import numpy as np
import pytest
from loop_runs import GREEDY, NETWORKS, complete
from small_models import byte_tokenizer, random_model, random_weights
from steered_models import BASE, EXPERT, anti, base, expert, logs, other, probabilities, softmax
from toy_models import AB, ABC, EOS, HOLE, PADDING, SPECIAL, A, B

from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import ContextLengthError, FormulaError, ModelError, OptionError, VocabularyError
from guidance_kit.model import Model
from guidance_kit.models import TransformersModel
from guidance_kit.steering import named
from guidance_kit.steering.context import as_chat
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.steering.formula import MOST_NESTED, Formula, maximum
from guidance_kit.steering.schedules import (
    along_the_text,
    decay,
    entropy_gate,
    first_tokens,
    kl_budget,
    ramp,
)  # fmt: skip
from guidance_kit.vocabulary import Vocabulary


def with_rows(name: str, values, tokens=slice(None), *, length: int = 0) -> Formula:
    """A model like EXPERT, with other logits for prefixes of more than `length` tokens."""

    class Changed(TabularModel):
        def row(self, prefix):
            row = EXPERT.row(prefix).copy()
            if len(prefix) > length:
                row[tokens] = values
            return row

    return Formula.of(Changed(ABC, EXPERT.table, name=name))


# Logits that are no numbers


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("logprobs", [None, 0])
def test_nan_names_the_term_and_the_step(value, logprobs):
    formula = base + 0.5 * (expert - with_rows("broken", value, [A], length=3))
    made = NETWORKS["unbounded"]()
    with pytest.raises(FormulaError, match=r"the term -0\.5 \* broken is nan for token 0") as caught:
        complete(Ensemble(formula), [[A], [A, B]], network=made, sampling=GREEDY, logprobs=logprobs)
    assert caught.value.term == "-0.5 * broken"
    assert caught.value.__notes__[0] == "step 3, prompt 1"
    assert "(row 1, after 2 generated tokens)" in str(caught.value)
    assert isinstance(caught.value, ModelError)


@pytest.mark.parametrize(
    "formula",
    [
        maximum(base, with_rows("broken", np.nan)),
        base + with_rows("broken", np.nan).normalised(),
        base + entropy_gate(0) * with_rows("broken", np.nan),
        base + kl_budget(0.1) * with_rows("broken", np.nan),
        (base + with_rows("broken", np.nan)).keep(top_p=0.9),
        base.with_special_tokens_of(with_rows("broken", np.nan)),
        with_rows("broken", np.nan),
        named.gedi(base, with_rows("broken", np.nan), anti),
    ],
    ids=str,
)
def test_nan_is_found_wherever_it_stands(formula):
    with pytest.raises(FormulaError, match="broken"):
        Ensemble(formula).logits([[A], [B]], starts=[1, 1])


def test_nan_of_a_class_names_the_class():
    with pytest.raises(FormulaError, match=r"the term broken is nan") as caught:
        Ensemble(named.gedi(base, expert, with_rows("broken", np.nan))).logits([[A]], starts=[1])
    assert caught.value.term == "broken"


def test_nan_without_weight_does_not_matter():
    broken = with_rows("broken", np.nan)
    formula = base + first_tokens(1) * broken
    assert Ensemble(formula).logits([[A, B]], starts=[1]).isfinite().all()
    both = Ensemble(formula)
    with pytest.raises(FormulaError, match=r"row 1, after 0 generated tokens"):
        both.logits([[A, B], [A]], starts=[1, 1])


# Formulas that cannot be normalised


def test_division_by_zero_names_the_term_and_the_token():
    formula = base + 1.5 * (expert - with_rows("zero", -np.inf, [B]))
    with pytest.raises(FormulaError, match=rf"the term -1\.5 \* zero divides by the probability of token {B}"):
        Ensemble(formula).logits([[A]])


def test_what_is_impossible_stays_so():
    """A token of probability 0 under a term with a positive weight is forbidden, whatever the others say of it."""
    zero = with_rows("zero", -np.inf, [B])
    without = EXPERT.probabilities([A]) * (np.arange(ABC.rows) != B)
    without /= without.sum()
    for formula in (zero, zero + 2.0 * (expert - zero) + 2.0 * zero - 2.0 * expert, zero + expert - expert):
        np.testing.assert_allclose(probabilities(formula, [[A]])[0, 0], without, atol=1e-12)
    kept = base.keep(top_k=3) - zero  # the base forbids B too, or it would be an error
    order = np.argsort(-BASE.probabilities([A]))
    if B not in order[:3]:
        assert probabilities(kept, [[A]])[0, 0, B] == 0
    else:
        with pytest.raises(FormulaError, match="divides"):
            probabilities(kept, [[A]])


def test_a_weight_of_zero_at_a_place_says_nothing_of_what_is_impossible():
    zero = with_rows("zero", -np.inf, [B])
    found = probabilities(base + first_tokens(1) * zero, [[A, A], [A]], starts=[1, 1])
    np.testing.assert_allclose(found[0, 0], BASE.probabilities([A, A]), atol=1e-12)
    assert found[1, 0, B] == 0


def test_a_budget_may_not_suffice_to_remove_a_token():
    """To remove a token of probability p costs -log(1 - p) at least, whatever the weight."""
    zero = with_rows("zero", -np.inf, [B])
    cost = -np.log(1 - BASE.probabilities([A])[B])
    for nats, removes in ((0.9 * cost, False), (1.1 * cost, True)):
        found = probabilities(base + kl_budget(nats) * zero, [[A]])[0, 0]
        assert (found[B] == 0) == removes
        if not removes:
            np.testing.assert_allclose(found, BASE.probabilities([A]), atol=1e-12)


def test_when_no_token_is_left_it_is_said():
    left, right = with_rows("left", -np.inf, [EOS, SPECIAL, A]), with_rows("right", -np.inf, slice(B, None))
    for formula in (left + right, base + (left + right).normalised(), (left + right).keep(top_k=2)):
        with pytest.raises(FormulaError, match="no token is left") as caught:
            Ensemble(formula).logits([[B], [A]])
        assert "left" in caught.value.term
        assert "right" in caught.value.term
    found = probabilities(maximum(left + right, base), [[A]])[0, 0]  # another term has some
    np.testing.assert_allclose(found, BASE.probabilities([A]), atol=1e-12)


def test_formulas_without_weight_are_refused():
    for formula in (0 * base, 0.0 * (expert - anti), base + maximum(0 * base, expert)):
        with pytest.raises(OptionError, match=r"every weight in .* is 0"):
            Ensemble(formula)
    with pytest.raises(FormulaError, match=r"every weight in .* is 0 \(row 1, after 2 generated tokens\)"):
        Ensemble(first_tokens(2) * base + first_tokens(1) * expert).logits([[A], [A, B, B]], starts=[1, 1])


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), True])
def test_weights_are_finite_numbers(weight):
    with pytest.raises(OptionError, match="a weight must be a finite number"):
        _ = weight * base


@pytest.mark.parametrize(
    "make",
    [
        lambda: base / 0,
        lambda: base.keep(top_p=1.5),
        lambda: base.keep(top_k=0),
        lambda: first_tokens(-1),
        lambda: decay(0),
        lambda: ramp(0),
        lambda: ramp(3, end=float("nan")),
        lambda: entropy_gate(float("nan")),
        lambda: kl_budget(-0.1),
        lambda: kl_budget(0.1, at_most=0),
        lambda: kl_budget(0.1) * decay(2) * base,
        lambda: kl_budget(0.1) * kl_budget(0.1) * base,
        lambda: base + kl_budget(0.1) * expert - kl_budget(0.2) * anti,
        lambda: (base + expert).given("x"),
        lambda: (2 * base).given("x"),
        lambda: base.given(lambda prompt: [1]).given("x"),
        lambda: base.given(3),
        lambda: base.given([]),
        lambda: maximum(base, 3),
        lambda: base.with_special_tokens_of(None),
        lambda: named.emulated_fine_tuning(base),
        lambda: named.emulated_fine_tuning(base, (expert, anti), weights=[1, 2]),
        lambda: named.gedi(base, expert),
        lambda: named.gedi(base, expert + anti, anti),
        lambda: named.gedi(base, expert, anti, priors=[0.5, 0.6]),
        lambda: named.gedi(base, expert, anti, priors=[1.0]),
        lambda: Ensemble(base + along_the_text(lambda place: "x") * expert).logits([[A]], starts=[1]),
    ],
)
def test_what_makes_no_formula(make):
    with pytest.raises(OptionError):
        make()


@pytest.mark.parametrize("make", [lambda: base + 3, lambda: base - 1.0, lambda: base * base, lambda: 3 / base])
def test_constants_are_no_terms(make):
    with pytest.raises(TypeError):
        make()


# Where texts begin


@pytest.mark.parametrize(
    "formula", [base.given(lambda prompt: [A]), base + decay(2) * expert, named.gedi(base, expert, anti)], ids=str
)
def test_formulas_that_need_to_know_where_the_text_begins(formula):
    with pytest.raises(ModelError, match="depends on where the prompts end"):
        Ensemble(formula).logits([[A, B]])
    with pytest.raises(ModelError, match="some lie within the prompt"):
        Ensemble(formula).logits([[A, B], [A, B, A]], 2, starts=[1, 3])
    Ensemble(formula).logits([[A, B], [A, B, A]], 2, starts=[1, 1])


def test_positions_are_checked():
    with pytest.raises(ModelError, match="a prefix has 1 tokens"):
        Ensemble(base + expert).logits([[A], [A, B]], 2)
    with pytest.raises(ModelError, match="there is no prefix"):
        Ensemble(base + expert).logits([])


# Vocabularies


def vocabulary(*texts: bytes, special=(EOS, SPECIAL), eos=(EOS,), rows=None) -> Vocabulary:
    return Vocabulary(token_bytes=texts, special=frozenset(special), eos=eos, rows=rows or len(texts))


def table(words: Vocabulary, name="second") -> Formula:
    return Formula.of(TabularModel(words, np.zeros((words.rows + 1, words.rows)), name=name))


def test_other_vocabularies_are_refused_with_the_first_differences():
    second = table(vocabulary(b"", b"", b"a", b"c", b"ab", b"x", b"y", b"z"))
    with pytest.raises(VocabularyError) as caught:
        Ensemble(base + second)
    said = str(caught.value)
    assert "the tokens of base and second differ: token 3 is b'b' and b'c'; 5 is no text and b'x'" in said
    assert "6 is no text and b'y', and others" in said


def test_rows_that_not_all_have_are_padding():
    wide = vocabulary(b"", b"", b"a", b"b", b"ab", rows=12)
    narrow = vocabulary(b"", b"", b"a", b"b", b"ab", rows=6)
    generator = np.random.Generator(np.random.PCG64(0))
    models = {words.rows: TabularModel(words, generator.normal(size=(words.rows,))) for words in (wide, narrow)}
    for first, second in ((12, 6), (6, 12)):
        found = probabilities(Formula.of(models[first]) + Formula.of(models[second]), [[A]])[0, 0]
        assert len(found) == first
        expected = softmax(models[12].table[:6] + models[6].table)
        np.testing.assert_allclose(found[:6], expected, atol=1e-12)
        assert (found[6:] == 0).all()


def test_a_text_ends_where_any_of_the_models_ends_it():
    second = table(vocabulary(b"", b"", b"a", b"b", b"ab", b"", eos=(EOS, HOLE), rows=PADDING + 1))
    joint = Ensemble(base + second).vocabulary
    assert joint.eos == (EOS, HOLE)
    assert joint.special == {EOS, SPECIAL, HOLE}
    assert joint.token_bytes == ABC.token_bytes
    assert Ensemble(base + expert).vocabulary is ABC


def test_a_text_must_be_able_to_end():
    texts = (b"", b"", b"a", b"b", b"ab")
    base, second = vocabulary(*texts, special=(7,), eos=(7,), rows=8), vocabulary(*texts, special=(), eos=(), rows=6)
    with pytest.raises(VocabularyError, match=r"its end-of-sequence tokens \[7\] lie beyond the 6 rows"):
        Ensemble(table(base, "first") + table(second))


def test_models_of_another_tokenizer_are_refused_at_the_front_door():
    from small_models import small_llama

    first, second = Model(random_model("Llama")), Model(small_llama())
    with pytest.raises(VocabularyError, match="the tokens of LlamaForCausalLM and LlamaForCausalLM differ: token"):
        (first + second).generate("x", max_tokens=1)


# Prompts and contexts


def test_a_prompt_that_one_model_cannot_hold():
    short = Formula.of(TabularModel(ABC, EXPERT.table, context_length=4, name="short"))
    with pytest.raises(ContextLengthError, match=r"6 tokens do not fit the context of short, which is 4") as caught:
        complete(Ensemble(base + short), [[A], [A, B, A, B, A]])
    assert caught.value.__notes__ == ["at prompt 1 it reads 5 tokens, and one more must fit"]
    assert caught.value.model == "short"
    # Prompts of their own count, and texts end where the first model has no more room.
    framed = short.given(lambda prompt: [B, B, *prompt])
    with pytest.raises(ContextLengthError, match="5 tokens do not fit the context of short given"):
        complete(Ensemble(base + framed), [[A, A]])
    (one,) = complete(Ensemble(base + framed), [[A]], network=NETWORKS["unbounded"](), sampling=GREEDY)
    assert (len(one.tokens), one.finish_reason) == (1, "length")


def test_texts_need_a_tokenizer():
    with pytest.raises(ModelError, match="base has no tokenizer"):
        Ensemble(base.given("x")).logits([[A]], starts=[1])
    bare = TransformersModel(random_weights("Llama"), vocabulary=random_model("Llama").vocabulary)
    with pytest.raises(ModelError, match="wrapped without a tokenizer"):
        Model(bare).given("x").generate([1, 2], max_tokens=1)


@pytest.mark.parametrize(
    ("context", "error", "message"),
    [
        (lambda prompt: "", ModelError, "has an empty prompt"),
        (lambda prompt: [], ModelError, "has an empty prompt"),
        (lambda prompt: 7, OptionError, "a prompt is a text"),
        (["x", "y", "z"], OptionError, "2 prompts, and 3 contexts"),
        (as_chat(), ModelError, "has no chat template"),
    ],
)
def test_prompts_of_terms_that_are_none(context, error, message):
    model = Model(random_model("Llama"))
    with pytest.raises(error, match=message):
        (model + model.given(context)).generate(["one", "two"], max_tokens=1)


def test_a_conversation_needs_a_text():
    model = Model(TransformersModel(random_weights("Llama"), byte_tokenizer()))
    with pytest.raises(OptionError, match="given as token ids"):
        model.given(as_chat()).generate([1, 2, 3], max_tokens=1)


def test_equal_prompts_with_different_contexts_are_refused():
    model = Model(random_model("Llama"))
    steered = model + model.given(["a", "b"])
    with pytest.raises(OptionError, match="prompt 1 equals an earlier one"):
        steered.generate(["one", "one"], max_tokens=1)
    same = model + model.given(["a", "a"])
    first, second = same.generate(["one", "one"], max_tokens=3, temperature=0)
    assert first.tokens == second.tokens


def test_contexts_for_other_prompts():
    formula = base.given([lambda prompt: [A], lambda prompt: [B]])
    bound = Ensemble(formula).bound_to([[A], [B]], [[A], [B]])
    np.testing.assert_allclose(
        bound.logits([[B, AB]], starts=[1]).softmax(-1)[0, 0].numpy(), softmax(logs(BASE)([B, AB])), atol=1e-12
    )
    with pytest.raises(OptionError, match="contexts for other prompts"):
        bound.logits([[AB, AB]], starts=[1])


def test_errors_say_formulas_as_they_are_written():
    assert str(named.dexperts(base, expert, anti)) == "(base).keep(top_p=0.9) + 2 * expert - 2 * anti"
    assert str(base + 2 * decay(3) * maximum(expert, other)) == "base + 2 * decay(3) * maximum(expert, other)"
    assert str(-1 * base - decay(3) * anti) == "-1 * base - 1 * decay(3) * anti"
    assert repr(Ensemble(base - anti)) == "Ensemble(base - anti)"


def test_formulas_are_nested_so_deep_and_summed_without_end():
    formula = base
    with pytest.raises(OptionError, match=f"nested more than {MOST_NESTED} deep"):
        for _ in range(2000):
            formula = formula.normalised()
    assert formula.depth == MOST_NESTED
    assert Ensemble(formula).logits([[1]]).isfinite().all()
    assert str(formula).count("normalised") == MOST_NESTED - 1
    long = sum([0.001 * base] * 2000)
    assert long.depth == 1
    assert Ensemble(long).logits([[1]]).isfinite().all()


@pytest.mark.parametrize("weight", [1e31, -1e308, 10**400])
def test_weights_that_overflow_are_refused(weight):
    with pytest.raises(OptionError, match="a weight must be a finite number, at most 1e"):
        weight * base
