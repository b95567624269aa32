"""The page of the attribution: read back by a parser, it says what the records say, and texts stay texts."""

from __future__ import annotations

import base64
import hashlib
import math
import random
import re
from html.parser import HTMLParser

import pytest
from loop_runs import NETWORKS, complete
from steered_models import anti, base, expert
from toy_models import AB, ABC, A, B

import guidance_kit as gk
from guidance_kit.decoding.completion import Alternative, Completion, TermLogprob, TokenLogprob
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.speculation import Acceptance, Speculation
from guidance_kit.decoding.tabular import TabularModel
from guidance_kit.errors import OptionError
from guidance_kit.reports.trace import trace_html
from guidance_kit.steering.ensemble import Ensemble
from guidance_kit.vocabulary import Vocabulary

VOID = {"meta"}
NASTY = [
    b"<script>alert(1)</script>", b"</div></body>", b"<!--", b"&lt;&amp;", b"\"'", b"\n", b"\r", b"\t", b" ", b"  a",
    b"\0", b"\x7f", b"\xe2\x82", b"\xac", b"a\xff\xfeb", "\u202eevil".encode(), "\u2028".encode(), "\ufeff".encode(),
    "é€😀".encode(), b"E2", b"U+0000", "↵".encode(), "␣".encode(), b"]]>", b"javascript:", b"{{x}}",
]  # fmt: skip
EOS, SPECIAL = len(NASTY), len(NASTY) + 1
WILD = Vocabulary(token_bytes=(*NASTY, b"", b""), special=frozenset({EOS, SPECIAL}), eos=(EOS,), rows=SPECIAL + 3)


class Page(HTMLParser):
    """A page as a tree: an element is (tag, attributes, children), a text a string."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = ("", {}, [])
        self._open = [self.root]
        self.feed(source)
        self.close()
        assert len(self._open) == 1, f"{self._open[-1][0]} is not closed"

    def handle_starttag(self, tag, attrs):
        element = (tag, dict(attrs), [])
        self._open[-1][2].append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        self._open[-1][2].append(data)

    def find(self, wanted: str, within=None) -> list:
        """Elements of a tag or a class, in order."""
        found = []
        for child in (within or self.root)[2]:
            if not isinstance(child, str):
                tag, attributes, _ = child
                if wanted == tag or wanted in attributes.get("class", "").split():
                    found.append(child)
                found += self.find(wanted, child)
        return found


def text_of(element) -> str:
    """All that an element says."""
    return "".join(child if isinstance(child, str) else text_of(child) for child in element[2])


def spelling(token) -> bytes | str:
    """The bytes that a token amid a text shows, or the name that it is given."""
    shown = b""
    for child in token[2]:
        if isinstance(child, str):
            shown += child.encode()
        elif child[0] == "i":
            mark = text_of(child)
            if re.fullmatch("[0-9A-F]{2}", mark):
                shown += bytes([int(mark, 16)])
            elif mark.startswith("U+"):
                shown += chr(int(mark[2:], 16)).encode()
            elif mark not in "↵⇥":
                return mark
    return shown


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf").replace("–", "nan").replace(",", ""))


def record(token: int, **changes) -> TokenLogprob:
    values = {"logprob": -1.0, "guided_logprob": -0.5, "log_kept": math.log(0.75), "choices": 3, "divergence": 0.125}
    return TokenLogprob(token=token, **values | changes)


def completion(tokens, records=None, **changes) -> Completion:
    text = WILD.text_of([token for token in tokens if token != EOS]).decode(errors="replace")
    logprobs = tuple(record(token) for token in tokens) if records is None else tuple(records)
    values = {"text": text, "tokens": tuple(tokens), "finish_reason": "length", "prompt_tokens": 1, "seed": 7,
              "vocabulary": WILD}  # fmt: skip
    return Completion(**values | {"logprobs": logprobs} | changes)


def test_every_token_stands_there_once_in_order_and_as_it_is():
    rng = random.Random(1)
    for _ in range(40):
        texts = [[rng.randrange(SPECIAL + 2) for _ in range(rng.randrange(12))] for _ in range(rng.randrange(1, 4))]
        page = Page(trace_html([completion(tokens) for tokens in texts]))
        for tokens, shown in zip(texts, page.find("text"), strict=True):
            expected = [
                "end" if token == EOS else NASTY[token] if token < EOS else f"token {token}" for token in tokens
            ]
            assert [spelling(token) for token in page.find("token", shown)] == expected


def test_nothing_of_a_text_becomes_part_of_the_page():
    nasty = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    names = TermLogprob(term=nasty, weight=1.0, own_logprob=-1.0, logprob=-1.0, divergence=0.0)
    top = tuple(Alternative(token=token, logprob=-3.0, is_allowed=False) for token in range(EOS))
    source = trace_html(completion([0], [record(0, terms=(names,), top=top)]), prompts=nasty, title=nasty)
    page = Page(source)
    assert len(page.find("script")) == 1
    assert page.find("img") == []
    assert text_of(page.find("title")[0]) == text_of(page.find("h1")[0]) == text_of(page.find("prompt")[0]) == nasty
    assert nasty in [text_of(cell) for cell in page.find("th", page.find("steps")[0])]
    policy = page.find("meta")[1][1]["content"]
    digest = base64.b64encode(hashlib.sha256(text_of(page.find("script")[0]).encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def test_the_page_needs_nothing_else():
    source = trace_html(completion([8, 9]))
    assert not re.search(r"https?:|src=|href=|@import|url\(|<link|\bon\w+=", source)


def test_a_completion_shows_itself():
    (one,) = complete(Ensemble(base + expert), [[A]], sampling=Sampling(seed=5), logprobs=1)
    assert one.to_html(prompt="before") == trace_html([one], prompts=["before"])
    assert one.to_html() == trace_html(one)


@pytest.mark.parametrize(
    ("saved", "shown"), [(None, "not measured"), (0.25, "250 ms"), (-0.012, "−12 ms"), (3.456, "3.46 s"), (0.0, "0 ms")]
)
def test_the_drafts_of_a_text_are_counted(saved, shown):
    drafts = {"<small>": Acceptance(accepted=1200, rejected=400), "lookup": Acceptance(accepted=0, rejected=3)}
    step = None if saved is None else (saved + 1.0) / 2000
    statistics = Speculation(blocks=1000, tokens=2200, drafts=drafts, timed_tokens=2000, seconds=1.0, step_seconds=step)
    page = Page(trace_html([completion([8, 9], speculation=statistics), completion([8])]))
    (table,) = page.find("drafts")
    rows = [[text_of(cell).strip() for cell in row[2] if not isinstance(cell, str)] for row in page.find("tr", table)]
    assert rows[1:] == [["<small>", "1,200", "400", "", "75.0 %"], ["lookup", "0", "3", "", "0 %"]]
    totals, others = page.find("totals")
    facts = {text_of(fact[2][0]): text_of(fact[2][1]) for fact in page.find("div", totals)}
    assert facts["calls of the model"] == "1,000 for 2,200 tokens"
    assert facts["time saved"] == shown
    assert "time saved" not in text_of(others)


def test_the_page_has_the_drafts_of_a_run():
    model = gk.Model(TabularModel.random(ABC, seed=1))
    text = model.generate(
        [A], draft=gk.Model(TabularModel.random(ABC, seed=2)), ahead=2, logprobs=1, max_tokens=9, seed=1
    )
    page = Page(text.to_html())
    name, accepted, rejected, *_ = [text_of(cell) for cell in page.find("tbody", page.find("drafts")[0])[0][2][1][2]]
    ((draft, counts),) = text.speculation.drafts.items()
    assert (name, accepted, rejected) == (draft, str(counts.accepted), str(counts.rejected))


def test_the_page_says_what_the_records_say():
    formula = base + 0.5 * expert - 0.25 * anti
    completions = complete(
        Ensemble(formula), [[A], [B, AB]] * 4, network=NETWORKS["finite"](), sampling=Sampling(seed=5), logprobs=3
    )
    page = Page(trace_html(completions))
    sections = page.find("section")
    assert len(sections) == len(completions)
    seen: set[str] = set()
    for section, one in zip(sections, completions, strict=True):
        records = one.logprobs
        tokens = page.find("token", section)
        for token, expected in zip(tokens, records, strict=True):
            moved = expected.guided_logprob - expected.logprob
            factor = math.exp(abs(moved))
            level = sum(factor >= step for step in (1.1, 2, 10, 100))
            tone = {f"{'up' if moved > 0 else 'down'}{level}"} if level else set()
            assert set(token[1]["class"].split()) - {"token", "forced"} == tone
            assert ("forced" in token[1]["class"]) == (expected.choices == 1)
            (card,) = page.find("card", token)
            facts = [text_of(fact).strip() for fact in page.find("dd", card)]
            assert facts[1:] == [f"{expected.choices} of 6 tokens", f"{expected.divergence:.2f} nats"]
            assert float(facts[0].removesuffix(" %")) == pytest.approx(100 * expected.removed_mass, abs=0.06)
            check_steps(page, card, expected)
            check_alternatives(page, card, expected)
            seen |= set(token[1]["class"].split())
        check_totals(page, section, one)
    assert "forced" in seen
    assert len(seen) >= 4  # several colours


def check_steps(page: Page, card, expected: TokenLogprob) -> None:
    """The table of terms against the record."""
    bodies = page.find("tbody", page.find("steps", card)[0])
    assert [text_of(page.find("th", body)[0]) for body in bodies] == [
        *(term.term for term in expected.terms),
        "guides, constraint",
    ]
    before = None
    for body, term in zip(bodies, expected.terms, strict=False):
        weight, own, after, moved, divergence = (text_of(cell) for cell in page.find("td", body))
        values = (term.weight, term.own_logprob, term.logprob, term.divergence)
        for text, value in zip((weight, own, after, divergence), values, strict=True):
            assert number(text) == pytest.approx(value, abs=0.0051)
        assert (moved == "") if before is None else number(moved) == pytest.approx(term.logprob - before, abs=0.0051)
        before = term.logprob
    _, _, after, moved, divergence = (text_of(cell) for cell in page.find("td", bodies[-1]))
    assert number(after) == pytest.approx(expected.guided_logprob, abs=0.0051)
    assert number(moved) == pytest.approx(expected.guided_logprob - before, abs=0.0051)
    assert number(divergence) == pytest.approx(expected.divergence, abs=0.0051)


def check_alternatives(page: Page, card, expected: TokenLogprob) -> None:
    """The table of alternatives against the record."""
    rows = page.find("tr", page.find("others", card)[0])
    listed = [(other.token, other.logprob, other.is_allowed) for other in expected.top]
    if expected.token not in [token for token, _, _ in listed]:
        listed.append((expected.token, expected.logprob, True))
    names = {0: "end", 1: "token 1", 2: "a", 3: "b", 4: "ab", 5: "token 5", 6: "token 6"}
    for row, (token, logprob, is_allowed) in zip(rows, listed, strict=True):
        _, _, nats, note = (text_of(cell) for cell in page.find("td", row))
        assert text_of(page.find("th", row)[0]) == names[token]
        assert number(nats) == pytest.approx(logprob, abs=0.0051)
        assert note == ("taken" if token == expected.token else "" if is_allowed else "forbidden")


def check_totals(page: Page, section, one: Completion) -> None:
    """The totals under a text against its records."""
    totals = page.find("totals", section)[0]
    names = [text_of(name) for name in page.find("dt", totals)]
    shown = dict(zip(names, (text_of(value) for value in page.find("dd", totals)), strict=True))
    records = one.logprobs
    assert shown["tokens"] == str(len(records))
    assert shown["seed"] == str(one.seed)
    assert shown["without a choice"] == str(sum(step.choices == 1 for step in records))
    mean = sum(step.removed_mass for step in records) / len(records)
    assert float(shown["mean removed mass"].removesuffix(" %")) == pytest.approx(100 * mean, abs=0.06)
    assert number(shown["total divergence"].removesuffix(" nats")) == pytest.approx(
        sum(step.divergence for step in records), abs=0.0051
    )
    for name, logprobs in (("base", "logprob"), ("guided", "guided_logprob")):
        total = sum(getattr(step, logprobs) for step in records)
        assert number(shown[f"log p, {name}"]) == pytest.approx(total, abs=0.0051)


def test_what_is_no_number_is_shown_too():
    unknown = TermLogprob(term="x", weight=0.0, own_logprob=None, logprob=math.nan, divergence=math.nan)
    odd = record(8, logprob=-math.inf, divergence=math.inf, terms=(unknown,))
    page = Page(trace_html(completion([8], [odd])))
    assert "up4" in page.find("token")[0][1]["class"]
    cells = [text_of(cell) for cell in page.find("td", page.find("steps")[0])]
    assert cells[5:] == ["0.00", "not asked", "–", "", "–", "", "", "−0.50", "–", "∞"]
    assert "0 % → 60.7 %" in text_of(page.find("move")[0])
    assert "∞ nats" in text_of(page.find("totals")[0])


@pytest.mark.parametrize(
    ("reason", "words"),
    [("complete", "complete"), ("budget", "lack of room"), ("stop", "stop string"), ("length", "cut")],
)
def test_how_a_text_ended(reason, words):
    text = "" if reason == "stop" else "  a"
    page = Page(trace_html(completion([9], text=text, finish_reason=reason)))
    assert words in text_of(page.find("totals")[0])


def test_thoughts_stand_before_their_answer_with_totals_of_their_own():
    model = gk.load()
    found = model.generate("Q: ", gk.regex("[0-9]"), think=gk.regex("[a-z]{2}"), seed=1, logprobs=0)
    page = Page(trace_html(found))
    assert [text_of(one) for one in page.find("h3")] == ["Thoughts", "Answer"]
    parts = (found.thoughts, found)
    assert [len(page.find("token", one)) for one in page.find("text")] == [len(part.tokens) for part in parts]
    for totals, part in zip(page.find("totals"), parts, strict=True):
        names, values = ([text_of(one) for one in page.find(tag, totals)] for tag in ("dt", "dd"))
        kept = dict(zip(names, values, strict=True))["log p of the constraint"]
        assert number(kept) == pytest.approx(part.log_weight, abs=0.0051)


def test_prompts_stand_before_their_texts():
    page = Page(trace_html([completion([9]), completion([8])], prompts=["one", "two\n"]))
    sections = page.find("section")
    assert [text_of(page.find("prompt", section)[0]) for section in sections] == ["one", "two↵\n"]
    assert [text_of(heading) for heading in page.find("h2")][:2] == ["Text 1 of 2", "Text 2 of 2"]


@pytest.mark.parametrize(
    ("given", "options", "error", "message"),
    [
        ([completion([9]), completion([9], logprobs=None)], {}, OptionError, "completion 1 has no log-probabilities"),
        (completion([9], logprobs=None), {}, OptionError, "the completion has no log-probabilities; .*logprobs=5"),
        ([completion([9])], {"prompts": ["a", "b"]}, OptionError, "2 prompts for 1 completions"),
        (completion([9], vocabulary=None), {}, OptionError, "the completion has no vocabulary"),
    ],
)
def test_what_cannot_be_shown_is_refused(given, options, error, message):
    with pytest.raises(error, match=message):
        trace_html(given, **options)
