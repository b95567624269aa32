"""The network: one intermediate representation for regex, JSON Schema and grammars.

A network is a set of *rules*. A rule is a small nondeterministic automaton over bytes whose states carry edges:

    byte      lo..hi -> target      read one byte in the inclusive range
    epsilon   -> target             read nothing
    call      rule, -> target       read a text of `rule`, go on at `target`
    final                           the rule may end here
    jump      rule, n               go on where another rule begins, or n states further, as a part of this one
    loop      rule                  end of one turn of a repetition (made by `repeat` only)
    turn      -> target             end of one turn, which is counted; go on at `target` (in `counted` rules only)
    within    n, -> target          read nothing, if n more turns are within the maximum (in `counted` rules only)
    recall    number                go on where a rule begins that depends on the text so far; the state's only edge
    fresh     kind, -> target       read nothing, if the name or item that ends here is new; the state's only edge
    some left keys, -> target       read nothing, if a key of an interval has not been taken (in `keyed` rules only)
    take      key, -> target        read nothing, and take a key (likewise)
    none left -> target             read nothing, if all required keys have been taken (likewise)

Rules may call each other recursively; a call in last position (its target is a state that is only final) costs no
stack. A rule can be declared with a function that builds it on first use, so that a front end compiles only what
the text really reaches; jumps lead to parts of a rule that are built in this manner. A repetition with bounds is one
rule with a counter in its stack frame, whatever the bounds. So is an automaton over characters whose texts have at most
so many of them: a `counted` rule. A `keyed` rule has a set in its stack frame: the keys that have not been taken.

A special token of a vocabulary has no text. In a network it is written as its name between two bytes MARK, which no
text has in UTF-8 (`marked`), and the trie of a vocabulary has the token, and nothing else, spelled so: that is all that
masks, budgets and the like need to know about it. A set of tokens that are taken by their numbers is written in the
same manner, as the number of the set (`numbered`), and stands in no trie: see `fsm.token_id_sets`.

A *name* is what a rule reads that is called by an edge to a state with a `fresh` edge, as the key of an object. Which
names a text has had where it stands is not in the network: its `KeyTracker` reads that from the text. So does the
`ItemTracker` with *items*, as those of an array.

What the front ends promise, because the runtime relies on it:

* MARK is read only as a part of a special token, by `special`, or of a set of tokens, by `tokens`;
* every declared rule has at least one text (empty languages are found by the front end, or by `fsm.productive`);
* every byte that can be read leads on: `within` and `some left` are asked before a byte after which no text could end;
* `nullable` says exactly whether the rule has the empty text;
* the body of a repetition does not have the empty text, nor has what is between two turns of a counted rule, which
  calls no rule that calls it;
* from a state to which `within` leads, the shortest way to the end takes n turns;
* `some left`, `take` and `none left` come behind a byte of their rule, each way takes one of the keys that `some left`
  asked for, and after `none left` none is asked for;
* states are not changed once the rule in which they were made has been built;
* of a state of which `treats_alike` or `ends_part` was said it is true.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable

from guidance_kit.errors import LimitError
from guidance_kit.fsm.item_tracker import ItemTracker
from guidance_kit.fsm.kernels.codes import PART
from guidance_kit.fsm.key_set import KeySet
from guidance_kit.fsm.key_tracker import KeyTracker
from guidance_kit.fsm.opcodes import (
    CALL,
    EPSILON,
    FINAL,
    FRESH,
    JUMP,
    LOOP,
    NONE_LEFT,
    RECALL,
    SOME_LEFT,
    TAKE,
    TURN,
    WITHIN,
)
from guidance_kit.fsm.rule import BEGUN, PLAIN_ROWS, UNBUILT, Rule, SharedRule, row
from guidance_kit.fsm.token_set import TokenSet
from guidance_kit.fsm.written import KEY

__all__ = [
    "MARK",
    "RECALLING",
    "UNBOUNDED",
    "Network",
    "Work",
    "marked",
    "numbered",
]

RECALLING = "masks that depend on the text so far, as with uniqueItems and many values, or formats that are recalled"
"""Name of what `Network.depends_on_texts` tells, in messages."""

UNBOUNDED = -1
"""`maximum` of a repetition without an upper bound."""

MARK = 0xFF
"""The byte before and behind the name of a special token; UTF-8 has none such."""


def marked(name: str) -> bytes:
    """Spelling of a special token in networks and tries."""
    mark = bytes([MARK])
    return mark + name.encode() + mark


def numbered(number: int) -> bytes:
    """Spelling of a set of tokens in networks: no name of a special token begins with a MARK."""
    return bytes([MARK]) + marked(str(number))


class Work:
    """Number of steps that front ends may still take for one mask, one token read or one budget, so that it ends.

    Args:
        limit: that number.
        reason: why all of it is done at once, for error messages.
        name: of the limit; "max_work" is a field of `Limits`, others are fixed.
    """

    def __init__(self, limit: int, *, reason: str = "", name: str = "max_work") -> None:
        self.limit = limit
        self.left = limit
        self._reason = reason
        self._name = name

    def renew(self) -> None:
        """Begin anew, with the whole number."""
        self.left = self.limit

    def spend(self, steps: int, where: str) -> None:
        """Take some steps.

        Raises:
            LimitError: fewer are left; says `where`.
        """
        self.left -= steps
        if self.left < 0:
            is_adjustable = self._name == "max_work"
            raise LimitError(self._name, self.limit, where=where + self._reason, is_adjustable=is_adjustable)


class Network:
    """A growing set of rules and states; front ends write it, `Automaton` runs it.

    Edges lie in one flat array: a network has many thousands, and as many small lists would keep the garbage collector
    busy in the middle of a mask.

    Attributes:
        size: number of states.
        flat: all edges in the order in which they were added, four numbers each: source, op, a, b; see `edges`.
        alike: all that `treats_alike` and `ends_part` were told, two numbers each: state, bits of the slices or PART.
        full_sets: int64 words of 64 keys; for each keyed rule those of all its keys, and those of the required ones.
        keyed_starts: start -> number of the keyed rules that have been built.
        soon: rules to be built with the one that is being built, see `build_soon`.
        built: all rules that have been built in the order in which that happened, two numbers each: rule, start.
        rules: all rules by number; to be extended by the methods alone.
        rows: for each rule the columns of RULE, as they were when it was declared.
        most_turns: greatest bound of a rule on the number of its turns.
        root: the rule that the whole text must match.
        shared: numbers of the shared rules by key, see `fragment.shared_rule`.
        recalls: for each number in a `recall` edge what gives the rule for a text.
        has_recalls: whether there may be any, in rules to be built too; to be set before the network is used.
        key_tracker: tracks the names of a text, if rules may have `fresh` edges; to be set before the network is used.
        item_tracker: tracks the items of a text; likewise.
        has_exhaustible_keys: whether there may be keys of a language of which an object can use up all.
        lacks_characters: whether names can have some characters only, because of a vocabulary.
        needs_names: whether texts may have to have several names that are not given, so that least lengths are unknown.
        needs_exhaustible_keys: whether texts may have to have such keys; to be set before the network is used.
        has_many_sets: whether too many sets of values are told apart to search for least lengths; likewise.
        specials: names of the special tokens that rules read, each with whether its name as text will do where there is
            no such token.
        token_sets: the sets of tokens that rules read.
        work: bounds what is done to build rules; None: nothing does.
        is_constant: whether all of it will be copied into other networks, so that it is written whole.
        as_text: names of special tokens, and sets of tokens as they are written, that are read as text; to be said
            before any rule is built.
    """

    def __init__(self, *, max_states: int = 5_000_000) -> None:
        self.size = 0
        self.flat = array("i")
        self.alike = array("i")
        self.full_sets = array("q")
        self.keyed_starts: dict[int, int] = {}
        self.built = array("i")
        self.soon: list[int] = []
        self.rules: list[Rule] = []
        self.rows = array("i")
        self.most_turns = 1
        self.root = -1
        self.shared: dict[Hashable, int] = {}
        self.recalls: list[Callable[[bytes], int]] = []
        self.has_recalls = False
        self.key_tracker: KeyTracker | None = None
        self.item_tracker: ItemTracker | None = None
        self.has_exhaustible_keys = False
        self.lacks_characters = False
        self.needs_names = False
        self.needs_exhaustible_keys = False
        self.has_many_sets = False
        self.specials: dict[str, bool] = {}
        self.token_sets: list[TokenSet] = []
        self.as_text: frozenset[str] = frozenset()
        self.max_states = max_states
        self.work: Work | None = None
        self.is_constant = False
        self._edges: list[list[tuple[int, int, int]]] = []
        self._read = 0

    @property
    def depends_on_texts(self) -> bool:
        """True if masks may depend on the text so far, by `recall` edges or by items."""
        return self.has_recalls or self.item_tracker is not None

    @property
    def edges(self) -> list[list[tuple[int, int, int]]]:
        """For each state its edges `(op, a, b)`, to look at.

        For a byte edge `op = lo | hi << 8` and `a` is the target; for EPSILON `a` is the target; for CALL `a` is the
        rule and `b` the target; for FINAL there is nothing; for JUMP `a` is the rule and `b` the state there, counted
        from its start; for LOOP `a` is the rule; for TURN `a` is the target; for WITHIN `a` is the target and `b` the
        number of turns; for RECALL `a` is the number; for FRESH `a` is the target and `b` the kind; for SOME_LEFT, TAKE
        and NONE_LEFT `a` is the target, and `b` is first | end << 16 of the keys, the key, or 0.
        """
        self._edges.extend([] for _ in range(self.size - len(self._edges)))
        flat = self.flat
        for i in range(self._read, len(flat), 4):
            self._edges[flat[i]].append((flat[i + 1], flat[i + 2], flat[i + 3]))
        self._read = len(flat)
        return self._edges

    def state(self) -> int:
        """Add a state without edges."""
        number = self.size
        if number >= self.max_states:
            raise LimitError("max_states", self.max_states, is_adjustable=True)
        self.size = number + 1
        return number

    def states(self, count: int) -> range:
        """Add `count` states without edges at once."""
        first = self.size
        if first + count > self.max_states:
            raise LimitError("max_states", self.max_states, is_adjustable=True)
        self.size = first + count
        return range(first, first + count)

    def byte(self, source: int, lo: int, hi: int, target: int) -> None:
        """Add an edge that reads one byte in the inclusive range lo..hi."""
        self.flat.extend((source, lo | hi << 8, target, 0))

    def epsilon(self, source: int, target: int) -> None:
        """Add an edge that reads nothing."""
        self.flat.extend((source, EPSILON, target, 0))

    def call(self, source: int, rule: int, target: int) -> None:
        """Add an edge that reads a text of `rule`."""
        self.flat.extend((source, CALL, rule, target))

    def final(self, source: int) -> None:
        """Let the rule end at `source`."""
        self.flat.extend((source, FINAL, 0, 0))

    def jump(self, source: int, rule: int, entry: int = 0) -> None:
        """Add a tail call: an empty edge into `rule`, at whose end the present rule ends.

        Args:
            entry: number of the state that it leads to, from the start of the rule.
        """
        self.flat.extend((source, JUMP, rule, entry))

    def turn(self, source: int, target: int) -> None:
        """Let a turn end at `source`; the next one begins at `target`."""
        self.flat.extend((source, TURN, target, 0))

    def within(self, source: int, turns: int, target: int) -> None:
        """Add an edge that reads nothing, where so many more turns are within the maximum."""
        self.flat.extend((source, WITHIN, target, turns))

    def recall(self, source: int, rule_of: Callable[[bytes], int]) -> None:
        """Go on from `source` where a rule begins that depends on the text so far, as a part of the present rule.

        Args:
            source: a state without other edges.
            rule_of: gives the number of the rule for the whole text up to there; the same for texts from which the same
                can follow. It may declare rules, and must not ask for them to be built.
        """
        self.flat.extend((source, RECALL, len(self.recalls), 0))
        self.recalls.append(rule_of)

    def fresh(self, source: int, target: int, kind: int = KEY) -> None:
        """Go on from `source`, which has no other edges, where a name or item has been read that is new.

        Args:
            kind: KEY, see `KeyTracker`, or ITEM, see `ItemTracker`.
        """
        self.flat.extend((source, FRESH, target, kind))

    def some_left(self, source: int, keys: range, target: int) -> None:
        """Add an edge that reads nothing, where one of some keys has not been taken."""
        self.flat.extend((source, SOME_LEFT, target, keys.start | keys.stop << 16))

    def take(self, source: int, key: int, target: int) -> None:
        """Add an edge that takes a key."""
        self.flat.extend((source, TAKE, target, key))

    def none_left(self, source: int, target: int) -> None:
        """Add an edge that reads nothing, where all required keys have been taken."""
        self.flat.extend((source, NONE_LEFT, target, 0))

    def treats_alike(self, source: int, slices: int) -> None:
        """Promise that each character of some slices can be read from `source`, and all lead to the same.

        Args:
            slices: bit j for slice j of `fsm.slices`. Whatever else is read from `source` need not be considered.
        """
        self.alike.extend((source, slices))

    def ends_part(self, state: int) -> None:
        """Promise that each text of a slice can be read on from a rule that returns to `state`, or from one beside it.

        So it is if the languages of the rules that are called together contain, but for finitely many, all texts, as
        those of the keys of an object that match a pattern and of those that do not. While one of them is read, what
        can be read on between two characters has at least the texts of the slice's characters.
        """
        self.alike.extend((state, PART))

    def literal(self, source: int, text: bytes, target: int) -> None:
        """Add a path that reads exactly `text`; for the empty text an epsilon edge."""
        if not text:
            self.epsilon(source, target)
            return
        for byte in text[:-1]:
            following = self.state()
            self.byte(source, byte, byte, following)
            source = following
        self.byte(source, text[-1], text[-1], target)

    def rule(self, build: Callable[[], int], *, nullable: bool, is_free: bool = False, name: str = "") -> int:
        """Declare a rule that `build` makes on first use.

        Args:
            build: makes the states of the rule in this network and returns its start state. It may declare and
                call other rules, this one included, but must not ask for them to be built.
            nullable: whether the empty text belongs to the rule, exactly.
            is_free: see `Rule`; found out when the rule is built, but a caller's mask need not wait for that.
            name: for drawings and error messages.
        Returns:
            The number of the rule, to be used in `call`.
        """
        self.rules.append(Rule(nullable=nullable, build=build, is_free=is_free, name=name))
        self.rows.frombytes(PLAIN_ROWS[nullable, is_free])
        return len(self.rules) - 1

    def add(self, rule: Rule) -> int:
        """Add any rule; return its number."""
        return self.extend([rule], array("i", row(rule)).tobytes())

    def extend(self, rules: list[Rule], rows: bytes) -> int:
        """Add rules with their columns of RULE; return the number of the first."""
        first = len(self.rules)
        self.rules.extend(rules)
        self.rows.frombytes(rows)
        for rule in rules:
            if rule.maximum != 1:
                self.most_turns = max(self.most_turns, rule.minimum, rule.maximum)
        return first

    def declare_shared(self, shared: SharedRule) -> int:
        """Declare a shared rule, once; return its number."""
        number = self.shared.get(shared.key)
        if number is None:
            number = self.shared[shared.key] = len(self.rules)
            self.rules.append(Rule(shared.nullable, None, name=shared.name, shared=shared))
            self.rows.frombytes(PLAIN_ROWS[shared.nullable, False])
        return number

    def special(self, name: str, *, or_text: bool = False) -> int:
        """Declare the rule that reads one special token.

        Args:
            name: of the token, not empty.
            or_text: whether its name as text will do where there is no such token.
        Returns:
            The number of the rule.
        """
        self.specials[name] = or_text and self.specials.get(name, True)
        return self._token(name, marked(name))

    def tokens(self, chosen: TokenSet) -> int:
        """Declare the rule that reads one token of a set by its number; return the number of the rule."""
        if chosen not in self.token_sets:
            self.token_sets.append(chosen)
        return self._token(str(chosen), numbered(self.token_sets.index(chosen)))

    def _token(self, written: str, spelling: bytes) -> int:
        """Declare the rule that reads a spelling, or as text how it is written, see `as_text`."""

        def build() -> int:
            start, end = self.states(2)
            self.literal(start, written.encode() if written in self.as_text else spelling, end)
            self.final(end)
            return start

        return self.rule(build, nullable=False, name=written)

    def repeat(
        self,
        build: Callable[[int], int],
        minimum: int,
        maximum: int,
        *,
        is_absorbed: bool = False,
        name: str = "",
    ) -> int:
        """Declare the rule "between `minimum` and `maximum` turns of a body", counted in the stack frame.

        Args:
            build: called with the state that ends a turn; makes the states of the body, lets it end in that state
                and returns the body's start. The body must not match the empty text (if it would, leave the
                empty text out of it and pass `minimum=0`: the language is the same).
            minimum: least number of turns, at least 0.
            maximum: greatest number of turns, at least 1 and `minimum`, or UNBOUNDED.
            is_absorbed: whether wherever the rule is called, what can follow it can also follow one turn more, as
                anything does: so of two places in it, the one with more turns has all texts of the other.
        Returns:
            The number of the rule; it is nullable if `minimum` is 0.
        """
        if minimum < 0 or (maximum != UNBOUNDED and maximum < max(1, minimum)):
            raise ValueError(f"repetition bounds {minimum}..{maximum} make no sense")
        number = len(self.rules)

        def build_loop() -> int:
            end = self.state()
            self.flat.extend((end, LOOP, number, 0))
            return build(end)

        rule = Rule(nullable=minimum == 0, build=build_loop, minimum=minimum, maximum=maximum, name=name)
        rule.is_absorbed = is_absorbed
        return self.add(rule)

    def counted(self, build: Callable[[], int], maximum: int, slack: int, *, nullable: bool, name: str = "") -> int:
        """Declare a rule of at most `maximum` turns, counted in the stack frame.

        Its states end a turn by `turn`, and ask by `within` whether there is room for others: before a turn begins,
        since what begins must be able to end.

        Args:
            build: makes the states of the rule and returns its start; some text has no more than `maximum` turns.
            maximum: greatest number of turns, at least 1.
            slack: no edge asks for more turns than these.
            nullable: whether the empty text belongs to the rule, exactly.
        Returns:
            The number of the rule.
        """
        if maximum < 1:
            raise ValueError(f"a maximum of {maximum} turns makes no sense")
        return self.add(Rule(nullable=nullable, build=build, minimum=0, maximum=maximum, slack=slack, name=name))

    def keyed(self, build: Callable[[], int], keys: KeySet, *, name: str = "") -> int:
        """Declare a rule whose stack frame has the set of the keys that have not been taken.

        Its states ask by `some_left` and `none_left` what the set has, and change it by `take`.

        Args:
            build: makes the states of the rule and returns its start; the empty text does not belong to the rule.
            keys: the set at the start of the rule.
        Returns:
            The number of the rule.
        """
        full = len(self.full_sets)
        self.full_sets.extend(keys.full())
        return self.add(Rule(nullable=False, build=build, name=name, keys=keys.count, full=full, key_set=keys))

    def build_soon(self, rule: int) -> None:
        """Say that a text that needs the rule that is being built nearly always needs another one for the same mask.

        So one round of building suffices for both. It is a hint: nothing depends on it.
        """
        self.soon.append(rule)

    def ensure_built(self, rule: int) -> int:
        """Build `rule` if that has not happened yet; return its start state."""
        entry = self.rules[rule]
        if entry.start < 0:
            build, shared = entry.build, entry.shared
            if entry.start == BEGUN:
                raise RuntimeError(f"rule {rule} ({entry.name}) is being built already")
            entry.start = BEGUN
            try:
                if shared is not None:
                    start = shared.build(self)
                else:
                    assert build is not None
                    start = build()
            except BaseException:
                entry.start = UNBUILT
                raise
            self.note_built(rule, start)
        return entry.start

    def forget_rules(self) -> None:
        """Forget all rules: how they are built refers to the network, which could not be freed by reference counts.

        Nothing more can be built. An automaton does this with its network when it is no longer needed.
        """
        self.rules.clear()
        self.recalls.clear()
        self.key_tracker = self.item_tracker = None

    def note_built(self, rule: int, start: int) -> None:
        """Note that a rule has been built, and where it starts."""
        entry = self.rules[rule]
        entry.start, entry.build = start, None
        self.built.extend((rule, start))
        if entry.keys:
            self.keyed_starts[start] = rule
