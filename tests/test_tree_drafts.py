"""Trees of drafts draw from the law without a draft: enumeration, greedy texts, drafts that break the contract."""

from __future__ import annotations

from random import Random

import pytest
import torch
from loop_runs import NETWORKS, complete
from marks import slow
from small_models import random_model
from statistics_of_samples import chi_square
from steered_models import anti, base, expert, other
from test_speculation import SHAPES, TARGETS, accepted, distribution_of, draft_of, law, samples
from test_speculation_models import noisy
from test_token_trees import random_tree
from toy_models import AB, A, B

import guidance_kit as gk
from guidance_kit.decoding.drafts.draft import NOTHING, Proposal
from guidance_kit.decoding.drafts.model_tree import BoundModelTree, ModelTree
from guidance_kit.decoding.drafts.tree_verification import verify_tree
from guidance_kit.decoding.draw import Greedy, InverseTransform
from guidance_kit.decoding.row import Row
from guidance_kit.decoding.tree_logits import leaf_rows
from guidance_kit.errors import OptionError, VocabularyError
from guidance_kit.models.draft_heads import DraftHeads
from guidance_kit.models.draft_training import train_draft_heads
from guidance_kit.models.token_tree import ROOT, TokenTree
from guidance_kit.steering.ensemble import Ensemble
from tools.train_draft_heads import texts_of

PROMPTS = [list(b"the cat sat"), list(b"so"), list(b"a longer prompt than these")]
WORDS = gk.regex("[a-z ]{5,30}")


class Guesses:
    """Draft of trees that are functions of the prefix: random ones, seeded by it."""

    name = "guesses"
    depth = 4

    def __init__(self, tokens: list[int]) -> None:
        self.tokens = tokens

    def nodes(self, ahead: int) -> int:
        return 4 * ahead

    def check(self, rows) -> None:
        pass

    def propose(self, walk, counts):
        made = []
        for row, count in zip(walk.rows, counts, strict=True):
            rng = Random(str(row.prefix))
            texts = [[rng.choice(self.tokens) for _ in range(rng.randint(1, count))] for _ in range(4) if count]
            tree = TokenTree.of(texts)
            made.append(Proposal(tokens=tree.tokens, tree=tree, draft=self.name) if len(tree) else NOTHING)
        return made


def test_rows_for_leaves_have_a_place_for_every_node():
    rng = Random(1)
    for lengths in ((9, 5, 6), (1, 4)):
        prefixes = [[3 + rng.randrange(9) for _ in range(length)] for length in lengths]
        trees = [random_tree(rng, size) for size in (3, 0, 4)[: len(lengths)]]
        expected = [
            [*prefix, *tree.text(node)]
            for prefix, tree in zip(prefixes, trees, strict=True)
            for node in range(ROOT, len(tree))
        ]
        found = [
            call.prefixes[row][: len(call.prefixes[row]) - (call.positions - 1 - position)]
            for call in leaf_rows(prefixes, trees)
            for row, position in zip(*call.index, strict=True)
        ]
        assert found == expected


CASES = [("truncating", (2, 1, 2), "counted", "hot", b"ba")]
ALL = [
    (target, branches, network, shaped, stop)
    for target in TARGETS
    for branches in ((3, 2), (1, 1, 1), (9,))
    for network in (None, *NETWORKS)
    for shaped in SHAPES
    for stop in (b"", b"ba")
]


@pytest.mark.parametrize(
    "case", [*CASES, *[pytest.param(case, marks=pytest.mark.slow) for case in ALL if case not in CASES]], ids=str
)
def test_the_law_of_texts_under_sampled_trees_is_that_without_a_draft(case):
    target, branches, network, shaped, stop = case
    formula, sampling = TARGETS[target], SHAPES[shaped]
    make = NETWORKS[network] if network else lambda: None
    draft = draft_of(ModelTree(other, branches), formula)
    options = {"stop": (stop.decode(),)} if stop else {}
    texts = samples(formula, draft, [B, AB], network=make(), sampling=sampling, count=400, **options)
    expected = law(formula, [B, AB], network=make(), sampling=sampling, stop=stop)
    statistic, limit = chi_square([one.tokens for one in texts], expected)
    assert statistic < limit
    assert sum(one.speculation.accepted for one in texts) > len(texts) / 8


class Unordered(BoundModelTree):
    """Negative control: children as if drawn in another order than they were."""

    def propose(self, walk, counts):
        made = super().propose(walk, counts)
        return [_reversed(one) for one in made]


def _reversed(proposal: Proposal) -> Proposal:
    """Proposal whose first children are in ascending order of their logits."""
    tree = proposal.tree
    if tree is None:
        return proposal
    order = sorted(tree.children(ROOT), key=lambda node: float(proposal.logits[0, tree.tokens[node]]))
    tokens = tuple(tree.tokens[node] for node in order)
    return Proposal(
        tokens=tokens, tree=TokenTree(tokens, (ROOT,) * len(tokens)), logits=proposal.logits[: 1 + len(tokens)]
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["residual", "order"])
def test_what_breaks_the_contract_is_noticed(kind, monkeypatch):
    draft = draft_of(ModelTree(other, (3, 1)))
    if kind == "order":
        draft = Unordered(draft.draft, draft.branches)
    else:
        monkeypatch.setattr("guidance_kit.decoding.drafts.tree_verification.residual", lambda target, law: target)
    texts = samples(base, draft, [B, AB], count=1000)
    statistic, limit = chi_square([one.tokens for one in texts], law(base, [B, AB]))
    assert statistic > limit


@pytest.mark.slow
def test_more_children_are_accepted_more_often():
    rates = [accepted(samples(base, draft_of(ModelTree(other, (width, 1))), [B, AB], count=300)) for width in (1, 2, 4)]
    assert rates[0] < rates[1] < rates[2]


@pytest.mark.parametrize("target", ["model", *slow("formula", "truncating")])
def test_texts_under_trees_of_the_prefix_are_those_without_a_draft(target):
    """Greedy and sampled, with constraints and log-probabilities, in a batch of prompts of a token and more."""
    distribution = distribution_of(TARGETS[target])
    prompts = [[A], [B, AB], [A, B, AB, A], [AB]]
    accepted_tokens = 0
    for network in (None, *NETWORKS.values()):
        for sampling in SHAPES.values():
            for options in ({}, {"logprobs": 2}):
                given = {"sampling": sampling, "max_tokens": 7, **options}
                network_ = {} if network is None else {"network": network()}
                expected = complete(distribution, prompts, **network_, **given)
                network_ = {} if network is None else {"network": network()}
                found = complete(distribution, prompts, **network_, **given, draft=Guesses([A, B, AB]), ahead=3)
                assert [one.tokens for one in found] == [one.tokens for one in expected]
                assert [one.finish_reason for one in found] == [one.finish_reason for one in expected]
                accepted_tokens += sum(one.speculation.accepted for one in found)
                if options:
                    for one, same in zip(found, expected, strict=True):
                        for record, other_record in zip(one.logprobs, same.logprobs, strict=True):
                            assert record.logprob == pytest.approx(other_record.logprob, abs=1e-5)
    assert accepted_tokens > 20


@pytest.fixture(scope="module")
def trained() -> tuple[gk.Model, DraftHeads]:
    target = random_model("Llama")
    texts = ["the cat sat on the mat", "so it is", "a cat is a cat", "on the mat it sat"]
    return gk.Model(target), train_draft_heads(target, texts, heads=3, epochs=3)


@pytest.mark.parametrize(
    ("kind", "constraint"), [("heads", WORDS), *slow(("model", None), ("heads", None), ("model", WORDS))]
)
def test_texts_of_a_real_model_under_trees_are_those_without_a_draft(trained, kind, constraint):
    model, heads = trained
    small = gk.Model(noisy(model.language_model, 0.1))
    draft = gk.HeadTree(heads, size=8, width=3) if kind == "heads" else gk.ModelTree(small, branches=(2, 2, 1))
    for options in ({"temperature": 0}, {"temperature": 0.8, "top_p": 0.9}):
        if kind == "model" and options["temperature"]:
            continue  # drawn by numbers of its own
        for ahead in (3, None):
            given = {"max_tokens": 20, "seed": 3, **options}
            expected = model.generate(PROMPTS, constraint, **given)
            found = model.generate(PROMPTS, constraint, draft=draft, ahead=ahead, **given)
            assert [one.tokens for one in found] == [one.tokens for one in expected]
            if ahead is not None:
                assert sum(one.speculation.accepted for one in found) > 0
    alone = model.generate(PROMPTS[0], constraint, draft=draft, ahead=3, temperature=0, max_tokens=20)
    assert (
        "".join(model.stream(PROMPTS[0], constraint, draft=draft, ahead=3, temperature=0, max_tokens=20)) == alone.text
    )
    model.language_model.clear()


@pytest.mark.parametrize("draft", [gk.LookupTree(), gk.LookaheadTree()], ids=repr)
@pytest.mark.parametrize(
    ("constraint", "temperature"), [(None, 0), *slow((None, 0.5), (WORDS, 0), (WORDS, 0.5))], ids=["0", "1", "2", "3"]
)
def test_texts_under_lookups_are_those_without_a_draft(draft, constraint, temperature):
    model = gk.Model(random_model("Llama"))
    given = {"max_tokens": 40, "seed": 3, "temperature": temperature}
    expected = model.generate(PROMPTS, constraint, **given)
    found = model.generate(PROMPTS, constraint, draft=draft, ahead=4, **given)
    assert [one.tokens for one in found] == [one.tokens for one in expected]
    if not temperature and constraint is None:
        assert sum(one.speculation.accepted for one in found) > 0


def test_lookups_find_the_latest_continuations_of_the_longest_grams():
    rng = Random(3)
    for _ in range(300):
        tokens = [rng.randrange(3) for _ in range(rng.randint(1, 14))]
        draft = gk.LookupTree(longest=3, shortest=rng.randint(1, 3), branches=rng.randint(1, 4))
        count, expected = rng.randint(1, 4), []
        for size in range(3, draft.shortest - 1, -1):
            for end in range(len(tokens) - 2, size - 2, -1):
                following = tokens[end + 1 : end + 1 + count]
                if tokens[end - size + 1 : end + 1] == tokens[-size:] and size < len(tokens):
                    expected += [following] if following not in expected else []
        found = draft.continuations(tokens, count)
        assert found == expected[: draft.branches]
        assert TokenTree.of(found).depths == () or max(TokenTree.of(found).depths) <= count


def test_jacobi_guesses_are_the_answers_of_the_model():
    """Answers behind a wrong guess are the next guesses, and the pool continues what it has seen."""
    draft = gk.LookaheadTree(window=3, branches=2).bound(None)
    row = Row(0, 0, [1, 2], seed=0, room=None)
    assert draft._paths(row, 3) == [[2, 2, 2]]
    draft.observe(row, TokenTree.of([[2, 2, 2]]), [4, 5, 6, 7])
    row.prefix.append(4)
    assert draft._paths(row, 3)[0] == [5, 6, 7]
    row.prefix[-1:] = [2]  # another text of the same prompt reads the pool
    row.seed = 1
    assert draft._paths(row, 2) == [[7, 7], [7], [6]]


def test_lookahead_learns_in_a_sequence_of_drafts():
    """Also from blocks in which another draft proposes."""
    model = gk.Model(random_model("Llama"))
    learns = gk.LookaheadTree(window=3)
    bound = []

    class Kept:
        def bound(self, binding):
            bound.append(learns.bound(binding))
            return bound[-1]

    options = {"temperature": 0, "max_tokens": 24}
    expected = model.generate(PROMPTS, **options)
    found = model.generate(PROMPTS, draft=gk.DraftSequence((gk.PromptLookup(shortest=1), Kept())), ahead=3, **options)
    assert [one.tokens for one in found] == [one.tokens for one in expected]
    pool = bound[0]._pool
    pairs = [pair for one in expected for pair in zip(one.tokens, one.tokens[1:], one.tokens[2:], strict=False)]
    known = sum(third in pool.get((first, second), ()) for first, second, third in pairs)
    assert known > 0.9 * len(pairs)


@pytest.mark.parametrize("name", [*slow("Mistral"), "Mamba"])
def test_models_without_trees_in_one_pass_verify_them_by_rows(name):
    target = random_model(name)
    model, small = gk.Model(target), gk.Model(noisy(target, 0.2))
    expected = model.generate(PROMPTS, temperature=0, max_tokens=16)
    found = model.generate(PROMPTS, temperature=0, max_tokens=16, draft=gk.ModelTree(small, (2, 1)), ahead=2)
    assert [one.tokens for one in found] == [one.tokens for one in expected]


def test_formulas_take_trees():
    target = random_model("Llama")
    model, small = gk.Model(target), gk.Model(noisy(target, 0.2))
    formula = model + 0.5 * (model - small)
    expected = formula.generate(PROMPTS, temperature=0, max_tokens=12)
    found = formula.generate(PROMPTS, temperature=0, max_tokens=12, draft=gk.ModelTree(small, (2, 2)), ahead=2)
    assert [one.tokens for one in found] == [one.tokens for one in expected]
    assert sum(one.speculation.accepted for one in found) > 0


@pytest.mark.parametrize("name", ["Llama", *slow("GPT-2")])
def test_formulas_compute_trees_in_one_pass_of_each_model(name, blocks):
    """The logits are those of texts of their own, with prompts of unequal lengths, and of terms with another prompt."""
    target = random_model(name)
    big, tuned, untuned = gk.Model(target), gk.Model(noisy(target, 0.2)), gk.Model(noisy(target, 0.3))
    formula = big + 0.7 * (tuned.given(lambda prompt: [*prompt, 9]) - untuned) + 0.2 * tuned
    prefixes, starts = [[1, 2, 3, 4, 5, 6], [7, 8, 9]], [4, 2]
    one, other = Ensemble(formula.formula), Ensemble(formula.formula)
    rng = Random(3)
    assert one.can_have_trees
    for turn in range(4):
        trees = [TokenTree.of([[rng.randrange(4) for _ in range(3)] for _ in range(3)]) for _ in prefixes]
        blocks.clear()
        found = one.tree_logits(prefixes, trees, starts=starts)
        assert not turn or sorted(rows for rows, _ in blocks) == [2, 2, 4]  # of the tuned model, two terms
        for number, (row, tree) in enumerate(zip(prefixes, trees, strict=True)):
            for node in range(-1, len(tree)):
                alone = other.logits([[*row, *tree.text(node)]], starts=[starts[number]])
                assert (found[number, 1 + node] - alone[0, 0]).abs().max() < 1e-4
        prefixes = [[*row, *tree.text(0), 5] for row, tree in zip(prefixes, trees, strict=True)]
    assert not Ensemble((big + gk.decay(3.0) * tuned).formula).can_have_trees


def test_typical_acceptance_takes_the_longest_path_of_typical_tokens():
    """Lossy: tokens of a probability above min(epsilon, delta e^-H) are taken as they are."""
    tree = TokenTree.of([[0, 1], [2, 0, 1], [1]])
    even, sure = torch.zeros(3), torch.tensor([9.0, 0.0, 0.0])
    logits = torch.stack([even, sure, even, even, even, sure])
    row = Row(0, 0, [0], seed=0, room=None)
    row.draw_state = InverseTransform().start(0)
    rule = gk.TypicalAcceptance(epsilon=0.3, delta=0.5)  # 1/6 at even odds, 0.3 where the model is sure
    tokens, path = verify_tree(logits, [0, 1, 2, 3, 4, 5], tree, None, row, Greedy(), None, rule)
    assert (tokens, path) == ([2, 0, 1, 0], [0, 3, 4, 5])
    strict = gk.TypicalAcceptance(epsilon=0.9, delta=2.9)  # 0.9 at most: no token of the first place is typical
    tokens, path = verify_tree(logits, [0, 1, 2, 3, 4, 5], tree, None, row, Greedy(), None, strict)
    assert (tokens, path) == ([0], [0])


def test_typical_acceptance_is_lossy_and_named(trained):
    model, heads = trained
    draft = gk.HeadTree(heads, size=16, acceptance=gk.TypicalAcceptance(epsilon=1e-6))
    options = {"ahead": 3, "temperature": 1.5, "seed": 1, "max_tokens": 40}
    found = model.generate(PROMPTS[0], draft=draft, **options)
    exact = model.generate(PROMPTS[0], draft=gk.HeadTree(heads, size=16), **options)
    assert found.speculation.tokens_per_call > 2 * exact.speculation.tokens_per_call
    assert list(found.speculation.drafts) == ["heads, typical acceptance"]
    assert found.tokens != exact.tokens
    for options in ({"epsilon": 0}, {"delta": -1.0}, {"epsilon": 2}):
        with pytest.raises(OptionError, match=r"(epsilon|delta) must be"):
            gk.TypicalAcceptance(**options)


def test_heads_read_states_of_the_pass_that_verified(trained, monkeypatch):
    """One forward pass a block: heads and trees need none of their own."""
    model, heads = trained
    model.language_model.clear()
    passes = []
    run = gk.models.forward.Forward.__call__
    monkeypatch.setattr(
        "guidance_kit.models.forward.Forward.__call__",
        lambda self, tokens, **given: passes.append(tokens.shape) or run(self, tokens, **given),
    )
    found = model.generate(PROMPTS[0], draft=gk.HeadTree(heads), ahead=3, temperature=0, max_tokens=20)
    trial = sum(shape[1] in (8, 5, 4, 3) for shape in passes[:9])
    assert len(passes) - trial - 1 <= found.speculation.blocks + 1
    model.language_model.clear()


def test_the_bundled_heads_are_often_right():
    model = gk.load()
    prompt, record = texts_of(1, start=100_000)[0]
    options = {"temperature": 0, "max_tokens": 48}
    expected = model.generate(prompt, **options)
    found = model.generate(prompt, draft=gk.HeadTree(gk.DraftHeads.load("support-2m")), ahead=4, **options)
    assert found.tokens == expected.tokens
    assert found.speculation.tokens_per_call > 1.5
    assert record[:1] == "{"


def test_drafts_that_cannot_be_are_refused(trained):
    model, heads = trained
    with pytest.raises(OptionError, match="branches are numbers of children"):
        gk.ModelTree(model, ())
    with pytest.raises(OptionError, match="each of branches must be an integer, at least 1"):
        gk.ModelTree(model, (2, 0))
    with pytest.raises(OptionError, match="size must be an integer"):
        gk.HeadTree(heads, size=0)
    with pytest.raises(OptionError, match="a tree of drafts needs one model or formula"):
        model.generate("a", draft=gk.ModelTree([model, model]))
    with pytest.raises(OptionError, match="for a single model of transformers"):
        (model + 0.5 * (model - gk.Model(noisy(model.language_model)))).generate("a", draft=gk.HeadTree(heads))
    foreign = DraftHeads(heads.weights, heads.biases, "0")
    with pytest.raises(VocabularyError, match="trained for other tokens"):
        model.generate("a", draft=gk.HeadTree(foreign))
    assert torch.equal(gk.HeadTree(heads).heads.weights[0], heads.weights[0])
    assert repr(anti) != repr(expert)
