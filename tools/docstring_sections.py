"""Extension of griffe for the documentation site: sections of docstrings without blank lines between them."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

SECTION = re.compile(r"(?m)(?<=[^\n])\n(?=(Args|Attributes|Raises|Returns|Source|Warns|Yields):\n)")


class DocstringSections(Extension):
    """Put a blank line before each section, which the parser of Google's style wants."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of an object once it is read."""
        if obj.docstring is not None:
            obj.docstring.value = SECTION.sub("\n\n", obj.docstring.value)
