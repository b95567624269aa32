"""`guidance-kit generate`: what it continues, with and without a constraint."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from command_line import TICKET, run
from jsonschema import Draft202012Validator
from marks import slow

import guidance_kit as gk
from guidance_kit.model import load
from guidance_kit.models.transformers_model import TransformersModel


def test_generate_continues_a_prompt(inbox, llama):
    plain = run("generate", "the cat", "-m", llama, "--max-tokens", "12", "--seed", "3")
    assert plain.exit_code == 0, plain.stderr
    streamed = run("generate", "-", "-m", llama, "--max-tokens", "12", "--seed", "3", "--stream", given="the cat\n")
    assert streamed.stdout == plain.stdout
    assert run("generate", "the cat", "-m", llama, "--max-tokens", "12", "--seed", "4").stdout != plain.stdout


def test_several_samples(inbox, llama):
    arguments = ["generate", "the cat", "-m", llama, "--max-tokens", "12", "--seed", "3"]
    alone = run(*arguments, "--json")
    four = run(*arguments, "--json", "-n", "4")
    texts = [json.loads(line) for line in four.stdout.splitlines()]
    assert four.exit_code == 0, four.stderr
    assert texts[0] == json.loads(alone.stdout) == run(*arguments).stdout.removesuffix("\n")
    assert len(set(texts)) == len(texts) == 4
    cut = run(*arguments, "--regex", "a{500}", "-n", "2")
    assert cut.exit_code == 1
    assert cut.stderr.splitlines() == [
        f"Warning: text {number} was cut off by 12 tokens, so it may not satisfy the constraint" for number in (1, 2)
    ]
    for flags, message in (
        (["--stream", "-n", "2"], "Error: --stream and --number exclude each other\n"),
        (["--stream", "--json"], "Error: --stream and --json exclude each other\n"),
        (["-n", "2", "--temperature", "0"], "Error: the 2 texts of --number are equal at --temperature 0; raise it\n"),
    ):
        refused = run(*arguments, *flags)
        assert (refused.exit_code, refused.stdout, refused.stderr) == (2, "", message)


def test_a_sample_that_fails_costs_no_other(inbox, llama, monkeypatch):
    sound = TransformersModel.logits
    options = {"n": 4, "seed": 3, "max_tokens": 12}
    bad = load(llama).generate("the cat", **options)[2].tokens[0]

    def logits(self, prefixes, *others, **named):
        found = sound(self, prefixes, *others, **named).clone()
        for row, (prefix, start) in enumerate(zip(prefixes, named["starts"], strict=True)):
            if prefix[start : start + 1] == [bad]:
                found[row] = float("nan")
        return found

    arguments = ["generate", "the cat", "-m", llama, "--max-tokens", "12", "--seed", "3", "--json", "-n", "4"]
    whole = run(*arguments).stdout.splitlines()
    monkeypatch.setattr(TransformersModel, "logits", logits)
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [line for number, line in enumerate(whole, 1) if number != 3]
    assert result.stderr.startswith("Warning: text 3 failed: the model returned NaN at step 2")


SAMPLERS = {
    "--typical-p 0.6": {"typical_p": 0.6},
    "--epsilon-cutoff 0.01 --eta-cutoff 0.02": {"epsilon_cutoff": 0.01, "eta_cutoff": 0.02},
    "--top-n-sigma 1.5 --top-a 0.2": {"top_n_sigma": 1.5, "top_a": 0.2},
    "--dynamic-temperature 0.1 0.8": {"temperature": gk.DynamicTemperature(0.1, 0.8)},
    "--mirostat 2 --min-tokens 3": {"draw": gk.Mirostat(2), "min_tokens": 3},
    "--no-repeat-ngrams 1": {"guides": gk.NoRepeatNgrams(1)},
}


@pytest.mark.parametrize("flags", SAMPLERS)
def test_samplers_are_those_of_the_library(inbox, llama, flags):
    arguments = ["generate", "the cat", "-m", llama, "--max-tokens", "12", "--seed", "3"]
    found = run(*arguments, *flags.split())
    assert found.exit_code == 0, found.stderr
    plain = load(llama).generate("the cat", max_tokens=12, seed=3)
    expected = load(llama).generate("the cat", max_tokens=12, seed=3, **SAMPLERS[flags])
    assert found.stdout.removesuffix("\n") == expected.text != plain.text


def test_dry_and_refused_samplers(inbox, llama):
    arguments = ["generate", "a a a a a a", "-m", llama, "--max-tokens", "12", "--seed", "3"]
    model = load(llama)
    expected = model.generate("a a a a a a", max_tokens=12, seed=3, guides=gk.Dry.with_breakers(model.vocabulary))
    assert run(*arguments, "--dry", "0.8").stdout.removesuffix("\n") == expected.text
    for flags, message in (
        (["--temperature", "2", "--dynamic-temperature", "1", "2"], "exclude each other"),
        (["--temperature", "0", "--mirostat", "3"], "a draw needs a temperature above 0"),
        (["--eta-cutoff", "1"], "--eta-cutoff must be"),
        (["--dry", "0"], "multiplier must be"),
    ):
        refused = run(*arguments, *flags)
        assert refused.exit_code == 2
        assert message in refused.stderr


def test_a_prompt_that_is_no_text_is_refused(inbox, llama):
    result = run("generate", "-", "-m", llama, given=b"caf\xe9")
    assert result.exit_code == 2
    assert result.stderr == "Error: standard input is not UTF-8 at byte 3\n"
    result = run("generate", "caf\udce9", "-m", llama)  # what Python makes of such an argument
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: the prompt has a lone surrogate at character 3")


def test_generate_under_constraints(inbox, llama):
    chosen = run("generate", "the cat", "-m", llama, "--choice", "yes", "--choice", "no", "--temperature", "0")
    assert chosen.stdout in ("yes\n", "no\n")
    matched = run("generate", "Call ", "-m", llama, "--regex", r"\d{3}-\d{4}", "--chat", "--stream")
    assert re.fullmatch(r"\d{3}-\d{4}\n", matched.stdout)
    record = run("generate", "A record: ", "-m", llama, "-s", "ticket.json", "--whitespace", "indent=2")
    Draft202012Validator(TICKET).validate(json.loads(record.stdout))
    assert [line[:3] for line in record.stdout.splitlines()] == ["{", *['  "'] * 3, "}"]
    cut = run("generate", "x", "-m", llama, "--regex", "a{500}", "--max-tokens", "3", "--stream")
    assert cut.exit_code == 1
    assert cut.stderr == "Warning: cut off by 3 tokens, so the text may not satisfy the constraint\n"


def test_a_file_in_gguf_names_the_library_that_it_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    refused = run("generate", "x", "-m", str(tmp_path / "model.gguf"))
    assert refused.exit_code == 3
    assert f"{tmp_path / 'model.gguf'} needs llama-cpp-python: pip install 'guidance-kit[llama-cpp]'" in refused.stderr


def test_generate_under_a_structural_tag(inbox, llama):
    """As XGrammar, vLLM and SGLang write it, in the current form and in the older one."""
    schema = {"type": "object", "properties": {"city": {"enum": ["Oslo", "Rome"]}}, "required": ["city"]}
    content = {"type": "json_schema", "json_schema": {**schema, "additionalProperties": False}}
    one = {"type": "tag", "begin": "<weather>", "content": content, "end": "</weather>"}
    current = {
        "type": "triggered_tags",
        "triggers": ["<w"],
        "tags": [one],
        "at_least_one": True,
        "stop_after_first": True,
    }
    (inbox / "tag.json").write_text(json.dumps({"type": "structural_tag", "format": current}))
    written = run("generate", "x", "-m", llama, "--structural-tag", "tag.json", "--complete", "--max-tokens", "60")
    assert written.exit_code == 0, written.stderr
    value = re.fullmatch(r"<weather>(.*)</weather>\n", written.stdout, re.DOTALL)[1]
    assert json.loads(value)["city"] in ("Oslo", "Rome")
    structures = [{"begin": "<f>", "schema": schema, "end": "</f>"}]
    older = {"type": "structural_tag", "structures": structures, "triggers": ["<f"]}
    (inbox / "older.json").write_text(json.dumps(older))
    assert run("generate", "x", "-m", llama, "--structural-tag", "older.json", "--max-tokens", "3").exit_code in (0, 1)


@pytest.mark.parametrize("stream", [*slow(((),)), ("--stream",)])
def test_complete_ends_texts_where_there_is_no_room(inbox, llama, stream):
    arguments = ["generate", "x", "-m", llama, "--regex", "[a-z]{8,}!", "--max-tokens", "9", "--seed", "1", *stream]
    assert run(*arguments).exit_code == 1
    completed = run(*arguments, "--complete")
    assert completed.exit_code == 0, completed.stderr
    assert re.fullmatch("[a-z]{8,}!\n", completed.stdout)
    assert completed.stderr == "Completed after 9 tokens for lack of room\n"
    roomy = run("generate", "x", "-m", llama, "--regex", "(ab){1,3}!", "--complete", *stream)
    assert (roomy.exit_code, roomy.stderr) == (0, "")
    refused = run("generate", "x", "-m", llama, "--regex", "a{500}", "--max-tokens", "3", "--complete", *stream)
    assert refused.exit_code == 2
    assert refused.stderr.startswith(
        "Error: it takes 500 tokens to complete the text, and there are 3; raise --max-tok"
    )
    assert refused.stdout == ""


def test_decoders_and_their_options(inbox, llama):
    arguments = ("generate", "Call ", "-m", llama, "--regex", "[0-9]{3}", "--seed", "3")
    beams = run(*arguments, "--decoder", "beam", "--width", "8", "-n", "3").stdout.splitlines()
    assert len(set(beams)) == 3
    assert run(*arguments, "--decoder", "most-likely", "--temperature", "0").stdout.splitlines() == beams[:1]
    assert run(*arguments, "--decoder", "sample").stdout == run(*arguments).stdout
    for name, options in {"best-of": ["--by", "majority"], "mbr": ["--utility", "chrf"], "stochastic-beam": []}.items():
        assert re.fullmatch("[0-9]{3}\n", run(*arguments, "--decoder", name, "--width", "3", *options).stdout)
    Path("odd.py").write_text("def odd(texts):\n    return [not set(text) & set('02468') for text in texts]\n")
    for name, options in {
        "particles": ["--potential", "odd.py:odd"], "cars": ["--potential", "odd.py:odd"],
    }.items():  # fmt: skip
        found = run(*arguments, "--decoder", name, "--width", "200", *options)
        assert re.fullmatch("[13579]{3}\n", found.stdout), found.stderr
    counted = run(*arguments, "--decoder", "particles", "--width", "4", "--proposal", "count")
    assert re.fullmatch("[0-9]{3}\n", counted.stdout)
    contrastive = run(*arguments, "--decoder", "contrastive-search", "--width", "3", "--alpha", "0.4")
    assert re.fullmatch("[0-9]{3}\n", contrastive.stdout)
    for flags, message in [
        (["--decoder", "beem"], "did you mean 'beam'"),
        (["--width", "3"], "--width: for a --decoder, and none is given"),
        (["--decoder", "mbr", "--groups", "2"], "--groups is not for --decoder mbr"),
        (["--decoder", "beam", "--stream"], "has no pieces"),
        (["--decoder", "cars", "--potential", "odd.py"], "a function is named as module:name"),
        (["--decoder", "cars", "--potential", "odd.py:evens"], "there is no 'evens' in odd.py"),
        (["--decoder", "particles", "--proposal", "counts"], "did you mean 'count'"),
        (["--decoder", "mbr", "--alpha", "0.5"], "--alpha is not for --decoder mbr"),
    ]:
        refused = run(*arguments, *flags)
        assert refused.exit_code == 2
        assert message in refused.stderr


def test_a_key_file_marks_a_text(inbox, llama):
    made = run("watermark-key", "key.json", "--kind", "green", "--bias", "inf", "--width", "1")
    assert (made.exit_code, made.stdout) == (0, "")
    assert made.stderr == "key.json: 1 key of a green watermark; keep it secret, and keep it\n"
    assert run("watermark-key", "key.json").exit_code == 2
    arguments = ["generate", "the cat", "-m", llama, "--max-tokens", "20", "--seed", "3"]
    marked = run(*arguments, "--watermark", "key.json")
    assert marked.exit_code == 0, marked.stderr
    expected = load(llama).generate("the cat", max_tokens=20, seed=3, watermark=gk.Watermark.load("key.json"))
    assert marked.stdout == expected.text + "\n" != run(*arguments).stdout
    for flags, message in (
        (["--watermark", "none.json"], "none.json cannot be read"),
        (["--watermark", "key.json", "--decoder", "beam"], "Beam draws no tokens one by one"),
    ):
        refused = run(*arguments, *flags)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert message in refused.stderr
    run("watermark-key", "bound.json", "--model", llama)
    assert gk.Watermark.load("bound.json").vocabulary == load(llama).vocabulary.fingerprint


def test_a_draft_proposes_tokens(inbox, llama):
    plain = ["generate", "the cat the cat", "-m", llama, "--max-tokens", "12", "--temperature", "0"]
    expected = run(*plain)
    for draft in ("lookup", "forced", llama):
        found = run(*plain, "--draft", draft, "--ahead", "3")
        assert (found.exit_code, found.stdout) == (0, expected.stdout), found.stderr
    refused = run(*plain, "--ahead", "3")
    assert (refused.exit_code, refused.stderr) == (2, "Error: --ahead is for a draft, and there is none\n")
