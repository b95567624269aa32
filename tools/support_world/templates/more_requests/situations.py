# ruff: noqa: E501 - a template stays on one line
"""Still more ways to say each intent: what happened to somebody, what they think of it, what they are after."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["SITUATIONS"]

SITUATIONS = {
    "missing_item": wordings(
        """
        [Someone|Somebody|Your packer] [must have forgotten|has evidently forgotten|did not think of] the {product}, [it is nowhere to be found|I turned the box upside down|all the other things are here].
        [The set|The kit|The bundle|The package deal] [should consist of|is meant to have|is said to hold] {quantity} [parts|pieces], [two are lacking|but I count fewer|not all of them are there].
        [All that is missing|The only thing missing|What is still missing] [is|now is] the {product}[ from order {order_id}|].
        [No sign of|Not a trace of|I see nothing of] the {product} [in the box|among the things that came|between all the paper].
        [There were supposed to be|There should have been|I was to get] two [parcels|boxes|packages][ for order {order_id}|], [only one came|one is lacking|the second one is missing].
        [My order|The delivery|What came today] [was short by|lacked|is lacking|fell short by] [one article|the {product}|a couple of parts].
        [Please complete|Could you complete|When will you complete] [my delivery|order {order_id}|the set], [the {product} is not in it|a part is lacking|something was left behind].
        [Without|Minus] the [cable|charger|remote control|screws|lid] [I cannot use|nobody can use] the {product}, [it was not enclosed|it was not in the carton|please send it on].
        [The free gift|The bonus article|The sample|The second pair] [that belongs to order {order_id}|that goes with the {product}|you announced] [was not enclosed|is missing|did not come along].
        [Everything arrived except|Complete except for|All there but for|I got all but] [the {product}|one {product}|the smaller article].
        [It says on the invoice|The bill says|The receipt lists] {quantity} pieces, [there are fewer in the box|some are absent|I did not get them all].
        [Was the {product} forgotten|Is the {product} on back order|Will you send the {product} on]? [It was not with the others|The rest came yesterday|I miss it in the parcel].
        """
    ),
    "wrong_item": wordings(
        """
        [Nice {other_product}|A fine {other_product}|Pretty {other_product}], but [I ordered a {product}|it is not what I asked for|I paid for a {product}].
        [Mix-up|A mix-up|Confusion|An error] [at your end|in your warehouse|in the shipping department]: [I have somebody else's things|a {other_product} came|I was given the wrong {product}].
        [The size|The colour|The length|The model|The variant] [you sent|that came|in the box] [is not the one I chose|is incorrect|is wrong|does not correspond to my order].
        [I clicked on|I selected|I picked] [green|the small one|the {product}|size 42], [what came was brown|what arrived was another|you shipped something different].
        [It is supposed to be|It should have been|I wanted] a {product}, [yet this is|what I hold in my hands is|and what I see is] a {other_product}.
        [The parcel has my name on it|The address is mine|The label is right], but [the content is not mine|inside are another customer's goods|what is inside belongs to somebody else].
        [Incorrect|Mistaken|False] [delivery|article|goods|model][: a {other_product}| in order {order_id}|, I ordered a {product}].
        [A {other_product} is of no use to me|What shall I do with a {other_product}|I have no need for a {other_product}], [where is the {product} I ordered|I had ordered the {product}|you got my order wrong].
        [You must have|You have obviously|I think you have] [picked|packed|grabbed] the wrong [box|article|shelf][ for order {order_id}|].
        [The picture on your page|The description|Your advert] [shows another {product}|is of a different {product}|is not of what I got], [I got a wrong one|this is another model|this one looks different].
        [This {other_product}|The {other_product} you shipped] [was never part of|does not appear in|is not on] [my order|order {order_id}].
        [Unfortunately|Sadly|I am sorry, but] [another article was delivered|it is not the article from order {order_id}|you sent me something that I did not choose].
        """
    ),
    "damaged_item": wordings(
        """
        [One look at|A look into] the box was enough: the {product} [is smashed|has a big crack|did not survive the trip|is ruined].
        [The delivery man handed me|I was handed|I took in] a [crushed|torn|battered|dripping] [parcel|box], [the {product} inside is broken|and the {product} has suffered|the {product} is scratched].
        [Sadly|Unfortunately] the {product} [did not survive|suffered in|was hurt during] [the journey|the transport|shipping|the mail].
        [The lid|The leg|The corner|The back|The frame|The bottom] of the {product} was [cracked|bent|broken off|splintered|dented] [when I took it out|as soon as I opened it|upon unpacking].
        [I cannot give away|Nobody would want|I will not keep] a {product} with [a dent|scratches|a crack|a chipped edge].
        [Fragile|Handle with care] [was written on it|it said on the box], [still the {product} is broken|yet the {product} came in pieces|but they broke it].
        [It must have been dropped|They must have dropped it|Somebody must have stepped on it], the {product} [is dented|is cracked|is in bits].
        [Shipping damage|Transport damage|Damage in transit|Delivered damaged][ to order {order_id}|, order {order_id}|: the {product} is dented].
        [The seal was broken|The film was torn|The inner box was ripped] and the {product} [is dirty|has marks|is scuffed|shows scratches].
        [The {product} has|My {product} came with|Your {product} has] [a bump|marks|a bent edge|broken parts|deep scratches] [that were there on arrival|from being knocked about|from the way it was shipped].
        [Half the|Two of the|Several] [plates|parts|pieces|glasses] [were cracked|were in shards|came broken|are chipped][ in order {order_id}|].
        [Look at the photos|See the pictures|As you can see in the photo], the {product} [was delivered broken|has a hole|arrived completely bent|is damaged].
        """
    ),
    "defective_product": wordings(
        """
        [Press what I like|Whatever I do|Try as I may|Whatever I try], the {product} [stays off|does not respond|shows no life|will not start].
        [The {product} shows|My {product} shows|It only shows] [an error code|a blank screen|a black screen|a red light|error 5] and [does nothing else|then stops|will not run].
        [Is it normal|Is it right] that the {product} [gets so hot|makes such a noise|turns off by itself|does not hold a charge|loses its settings]?
        The {product} [has a mind of its own|has been acting up|acts strangely|plays up|is unreliable]: it [stops in the middle|restarts by itself|switches off|drops the connection].
        [The display|The keyboard|The heater|The timer|The speaker|The lens] of [the {product}|my {product}] [went black|has no function|gave out|is not doing its job|does not move].
        [It ran|The {product} ran|My {product} lasted] [for two days|exactly a week|not even a month], [then it died|since then nothing works|now it is out of order].
        [The {product} fails to|My {product} fails to|It fails to|It refuses to] [connect|start|boot|heat|print|pump|spin|close properly].
        [I tried another socket|I reset it|I installed the update|I followed the instructions], [the {product} remains dead|the fault is still there|it still does not function].
        [Something inside|A part inside] the {product} [has come loose|is broken|is burnt out|does not turn], it [no longer does its work|does not run|fails].
        [Technical trouble|Malfunction|Product fault|Device faulty|Fault]: [the {product} does not run|my {product} turns off|the {product} crashes].
        [The battery|The rechargeable battery] of the {product} [is empty after ten minutes|will not charge|drains at once|is dead].
        [Please tell me how to repair|How can I repair|Who repairs|Where can I have you repair] [the {product}|my {product}], it [has given up|is not working|broke down].
        """
    ),
    "return_request": wordings(
        """
        [It was a gift|I got it as a present|We already have one], [can the {product} be returned|may I return the {product}|I would like to give the {product} back].
        [On second thoughts|After all|Having tried it], [the {product} is not for me|I do not like the {product}|I will not keep the {product}], [it goes back|how do I send it back|please take it back].
        [Which carrier|Which address|What address|What box] [do I use|should I use|is right] [for the return|to send the {product} back|for my return parcel]?
        [The fourteen days|The thirty days|The return period|The deadline for returns] [is not over yet|ends on {date}|ends soon], [I am returning the {product}|so I want to hand the {product} back|I want to send it back].
        [Is the return|Are returns|Is sending it back] [free|free of charge|at my own cost|paid by you]?
        [Do you take back|Will you take back|Would you accept|Do you accept] [an opened {product}|a used {product}|the {product} without its box|goods bought on sale]?
        [The {product} still has its label|The {product} is unused|Nothing has been opened], [can I bring it back|I would like to return it|may it go back].
        [I have registered|I registered|I want to register|Please register] [a return|my return|the return of the {product}][ for order {order_id}|].
        [Pick up|Come and get|Fetch|Collect] the {product} [at my place|from my home|again], [I am sending it back|I do not wish to keep it|it is going back].
        [Return label|Return slip|Return form|Label for the return][ for order {order_id}| for the {product}|], please.
        [What must I enclose|What papers do I need|Do I need the receipt|Must it be in the original box] [when I return the {product}|for a return|to send order {order_id} back]?
        [We want to part with|I no longer wish to keep|I have no use for] the {product}, [so back it goes|so I would return it|please organise the return].
        """
    ),
    "refund_request": wordings(
        """
        [It has been|It is] [two weeks|a month|ten days] since [my return|you got the {product} back|you agreed to pay], [and I have not seen my money|and no money has come|where is the repayment].
        [I should get|I am to get|I was to get|You owe me] {amount} [back|in return], [please pay|please transfer it|it has not come yet].
        [Nothing was delivered|The service was not provided|The order fell through], [so the money should come back|so I claim my payment back|pay me back, please].
        [Please let me have|Let me have|See to it that I get|Make sure I get] [my money|my {amount}|the sum I paid] [again|back][ by {date}|].
        [Has|Was] [the refund|my refund|the {amount}|the money] [been sent|been issued|been paid out|gone out] [yet|already|to my card]?
        [How many days|How long|How much time] [does a refund take|until the refund arrives|does it take to get my money back|until I am paid back]?
        [I cancelled|I withdrew from] [order {order_id}|the purchase] [in time|on {date}], [the {amount} has not been returned|my payment should be returned|I still wait for the refund].
        [I ask you to|I must ask you to|I request you to] [return the payment|pay back what I paid|refund the sum|reverse the payment][ of {amount}| for order {order_id}|].
        [No|Not one] [cent|penny] [has come back|of my refund arrived|was paid back] [so far|to this day].
        [A voucher|Store credit|A credit note] [is not enough|is no use to me|will not do], [I want real money back|I want it refunded|please refund the {amount}].
        [Refund status|Status of the refund|About my refund|Outstanding refund][ for order {order_id}| over {amount}|], [when does it come|please check|any news].
        [The wrong amount|Too little|Not the whole sum] [was refunded|was paid back|came back], [it should be {amount}|I paid {amount}].
        """
    ),
    "exchange_request": wordings(
        """
        [The {product} pinches|The {product} is too long|The {product} is too heavy|The {product} is a size too big|The {product} hangs loose], [do you have the next size|I need it smaller|can I get another size for it].
        [Swap|A swap|Exchange|Replacement] [wanted|requested|please]: [the {product}|order {order_id}|size M for size L|black for white].
        [I like the {product}, but|The {product} is good, but|A nice {product}, but] [I would rather have it in red|I need it in a larger size|not in this colour, can I swap it].
        [I do not want money|I need no refund|It is not about the money], [just another {product}|I only want a different model|just swap the {product} for me].
        [Can I|May I|Could I] [trade in|trade|swap|turn in] [the {product}|this {product}|my {product}] for [a {other_product}|another colour|the newer model|one that fits]?
        [What if|Is it okay if] I [swap|exchange|trade] the {product} [for a {other_product}|against another colour|for the bigger one][ and pay the difference|]?
        [Send me|Please ship|I would take] [the other size|the blue one|a {other_product}|the larger one] [and take this {product} back|in exchange|in place of the {product}].
        [How does|How long does|Where do I ask for] [an exchange|a swap|the exchange of the {product}|exchanging it] [work|take|].
        [Before I send the {product} back|If I send you the {product}], [will you send a {other_product} instead|can I have another size for it|do I get the right size].
        [My daughter|My husband|My son|My mother] [does not like the colour|needs a bigger one|wanted the other model], [can we exchange the {product}|can the {product} be swapped|we would like to swap].
        [One size|Two sizes] [up|down|larger|smaller] [would fit|would be right|is what I need], [please exchange the {product}|can you swap it|could we change it].
        [Instead of|In place of] [the {product} I have|this {product}|the {product} from order {order_id}] I would [like|prefer|love] [a {other_product}|another size|a different colour], [can you swap them|is an exchange possible|please exchange].
        """
    ),
    "cancel_order": wordings(
        """
        [Things have changed|My plans have changed|We are moving abroad|My money is tight], [I have to drop order {order_id}|the order must be stopped|please do not ship the {product}].
        [Take|Please take|Kindly take] [order {order_id}|my order|the {product}] [off your books|out of the queue|off the list], [I do not want it|I am no longer buying|it is cancelled].
        [How long|Until when] [can I|may I|is it possible to] [cancel|stop|call off|withdraw from] [order {order_id}|an order|my order]?
        [Stop|Please stop|Abort|Please abort] [everything|the process|the dispatch|the order], [I do not want the {product} now|I ordered in error|I have found a better one].
        [I ordered|I bought|I placed an order] [half asleep|too quickly|by accident|without thinking], [can you cancel it|please undo order {order_id}|kindly stop it].
        [That was not intended|I did not mean to order that|That click was a slip], [please cancel|cancel order {order_id}|take the order back].
        [May I|Am I allowed to|Can one] [pull out of|back out of|step away from|cancel] [the order|order {order_id}|the deal][ without a fee| before it is packed|]?
        [Let us|We should|I think we should] [forget about|scrap|call off] [order {order_id}|the {product} order|the whole order].
        [I found the {product} cheaper|I got a {product} elsewhere|My friend gave me a {product}], [so I cancel|so order {order_id} is not needed|cancel my order please].
        [Order {order_id}|My order from {date}|Yesterday's order] [has become needless|is off|should not be carried out|is to be revoked].
        [I cannot afford|I cannot take|I do not have room for] the {product} [any more|now], [please cancel the order|can the order be stopped|I withdraw].
        [Please confirm that|Tell me that|Make sure that] [order {order_id} is cancelled|my order will not be sent|the purchase is called off|you have stopped the order].
        """
    ),
    "change_address": wordings(
        """
        [My parents|My neighbours|My sister|A friend] will [take|accept|receive] [the parcel|order {order_id}|the {product}]: {street}, {postal_code} {city}, [so please send it there|not to my own address|that is the new address].
        [The street|The town|The house number|The postcode] [is wrong|was misspelt|has changed], [it must be|it reads|correctly it is] {street}, {postal_code} {city}.
        [We moved|I moved|Our firm moved|My office moved] [to|into] {street}, {postal_code} {city} [on {date}|last month|recently][, so deliver there|; send order {order_id} there|].
        [Ship|Send|Post] [to|it to] {street}, {postal_code} {city}[, not to the address in order {order_id}|, the other one is out of date|, I gave you the old one].
        [I picked|I chose|I left] [the wrong address|last year's address|my billing address] [in order {order_id}|when ordering], [I need it at|the goods go to|it should be sent to] {street}, {postal_code} {city}.
        [Redirect|Please redirect|Reroute|Divert|Forward] [order {order_id}|my parcel|the {product}|my delivery] to {street}, {postal_code} {city}.
        [Here is|This is|Below is|Please note] [my new address|our new address|the correct shipping address|the right place]: {street}, {postal_code} {city}.
        [Can the destination be changed|Can you alter the destination|Could the address be altered]? [It should go to|I need it at|Please deliver at] {street}, {postal_code} {city}.
        [At the old address|In the old house] [nobody lives now|nobody can take it], [please bring it to|use|send it to] {street}, {postal_code} {city}.
        [Change of address|New home|Moved house|Address correction]: {street}, {postal_code} {city}[, order {order_id}|, from {date}|].
        """
    ),
    "change_quantity": wordings(
        """
        [We are more people than planned|More guests are coming|It turns out we need more], [can you raise it to {quantity}|please make order {order_id} {quantity} pieces|we need {quantity} of the {product}].
        [We are fewer than we thought|I counted wrong|I overestimated], [{quantity} of the {product} will do|please lower it to {quantity}|make it {quantity} pieces only].
        [Please raise|Raise|Increase|Lower|Reduce|Decrease|Adjust|Set] [the number|the quantity|the amount of pieces|the count] [of the {product}|in order {order_id}|] to {quantity}.
        [One more|Two more|Another|A few more|One fewer|Two less] {product}[s|], please, [in order {order_id}|for the order I placed|so {quantity} in all].
        [Can the number|Could the quantity|May the number] [of pieces|of the {product}|] [still be|be] [changed|raised|lowered|corrected] to {quantity}?
        [Not one|Not two|Not three|Not ten], but {quantity} [of the {product}|pieces|of them] [please|are needed|should be in order {order_id}].
        [I typed|I put|It says|I entered] [the wrong number|a wrong quantity|one zero too many] [in order {order_id}|of pieces], [it should be {quantity}|I want {quantity}|correct is {quantity}].
        [Instead of|In place of] [one|two|five|a dozen] [I will take|we take|I need|please send] {quantity} [of the {product}|pieces][ in order {order_id}|].
        [Top up|Extend|Enlarge|Shrink|Cut] order {order_id} to {quantity} [pieces|of the {product}|units].
        [Is there a way|Is it possible|Would it be possible] to [order more|take fewer|get extra pieces|have a larger number] [in order {order_id}|of the {product}], {quantity} [in total|altogether|instead]?
        [Double|Halve|Triple] the [quantity|number of pieces|order] [of the {product}|in order {order_id}|], [so {quantity}|that makes {quantity}|to {quantity} pieces].
        [Number of pieces|Quantity|Amount of pieces] [in order {order_id}|of the {product}|]: [{quantity} please|make it {quantity}|should be {quantity}].
        """
    ),
    "invoice_request": wordings(
        """
        [The tax office|My accountant|The finance department|My health insurance|The club] [needs|wants to see|asks me for] [written proof|a proper bill|paperwork|an invoice] [of the purchase|for the {product}|for order {order_id}].
        [No paper|Nothing on paper|No document] [came with the {product}|was in the box|was enclosed], [please send the bill|may I have the receipt|I need the invoice].
        [Would you|Can you|Could you] [print out|draw up|mail me|upload|make out] [the bill|a VAT invoice|a receipt|a second copy of the invoice][ for order {order_id}|]?
        [I need to prove|I have to show|I must show] [what I paid|that I bought the {product}|the purchase], [please send a receipt|is there a bill|an invoice would help].
        [The link to the invoice|The invoice file|The PDF of the bill] [does not open|is damaged|has expired|is empty], [please send it once more|can I get it by mail].
        [In which name|To whom|On what date] [is the invoice made out|did you write the bill|was the invoice issued][ for order {order_id}|]?
        [It is for the company|I bought it for work|The firm pays], [so I need an invoice with VAT|please make the bill out to us|we need a bill in the firm's name].
        [Duplicate|Copy|Reprint|Second copy] of the [bill|invoice|receipt] [for order {order_id}|of {date}|for the {product}|], please.
        [How do I get|Where do I get|Where do I download|Can I download] [my invoice|a receipt|the bill|the invoice for order {order_id}]?
        [Bill|Invoice|Receipt] [never received|not received|still outstanding|not in the parcel][: order {order_id}|, please send it|].
        [The invoice number|The bill number|The tax number] [is not readable|is missing on the bill|is needed], [please send a fresh invoice|a new copy please].
        """
    ),
    "payment_failed": wordings(
        """
        [I have now tried|I tried|We have tried] [two cards|three cards|every way of paying], [none is accepted|all were refused|each was declined].
        [Your shop|The terminal|The website|The app] [swallows|refuses|rejects|turns down] [my card|my payment|every card], [yet it works elsewhere|though there is money on it|why is that].
        [The payment process|The paying process|The transaction] [stops half way|was aborted|breaks off|ended with an error|was interrupted][ for order {order_id}|].
        [A red message|An error message|An error number|A warning] [appears|comes up|pops up] when I [pay|want to pay|enter my card|confirm the payment].
        [The purchase|The order|Order {order_id}] [fails at the payment|does not get past the payment|is stuck at paying|waits for a payment that fails].
        [I am ready to pay|I would gladly pay|I want to pay] {amount}, [but your system will not have it|but the page refuses|only it does not work].
        [Unable to|Not able to|Cannot] [pay|complete the payment|make the payment|pay by card][ for order {order_id}| for the {product}|][, what now|, please help|].
        [My instalment|My transfer|My direct debit|My PayPal payment] [was turned down|came back|did not go through|was blocked], [what went wrong|can I try again|how can I pay instead].
        [Did my payment|Has my payment|Did the payment of {amount}] [fail|go through or not|get rejected]? [I see an error|It says declined|The order is still unpaid].
        [The bank says all is well|My bank sees no problem|There are funds enough], [but the payment is declined|still you reject the card|and still it fails].
        [After entering the card number|After clicking on buy|When confirming] [the page goes blank|it says try later|I am sent back|it says not authorised], [I cannot pay|the payment is not made|nothing is paid].
        """
    ),
    "double_charge": wordings(
        """
        [My statement|The statement|My banking app] [lists|shows|has] [the same payment|{amount}|order {order_id}] [twice|two times|in two lines|once on {date} and again a day later].
        [I am missing {amount}|{amount} too much is gone|I paid {amount} more than I should], [because you debited twice|the order was booked double|you took the payment two times].
        [Twice the price|Double the price|The double sum|Twice the amount] was [taken|collected|deducted|debited] [for order {order_id}|for the {product}|from my card].
        [I only bought one|It was one single order|There is just one order], [why do I pay two times|but there are two payments|and you have collected two payments].
        [Card charged twice|Paid twice|Two charges|Double payment|Booked twice]: [{amount}|order {order_id}|one {product}].
        [One of|Only one of] [the two debits|the two payments|both charges] [is right|is correct|is justified], [please return the other|cancel the other one|the other must be undone].
        [I pressed pay twice|The page reloaded|The page hung while paying], [now I have paid two times|and now two amounts are gone|and it was charged double].
        [Did you|Have you|Why did you] [charge me again|debit me twice|take it a second time|bill me two times][ for order {order_id}| for the {product}|]?
        [By card and by transfer|By PayPal and by card|Both by invoice and by card] [you got|I paid|you have taken] {amount}, [that is twice|so double|one of them is too much].
        [A duplicate|A repeated|A second identical|Another] [debit|charge|withdrawal|payment] of {amount} [appeared|was made|has shown up] [on {date}|on my account|on my card].
        [What is the second|What is that second|Why a second] [payment|charge|debit|deduction] [of {amount}|on my card|for order {order_id}] [for|about|]?
        """
    ),
    "discount_code": wordings(
        """
        [Nothing changes|The total stays the same|The price remains|No reduction appears] [when I enter|after I typed|with|despite] {code}.
        [How and where|Where exactly|At which step] [do I enter|can I enter|do I put|can I redeem] {code}?
        [For my birthday|For signing up|As a new customer|As a thank you] I [got|received|was sent] [the code|the voucher|a coupon,] {code}, [it is not taken|how does it work|it fails].
        [Is|Was] {code} [still valid|expired|only for new customers|meant for the {product}|a real code]?
        {code} [does not work|is not accepted|is refused|gives an error|brings no discount][, what now|, please check|].
        [Please subtract|Please deduct|Take off] [the reduction|the discount|ten percent|the voucher] [of|from|for] {code}[ from order {order_id}| later|].
        [The promotion|The offer|The campaign] {code} [is said to run until {date}|should give ten percent|is on your page], [but my basket ignores it|yet I get no money off|why not for me].
        [I could not use|I was unable to use|I was not able to redeem] [my voucher|the code|the coupon|the gift card] {code}[ for the {product}|][, the shop says invalid|, please credit it|].
        [Reduced by|Discount through|Money off by] {code}: [it was not given|not on my bill|why not in order {order_id}].
        [Two codes|Several codes|More than one code] in one order, [can I add {code}|is {code} allowed too|does {code} count as well]?
        [Instead of the reduced price|Instead of less] I [paid|was charged] {amount}, [although I used {code}|in spite of {code}|so {code} was ignored].
        """
    ),
    "price_question": wordings(
        """
        [What sum|What amount|How much money] [must I reckon with|should I plan|would I need|do I owe you] for [the {product}|a {product}|{quantity} pieces of the {product}]?
        [Before I buy|Before ordering|To compare], [I need the price of the {product}|tell me what the {product} costs|what is the cost of the {product}].
        [Give me|Name|Name me|Quote me|Let me have] [a price|your price|the cost|your best offer] for [the {product}|{quantity} of the {product}|a {product}].
        [The {product} looks good|I like the {product}|The {product} interests me], [how much is it|what do you charge|what is it going for|at what price].
        [What are we talking about|What would I pay|What would you take] [for {quantity} pieces|for the {product}|in euros for the {product}]?
        [Is {amount}|Would {amount} be|Does {amount} sound] [the price|the right price|what the {product} costs|a fair price] [of the {product}|for the {product}|]?
        [Why does|How can] the {product} [cost so much|cost more than last month|cost {amount}|be so expensive]?
        [Do larger amounts|Do bulk orders|Do {quantity} pieces] [cost less|get a discount|come cheaper][ of the {product}|]?
        [What does shipping cost|How much do you charge for delivery|What are the delivery costs|What do you add for postage] [for the {product}|to {city}|]?
        [Pricing|Price query|Asking price|Price inquiry][ for the {product}|: the {product}| for {quantity} pieces], please.
        [When will the price|Will the price|Does the price] of the {product} [drop|fall|go down|rise|go up][ again| soon|]?
        [The price tag|The price on the page|The listed price] of the {product} [is unclear|is not shown|is confusing], [how much is it really|what does it cost|please tell me].
        """
    ),
    "stock_question": wordings(
        """
        [Any chance|Any hope|Is there any chance|Is there any hope] [of getting|to get|that you get] [a {product}|the {product}|another {product}] [before {date}|soon|in {city}|this year]?
        [The {product} has vanished|I no longer see the {product}|The {product} disappeared] from your [page|shop|shelves], [do you still sell it|is it gone for good|will it be back].
        [Do you still have|Do you happen to have|Have you by chance|Might you have] [a {product}|one {product}|some {product}|the {product}] [lying around|in the warehouse|left|to sell|on hand]?
        [Could I pick up|Can I pick up|Can I come for|May I collect] a {product} [in {city}|today|this afternoon], [or is it sold out|is one there|if it is available]?
        [The button is grey|It says not available|I read not in stock|It says sold out] [for the {product}|at the {product}], [when can it be bought again|when is it available|is more on the way].
        [Are there|Do you have] [other sizes|other colours|more pieces|enough pieces] of the {product} [available|in stock|on hand|at the moment]?
        [Put me on|Is there|Can I get on] [the waiting list|a waiting list] for the {product}[, it is out of stock|, until it is available|].
        [Out of stock|Sold out|Unavailable|Not available]: [the {product}, until when|the {product}, will more come|when does the {product} return].
        [Has the {product}|Did the {product}] [come in|arrived in the shop|been restocked|come back in] [yet|again|in {city}|]?
        [I have been looking for|I am looking for|I search for|We look for] a {product}, [do you have one|is it in your stock|do you sell it|can I get one from you].
        [As a quick check|For planning], [how is the stock of the {product}|are {quantity} of the {product} available|can you deliver {quantity} of the {product} at once]?
        """
    ),
    "warranty_claim": wordings(
        """
        [Since|As|Because] the {product} [is only a year old|is less than two years old|was bought on {date}], [the warranty should cover it|the guarantee must apply|you have to repair it for free].
        [Who do I contact|Whom do I write to|Where do I turn|Which office is it] [about the guarantee|for a warranty case|for a repair under warranty|to claim the warranty][ of the {product}|]?
        [Two years|Three years|Five years|Ten years] of [warranty|guarantee] [were promised|you promise|are on the box|came with the {product}], [I want to make use of it|I need it now|does that include the battery].
        [Is a repair|Is a replacement|Is the repair of the {product}|Would a new part be] [free|covered|paid by the guarantee|included in the warranty|without cost under the warranty]?
        [The guarantee card|The warranty certificate|The warranty papers|My proof of warranty] [is lost|is filled in|is enclosed|is missing], [can I still claim|how do I go on|what do I do with it].
        [The maker|The manufacturer|Your colleague] [says you handle the warranty|sent me to you for the guarantee|refuses the warranty], [please help|who is in charge|what now].
        [Does the guarantee|Does the warranty|Will the warranty|Will the guarantee] [pay for|include|cover|take care of] [the repair|wear and tear|the broken motor|the screen|my {product}]?
        [Warranty|Guarantee|Warranty case|Guarantee claim|Claim under warranty]: [the {product} from {date}|order {order_id}|my {product}].
        [I insist on|I rely on|I refer to|I invoke|I am entitled to] [the warranty|my guarantee|the statutory warranty|my warranty rights] [for the {product}|for order {order_id}|].
        [When does|On which day does|Has] [the warranty|the guarantee] [of the {product}|on my {product}|] [end|ended|run out|expire|expired]?
        [Can I extend|May I extend|How do I extend|Can I buy] [the warranty|a longer guarantee|more years of warranty|an extended warranty] [for the {product}|]?
        [Please have|I would like to have|I want to have] [the {product}|my {product}] [repaired|replaced|mended] [on warranty|under guarantee|within the guarantee].
        """
    ),
    "account_locked": wordings(
        """
        [I typed the wrong code|I mistyped|I was mistaken] [three times|too often|several times], [now I am shut out|now my account is blocked|since then I am locked out].
        [The door is closed|Access denied|Login refused|No entry]: [my account is blocked|it says account locked|why am I locked out].
        [It says|The page says|I read|The screen says] [your account is suspended|this user is blocked|account temporarily locked|access disabled], [please free it|what have I done|please let me in].
        [Let me|Please let me|Can you let me|When will you let me] [back in|into my account again|use my account again|in again], [it is locked|I am blocked|it has been suspended].
        [For security reasons|Because of strange activity|Due to suspicion|After a warning] [my account was closed to me|you froze my account|the account {email} is locked], [please unlock it|it was me|I am the owner].
        [My user|My customer login|Customer {customer_id}|The profile of {email}] [has been shut out|got locked|is no longer active|was barred|is on hold].
        [Although my password is right|With the right password|The password is correct, but] [I am refused|the account stays locked|I cannot get into my blocked account|it says locked].
        [Please lift|Could you lift|Lift|Remove] the [block|lock|suspension|ban] [on my account|on {email}|from my profile].
        [Since yesterday|Since {date}|All at once|Without warning] I am [locked out|blocked|barred|shut out] [of my account|of your shop|from logging in].
        [How long|Until when] [will my account be locked|does the block last|am I blocked|will the suspension last]?
        [Account|Login|Profile] [frozen|locked|blocked|suspended|barred][, please help|, why|: {email}|].
        """
    ),
    "password_reset": wordings(
        """
        [My memory fails me|I cannot think of it|It slipped my mind], [what was my password|I need a new password|the password is gone].
        [I wrote it down|I saved it|My browser saved it], but [the password is not right|the password is wrong|I have lost the password], [please send a new one|how do I reset it].
        [Please set|Set|Could you set] [a new password|another password|my password anew|a temporary password] for [{email}|my account|customer {customer_id}].
        [I am waiting for|I keep waiting for|I did not receive|I never get] [the mail to reset my password|the reset mail|the link for a new password|your password mail].
        [What are the steps|What must I do|How does one go about it] [to choose a new password|to change my password|when the password is lost|if I forgot my password]?
        [New password|Password lost|Password forgotten|Forgotten password|Lost my password][, please help|: {email}|, how do I get a new one].
        [After the update|On my new phone|On the new computer] [I need my password|it asks for my password], [which I have forgotten|and I do not know it any more|please reset it].
        [I want|I wish|I would like] to [choose|create|pick|have] [a stronger password|another password|a different password|a fresh password].
        [The page does not take|The system does not take|It does not accept] [my new password|the password I chose|my password], [how can I change it|please reset it|can you send me another].
        [I clicked|I pressed] forgot password, [but no mail came|nothing happens|and the link is dead|but the code is not accepted].
        """
    ),
    "delete_account": wordings(
        """
        [I am leaving|I want to leave|I leave] [your shop|you|your community] [for good|for ever|altogether], [erase my profile|delete everything about me|please close the account].
        [Under data protection law|According to the GDPR|By law], [you have to delete my data|I want my data erased|my account must be wiped].
        [Please wipe|Please scrap|Dissolve|Please dissolve|Destroy] [my account|my user profile|everything you know about me|the account {email}].
        [I do not shop here any more|I will not buy again|I hardly use it], [so remove my account|you can delete the account|my account may go].
        [Where is the button|Is there a button|Which button do I press] to [delete my account|close my profile|end my membership|remove my account]?
        [My late father|My late mother|My late husband] had an account[, {email}|], [please close it|it should be deleted|how do I have it removed].
        [I have two accounts|I have an old account|I registered twice], [please delete {email}|remove one of them|one should be closed].
        [Account closure|Deletion of my account|Closing my account|Account removal][: {email}|, please| requested].
        [What happens|What happens to my orders|How long does it take] [if I delete my account|when my account is closed|after the deletion of my account]?
        [Make sure|Please see to it|Confirm to me] that [my account is gone|all my data is erased|my profile no longer exists|the account {email} is deleted].
        [No longer|Never again] [shall you keep|do I want you to keep|may you store] [my data|an account in my name|my profile], [delete it|close the account|erase all of it].
        """
    ),
    "change_email": wordings(
        """
        [Nothing reaches me|Your mails do not reach me|I get no confirmation], [my e-mail is now {email}|the right e-mail is {email}|because I use {email} now].
        [My old mailbox|My former e-mail|My work e-mail|The old e-mail] [was closed|is full|no longer exists|will be shut down], [write to {email}|please switch to {email}|{email} is the new one].
        [Could you put|Please put|Put|Note] {email} [into my account|in my file|on record as my e-mail|down as my new e-mail].
        [In my account|In my profile|With you] [stands an old e-mail|there is an old email address|the e-mail is wrong], [make it {email}|it ought to be {email}|please alter it to {email}].
        [New e-mail|New email address|E-mail change|Updated e-mail|Other e-mail]: {email}[, please save it|, customer {customer_id}|].
        [I left my job|I changed jobs|I changed provider|I got married], [so my e-mail is {email} now|please change my e-mail to {email}|my e-mail in your system should be {email}].
        [From today|From now on|In future|As of {date}] [I can be reached at|you reach me at|my e-mail is|please mail me at] {email}.
        [I would like to log in with|I want to sign in with|Let me sign in with] {email} [instead|in future|from now on][, please change the e-mail|].
        [Both e-mails|Two e-mails|Old and new e-mail] [are in my account|are on file], [only {email} should stay|please keep just {email}|make {email} the main one].
        [One letter|A dot|A hyphen] in my e-mail is [wrong|missing], [correct is {email}|it should read {email}|please put {email}].
        """
    ),
    "unsubscribe": wordings(
        """
        [Day after day|Every morning|Each week|All the time] [a new mail with offers|another newsletter|more advertising|one of your ads], [please stop that|I have had enough|take me off].
        [I am not interested in|I have no interest in|I never read|I do not read] [your offers|your newsletter|your promotional mails|your advertising], [take me off the list|please sign me off|no more of them].
        [How do I get off|How can I get off|I want to get off|Get me off] [your list|the mailing list|your newsletter|this distribution list]?
        [The unsubscribe link|The link at the bottom|The sign-off button] [leads nowhere|does not work|is broken|gives an error], [please unsubscribe me|please take me off|the newsletter keeps coming].
        [No more|Enough of] [newsletters|ads|your weekly mails|promotional messages|offers by mail][, please| to {email}| for me].
        [I agreed to|I ticked the box for|I ordered] [the newsletter|advertising mails|offers by mail] [by accident|only for a while|long ago], [I take it back|please stop it|end it now].
        [Please refrain from|Please desist from|I object to|I forbid] [sending me advertising|marketing mails|using my e-mail for ads|any more newsletters].
        [My phone buzzes|I am woken|I get messages] [because of your offers|with your ads|from your app with promotions], [switch them off|I want no advertising|unsubscribe me].
        [Off the list|Take {email} off|Unsubscribe {email}|Strike {email} from the list], please[, no more newsletters|, I want no ads|].
        [Keep the account|I stay a customer|I will go on buying], but [no advertising|without the newsletter|spare me the promotions].
        """
    ),
    "complaint": wordings(
        """
        [What a|Such a] [bad|poor|miserable|lousy|dreadful] [service|support|hotline|experience|way to treat people][, I complain|, never again|, I am angry].
        [I am far from|I am anything but|I am not at all|I am by no means] [satisfied|happy|pleased|content] with [your service|{staff}|how you treat customers|the support].
        [I was|We were|My mother was] [left standing|fobbed off|sent from desk to desk|put on hold for ever|shouted at|made fun of] [by {staff}|by your staff|at your shop in {city}|on the phone].
        [I cannot recommend|Nobody should use|I will warn others about] your [shop|service|support], [{staff} was so rude|people are unfriendly|I was treated badly].
        [You should be ashamed|Shame on you|It is a disgrace|It is a scandal] [for your service|how {staff} talks to customers|how I was treated|how your staff behaves].
        [The tone|The language|The manners|The arrogance] of [{staff}|your employee|the agent on the phone|your staff in {city}] [is not acceptable|shocked me|was insulting|is beyond belief].
        [No one|Nobody] [felt responsible|took the time|wanted to help|said sorry|took care of me], [I am disappointed|I protest|that is no service].
        [I have to|I really must|I feel I must|I am writing to] [protest|voice my anger|express my disappointment|report bad behaviour|complain] [about {staff}|about your support|about the driver|].
        [The worst|The rudest|The slowest|The most unfriendly] [service|staff|support|shop] [ever|I have met|I know of|in years].
        [One star|Zero stars|No stars|Minus ten points] for [{staff}|your support|the service|the shop in {city}][, very unfriendly|, so rude|, I was ignored].
        [{staff}|The clerk|Your technician|Your colleague] [rolled the eyes|called me names|slammed the phone down|did not even greet me|was in a foul mood], [I will not put up with it|I want an apology|I complain].
        [Unsatisfied|Displeased|Disgusted|Fed up|Let down] [with|by] [your service|the support|{staff}|the way I was treated].
        """
    ),
    "praise": wordings(
        """
        [What a|Such a] [great|wonderful|lovely|fantastic|superb] [service|team|{product}|shop|experience][, thank you|, I am happy|, bravo].
        [I could not be|I cannot be|We could not be] [happier|more pleased|more satisfied] with [the {product}|your service|{staff}|the purchase].
        [I was|We were|My mother was] [advised so well|helped at once|looked after kindly|served in a friendly way|pleasantly surprised] [by {staff}|by your staff|in {city}|by your team].
        [I can only recommend|I recommend|Everybody should know|I tell all my friends about] your [shop|service|team], [{staff} was so friendly|you are great|the {product} is splendid].
        [You can be proud|Be proud|My compliments|Congratulations|All respect] [of your team|of {staff}|on the {product}|for the service].
        [The friendliness|The patience|The kindness|The expertise|The help] of [{staff}|your team|the driver] [is remarkable|impressed me|was a joy|is unmatched|was wonderful].
        [Everything went|All went|It all went] [smoothly|perfectly|very fast|like clockwork], [thank you|a great shop|I am delighted].
        [I am writing to|I would like to|I really want to] [express my thanks|say how happy I am|praise your team|compliment {staff}|say thank you].
        [The best|The nicest|The finest|The prettiest] {product} [ever|I have ever owned|I know of|in years].
        [Full marks|A gold medal|Big praise|A hug|Applause] for [{staff}|your team|the service|the people in {city}|whoever packed it].
        [{staff}|The driver|Your technician|Your colleague] [smiled all the time|carried the {product} upstairs|took a lot of time for me|explained everything so well|stayed calm and kind], [thank you|that was great|what a nice person].
        [Delighted|Thrilled|Enchanted|Overjoyed|Satisfied] [with|by] [your service|the {product}|{staff}|the quality].
        """
    ),
    "delivery_schedule": wordings(
        """
        [We will be home|Somebody will be in|I am at home|I have time] [on {delivery_date}|from {time} on {delivery_date}|only on {delivery_date}], [could it be brought then|please let the driver come then|so deliver then].
        [Hold|Keep|Store] [the parcel|order {order_id}|the {product}] [until {delivery_date}|back until {delivery_date}], [we are away|I am travelling|then bring it].
        [Is {delivery_date}|Would {delivery_date}|Could {delivery_date}] [at {time}|] [be possible for the delivery|work for your driver|be a day on which you deliver|suit the courier]?
        [Which days|What times|Which time slots|What days] [do you deliver|can I choose for the delivery|are there for delivery]? [I would like {delivery_date}|Best on {delivery_date}|{delivery_date} would suit me].
        [Not|Please not] [in the morning|on {date}|before {time}|tomorrow], [bring the {product} on {delivery_date}|deliver on {delivery_date}|rather on {delivery_date}].
        [Earlier|Later|A day later|A week later], please: [deliver order {order_id} on {delivery_date}|the {product} on {delivery_date}|bring it on {delivery_date}].
        [The driver|The courier|The van|Your people] [should|may|can|is to] [come|ring|deliver|arrive] on {delivery_date}[ after {time}| before {time}| at {time}|].
        [Our builders|The hotel|My office|The porter] [can take the {product} in on|accepts parcels on|is open on] {delivery_date}, [please plan it so|so deliver on that day|could you deliver then].
        [Delivery slot|Preferred day|Wished date|Delivery appointment|Day of delivery] [for order {order_id}|for the {product}|]: {delivery_date}[, {time}|, after {time}|].
        [I would like to|May I|Can I|I wish to] [book|pick|fix|agree on|settle] [a time|a day|an appointment] for [the delivery|the {product}|order {order_id}], [say {delivery_date}|{delivery_date} at {time}|for instance {delivery_date}].
        """
    ),
}
"""None for "order_status" and "late_delivery", of which held-out sentences had been read when these were written."""
