# ruff: noqa: E501 - a template stays on one line
"""Customer messages: what the customer wants, in the customer's words; one block for each intent."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["INTENTS"]

INTENTS = {
    "order_status": wordings(
        """
        [Where is|What is the status of|Any news about|What about] my [order|order {order_id}|parcel|package|{product}]?
        [Can you tell me|I would like to know|I want to know|Please tell me] [where my order {order_id} is|the status of order {order_id}|what is happening with my order].
        [Has my order {order_id} been shipped|Did you already send my order {order_id}|Has the {product} been sent yet]?
        I [cannot track|want to track] my [order {order_id}|parcel {tracking}|package].
        ! I am curious how far along order {order_id} is.
        ! Could somebody check the progress of order {order_id}?
        """
    ),
    "late_delivery": wordings(
        """
        [My order|My parcel|Order {order_id}|The {product}] [is late|has not arrived yet|is overdue|still has not come|is delayed].
        [The delivery|My package] should have [arrived|been here] on {date}[ but it is still missing| but nothing came|].
        I have been waiting for [my order {order_id}|the {product}|my delivery] since {date}.
        [It was promised for|You promised delivery by|Delivery was due on] {date}, [and it is still not here|and I am still waiting|nothing has arrived].
        ! Order {order_id} was meant to be with me by {date}; I am still waiting.
        ! The {product} is days late by now.
        """
    ),
    "missing_item": wordings(
        """
        [The {product}|One item|The {product} I ordered] [is missing|was missing|was not in the box|was not included].
        [My parcel came|Order {order_id} arrived|The package arrived] [without the {product}|but the {product} was missing|incomplete, the {product} is missing].
        [There is|There was] no {product} in [my order|the box|the parcel|order {order_id}].
        ! I unpacked everything, but the {product} is missing from the box.
        ! Order {order_id} is incomplete: no {product}.
        """
    ),
    "wrong_item": wordings(
        """
        [You sent me|I received|I got] [the wrong item|the wrong product|something else] [instead of|and not] [the|my] {product}.
        [The wrong item|A wrong article|The wrong colour] [arrived|was delivered|came] [with order {order_id}|in my parcel|instead of the {product}].
        I ordered [a|the] {product} but [received|got] [a|the] {other_product}.
        ! What came in the mail is not the {product} that I ordered, it is the wrong item.
        ! Order {order_id} contained the wrong product.
        """
    ),
    "damaged_item": wordings(
        """
        [The {product}|My {product}|The parcel with the {product}] [arrived broken|arrived damaged|was damaged|came broken|has a crack|is scratched].
        [The box|The package|Order {order_id}] [was crushed|arrived damaged|was torn] [and the {product} is broken|and the {product} is damaged|].
        [I received|You sent me] a [broken|damaged|cracked|scratched] {product}.
        ! When I opened the box, the {product} was in pieces, badly damaged.
        ! There is a big scratch on the {product}; it arrived damaged.
        """
    ),
    "defective_product": wordings(
        """
        [The {product}|My {product}] [does not work|stopped working|does not turn on|is defective|keeps switching off|makes a strange noise].
        [After two days|Since yesterday|Since {date}] [the {product}|my {product}] [no longer works|is dead|does not work|has a defect].
        [I cannot get|It is impossible to get] the {product} to work.
        ! Nothing happens when I press the button; the {product} does not work.
        ! My {product} from order {order_id} is defective.
        """
    ),
    "return_request": wordings(
        """
        I [want to|would like to|need to] [return|send back] [the {product}|my order|order {order_id}|this].
        [How can I|How do I|Can I] [return|send back] [the {product}|order {order_id}|an item]?
        [Please send me|I need|Where do I find] a return label[ for order {order_id}| for the {product}|].
        ! The {product} is not for me, so I plan to return it.
        ! What are the steps to send the {product} back?
        """
    ),
    "refund_request": wordings(
        """
        I [want|would like|demand|am asking for|request] [a refund|my money back][ for order {order_id}| for the {product}| of {amount}|].
        [Please refund|Refund|Please pay back] [{amount}|order {order_id}|the {product}|my money].
        [When will I get|Where is|I am still waiting for] my [refund|money back][ of {amount}| for order {order_id}|].
        ! Kindly transfer the {amount} back to me, I want a refund.
        ! A refund for order {order_id} is what I need.
        """
    ),
    "exchange_request": wordings(
        """
        I [want to|would like to|need to] [exchange|swap] [the|my] {product} for [a|the] {replacement}.
        [Can I|Could I|Is it possible to] [exchange|swap] [the {product}|order {order_id}|the {product} for a {replacement}|it] [for another size|for another colour|]?
        [The {product} is too small|The {product} is too big|The {product} does not fit], [please exchange it|can I swap it|I want to exchange it].
        ! I would rather have a {replacement} in exchange for my {product}.
        ! May I swap the {product} from order {order_id}?
        """
    ),
    "cancel_order": wordings(
        """
        [Please cancel|Cancel|I want to cancel|I would like to cancel|I need to cancel] [my order|order {order_id}|my order {order_id}|the order for the {product}].
        [Can you|Could you|Is it still possible to] cancel [order {order_id}|my order|the {product}]?
        I [changed my mind|no longer need the {product}|do not want the {product} anymore], [please cancel order {order_id}|cancel it|please cancel the order].
        ! The {product} is no longer needed; kindly cancel it.
        ! Order {order_id} has to be cancelled.
        """
    ),
    "change_address": wordings(
        """
        [Please change|I need to change|I want to change|Can you change] the [delivery address|shipping address|address][ of order {order_id}| for my order|] to {street}, {postal_code} {city}.
        [I moved|I have moved|We moved], [my new address is|the new address is] {street}, {postal_code} {city}.
        [Send|Please send] [order {order_id}|my order|the parcel] to [a new address|another address]: {street}, {postal_code} {city}.
        ! My parcel must go elsewhere, the address is now {street}, {postal_code} {city}.
        ! Kindly update the delivery address to {street}, {postal_code} {city}.
        """
    ),
    "change_quantity": wordings(
        """
        [Please change|I want to change|Can you change] the [quantity|number] [of|for] [the {product}|order {order_id}] to {quantity}.
        I [need|want] {quantity} [pieces|units] of the {product} instead of [1|one|a single one].
        [Please make it|Can you make it|Change it to] {quantity} [pieces|units|items] [of the {product}|in order {order_id}|].
        ! Instead of one I need {quantity} units of the {product}, please change the order.
        ! Raise the quantity of the {product} to {quantity}.
        """
    ),
    "invoice_request": wordings(
        """
        [Please send me|I need|Can I get|Could you send me|Where do I find] [an invoice|the invoice|a copy of the invoice][ for order {order_id}| for the {product}| for {amount}|].
        [My accountant|My tax office|My company] needs [the invoice|an invoice][ for order {order_id}| over {amount}|].
        [There is no invoice|I did not get an invoice|The invoice is missing] [for order {order_id}|in the parcel|].
        ! For my books I require the invoice of order {order_id}.
        ! An invoice made out to my firm would be needed, order {order_id}.
        """
    ),
    "payment_failed": wordings(
        """
        [My payment|The payment|My card payment][ of {amount}| for order {order_id}|] [failed|was declined|did not go through|was rejected].
        I [cannot pay|am not able to pay|tried to pay][ {amount}| for order {order_id}|], [my card is declined|the payment fails|there is an error].
        [The checkout|Your payment page|The payment page] [does not accept my card|shows an error|crashes when I pay].
        ! Every time I try to pay the {amount}, the payment is declined.
        ! Paying for order {order_id} does not work, the card is rejected.
        """
    ),
    "double_charge": wordings(
        """
        [You charged me|I was charged|My card was charged|You billed me] [twice|two times|double][ for order {order_id}| for the {product}|, {amount} each|].
        [There are two charges|I see two payments|There are two bookings] of {amount} on my [card|account|statement].
        [The amount of {amount}|Order {order_id}] was [charged twice|billed twice|debited two times].
        ! My bank statement lists {amount} twice.
        ! You took the {amount} two times from my account.
        """
    ),
    "discount_code": wordings(
        """
        [The discount code|The voucher|The coupon|My promo code] {code} [does not work|is not accepted|was rejected|shows an error].
        I [forgot to use|could not use|want to use] [the discount code|my voucher|the coupon] {code}[ on order {order_id}|].
        [Can I still use|Is it possible to use|How do I use] the [code|coupon|voucher] {code}?
        ! Your shop refuses my coupon {code}.
        ! The checkout says that the code {code} is invalid.
        """
    ),
    "price_question": wordings(
        """
        [How much is|What is the price of|How much does it cost for|What do you charge for] [the {product}|a {product}|{quantity} pieces of the {product}]?
        [Can you give me|Please send me|I would like] [a price|a quote|an offer] for [the {product}|{quantity} units of the {product}].
        [What does|How much would] [the {product}|a {product}] cost?
        ! I would like to learn the price of the {product}.
        ! Could you quote me {quantity} units of the {product}?
        """
    ),
    "stock_question": wordings(
        """
        [Is|When will] [the {product}|your {product}] [in stock|available|back in stock|available again]?
        [Do you have|Do you still have|Have you got] [the {product}|{quantity} pieces of the {product}] [in stock|in your shop in {city}|available]?
        [The {product}|Your {product}] [is sold out|is out of stock], [when is it back|when will you have it again|will it come back]?
        ! Can I still get the {product}, or is it sold out?
        ! I wonder whether the {product} is in stock in {city}.
        """
    ),
    "warranty_claim": wordings(
        """
        [Is|Does] [the {product}|my {product}] [still under warranty|covered by the warranty|still have a guarantee]?
        I [want to make|would like to make|am making] a warranty claim for [the|my] {product}.
        [How long is|What about] the [warranty|guarantee] [on|for] the {product}[ bought on {date}|]?
        ! I bought the {product} on {date}, so the guarantee must still cover it.
        ! Please repair the {product} under warranty.
        """
    ),
    "account_locked": wordings(
        """
        [My account|My account {email}|The account {email}] [is locked|is blocked|has been locked|was suspended].
        I [cannot log in|am locked out|have no access to my account], [the account is locked|it says my account is blocked|please unlock it].
        [Please unlock|Unlock|Can you unlock] [my account|the account {email}].
        ! It seems that somebody blocked my account {email}.
        ! Why was I locked out of my account?
        """
    ),
    "password_reset": wordings(
        """
        I [forgot|lost|do not remember] my password[ for {email}|].
        [Please reset|I need to reset|How do I reset|Can you reset] my password[ for {email}|].
        [The password reset link|The reset mail|The link for a new password] [never arrived|does not work|has expired].
        ! A new password for {email} is needed, I forgot the old one.
        ! How can I choose a new password?
        """
    ),
    "delete_account": wordings(
        """
        [Please delete|Delete|I want you to delete|I would like to delete] [my account|my account {email}|my customer account|all my data].
        [How do I|Can you] [delete|close|remove] my [account|profile|customer account]?
        [I want to close|Please close|Please remove] my account[ {email}| with the number {customer_id}|].
        ! It is time to close my account {email} for good.
        ! Remove all the data that you hold about me.
        """
    ),
    "change_email": wordings(
        """
        [Please change|I need to change|I want to update] my e-mail address to {email}.
        [My new email is|My e-mail has changed to|I have a new email address:] {email}[, please update it|, please change it in my account|].
        [Can you update|Please update] the [email|e-mail] in my account[ {customer_id}|] to {email}?
        ! From now on my e-mail address is {email}, kindly change it.
        ! My old mailbox is gone; switch my account to {email}.
        """
    ),
    "unsubscribe": wordings(
        """
        [Please unsubscribe me|Unsubscribe me|I want to unsubscribe] from [your newsletter|the mailing list|these emails].
        [Stop sending me|I do not want any more|No more] [newsletters|advertising|marketing emails|emails][ to {email}|].
        [Take|Please take|Remove] {email} off your [mailing list|newsletter].
        ! I no longer wish to get the newsletter at {email}.
        ! Your advertising fills my inbox, take me off the list.
        """
    ),
    "complaint": wordings(
        """
        I [want to complain about|am complaining about|have a complaint about] [your service|the courier|your staff|your shop in {city}|{staff}].
        [Your agent|Your employee|The driver|Your colleague] {staff} was [very unfriendly|rude to me|unhelpful|impolite].
        [I am very unhappy with|I am disappointed by|I am not satisfied with] [your service|the support|how I was treated by {staff}].
        ! The way {staff} treated me was not acceptable, take this as a complaint.
        ! I wish to file a formal complaint about your shop in {city}.
        """
    ),
    "praise": wordings(
        """
        I [just want to|only want to|would like to] [say thank you|thank you] [for the great service|for the {product}|to {staff}].
        [The {product} is|Your {product} is] [fantastic|great|wonderful|perfect|excellent], [I love it|well done|I am very happy].
        [Great service|Excellent support|Fast delivery|Compliments], [{staff} was very helpful|the {product} arrived in perfect shape|keep it up].
        ! What a lovely {product}, five stars from me.
        ! {staff} deserves a raise for such great service.
        """
    ),
    "delivery_schedule": wordings(
        """
        [Can you deliver|Please deliver|Could you deliver] [order {order_id}|the {product}|my order] on {delivery_date}[ at {time}| after {time}|]?
        [I would like|I want|We need] [the delivery|order {order_id}|the {product}] [moved to|rescheduled to|delivered on] {delivery_date}.
        [Nobody is at home|I am not at home] [before|that day], [please come on|please deliver on] {delivery_date}[ at {time}|].
        ! Would {delivery_date} at {time} work for the delivery?
        ! Please bring the {product} on {delivery_date} and not earlier.
        """
    ),
}
