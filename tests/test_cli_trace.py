"""`guidance-kit trace`: the text as `generate` writes it, and a page that says why."""

from __future__ import annotations

import re

import pytest
from command_line import run


def test_trace_writes_a_page_and_the_text(inbox, llama):
    arguments = ["the <cat>", "-m", llama, "--regex", r"\d{3}-\d{4}", "--seed", "3"]
    traced = run("trace", *arguments, "-o", "why.html", "--alternatives", "2")
    assert traced.exit_code == 0, traced.stderr
    assert traced.stdout == run("generate", *arguments).stdout
    count = int(re.search(r"why.html: attribution of (\d+) tokens", traced.stderr)[1])
    page = (inbox / "why.html").read_text(encoding="utf-8")
    assert page.count('class="others"') == page.count('tabindex="0"') == count > 1
    assert "the &lt;cat&gt;" in page


def test_trace_steers(inbox, llama):
    arguments = ["the cat", "-m", llama, "--seed", "3", "--max-tokens", "5"]
    towards = [*arguments, "--expert", llama, "--alpha", "0.5"]
    assert run("trace", *towards).exit_code == 0
    page = (inbox / "trace.html").read_text(encoding="utf-8")
    assert page.count(f">0.5 * {llama}<") == 5
    steered = run("trace", *towards, "--anti-expert", llama)
    assert steered.stdout == run("generate", *arguments).stdout  # what is added is taken away again
    assert f">-0.5 * {llama}<" in (inbox / "trace.html").read_text(encoding="utf-8")


def test_a_draft_has_its_figures_in_the_page(inbox, llama):
    arguments = ["the cat", "-m", llama, "--expert", llama, "--alpha", "0.5", "--temperature", "0", "--max-tokens", "9"]
    expected = run("trace", *arguments)
    assert 'class="drafts"' not in (inbox / "trace.html").read_text(encoding="utf-8")
    found = run("trace", *arguments, "--draft", "expert", "--ahead", "3")
    assert found.exit_code == 0, found.stderr
    assert found.stdout == expected.stdout
    page = (inbox / "trace.html").read_text(encoding="utf-8")
    assert f'<th scope="row">{llama}</th>' in page


@pytest.mark.parametrize(
    "options", [["--think", "5"], ["--sketch", "5"], ["--template", "a{text:max_tokens=4}. {constraint}"]]
)
def test_thoughts_and_templates_are_those_of_generate(inbox, llama, options):
    arguments = ["the cat", "-m", llama, "--regex", "[0-9]{2}", "--seed", "3", *options]
    traced = run("trace", *arguments, "-o", "why.html")
    assert traced.exit_code == 0, traced.stderr
    assert traced.stdout == run("generate", *arguments).stdout
    page = (inbox / "why.html").read_text(encoding="utf-8")
    assert page.count("<h3>Thoughts</h3>") == (options[0] != "--template")


def test_a_text_that_was_cut_has_a_page_too(inbox, llama):
    cut = run("trace", "x", "-m", llama, "--regex", "a{500}", "--max-tokens", "3", "-o", "cut.html")
    assert cut.exit_code == 1
    assert "cut off by 3 tokens" in cut.stderr
    assert (inbox / "cut.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "2"], "--alpha needs --expert or --anti-expert"),
        (["-o", "none/a.html"], "there is no folder none for a.html"),
        (["--complete"], "--complete needs a constraint"),
        (["--regex", "a", "--choice", "b"], "--regex and --choice exclude each other"),
    ],
)
def test_what_is_refused_before_a_model_is_loaded(inbox, arguments, message):
    refused = run("trace", "x", "-m", "no such model", *arguments)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert message in refused.stderr
