"""The page of the attribution as people use it: in a browser, with the mouse, with keys, in windows of any width."""

from __future__ import annotations

from dataclasses import replace

import pytest
from browser import CHROMIUM, Browser
from loop_runs import NETWORKS, complete
from steered_models import anti, base, expert
from toy_models import AB, A, B

from guidance_kit.decoding.sampling import Sampling
from guidance_kit.decoding.speculation import Acceptance, Speculation
from guidance_kit.reports.trace import trace_html
from guidance_kit.steering.ensemble import Ensemble

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium; on Debian: apt install chromium"),
]

SHOWN = """
[...document.querySelectorAll('.card')].filter(card => getComputedStyle(card).display !== 'none')
    .map(card => card.querySelector('small').textContent)
"""
BOX = """
(({x, y, right, bottom}) => [x, y, right, bottom])(
    document.querySelector('.token:focus > .card').getBoundingClientRect()
)
"""
THIRD_IS_ON_TOP = (
    "document.elementFromPoint(1100, 60).closest('.token') === document.querySelector('.text').children[2]"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Two texts of a formula under a constraint, the first of several tokens, with much that must not run."""
    completions = complete(
        Ensemble(base + 0.5 * expert - 0.25 * anti), [[A], [B, AB]], network=NETWORKS["finite"](),
        sampling=Sampling(seed=5), logprobs=3,
    )  # fmt: skip
    drafts = {"a draft with a very long name " * 3: Acceptance(accepted=12345, rejected=6), "lookup": Acceptance(3, 4)}
    completions[0] = replace(completions[0], speculation=Speculation(blocks=7, tokens=20, drafts=drafts))
    attack = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(trace_html(completions, prompts=[attack, "word " * 40 + "w" * 300]), encoding="utf-8")
    return path


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("width", [320, 390, 800, 1280, 2000])
def test_it_fits_any_window(browser, page, width, is_dark):
    browser.open(page, width=width, height=800, is_dark=is_dark)
    assert browser.logged == []
    assert browser.requested == [page.as_uri()]
    assert browser.run("document.title") == "Why these tokens?"
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    background = browser.run("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(20, 23, 29)" if is_dark else "rgb(255, 255, 255)")
    browser.run("document.querySelector('.token').focus()")
    left, top, right, bottom = browser.run(BOX)
    assert 0 <= left < right <= width
    assert 0 <= top < bottom <= 800
    assert browser.run("(c => c.scrollWidth <= c.clientWidth)(document.querySelector('.token:focus > .card'))")
    shot = browser.screenshot()
    assert shot.startswith(b"\x89PNG")
    browser.run("document.activeElement.blur()")
    assert browser.screenshot() != shot


def test_the_mouse_and_the_keys_open_the_cards(browser, page):
    browser.open(page, width=1280, height=800)
    count, second_count = browser.run("[...document.querySelectorAll('.text')].map(text => text.children.length)")
    assert count >= 3
    first, second, last = (f", {place} of {count}" for place in (1, 2, count))

    def shown() -> list[str]:
        return [card[card.index(",") :] for card in browser.run(SHOWN)]

    assert shown() == []
    browser.press("Tab")
    assert shown() == [first]
    browser.press("ArrowRight")
    assert shown() == [second]
    browser.point_at(".token:nth-child(3)")
    assert shown() == [second, f", 3 of {count}"]  # what is pointed at lies above what has the focus
    assert browser.run(THIRD_IS_ON_TOP)
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
    browser.press("End")
    assert shown() == [last]
    browser.press("ArrowRight")
    assert shown() == [last]
    browser.press("Home")
    assert shown() == [first]
    browser.press("Tab")
    assert shown() == [f", 1 of {second_count}"]
    browser.press("Escape")
    assert shown() == []


def test_a_card_that_is_too_long_is_scrolled_with_keys(browser, page):
    browser.open(page, width=390, height=300)
    browser.press("Tab")
    (first,) = browser.run(SHOWN)
    browser.press("Tab")
    assert browser.run("document.activeElement.className") == "card"
    assert browser.run(SHOWN) == [first]
    browser.press("ArrowRight")
    (second,) = browser.run(SHOWN)
    assert ", 1 of" in first
    assert ", 2 of" in second


def test_it_is_whole_without_script(browser, page):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page, width=1280, height=800)
    browser.press("Tab")
    browser.press("Tab")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert [card[card.index(",") :][:4] for card in browser.run(SHOWN)] == [", 2 "]
