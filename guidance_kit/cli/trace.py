"""`guidance-kit trace`: continue one prompt, and show why each token came."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from guidance_kit.cli.arguments import (
    Adapter,
    Complete,
    Device,
    Digits,
    Dtype,
    Escapes,
    Lexer,
    ModelName,
    Order,
    Seed,
    Start,
    Temperature,
    TrustRemoteCode,
    Whitespace,
    check_options,
    finite,
    load_model,
    refuse_trust_with_standard_input,
    require_writable,
)
from guidance_kit.cli.constraints import GrammarReading, JsonForm
from guidance_kit.cli.drafts import Ahead, DraftOption, draft_of
from guidance_kit.cli.generation import (
    Chat,
    Choices,
    GrammarFile,
    MaxTokens,
    MinP,
    Pattern,
    Prompt,
    SchemaFile,
    SketchTokens,
    Stops,
    StructuralTagFile,
    ThoughtTokens,
    TopK,
    TopP,
    constraint_of,
    prompt_of,
    tell_the_ends,
    thoughts_of,
)
from guidance_kit.cli.regions import Template, ThoughtSampling, in_template
from guidance_kit.cli.terminal import Debug, note
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.model import Model

__all__ = ["trace"]


def trace(
    prompt: Prompt,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Output file.")] = Path("trace.html"),
    alternatives: Annotated[int, typer.Option(metavar="N", min=0, help="Number of alternatives for each token.")] = 5,
    expert: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Model to steer towards: folder or hub name.", show_default=False),
    ] = None,
    anti_expert: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Model to steer away from: folder or hub name.", show_default=False),
    ] = None,
    alpha: Annotated[
        float, typer.Option(metavar="A", callback=finite, help="Weight A of model + A * (expert - anti-expert).")
    ] = 1.0,
    regex: Pattern = None,
    schema: SchemaFile = None,
    grammar: GrammarFile = None,
    start: Start = None,
    lexer: Lexer = "dynamic_complete",
    structural_tag: StructuralTagFile = None,
    choice: Choices = None,
    template: Template = None,
    whitespace: Whitespace = None,
    order: Order = None,
    escapes: Escapes = None,
    digits: Digits = None,
    confidence: Annotated[
        Literal["before", "record"] | None,
        typer.Option(
            metavar="GIVEN",
            help="With a schema: mark how sure each field is, given the text before it (before), or the rest of the "
            "record as well (record).",
            show_default=False,
        ),
    ] = None,
    chat: Chat = False,
    think: ThoughtTokens = None,
    sketch: SketchTokens = None,
    thought_sampling: ThoughtSampling = None,
    model: ModelName = None,
    device: Device = None,
    dtype: Dtype = None,
    adapter: Adapter = None,
    trust_remote_code: TrustRemoteCode = False,
    max_tokens: MaxTokens = 512,
    complete: Complete = False,
    temperature: Temperature = 1.0,
    top_k: TopK = None,
    top_p: TopP = None,
    min_p: MinP = None,
    draft: DraftOption = None,
    ahead: Ahead = None,
    seed: Seed = None,
    stop: Stops = None,
    debug: Debug = False,
) -> None:
    """Generate a text, and write a trace page: probability and attribution of each token.

    The page is one HTML file without external resources. Colours show the change of probability by steering and
    constraint; a token under the pointer shows its probability after each step, and alternatives. With --draft the
    page has the accepted and rejected tokens, and the time saved. With --think or --sketch it has the thoughts too, and
    for each of the two the probability that the constraint removed.

    \b
    Exit status: 0 done, 1 cut off before it satisfied the constraint,
    2 wrong usage, 3 stopped by an error, 130 interrupted.

    \b
    Examples:
      guidance-kit trace "Call me at " --regex '[0-9]{3}-[0-9]{4}' -o call.html
      guidance-kit trace "2 + 3 =" --regex '[0-9]' --think 20 --seed 2 -o sum.html
      guidance-kit trace "You are" -m big --expert tuned --anti-expert untuned --draft expert
    """
    form, reading = JsonForm(whitespace, order, escapes, digits), GrammarReading(start, lexer)
    constraint = constraint_of(
        regex, schema, grammar, structural_tag, choice, form, reading, complete=complete and template is None
    )
    thoughts = thoughts_of(think, sketch, thought_sampling)
    if template is not None:
        constraint = in_template(template, constraint, thoughts)
    if confidence is not None and schema is None:
        raise OptionError("--confidence is that of the fields of a record: it needs --schema")
    if alpha != 1.0 and expert is None and anti_expert is None:
        raise OptionError("--alpha needs --expert or --anti-expert")
    require_writable(output)
    refuse_trust_with_standard_input([prompt], trust_remote_code=trust_remote_code)
    options: dict[str, Any] = {
        "max_tokens": max_tokens, "complete": complete, "temperature": temperature, "top_k": top_k, "top_p": top_p,
        "min_p": min_p, "seed": seed, "stop": stop or None, "logprobs": alternatives, "draft": draft,
        "ahead": ahead,
    }  # fmt: skip
    check_options(options, constraint)
    prompt = prompt_of(prompt)
    if constraint is not None:
        compile_kernels()
    loaded = load_model(model, device, dtype, adapter, trust_remote_code=trust_remote_code)
    messages = [{"role": "user", "content": prompt}]
    given: Any = prompt if not chat else messages if thoughts else loaded.language_model.chat(messages)
    others: dict[str, Any] = {"device": device, "dtype": dtype, "trust_remote_code": trust_remote_code}
    steered = _steered(loaded, expert, anti_expert, alpha, others)
    options["draft"] = draft_of(draft, device, dtype, trust_remote_code=trust_remote_code)
    completion = steered.generate(given, constraint, **options, **thoughts)
    if confidence is not None and completion.finish_reason in ("complete", "budget"):
        completion = replace(completion, confidence=steered.confidence(completion, confidence))
    output.write_text(completion.to_html(prompt=prompt), encoding="utf-8")
    typer.echo(completion.text)
    note(f"{output}: attribution of {len(completion.tokens):,} tokens")
    tell_the_ends([completion], constraint)


def _steered(model: Model, expert: str | None, anti_expert: str | None, alpha: float, others: dict[str, Any]) -> Model:
    """The model plus `alpha` times the expert, minus as much of the anti-expert, loaded with the same options."""
    if expert is not None:
        model = model + alpha * load_model(expert, **others)
    if anti_expert is not None:
        model = model - alpha * load_model(anti_expert, **others)
    return model
