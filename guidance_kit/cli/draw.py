"""`guidance-kit draw`: what the automaton of a schema or pattern looks like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from guidance_kit.cli.arguments import (
    Digits,
    DumpedWhitespace,
    Escapes,
    Lexer,
    ModelName,
    Order,
    Regex,
    SchemaArgument,
    Start,
    TrustRemoteCode,
    load_model,
    require_writable,
)
from guidance_kit.cli.constraints import GrammarReading, JsonForm, constraint_maker
from guidance_kit.cli.terminal import Debug, note
from guidance_kit.cli.warmup import compile_kernels
from guidance_kit.errors import OptionError

if TYPE_CHECKING:
    from guidance_kit.grammars.constraint import Constraint

__all__ = ["draw"]

_MOST_TOKENS = 24


def draw(
    schema: SchemaArgument = None,
    regex: Regex = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Output file: .svg, .png, .pdf or .dot.")
    ] = Path("automaton.svg"),
    text: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Prefix of a text: mark its state, and print the allowed tokens.",
            show_default=False,
        ),
    ] = None,
    start: Start = None,
    lexer: Lexer = "dynamic_complete",
    whitespace: DumpedWhitespace = None,
    order: Order = None,
    escapes: Escapes = None,
    digits: Digits = None,
    nodes: Annotated[int, typer.Option(metavar="N", min=1, help="Approximate maximum number of nodes.")] = 60,
    model: ModelName = None,
    trust_remote_code: TrustRemoteCode = False,
    debug: Debug = False,
) -> None:
    """Draw the automaton of a schema, grammar or pattern.

    Circles are states, double circles are accepting states, arrows are labelled by characters. The white space of
    JSON is that of json.dumps, unless --whitespace is given.

    \b
    Examples:
      guidance-kit draw --regex '[0-9]{4}-[0-9]{2}-[0-9]{2}' -o date.svg
      guidance-kit draw ticket.json -o ticket.svg
      guidance-kit draw ticket.json -o ticket.svg --text '{"intent": "re'
    """
    form = JsonForm(whitespace, order, escapes, digits, is_dumped=True)
    make = constraint_maker(schema, regex, form, GrammarReading(start, lexer))
    from guidance_kit.reports import drawing

    require_writable(output)
    if not output.suffix:
        raise OptionError(f"{output} has no known suffix: .{', .'.join(drawing.FORMATS)}")
    if output.suffix[1:].lower() not in drawing.FORMATS:
        raise OptionError.unknown(output.suffix[1:], drawing.FORMATS, "format")
    constraint = make()
    compile_kernels()
    from guidance_kit.grammars.random_walk import index_over_bytes
    from guidance_kit.reports.automaton_graph import graph_of

    automaton = index_over_bytes(constraint).automaton
    try:
        graph = graph_of(automaton, text, most=nodes)
    except ValueError as error:
        raise OptionError(f"--text: {error}") from None
    notes = [] if text is None else _next(constraint, text, model, trust_remote_code=trust_remote_code)
    drawing.draw(graph, output, title=str(schema if regex is None else regex), notes=notes)
    left_out = f", {len(graph.unexplored)} of them not expanded" if graph.unexplored else ""
    note(Text(f"{output}: {len(graph.nodes)} nodes{left_out}"))


def _next(constraint: Constraint, text: str, model: str | None, *, trust_remote_code: bool) -> list[str]:
    """Lines on the allowed tokens after a text: how many tokens of a model, and the first of them."""
    from guidance_kit.fsm.matcher import Matcher

    vocabulary = load_model(model, "cpu", trust_remote_code=trust_remote_code).vocabulary
    matcher = Matcher(constraint.compile(vocabulary))
    matcher.advance_bytes(text.encode())
    allowed = matcher.allowed_tokens().tolist()
    name = model or "the bundled model"
    shown = [
        "end" if token in vocabulary.eos else repr(vocabulary.shown(token).decode(errors="backslashreplace"))
        for token in allowed[:_MOST_TOKENS]
    ]
    lines = [f"after {text!r}: {len(allowed):,} of {len(vocabulary):,} tokens of {name}"]
    lines += [" ".join(shown[k : k + 8]) for k in range(0, len(shown), 8)]
    return [*lines, "…"] if len(allowed) > _MOST_TOKENS else lines
