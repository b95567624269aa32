"""Documents read from files, folders and standard input, one at a time.

What can be read becomes a `Document`, what cannot an `Unreadable` with its reason, so that one bad file or row does
not stop the others.

| suffix             | documents                                  | source           |
|--------------------|--------------------------------------------|------------------|
| .txt, .md          | the whole file                             | `path`           |
| .jsonl, .ndjson    | a field of the object on each line         | `path#line`      |
| .csv, .tsv         | a column of each record after the header   | `path#record`    |
| .parquet           | a column of each row                       | `path#row`       |
| a folder           | the files in it with these suffixes, sorted by path, recursively  |
| `-`                | standard input: one text, or rows if a format is given            |

Lines, records and rows are counted from 1; blank lines are no documents.
"""

from __future__ import annotations

from guidance_kit.extraction.documents.document import Document, Unreadable, digest_of
from guidance_kit.extraction.documents.readers import count, find, read
from guidance_kit.extraction.documents.reading import Format, Reading
from guidance_kit.extraction.documents.sources import DocumentSource

__all__ = ["Document", "DocumentSource", "Format", "Reading", "Unreadable", "count", "digest_of", "find", "read"]
