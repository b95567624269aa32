"""`guidance-kit detect`: verdicts, the page, and texts that cannot be decided on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser
from command_line import run

import guidance_kit as gk
from guidance_kit.analysis.detection import detect
from guidance_kit.reports.detection import detection_html
from guidance_kit.vocabulary import Vocabulary

KEY = b"0123456789abcdef"
BYTES = Vocabulary.from_bytes()


def test_a_marked_text_and_another(inbox, llama):
    gk.Watermark(KEY, width=1).save("key.json")
    gk.Watermark(b"another key 1234", width=1).save("other.json")
    arguments = ["generate", "the cat", "-m", llama, "--regex", "[a-z ]{80}", "--seed", "3", "--watermark", "key.json"]
    Path("text.txt").write_text(run(*arguments).stdout, encoding="utf-8")
    options = ["-m", llama, "--regex", "[a-z ]{80}", "--prompt", "the cat"]
    found = run("detect", "text.txt", "--watermark", "key.json", "-o", "page.html", *options)
    assert found.exit_code == 0, found.stderr
    assert found.stdout.startswith("marked\tp = ")
    assert "<b>Marked</b>" in Path("page.html").read_text(encoding="utf-8")
    other = run("detect", "-", "--watermark", "other.json", *options, given=Path("text.txt").read_text())
    assert (other.exit_code, other.stdout[:14]) == (1, "not marked\tp =")
    for flags, status, message in (
        (["none.txt", "--watermark", "key.json"], 2, "none.txt cannot be read"),
        (["text.txt", "--watermark", "text.txt"], 2, "is no key file"),
        (["text.txt", "--watermark", "key.json", "--regex", "[0-9]+"], 3, "does not allow token 0"),
        (["short.txt", "--watermark", "key.json"], 3, "undecidable"),
        (["bytes.txt", "--watermark", "key.json"], 2, "not UTF-8 at byte 0"),
    ):
        Path("short.txt").write_text("a cat")
        Path("bytes.txt").write_bytes(b"\xff")
        refused = run("detect", *flags, "-m", llama)
        assert (refused.exit_code, refused.stdout) == (status, "")
        assert message in refused.stderr


def page_of(text: str) -> str:
    return detection_html(detect(list(text.encode()), gk.Watermark(KEY), BYTES))


def test_texts_are_escaped():
    page = page_of("<script>alert('no')</script> & a long text that can be decided on, \t\n and so on " * 2)
    assert "<script" not in page
    assert page.count('class="token') == 2 * len("<script>alert('no')</script> & a long text that can be decided on, \t\n and so on ")  # fmt: skip # noqa: E501
    assert "No evidence of the mark" in page


def test_the_uses_of_tokens_add_up(llama):
    """With a model's weights: those of which it was sure are named too."""
    model = gk.load(llama)
    text = model.generate("the cat", max_tokens=60, min_tokens=60, seed=2, top_k=2, watermark=gk.Watermark(KEY))
    found = gk.detect(text, gk.Watermark(KEY), model, prompt="the cat", temperature=0.2, significance=0.5)
    page = found.to_html()
    shown = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", page))
    uses = ("scored", "context before the text", "repeated", "without a choice", "the model was sure")
    assert sum(int(shown[name]) for name in uses) == int(shown["tokens"])
    assert int(shown["the model was sure"]) > 0
    assert "no weight: the model was sure of it" in page


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium; on Debian: apt install chromium")
@pytest.mark.parametrize("width", [320, 1280])
def test_the_page_fits_any_window(tmp_path, width):
    path = tmp_path / "page.html"
    path.write_text(
        page_of("A text that is long enough to be decided on, whatever its evidence. " * 6), encoding="utf-8"
    )
    with Browser(tmp_path / "profile") as browser:
        browser.open(path, width=width, height=800)
        assert browser.logged == []
        assert browser.requested == [path.as_uri()]
        assert browser.run("document.documentElement.scrollWidth <= innerWidth")
