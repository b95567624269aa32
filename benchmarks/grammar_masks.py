"""Time of a mask in grammars of C, SQL, JSON and Python, for us and for the peers, and along a long file.

    python benchmarks/grammar_masks.py
    python benchmarks/grammar_masks.py --lines 10000 --engines guidance_kit,scannerless --patience 100 --plot along.svg
        the time of a token along a file of so many lines

One process, one thread, one vocabulary; the engines take turns, in rotating order. Each compiles the grammar anew in
every round and follows the same text token by token, with a mask before each token. We and llguidance read the same
grammar (benchmarks/grammars/*.lark), which llguidance, like us with lexer="longest", reads behind a lexer; we read it
without one too ("scannerless": lexer="dynamic_complete"). "known" and "known scannerless" are the same where the file
of the compiled grammar is on disk. XGrammar has no lexer: it reads the same grammar with the white space written out
(*.gbnf).

Needs the extra `bench` and GUIDANCE_KIT_DATA (the tokenizer).
"""

from __future__ import annotations

import argparse
import gc
import itertools
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from loading import load_qwen
from peers import LLGuidance, LLGuidanceSession, Ours, OurSession, Session, XGrammar, XGrammarSession
from rich.console import Console
from rich.table import Table

import guidance_kit as gk
from guidance_kit.grammars.grammar_files import grammar_files

FOLDER = Path(__file__).resolve().parent / "grammars"

UNITS = {
    "c": """\
int find(char *text, int size%d) { // position of a blank, or -1
    int place = 0; float count[%d];
    for (place = 0; place < size && text[place] != 32; place++) { count[place] += size * (place - 1) / 2; }
    if (place == size) return -1; else { print("found %%d\\n", place, 1.5); node->next = &list[count[0]].first; }
    while (!done(place)) place -= 1;
    return place;
}
""",
    "sql": """\
SELECT c.name, count(*) AS n%d, sum(o.amount * 1.19) AS total FROM customers AS c JOIN orders AS o ON c.id = o.customer
WHERE o.day BETWEEN '2024-01-01' AND '2024-12-31' AND NOT c.city IN ('Rome', 'Oslo') OR o.state IS NOT NULL
GROUP BY c.name, c.city ORDER BY total DESC, c.name LIMIT %d;
""",
    "json": """\
{"id": %d, "name": "Ada Lovelace", "tags": ["math", "engines \\u00e9", ""], "score": -2.5e3, "active": true,
 "address": {"street": "12 St James's Square", "city": "London", "codes": [1, 2, [3, {}], null]}, "next": %d},
""",
    "python": """\
total%d = sum(lambda x: x * 2 + 1, [item.price, 3]) # all
if total > 100 and not name.startswith('a') or x in {1: 'b', "c": (d, e)}: print("x =", total[1:3], end='')
for i, j in zip(range(10), names): counts[i] += -j ** 2 // %d
assert value is None; return value if value else default(key=[1, 2.5, "three"])
""",
}
"""Some lines in each language, with places for two numbers."""


def text_of(language: str, lines: int) -> str:
    """A text of at least so many lines."""
    unit = UNITS[language]
    units = -(-lines // unit.count("\n"))
    body = "".join(unit % (k, k * 7 + 1) for k in range(units))
    return f"[{body.rstrip().rstrip(',')}]" if language == "json" else body


Makers = dict[str, Callable[[str], Session]]
"""For each engine, what makes a session of a language."""


def engines(vocabulary: gk.Vocabulary, tokenizer: Any, wanted: list[str]) -> Makers:
    """For each wanted engine, what makes a session of a language; others need not be installed."""
    ours = Ours(vocabulary, tokenizer)
    llguidance = LLGuidance(vocabulary, tokenizer) if "llguidance" in wanted else None
    xgrammar = XGrammar(vocabulary, tokenizer) if "xgrammar" in wanted else None

    rounds = itertools.count()

    def own(lexer: Any) -> Callable[[str], Session]:
        def make(name: str) -> Session:
            new = f"{(FOLDER / f'{name}.lark').read_text()}\n// {next(rounds)}\n"  # else it is found in the cache
            return OurSession(gk.grammar(new, lexer=lexer), vocabulary, ours.out)

        return make

    def known(lexer: Any) -> Callable[[str], Session]:
        folder = tempfile.TemporaryDirectory()  # removed with what uses it

        def found(name: str) -> gk.Constraint:
            path = Path(folder.name) / f"{name} {next(rounds)}.lark"  # else it is found in the cache of the process
            path.write_text((FOLDER / f"{name}.lark").read_text())
            os.environ["GUIDANCE_KIT_CACHE_DIR"] = folder.name
            try:
                return gk.grammar(path, lexer=lexer)
            finally:
                grammar_files.wait()
                os.environ["GUIDANCE_KIT_CACHE_DIR"] = ""  # so that nothing else is kept, nor written meanwhile

        for name in UNITS:
            found(name)
        return lambda name: OurSession(found(name), vocabulary, ours.out)

    def theirs(name: str) -> Session:
        assert llguidance is not None
        text = (FOLDER / f"{name}.lark").read_text()
        return LLGuidanceSession(llguidance, llguidance.module.LLMatcher.grammar_from_lark(text))

    def without_lexer(name: str) -> Session:
        assert xgrammar is not None
        text = (FOLDER / f"{name}.gbnf").read_text()
        return XGrammarSession(xgrammar, xgrammar.compiler.compile_grammar(text))

    os.environ["GUIDANCE_KIT_CACHE_DIR"] = ""
    gk.grammar('start: "a"', lexer="longest")  # imports our readers, as the peers have been imported
    makers: dict[str, Callable[[], Callable[[str], Session]]] = {
        "guidance_kit": lambda: own("longest"),
        "scannerless": lambda: own("dynamic_complete"),
        "known": lambda: known("longest"),
        "known scannerless": lambda: known("dynamic_complete"),
        "llguidance": lambda: theirs,
        "xgrammar": lambda: without_lexer,
    }
    return {name: make() for name, make in makers.items() if name in wanted}


def follow(session: Session, tokens: list[int], patience: float) -> tuple[list[float], list[float]]:
    """Seconds for each mask, and for taking each token; of the first tokens only if it takes longer than `patience`.

    Raises:
        ValueError: a token is refused.
    """
    clock = time.perf_counter
    masks, takes = [], []
    start = clock()
    for place, token in enumerate(tokens):
        begin = clock()
        if begin - start > patience:
            break
        session.mask()
        middle = clock()
        accepted = session.take(token)
        takes.append(clock() - middle)
        masks.append(middle - begin)
        if not accepted:
            raise ValueError(f"token {place} is refused")
    return masks, takes


def compare(
    console: Console, makers: dict[str, Callable[[str], Session]], tokenizer: Any, rounds: int, patience: float
) -> None:
    """Every engine on a text of a few lines in each language."""
    table = Table(title="microseconds")
    for column in (
        "grammar",
        "engine",
        "tokens",
        "compile + first mask",
        "mean",
        "p50",
        "p99",
        "max",
        "warm mean",
        "take mean",
    ):
        table.add_column(column, justify="left" if column in ("grammar", "engine") else "right")
    for language in UNITS:
        tokens = tokenizer.encode(text_of(language, 20), add_special_tokens=False)
        found: dict[str, tuple[list[float], ...]] = {name: ([], [], [], []) for name in makers}
        for turn in range(rounds):
            names = list(makers)[turn % len(makers) :] + list(makers)[: turn % len(makers)]
            for name in names:
                gc.collect()
                begin = time.perf_counter()
                try:
                    session = makers[name](language)
                    session.mask()
                    first = time.perf_counter() - begin
                    masks, takes = follow(session, tokens, patience)
                    session.again()
                    warm, _ = follow(session, tokens, patience)
                except ValueError as error:
                    console.print(f"{language}, {name}: {str(error)[:300]}")
                    continue
                for mine, values in zip(found[name], ([first], masks[1:], warm, takes), strict=True):
                    mine.extend(values)
        for name, (first, masks, warm, takes) in found.items():
            if not masks:
                table.add_row(language, name, *["refused"] * 8)
                continue
            array = np.array(masks) * 1e6
            figures = (
                np.median(first) * 1e6,
                array.mean(),
                *np.percentile(array, [50, 99]),
                array.max(),
                np.mean(warm) * 1e6,
                np.mean(takes) * 1e6,
            )
            table.add_row(language, name, f"{len(takes):,}", *(f"{figure:,.1f}" for figure in figures))
        console.print(f"{language}: {len(tokens)} tokens, {rounds} rounds")
    console.print(table)


Along = dict[str, dict[str, np.ndarray]]
"""For each language and engine the seconds of each token of a file."""


def along(
    console: Console, makers: dict[str, Callable[[str], Session]], tokenizer: Any, lines: int, patience: float
) -> Along:
    """The time of a token along a long file."""
    found: Along = {language: {} for language in UNITS}
    table = Table(title=f"{lines:,} lines: microseconds a token (mask and taking it), by tenths of the file")
    for column in ("grammar", "engine", "tokens", *(f"{k}/10" for k in range(1, 11))):
        table.add_column(column, justify="left" if column in ("grammar", "engine") else "right")
    for language in UNITS:
        tokens = tokenizer.encode(text_of(language, lines), add_special_tokens=False)
        for name, make in makers.items():
            gc.collect()
            gc.freeze()  # else each collection looks at all that the tokenizer and torch hold, too
            try:
                masks, takes = follow(make(language), tokens, patience)
            except ValueError as error:
                console.print(f"{language}, {name}: {str(error)[:300]}")
                continue
            found[language][name] = np.array(masks) + np.array(takes)
            tenths = np.array_split(found[language][name], 10)
            table.add_row(language, name, f"{len(tokens):,}", *(f"{tenth.mean() * 1e6:,.1f}" for tenth in tenths))
    console.print(table)
    return found


def plot(found: Along, path: Path) -> None:
    """Median and 99th percentile of the tokens of each hundredth of a file, over the place in it, by language."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, 2, figsize=(10, 6), layout="constrained", sharey=True)
    for axes, (language, times) in zip(panels.flat, found.items(), strict=True):
        for number, (name, values) in enumerate(times.items()):
            places = np.linspace(0, len(values), 101)
            middles = (places[1:] + places[:-1]) / 2_000
            parts = np.array_split(values * 1e6, 100)
            for percent, style in ((50, "-"), (99, ":")):
                line = [np.percentile(part, percent) for part in parts]
                axes.plot(middles, line, style, color=f"C{number}", label=f"{name}, p{percent}")
        axes.set(title=language, yscale="log", xlabel="place, thousands of tokens", ylabel="microseconds for a token")
        axes.grid(alpha=0.3)
        axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2, help="times that each text is followed (default: 2)")
    parser.add_argument("--lines", type=int, default=0, metavar="N", help="follow a file of N lines instead")
    parser.add_argument("--patience", type=float, default=5.0, help="seconds after which a text is cut (default: 5)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="with --lines: draw the times too")
    parser.add_argument("--engines", default="guidance_kit,scannerless,known,known scannerless,llguidance,xgrammar")
    options = parser.parse_args()
    tokenizer, vocabulary = load_qwen()
    makers = engines(vocabulary, tokenizer, options.engines.split(","))
    console = Console(width=160)
    if options.lines:
        found = along(console, makers, tokenizer, options.lines, options.patience)
        if options.plot:
            plot(found, options.plot)
    else:
        compare(console, makers, tokenizer, options.rounds, options.patience)


if __name__ == "__main__":
    main()
