# ruff: noqa: E501 - a template stays on one line
"""Greetings, closings, contact details, tone and distractors that all kinds of text share."""

from __future__ import annotations

from tools.support_world.templates.more_texts import contacts as more_contacts
from tools.support_world.templates.more_texts import tones as more_tones
from tools.support_world.wording import wordings

__all__ = [
    "CLOSINGS",
    "CONTACT",
    "DISTRACTORS",
    "FILLERS",
    "GREETINGS",
    "INTRODUCTIONS",
    "POLITE",
    "RUDE",
    "TONES",
    "URGENCY",
]

TONES = ("polite", "neutral", "rude")

GREETINGS = {
    "polite": wordings(
        """
        Dear [team|support team|Sir or Madam|customer service|all],
        [Hello|Hi|Good morning|Good afternoon|Good evening][| there| everyone| dear team],
        [Hello|Good day]! I hope you are [well|doing well|having a good week].
        Hi [there|team], I hope [this finds you well|all is well].
        ! Greetings to the whole team,
        ! A very good day to you!
        """
    ).widened(more_tones.GREETINGS["polite"]),
    "neutral": wordings(
        """
        [Hello|Hi|Hey|Good morning|Hello there][,|.|!]
        [To whom it may concern|Hi support|Hello team][,|:]
        [Re|Subject|Concerning]: [my order|a question|request]
        ! Good afternoon to you.
        ! Attention: customer desk
        """
    ).widened(more_tones.GREETINGS["neutral"]),
    "rude": wordings(
        """
        [Hey|Listen|Listen up|Oi|Wake up][,|!]
        [Are you people serious|What is wrong with you|Seriously][?|?!]
        [You again|Unbelievable|What a joke][.|!]
        ! Is anybody awake over there?
        ! Great job, geniuses.
        """
    ).widened(more_tones.GREETINGS["rude"]),
}

CLOSINGS = {
    "polite": wordings(
        """
        [Thank you very much|Many thanks|Thanks a lot|Thank you so much][ for your help| in advance| for your time|][.|!]\\n[Best regards|Kind regards|Warm regards|Yours sincerely|All the best],
        [I would really appreciate your help|Thank you for looking into this|I am grateful for any help].\\n[Best|Kind regards|With best wishes],
        ! Your support means a lot, thank you.\\nRespectfully,
        ! Wishing you a pleasant day,
        """
    ).widened(more_tones.CLOSINGS["polite"]),
    "neutral": wordings(
        """
        [Thanks|Regards|Best|Cheers|Thx][,|.]
        [Please confirm|Let me know|Please reply|Waiting for your answer].\\n[Regards|Thanks],
        ! Bye for now,
        ! With regards,
        """
    ).widened(more_tones.CLOSINGS["neutral"]),
    "rude": wordings(
        """
        [Do your job|Fix it|Sort it out|Get it done][.|!| for once!]
        [I will never buy here again|You will hear from my lawyer|Worst shop ever|This is pathetic][.|!]
        [What a bunch of amateurs|Useless|Idiots][.|!]
        ! My grandmother could run this place better.
        ! I expect better from you clowns.
        """
    ).widened(more_tones.CLOSINGS["rude"]),
}

RUDE = wordings(
    """
    [This is|It is] [ridiculous|a disgrace|a joke|pathetic|unacceptable|rubbish][.|!]
    [Your service is|You lot are] [terrible|useless|hopeless|a disaster|incompetent][.|!]
    [How hard can it be|Can you read|Are you stupid|Do you ever work][?|?!]
    [I am sick of this|I have had enough of your excuses|Stop wasting my time][.|!]
    ! I have seen snails work faster than you.
    ! Nobody there seems to have a brain.
    """
).widened(more_tones.RUDE)

POLITE = wordings(
    """
    [Could you please help me|Would you be so kind as to help][ with this|]?
    [I am sorry to bother you|Sorry for the trouble|Apologies for the inconvenience][.|, and thank you for your patience.]
    [I really like your shop|You have always been very helpful|I know you are busy][, so thank you|].
    ! I would be delighted if you could assist me.
    ! No hard feelings at all, these things happen.
    """
).widened(more_tones.POLITE)

INTRODUCTIONS = wordings(
    """
    My name is {name}.
    [I am|I'm|this is|It's] {name}[|, a customer of yours| here].
    [Name|Customer|Full name]: {name}
    [The order was placed by|I ordered under the name|The account is in the name of|It is registered to] {name}.
    ! {name} is my name.
    ! You will find me in your files as {name}.
    """
).widened(more_contacts.INTRODUCTIONS)

CONTACT = {
    "email": wordings(
        """
        [My e-mail is|My email address is|You can reach me at|Please write to|Mail me at|Contact me at|My account is] {email}[.|]
        [E-mail|Email|Mail]: {email}
        [Please send the confirmation|Please answer|Send everything] to {email}.
        ! The best way to get hold of me is {email}.
        ! I read my mail at {email}.
        """
    ).widened(more_contacts.CONTACT["email"]),
    "phone": wordings(
        """
        [My phone number is|My number is|Call me at|Call me on|You can call me on|Phone me at|Reach me under] {phone}[.|]
        [Phone|Tel|Tel.|Mobile|Telephone]: {phone}
        [Please ring|If anything is unclear, call|Feel free to call] {phone}.
        ! My mobile is always on: {phone}.
        ! Dial {phone} if you need me.
        """
    ).widened(more_contacts.CONTACT["phone"]),
    "address": wordings(
        """
        [My address is|I live at|The delivery address is|Ship to|It should go to|Please deliver to] {street}, {postal_code} {city}.
        [Address|Shipping address|Deliver to]: {street}, {city} {postal_code}
        [Address|Adresse]:\\n{street}\\n{postal_code} {city}
        ! You will find my door at {street} in {postal_code} {city}.
        ! Parcels reach me at {street}, {postal_code} {city}.
        """
    ).widened(more_contacts.CONTACT["address"]),
    "city": wordings(
        """
        I [live in|am writing from|am based in] {city}.
        [I bought it in your shop in|The parcel was sent to|I picked it up in] {city}.
        ! {city} is where I live.
        """
    ).widened(more_contacts.CONTACT["city"]),
    "customer_id": wordings(
        """
        [My customer number is|My customer id is|Customer number|Customer no.|Client number:] {customer_id}.
        [I am customer|You have me as customer] {customer_id}.
        ! In your system I am listed under customer number {customer_id}.
        """
    ).widened(more_contacts.CONTACT["customer_id"]),
    "order_id": wordings(
        """
        [The order number is|My order number is|Order number:|Order no.|Order:|Order ID|It is about order|This is order] {order_id}.
        [My order|The order|The purchase] [has the number|is number|is] {order_id}.
        ! For reference, the order in question: {order_id}.
        ! I placed this as order {order_id}.
        """
    ).widened(more_contacts.CONTACT["order_id"]),
    "date": wordings(
        """
        I [ordered|bought it|placed the order|paid] on {date}.
        [The order is from|It was ordered on|Date of purchase:|The purchase was on|Order date:] {date}.
        ! All of this goes back to {date}.
        ! {date} was the day I placed it.
        """
    ).widened(more_contacts.CONTACT["date"]),
    "amount": wordings(
        """
        [I paid|It cost me|I was charged|The total was|The price was|It is about] {amount}.
        [Amount|Total|Sum|Price]: {amount}
        ! My bank took {amount} for it.
        ! We are talking about {amount} here.
        """
    ).widened(more_contacts.CONTACT["amount"]),
    "product": wordings(
        """
        [It is about|I ordered|I bought|The item is|I am talking about] [the|a|my|your] {product}.
        [Item|Product|Article]: {product}
        ! The thing in question is the {product}.
        """
    ).widened(more_contacts.CONTACT["product"]),
    "tracking": wordings(
        """
        [The tracking number is|Tracking:|Tracking number|Tracking code:|The parcel has the tracking code] {tracking}.
        ! The courier gave me {tracking} to track it.
        """
    ).widened(more_contacts.CONTACT["tracking"]),
}

URGENCY = {
    "high": wordings(
        """
        [This is urgent|It is very urgent|I need this today|Please hurry|I need an answer immediately|ASAP please|This cannot wait][.|!]
        [Please treat this as urgent|As soon as possible, please|I need it right away][.|!]
        ! Every hour counts here.
        ! Please drop everything else for this.
        """
    ).widened(more_tones.URGENCY["high"]),
    "low": wordings(
        """
        [There is no rush|No hurry|It is not urgent|Take your time|Whenever you have time|No rush at all][.|!]
        ! This can easily wait a few weeks.
        ! Only when it suits you.
        """
    ).widened(more_tones.URGENCY["low"]),
}

# Never what a field asks for: other people are friends and relatives, never staff; other numbers are called cases.
DISTRACTORS = wordings(
    """
    I have been a customer since [2009|2012|2015|2018|2020].
    I [already called|called|wrote to you|tried it] [2|3|4|5|twice|three|four] times.
    I [talked to|asked|mentioned it to] [my cousin|my aunt|my flatmate] {other_person} [yesterday|last week|on the phone|][, who could not help|].
    [My friend|My neighbour|My sister|My brother] {other_person} [recommended you|had the same problem|told me to write].
    [Your hotline|The hotline|Somebody] [gave me the case number {other_number}|said it would take 3 days|opened case {other_number}].
    [Your website says|I was told|The hotline said] [2-3|3-5|5-7|10] [days|working days].
    [The weather report says|My calendar says|My diary says] [21|14|30] degrees [today|for tomorrow].
    [An earlier case|Another case of mine] ({other_number}) [was solved|was fine|had no problem].
    [The parcel weighs about|It weighs] [2|3|5|12] kg.
    [I will be away|I am on holiday] until {other_date}.
    [My last bill was|A similar one at another shop costs|My neighbour pays] {other_amount}[, by the way|].
    [I also like|I already own|I might later look at] [the|your] {other_product}.
    We [used to live|had a shop] in {other_city}.
    It is for [my daughter|my son|a friend|my mother|our office][, who turns 30 soon|].
    ! Funny enough, my uncle {other_person} said the same.
    ! Back in {other_city} this always worked.
    ! Compare case {other_number}, which you solved in [2|3] days.
    ! Until {other_date} I am in hospital, so please be patient.
    ! At 37 I still learn new things, as my dentist {other_person} likes to say.
    """
).widened(more_contacts.DISTRACTORS + more_tones.SMALL_TALK)

FILLERS = wordings(
    """
    [I looked everywhere on your website but could not find anything about this|Your help pages did not help me|I read the terms twice].
    [The summer here has been terrible|We just moved house|It has been a busy month|I work from home most days].
    [I know that mistakes happen|I hope this can be solved|I am sure there is an explanation].
    [We have been talking about this at home for days|My whole family is waiting|Everybody here is curious how this ends].
    [I attach a photo|I can send pictures|The documents are attached|See the attachment].
    [The last time everything went well|Normally your shop is fine|In general I am a patient person].
    ! [The dog had a good time with the box|I wrote this on the train|Forgive the long message].
    """
)
