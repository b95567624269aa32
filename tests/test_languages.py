"""The seam of front ends: a toy language through the public API, and how often networks are declared."""

from __future__ import annotations

import dataclasses
import pickle
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_pickling import CONSTRAINTS
from vocabularies import special_vocabulary

import guidance_kit as gk
from guidance_kit.fsm import bitmask
from guidance_kit.fsm.network import Network
from guidance_kit.grammars.constraint import Constraint
from guidance_kit.grammars.language import CaptureReader, Language

VOCABULARY = special_vocabulary()


@dataclass(frozen=True)
class Tally(Language):
    """Strokes, at least one: "|||" stands for 3; the group "pairs" has the strokes that come in pairs."""

    has_values = True
    has_captures = True

    def declare(self, network: Network) -> int:
        def build(end: int) -> int:
            start = network.state()
            network.byte(start, ord("|"), ord("|"), end)
            return start

        return network.repeat(build, 1, 5, name="tally")

    def to_value(self, text: str) -> int:
        if len(text) == 4:
            raise ValueError("four is not written")
        return len(text)

    def to_partial_value(self, text: str, is_whole: bool) -> int | None:
        return self.to_value(text) if is_whole else None

    def make_capture_reader(self, names: Iterable[str] | None) -> CaptureReader:
        return Pairs()


class Pairs:
    """Reader of the group "pairs"."""

    def __init__(self) -> None:
        self.text = ""

    def read(self, piece: str) -> None:
        self.text += piece

    def captures(self, *, is_whole: bool = False) -> dict[str, Any]:
        return {"pairs": self.text[: len(self.text) // 2 * 2]}


def tally() -> Constraint:
    return Constraint(kind="tally", source="", language=Tally(), origin=(tally, (), {})).checked()


def allowed(matcher: gk.Matcher) -> set[str]:
    rows = np.flatnonzero(bitmask.unpack(matcher.allowed()[None], VOCABULARY.rows)[0])
    return {VOCABULARY.token_bytes[row].decode() for row in rows}


def test_a_front_end_is_one_class():
    constraint = tally()
    assert constraint == tally() != gk.regex("[|]+")
    matcher = gk.Matcher(constraint.compile(VOCABULARY))
    assert "" not in allowed(matcher)  # no end of the text yet
    assert allowed(matcher) == {"|"}
    for _ in range(5):
        matcher.advance(VOCABULARY.token_bytes.index(b"|"))
    assert allowed(matcher) == {""}  # the end of the text
    assert constraint.parse("|||") == 3
    assert constraint.partial("||") is None
    assert constraint.partial("||", is_whole=True) == 2
    assert constraint.captures("|||") == {"pairs": "||"}
    assert constraint.partial_captures("||") == {"pairs": "||"}
    assert set(constraint.sample(20, seed=1)) == {"|", "||", "|||", "|||||"}  # without that which has no value
    with pytest.raises(gk.MatchError, match="four is not written"):
        constraint.parse("||||")
    with pytest.raises(gk.MatchError, match="position 1"):
        constraint.parse("|x")
    with pytest.raises(gk.OptionError, match=r"excerpts of a text are those of json_schema\(\), not of tally\(\)"):
        constraint.excerpts_of("|")


def test_a_front_end_composes():
    whole = gk.sequence("n=", gk.choice([tally(), "none"]), gk.optional(gk.sequence(" of ", tally())))
    assert whole.parse("n=|| of |||") == ("n=", 2, (" of ", 3))
    assert whole.parse("n=none") == ("n=", "none", None)
    assert gk.repeat(gk.sequence(tally(), ","), 1, 2).parse("|,||,") == [(1, ","), (2, ",")]
    assert gk.tags([gk.tag("<t>", tally(), "</t>")]).parse("so <t>|||</t>")[1] == gk.Tagged("<t>", 3)
    grammar = gk.grammar('%declare T\nstart: T ("+" T)*', rules={"T": tally()})
    matcher = gk.Matcher(grammar.compile(VOCABULARY))
    matcher.advance_bytes(b"|+||")
    assert matcher.is_complete


def test_a_front_end_may_do_without_the_rest():
    class Digit(Language):
        def declare(self, network: Network) -> int:
            return gk.regex("[0-9]").language.declare(network)

    constraint = Constraint(kind="digit", source="", language=Digit())
    assert constraint.parse("7") == constraint.partial("7") == "7"
    assert gk.sequence("a", constraint).parse("a7") == "a7"
    assert constraint.report is None
    with pytest.raises(gk.OptionError, match=r"not digit\(\)"):
        constraint.captures("7")
    with pytest.raises(TypeError, match="declare"):
        type("Nothing", (Language,), {})()


def test_the_documented_kind_of_constraint_works(capsys):
    page = Path(__file__).resolve().parent.parent / "docs" / "constrain.md"
    block = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[-1]
    exec(compile(block, page.name, "exec", dont_inherit=True), {"__name__": "documented"})
    assert block.splitlines()[-1].partition("  # ")[2] == capsys.readouterr().out.splitlines()[-1] == "('score: ', 3)"


class Counted(Language):
    """Another language, whose declarations are counted."""

    def __init__(self, language: Language, counts: Counter[str]) -> None:
        self.language, self.counts = language, counts
        self.has_values, self.has_captures = language.has_values, language.has_captures

    def declare(self, network: Network) -> int:
        self.counts["declared"] += 1
        return self.language.declare(network)

    def to_value(self, text: str) -> Any:
        return self.language.to_value(text)

    def to_partial_value(self, text: str, is_whole: bool) -> Any:
        return self.language.to_partial_value(text, is_whole)


def counted(constraint: Constraint, name: str) -> tuple[Constraint, Counter[str]]:
    """An unequal constraint with counted declarations, and the networks that the constructor declared."""
    counts = Counter(declared=len(constraint.declared))
    language = Counted(constraint.language, counts)
    return dataclasses.replace(constraint, kind=f"counted {name}", language=language), counts


@pytest.fixture
def networks(monkeypatch) -> list[Network]:
    """All networks that are made."""
    made: list[Network] = []
    make = Network.__init__
    monkeypatch.setattr(Network, "__init__", lambda self, **options: (made.append(self), make(self, **options))[1])
    return made


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_a_network_is_declared_once_for_an_automaton(name, networks):
    copy = pickle.loads(pickle.dumps(CONSTRAINTS[name]))
    gk.Matcher(copy.compile(VOCABULARY)).allowed()  # caches fragments that networks share
    networks.clear()
    constraint, counts = counted(CONSTRAINTS[name], name)
    declared = counts["declared"]
    for _ in range(2):
        gk.Matcher(constraint.compile(VOCABULARY)).allowed()
    assert counts["declared"] == 1
    # None is made aside, for a part; the drafts of the rules of a grammar have no root.
    assert sum(network.root >= 0 for network in networks) == 1 - declared


def test_the_check_of_a_pattern_declares_the_network_of_its_masks(networks):
    constraint = gk.regex("once[a-z]+")
    assert len(networks) == 1
    index = constraint.compile(VOCABULARY)
    assert constraint.compile(VOCABULARY) is index
    assert networks == [index.automaton.network]
    assert constraint.parse("oncemore") == "oncemore"  # the automaton of texts has a network of its own
    assert len(networks) == 2
    assert constraint.parse("onceagain") == "onceagain"
    assert constraint.sample(2, seed=0)
    assert len(networks) == 3  # over bytes
