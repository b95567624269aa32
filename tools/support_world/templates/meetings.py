"""Meeting notes: who met when and where, about what, and who does what until when."""

from __future__ import annotations

from tools.support_world.templates.more_texts import meetings as more_meetings
from tools.support_world.wording import wordings

__all__ = ["ACTIONS", "ATTENDEES", "BUDGET", "CHATTER", "HEADINGS", "NEXT", "ORGANIZER", "WHEN", "WHERE"]

HEADINGS = wordings(
    """
    [Meeting notes|Minutes|Notes|Protocol|Meeting]: {topic}
    [Notes from our meeting about|Minutes of the meeting on|Summary of the call about|Notes on] [the |]{topic}
    [We met to talk about|We met about|Today we discussed|The meeting was about] [the |]{topic}.
    [Topic|Subject|Title]: {topic}
    ! [The |]{topic} was the subject of our meeting.
    ! Short write-up of the talk about {topic}.
    """
).widened(more_meetings.HEADINGS)

WHEN = wordings(
    """
    [Date|When|Held on]: {date}[, {time}| at {time}|]
    [The meeting was|We met|It took place] on {date}[ at {time}|].
    {date}[, {time}| at {time}|, start {time}|]
    [Date: {date}\\nTime: {time}|Date: {date}\\nStart: {time}]
    ! It all happened on {date}[, starting at {time}|].
    ! On {date} we sat down together[ at {time}|].
    """
).widened(more_meetings.WHEN)

WHERE = wordings(
    """
    [Place|Where|Location|Room]: {place}
    [We met in|It took place in|The place was] {place}.
    ! {place} was our venue.
    """
).widened(more_meetings.WHERE)

ATTENDEES = wordings(
    """
    [Attendees|Present|Participants|With|Attending|People]: {attendees}
    [Present were|There were|Attending were|The participants were] {attendees}.
    {attendees} [were present|took part|attended|joined].
    ! Around the table: {attendees}.
    ! We counted {attendees}.
    """
).widened(more_meetings.ATTENDEES)

ORGANIZER = wordings(
    """
    [Chair|Organizer|Host|Led by|Chaired by]: {organizer}
    {organizer} [chaired|organized|led] the meeting.
    ! The meeting was run by {organizer}.
    """
).widened(more_meetings.ORGANIZER)

ACTIONS = wordings(
    """
    [Action items|Actions|To do|TODO|Tasks|Next steps|Agreed]:\\n{actions}
    ! What has to be done:\\n{actions}
    ! Homework:\\n{actions}
    """
).widened(more_meetings.ACTIONS)

NEXT = wordings(
    """
    [Next meeting|Follow-up|Next date]: {next_date}
    [We meet again on|The next meeting is on|Next time:] {next_date}.
    ! See you all again on {next_date}.
    """
).widened(more_meetings.NEXT)

BUDGET = wordings(
    """
    [The budget is|Budget:|We agreed on a budget of|The cost is|Approved:] {amount}[.|]
    ! We may spend {amount}.
    """
).widened(more_meetings.BUDGET)

CHATTER = wordings(
    """
    [Everybody agreed|There was a long discussion|It was a short meeting|The mood was good].
    [{other_person} could not come|{other_person} was ill|Apologies from {other_person}].
    [Last year we spent|The old offer was|The competitor asks] {other_amount}.
    [We looked at the numbers of 2022|Sales grew by 12 percent|There were 4 complaints|37 people signed up].
    [The project started on|The contract is from] {other_date}.
    ! {other_person} sends regards from {other_city}.
    ! Of the 48 answers, 17 were useful.
    """
).widened(more_meetings.CHATTER)
