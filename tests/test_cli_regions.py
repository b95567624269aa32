"""Regions on the command line: `--template` and `--thought-sampling` beside the calls of the library that they make."""

from __future__ import annotations

import json

import pytest
from command_line import TICKET, run
from jsonschema import Draft202012Validator

import guidance_kit as gk
from guidance_kit.model import load

SUMS = gk.regex("[0-9]{2}")

TEMPLATES = {
    "a {text:max_tokens=5,temperature=2}; {{{constraint:temperature=0}}}": gk.sequence(
        "a ", gk.text(max_tokens=5, temperature=2.0), "; {", gk.region(SUMS, temperature=0.0), "}"
    ),
    "{constraint} {text:top_k=2, max_tokens=4}": gk.sequence(SUMS, " ", gk.text(top_k=2, max_tokens=4)),
    "{{{text:max_tokens=4}}} {constraint}{constraint}": gk.sequence("{", gk.text(max_tokens=4), "} ", SUMS, SUMS),
}


@pytest.mark.parametrize("template", TEMPLATES)
def test_templates_are_sequences_with_regions(llama, template):
    arguments = ["generate", "the cat", "-m", llama, "--seed", "3", "--regex", "[0-9]{2}", "--template", template]
    found = run(*arguments)
    assert found.exit_code == 0, found.stderr
    expected = load(llama).generate("the cat", TEMPLATES[template], seed=3)
    assert found.stdout == expected.text + "\n"
    assert run(*arguments, "--stream").stdout == found.stdout


def test_templates_need_no_constraint(llama):
    arguments = ["generate", "the cat", "-m", llama, "--temperature", "0", "--json", "-n", "3"]
    found = run(*arguments, "--template", "[{text:max_tokens=6,temperature=2}]", "--seed", "4")
    assert found.exit_code == 0, found.stderr
    texts = [json.loads(line) for line in found.stdout.splitlines()]
    assert len(set(texts)) == 3, "texts differ, as their regions are drawn"
    assert all(text.startswith("[") and text.endswith("]") and text.count("]") == 1 for text in texts)


@pytest.mark.parametrize(
    ("template", "options", "message"),
    [
        ("{", [], "--template: Single '{' encountered in format string; a brace itself is written twice"),
        ("{txt}", [], "--template: the fields are '{text}' and '{constraint}', not '{txt}'"),
        ("{text!r}.", [], "not '{text!r}'"),
        ("{text}.", ["--choice", "a"], "--template has no field '{constraint}'"),
        ("{constraint}", [], "--template has the field '{constraint}', but no constraint is given"),
        ("{text}{text}.", [], "--template: nothing ends a '{text}'"),
        ("{text:heat=1}", [], "--template: unknown setting 'heat'; known: 'max_tokens', 'temperature',"),
        ("{text:temperature=-1}", [], "--template 'temperature=-1': temperature must be a number, at least 0"),
        ("{text:temperature=warm}", [], "--template 'temperature=warm': the value is no number"),
        ("{text:max_tokens=1.5}", [], "--template 'max_tokens=1.5': the value is no integer"),
        ("{text:top_k=1,top_k=2}", [], "--template sets 'top_k' twice"),
        ("{text}", ["--think", "5"], "--template excludes --think and --sketch"),
        ("{text}", ["--decoder", "beam"], "regions are drawn token by token, which --decoder Beam does not do"),
        ("{text}", ["--draft", "prompt"], "--draft holds for a text as a whole"),
        ("{text}", ["--min-tokens", "3"], "--min-tokens holds for a text as a whole"),
        ("{text}", ["--stop", "x"], "--stop holds for a text as a whole"),
    ],
)
def test_templates_are_refused_before_a_model_is_loaded(template, options, message):
    found = run("generate", "the cat", "-m", "no/such-model", "--template", template, *options)
    assert found.exit_code == 2
    assert found.stdout == ""
    assert message in found.stderr


@pytest.mark.parametrize("name", ["think", "sketch"])
def test_thoughts_have_sampling_settings_of_their_own(llama, name):
    arguments = ["generate", "the cat", "-m", llama, "--choice", "yes", "--choice", "no", "--temperature", "0"]
    settings = ["--thought-sampling", "temperature=3,top_k=40"]
    found = run(*arguments, "--seed", "3", f"--{name}", "8", *settings)
    assert found.exit_code == 0, found.stderr
    think = gk.Think(tokens=8, options={"temperature": 3.0, "top_k": 40}, is_sketch=name == "sketch")
    other = gk.Think(tokens=8, is_sketch=name == "sketch")
    asked = {"seed": 3, "temperature": 0}
    choice = gk.choice(["yes", "no"])
    expected, cooler = (load(llama).generate("the cat", choice, **asked, **{name: one}) for one in (think, other))
    assert found.stdout == expected.text + "\n"
    assert expected.thoughts.text != cooler.thoughts.text
    assert expected.thoughts.text.strip() in found.stderr


def test_thought_sampling_needs_thoughts(inbox):
    for command in (["generate", "the cat"], ["extract", "messages", "-s", '{"type": "object"}']):
        found = run(*command, "-m", "no/such-model", "--thought-sampling", "temperature=1")
        assert found.exit_code == 2
        assert "--thought-sampling needs --think or --sketch" in found.stderr


def test_records_depend_on_the_sampling_of_thoughts(inbox, llama):
    arguments = ["extract", "-s", "ticket.json", "messages/1.txt", "-m", llama, "--seed", "1", "-o", "out.jsonl"]
    first = run(*arguments, "--think", "5", "--thought-sampling", "temperature=0.5")
    assert first.exit_code == 0, first.stderr
    with open("out.jsonl", encoding="utf-8") as file:
        Draft202012Validator(TICKET).validate(json.loads(file.read())["record"])
    same = run(*arguments, "--think", "5", "--thought-sampling", "temperature=0.50", "--resume")
    assert same.exit_code == 0, same.stderr
    other = run(*arguments, "--think", "5", "--thought-sampling", "temperature=0.7", "--resume")
    assert other.exit_code == 2
    assert "made with other settings" in other.stderr
