"""Write the tables in docs/json_schema.md from the tables that the code obeys.

python tools/document_json_schema.py           # write
python tools/document_json_schema.py --print   # show only
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from guidance_kit.grammars.json_schema.formats.table import format_table
from guidance_kit.grammars.json_schema.keywords.table import support_table

PAGE = Path(__file__).resolve().parent.parent / "docs" / "json_schema.md"


def with_tables(page: str) -> str:
    """The page with its tables as they are now."""
    for name, table in (("keywords", support_table()), ("formats", format_table())):
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        page = re.sub(f"(?s){begin}.*?{end}", lambda _, text=begin + table + end: text, page)
    return page


def main() -> None:
    """Read the arguments and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true", help="show the tables and write nothing")
    if parser.parse_args().print:
        print(support_table(), format_table(), sep="\n")
    else:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
