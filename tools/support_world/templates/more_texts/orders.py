# ruff: noqa: E501 - a template stays on one line
"""More orders by mail."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["DELIVERY", "EXPRESS", "GIFT", "OPENINGS", "PAYMENT", "TOTALS"]

OPENINGS = wordings(
    """
    I would like[ to have| to get| to purchase| to receive] {items}[, please| from you|].
    [Could you|Can you|Would you] [please |kindly |]send [me|us|our office] {items}?
    {items}, please[, to my usual address|, for my kitchen|, as always|].
    {items} [should|must|shall] [be sent|be shipped|go] to [me|my home address|the address below].
    [Hello|Hi|Good morning|Dear team], I [want|need|would like|am ordering|will take] {items}[, please|].
    [I'll take|I will take|I'd take|I'd like|I want|I'll have] {items}[, thanks|, thank you|, please|].
    [I wish to place|I'd like to place|I hereby place|Let me place|I am placing] [an order|a new order|the following order]: {items}.
    [Please|Kindly] [reserve|pack|put aside|prepare|get ready] {items} and [send everything to us|ship it all to me|post everything to my address].
    [Wanted|Required|Needed|To be ordered|Ordering|Request]: {items}
    [My|Our] [shopping list|wish list|basket|cart|purchase][ is| contains| today is|:] {items}.
    What I [need|want|would like|am after] [is|today is|this time is]: {items}.
    [We at {company}|We from {company}|Here at {company} we|At {company} we] [need|require|want to order|are looking to buy] {items}.
    For {company}[:|, please:|, to order:] {items}.
    [I am writing|I write|I am contacting you|I get in touch] [to order|to buy|because I want to buy|because I need] {items}.
    [Please|Kindly] [accept|register|process|book|take down|enter] [my order|our order|this order] [for|of] {items}.
    [I saw your shop|I looked at your website|I went through your catalogue|I like your range] and [would like to buy|want to order|have decided on|chose] {items}.
    [Once again|Just like last time|As usual|As every year|As before], [we take|please send us|we order|we would like] {items}.
    [If possible|If you have them|If everything is in stock|When you can], [please send|I would like|I'll take|I order] {items}.
    [Would it be possible|Is it possible|May I ask you] to [send me|deliver|ship us|get me] {items}?
    [Our office|Our school|My wife|Our club|Our team|My mother] [needs|wants|would like|has asked for] {items}.
    [Since we are moving|Because we are renovating|As our stock is low|As we are opening soon], [we need|please send|I order|we are ordering] {items}.
    [The order|This order|My order|This purchase] [is for|covers|consists of|comprises|is made up of] {items}.
    Order [of|for] {items}[, please confirm|, as discussed on the phone|, to be shipped to the address below|].
    [May I|Could I|Can we|Might I|Could we] [please |]have {items}[ sent to us| delivered|]?
    [Hi, one order please|A new order for you|Quick order|Small order from me|Here comes an order]: {items}[.|, thanks.]
    [Purchase order|PO|Order no.|Order ref.|Our PO number] {order_id}: {items}
    [Our|The] [purchase order|PO] {order_id} [is for|covers|contains|includes] {items}.
    [Under|With|On] [purchase order|PO|our order number] {order_id} [we order|we request|please supply|please send] {items}.
    {company} [would like to order|orders|wants to purchase|hereby orders|requires|needs] {items}.
    [I am ordering|I order|I place this order|I want to buy] [for|on behalf of|in the name of] {company}: {items}.
    [Send|Ship|Mail|Post|Get] [me|us] {items}[, please| at home| at work|].
    [Just|Only] {items} [for me|for us|this time|from me|today][, please|].
    [There are a few things I need|I need a few things|I have an order for you|I would like to order something], namely {items}.
    [After talking to your colleague|After our phone call|As agreed on the phone|As discussed], I [order|would like to order|hereby order|am ordering] {items}.
    [My customer number you know|You have my address|You know my details|I am a regular customer], [so please send|so I just order|please ship] {items}.
    [We have|I have] [decided|made up my mind|chosen] to [buy|order|go for|take] {items}[ from you| from your shop|].
    [Put|Please put|Kindly put] {items} [on my order|on our account|in my basket|on the next delivery][, please|].
    [Are you able to|Can you|Could you] [supply us with|provide us with|supply|deliver] {items}? [I order this herewith|Then this is my order|If so, consider it ordered].
    [Supply|Please supply|Kindly supply|Please provide|Provide] {items} to [{company}|our company {company}|us at {company}].
    [It's|It is] [time to restock|that time again|for our new office]: {items}[, please|].
    [We'd be glad|We would be happy|I'd be grateful|I would be pleased] if you [sent us|could send|could ship|could deliver] {items}.
    [Consider this|Please take this as|Please treat this email as|Regard this as] [my order|a firm order|a binding order|our order] for {items}.
    [I'm|We're] [interested in buying|looking to buy|in need of|looking for] {items}, [please ship it all|please send everything|so please take this order].
    [To order|To buy|I buy|I order|Ordered]: {items}[ - thanks.| - thank you.|.]
    [How about|What about] [sending me|shipping us|selling me] {items}? [That is my order|I order it all now|Please go ahead].
    [Please find|You will find|See|Find] [our order|my order|the order|the items] [attached here|in the list below|listed below|in the following list]:\\n{list}
    [Please send|Please ship|Kindly send|Could you send|I need you to send] [me|us] [the following|these items|these things|what is listed here]:\\n{list}
    [I would like to buy|I want to buy|I wish to order|We want to purchase|I am ordering] [the following|these items|the articles below|all of this]:\\n{list}
    [Shopping list|Order list|List of items|Items|Articles|Products][ to order| wanted| for me|]:\\n{list}
    [What we need|What I need|All I need|What I would like|What I want to order|Things we need][ is this| this time|]:\\n{list}
    [PO|PO no.|Purchase order no.|Purchase order number|Order ref.] {order_id}[, items| with these positions| for|]:\\n{list}
    [For {company}|On behalf of {company}|{company}], [we order|please supply|we need|I order][ the following| these goods|]:\\n{list}
    [We at {company}|We, {company},|I work for {company} and we|The purchasing team of {company}] [need|want to order|would like to buy|request] [the following|these things]:\\n{list}
    [Order|Purchase order|New order|Order form|Order request] [by|of|from|for] {company}:\\n{list}
    [Under|With] [purchase order|PO number|our reference] {order_id} [we order|please deliver|we would like] [the following|these goods]:\\n{list}
    [My basket|My cart|Our basket|The order|My order] [contains|has|consists of|includes][ the following| these items|]:\\n{list}
    [Hi|Hello|Good morning|Hey], [can I get|could I have|may I order|I'll have] [the following|these|all this]:\\n{list}
    [This|Here] is [what I want|what we want to order|what should be sent|my shopping list|our new order]:\\n{list}
    [Please|Kindly] [process|register|confirm|book|enter] [the following order|this order|our order below|my new order]:\\n{list}
    [We have run out of|We are short of|We are missing|We used up] [several things|some articles|a few items], [so please send|please supply|so we order]:\\n{list}
    [I have picked|I picked|I have chosen|I selected|We decided on] [the following|these items|some things] [from your catalogue|on your website|from your shop]:\\n{list}
    [I hereby order|We hereby order|Herewith I order|Ordering hereby][ bindingly| from you|]:\\n{list}
    [Qty and item|Quantity, article|Number and product|Amount and article|Position]:\\n{list}
    [As discussed|As agreed|As every month|Same as always|After our call], [please deliver|I order|we order|please send]:\\n{list}
    [Could you deliver the following|Can you ship all of this|Would you send these items|May I have these sent][ to my address| to our office|, please|]:\\n{list}
    [The order|The purchase|Our request] is [as follows|made up like this|for these products|for the following goods]:\\n{list}
    [I need several things|Several things are needed|There are some things we need|We need supplies][ for the office| for a party| at home|], [namely|these]:\\n{list}
    [To be delivered|To be sent|To be shipped|For delivery][ to us| to my address|]:\\n{list}
    [Put|Write|Note] [me|us] down for [the following|these items|all of this][, please|]:\\n{list}
    [Today I order|This time I need|I'd like to restock, so send|My next order]:\\n{list}
    """
).train

DELIVERY = wordings(
    """
    [Delivery|Arrival|Desired delivery|Requested delivery date|Delivery wanted|To be delivered][ by| no later than|]: {delivery_date}
    [I|We] [need|want|would like|expect] [the delivery|the goods|the parcel|the shipment|everything here] [by|before|no later than] {delivery_date}.
    [The goods|The package|The items|Everything|The delivery] [must|has to|should|needs to|ought to] [be here|be with us|reach me|reach us|get here] [by|before] {delivery_date}.
    [Can you|Could you|Would you be able to|Is it possible to] [deliver|get it here|get everything to me|bring it] [by|before|on] {delivery_date}?
    By {delivery_date} [at the latest|at the very latest|if possible|please], [everything must be here|I need the goods|we need it all|the parcel should arrive].
    [Please make sure|Please see to it|Make sure|Please take care] that [it arrives|everything gets here|the order is delivered|it reaches us] [by|before|no later than] {delivery_date}.
    {delivery_date} is [when|the day when|the date by which|the day] [I need it|we need everything|the goods must be here|it should arrive].
    [When do I need it|When should it come|Until when|By when|Delivery when]? [By|On|Before] {delivery_date}[, please|].
    [Latest|Required|Preferred|Wished|Agreed|Expected] [delivery date|date of delivery|arrival date|day of arrival]: {delivery_date}
    [Needed|Required|Due|Wanted here|Must arrive|To arrive] [by|before|on]: {delivery_date}
    [We have|There is|I have] a [birthday|wedding|trade fair|school event|family party] on {delivery_date}, [so it must be here by then|everything has to arrive before that|please deliver in time].
    [Deliver|Ship|Send|Bring] [it all|everything|the goods] [so that|in such a way that] [it gets here|I have it|it is here|we receive it] by {delivery_date}[, please|].
    [It would be|That would be] [great|good|perfect|wonderful|helpful] if [the parcel came|everything arrived|we got it|you delivered] [by|on|before] {delivery_date}.
    [I must have it|We must have it|I have to have it|It is needed] in my [hands|house|office] [by|before] {delivery_date}.
    [As for delivery|Regarding delivery|About the delivery|Concerning the date]: [by|not later than|on|at best on] {delivery_date}.
    [My|Our] [deadline|delivery deadline|latest date|target date for delivery] is {delivery_date}[, so please deliver by then|, later is no use to me|].
    [No later than|Not later than|On or before|At the latest on] {delivery_date}[, please.|, that is when I need it.|, as we open then.]
    [Do not deliver|It must not arrive|It should not come|Please do not deliver] [later than|after] {delivery_date}.
    [The latest possible day|The last possible day|The latest date] for [the delivery|it to arrive|the goods to get here] is {delivery_date}.
    [Please schedule|Please arrange|Kindly plan|Please set] [the delivery|the shipment|delivery to us] for {delivery_date}.
    [I am only at home on|Someone is in on|We can take delivery on|We can receive the goods on] {delivery_date}, [so please deliver then|please come that day|so deliver it that day].
    [Without fail|Definitely|By all means|Please] [deliver|be here with it|have it here|get it to us] [by|before] {delivery_date}.
    [I am going|We are going|I'm flying] [on holiday|on vacation|away] after {delivery_date}, so [it has to arrive by then|please deliver by that day|I need the parcel by then].
    [We would appreciate|I would appreciate|We would be grateful for|I kindly ask for] [delivery|arrival of the goods|receipt of everything] [by|before|on] {delivery_date}.
    [Since|As|Because] [we open|the course starts|the guests come|work begins] on {delivery_date}, [all of it must be here by then|delivery must be made by then|the goods need to arrive by that day].
    [Timing|Date|Time frame|Schedule]: [please deliver by|must be here by|needs to arrive by|delivery on] {delivery_date}[.|]
    [ETA|Deadline|Latest arrival|Delivery deadline|Due date for delivery][ please| requested|]: {delivery_date}
    [The goods|The things|All items] [are needed|are required|are wanted|are due] [here |at our place |]by {delivery_date}.
    [If it can be here|If it arrives|If you can deliver it|If we get everything] [by|before] {delivery_date}, [that is fine|I am happy|that works for us|all is well].
    [I hope|We hope|I trust|I assume] [it will be here|everything can be delivered|you can deliver|the order gets here] [by|before] {delivery_date}.
    [We need|I need] to [receive|get|have] [the goods|the order|the shipment|all items] [on|by|before] {delivery_date}[, is that possible?|, will that work?|.]
    [My boss|My wife|Our customer|Our caretaker] [wants|needs|expects] [it|everything|the delivery] [here by|at the door by|by] {delivery_date}.
    [It is important|It matters to me|It is essential|It is necessary] that [we have it|everything is here|the goods arrive|I get the parcel] by {delivery_date}.
    [A delivery|Delivery|Arrival] [on|by|before] {delivery_date} [would suit me best|would be ideal|is a must|would be great|is necessary].
    Until {delivery_date} [I need|we need|we must have|I must have] [the goods|the parcel|everything][ here|].
    [There is no hurry|No rush|It does not have to be today|Take your time], [as long as it is here|it just has to arrive|I only need it] [by|before] {delivery_date}.
    [Please choose|Please book|Please enter|I choose|I select] {delivery_date} as the [delivery date|day of delivery|date of arrival].
    [I want it|I'd like it|We want it] [delivered|brought|dropped off|sent to arrive] [on|by|before] {delivery_date}.
    [You promised|Your colleague promised|Your website promises|I was promised] [delivery|that it gets here|arrival] by {delivery_date}[, which I need|, please keep to that|].
    [Can it|Could it|Will it|Could everything] [be here|be delivered|be at my door|get to us] [by|on|before] {delivery_date}?
    """
).train

PAYMENT = {
    "card": wordings(
        """
        [I'd like|I would like|We would like|I wish|I prefer] to [pay|settle this|settle the bill|do the payment] [by card|using my card|with a credit card].
        [Please charge|Kindly charge|Charge|You can charge|Please debit] [my card|my credit card|our company card|the card on file].
        [Payment method|Method of payment|Paying by|Form of payment|How I pay]: [credit card|card|debit card|Visa|Mastercard].
        [You have|You already have] [my card details|our card number|the number of my credit card], please [use them|charge that card|use that].
        [Credit card|Card|Debit card|Visa|Mastercard][ payment| is fine|, please| for this order|].
        [The payment|Payment] [will be made|is made|is to be made|goes|should go] [by card|by credit card|via my card|with our credit card].
        [Put it|Put everything|Please put this|Put the lot] on my [card|credit card|Visa card|Mastercard].
        [Can I|May I|Could I|Is it OK if I] [pay|settle] [by card|with a credit card|with Visa|by debit card]?
        [I am paying|I'm paying|We are paying|We'll be paying|I'll be paying] [by card|by credit card|with a Visa card|with plastic].
        [My|Our] [Visa|Mastercard|credit card|debit card|company card] [will be used|is to be charged|can be charged|may be debited] [for this|for the order|for everything].
        [As payment|For payment|To pay|For the payment], [I use my card|take my card|I choose credit card|please use our card].
        [As always|As usual|Like last time|Same as before], [by credit card|I pay by Visa|the card will be charged|charge it to the card].
        [Bill|Charge] [it|this|the order|everything] to [my credit card|my Visa|our Mastercard|the company card].
        [I will give you|I'll send you|I am happy to give you|You will get] [my card details|the card number|my credit card number] [separately|for the payment|so you can charge it].
        [Paid|To be paid|Will be paid|Payable|Payment] [by card|by credit card|by Visa|with Mastercard].
        [We settle|I settle|We'd like to settle|I'll settle] [this|the bill|the amount|the order] [by card|by credit card|using the company card].
        [Do you take|Do you accept|I hope you accept] [cards|credit cards|Visa|Mastercard][? That is how I want to pay.|? I would pay that way.|? Then I'll use that.]
        [Online|At checkout|On your page|In the form], I [chose|selected|picked|ticked] [card payment|credit card|payment by card].
        [Use|Please use|Just use] [the saved card|my stored credit card|the Visa card in my account|the card you have on file][ for payment| again|].
        [Pay by|Payment via|Payment type|Payment option]: [card|Visa card|credit card|Mastercard|my debit card].
        [I want|We want|I need] [it|this|the order|the sum] [charged to my card|taken from my credit card|debited from my card].
        [How will I pay|How do I pay|Payment|And the payment]? [By card|With my credit card|Visa|Card][, please|].
        [Card details|Credit card details|My card number] [follow by phone|are in my account|will follow|can be found in my profile].
        [The amount|The sum|The money|The price] [can be taken|may be collected|should be drawn|is to be taken] from my [credit card|card|Visa card].
        [Since I have|As I have|Because I use] a [credit card|Visa card|Mastercard], [I will pay with that|please charge it|I pay with it].
        """
    ).train,
    "paypal": wordings(
        """
        [I'd like|I would like|We would like|I prefer|I wish] to [pay|settle this|settle up|send the money] [with PayPal|via PayPal|through PayPal|using PayPal].
        [Payment method|Method of payment|Paying by|Payment type|How I pay]: PayPal[ please| account|].
        [PayPal|PayPal payment|Payment by PayPal], [please|thanks|if you do not mind|as last time].
        [The money|The payment|The amount] [comes|will come|is going to come|will be sent] [by PayPal|from my PayPal account|via PayPal].
        [Please send|Kindly send|Send|Could you send|Please email] me [a PayPal request|a PayPal link|a payment request on PayPal|your PayPal address].
        [Can I|May I|Could I|Is it possible to|Am I able to] [use PayPal|pay via PayPal|pay with PayPal|settle through PayPal]?
        [I use|I'll use|I will use|We use|I am using|Let me use] PayPal[ for this| to pay| for the payment|].
        [We are paying|I am paying|I'm paying|We'll be paying|I'll be paying] [with PayPal|through PayPal|from our PayPal account].
        [I have|We have|I've got] a PayPal account and [will pay with it|would pay with that|want to use that|pay through that].
        [The amount|The bill|The order|Everything] [will be settled|is settled|is to be paid|goes|will go] [via PayPal|through PayPal|over PayPal].
        [As usual|As always|Like last time|Same as before], [with PayPal|PayPal|I pay using PayPal|the money comes by PayPal].
        [For payment|To pay|As payment method|For the payment], [I choose PayPal|PayPal would be best|please take PayPal|PayPal is fine].
        [I'll PayPal you|I will PayPal you|Let me PayPal you|I can PayPal you] the [money|amount|sum][ right away| today| once you confirm|].
        [PayPal|My PayPal account|Paying with PayPal] [is what I prefer|works best for me|suits me best|is my choice] [this time|for now|for this order].
        [Charge|Please charge|Please debit|You can charge] my PayPal[ account][ for this| for the order|].
        [Do you take|Do you accept|Can you take] PayPal[ payments| too|]? [I would like to pay that way.|Then I will pay with it.|That is how I want to pay.]
        [How will I pay|How do I pay|The payment|Payment how]? [With|Via|Through|By] PayPal.
        [I selected|I chose|I picked|I have ticked] PayPal [at checkout|in the form|on your website|as the payment option].
        [The amount|The sum|The total] [has been sent|was sent|was paid|will be paid|is being sent] [with|via|by|through] PayPal.
        [Just tell me|Let me know|Please tell me|Please confirm] [your PayPal address|the PayPal email|which PayPal account you have], and I will [pay|send the money|send it there].
        [Paid|To be paid|Will be paid|Payable] [by|via|through|with] PayPal.
        [We settle|I settle|I'd settle|We'll settle] [the bill|this|it all|the order] [via|through|by] PayPal.
        [If that is all right|If possible|If you offer it|If you agree], I [pay|would pay|will pay|would like to pay] [by|with|through] PayPal.
        [Pay by|Payment via|Payment through|Payment option|Means of payment]: PayPal[, please|].
        [It is easiest for me|It suits me best|It would be easiest|I find it simplest] to [pay with PayPal|use PayPal|pay through PayPal].
        """
    ).train,
    "invoice": wordings(
        """
        [Please send|Kindly send|Send|Please email|Please post] [me|us] [an invoice|the invoice|a bill|the bill][ with the goods| afterwards| to pay later|].
        [Payment method|Method of payment|Payment type|Form of payment|How we pay]: [invoice|by invoice|on account|purchase on invoice].
        [Please invoice|Kindly invoice|You can invoice|Please bill|Just bill] [me|us|our office|the accounts department][ for this| for everything|].
        [I'd like|I would like|We would like|We prefer|We wish] to [pay|buy|order|settle] [on invoice|by invoice|on account].
        [Can I|Can we|Could we|May I|Is it possible to] [pay|order|buy] [on invoice|on account|against an invoice|after receiving the invoice]?
        [We pay|We will pay|I pay|I will pay|We always pay] [when the invoice comes|once we have the invoice|after receipt of the invoice|as soon as you bill us].
        [Invoice|Bill], [please|with the parcel please|as usual|as last time][.|, thank you.]
        [The invoice|The bill|Your invoice] [should go|goes|can be sent|is to be sent|must be posted] to [our accounts department|the same address|me|our head office].
        [We are paying|I am paying|We'll be paying|I'm paying] [on invoice|on account|by invoice|against your invoice].
        [As usual|As always|Like last time|As a regular customer], [on invoice|on account|we pay on invoice|please send a bill].
        [Payment|The payment|Settlement] [will be made|is made|is to be made|happens] [on invoice|after receipt of the invoice|upon invoice|against invoice].
        [Payment terms|Terms of payment|Terms]: [invoice, 30 days|invoice, net 14 days|on invoice within 30 days|net 30 after invoice].
        [Enclose|Include|Please enclose|Please include|Put] [the invoice|a bill|your invoice] [in the parcel|with the delivery|with the goods][, I will pay it then|, we pay it later|].
        [We settle|I settle|Our office settles|Accounting settles] [bills|invoices|your invoice] within [14|30|10] days[, so please send one|, please invoice us|].
        [Put it|Put this|Please put everything|Put the order] on [our account and bill us|my account and send a bill|an invoice].
        [I chose|I selected|I picked|We have chosen] [invoice|payment on invoice|purchase on account|pay by invoice][ at checkout| in the form|].
        [We only order|Our company only buys|We always order|Our school has to buy] [on invoice|on account|against invoice].
        [I'd rather|I would rather|We'd rather|I prefer to] [get an invoice|receive a bill|have an invoice] and [pay later|pay afterwards|pay after delivery].
        [How will we pay|How do I pay|Payment|And the payment]? [On invoice|By invoice|Please send a bill|Against an invoice].
        [For payment|To pay|Regarding payment|As to the payment], [we need an invoice|an invoice would be best|please write us an invoice|on invoice is fine].
        [Pay by|Payment via|Payment option|Mode of payment]: invoice[, please| to the company| to me|].
        [Deliver first|Send the goods first|Ship first], [then invoice us|and bill us afterwards|the invoice can follow|then send the bill].
        [To be paid|Will be paid|Payable|Payment due] [on invoice|on receipt of the invoice|after invoicing|when we are billed].
        [Billing|Charging]: [send invoice|by invoice|please invoice the company|on account].
        [It would be good|It would be helpful|I would be glad] if [I could pay on invoice|you invoiced me|you sent a bill|we could pay by invoice].
        """
    ).train,
    "bank_transfer": wordings(
        """
        [I'd like|I would like|We would like|I prefer|We wish] to [pay|settle this|settle the amount] [by bank transfer|via bank transfer|by wire transfer|by direct transfer].
        [Payment method|Method of payment|Payment type|How I pay|Paying by]: [bank transfer|wire transfer|SEPA transfer|direct bank transfer].
        [I will|I'll|We will|We'll|I can] [transfer|wire|remit] the [money|amount|sum][ to your account| to your bank account| by bank transfer].
        [Please send|Kindly send|Send|Please give|Could you send] me your [bank details|IBAN|account number|bank account details][ for the transfer| so I can transfer the money|].
        [Can I|May I|Could I|Could we|Is it possible to] [transfer the money|pay by bank transfer|wire the amount|pay via online banking]?
        [I am paying|We are paying|I'm paying|We'll be paying|I'll be paying] [by bank transfer|by wire|via SEPA transfer|through my bank].
        [The money|The amount|The payment|The sum] [will be transferred|is being transferred|will be wired|has been transferred|is to be transferred][ to your account| to your bank account| from our bank|].
        [Bank transfer|Wire transfer|Transfer to your account|SEPA transfer], [please|as last time|if that is all right|as always].
        [As usual|As always|Like last time|Same as before], [I transfer the money|by transfer to your account|we pay by wire|bank transfer].
        [Payment|The payment|Settlement] [will be made|is made|will follow|comes|will come] [by bank transfer|by wire transfer|via transfer|by SEPA transfer].
        [Our bank|My bank] [will send|transfers|will transfer|is going to wire|sends] [you the money|you the amount|you the payment|the sum].
        [To which account|Which account|What bank account] [shall I transfer the money to|do I send the money to|can I transfer the amount to]?
        [For payment|To pay|As payment method|As to the payment], [I use a bank transfer|we choose bank transfer|a transfer would be best|I will wire the money].
        [I chose|I selected|I picked|We have chosen] [bank transfer|wire transfer|payment by transfer][ at checkout| in the form| as payment|].
        [How will I pay|How do I pay|Payment|And the payment]? [By bank transfer|By wire|Bank transfer|With a transfer to your account].
        [Once I have|As soon as I have|When I have|After I get] your [bank details|IBAN|account number], I [transfer the money|will wire the amount|will make the transfer].
        [Pay by|Payment via|Payment option|Mode of payment|Means of payment]: [bank transfer|transfer to your account|wire|online bank transfer].
        [I have|We have] [already|just|today] [transferred|wired] the [money|amount|total][ to your account| to your bank|].
        [We settle|I settle|We always settle|I'd like to settle] [the bill|this|the order|the amount] by [bank transfer|wire transfer|transfer].
        [The transfer|The bank transfer|My transfer|The wire] [goes out|will go out|will be made|will be ordered] [today|tomorrow|after your confirmation|this week].
        [To be paid|Will be paid|Payable|Paid] [by bank transfer|by wire transfer|via bank|by transfer to your account].
        [I'd rather|I would rather|We'd rather|I prefer to] [transfer the money|pay through my bank|send the money from my bank account|make a bank transfer].
        [I do|I'll do|I will make|We make|We'll do] a [bank transfer|wire transfer|SEPA transfer][ for this| to pay for it| in advance|].
        [If you tell me|If you send me|If you give me|Please tell me] [your IBAN|the account number|your bank details], [I can transfer the money|I will do a transfer|then I transfer the amount].
        [You will get|You'll receive|You get|Expect] the [money|payment|amount] [by transfer|by bank transfer|on your bank account|by wire].
        """
    ).train,
    "cash": wordings(
        """
        [I'd like|I would like|We would like|I prefer|I wish] to [pay|settle this|settle the bill] [in cash|with cash|in cash on delivery|cash when it arrives].
        [Payment method|Method of payment|Payment type|How I pay|Form of payment]: [cash|in cash|COD|cash on arrival|cash at the door].
        [I'll|I will|We will|We'll|I can] [give the driver cash|hand the driver the money in cash|pay the driver in cash|have the cash ready at the door].
        [Cash|Cash on delivery|Cash payment|COD], [please|as last time|if that is possible|if you do not mind].
        [Can I|May I|Could I|Could we|Is it possible to] [pay in cash|pay cash|give you cash|use cash]?
        [I am paying|I'm paying|We are paying|I'll be paying|We'll be paying] [in cash|cash|with cash|cash to the driver].
        [The courier|The driver|Your driver|The delivery man] [gets|will get|receives|can collect] the [money|amount|sum] in cash[ at the door| from me|].
        [I pay|We pay|I will pay|We'll pay] [with notes and coins|with banknotes|in ready money|with real money, so cash][ on delivery| at the door|].
        [As usual|As always|Like last time|Same as before], [cash|in cash|I pay cash|cash at the door].
        [The bill|The amount|Everything|The order] [will be paid|is paid|will be settled|is settled] [in cash|cash on delivery|in cash on arrival].
        [How will I pay|How do I pay|Payment|And the payment]? [Cash|In cash|Cash on delivery|With cash at the door].
        [When it arrives|When the goods come|On delivery|Upon arrival|When the parcel is here], I [pay cash|will pay in cash|hand over the cash|pay the courier cash].
        [I have|I will have|We'll have|We have] [the cash|the money in cash|enough cash] [ready|at home|here], [so I take cash on delivery|and that is how it will be paid|just collect it on delivery].
        [For payment|To pay|As payment method|Regarding payment], [I choose cash|cash would be best|cash on delivery is fine|please accept cash].
        [I chose|I selected|I picked|We have chosen] [cash|cash on delivery|COD|payment in cash][ at checkout| in the form|].
        [Pay by|Payment option|Mode of payment|Means of payment|Payment via]: [cash|cash on delivery|COD|cash to the courier].
        [Do you take|Do you accept|You do take|Do you still accept] cash? [That is how I want to pay.|I would pay that way.|Then I will pay with it.]
        [I only|We only|I always|I just] [pay cash|pay in cash|use cash|buy things for cash].
        [To be paid|Will be paid|Payable|Paid] [in cash|cash on delivery|in cash at the door|cash upon arrival].
        [Please send it|Please ship it|Send everything|Please deliver] [COD|cash on delivery|with cash on delivery|with payment in cash on arrival].
        [I'd rather|I would rather|We'd rather|I prefer to] [pay in cash|hand over cash|pay cash on the spot|give you the cash in person].
        [We settle|I settle|We always settle|I'd like to settle] [the bill|this|the order|the amount] in cash[ on delivery| at the door|].
        [It is easiest for me|It suits me best|It would be easiest|It is best for me] to [pay in cash|pay cash on delivery|give cash to the driver].
        [I will come by|I'll drop in|I'll come to the shop] and [pay in cash|pay cash|bring the cash|settle it in cash][ then| at the counter|].
        [The money|The amount|The sum|The full price] [will be handed over|will be there|is ready|is waiting] in cash[ when you deliver| at the door| on delivery|].
        """
    ).train,
}

EXPRESS = wordings(
    """
    [I'd like|I would like|We would like|I want|We need|I need] [express shipping|express delivery|fast shipping|the express service|expedited shipping][, please| for this| this time|].
    [Please|Kindly|Do] [send|ship|deliver|dispatch] [it|everything|the order|the goods] [express|by express|by express mail|with express delivery|by fast courier].
    [Shipping method|Delivery type|Type of delivery|Dispatch|Delivery option]: [express|express delivery|fast|priority|expedited].
    [Can you|Could you|Would you] [please |]use [express|the fastest shipping|the fast delivery option|an express courier|priority mail]?
    [I'll pay|I will pay|I am happy to pay|We are willing to pay|I don't mind paying] [extra|more|the surcharge|the express fee] for [express shipping|fast delivery|express delivery].
    [It is urgent|I am in a hurry|This is urgent|We are in a rush|Time is short], [so express shipping please|please send it express|please use the express service|so please choose the fast delivery].
    [Express|Express delivery|Fast delivery|Priority shipping|Rush delivery][, please| please| is what I want| is needed].
    [The delivery|The shipping|Shipment|Dispatch] [should be|must be|has to be|is to be] [express|by express|by express courier|the fast one].
    [I choose|I chose|I picked|I take|We select|I go for] [express shipping|the express option|the fast shipping|expedited delivery|priority delivery].
    [Add|Please add|Include|Please include|Book|Please book] [express shipping|express delivery|the express service|rush delivery][ to my order| for this order|].
    [Normal shipping|Standard delivery|Regular mail] is too slow[ for us| this time|], [please use express|so take express|I want the express service|so send it express].
    [Is express shipping|Is express delivery|Is fast delivery|Is the express option] [possible|available|on offer]? [Then I want it.|If so, please use it.|I would like that.]
    [As it is urgent|Because we are late|Since time is short|As I need it quickly], [the parcel should go express|express delivery would be good|I would like fast shipping|we ask for express shipping].
    [By express|Via express|With express], [please|as last time|if you can|the extra cost is fine].
    [Use|Take|Please use|Please choose|Choose] [the fastest way|the quickest shipping|the fastest delivery|express freight|the express carrier][ you have| you offer|][, express if possible|].
    [Please rush|Rush|Kindly rush|Please expedite|Expedite|Please speed up] [this order|the delivery|the shipment|shipping].
    [Mark|Please mark|Treat|Please treat|Please handle] [the parcel|this order|the shipment] as [express|an express delivery|express mail|a rush order].
    [The order|The package|This|Everything] [goes|should go|has to go out|must be sent|needs to be sent] [by express|express|as express mail|with an express courier].
    [We need|I need] [it|the goods|everything|the parcel] [fast|quickly|urgently|very soon], [so express|please ship with express|with express delivery, please|therefore by express].
    [Would you mind|How about|What about] [sending it express|using express shipping|shipping it with an express courier]?
    [Delivery|Shipping|Sending|Shipment] [by express|with express service|via express courier|by priority mail][, please| would be great| is wanted|].
    [It would be great|I would be glad|It would help|We'd be happy] if [you shipped it express|you used express shipping|it went by express|it could come by express delivery].
    [I don't want to wait long|I cannot wait long|We cannot wait|I can't wait for normal post], [please send it by express|so express shipping|therefore express delivery|so use the fast shipping].
    [Ship|Send|Get it out] [as fast as possible|as quickly as you can|the fastest way], [by express|with the express service|express shipping is fine].
    [Overnight|Next-day|24-hour|Fast-track|Same-day] [delivery|shipping|express] [please|if you offer it|is what I need|would be best].
    [Express shipping|Express delivery|Fast shipping]: [yes|yes, please|yes, I need it|wanted].
    [The express surcharge|The extra cost for express|The fee for express shipping] is [fine|okay|no problem|accepted][ with me| with us|].
    [We order|I order|I'd like this|I would like the order] with [express shipping|express delivery|fast delivery|priority shipping].
    [Hurry|Quick|Fast|Be quick], please: [express delivery|send it by express|use express shipping|ship it express].
    [Upgrade|Please upgrade|Change|Please switch] [my order|the shipping|the delivery] to [express|express shipping|fast delivery|priority].
    """
).train

GIFT = wordings(
    """
    [I'd like|I would like|We would like|I want|I need] [it|everything|the order|this] [gift-wrapped|wrapped as a present|packed as a gift|wrapped in gift paper].
    [Please|Kindly|Do] [gift-wrap|gift wrap|wrap up nicely|wrap in gift paper] [it|everything|the order][, it is a present|, it is for a friend|].
    [Can you|Could you|Would you|Will you] [please |][gift-wrap it|wrap it as a present|pack it as a gift|put gift paper around it]?
    [Gift wrap|Gift wrapping|Gift packaging|Wrapping]: [yes|yes, please|wanted|requested].
    [It is|It's|This is|The order is|Everything is] [a present|a birthday present|a Christmas present|a wedding gift], [so please wrap it|so gift paper please|so I need gift wrap|please wrap it nicely].
    [Add|Please add|Include|Please include|Book] [gift wrapping|gift wrap|the gift packaging|your gift wrap service][ to my order| for everything|].
    [Is gift wrapping|Is gift wrap|Is a gift box|Is gift packaging] [possible|available|on offer]? [Then I would like it.|If so, please use it.|I want that, please.]
    [As it is a present|As this is a gift|Because I give it away|Since it is for a birthday], [please wrap it|gift wrapping would be nice|I'd like gift paper|it should be gift-wrapped].
    [I'll pay|I will pay|I am happy to pay|I don't mind paying] [extra|a little more|the fee] for [gift wrapping|the gift wrap|a gift box].
    [Gift-wrapped|Wrapped as a gift|In gift paper|In a gift box], [please|if you can|if possible|as last time].
    [The parcel|Everything|The order|It] [should be|must be|has to be|is to be] [gift-wrapped|wrapped as a present|packed as a gift|put in gift wrapping].
    [Use|Please use|Take|Please take] [pretty paper|gift paper|wrapping paper and a ribbon|a nice gift box|your best gift wrap][ for it| for everything|].
    [Would you mind|How about|What about] [wrapping it as a gift|gift-wrapping the order|packing it as a present]?
    [I choose|I chose|I picked|I take|I go for] [gift wrapping|the gift wrap option|the gift packaging|the gift box].
    [My mother|My sister|A friend|My husband|A colleague] gets it [as a present|for a birthday|as a gift], so [please gift-wrap it|wrap it nicely, please|I want gift wrapping].
    [Please put|Put|Kindly put|Pack|Please pack] [it|everything|the things] in [gift paper|gift wrap|a gift box|nice wrapping paper, as a gift].
    [It would be nice|It would be great|I would be glad|It would be lovely] if [you wrapped it as a present|it came gift-wrapped|you could gift-wrap it|it was packed as a gift].
    [Everything|It all|The order] [is meant as|is intended as|is supposed to be|will be] a [gift|present|surprise gift]: [please wrap it|gift wrap, please|with gift paper, please].
    [Wrap|Please wrap|Kindly wrap] [it|everything|the order|it all] [as a present|nicely, it is a gift|in festive paper|with a bow, as a gift].
    [I am giving it away|I give it to someone|I buy it for someone else|It is not for me], [so wrap it as a gift|please gift-wrap it|so gift wrapping is needed].
    [Presentation|Packaging|Packing|Packed]: [as a gift|gift wrap|gift box|wrapped as a present].
    [With|Including|Plus] [gift wrapping|gift wrap|gift paper|gift packaging][, please| for everything, please| and a ribbon, please].
    [We order|I order|I'd like this|I would like the order] with [gift wrapping|gift paper|your gift service|gift packaging].
    [I need|We need|I want|I would love] [gift wrapping|gift wrap|a gift box|gift packaging] [for this|for it|for this order|this time][, please|].
    [Make|Please make] [it|the parcel|the package] [look like a present|ready to give as a gift|a real present] with [gift paper|gift wrapping|a ribbon and gift wrap].
    [The gift wrap option|The gift wrapping|Your wrapping service|The gift box] [please|too|as well, please|would be great].
    [Do you offer|Do you do|Can I get|Could I have] gift wrapping? [It is a present.|I would like it for this order.|Then please do it.]
    [The extra cost for gift wrap|The fee for gift wrapping|The surcharge for the gift box] is [fine|okay|no problem|accepted][ with me|].
    [Treat|Please treat|Mark|Please mark|Handle] [this|the order|the parcel] as a gift [and wrap it|and use gift paper|with gift wrapping|and wrap it nicely].
    [Don't forget|Please do not forget|Please remember|And remember] [to gift-wrap it|the gift wrapping|to wrap it as a present|the gift paper].
    """
).train

TOTALS = wordings(
    """
    [I come to|I arrive at|I get|I make it|By my count it is] {total}[ in total| altogether| for everything|], [is that right?|correct?|please confirm.|I think.]
    [Order total|Grand total|Total amount|Total price|Sum total|Order value]: {total}
    [All together|Altogether|In total|All in all|Overall] [that is|it comes to|it costs|I have to pay|it should be] {total}.
    [The total|The sum|The order|The whole order|The amount due] [comes to|adds up to|amounts to|is|works out at] {total}.
    {total} [is|should be|must be|would be] [the total|the sum of it all|the price for everything|the full amount|what I owe you].
    [So|Then|Thus|Therefore] [I owe you|I pay|we pay|you get|you receive] {total}[ in total| for everything| altogether|].
    [Would|Could|Might] {total} [be right|be correct|be the full amount|be the sum] for [the whole order|everything|all of it]?
    [My basket|The cart|The website|Your shop|The checkout page] [shows|showed|says|gave me] [a total of|a sum of|an order total of] {total}.
    [If I am not mistaken|If I add it up|If my maths is right|Unless I miscalculated], [the total is|it comes to|we are at|everything together costs] {total}.
    [With|Including|After] [VAT|tax|the discount|shipping|all fees], [that is|the total is|it comes to|I get] {total}.
    [Please charge|Kindly charge|You may charge|Please bill] [me|us] [the total of|the full amount of|the sum of|a total of] {total}.
    [The price|The full price|The overall price|The final price] [for everything|for the whole order|in total|of the order] [is|was given as|should be] {total}.
    [Total|Sum|Amount|Order sum] ([incl. VAT|incl. shipping|all in|as per your site]): {total}
    [You quoted|You offered|Your colleague quoted|The offer said|Your quote was for] {total} [for the whole order|in total|for everything|all in].
    [It all adds up to|That adds up to|This amounts to|Everything comes to|That brings us to] {total}[, right?|, as far as I can see.|.]
    [I expect|We expect|I reckon with|We calculate with] [a total of|a sum of|a final amount of] {total}[ for the order|].
    [How much is it|What is the total|How much is that in total|What do I owe you]? [I think|I would say|By my count] {total}[ for the order|].
    [Total to pay|To pay|Amount payable|Payable|Amount due|Balance due][ in all| for the order|]: {total}
    [The bill|The invoice|The order] [should read|should be for|should not exceed|will be] {total}[ in total| altogether|].
    [I added it up|I did the sum|I checked the prices|I counted everything together]: [it is|the total is|that is|it makes] {total}.
    [Would you confirm|Could you confirm|Will you confirm|Can you confirm] [the total of|the sum of|the order total of|that the total is] {total}[, please|]?
    [That should be|This should be|That would be|That'll be|It should come to] {total}[ in all| for everything| all told|].
    [Together|Taken together|Added up] [the items|all the things|the articles|these goods] [cost|come to|make|amount to] {total}.
    [Value of the order|Total of this order|Sum of the order|Price of everything|Our total|My total] [is|should be|comes out at]: {total}
    [I understand|We understand|I see|I read] that [the total is|the whole order costs|everything costs|the sum is] {total}.
    [For all of it|For the whole order|For everything|For the lot] [I pay|we pay|the price is|you want|I see a price of] {total}.
    [According to|As per|Following|Based on] [your price list|the catalogue|your offer|your site], [the total is|the order costs|it all comes to|I owe] {total}.
    [I am ready|We are ready|I agree|We agree] to pay [the total of|a total of|the sum of|the full] {total}.
    [My calculation|My own sum|My count|Our calculation] [gives|says|results in|shows] [a total of|a sum of|an order total of] {total}.
    [The order is worth|The order value is|The value of the order is|The purchase is worth|The order costs] {total}[ in total| altogether|].
    [This makes|That gives|Makes|Gives] [a total of|a grand total of|an order total of|altogether] {total}[, if I am right|, please check|].
    [There should be|There will be|We have] [a total|an order total|a sum] of {total}[ on the bill| to pay|].
    [Am I right that|Is it right that|Is it true that|Do I see it right that] [the total is|everything comes to|the order costs|I have to pay] {total}[ altogether|]?
    [Please check|Kindly check|Check|Please verify] [my total|the sum|the total]: [I get|it should be|I have] {total}.
    [As for the price|As to the price|Price-wise|Regarding the price], [we are at|it is|the total is|everything is] {total}[ for the whole order|].
    """
).train
