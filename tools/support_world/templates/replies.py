# ruff: noqa: E501 - a template stays on one line
"""What agents answer: for each intent what it is about and what is done, and for each tone the sentences around it."""

from __future__ import annotations

from dataclasses import dataclass

from tools.support_world.wording import Wordings, wordings

__all__ = [
    "ACTIONS",
    "ANSWERS",
    "CLOSINGS",
    "EVASIONS",
    "OPENINGS",
    "REFERENCES",
    "STATEMENTS",
    "THANKS",
    "WHEN",
    "Answer",
]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the answer to an intent says.

    Args:
        issue: what the customer wrote about, as a noun phrase.
        action: what the agent does about it, as an infinitive; no two intents share one.
    """

    issue: Wordings
    action: Wordings


def _answer(issue: str, action: str) -> Answer:
    return Answer(wordings(issue), wordings(action))


ANSWERS = {
    "order_status": _answer(
        "[the status|the progress|the whereabouts] of your [order|parcel]",
        "[ask the courier where it is|send you the tracking link|tell you where the parcel is]",
    ),
    "late_delivery": _answer(
        "[the late delivery|the delay|the delayed parcel]",
        "[hurry the delivery along|chase the late parcel|press the courier to deliver]",
    ),
    "missing_item": _answer(
        "[the missing item|the item that was missing|the incomplete parcel]",
        "[send the missing item|ship what was missing|post the missing part]",
    ),
    "wrong_item": _answer(
        "[the wrong item|the mix-up|the mistaken parcel]",
        "[collect the wrong item and send the right one|swap it for the right item|correct the mix-up]",
    ),
    "damaged_item": _answer(
        "[the damage|the damaged item|the broken item]",
        "[replace the damaged item|send you an undamaged one|make good the damage]",
    ),
    "defective_product": _answer(
        "[the defect|the faulty product|the device that does not work]",
        "[have the defect repaired|arrange a repair|send a technician]",
    ),
    "return_request": _answer(
        "[your return|the return|sending it back]",
        "[send you a return label|prepare the return|book a pick-up for the return]",
    ),
    "refund_request": _answer(
        "[your refund|the refund|the money that we owe you]",
        "[refund the money|pay the money back|transfer the refund]",
    ),
    "exchange_request": _answer(
        "[the exchange|your exchange|the swap that you want]",
        "[exchange it|arrange the exchange|reserve another size for you]",
    ),
    "cancel_order": _answer(
        "[the cancellation|your cancellation|the order that you no longer want]",
        "[cancel the order|stop the shipment|confirm the cancellation]",
    ),
    "change_address": _answer(
        "[the new address|your change of address|the delivery address]",
        "[change the address|update the delivery address|redirect the parcel]",
    ),
    "change_quantity": _answer(
        "[the quantity|the number of pieces|the change of the quantity]",
        "[change the quantity|adjust the number of pieces|correct the amount of goods]",
    ),
    "invoice_request": _answer(
        "[the invoice|your invoice|the bill]",
        "[send the invoice|e-mail the invoice|print a copy of the invoice]",
    ),
    "payment_failed": _answer(
        "[the failed payment|the payment|the declined card]",
        "[check the payment|send a new payment link|try the payment again]",
    ),
    "double_charge": _answer(
        "[the double charge|the second charge|the charge that came twice]",
        "[reverse the second charge|return the double charge|clear up the charge]",
    ),
    "discount_code": _answer(
        "[the discount code|the voucher|your code]",
        "[activate the code|apply the discount|renew the voucher]",
    ),
    "price_question": _answer(
        "[the price|our prices|the price that you ask for]",
        "[send you a quote|tell you the price|make an offer]",
    ),
    "stock_question": _answer(
        "[our stock|the availability|what we have in stock]",
        "[check the stock|tell you when it is in stock|look in the warehouse]",
    ),
    "warranty_claim": _answer(
        "[the warranty|your warranty claim|the guarantee]",
        "[check the warranty|open a warranty case|honour the guarantee]",
    ),
    "account_locked": _answer(
        "[the locked account|your blocked account|the lock on your account]",
        "[unlock the account|lift the lock|restore your access]",
    ),
    "password_reset": _answer(
        "[your password|the lost password|the password reset]",
        "[reset the password|send a new password link|mail you a reset code]",
    ),
    "delete_account": _answer(
        "[the deletion of your account|closing your account|your data]",
        "[delete the account|close the account|erase your data]",
    ),
    "change_email": _answer(
        "[your new e-mail address|the change of your e-mail|the e-mail address]",
        "[update the e-mail address|change your e-mail|save the new e-mail address]",
    ),
    "unsubscribe": _answer(
        "[the newsletter|our e-mails|the mailing list]",
        "[take you off the list|stop the newsletter|end the subscription]",
    ),
    "complaint": _answer(
        "[your complaint|how you were treated|the behaviour of our staff]",
        "[talk to the colleague|report this to the manager|hold a training]",
    ),
    "praise": _answer(
        "[your kind words|your praise|the compliment]",
        "[share this with the team|frame your message|pass the praise on]",
    ),
    "delivery_schedule": _answer(
        "[the delivery day|the time of delivery|the appointment for the delivery]",
        "[book the delivery day|move the delivery|arrange the delivery slot]",
    ),
}

EVASIONS = wordings("[look into it|see what happens|ask somebody|get back to you|think about it]")
"""Actions that answer nothing."""

WHEN = wordings("[today|tomorrow|this week|within two days|at once|by Friday|in an hour]")

# In the openings, {name} stands in the first line of each tone; the second is for customers without a name.
OPENINGS = {
    "polite": wordings(
        """
        [Dear|Hello|Good day] {name}, [thank you for your message|thank you for writing|thank you for contacting us|it is good to hear from you|we are glad that you wrote].
        [Dear customer|Hello|Good day], [thank you for your message|thank you for writing|thank you for contacting us|it is good to hear from you|we are glad that you wrote].
        """
    ),
    "neutral": wordings(
        """
        {name}, [we have your message|your message arrived|we read your message|this is the support desk].
        [We have your message|Your message arrived|We read your message|This is the support desk].
        """
    ),
    "rude": wordings(
        """
        [Oh great, {name}|Not you again, {name}|Listen, {name}, I am busy|Calm down, {name}|Ugh, {name}, what now].
        [Oh great|Not you again|Listen, I am busy|Calm down|Ugh, what now].
        """
    ),
}

STATEMENTS = {
    "polite": wordings(
        """
        I [completely|fully|well] understand [your message about|your concern about|how important to you is] {issue}.
        [Of course|Certainly|Naturally] I am [happy|glad|pleased] to help with {issue}.
        [Thank you for telling us|We appreciate that you told us|We are grateful that you told us] about {issue}.
        """
    ),
    "neutral": wordings(
        """
        [This is|It is|Your message is] about {issue}.
        [The case concerns|The ticket concerns|You ask about|You wrote about] {issue}.
        """
    ),
    "rude": wordings(
        """
        [Nobody here cares|I could not care less|Nobody wants to hear] about {issue}.
        [You waste my time|You bother us|You get on my nerves] with {issue}.
        [Stop whining|Quit moaning|Enough crying] about {issue}.
        """
    ),
}

REFERENCES = {
    "polite": wordings(
        """
        [I have carefully noted|We have gladly noted|I have kindly written down] {details}.
        """
    ),
    "neutral": wordings(
        """
        [Noted:|Reference:|Details:|We noted] {details}.
        """
    ),
    "rude": wordings(
        """
        [Yes yes|Blah blah|Spare me]: {details}.
        """
    ),
}

ACTIONS = {
    "polite": wordings(
        """
        [We will gladly|I will be glad to|It is our pleasure to|Please allow us to|We would love to] {action} {when}.
        """
    ),
    "neutral": wordings(
        """
        [We will|I will|The team will|The next step is to|We are going to] {action} {when}.
        """
    ),
    "rude": wordings(
        """
        [Fine|Whatever|If you must|To shut you up], [we will|I will|the team will] {action} {when}.
        [Maybe|Perhaps|Some day] [we will|I will] {action}, [so get lost|so shut up|so stop nagging].
        """
    ),
}

CLOSINGS = {
    "polite": wordings(
        """
        [Thank you for your patience|Have a lovely day|We wish you a pleasant day|It is always a pleasure to help you|Please let us know if we can do more].
        [Kind|Warm|Best] regards from [the whole|your] support team.
        """
    ),
    "neutral": wordings(
        """
        [Regards, the support team|The ticket stays open|You will get a message|The case is open|End of message].
        """
    ),
    "rude": wordings(
        """
        [Now get lost|Go away|Do not write again|Leave us alone|Learn to read|What an idiot|You clown|Get a life].
        [Only a fool|Only a moron|Only a loser] [writes|asks|whines] [like this|so much|all day].
        """
    ),
}

THANKS = {
    "polite": wordings("[Thank you so much|Many thanks for your help|That is very kind of you]."),
    "neutral": wordings("[Thanks|All right|Understood|OK]."),
    "rude": wordings("[About time|Took you long enough|You are useless anyway]."),
}
"""What customers say to an answer."""
