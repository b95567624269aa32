"""Write the tables of other engines' dialects in docs/grammars.md and docs/tags.md from the constructs listed here.

python tools/document_dialects.py           # write
python tools/document_dialects.py --print   # show only

Each construct has an example, which `tests/test_documented_dialects.py` reads; where one is refused, the table has the
hint of the error.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import guidance_kit as gk

DOCS = Path(__file__).resolve().parent.parent / "docs"


@dataclass(frozen=True, slots=True)
class Construct:
    """A construct of a dialect.

    Attributes:
        written: how it is written, in Markdown.
        example: a grammar, or the format of a structural tag, with it.
        meaning: what it means here; "" where it is refused.
    """

    written: str
    example: str | dict[str, Any]
    meaning: str = ""

    def read(self, dialect: str) -> gk.Constraint:
        """The constraint of the example."""
        if isinstance(self.example, dict):
            return gk.structural_tag({"type": "structural_tag", "format": self.example})
        rules = {"other": gk.regex("[0-9]+")} if "@other" in self.example else None
        return gk.grammar(self.example, dialect=dialect, rules=rules)  # pyright: ignore[reportArgumentType]

    def row(self, dialect: str) -> str:
        """Row of the table.

        Raises:
            RuntimeError: it is read, although the table has no meaning of it.
        """
        if self.meaning:
            return f"| {self.written} | {self.meaning} |\n"
        try:
            self.read(dialect)
        except gk.UnsupportedFeature as error:
            return f"| {self.written} | refused: {error.hint} |\n"
        raise RuntimeError(f"{self.written} of {dialect} is read: say what it means")


def _texts(**fields: Any) -> dict[str, Any]:
    return {"type": "any_text", **fields}


def _styled(**fields: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"type": "object", "properties": {"a": {"type": "string"}}}, **fields}


_LLGUIDANCE = (
    Construct("`name[lazy]: ..`", "start: x\nx[lazy]: /a+b/", "a terminal that ends as soon as it can"),
    Construct(
        "`name[suffix=X]: ..`, `name[stop=X]: ..`",
        'start: x y\nx[suffix="."]: /[a-z.]+/\ny[stop=";"]: /[a-z;]+/',
        "the same, with `X` behind it; of `stop` too it stays in the text, as in engines that take no tokens back",
    ),
    Construct('`name[stop=""]: ..`', 'start: x\nx[stop=""]: /a+/', "the terminal alone"),
    Construct(
        '`name[capture]`, `capture="n"`, `stop_capture=`',
        'start: x\nx[capture="n", stop_capture="m"]: /a+/',
        "no effect on texts; captures are not recorded",
    ),
    Construct("`name[max_tokens=0]: ..`", 'start: x "a"\nx[max_tokens=0]: /a+/', "the empty text"),
    Construct(
        "`name[max_tokens=N]`, `name[temperature=T]`",
        "start: x\nx[max_tokens=9, temperature=0.5]: /a+/",
        "a [region](tags.md#regions), see below",
    ),
    Construct("`name[max_tokens=N]` of a rule that is repeated", "start: x*\nx[max_tokens=9]: /a/"),
    Construct("`name[temperature=T]` beside `%ignore`", 'start: x\nx[temperature=1]: /a/\n%ignore " "'),
    Construct(
        "`name::_: .. %if ..`, `name::set_bit(0)`",
        'start: x::0\nx::_: "" %if is_ones([0:2]) | "a" x::set_bit(0) %if bit_clear(0) '
        '| "b" x::set_bit(1) %if bit_clear(1)',
        "a rule for each value of the parameter that is reached, up to 20,000",
    ),
    Construct("`@name`", 'start: "a" @other', "a grammar of the list, or the constraint of `rules=`"),
    Construct(
        "`%json {..}`",
        'start: %json {"type": "integer"}',
        "[a JSON Schema](json_schema.md), with white space of any length, and `x-guidance`: `whitespace_flexible`, "
        "separators, `json_allow_general_unicode_escapes`; `lenient` and `coerce_one_of` change nothing, other options "
        "are refused",
    ),
    Construct(
        '`%regex {"substring_words": ..}`',
        'start: X\nX: %regex {"substring_words": "a b"}',
        "a run of the words, the chunks or the characters",
    ),
    Construct("`%lark {..}`", 'start: %lark { start: "a" }', "a grammar with names and ignored text of its own"),
    Construct(
        "`%llguidance {..}`",
        'start: "a"\n%llguidance {"no_forcing": true, "ignore_once": true}',
        "`ignore_once`, `allow_initial_skip`; `no_forcing` changes nothing",
    ),
    Construct("`allow_invalid_utf8` of `%llguidance`", 'start: "a"\n%llguidance {"allow_invalid_utf8": true}'),
    Construct("`x{m,n}`, `x{m}`, `x{m,}`, `x{,n}`", 'start: "a"{1,2} "b"{2} "c"{1,} "d"{,2}', "repetition"),
    Construct(
        "`A & B`, `~A`",
        "start: X\nX: /[a-z]+/ & ~/if/",
        "texts of both, texts that are none; of whole terminals, not of parts of longer ones",
    ),
    Construct(
        "`/../`",
        r"start: /(?<n>\x{41})[[:alpha:]]/",
        r"patterns of Rust's `regex`: `(?<n>..)`, `\x{..}`, `[[:alpha:]]`",
    ),
    Construct("lookarounds in `/../`", "start: /a(?=b)/ X{2}\nX: /b/"),
    Construct("templates, `name{x}: ..`", 'start: x{"a"}\nx{y}: y'),
    Construct("priorities, `name.2: ..`", 'start: x{2}\nx.2: "a"'),
    Construct("`%import` of files", "%import python.NAME\nstart: NAME{2}"),
    Construct("`%declare`, `%override`", "%declare X\nstart: X{2}"),
)

_XGRAMMAR = (
    Construct(
        '`Regex("..", flags="..")`',
        'root ::= Regex("[0-9]+a", flags="i")',
        "texts of a pattern, with ASCII classes; without `flags`, `.` is any character",
    ),
    Construct(
        "`json_string=true` of `Regex`",
        'root ::= Regex("a.", json_string=true)',
        "those of its texts that stand in a JSON string as they are",
    ),
    Construct("lookarounds in `Regex`", 'root ::= Regex("a(?=b)b")'),
    Construct(r"anchors and `\b` in `Regex`", 'root ::= Regex("[a-z ]+\\\\b[a-z ]+")'),
    Construct('`Substring("..", ..)`', 'root ::= Substring("a", "b")', "a run of the chunks"),
    Construct(
        "`TagDispatch((tag, rule), ..)`",
        'root ::= TagDispatch(("<a>", a), loop_after_dispatch=false, excludes=("no",))\na ::= "1"',
        "free text, in which each first complete tag is followed by its rule; `loop_after_dispatch`, `excludes`",
    ),
    Construct(
        "`Token(5, ..)`, `ExcludeToken(5, ..)`",
        "root ::= Token(5) ExcludeToken(6, 7)",
        "one of these tokens, any but these and those that end a sequence",
    ),
    Construct(
        "`TokenTagDispatch((5, rule), ..)`",
        'root ::= TokenTagDispatch((5, a))\na ::= "1"',
        "any tokens, among which each trigger is followed by its rule",
    ),
    Construct(
        "`name[lazy]`, `name[max_chars=N]`",
        'root ::= a b "."\na[lazy] ::= "x"+\nb[max_chars=3] ::= [a-z]*',
        "ends at the first possible place, or at the first possible one from N characters on; of rules without "
        "recursion, or with one macro",
    ),
    Construct(
        "`name[capture]` and its kin",
        'root ::= a\na[capture="x"] ::= "b"',
        "no effect on texts; captures are not recorded",
    ),
    Construct(
        "`name[max_tokens=N]`, `name[temperature=T]`",
        'root ::= a\na[max_tokens=5, temperature=0.5] ::= "b"+',
        "a [region](tags.md#regions), see below",
    ),
    Construct("`name[max_tokens=N]` of a rule that is repeated", 'root ::= a*\na[max_tokens=5] ::= "b"'),
    Construct(
        "`(= ..)` behind a rule",
        'root ::= a "c"\na ::= "b" (= "c")',
        "read, without effect, as in XGrammar, which uses it for its caches alone",
    ),
    Construct(
        r"`a.b`, `[]`, `[^]`, `\-` and the like in classes, `\x1F600`",
        'root ::= a.b [^] [\\-+] "\\x1F600" | []\na.b ::= "1"',
        "names with points, no character, any character, escapes of any length",
    ),
)

_TAGS = (
    Construct("`excludes` of a `json_schema`", _styled(excludes=["x"])),
    Construct("`any_order` with a `style`", _styled(style="qwen_xml", any_order=True)),
    Construct(
        "a `style` for values that are no object", _styled(style="qwen_xml") | {"json_schema": {"type": "integer"}}
    ),
    Construct(
        "a pattern or format of a string in a `style`",
        {
            "type": "json_schema",
            "style": "qwen_xml",
            "json_schema": {"type": "object", "properties": {"a": {"type": "string", "pattern": "a"}}},
        },
    ),
    Construct(
        "strings or other values in a `style` that does not tell the type",
        {
            "type": "json_schema",
            "style": "qwen_xml",
            "json_schema": {"type": "object", "properties": {"a": {"type": ["string", "integer"]}}},
        },
    ),
    Construct(
        "`max_tokens` of `any_text` in a choice, a repetition, or among triggered tags",
        {"type": "star", "content": _texts(max_tokens=5)},
    ),
    Construct(
        "the same in a tag with a token around it",
        {"type": "tag", "begin": "<t>", "content": _texts(max_tokens=5), "end": {"type": "token", "token": "<e>"}},
    ),
    Construct(
        "the same before ends of which one is empty",
        {"type": "tag", "begin": "<t>", "content": _texts(max_tokens=5), "end": ["</t>", ""]},
    ),
)

TABLES: dict[str, tuple[str, str, tuple[Construct, ...]]] = {
    "llguidance": ("grammars.md", "| construct | meaning here |\n|---|---|\n", _LLGUIDANCE),
    "xgrammar": ("grammars.md", "| construct | meaning here |\n|---|---|\n", _XGRAMMAR),
    "structural tags": ("tags.md", "| construct | here |\n|---|---|\n", _TAGS),
}
"""For each dialect its page, the head of its table, and its constructs."""


def with_tables(page: str, name: str) -> str:
    """A page with its tables as they are now."""
    for dialect, (file, head, constructs) in TABLES.items():
        if file == name:
            begin, end = f"<!-- {dialect}: begin -->\n", f"<!-- {dialect}: end -->"
            table = begin + head + "".join(construct.row(dialect) for construct in constructs) + end
            page = re.sub(f"(?s){begin}.*?{end}", lambda _, text=table: text, page)
    return page


def main() -> None:
    """Read the arguments and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true", help="show the tables and write nothing")
    is_shown = parser.parse_args().print
    for name in dict.fromkeys(file for file, _, _ in TABLES.values()):
        page = with_tables((DOCS / name).read_text(encoding="utf-8"), name)
        if is_shown:
            print(*re.findall(r"(?s)<!-- [a-z ]+: begin -->\n(.*?)<!--", page), sep="\n")
        else:
            (DOCS / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
