# ruff: noqa: E501 - a template stays on one line
"""Still more ways to say each intent, in plain words: orders, bills, codes, prices and stock."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["PLAIN_ORDERS"]

PLAIN_ORDERS = {
    "cancel_order": wordings(
        """
        [I'd like|I wish|We would like|I have decided] to [cancel|withdraw|call off] [my order|this order|the order I placed on {date}|order number {order_id}].
        [Can I|Could I|May I|Am I able to] [still cancel|cancel] [an order|the order|my purchase|order {order_id}][ before it ships| that I just made| after paying|]?
        [What do I have to do|What are the steps|What is the best way|Where do I click] to [cancel an order|cancel order {order_id}|have my order cancelled|get an order cancelled]?
        [Would you|Will you|Could you please|Can you kindly] [cancel|void|stop|annul] [my order|the order from {date}|my order number {order_id}|the purchase I made today][ for me|]?
        [Is there a way|Is there any chance|Is it possible|Is it too late] to [cancel my order|cancel order {order_id}|stop an order|cancel what I ordered on {date}]?
        [Cancellation of|Request to cancel|Please process the cancellation of|I request the cancellation of] [my order|order {order_id}|my order of {date}|my purchase].
        [I am cancelling|I'm canceling|I hereby cancel|We are cancelling|I have to cancel] [my order|order {order_id}|the order from {date}|our order for the {product}].
        [My order|Order {order_id}|The order I made on {date}|The whole order] [has to be cancelled|needs to be canceled|must be cancelled|is no longer needed, cancel it][ right away| as soon as possible| today|].
        [I ordered|I accidentally ordered|I have just ordered|We wrongly ordered] [the wrong thing|the wrong size|the {product} by mistake|a {product} nobody needs] and [want to cancel|need to cancel the order|would like it cancelled].
        [Please do not|Don't|You need not|No need to] [ship|send|dispatch|process|deliver] [order {order_id}|my order|the {product}], I [am cancelling it|want to cancel it|wish to cancel].
        [I don't want|We do not want|I do not need|I really don't need] [the order|what I ordered on {date}|order {order_id}|the things I ordered] [any more|after all|now], [cancel it please|so please cancel|kindly cancel].
        [If|In case|As long as] [order {order_id}|my order|the {product}] has not [shipped|been sent|left the warehouse] yet, [please cancel it|I would like to cancel it|cancel it].
        [Because of|Due to] [a change of plans|an illness|a mistake of mine|money problems], I [have to|must|need to|would like to] cancel [my order|order {order_id}|the order of {date}].
        [Why can I not|Why can't I|How come I cannot] [cancel my order|cancel order {order_id}|find a cancel button for my order][ online| on the website| in the app|]?
        [The cancel button|The link to cancel my order|Cancelling online|The cancellation of order {order_id}] [does not work|is not possible|gives an error|fails], [please cancel the order for me|so cancel the order by hand please].
        [I tried|I have been trying|We tried] to cancel [order {order_id}|my order|the order for the {product}] [online|on your page|by phone|in my account], [but it did not work|without success|but the site won't let me].
        [Has my order|Has order {order_id}|Has the order of {date}] [been cancelled|been canceled yet|really been cancelled]? [I asked you to cancel it|I sent the cancellation yesterday|I no longer want it].
        [Please confirm|Kindly confirm|I need you to confirm|Send me a note] that [my order|order {order_id}|the order for the {product}] [is cancelled|has been cancelled|will be cancelled and not shipped].
        [Please remove|Take|Delete|Please strike] [order {order_id}|my order|my order of {date}] [from your system|off your books|from your list], [I do not want it any more|it is cancelled|I am cancelling].
        [Cancel|Please cancel|Just cancel] [everything I ordered|everything I ordered on {date}|all of my order|the complete order|the entire order {order_id}], [not only one item|I want nothing of it|thanks].
        [I want out of|I am backing out of|I would like to withdraw from|I am stepping back from] [my order|order {order_id}|the purchase of the {product}|the purchase contract][, please cancel it|].
        [Sorry|Oops|Apologies], I [clicked buy too soon|pressed the button twice|chose the wrong product|ordered too quickly], [please cancel order {order_id}|please cancel the order|I need to cancel my last order].
        [Can my order|Can order {order_id}|Can the order for the {product}|Could my purchase] [still be cancelled|be stopped|be withdrawn|be called off][ free of charge| today| without a fee|]?
        [Until when|How long|Up to what time|Within how many days] can I cancel [an order|my order|order {order_id}|the order from {date}]?
        [Does it cost anything|Is there a fee|Do I have to pay something] [if I cancel an order|if I cancel order {order_id}|when I cancel my order|when an order is cancelled]?
        [Since|As|Because] [delivery takes too long|it will not arrive in time|I found a better offer|I have bought one elsewhere], I [am cancelling my order|want to cancel order {order_id}|will cancel the {product}].
        [Forget|Please disregard|Ignore|Scrap|Drop] [my order|order {order_id}|my order for the {product}|the order I sent on {date}][, I don't want it| please|, it was a mistake|].
        [I made an order|I placed an order|An order was placed in my name|I made a purchase] [on {date}|this morning|last night|with the number {order_id}] [that I want to cancel|that should be cancelled|which I need to cancel].
        [Order {order_id}|My order|My order of {date}|Our last order]: [please cancel|cancellation|to be cancelled|I want to cancel].
        [I would appreciate it|It would be great|I'd be glad|It would help me] if you [could cancel|would cancel|cancelled] [my order|order {order_id}|the order of the {product}].
        [We kindly ask you|I ask you|I am writing|I am contacting you] to cancel [our order|my order|order {order_id}|the order placed on {date}][ with immediate effect| without delay|].
        [I've|I have|We have] [changed my plans|had second thoughts|thought about it again|thought better of it], [the order can be cancelled|cancel the {product} please|order {order_id} is no longer wanted].
        [My wife|My husband|A friend|My boss|My daughter] [already bought|has already ordered] [the same thing|one|the {product}], so [please cancel mine|I need to cancel my order|cancel my order {order_id}].
        [Stop the order|Halt the shipment|Stop everything|Put a stop to the order], [I want to cancel|the {product} is no longer needed|I am cancelling order {order_id}|I decided not to buy it].
        [I want|I'd like|We need|Please arrange] [a cancellation|an immediate cancellation|the cancellation][ of order {order_id}| of my order| for the order of {date}], [thank you|nothing has been shipped yet|it is not needed now].
        [How|Where] [can I get|do I get|would I have] [my order|order {order_id}|an order for a {product}] [cancelled|canceled|withdrawn|stopped]?
        """
    ),
    "change_address": wordings(
        """
        [Can you|Could you|Would you please|Is it possible to] [send|ship|deliver] [my order|order {order_id}|the {product}|the package] to [a different address|another address|my new address]: {street}, {postal_code} {city}?
        [I'd like|I would like|We want|I need] to [change|update|correct|edit] [my address|the delivery address|my shipping address|the address for delivery][ for order {order_id}|]: {street}, {postal_code} {city}.
        [How do I|How can I|Where can I|Where do I] [change|update|edit|correct] [my address|the delivery address|the shipping address|the address on order {order_id}|my postal address]?
        [Please update|Kindly update|Update|Please correct] my [address|home address|shipping details|delivery details|postal address] to {street}, {city} {postal_code}.
        [My address|Our address|My delivery address|My home address] [has changed|is different now|is no longer the same], [it is now|the new one is|please use] {street}, {postal_code} {city}.
        [I have a new address|We have a new address|New address|My new home|Change of address|Address change]: {street}, {postal_code} {city}.
        [I gave|I entered|I typed in|I put in] [the wrong address|an old address|the wrong house number|the wrong postcode], [it should read|the right one is|please change it to] {street}, {postal_code} {city}.
        [The shipping address|The delivery address|The address] [for|of|on] [order {order_id}|my order|my last order] [should be|must be|needs to be changed to|has to be] {street}, {postal_code} {city}.
        [Can I|Could I|May I|Am I still able to] [change|edit|correct] the [delivery address|shipping address|address] [of an order|of order {order_id}|after ordering|for my parcel|before the {product} is shipped]?
        [I moved house|We have moved|I have moved to a new flat|I relocated|We moved to a new apartment] [last week|recently|on {date}], [please change my address to|now I live at|my address is now] {street}, {postal_code} {city}.
        [I no longer live|I do not live|We no longer live] [at the old address|at the address you have|where you want to send it], [my correct address is|please change it to|we now live at] {street}, {postal_code} {city}.
        [You have|You still have|Your system has|My account shows] [my old address|an old address|the wrong address|an outdated address], [the current one is|it should be|please replace it with] {street}, {postal_code} {city}.
        [Order {order_id}|My order|My parcel|The {product}] [is going to|will go to|is addressed to|is being sent to] the wrong address, [please change it to|the right one is|it must go to] {street}, {postal_code} {city}.
        [Please have|I want to have|I'd like to have|We would like to have] [my order|order {order_id}|the {product}|the goods] [sent|shipped|delivered|redirected] to {street}, {postal_code} {city}[ instead| and not to my home|].
        [Delivery address|New delivery address|Correct address|Ship to|New shipping address|Please deliver to]: {street}, {postal_code} {city}
        [Please forward|Reroute|Please reroute|Divert|Please re-address] [order {order_id}|my package|the parcel|the shipment] to {street}, {postal_code} {city}, [I have moved|the old address is wrong|nobody lives at the old one].
        [Instead of|Rather than] [my home address|my old address|the billing address|the address in my account], [please use|I want it sent to|deliver it to|take] {street}, {postal_code} {city}.
        [I forgot|We forgot] to [change my address|update the delivery address|tell you our new address] [before I ordered|when ordering|after the move], [it is|here it is, it reads|the address now is] {street}, {postal_code} {city}.
        [Is it still possible|Is it too late|Is there a way|Would it be possible] to [change the address|change the delivery address|have a different shipping address][ on order {order_id}| for the {product}| for my order|]?
        [Please note|Please be informed|I want to let you know|Just to let you know|This is to inform you] that [my address has changed to|I now live at|our new address is|the delivery address is now] {street}, {postal_code} {city}.
        [There is a typo|There is a mistake|Something is wrong] in [my address|the delivery address|the address on order {order_id}], [the correct one is|it should say|please change it to] {street}, {postal_code} {city}.
        [The house number|The postcode|The zip code|The street name] [in my address|in my order|of the shipping address] is [wrong|not correct|missing], [the full address is|it should be|please correct it to] {street}, {postal_code} {city}.
        [Starting next month|From {date} on|From now on|As of today|In future], [please send my orders to|my address is|I can be reached at|my delivery address will be] {street}, {postal_code} {city}.
        [I want|I'd prefer|I would rather have|We would like] [the {product}|order {order_id}|the parcel|the package] [sent to my workplace|delivered to work|sent to a friend|delivered to my parents' house]: {street}, {postal_code} {city}.
        [I tried to change|I cannot change|I am unable to edit|The website won't let me change] the [address|delivery address|shipping address], [please set it to|please enter|it should be] {street}, {postal_code} {city}.
        [Why can I not|Why can't I|Where on your page can I|What do I do to] [change my address|edit the shipping address|enter a new delivery address|change where order {order_id} is sent]?
        [The parcel|My order|Order {order_id}|The {product}] [should go|has to go|must go|needs to go] to [a new address|our new home|my new flat|another place], [namely|that is] {street}, {postal_code} {city}.
        [I am staying|I will be staying|We are staying] [with friends|at my sister's|at another place|somewhere else] [this month|for a while], so [change the address to|deliver my order to|please ship to] {street}, {postal_code} {city}.
        [Please replace|Replace|Kindly replace|You may replace] [my old address|the address on file|the shipping address of order {order_id}|the address you have] [with|by] {street}, {postal_code} {city}.
        [Can you change|Could you change|Would you change|Will you update] [where my order goes|where you send my order|the place of delivery|the destination of order {order_id}] to {street}, {postal_code} {city}?
        [Wrong address|Old address|Incorrect address] [on my order|on order {order_id}|in my account], [correct one|should be|new one]: {street}, {postal_code} {city}.
        [Our company|My office|Our shop|The office] has [moved|relocated|a new address], [deliveries now go to|please ship to|the new address is|kindly change the address to] {street}, {postal_code} {city}.
        [I need|We need|I require] [a change of address|an address change|a different delivery address|the shipping address changed] for [order {order_id}|my order|the {product}][, it has not been shipped yet|, please help|].
        [The order|Order {order_id}|My purchase] is [a gift|a present|for my mother|for a friend], [so send it to|so ship it to|please change the address to] {street}, {postal_code} {city}[ and not to me|].
        [I accidentally|By mistake I|Unfortunately I|I stupidly] [chose|used|left in] [my old address|the wrong delivery address|my previous address][ for order {order_id}| when I ordered|], [please change it|help me to correct it].
        My new address[ as of {date}| for order {order_id}| for all deliveries|]:\\n{street}\\n{postal_code} {city}
        """
    ),
    "change_quantity": wordings(
        """
        [I'd like|I would like|I need|We want] to [change|increase|reduce|adjust|correct] the [quantity|number of pieces|amount ordered] [in order {order_id}|in my order|of the {product}] to {quantity}.
        [Can you|Could you|Would you please|Is it possible to] [change|update|raise|reduce|set] [my order|order {order_id}|the order for the {product}] to {quantity} [pieces|units|items]?
        [I ordered|We ordered|I have ordered] [too many|too few|the wrong number] of the {product}, [please change it to {quantity}|I only need {quantity}|it should be {quantity}].
        [I only want|I just need|I only need|We need only] {quantity} [of the {product}|pieces|units], [please reduce my order|not as many as I ordered|change my order please].
        [How do I|How can I|Where can I|Where do I] [change|edit|increase|reduce] the [quantity|number of items|number of pieces] [in my order|of order {order_id}|of the {product} in my order|after ordering]?
        [I meant|I wanted|I meant to order|I intended] to [order|get|buy] {quantity} [of the {product}|pieces|units], not [one|two|just one], please [correct my order|change it|fix the quantity].
        [Please correct|Please adjust|Kindly change|Please update] the [quantity|number of units|number of pieces][ for the {product}| in order {order_id}| in my order|], [it should be|I want|we need] {quantity}.
        [Quantity|New quantity|Correct quantity|Number of pieces] [for the {product}|for order {order_id}|in my order]: {quantity} [instead of one|and not one|instead of what I ordered|please].
        [Can I|Could I|May I|Am I able to] [add more|order fewer|have more|increase the number] of the {product}[ to make it {quantity}| so that I get {quantity}|, {quantity} in total]?
        [I accidentally ordered|By mistake I ordered|I ordered by accident] [the wrong quantity|too many pieces|too few pieces|one too many], [I want {quantity}|the right quantity is {quantity}|please change it to {quantity}].
        [Please send|Send|Please deliver|I want you to send] {quantity} [of the {product}|units|pieces] [instead of the number I ordered|rather than one|and not just one|instead of two].
        [Order {order_id}|My order|My last order|The order for the {product}] [should have|should contain|should be for|must be changed to] {quantity} [pieces|units|items].
        [Please increase|Raise|Please raise|Bump up] [my order|order {order_id}|the quantity of the {product}|the number of pieces] [to {quantity}|from one to {quantity}].
        [Please reduce|Decrease|Please lower|Cut] [my order|order {order_id}|the quantity of the {product}|the number of units] [to {quantity}|down to {quantity}][, that is enough|, we need fewer|].
        [Is it still possible|Is it too late|Is there a way|Would it be possible] to [change the quantity|order a different number|get {quantity} pieces instead|change how many I get][ in order {order_id}| of the {product}|]?
        [We need|I need|I would like|We'd like] {quantity} [more|additional|extra] [of the {product}|pieces in order {order_id}|units in my order], [please add them|can you add them to my order|please change the quantity].
        [One is not enough|A single one is too little|Two are not enough|That is too few], [please make it {quantity}|I need {quantity} of the {product}|change order {order_id} to {quantity}|I want {quantity} instead].
        [It turns out|I noticed|I see now|We found out] that [we need|I need|we want] {quantity} [of the {product}|pieces], [please change the order|so please adjust my order|please change the quantity].
        [There are more|There are fewer|We are more|We are fewer] people than [planned|expected|I thought], so [we need {quantity} of the {product}|please change the quantity to {quantity}|change order {order_id} to {quantity} pieces].
        [The quantity|The number of units|The number of pieces] [I ordered|in my order|for the {product}] [is wrong|is too high|is too low|is not right], [correct is {quantity}|it must be {quantity}|change it to {quantity}].
        [My order says|Order {order_id} says|The confirmation says|My order shows] [one|two|the wrong number], but I [want|need|wanted|meant] {quantity} [items|pieces|units].
        [Add|Please add|Kindly add|I would like to add] {quantity} [more pieces|further units|extra units|more] [to order {order_id}|to my order|of the {product} to my order].
        [Remove|Please remove|Take out|Please take off] {quantity} [pieces|units|items] [from my order|from order {order_id}], [I ordered too many|I need fewer|that was too many].
        [In order {order_id}|In my order|For the {product}|In the order from {date}], please [change the quantity|change the number|set the number of pieces] to {quantity}.
        [Change of quantity|Quantity change|Changed quantity|Correction of the quantity][ in order {order_id}| of the {product}| for my order|]: [I now need {quantity}|{quantity} pieces please|make it {quantity}].
        [Sorry|Oops|Apologies], I [meant|need|wanted] {quantity} [of the {product}|pieces in my order|units in order {order_id}], not [one|two|one piece].
        [Why can I not|Why can't I|How come I cannot] [change the quantity|change the number of pieces|order more than one piece][ in order {order_id}| of the {product}|]? I [need|want] {quantity}.
        [I tried|We tried|I have been trying] to change the [quantity|number of pieces][ of the {product}| in order {order_id}|] to {quantity}, but [it does not work|the page won't let me|nothing changed].
        [Could we|Can we|Might we|Could I please] have {quantity} [pieces in my order instead|of the {product} instead|rather than one of the {product}|pieces instead of what order {order_id} says]?
        [Please double|I want to double|We would like to halve|Please halve] the [quantity|number of pieces|number of units][ in order {order_id}| of the {product}|], [so {quantity} in total|that makes {quantity}|to {quantity}].
        [We want to order|I want to take|I will take|We'd rather have] {quantity} [of the {product}|pieces] [and not just one|rather than the ten we ordered|instead of the first number], [please update the order|please change the quantity].
        [Please change|Change|Switch|Modify|Amend] [the order|my order|order {order_id}] [from one to {quantity}|from two to {quantity}|from three to {quantity}] [pieces|units].
        [Before you ship|Before you send|If you have not shipped] [order {order_id}|my order|the {product}], please [change the quantity to {quantity}|make it {quantity} pieces|note that I need {quantity} pieces].
        [More of the {product}|More pieces|Fewer pieces|A larger quantity|A smaller quantity], please: {quantity} [instead of the number in my order|and not what I ordered|in all, not two].
        [The customer|My boss|My colleague|My wife] [says|thinks|tells me] we need {quantity} [of the {product}|pieces|units], [so please change the number in our order|please adjust the quantity].
        [I entered|I typed|I selected|I chose] [one|two|ten|the wrong number] [when ordering|in the basket|by mistake], [please change it to {quantity}|it should be {quantity}][ of the {product}| in order {order_id}|].
        """
    ),
    "invoice_request": wordings(
        """
        [Can you|Could you|Would you|Will you please] [send|email|forward|post] me [an invoice|the invoice|a receipt|my bill][ for order {order_id}| for my order| for the {product}|]?
        [I'd like|I would like|We need|I want] [an invoice|the invoice|a proper invoice|a receipt|a tax invoice] [for my order|for order {order_id}|for my purchase|for the {product}].
        [Please send|Kindly send|Please provide|Please issue|Please forward] [the invoice|an invoice|a receipt|the bill] [for order {order_id}|for my order of {date}|for my last purchase].
        [Where do I find|Where can I find|Where can I see|Where can I get] [my invoices|my invoice|the receipt|the invoice for order {order_id}][ on your website| in my account|]?
        [How do I|How can I|Where do I|Can I] [download|print|get|request] [an invoice|my invoice|a receipt|the invoice for order {order_id}]?
        [Could I|Can I|May I|Might I] [have|get] [an invoice|a receipt|a copy of my invoice|a VAT receipt|proof of purchase] [for order {order_id}|for the {product}|for what I bought], please?
        [There was|There is] no [invoice|receipt|bill] [in the box|in the package|with my order|attached to your email][, please send it|, please e-mail it|].
        [I have not received|I did not receive|I never received|We are missing|We have not got] the [invoice|receipt|bill] [for order {order_id}|for my purchase|for the order of {date}|for what I bought].
        [I lost|I have misplaced|I deleted|I cannot find|I threw away] [the invoice|my receipt|the bill|the e-mail with the invoice], [please send it again|I need a copy|I need a duplicate].
        [My accountant|Our bookkeeping|The accounting department|My employer|The tax office|My insurance] [asks for|wants|requires|needs] [a receipt|an invoice|the original invoice|proof of purchase][ for the {product}| for order {order_id}|].
        [I need|I require|We need] [an invoice|the invoice|a receipt] [to get reimbursed|for my expenses|for my tax return|for our bookkeeping|to claim the VAT back|for my records].
        [Please resend|Kindly resend|Send me again|I ask you to resend] [the invoice|my invoice|the receipt][ for order {order_id}| of {date}|], [I cannot open the file|the PDF is empty|it got lost].
        [When will I|When do I|Will I] [get|receive] [the invoice|my invoice|a receipt][ for order {order_id}| for the {product}|]?
        [Do you|Will you] [send|issue|provide] [invoices|an invoice|a receipt] [by email|automatically|with the parcel|on paper|for every order]?
        [Is there|Do I get|Do you have|Will there be] [an invoice|a receipt|a bill|an invoice with VAT] for [order {order_id}|my order|the {product}|my purchase on {date}]?
        [Please make out|Please issue|Kindly issue|Please address] the invoice [to my company|in the name of my company|in my business name|to my employer][, order {order_id}|].
        [The invoice|The invoice for order {order_id}|My bill|The receipt] [has no VAT number|lacks our company name|shows the wrong total|has the wrong date|lists the wrong name], [please correct it|I need a corrected one].
        [I need|Please send me|I would like] a [corrected invoice|new invoice|revised invoice|copy of the receipt][ for order {order_id}|], [the company name is missing|my name is misspelled|with our VAT number on it|in English].
        [Invoice|Receipt|Bill|Copy of invoice] [for order {order_id}|for the {product}|for my order of {date}|for {amount}] [please|needed|missing|wanted].
        [My invoice|The invoice|The receipt|The bill] [is missing|never came|has not arrived|was not enclosed|did not come with the parcel][, please send it to me|, order {order_id}|].
        [The download of|The link to|The PDF of] [the invoice|my invoice|my receipt] [does not work|gives an error|has expired], [please send it by e-mail|I need it as a PDF|send me a copy].
        [I paid|I have paid] [{amount}|for order {order_id}|for the {product}] and [need an invoice|would like a receipt|want a bill for it|have no invoice for it].
        [We bought|I bought|We purchased|I purchased] [the {product}|a {product}] [on {date}|last month|for the office] and [need the invoice|need a receipt|would like an invoice for it].
        [Please include|Please enclose|Include|Put] [an invoice|the invoice|a printed invoice|a receipt] [in the parcel|with my order|with order {order_id}].
        [I'd appreciate|I would be grateful for|I would welcome|I am still waiting for] [the invoice|a copy of the invoice|a receipt][ for order {order_id}| for the {product}|].
        [Would it be possible|Is it possible] to [get|have|receive] [an invoice|a paper invoice|a receipt|an electronic invoice][ for my order| for order {order_id}| over {amount}|]?
        [I can't find|I cannot find|I am unable to download|I do not see] [the invoice|my invoice|a receipt|any invoice][ for order {order_id}|] [in my account|on your site|in my inbox|anywhere].
        [Why is there no|Why did I not get an|Why haven't I got an|Why can I not download the] invoice [for order {order_id}|for my order|for the {product}]?
        [As a business customer|As a company|For tax reasons|For the tax office|For reimbursement], [I need|I require|we need] [an invoice|the original invoice|a receipt][ for order {order_id}| over {amount}|].
        [I only got|All I got was|I just received|You only sent me] [an order confirmation|a delivery note|a packing slip], [but I need an invoice|the invoice is missing|please send the actual invoice].
        [Please send|Send|Email|Please mail] [all my invoices|the invoices of last year|the invoices for all my orders|my invoices for this year] [to me|as PDF files|as soon as possible].
        [I asked for|I have asked twice for|I requested] [an invoice|the invoice|a receipt][ for order {order_id}| on {date}|], [but nothing came|and still have none|please send it now].
        [The shop|The cashier|Your store in {city}|Your staff] [gave me no receipt|did not print a receipt|forgot to give me the bill], [please send it|I would like it by mail|I need it].
        [Could somebody|Can someone|Would somebody] [send me|give me|print me|email me] the [invoice|bill|receipt|VAT invoice][ for order {order_id}| for {amount}|]?
        [In order to|So that I can|To be able to] [book the purchase|claim it as an expense|do my taxes], I need [the invoice|a receipt|an invoice with VAT][ for order {order_id}| for the {product}|].
        [A receipt|An invoice|A bill|A duplicate of the invoice] [would be nice|is required|is still missing|would be helpful][ for order {order_id}| for the {product}| for my records|].
        """
    ),
    "payment_failed": wordings(
        """
        [I can't|I cannot|I am unable to|I'm not able to|We cannot] [pay|make the payment|complete the payment|pay for my order|pay for the {product}][ by card| online| on your website| with my credit card|].
        [My payment|The payment|My transaction|The card payment] [won't go through|has failed|didn't go through|keeps getting declined|could not be processed|is not working][ for order {order_id}|].
        [My card|My credit card|My debit card|My bank card] [was declined|is not accepted|got rejected|keeps being declined|was refused|doesn't work] [at checkout|in your shop|on your site|for order {order_id}].
        Why [is my payment not going through|does my card not work|does my payment fail|is my card not accepted|do you decline my card][ at checkout| for order {order_id}| every time|]?
        [Why can I not|Why can't I|Why am I unable to] [pay|pay by card|pay with my credit card|complete my payment|pay for order {order_id}]?
        [I tried to pay|I wanted to pay|I have tried to pay|I was trying to pay] [with my card|by credit card|for order {order_id}|for the {product}|online], but [it failed|it was declined|it did not work|I got an error].
        [Payment|Card payment|My payment of {amount}|Payment for order {order_id}] [failed|declined|not possible|rejected|not working], [please help|please tell me what to do|please tell me how to pay].
        [The payment page|The checkout|Your checkout page|The payment form|The 3D Secure page|The pay button] [does not work|does not load|is frozen|crashes|keeps loading|is broken].
        [I get|I got|I keep getting|I am getting] [an error message|a payment error|an error|the message payment failed] [when I try to pay|when paying|at checkout|during the payment|after entering my card details].
        [Something went wrong|There was a problem|There is a problem|I have trouble|I am having trouble] with [my payment|the payment|paying|the payment for order {order_id}|my card payment].
        [How can I|How do I|What else can I use to|Can I] pay if [my card is declined|my credit card is rejected|the payment fails|your page does not accept my card]?
        [Can you|Could you|Would you please] [check|find out|tell me] why [my payment failed|my card was declined|the payment of {amount} was rejected|I cannot pay for order {order_id}]?
        [Your system|Your website|The online shop|The app] [won't accept|does not accept|keeps rejecting|keeps declining|will not take] my [card|credit card|payment|bank details].
        [PayPal|Apple Pay|Google Pay|Bank transfer|The direct debit|The credit card payment] [does not work|failed|was rejected|is not working|gives an error], [I cannot pay for order {order_id}|so I cannot pay|please help].
        [I can't|I am unable to|It is impossible to] [check out|finish the checkout|complete my purchase|finish my order], [the payment fails|my card is rejected|the payment is not accepted|payment does not work].
        [My card|My bank card|My credit card] [is valid|has enough money|has enough funds|works everywhere else], [but the payment fails|yet you decline it|but your site refuses it|so my payment should not be declined].
        [Each time|Every time|Whenever|When] I [try to pay|click on pay|enter my card number|want to pay], [the payment fails|an error appears|the page crashes|it says declined|my card is refused].
        [The transaction|My purchase|My order|Order {order_id}] [could not be completed|did not go through|was not completed|was stopped] [because the payment failed|because my card was declined|due to a payment error].
        [You say|You wrote|Your e-mail says|Your page says] [that my payment failed|that the payment for order {order_id} failed|that my card was declined|that you could not collect the money], [why is that|what can I do|how do I pay now]?
        [The bank|My bank] [approved|confirmed|released|did not block] the payment[ of {amount}|], but [your shop says it failed|it failed on your side|your page shows an error|order {order_id} is still unpaid].
        [I have tried|I've tried|We tried|I tried] [two cards|three different cards|several cards|various cards], [none works|but the payment is always rejected|but every payment fails|and nothing works].
        [No payment method works|None of the payment methods work|No card is accepted|I cannot pay in any way], [I cannot buy the {product}|please check|please fix it|my card is always refused].
        [The security code|The verification code|The code from my bank|The confirmation code] [never arrives|does not work|is not accepted], [so I cannot pay|so the payment fails|and the payment is aborted].
        [I entered|I filled in|I typed in] my [card details|card number|bank details] [correctly|several times], but [the payment was declined|you reject the card|the payment does not go through|I get an error].
        [Could I|Can I|May I|Is it possible to] [try again|pay another way|pay by transfer|pay by invoice|use another card], [my card was declined|my payment failed|the payment for order {order_id} did not work]?
        [Paying|Paying by card|Paying with PayPal|Payment by card] [does not work|is not possible|fails every time|is not working] [on your site|in your shop|in the app|for order {order_id}|since yesterday].
        [Problem|Trouble|Error|Issue] with the payment[ for order {order_id}| of {amount}|]: [card declined|it does not go through|it fails|my card is refused].
        [It says|It always says|The screen says|I am told] [payment declined|payment failed|card not accepted|transaction denied|invalid card][ when I pay| for order {order_id}|], [I do not know why|please help|but my card is fine].
        [I would like to pay|I want to pay|I'd love to pay|I am trying to pay] [for the {product}|{amount}|for order {order_id}], but [your website does not let me|it is not possible|my card is always declined|the payment button does nothing].
        [The instalment payment|The direct debit|My bank transfer|The charge to my card] [of {amount}|for order {order_id}] [bounced|failed|was returned|was rejected|could not be made].
        [My order|Order {order_id}] [is still unpaid|shows as not paid|is on hold|was not placed], [because my payment failed|as my card was declined|since the payment did not go through].
        [Is there a problem|Is something wrong|Do you have an issue|Are there problems] with your [payment system|checkout|payment page], [my card is declined|I cannot pay|the payment fails]?
        [Please help me|Help me|I need help] [with a failed payment|to pay, my card is declined|with my payment, it does not go through|to complete the payment of {amount}, it fails].
        [The payment|My payment|The card payment] [timed out|got stuck|was interrupted|was cancelled|hung up] [halfway|before it was finished|during checkout|after I entered the code][ for order {order_id}|].
        [Nothing happens|The page goes blank|I am thrown out|An error comes up|The page reloads] [when I click on pay|when I press the pay button|as soon as I pay|when I confirm the payment].
        [Your shop doesn't let me|Your site won't let me|The app does not let me|I don't manage to] pay[ for the {product}| for order {order_id}| with my card| by PayPal|].
        """
    ),
    "double_charge": wordings(
        """
        [You charged|You have charged|Your shop charged|You guys charged] [me twice|my card twice|my account twice|me two times][ for one order| for order {order_id}| for the same thing| for the same order|].
        [I have been|I've been|We were|We have been|I got] [charged twice|double charged|charged two times|billed twice|debited twice][ for order {order_id}| for the {product}| for the same purchase|].
        Why [was I charged twice|have I been charged twice|was my card charged two times|was the same amount taken twice|did I get charged double][ for order {order_id}| for the {product}| for one order|]?
        [My card|My credit card|My bank account|My PayPal account] [was charged twice|has been charged twice|was debited twice|has been debited two times][ for order {order_id}| with {amount}|].
        [The payment|My payment|The amount|The money] [was taken twice|was deducted twice|went out twice|has been collected twice|was withdrawn twice][ from my account|][ for order {order_id}| on {date}|].
        [I see|I can see|There are|I found|I noticed] [two charges|two identical charges|two payments|the same charge twice|two withdrawals] on my [bank statement|credit card bill|statement|account][ for order {order_id}|].
        [You took|You withdrew|You deducted|You collected] [the money|the payment|{amount}|the same amount] [twice|two times|a second time] [from my account|from my card|for order {order_id}].
        [I paid|I have paid|I've paid|We have paid] [double|twice|two times] [for my order|for order {order_id}|for one {product}|for a single purchase][ because of a mistake of yours| because of your system|].
        [Can you|Could you|Would you please] [check|explain|tell me] why [I was charged twice|my card was charged two times|{amount} was taken twice|I was billed twice for order {order_id}]?
        [Please check|Please look into|Please correct|Please fix] [the double charge|the duplicate charge|this double payment|the second charge][ for order {order_id}| of {amount}| on my card|].
        [Double charge|Duplicate charge|Double payment|Charged twice|Duplicate payment] [for order {order_id}|on my card|for the {product}|of {amount}].
        [I only ordered|I bought only|I just ordered|I only bought] [one {product}|the {product} once|one thing|once], but [I was charged twice|my card was charged two times|you billed me twice|the money was taken twice].
        [I made|I placed] [only one order|one order|a single order][ on {date}| today| last week|], [but was charged twice|yet paid twice|but the payment was taken two times].
        [The same order|The same purchase|One order|Order {order_id}] [was charged two times|has been billed twice|was paid twice|shows up twice on my statement|was debited twice].
        [My bank statement|My account|My credit card bill|My banking app] [shows|lists] [two charges|two payments|the same charge twice|two identical amounts] [for one order|for order {order_id}|from your shop on the same day].
        [It seems|It looks like|It appears|I think|I believe] [I was charged twice|you charged me twice|my card was billed two times|I paid twice|the payment went through twice][ for order {order_id}| for the {product}|].
        [Please refund|Please return|I want back|Kindly reverse] [the second charge|the duplicate payment|the double payment|the extra charge][ of {amount}| for order {order_id}|], [I was charged twice|I only ordered once].
        [Instead of once|Instead of one time|Rather than once], [I was charged twice|you debited {amount} twice|my card was charged two times|the amount was taken twice].
        [Could it be|Is it possible|Is it true|Am I right] that you [charged me twice|charged my card twice|took the payment twice|billed me two times][ for order {order_id}| for one order|]?
        [Was I|Have I been|Was my card|Has my account been] [charged twice|debited twice|billed two times] [for order {order_id}|for the {product}|for one and the same order|by mistake]?
        [The first payment|The first attempt|The first try] [seemed to fail|showed an error|hung], [so I paid again|so I tried again], [now I have been charged twice|and both were charged|and now I paid twice].
        [I clicked|I pressed|I must have clicked] [pay twice|the button twice|the pay button two times] and [was charged two times|was charged twice|paid twice|now the amount was taken twice][ for order {order_id}|].
        [Your system|Your shop|The website|The app] [charged me for|billed me for|took the money for|made me pay for] [the same thing|my order|order {order_id}|the {product}] [twice|two times|a second time].
        [I was charged|I've been charged|My card was charged|They charged me] {amount} [twice|two times|one time too many|two times in a row][ for the same order| on {date}|].
        [Two times|Twice|Two days in a row] [you have taken {amount}|my card was charged the same amount|the same sum left my account|the same order was charged], [but I only ordered once|I bought only one thing|please correct it].
        [Both|The two] [charges|payments|debits] [of {amount}|on my account|on my card] [are for the same order|belong to one order|are for order {order_id}], [one is too many|one must be a mistake|so I paid twice].
        [A second|An extra|Another] [charge|payment|debit][ of {amount}|] [for the same order|for order {order_id}|for the {product}] [appeared on my card|shows on my statement|was taken from my account].
        [An amount|A sum|{amount}] [was deducted twice|was charged double|has been taken out twice|was debited two times] [from my bank account|from my credit card|from our company account].
        [What is going on|What happened|How can this be], [I was charged twice|two payments for one order|you took my money twice|I was billed double for order {order_id}]?
        [I'd like|I would like|I want|I need] [to report a double charge|to dispute a duplicate charge|the double charge corrected|the second payment reversed, I paid twice][ for order {order_id}| of {amount}|].
        [According to my bank,|My bank tells me that|I see in my account that|On my statement I see that] [I was charged twice|you debited {amount} twice|the payment was made two times|order {order_id} was charged twice].
        [I received|I got|You sent me] [two invoices|two bills|the same bill twice|a second bill] [for order {order_id}|for one order|for the same {product}] and [paid both|both were charged to my card|was charged twice].
        [My order|Order {order_id}|The {product}] [was paid already|had already been paid], [but you charged me again|but I was charged a second time|yet the money was taken again].
        [Why are there|Why do I see|How come there are] [two charges|two payments|two debits|double charges] [for order {order_id}|for the same order|of {amount}|for one purchase]?
        [Overcharged|Billed double|Paid twice|Charged two times]: [one order but two payments|{amount} was taken twice|please check order {order_id}|the same amount two times on my card].
        [The duplicate|The double|The repeated] [payment|charge|booking|transaction][ of {amount}| for order {order_id}| on my card|] [must be a mistake|is an error|has to be corrected|should be reversed].
        """
    ),
    "discount_code": wordings(
        """
        [My|The|This|Your] [discount code|promo code|voucher code|coupon code|gift code] {code} [doesn't work|is not working|won't work|isn't accepted|is rejected|does not go through][ at checkout| in the basket| for the {product}|].
        [The code|The coupon|The voucher|The promotion code] {code} [is invalid|shows as invalid|is said to be expired|is not recognised|is not recognized|can't be applied][ on your website|, although it should be valid|, please check|].
        [Can I|Could I|May I] [still use|use|redeem|apply|enter] [the discount code|my voucher|the coupon|the promo code] {code} [for my order|on order {order_id}|for the {product}|on sale items|after ordering]?
        [How do I|How can I|Where can I|Where do I] [use|apply|redeem|enter|put in] [the discount code|my gift voucher|the promo code|the coupon code] {code}[ for my order| at checkout| in the app|]?
        [Why doesn't|Why won't|Why can't] [the discount code|my promo code|the coupon|my voucher] {code} [work|get accepted|take anything off|reduce the price|do anything][ for the {product}| for my order|]?
        [I tried to use|I want to redeem|I am trying to apply|I entered] [the discount code|my coupon|the promo code|the voucher code] {code}, but [it does not work|it is rejected|it says invalid|I get an error|the discount is not applied].
        [I forgot to|I did not] [enter|apply|use|add] [my discount code|the coupon code|the voucher|the promo code] {code} [when ordering|at checkout|with order {order_id}], [please apply it now|I would still like the discount].
        [Is the|Is your|Is this] [discount code|promo code|voucher|coupon] {code} [still valid|valid for the {product}|no longer valid|already expired|only valid once]?
        [Until when|How long|For how long] is [the discount code|my voucher|the coupon|the promo code] {code} [valid|good|usable]?
        [Do you have|Is there|Are you offering|Can I get|Could I have] [a discount code|a promo code|a voucher code|a coupon|a current discount code][ for the {product}| for new customers| for my next order|]?
        [I never got|I did not receive|I have not received|Where is] my [discount code|voucher code|coupon|welcome code][ for the newsletter sign-up| for new customers| that you promised|].
        [The page says|Your website says|It says|I get the message] that [the code|the coupon|my voucher|the discount code] {code} [is invalid|has expired|has already been used|does not exist|cannot be combined].
        [The discount|The rebate|The percentage|The reduction] [from|of|with] [the code|my coupon|my voucher] {code} [was not deducted|is not shown|did not come off|has not been applied][ on order {order_id}| in the basket|].
        [Please apply|Kindly apply|Please accept|Please add] [the discount code|promo code|the voucher code|coupon] {code} [to my order|to order {order_id}|to my purchase of the {product}|afterwards].
        [Discount code|Promo code|Voucher|Coupon|Coupon code] {code}: [does not work|not accepted|I do not know how to use it|invalid|no discount at checkout|please apply to order {order_id}].
        [I have|I've got|I was given|I received|I was sent] [a discount code|a voucher|a coupon|a gift card|a promo code], {code}, [but it does not work|but your shop refuses it|but I don't know how to use it|and want to redeem it].
        [Can|Could|May] [the discount code|the coupon|the voucher|the promo code] {code} be [used twice|combined with another offer|used for the {product}|applied to order {order_id}|used by a friend]?
        [Does|Will] the [discount code|promo code|voucher|coupon] {code} [work for the {product}|work on reduced items|apply to my order|work in the app|cover shipping too]?
        [What is wrong with|What happened to|What about|Is something wrong with] [the discount code|my coupon|my promo code|the voucher] {code}? [It is not accepted|It does not work|No discount was applied].
        [Which products|Which items|What] can I [use|redeem] [the discount code|the voucher|my coupon|the promo code] {code} [for|on]?
        [Your newsletter|Your e-mail|Your advert|Your colleague|The flyer] [had|gave me|contained|promised me] the [discount code|code|promo code] {code}, [but it does not work|but the shop rejects it|but I get no discount].
        [With|Even with] the [discount code|coupon|voucher code] {code} [I still see the full price|I get no discount|the total does not change|nothing is deducted|it should have been cheaper].
        [I paid|I was charged|I had to pay] [the full price|the regular price|too much] [although|even though] I [used|entered|had] [the discount code|the coupon|promo code] {code}.
        [I'd like|I would like|I wish|I want] to [use|redeem|apply|cash in] [my voucher|the discount code|my coupon|the gift code] {code}[ for the {product}| on my order| for order {order_id}|].
        [Can you|Could you|Would you] [apply|add|activate|check|reactivate] [the discount code|my coupon|my voucher|the promo code] {code}[ for me| for order {order_id}| afterwards|], please?
        [There is a problem|I have a problem|I have trouble|I need help] with [the discount code|my promo code|my voucher|the coupon] {code}[, it is not accepted|, it won't apply|, no discount is shown|].
        [Where do I find|Where can I find|Where is|I can't find] the [field|box|place] for [the discount code|my voucher|my promo code|the coupon][ in the basket| at checkout| in the app|]?
        [Your shop|The checkout|The website|The app] [does not accept|rejects|refuses|ignores|does not recognise|won't take] [my discount code|my coupon|the voucher|my promo code] {code}[ for the {product}|].
        [Whenever|When|Each time|As soon as] I [enter|type in|apply|submit] [the code|my discount code|the coupon code] {code}, [an error appears|it says expired|it disappears|the price does not change].
        [The code|My voucher|The coupon|The discount code] {code} [has expired|ran out|expired yesterday|expired on {date}], [can you extend it|can I still use it|could you send me a new code]?
        [I used|I entered|We applied] [the promo code|the discount code|my coupon|the voucher] {code} [with order {order_id}|when I bought the {product}|for my order], [but got no discount|but it was not counted|and the price is the same].
        [My first order|A first order|The sign-up|My newsletter subscription] [should come|was supposed to come|comes] with [a discount code|a coupon|a voucher], [but I got none|how do I get it|where is it]?
        [The student code|The welcome code|The birthday code|The gift voucher|The loyalty code] {code} [does not work|is not accepted|gives no discount|is refused by your shop][, I don't know why|, please help|].
        [I lost|I deleted|I cannot find|I have misplaced] my [discount code|voucher|coupon|gift card code], [can you send it again|could you resend it|is there a new one]?
        [Please send|Please give|Kindly send|I ask you to give] me [a discount code|a new coupon|another voucher code|a working promo code][, {code} has expired|, because {code} does not work| for my order|].
        [Ten percent off|Twenty percent off|The promised discount|Free shipping] with [the code|coupon|the promo code] {code} [does not work|is not applied|was not deducted][ from order {order_id}| at checkout| for the {product}|].
        """
    ),
    "price_question": wordings(
        """
        [What is|What's|What would be|And what is] the [price|cost|current price|total price|retail price] [of|for] [the {product}|a {product}|one {product}|your {product}]?
        [How much does|How much would|How much will] [the {product}|a {product}|one {product}|your {product}] [cost|cost me|cost with tax|cost including shipping]?
        [How much do you charge|How much do you want|How much do I pay|How much do I have to pay|How much money do you ask] for [the {product}|a {product}|one {product}|{quantity} of the {product}]?
        [Can you|Could you|Would you|Will you please] [tell me|give me|send me|let me know|quote] the [price|unit price|exact price|cost] [of the {product}|for a {product}|for {quantity} of the {product}]?
        [I'd like to know|I would like to know|I want to know|I am wondering|May I ask|I was wondering] [how much the {product} costs|what the {product} costs|the price of the {product}|how much a {product} is].
        [Please tell me|Let me know|Please inform me|I need to know] [how much the {product} is|what a {product} costs|the price for {quantity} pieces|the price of your {product}|what I would pay for the {product}].
        [Price|Cost|Best price|Price per piece|Unit price] [of the {product}|for the {product}|for {quantity} of the {product}], please?
        [What do|What would|How much would] {quantity} [pieces of the {product}|of the {product}|units of the {product}] cost[ altogether| in total| with shipping|]?
        [Is the {product}|Is your {product}] [on sale|on offer|reduced|discounted|cheaper] [at the moment|this week|now|right now], [and what does it cost|and how much is it|or is it still full price]?
        Is there [a sale price|a special price|a better price|a lower price|any special offer] for [the {product}|{quantity} pieces|large orders|{quantity} of the {product}]?
        [Does|Will] the price of [the {product}|your {product}] [go down soon|go up|change next month|drop again]?
        [I could not find|I cannot find|I do not see|I am missing] [the price|a price|the cost] [of the {product}|for the {product}] [on your website|in the shop|on the page], [how much is it|what does it cost|what is the price]?
        [I am interested in|I am thinking of buying|I'd like to buy|I am looking at|We are considering] [the {product}|a {product}], [how much is it|what does it cost|what is the price|what would I have to pay]?
        [Can I get|Could I get|May I have|Would you give me|Can you make me] [a quote|a quotation|a price quote|a price offer|a price estimate|a price] for [the {product}|{quantity} of the {product}|{quantity} pieces]?
        [What is|What would be] the [price difference|difference in price] between [the {product} and the {other_product}|one {product} and one {other_product}|the {product} and the bigger one]?
        [Which is cheaper|What costs less|Which one has the lower price], the {product} or the {other_product}?
        Why [is the {product} so expensive|has the {product} become so expensive|is the {product} more expensive than last week|is your {product} dearer than elsewhere], [what is the price now|how much is it with discount]?
        [What is the price|How much is it|What does it cost|What do I pay] [per piece|per unit|each|for one] [if I buy|when ordering|if we take] {quantity}[ of the {product}|]?
        [Do you offer|Do you have|Do you give|Could we get] [a bulk price|quantity discounts|a volume discount|bulk prices|a wholesale price] [for the {product}|for {quantity} pieces|on {quantity} or more]?
        Is [tax|VAT|shipping|delivery] [included in|already included in|part of|on top of] the price of [the {product}|your {product}|a {product}]?
        [How much is|What is the price of|What do you charge for|What do I pay for] [the {product} with shipping|shipping for the {product}|postage for the {product}|the {product} including delivery]?
        [What are|What would be|What exactly are] your [prices|current prices|rates] for [the {product}|a {product}|{quantity} pieces of the {product}|business customers]?
        [Do you have|Could you send me|Can I get|Where can I find] [a price list|your price list|a current price list|an overview of your prices][ for the {product}| with all products|]?
        [Is|Was] [{amount}|{amount} per piece] [the final price|the right price|the price with tax|still the price|the price] [for the {product}|of your {product}]?
        [Does|Will] the {product} [cost|still cost|really cost] [{amount}|more than {amount}|less than {amount}|the same as last year]?
        [What is|What's] your [best|lowest|final|cheapest] [price|offer] [for the {product}|for {quantity} of the {product}|on a {product}]?
        [I saw|I have seen|I found] the {product} [cheaper elsewhere|for {amount} in another shop|for {amount} on your page], [what is your price|what do you charge|how much is it with you]?
        [How much|What price|What] [was it again|did you say] for the {product}, [{amount} or more|including tax or not|with or without shipping]?
        [Question about|Asking about|I have a question about|My question is about] the [price|cost|pricing] of the {product}: [what does it cost|how much is it|how much for {quantity}|does it include tax]?
        [We would need|We plan to buy|I want to order|We may take] {quantity} [of the {product}|pieces of the {product}], [what would that cost|how much would that be|what price can you offer|what would be the total]?
        [What do you|How much do you|What does your shop] [charge|take|ask] for [a {product}|the {product}|{quantity} of the {product}][ these days| at the moment| including delivery|]?
        [Could somebody tell me|Can anyone tell me|Does anybody know|Can you say] [what the {product} costs|how much the {product} is|the price of a {product}|how much I must pay for the {product}]?
        [The price of the {product}|The cost of the {product}|What the {product} costs] [is not shown|is not clear to me|is missing on the page|is what I want to know], [please tell me|please let me know].
        [How expensive is|How cheap is|How pricey is|How costly is] [the {product}|a {product}|your cheapest {product}|your best {product}]?
        [And the price|And what about the price|What about the cost|And the cost] [of|for] [the {product}|a {product}|your {product}|{quantity} of the {product}]?
        [Excuse me|Quick question|One question|Just a question], [how much is the {product}|what does the {product} cost|what is the price of a {product}|how much for {quantity} of the {product}]?
        """
    ),
    "stock_question": wordings(
        """
        Is [the {product}|your {product}|a {product}] [still available|available at the moment|currently in stock|in stock right now|on stock]?
        [Do you|Does your shop|Do you still|Do you currently] [have|stock|carry|sell] [the {product}|a {product}|the {product} I saw online]?
        [Will|When will|From when will|By when will] the {product} [be available|be back in stock|be restocked|be in stock again|come back]?
        [When can I|How soon can I|How long until I can] [get|buy|order] the {product}[ again|, now that it is sold out|, which is out of stock|, it shows as unavailable]?
        [Can you|Could you|Would you please] [check|look up|tell me|see] [if|whether] [the {product} is in stock|you have the {product}|you have {quantity} of the {product}|the {product} is available|there is any {product} left]?
        [I'd like to know|I would like to know|I want to know|I am wondering|I was wondering] [if|whether] [you have the {product} in stock|the {product} is available|the {product} is still in stock|you still sell the {product}].
        [Have you got|Do you happen to have|Would you have|Have you still got] [a {product}|the {product}|{quantity} of the {product}|any more of the {product}] [in stock|available|on hand|left|in the warehouse]?
        [Do you have|Have you got|Do you still have] [enough|plenty|at least {quantity}|more than one] of the {product} [in stock|left|available|in the store]?
        [How many pieces|What number of pieces|How many units] of the {product} [are in stock|do you have in stock|are available|are left|can you supply|have you got]?
        Is [the {product}|a {product}|your {product}] [in stock in {city}|available in your store|to be had in your shop in {city}|on the shelf in your branch]?
        [Does your shop|Does your store|Does the branch] in {city} [have|stock|sell|carry] [the {product}|a {product}|your {product}]?
        [Why is|Since when is|Until when is|For how long is] the {product} [out of stock|sold out|unavailable|not in stock], [when does it come back|when can I order it|when will you restock]?
        [The {product}|Your {product}|The {product} on your website] [is unavailable|is out of stock|seems to be sold out|shows as sold out|is not in stock], [when will it be available again|will you get more|do you expect more]?
        [Your website|The page|The shop|The app] [shows|says|displays] [no stock|sold out|only a few left|out of stock] for the {product}, [is that right|do you have any left|when will there be more]?
        [Will you|Are you going to|Do you plan to] [restock|get more of|reorder|bring back|sell] the {product} [soon|this month|again|before {date}]?
        [When are you|When is your shop|When is your supplier] [getting|expecting|receiving] [more|new stock|the next delivery|another batch] of the {product}?
        [Please let me know|Please tell me|Tell me|Let me know|Please notify me] [when|as soon as] the {product} [is back in stock|is available again|can be ordered again|is restocked].
        [Please let me know|Please tell me|Kindly inform me|Please write to me] [whether you have|if you still have|if you have] [the {product}|{quantity} of the {product}|a {product}] [in stock|available].
        [Is it possible|Is there a way|Would it be possible] to [reserve|preorder|back-order|put aside] the {product} [until it is in stock|while it is sold out|before it is available again]?
        [Availability|Stock|Stock level|Current stock] of [the {product}|the {product} in {city}|your {product}]: [how many do you have|do you have some|is there any left]?
        [I cannot order|I am unable to buy|The page won't let me order|I can't select] the {product}, [is it sold out|is it out of stock|is it no longer available]?
        [Is the {product}|Has the {product} been|Was the {product}] [discontinued|sold out for good|taken out of the range], [or will it be in stock again|or do you still have some|or can I still get one]?
        [I need|We need|I want|We would like to buy] {quantity} [of the {product}|pieces of the {product}], [do you have that many in stock|are so many available|can you supply them from stock]?
        [I am interested in|I'd like to buy|I would love to have|I'm after] [the {product}|a {product}], [is it in stock|is it available|do you have it in stock|have you any left]?
        [Do you have|Do you still have|Have you got] the {product} in [another colour|a different size|black|size L|other colors|a bigger size] [in stock|available|on hand]?
        [Which colours|Which sizes|Which versions|Which models] of the {product} [are available|are in stock|do you have in stock|are still left]?
        [Before I order|Before I drive to {city}|Before I come to your shop|Before I buy], [is the {product} in stock|do you have the {product} there|is the {product} really available|are there any left of the {product}]?
        [Any chance|Is there any chance|What are the chances] that the {product} [is in stock|becomes available|will be back in stock|is still to be had]?
        [Any|Any more|Is there any|Have you any] {product} [in stock|left in stock|available now|on the shelves|in your warehouse]?
        [I have been looking|I've been searching|I am searching|I have looked everywhere] for [the {product}|a {product}], [do you have it in stock|is it available at your shop|do you still sell it]?
        Is [the {product}|your {product}] [sold out|going to be restocked|out of stock everywhere|no longer available|available from {date}]?
        [It says|Online it says|I read] that the {product} [is back in stock|will be available from {date}|is only available online], [is that correct|is it true|can I order it now]?
        [Do you expect|Are you expecting|Will there be] [more stock|new stock|a restock|a new delivery|further pieces] of the {product} [this week|before {date}|any time soon|this month]?
        [Could I|Can I|May I] [still get|still buy|still order|get hold of] [a {product}|the {product}|{quantity} of the {product}], or [is it sold out|are you out of stock|are there none left]?
        [Out of stock|Sold out|Not available|Unavailable]: [when will the {product} be back|how long until the {product} is available|do you get the {product} again|is there another {product} left]?
        [My local shop|The store in {city}|Your branch|Your colleague] [has no {product} left|says the {product} is sold out|is out of the {product}], [do you have it online|is it in stock elsewhere|when will it be available]?
        """
    ),
}
