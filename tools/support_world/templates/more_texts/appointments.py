# ruff: noqa: E501 - a template stays on one line
"""More appointments."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["ACTIONS", "DURATION", "STAFF"]

ACTIONS = {
    "book": wordings(
        """
        [I'd like to|We'd like to|I wish to|I am hoping to|I was hoping to] [arrange|schedule|set up|fix|get] [an appointment|a date|a time] for a {service}[ on {date} at {time}| on {date}|].
        [Could you|Can you|Would you|Will you] [fit me in|squeeze me in|book me in|put me down] for a {service} on {date}[ at {time}| around {time}|]?
        [Please|Kindly] [book me in|put me down|schedule me|give me a slot|pencil me in] for a {service} on {date}[ at {time}|, preferably at {time}|].
        [Are you free|Do you have time|Would you have time|Do you have an opening|Have you got anything] on {date}[ at {time}|] for a {service}?
        [Is {date}|Would {date} be|Might {date} be] [possible|available|free|good][ at {time}|] for a {service}? [I'd like to book|Then I would book|Please book me in if so].
        [I'm looking for|I am trying to get|I'm after|I am in need of] [an appointment|a slot|a free time] for a {service}[, ideally on {date}|, if possible on {date} at {time}|].
        [Appointment|Appointment wanted|Appointment request|New booking|To book][:| -] {service}, {date}[, {time}| at {time}|].
        [Service|Treatment|What]: {service}\\n[Date|Day|When|Preferred date]: {date}\\n[Time|At|Preferred time]: {time}\\n[Please book|New appointment|I would like to book this|Please enter this as a new appointment].
        [It is time for|I am due for|I'm overdue for|I could do with|I really need] a {service}; [do you have something|could I come|is there a slot] on {date}[ at {time}|]?
        [When could I|When can I|How soon can I|What is the earliest I can] [come|come by|drop in|come in] for a {service}? [Best for me is|I am free on|I'd like] {date}[ at {time}|].
        [May I|Can I|Could I] [reserve|book|take|have] the [slot|time|appointment] on {date} at {time} for a {service}[, if it is still free|, please|]?
        [I saw|I noticed|Your calendar shows|Your site says] [a free slot|an opening|an available time|a gap] on {date} at {time}. [I'd like to take it|Please book it|Please reserve it] for a {service}.
        On {date}[,|] I [would like to come|want to come|would like to drop by|could come|would love to come] [at {time} |]for a {service}[, please give me an appointment|, please book me in].
        [For a {service}|As I need a {service}|Because I need a {service}] [I need|I'd like|please give me] [an appointment|a time|a slot] on {date}[ at {time}|].
        [A {service}|One {service}], please, on {date}[ at {time}|, around {time}|]. [Can I book that|Could I get an appointment|Is there a slot]?
        [Reserve|Book|Get|Give|Make] me [an appointment|a slot] for a {service}[, {date}, {time}| on {date}|][, please|].
        [Do you take|Do you still take|Are you accepting|Can I make] [bookings|appointments] for {date}? [I'd like|I need|I want to book] a {service}[ at {time}|].
        [My friend|My neighbour|A colleague] recommended you, [and now I'd like|so I would like|and I want] to [book|make an appointment for|come in for] a {service} on {date}[ at {time}|].
        [I haven't been for a while|It has been ages|I am a new customer|I'm new here] and [would like|want|need] [an appointment|a new appointment] for a {service}[ on {date}| on {date} at {time}|].
        [Would it be possible|Is it possible|Is there any chance|Might it be possible] to [get|have|book|arrange] a {service} on {date}[ at {time}|]?
        [I need to|I have to|I must|I want to] [get|have] a {service} [done|soon]; [is {date} free|can I come on {date}|would {date} be all right][ at {time}|]?
        [Please let me have|Please send me|I'd be glad of|I would appreciate] [an appointment|a time|a slot] for a {service}, [if possible|preferably|best] on {date}[ at {time}|].
        [Would|Could] {date}[ at {time}|] [work|be fine|suit you|be all right] for a [new booking|new appointment], a {service}?
        [My wife|My son|My daughter|My husband|My mother] [needs|would like|wants] an appointment for a {service}[ on {date}| on {date} at {time}|][, can you book it in|, please].
        [We would like|We want|We wish|I'd like] to [come in|stop by|see you|visit you] for a {service} on {date}, [is there a free slot|do you have time|can you fit us in][ at {time}|]?
        [What times|What slots|Which times] [do you have|are free|are left] on {date} for a {service}? [I'd take {time}|{time} would be ideal|I'd like to book {time}].
        {date}[ at {time}|, {time}|], a {service}: [can you do that|is that free|do you have that slot|may I book that|could you book me in]?
        [I would take|I'll take|I'd go for|I'd choose] the [slot|appointment|free time] on {date} at {time}, [for a {service}|the {service} please|and I need a {service}].
        [Hi, can I|Hello, may I|Hi, could I] [still get in|come by|still book] on {date}[ at {time}|] for a {service}[, or are you full|, or is it too late|]?
        [I hereby request|I am writing to request|I'm writing to ask for|I request|I'm asking for] [an appointment|a date] for a {service}[ on {date}| on {date} at {time}|].
        """
    ).train,
    "move": wordings(
        """
        [I would like|I'd like|I want|I wish|I need] to [postpone|reschedule|shift|change|push back] my [appointment|{service}|{service} appointment] to {date}[ at {time}|].
        [Could we|Can we|Could you|Would you|Can you] [shift|postpone|push|switch|change] [my appointment|my {service}|the {service}|the appointment] to {date}[ at {time}| around {time}|]?
        [Is it possible|Would it be possible|Is there a way|Is there any chance] to [move|postpone|shift|reschedule|change] [my appointment|my {service}|the appointment] to {date}[ at {time}|]?
        [The appointment|My appointment|The {service}|The slot] on {other_date} [does not suit me|no longer works|clashes with my work|is bad for me]; can [I come|we do it] on {date}[ at {time}|] instead?
        [My {service}|My appointment|The {service}] [is booked for|is down for|is set for|was planned for] {other_date}, but [I need|I would prefer|I'd rather have|it should be] {date}[ at {time}|].
        [From {other_date}|Instead of {other_date}|Away from {other_date}], please [move|put|switch|shift] [my {service}|my appointment|it] to {date}[, {time}| at {time}|].
        [Reschedule|Rescheduling|Change of appointment|New date for|Moving]: {service}, [old date|was|before] {other_date}, [new|now] {date}[, {time}|].
        [I am busy|I'm away|I have to work|I can't get away|I am tied up] on {other_date}. [Could I come|Can I come|May I come|Is it all right if I come] on {date}[ at {time}|] for the {service} instead?
        [Something has come up|My plans changed|I got called in to work|My child is ill|My car broke down], so [please move|please shift|I must move|please reschedule] my {service} to {date}[ at {time}|].
        [Would|Could] {date}[ at {time}|] [work instead|be possible instead|suit you instead]? [I can't make|I won't manage|I'm not free on] {other_date} for the {service}.
        [Please change|Kindly change|Please alter|Please amend] [the date|the day] of my [{service}|appointment|{service} appointment] [from {other_date} |]to {date}[ at {time}|].
        [Please change|Change|Kindly set|Please set] the time of my [{service}|appointment] to {time}[ on {date}|, {date}|].
        [Can we find|Could we find|May I have|Can I get] [another date|a new date|a different date|another time] for my {service}? [How about|What about|Would you have] {date}[ at {time}|]?
        [I will be late|I won't get there in time|I can't be there by then|It is too early for me], so [please move|please put|I want to move|I must shift] my {service} to {time}[ on {date}|].
        [A later slot|Another day|A different time|Another slot] [would be better|would suit me better|is what I need] for my {service}: [say|on|for example|best on] {date}[ at {time}|].
        [Old date|Old appointment|Was|So far]: {other_date}\\n[New date|New appointment|Now|Please move to]: {date}[, {time}| at {time}|]\\n[Service|For]: {service}
        [I have an appointment|I'm booked in|I am down] for a {service} on {other_date}; [it should be moved|I'd like to put it off|I need it moved|please move it] to {date}[ at {time}|].
        [The {service}|My {service}|The appointment] [has to be|needs to be|must be|should be] [moved|rescheduled|postponed|put off|shifted], [preferably|if possible|ideally] to {date}[ at {time}|].
        [Swap|Switch|Exchange|Trade] my slot [on|of] {other_date} for [one on|a slot on] {date}[ at {time}|][, please|], for the {service}.
        [I want to keep|I still want|I still need|I don't want to lose] my {service}, [just|only|but] [on another day|at a different date|not on {other_date}]: {date}[ at {time}|].
        [Sorry|Apologies|I'm sorry|My apologies], I [mixed up|confused|misread] my dates. [Please move|Please shift|I need to move] the {service} to {date}[ at {time}|].
        [Can my|Could my] [{service}|appointment|{service} appointment] be [brought forward|put back|moved|rescheduled|postponed] to {date}[ at {time}|]?
        [I'm afraid|Unfortunately|Sadly] [I can't come|I'm not free|I have no time] on {other_date}, [so I'd like to come on|but I could come on|but I can do] {date}[ at {time}|] for the {service}.
        [Rather than|In place of] {other_date}, {date}[ at {time}|] [would suit me better|would be easier for me|would be my choice|works for me] for the {service}[, please change it|, please rebook me].
        [Please rebook|Rebook|Kindly rebook|Please re-schedule] me [from {other_date} |]to {date}[ at {time}|] for [the|my] {service}.
        [My {service}|The {service}|My appointment], [at present|currently|so far] [on|planned for] {other_date}, should [take place|be|happen] on {date}[ at {time}|] instead.
        [Do you have|Is there|Would there be] [a slot|an opening|room] on {date}[ at {time}|] to which [I can move|we could move|I could shift] my {service}?
        [If you can|If possible|If it is no trouble|If there is space], [move|shift|put back|reschedule] [my {service}|my appointment] to {date}[ at {time}|].
        [Due to illness|Because of a work trip|For family reasons|As I have another meeting], my {service} [must move|has to move|needs to be moved] [from {other_date} |]to {date}[ at {time}|].
        [Another date for|A new time for|A change to] my {service}[, please|, if I may]: [no longer {other_date} but|not {other_date} but|in place of {other_date}] {date}[ at {time}|].
        """
    ).train,
    "cancel": wordings(
        """
        [I'd like to|I would like to|I am going to|I wish to|I must] [cancel|call off|drop] my [{service}|appointment|{service} appointment|booking for a {service}] on {date}[ at {time}|].
        [Could you|Can you|Would you|Will you] [cancel|delete|remove|take out|strike out] my [{service}|appointment|{service} appointment] on {date}[ at {time}|]?
        [Unfortunately|Sadly|I'm afraid|Regrettably][,|] I [can't keep|cannot keep|can't attend|have to call off|can't come to] my [{service}|{service} appointment] on {date}[ at {time}|].
        [My appointment|My {service}|The {service}|My booking] on {date}[ at {time}|] [must be cancelled|has to be cancelled|is to be cancelled|needs to be called off|is off].
        [Cancellation|Cancelling|Appointment cancelled|Please cancel][:|] [{service}|my {service}], {date}[, {time}| at {time}|].
        [I no longer need|I don't need|I have no need for|I do not want|I don't want] [the|my] {service} on {date}[ at {time}|][, please cancel it|, so please delete it| any more|].
        [Please take|Kindly take|Take|Please strike] me [off the list|off your calendar|out of the schedule|out of the book] for the {service} on {date}[ at {time}|].
        [You can|You may|Feel free to|Please] [give away|free up|release|give someone else] my [slot|appointment] on {date}[ at {time}|], [I won't need the {service}|I'm not having the {service}|I have dropped the {service}].
        [I won't be coming|I'm not coming|I will not be there|I can't come|I won't make it] on {date}[ at {time}|]; please [cancel|call off|delete|drop] the {service}.
        [Due to illness|For personal reasons|Because of work|For health reasons|As I am ill], I [have to|must|need to] [cancel|call off|drop] [my {service}|the {service}] on {date}[ at {time}|].
        [Something came up|My plans changed|I am ill|I caught a cold|I have to travel], so [please cancel|I must cancel|I have to call off|please drop] my {service} on {date}[ at {time}|].
        [Is it still possible|Is it possible|May I still ask you|Is it too late] to [cancel|call off] [my {service}|the {service}|my appointment] on {date}[ at {time}|]?
        [What was booked|What I booked|The slot I booked] for {date}[ at {time}|], [a {service}|the {service}], [is no longer needed|can be cancelled|please cancel it].
        [I booked|I had booked|I made an appointment for|I am booked in for] a {service} on {date}[ at {time}|], [but I have to cancel|which I need to cancel|please cancel this|but I am not coming].
        [Date|Day]: {date}\\n[Service|Appointment|Treatment]: {service}\\n[To be cancelled|Please cancel|I want to cancel this|Cancelled by me].
        [We need to|We have to|We must|We'd like to|We want to] [cancel|call off|give up] [our|the] [{service}|appointment|{service} appointment] on {date}[ at {time}|].
        [Sorry|Apologies|I am sorry|So sorry], [I have to cancel|I need to call off|I must cancel|I've got to cancel] {date}[ at {time}|], [no {service} for me|the {service} is off|I won't need the {service}].
        [Cancel|Delete|Scrap|Drop|Call off] [my|the] [{service}|appointment|{service} appointment] on {date}[ at {time}|][, please|, thanks|].
        [I hereby cancel|I'm cancelling|I am cancelling|I herewith cancel|With this I cancel] my [{service}|appointment|{service} appointment|appointment for a {service}] on {date}[ at {time}|].
        [I've changed my mind|I have found another solution|It has been sorted out already|I got one elsewhere], so [cancel|please cancel|you can cancel] my {service} on {date}[ at {time}|].
        [The {service}|My {service}|The appointment] on {date}[ at {time}|]: [please cancel|cancel it, please|I want to cancel|not needed any more|I'm out].
        [There is no need|No need|It's not necessary] to [expect me|keep my slot|hold my slot|wait for me] on {date}[ at {time}|], [I'm cancelling the {service}|I cancel the {service}|the {service} is cancelled].
        [Could I|Can I|May I] [back out of|get out of|withdraw from|cancel] [my|the] {service} on {date}[ at {time}|][, please|]?
        [My husband|My wife|My son|My daughter|My mother] [can't come|cannot make it|won't come] on {date}[ at {time}|], [so please cancel|we have to cancel|please call off] the {service}.
        [I called last week|I wrote before|I was in touch|You wrote to me] about a {service} on {date}; [I'd like to cancel that|please cancel it|I must call it off|that is cancelled now].
        [It won't work out|It won't work|I have no time|I can't manage it] on {date}[ at {time}|], [please cancel my {service}|so cancel the {service}|I need to cancel my {service}].
        [Don't|Do not|Please do not] [expect me|wait for me|keep a place for me|count on me] on {date}[ at {time}|], the {service} [is cancelled|is off|must be cancelled].
        [Please consider|You can consider|Kindly consider] my [{service}|appointment|{service} appointment] on {date}[ at {time}|] [cancelled|as cancelled].
        [On {date}|For {date}] [you have me down for|I have|I am booked for|I'm down for] a {service}[ at {time}|]; [please cancel that|please call it off|I want to cancel it].
        [I can do without|I've decided against|I'd rather not have|I'm giving up] the {service} on {date}[ at {time}|], [please cancel|cancel it please|so please remove it|so I cancel].
        """
    ).train,
    "confirm": wordings(
        """
        [I am happy to|I'm pleased to|I can|I'd like to|We would like to] confirm [the|my] [appointment|{service}|appointment for a {service}|{service} appointment] on {date}[ at {time}|].
        [The appointment|My {service}|The {service}|Our appointment] on {date}[ at {time}|] [is confirmed|is fine with me|suits me|works for me|stands].
        [See you|I'll see you|I will see you] on {date}[ at {time}|] for [the|my] {service}[, as agreed|, as planned|].
        [I'll be there|I'm coming|I will come|I'll come|I shall be there|We'll be there] on {date}[ at {time}|][ for the {service}|], [as agreed|as planned|as arranged|as booked|no changes].
        [Yes|Yes, of course|Sure|Absolutely], {date}[ at {time}|] [works|is fine|is good|suits me|is right] for [the|my] {service}.
        [Confirmation|My confirmation|Appointment confirmed|Confirming][:|] {service}, {date}[, {time}| at {time}|].
        [You asked me|Your message asked me|Your text asks me|You wanted me] to confirm [my {service}|the {service}|the appointment] on {date}[ at {time}|]: [yes, I'm coming|I do|confirmed|yes, all good].
        [Thank you for the reminder|Thanks for the reminder|Thanks for your text|I got your reminder]; I [will be there|will come|am coming|confirm] [for my {service} |for the {service} |]on {date}[ at {time}|].
        [I accept|I gladly accept|I'm taking|I agree to] [the appointment you offered|the proposed date|the slot you suggested|your suggestion], {date}[ at {time}|], for the {service}.
        [Everything stays|It stays|We leave it|All stays] [as planned|as agreed|as booked|as it is]: {service} on {date}[ at {time}|].
        [You can|Please|You may] [count on me|expect me|count me in] on {date}[ at {time}|] for [the|my] {service}.
        [I can make|I can do|I'm fine with|I am OK with] {date}[ at {time}|] for the {service}, [so I confirm|consider it confirmed|it is confirmed|that's a yes].
        [Please note that|Please take note that|For your calendar:|Just to let you know that] I [am coming|will come|will be coming|shall come] on {date}[ at {time}|] for my {service}, [as booked|as agreed|as arranged].
        [My|The] {service}[,| on] {date}[ at {time}|]: [confirmed|I confirm|yes, I'll come|I'll be there|that's fine].
        [Just a quick note|Just a short message|A few words|I'm writing] to confirm [my {service}|the {service}|our appointment] on {date}[ at {time}|].
        [Date|Day]: {date}\\n[Time|At]: {time}\\n[Service|Treatment|Appointment]: {service}\\n[Confirmed|I confirm this|All confirmed|I'll be there|Yes, I will come].
        [I have received|I got|I have read] your [invitation|message|email] about the {service} on {date}[ at {time}|] and [confirm it|hereby confirm|will be there|can confirm].
        [My wife|My son|My daughter|My husband|My mother] [will be there|will come|is coming] on {date}[ at {time}|] for the {service}[, as planned|, as agreed|].
        There is [no change|nothing new|no problem|no obstacle] on my side: [I am coming|I'll be there|I'll come] on {date}[ at {time}|] for the {service}.
        [As requested|As you asked|As agreed on the phone|In reply to your message], I [confirm|hereby confirm|can confirm|am confirming] [my|the] {service} on {date}[ at {time}|].
        [The reminder is right|Your reminder is correct|That's correct|All correct]: I have a {service} on {date}[ at {time}|] and [I'll come|I'm coming|I confirm it|I will be there].
        [I am looking forward|I look forward|Looking forward] to [my|the] {service} on {date}[ at {time}|][, see you then|, I'll be on time|, I'll be there|].
        [Count me in|It's a deal|That is settled|Agreed|Deal]: {service} on {date}[ at {time}|].
        [We|Both of us] [confirm|would like to confirm|can confirm|herewith confirm] [our|the] [{service}|appointment|{service} appointment] on {date}[ at {time}|].
        [I can definitely|I can certainly|I will definitely|I'll certainly] [come|be there|attend|keep the appointment] on {date}[ at {time}|][ for the {service}|].
        """
    ).train,
}

STAFF = wordings(
    """
    [I'd like to|I would like to|I want to|I'd prefer to|I wish to] [be seen by|be served by|go to|come to|be treated by] {staff}[, please|, if possible| again|].
    [Could I|Can I|May I|Could we] [see|have|come to|get|be booked with] {staff}[, please| again| this time|]?
    Is {staff} [free|available|working|on duty][ then| that day|]? [I'd like to go there again|I'd prefer that|That is who I want to see].
    {staff} [usually does it|always looks after me|knows my case|normally looks after me], so [I'd like to see them again|please book me there|same again, please].
    [Please book|Put me down|Kindly book me in|Please schedule me|Please enter me] with {staff}[, if possible| again| as usual|].
    [Preferred staff|Staff member|Employee|With whom|Preferably with|Requested staff][:| -] {staff}
    [My usual|My regular|My favourite] [person|contact|specialist] [is|there is|with you is] {staff}[, whom I would like to see|, please book that|].
    [If there is a choice|If I may choose|If I can choose|If it can be arranged], [with|I'd choose|I would like|I'd go to] {staff}.
    [Ideally|Preferably|If possible,|If it works,] [with|done by|I'd see|I'd have] {staff}[, please|].
    [I'm normally with|I have been with|I am a regular of|I was last seen by|I am usually seen by] {staff}[ and would like that again| and want to stay there|].
    [I only want|I just want|I want only] {staff} [to do it|to see me|to look after me|to handle it][, please| and nobody else|].
    [It should be|It has to be|It needs to be|I would like it to be] {staff}[, please|, who did it last time|, as always|].
    [I trust|I was very happy with|I get on well with|I was recommended] {staff}, [so please book me in there|so I'd like to go there|so I would like that].
    [Please make sure|Make sure|Please see to it|Please arrange] that {staff} [does it|sees me|takes care of me|looks after me].
    [Who should do it?|Who do I want to see?|Which colleague of yours?|With whom?] [With|Best with|I'd prefer|Ideally] {staff}.
    [Does|Will] {staff} have time[ for me| then|]? [I'd like to go there|That is my first choice|I would prefer that].
    [An appointment|A slot|A time] with {staff} [would be ideal|would be best|is what I'd like|would suit me|is my wish].
    [My wish|A special request|One more wish|One request]: [I'd like|please let me see|please give me|I would like to see] {staff}.
    """
).train

DURATION = wordings(
    """
    [It takes|It usually takes|It normally takes|That takes|It will last] [about |around |roughly |]{duration} minutes.
    [Please allow|Please reserve|Please set aside|Please block|Please leave|Allow] [about |around |]{duration} minutes[ for it| for me|].
    [Length|Time needed|Expected duration|Duration in minutes|Approx. duration][:| -] {duration} [min|minutes|min.]
    [Last time|The last time|On my last visit|Last year] it [took|lasted|went on for] {duration} minutes, [so plan the same|please plan that again|which should be enough].
    [Is|Are] {duration} minutes [enough|sufficient|all right|okay][ for that| for it|]?
    {duration} minutes [should be enough|should do|will do|are enough|is what it takes|would be fine].
    [I think|I guess|I suppose|I expect|I reckon] [it will take|we need|it lasts|it takes] {duration} minutes.
    [I only have|I have|I've got|I can spare] {duration} minutes[ for it| for that| at most|].
    [Your website says|You told me|Your price list says|I was told|I read] [it takes|it lasts|one should allow|you plan for] {duration} minutes.
    [A slot of|A session of|An appointment of|A time of] {duration} minutes [would be good|is enough|is needed|would suit|is right].
    [How long?|How long does it take?|Duration?|For how long?] [About|Around|I would say|Roughly] {duration} minutes.
    [We will need|We need|You will need|It needs|I would need] [about |around |at least |close to |]{duration} minutes.
    """
).train
