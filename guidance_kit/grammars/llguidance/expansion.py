"""Alternatives of llguidance's dialect into a `Grammar`: parametric rules, grammars within grammars, ignored text."""

from __future__ import annotations

from collections.abc import Sequence as Items

from guidance_kit.errors import GrammarError, LimitError, UnsupportedFeature
from guidance_kit.fsm.network import UNBOUNDED
from guidance_kit.grammars.context_free.embedded_constraint import EmbeddedConstraint
from guidance_kit.grammars.context_free.expression_lexeme import lexeme_of
from guidance_kit.grammars.context_free.lexeme import Lexeme
from guidance_kit.grammars.context_free.source import MAX_NESTING, GrammarScanner
from guidance_kit.grammars.context_free.tree import (
    Choice,
    EbnfRepetition,
    Grammar,
    Node,
    RuleReference,
    RuleSettings,
    Sequence,
    Terminal,
    reachable_rules,
    terminals_in,
)
from guidance_kit.grammars.llguidance.grammar_list import ListedGrammar, listed_grammars
from guidance_kit.grammars.llguidance.initial_skip import without_initial_skip
from guidance_kit.grammars.llguidance.inline_schema import schema_constraint
from guidance_kit.grammars.llguidance.reader import read_document
from guidance_kit.grammars.llguidance.syntax import (
    Alternatives,
    ConditionalAlternative,
    Definition,
    GrammarDocument,
    GrammarUse,
    InlineGrammar,
    InlineSchema,
    Item,
    NameUse,
    TokenUse,
    Turns,
)
from guidance_kit.grammars.llguidance.terminals import TerminalReader, greedy_lexeme
from guidance_kit.grammars.regular.expression import EPSILON, Expression, alternate, concatenate

__all__ = ["read_llguidance"]

MAX_INSTANCES = 20_000
"""Rules with a value of their parameter."""


def read_llguidance(
    text: str, *, start: str = "start", path: str = "", embedded: Items[EmbeddedConstraint] = ()
) -> Grammar:
    """The grammar of a text in llguidance's dialect, or of the JSON of a list of grammars, of which the first is meant.

    Args:
        text: the grammar, or `{"grammars": [{"lark_grammar": ...}, {"name": ..., "json_schema": ...}]}`.
        start: the rule of whole texts.
        path: its file, for messages.
        embedded: constraints for `@name`.
    Raises:
        GrammarError: malformed; a rule is undefined, or defined twice.
        UnsupportedFeature: `max_tokens` or `temperature` beside `%ignore`, or what the dialect itself refuses.
        SchemaError: a schema of `%json` is malformed.
        LimitError: groups are nested too deep, a terminal is too large, or parameters have too many values.
    """
    is_list = text.lstrip().startswith("{")
    listed = listed_grammars(text, path) if is_list else {"": ListedGrammar(text)}
    parts = _Parts(listed, path, embedded)
    root = parts.listed("", start)
    rules = reachable_rules(parts.rules, root)
    terminals = {name: parts.terminals[name] for node in rules.values() for name in terminals_in(node)}
    unused = tuple(name for name in parts.unused if name not in rules)
    regions = {name: settings for name, settings in parts.regions.items() if name in rules}
    found = Grammar(start=root, rules=rules, terminals=terminals, unused=unused, regions=regions)
    return found.with_embedded(parts.embedded.values())


class _Parts:
    """Rules, terminals and embedded constraints of a grammar and of those within it.

    Args:
        listed: grammars by name.
        path: file of the grammar, for messages.
        given: constraints for names that are not listed.
    """

    def __init__(self, listed: dict[str, ListedGrammar], path: str, given: Items[EmbeddedConstraint]) -> None:
        self.rules: dict[str, Node] = {}
        self.terminals: dict[str, Lexeme] = {}
        self.embedded: dict[str, EmbeddedConstraint] = {}
        self.unused: list[str] = []
        self.skips: set[str] = set()
        self.regions: dict[str, RuleSettings] = {}
        self._listed = listed
        self._path = path
        self._given = {constraint.name: constraint for constraint in given}
        self._roots: dict[str, str] = {}
        self._depth = 0
        self._numbers: dict[tuple[Lexeme, str], str] = {}

    def listed(self, name: str, start: str = "start") -> str:
        """Root rule of a grammar of the list."""
        if name not in self._roots:
            grammar, prefix = self._listed[name], f"@{name}/" if name else ""
            if grammar.text is None:
                constraint = schema_constraint(grammar.schema, f"the grammar {name!r}")
                self._roots[name] = self.embed(EmbeddedConstraint(f"{prefix}%json", constraint.language.declare)).name
            else:
                source = GrammarScanner(grammar.text, self._path)
                self._roots[name] = f"{prefix}{start}"  # if it contains itself
                self._roots[name] = self.root(read_document(grammar.text, self._path), source, prefix, start)
        return self._roots[name]

    def root(self, document: GrammarDocument, source: GrammarScanner, prefix: str, start: str) -> str:
        """Root rule of a document, whose rules are added with a prefix."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise LimitError("max_nesting", MAX_NESTING, where="grammars within grammars")
        found = _Scope(self, document, source, prefix).root(start)
        self._depth -= 1
        return found

    def named(self, use: GrammarUse, source: GrammarScanner) -> Node:
        """Texts of `@name`."""
        if use.name and use.name in self._listed:
            return RuleReference(self.listed(use.name))
        if use.name in self._given:
            return self.embed(self._given[use.name])
        known = sorted({*self._listed, *self._given} - {""})
        hint = f"; there are {', '.join(known)}" if known else "; give it by rules={...: json_schema(...)}"
        raise source.error(f"there is no grammar {use.name!r}{hint}", use.place)

    def is_given(self, name: str) -> bool:
        """True if a constraint is given for a name."""
        return name in self._given

    def embed(self, constraint: EmbeddedConstraint) -> RuleReference:
        """Embed a constraint under its name."""
        self.embedded[constraint.name] = constraint
        self.rules.setdefault(constraint.name, Sequence(()))
        return RuleReference(constraint.name)

    def terminal(self, lexeme: Lexeme, shown: str) -> str:
        """Name of a terminal, one for each automaton and spelling."""
        key = lexeme, shown
        if key not in self._numbers:
            name = shown if shown not in self.terminals else f"{shown} {len(self.terminals)}"
            self._numbers[key] = name
            self.terminals[name] = lexeme
        return self._numbers[key]


class _Scope:
    """One document: its rules and terminals, and what it ignores."""

    def __init__(self, parts: _Parts, document: GrammarDocument, source: GrammarScanner, prefix: str) -> None:
        self._parts = parts
        self._document = document
        self._source = source
        self._prefix = prefix
        self._reader = TerminalReader(document.definitions, source)
        self._todo: list[tuple[Definition, int | None]] = []
        self._skip: tuple[Node, ...] = ()
        self._known: dict[Item, Node] = {}

    def root(self, start: str) -> str:
        """Rule of the whole texts, which do not begin with ignored text."""
        parts, document = self._parts, self._document
        if start not in document.definitions or not _is_rule(start):
            raise GrammarError(f"the start rule {start!r} is not defined", path=self._source.path)
        if document.ignored:
            name = f"{self._prefix}%ignore"
            ignored = self._terminal(alternate(map(self._reader.expression, document.ignored)), "%ignore")
            is_once = document.options.get("ignore_once", False)
            parts.rules[name] = EbnfRepetition(ignored, 0, 1 if is_once else UNBOUNDED)
            parts.skips.add(name)
            self._skip = (RuleReference(name),)
        root = self._rule(NameUse(start, 0), None).name
        for definition, value in self._todo:  # grows meanwhile
            name = self._name_of(definition.name, value)
            parts.rules[name] = self._body(definition, value)
            if settings := self._settings(definition):
                parts.regions[name] = RuleSettings(settings, self._source.where(definition.place))
        parts.unused += [f"{self._prefix}{name}" for name in document.definitions if _is_rule(name)]
        if not self._skip or document.options.get("allow_initial_skip"):
            return root
        node = without_initial_skip(parts.rules, root, parts.skips, parts.embedded)
        first = f"{root} without initial ignored text"
        parts.rules[first] = node
        return first

    def _name_of(self, name: str, value: int | None) -> str:
        return f"{self._prefix}{name}" if value is None else f"{self._prefix}{name}::{value}"

    def _rule(self, use: NameUse, value: int | None) -> RuleReference:
        """Reference to a rule, with the parameter that `value`, that of the rule around it, gives it."""
        definition = self._document.definitions[use.name]
        if definition.is_parametric != (use.parameter is not None):
            needs = "takes a parameter, as in name::0" if definition.is_parametric else "takes no parameter"
            raise self._source.error(f"the rule {use.name!r} {needs}", use.place)
        given = None
        if use.parameter is not None:
            if use.needs_parameter and value is None:
                raise self._source.error("the rule around it has no parameter", use.place)
            given = use.parameter(value or 0)
        name = self._name_of(use.name, given)
        if name not in self._parts.rules:
            self._parts.rules[name] = Sequence(())
            self._todo.append((definition, given))
            if len(self._todo) > MAX_INSTANCES:
                raise LimitError("max_instances", MAX_INSTANCES, where="rules with their parameters")
        return RuleReference(name)

    def _settings(self, definition: Definition) -> dict[str, int | float]:
        """Budget and sampling settings of a rule."""
        attributes = definition.attributes
        given = {"max_tokens": attributes.max_tokens or None, "temperature": attributes.temperature}
        found = {name: value for name, value in given.items() if value is not None and attributes.max_tokens != 0}
        if found and self._skip:
            hint = "write the ignored text into the rules"
            where = self._source.where(definition.place)
            raise UnsupportedFeature(f"{' and '.join(found)} of a rule beside %ignore", where=where, hint=hint)
        return found

    def _body(self, definition: Definition, value: int | None) -> Node:
        attributes = definition.attributes
        if attributes.max_tokens == 0:
            return Sequence(())
        if attributes.end is None and not attributes.is_lazy:
            return self._expansion(definition.body, value)
        expression = self._reader.expression(definition.body)
        if attributes.end is None:
            return self._terminal(expression, definition.name, is_lazy=True)
        end = self._reader.expression(attributes.end)
        # stop="" is the end of the sequence, which needs no text
        return self._terminal(concatenate((expression, end)), definition.name, is_lazy=end is not EPSILON)

    def _expansion(self, expansion: Alternatives, value: int | None) -> Node:
        ways = [self._way(way, value) for way in expansion.ways if self._holds(way, value)]
        return ways[0] if len(ways) == 1 else Choice(tuple(ways))

    def _holds(self, way: ConditionalAlternative, value: int | None) -> bool:
        if way.condition is None:
            return True
        if value is None:
            raise self._source.error("%if is for rules with a parameter", way.place)
        return way.condition(value)

    def _way(self, way: ConditionalAlternative, value: int | None) -> Node:
        items, *others = way.conjuncts
        if others:
            raise self._source.error("& joins terminals, whose names are in upper case, not rules", way.place)
        nodes = [self._item(item, value) for item in items]
        return nodes[0] if len(nodes) == 1 else Sequence(tuple(nodes))

    def _item(self, item: Item, value: int | None) -> Node:
        parts = self._parts
        if isinstance(item, Turns):
            return EbnfRepetition(self._item(item.body, value), item.minimum, item.maximum)
        if isinstance(item, Alternatives):
            return self._expansion(item, value)
        if isinstance(item, NameUse):
            if item.name in self._document.definitions and _is_rule(item.name):
                return self._rule(item, value)
            if item.name not in self._document.definitions and parts.is_given(item.name):
                return parts.named(GrammarUse(item.name, item.place), self._source)
            return self._known_terminal(item, item.name)
        if isinstance(item, TokenUse):
            tokens = item.tokens
            token = parts.embed(EmbeddedConstraint.of_tokens(item.written, tokens))
            return Sequence((*self._skip, token))
        if isinstance(item, GrammarUse):
            return parts.named(item, self._source)
        if isinstance(item, InlineSchema):
            constraint = schema_constraint(item.schema, self._source.where(item.place))
            name = f"{self._prefix}%json {len(parts.embedded)}"
            return parts.embed(EmbeddedConstraint(name, constraint.language.declare))
        if isinstance(item, InlineGrammar):
            prefix = f"{self._prefix}%lark {len(parts.rules)}/"
            return RuleReference(parts.root(item.document, self._source, prefix, "start"))
        return self._known_terminal(item, "terminal")

    def _known_terminal(self, item: Item, shown: str) -> Node:
        """Node of a terminal, made once for all values of parameters."""
        if item not in self._known:
            self._known[item] = self._terminal(self._reader.expression(item), shown)
        return self._known[item]

    def _terminal(self, expression: Expression, shown: str, *, is_lazy: bool = False) -> Node:
        """Node of a terminal; ignored text may precede its nonempty texts."""
        where = f"the terminal {shown}"
        lexeme = lexeme_of(expression, where=where, is_lazy=True) if is_lazy else greedy_lexeme(expression, where)
        nonempty = lexeme.without_empty() if lexeme.is_nullable else lexeme
        found: Node = Choice(())
        if not nonempty.is_empty:
            found = Sequence((*self._skip, Terminal(self._parts.terminal(nonempty, f"{self._prefix}{shown}"))))
        return Choice((Sequence(()), found)) if lexeme.is_nullable else found


def _is_rule(name: str) -> bool:
    """Test whether a name is that of a rule, by its first letter."""
    return name.lstrip("_")[:1].islower()
