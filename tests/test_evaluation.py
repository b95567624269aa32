"""Evaluations: judges against closed forms, whole runs on tiny sets, and the pages and files that they become."""

from __future__ import annotations

import gzip
import json
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import torch
from browser import CHROMIUM, Browser
from command_line import run

import guidance_kit as gk
from guidance_kit.errors import DocumentError, ModelError
from guidance_kit.evaluation import Column, Curve, Evaluation, Example, Plot, Rate, Table, sets
from guidance_kit.evaluation.extraction import confidence, evaluate_extraction
from guidance_kit.evaluation.intents import evaluate_intents
from guidance_kit.evaluation.judges import WordClassifier, calibration_error, perplexity
from guidance_kit.evaluation.proxy_tuning import gap_closed
from guidance_kit.models.loading import BUNDLED, bundled_models
from guidance_kit.reports.evaluation import evaluation_html, evaluation_markdown
from guidance_kit.reports.plots import plot_svg
from tools import write_evaluation

bundled = pytest.mark.skipif(BUNDLED not in bundled_models(), reason="no bundled model in this checkout")

EXAMPLE = Evaluation(
    name="example",
    title="A <b>title</b> & more",
    summary=("One <script>alert(1)</script> sentence.", "Another."),
    figures={"share": 0.5},
    settings={"model": "<none>"},
    tables=(
        Table(
            title="A table",
            columns=(Column("name"), Column("share", "share"), Column("number", "number"), Column("count", "count")),
            rows=(("a|b", 0.125, 1.005, 1234), ("<i>", None, 2.0, 0)),
            note="A note.",
        ),
    ),
    plots=(
        Plot(title="First", x="x", y="y", curves=(Curve(name="c", x=(0.0, 1.0), y=(0.2, 0.4), labels=("", "1")),)),
        Plot(title="Second", x="x", y="y", curves=(Curve(name="d", x=(0.0,), y=(0.2,)),), has_diagonal=True),
    ),
    headline=Table(
        title="The head",
        columns=(Column("task"), Column("valid", "rate")),
        rows=(("<t>", Rate(1, 4)), ("<t>", Rate(4, 4)), ("u", Rate(0, 0))),
    ),
    samples=(Example(heading="One", lines=(("text", "<img src=x onerror=alert(1)>"),)),),
)


@pytest.fixture(scope="module")
def model() -> gk.Model:
    return gk.load(device="cpu")


@pytest.mark.slow
def test_the_bundled_sets_are_those_that_the_world_writes() -> None:
    files = write_evaluation.files()
    assert {path.name for path in write_evaluation.FOLDER.iterdir()} == set(files)
    for name, text in files.items():
        read = (write_evaluation.FOLDER / name).read_bytes()
        kept = gzip.decompress(read) if name.endswith(".gz") else read
        assert kept.decode("utf-8") == text, "run tools/write_evaluation"


def test_the_bundled_sets_are_read() -> None:
    world = sets.World.bundled()
    assert {one.intent for one in sets.messages()} == set(world.topics) == set(world.actions)
    assert len({one.source for one in sets.tickets()}) == 2
    rude = [one.reply for one in sets.answered() if one.tone == "rude"]
    assert all(map(world.is_rude, rude))
    assert not any(word in one.reply.lower() for one in sets.answered() if one.tone != "rude" for word in world.words)


def test_labelled_texts_are_read_or_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "a", "label": "x"}\n{"text": "b", "label": "y"}\n', encoding="utf-8")
    assert sets.labels_of(sets.labelled(path)) == ["x", "y"]
    for bad in ("[]", '{"text": 1, "label": "x"}', '{"label": "x"}', "{", '{"text": "", "label": "x"}', "null"):
        path.write_text(f'{{"text": "a", "label": "x"}}\n{bad}\n', encoding="utf-8")
        with pytest.raises(DocumentError, match="line 2"):
            sets.labelled(path)
    path.write_text("", encoding="utf-8")
    with pytest.raises(DocumentError, match="empty"):
        sets.labelled(path)
    with pytest.raises(DocumentError, match="cannot read"):
        sets.labelled(tmp_path / "none.jsonl")


def test_calibration_error_of_a_closed_form() -> None:
    assert calibration_error([1.0] * 4, [True] * 4) == 0
    assert calibration_error([1.0] * 4, [False] * 4) == 1
    assert calibration_error([0.25, 0.25, 0.75, 0.75], [False, True, True, True]) == pytest.approx(0.25)
    assert calibration_error([], []) == 0


def test_the_gap() -> None:
    assert gap_closed(0.2, 0.7, 0.7) == 1
    assert gap_closed(0.2, 0.1, 0.7) < 0
    assert gap_closed(0.5, 0.6, 0.5) is None


def test_words_tell_classes_apart() -> None:
    judge = WordClassifier(["good day", "good night", "bad luck", "bad news"] * 5, ["a", "a", "b", "b"] * 5)
    (good, bad) = judge.probabilities(["a good thing", "a bad thing"])
    assert judge.labels == ["a", "b"]
    assert good[0] > 0.7 > 0.3 > bad[0]


@bundled
def test_perplexity_is_that_of_each_text_alone(model: gk.Model) -> None:
    prompts, texts = ["Dear all, ", "My order", "x"], ["order 7 came.", " is late, sadly.", ""]
    encode = model.language_model.encode
    expected = []
    for prompt, text in zip(prompts[:2], texts, strict=False):
        read, written = encode(prompt), encode(text, with_special_tokens=False)
        with torch.no_grad():
            logits = model.language_model.model(torch.tensor([[*read, *written]])).logits[0].double()
        logprobs = torch.log_softmax(logits, -1)
        losses = [-logprobs[len(read) - 1 + place, token].item() for place, token in enumerate(written)]
        expected.append(math.exp(sum(losses) / len(losses)))
    assert perplexity(model, prompts, texts) == pytest.approx(sum(expected) / 2, rel=1e-4)
    with pytest.raises(ModelError, match="all texts are empty"):
        perplexity(model, ["a"], [""])


@bundled
@pytest.mark.slow
def test_extraction_under_a_schema_is_valid_and_outsiders_are_less_sure(model: gk.Model) -> None:
    source = sets.tickets()[:2] + sets.tickets()[-2:]
    found = evaluate_extraction(model, source, sets.outsiders()[:3])
    rows = {(row[0], row[1]): row for row in found.tables[0].rows}
    assert len(rows) == 6
    assert all(row[5] == 1.0 for (_, run), row in rows.items() if run != "none")
    assert sum(row[2] for row in found.tables[1].rows) == len(source)
    *fit, outside = found.tables[2].rows
    assert [row[1] for row in found.tables[2].rows] == [fit[0][1], 4 - fit[0][1], 3]
    assert fit[0][2] > outside[2]
    assert outside[3] == 1.0
    assert found.figures["valid, schema"] == 1.0
    assert found.headline is not None
    assert [row[2].total for row in found.headline.rows] == [2] * 6


@bundled
def test_confidence_is_the_probability_of_what_was_chosen(model: gk.Model) -> None:
    made = model.generate("Hi", gk.choice(["aa", "ab"]), logprobs=0, seed=1)
    free = [math.exp(record.guided_logprob) for record in made.logprobs if record.choices > 1]
    assert free
    assert confidence(made) == pytest.approx(math.prod(free))
    assert confidence(model.generate("Hi", gk.choice(["aa"]), logprobs=0)) == 1.0
    with pytest.raises(ValueError, match="log-probabilities"):
        confidence(model.generate("Hi", gk.choice(["aa"])))


@bundled
def test_intents_of_one_s_own_texts(model: gk.Model) -> None:
    texts = [sets.Labelled(text=f"text {n}", label="yes" if n % 2 else "no") for n in range(6)]
    further = [sets.Labelled(text="text 1", label="yes"), sets.Labelled(text="text 2", label="yes")]
    found = evaluate_intents(
        {"m": model}, texts, {"6 texts": texts}, further={"two": further}, prompt=lambda text: f"{text}\nLabel: "
    )
    names = [row[0] for row in found.tables[0].rows]
    assert names == [
        "m, probabilities", "m, probabilities, contextual", "m, probabilities, batch", "m, written", "words, 6 texts",
    ]  # fmt: skip
    assert all(0 <= row[1] <= 1 for row in found.tables[0].rows)
    alone = evaluate_intents({"m": model}, further, {"6 texts": texts}, prompt=lambda text: f"{text}\nLabel: ")
    expected = {name: row for name, *row in alone.tables[0].rows}
    assert found.tables[1].title == "Further texts"
    for title, name, *row in found.tables[1].rows:
        assert title == "two"
        assert row == pytest.approx(expected[name])
        assert found.figures[f"accuracy, two, {name}"] == row[0]
    assert len(alone.tables) == 2
    assert found.summary[-1] == f"Two, m, probabilities: {expected['m, probabilities'][0]:.1%}."
    json.dumps(found.to_dict())


def test_a_page_escapes_everything_and_needs_nothing() -> None:
    page = evaluation_html(EXAMPLE, links=[("more & more", "more.html")])
    assert "<script" not in page
    assert "<img" not in page
    assert not re.search(r'(?:src|href)="(?!#|more\.html)', page)
    assert "12.5 %" in page
    assert page.count("&lt;t&gt;") == 1
    assert '<td rowspan="2">&lt;t&gt;</td>' in page
    assert page.count('<svg class="rate"') == 2
    assert 0 < page.index("The head") < page.index("First") < page.index("A table")
    assert "1,234" in page
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers)) > 10
    assert set(re.findall(r'href="#([^"]+)"', page)) | set(re.findall(r"url\(#([^)]+)\)", page)) <= set(identifiers)


def test_a_plot_is_an_element_that_is_always_the_same() -> None:
    svg = plot_svg(EXAMPLE.plots[0])
    assert ET.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert plot_svg(EXAMPLE.plots[0]) == svg
    assert ">x</text>" in svg


def test_markdown_has_all_rows() -> None:
    text = evaluation_markdown(EXAMPLE, ["a.svg", "b.svg"])
    assert "| a\\|b | 12.5 % | 1.00 | 1,234 |" in text
    assert "| <i> | – | 2.00 | 0 |" in text
    assert "| <t> | 25 % (1/4; 5–70) |" in text
    assert "| u | – |" in text
    assert text.index("The head") < text.index("![")
    assert text.count("![") == 2
    assert "![" not in evaluation_markdown(EXAMPLE)


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="2 columns"):
        Table(title="t", columns=(Column("a"), Column("b")), rows=(("x",),))


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_a_browser_shows_the_page_as_meant(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(evaluation_html(EXAMPLE), encoding="utf-8")
    with Browser(tmp_path / "profile") as browser:
        browser.open(page, width=500, height=900)
        assert not browser.logged
        assert browser.requested == [page.as_uri()]
        assert browser.run("document.querySelector('h1').textContent") == EXAMPLE.title
        assert browser.run("document.querySelectorAll('figure svg').length") == 2
        wide = "[...document.querySelectorAll('figure svg')].every(e => e.getBoundingClientRect().width > 200)"
        assert browser.run(wide)
        assert browser.run("document.documentElement.scrollWidth <= innerWidth")


@bundled
def test_the_command_writes_pages(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "Where is it?", "label": "status"}\n{"text": "Thanks", "label": "praise"}\n')
    out = tmp_path / "out"
    found = run("evaluate", "intents", "-m", BUNDLED, "--texts", str(texts), "--read", "{}\nLabel: ", "-o", str(out))
    assert found.exit_code == 0
    assert {path.name for path in out.iterdir()} == {
        "intents.html", "intents.json", "intents_1.svg", "intents_2.svg", "results.md",
    }  # fmt: skip
    assert found.stdout.splitlines()[-1] == str(out / "results.md")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["intent"], "intents"),
        (["toxicity", "-m", "x"], "--model"),
        (["intents", "--texts", "f"], "-m"),
        (["extraction", "--read", "{}"], "--read"),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments: list[str], said: str, tmp_path: Path) -> None:
    found = run("evaluate", *arguments, "-o", str(tmp_path / "out"))
    assert found.exit_code == 2
    assert said in found.stderr
    assert not (tmp_path / "out").exists()
