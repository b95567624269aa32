"""Stop strings and pieces of text, against taking the bytes one by one."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guidance_kit.decoding.transcript import Transcript


def oracle(text: bytes, stops: list[bytes]) -> tuple[bytes, bool]:
    """The text before the stop string that is completed first, the longest of those; and whether there is one."""
    for end in range(1, len(text) + 1):
        ending = [stop for stop in stops if text[:end].endswith(stop)]
        if ending:
            return text[: end - max(map(len, ending))], True
    return text, False


def run(pieces: list[bytes], stops: list[bytes]) -> tuple[Transcript, list[str]]:
    """Append pieces until a stop, releasing after each."""
    transcript = Transcript(stops)
    released = []
    for piece in pieces:
        transcript.append(piece)
        if transcript.is_stopped:
            break
        released.append(transcript.release())
    released.append(transcript.release_rest())
    return transcript, released


def cut(text: bytes, rng: random.Random) -> list[bytes]:
    """Cut a text into pieces at random places, some of them empty."""
    places = sorted(rng.randint(0, len(text)) for _ in range(rng.randint(0, 6)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


alphabet = st.text("ab€\U0001f600", max_size=12)


@given(alphabet, st.lists(st.text("ab€", min_size=1, max_size=4), max_size=3), st.randoms(use_true_random=False))
def test_any_cut_gives_the_same_text(text, stops, rng):
    stops = [stop.encode() for stop in stops]
    expected, is_stopped = oracle(text.encode(), stops)
    transcript, released = run(cut(text.encode(), rng), stops)
    assert transcript.is_stopped == is_stopped
    assert transcript.text == expected.decode() == "".join(released)


@given(
    st.binary(max_size=12),
    st.lists(st.text("a€", min_size=1, max_size=3), max_size=2),
    st.randoms(use_true_random=False),
)
def test_bytes_that_are_not_text_are_replaced(raw, stops, rng):
    stops = [stop.encode() for stop in stops]
    transcript, released = run(cut(raw, rng), stops)
    assert transcript.text == "".join(released) == oracle(raw, stops)[0].decode("utf-8", "replace")


@given(alphabet, st.lists(st.text("ab€", min_size=1, max_size=4), min_size=1, max_size=3), alphabet)
def test_what_is_released_is_certain(text, stops, rest):
    """Whatever follows, the text that has been released stays a beginning of the whole."""
    stops = [stop.encode() for stop in stops]
    transcript = Transcript(stops)
    released = ""
    for byte in text.encode():
        transcript.append(bytes([byte]))
        if transcript.is_stopped:
            break
        released += transcript.release()
        assert oracle((text + rest).encode(), stops)[0].decode("utf-8", "replace").startswith(released)


@pytest.mark.parametrize(
    ("pieces", "stops", "released"),
    [
        (["to", "p st", "op it"], ["stop"], ["to", "p ", ""]),  # across pieces; "st" is held back
        (["a s", "tone"], ["stop"], ["a ", "stone", ""]),  # it was not one
        (["xaa", "ab"], ["aab"], ["x", "a"]),  # overlapping beginnings
        (["ab", "ab", "ac"], ["abac"], ["", "ab", ""]),
        (["abc"], ["abc", "b"], ["a"]),  # "b" is completed first
        (["xbc"], ["bc", "c"], ["x"]),  # completed together: the longest
        (["end"], ["endless"], ["", "end"]),  # held back to the last
        (["a", "€"], ["€"], ["a", ""]),
        (["stop"], ["stop"], [""]),
        (["a", "", "b"], [], ["a", "", "b", ""]),
    ],
)
def test_examples(pieces, stops, released):
    _, pieces_out = run([piece.encode() for piece in pieces], [stop.encode() for stop in stops])
    assert pieces_out == released


def test_characters_are_released_whole():
    euro = "€".encode()
    transcript, released = run([b"1" + euro[:1], euro[1:2], euro[2:] + b"2"], [])
    assert released == ["1", "", "€2", ""]
    transcript, released = run([b"1" + euro[:2]], [])
    assert released == ["1", "\ufffd"]
    assert transcript.text == "1\ufffd"


def test_a_stop_string_cut_inside_a_character():
    euro = "€".encode()
    transcript, released = run([b"a" + euro[:1], euro[1:] + b"b"], [euro])
    assert transcript.is_stopped
    assert released == ["a", ""]
