"""Messages of Fontconfig: none of them reaches the terminal, and all others do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from command_line import command

from guidance_kit.reports.fontconfig import font_messages

UNKNOWN = '<?xml version="1.0"?><fontconfig><no-such-element/></fontconfig>'

SOME = """
import os, subprocess, sys
from guidance_kit.reports.fontconfig import font_messages
with font_messages() as errors:
    os.write(2, b'Fontconfig warning: "a.conf", line 6: unknown element\\n')
    print("of Python", file=sys.stderr)
    subprocess.run([sys.executable, "-c", "import os; os.write(2, b'Fontconfig error: no file\\\\nof a process\\\\n')"])
print("after", errors, file=sys.stderr)
"""


def test_other_messages_stay():
    done = subprocess.run([sys.executable, "-c", SOME], capture_output=True, text=True, timeout=60)
    assert done.stderr == "of Python\nof a process\nafter ['Fontconfig error: no file']\n"


def test_standard_error_is_given_back_after_an_error():
    before = os.fstat(2)
    with pytest.raises(KeyError), font_messages():
        raise KeyError
    assert os.path.samestat(os.fstat(2), before)


def test_without_standard_error_nothing_happens():
    script = (
        "import os; os.close(2)\n"
        "from guidance_kit.reports.fontconfig import font_messages\n"
        "with font_messages(): print(1)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "1\n")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_a_drawing_is_silent_about_the_configuration_of_fonts(tmp_path, suffix):
    pytest.importorskip("pygraphviz")
    (tmp_path / "fonts.conf").write_text(UNKNOWN)
    environment = {**os.environ, "FONTCONFIG_FILE": str(tmp_path / "fonts.conf")}
    done = command("draw", "--regex", "ab", "-o", f"a.{suffix}", cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert "Fontconfig warning" not in done.stderr
    assert done.stderr.splitlines()[-1] == f"a.{suffix}: 2 nodes"


@pytest.mark.slow
def test_a_drawing_without_fonts_says_what_to_do(tmp_path):
    pytest.importorskip("pygraphviz")
    environment = {**os.environ, "FONTCONFIG_FILE": "/nonexistent"}
    done = command("draw", "--regex", "ab", "-o", "a.png", cwd=tmp_path, env=environment)
    told, drawn = done.stderr.splitlines()
    assert told.startswith("Warning: letters of the drawing may be missing")
    assert "have FONTCONFIG_FILE name its configuration" in told
    assert drawn == "a.png: 2 nodes"


@pytest.mark.slow
def test_a_plot_is_silent_about_fonts(tmp_path):
    pytest.importorskip("matplotlib")
    script = (
        "from guidance_kit.reports.plots import plot_svg\n"
        "from guidance_kit.evaluation.results import Plot\n"
        "print(plot_svg(Plot(title='', x='', y='', curves=()))[:4])"
    )
    environment = {**os.environ, "FONTCONFIG_FILE": "/nonexistent", "MPLCONFIGDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, env=environment)
    assert (done.stdout, done.stderr) == ("<svg\n", "")
