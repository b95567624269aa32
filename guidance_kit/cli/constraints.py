"""From what commands are told to constraints: schemas, patterns and grammars, and the form of JSON texts."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_origin

from guidance_kit.errors import OptionError, SchemaError

if TYPE_CHECKING:
    from guidance_kit.grammars.constraint import Constraint

__all__ = ["GrammarReading", "JsonForm", "compared", "constraint_maker", "is_grammar_file", "text_of"]


@dataclass(frozen=True, slots=True)
class JsonForm:
    """The options for the form of JSON texts, as they were given; None for those that were not.

    Args:
        whitespace, order, escapes, digits: values of the options of these names.
        is_dumped: whether white space, where nothing is said about it, is that of `json.dumps`; else it is that of
            `json_schema`.
        max_digits: as of `json_schema`.
    """

    whitespace: str | None = None
    order: str | None = None
    escapes: str | None = None
    digits: str | None = None
    is_dumped: bool = False
    max_digits: int | None = None

    def options(self) -> dict[str, Any]:
        """As `json_schema` takes them.

        Raises:
            OptionError: there is no such white space or form of numbers.
        """
        whitespace, digits = _read_whitespace(self._whitespace), _read_digits(self.digits)
        return {**self.settings(), "whitespace": whitespace, "digits": digits, "max_digits": self.max_digits}

    def settings(self) -> dict[str, str | None]:
        """Settings of the form, in words."""
        return {
            "whitespace": self._whitespace,
            "order": self.order or "declared",
            "escapes": self.escapes or "minimal",
            "digits": self.digits,
        }

    def refuse(self) -> None:
        """See that nothing is said, as no JSON is written.

        Raises:
            OptionError: something is.
        """
        names = ("whitespace", "order", "escapes", "digits")
        given = [f"--{name}" for name in names if getattr(self, name) is not None]
        if given:
            raise OptionError(f"{' and '.join(given)} {'is' if len(given) == 1 else 'are'} for JSON: name a schema")

    @property
    def _whitespace(self) -> str:
        return self.whitespace or ("json" if self.is_dumped else "flexible")


@dataclass(frozen=True, slots=True)
class GrammarReading:
    """The options for grammars: `start` and `lexer` as `grammar` takes them."""

    start: str | None = None
    lexer: str = "dynamic_complete"

    def refuse(self, files: str) -> None:
        """See that nothing is said, as there is no grammar.

        Args:
            files: what would be one.
        Raises:
            OptionError: something is.
        """
        if self != GrammarReading():
            raise OptionError(f"--start and --lexer are for grammar files: {files}")


def constraint_maker(
    schema: str | None,
    regex: str | None,
    form: JsonForm,
    reading: GrammarReading = GrammarReading(),
) -> Callable[[], Constraint]:
    """Function that makes the constraint: the options are read here, the schema or pattern when it is called.

    Args:
        schema: path of a JSON or grammar file, a JSON object itself, `package.module:Class` or `path/to/file.py:Class`,
            which may also name a function, a schema or a constraint.
        regex: a pattern, instead of a schema.
        form: of JSON texts.
        reading: of grammars.
    Raises:
        OptionError: not exactly one of the two is given; there is no such file, module, class, white space or form of
            numbers; a name stands for no type, schema or constraint; an option is for something else; when it is called
            also if there is no such order, or no such escapes.
    """
    if (schema is None) == (regex is None):
        raise OptionError("give either SCHEMA or --regex PATTERN")
    is_grammar = schema is not None and is_grammar_file(schema)
    if is_grammar or regex is not None:
        form.refuse()
    if not is_grammar:
        reading.refuse(".lark, .gbnf, .ebnf")
    if regex is not None:
        from guidance_kit.grammars.regex import regex as regex_constraint

        return partial(regex_constraint, regex)
    if is_grammar:
        text_of(str(schema), "grammar")
        from guidance_kit.grammars.grammar import grammar

        lexer: Any = reading.lexer
        return partial(grammar, Path(str(schema)), start=reading.start, lexer=lexer)
    from guidance_kit.grammars.constraint import Constraint
    from guidance_kit.grammars.json_schema import json_schema

    options = form.options()
    described = _read_schema(str(schema))
    if isinstance(described, Constraint):
        form.refuse()
        return partial(_as_it_is, described)
    return partial(json_schema, described, **options)


def compared(name: str) -> Any:
    """Argument of `compare` that a user names: a schema as it stands, since it may be unsatisfiable; or a constraint.

    Args:
        name: as of `constraint_maker`.
    Raises:
        OptionError: as `constraint_maker`.
        SchemaError: a file is no JSON.
    """
    from guidance_kit.grammars.constraint import Constraint

    if is_grammar_file(name):
        return constraint_maker(name, None, JsonForm())()
    described = _read_schema(name)
    if isinstance(described, str):
        try:
            return json.loads(described)
        except json.JSONDecodeError as error:
            raise SchemaError(f"{name} is not JSON: {error}", pointer="") from None
    if isinstance(described, Constraint | dict):
        return described
    from guidance_kit.grammars.json_schema import json_schema

    return json_schema(described)


def _as_it_is(constraint: Constraint) -> Constraint:
    return constraint


def _described(found: Any, name: str) -> Any:
    """See that what a name stands for describes texts.

    Raises:
        OptionError: it is something else.
    """
    from guidance_kit.grammars.constraint import Constraint

    if isinstance(found, Constraint) or (isinstance(found, str) and found.lstrip().startswith("{")):
        return found
    is_annotation = get_origin(found) is not None or found is Any or hasattr(found, "__supertype__")
    is_alias = hasattr(found, "__value__")
    if inspect.isclass(found) or inspect.isfunction(found) or isinstance(found, dict) or is_annotation or is_alias:
        return found
    raise OptionError(
        f"{name} is {found!r:.60} ({type(found).__name__}); it must be a Python type (a Pydantic model, dataclass, "
        "TypedDict or annotation), a function with annotations, a JSON Schema (a dict), or a constraint"
    )


def is_grammar_file(name: str) -> bool:
    """Test whether SCHEMA names a grammar: by its ending, as there is nothing else that tells one from a schema."""
    return name.lower().endswith((".lark", ".gbnf", ".ebnf"))


def _read_whitespace(how: str) -> Any:
    """The value of --whitespace as `json_schema` takes it."""
    from guidance_kit.grammars.json_schema import Indent

    if match := re.fullmatch(r"indent=(\d{1,3})", how):
        return Indent(int(match[1]))
    known = ("flexible", "compact", "json", "any", "indent=2")
    if how not in known:
        raise OptionError.unknown(how, known, "whitespace")
    return how


def _read_digits(how: str | None) -> Any:
    """The value of --digits as `json_schema` takes it."""
    from guidance_kit.grammars.json_schema import Digits

    if how is None:
        return None
    match = re.fullmatch(r"(\d{0,3})\.(\d{0,3})", how)
    if match is None:
        raise OptionError(f"--digits takes numbers of digits before and after the point, as 9.2, not {how!r}")
    whole, fraction = (int(count) if count else None for count in match.groups())
    return Digits(whole, fraction)


def _read_schema(schema: str) -> Any:
    """Read SCHEMA: the text of a JSON Schema, or a Python type."""
    if schema.lstrip().startswith("{"):
        return schema
    place, colon, name = schema.rpartition(":")
    if colon and place and re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", name) and not Path(schema).exists():
        return _described(_member(_module(place), name, place), schema)
    if schema.endswith(".py"):
        raise OptionError(f"{schema} is a Python file: name the type, constraint or schema in it, as {schema}:Class")
    hint = "" if schema.endswith(".json") else "; a Python type is named as module:Class or path/to/file.py:Class"
    return text_of(schema, "schema", hint)


def text_of(file: str, what: str, hint: str = "") -> str:
    """The text of a file.

    Args:
        file: its path.
        what: it is for, and a hint if it is not there; for messages.
    Raises:
        OptionError: there is no such file, it cannot be read, or it is empty.
    """
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise OptionError(f"there is no {what} file {file}{hint}") from None
    except OSError as error:
        raise OptionError(f"the {what} file {file} cannot be read: {(error.strerror or '').lower()}") from None
    except UnicodeDecodeError as error:
        raise OptionError(f"the {what} file {file} is not UTF-8 at byte {error.start}") from None
    if not text.strip():
        raise OptionError(f"the {what} file {file} is empty")
    return text


def function_of(named: str, option: str) -> Any:
    """Python function named as module:name or path/to/file.py:name.

    Args:
        option: name of the option, for messages.
    Raises:
        OptionError: there is no such module, or no such function in it.
    """
    place, colon, name = named.rpartition(":")
    if not colon or not place or not name:
        raise OptionError(f"{option} {named}: a function is named as module:name or path/to/file.py:name")
    found = _member(_module(place), name, place)
    if not callable(found):
        raise OptionError(f"{option} {named}: it is no function but {found!r}")
    return found


def _module(place: str) -> Any:
    """The module at a path or of a name; modules beside it, or in the current folder, can be imported by it."""
    is_file = place.endswith(".py") or "/" in place or "\\" in place
    folder = str(Path(place).resolve().parent) if is_file else str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        if not is_file:
            return importlib.import_module(place)
        if not Path(place).is_file():
            raise OptionError(f"there is no file {place}")
        name = Path(place).stem
        spec = importlib.util.spec_from_file_location(name, place)
        if spec is None or spec.loader is None:
            raise OptionError(f"{place} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # where pydantic looks up names in annotations
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module
    except OptionError:
        raise
    except ModuleNotFoundError as error:
        if error.name == place.partition(".")[0]:
            raise OptionError(f"there is no module {place} in {Path.cwd()} or among the installed packages") from error
        raise OptionError(f"importing {place} failed: {error}") from error
    except SystemExit as error:
        raise OptionError(f"importing {place} failed: it ended the program, with {error.code!r}") from error
    except Exception as error:  # whatever the user's module raises
        raise OptionError(f"importing {place} failed: {type(error).__name__}: {error}") from error


def _member(module: Any, name: str, place: str) -> Any:
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = [key for key, value in vars(found).items() if inspect.isclass(value) and not key.startswith("_")]
            raise (
                OptionError.unknown(part, known, f"class in {place}:")
                if known
                else OptionError(f"there is no {part!r} in {place}")
            )
        found = getattr(found, part)
    return found
