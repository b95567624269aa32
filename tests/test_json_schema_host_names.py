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

from guidance_kit.errors import UnsupportedFeature
from guidance_kit.grammars.json_schema import json_schema
from guidance_kit.grammars.json_schema.host_names import is_host_name

SAMPLES = [chr(code) for code in (0x30, 0x301, 0x30B, 0x93C, 0x94D, 0x200C, 0x200D, 0x661, 0x6F1, 0xB7, 0x375, 0x5F3,
           0x30FB, 0x3002, 0x2E, 0x2D, 0x61, 0x6C, 0x41, 0x5D0, 0x628, 0x3B1, 0x30A2, 0x4E08, 0x640, 0x9BE, 0x9C7, 0xE1,
           0xE33, 0xE38, 0xE48, 0x915, 0x1100, 0xAC00, 0x1F600, 0x10400)]  # fmt: skip


@pytest.fixture(scope="module")
def names() -> Judge:
    return judge({"type": "string", "format": "idn-hostname"}, escapes="minimal")


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
    assert is_host_name("bücher.example")
    assert not is_host_name("")
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
    for text in ("a_b", "ab--c", "-a", "xn--", ""):
        assert others.accepts(f'"{text}"'), text
