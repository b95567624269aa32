"""Fuzzing: wrong verdicts, errors and endless cases are found, and right ones are counted."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tools import fuzz


@pytest.mark.parametrize("kind", fuzz.CHECKS)
def test_right_verdicts_are_counted(kind: str) -> None:
    counts: Counter[str] = Counter()
    for seed in range(12):
        _, found, findings = fuzz.run_case((kind, seed))
        assert findings == []
        counts += found
    assert counts["cases"] == 12
    assert counts["checks"] > counts["right texts"] > 0


@pytest.mark.parametrize(("kind", "judged"), [("schema", "Judge.accepts_value"), ("pattern", "Texts.accepts")])
def test_wrong_verdicts_are_found(kind: str, judged: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name = judged.split(".")
    right = getattr(getattr(fuzz, owner), name)
    monkeypatch.setattr(getattr(fuzz, owner), name, lambda self, text: not right(self, text))
    _, _, findings = fuzz.run_case((kind, 0))
    assert findings
    assert findings[0]["ours"] != findings[0]["judges"]
    assert (findings[0]["kind"], findings[0]["seed"]) == (kind, 0)
    json.dumps(findings)


def test_errors_are_found_and_refusals_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **options: Any) -> Any:
        raise RuntimeError("a kernel's code")

    monkeypatch.setattr(fuzz, "json_schema", fail)
    assert "a kernel's code" in fuzz.run_case(("schema", 1))[2][0]["error"]

    def refuse(*_: Any, **options: Any) -> Any:
        raise fuzz.UnsupportedFeature("dreams", where="/x")

    monkeypatch.setattr(fuzz, "json_schema", refuse)
    assert fuzz.run_case(("schema", 1))[2] == []


def test_endless_cases_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(*_: Any) -> Any:
        while True:
            pass

    monkeypatch.setattr(fuzz, "PATIENCE", 0.1)
    monkeypatch.setitem(fuzz.CHECKS, "pattern", wait)
    assert fuzz.run_case(("pattern", 1))[2][0]["error"] == "no end in 0.1 s"


def test_endless_judges_are_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(_: str) -> bool:
        while True:
            pass

    monkeypatch.setattr(fuzz, "PATIENCE", 0.1)
    monkeypatch.setitem(fuzz.CHECKS, "pattern", lambda case, _: case.compare("1", True, judge))
    _, counts, findings = fuzz.run_case(("pattern", 1))
    assert findings == []
    assert counts == {"cases": 1, "judges without end": 1}


def test_judges_that_disagree_decide_nothing() -> None:
    case = fuzz.Case("schema", 1)
    case.compare("1", True, "1".__eq__, "2".__eq__)
    case.compare("2", True, "2".__eq__, "2".__eq__)
    case.compare("3", True, "1".__eq__, "2".__eq__)
    assert case.counts == {"judges disagree": 1, "checks": 2, "right texts": 1}
    assert [finding["text"] for finding in case.findings] == ["3"]


@pytest.mark.parametrize("value", [1, 0.5, -2.25, True, None, "1e5", [{"a": [10**30]}]])
def test_plain_numbers_are_judged(value: Any) -> None:
    assert fuzz.is_plain(value)


@pytest.mark.parametrize("value", [1.0, 6e-32, [{"a": [1.5, 2.0]}], {"a": {"b": 1.5e300}}])
def test_numbers_of_other_spellings_are_left_out(value: Any) -> None:
    assert not fuzz.is_plain(value)


def test_a_kind_is_asked_until_it_has_its_checks() -> None:
    done: Counter[str] = Counter()
    asked = fuzz.rounds(2, {"schema": 10, "pattern": 5}, done)
    first = next(asked)
    assert len(first) == 2 * fuzz.ROUND
    assert first[:2] == [("schema", 20_000_000), ("pattern", 20_000_000)]
    done["schema"] = 10
    assert {kind for kind, _ in next(asked)} == {"pattern"}
    done["pattern"] = 5
    assert list(asked) == []
