# ruff: noqa: E501 - a template stays on one line
"""More customer messages, for conversations alone: so many ways to say each intent that others can be understood."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["REQUESTS"]

REQUESTS = {
    "order_status": wordings(
        """
        [Could you look up|Please look up|Would you check] [how my order is doing|where order {order_id} has got to|the state of order {order_id}][ for me|].
        [Any update on|Is there an update on|What is new with] [my order|order {order_id}|the {product} I bought]?
        The tracking [page|link|number] [shows nothing|has not changed for days|does not tell me anything][ about order {order_id}|].
        [When|On which day] will [order {order_id}|my parcel|the {product}] [be dispatched|leave your warehouse|be on its way]?
        I [placed|made] [an order|order {order_id}] [on {date}|last week] and [would like to follow it|wonder how it is going|have heard nothing about its progress].
        [Tracking|The tracking of] [order {order_id}|my parcel], please: [where is it right now|in which town is it|is it on the road yet].
        Is [order {order_id}|my order|the {product}] [already on its way|still being packed|with the courier by now]?
        [Let me know|Tell me] [the current state|the stage] of [my purchase|order {order_id}], please.
        ! Which stage has my purchase reached, is it packed, sent, or somewhere on the road?
        """
    ),
    "late_delivery": wordings(
        """
        [Why does|How can] [my delivery|order {order_id}|the {product}] take [so long|this long|for ever]?
        [Two weeks|Ten days|Three weeks] have [passed|gone by] and [my parcel|order {order_id}|the {product}] [is not here|has not turned up|did not arrive].
        [The courier|Your driver] [did not come|never showed up] [on {date}|on the promised day][ with order {order_id}|].
        The {product} [should be here by now|was due last week|is overdue], [what is the delay|why the delay|what takes so long].
        [Your shop|You] [promised|guaranteed] [fast delivery|two days|delivery in time], but [the {product}|order {order_id}|my parcel] [is late|is still not here|has been delayed again].
        I [expected|was told to expect] [order {order_id}|the parcel] on {date}, [but it did not come|nobody came|and I am still without it].
        [My order|Order {order_id}] [is taking too long|comes too late|is running late], [the birthday is over|I needed it last week|please hurry].
        [The promised date|The delivery date], {date}, [is over|has passed] [and no parcel came|without any delivery|and I wait and wait].
        ! How much longer do I have to wait for a parcel that was due on {date}?
        """
    ),
    "missing_item": wordings(
        """
        [Part of my order|Half of order {order_id}|Something] is [missing|not there]: [no {product} inside|the {product} was left out|I cannot find the {product}].
        You [forgot|left out|did not pack] the {product}[ in order {order_id}|].
        I [paid for|ordered] the {product} too, but [it was not in the parcel|the box did not have it|it is not among the things that came].
        [The box|The carton|The parcel] [was half empty|was missing something|had less in it than it should], [where is the {product}|the {product} was not there].
        [Only a part|Not everything] of order {order_id} [came|arrived|was delivered]; [I still lack the {product}|the {product} did not come].
        [Everything came except|All arrived but|All is here but not] the {product}.
        The [delivery note|packing list] [lists|names] the {product}, but [it was not packed|it is missing|there was none].
        [My delivery|Order {order_id}] was [incomplete|short of one piece|one item short].
        ! I counted twice: somebody left the {product} out of my parcel.
        """
    ),
    "wrong_item": wordings(
        """
        [This is not|That is not] what I [ordered|bought|asked for]: [it should be the {product}|I wanted the {product}|where is my {product}].
        [You mixed up|Somebody mixed up|There is a mix-up with] [my order|order {order_id}|the parcels].
        [Instead of|In place of] the {product} [there was|I found|the box held] [a {other_product}|something else|another article].
        [The {product} you sent|What you sent] is the wrong [colour|size|model|kind].
        I [found|have] [a {other_product}|somebody else's goods|a thing I never ordered] in [my parcel|order {order_id}|the box].
        My order {order_id} was [filled wrongly|mixed up|packed with the wrong things].
        [Why did you send|Why do I get] [a {other_product}|another model|something different] [when I ordered the {product}|in order {order_id}]?
        [Wrong article|Wrong product|Wrong colour] [received|in the box]: I [asked for|ordered] the {product}.
        ! Somebody put a {other_product} into my box although the {product} was on the list.
        """
    ),
    "damaged_item": wordings(
        """
        The {product} [is|was] [in pieces|bent|dented|smashed|cracked] [when it came|on arrival|when I unpacked it].
        [The glass|The corner|The lid|One side] of the {product} [is broken|was broken in transit|has a dent|is cracked].
        [The courier|Your driver|Somebody] [dropped|damaged|broke] [the parcel|the {product}|order {order_id}].
        [My new {product}|The new {product}] [has scratches|is full of scratches|has a dent|was ruined by water].
        [The damage|The crack|The dent] [on the {product}|in order {order_id}] [came from the transport|happened on the way|is your fault].
        [I opened|We opened] [the parcel|order {order_id}] and [the {product} was broken|everything was broken|found a cracked {product}].
        The [wrapping|carton|packaging] was [torn|wet|crushed], [and so is the {product}|the {product} is damaged too|the {product} did not survive].
        [Unfortunately the|Sadly the|The] {product} [did not survive the journey|suffered on the way|reached me broken].
        ! A corner of the {product} is chipped and the case is dented.
        """
    ),
    "defective_product": wordings(
        """
        [There is something wrong|Something is not right] with the {product}, it [does not start|keeps stopping|gets too hot|makes noises].
        The {product} [broke down|gave up|died|failed] [after one week|after a month|on {date}|without any reason].
        [The buttons|The display|The battery|The motor] of [the|my] {product} [does nothing|stays dark|is dead|does not respond].
        [Whatever I do|I tried everything, but], the {product} [does not switch on|will not run|refuses to work].
        My {product} [has a fault|is faulty|has a defect|malfunctions][, bought with order {order_id}|].
        [The {product} worked|It worked] for [a day|two weeks|a while], [then it stopped|now it is dead|then it broke down].
        [Can you repair|Who repairs|I need somebody to repair] [the {product}|my {product}], [it is out of order|it does not run any more|it is not working]?
        The {product} [turns itself off|does not charge|loses power|shows an error] [all the time|every day|again and again].
        ! The motor of my {product} is dead, however often I restart it.
        """
    ),
    "return_request": wordings(
        """
        I [do not like|am not happy with|have no use for] the {product} and [want to return it|would like to send it back|will send it back].
        [Where|To which address] [do I|can I|should I] [send back|return] [the {product}|order {order_id}|things I do not want]?
        [What is|How long is|Please explain] [your return policy|the time for returns|the way to return goods][ for order {order_id}|].
        [I am sending|I will send|We are sending] [the {product}|order {order_id}] back[, how does it work|, what do I need|].
        [Does a return|Does sending back the {product}] cost [anything|money|me something]?
        [Please arrange|Please register|Can you arrange] [a return|the return|a pick-up of the return][ of the {product}| for order {order_id}|].
        [The {product}|Order {order_id}] [goes back to you|is coming back|has to go back], [please tell me how|where is the return form|send me the papers].
        I [bought|got] the {product} on {date}, [can I still return it|is a return still possible|may I give it back].
        ! The {product} does not please me; how do I get it back to you?
        """
    ),
    "refund_request": wordings(
        """
        [I returned|I sent back] the {product}[ on {date}|], [now I want my money|where is my money|when do you refund me].
        [You still owe me|You owe me] [{amount}|the money for order {order_id}|the money for the {product}].
        [No refund has|My refund has not|The refund has not] [arrived|come|been paid][ for order {order_id}|].
        [Give me back|Return|Send back] [my money|my {amount}|the {amount} I paid].
        [How long does|How many days does] [a refund|the refund|the repayment] take?
        [Please transfer|Please send|Please credit] [the refund|my {amount}|the money] [to my account|to my card|back to me].
        [Am I entitled to|Do I get|Can I have] [a refund|my money back|a repayment] [for the {product}|for order {order_id}|of {amount}]?
        [The order was|Order {order_id} was] cancelled, [so pay me back|but I was not refunded|and my money is still with you].
        ! It is high time that my {amount} came back to my account.
        """
    ),
    "exchange_request": wordings(
        """
        [The {product} has|It has] the wrong size, [I need it larger|I need a smaller one|can you change it for a bigger one].
        I [prefer|would prefer|would rather take] a {replacement} [to the {product}|instead of my {product}], [is an exchange possible|can we trade|please exchange].
        [Exchange|Swap|Trade] [the {product}|my {product}] [against|for] [a {replacement}|another one|a different colour], please.
        [Do you exchange|Will you exchange] [goods|the {product}|things] [that do not fit|in the wrong colour|for another model]?
        [The colour|The size|The model] of the {product} is [not right for me|not my taste|wrong for me], [please swap it|can I get another one|I would like to swap].
        [Let me swap|I hope to exchange|May I exchange] [the {product}|it] for [a {replacement}|one in blue|a larger one].
        [I took|I chose] the wrong [size|colour|model], [please exchange the {product}|can it be exchanged|what about an exchange].
        [Could we trade|Could you trade] my {product} for [a {replacement}|the next size]?
        ! My feet are bigger than I thought, trade the {product} for the next size up.
        """
    ),
    "cancel_order": wordings(
        """
        [Stop|Please stop|Do not send|Do not ship] [order {order_id}|my order|the {product}][, I do not need it any more|, I have changed my mind|].
        [I ordered|We ordered] [by mistake|by accident|twice by mistake], [please cancel|cancel order {order_id}|cancel the {product}].
        [My plans have changed|I found it cheaper|I bought it elsewhere], [so cancel order {order_id}|please cancel my order|I cancel the {product}].
        [Take back|Withdraw|I withdraw] [order {order_id}|my order|the order for the {product}].
        [How do I|How can I] cancel [an order|order {order_id}|my purchase]?
        [The order of|The order from] {date} [should be cancelled|is to be cancelled|can be cancelled].
        [Has order {order_id} left|Is order {order_id} gone] yet? If not, [please cancel it|cancel it|I want to cancel].
        [Call off|Please call off] [order {order_id}|the order|my purchase of the {product}].
        ! Hold everything, I do not want order {order_id} to leave your house.
        """
    ),
    "change_address": wordings(
        """
        [The address|The street] [on order {order_id}|in my order|that I gave] is wrong, [it is|it should be|take] {street}, {postal_code} {city}.
        [We are moving|I am moving|I live somewhere else now], [please deliver to|send everything to|the parcel goes to] {street}, {postal_code} {city}.
        [Deliver|Please deliver] [to my office|to my neighbour|to my parents]: {street}, {postal_code} {city}.
        [Redirect|Please redirect|Can you redirect] [order {order_id}|my parcel] to {street}, {postal_code} {city}.
        [I made a mistake in|I mistyped|There is an error in] [my address|the address], [correct is|it must be] {street}, {postal_code} {city}.
        [Use|Please use|Please note] [my new address|this address|the new address]: {street}, {postal_code} {city}.
        [Not to the old address|Please no longer to the old address], [but to|send it to] {street}, {postal_code} {city}.
        [Can|Could] [order {order_id}|my order|the {product}] [go to|be sent to|be delivered to] {street}, {postal_code} {city} instead?
        ! I have a new flat, so bring it to {street}, {postal_code} {city} instead.
        """
    ),
    "change_quantity": wordings(
        """
        [Make that|Let us make it|I will take] {quantity} [instead of two|of the {product}|pieces, not one].
        [I need more|I need fewer|We need more] of the {product}: {quantity} [in all|altogether|pieces].
        [The number of pieces|The quantity|The count] in order {order_id} [is wrong|should be different], [it should be {quantity}|I want {quantity}|make it {quantity}].
        [Add|Please add] [more|some] to order {order_id}[, I want {quantity}| so that there are {quantity}|: {quantity} in all].
        [Increase|Reduce|Lower|Set] [the number|the amount|the quantity] of the {product} to {quantity}.
        [I typed|I entered] the wrong number, [it is {quantity}|I want {quantity}|the right number is {quantity}] [pieces|units].
        [Can I still|May I still|Could I] [change the number|get {quantity}|have {quantity} pieces] [in order {order_id}|of the {product}]?
        [Instead of one|Not one but|Rather than two]: {quantity} [pieces of the {product}|times the {product}].
        ! Our office grew, so we want {quantity} of the {product} rather than two.
        """
    ),
    "invoice_request": wordings(
        """
        [Please mail|Please e-mail|Please post] [me the invoice|the bill|me a receipt][ for order {order_id}| for the {product}|].
        I [need|require|am looking for] [a receipt|the bill|a VAT invoice|the invoice as a PDF][ for order {order_id}| of {date}|].
        [For my taxes|For our accounts|For the insurance] I need [the invoice|a receipt|a copy of the bill][ for the {product}| for order {order_id}|].
        [Where can I download|Where is|How do I get] [the invoice|my receipt|the bill][ of order {order_id}|]?
        [The invoice has|The bill has|My invoice shows] [the wrong name|the wrong address|an error], [please send a new one|please correct it|I need another].
        [Can you make out|Please make out|Please write] [the invoice|the bill] [to my company|over {amount}|for order {order_id}].
        [I have not received|I never got|I still have no] [an invoice|a bill|a receipt][ for the {product}| for order {order_id}|].
        [Another copy|A second copy] of [the invoice|the bill] [would help|is needed|please][, order {order_id}|].
        ! The tax inspector asks me for the papers of order {order_id}; please e-mail the bill.
        """
    ),
    "payment_failed": wordings(
        """
        [Your shop|Your website|The till] [refuses|does not take|rejects] my [card|credit card|payment].
        [I get an error|An error appears|There is an error message] [when I pay|at the payment|when I enter my card].
        [Why was|Why is] my [payment|card|transfer][ of {amount}|] [declined|refused|rejected|not accepted]?
        [The payment for order {order_id}|Paying {amount}] [did not work|was not possible|ended with an error|keeps failing].
        [My bank says|The bank says] all is fine, but [your page declines my card|you refuse my payment|the payment fails].
        [I tried three times|I tried again and again], [the payment does not go through|my card gets refused|it will not let me pay].
        [It is impossible to pay|I want to pay but cannot|Paying is impossible], [the page hangs|the card is refused|nothing happens].
        [The transaction|My transfer][ of {amount}|] [was aborted|was cancelled by your system|failed], [what now|how can I pay|please help].
        ! Your system throws out my credit card whenever I want to settle the {amount}.
        """
    ),
    "double_charge": wordings(
        """
        [I paid|I have paid] [twice|two times] for [order {order_id}|the {product}|one and the same thing].
        [The same amount|{amount}] [left my account twice|was taken twice|was booked twice][ on {date}|].
        [My card statement|My statement|My bank] shows [the charge twice|two debits of {amount}|the same payment two times].
        [Why did you|Why do you] [charge|bill|debit] me [twice|two times][ for order {order_id}| for the {product}|]?
        [There is a duplicate|I found a duplicate] [charge|payment|booking][ of {amount}| for order {order_id}|].
        [One order, two payments|One parcel, two bills]: [you took {amount} twice|please check order {order_id}|I was billed double].
        [You have debited|You debited|You took] {amount} [once too often|two times|twice in one day].
        [I was billed|I have been billed] [double|a second time|twice over][ for the {product}| for order {order_id}|].
        ! Two payments went out for a single {product}, which makes one too many.
        """
    ),
    "discount_code": wordings(
        """
        [The code|My code|The voucher code] {code} [gives an error|brings no discount|has no effect|is said to be wrong].
        [I entered|I typed] {code}, but [the price stayed the same|no discount was taken off|it was refused].
        [You sent me|I got|I have] [a voucher|a coupon|a promo code], {code}, [how does it work|where do I enter it|but it does nothing].
        [Is|Is the code|Is the coupon] {code} [still valid|expired|good for the {product}]?
        [Why is|Why was] [my coupon|the discount|the voucher] {code} [not applied|not deducted|not counted][ to order {order_id}|]?
        [Please apply|Please add|Can you add] [the discount|the voucher|my coupon] {code} to [order {order_id}|my order].
        [The promotion|The discount|The reduction] [{code}|with {code}] was [not taken off|forgotten|missing on my bill].
        [Where do I|How do I] [enter|redeem|type in] [the voucher|my coupon|the promo code] {code}?
        ! No reduction appears although I typed in {code}.
        """
    ),
    "price_question": wordings(
        """
        [What is the cost of|What would be the cost of|Can you tell me the price of] [the {product}|{quantity} of the {product}|one {product}]?
        [Is there a discount|Do I get a better price|Is it cheaper] [for {quantity} pieces|if I buy {quantity}|when I order {quantity} of the {product}]?
        [Please quote|Please name|Let me know] [the price|a price|your best price] [for the {product}|for {quantity} of them].
        [Has the price|Did the price] of the {product} [changed|gone up|come down]?
        [How expensive|How dear] [is|would be] [the {product}|one {product}|such a {product}]?
        [I am comparing prices|I am looking for a bargain], what do you [ask|want|take] for the {product}?
        [Does the price|Is the price] of the {product} [include tax|include shipping|with or without tax]?
        [The {product}|Your {product}]: [what price|which price|what do I have to pay]?
        ! Before I decide I should know what you ask for the {product}.
        """
    ),
    "stock_question": wordings(
        """
        [Are there|Are there any] {product} [left|in the warehouse|in the shop]?
        [How many|Do you have enough] [pieces of the {product}|of the {product}] [do you have|are left|in stock]?
        [When do you expect|When will there be|When do you get] [new stock|more|a delivery] of the {product}?
        [Is|Will] the {product} [available soon|be available|be sold again] [in {city}|in your shop|online]?
        [Your page says|The page says] the {product} is [out of stock|not available|sold out], [is that true|for how long|when can I buy it].
        [I am looking for|I want to buy] a {product}, [do you have one|is there one in stock|can you still deliver one]?
        [Can I buy|Could I pick up] [the {product}|{quantity} of the {product}] [in {city}|in your shop|today], [is it in stock|do you have it there]?
        [Please tell me|Tell me] [when the {product} is back|whether the {product} is in stock|if you have the {product}].
        ! Are your shelves in {city} empty or is there a {product} for me?
        """
    ),
    "warranty_claim": wordings(
        """
        [The {product} is|My {product} is] only [a year|six months|eight months] old, [is that under warranty|does the guarantee pay|so it has a guarantee].
        [Does the guarantee|Does the warranty] [cover|pay for|include] [the {product}|the repair of the {product}|a broken {product}]?
        I [claim|would like to use|want to use] the [warranty|guarantee] [for|on] the {product}[ from order {order_id}|].
        [What do I need|What must I send] for a [warranty claim|guarantee claim|claim under the guarantee][ for the {product}|]?
        [I bought|We bought] the {product} on {date}, [how long does the warranty last|has the guarantee run out|is it covered by the guarantee].
        [The warranty card|The guarantee card|My guarantee] [for the {product}|of the {product}] [is lost|says two years|is valid].
        [The repair|Repairing the {product}] should be [free|covered], [it is under guarantee|the warranty is still running|I have a warranty].
        [Under the warranty|As a warranty case|Under guarantee] I [ask for a new {product}|want the {product} repaired|send you the {product}].
        ! How many years of guarantee does a {product} come with?
        """
    ),
    "account_locked": wordings(
        """
        [Access to my account|My login|The login to {email}] [is blocked|was denied|has been suspended|is frozen].
        [I typed|I entered] the wrong [password|code] [three times|too often], [now I am locked out|now my account is locked|and you blocked me].
        [Your page|The site|The system] says that my account [is locked|is suspended|has been disabled|was blocked].
        [Why did you|Why have you] [lock|block|suspend|freeze] my account[ {email}|]?
        [Please give me|I need|I want] access to my account again[, it is locked|, it was blocked|: {email}].
        [I can no longer|I cannot] [sign in|get into my account|enter my account], [it is suspended|it says locked|you have blocked it].
        [Reopen|Please reopen|Release|Activate] my account[ {email}|][ again|, it was locked by mistake|].
        [The block|The lock] on [my account|{email}] [should be lifted|must go|is a mistake].
        ! The site keeps me out and claims that my account was frozen.
        """
    ),
    "password_reset": wordings(
        """
        [My password|The password for {email}] [is gone|does not work any more|is wrong], [I need a new one|send me a new one|how do I change it].
        [Send me|Please send|I need] [a new password|a reset link|a link to reset my password][ to {email}|].
        [I no longer know|I have forgotten|I cannot recall] [my password|the password for {email}].
        [How do I|Where do I|Where can I] [change|set|reset|renew] [my password|a new password]?
        [The reset link|The e-mail with the new password|The reset code] [is not in my mailbox|did not come|is no longer valid][, please send it again|].
        [Help me|Please help me] [set|choose|make] a new password[ for {email}|].
        [I lost|I mislaid] [the paper with my password|my password], [please reset it|can it be reset|what can I do].
        [I asked|I clicked] for a new password, [but no mail came|but the link is dead|but nothing happened].
        ! The word that opens my account has slipped my mind, let me set another.
        """
    ),
    "delete_account": wordings(
        """
        I [no longer need|do not use|do not want] my [account|profile|customer account] [any more|], [please delete it|delete it|remove it].
        [Please erase|Erase|Wipe|Please wipe] [my data|all my data|my account|everything about me][, my number is {customer_id}|].
        [I am leaving|I am done with your shop|I will not shop here again], [close my account|delete my account|remove my profile].
        [What must I do|What do I have to do] to [delete|close|remove] my [account|profile]?
        [Under data protection law|By law|By my rights] I [ask|demand] [that you delete my data|the deletion of my data|to be deleted from your files].
        [Terminate|End|Cancel] my [account|customer account|membership][ {email}|][ for ever|], please.
        My [account|profile][ {email}|] [should be deleted|has to be removed|can be closed].
        [Has my account|Have my data] been [deleted|removed|erased] yet, as I asked?
        ! I am leaving your shop for ever and want my profile gone.
        """
    ),
    "change_email": wordings(
        """
        [I got|I have] a new [mailbox|e-mail account|e-mail], [please write to {email}|it is {email}|use {email}].
        [Please use|Use|Write to] {email} [from now on|in future|instead of my old e-mail].
        [The e-mail|The e-mail address] in my [account|profile] is [wrong|old|out of date], [it should be {email}|it is now {email}|change it to {email}].
        [Replace|Please replace|Swap] my [old e-mail|e-mail address] [with|by] {email}.
        [How do I|Where do I] change my [e-mail|e-mail address] to {email}?
        [Your mails|Your messages] go to [my old address|a dead mailbox], [send them to {email}|my e-mail is now {email}|please take {email}].
        [Set|Please set|Save] {email} as my [e-mail|new e-mail address|contact e-mail][, number {customer_id}|].
        I [changed|am changing] my provider, [my e-mail is now {email}|the new e-mail is {email}].
        ! You will reach me under {email} in future, please put that in my profile.
        """
    ),
    "unsubscribe": wordings(
        """
        [Your newsletter|The newsletter|Your advertising] [annoys me|is of no interest to me|comes too often], [please stop it|stop it|no more of it].
        [Delete|Strike|Cross out] [me|{email}] from [your mailing list|the newsletter list|your list].
        [How do I|Where can I] [unsubscribe|get rid of the newsletter|end the newsletter|leave the mailing list]?
        [I never asked for|I did not sign up for|I did not order] [your newsletter|these mails|advertising].
        [Too many|So many] [newsletters|promotions|ads] [from you|in my mailbox], [unsubscribe me|take me off|stop them].
        [Cancel|End|Please cancel] [my subscription|the subscription] [to the newsletter|to your mailings|of {email}].
        [The unsubscribe link|The link to unsubscribe] [does not work|is broken|leads nowhere].
        [Please no|No] [further|more] [newsletters|promotions|advertising mails][ to {email}|].
        ! Spare me your weekly offers by mail.
        """
    ),
    "complaint": wordings(
        """
        [Your service|Your support|The service in {city}] was [terrible|awful|a disgrace|very poor].
        [The way I was treated|How your staff treated me|How {staff} spoke to me] [was not right|is unacceptable|made me angry].
        [I was treated|We were treated] [badly|without respect|like a nuisance] [by {staff}|by your staff|in your shop in {city}].
        [{staff} shouted at me|{staff} hung up on me|{staff} was impolite|The courier was rude], [I complain|that is not how to treat customers|I expect an apology].
        [I wish to|I have to|I must] [complain|make a complaint|lodge a complaint] about [{staff}|your hotline|the driver|your service].
        [I waited an hour|I waited for ever] on your hotline and [nobody helped me|{staff} was unfriendly|was cut off].
        [Nobody|No one] [of your staff|in your shop in {city}|on the phone] was [helpful|friendly|willing to help].
        [Who is|Where is] the manager? [I want to complain about {staff}|{staff} was unfriendly|The behaviour of {staff} is a shame].
        ! I expect an apology, {staff} talked to me like to a child.
        """
    ),
    "praise": wordings(
        """
        [I am delighted with|I am so happy with|We love] [the {product}|your shop|the service].
        [What a|Such a] [great|wonderful|lovely|fantastic] [shop|team|product|service][, thank you|, well done|].
        [Please thank|Give my thanks to|Tell] {staff}[ from me|], [the help was excellent|that was great|I was very pleased].
        [{staff} solved|Your team solved|You solved] my problem [so quickly|in no time|wonderfully].
        The {product} is [even better than I hoped|just perfect|the best I ever had|top quality].
        [Everything went|All went] [smoothly|perfectly|very well], [great job|I will order again|thumbs up].
        [I will recommend|I recommend] [you|your shop|the {product}] to [all my friends|everybody|my family].
        [A compliment|Compliments|Praise] to [{staff}|your team|the driver]: [friendly and fast|very helpful|excellent work].
        ! Rarely was I so pleased, hats off to {staff}.
        """
    ),
    "delivery_schedule": wordings(
        """
        [Could the courier|Can the driver|Can you] come on {delivery_date}[ at {time}| after {time}|] [instead|with order {order_id}|with the {product}]?
        [I need|I want|We want] [another delivery day|a new delivery date|a later delivery]: {delivery_date}[ at {time}|].
        [Move|Please move|Put off|Postpone] [the delivery|order {order_id}] to {delivery_date}.
        [I am on holiday|We are away|I am travelling], [please deliver on {delivery_date}|come on {delivery_date}|not before {delivery_date}].
        [Which day|What day] [do you deliver|will you come]? {delivery_date}[ at {time}|] [would be good|suits me|is best].
        [The best day|The best time] for [the delivery|order {order_id}] is {delivery_date}[ at {time}| after {time}|].
        [Please schedule|Schedule|Book] [the delivery|the {product}|order {order_id}] for {delivery_date}[ at {time}|].
        [On the planned day|That day] [I have to work|nobody can open], [so rather {delivery_date}|choose {delivery_date}|can it be {delivery_date}].
        ! I can open the door only on {delivery_date}, so choose that day.
        """
    ),
}
"""For each intent, beside those of `tickets`."""
