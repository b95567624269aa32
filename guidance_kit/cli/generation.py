"""Options of the commands that continue a prompt: the prompt, the constraint, sampling."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guidance_kit.cli.constraints import GrammarReading, JsonForm, constraint_maker, is_grammar_file, text_of
from guidance_kit.cli.exit_status import Exit
from guidance_kit.cli.regions import sampling_settings
from guidance_kit.cli.terminal import note, warn
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.decoding.completion import Completion
    from guidance_kit.grammars.constraint import Constraint
    from guidance_kit.vocabulary import Vocabulary

__all__ = [
    "Chat", "Choices", "DryMultiplier", "DynamicTemperatures", "EpsilonCutoff", "EtaCutoff", "GrammarFile",
    "MaxTokens", "MinP", "MinTokens", "MirostatTarget", "NgramSize", "Pattern", "Prompt", "SchemaFile",
    "SketchTokens", "Stops", "StructuralTagFile", "ThoughtTokens", "TopA", "TopK", "TopNSigma", "TopP", "TypicalP",
    "WatermarkFile", "constraint_of", "prompt_of", "repetition_guides", "tell_the_ends", "temperature_of",
    "thoughts_of",
]  # fmt: skip


def _positive(value: float | None) -> float | None:
    if value == 0:
        raise typer.BadParameter("0 leaves no token; it is greater than 0.")
    return value


def _not_empty(texts: list[str] | None) -> list[str] | None:
    if texts and not all(texts):
        raise typer.BadParameter("an empty text is before every token; name a text.")
    return texts


Prompt = Annotated[str, typer.Argument(metavar="PROMPT", help="Text to continue; - reads standard input.")]
Pattern = Annotated[
    str | None,
    typer.Option(
        "--regex",
        metavar="PATTERN",
        help="Constrain to a Python regular expression.",
        show_default=False,
    ),
]
ThoughtTokens = Annotated[
    int | None,
    typer.Option(
        "--think",
        metavar="N",
        min=1,
        help="Let the model think first, in at most N tokens, in the tags of its chat template.",
        show_default=False,
    ),
]
SketchTokens = Annotated[
    int | None,
    typer.Option(
        "--sketch",
        metavar="N",
        min=1,
        help="Let the model write the answer freely first, in at most N tokens, and read it.",
        show_default=False,
    ),
]
SchemaFile = Annotated[
    str | None,
    typer.Option(
        "--schema",
        "-s",
        metavar="SCHEMA",
        help="Constrain to JSON of a schema: JSON Schema file, or module:Name of a Python type, dict or constraint.",
        show_default=False,
    ),
]
GrammarFile = Annotated[
    str | None,
    typer.Option(
        "--grammar",
        metavar="FILE",
        help="Constrain to a grammar: file ending in .lark, .gbnf or .ebnf.",
        show_default=False,
    ),
]
StructuralTagFile = Annotated[
    str | None,
    typer.Option(
        "--structural-tag",
        metavar="FILE",
        help="Constrain to a structural tag: JSON file in the format of XGrammar, vLLM and SGLang.",
        show_default=False,
    ),
]
Choices = Annotated[
    list[str] | None,
    typer.Option(
        "--choice", metavar="TEXT", help="Constrain to this text; repeat for each choice.", show_default=False
    ),
]
Chat = Annotated[
    bool, typer.Option("--chat", help="Send the prompt as a user message, in the chat template of the model.")
]
MaxTokens = Annotated[int, typer.Option(metavar="N", min=1, help="Maximum number of tokens.")]
TopK = Annotated[
    int | None, typer.Option(metavar="K", min=1, help="Sample from the K most likely tokens.", show_default=False)
]
TopP = Annotated[
    float | None,
    typer.Option(
        metavar="P",
        min=0.0,
        max=1.0,
        callback=_positive,
        help="Sample from the most likely tokens whose probabilities sum to P, above 0.",
        show_default=False,
    ),
]
MinP = Annotated[
    float | None,
    typer.Option(
        metavar="P",
        min=0.0,
        max=1.0,
        help="Sample from tokens at least P times as likely as the top one.",
        show_default=False,
    ),
]
TypicalP = Annotated[
    float | None,
    typer.Option(
        metavar="P",
        min=0.0,
        max=1.0,
        callback=_positive,
        help="Locally typical sampling: from tokens of mass P, above 0, whose surprise is nearest to the entropy.",
        show_default=False,
    ),
]
EpsilonCutoff = Annotated[
    float | None,
    typer.Option(metavar="P", help="Sample from tokens with at least this probability.", show_default=False),
]
EtaCutoff = Annotated[
    float | None,
    typer.Option(
        metavar="P", help="Eta sampling: a probability bound that falls with the entropy.", show_default=False
    ),
]
TopNSigma = Annotated[
    float | None,
    typer.Option(
        metavar="N",
        help="Sample from tokens within N standard deviations of the greatest logit.",
        show_default=False,
    ),
]
TopA = Annotated[
    float | None,
    typer.Option(
        metavar="A",
        help="Sample from tokens with at least A times the square of the top probability.",
        show_default=False,
    ),
]
DynamicTemperatures = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--dynamic-temperature",
        metavar="LEAST GREATEST",
        help="Temperature between two bounds, by the entropy of the next token.",
        show_default=False,
    ),
]
MirostatTarget = Annotated[
    float | None,
    typer.Option(
        "--mirostat", metavar="BITS", help="Mirostat 2.0: hold the surprise of tokens near BITS.", show_default=False
    ),
]
MinTokens = Annotated[int, typer.Option(metavar="N", min=0, help="Do not end a text before N tokens.")]
NgramSize = Annotated[
    int | None,
    typer.Option("--no-repeat-ngrams", metavar="N", min=1, help="No sequence of N tokens twice.", show_default=False),
]
DryMultiplier = Annotated[
    float | None,
    typer.Option(
        "--dry", metavar="NATS", help="Penalty on repetitions that grows with their length (DRY).", show_default=False
    ),
]
WatermarkFile = Annotated[
    str | None,
    typer.Option(
        "--watermark",
        metavar="KEYFILE",
        help="Mark the text by the secret keys in a file of watermark-key.",
        show_default=False,
    ),
]
Stops = Annotated[
    list[str] | None,
    typer.Option(
        "--stop",
        metavar="TEXT",
        callback=_not_empty,
        help="End before this string; repeat for several.",
        show_default=False,
    ),
]


def prompt_of(prompt: str) -> str:
    """The prompt itself; for - that on standard input, without the line end that closes it.

    Raises:
        OptionError: it is not UTF-8.
    """
    if prompt != "-":
        return prompt
    raw = sys.stdin.buffer.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OptionError(f"standard input is not UTF-8 at byte {error.start}") from None
    return text.replace("\r\n", "\n").removesuffix("\n")


def constraint_of(
    regex: str | None,
    schema: str | None,
    grammar: str | None,
    structural_tag: str | None,
    choice: list[str] | None,
    form: JsonForm,
    reading: GrammarReading,
    *,
    complete: bool,
) -> Constraint | None:
    """The constraint that was asked for.

    Args:
        form, reading: as `constraint_maker` takes them.
    Raises:
        OptionError: several were; or none, though texts shall be completed; an option is for something else.
    """
    asked = {
        "--regex": regex, "--schema": schema, "--grammar": grammar, "--structural-tag": structural_tag,
        "--choice": choice or None,
    }  # fmt: skip
    given = [name for name, value in asked.items() if value is not None]
    if len(given) > 1:
        raise OptionError(f"{' and '.join(given)} exclude each other")
    if complete and not given:
        raise OptionError(f"--complete needs a constraint: {', '.join(list(asked)[:-1])} or --choice")
    if grammar is None:
        reading.refuse("--grammar")
    if schema is None:
        form.refuse()
    if choice:
        from guidance_kit.grammars.choice import choice as choice_constraint

        return choice_constraint(choice)
    if structural_tag is not None:
        from guidance_kit.grammars.structural_tag import structural_tag as structural_tag_constraint

        return structural_tag_constraint(text_of(structural_tag, "structural tag"))
    if grammar is not None and not is_grammar_file(grammar):
        raise OptionError(f"--grammar {grammar}: a grammar file ends in .lark, .gbnf or .ebnf")
    return constraint_maker(schema or grammar, regex, form, reading)() if given else None


def temperature_of(temperature: float, bounds: tuple[float, float] | None) -> Any:
    """Temperature, or the rule that moves it between two bounds.

    Raises:
        OptionError: both were asked for.
    """
    if bounds is None:
        return temperature
    if temperature != 1:
        raise OptionError("--temperature and --dynamic-temperature exclude each other")
    from guidance_kit.decoding.entropy_temperature import DynamicTemperature

    return DynamicTemperature(*bounds)


def repetition_guides(vocabulary: Vocabulary, ngram_size: int | None, dry: float | None) -> list[Any]:
    """Guides against repetition that were asked for."""
    from guidance_kit.guides.dry import Dry
    from guidance_kit.guides.no_repeat_ngrams import NoRepeatNgrams

    guides: list[Any] = [] if ngram_size is None else [NoRepeatNgrams(ngram_size)]
    return guides if dry is None else [*guides, Dry.with_breakers(vocabulary, multiplier=dry)]


def thoughts_of(think: int | None, sketch: int | None, sampling: str | None = None) -> dict[str, Any]:
    """Options `think` and `sketch` of `generate`, without those that are not set.

    Args:
        sampling: settings of `--thought-sampling`.
    Raises:
        OptionError: both are set; settings without either, or wrong ones.
    """
    given = {name: value for name, value in (("think", think), ("sketch", sketch)) if value is not None}
    if len(given) > 1:
        raise OptionError("--think and --sketch exclude each other")
    if sampling is None:
        return given
    if not given:
        raise OptionError("--thought-sampling needs --think or --sketch, whose sampling it sets")
    from guidance_kit.thinking import Think

    options = sampling_settings(sampling, "--thought-sampling")
    return {name: Think(tokens=tokens, options=options, is_sketch=name == "sketch") for name, tokens in given.items()}


def tell_the_ends(completions: Sequence[Completion | None], constraint: Constraint | None) -> None:
    """Say which texts were completed for lack of room, or cut short.

    Args:
        completions: None for a text that failed, of which the user knows.
    Raises:
        typer.Exit: one failed, or was cut short and may not satisfy the constraint.
    """
    is_failed = None in completions
    for number, completion in enumerate(completions, 1):
        which = f"text {number} was " if len(completions) > 1 else ""
        if completion is None:
            continue
        if completion.finish_reason == "budget":
            told = f"{which}completed after {len(completion.tokens)} tokens for lack of room"
            note(told[0].upper() + told[1:])
        elif constraint is not None and completion.finish_reason != "complete":
            why = f"{len(completion.tokens)} tokens" if completion.finish_reason == "length" else "a stop string"
            warn(f"{which}cut off by {why}, so {'it' if which else 'the text'} may not satisfy the constraint")
            is_failed = True
    if is_failed:
        raise typer.Exit(Exit.FAILED)
