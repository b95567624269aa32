"""Help, and wrong usage of any command: one message and an exit status."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from command_line import command, lines, run
from marks import slow
from typer.main import get_command

from guidance_kit import __version__
from guidance_kit.cli.application import app
from guidance_kit.cli.flags import flags_of, in_flags
from guidance_kit.decoding.cut_field import cut_at
from tests.fake_extractor import SCHEMA

WRONG = [
    (["extract", "messages", "-s", "none.json"], "Error: there is no schema file none.json"),
    (["extract", "messages", "-s", "messages"], "Error: the schema file messages cannot be read: is a directory"),
    (["extract", "messages", "-s", "bad.json"], "Error: the schema is not JSON: Expecting property name"),
    (["extract", "messages", "-s", "latin.json"], "Error: the schema file latin.json is not UTF-8 at byte 1"),
    (["extract", "messages", "-s", '{"type": "objekt"}'], "'objekt'"),
    (["extract", "messages", "-s", "things:Tikket"], "unknown class in things: 'Tikket'; did you mean 'Ticket'?"),
    (["extract", "messages", "-s", "things:LIMIT"], "Error: "),
    (["extract", "messages", "-s", "thinks:Ticket"], "Error: there is no module thinks in "),
    (["extract", "messages", "-s", "nowhere/things.py:Ticket"], "Error: there is no file nowhere/things.py"),
    (["extract", "messages", "-s", "raising.py:Ticket"], "Error: importing raising.py failed: ZeroDivisionError: "),
    (["extract", "messages", "-s", "ticket.json", "--whitespace", "compakt"], "did you mean 'compact'?"),
    (["check", "ticket.json", "--whitespace", "compakt"], "did you mean 'compact'?"),
    (["check", "--regex", "a", "--whitespace", "compact"], "Error: --whitespace is for JSON: name a schema"),
    (["sample", "--regex", "a", "--order", "any"], "Error: --order is for JSON: name a schema"),
    (["draw", "bad.lark", "--escapes", "all"], "Error: --escapes is for JSON: name a schema"),
    (["generate", "x", "--digits", "1.2"], "Error: --digits is for JSON: name a schema"),
    (
        ["trace", "x", "--choice", "a", "--order", "any", "--escapes", "all"],
        "Error: --order and --escapes are for JSON: name a schema",
    ),
    (
        ["extract", "messages", "-s", "ticket.json", "--encoding", "utf-9"],
        "unknown encoding 'utf-9'; did you mean 'utf-8'?",
    ),
    (["extract", "messages", "-s", "ticket.json", "--format", "jsn"], "'jsonl'"),
    (["extract", "messages", "-s", "ticket.json", "--batch-size", "0"], "greater than or equal to 1"),
    (["extract", "messages", "-s", "ticket.json", "--shema", "x"], "--schema"),
    (["extract", "messages", "-s", "ticket.json", "-o", "no/folder/out.jsonl"], "cannot be written: no such file"),
    (["extract", "messages", "-s", "ticket.json", "-o", "messages"], "Error: messages cannot be written: is a dir"),
    (["extract", "missing", "-s", "ticket.json"], "Error: missing: no such file or directory"),
    (
        ["extract", "rows.jsonl", "-s", "ticket.json"],
        "Error: which field of rows.jsonl is the text? Name it with --field: 'body'",
    ),
    (["extract", "messages"], "--schema"),
    (["check", "leaving.py:Ticket"], "Error: importing leaving.py failed: it ended the program, with 3"),
    (["check", "leaving:Ticket"], "Error: importing leaving failed: it ended the program, with 3"),
    (["check", "broken.py:Ticket"], "Error: importing broken.py failed: SyntaxError: "),
    (["check", "binary.py:Ticket"], "Error: importing binary.py failed: "),
    (["check", "things.py"], "Error: things.py is a Python file: name the type, constraint or schema in it"),
    (["check", ":Ticket"], "Error: there is no schema file :Ticket"),
    (["check", "messages"], "Error: the schema file messages cannot be read: is a directory"),
    (["check", "blank.json"], "Error: the schema file blank.json is empty"),
    (["sample", "blank.lark"], "Error: the grammar file blank.lark is empty"),
    (["generate", "x", "--grammar", "blank.lark"], "Error: the grammar file blank.lark is empty"),
    (["generate", "x", "--structural-tag", "blank.json"], "Error: the structural tag file blank.json is empty"),
    (["draw", "--regex", "a", "-o", "messages"], "Error: messages is a folder; name a file in it"),
    (["draw", "--regex", "a", "-o", "drawing"], "Error: drawing has no known suffix: .svg, .png"),
    (["extrakt"], "extract"),
    (["generate", "x", "--regex", "a(b"], "Error: missing ), unterminated subpattern at position 1"),
    (["generate", "x", "--regex", "a", "--choice", "b"], "Error: --regex and --choice exclude each other"),
    (
        ["generate", "x", "--complete"],
        "Error: --complete needs a constraint: --regex, --schema, --grammar, --structural-tag or --choice",
    ),
    (["generate", "x", "--choice", "a", "--start", "b"], "Error: --start and --lexer are for grammar files"),
    (["generate", "x", "--structural-tag", "none.json"], "Error: there is no structural tag file none.json"),
    (["generate", "x", "--structural-tag", "ticket.json"], "Error: "),
    (["generate", "x", "--structural-tag", "t.json", "--choice", "a"], "Error: --structural-tag and --choice exclude"),
    (["generate", "x", "--dtype", "flot32"], "Error: unknown dtype 'flot32'; did you mean 'float32'?"),
    (["generate", "x", "--device", "cpuu"], "Error: unknown device 'cpuu'; did you mean 'cpu'?"),
    (["generate", "x", "--device", "cuda:x"], "Error: a device has a number after its colon, as cuda:0, not 'cuda:x'"),
    (["generate", "x", "--tempreature", "1"], "--temperature"),
    (["check", "--regex", "a", "--start", "x"], "Error: --start and --lexer are for grammar files"),
    (["generate", "x", "--grammar", "none.txt"], "Error: --grammar none.txt: a grammar file ends in .lark"),
    (["generate", "x", "--grammar", "none.lark"], "Error: there is no grammar file none.lark"),
    (["generate", "x", "--grammar", "bad.lark"], "Error: 'valu' is used but not defined"),
    (["generate", "x", "--grammar", "bad.lark", "--lexer", "dynamik"], "did you mean 'dynamic'?"),
    *(
        ([*command, "--trust-remote-code"], "Error: --trust-remote-code and texts on standard input exclude each other")
        for command in (
            ["extract", "-", "-s", "ticket.json"],
            ["extract", "messages", "-", "-s", "ticket.json"],
            ["extract", "/dev/stdin", "-s", "ticket.json"],
            ["classify", "-", "-l", "a", "-l", "b"],
            ["generate", "-"],
            ["trace", "-"],
        )
    ),
    (["generate", "x", "--temperature", "inf"], "Invalid value for '--temperature': inf is not a finite number."),
    (
        ["extract", "messages", "-s", "ticket.json", "--temperature", "nan"],
        "Invalid value for '--temperature'",
    ),
    (["generate", "x", "--top-p", "0"], "Invalid value for '--top-p': 0 leaves no token"),
    (["trace", "x", "--top-p", "nan"], "Invalid value for '--top-p'"),
    (["generate", "x", "--min-p", "nan"], "Invalid value for '--min-p'"),
    (["generate", "x", "--stop", ""], "Invalid value for '--stop': an empty text"),
    (["generate", "x", "--stop", "\udce9"], "Error: --stop has a lone surrogate"),
    (["generate", "x", "--seed", "-1"], "Invalid value for '--seed'"),
    (["extract", "messages", "-s", "ticket.json", "--seed", "-1"], "Invalid value for '--seed'"),
    (["trace", "x", "--expert", "y", "--alpha", "inf"], "Invalid value for '--alpha': inf is not a finite number."),
    (["trace", "x", "-o", "messages"], "Error: messages is a folder; name a file in it"),
    (["trace", "x", "-o", "no/page.html"], "Error: there is no folder no for page.html"),
    (["draw", "--regex", "a", "-o", "no/a.svg"], "Error: there is no folder no for a.svg"),
    (
        ["classify", "messages", "-l", "a", "-l", "b", "--threshold", "nan"],
        "Invalid value for '--threshold'",
    ),
    (
        ["classify", "messages", "-l", "a", "-l", "b", "--bias", "a=nan"],
        "Error: the bias of 'a' must be a number of nats",
    ),
    (
        ["extract", "messages", "-s", "ticket.json", "-o", "out.xlsx"],
        "Error: out.xlsx: files ending in .xlsx cannot be",
    ),
    (["classify", "messages", "-l", "a", "-l", "b", "-o", "out.txt"], "Error: out.txt: files ending in .txt cannot be"),
    (["check"], "Error: give either SCHEMA or --regex PATTERN"),
    (["check", "ticket.json", "--regex", "a"], "Error: give either SCHEMA or --regex PATTERN"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_wrong_usage_is_one_message_before_any_model_is_loaded(inbox, monkeypatch, arguments, message):
    def never(*names, **options):
        raise AssertionError("a model was loaded")

    monkeypatch.setattr("guidance_kit.model.load", never)
    (inbox / "bad.json").write_text("{,}")
    (inbox / "bad.lark").write_text("start: valu")
    (inbox / "latin.json").write_bytes(b"\x22\xe9\x22")
    (inbox / "raising.py").write_text("1 / 0\n")
    (inbox / "leaving.py").write_text("raise SystemExit(3)\n")
    (inbox / "broken.py").write_text("def f(:\n")
    (inbox / "blank.json").write_text("\n")
    (inbox / "blank.lark").touch()
    (inbox / "binary.py").write_bytes(b"\0")
    (inbox / "rows.jsonl").write_text('{"body": "x"}\n')
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    assert not (inbox / "out.jsonl").exists()


FLAGS = {"max_tokens": "--max-tokens", "complete": "--complete", "temperature": "--temperature", "lexer": "--lexer"}

MESSAGES = [
    ("raise max_tokens, or set complete=True", "raise --max-tokens, or set --complete"),
    ("temperature must be a number", "--temperature must be a number"),
    ("it takes 3 tokens to complete the text", "it takes 3 tokens to complete the text"),
    ("it needs a temperature above 0", "it needs a temperature above 0"),
    ("lexer='longest' is for grammars", "--lexer longest is for grammars"),
    ("the model's text ends with 'set max_tokens'", "the model's text ends with 'set max_tokens'"),
    ("--max-tokens, Limits(max_tokens_of=3)", "--max-tokens, Limits(max_tokens_of=3)"),
    ("max_tokens of the rule 'a' is not supported", "max_tokens of the rule 'a' is not supported"),
    ("max_tokens=3 and x.max_tokens", "--max-tokens 3 and x.max_tokens"),
]


@pytest.mark.parametrize(("message", "shown"), MESSAGES)
def test_parameters_of_python_are_shown_as_flags(message, shown):
    assert in_flags(message, FLAGS) == shown


def test_every_command_has_the_flags_of_its_own_options():
    for found in get_command(app).commands.values():
        flags = flags_of(found)
        assert {"debug": "--debug"}.items() <= flags.items()
        assert all(flag.startswith("--") for flag in flags.values())


def test_errors_of_documents_name_flags_and_the_field_that_ran_on(inbox, fake_model):
    (inbox / "s.json").write_text(json.dumps(SCHEMA))
    (inbox / "messages" / "cut.txt").write_text("CUT here")
    result = run("extract", "-s", "s.json", "messages/cut.txt", "-o", "out.jsonl")
    assert result.exit_code == 1
    message = lines(inbox / "out.jsonl")[0]["error"]["message"]
    assert "raise --max-tokens, set --complete to have texts completed" in message
    assert message.endswith("; it was cut in /text, after 0 characters of it")
    assert f"messages/cut.txt: {message}" in " ".join(result.stderr.split())


CUT = [
    ('{"name": "Mirela", "amount": 0000000', ("/amount", 7)),
    ('{"name": "Mir', ("/name", 4)),
    ('{"na', ("", 3)),
    ('{"na\\"', ("", 5)),
    ('{"a": {"b": 1}, "c": [{"d": 2}, [3, "x', ("/c/1/1", 2)),
    ('{"a/b~c": [', ("/a~1b~0c/0", 0)),
    ("12", ("", 2)),
    ("", ("", 0)),
    ('{"a": "} , ] : \\" [", "b": tr', ("/b", 2)),
]


@pytest.mark.parametrize(("text", "place"), CUT)
def test_the_field_in_which_a_record_is_cut(text, place):
    assert cut_at(text) == place


def test_debug_shows_where_an_error_came_from(inbox):
    result = run("extract", "messages", "-s", "raising.py:Ticket", "--debug")
    assert "Error: there is no file raising.py" in result.stderr
    assert "Traceback" in result.stderr


@pytest.fixture(scope="session")
def without_braces(tmp_path_factory) -> str:
    """A folder with a random Llama whose tokenizer knows neither braces nor what is not ASCII."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    folder = str(tmp_path_factory.mktemp("without_braces"))
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    letters = sorted(letter for letter in alphabet if letter.isascii() and letter not in "{}")
    inner = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate([*letters, "Ġ"])}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="</s>")
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_what_the_vocabulary_cannot_spell_is_said_with_its_characters(inbox, without_braces):
    missing = re.compile(r"^Error: the vocabulary cannot spell .* it has no tokens for .*'\{' '\}'\. Use a model", re.M)
    extracted = run("extract", "-s", "ticket.json", "messages", "-o", "out.jsonl", "-m", without_braces)
    assert extracted.exit_code == 2
    assert missing.search(extracted.stderr)
    assert not list(inbox.glob("out.jsonl*"))
    generated = run("generate", "x", "--regex", "aé+", "-m", without_braces)
    assert generated.exit_code == 2
    assert "it has no tokens for 'é'. Use" in generated.stderr
    checked = run("check", "ticket.json", "-m", without_braces)
    assert checked.exit_code == 1
    assert checked.stdout.startswith("ticket.json: supported\n")
    assert checked.stdout.endswith(f"ticket.json: cannot be used with {without_braces}\n")
    assert missing.search(checked.stderr)


def test_version():
    assert run("--version").stdout == f"guidance-kit {__version__}\n"


def test_what_needs_no_model_is_answered_without_torch(inbox):
    script = (
        "import sys; from guidance_kit.cli.application import app\n"
        "try: app(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('torch', 'transformers', 'numba') if name in sys.modules])"
    )
    arguments = ["extract", "messages", "-s", "none.json"]
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_and_wrong_options_import_no_part_of_the_library(inbox):
    script = (
        "import sys; from guidance_kit.cli.application import app\n"
        "for line in ('--help', 'extract --help', 'generate x --top-p 0', 'trace --sede 1'):\n"
        "    try: app(line.split())\n"
        "    except SystemExit: pass\n"
        "names = [name.split('.')[:2] for name in sys.modules]\n"
        "print(sorted({'.'.join(name) for name in names if name[0] in ('numpy', 'guidance_kit')}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "['guidance_kit', 'guidance_kit.cli', 'guidance_kit.errors']"


@pytest.mark.parametrize("width", [80, *slow(120)])
def test_help_and_errors_keep_to_the_width_of_the_terminal(width):
    environment = {**os.environ, "COLUMNS": str(width)}
    for name in ("extract", "check"):
        done = command(name, "--help", env=environment)
        assert done.returncode == 0
        assert max(map(len, done.stdout.splitlines())) <= width


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--dtype", "flot32"], "unknown dtype"),
        (["-m", "./none"], "there is no folder ./none"),
        *slow(
            (["--device", "cpuu"], "unknown device"),
            (["-m", "none/none/none"], "there is no folder none/none/none"),
            (["-m", "empty"], "the folder empty has no config.json"),
            (["-m", "./none.gguf"], "there is no file ./none.gguf"),
            (["--adapter", "./none"], "there is no folder ./none"),
        ),
    ],
)
@pytest.mark.parametrize("name", ["extract", *slow("classify", "generate", "trace")])
def test_a_model_that_cannot_be_is_refused_before_torch_is_imported(name, arguments, said, tmp_path):
    given = {"extract": ["x", "-s", "{}"], "classify": ["x", "-l", "a", "-l", "b"]}.get(name, ["x", "--choice", "a"])
    (tmp_path / "empty").mkdir()
    (tmp_path / "x").write_text("text")
    code = (
        "import sys\nfrom guidance_kit.cli.application import app\n"
        "try:\n    app(sys.argv[1:])\nexcept SystemExit as end:\n    print(end.code, 'torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, name, *given, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert said in done.stderr
    assert done.stdout.split() in (["2", "False"], ["3", "False"])
