# ruff: noqa: E501 - a template stays on one line
"""Still more ways to say each intent, in plain words: goods that are missing, wrong, broken or sent back."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["PLAIN_GOODS"]

PLAIN_GOODS = {
    "order_status": wordings(
        """
        Where's [my order|my package|my parcel|my stuff|my {product}|order {order_id}][ right now| at the moment| now|]?
        What's [the latest on|the current status of|happening with|going on with|the progress of|up with] [my order|order {order_id}|my purchase|my shipment|the {product} I ordered]?
        When is [my order|my package|order {order_id}|the {product}|my shipment] [going to arrive|expected to arrive|due to be delivered|supposed to get here|likely to be here|coming]?
        When [can I expect|should I expect|will I receive|will I get|do I get] [my order|my parcel|order {order_id}|the {product}|the goods|my delivery]?
        [Can|Could|Would] you [give me an update on|check the status of|tell me the status of|look into|have a look at] [my order|order {order_id}|my package|my purchase], please?
        Did my [order|package|parcel|shipment] [ship yet|go out yet|leave the warehouse yet|get sent out already|get dispatched yet]?
        Has [my order|order {order_id}|the {product}|my parcel] [shipped yet|gone out yet|been dispatched|left your warehouse yet|been processed|been packed]?
        I'd like to [know|find out|ask] [where my package is|where my order is at|how far along my order is|what the status of order {order_id} is|when my {product} will arrive].
        I'm [checking on|checking the status of|following up on|enquiring about|inquiring about|asking about] [my order|order {order_id}|the {product} I bought|my recent purchase|an order I placed on {date}].
        Just [checking|wondering|curious|asking] [where my order is|if my order has shipped|when my parcel will get here|whether order {order_id} is on its way|how my order is coming along].
        [Please|Kindly] [send me an update on|give me the status of|let me know the status of|inform me about|check on] [my order|order {order_id}|my shipment|the {product} I ordered].
        [Please let me know|Let me know|Please advise|Kindly tell me] [when my order will arrive|where my shipment is|when the {product} will ship|if order {order_id} has been sent|what stage my order is at].
        How do I [track|trace|follow|check on|check the status of] [my order|my package|my parcel|a shipment|order {order_id}]?
        Where can I [track|see|check|look up|follow] [my order|the status of my order|the progress of my parcel|my delivery online|order {order_id}]?
        I need [the tracking number|a tracking number|the tracking link|tracking information|tracking details|an update] for [my order|order {order_id}|my package|the {product}], please.
        [Can you send me|Could I have|May I have|Can I get|What is] the tracking [number|code|link|info] for [my order|my parcel|order {order_id}|the {product}]?
        [Do you have|Have you got|Is there] [any news on|any information about|an estimated delivery date for|a tracking number for|a shipping date for] [my order|my shipment|order {order_id}|the {product}]?
        [Order status|Status request|Status of my order|Tracking request|Order update], please[: {order_id}|, order number {order_id}|, ordered on {date}|].
        [Status|Progress|Current state|Whereabouts] of [order {order_id}|my order|my shipment|my purchase of {date}]?
        What [stage|step|point] [is my order at|has my order reached|is order {order_id} at|has my shipment reached][ now| right now|]?
        How far [along|away] is [my order|order {order_id}|my shipment|the {product} I ordered][ by now| at this point| now|]?
        How long until [my order|my package|the {product}|order {order_id}] [arrives|gets here|is delivered|ships|is sent out|is dispatched]?
        [I can't find|I don't see|I cannot see|I haven't got|I never got] [any tracking info|a tracking number|a tracking link|a shipping confirmation] for [my order|order {order_id}|the {product}]; has it [shipped|been sent|gone out]?
        I [ordered|bought|purchased] [the {product}|something|a few things] [on {date}|yesterday|a few days ago|last week] and [want to know where it is|would like an update|was wondering when it will ship|want to check the status].
        [The tracking|Tracking|The carrier's page|The tracking page] for [{tracking}|my parcel|my package] says [in transit|label created|pending|processing], so [where is it now|what does that mean|when will it be here]?
        Is [my order|order {order_id}|my package|the {product}] [out for delivery|in transit|still being processed|ready to ship|with the carrier|still in your warehouse][ today| now|]?
        Did [my order|order {order_id}|my purchase|the order I placed on {date}] [go through and ship|come in and get packed|reach you and is it being processed|get confirmed]?
        I [wonder|was wondering|would love to know|am curious] [where my parcel is now|whether my {product} has shipped|how order {order_id} is getting on|when my package is coming].
        [Hi, where|Quick question: where|One question: where|So where] [is my order|is my package|is my {product}|is order {order_id}|exactly is my shipment]?
        Which [carrier|courier|delivery company|service] [has|is bringing|is delivering|is carrying] [my order|my parcel|order {order_id}|the {product}], and where is it now?
        [Which|What] day is [my order|order {order_id}|the {product}|my parcel] [expected|estimated to arrive|due|going to come]?
        [What's the ETA|What is the expected delivery date|What is the estimated arrival|What is the delivery estimate] [for|of] [my order|my package|order {order_id}|the {product}]?
        You [took|accepted|confirmed|received] [my order|order {order_id}|my order on {date}]; [where is it now|has it been shipped|what is its status|how is it going]?
        I would [appreciate|be grateful for|like|be glad of] [an update|some news|information|a status report] on [my order|the status of order {order_id}|the whereabouts of my parcel|my shipment].
        [As I'd like to be home for it|So that I can plan|Before I leave for the weekend|To be sure], [where is my parcel now|when does my order arrive|has the {product} been shipped|what is the status of order {order_id}]?
        [The website|Your site|My account|The app] [still says|only shows|tells me] [processing|pending|in preparation|confirmed] for [my order|order {order_id}|the {product}]: [has it shipped|what is the status|is it on the way]?
        """
    ),
    "late_delivery": wordings(
        """
        My [order|package|parcel|delivery|{product}|shipment] [hasn't arrived|hasn't come|still hasn't arrived|still isn't here|never arrived|hasn't shown up].
        I [haven't received|still haven't received|have not received|never received|didn't get|have yet to receive] [my order|my package|order {order_id}|the {product}|my delivery].
        My [delivery|order|parcel|shipment|package] is [late|very late|overdue|delayed|behind schedule|a week late|several days late].
        Why is my [order|package|delivery|{product}|shipment] [so late|delayed|late|taking so long|still not here|not here yet]?
        Why hasn't [my order|my package|order {order_id}|the {product}|my delivery] [arrived yet|come yet|reached me yet|turned up|been delivered yet|got here by now]?
        [It's been|It has been|It's already been] [two weeks|over a week|a month|ten days|more than three weeks] and [my order still isn't here|I still don't have my {product}|nothing has arrived|order {order_id} hasn't come].
        I [ordered|bought|purchased] [it|this|the {product}] [weeks ago|a month ago|on {date}|ages ago] and [it still hasn't arrived|it still isn't here|I still have nothing|I'm still waiting].
        I'm [still waiting for my order|still waiting for the {product}|still without my parcel|tired of waiting for my package|waiting far too long for my delivery][; it was due on {date}|; it is long overdue|; it should have come last week|].
        I've been waiting [for weeks|for ages|over two weeks|since {date}|more than a month|far too long] for [my order|my package|my delivery|the {product}|order {order_id}].
        [My order|My parcel|The {product}|Order {order_id}|The package] was [supposed|meant|due|scheduled] to [arrive|be delivered|be here|come] [yesterday|last week|on {date}|days ago|last Friday].
        [The package|My order|Order {order_id}|The {product}|The delivery] [did not arrive|didn't come|wasn't delivered|failed to arrive|has not been delivered] [on time|by the promised date|when it should have|as scheduled|on {date} as promised].
        [It was supposed to be here|It should have been here|It should have come|It was meant to arrive] [yesterday|last week|on {date}|days ago|on Monday], [but it still isn't|but it never came|but there's no sign of it|and I still have nothing].
        There's [still no sign of|no trace of|no sign of] [my order|my parcel|order {order_id}|the {product}], [though it was due days ago|and it should be here by now|even though it was promised for {date}|it is overdue].
        [You said|You told me|I was told|The website said|Your email said] it would [be here|arrive|come|be delivered] [by {date}|on {date}|within three days|by last Friday|in two days], and [it hasn't|nothing came|it is late].
        [The expected delivery date|The estimated arrival date|The delivery date you gave me|The promised day] was [{date}|last week|yesterday|three days ago], [but my order is not here|so my parcel is late|and it has not come yet].
        [The delivery is|My parcel is|Order {order_id} is|The {product} is] [two days|three days|a week|ten days|two weeks] [late|overdue|behind schedule][ already| now|].
        [What is|What's] [the hold-up|causing the delay|the reason for the delay|the delay|holding things up] with [my order|my delivery|order {order_id}|my package|the {product}]?
        [Why the delay|What's taking so long|Why so slow|How much longer|How much longer must I wait]? [My order|Order {order_id}|The {product}|My package] [should have come days ago|was due last week|is long overdue].
        How much longer [do I have to wait|will I have to wait|must I wait|is this going to take|will it take] for [my order|my delivery|order {order_id}|the {product}|my parcel]?
        [Late delivery|Delayed delivery|Delivery overdue|Parcel delayed|Overdue order][: {order_id}|, order {order_id}|: the {product}|: my parcel], [should have been here by {date}|was due last week|still nothing here].
        [Still no package|Still no delivery|Still no {product}|Still nothing][ after two weeks| after a month| as of today|], [it's overdue|I'm still waiting|it was due days ago|what is the delay].
        [Tracking says|The tracking says|The app says] [delayed|there is a delay|it is running late], and [my parcel|my order|the {product}|order {order_id}] was [due yesterday|promised for {date}|supposed to be here last week].
        [My parcel has been stuck|The package has been sitting|My order has been stuck|My shipment has been held up] [at the depot|in customs|in the same place|in transit] for [ten days|over a week|two weeks] and [is now late|is overdue].
        [Although|Even though] [I paid for express|I paid for next-day delivery|I chose fast shipping|it was marked urgent], [my order still isn't here|the {product} is late|the delivery is delayed|order {order_id} has not arrived].
        I paid [extra|more] for [express shipping|next-day delivery|priority delivery|fast delivery] and [it's still not here|it came too late|my order is still late|the {product} hasn't arrived].
        [Can|Could] you [explain|tell me|find out] why [my order|my delivery|order {order_id}|the {product}] [is so late|is delayed|is overdue|hasn't arrived yet|did not come on time]?
        I [want|would like|am asking] to [know|find out] why [my parcel|my order|order {order_id}|the {product}] [is late|is overdue|has been delayed|still hasn't come|is taking so long].
        [Please|Kindly] [deliver|hurry up with|speed up|get moving on] [my order|order {order_id}|my overdue order|the {product}], [it is already late|it's overdue|I've waited long enough|it should have come last week].
        [I stayed home|I waited in|We waited|I sat at home] [all day|the whole day|all day on {date}] and [nobody came|no one delivered anything|the delivery never came|no parcel arrived|the courier didn't turn up].
        [The delivery keeps|My order keeps|The shipment keeps|The date keeps] [getting delayed|being pushed back|getting postponed|slipping], [when will it finally arrive|I'm still waiting|I should have had it on {date}].
        [This order|Order {order_id}|My delivery|My package] has been [delayed|postponed|put back|pushed back] [again|twice now|once more|three times already] and [I still have nothing|it still isn't here|I am still waiting].
        [Three|Five|Ten] [days|working days|business days] [past the delivery date|after the promised date|over the delivery time] and [no parcel|no sign of my order|still no {product}|order {order_id} is still not here].
        [Your site promises|You advertise|You promise|The shop says] delivery in [two|three|five] days; [it's been two weeks|my order has taken twice as long|I have waited for a fortnight|order {order_id} is still not here].
        [My|The] [birthday gift|present|parcel|{product}] [did not come in time|came too late|didn't make it in time|arrived late|was not here in time], [the party was yesterday|Christmas is over|I needed it last week].
        [I need|We need] the {product} [now|urgently|badly] and [it's late|it's overdue|it still hasn't come|the delivery is running late], [what is going on|what went wrong|why is it not here].
        [Sorry but|Excuse me,|Hello, sorry, but] my [order|parcel|{product}|package] [is not come until today|is not arrived since two weeks|is still not arrive|does not come since {date}], why so late?
        """
    ),
    "missing_item": wordings(
        """
        [Something|An item|A product|One thing|A part|One piece] is missing [from|in] [my order|order {order_id}|my package|the box|my delivery].
        [The {product}|One of the items|One article|Part of my order] [wasn't in|was not in|isn't in|was missing from|was absent from] [the box|the package|my parcel|my order|the delivery].
        [My order|The order|The delivery|The package|Order {order_id}|The set] is [incomplete|not complete|missing an item|missing a part|missing the {product}|one item short].
        I [didn't receive|did not receive|never got|didn't get|haven't got] [all the items|everything I ordered|all of my order|the {product} with the rest|all the parts], [something is missing|only some of it|part of it is missing].
        I [only received|only got|received only] [part of my order|half of my order|one of two items|one of the two I ordered|some of the items|two of the three items].
        I'm missing [an item|something|a part|the {product}|one piece|two items] [from|in] [my order|order {order_id}|my delivery|the parcel|my package].
        [The package|The box|My parcel|Order {order_id}|The delivery] [arrived|came|turned up|was here on {date}], but [an item was missing|something was missing|not everything was in it|a part of it wasn't inside].
        When I opened [the box|the package|my parcel|order {order_id}], [the {product} was missing|the {product} wasn't there|there was no {product} inside|one item was missing].
        The {product} [came without|arrived without|is missing|was missing|was delivered without] [the charger|the cable|the manual|the screws|the remote|the power cord|its accessories].
        [The charger|The cable|The user guide|The power adapter|The lid|The remote control|A screw] [is missing|was missing|was not included|is not there][ for the {product}|].
        [Where is|Where's|What happened to|What about] [the rest of my order|the other item|the other half of my order|the missing {product}|the part that was left out]?
        Why was [the {product}|an item|one thing|part of my order] [missing|not in the box|not included|left out|not in my parcel]?
        You [forgot|didn't include|did not include|failed to include|missed|omitted] [one item|something|one of my items|the {product}|part of my order|a part][ in the package| in my parcel|].
        [Please|Kindly|You still have to|I need you to] send [me |][the missing {product}|the missing item|the missing part|the missing pieces|the rest of my order|what is missing][ from order {order_id}| as soon as possible|].
        [Can|Could] you [send|ship|post|mail] [the missing item|the {product} that was missing|the parts that were left out|what was left out of order {order_id}|the rest]?
        I [ordered|bought|paid for] [two|three|four|several] [items|things|products] but [only one came|only got one|one of them is missing|one was not in the box].
        I [ordered|bought] [a full set|several things|a set with all its parts] [but|and] [one piece was missing|not all of it was delivered|part of it was left out|one part wasn't there].
        [I checked|I looked through|We searched] [the box twice|all the packaging|the whole parcel|everything in the package] and [the {product} is not there|there's no {product}|one item is missing].
        [The box|The package|The parcel|The carton] [was empty|came empty|arrived empty|was completely empty|had nothing in it][, no {product} inside| when I opened it|, the {product} was not in it|].
        [According to|Going by|As per] the [invoice|packing slip|delivery note|receipt] [the {product} was packed|everything was sent|the {product} is included], but [it isn't there|it is missing|I can't find it in the box].
        [Missing item|Item missing|Missing product|Incomplete order|Incomplete delivery|Missing part][: the {product}|, order {order_id}|: {product} not in the box|].
        [There's|There is|There was] [an item|something|one piece|a part|one article] missing [in|from] [the parcel I received|the order that arrived today|order {order_id}|the package you sent me].
        [There are|There were] [parts|pieces|items|screws|things] missing [from my order|in the box|from my {product}|from the package|in order {order_id}].
        [Not all|Not all of the] [items|products|articles|parts] [were in the box|were delivered|arrived|came|were included][, the {product} is missing|, one is missing|].
        [The rest of|The second part of|The other part of|Half of] [my order|the set|order {order_id}|the goods] [is missing|was missing|was not in the package|wasn't in the box|did not come].
        The {product} was [left out|forgotten|not packed|not enclosed|omitted|overlooked][ when you packed my order| in my parcel| in the shipment| by your warehouse|].
        [It looks like|It seems|I think|I believe|Apparently] [you forgot the {product}|an item is missing from my order|someone forgot to pack the {product}|something was left out of the box|my order is incomplete].
        [I want to report|I would like to report|I'm reporting|This is about|I'm writing about] [a missing item|an incomplete order|an item missing from my parcel|a missing part|the missing {product}][ in order {order_id}|].
        [Everything else|The rest|All the other stuff|The rest of it] [came|arrived|was there|was in the box], [just not the {product}|only the {product} is missing|but no {product}|only one item is missing].
        [We are|I am|I'm] [one item short|short one item|one piece short|two pieces short|short by one] [in|on|with] [this delivery|my order|order {order_id}|the parcel].
        [My {product}|The {product}|The set|The kit] [is not complete|is incomplete|lacks a part|lacks some pieces|does not have all its parts], [what now|please send what is missing|the screws are missing].
        [Can't find|Couldn't find|Did not find|No sign of] the {product} in [the box|the package|my parcel|the delivery][, did you forget it| that came today|, was it left out].
        [Did you|Did someone|Did your warehouse] [forget|leave out|forget to pack|not pack] [the {product}|one of my items|part of my order]? [It is not in the box|It's missing|It wasn't with the rest].
        Your [parcel|delivery|package] [came|arrived] [today|yesterday|on {date}], [but the {product} was not in it|only it was incomplete|but with one thing missing|one item was missing].
        [The items I got are|The things that arrived are|What arrived is|What I received is] [not everything|only half of what I ordered|not all of my order|not complete], [the {product} is missing|where is the rest|please send the rest].
        [Sorry, but|Hello,|Excuse me,] in the [box|packet|carton] [is no {product}|I miss the {product}|the {product} was not inside|is one piece missing|was missing one thing].
        """
    ),
    "wrong_item": wordings(
        """
        You [sent|have sent|shipped|gave] me the wrong [item|product|thing|{product}|article|order].
        I [received|got|was sent|have received|was given] the wrong [item|product|size|color|colour|model|{product}|order].
        The wrong [item|product|thing|{product}|article|model] [was sent to me|was delivered|arrived|came|was in the box|was shipped to me][ today| yesterday| on {date}|].
        [The item I received|The product I got|What I received|The thing that came|What you delivered] is [not what I ordered|not the one I ordered|the wrong one|incorrect|different from what I ordered].
        [This isn't|That's not|It's not|This is not] [the item I ordered|the product I ordered|the {product} I ordered|what I paid for|the one I chose|my order].
        I [ordered|bought|asked for|paid for] the {product}, but [you sent something else|I got something different|the wrong one came|a different product arrived|the box had another item in it].
        I [ordered|asked for] [[black|blue|the red one] but [got|was sent] [white|green|the wrong colour|the wrong color]|[a medium|a large|the small one] but [got|received] [the wrong size|a different size|another size]].
        The {product} [I received|you sent|that arrived|in the parcel|I got] is [the wrong size|the wrong color|not the model I ordered|a different model|another version|not the one I picked].
        [My order|Order {order_id}|My package|The parcel|The box] [contained|contains|had|came with|included] [the wrong item|the wrong product|an item I did not order|something I didn't order|a different product].
        [There was|There is|I found] [a wrong item|the wrong product|an incorrect item|the wrong {product}|a different article] in [my parcel|my package|the box|the delivery|order {order_id}].
        [Wrong item|Wrong product|Incorrect item|Wrong size|Wrong {product}|Wrong order] [received|delivered|sent|shipped][ with order {order_id}| in my package| on {date}|].
        Why did [you send me|I get|I receive|you deliver|you ship me] the wrong [item|product|{product}|article|size|colour]?
        Why [did I get|did I receive|have I been sent|was I sent|am I getting] [a different product|something I didn't order|the wrong {product}|another model|someone else's order]?
        Instead of [the {product}|my {product}|what I ordered|my order], [you sent me|I received|I was sent|I got|there came] [something else entirely|another product|a completely different item|an item I never ordered].
        I [received|got|was sent|was delivered] a {other_product}, but [I ordered the {product}|I never ordered one|that is not what I ordered|that's the wrong item|I had asked for something else].
        I [never ordered|didn't order|never asked for|did not buy] [a {other_product}|this item|the thing you sent|what came in the parcel], [it must be a mix-up|you sent the wrong thing|this is somebody else's order].
        [You've sent me|I've received|I was sent|I got] [someone else's order|another customer's parcel|somebody else's package|the order of another customer|a stranger's order][ by mistake|].
        [It looks like|It seems|I think|I believe|Apparently] [my order was mixed up|you mixed up my order|I got the wrong item|you sent me the wrong {product}|my parcel was swapped with another].
        [There has been|There's been|There was|You made] [a mix-up|a mistake|an error] with [my order|order {order_id}|my parcel]: [it is the wrong item|I got the wrong product|you sent a different {product}].
        [Please|Kindly] send [me |][the correct item|the right item|the right {product}|what I actually ordered|the correct product], [you sent the wrong one|the one that came is wrong|I received the wrong one].
        [Can|Could] you send [me |][the correct item|the right {product}|the right one|what I ordered]? [I got the wrong one|You sent the wrong one|The wrong one arrived|A different one came].
        [When will I get|Where is|I'm still waiting for|I want] the [right|correct] [item|product|{product}|one]; [you sent the wrong one|I received something else|a different one came].
        The [label|box|packing slip|invoice|packaging] says {product}, but [inside is something else|the item inside is a different one|there was another product inside|it holds a {other_product}].
        [When I opened|On opening|After opening|When we opened] [the box|the package|my parcel|order {order_id}], [I found the wrong item|we found a different product|there was the wrong thing in it|it was not what I ordered].
        [What arrived|What came|What I unpacked|What was delivered][ today| on {date}|] [does not match|doesn't match|is not the same as|has nothing to do with] [my order|what I ordered|the {product} I ordered|the order confirmation].
        The [size|colour|color|model|version|brand] [is wrong|is not what I ordered|doesn't match my order|is different from my order|is not the one I chose][, I ordered the {product}|, you sent the wrong one|].
        [You shipped|You delivered|You packed|Your warehouse sent|They sent] [the wrong {product}|the wrong color|the wrong model|an incorrect product|the wrong one] [in|for|with] [order {order_id}|my last order|my order].
        [Someone|Somebody|Your warehouse|The packer] [picked|packed|grabbed|shipped] the wrong [item|product|article|size|model][ for order {order_id}| for me|], [I ordered the {product}|that is not mine|it is not what I bought].
        [I want to report|I'd like to report|I am writing about|This is about|I'm contacting you because of] [a wrong item|the wrong item in my order|an incorrect delivery|a wrong product|the wrong {product}].
        [What should I do|What do I do|What happens now|How do we fix this]? [You sent me the wrong {product}|I received the wrong item|I got a product that I didn't order|The wrong thing was delivered].
        [A {other_product}|A different item|Another product|The wrong product|Something else] [came|arrived|was delivered|turned up|was in the box] [instead of the {product}|in place of my order|rather than what I ordered].
        [The product|The item|The {product}] [does not match|doesn't match|differs from] the [description|picture|photo][ on the website| in the shop|], [it's a different one|you sent another model|it is the wrong one].
        I [was expecting|expected|wanted|was hoping for] the {product} and [got|received|found|unpacked] [something different|a different item|another thing|the wrong article|a {other_product}].
        My [order|parcel|package|delivery] [was mixed up|got mixed up|was confused|has been swapped] with [another|someone else's|another customer's|my neighbour's], [I got the wrong goods|these are not my things|the {product} is not in it].
        [One of the items|One article|One thing|The second item] in [my order|order {order_id}|the parcel|the box] is [wrong|the wrong one|not what I ordered|a different model|in the wrong size].
        [Sorry, but|Hello,|Excuse me,] [you have send me|I have get|you give me] [wrong product|other product|wrong {product}|false article], [I order something different|this I not order|please send correct one].
        """
    ),
    "damaged_item": wordings(
        """
        The {product} [is|was|arrived|came] [damaged|scratched|dented|cracked|chipped|shattered] [on arrival|out of the box|in the parcel|in the package].
        [My order|My package|My parcel|Order {order_id}|My {product}|The item] [arrived|came|was delivered|got here|turned up] [damaged|broken|in bad condition|in pieces|badly damaged|smashed].
        [The {product}|The item|The product|One of the items] was [already |][broken|damaged|cracked|smashed|shattered|crushed] [when it arrived|when I opened the box|upon delivery|when I received it|when it got here].
        I [received|got|was sent|was delivered] a [damaged|broken|cracked|scratched|dented|chipped] [item|product|parcel|{product}|package].
        [You sent|You have sent|You shipped] me a [damaged|broken|cracked|smashed|bent] [item|product|article|{product}|thing].
        [The {product} arrived|It arrived|My order arrived|The item came|It was delivered] with [a crack|a dent|scratches|a broken corner|a hole|a big scratch|cracks all over].
        [There is|There's|I found|I noticed|I see] [[a crack|a dent|a chip|a hole|a tear] in|[a scratch|a stain|scratches] on] the {product} [that just arrived|you delivered|from my parcel|that came today].
        When I opened [the box|the package|the parcel|order {order_id}], [the {product} was broken|it was in pieces|I found it smashed|the item was damaged|everything was shattered|the glass was broken].
        The [screen|glass|display|case|lid|handle|casing] [was|came|arrived] [cracked|broken|shattered|scratched|smashed|chipped][ on delivery| out of the box| in the parcel|].
        The {product} [got|was|must have been] [damaged|broken|crushed|smashed|scratched] [in transit|during shipping|during delivery|in the post|on the way here|during transport].
        The [box|package|parcel|carton|packaging] [was|arrived|came] [damaged|crushed|squashed|dented|ripped|soaked|torn open] and [the {product} is damaged|the item inside is broken|the contents are damaged|the {product} got wet].
        [The courier|The delivery driver|The carrier|The postman|Your driver] [must have dropped|dropped|threw|mishandled|crushed] [my package|the box|the parcel|order {order_id}] and [the {product} is broken|it's smashed|the item is damaged].
        [Damaged item|Item arrived damaged|Damaged parcel|Broken on arrival|Transport damage|Damaged goods][: the {product}|: the {product} is cracked|, order {order_id}|, delivered on {date}|].
        [I want to report|I'd like to report|I need to report|I'm writing to report|This is about] [a damaged item|a damaged delivery|damage to my order|transport damage|a damaged {product}|a broken item in my parcel].
        The {product} is [badly|slightly|heavily|completely|totally] [scratched|damaged|dented|bent|smashed], [it came that way|it arrived like this|it was like that in the box|it must have happened in transit].
        Why was [the {product}|my new {product}|my order|the item] [broken|damaged|scratched|cracked|dented] [on arrival|when it was delivered|when it came|straight out of the box]?
        [Can|Could|Will] you [replace|send a replacement for] [the damaged {product}|the item that arrived broken|the broken item from my parcel|the {product} that came cracked|the one that was smashed in transit]?
        [What do I do|What should I do|What happens now|What now]? [My {product} arrived broken|The {product} came damaged|My parcel was damaged|The item was smashed in transit].
        [What should I do|What can I do|Who do I contact|Where do I send photos] [if|now that] [my order arrived damaged|the {product} came broken|an item was broken in shipping|the parcel was damaged on the way]?
        [Part of|Half of|One piece of|Some of] [my order|the delivery|order {order_id}|the set] [arrived broken|was broken|was damaged|came smashed|was crushed in the post].
        [Two|Three|Several|Some|Most] of the [items|pieces|glasses|plates|parts] [were broken|were damaged|were cracked|were smashed|were chipped] [in the parcel|when they arrived|on delivery|when we unpacked them].
        The {product} was [poorly packed|badly wrapped|not packed properly|packed without padding|not protected] and [broke on the way|arrived in pieces|got damaged|is cracked|came scratched].
        [Everything|The whole order|All of it|The entire content of the box] [was broken|was damaged|was smashed|was in pieces|was wet and ruined|was crushed][ when it arrived| on delivery|].
        The {product} [arrived|came|was delivered] [wet|dirty|stained|torn|ripped|soaked|leaking], [it is ruined|it's damaged|it is no good like this|it got damaged on the way].
        [The bottle|The container|The tube|The jar|The pack] [leaked|burst|broke|cracked|was leaking] in the [box|parcel|package] and [the {product} is ruined|everything is wet|spoiled all the rest].
        [A leg|The handle|One corner|A part|The edge|A piece] of the {product} [was broken off|had snapped|was bent|was snapped off|was chipped] [when it came|on arrival|when I unpacked it].
        [I just|I've just|We just|Today I] [unpacked|opened|unboxed] [the {product}|my order|my parcel] and [it's broken|it is cracked|it's full of scratches|it has a big dent|it is smashed to pieces].
        [I attach|I've attached|I have|Here are|I can send] [photos|pictures] of the [damage|damaged {product}|broken item|crushed box|cracks][ from the delivery on {date}| in order {order_id}|].
        [My brand new|The new|The brand-new] {product} [has a crack|has a dent in it|is all scratched up|is chipped|is bent|has a broken corner][ straight from the box| on arrival|, damaged in shipping|].
        [The parcel|The box|The carton|The package] looked [fine|okay|intact|all right], but [the {product} inside was broken|the item was cracked|the {product} was scratched|there was broken glass in it].
        [It looks like|It seems|I'm afraid|I think] [the {product} was damaged in transit|my parcel was dropped|the item broke during shipping|my order was damaged on the way|the box got crushed].
        I am [sorry to say|sad to say|afraid|disappointed] that [the {product} arrived damaged|my order came broken|the item was cracked on arrival|the {product} is scratched and dented].
        [A|One] [damaged|broken|shattered|crushed] [parcel|package|{product}|item] is what [I got|arrived|the courier brought|was delivered][ today| on {date}|].
        [Because of|Thanks to|Due to] [bad packaging|poor packing|rough handling|careless delivery], [the {product} is broken|my order arrived damaged|the {product} got scratched|the item was crushed].
        [Delivered today|Just delivered|It came this morning|It arrived on {date}] and [it is already broken|the {product} is cracked|the item is damaged|it's full of dents|it is smashed to bits|the glass is shattered].
        [Sorry, but|Hello,|Excuse me,] [the {product} is come broken|my packet is arrive damaged|the product was break in transport|in the box was all broken], [please help|what I can do|I need a whole one].
        """
    ),
    "defective_product": wordings(
        """
        [The {product}|My {product}|The product|The item|It] [isn't working|is not working|doesn't work|won't work|no longer works|does not work properly].
        [My|The] {product} [won't turn on|won't start|won't charge|won't switch on|doesn't power on|will not boot up][ anymore| any more| at all|].
        [My|The] {product} [stopped working|quit working|just died|broke down|suddenly went dead|failed][ today| yesterday| on {date}| after a week|].
        The {product} [I bought|I ordered|you sent me|I got from you|I purchased] [is defective|is faulty|doesn't work|is not functioning|stopped working|has a defect][ after only a few days|].
        I [received|got|bought|have|was sold] a [defective|faulty|non-working|malfunctioning] [{product}|product|item|device|unit].
        [There's|There is|There seems to be] [a problem|an issue|a fault|something wrong] with [the {product}|my {product}], it [won't turn on|doesn't work|keeps crashing|is not charging|shuts down].
        [My|The] {product} [keeps|just keeps|has kept] [crashing|freezing|shutting down|turning off|overheating|disconnecting|restarting][ by itself| on its own| while I use it|].
        The [battery|screen|motor|speaker|power button|charger] [of|on|in] [the|my] {product} [doesn't work|isn't working|stopped working|is defective|is faulty|has failed].
        [The battery|The screen|A button|The fan|The switch|The display] [doesn't respond|does not work|has failed|stopped working|is faulty][, so the {product} is useless| on my {product}| after a week|].
        Why [does [the {product}|it] not [work|turn on|charge|start]|is [my {product}|it] not [working|charging|responding|functioning]][ any more| properly|]?
        Why [won't|doesn't] [my {product}|the {product}|this thing] [work|turn on|start|charge|switch on|connect][ any more| anymore|]?
        The {product} [worked fine|was fine|ran well|worked perfectly] [at first|for a week|until yesterday|for a few days] but [now it's dead|then it stopped working|now it won't turn on|it no longer works].
        I [can't|cannot|couldn't|am unable to] [turn on|switch on|start|charge|use|get a signal from] [the {product}|my {product}|the device], [it's defective|it is dead|it does not respond|it must be faulty].
        [I tried|I've tried|We tried] [everything|new batteries|another socket|charging it overnight|resetting it|a different cable], but [the {product} still won't work|it still doesn't turn on|the {product} stays dead|it will not start].
        I [followed|read|studied] the [manual|instructions|user guide][ carefully|], but the {product} [doesn't work|won't start|does nothing|refuses to run|just blinks].
        When I [press the button|switch it on|plug it in|turn it on|push start], [nothing happens|the {product} does nothing|the {product} just beeps|it shuts off again|the light only blinks].
        [The {product}|My {product}|It] [makes|is making|started making] [a loud noise|a weird noise|a buzzing sound|a grinding noise|a strange rattle] [when it runs|when I switch it on|all the time|while it is on].
        [Smoke|A burning smell|A loud hum|A spark] [came out of|came from] [the {product}|my {product}|the device] [when I plugged it in|when I turned it on|today|after a few minutes].
        The {product} [gets too hot|gets very hot|overheats|loses power|runs flat|switches off] [after a few minutes|within minutes|after ten minutes|when I use it|every time].
        The [screen|display] [on|of] [my|the] {product} [stays black|flickers|goes dark|is blank|freezes|shows only lines].
        The {product} [has|seems to have|must have|appears to have|shows] a [defect|fault|technical problem|manufacturing defect|malfunction|factory fault].
        [It looks like|It seems|I think|I'm afraid|Apparently] [the {product} is defective|my {product} is faulty|the product has a defect|the {product} is not working|my {product} has given up].
        [Defective product|Faulty product|Defective item|Product not working|Faulty item|Technical defect][: the {product}|: my {product}|, order {order_id}|, bought on {date}|].
        [I want to report|I'd like to report|I need to report|I'm writing about|This is about] a [defective|faulty|non-working|malfunctioning] [product|item|{product}|device].
        The {product} [stopped|failed|gave out|died|quit|broke down] after [one use|two days|a week|three months|the first use|only a few hours].
        [After|Within|In less than] [a week|two days|a month|a few days|one day] [the {product}|my {product}|it] [stopped working|broke down|was dead|gave up working|failed completely].
        [Can|Could] you [help me with|do something about|take a look at|fix|repair] [my faulty {product}|the defective {product}|a {product} that won't turn on|a {product} that does not work|my broken-down {product}]?
        [What should I do|What can I do|What do I do] [if|when|now that] [the {product} doesn't work|my {product} is defective|the {product} has stopped working|the {product} won't charge]?
        [What is wrong|What's wrong|What's the matter] with [the {product}|my {product}]? It [won't start|does not work|keeps shutting off|isn't charging|shows an error code].
        [Right out of the box|From day one|From the start|From the very first day], the {product} [never worked|didn't work|did not work properly|wouldn't turn on|was faulty].
        The {product} [doesn't hold|won't hold|does not keep] a charge[ any more| for long| at all|], [the battery is faulty|it must be defective|I think it's a defect|it dies within an hour].
        My {product} [doesn't connect|won't connect|won't pair|can't find the network|does not sync][ any more| at all|], [it seems to be faulty|it is defective|something is wrong with it].
        [The {product}|My {product}] [only works sometimes|works on and off|acts up|plays up|has a glitch|works only half of the time], [it's faulty|I think it is defective|something inside is not right].
        [Totally|Completely|Simply] [dead|useless|defective]: [the {product} does nothing|the {product} won't switch on|my {product} stopped after a day|it doesn't turn on].
        [The {product} that I bought|The {product} from order {order_id}|The {product} I got on {date}] [is useless|can't be used|is unusable] because [it doesn't work|it won't turn on|it is defective|the motor is dead].
        [Sorry, but|Hello,|Excuse me,] [the {product} not work|my {product} don't function|the {product} is kaput|my {product} does not function any more], [I push button and nothing|it not starts|what can I do].
        """
    ),
    "return_request": wordings(
        """
        I [want to|would like to|wish to|need to|have to] [return|send back|give back|ship back|mail back] [an item|a product|my purchase|the {product}|something I bought|my order].
        I['d| would] like to [return|send back|give back] [the {product}|my {product}|order {order_id}|this item|part of my order|one of the items].
        [Can|Could|May] I [return [this|it|the {product}|my order|an item I bought]|[send|give|bring|ship] [this|it|the {product}|something I ordered on {date}] back]?
        How [do|can|should|would] I [return|send back|ship back|give back] [my order|a product|my purchase|the {product}|something|this item]?
        How does [the return process|returning something|a return|sending things back|the returns procedure] work[ with you| in your shop| for order {order_id}|]?
        What is the [procedure|process|right way|correct way|usual way] to [return|send back] [an item|the {product}|an order|goods I don't want]?
        What do I [have to|need to] do to [return|send back|give back] [the {product}|an item|my order|order {order_id}|a purchase]?
        [Please|Could you please|Can you please] [explain|tell me|let me know] how to [return|send back|ship back] [the {product}|my order|an item|something I don't need]?
        [Is it possible|Is it still possible|Would it be possible|Am I allowed|Is it okay] to [return|send back|give back] [the {product}|my order|an opened item|something without the original box|goods bought on {date}]?
        [I'd like to|I want to|I need to|I am trying to] [start|initiate|open|request|register|set up] a return[ for the {product}| for order {order_id}| for my purchase|].
        [Return request|Request for return|Return|Returning an item|Returns][: the {product}|, order {order_id}|: order {order_id}, please|: {product}, bought on {date}].
        [Can|Could|Would] you [send|email|give|issue] me [a return label|a prepaid return label|a returns form|a return slip|a shipping label for the return|a return code]?
        [Please|Kindly] [email|send|mail|give] me [a return label|the return form|a prepaid label for my return|the return address|a return number|the return instructions][ for the {product}|].
        I need [a return label|a returns form|a return number|an RMA number|the return address|a return authorization] [for the {product}|for order {order_id}|to send my order back|to return an item].
        [Where|How] do I [get|find|print|download|request] [a return label|the return slip|the returns form|a return code|the label for my return]?
        There was no [return label|return form|return slip|returns note] in [the box|the parcel|my package], [how do I send the {product} back|and I want to return the {product}|please send me one|how can I return it].
        [Where|To what address|To which warehouse] [should I|do I|must I|can I] [send|ship|mail|post] my [return|{product} back|order back|returned item]?
        [Where|At which shop|At which post office] can I [drop off|hand in|bring|leave] [my return|the {product} for return|a return parcel|the parcel I want to send back]?
        Can [someone|the courier|you|a driver] [pick up|collect|come and get] [my return|the {product} I am returning|the item I want to return|my return parcel]?
        [How long|How many days|How much time] do I have to [return|send back|give back] [an item|the {product}|my order|something I bought]?
        What is the [return window|deadline for returns|return period|time limit for returning things|last day to return] [for the {product}|for my order|in your shop|for order {order_id}]?
        [What's|What is|Can you explain|Could you tell me] your [return policy|returns policy|policy on returns|policy for sending things back]?
        [Do you|Does your shop|Will you] [accept|take|allow] returns [of opened items|without a receipt|after thirty days|in the store|from abroad|of the {product}]?
        Do you [take back|take returns of|accept returns of] [opened products|used items|unopened goods|items bought on sale|the {product}]?
        [Is the return|Are returns|Is returning|Is sending it back] [free|free of charge|at my own cost|at your expense]?
        Who [pays for|covers|bears] the [return shipping|return postage|cost of the return|return costs][ of the {product}| if I send it back|]?
        I've [changed my mind about|decided against|decided not to keep|had second thoughts about] the {product} [you delivered|that came yesterday|I received] and [want to return it|would like to send it back|am going to return it].
        The {product} [isn't what I expected|is not for me|is not to my liking|doesn't suit me|does not meet my needs], [I want to return it|I'd like to send it back|how do I return it|can I send it back].
        I [don't|no longer] [want|need] the {product} [that was delivered|I received|that came yesterday|you delivered], [I want to return it|so I'd like to send it back|can I give it back|how do I send it back].
        I [have never used|didn't open|haven't unpacked|only tried on] the {product} and [want to return it|would like to give it back|want to send it back|wish to return it].
        [It was a gift|I got it as a present|I already have one|I bought one too many] and I [want to return it|would like to send it back|need to return it|want to give it back].
        [Please|Kindly|I'd like you to] take [the {product}|my order|my purchase] back, [it is unused|it's unopened|I don't need it|it is still in its box].
        [We|I] [would like to|want to] [make|arrange|request|book|organise|organize] a return [of the {product}|of order {order_id}|of one item|for our last order|for the items from {date}].
        [This is about a return|I have a question about a return|I'm writing about a return|I am contacting you about returning something]: [how do I send back the {product}|where does it go|how do I get a label|order {order_id}].
        [If I don't like it|If it is not right for me|Should I not want to keep it], [can I return it|can I send the {product} back|how do I give it back|how long may I wait before I return it]?
        [Sorry,|Hello,|Excuse me,] I want [give back|send back|return] [the {product}|my packet|this product], [how I do|what I must do|where I send it|please give me label].
        """
    ),
    "refund_request": wordings(
        """
        I [want|would like|need|demand|expect] [a refund|my money back|a full refund|to be refunded|to get my money back|to be reimbursed].
        I [want|would like|need|expect] a [full|complete|partial] refund[ for the {product}| for order {order_id}| of {amount}| for my purchase|], please.
        I [am requesting|request|would like to request|wish to request|hereby request|want to claim] a [refund|full refund|reimbursement|repayment][ of {amount}| for order {order_id}| for my order|].
        [Can|Could|May] I [get|have|receive] [a refund|my money back|a full refund|a reimbursement|my payment back][ for the {product}| for this order| for order {order_id}|], please?
        [Can|Could|Would|Will] you [refund me|give me a refund|give me my money back|reimburse me|pay me back|refund my money][ for the {product}| for order {order_id}|, please|]?
        [Please|Kindly] [refund me|reimburse me|give me a refund|pay me back|return my payment|issue a refund][ for the {product}| for order {order_id}| as soon as possible| right away|].
        [Please|Kindly] [refund|reimburse|return|pay back|repay] [the full amount|the purchase price|what I paid|the cost of the {product}|the {amount} I paid|my money].
        How [do|can|would] I [get|request|claim|apply for|ask for] [a refund|my money back|a reimbursement][ for the {product}| for order {order_id}| for my purchase|]?
        [When|By when|On what date] will [my refund|the refund|my money|my reimbursement] [arrive|be paid|be processed|be in my account|come through|be transferred][ for order {order_id}|]?
        When [will I|can I expect to|am I going to] [get my refund|get my money back|be refunded|receive my refund|be reimbursed|see my money again]?
        [Where is|Where's|What about|So where is] my [refund|money back|reimbursement|repayment][ for order {order_id}| of {amount}| for the {product}|]?
        I [haven't received|still haven't received|have not got|never got|have yet to receive|didn't get] [my refund|the refund|my money back|my reimbursement][ for order {order_id}| for the {product}| of {amount}|].
        I'm [still waiting for|waiting for|waiting on|expecting|owed] [my refund|a refund|the refund of {amount}|a refund for the {product}|the refund for order {order_id}].
        Has my [refund|reimbursement|repayment] been [processed|sent|paid out|approved|transferred][ yet| already|]?
        What is [the status of|happening with|the progress of|going on with] [my refund|the refund for order {order_id}|my refund request|the refund of {amount}|my reimbursement]?
        [How long|How many days|How much time] [will|does] it take [to get a refund|to get my money back|until I am refunded|for my refund to arrive|before I see my money again]?
        [Why haven't I|Why have I not|How come I haven't] [got my refund|been refunded|received my refund|got my money back|been reimbursed][ yet| for order {order_id}| for the {product}|]?
        Why is my [refund|reimbursement|repayment] [not here yet|taking so long|delayed|being refused|still pending|less than {amount}]?
        [You promised|I was promised|You confirmed|You agreed to|I was told about] a refund [of {amount}|for the {product}|on {date}|weeks ago], [but I haven't received it|where is it|and nothing has been paid|but the money is not there].
        [I returned the {product}|I sent everything back|You received my return|My return arrived at your warehouse] [weeks ago|on {date}|last week] and [I still have no refund|I haven't been refunded|I want my money back now].
        [The {product} went back|My return was delivered|The parcel was sent back] [weeks ago|on {date}|last month]; [please refund me|when do I get my money|I have not been refunded|now I want my money back].
        [Refund request|Request for a refund|Money back|Refund][ for the {product}| for order {order_id}| of {amount}|, order {order_id}|][, please|].
        [Am I entitled to|Am I eligible for|Do I qualify for|Do I have a right to] [a refund|a full refund|my money back|a reimbursement]?
        [What's|What is|Can you explain|Could you tell me] your [refund policy|policy on refunds|policy for refunds|rule for refunds]?
        I [only got|received only|was only refunded|got just] [half of my refund|part of my money|a part of the {amount}|part of the price], [where is the rest of my refund|please refund the rest|I want the rest of my money back].
        I [don't want|do not want|won't accept] a [voucher|gift card|store credit|replacement|credit note], I want [my money back|a refund|a full refund|my {amount} back|the money].
        [I'm not satisfied|I am unhappy|I'm not happy|I am disappointed] with the {product} and [want my money back|would like a refund|want a full refund|request a refund].
        The {product} [was never delivered|is useless to me|was not worth the money|is not as described] and I [want a refund|want my money back|expect to be refunded|would like a refund].
        [I want|I'd like|Please send|Please credit] the [refund|money for the {product}|repayment|refund of {amount}] [back on my card|to my bank account|to my PayPal account|to the card I paid with].
        [Please|Kindly] [process|issue|arrange|approve|speed up|send] my [refund|reimbursement|repayment][ for order {order_id}| of {amount}| now| without delay|].
        [How much|What amount] [will I get back|will be refunded|do you refund|is my refund][ for the {product}| for order {order_id}| if I return it|]?
        [How|In what way|To which account] [will I [be refunded|be reimbursed|get my refund]|do I [get my money back|receive my refund|get the refund]][ for order {order_id}|]?
        [I paid|I have paid|We paid|I gave you] {amount} [for the {product}|for this order|for nothing] and [want it back|would like that money back|want a refund|ask you to pay it back].
        [My money back|A refund|My money|A full refund], please[, order {order_id}|, it was {amount}|, for the {product}|, as soon as you can|].
        [You should|You must|You have to|I ask you to|I expect you to] [refund me|give me my money back|refund the full price|pay back what I paid|reimburse me][ for the {product}| for order {order_id}| within ten days|].
        [Sorry, but|Hello,|Excuse me,] I want [back my money|refund of my money|that you give money back|to have back the money][ for the {product}| for order {order_id}|], [how is possible|when I get it|please pay me].
        """
    ),
    "exchange_request": wordings(
        """
        I [want to|would like to|need to|wish to] [exchange|swap|change] [the {product}|an item|my order|something I bought|my purchase] for [another one|a different one|something else|a different size|another color].
        I['d| would] like to [swap|exchange|trade in|switch] [my {product}|the {product}|it] for [a {replacement}|the {replacement}|a bigger size|a smaller size|a different model].
        I['d| would] like [an exchange|to make an exchange|to request an exchange|to arrange an exchange][ for the {product}| for order {order_id}| of my {product}|].
        [Can|Could|May] I [exchange|swap|change|switch|trade] [this|it|the {product}|my {product}] for [a different size|another colour|a larger one|a smaller one|another model|something else]?
        [Can|Could|Would] you [exchange|swap|change|switch] [it|the {product}|my {product}|this one] for [me|a {replacement}|a bigger one|a different one|another size], please?
        [Please|Kindly] [exchange|swap|change|switch] [the {product}|my {product}|it|this item] for [a {replacement}|a larger size|a smaller size|another color|a different one].
        How [do|can|would] I [exchange|swap|change] [an item|a product|the {product}|my order|something I bought][ for another one| for a different size| for a different color|]?
        How does [an exchange|exchanging an item|swapping the {product}|a size exchange] work[ in your shop| with you| for order {order_id}|]?
        [Is it possible|Would it be possible|Is there a way|Am I able] to [exchange|swap|switch] [the {product}|my {product}|it|an item] for [a different size|another model|a {replacement}|something else]?
        What do I [have to|need to] do to [exchange|swap] [the {product}|my {product}|an item|order {order_id}] [for another one|for a different size|for another colour|for something else]?
        [Exchange request|Request for exchange|Exchange|Exchanging an item|Swap request][: the {product}|: {product} for a {replacement}|, order {order_id}|: I want another size].
        I [need|want|would like|would prefer] [a different size|another size|a bigger size|a smaller size|a larger one|one size up|one size down] [in exchange for my {product}|instead of the one I have|in exchange for mine|in exchange].
        I [need|want|would like|would prefer] the {product} in [another color|a different colour|black|blue|a different size|a larger size][ instead|, can I swap it| and would like to exchange mine|, please exchange mine].
        The {product} is too [small|big|large|tight|loose|short|long][ for me|], [can I exchange it for another size|I need a different size|I'd like to exchange it|please swap it].
        The {product} [doesn't fit|does not fit me|fits badly|is the wrong size for me], [I want to exchange it|can I exchange it for a bigger one|I'd like to swap it for a smaller one|I need another size in exchange].
        I [bought|ordered|chose|picked] the wrong [size|color|colour|model|version] and [would like to exchange it|want to swap it|need to exchange it|want to change it for the right one].
        I [don't like|do not like|am not keen on|am not sure about] the [color|colour|style|pattern|size] of the {product}, [can I swap it for another|I'd like to exchange it|could I have a different one instead|can I change it].
        Can I [have|get|take] [a {replacement}|a different model|another color|a different size|the bigger one] [instead of the {product} I bought|in exchange for my {product}|in exchange for it]?
        [Could|Can] [I get|I have|you send me] a [larger|smaller|bigger|different] size [in exchange|in exchange for mine|in place of this one|instead of the one I got]?
        [Do you|Does your shop|Will you] [offer|allow|accept|do] exchanges[ for other sizes| in the store| without a receipt| on the {product}| for sale items|]?
        [What's|What is|Can you explain|Could you tell me] your [exchange policy|policy on exchanges|policy for exchanges|policy on swapping items]?
        How long [do I have|have I got|is the time] to [exchange|swap] [an item|the {product}|my purchase|a gift][ for another size| for something else|]?
        [Who pays|Is there a fee|Do I have to pay|What does it cost] [for|if I want] [an exchange|an exchange of the {product}|an exchange for a different size]?
        [I'd rather have|I would rather have|I would prefer|I'd sooner have] [the {replacement}|a {replacement}|a different colour|the other model], [please exchange my {product}|can I exchange mine for it|so I'd like to swap].
        [My {product}|The {product}|The one I bought] should be [exchanged|swapped|changed] for [a {replacement}|a bigger size|another color|a different model].
        I'd like to change the [size|color|colour|model] of the {product} [I bought|I got|that you delivered], [can I exchange it|is an exchange possible|how do I exchange it].
        I [got|received] the {product} [as a gift|for my birthday|as a present] and [would like to exchange it|want to swap it for something else|want to exchange it for another colour|wonder if I can exchange it].
        [I don't want a refund|No refund needed|I don't need my money back], [I just want to exchange it|just another size|only an exchange|I only want to swap the {product}|a different color will do].
        I [would pay|will pay|am willing to pay|can pay] [the difference|the price difference|a little more] to [exchange|swap] [the {product}|my {product}|it] for [a {replacement}|a better model|the bigger one].
        I [want|wish|would like] to [send back|return] the {product} and [get a {replacement} instead|have a different size instead|get another color in exchange|exchange it for something else].
        [Let me|Allow me to|I hope I can|I hope to] [exchange|swap|switch] [the {product}|my {product}|this] for [a smaller one|a larger one|another version|a different color][, please|].
        [This is about an exchange|I have a question about an exchange|I'm writing about an exchange|I am asking for an exchange]: [the {product} is too small|can I get another size|order {order_id}|I want a {replacement} instead].
        [Different|Another] [size|color|colour|model], please[: my {product} has to be exchanged|, I want to exchange the {product}|, can you swap it|: the {product} doesn't fit].
        [Is an exchange|Would an exchange be|Is a swap|Is a size exchange] [possible|still possible|all right|allowed][ for the {product}| for order {order_id}| in the store|]?
        [Where|In which shop|At which branch] can I [exchange|swap] [the {product}|my purchase|an item|a gift][ for another size| for a different one|]?
        [Sorry,|Hello,|Excuse me,] I want [change|exchange|make change of] [the {product}|my {product}] [for bigger|for other size|with other colour|against a {replacement}], [is possible|how I do|can you help].
        """
    ),
}
