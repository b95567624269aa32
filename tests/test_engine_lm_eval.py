"""The LM Evaluation Harness with our models, in the environment of `make test-engines`."""

# pyright: reportMissingImports=false

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.engines
lm_eval = pytest.importorskip("lm_eval", reason="needs the LM Evaluation Harness: make test-engines")

from lm_eval.api.instance import Instance  # noqa: E402
from lm_eval.models.huggingface import HFLM  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

import guidance_kit as gk  # noqa: E402
import guidance_kit.integrations.lm_eval  # noqa: E402
from guidance_kit.evaluation import sets  # noqa: E402
from guidance_kit.integrations.lm_eval.harness_model import HarnessModel  # noqa: E402
from guidance_kit.model_source import located  # noqa: E402

TASKS = Path(guidance_kit.integrations.lm_eval.__file__).parent / "tasks"

CONTEXTS = [
    "Customer: Where is my parcel?\nTopic:",
    "Customer: I want my money back. The mug is broken.\nTopic:",
    "Customer: hello\nAgent:",
]


@pytest.fixture(scope="module")
def ours():
    return HarnessModel("base-large", batch_size=4)


@pytest.fixture(scope="module")
def theirs():
    return HFLM(pretrained=located("base-large"), device="cpu", dtype="float32", batch_size=4)


def instances(kind: str, arguments: list[tuple], documents: list[dict] | None = None) -> list[Instance]:
    """Requests of the harness."""
    documents = documents or [{}] * len(arguments)
    return [Instance(kind, document, one, 0) for one, document in zip(arguments, documents, strict=True)]


def test_scores_are_those_of_the_harness(ours, theirs):
    pairs = [(context, answer) for context in CONTEXTS for answer in (" late delivery", " refund request", " x")]
    pairs.append(("", "Customer: late"))
    own = ours.loglikelihood(instances("loglikelihood", pairs), disable_tqdm=True)
    judge = theirs.loglikelihood(instances("loglikelihood", pairs), disable_tqdm=True)
    for (logprob, is_greedy), (expected, was_greedy) in zip(own, judge, strict=True):
        assert logprob == pytest.approx(expected, abs=1e-3)
        assert is_greedy == was_greedy
    greedy = ours.generate_until(instances("generate_until", [(CONTEXTS[0], {"until": ["\n"]})]), disable_tqdm=True)
    assert ours.loglikelihood(instances("loglikelihood", [(CONTEXTS[0], greedy[0])]), disable_tqdm=True)[0][1]


def test_long_texts_are_scored_in_windows(ours):
    theirs = HFLM(pretrained=located("base-large"), device="cpu", dtype="float32", max_length=2047)
    text = "Customer: Where is my parcel? I want it now.\n" * 140
    assert len(ours.tok_encode(text)) > ours._room(ours.prefix_token_id)
    texts = [(text,), ("Customer: hello",)]
    own = ours.loglikelihood_rolling(instances("loglikelihood_rolling", texts), disable_tqdm=True)
    judge = theirs.loglikelihood_rolling(instances("loglikelihood_rolling", texts), disable_tqdm=True)
    assert own == pytest.approx(judge, rel=1e-4)


def test_texts_are_those_of_the_harness(ours, theirs):
    asked = [(context, {"until": ["\n"], "max_gen_toks": 64}) for context in CONTEXTS]
    own = ours.generate_until(instances("generate_until", asked), disable_tqdm=True)
    assert own == theirs.generate_until(instances("generate_until", asked), disable_tqdm=True)


def test_steering_acts_on_scores_and_texts(ours):
    steered = HarnessModel("base-large", expert="small-tuned", anti_expert="base-small", weight=1.5)
    formula = gk.load("base-large") + 1.5 * gk.load("small-tuned") - 1.5 * gk.load("base-small")
    pair = (CONTEXTS[2], " Thank you")
    ((found, _),) = steered.loglikelihood(instances("loglikelihood", [pair]), disable_tqdm=True)
    tokens = steered.tok_encode("".join(pair))[len(steered.tok_encode(pair[0])) :]
    assert found == pytest.approx(formula.score(tokens, CONTEXTS[2]).log_probability, abs=1e-4)
    ((plain, _),) = ours.loglikelihood(instances("loglikelihood", [pair]), disable_tqdm=True)
    assert abs(found - plain) > 0.01


def test_constraints_of_the_model_of_a_task_and_of_documents():
    model = HarnessModel("base-large", constraint=gk.choice(["yes", "no"]), batch_size=2)
    until = {"until": ["\n"], "max_gen_toks": 16}
    of_task = until | {"structured_outputs": {"regex": "[0-9]{3}"}}
    of_documents = until | {"structured_outputs_field": "form"}
    documents = [{}, {}, {"form": json.dumps({"choice": ["left"]})}, {"form": json.dumps({"regex": "[a-c]{4}"})}]
    arguments = [(CONTEXTS[0], one) for one in (until, of_task, of_documents, of_documents)]
    own, task, left, letters = model.generate_until(
        instances("generate_until", arguments, documents), disable_tqdm=True
    )
    assert own in ("yes", "no")
    assert re.fullmatch("[0-9]{3}", task)
    assert left == "left"
    assert re.fullmatch("[a-c]{4}", letters)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"structured_outputs": {"regexp": "a"}}, "structured_outputs.regexp: unknown field"),
        ({"structured_outputs": {}}, "structured_outputs: one of json, regex"),
        ({"structured_outputs_field": "schema"}, "a document has no field 'schema'"),
        ({"num_beams": 4}, "num_beams"),
    ],
)
def test_bad_tasks(ours, settings, says):
    with pytest.raises(gk.OptionError, match=re.escape(says)):
        ours.generate_until(instances("generate_until", [(CONTEXTS[0], {"until": []} | settings)]), disable_tqdm=True)


def test_bad_arguments():
    with pytest.raises(gk.OptionError, match="batch_size"):
        HarnessModel("base-small", batch_size="auto")
    with pytest.raises(gk.OptionError, match="write the formula itself"):
        HarnessModel(gk.load("base-small"), expert="small-tuned")
    with pytest.raises(gk.ModelError, match="no chat template"):
        HarnessModel("support-2m").apply_chat_template([{"role": "user", "content": "hello"}])


def test_tasks_of_the_bundled_models():
    manager = TaskManager(include_path=str(TASKS))
    found = lm_eval.simple_evaluate(
        model="guidance_kit", model_args="pretrained=large-intents", tasks=["guidance_kit_topics"], limit=40,
        batch_size=20, task_manager=manager, bootstrap_iters=0,
    )  # fmt: skip
    topics = sets.World.bundled().topics
    some = sets.messages()[:40]
    model = gk.load("large-intents")
    answers = model.classify(
        [one.text for one in some], [f" {name}" for name in topics.values()], prompt=sets.FILING.format
    )
    right = sum(answer.label == f" {topics[one.intent]}" for answer, one in zip(answers, some, strict=True))
    assert found["results"]["guidance_kit_topics"]["acc,none"] == pytest.approx(right / 40)
    assert right > 30
    found = lm_eval.simple_evaluate(
        model=HarnessModel("support-2m"), tasks=["guidance_kit_tickets"], limit=12, task_manager=manager,
        bootstrap_iters=0, log_samples=True,
    )  # fmt: skip
    tickets = sets.tickets()[:12]
    model = gk.load()
    exact = [model.extract(one.text, one.schema, temperature=0) == one.record for one in tickets]
    assert found["results"]["guidance_kit_tickets"]["record_exact,none"] == pytest.approx(sum(exact) / 12)
    assert sum(exact) > 4


def test_command_line(tmp_path):
    command = [sys.executable, "-m", "guidance_kit.integrations.lm_eval", "run", "--model", "guidance_kit"]
    command += ["--model_args", "pretrained=large-intents", "--tasks", "guidance_kit_topics", "--limit", "8"]
    command += ["--include_path", str(TASKS), "--output_path", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "guidance_kit_topics" in done.stdout
    (written,) = tmp_path.rglob("results_*.json")
    assert json.loads(written.read_text())["results"]["guidance_kit_topics"]["acc,none"] >= 0.5
