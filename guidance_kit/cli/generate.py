"""`guidance-kit generate`: continue one prompt, under a constraint if there is one."""

from __future__ import annotations

import json
from typing import Annotated, Any

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
    load_model,
    refuse_trust_with_standard_input,
)
from guidance_kit.cli.constraints import GrammarReading, JsonForm
from guidance_kit.cli.decoders import (
    Alpha,
    By,
    DecoderOption,
    Groups,
    LengthPenalty,
    PotentialName,
    ProposalOption,
    UtilityOption,
    Width,
    decoder_of,
)
from guidance_kit.cli.drafts import Ahead, DraftOption, draft_of
from guidance_kit.cli.generation import (
    Chat,
    Choices,
    DryMultiplier,
    DynamicTemperatures,
    EpsilonCutoff,
    EtaCutoff,
    GrammarFile,
    MaxTokens,
    MinP,
    MinTokens,
    MirostatTarget,
    NgramSize,
    Pattern,
    Prompt,
    SchemaFile,
    SketchTokens,
    Stops,
    StructuralTagFile,
    ThoughtTokens,
    TopA,
    TopK,
    TopNSigma,
    TopP,
    TypicalP,
    WatermarkFile,
    constraint_of,
    prompt_of,
    repetition_guides,
    tell_the_ends,
    temperature_of,
    thoughts_of,
)
from guidance_kit.cli.regions import Template, ThoughtSampling, in_template
from guidance_kit.cli.terminal import Debug, explained, note, warn
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.errors import OptionError

__all__ = ["generate"]


def generate(
    prompt: Prompt,
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
    chat: Chat = False,
    think: ThoughtTokens = None,
    sketch: SketchTokens = None,
    thought_sampling: ThoughtSampling = None,
    number: Annotated[int, typer.Option("--number", "-n", metavar="N", min=1, help="Number of samples.")] = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each text as a JSON string, with escaped line ends.")
    ] = False,
    stream: Annotated[bool, typer.Option("--stream", help="Print the text while it is generated.")] = False,
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
    typical_p: TypicalP = None,
    epsilon_cutoff: EpsilonCutoff = None,
    eta_cutoff: EtaCutoff = None,
    top_n_sigma: TopNSigma = None,
    top_a: TopA = None,
    dynamic_temperature: DynamicTemperatures = None,
    mirostat: MirostatTarget = None,
    min_tokens: MinTokens = 0,
    ngram_size: NgramSize = None,
    dry: DryMultiplier = None,
    watermark: WatermarkFile = None,
    draft: DraftOption = None,
    ahead: Ahead = None,
    seed: Seed = None,
    stop: Stops = None,
    decoder: DecoderOption = None,
    width: Width = None,
    length_penalty: LengthPenalty = None,
    groups: Groups = None,
    by: By = None,
    utility: UtilityOption = None,
    potential: PotentialName = None,
    proposal: ProposalOption = None,
    alpha: Alpha = None,
    debug: Debug = False,
) -> None:
    """Generate a text from a prompt, under a constraint if one is given.

    With --think or --sketch the thoughts go to standard error. With --template the constraint stands in a longer text,
    whose free texts, as thoughts in the middle, have budgets and sampling settings of their own.

    \b
    Exit status: 0 done, 1 a text was cut off before it satisfied the
    constraint, 2 wrong usage, 3 stopped by an error, 130 interrupted.

    \b
    Examples:
      guidance-kit generate "The answer is" --choice yes --choice no
      guidance-kit generate "Call me at " --regex '[0-9]{3}-[0-9]{4}' --seed 7
      guidance-kit generate "2 + 3 =" --regex '[0-9]' --think 20 --seed 2
      guidance-kit generate "Dear Sir or Madam," -n 4 --json --max-tokens 40
      guidance-kit generate "Call me at " --regex '[0-9]{3}' --decoder beam --width 8 -n 3
      guidance-kit generate "The printer is broken." --choice low --choice high \\
        --template ' In short: {text:max_tokens=9,temperature=0.8}. Urgency: {constraint:temperature=0}'
      guidance-kit generate "Dear Sir or Madam," --watermark key.json
      guidance-kit generate "Dear Sir or Madam," --model base-large --draft base-small
    """
    form, reading = JsonForm(whitespace, order, escapes, digits), GrammarReading(start, lexer)
    constraint = constraint_of(
        regex, schema, grammar, structural_tag, choice, form, reading, complete=complete and template is None
    )
    thoughts = thoughts_of(think, sketch, thought_sampling)
    if template is not None:
        constraint = in_template(template, constraint, thoughts)
    if stream and (number > 1 or as_json):
        raise OptionError(f"--stream and {'--number' if number > 1 else '--json'} exclude each other")
    chosen = decoder_of(
        decoder,
        {
            "--width": width, "--length-penalty": length_penalty, "--groups": groups, "--by": by, "--utility": utility,
            "--potential": potential, "--proposal": proposal, "--alpha": alpha,
        },
    )  # fmt: skip
    is_greedy = temperature == 0 and not (thoughts or template)
    if number > 1 and is_greedy and getattr(chosen, "texts_per_prompt", None) is None:
        raise OptionError(f"the {number} texts of --number are equal at --temperature 0; raise it")
    refuse_trust_with_standard_input([prompt], trust_remote_code=trust_remote_code)
    options: dict[str, Any] = {
        "max_tokens": max_tokens, "complete": complete, "temperature": temperature_of(temperature, dynamic_temperature),
        "top_k": top_k, "top_p": top_p, "min_p": min_p, "typical_p": typical_p, "epsilon_cutoff": epsilon_cutoff,
        "eta_cutoff": eta_cutoff, "top_n_sigma": top_n_sigma, "top_a": top_a, "min_tokens": min_tokens, "seed": seed,
        "stop": stop or None,
    }  # fmt: skip
    if mirostat is not None:
        from guidance_kit.decoding.mirostat import Mirostat

        options["draw"] = Mirostat(mirostat)
    if chosen is not None:
        options["decoder"] = chosen
    if watermark is not None:
        from guidance_kit.decoding.watermark import Watermark

        options["watermark"] = Watermark.load(watermark)
    options |= {"draft": draft, "ahead": ahead}
    check_options(options, constraint)
    options |= thoughts
    prompt = prompt_of(prompt)
    if constraint is not None:
        compile_kernels()
    from guidance_kit.decoding.partial_results import results_of

    loaded = load_model(model, device, dtype, adapter, trust_remote_code=trust_remote_code)
    options["draft"] = draft_of(draft, device, dtype, trust_remote_code=trust_remote_code)
    given: Any = [{"role": "user", "content": prompt}] if chat else prompt
    options["guides"] = repetition_guides(loaded.vocabulary, ngram_size, dry)
    if stream:
        pieces = loaded.stream(given, constraint, **options)
        for piece in pieces:
            typer.echo(piece, nl=False, err=pieces.channel == "thoughts")
        typer.echo()
        completions = [pieces.completion]
    else:
        completions, errors = results_of(lambda: loaded.generate(given, constraint, n=number, **options))
        for completion in completions:
            if completion is not None:
                if completion.thoughts is not None:
                    note(completion.thoughts.text)
                typer.echo(json.dumps(completion.text, ensure_ascii=False) if as_json else completion.text)
        for row, error in errors.items():
            warn(f"text {row + 1} failed: {explained(error)}")
    tell_the_ends(completions, constraint)
