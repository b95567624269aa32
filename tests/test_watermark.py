"""Watermarks: known answers of the words, and the exact laws of marked texts by enumeration."""

from __future__ import annotations

import json
import math
import re
import stat
from typing import cast

import numpy as np
import pytest
import torch
from loop_runs import MODEL
from marks import slow
from small_models import small_llama
from statistics_of_samples import chi_square
from toy_models import ABC, EOS, A, speakable, unconstrained

import guidance_kit as gk
from guidance_kit.decoding.draw import InverseTransform
from guidance_kit.decoding.generation import generate
from guidance_kit.decoding.keyed_words import context_key, philox_words, words_of_all, words_of_tokens
from guidance_kit.decoding.marked_draw import MarkedDraw, tournament
from guidance_kit.decoding.options import Options
from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.watermark import Watermark
from guidance_kit.errors import OptionError, VocabularyError

KEY = b"0123456789abcdef"
LOSSY = gk.HeadTree(cast(gk.DraftHeads, None), acceptance=gk.TypicalAcceptance())
KINDS = {
    "green": {"green_share": 0.4, "bias": 1.5},
    "gumbel": {},
    "tournament": {"layers": 3},
}


def keys(count: int) -> list[bytes]:
    """Random keys, the same each time."""
    return [np.random.Generator(np.random.PCG64(number)).bytes(16) for number in range(count)]


def texts(watermark: Watermark, count: int, *, length: int) -> list[tuple[int, ...]]:
    """Marked texts of the toy model, text i with seed i."""
    options = Options(sampling=Sampling(seed=0), max_tokens=length, watermark=watermark)
    pieces = generate(MODEL, ABC, [[A]] * count, options=options, seeds=range(count))
    found = {piece.row: piece.completion.tokens for piece in pieces if piece.completion is not None}
    return [found[row] for row in range(count)]


class TestWords:
    def test_known_answers_of_philox(self):
        """The vectors of Random123 for philox4x64-10 with counter and key 0, and numpy's generator for others."""
        zero = philox_words(np.zeros((1, 2), np.uint64), np.zeros(1, np.uint64))[0]
        assert list(zero) == [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
        generator = np.random.Generator(np.random.PCG64(1))
        for _ in range(20):
            key = generator.bytes(16)
            assert list(words_of_tokens([key] * 300, range(300))) == list(words_of_all(key, 300))

    def test_known_answers_for_ever(self):
        """A change of these numbers would make every marked text undetectable."""
        assert context_key(KEY, [7, 8, 9], "gk gumbel").hex() == "5d2d5bde9a2c5fdb0f0ed0b3e6c33c66"
        words = Watermark(KEY).words(KEY, [1, 2, 3, 4], 5)
        assert [hex(word) for word in words] == [
            "0xd601db9679062c51",
            "0xc0189a4bdc8a5c02",
            "0x82dc9adfdfc4f3a4",
            "0xf6612feefa19acc6",
            "0x8f9c3172ca844800",
        ]
        own = Watermark(KEY, "green", hashing="self", width=2).words(KEY, [1, 2], 3)
        assert [hex(word) for word in own] == ["0x66e94bb22451a7e5", "0x1918cb3bb75ec63c", "0xdcb7adda8104d226"]

    @pytest.mark.parametrize(
        "options", [{"kind": "green", "hashing": "self"}, {"kind": "green"}, {"kind": "tournament"}]
    )
    def test_single_words_are_those_of_the_row(self, options):
        watermark = Watermark(KEY, width=3, **options)
        generator = np.random.Generator(np.random.PCG64(2))
        contexts = generator.integers(0, 50, (40, 3)).tolist()
        tokens = generator.integers(0, 50, 40).tolist()
        words, used = watermark.words_of(KEY, contexts, tokens)
        assert list(words) == [
            watermark.words(KEY, one, 50)[token] for one, token in zip(contexts, tokens, strict=True)
        ]
        assert all(set(part) <= set(context) for part, context in zip(used, contexts, strict=True))

    def test_words_are_uniform(self):
        """Bits, uniforms and green tokens; 5 standard deviations."""
        words = words_of_all(KEY, 100_000)
        assert np.abs(Watermark(KEY, "tournament", layers=64).bits(words).mean(0) - 0.5).max() < 5 * 0.5 / 100_000**0.5
        for hashing in ("left", "self"):
            green = Watermark(KEY, "green", hashing=hashing, width=4)
            share = green.is_green(green.words(KEY, [1, 2, 3, 4], 100_000)).mean()
            assert abs(share - 0.25) < 5 * (0.25 * 0.75 / 100_000) ** 0.5
        uniforms = np.sort(Watermark(KEY).uniforms(words))
        assert 0 < uniforms[0] < uniforms[-1] < 1
        assert np.abs(uniforms - np.arange(100_000) / 100_000).max() < 2.5 / 100_000**0.5


class TestLaw:
    @pytest.mark.parametrize("kind", ["gumbel", *slow("tournament")])
    def test_over_keys_texts_are_as_without_a_mark(self, kind):
        """Chi-square by enumeration; each text has a key of its own."""
        found = texts(Watermark(keys(2500), kind, width=1, **KINDS[kind]), 2500, length=6)
        statistic, limit = chi_square(found, unconstrained(MODEL, [A], 6))
        assert statistic < limit

    @pytest.mark.slow
    def test_the_same_noise_twice_changes_the_law(self, monkeypatch):
        """Negative control: without fresh randomness for contexts that were seen before."""
        monkeypatch.setattr(Watermark, "marks_repeated", True)
        found = texts(Watermark(keys(2500), "gumbel", width=1), 2500, length=6)
        statistic, limit = chi_square(found, unconstrained(MODEL, [A], 6))
        assert statistic > 2 * limit

    @pytest.mark.parametrize("bias", [1.5, *slow(math.inf)])
    def test_a_green_list_has_its_law(self, bias):
        """One key: at each step the model's law times e^bias for green tokens; a hard list skips where none is."""
        watermark = Watermark(KEY, "green", width=1, green_share=0.3, bias=bias)

        def following(tokens: tuple[int, ...]) -> np.ndarray:
            p = MODEL.probabilities([A, *tokens]) * speakable(ABC)
            if tokens:
                green = [bool(word & 0xFFFFFFFF < 0.3 * 2**32) for word in watermark.words(KEY, tokens[-1:], ABC.rows)]
                factor = np.where(green, 1.0 if bias == math.inf else math.exp(bias), 0.0 if bias == math.inf else 1.0)
                p = p * factor if (p * factor).any() else p
            return p / p.sum()

        found = texts(watermark, 2500, length=4)
        statistic, limit = chi_square(found, MODEL.sequences([A], 4, following))
        assert statistic < limit
        plain, bound = chi_square(found, unconstrained(MODEL, [A], 4))
        assert plain > bound

    def test_a_tournament_is_a_tournament(self):
        """Simulation of the matches: 2^m tokens drawn, the winners of each layer meet in the next."""
        generator = np.random.Generator(np.random.PCG64(3))
        p = np.array([0.4, 0.3, 0.2, 0.1])
        bits = generator.random((4, 2)) < 0.5
        drawn = generator.choice(4, size=(40_000, 4), p=p)
        for layer in range(2):
            one, two = drawn[:, 0::2], drawn[:, 1::2]
            gain = bits[one, layer].astype(int) - bits[two, layer]
            is_first = np.where(gain == 0, generator.random(gain.shape) < 0.5, gain > 0)
            drawn = np.where(is_first, one, two)
        expected = tournament(torch.from_numpy(np.log(p)), bits).exp().numpy()
        assert expected.sum() == pytest.approx(1)
        statistic, limit = chi_square(drawn[:, 0].tolist(), dict(enumerate(expected)))
        assert statistic < limit


def test_a_tournament_of_nearly_certain_tokens_is_a_distribution():
    """Sums of probabilities exceed 1 by rounding; a factor below 0 would be no probability."""
    generator = np.random.Generator(np.random.PCG64(4))
    for scale in (1.0, 30.0, 300.0):
        for _ in range(100):
            logits = torch.from_numpy(generator.normal(scale=scale, size=400)).float()
            marked = tournament(logits, generator.random((400, 30)) < 0.5)
            assert not marked.isnan().any()
            assert marked.double().exp().sum().item() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("kind", ["green", "tournament", *slow("gumbel")])
class TestGeneration:
    def test_texts_do_not_depend_on_their_batch(self, kind):
        model, watermark = gk.Model(small_llama()), Watermark(keys(3), kind, **KINDS[kind])
        constraint = gk.regex("x=[a-z ]{20,40}; end")
        options = {"seed": 3, "watermark": watermark, "max_tokens": 60}
        together = model.generate(["the cat", "a", "so it is"], constraint, n=2, **options)
        assert together == model.generate(["the cat", "a", "so it is"], constraint, n=2, batch_size=1, **options)
        assert "".join(model.stream("the cat", constraint, **options)) == together[0][0].text
        assert all(re.fullmatch("x=[a-z ]{20,40}; end", one.text) for pair in together for one in pair)
        assert together[0][0].text != model.generate("the cat", constraint, seed=3, max_tokens=60).text

    def test_forbidden_tokens_stay_forbidden_and_counts_add_up(self, kind):
        draw = MarkedDraw(Watermark(KEY, kind, width=1, **KINDS[kind]), InverseTransform())
        state, prefix = draw.start(0), [A, A]
        generator = torch.Generator().manual_seed(0)
        for _ in range(100):
            logits = torch.randn(1, ABC.rows, generator=generator)
            logits[0, torch.randperm(ABC.rows, generator=generator)[:4]] = -torch.inf
            before = logits.clone()
            drawn = draw.draw(logits, [state], [prefix], [1])
            assert torch.equal(logits, before)
            assert logits[0, drawn.tokens[0]] > -torch.inf
            state, prefix = drawn.states[0], [*prefix, drawn.tokens[0]]
        assert sum(state.counts) == 100
        assert state.counts.repeated == (0 if kind == "green" else 100 - state.counts.marked)
        alone = torch.full((1, ABC.rows), -torch.inf)
        alone[0, A] = 0.0
        assert draw.draw(alone, [state], [prefix], [1]).states == [state]


def test_a_hard_green_list_counts_what_it_skips():
    model = gk.Model(small_llama())
    hard = Watermark(KEY, "green", bias=math.inf, green_share=0.1, width=1)
    found = model.generate("the cat", gk.regex("[a-f]{60}"), seed=1, max_tokens=80, watermark=hard)
    assert found.marks.skipped > 10
    assert found.marks.marked > 0


def test_greedy_decoding_takes_a_green_list_alone():
    model = gk.Model(small_llama())
    green = Watermark(KEY, "green", width=1)
    marked = model.generate("the cat", temperature=0, max_tokens=30, watermark=green)
    assert marked.marks.marked > 0
    assert marked.text != model.generate("the cat", temperature=0, max_tokens=30).text
    for kind in ("gumbel", "tournament"):
        with pytest.raises(OptionError, match=f"a {kind} watermark needs a temperature above 0"):
            model.generate("the cat", temperature=0, watermark=Watermark(KEY, kind))


def test_options_that_exclude_a_watermark_are_named():
    for options, message in (
        ({"draw": gk.Mirostat()}, "watermark and draw exclude each other"),
        ({"draft": LOSSY}, "watermark and acceptance= of a draft exclude each other"),
        ({"draft": gk.DraftSequence((gk.ForcedTokens(), LOSSY))}, "watermark and acceptance="),
        ({"decoder": "beam"}, "Beam draws no tokens one by one"),
        ({"decoder": "asap"}, "Asap draws no tokens one by one"),
        ({"decoder": gk.Particles(4)}, "Particles draws no tokens one by one"),
        ({"watermark": "key"}, "watermark must be a Watermark"),
    ):
        with pytest.raises(OptionError, match=message):
            Options.from_keywords({"watermark": Watermark(KEY), **options})
    model = gk.Model(small_llama())
    with pytest.raises(VocabularyError, match="the watermark is for another tokenizer"):
        model.generate("a", watermark=Watermark(KEY).bound_to(ABC))
    assert model.generate("a", max_tokens=9, watermark=Watermark(KEY).bound_to(model.vocabulary)).tokens
    assert model.generate("a", max_tokens=9, decoder="best_of", watermark=Watermark(KEY)).marks is not None


def test_what_is_no_key_is_refused():
    for key, message in (
        ("", "16 to 64 bytes, not 0 bytes"),
        (b"short", "16 to 64 bytes, not 5 bytes"),
        (b"x" * 65, "not 65 bytes"),
        ("a passphrase of mine", "hexadecimal"),
        (7, "not int"),
        ([], "not list"),
        ([KEY, KEY], "keys differ"),
        ([KEY, 3], "not int"),
    ):
        with pytest.raises(OptionError, match=message):
            Watermark(key)
    for options, message in (
        ({"kind": "red"}, "unknown kind of watermark 'red'"),
        ({"width": 0}, "width"),
        ({"kind": "green", "width": 0, "hashing": "self"}, "width"),
        ({"bias": 2.0}, "bias is for a green watermark, not for gumbel"),
        ({"kind": "green", "layers": 3}, "layers is for a tournament"),
        ({"kind": "green", "green_share": 1.0}, "green_share"),
        ({"kind": "green", "bias": 0}, "bias"),
        ({"kind": "green", "hashing": "right"}, "unknown hashing"),
        ({"kind": "tournament", "layers": 65}, "layers"),
        ({"vocabulary": ABC}, "bound_to"),
    ):
        with pytest.raises(OptionError, match=message):
            Watermark(KEY, **options)
    assert KEY.decode() not in repr(Watermark(KEY))
    assert Watermark(KEY.hex()) == Watermark(KEY)


def test_key_files(tmp_path):
    for number, watermark in enumerate(
        (
            Watermark.random(),
            Watermark.random("green", bias=math.inf, hashing="self", width=3),
            Watermark.random("tournament", keys=4, layers=9).bound_to(ABC),
        )
    ):
        path = tmp_path / f"{number}.json"
        watermark.save(path)
        assert Watermark.load(path) == watermark
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with pytest.raises(OptionError, match="exists"):
            watermark.save(path)
    with pytest.raises(OptionError, match="cannot be written"):
        Watermark(KEY).save(tmp_path / "no" / "folder")
    for written, message in (
        ("", "is no key file: it is not JSON"),
        ("[]", "is no key file: it has no list of keys"),
        (json.dumps({"keys": ["00"]}), "16 to 64 bytes"),
        (json.dumps({"keys": [KEY.hex()], "hue": 1}), "unknown field 'hue'"),
    ):
        path = tmp_path / "bad.json"
        path.write_text(written)
        with pytest.raises(OptionError, match=message):
            Watermark.load(path)
    with pytest.raises(OptionError, match="cannot be read"):
        Watermark.load(tmp_path / "none.json")


def test_the_end_of_a_text_is_a_token_like_others():
    """A marked text may end: the end-of-sequence token has a word too."""
    assert any(text[-1] == EOS for text in texts(Watermark(keys(200), width=1), 200, length=8))
