"""Do grammars in another engine's dialect mean here what they mean there?

    git clone https://github.com/guidance-ai/llguidance
    git clone https://github.com/mlc-ai/xgrammar
    python -m benchmarks.dialects llguidance llguidance        the cases of its own tests
    python -m benchmarks.dialects xgrammar xgrammar --show     and each case judged otherwise
    python -m benchmarks.dialects structural_tags xgrammar     those of its structural tags

Each case is a grammar, or a structural tag, with a text. Both the installed engine and guidance_kit say whether it can
be read, and whether the text belongs to it, is a prefix, or neither; what the tests expect is not used.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from benchmarks.dialects.engines import llguidance_verdict, our_verdict, xgrammar_verdict
from benchmarks.dialects.python_cases import grammar_cases, tag_cases
from benchmarks.dialects.rust_cases import rust_cases

_CASES = {"llguidance": rust_cases, "xgrammar": grammar_cases, "structural_tags": tag_cases}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dialect", choices=_CASES)
    parser.add_argument("checkout", type=Path, help="folder of the engine's repository")
    parser.add_argument("--show", action="store_true", help="each case judged otherwise")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    judge = llguidance_verdict if given.dialect == "llguidance" else xgrammar_verdict
    for case in dict.fromkeys(_CASES[given.dialect](given.checkout)):
        ours, reason = our_verdict(case.grammar, given.dialect, case.text)
        theirs, their_reason = judge(case.grammar, case.text)
        if case.text is None:
            ours, theirs = ("refused" if one == "refused" else "read" for one in (ours, theirs))
        refused = reason.startswith(("UnsupportedFeature", "LimitError"))
        kind = "alike" if ours == theirs else "refused by name" if refused else "otherwise"
        counts[kind] += 1
        if given.show and kind != "alike":
            print(f"{kind}, in {case.test}: {theirs} there, {ours} here: {reason or their_reason}")
            print(case.grammar, repr(case.text), sep="\n", end="\n\n")
    total = sum(counts.values())
    print("| dialect | cases | judged alike | refused by name | otherwise |\n|---|--:|--:|--:|--:|")
    numbers = [f"{total:,}", *(f"{counts[kind]:,}" for kind in ("alike", "refused by name", "otherwise"))]
    print(f"| {given.dialect} | {' | '.join(numbers)} |")


if __name__ == "__main__":
    main()
