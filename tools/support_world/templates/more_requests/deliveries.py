# ruff: noqa: E501 - a template stays on one line
"""More ways to say what is to happen to an order on its way: where it is, when and whereto it comes, what is in it."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["DELIVERIES"]

DELIVERIES = {
    "order_status": wordings(
        """
        [Status|Current status|Progress] of [order {order_id}|my order|the order], please[?|.]
        [Where|Whereabouts] is [the {product}|my {product}|order {order_id}] [now|at the moment|today|currently]?
        [How far along|How far] is [my order|order {order_id}|the processing of order {order_id}]?
        [Did you|Have you] [ship|shipped|post|posted|dispatch|dispatched|send out|sent out] [my order|order {order_id}|the {product}] [already|yet|by now]?
        I [would love|would be glad|am curious] to [hear|learn|know] [what stage|how far|which step] [order {order_id}|my purchase|the {product}] [has reached|is at|has come].
        [What has become of|What happened to|What is going on with] [my order|order {order_id}|the {product} I ordered][ so far|]?
        [I am just checking|Just checking|I only wanted to check] [on my order|on order {order_id}|how things stand with the {product}].
        [A quick question|Just a question|One question]: [has order {order_id} gone out|is my parcel on the way|did the {product} leave your house]?
        [Do you know|Could you find out|Can you see|Can you check] [where my package is|whether order {order_id} was dispatched|if the {product} has been sent|how far my parcel has come]?
        My [order|order {order_id}|purchase] [still shows|is still shown as|still says] [processing|in preparation|pending|open], [what does that mean|is that normal|has it gone out already].
        I [got|received] [an order confirmation|the confirmation] [on {date}|last week], but [no shipping notice|no news since|nothing about the dispatch]. [Has it been sent|Where does it stand]?
        [May I have|Can I have|Please give me|I need] [the tracking number|a tracking link|the tracking code|the shipment number] [for order {order_id}|of my parcel|for the {product}].
        [Your tracking|The parcel tracking|The app|The tracking site] [says|shows|tells me] [unknown|no entry|nothing new|in transit], [where is my parcel|what is the status|where is order {order_id} now].
        [Following up on|I am following up on|Checking in about] [order {order_id}|my order|the {product} from {date}].
        [How is|How goes it with] [order {order_id}|my order|my parcel] [getting on|coming along|doing]?
        [Has|Did] [my parcel|order {order_id}|the {product}] [been handed to the carrier|leave the depot|been packed yet|get sent off]?
        [When can I expect|When should I expect|When will I get] [a shipping confirmation|news about order {order_id}|the dispatch notice|the {product} to be shipped]?
        [Kindly|Please] [inform me about|update me on|keep me posted about|report] [the status|the progress|the state] of [order {order_id}|my order|my shipment].
        [I have not heard anything|I have had no news|There has been no word] about [order {order_id}|my order|the {product}] [since I ordered|since {date}|yet]; [where is it|how is it going|what is the status].
        [Which|What] [stage|status|state] [does order {order_id} have|is order {order_id} in|is my shipment in]?
        [Is there|Do you have] any [news|information|word] [on|about|of] [my shipment|order {order_id}|the {product}]?
        [Who is delivering|Which carrier has|Which courier brings] [order {order_id}|my parcel|the {product}], and [where is it|where can I follow it|how do I track it]?
        [Am I right that|Can you confirm that|Is it true that] [order {order_id}|my order|the {product}] [has shipped|is on its way|was sent off]?
        [Wondering|I was wondering|I wonder] [where my order is|about the status of order {order_id}|if my {product} is already on the road|when my order ships].
        [Can you trace|Could you locate|Please trace|Please locate|Help me find] [my parcel|order {order_id}|the package with the {product}].
        [Did my order go through|Did you get my order|Was order {order_id} accepted], and [when does it ship|where is it now|is it being worked on]?
        """
    ),
    "late_delivery": wordings(
        """
        [Still no|Still nothing of the] {product}[ after {date}| after all this time|], [how much longer|this is far too long|when does it finally come].
        [How much longer|How long] [do I have to|must I|shall I] [wait|be waiting] for [order {order_id}|my parcel|the {product}]?
        [It has been|It is] [three weeks|over a month|ten days|ages] [since I ordered|since my order|now], and [no {product}|my parcel is not here|nothing was delivered].
        [Order {order_id}|My parcel|The {product}] was [supposed to|meant to|due to|to] [come|arrive|be delivered|be here] [on {date}|days ago|last week|by {date}].
        [Where on earth|Where the heck] is [my {product}|order {order_id}|my delivery], it [was due on {date}|should be here long ago|is way overdue].
        I [still do not have|have yet to receive|never received|still have not received] [order {order_id}|the {product}|my parcel][, ordered on {date}|, although you promised {date}|, which was due days ago].
        The delivery [date|time|window] [was missed|has come and gone|slipped again|keeps being pushed back][, where is my {product}|].
        [You keep|You have been] [delaying|postponing|putting off] [my delivery|order {order_id}|the {product}], [it is the third time|enough of it|when will it be here].
        [Nobody rang|No one rang|Nobody came|No courier came] [on {date}|all day|yesterday], [although the {product} was announced|though I waited at home|and order {order_id} is not here].
        [My patience is running out|I am losing patience|I cannot wait any longer]: [the {product}|order {order_id}|my parcel] [is still not here|has not come|is far too late].
        [Express|Next-day|Overnight] [delivery|shipping] [was paid|cost extra|was ordered], [and still nothing is here|yet the {product} is late|but it has been a week].
        The [estimated|expected|announced] [arrival|delivery] was {date}, [today is long after that|it did not arrive|nothing has turned up].
        [Is my parcel lost|Has order {order_id} got lost|Did the {product} get lost|Is my order stuck somewhere]? It [should have come on {date}|is days late|has not arrived].
        [The delay|This delay|Such a delay] [of order {order_id}|with the {product}|] [is too long|causes me trouble|cannot be explained by anybody], [when does it come|I need it now|please speed it up].
        [Your email said|Your mail promised|The site promised] [delivery within two days|it would come by {date}|delivery by {date}], [that was a week ago|that did not happen|it never came].
        [Please hurry up|Please speed up|Could you speed up|Please chase the courier] with [order {order_id}|the {product}|my delivery], [it is overdue|it is already late|I have waited since {date}].
        [I am waiting and waiting|I wait day after day|I have been waiting forever|I sit here waiting] for [the {product}|order {order_id}|my parcel].
        The {product} [was a present|was for a party|was for a birthday|was needed by {date}] and [came too late|did not come in time|is still not delivered].
        [Weeks|Days] [later|after the promised date] [I still have no {product}|there is still no parcel|order {order_id} is still not delivered].
        [What is holding up|What delays|What is delaying|Why the hold-up with] [my delivery|order {order_id}|the {product}]?
        [Should not|Shouldn't] [order {order_id}|the {product}|my parcel] [have arrived|be here|have been delivered] [by now|on {date}|days ago|long ago]?
        [Not arrived|Not delivered|Still outstanding|Overdue]: [order {order_id}|the {product}|my parcel], [due {date}|promised for {date}|days late].
        [You are late|You are behind|You missed the date] with [order {order_id}|my delivery|the {product}].
        [Delivery|My delivery|The shipment] [is behind schedule|did not happen on {date}|is running days behind|has been held up for weeks].
        [I took a day off|I stayed at home] on {date} for [the {product}|your delivery|order {order_id}], [and nobody turned up|in vain|but the driver never came].
        [It says delivered|Tracking claims it was delivered|The driver says he was here], but [I have nothing|order {order_id} never arrived|no {product} ever came].
        """
    ),
    "cancel_order": wordings(
        """
        [Is it too late|Am I too late|Is there still time] to [cancel|stop|call off] [order {order_id}|my order|the {product}]?
        [I must|I have to|I am forced to|I wish to] [cancel|withdraw|call off|revoke] [order {order_id}|my order|the purchase of the {product}].
        [Kindly|Please] [annul|revoke|void|undo|withdraw|drop] [order {order_id}|my order|the order of {date}].
        [Cancellation|Request for cancellation|Please note the cancellation] of [order {order_id}|my order|the {product}].
        [Forget|Please forget|Scrap|Drop] [order {order_id}|my order|the {product}], [I do not need it now|I changed my mind|I found another].
        [I would rather not|I do not] [buy|take|want] the {product} [after all|any longer|now], [please stop the order|so please cancel|take it out of the system].
        [We decided against|I decided against|I have thought better of|I am no longer interested in] [the {product}|buying the {product}], [cancel order {order_id}|please cancel the order|do not send it].
        [Before it ships|Before you send it|As long as it has not been shipped|If it is still there], [please cancel order {order_id}|stop my order|I want to cancel the {product}].
        [Can|Could] [order {order_id}|my order|the purchase] [still be|be] [cancelled|stopped|revoked|called off|taken back]?
        [I clicked|I pressed|My child pressed] [the wrong button|buy by mistake|order by accident], [please cancel it|cancel order {order_id}|I do not want the {product}].
        [The {product}|That order|Order {order_id}] was [a mistake|an accident|a misunderstanding|ordered in error], [please cancel|cancel it please|can you stop it].
        [I want out of|Get me out of|I step back from|I withdraw from] [the purchase|order {order_id}|the contract for the {product}].
        It [takes too long|is too expensive for me now|is too late now], [so I cancel order {order_id}|cancel the order|I am cancelling the {product}].
        [There is no|I cannot find a|Where is the] cancel button[ for order {order_id}| for my order|]?
        I [accidentally|mistakenly] [ordered|placed] [the {product}|order {order_id}] [twice|and do not want it|], [one should be cancelled|please cancel it|take it back before it ships].
        [Hold|Halt|Please halt|Please hold back] [order {order_id}|the shipment|my order], [I am cancelling|I no longer want it|it is no longer needed].
        [My husband|My wife|My boss|My mother] [already bought one|has one already|says no], so [please cancel order {order_id}|we cancel the {product}|the order can be cancelled].
        [I have not received|I still miss] a [confirmation|mail] that order {order_id} [was cancelled|is cancelled], [please cancel it|please confirm the cancellation].
        [Do I pay|Does it cost anything|Is there a fee|Is there any cost] [if I cancel|to cancel|for cancelling] [order {order_id}|my order|the {product}]?
        [Remove|Please remove|Delete|Please delete] [order {order_id}|my order|the order for the {product}][ from your system|], [I do not need it|I am not buying|it was a mistake].
        [Do not bother|No need] [sending|to send|shipping|to ship] [the {product}|order {order_id}], [I cancel|I changed my mind|I do not want it any more].
        [I am making use of|I use|I exercise] my right [of withdrawal|to withdraw|to cancel] [for order {order_id}|from the purchase|].
        [Can I get out of|How do I get out of|How do I stop|How do I call off] [order {order_id}|the order I placed|my order for the {product}]?
        [The order I placed|What I ordered|The {product} I ordered] [on {date}|yesterday|this morning] [is no longer needed|can be cancelled|shall not be sent], please.
        [Nobody needs|We do not need|I have no need of] the {product} [any longer|any more|now], [cancel it please|so cancel the order|please do not send it out].
        [Order {order_id}|My last order]: [cancel, please|please cancel everything|I want it cancelled today].
        """
    ),
    "change_address": wordings(
        """
        [Wrong|Incorrect|Outdated] [address|street|house number] [on order {order_id}|in my order|for the parcel]: [please use|correct is|it should say] {street}, {postal_code} {city}.
        [I have relocated|We have relocated|I have a new home|We changed flats], [please ship to|the parcel should go to|deliver to] {street}, {postal_code} {city}.
        [Could you|Would you|Can you] [send|ship|forward|direct|reroute] [order {order_id}|my parcel|the {product}] to {street}, {postal_code} {city}[ instead| rather than to my flat|]?
        [Please correct|Please update|Correct|Update|Amend] [my address|the shipping address|the delivery address|the address on order {order_id}] to {street}, {postal_code} {city}.
        The {product} [should go|must go|has to go|is to go] to {street}, {postal_code} {city}[, not to my home|, not to the billing address|].
        I [gave|entered|typed|wrote] [the wrong address|an old address|my old street|the wrong house number], [right is|please take|use] {street}, {postal_code} {city}.
        [Since|From] [{date}|last week|this month] I live [at|in] {street}, {postal_code} {city}[; please send my order there|. Please change that|, so deliver there].
        [New|Changed|Different] [delivery address|address|place of delivery] [for order {order_id}|for the {product}|]: {street}, {postal_code} {city}.
        [I will be staying|I am staying|We are staying] at {street}, {postal_code} {city}, [so please deliver there|can you send order {order_id} there|the parcel should come there].
        [Is it possible|Is it still possible|Would it be possible] to [deliver|ship|send] [order {order_id}|my order|the {product}] to [another place|a different address]: {street}, {postal_code} {city}?
        [I work during the day|I am never at home], [so bring it to|so deliver to my workplace,|please send it to my office,] {street}, {postal_code} {city}.
        [My profile|My account|Your system] [still has|shows] [my old address|the old street|an old house number]; [I now live at|please enter|the right one is] {street}, {postal_code} {city}.
        [The parcel|Order {order_id}|The {product}] [is going|would go|is addressed] to [the wrong street|the wrong house|my former flat]. [Please change it to|It must go to|Send it to] {street}, {postal_code} {city}.
        [Have|Please have] [order {order_id}|the {product}|my parcel] [delivered to|brought to|dropped off at|left at] {street}, {postal_code} {city}.
        [Change of address|Address change|New address|Moved house]: {street}, {postal_code} {city}[, for order {order_id}|].
        [The house number|The postcode|The town|The street name] [is wrong|has a mistake|was misspelt][ on order {order_id}|], [correct|the full address is|should be]: {street}, {postal_code} {city}.
        [My sister|My neighbour|A friend|My son] will [take|receive|accept] the parcel, [please send it to|her address is|so ship it to] {street}, {postal_code} {city}.
        [Please do not|Do not] [send|ship] [it|order {order_id}|the {product}] to my old [address|flat|house], [but to|rather to|send it to] {street}, {postal_code} {city}.
        [How do I|Where do I|Where can I] [change|correct|edit] [the address|my delivery address|the shipping address][ of order {order_id}|]? [It should be|The new one is] {street}, {postal_code} {city}.
        [We moved house|I moved out|I moved flat|Our office moved] [on {date}|last week|recently]; [order {order_id}|the {product}|my parcel] [should follow us|should come] to {street}, {postal_code} {city}.
        [Take|Note|Put] {street}, {postal_code} {city} [as the delivery address|as my address|as the place of delivery|down for order {order_id}].
        [Switch|Move|Set] the [delivery|shipping] address [of order {order_id}|] to {street}, {postal_code} {city}.
        [Address for|The address for] [order {order_id}|the {product}|my order] [has changed|is different now|is a new one]: {street}, {postal_code} {city}.
        [Let it go|Let the parcel go|Let order {order_id} go] to {street}, {postal_code} {city}[, that is my new place|, I have moved|, please].
        [If it has not left yet|If possible|If there is still time], [send order {order_id}|ship the {product}|deliver it] to {street}, {postal_code} {city}[ and not to the old address|].
        """
    ),
    "change_quantity": wordings(
        """
        [I would like|I want|I need] [another|a different] [quantity|number|amount] [of the {product}|in order {order_id}]: {quantity}[ pieces| units|].
        [Please update|Please correct|Please adjust|Adjust|Update] [order {order_id}|my order] to {quantity} [pieces|units|of the {product}].
        [Raise|Bump up|Up|Cut|Bring down|Drop] [order {order_id}|my order|the {product}] to {quantity}[ pieces| units|][, please|].
        [We are more people|We are fewer people|More people are coming|Less is enough], [so make it {quantity}|so we need {quantity} of the {product}|please send {quantity}].
        [One is not enough|Two are not enough|One is too few], [I need {quantity}|make it {quantity}|please put {quantity} in order {order_id}].
        [That is too many|I ordered too many|I ordered too few|That is too few], [{quantity} will do|I only want {quantity}|it should be {quantity}|please change to {quantity}].
        [Could you|Can you|Would you] [send|pack|put in] {quantity} [pieces of the {product}|of the {product}] [instead of one|rather than two|instead of what I ordered]?
        [In order {order_id}|In my order] [I put|it says|I wrote] [one|two|ten] [piece|pieces], [but I want {quantity}|it must be {quantity}|please make that {quantity}].
        [Change|Correct|Modify] [the quantity|the number of pieces|the amount ordered] [to|into] {quantity}[ for the {product}| in order {order_id}|].
        [May I|Can I|Could I] [raise|increase|reduce|lower|double] [my order|order {order_id}|the quantity] to {quantity}[ pieces| units|]?
        [Only|Just] {quantity} [pieces|of the {product}|units], [not the ten I ordered|not as many as I ordered|please, I ordered too much].
        I [accidentally|mistakenly] [ordered|typed|chose] [the wrong quantity|ten|one too many|the wrong number], [I need {quantity}|{quantity} is right|please correct it to {quantity}].
        [Please add|Add] [one more|two more|another] {product} to [order {order_id}|my order], [so {quantity} in all|that makes {quantity}|{quantity} altogether].
        [Take|Leave|Please take] [one|two|some] [out of|off] order {order_id}, [so that {quantity} remain|{quantity} are enough|I need {quantity} only].
        [Make order {order_id}|Make my order] {quantity} [pieces|units] [instead|please|rather than one].
        [How do I|Where do I|Can I still] [change|edit|correct] [the quantity|the number of pieces|how many I ordered][ in order {order_id}|]? I [want|need] {quantity}.
        [The right|The correct|My desired] [quantity|number] [is|would be] {quantity}[ for the {product}| in order {order_id}|].
        [Fewer|More] [pieces|units] [please|needed]: {quantity} [of the {product}|in order {order_id}|instead of the number I gave].
        {quantity} [pieces|units] [of the {product}|], [not one|not two|not five], [in order {order_id}|please|that is what I want].
        [For order {order_id}|With my order]: [set the quantity to|the quantity becomes|new quantity] {quantity}.
        [I have miscounted|I miscalculated|I counted wrong], [we need {quantity} of the {product}|please change order {order_id} to {quantity} pieces|{quantity} pieces it must be].
        [My boss wants|My client wants|The office needs|The family wants] {quantity} [pieces|of the {product}] [after all|now], [can you change order {order_id}|please change the number|please adjust the order].
        [Double|Halve|Please double|Please halve] [order {order_id}|my order|the number of the {product}]: {quantity} [pieces|units|in all].
        [Is it possible|Is there still time|Would it be possible] to [get|order|have] {quantity} [instead of one|rather than two|pieces in order {order_id}]?
        [Extend|Shorten|Expand] [order {order_id}|my order] [by a few pieces|], [to {quantity} of the {product}|so that it has {quantity} pieces|up to {quantity} units].
        """
    ),
    "delivery_schedule": wordings(
        """
        [Would it be possible|Is it possible|Is there a way] to [deliver|bring|get] [order {order_id}|the {product}|the parcel] on {delivery_date}[ at {time}| after {time}|]?
        [Change|Please change|Please alter] [the delivery date|the delivery day|the date] [of order {order_id}|for the {product}|] to {delivery_date}.
        [I will be home|I will be in|Someone is home|We are at home] on {delivery_date}[ at {time}| after {time}|][, please come then|, so deliver then|, please deliver that day].
        [Not today|Not tomorrow|Not this week], [please|but] [deliver|come|bring it] on {delivery_date}[ at {time}|].
        [Reschedule|Please reschedule|Shift|Please shift|Delay] [the delivery|order {order_id}|the drop-off] [to|until] {delivery_date}[ at {time}|].
        [Can I pick|Can I choose|May I choose|Could I set] [a day|the delivery day|a time slot] [for order {order_id}|for the {product}|]? {delivery_date}[ at {time}| after {time}|] [would suit me|is fine|works].
        [Only|The only day] {delivery_date} [works for me|suits us|is possible][, please deliver then| for the delivery|, after {time} if possible].
        [Bring|Please bring|Drop off] [the {product}|order {order_id}|my parcel] on {delivery_date}[ at {time}| after {time}|][, please|].
        [I would prefer|I prefer|We would prefer] [delivery|the delivery|to get the {product}] on {delivery_date}[ after {time}| at {time}|].
        [We are on vacation|I am out of town|I am in hospital|The office is closed] until {delivery_date}, [please do not deliver before|please hold the parcel till then|deliver after that].
        [Is|Would] {delivery_date}[ at {time}|] [possible|be possible|okay|work] for [the delivery|delivering order {order_id}|bringing the {product}]?
        [Please arrange|Arrange|Please plan|Fix] [delivery|the delivery|a delivery slot] for {delivery_date}[ at {time}| after {time}|].
        [I cannot be there|I cannot receive it|We cannot take it] on [the planned day|{date}], [could it be|what about|how about] {delivery_date}[ at {time}|]?
        [The slot|The time window|The appointment] [does not suit me|is bad for me|clashes with my work], [can you come|please come|let it be] on {delivery_date}[ after {time}|].
        [Deliver|Please deliver|Please have it delivered] [no earlier than|not earlier than|exactly on|by] {delivery_date}.
        [Could|Can] [the delivery|order {order_id}|the {product}] be [brought forward|moved forward|pushed back|postponed] to {delivery_date}[ at {time}|]?
        [I have time|I am free|I am available] [for the delivery|to receive the parcel|] on {delivery_date}[ at {time}| after {time}| from {time} on|].
        [Preferred|Desired|Wished] [delivery date|delivery day|date] [for order {order_id}|for the {product}|]: {delivery_date}[, {time}|].
        [Tell the driver|Ask the courier|Please tell the driver] to [come|deliver|be here] on {delivery_date}[ at {time}| after {time}|].
        [Let us|Let me] [agree on|fix|set] {delivery_date}[ at {time}|] for [the delivery|order {order_id}|the {product}].
        [The party|The wedding|The birthday] is on [{date}|the weekend], so [deliver the {product} on {delivery_date}|I want it on {delivery_date}|please come on {delivery_date}].
        [Do you deliver|Do you also deliver|Does the courier come] [on {delivery_date}|in the evening|on Saturdays]? [I could take the parcel|I am at home] [on {delivery_date}|after {time}].
        [I need|I want|I would like] [order {order_id}|the {product}|my delivery] [exactly on|to come on|to arrive on|on] {delivery_date}[, not sooner|, not before {time}|].
        [An evening delivery|A morning delivery|A delivery after work|An appointment] on {delivery_date} [would be ideal|would be perfect|is what I need][, at {time}|].
        [Another day|A different day|A later date] [would be better|is needed|please]: {delivery_date}[ after {time}|][ for order {order_id}|].
        """
    ),
}
