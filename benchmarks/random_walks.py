"""Are texts that masks let through, drawn at random, always what is asked for, and never at a dead end?

    python benchmarks/random_walks.py                                   200 schemas of MaskBench, 5 texts each
    python benchmarks/random_walks.py --schemas 1000 --texts 20
    python benchmarks/random_walks.py --grammars --texts 1000           the bundled grammars and benchmarks/grammars

A text is drawn token by token, each token of a mask as likely as any other; after some tokens it is completed within
as few as that takes and some more. It is read by `json.loads` and judged by `jsonschema`, with patterns as in ECMA-262
and the checks of formats that are installed (`pip install "jsonschema[format-nongpl]"` for all of them). Texts of
grammars that are read behind a lexer are judged by lark's LALR parser; of those without one, the dead ends are counted
alone.

Needs GUIDANCE_KIT_DATA (the tokenizer of Qwen 2.5 and MaskBench).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend, validator_for
from lark import Lark, UnexpectedInput
from loading import load_qwen, maskbench_rows
from rich.progress import track

import guidance_kit as gk
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.json_schema.formats.table import FORMATS, NUMBER_FORMATS, RULE_FORMATS

FREE, SPARE = 60, 4
"""Tokens that are drawn freely, and those that a text may have beyond what it takes to complete it after that."""

CLOSING = b'"]},:0123456789ntf-[{.abcdefghijklmnopqrstuvwxyz'
"""Where masks depend on the text there are no budgets; then a text is completed by those of these that can come, the
first of them more often than not."""

MOST = 3_000
"""Tokens after which a text without a budget is given up."""

_PIECE = re.compile(r"\\(?:[dDwW]|.)|[\[\].$]", re.DOTALL)
_CLASSES = {r"\d": "0-9", r"\D": "^0-9", r"\w": "A-Za-z0-9_", r"\W": "^A-Za-z0-9_"}


def draw(constraint: gk.Constraint, vocabulary: gk.Vocabulary, chance: np.random.Generator) -> str | None:
    """A random text; None at a dead end.

    Raises:
        TimeoutError: it is still not complete after MOST tokens.
    """
    matcher = Matcher(constraint.compile(vocabulary))
    text = bytearray()
    free = int(chance.integers(1, FREE))
    closing: list[int] = []
    while not matcher.is_finished:
        tokens = matcher.allowed_tokens()
        if not len(tokens) or (closing and matcher.is_complete):
            return text.decode() if matcher.is_complete else None
        possible = [token for token in closing if matcher.can_advance(token)]
        if not possible:
            token = int(chance.choice(tokens))
        else:
            token = possible[0] if chance.random() < 0.7 else int(chance.choice(possible))
        matcher.advance(token)
        if token not in vocabulary.eos:
            text += vocabulary.token_bytes[token]
        free -= 1
        if closing and free < -MOST:
            raise TimeoutError
        if free == 0:
            try:
                needed = matcher.min_tokens_to_complete()
            except gk.UnsupportedFeature:
                closing = [vocabulary.token_bytes.index(bytes([byte])) for byte in CLOSING]
                continue
            if needed is None:
                return None
            matcher = matcher.within(needed + SPARE)
    return text.decode()


def known_formats() -> FormatChecker:
    """The checks of formats that we enforce, as they are for the last draft; 23:59:60 is judged as 23:59:59."""
    checks = Draft202012Validator.FORMAT_CHECKER.checkers
    checker = FormatChecker(())
    checker.checkers = {name: checks[name] for name in {*FORMATS, *NUMBER_FORMATS, *RULE_FORMATS} & set(checks)}
    for name in {"date-time", "time"} & set(checks):  # the installed check knows no leap seconds
        check, errors = checks[name]
        checker.checkers[name] = (lambda text, check=check: check(_before_leap_second(text))), errors
    return checker


def _before_leap_second(text: object) -> object:
    return re.sub(r"(?<=:[0-5][0-9]):60", ":59", text) if isinstance(text, str) else text


def found_as_in_ecma(pattern: str, text: str) -> bool:
    """Whether a pattern is found, where `.`, `$`, `\\d` and `\\w` mean what ECMA-262 says (else as `re` has it)."""
    in_class = False

    def replaced(match: re.Match[str]) -> str:
        nonlocal in_class
        piece = match[0]
        if piece in _CLASSES and not (in_class and piece.isupper()):
            return _CLASSES[piece] if in_class else f"[{_CLASSES[piece]}]"
        if piece in ".$" and not in_class:
            return {".": "[^\\n\\r\\u2028\\u2029]", "$": r"\Z"}[piece]
        in_class = piece == "[" or (in_class and piece != "]")
        return piece

    return re.search(_PIECE.sub(replaced, pattern), text) is not None


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not found_as_in_ecma(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: Any, _: Any) -> Iterator[ValidationError]:
    for pattern, schema in patterns.items() if isinstance(instance, dict) else ():
        for key, value in instance.items():
            if found_as_in_ecma(pattern, key):
                yield from validator.descend(value, schema, path=key, schema_path=pattern)


def _number(text: str) -> float | int:
    """A number with a point or an exponent; as an integer if it is one, since floats are so only roughly."""
    exact = Decimal(text)
    return int(exact) if abs(exact.adjusted()) < 1_000 and exact == exact.to_integral_value() else float(text)


def fault(text: str, validator: Any) -> str | None:
    """What is wrong with a text, in words; None if nothing is."""
    try:
        value = json.loads(text, parse_float=_number)
    except ValueError as error:
        return f"no JSON: {error}"
    error = next(validator.iter_errors(value), None)
    return None if error is None else f"{error.validator} {str(error.validator_value)[:80]}: {error.message[:120]}"


Refusal = Callable[[str], str | None]
"""Says what is wrong with a text, in words."""


def grammars() -> Iterator[tuple[str, gk.Constraint, Refusal]]:
    """Grammars by name and lexer, and what judges their texts."""
    for name in ("arithmetic", "csv", "dates", "json", "sql_select"):
        yield f"{name} (bundled)", gk.bundled_grammar(name), lambda text: None
    for path in sorted((Path(__file__).resolve().parent / "grammars").glob("*.lark")):
        yield f"{path.name}, dynamic_complete", gk.grammar(path), lambda text: None
        parser = Lark(path.read_text(), parser="lalr", lexer="contextual")
        yield f"{path.name}, longest", gk.grammar(path, lexer="longest"), partial(refusal, parser)


def refusal(parser: Lark, text: str) -> str | None:
    """What lark says against a text."""
    try:
        parser.parse(text)
    except UnexpectedInput as error:
        return f"lark: {str(error)[:200]}"
    return None


def walk_grammars(vocabulary: gk.Vocabulary, chance: np.random.Generator, texts: int) -> None:
    """Draw so many texts of each grammar and print what is wrong with them."""
    counts: Counter[str] = Counter()
    for name, constraint, judge in grammars():
        begin = time.perf_counter()
        lengths: list[int] = []
        for _ in track(range(texts), name, disable=not sys.stderr.isatty()):
            text = draw(constraint, vocabulary, chance)
            counts["walks"] += 1
            lengths.append(len(text or ""))
            wrong = "a dead end" if text is None else judge(text)
            if wrong is not None:
                counts["dead ends" if text is None else "faults"] += 1
                print(f"{name}: {wrong}\n    {(text or '')[:300]!r}", flush=True)
        seconds = time.perf_counter() - begin
        print(f"{name}: {texts:,} walks, {np.mean(lengths):.0f} characters on average, {seconds:.0f} s", flush=True)
    print(f"{counts['walks']:,} walks: {counts['faults']} faults, {counts['dead ends']} dead ends")


def main() -> None:
    """Read the arguments, walk and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schemas", type=int, default=200)
    parser.add_argument("--texts", type=int, default=5)
    parser.add_argument("--skip", type=int, default=0, help="schemas to leave out first")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--grammars", action="store_true", help="walk grammars instead of schemas")
    arguments = parser.parse_args()
    _, vocabulary = load_qwen()
    chance = np.random.default_rng(arguments.seed)
    if arguments.grammars:
        walk_grammars(vocabulary, chance, arguments.texts)
        return
    rows = maskbench_rows()
    chance.shuffle(rows)
    checker = known_formats()
    counts: Counter[str] = Counter()
    for row in track(rows, disable=not sys.stderr.isatty()):
        if counts["schemas"] == arguments.schemas:
            break
        if counts["skipped"] < arguments.skip:
            counts["skipped"] += 1
            continue
        try:
            constraint = gk.json_schema(row["schema"])
        except gk.ConstraintError:
            counts["refused"] += 1
            continue
        counts["schemas"] += 1
        kind = validator_for(row["schema"], default=Draft202012Validator)
        kind = extend(kind, {"pattern": _pattern, "patternProperties": _pattern_properties})
        validator = kind(row["schema"], format_checker=checker)
        for _ in range(arguments.texts):
            counts["texts"] += 1
            try:
                text = draw(constraint, vocabulary, chance)
            except TimeoutError:
                counts["given up"] += 1
                continue
            wrong = "a dead end" if text is None else fault(text, validator)
            if wrong is not None:
                counts["dead ends" if text is None else "faults"] += 1
                print(f"{row['file']}: {wrong}\n    {(text or '')[:300]}", flush=True)
    print(f"{counts['texts']:,} texts of {counts['schemas']:,} schemas ({counts['refused']} others refused):", end=" ")
    print(f"{counts['faults']} faults, {counts['dead ends']} dead ends, {counts['given up']} given up")
    print(f"formats: {', '.join(sorted(checker.checkers))}")


if __name__ == "__main__":
    main()
