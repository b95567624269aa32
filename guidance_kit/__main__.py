"""`python -m guidance_kit` is the command `guidance-kit`."""

from __future__ import annotations

from guidance_kit.cli import main

if __name__ == "__main__":
    main()
