"""The formats of host names, compared with the package idna, which judges labels by IDNA2008 (RFC 5890 to 5893)."""

from __future__ import annotations

import json
import random
import unicodedata
from pathlib import Path

import idna
import numpy as np
import pytest
from json_texts import Judge, judge
from marks import slow

from guidance_kit.errors import OptionError, UnsupportedFeature
from guidance_kit.fsm.matcher import Matcher
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.formats.host_names import is_host_name, is_idn_host_name
from guidance_kit.grammars.json_schema.formats.recalled_labels import MOST_PLAIN, ending
from guidance_kit.grammars.json_schema.formats.u_labels import is_u_label, u_label_of
from guidance_kit.vocabulary import Vocabulary

SAMPLES = [chr(code) for code in (0x30, 0x301, 0x30B, 0x93C, 0x94D, 0x200C, 0x200D, 0x661, 0x6F1, 0xB7, 0x375, 0x5F3,
           0x30FB, 0x3002, 0x2E, 0x2D, 0x61, 0x6C, 0x41, 0x5D0, 0x628, 0x3B1, 0x30A2, 0x4E08, 0x640, 0x9BE, 0x9C7, 0xE1,
           0xE33, 0xE38, 0xE48, 0x915, 0x1100, 0xAC00, 0x1F600, 0x10400)]  # fmt: skip

LDH = "abcdefghijklmnopqrstuvwxyz0123456789-"
DRAFTS = {
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}


@pytest.fixture(scope="module")
def names() -> Judge:
    return judge({"type": "string", "format": "idn-hostname"}, escapes="minimal")


@pytest.fixture(scope="module")
def recalling() -> dict[str, Judge]:
    return {
        name: judge({"type": "string", "format": name}, escapes="minimal", formats="recall")
        for name in ("hostname", "idn-hostname")
    }


def accepts(names: Judge, text: str) -> bool:
    return names.accepts(json.dumps(text, ensure_ascii=False))


def is_valid(text: str) -> bool:
    try:
        idna.encode(text)
    except (idna.IDNAError, UnicodeError):
        return False
    return True


def name(names: Judge, chance: random.Random, size: int) -> str:
    """A random name, mostly beyond ASCII, that ends as soon as it can after `size` bytes."""
    automaton = names.automaton
    config, text = automaton.start, bytearray()
    while not automaton.is_complete(config):
        live = np.flatnonzero(automaton.live_bytes(config)).tolist()
        beyond = [byte for byte in live if byte >= 0x80]
        if len(text) > size and 0x22 in live:
            byte = 0x22
        else:
            byte = chance.choice(beyond if beyond and chance.random() < 0.7 else live)
        text.append(byte)
        config = int(automaton.advance(config, bytes([byte]))[0])
    return json.loads(bytes(text))


def test_names_agree_with_the_official_suite(names, shared_data: Path):
    file = shared_data / "json-schema-test-suite/tests/draft2020-12/optional/format/idn-hostname.json"
    cases = [case for group in json.loads(file.read_text()) for case in group["tests"] if isinstance(case["data"], str)]
    for case in cases:
        if accepts(names, case["data"]) != case["valid"]:
            assert case["valid"], case
            labels = case["data"].replace("\u3002", ".").replace("\uff0e", ".").replace("\uff61", ".").split(".")
            assert any(label.startswith("xn--") or len(label) > 20 for label in labels), case


@pytest.mark.parametrize("draft", ["draft6", *slow("draft2020-12")])
def test_recalling_names_are_those_of_the_official_suite(draft, shared_data: Path):
    for file in (shared_data / f"json-schema-test-suite/tests/{draft}/optional/format").glob("*hostname.json"):
        schema = {"$schema": DRAFTS[draft], "type": "string", "format": file.stem}
        names = judge(schema, formats="recall")
        cases = [case for group in json.loads(file.read_text()) for case in group["tests"]]
        for case in cases:
            if isinstance(case["data"], str):
                for ascii_only in (False, True):
                    text = json.dumps(case["data"], ensure_ascii=ascii_only)
                    assert names.accepts(text) == case["valid"], case


def test_labels_are_judged_as_the_package_does():
    chance = random.Random(37)
    valid = 0
    for _ in range(3000):
        text = "".join(chance.choice(SAMPLES) for _ in range(chance.randrange(1, 7)))
        if not text.isascii():
            assert is_u_label(text) == is_valid_label(text), ascii(text)
        text = "xn--" + "".join(chance.choice(LDH) for _ in range(chance.randrange(1, 12)))
        valid += is_valid_label(text)
        assert (u_label_of(text) is not None) == is_valid_label(text), text
    assert valid > 300
    for size in range(14, 60):
        text = "".join(chance.choice("\u03b1\u03b2\u03c9\u0431") for _ in range(size))
        assert is_u_label(text) == is_valid_label(text)


def is_valid_label(text: str) -> bool:
    try:
        idna.alabel(text)
    except (idna.IDNAError, UnicodeError):
        return False
    return True


def is_valid_name(text: str) -> bool:
    """As the package judges labels, with the rule for all labels of a name in which one is written from the right."""
    try:
        labels = [idna.ulabel(label) for label in text.split(".")]
        if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in "".join(labels)):
            return all(idna.check_bidi(label, check_ltr=True) for label in labels)
    except (idna.IDNAError, UnicodeError):
        return False
    return True


@pytest.mark.parametrize("count", [60, *slow(150)])
def test_labels_in_punycode_are_valid(recalling, count):
    chance = random.Random(41)
    accepted = 0
    for _ in range(count):
        label = "xn--" + "".join(chance.choice(LDH) for _ in range(chance.randrange(1, 12)))
        for text in (label, f"a.{label}", f"{label}.0", f"0.{label.upper()}.a"):
            for name in recalling:
                assert accepts(recalling[name], text) == is_valid_name(text), text
            accepted += is_valid_name(text)
    assert accepted > 40 * count // 150


def test_labels_in_punycode_can_always_end(recalling):
    chance = random.Random(43)
    plain = ["-" * MOST_PLAIN, "0" + "-" * (MOST_PLAIN - 1), "--a" + "-" * (MOST_PLAIN - 3)]
    plain += ["".join(chance.choice("-a0") for _ in range(MOST_PLAIN)) for _ in range(50)]
    for label in plain:
        for kind in ("usual", "both"):
            assert u_label_of(f"xn--{label}{ending('xn--' + label, kind)}"), label
        for name, ends in (("hostname", ["usual", "both"]), ("idn-hostname", ["usual"])):
            for kind in ends:
                assert accepts(recalling[name], f"xn--{label}{ending('xn--' + label, kind)}")
    for name in recalling:
        begun = b'"xn--' + plain[3].encode()
        assert len(recalling[name].automaton.advance(recalling[name].automaton.start, begun)) == len(begun)


@pytest.mark.slow
@pytest.mark.parametrize("alphabet", ["\u03b1\u03b2\u03b3", *slow("\xfc\u03b1\u0431\u0915\u0e01\u4e00")])
def test_long_labels_are_counted(names, recalling, alphabet):
    chance = random.Random(53)
    label = alphabet
    while is_valid(label):
        label += chance.choice(alphabet)
    assert len(label) > 20
    assert accepts(recalling["idn-hostname"], f"{label[:-1]}.com")
    assert not accepts(names, f"{label[:-1]}.com")
    assert not accepts(recalling["idn-hostname"], f"{label}.com")


def test_masks_know_where_punycode_may_end():
    more = ["xn--", "-", "--", "ab", "bcher", "kva", "va", 'a"', 'kva"', 'va"', "va.", "va.a", 'xn--bcher-kva"', 'n"']
    singles = [bytes([byte]) for byte in range(256)]
    tokens = (*singles, *(text.encode() for text in more), b"")
    end = len(tokens) - 1
    vocabulary = Vocabulary(token_bytes=tokens, special=frozenset([end]), eos=(end,), rows=end + 1)
    constraint = json_schema({"type": "string", "format": "hostname"}, formats="recall", escapes="minimal")
    matcher = Matcher(constraint.compile(vocabulary))
    for text in (
        '"',
        '"a.xn--bcher-',
        '"xn--bcher-k',
        '"xn--' + "-" * 40,
        '"xn--' + "a" * (MOST_PLAIN - 1),
        '"xn--a-zzz',
    ):
        walk, said = matcher.fork(), text.encode()
        for byte in said:
            walk.advance(byte)
        allowed = set(walk.allowed_tokens().tolist())
        assert allowed
        for token, spelled in enumerate(tokens[:end]):
            path = matcher.index.automaton.advance(matcher.index.automaton.start, said + spelled)
            assert (token in allowed) == (len(path) == len(said + spelled)), (text, spelled)
    with pytest.raises(UnsupportedFeature, match="budget"):
        matcher.within(20)


def check_names(names: Judge, chance: random.Random, count: int) -> None:
    """All that is written is valid, and what is near it is judged right or refused."""
    refused = accepted = 0
    for _ in range(count):
        text = name(names, chance, chance.choice([4, 10, 30, 60]))
        assert is_valid(text), ascii(text)
        place = chance.randrange(len(text) + 1)
        near = [text[:place] + chance.choice(SAMPLES) + text[place + chance.randrange(2) :] for _ in range(4)]
        near += ["".join(chance.choice(SAMPLES) for _ in range(chance.randrange(1, 6))) for _ in range(8)]
        for other in near:
            if accepts(names, other):
                assert is_valid(other), ascii(other)
                accepted += 1
            elif is_valid(other):
                refused += 1
    assert refused < accepted


def test_names_are_valid(names):
    check_names(names, random.Random(23), 200)


@pytest.mark.slow
def test_many_names_are_valid(names):
    check_names(names, random.Random(29), 5000)


def test_every_character_is_judged_right(names):
    """A label of one character, before and after a letter, for all characters that the running Python knows."""
    known = [chr(code) for code in range(0x80, 0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
    for character in random.Random(31).sample(known, 3000) + [chr(code) for code in range(0x80, 0x600)]:
        accepted = accepts(names, character)
        assert not accepted or is_valid(character), ascii(character)
        if not accepted:
            assert not is_valid(character), ascii(character)


def test_long_labels_fit_their_punycode():
    """The labels whose Punycode is longest for their length stay within 63 octets."""
    for alphabet, most in (("\x80", 20), ("\u3400", 13)):
        top = 0x5FF if most == 20 else 0x323AF
        codes = range(ord(alphabet), top, (top - ord(alphabet)) // most)
        for chance in map(random.Random, range(300)):
            label = "".join(chr(chance.choice(codes) + chance.randrange(20)) for _ in range(most))
            assert len("xn--" + label.encode("punycode").decode()) <= 63


def test_what_is_left_out_is_left_out(names):
    for text in ("bücher.example", "例え.テスト", "www.例え.co.jp", "ไทย.th", "כּ.א", "l·l.cat", "क्‍ष"):
        assert accepts(names, text), text
    for text in ("ü" * 21, "xn--bcher-kva.example", "a.b.ü.c.d.e.f", "-ü", "ü-", "ü--a", "u\u0308", "ü..a", "ü."):
        assert not accepts(names, text), text


def test_listed_names_are_judged():
    for text in ("bücher.example", "xn--bcher-kva.example"):
        assert is_idn_host_name(text)
    for text in ("", "xn--bcher-kvb", "ab--cd"):
        assert not is_idn_host_name(text)
    for text in ("ab--cd.xn--bcher-kva", "xn--4dbrk0ce.a0"):
        assert is_host_name(text)
    for text in ("bücher.example", "xn--4dbrk0ce.0a"):  # the rule for two directions
        assert not is_host_name(text)
    assert judge({"enum": ["xn--bcher-kva", "xn--a"], "format": "hostname"}).accepts('"xn--bcher-kva"')
    assert not judge({"enum": ["xn--bcher-kva", "xn--a"], "format": "hostname"}).accepts('"xn--a"')
    schema = {"enum": ["bücher", "-a"], "format": "idn-hostname"}
    assert judge(schema).accepts('"bücher"')
    assert not judge(schema).accepts('"-a"')
    with pytest.raises(UnsupportedFeature, match='format "idn-hostname"'):
        json_schema({"type": "string", "format": "idn-hostname", "maxLength": 20})


def test_neither_a_host_name_nor_its_negation_has_punycode():
    hosts, others = judge({"type": "string", "format": "hostname"}), judge({"not": {"format": "hostname"}})
    for text in ("xn--9n2bp8q.xn--9t4b11yi5a", "xn--X", "a.XN--b-c"):
        assert not hosts.accepts(f'"{text}"')
        assert not others.accepts(f'"{text}"')
    for text in ("a_b", "-a", "xn--", ""):
        assert others.accepts(f'"{text}"'), text
        assert not hosts.accepts(f'"{text}"'), text
    assert hosts.accepts('"ab--c.xm--a"')
    assert not others.accepts('"ab--c"')


def test_what_masks_ask_of_the_text_is_chosen_by_name():
    schema = {"type": "string", "format": "hostname", "maxLength": 20}
    json_schema(schema)
    with pytest.raises(UnsupportedFeature, match='format "hostname"'):
        json_schema(schema, formats="recall")
    with pytest.raises(OptionError):
        json_schema(schema, formats="exactly")
    report = json_schema({"properties": {"a": {"format": "regex"}, "b": {"format": "email"}}}).report
    assert report.narrowed == {"regex": ("/properties/a",)}
    report = json_schema({"format": "regex"}, formats="recall").report
    assert report.narrowed == {}
    assert "formats=recall" in report.options
    assert json_schema({"$schema": DRAFTS["draft6"], "format": "hostname"}).report.narrowed == {}
