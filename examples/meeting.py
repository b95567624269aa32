"""Notes of a meeting, as a record: the schema of the texts in examples/meetings.

guidance-kit extract --schema examples.meeting:Meeting examples/meetings -o meetings.jsonl
"""

from __future__ import annotations

import datetime

from pydantic import BaseModel

__all__ = ["ActionItem", "Meeting"]


class ActionItem(BaseModel):
    """Something that somebody has to do."""

    owner: str
    task: str
    due: datetime.date | None


class Meeting(BaseModel):
    """Who met when and where, and what was agreed. What the notes do not say is null."""

    topic: str
    date: datetime.date | None
    location: str | None
    attendees: list[str] | None
    action_items: list[ActionItem] | None
    next_meeting: datetime.date | None
