"""Formulas of the literature by name. Each is one expression, shown in its docstring; z are logits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args

from guidance_kit.decoding.sampling import require_integer
from guidance_kit.errors import OptionError
from guidance_kit.steering.classified import Classified, Others
from guidance_kit.steering.classifiers import Classifier, as_classifier
from guidance_kit.steering.context import LastToken, Rewrite
from guidance_kit.steering.formula import Formula, Operand
from guidance_kit.steering.posterior import Posterior
from guidance_kit.steering.terms import Multiplier, Term, Weight

__all__ = [
    "classifier_free", "classifier_guided", "context_aware", "contrastive", "dexperts", "dola", "emulated_fine_tuning",
    "gedi", "proxy_tuning",
]  # fmt: skip

M = TypeVar("M", bound=Operand)
Strength = float | Multiplier
"""Number, or schedule over the text."""


def dexperts(base: M, expert: M | None, anti_expert: M, *, alpha: Strength = 2.0, top_p: float | None = 0.9) -> M:
    """DExperts: favour tokens by the ratio of an expert to an anti-expert, within the nucleus of the base.

    `base.keep(top_p=top_p) + alpha * (expert - anti_expert)`: the nucleus is that of the base, before steering.

    Args:
        expert: None for the base itself ("anti-only").
        alpha: 2.0 against toxicity and 3.2 for sentiment in the paper.
        top_p: as in `Sampling`; None keeps all tokens.
    Source: Liu et al. 2021, DExperts: Decoding-Time Controlled Text Generation with Experts and Anti-Experts.
    """
    kept = base if top_p is None else base.keep(top_p=top_p)
    return kept + alpha * ((base if expert is None else expert) - anti_expert)


def proxy_tuning(base: M, tuned: M, untuned: M, *, alpha: Strength = 1.0) -> M:
    """Proxy-tuning: steer a large model with a small tuned one, `base + alpha * (tuned - untuned)`.

    If the untuned model was not trained with the tokens that end a turn, add `.with_special_tokens_of(tuned)`.

    Source: Liu et al. 2024, Tuning Language Models by Proxy.
    """
    return base + alpha * (tuned - untuned)


def contrastive(expert: M, amateur: M, *, beta: Strength = 0.5, plausibility: float = 0.1) -> M:
    """Contrastive decoding: `expert.keep(min_p=plausibility) + beta * (expert - amateur)`.

    That is (1 + beta) z_expert - beta z_amateur over the tokens that have at least `plausibility` times the greatest
    probability under the expert. The earlier form, Li et al. 2023, with the amateur at temperature T, is
    `expert.keep(min_p=0.1) - amateur / T`.

    Source: O'Brien and Lewis 2023, Contrastive Decoding Improves Reasoning in Large Language Models; Li et al. 2023,
        Contrastive Decoding: Open-ended Text Generation as Optimization.
    """
    return expert.keep(min_p=plausibility) + beta * (expert - amateur)


def classifier_free(model: M, negative: str | Rewrite | None = None, *, scale: float = 1.5) -> M:
    """Classifier-free guidance, a stronger prompt: `model + (scale - 1) * (model - unconditional)`.

    That is z_u + scale (z_c - z_u), so `scale` 1 is the model alone.

    Args:
        negative: negative prompt in place of the caller's, or a function from the caller's to it, see `Operand.given`;
            None for the last token of the caller's alone, as in transformers.
        scale: the paper's gamma.
    Source: Sanchez et al. 2023, Stay on topic with Classifier-Free Guidance.
    """
    if negative is None:
        unconditional = model._reading(LastToken())
    else:
        unconditional = model.given((lambda _: negative) if isinstance(negative, str) else negative)
    return model + (scale - 1) * (model - unconditional)


def classifier_guided(
    base: M,
    classifier: Classifier | Callable[[list[str]], Any],
    *,
    alpha: Strength = 1.0,
    top_k: int = 100,
    others: Others = "removed",
    has_prompt: bool = False,
) -> M:
    """Classifier guidance of the most likely tokens: p(x) P(class | text x)^alpha.

    `base + alpha * classifier`, with the classifier run on the `top_k` most likely allowed tokens of the base; see
    `Classified`. With `alpha` 1, all tokens classified and an exact classifier, the result is the base given the class
    (Bayes' rule). To steer away from a class, steer towards the others (`classifier.without(label)`).

    CAIF uses any classifier of texts, at the positions given by `alpha` times `entropy_gate` and `every`; at weight 0
    no classifier runs and no token is removed. FUDGE uses a classifier trained on prefixes, with `alpha` 1 and `top_k`
    200.

    Args:
        classifier: one class of a `PrefixClassifier` or a `SequenceClassifier`, `classifier.of(label)`; or any function
            from a list of texts to one log-probability each, or another score in nats; or one of token ids, by
            `on_tokens`.
        alpha: not negative.
        top_k: number of classified tokens, at least 1.
        others: all other tokens are "removed", as in both papers, or keep their probability, with the "least" score of
            the classified ones.
        has_prompt: give the classifier the prompt too.
    Raises:
        OptionError: a negative `alpha`, or another value out of range.
    Source: Sitdikov et al. 2022, Classifiers are Better Experts for Controllable Text Generation; Yang and Klein 2021,
        FUDGE: Controlled Text Generation With Future Discriminators.
    """
    require_integer("top_k", top_k, least=1)
    if others not in get_args(Others):
        raise OptionError.unknown(str(others), get_args(Others), "rule for other tokens")
    if Weight.of(alpha).coefficient < 0:
        raise OptionError(f"alpha is {alpha}; to steer away from a class, steer towards the others")
    atom = Classified(base.formula, as_classifier(classifier), top_k, others, has_prompt)
    return base + alpha * base._with(Formula((Term(Weight(1.0), atom),)))


def context_aware(model: M, context: str | Rewrite | Sequence[str | Rewrite], *, alpha: Strength = 0.5) -> M:
    """Context-aware decoding: `focused + alpha * (focused - model)`, with `focused` the model given the context.

    That is (1 + alpha) z(y | context, prompt) - alpha z(y | prompt), with the caller's prompts.

    Args:
        context: a text before every prompt, or a list with one for each; see `Operand.given`.
    Source: Shi et al. 2024, Trusting Your Evidence: Hallucinate Less with Context-aware Decoding.
    """
    focused = model.given(context)
    return focused + alpha * (focused - model)


def dola(model: M, early: M, *, plausibility: float = 0.1) -> M:
    """DoLa, decoding by contrasting layers: `model.keep(min_p=plausibility) - early`.

    That is log p - log p_early over the tokens that have at least `plausibility` times the top probability.

    Args:
        early: the model at early layers, `model.early_exit([2, 4, 6])`.
        plausibility: alpha of the paper.
    Source: Chuang et al. 2024, DoLa: Decoding by Contrasting Layers Improves Factuality in Large Language Models.
    """
    return model.keep(min_p=plausibility) - early


def emulated_fine_tuning(reference: M, *rewards: tuple[M, M], weights: Sequence[Strength] | None = None) -> M:
    """Emulated fine-tuning: transfer the tuning of small models to another scale, for one or several objectives.

    `reference + w_1 * (tuned_1 - untuned_1) + w_2 * (tuned_2 - untuned_2) + ...`: each difference is, up to a constant,
    the reward that its tuning maximised, in units of the strength of its KL penalty.

    Args:
        reference: the model before fine-tuning.
        rewards: pairs of a model after and before.
        weights: one a pair; 1 by default. Those that sum to 1 trade the objectives off.
    Raises:
        OptionError: no pair; another number of weights.
    Source: Mitchell et al. 2024, An Emulator for Fine-Tuning Large Language Models using Small Language Models.
    """
    chosen = [1.0] * len(rewards) if weights is None else list(weights)
    if not rewards or len(chosen) != len(rewards):
        raise OptionError(f"{len(rewards)} pairs of a tuned and an untuned model, and {len(chosen)} weights")
    for (tuned, untuned), weight in zip(rewards, chosen, strict=True):
        reference = reference + weight * (tuned - untuned)
    return reference


def gedi(
    base: M,
    desired: M,
    *undesired: M,
    omega: Strength = 30.0,
    priors: Sequence[float] | None = None,
    is_averaged: bool = True,
) -> M:
    """GeDi, guidance by a generative classifier: p(x) P(desired | x_1..t)^omega.

    Each class has a language model, often one model with several prompts (`model.given("positive: ")`), and
    P(desired | x_1..t) follows by Bayes' rule from all tokens generated so far; see `Posterior`. With `omega` 1,
    `is_averaged` False and class models whose mixture is the base, the result is exactly the desired class model.

    Args:
        desired, undesired: a model for each class, single models.
        omega: 30 in the paper.
        priors: probabilities of the classes, the desired one first; equal by default.
        is_averaged: divide sums of log-probabilities by their number of tokens, as the paper does.
    Raises:
        OptionError: no undesired class; a class that is not a single model; priors that do not sum to 1.
    Source: Krause et al. 2021, GeDi: Generative Discriminator Guided Sequence Generation. Its filter of tokens (rho,
        tau), and the scale that it learns, are left out.
    """
    classes = (desired.formula, *(model.formula for model in undesired))
    chosen = [1 / len(classes)] * len(classes) if priors is None else priors
    posterior = Posterior(classes, tuple(chosen), is_averaged)
    return base + omega * base._with(Formula((Term(Weight(1.0), posterior),)))
