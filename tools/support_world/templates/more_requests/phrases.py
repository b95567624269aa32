# ruff: noqa: E501 - a template stays on one line
"""Still more ways to say each intent: few sentences, in which many words and idioms of one meaning stand for each other."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["PHRASES"]

PHRASES = {
    "order_status": wordings(
        """
        [Can you|Could you|Would you|Please] [check|see|tell me|look up|find out|let me know|say] [where my order is|where order {order_id} is|what the status of my order is|how order {order_id} is going|whether my order has shipped|if the {product} is on its way|at what stage my order is|which state order {order_id} is in].
        [What is|What's|Give me|I need] the [status|state|stage|position|whereabouts|location|latest|progress] of [my order|order {order_id}|my parcel|my shipment|my purchase|the {product}].
        Has [my order|order {order_id}|my parcel|the {product}] [shipped|been shipped|been sent|left|been dispatched|gone out|been processed|been confirmed|been packed|been collected by the courier|cleared customs] [yet|already|by now|]?
        I [want|would like|need|am trying|was hoping] to [track|follow|trace|locate|find] [my order|order {order_id}|my parcel|my package|the shipment of the {product}].
        [Is|Are] there [any news|any update|an update|something new|tracking information|a tracking number|tracking details] [for|on|about] [my order|order {order_id}|my parcel|the {product}]?
        """
    ),
    "late_delivery": wordings(
        """
        [My order|Order {order_id}|My parcel|The {product}|My package|The delivery] [is late|is very late|is overdue|is delayed|is still missing|still has not arrived|has not shown up|has not turned up|did not come|never came|never arrived|is nowhere to be seen|has not reached me|should have arrived long ago|was due on {date}|is taking for ever].
        [I am still waiting|I have waited|I have been waiting|I keep waiting|We are still waiting|Still waiting] [for weeks|for days|since {date}|far too long|for ages|in vain] for [my order|order {order_id}|my parcel|the {product}|the delivery].
        [Why is|Why are you|What is] [taking so long|so late|delaying my order|the reason for the delay|keeping my parcel|the {product} not here yet|order {order_id} not delivered yet|my delivery late]?
        [You promised|You said|It was promised|I was told|The website said|I was assured] [it would come by {date}|delivery on {date}|two days|it would be here last week|delivery within a week], [but nothing came|but I have nothing|it has not come|it is late|I am still waiting|and no parcel is here].
        [It is already|It is now|Today is] [a week|ten days|two weeks|several days|a month] [late|overdue|past the date|after the delivery date|too late].
        """
    ),
    "missing_item": wordings(
        """
        [The {product}|One item|One thing|A part|An article|Something|The second {product}] [is missing|was missing|was not there|is not in the box|was not in the parcel|was left out|was not included|was not packed|has been forgotten|is lacking|was not delivered with the rest|did not come with the others] [in order {order_id}|from my order|from the parcel|].
        [My order|Order {order_id}|My parcel|The delivery|The package|The box] [is incomplete|was incomplete|came incomplete|is not complete|arrived without the {product}|came without the {product}|does not contain the {product}|lacks the {product}|was half empty|was short].
        You [forgot|left out|omitted|did not pack|did not include|failed to send|did not send] [the {product}|one item|a part|one of my things|something].
        [I ordered|I paid for|I bought] [two things|three articles|two pieces|several items] [but got|but received|but only got|and received|but there was] [only one|one less|one too few|just one|not the {product}].
        [Everything|All] [but|except|apart from|other than] the {product} [arrived|came|was there|was delivered|was in the box].
        """
    ),
    "wrong_item": wordings(
        """
        [You sent|You delivered|You shipped|I received|I got|I was sent|There came] [the wrong item|the wrong product|a wrong article|something I did not order|a different product|another model|the wrong colour|the wrong size|someone else's order|a {other_product}|a {other_product} instead of the {product}|a {other_product} and not the {product}].
        [This|That|The item|The product|The article|What arrived|What I got|The {product}] is [not what I ordered|the wrong one|not the one I ordered|not mine|another one|not the right one|a different one|something else|the wrong model|the wrong version|not my order].
        [Wrong item|Wrong product|Wrong article|Wrong goods|Wrong parcel|Wrong {product}|Mix-up|A mistake] [delivered|received|sent|in the box|in order {order_id}|in my parcel].
        I [ordered|wanted|bought|paid for|asked for|chose] the {product}, [but got|but received|not|but you sent|but there was|and got|but what came is] [a {other_product}|something else|another product|another thing|the wrong thing].
        [My order|Order {order_id}|My parcel] [was mixed up|got mixed up|was confused with another|is wrong|contains the wrong article|contains something else|has the wrong content|was meant for someone else].
        """
    ),
    "damaged_item": wordings(
        """
        [The {product}|My {product}|The parcel|The item|Order {order_id}] [arrived|came|was delivered|got here|reached me] [broken|damaged|smashed|cracked|scratched|dented|in pieces|bent|torn|with a crack|with a dent|with scratches|with damage|in bad condition|shattered|crushed].
        [It|The {product}|The glass|The box] [broke|was damaged|got damaged|was broken|was smashed|got crushed] [in transit|on the way|during transport|during delivery|in the mail|during shipping|on the journey].
        There [is|was|are|were] [a crack|cracks|a dent|dents|scratches|a scratch|a hole|damage|broken glass|a tear|a broken corner] [in|on] [the {product}|my {product}|it] [when I opened the box|when I unpacked it|on arrival|when it arrived|].
        [The packaging|The box|The carton|The parcel] was [torn|crushed|open|wet|damaged|in a bad state|squashed|ripped] and [the {product} is broken|the {product} damaged|the content is damaged|everything inside is broken|the {product} is scratched].
        [I got|I received|You sent me|You delivered|We got] a [damaged|broken|cracked|scratched|dented|smashed|shattered] [{product}|item|parcel|article].
        """
    ),
    "defective_product": wordings(
        """
        [The {product}|My {product}|It|The device] [does not work|is not working|stopped working|no longer works|broke down|is broken|is defective|is faulty|does not turn on|does not start|will not switch on|keeps crashing|keeps failing|malfunctions|is dead|has a fault|fails all the time|shuts down|makes a noise|does not charge].
        [After|Only] [a few days|one week|a month|two uses|a short time|three weeks] [the {product}|my {product}|it] [stopped|stopped working|broke|died|failed|gave up|was dead|broke down|did not work any more].
        [There is|I have|I found] [a problem|a fault|a defect|an issue|trouble|something wrong] with [the {product}|my {product}|the battery of the {product}|the display of the {product}|the motor of the {product}].
        I [cannot|can't|am unable to|do not manage to|have tried to] [use|start|switch on|turn on|charge|operate|run] [the {product}|my {product}], [it does not work|it does nothing|it is dead|it is broken|it fails|nothing happens].
        [The screen|The button|The battery|The power|The motor|The light] [of the {product}|of my {product}|on the {product}] [is dead|does not work|stopped working|went out|fails|does not respond|stays dark|is broken].
        """
    ),
    "return_request": wordings(
        """
        I [want|would like|wish|need|have decided|am going|intend] to [return|send back|give back|bring back|hand back] [the {product}|my order|order {order_id}|it|this|an item|what I bought].
        [How|Where|When|In what way] [can I|do I|may I|must I|should I|could I] [return|send back|give back|bring back] [the {product}|my order|order {order_id}|it|an article|something]?
        [I need|Please send me|Can I have|Where is|Could you send|Send me|I am missing|How do I get] [a return label|the return label|a return form|return instructions|a shipping label for the return|a return slip|the papers for a return].
        [The {product}|Order {order_id}|It] [is not what I expected|does not suit me|does not please me|is not right for me|is not needed|was a wrong buy] and [I want to return it|has to go back|I will send it back|I would like to send it back|should go back].
        [What is|Tell me about|I have a question about|Explain|How does] [your return policy|the return procedure|returning an item work|a return work|the return process|returns|the period for returns].
        """
    ),
    "refund_request": wordings(
        """
        [I want|I would like|I demand|I request|I need|I ask for|I expect|I am waiting for|I am still waiting for] [a refund|my refund|my money back|the money back|my money|a full refund|reimbursement|to be refunded|to be reimbursed|to get my money back].
        [When|How soon|Why do I not] [do I get|will I get|will I receive|can I expect|will you pay|get] [my refund|my money back|the refund|the money|back {amount}|the {amount} back]?
        [Please|Kindly|Could you please|Can you] [refund|reimburse|pay back|return|give back|repay|transfer back|credit] [my money|the money|{amount}|the full price|the purchase price|the payment for order {order_id}|me for the {product}].
        [My refund|The refund|My money|The repayment|The {amount}] [has not arrived|has not come|is still missing|has not been paid|is not on my account|was never paid|is late|is outstanding|was promised but has not come].
        [I returned the {product}|I sent the {product} back|I cancelled order {order_id}|You cancelled my order|The {product} was never delivered], [where is my money|please refund me|I want my money back|I have no refund yet|so pay me back].
        """
    ),
    "exchange_request": wordings(
        """
        [I want|I would like|I need|I wish|Is it possible|Would it be possible|I am hoping] to [exchange|swap|change|trade|replace] [the {product}|my {product}|it|order {order_id}] [for|with] [a {replacement}|another one|another size|a bigger size|a smaller size|a different colour|a different model|something else|a larger one].
        [Can I|Could I|May I|Can you|Could you|Would you] [exchange|swap|change|trade in|replace] [the {product}|my {product}|it] [for|against] [a {replacement}|another size|another colour|one that fits|a larger one|a smaller one|the other model]?
        [It|The {product}|The size|The colour] [is too big|is too small|does not fit|is wrong|is too tight|is too large|is not right|does not match], [I want to exchange it|I need another size|please exchange it|can I swap it|I would like a different one|can I get a bigger one].
        [I chose|I bought|I ordered|I got] the wrong [size|colour|model|version], [can I exchange it|please swap it|I would like to exchange it|is an exchange possible|can it be exchanged for a {replacement}].
        [I would prefer|I would rather have|I would like] [a {replacement}|another colour|a different size|the bigger model] [instead of the {product}|in exchange for the {product}|in return for my {product}|rather than the {product}].
        """
    ),
    "cancel_order": wordings(
        """
        [I want|I would like|I need|I wish|I have|I am writing] to [cancel|stop|withdraw|revoke|annul|call off] [my order|order {order_id}|the order|the purchase|the order for the {product}|what I ordered].
        [Please|Kindly|Can you|Could you please|Would you] [cancel|stop|withdraw|annul|revoke|take back|call off|delete|void] [my order|order {order_id}|the order of {date}|the order for the {product}|this order].
        [I no longer need|I do not need|I do not want|I no longer want|I changed my mind about|I have found a cheaper|I decided against] [the {product}|order {order_id}|my order], [please cancel|cancel it|please cancel it|I want to cancel|so cancel the order|please stop it].
        [Can I|Could I|May I|How can I|How do I|Is it possible to|Am I able to] [still cancel|cancel|withdraw|stop|undo] [my order|order {order_id}|the {product}|the purchase|it before it ships]?
        I [ordered|bought|placed order {order_id}] [by mistake|by accident|too quickly|in error|the wrong thing by mistake], [please cancel it|cancel that|I want to cancel it|please do not ship it|stop it].
        """
    ),
    "change_address": wordings(
        """
        [Please|Can you|Could you|I want to|I need to|I would like to|Kindly] [change|update|correct|amend|edit|alter|modify] [my address|the delivery address|the shipping address|the address|where order {order_id} goes] [to|, it is now|, the new one is] {street}, {postal_code} {city}.
        [Please|Can you|Could you|Kindly] [send|ship|deliver|redirect|forward|bring|reroute|dispatch] [my order|order {order_id}|the {product}|the parcel|it] to {street}, {postal_code} {city}[ instead|].
        [I moved|I have moved|We moved|I am moving|We have a new flat|I have a new home|I relocated|I live elsewhere now], [my address is|the new address is|now I live at|please deliver to|please use|send it to|it is now] {street}, {postal_code} {city}.
        [The address|The delivery address|My address|The street|The postcode] [is wrong|is not right|is outdated|is incorrect|has changed|has a mistake|was entered wrongly], [it should be|the correct one is|please use|please change it to|the right one is] {street}, {postal_code} {city}.
        """
    ),
    "change_quantity": wordings(
        """
        [Please|Can you|Could you|I want to|I need to|I would like to] [change|increase|reduce|raise|lower|adjust|correct|set|update] [the quantity|the number|the amount|my order|order {order_id}|the number of pieces|the count] [to|so that it is] {quantity}[ pieces| units| of the {product}|].
        [I want|I need|I would like|We need|I will have|Give me|Send me|I meant to order] {quantity} [pieces|units|of the {product}|items] [instead of one|not one|instead|rather than two|and not just one|in order {order_id}|in my order].
        [I ordered|I put|I entered|I typed] [too many|too few|the wrong number|the wrong quantity|one too many|not enough], [I want {quantity}|it should be {quantity}|I need {quantity}|please make it {quantity}|{quantity} would be right].
        [Make it|Please make it|Make that|Change that to|Change it to|Put down|Let it be] {quantity}[ pieces| units| of the {product}| in order {order_id}|][, please|].
        [Can I|Could I|May I|Is it possible to|Am I able to] [add more to order {order_id}|order more of the {product}|get fewer pieces|change how many I get|take fewer|have more of them], {quantity} [in all|in total|altogether|pieces]?
        """
    ),
    "invoice_request": wordings(
        """
        [Please send me|Can you send me|Could you send me|I need|I want|I would like|May I have|I am missing|I did not receive|I never received|Where is] [an invoice|the invoice|my invoice|a receipt|the receipt|a bill|the bill|a copy of the invoice|proof of purchase|an official invoice|a VAT invoice][ for order {order_id}| for the {product}| over {amount}|].
        [Where|How] [can I|do I] [find|get|download|print|obtain|request] [an invoice|the invoice|my invoice|a receipt|the bill][ for order {order_id}| for the {product}|]?
        [My accountant|My company|My boss|The tax office|Our accounts department|My insurance|My employer|The auditor] [needs|wants|asks for|requires|is asking for] [an invoice|the invoice|a receipt|the bill|a copy of the invoice|proof of payment].
        [The invoice|My invoice|The bill|The receipt] [is missing|is wrong|did not come|was not in the box|has an error|shows the wrong address|is not in my account|never came|was not enclosed][, please send it|, please correct it|].
        """
    ),
    "payment_failed": wordings(
        """
        [My payment|The payment|My card|The transaction|My credit card|The transfer|My card payment] [failed|was declined|was rejected|was refused|did not go through|does not go through|is not accepted|does not work|did not work|was not accepted|could not be processed|was denied|bounced|keeps failing][ for order {order_id}| of {amount}|].
        [I cannot|I can't|I am unable to|I could not|I am not able to|It is not possible to|I do not manage to] [pay|pay for order {order_id}|complete the payment|pay by card|pay {amount}|check out|finish paying|make the payment].
        [When|Whenever|Every time] I [try to pay|want to pay|pay|enter my card|click on pay|check out], [I get an error|it fails|there is an error|my card is declined|it is rejected|the page crashes|nothing happens|it does not work].
        [The checkout|The payment page|Your shop|Your site|The system|The payment form] [rejects my card|declines my card|does not accept my payment|shows an error|does not work|refuses my card|does not process my payment|says payment failed].
        Why [was|is|does] [my payment declined|my payment rejected|my card declined|my card not accepted|the payment fail|the payment not work|my payment not go through]?
        """
    ),
    "double_charge": wordings(
        """
        [I was|I have been|I got|My card was|My account was|We were] [charged twice|billed twice|debited twice|charged two times|charged double|billed two times|double charged|charged a second time][ for order {order_id}| for the {product}| with {amount}|].
        [You|Your shop|Your system] [charged|billed|debited|booked|deducted|withdrew] [me twice|my card twice|{amount} twice|the amount twice|me two times|the money two times|me double|the payment a second time].
        [I paid|I have paid|I seem to have paid] [twice|two times|double|the same bill twice|for order {order_id} twice|{amount} twice|for the {product} two times].
        [There are|I see|I have|My statement shows|My bank shows|I found] [two charges|two payments|two debits|a double charge|a duplicate payment|two transactions|the same charge twice|a second charge|two identical bookings] [of {amount}|for order {order_id}|for the {product}|on my card|].
        [The money|{amount}|The amount|The payment|Order {order_id}|The price] was [taken twice|charged twice|deducted twice|debited two times|booked twice|withdrawn two times|collected twice|billed double].
        """
    ),
    "discount_code": wordings(
        """
        [The code|My code|The discount code|The voucher|My voucher|The coupon|My coupon|The promo code|The gift card] {code} [does not work|is not working|is not accepted|was rejected|is invalid|has expired|gives an error|was not applied|is refused|cannot be used|cannot be redeemed|was declined|is not recognised].
        [How|Where|Can I|When] [can I use|do I use|do I enter|may I redeem|can I apply|still use|put in|redeem] [the code|the discount code|my voucher|the coupon|the promo code] {code}?
        [Please|Can you|Could you|I want to|I would like to|I forgot to] [apply|use|redeem|add|enter|activate|deduct] [the code|the discount code|my voucher|the coupon|the discount] {code}[ to order {order_id}| on order {order_id}| for the {product}|].
        [I did not get|I never got|You did not give me|You forgot|I am missing|There was no] [the discount|my discount|the reduction|the rebate|the money off] [with|for|from] [the code|the voucher|the coupon|] {code}.
        """
    ),
    "price_question": wordings(
        """
        [How much|What] [is|does|would|are|will] [the {product}|a {product}|{quantity} pieces of the {product}|your {product}|the price of the {product}|the cost of the {product}] [cost|cost me|be|come to|]?
        [What is|What's|Tell me|Can you tell me|Could you tell me|I want to know|I would like to know|Please tell me|May I know] [the price|the cost|the full price|the exact price|the price per piece|the best price|the sale price] [of|for] [the {product}|a {product}|{quantity} of the {product}].
        [Can I get|Could I have|I need|I want|Please send|Could you send me|Would you make me] [a quote|an offer|a price|a quotation|an estimate|a price list|your best price] [for the {product}|for {quantity} pieces|for {quantity} of the {product}].
        [Is|Are] the {product} [cheaper|on sale|on offer|reduced|discounted|more expensive|cheaper by the dozen] [now|if I take {quantity}|in larger numbers|this week|online|than in the shop]?
        [Do you|Could you] [give a discount|have a special price|offer a lower price|lower the price|match the price] [on the {product}|for the {product}|for {quantity} pieces]?
        """
    ),
    "stock_question": wordings(
        """
        [Is|Are] [the {product}|a {product}|your {product}|any {product}] [in stock|available|still available|on stock|back in stock|sold out|out of stock|still to be had|on the shelves|available in {city}|in the shop in {city}|available right now]?
        [Do you|Do you still|Will you|Does your shop in {city}|Does the store] [have|stock|sell|carry|offer|get] [the {product}|a {product}|any {product}|{quantity} of the {product}] [in stock|available|again|at the moment|]?
        [When|How soon] [will|is|are] the {product} [be back|be available|back in stock|available again|be in stock|be restocked|coming in|arrive in your shop|be for sale again]?
        [How many|How much stock|What number] of the {product} [do you have|is left|are available|are in stock|have you got|remain]?
        [The {product} is|Your site says the {product} is|I see that the {product} is] [sold out|out of stock|not available|unavailable|currently unavailable|gone], [when will it be back|will you get more|will it return|when can I buy it|is more coming|do you expect new stock].
        """
    ),
    "warranty_claim": wordings(
        """
        [Is|Would] [the {product}|my {product}|this|the repair|it] [under warranty|still under warranty|covered by the warranty|covered by the guarantee|within the warranty|under guarantee|a warranty case|be covered by warranty]?
        I [want|would like|need|wish|am going] to [make a warranty claim|claim the warranty|use the warranty|file a warranty claim|claim on the guarantee|make use of the guarantee|have it repaired under warranty|submit a guarantee claim] for [the {product}|my {product}].
        [How long|Until when|For how many years] [is the warranty|is the guarantee|does the warranty last|does the guarantee last|do I have a warranty|is my {product} covered|does the warranty run] [on the {product}|for the {product}|]?
        [Does|Do] [the {product}|my {product}|it|the battery] [have a warranty|come with a guarantee|still have a guarantee|fall under the warranty|have any warranty left]?
        [My {product}|The {product}|It] [broke|failed|stopped working|has a defect] [within the warranty period|while under warranty|and is still under guarantee|during the guarantee|but I have a warranty], [what do I do|please repair it|I want a replacement|how do I claim].
        """
    ),
    "account_locked": wordings(
        """
        [My account|The account {email}|My profile|My customer account|My login|Access to my account] [is locked|has been locked|was locked|is blocked|has been blocked|was blocked|is suspended|was suspended|is disabled|was disabled|is frozen|was deactivated|got locked|is restricted].
        [Please|Can you|Could you|Kindly|How do I|I need you to] [unlock|unblock|reactivate|reopen|release|unfreeze|restore|free|enable] [my account|the account {email}|my profile|my customer account|my access|my locked account].
        I [cannot|can't|am unable to|can no longer] [log in|log on|sign in|get in|access my account|enter my account|use my account], [my account is locked|the account is blocked|it says account suspended|it was locked|you have blocked me|I have been locked out].
        [Why|For what reason] [is my account locked|was my account blocked|did you lock my account|have I been locked out|am I blocked|was I suspended|was my account suspended]?
        """
    ),
    "password_reset": wordings(
        """
        I [forgot|have forgotten|lost|do not know|do not remember|can't remember|cannot recall|no longer remember|misplaced] [my password|the password|my login password|the password for {email}|the password to my account].
        [Please|Can you|Could you|How do I|How can I|I want to|I need to|I would like to|Help me] [reset|change|renew|recover|restore|replace|set anew] [my password|the password|the password for {email}|the password of my account].
        [The reset link|The password link|The reset mail|The password e-mail|The link to reset my password|The password reset] [does not work|never came|did not arrive|has expired|is broken|is invalid|has not arrived|does not open|fails].
        [I need|Send me|Please send me|Can I get|May I have|I would like] [a new password|a password reset|a reset link|a link to reset my password|a temporary password|a link for a new password][ for {email}|].
        [My password|The password] [does not work|is wrong|is not accepted|is incorrect|is rejected|no longer works|has expired], [I need a new one|please reset it|how do I change it|can you reset it].
        """
    ),
    "delete_account": wordings(
        """
        [Please|Can you|Could you|Kindly|I want you to|I would like you to|I ask you to] [delete|close|remove|erase|cancel|terminate|deactivate|wipe] [my account|my profile|my customer account|the account {email}|my data|all my data|my personal data|my user account].
        I [want|would like|wish|need|have decided] to [delete|close|cancel|remove|give up|terminate|get rid of] [my account|my profile|my customer account|my membership|my registration|the account {email}].
        [How|Where] [can I|do I|may I] [delete|close|cancel|remove|erase|terminate] [my account|my profile|my data|my customer account|my membership]?
        [I do not need|I no longer need|I do not use|I no longer use|I do not want|I no longer want] [my account|the account {email}|this account|my customer account|an account with you][, please delete it|, close it|, please close it|, remove it| any more].
        [I want|I demand|I request] [the deletion of my account|the removal of my data|my account closed|my account deleted|my data deleted|my data erased|the closure of my account|all my information removed].
        """
    ),
    "change_email": wordings(
        """
        [Please|Can you|Could you|I want to|I need to|I would like to|Kindly|How do I] [change|update|correct|replace|modify|switch|edit] [my e-mail|my email|my e-mail address|my email address|the e-mail in my account|the email of my account|my contact e-mail|the mail address] [to|with|, the new one is] {email}.
        [My e-mail|My email|My e-mail address|My mail address|The e-mail in my account|My contact e-mail] [has changed|is wrong|is old|is outdated|is different now|was changed|is no longer valid], [it is now|the new one is|please use|it should be|please change it to|the right one is] {email}.
        I [have|got|use|now have|set up] [a new e-mail|a new email address|another e-mail address|a different e-mail|a new mailbox]: {email}[, please update it|, please change my account|, please note it|].
        [Please use|Use|Please take|Please write to|Send everything to|From now on use|Save] {email} [instead of my old e-mail|as my new e-mail|as my email address|from now on|in place of the old address|for my account in future].
        """
    ),
    "unsubscribe": wordings(
        """
        [Please|Kindly|Can you|Could you|I want you to] [unsubscribe me|remove me|take me off|sign me off|delete me|cross me off|strike {email}] from [your newsletter|the newsletter|your mailing list|the mailing list|your mails|your marketing e-mails|your advertising list|the list].
        [Stop|Please stop|Quit|No longer|Stop it with] [sending me newsletters|sending me e-mails|the newsletter|the advertising|your advertising|mailing me offers|the spam|sending promotions|sending ads to {email}|writing to me].
        I [do not want|no longer want|want no more|do not wish to get|never asked for|never subscribed to|want to cancel|want to stop|am tired of|am sick of] [your newsletter|the newsletter|newsletters|advertising|your e-mails|marketing mails|promotional e-mails|your promotions|your offers|these mails].
        [How|Where] [can I|do I] [unsubscribe|unsubscribe from your newsletter|cancel the newsletter|stop the newsletter|stop these mails|leave your mailing list|end the subscription|switch off the advertising]?
        [I get|I receive|I keep getting|You send me|I still get] [too many mails|too much advertising|your newsletter|unwanted e-mails|spam from you|too many newsletters|your promotions every day][, please stop|, unsubscribe me|, stop it|, I do not want that].
        """
    ),
    "complaint": wordings(
        """
        I [want|would like|wish|have|must|need] to [complain|make a complaint|file a complaint|lodge a complaint|complain officially|express my displeasure] about [your service|{staff}|the courier|your staff|the driver|your support|how I was treated|your shop in {city}|the hotline].
        [{staff}|Your employee|Your agent|The driver|The courier|Your colleague {staff}|The person on the phone|Your staff|The salesperson in {city}] [was rude|was very rude|was unfriendly|was impolite|was unhelpful|was disrespectful|shouted at me|was arrogant|did not help me|hung up on me|insulted me|treated me badly|ignored me|lied to me].
        [I am|We are|I was] [very unhappy|not happy|dissatisfied|not satisfied|very disappointed|angry|upset|annoyed|furious|shocked] [with your service|about the service|with {staff}|about how I was treated|with the support|by the behaviour of your staff|with your customer service].
        [Your service|Your support|Your customer service|The hotline|The service in {city}|Your staff] [is terrible|is awful|is very bad|is poor|was a disappointment|is unacceptable|is the worst|was horrible|is not helpful|left me alone].
        [Nobody|No one] [answers my calls|helps me|calls me back|answers my mails|listened to me|cares about customers|replied to me|took me seriously].
        """
    ),
    "praise": wordings(
        """
        [Thank you|Thanks|Many thanks|A big thank you|I want to thank you|I wanted to say thank you|Thank you so much|Thanks a million] for [the great service|the fast delivery|your help|the wonderful {product}|the excellent support|the lovely {product}|everything|your kindness|the quick reply|such good work].
        I [love|really love|adore|like|really like|enjoy|am very happy with|am very satisfied with|am delighted with|am so pleased with|am thrilled with] [the {product}|my new {product}|your shop|your service|the quality of the {product}|my order].
        [The {product}|Your shop|Your service|The delivery|{staff}|Your team|Everything] [is great|was great|is wonderful|is fantastic|was excellent|is perfect|is amazing|was brilliant|is the best|was super|is awesome|was outstanding|works perfectly|was very good].
        [{staff}|Your colleague {staff}|Your team|The driver|Your support] [was very helpful|was so friendly|helped me a lot|did a great job|was kind|was very nice|solved everything quickly|was fantastic|deserves praise|was quick and polite].
        [Great|Excellent|Fantastic|Wonderful|Perfect|Super|Lovely|Outstanding|Brilliant|Top] [job|service|work|shop|product|team|quality|support|delivery][, thank you|, keep it up|, well done|, I am very happy|, I will buy again|, I will recommend you|, five stars].
        """
    ),
    "delivery_schedule": wordings(
        """
        [Please|Can you|Could you|Would you|Is it possible to|Kindly] [deliver|bring|send|come with|drop off] [order {order_id}|my order|the {product}|the parcel|it] on {delivery_date}[ at {time}| after {time}|][ instead|, please|].
        [Please|Can you|Could you|I want to|I would like to|I need to|May I] [change|move|postpone|reschedule|shift|put off|set|choose|arrange|fix] [the delivery|the delivery date|the delivery day|the delivery time|the appointment|my delivery|the delivery of the {product}] [to|for] {delivery_date}[ at {time}| after {time}|].
        [I am not at home|I will not be there|I am away|Nobody is home|I am working|I am on holiday|We are out] [on that day|then|until {delivery_date}|during the week|on {date}], [please come on {delivery_date}|please deliver on {delivery_date}|could you come on {delivery_date}|{delivery_date} would be better|{delivery_date} would suit me].
        {delivery_date}[ at {time}| after {time}|] [would be best|suits me|is fine for me|is a good day|would be ideal|works for me|would be perfect] [for the delivery|to deliver order {order_id}|for the delivery of the {product}|to receive the parcel].
        [I need|I want|I would like|I prefer|I wish] [delivery|the delivery|my order|order {order_id}|the {product}] [on|to come on|delivered on|to arrive on|only on] {delivery_date}[ at {time}| after {time}| in the morning| in the evening|].
        """
    ),
}
