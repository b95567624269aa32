"""`grammar`: the constraint of the texts of a context-free grammar."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from guidance_kit.errors import OptionError
from guidance_kit.fsm.caches import BoundedCache, caches
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.argument_checks import as_items, as_text
from guidance_kit.grammars.choice import Part, as_constraint
from guidance_kit.grammars.constraint import Constraint, Origin
from guidance_kit.grammars.context_free import CompiledGrammar, Grammar, LexedGrammar
from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.report import GrammarReport
from guidance_kit.grammars.context_free.stored_grammar import StoredGrammar
from guidance_kit.grammars.context_free.xgrammar import is_xgrammar, read_xgrammar
from guidance_kit.grammars.grammar_files import grammar_files
from guidance_kit.grammars.grammar_regions import sequence_with_regions
from guidance_kit.grammars.language import CaptureReader, Language
from guidance_kit.grammars.llguidance import is_llguidance, read_llguidance

__all__ = ["DIALECTS", "LEXERS", "GrammarDialect", "Lexer", "bundled_grammar", "grammar"]

GrammarDialect = Literal["lark", "gbnf", "ebnf", "llguidance", "xgrammar"]

Lexer = Literal["dynamic_complete", "dynamic", "longest"]
"""Lexers: rules for the matching of terminals in a text."""

LEXERS: tuple[str, ...] = ("dynamic_complete", "dynamic", "longest")

DIALECTS: tuple[str, ...] = ("lark", "gbnf", "ebnf", "llguidance", "xgrammar")
"""Dialects of grammars, which are also the extensions of their files."""


def grammar(
    source: str | os.PathLike[str],
    *,
    start: str | None = None,
    dialect: GrammarDialect | None = None,
    lexer: Lexer = "dynamic_complete",
    folders: Iterable[str | os.PathLike[str]] = (),
    rules: Mapping[str, Part] | None = None,
) -> Constraint:
    r"""Texts of a context-free grammar.

    Rules may be recursive in any way, nullable and ambiguous. Unless `lexer` is "longest", parsing is scannerless: a
    terminal is tried wherever a rule has it.

    Args:
        source: the grammar, or a path (`pathlib.Path`) of its file.
        start: the rule of whole texts; None: "start" in Lark and llguidance, "root" in GBNF and XGrammar, the first one
            in EBNF.
        dialect: "lark"; "gbnf", that of llama.cpp; "ebnf", that of the W3C; "llguidance", its dialect of Lark;
            "xgrammar", its EBNF. None: one of the dialects if the grammar has constructs of its own; else the extension
            of the file; of a text that defines rules by `::=`, "gbnf" if one is `root`, else "ebnf"; "lark" of another.
        lexer: matching of terminals in Lark's notation. "dynamic_complete": with all lengths; "dynamic": only with the
            length of `re.match`, so that no letter follows a name; both as lark's Earley parser. "longest": as lark's
            LALR parser with its contextual lexer, in which keywords are no names.
        folders: folders of grammars for `%import` of Lark; then the bundled grammars are searched, then those of lark.
        rules: embedded constraints, and texts, by the names of rules: in Lark those declared by `%declare NAME`, in
            other notations undefined ones, in llguidance also `@name`. Ignored text may precede such a rule, not
            interrupt it.
    Raises:
        GrammarError: the grammar is malformed, or uses undefined names; for "longest", it is not LALR.
        UnsupportedFeature: a part of it cannot be enforced exactly; nothing is dropped silently.
        UnsatisfiableError: it has no text.
        LimitError: it is too large.
        OptionError: an unknown file, dialect or lexer; a text that may be GBNF or EBNF, with a rule `root` and also
            `#x20` or `/*`, which mean different things there; a lexer for GBNF or EBNF; one of `rules` is not used.

    >>> grammar('start: "(" start ")" | "x"').kind
    'grammar'
    """
    if not isinstance(source, str | os.PathLike):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"a grammar is a str, or the path of its file, not {type(source).__name__}")
    if start is not None:
        as_text(start, "start")
    if not isinstance(rules, Mapping | None):
        raise OptionError(f"rules= takes constraints by the names of rules, not {type(rules).__name__}")
    text, path = (source, None) if isinstance(source, str) else _file(Path(source))
    if dialect is None:
        suffix = None if path is None else path.suffix[1:].lower()
        if suffix is None or (suffix in _VARIANTS and _dialect_of(text) == _VARIANTS[suffix]):
            dialect = _dialect_of(text)
        else:
            dialect = suffix  # pyright: ignore[reportAssignmentType]
    if dialect not in DIALECTS:
        raise OptionError.unknown(str(dialect), DIALECTS, "dialect")
    if lexer not in LEXERS:
        raise OptionError.unknown(str(lexer), LEXERS, "lexer")
    if lexer != "dynamic_complete" and dialect != "lark":
        raise OptionError(f"lexer={lexer!r} is for grammars in Lark's notation")
    folders = tuple(Path(folder) for folder in as_items(folders, "folders", "paths"))
    members = {name: as_constraint(part, f"rules[{name!r}]") for name, part in (rules or {}).items()}
    return _of_text(text, path, dialect, start, lexer, folders, members)


_VARIANTS = {"lark": "llguidance", "gbnf": "xgrammar", "ebnf": "xgrammar"}
"""Dialects that files with these endings may be in, too."""

_USES = {"lark": "use it, and write %declare {}", "llguidance": "write @{}"}
"""Uses of an embedded constraint."""

_RULE = re.compile(r"^[ \t]*([A-Za-z_][\w-]*)[ \t]*::=", re.MULTILINE)
"""Definition of a rule in GBNF and EBNF; no line of Lark's begins so."""

_EBNF_ALONE = re.compile(r"#x[0-9A-Fa-f]|/\*")
"""Code points and comments of EBNF, which GBNF reads as other characters."""


def _dialect_of(text: str) -> GrammarDialect:
    """Dialect of a grammar without a file."""
    if "::=" in text and is_xgrammar(text):
        return "xgrammar"
    names = _RULE.findall(text)
    if not names:
        return "llguidance" if is_llguidance(text) else "lark"
    if "root" not in names:
        return "ebnf"
    if found := _EBNF_ALONE.search(text):
        raise OptionError(f'the grammar may be GBNF or EBNF, which read {found[0]!r} differently: say dialect="gbnf"')
    return "gbnf"


def _of_text(
    text: str,
    path: Path | None,
    dialect: str,
    start: str | None,
    lexer: Lexer,
    folders: tuple[Path, ...],
    members: dict[str, Constraint],
) -> Constraint:
    """Constraint of the text of a grammar, with the path of its file if it has one; see `grammar`.

    It is cached, unless its texts depend on other constraints or on files that a user may change.
    """
    if members or ("%import" in text and (folders or _RELATIVE_IMPORT.search(text))):
        return _read_text(text, path, dialect, start, lexer, folders, members)
    return _GRAMMARS.get(
        (text, path, dialect, start, lexer, folders),
        lambda: _read_text(text, path, dialect, start, lexer, folders, members),
    )


_RELATIVE_IMPORT = re.compile(r"%import\s*\.")
"""Import of a file beside the grammar, or beside the program; other files are those of this package and of lark."""


def _read_text(
    text: str,
    path: Path | None,
    dialect: str,
    start: str | None,
    lexer: Lexer,
    folders: tuple[Path, ...],
    members: dict[str, Constraint],
) -> Constraint:
    """Constraint of the text of a grammar, compiled, or found on disk."""
    embedded = tuple(EmbeddedConstraint(name, member.language.declare) for name, member in members.items())
    reading = _Reading(text, dialect, start, lexer, path, folders, embedded)
    imports_files = "%import" in text and bool(path or folders or _RELATIVE_IMPORT.search(text))
    file = None if members or imports_files else grammar_files.name(text, dialect, start, lexer)
    compiled = None if file is None else grammar_files.find(file)
    options = tuple(
        (name, value)
        for name, value in (
            ("dialect", None if dialect == "lark" else dialect),
            ("start", start),
            ("lexer", None if lexer == "dynamic_complete" else lexer),
            ("path", None if path is None else str(path)),
            ("folders", tuple(map(str, folders)) or None),
            ("rules", tuple(sorted(members.items(), key=lambda item: item[0])) or None),
            ("imports", reading.grammar.fingerprint if "%import" in text and (path or folders) else None),
        )
        if value is not None
    )
    origin: Origin = (_of_text, (text, path, dialect, start, lexer, folders, members), {})
    can_capture = dialect == "lark" and not members
    if compiled is None:
        read = reading.grammar
        for name in members.keys() - {one.name for one in read.embedded} - set(read.unused):
            raise OptionError(
                f"the grammar has no rule for rules[{name!r}]: "
                + _USES.get(dialect, "use a rule of this name, undefined").format(name)
            )
        if isinstance(read, Grammar) and read.regions:
            return sequence_with_regions(read, text, options, origin)
        compiled = CompiledGrammar(read)
        if read.embedded:
            can_capture = False
        elif file is not None:
            grammar_files.keep(file, compiled)
    return Constraint(
        kind="grammar",
        source=text,
        options=options,
        language=_ContextFree(
            reading, compiled, _LarkParser(text, start or "start", lexer, path, folders), can_capture
        ),
        origin=origin,
    )


@dataclass(frozen=True)
class _Reading:
    """Text of a grammar, read on first use."""

    text: str
    dialect: str
    start: str | None
    lexer: Lexer
    path: Path | None
    folders: tuple[Path, ...]
    embedded: tuple[EmbeddedConstraint, ...]

    @cached_property
    def grammar(self) -> Grammar | LexedGrammar:
        return _read(self.text, self.dialect, self.start, self.lexer, self.path, self.folders, self.embedded)


@dataclass(frozen=True)
class _LarkParser:
    """Parser of a grammar in Lark's notation, made on first use."""

    text: str
    start: str
    lexer: Lexer
    path: Path | None
    folders: tuple[Path, ...]

    @cached_property
    def lark(self) -> Any:
        from guidance_kit.grammars.lark import parser_of

        folders = (*self.folders, _BUNDLED)
        return parser_of(self.text, start=self.start, lexer=self.lexer, path=self.path, folders=folders)


@dataclass(frozen=True)
class _ContextFree(Language):
    """Texts of a grammar, and captures of its rules."""

    reading: _Reading
    compiled: CompiledGrammar | StoredGrammar
    parser: _LarkParser
    has_captures: bool

    def declare(self, network: Network) -> int:
        return self.compiled.declare(network)

    def capture(self, text: str, names: Iterable[str] | None) -> dict[str, Any]:
        from guidance_kit.grammars.lark_captures import captures_of_rules

        return captures_of_rules(self.parser.lark, text, names)

    def make_capture_reader(self, names: Iterable[str] | None) -> CaptureReader:
        from guidance_kit.grammars.context_free.earley_grammar import EarleyGrammar
        from guidance_kit.grammars.context_free.earley_reader import EarleyReader
        from guidance_kit.grammars.lark_captures import named

        wanted = named(self.parser.lark, names)
        terminals = frozenset(terminal.name for terminal in self.parser.lark.terminals).intersection(wanted)
        if terminals not in self._earley_grammars:
            self._earley_grammars[terminals] = EarleyGrammar(self.reading.grammar, terminals)
        return EarleyReader(self._earley_grammars[terminals], wanted)

    @cached_property
    def _earley_grammars(self) -> dict[frozenset[str], Any]:
        """Rules prepared for captures of some terminals."""
        return {}

    @cached_property
    def _remarks(self) -> GrammarReport:
        return GrammarReport(self.reading.grammar)

    def report(self) -> GrammarReport:
        return self._remarks


def _size(constraint: Constraint) -> int:
    """Memory of the rules of a grammar, estimated, in bytes."""
    language = constraint.language
    if not isinstance(language, _ContextFree):  # a sequence of parts of a grammar
        return 16 * sum(map(len, map(repr, constraint.source)))
    return language.compiled.nbytes + 16 * len(constraint.source)


_GRAMMARS: BoundedCache[tuple[str, Path | None, str, str | None, Lexer, tuple[Path, ...]], Constraint] = (
    caches.register("grammars", BoundedCache(256, 16 * 2**20, _size))
)
"""Grammars by their text and options; the bytes are estimates."""

_BUNDLED = Path(__file__).resolve().parent.parent / "bundled" / "grammars"

_LEXERS: dict[str, Lexer] = {"sql_select": "dynamic"}


def bundled_grammar(name: str) -> Constraint:
    """A bundled grammar: "arithmetic", "csv", "dates", "json" or "sql_select".

    docs/grammars.md describes them; their sources are in guidance_kit/bundled/grammars.

    Raises:
        OptionError: there is no such grammar.

    >>> bundled_grammar("dates").kind
    'grammar'
    """
    known = [path.stem for path in _BUNDLED.glob("*.lark")]
    if name not in known:
        raise OptionError.unknown(str(name), known, "grammar")
    return grammar(_BUNDLED / f"{name}.lark", lexer=_LEXERS.get(name, "dynamic_complete"))


def _file(path: Path) -> tuple[str, Path]:
    try:
        return path.read_text(encoding="utf-8-sig"), path
    except FileNotFoundError:
        raise OptionError(f"there is no grammar file {path}") from None
    except OSError as error:
        raise OptionError(f"the grammar file {path} cannot be read: {(error.strerror or '').lower()}") from None
    except UnicodeDecodeError as error:
        raise OptionError(f"the grammar file {path} is not UTF-8 at byte {error.start}") from None


def _read(
    text: str,
    dialect: str,
    start: str | None,
    lexer: Lexer,
    path: Path | None,
    folders: tuple[Path, ...],
    embedded: tuple[EmbeddedConstraint, ...],
) -> Grammar | LexedGrammar:
    shown = "" if path is None else str(path)
    if dialect == "gbnf":
        from guidance_kit.grammars.context_free.gbnf import read_gbnf

        return read_gbnf(text, start=start or "root", path=shown, embedded=embedded)
    if dialect == "ebnf":
        from guidance_kit.grammars.context_free.ebnf import read_ebnf

        return read_ebnf(text, start=start, path=shown, embedded=embedded)
    if dialect == "xgrammar":
        return read_xgrammar(text, start=start or "root", path=shown, embedded=embedded)
    if dialect == "llguidance":
        return read_llguidance(text, start=start or "start", path=shown, embedded=embedded)
    from guidance_kit.grammars.lark import read_lark, read_lexed

    start, folders = start or "start", (*folders, _BUNDLED)
    if lexer != "longest":
        return read_lark(text, start=start, lexer=lexer, path=path, folders=folders, embedded=embedded)
    return read_lexed(text, start=start, path=path, folders=folders, embedded=embedded)
