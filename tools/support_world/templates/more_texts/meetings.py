# ruff: noqa: E501 - a template stays on one line
"""More meeting notes."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["ACTIONS", "ATTENDEES", "BUDGET", "CHATTER", "HEADINGS", "NEXT", "ORGANIZER", "WHEN", "WHERE"]

HEADINGS = wordings(
    """
    [Protocol|Minutes|Record|Write-up|Notes] of the {topic} [session|meeting|call|discussion|workshop] on {date} in {place}.
    [#|##|*|-|>] {topic}
    [Re|RE|Fwd|FW|AW]: {topic}[ - notes| - minutes| (notes)| meeting|]
    [Agenda|Agenda item|On the agenda|Item|Theme|Issue]: {topic}
    {topic}[: notes| - notes| - minutes| (protocol)| - summary|, meeting notes| - recap]
    {topic} [meeting|session|call|sync|catch-up|discussion][, {date}| - {date}| ({date})|]
    {date}: {topic}[ meeting| call| - notes| session|]
    {topic}[|:|.|\\n---|\\n=====|\\n*****]
    [Hi all|Hello everyone|Dear all|Hi team|Dear colleagues],\\n[here are|please find below|below are|I am sending you] [the|my] [notes|minutes] [from|of] the {topic} [meeting|call|session].
    [Hi|Hello|Dear team|Hey everybody|Good morning], [a quick|a short|a brief] [summary|recap|write-up] of [our|the|today's] {topic} [meeting|discussion|call].
    [Here is|This is|Below is|You find here] [what we said|what was said|what we discussed|what came up] about [the |]{topic}[ on {date}|].
    [The team|The group|The committee|The board|Our department] [met|got together|sat down|came together] to [discuss|go over|look at|review|talk through] [the |]{topic}.
    [The purpose|The aim|The goal|The point|The object] of [the|this|our] meeting was [to discuss|to go through|to agree on|to clarify|to plan] [the |]{topic}.
    [We had|There was|We held|They called] a [meeting|call|short session|round table|video call] [about|on|regarding|concerning|to do with] [the |]{topic}.
    [On the table|Up for discussion|Under discussion|The main point|Today's subject] was [the |]{topic}.
    [What|What for|About what|What about|Meeting about|Purpose]: {topic}
    [Meeting|Session|Call|Conference] [title|subject|topic|name|theme]: {topic}
    [Notes|Minutes|Protocol|Record|Summary], {date}\\n[Topic|Subject|Re|About|Agenda]: {topic}
    {topic}\\n[Notes|Minutes|Protocol|Summary|Record] [of the meeting|of our session|of the call|of the discussion][ on {date}|, {date}|]
    [Minutes|Notes|Summary|Protocol] of the {topic} [meeting|session|call] [led|chaired|hosted|moderated|run] by {organizer}.
    On {date}[, {organizer} led| we had| there was| we held| the team had] [a discussion|a session|a meeting|a talk|a round table] [on|about] [the |]{topic}.
    {organizer} [called|invited us to|convened|set up|arranged] [a meeting|a session|a workshop|a short meeting] [about|on|concerning|because of] [the |]{topic}.
    [In|Over in|Down in|Meeting in] {place}[, {date}| on {date}| at {time}|, {time}|]: {topic}
    At {time} [we met|the group met|the team gathered|we sat down] in {place} [to discuss|to talk about|to go over|to decide on] [the |]{topic}.
    [The subject|The topic|The theme|The question] [before us|of the day|of the meeting|we dealt with|on {date}] was [the |]{topic}.
    [We discussed|We went over|We dealt with|We covered|We reviewed|We debated] [the |]{topic} [on {date}|in {place}|in today's meeting|this morning|at length].
    [It was all about|This was about|All of it was about|It concerned|We only spoke about] [the |]{topic}.
    [After|During|At|Following] the {topic} [meeting|session|call][ on {date}|] [I wrote this down|I took these notes|I noted the following|these points were noted].
    [As promised|As agreed|As usual|For your files|For those who missed it], [the notes|the minutes|a summary|my notes] [from|of] the {topic} [meeting|session|call].
    [Weekly|Monthly|Regular|Extraordinary|First|Second] [meeting|session|call|round]: {topic}
    [Kick-off|Workshop|Review|Stand-up|Briefing|Conference call]: {topic}[, {date}| - {date}| ({date})|]
    {topic} - [meeting of|session of|call of|notes of|held on] {date}
    [MINUTES|NOTES|PROTOCOL|MEETING|SUMMARY][ -| of meeting:|:] {topic}
    [MEETING NOTES|MINUTES OF MEETING|PROTOCOL|RECORD OF DISCUSSION|CALL SUMMARY]\\n[Topic|Subject|Title|Theme|Concerning]: {topic}
    [Regarding|Concerning|Ref|Reference|Matter|In the matter of]: {topic}
    [Internal|Confidential|Draft|Final version|For circulation]\\n[Minutes|Notes|Protocol|Summary]: {topic}
    [My notes|Rough notes|Quick notes|A few notes|Short notes|Some jottings] [on|from] the {topic} [meeting|call|session|talk].
    [What did we talk about|What was it about|What was discussed|What was on the agenda]? [Mainly|Only|Above all|Just] [the |]{topic}.
    [The|Our|Today's|This week's|The last] {topic} [meeting|session|call|discussion] [in brief|in short|in a nutshell|at a glance|summed up].
    [The|Our] {topic} [meeting|session|call|workshop] [took place|was held|happened] [on {date}|in {place}|at {time}|on {date} in {place}].
    [Thanks|Thank you|Many thanks] for [joining|coming to|taking part in|attending] the {topic} [meeting|call|session][ on {date}|]. [Here are the notes|My summary follows|The results are below].
    [The only point|The main item|The first item|The one thing|The big question] [on the agenda|we discussed|on {date}|of the meeting] was [the |]{topic}.
    [Since|As|Because] [there were questions|there was a lot to settle|decisions were needed|much was still open], [we met|we got together|a meeting was held] [about|to discuss|to talk about] [the |]{topic}.
    [To discuss|To talk about|To sort out|To make progress on|To decide on] [the |]{topic}, [we met|the team met|a meeting was held|we came together] [on {date}|in {place}|today|at {time}].
    [Meeting|Session|Call|Conference] on {date}[ at {time}|, {time}|] in {place}[: |, topic: |, subject: |\\nTopic: |\\nAbout: ]{topic}
    {date}, {place}[, {time}|]\\n[Meeting about|Discussion of|Session on|Talk about|Topic:] {topic}
    {place}, {date}\\n{topic}[ - notes| - minutes| meeting| session|]
    [File|Project|Key word|Headline|Heading|Summary of]: {topic}
    [Discussed|Talked about|Dealt with|Covered|Reviewed|Debated]: {topic}
    [The discussion|The talk|The conversation|The whole hour|The session] [turned on|centred on|focused on|dealt with|revolved around] [the |]{topic}.
    [The following|This|What follows] [was discussed|was said|was noted|was decided|was agreed] [at|in|during] the {topic} [meeting|session|call][ on {date}|].
    [{organizer} opened|{organizer} led|{organizer} chaired|{organizer} ran] the {topic} [meeting|session|discussion|call][ on {date}| in {place}| at {time}|].
    [This is to record|I would like to record|This note records|The following notes record|These minutes cover] the {topic} [meeting|session|call|discussion] [held on {date}|of {date}|in {place}|with {organizer} in the chair].
    [I write|I'm writing|Just writing] [to sum up|to recap|to record] [our|the|today's] [talk|meeting|call|conversation] [about|on] [the |]{topic}.
    [Attached|Below|Enclosed|Here]: [notes|minutes|protocol|summary] of the {topic} [meeting|session|call|talk].
    [Recap|Summary|Follow-up|Debrief|Report|Memo][:| -] {topic}
    [Meeting minutes|Team meeting|Board meeting|Project meeting|Staff meeting|Committee meeting][:| -] {topic}[, {date}| ({date})|]
    [Had|Just had|Finally had|Today we had] [a meeting|a call|a chat|a session] [about|on] [the |]{topic}[, quick notes|, notes below|, here is the gist|].
    [The {topic} group|The {topic} team|The people working on the {topic}|Those in charge of the {topic}] [met|came together|had a meeting|held a session] [on {date}|in {place}|at {time}|today].
    {topic} ([chair|host|led by|organizer|moderator]: {organizer}[, {date}|])[ - notes| - minutes| - summary|]
    """
).train

WHEN = wordings(
    """
    [Day|On|Meeting date|Date of meeting|Day of the meeting|Meeting held]: {date}
    [Date and time|Day and time|When and at what time|Date/time|Date & time]: {date}[, {time}| at {time}| - {time}| {time}]
    [Day|Date|On|When]: {date}\\n[Begin|Beginning|Start time|Hour|At|Started at]: {time}
    [Date|Day|When|On] - {date}[, {time}| at {time}| - {time}|]
    [Date|Day|When] {date}[, time {time}|, start {time}|, begin {time}|]
    [Schedule|Scheduled for|Appointment|Slot|Calendar entry|Time slot]: {date}[, {time}| at {time}| from {time}|]
    [Time|Start|Start time|Beginning]: {time}[, |\\nDate: |\\nDay: |, date: |, on ]{date}
    [The meeting|The session|The call|The discussion|Our get-together] [took place|was held|happened|went ahead|was] on {date}[ at {time}|].
    [The meeting|The session|The call|The workshop] [started|began|opened|kicked off|got under way] at {time} on {date}.
    On {date}[ at {time}|], [we met|we got together|the meeting took place|the team met|the session was held].
    [We got together|We sat down|We came together|We gathered|We convened|We assembled] on {date}[ at {time}|, starting at {time}|].
    [It was held|It happened|It was|We had it|We did it|It went ahead] on {date}[, at {time}| at {time}| from {time}|].
    [We began|We started|We kicked off|We opened|Things started] at {time}[ sharp|, on time|] on {date}.
    At {time} on {date} [we started|the meeting began|the session opened|everybody was there|we were all in the room].
    [The date was|The day was|The day of the meeting was|The date of the session was] {date}[, the time {time}|, and we began at {time}|].
    [Date of the session|Date of the call|Session date|Call date|Date held|Took place on|Took place]: {date}
    [Meeting|Session|Call|Conference] of {date}[, {time}|, starting {time}|, beginning at {time}|, from {time}]
    [Held|Took place|Convened|Conducted|Met] on {date}[ at {time}|, {time}|, start {time}|].
    [The meeting had been|The session was|It had been|The call was] [scheduled|planned|set|fixed|arranged] for {date}[ at {time}|, {time}|].
    [We had agreed|We had decided|The group had agreed|The plan had been] to [meet|come together|hold the meeting|have the call] on {date}[ at {time}|].
    [The calendar says|The invitation said|The invite was for|According to the invitation it was|As in the invite,] {date}[ at {time}|, {time}|].
    {date}[ at|, starting at|, beginning at|, from|, begin:|, time:] {time}
    {date} ([start|begin|from|at|started at] {time})
    [This was|That was] [the meeting of|our session of|the call of|the session on] {date}[, {time}|, at {time}|].
    [When did we meet|When was it|When was the meeting|When did it take place|Which day was it]? [On|It was on|That was on] {date}[ at {time}|].
    [The call|The meeting|The session|The conference] on {date} [started|began|opened|was opened] [at {time}|punctually at {time}|a little late, at {time}].
    [I am writing about|I refer to|These notes are about|These notes cover|This is the record of] [the meeting|the session|our talk|the call] on {date}[ at {time}|].
    [Minutes for|Notes for|Protocol for|Notes from|Record for] {date}[, {time}| at {time}|]
    [We saw each other|We talked|We spoke|We had our meeting|We had the call|We discussed it] on {date}[ at {time}|].
    [Everyone|Everybody|The team|The whole group|The department|The committee] [met|came together|sat down|assembled|gathered] on {date}[ at {time}|].
    [The meeting was opened|The session was opened|We were called to order|The meeting was called to order] at {time} on {date}.
    [Although|Even though] [many were away|it was short notice|some were on holiday|the week was busy], [we met|the meeting took place|it went ahead] on {date}[ at {time}|].
    [Because of|Due to|After] [the holidays|a delay|some changes|other appointments], [the meeting took place|we met|it was held] on {date}[ at {time}|].
    [Date|Day|Meeting day]: [on |]{date}; [time|start|begin|beginning]: {time}
    [Dated|Date noted|Noted on|Recorded on|Minuted on]: {date}
    [Meeting time|Session time|Time of the meeting|Time and date|When exactly]: {time}[ on|,| -] {date}
    [It started|It began|It kicked off|The whole thing started] at {time}[, that was on| and the date was| on] {date}.
    [It was|We chose|We picked|We settled on] {date}[ at {time}|, {time}|] [because that suited everybody|as everybody could come then|since all were free then].
    [The last|The latest|Our last|The most recent|Our latest] [meeting|session|call|get-together] was on {date}[ at {time}|, {time}|].
    [We are talking about|I mean|This concerns|This is about|Reference is made to] the [meeting|session|call|talk] of {date}[, {time}|].
    [Day|Date]: {date} / [Time|Start|Begin|Hour|From]: {time}
    [The group met|The board met|The committee sat|The project team met|The council met] on {date}[, opening at {time}|, starting at {time}| at {time}|].
    [As planned|As agreed|As announced|As usual|As arranged], [we met|the meeting was held|the session took place|it was] on {date}[ at {time}|].
    [In the morning|In the afternoon|Early|Right after lunch|Before lunch], on {date}, [we met|we came together|the session took place|the meeting was held].
    [We all dialled in|We connected|The call started|We joined the call|We went online] at {time} on {date}[, as planned|, a bit late|, on time|].
    """
).train

WHERE = wordings(
    """
    [Venue|Meeting place|Meeting room|Meeting point|In|Site]: {place}
    [Place of meeting|Location of the meeting|Held in|Took place in|Held at|Room used]: {place}
    [Where|Place|Room|Location|Venue] - {place}
    [Hall|Room|Place|Conference room|Location]: {place}[ (booked)| (reserved)| (as usual)|]
    [The meeting|The session|The discussion|The workshop|It] [was held|took place|was|happened] in {place}.
    [We got together|We gathered|We sat down|We assembled|We came together|We sat] in {place}[ this time| as usual|].
    {place} was [the venue|the place|the meeting room|where we met|where it took place|our meeting place].
    In {place}[, we met| we sat down together| the meeting took place|, the team met| the session was held].
    [The venue was|The location was|The room was|The meeting room was|Our room was|The meeting place was] {place}.
    [We had booked|We had reserved|We used|We were given|We took|We had] {place}[ for the meeting| for this| for the session|].
    {place} [had been|was] [booked|reserved|set aside|made ready] for [the meeting|us|the session|the team].
    [For the meeting|For this session|For the discussion|This time] [we used|we booked|we went to|we sat in|we met in] {place}.
    [Where did we meet|Where was it|Where did it take place|Which room|Where were we]? [In|It was in|We were in] {place}.
    [Everybody came|We all came|The team came|All of us went|The participants came] to {place}[ for the meeting| to discuss this|].
    We met[ on {date}| at {time}| on {date} at {time}|] [in|over in|down in|up in] {place}.
    [On {date}|At {time}|On {date} at {time}] [we met|the team met|we came together|the meeting was held|we gathered] in {place}.
    [The meeting|The session|The discussion|The workshop] [took place|was held|was] on {date}[ at {time}|] in {place}.
    [The meeting|The session|The discussion] in {place} [began|started|opened|got under way] at {time}[ on {date}|].
    [In|Place:|Room:|Where:] {place}[, on|, date:|, day:|, held on] {date}
    [When and where|Date and place|Time and place|Where and when|Day and room]: {date}[ at {time}|, {time}|], {place}
    {date}[, {time}|], [in|place:|room:|location:|venue:] {place}
    {place}, {date}[, {time}| at {time}|, from {time}|]
    [Place|Room|Venue|Location]: {place}\\n[Date|Day|When|On]: {date}[, {time}| at {time}|]
    [Date|Day|When]: {date}\\n[Place|Room|Venue|Location|Where]: {place}
    [Because|As|Since] [the other room was taken|we needed more space|we needed a screen|we were many], [we met|we sat|we sat down|the meeting was held] in {place}.
    [The invitation|The invite|The calendar entry|The mail] [said|named|gave] {place} as [the place|the venue|the room|the location][ of the meeting|].
    [We started|We began|We kicked off|The session opened] in {place} at {time}[ on {date}|].
    [Our meeting place|The place we met in|The room we met in|The place of the session|The place for it] was {place}.
    [Join us in|Come to|See you in|Everyone please come to] {place}[, the invitation said|, it was announced|, we were told].
    [It was|All this was|This was] [discussed|said|talked about|dealt with] in {place}[ on {date}|, on {date}|].
    [Gathered|Met|Held|Assembled|Convened] in {place}[ on {date}| at {time}| on {date} at {time}|].
    [We had to|We decided to|We wanted to|We were asked to] [meet in|go to|use|move to] {place}.
    [The team|The group|The committee|The board|The department] [met|sat|gathered|assembled|convened] in {place}[ on {date}|].
    [Room|Place|Hall] [booked|reserved|used|assigned|for the meeting]: {place}
    [Luckily|Fortunately|As always|Again|Once more], {place} was [free|available|free for us|ours][, so we met there| and we met there|, so we sat there].
    [We were|We sat|We talked|We stayed|The discussion was] in {place} [for an hour|the whole time|all morning|for the whole session].
    [Seat of the meeting|Meeting location|Session room|Session held in|Where we met|We met at]: {place}
    {date}, {time}[, we met in|: meeting in|: session in|, we sat down in] {place}.
    [From {time} on|Starting at {time}|From {time}] [we were|we met|we sat|the group sat] in {place}.
    [On site|In person|Face to face|Not online], in {place}[, on {date}| on {date}|].
    """
).train

ATTENDEES = wordings(
    """
    [In attendance|Attendance|Attendance list|List of attendees|Those attending|Who attended]: {attendees}
    [On the call|In the call|Dialled in|Joined online|On the line|Online]: {attendees}
    [Around the table|In the room|At the table|On site|In person|In the meeting]: {attendees}
    [Roll call|Names|Who was there|Who came|Who took part|Who]: {attendees}
    [Participants|Attendees|Present|In attendance|Members present|Taking part]:\\n{attendees}
    [Members present|Colleagues present|Persons present|People present|Staff present|Those present]: {attendees}
    [Present|Attendees|Participants|Attending|In attendance|Attended] - {attendees}
    [Meeting|Session|Call|Talk|Discussion] [with|held with|attended by|joined by]: {attendees}
    [List of participants|Participants' list|Attendance sheet|Sign-in sheet|Signed in|Signatures]: {attendees}
    [The team|Our group|Group|The round|Committee|Task force]: {attendees}
    {attendees} [came|showed up|turned up|appeared|made it|came along][ on time| in person| as planned|].
    {attendees} [participated|participated in the meeting|came to the meeting|sat in|sat in on the meeting].
    {attendees} [dialled in|called in|joined the call|joined by phone|joined by video|connected online][ on time|].
    {attendees} [sat at the table|took a seat|came in|came along|had a seat][ for this session| for the discussion| for the meeting|].
    {attendees} [had a meeting|had a call|held a meeting|held a session|had a discussion][ about| on| regarding] [the |]{topic}.
    {attendees} [talked|spoke|exchanged views|had a talk|had a chat] about [the |]{topic}[ at length| for an hour|].
    {attendees} [discussed|reviewed|went over|looked at|worked on|dealt with] [the |]{topic}[ in detail| for an hour| in this session|].
    {attendees} [came|joined the meeting|joined the call|came to the session|came in] [to discuss|to talk about|to go over|to plan|to decide on] [the |]{topic}.
    {attendees} [took part in|attended|joined|came to|participated in|sat in on] the {topic} [meeting|session|call|discussion].
    The {topic} [meeting|session|call|discussion] was [attended by|joined by|held with] {attendees}.
    [To discuss|To talk about|To go over|To sort out] [the |]{topic}, {attendees} [attended a meeting|joined a call|came to the meeting|took part in a session].
    [The meeting|The session|The call|It|The discussion] was [attended by|held with|joined by] {attendees}.
    [The meeting|The session|The call|The discussion|It] [took place|was held|happened] [with|in the presence of] {attendees}.
    [The meeting|The call|The session|The discussion] was [with|held with|limited to] {attendees}[ only|].
    [We had|We greeted|We welcomed|We saw|We were joined by] {attendees} [in the room|at the table|in the meeting|on the call|in the session].
    [The list of participants|The attendance list|The sign-in sheet|The list|The record] [shows|names|has|gives|reads] {attendees}.
    [The following people|The following persons|The following colleagues|The following members] [attended|took part|joined|came|were present]: {attendees}.
    [Attendance|Participation|The circle|The round|The group] was [limited to|restricted to|kept to] {attendees}.
    [Here|In the room|Around the table|At the table|On the call] we [had|saw|greeted|welcomed] {attendees}.
    [In the meeting|In the session|In this round|In that group] [sat|we were joined by|we welcomed|I met] {attendees}.
    [Who was there|Who came|Who took part|Who attended|Who was in the room]? {attendees}.
    [On our side|From our side|For our team|For the company|From the team]: {attendees}
    [For the record|As planned|As expected|This time|In the end|Luckily], {attendees} [attended|took part|joined|came|participated][ in person|].
    [Only|Just] {attendees} [came|attended|took part|showed up|turned up|could make it].
    [We met|I met|I sat down|We sat down|I had a call|We had a meeting] with {attendees}[ today| this morning|].
    [I talked|I spoke|We talked|We spoke|I had a talk|We had a chat] with {attendees} about [the |]{topic}.
    [With {attendees} present|With {attendees} in the room|With {attendees} at the table|In the presence of {attendees}], [the meeting began|we could start|the session was opened|we went through the agenda].
    [After|Once|When|As soon as] {attendees} [had arrived|had joined|had sat down|had dialled in], [we started|the meeting began|the session was opened|we went ahead].
    [Besides me|Apart from me|Along with me|Together with me], {attendees} [attended|took part|joined|came|sat at the table].
    [The minutes|The notes|The protocol|The record] [listed|named|showed|gave] [as present|as attending|as having attended|in attendance]: {attendees}.
    [Attended by|Joined by|Held with|Meeting with|Call with|Discussion with] {attendees}.
    [Complete|Full|Short|Final] [list of attendees|attendance list|list of those present|list of participants]: {attendees}
    [Attendees|Participants|Present|People] ([in person|in the room|on the call|by name|in any order]): {attendees}
    [Thanks|Thank you|Many thanks|My thanks] to {attendees} for [coming|attending|joining|taking part|being there].
    [It was good|It was nice|We were glad|We were happy|I was pleased] to have {attendees} [there|with us|in the room|in the meeting|at the table].
    [I noted|I counted|I wrote down|I marked] {attendees} as [present|attending|in the room|being there].
    [People who attended|People who came|People in the room|Persons attending|Colleagues who took part]: {attendees}
    [The round consisted of|The group consisted of|The meeting included|The group included|The call included] {attendees}.
    [Everyone came|All came|Everybody was there|Nobody was missing|The group was complete|We were complete]: {attendees}.
    [Hello|Hi|Dear] {attendees}, [thanks for coming|thank you for joining the meeting|thanks for attending|thank you for taking part today].
    [According to the list|According to the minutes|As noted|Going by the sign-in sheet], {attendees} [attended|took part|joined|participated].
    [At the start|At the beginning|At first|When we began], {attendees} [sat in the room|sat at the table|joined the call|came in|signed the list].
    [The participants|The attendees|The members present|Those present] ({attendees}) [discussed|talked about|went over|looked at] [the |]{topic}.
    [Those attending|The persons attending|The people present|The colleagues present] ({attendees}) [agreed on the agenda|went through the agenda|introduced themselves|approved the last minutes].
    [We|The team|The group|All of us] ({attendees}) [met|sat down|came together|got together] to [discuss|talk about|go over|review] [the |]{topic}.
    [On|About|Regarding|Concerning] [the |]{topic}, {attendees} [had a meeting|held a call|exchanged ideas|had a discussion|held a session].
    [As|While] {attendees} [discussed it|talked it over|went through the points|talked about it], [the mood was friendly|someone took notes|time was short|many questions came up].
    {attendees} - [nobody else came|no one else was there|that was the round|that was the group|that was the whole list].
    {attendees} [represented the team|represented the department|came for the team|sat in for the department|spoke for the team] [at|in] the [meeting|session|discussion].
    [w/|Here with|Met with|Sat with|Spoke with|Pres.:|Att.:] {attendees}
    """
).train

ORGANIZER = wordings(
    """
    [Chairperson|Chairman|Chairwoman|In the chair|Chaired|Session chair|Meeting chair]: {organizer}
    [Moderator|Moderated by|Moderation|Facilitator|Facilitated by|Facilitation]: {organizer}
    [Organised by|Organized by|Organiser|Meeting organizer|Set up by|Arranged by]: {organizer}
    [Called by|Meeting called by|Convened by|Convener|Invited by|Invitation by]: {organizer}
    [Hosted by|Meeting host|Host of the meeting|Run by|Conducted by|Headed by]: {organizer}
    [Lead|Leader|Meeting lead|Meeting leader|Head of the meeting|Person in charge|Responsible for the meeting]: {organizer}
    [Chair|Host|Organizer|Lead|Moderator|Facilitator] - {organizer}
    {organizer} [hosted|moderated|ran|headed|conducted|facilitated] the [meeting|session|call|discussion|workshop].
    {organizer} [called|convened|arranged|set up|scheduled|hosted] [the meeting|this meeting|the session|the call].
    {organizer} [opened|started|began|kicked off] the [meeting|session|call|discussion][ and welcomed everybody| with a short welcome| on time| and led it to the end|].
    {organizer} [was in the chair|took the chair|was the chair|acted as chair|sat in the chair|served as chair][ for this meeting| this time| again|].
    {organizer} was [the organizer|the host|the moderator|the chair|the facilitator] [of the meeting|of the session|of the call|this time].
    {organizer} [led us|guided us|took us|walked us|steered us] through the [meeting|agenda|session|discussion|points].
    {organizer} [invited us|had invited us|had asked us|asked us all|had called us] to [the meeting|this session|this discussion|the call].
    {organizer} [had|took|was given] [the lead|the chair|charge of the meeting] [this time|today|in this session|again].
    {organizer} [welcomed everybody|welcomed us all|welcomed the group|greeted everyone] [and opened the meeting|and led the meeting|and took the chair|and chaired the session].
    The [meeting|session|call|discussion|workshop] was [led|chaired|hosted|run|moderated|organized|organised] by {organizer}.
    The [meeting|session|call|discussion] was [called|convened|set up|arranged|opened|scheduled] by {organizer}.
    The [chair|organizer|organiser|host|moderator|facilitator] [was|of the meeting was|of the session was|this time was] {organizer}.
    [It was|This time it was|Today it was|Once again it was] {organizer} who [led the meeting|chaired the session|called the meeting|opened the meeting|organized it all].
    [Who led the meeting|Who chaired|Who was in the chair|Who called the meeting|Who organized it]? [That was|It was] {organizer}.
    [Led|Chaired|Hosted|Organised|Moderated|Convened] by {organizer}[ as usual| again| this time|].
    [In the chair was|In charge was|Leading the meeting was|Chairing was|Hosting was|Moderating was] {organizer}.
    [With|As always, with|This time with|Once more with] {organizer} [in the chair|as chair|as host|as moderator|leading the meeting].
    [At the invitation of|At the request of|On the initiative of|On the invitation of] {organizer}, [we met|the meeting took place|the team came together|the session was held].
    [Under the lead of|Under the leadership of|Under the direction of|Chaired by|Guided by] {organizer}, [we went through the agenda|the team went through all points|we worked through the list].
    [We thank|Thanks to|Our thanks go to|Many thanks to] {organizer} for [leading the meeting|chairing the session|hosting us|organizing the meeting|moderating the discussion].
    [The invitation came from|The invite was sent by|We were invited by|The meeting was the idea of|The request to meet came from] {organizer}[, who led the meeting|, who took the chair|, who also chaired].
    [The role of chair|The chair|The moderation|The lead|Leadership of the meeting] [was taken by|was with|lay with|went to|was given to] {organizer}.
    [Chair|Host|Moderator|Chairperson|Organizer] [of the day|of this meeting|of the session|for today|this time]: {organizer}
    [As chair|As host|As organizer|As moderator|As the one who called the meeting], {organizer} [opened the session|welcomed everybody|presented the agenda|spoke first].
    [The meeting started|The meeting began|We started|The session began|We began] [when|after|as soon as] {organizer} [opened it|took the chair|called it to order|had welcomed us all].
    [Since|As|Because] {organizer} [had called the meeting|had organized it|was the host|was in the chair], [they gave the welcome|they spoke first|they also set the agenda].
    [We met|We came together|The group met|The team gathered|We sat down] [because|after] {organizer} [had called a meeting|had called us together|had invited us|had set up the meeting].
    {organizer} ([chair|host|organizer|moderator|organiser|facilitator|lead])[ opened the meeting.| welcomed everybody.| went through the agenda.|]
    {organizer} [sent the invitation|sent out the invite|booked the slot|drew up the agenda] and [led the meeting|chaired the session|hosted the call|ran the discussion].
    {organizer} [called the meeting to order|opened proceedings|declared the meeting open|presided|presided over the meeting][ on time| as chair|].
    [I was told|It was agreed|It was decided|We had decided|We agreed] that {organizer} [would chair the meeting|would lead the session|would moderate|would host the meeting].
    [Our host was|Our chair was|Our moderator was|The one who led the meeting was|The person in the chair was|The person who called us together was] {organizer}.
    [Presiding|Presided over by|Opened by|Meeting opened by|Session led by|Call led by|Discussion led by]: {organizer}
    """
).train

ACTIONS = wordings(
    """
    [Homework|Assignments|Open points|Jobs to do|Action list|To-do list]:\\n{actions}
    [The following was agreed|We decided that|We agreed that|It was decided that]:\\n{actions}
    [# |### |* |]To be done[ next| by the team| after this meeting|]\\n{actions}
    [Who does what|Who is doing what|Who takes care of what|Who is responsible for what][ and by when| until when|]:\\n{actions}
    [Tasks|Jobs|Duties|Work items] [handed out|assigned|given out|distributed|shared out][ today| in the meeting| at the end|]:\\n{actions}
    [These|The following] [tasks|jobs|points|items] [were assigned|were given out|have been distributed|were handed out|remain to be done]:\\n{actions}
    [What happens next|What needs doing|What has to be done|What is left to do|What we have to do now]:\\n{actions}
    [**Action points**|**Assignments**|**To be done**|**Responsibilities**|**Decisions and tasks**]\\n{actions}
    [Decisions|Resolutions|Outcomes|Results|Agreements|Commitments]:\\n{actions}
    [We|The group|The team|Everyone] [agreed on|settled on|decided on] [the following|these] [tasks|steps|actions|points]:\\n{actions}
    [For the coming days|From now on|Going forward|Until the next time|Before we meet again][, the work is split like this|, this is the plan|, we do the following]:\\n{actions}
    [Each of us|Everybody|Every one of us] [left with|took home|got|was given] [a task|a job|some homework|something to do]:\\n{actions}
    [To follow up|To take care of|To handle|To finish|To get done]:\\n{actions}
    [Follow-ups|Follow-up tasks|Follow-up actions|Things to follow up] [from this meeting|from today|from the discussion|after the call]:\\n{actions}
    [Deliverables|Responsibilities|Pending tasks|Outstanding items|Open tasks][ and owners| with deadlines| and dates|]:\\n{actions}
    [As a result|As agreed|To sum up|In conclusion|At the end of the meeting], [we will do this|these tasks were given out|the jobs were shared out as follows|the next jobs look like this]:\\n{actions}
    [Our|The] [action plan|plan|work plan|roadmap|plan of action] [until the next meeting|for the coming weeks|from here|is this]:\\n{actions}
    [The work was divided|The work was split up|Tasks were shared out|The jobs were distributed|Duties were assigned] [as follows|like this|among us|between those present]:\\n{actions}
    [AIs|AP|APs|Action|Action(s)|Action pts][ from this call| from today|]:\\n{actions}
    [Here is|This is] [what everyone will do|who does what|what we have to do|what was promised|our list of tasks]:\\n{actions}
    [Promised|Assigned|Taken on|Decided|Volunteered][ today| in the meeting| during the call|]:\\n{actions}
    [Still to do|Still open|Left to do|Yet to be done|Not done yet][ after today| at this point|]:\\n{actions}
    [People|Several people|Some of us|The following people] [took on|accepted|volunteered for|signed up for] [tasks|jobs|some work][ with deadlines|]:\\n{actions}
    [For the record|For everyone who missed it|As a reminder|Just so nobody forgets], [here are the tasks|these are the jobs|these are the action points|this is who does what]:\\n{actions}
    [Please note|Please remember|Do not forget|Please keep in mind] [your tasks|the tasks|your homework|the deadlines]:\\n{actions}
    [Next actions|Further steps|Steps to take|Steps ahead|The next steps are]:\\n{actions}
    [Todos|To dos|TO-DO|To-do items|Todo list][ for all| after the call| from today|]:\\n{actions}
    [All tasks at a glance|In short|Short version|In a nutshell|Summary of tasks]:\\n{actions}
    [Actions|Tasks|Points|Measures] [agreed|approved|decided|arising|resulting][ from the discussion| from the meeting| in this session|]:\\n{actions}
    [It was|It has been] [agreed|decided|resolved|settled] [to do the following|who will do what|to split the work as follows|to distribute these tasks]:\\n{actions}
    [So|OK|All right|Right], [who does what|what comes next|what do we do now|what is left to do]?\\n{actions}
    [Task list|List of actions|List of to-dos|List of open points|Action log][ as of today| after the meeting|]:\\n{actions}
    [We closed with|We ended with|We finished with|We wrapped up with] [a list of tasks|the following to-dos|these action items|the following jobs]:\\n{actions}
    [After some discussion|Finally|In the end|Before we closed], [we gave out these tasks|the following actions were fixed|everyone got a job|we wrote down who does what]:\\n{actions}
    [- - -|---|* * *|===]\\nTasks[ for the team| to complete| from the meeting|]\\n{actions}
    [Owner and task|Owners and deadlines|Owner, task, deadline|Person, task, date|Name, task, due date]:\\n{actions}
    [What|Things] [we agreed on|we want to do|we promised|we still have to do|everybody takes on]:\\n{actions}
    [Until the next meeting|By the next meeting|Before the next meeting|In the meantime|In the coming days][, please do| the following must be done| these things must get done|]:\\n{actions}
    [The chair|The group|The meeting|The team] [asked for the following|assigned the following tasks|fixed the following actions|gave out these jobs]:\\n{actions}
    [There are|We have|We noted|We wrote down] [some|several|a few|the following] [action items|open tasks|to-dos|next steps]:\\n{actions}
    [Implementation|Execution|Work to do|Work packages|Ownership]:\\n{actions}
    [Agreed actions|Agreed tasks|Agreed next steps|Agreed measures|What was agreed][ and deadlines| with names| in detail|]:\\n{actions}
    [1. |2. |3. |]Action items[ and deadlines| for everyone| to complete|]\\n{actions}
    [Everything else is done, only this remains|The rest is done, what remains|Remaining tasks|Remaining work|Unfinished business]:\\n{actions}
    [Deadlines|Due|Due dates|Upcoming deadlines|Deadlines to keep][ for our tasks| after this meeting|]:\\n{actions}
    """
).train

NEXT = wordings(
    """
    [Next|Upcoming|Following] [session|get-together|call|appointment|round]: {next_date}
    [We will meet again|We'll meet again|We are going to meet again|We come together again|We will see each other again] on {next_date}.
    [The next|Our next|The following] [session|call|gathering|get-together|round] [is planned for|is scheduled for|is set for|has been fixed for|will be on] {next_date}.
    [See you|See you all|Until|See you again on|Back together on] {next_date}[.|!]
    {next_date} [is|will be] [the date of|the day of|when we have] [the next meeting|our next session|our next call].
    On {next_date} [we meet again|we will meet again|the group will come together again|there will be another meeting|we continue].
    [It was agreed|We agreed|It was decided|We decided|Everyone agreed] to [meet again|come together again|hold the next meeting|have another call] on {next_date}.
    [The meeting|The discussion|The talk|This] [will be continued|will continue|is to be continued|is going to be resumed] on {next_date}.
    To be continued[ on|:] {next_date}[.|!]
    [A follow-up|A follow-up meeting|A second meeting|Another meeting] [was scheduled|was fixed|is planned|has been arranged|was set up] for {next_date}.
    [Date of|Day of|Date for] [the next meeting|the next session|our next call|the follow-up]: {next_date}
    [Please|Everyone please|All please] [keep {next_date} free|save {next_date}|block {next_date}|reserve {next_date}|note {next_date}] for the next [meeting|session|call|round].
    [Mark your calendars|Save the date|Calendar entry|Please note down][ for the next meeting| for our next round| for the follow-up]: {next_date}
    [When do we meet again|When is the next meeting|When do we continue|And the next one]? [On|That will be on] {next_date}.
    [Same place|Same room|Same people|Same group][, same time| and same time|] [again on|on] {next_date}.
    [We adjourned until|The meeting was adjourned to|We postponed the rest to|We left the rest for] {next_date}.
    [If nothing changes|Unless something comes up|If all goes well|As things stand], [we meet again|the next meeting is|we will talk again] on {next_date}.
    [We|The team|The group|All of us] [will talk|will get together|will sit down|will speak] again on {next_date}[ to see how far we are| to check the progress|].
    [Next up|Next one|Next meet|Next mtg|Next catch-up]: {next_date}
    [The progress|The results|The open points|All remaining questions] will be [discussed|reviewed|looked at] [at the next meeting|when we meet next|in our next session] on {next_date}.
    [Reconvene|Reconvening|We reconvene|The group reconvenes|The team will reconvene] on {next_date}.
    [Resumption|Continuation|Follow-up meeting|Follow-up call|Review meeting]: {next_date}
    [Next review|Next check-in|Next sync|Next status meeting] [on|is on|will be on|planned for] {next_date}.
    [The follow-up|The second part|Part two|The review] [takes place|will take place|will be held|happens] on {next_date}.
    [We have|We've] [set|fixed|picked|chosen|agreed on] {next_date} [for our next meeting|as the next date|for the next round|as the date of the follow-up].
    [Before leaving|At the end|To finish|Finally], we [fixed|set|agreed on|chose] the next [date|meeting|appointment]: {next_date}.
    The next time [we meet|we get together|we come together|the group meets] [is|will be] {next_date}.
    [Looking forward to seeing you|Hope to see you|I hope to see everyone] again [on|at our next meeting on] {next_date}.
    [The group|The team|The committee|The same circle] [meets|will meet|is meeting] [again|next|once more] on {next_date}.
    [Invitations|Invites|The invitations] for the [next meeting|follow-up|next session] on {next_date} [will follow|will be sent out|are on their way].
    [Another|One more|A further] [meeting|session|call|talk] [is needed|is necessary|was requested] and [will be held|will take place|is planned] on {next_date}.
    [There was not enough time|We ran out of time|Not everything could be discussed|We did not finish], so we [meet again|continue|go on] on {next_date}.
    [Nobody had anything to add|There were no more questions|That was all|All points were covered]; [next meeting|next session|we meet again] on {next_date}.
    [Our next date|The next date|The date of our next meeting|The next appointment] [is|will be|was set to] {next_date}.
    [Next meeting|Next session|Follow-up] [date|day] ([agreed|fixed|confirmed|provisional]): {next_date}
    [Everyone is|All are|You are all|The whole group is] [invited|expected|asked to come] [again on|to the next meeting on|back on] {next_date}.
    [Let us|Let's] [meet again|talk again|continue|pick this up again|carry on] on {next_date}.
    [All agreed to|We promised to|The team wants to] [return to|come back to|pick up] [this|the topic|the open points] [when we meet|at the next meeting|in the next session] on {next_date}.
    [Follow-up|Next round|Second round|Next talk] [agreed for|arranged for|booked for|set for|on] {next_date}.
    [After that|Then|Afterwards] [we meet again|there will be a second meeting|comes the next meeting|follows the next session] on {next_date}.
    """
).train

BUDGET = wordings(
    """
    [Budget|Available budget|Approved budget|Total budget|Planned costs][ for this| for the project|]: {amount}
    [The group|The team|Management|The board|The committee] [approved|granted|released|agreed to spend|set aside] {amount}[ for this| for it|].
    {amount} [was|has been] [approved|set aside|granted|reserved|earmarked|released][ for this| for the project|].
    [We have|We've got|There is|We can use|At our disposal we have] [a budget of {amount}|{amount} to spend|up to {amount}|{amount} in total][ for this| for the project|].
    [We may spend|We can spend|We are allowed to spend|We must not spend more than|We should not spend more than] {amount}[ on this| in total|].
    [The costs|The expenses|The total costs|All expenses] [are estimated at|are expected to be|should come to|must stay below|are limited to] {amount}.
    [A budget of|A sum of|A total of|Funds of|Funding of] {amount} [was approved|is available|has been granted|has been set aside|was agreed].
    [It was agreed|It was decided|We decided|The group decided] to [spend|invest|set aside|reserve|make available] {amount}[ for this| for the project|].
    [How much can we spend|How much money do we have|What may it cost|What is the budget]? {amount}[.|, no more.| at most.| in total.]
    [For this|For all of this|For the whole project|For this purpose] we [have|planned|got|reserved|were given] {amount}.
    [Money|Funds|Funding|Cost|Costs|Cost estimate|Finances]: {amount}
    [Spending limit|Cost limit|Upper limit|Cap|Ceiling|Max. budget]: {amount}
    [The budget|Our budget|The project budget|The total budget] was [set at|fixed at|raised to|cut to|limited to] {amount}.
    [The finance department|Finance|Accounting|Head office|The management] [gave us|gave its approval for|signed off|confirmed|has released] {amount}[ for this| for the project|].
    [We plan with|We are planning with|We reckon with|We work with|We calculate with] [a budget of|costs of|about|a total of] {amount}.
    With [a budget of {amount}|{amount} to spend|{amount} available|{amount} in hand], [this can be done|we can start|we should manage|it will work].
    [Nobody objected to|There was a yes to|There was agreement on|Everyone was fine with] [a budget of|spending|the sum of] {amount}.
    [It|The project|All of it|The whole thing] [will cost|should cost|is going to cost|may cost us|must not cost more than] {amount}.
    [The money|The financing|The funding] is [secured|there|in place|approved]: {amount}[ in total| for the whole project|].
    [There are|We were promised|We have been given|We now have] {amount} [for this|for the project|in the budget|in the pot].
    [After some discussion|After a vote|In the end|Finally], [a budget of {amount} was approved|we settled on a budget of {amount}|{amount} was approved].
    [The request|The application|The proposal] for {amount} was [approved|granted|accepted|passed][ by everyone| without discussion|].
    [Budget approved|Budget agreed|Budget set|Budget planned|Budget fixed] ({amount}).
    [Budget|Money|Costs] - [{amount}, approved|{amount}, agreed by all|{amount} in total|up to {amount}][.|]
    [Our limit|The limit|The maximum|The most we can spend|The financial frame] [is|will be|was set at] {amount}.
    [All in all|In total|Altogether|Overall], [we have {amount} for this|we can spend {amount}|{amount} is available|the project gets {amount}].
    [The company|The department|The boss|The organization] [will pay|covers|will cover|pays|provides|puts in] {amount}[ for this| for the project|].
    [The project|The topic|This item] [has been given|was given|gets|receives|was promised|comes with] [a budget of|funds of] {amount}.
    [As for the budget|Regarding the budget|As to money|On the financial side|On costs], [we have|we agreed on|the group agreed on|we can count on] {amount}.
    [Do not exceed|Please do not exceed|Stay within|Please stay below|Keep within] [the budget of|the limit of|the agreed] {amount}.
    [Proposed|Planned|Agreed|Allocated|Requested and approved] [amount|sum|spend|spending]: {amount}
    [The costs of|Costs of|Expenses of|Expenditures of] {amount} [were approved|were accepted|have been agreed|were signed off][ by all| by management|].
    [We asked for money|We applied for money|We asked for a budget] and [got|were granted|received|were given] {amount}.
    [We will invest|We want to invest|We intend to spend|We are going to spend|The plan is to spend] {amount}[ on this| here| altogether|].
    [Financial plan|Budget line|Budget item|Budget for this topic|Budget (total)]: [up to |about |max. |]{amount}
    """
).train

CHATTER = wordings(
    """
    [Coffee and cake|Sandwiches|Cookies|Drinks] were [served|provided|on the table][ in the break| at the start|].
    [{other_person} sends regards|{other_person} says hello|Greetings from {other_person}|{other_person} wishes us luck][ from holiday| to everyone|].
    {other_person} [was on holiday|was on vacation|was away|was travelling|had another appointment] and [could not attend|was missed|was not there|did not take part].
    [Absent|Excused|Missing|Not present|Apologies|Could not make it]: {other_person}
    The [minutes|notes] of [the meeting of |]{other_date} were [approved|accepted|read out|corrected slightly].
    [The previous meeting|Our last meeting|The last session|The last round] [was|had been|took place] on {other_date}.
    [In the past|A year ago|Two years ago|Back then], [the same thing cost|we paid|this cost us|the bill was] {other_amount}.
    [The beamer|The projector|The microphone|The video link|The sound] [did not work|failed|made trouble|had to be restarted][ at first| twice| for ten minutes|].
    [The room was|It was] [too cold|too warm|a bit loud|rather small|very crowded][, but we managed| as always|].
    [There were|We had] [no questions|a few questions|many questions|some jokes|two short breaks][ at the end| in between|].
    [The discussion|The debate|The exchange|The talk] was [lively|friendly|calm|heated at times|open and constructive].
    [Opinions differed|Views were divided|Not everyone was convinced|Some had doubts|There were some concerns][ at first| on the details|].
    [Thanks to {other_person}|A big thank you to {other_person}|Many thanks to {other_person}] for [the cake|the coffee|booking the room|the slides].
    [We congratulated {other_person}|Everyone congratulated {other_person}|Congratulations to {other_person}] on [the new job|the birthday|the exam|the promotion].
    {other_person} [left the company|retired|changed departments|moved abroad] [last month|in spring|last year|some time ago].
    [An earlier quote|A first estimate|The rejected offer|The quote we turned down] was [for|about|over] {other_amount}.
    [A consultant|Another supplier|A competitor|The other provider] [wanted|asked for|would charge|charged] {other_amount}, [which was too much|which we found too expensive|so we said no].
    [Attendance|Turnout|Interest] was [good|low|better than last time|higher than expected].
    [Sales|Visitor numbers|Sign-ups|Orders] [rose|fell|went up|dropped] by [3|7|8|15|20] percent [last year|in the last quarter|in spring].
    [The survey|The poll|The questionnaire] [had|received|got] [58|112|240|31] [answers|replies|responses].
    [The slides|The figures|The documents|The handouts] [are in the shared folder|were sent around before|were handed out|can be found online].
    [No decision was made|Nothing was decided|No vote was taken] on [the colour|the logo|the name|parking][ yet|].
    [The idea first came up on|This was first raised on|The old plan dates from|We last spoke about parking on|The old list was from] {other_date}.
    [The current|The old|The existing] [contract|agreement|lease] [runs until|expires on|ends on|was signed on] {other_date}.
    [We started|The meeting started|We began] [a little late|on time|with five minutes' delay|without delay|with a short round of introductions].
    [The meeting|The call|The session] [ended early|ran a little over|lasted longer than planned|went by quickly|was interrupted once].
    [Good|Nice|Productive|Constructive|Pleasant|Useful] [meeting|talk|session|exchange][ overall| as always|].
    [There is nothing new|No news|Nothing to report] [on the move|about the car park|from the works council|from the other departments].
    [We also spoke|We briefly talked|Some people talked|There was some talk] about [the weather|the traffic|the new canteen|the summer holidays].
    [According to|In the opinion of] {other_person}, who [was not there|could not join us|is on leave], [it is going well|all is fine|nothing is urgent].
    [We read out|The group looked at|There was] a [message|letter|comment|note] from {other_person}, who [was absent|could not be there|is on sick leave].
    [The feedback|The response|The reaction] [so far|from customers|from the staff|from outside] [is|was|has been] [positive|mixed|good|better than expected].
    [Last time|At the last event|In the previous project|In the year before], [{other_amount} was left over|we overspent by {other_amount}|we saved {other_amount}|{other_amount} was spent].
    [Nobody took|Nobody thought of taking|We did not take] [any photos|photos][ this time| of the group|].
    [A fire drill|A phone call|A delivery|A power cut] [interrupted us|disturbed us|held us up][ for a moment| briefly| for five minutes|].
    [The tickets|The old machines|The last brochures|The chairs we have] cost {other_amount} [back then|at the time|when we bought them|two years ago].
    [Some|Two of us|A few people|Half of the group] [joined online|dialled in|were connected by video|had to leave early|came late].
    [All points on the agenda|The whole agenda|Every item on the list] [could be discussed|was covered|was dealt with][ in time| quickly|].
    [{other_person} had|{other_person} used to have] [this job|this role|the same task] [last year|before|until the summer|some years ago].
    [The deadline|The cut-off|The closing date] [for the other project|last year|for the old version] was {other_date}.
    [The agenda|The invitation|The draft] had been [sent out|mailed|shared|published] on {other_date}.
    [Lunch|A walk|A drink|Dinner] [together|with everyone] [followed|rounded it off|closed the day].
    [It was|This was] [our third meeting|the first meeting in the new building|the last meeting before the holidays|our first meeting in this group].
    [As everyone knows|As you may remember|As mentioned before|As we all know], [the office closes at Christmas|the lift is being repaired|the old system is slow|space is short].
    [Mood|Atmosphere|Spirits]: [good|relaxed|a bit tense|cheerful][, as always|].
    """
).train
