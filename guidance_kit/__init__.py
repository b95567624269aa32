"""Constrain and steer what a language model writes.

The names below are loaded on first use, so that `import guidance_kit` costs nothing; `__init__.pyi` lists them.
"""

from __future__ import annotations

import lazy_loader as _lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _lazy_loader.attach_stub(__name__, __file__)
