# ruff: noqa: E501 - a template stays on one line
"""Still more ways to say each intent: everyday speech, with the words of the kitchen, the office and the front door."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["EVERYDAY"]

EVERYDAY = {
    "order_status": wordings(
        """
        [Any|Got any|Do you have any] [idea|clue] [where my {product} might be|how far order {order_id} has got|what is happening with my order]?
        [Is|Was] [order {order_id}|my order|my purchase] [being processed|being prepared|still in the warehouse|with the courier already|handed over to the post|out for delivery]?
        [I placed an order|I bought a {product}|I ordered] on {date} [and would like to know|and wonder|and am curious] [where it is|how it is coming along|what has happened since|whether it has left].
        [Could you|Can someone|Would somebody] [give me|send me|drop me] [a short update|a status update|a quick update|an update] [on|about|regarding] [order {order_id}|my {product}|the order I placed]?
        [The tracking link|The tracking page|The tracking number|My tracking code] [does not open|is empty|shows nothing|gives no result|has not moved since {date}], [can you tell me where it is|where is order {order_id}|what is the current status].
        [Which|What] [depot|city|warehouse|country] [is my parcel in|is order {order_id} at] [right now|at present|today]?
        What does ["in process"|"processing"|"handed over"|"label created"|"in transit"] [mean|stand for|say about my order]? [Is it on its way|Has the {product} left yet|Where is order {order_id}]?
        [I only got|All I have is|I have nothing but] [the confirmation|the order number {order_id}|a confirmation mail], [what is the present state|how do I see where it is|can I follow the parcel somewhere].
        [My account|The website|Your app] [shows no status|does not show my order|says nothing about order {order_id}], [has it been sent|did it go through|where does it stand].
        [Where do things stand|How do things stand|How far are we|What is new] with [my {product}|order {order_id}|my purchase|the shipment]?
        [Are you working|Is somebody working|Is anyone working] on [order {order_id}|my order] [already|yet|at the moment]?
        [Let me know|Tell me|Write to me|I would like to hear] [as soon as|when|once] [order {order_id} leaves|the {product} has been posted|my parcel is on the road|it ships].
        [Has anything|Did anything] [moved|happened|changed|been done] [with|on] [order {order_id}|my order|the {product} order] [since {date}|so far|yet]?
        [Order {order_id}|My order number is {order_id}|It is order {order_id}]: [where is it|what is its status|has it shipped|how far is it|any news].
        [Please look into|Have a look at|Look into|Please look up] [order {order_id}|my order|the {product} order] [and tell me how far it is|and say where it is now|for me, has it gone out].
        [In which|At which|At what] [step|phase|point of the journey] is [order {order_id}|my parcel|the {product}] [right now|today|now]?
        """
    ),
    "late_delivery": wordings(
        """
        [Nothing has come|Nothing has arrived|There is nothing|Not a thing has come] [so far|yet|to this day|until now], [although order {order_id} was promised for {date}|even though the {product} should have been here|and the delivery date is long past].
        [The postman|The courier|The driver|The mail] [comes every day|has come and gone|passed by again], [but never with my {product}|yet my parcel is not with him|and again no {product}].
        [Why has|Why hasn't|How come] [my parcel|order {order_id}|the {product}] [not come yet|not been delivered|not arrived|still not been brought]?
        [Two|Three|Four|Five] [weeks|days] [of waiting|have passed|have gone by|too late already], [and no parcel|where is my {product}|and order {order_id} is still not here|that is far too long].
        [It was to be|It should have been|You said it would be] [a three-day delivery|here within 48 hours|here on {date}|next-day delivery], [now it is the second week|now I wait for the tenth day|that was ages ago].
        [I was hoping to have|I needed|I counted on having] the {product} [by {date}|for the weekend|before my trip|in time], [it has not come|it did not arrive|it is late].
        [My delivery|The parcel|Order {order_id}] [is stuck somewhere|has been stuck in the depot since {date}|seems to be lost in the mail|has been sitting at the carrier for a week|has not moved for days], [I should have had it by now|it is overdue|when does it finally come].
        [Another week|Another day|One more week] [gone|without a parcel|of waiting], [I am fed up|where is the {product}|order {order_id} is still missing].
        [Is this|Is it] [normal|usual|acceptable] that [a parcel takes three weeks|order {order_id} takes so long|I wait for the {product} this long]?
        [The date|The day|The deadline] [you gave me|for order {order_id}|you named|in the confirmation] [has passed|is over|was last week|was {date}] [and nothing has come|and the {product} is not here|without any delivery].
        [When is|When will] the [{product}|parcel|delivery] [finally|ever|at last] [get here|be here|arrive|show up|reach me]?
        [I keep looking out of the window|I check the mailbox every day|I stay home every day], [no {product}|no sign of order {order_id}|but the parcel does not come].
        [This delivery|My shipment|The shipping|The transport] [is taking forever|takes an eternity|is slower than a snail|is dragging on], [I ordered on {date}|it was due a week ago|what is the hold-up].
        [Late|Too late|So late|Overdue] [again|once more|as always]: [order {order_id}|my {product}|the parcel], [it was due {date}|promised for last week|days behind].
        [First|At first] [you said Monday|it was {date}|it was to come in two days], [then Wednesday|then a week later|then next week], [and still I have no {product}|and the parcel is not here|and nothing came].
        [My neighbour ordered after me|My friend ordered the same day|Others ordered later] and [already has it|got it days ago], [where is mine|why does mine take so long|my {product} is still not here].
        The {product} [did not make it in time|did not get here in time|missed the birthday|was not here for the party|has not come though it was due on {date}].
        [I would have expected|I expected|We expected] [the parcel|order {order_id}|the {product}] [a week ago|on {date}|sooner|much earlier], [what is wrong|it still is not here|what went wrong with the delivery].
        [Has somebody lost|Did you lose|Did the courier lose] my [parcel|{product}|order]? It [is a week late|is overdue|never came|should have come on {date}].
        [You are|The courier is|You lot are] [a week behind|days late|long overdue] with [my parcel|order {order_id}|the {product}].
        """
    ),
    "missing_item": wordings(
        """
        [I looked everywhere|I checked twice|I turned everything over|I went through all the paper], [the {product} is not among it|there is no {product}|the {product} did not come].
        [The box|The parcel|My package|The carton] [arrived|came|was delivered] [today|on {date}|this morning], [but one thing is missing|but the {product} was not inside|only the {product} was not in it|but not everything was in it].
        [Part of|Some of|Half of|A bit of] [my order|order {order_id}|my purchase] [has not been delivered|was not in the parcel|is not there|did not come along|got left behind].
        [You owe me|I still need|I still have to get|I am short of] [a {product}|the {product}|one more article] [from order {order_id}|which was not in the parcel|that belongs to my order].
        [Of|From] the [three|two|four|five] things [I ordered|in order {order_id}|on the list], [only two came|one is absent|the {product} is not here|I got all but the {product}].
        [Where are|Where have you put|What about] the [screws|batteries|instructions|cushions|spare parts|accessories|feet] [for the {product}|of the {product}|that go with it]? [They are not in the box|They were not included|None came].
        [The bag|The pouch|The envelope|The compartment] [with the screws|with the accessories|for the cable|for the charger] [was empty|is not in the box|is nowhere], [I cannot assemble the {product}|please send the parts|something is missing].
        [I got|I received|There was] [the invoice|the bag|the empty packaging|the cover|the stand], but [not the {product} itself|no {product}|the {product} was not inside].
        [One {product} short|One article short|An item short|Something left out]: [order {order_id}|in today's parcel|please send it on].
        [Did you leave out|Did you perhaps omit|Have you left out|Was there supposed to be] [the {product}|one thing|something] [on purpose|by mistake|in my parcel]? [It is not in the box|I cannot find it].
        [The box|The delivery|The parcel] [did not include|did not hold|was lacking] [the {product}|what I had paid for|everything on the slip].
        [I bought|I ordered|I paid for] [a pair|two|both a {product} and a {other_product}], [only one is in the box|only the {other_product} came|one did not come with it].
        [My parcel|The box|Order {order_id}] [has a gap|is one short|is not full|is half empty|has a hole in it where the {product} should be], [the {product} is missing|no {product}|where is the {product}].
        [Everything was there|All was well|I was happy with the parcel], [only the {product} was not|until I saw that the {product} is missing|except that you forgot the {product}].
        [Somebody must have taken|It looks as if somebody took|Has someone stolen] the {product} [out of the box|from the parcel|on the way], [the rest is there|the seal was open|it was not inside].
        [A follow-up delivery|A second parcel|A subsequent delivery|The rest] [is needed|was promised|must follow], [the {product} was not in the first one|since the {product} was left out|because order {order_id} is not complete].
        [Could you check|Please check|Can you check] [your packing|whether the {product} was packed|if something fell out|what was packed], [it is not in my box|it did not come with the others|I am missing it].
        The {product} [came without|is here without|was supplied without] [its lid|the power cord|its remote|a manual|the plug|half of its parts|the second piece], [please send it|that is missing|it should have been in the box].
        [The main thing|The most important part|What I needed most], [the {product}|namely the {product}], [was not in the parcel|is missing|was left out|is what you forgot].
        """
    ),
    "wrong_item": wordings(
        """
        [Surprise|Imagine my surprise|I was puzzled|How odd]: [instead of the {product} there is a {other_product}|in the box lay a {other_product}|a {other_product} came out of the parcel].
        [I think|I believe|It seems|I guess] [you have mixed me up with another customer|I have got somebody else's parcel|the wrong thing was packed|this {other_product} belongs to somebody else].
        The {product} [you shipped|I received|that came] [is black, not white|is for left-handers|is size 38, not 42|is the children's version|is another brand|has the wrong voltage|is not the type I picked].
        [Can you explain|Please explain|I do not understand] why [I have a {other_product} here|a {other_product} was sent|there is a {other_product} in my parcel]? I [bought|ordered|paid for] a {product}.
        [I have in front of me|Before me lies|What I am holding is|I am now looking at] [a {other_product}|something quite different|another thing], [my order was for a {product}|order {order_id} says {product}|I wanted a {product}].
        [A {other_product}|This {other_product}|Some {other_product}]? [I ordered a {product}|That was not my order|I never chose that|Please send the {product} I asked for].
        [The wrong one|The wrong thing|Not the right one|Something different] [came|arrived|was delivered|was in the parcel|has been sent], [I had chosen the {product}|it should have been a {product}|order {order_id} was for a {product}].
        [There is a mistake in|Something is not right with|You got something wrong in|There is an error in] [what you sent|the delivery|my parcel], [I got a {other_product}|this is no {product}|it is not the {product} I ordered].
        [My|The] {product} [turned out to be|is in fact|is really] [a {other_product}|a different model|another article|the cheaper version|the wrong size].
        [What you sent|What was delivered|The thing I got|The article in the box] [has nothing to do with|is not the same as|does not agree with|is different from] [my order|order {order_id}|what I bought|the {product} I chose].
        [Your shop|The warehouse|Whoever packed it] [put|packed|threw] a {other_product} [into my box|in the parcel|in order {order_id}] [by mistake|instead of the {product}|where the {product} should be].
        [I needed|We needed|It had to be] [the {product} in blue|the left one|the 40 cm one|the one for the car], [you delivered the green one|the right one came|you sent the 60 cm one|this is another kind].
        [Please send|Send|I would like you to send] me [what I ordered|the right article|the correct {product}|the {product} that I bought], [not a {other_product}|this one is not it|what came is something else].
        [Two different|Not matching|Two unequal] [shoes|gloves|parts|halves]: [you mixed up the sizes|one is the wrong size|the {product} is not what I ordered].
        [Somebody else|Another customer] [is surely waiting for|must be missing|will miss] [this {other_product}|what is in my box], [I had ordered a {product}|it came to me by mistake|it is not my order].
        [Article|Product|Parcel] [mixed up|swapped|confused|not as ordered]: [I have a {other_product}|order {order_id}|a {other_product} for a {product}].
        [It is|That is] [a nice {other_product}|a fine thing|a good {other_product}], [no doubt|I am sure], but [mine should be a {product}|I did not order it|my order was another].
        [The colour|The size|The model|The flavour|The pattern] [does not match|is not the same as|differs from|is other than] [what I selected|the one in order {order_id}|the picture|my order].
        """
    ),
    "damaged_item": wordings(
        """
        [I unpacked|We unpacked|I took out] the {product} [and it was in two|and saw a long scratch|and a corner was missing|and the glass was splintered|and a piece fell off].
        [The {product} is|My {product} is|It is] [chipped|dinged|battered|bashed|mangled|warped|creased|soaked|mouldy|stained|torn at the seam] [straight from the box|on arrival|since the courier brought it|fresh from the parcel].
        [The courier|The carrier|Whoever delivered it] [must have kicked it|was careless|did not handle it well|must have driven over it|left it in the rain], [the {product} is damaged|the {product} is all wet|now the {product} is broken].
        [A leg|The lid|A wheel|A hinge|The glass|The rim|One side] of the {product} [came off|had snapped|was splintered|was crushed|is squashed] [during the journey|in the box|before I unpacked it|on its way to me].
        [Upon|On] [opening|unpacking|receiving] [it|the parcel|order {order_id}] I [discovered|noticed|found|saw] [a big crack|several dents|damage to the {product}|that the {product} is broken].
        [Both|All|Three] of the [glasses|plates|cups|bulbs|panes] [are broken|were smashed|arrived in bits|have cracks].
        [I am sending|Here are|I enclose|Attached are] [some photos|two pictures|photos of the damage], [the {product} came like that|as you see the {product} is broken|the carton was crushed too].
        [You really should|You ought to|Next time please] [pack better|use more padding|wrap it better|use a stronger box]: [the {product} arrived broken|the {product} has a crack|my {product} came with dents].
        [It is a pity|Such a pity|What a shame|Too bad], the {product} [did not arrive in one piece|got broken in the mail|has ugly scratches|came with a broken handle].
        [The {product} looks|It looks|My {product} looks] [as if it had been dropped|like it fell off the truck|as though someone had stepped on it|worn and scratched, not new], [it came that way|straight out of the parcel|on delivery].
        [Liquid|Paint|The bottle|The jar] [had leaked|has run out|was open] [in the parcel|inside the box|all over the {product}], [everything is sticky|the {product} is ruined|all is spoilt].
        [The outside|The wrapping|The carton] [was fine|looked fine|had no mark], [but inside the {product} was broken|yet the {product} has a crack|still the {product} is scratched].
        [I refused|I accepted|We took] the [parcel|box|delivery] [because it was crushed|although it was torn|with a big hole in it], [the {product} is damaged|and inside all was broken].
        [Is there|Are there] [a form|a department|someone] for [reporting damage in transit|a damaged parcel|transport damage]? [My {product} arrived broken|The {product} has dents|Order {order_id} came damaged].
        [The {product} was new|I paid for a new {product}], [why does it have scratches|yet it has a dent|but it has marks and a tear|and it comes with a hole].
        [Damage report|Damage|Breakage|Broken in the mail|Crushed parcel]: [order {order_id}|the {product}|the {product}, delivered {date}].
        """
    ),
    "defective_product": wordings(
        """
        [The {product} gives|My {product} gives|It gives] [no sound|no picture|no light|no heat|no steam|an electric shock|off a burnt smell] [at all|any more|since yesterday|when I switch it on].
        [The {product} is|My {product} is] [acting funny|behaving oddly|on the blink|playing tricks|going crazy|stuck|completely dead|as good as dead|unresponsive|frozen].
        [It|The {product}|My {product}] [makes|is making|started making] [a grinding noise|a rattling sound|a loud buzz|strange clicks|a whistling noise] [and then stops|when it runs|every time I use it|and gets very hot].
        [The {product} loses|My {product} loses|It loses] [water|air|oil|power|the connection|pressure|its charge] [after ten minutes|all the time|overnight|as soon as I use it].
        [The {product} trips|It blows|My {product} blows] the [fuse|breaker|fuses in the house] [each time|whenever I plug it in|when I turn it on].
        [The zip|The seam|The sole|The handle|The strap|The clasp|The wheel|The hinge] of [my {product}|the {product}] [came apart|gave way|wore through|jammed|came off] [after two days|after one wash|the second time I used it|after a week of normal use].
        [I cannot get|I can't get|We cannot get|Nobody can get] the {product} to [work|start|run|connect|heat|print|play|charge|function|switch on].
        [What is wrong with|What is the matter with|What could be wrong with|What ails] [my {product}|the {product}|this {product}]? It [just blinks|does nothing|stops again and again|will not go on].
        [Nothing but|Only] [trouble|problems|errors|failures] with [the {product}|this {product}|my {product}], it [stops every hour|crashes daily|breaks down all the time|never works].
        [The app does not find|The computer does not see|My phone does not recognise|The Wi-Fi does not reach] the {product}, [it is faulty|it must be defective|the thing does not work].
        [The {product} worked|My {product} worked|It worked] [for three days|exactly twice|until the weekend|only on the first day], [no longer|and then no more|then it went silent|now it is silent].
        [The timer|The thermostat|The lock|The touch screen|The volume|The remote|The plug|The cable] [of my {product}|on the {product}] [is defective|is stuck|does not obey|has no contact|does not react|works no more].
        [It|The {product}] [burns everything|gets far too hot|stays cold|stays lukewarm|spins without stopping|runs too slow|stops halfway|turns itself on], [that cannot be right|it must be faulty|there must be a defect].
        [I have a dead|I own a broken|I am stuck with a faulty|You sold me a defective|I bought a useless] {product}[, what can be done|, it never worked properly|, it does nothing|].
        [Can a technician|Could someone|Can anybody] [look at|check|examine|mend|repair] [my {product}|the {product}]? It [went dead|does not run|has stopped working|keeps failing].
        [The software|The firmware|The program] of the {product} [hangs|crashes|has a bug|does not load|is stuck], [I cannot use it|it is useless|nothing works].
        [I followed every step|I called an electrician|I tried everything in the manual|I even changed the cable], [the {product} is still not working|the {product} does not come on|it must be a fault in the {product}].
        [From the very first day|Right from the start|From the beginning] [the {product} has not worked|my {product} had a fault|the {product} was not functioning|the {product} would not run].
        [Help, the {product}|Help, my {product}|The {product}] [is smoking|will not stop beeping|cannot be switched off|has exploded|is leaking|got stuck|does not open any more].
        [Has the {product}|Does the {product}|Has your {product}] [a known fault|a design fault|known problems]? [Mine stops after a minute|Mine does not charge|Mine is dead].
        [Quit working|Stopped working|Gave out|Died on me|Broke down]: [my {product}|the {product}, bought {date}|the {product} after one month].
        """
    ),
    "return_request": wordings(
        """
        [What do I have to do|What is needed|What must be done] [to return|for returning|to send back|if I want to return] [the {product}|order {order_id}|something I do not want]?
        [The {product} is too loud|The {product} is not my taste|The {product} looks cheap|The fabric feels wrong|The {product} takes up too much room], [I am returning it|I want to send it back|can it go back].
        [I changed my mind|I have second thoughts|I regret buying it|I bought it on a whim], [can I bring back the {product}|I would like to return the {product}|the {product} shall go back to you].
        [I have packed up|I have wrapped up|I already packed] the {product} [again|], [where do I send it|which address do I return it to|who picks up the return].
        [Is there a|Where is the nearest|Which is the nearest] [drop-off point|return counter|parcel shop|post office] [for returns|for sending the {product} back|where I can hand in my return]?
        [My return|The return parcel|The {product} I am returning] [is on its way|was posted on {date}|will be posted tomorrow|is ready to be collected], [have you got it|please confirm|what is next].
        [Am I still in time|Am I too late|Is it too late|Can I still] [to return|to give back|to send back] [the {product}|order {order_id}|what I bought on {date}]?
        [You can have|You may have|Please have] the {product} [back|again], [I do not like it|it is not what I imagined|it is of no use to me|I shall not keep it].
        [Please book|Please order|Could you book|Please organise] [a pick-up|a collection|a courier] for [the return|my return|the {product} that I am sending back].
        [I want to take advantage of|I use|I make use of] [my right of return|the thirty-day return|the free returns|the right to send things back] [for order {order_id}|for the {product}|].
        [We bought two to compare|I ordered two sizes|I ordered three to choose from], [one is going back|I want to return the other|the rest I send back].
        [The return portal|Your return page|The online return form] [does not work|does not know order {order_id}|says not returnable], [how do I return the {product} now|I want to send back the {product}|please give me a label].
        [Do I send|Should I send|May I send] the {product} back [in the original carton|with all the parts|without the box|together with order {order_id}]?
        [The label|The sticker|The return code|The QR code] for [the return|my return|sending it back] [is missing|cannot be printed|has expired|did not come].
        [Something has to go back|One thing shall go back|One article goes back|Part of it goes back]: [the {product}|the {product} from order {order_id}|a {product}], [how do I do that|please advise|send me a label].
        [Are|Is] [{product} purchases|a {product}|shoes|reduced goods|an unpacked {product}] [returnable|something I can give back|accepted as a return]?
        """
    ),
    "refund_request": wordings(
        """
        [Where is|What has become of|Where has] the [{amount}|money|sum] [you promised me|that you owe me|for the returned {product}|gone]?
        [You still owe|You owe|Your shop owes] me [{amount}|my money|money for the {product}|the price of order {order_id}][, when do you pay|, please pay it back|].
        [I would like|I want|I expect] [to see my money again|my payment reversed|the purchase price back|every cent back|to have the {amount} back on my account].
        [The {product} was sent back|Your driver took the {product} back|The return was confirmed] [on {date}|weeks ago], [yet I have got no money|and my account is still empty|now it is your turn to pay me].
        [How will|When will|In what way will] [the money|the {amount}|my payment] [be returned|come back|be credited|be paid out]?
        [Please credit|Please return|Please wire|Kindly transfer|Please put] {amount} [to my bank account|to my card|onto my credit card|to the card I paid with|back where it came from].
        [I do not accept|I will not take|Please no] [a voucher|a gift card|credit in the shop|a replacement], [I want cash|only my money|pay me back].
        [Compensate me|I want compensation|I ask for compensation|I should be compensated] [for order {order_id}|of {amount}|for the {product} that never came].
        [The bank|My bank|The card company] [knows nothing of|has not seen|cannot find] [a refund|your transfer|any repayment][ of {amount}|], [please send it|when did you pay|please check].
        [Give|Hand] [me back|back] [my {amount}|my money|what I paid|the money for the {product}][, please| at once|].
        [The concert|The event|The course|The trip] [was cancelled|did not take place], [I want the {amount} refunded|how do I get my money back|please refund order {order_id}].
        [I overpaid|I paid too much|You took {amount} too much], [please give it back|I would like the difference back|kindly refund the rest].
        [Is my refund|Is the refund|Are the {amount}] [on the way|being processed|approved|authorised|still pending]?
        [I was promised my money|A refund was agreed|{staff} approved the refund] [on {date}|weeks ago], [it never came|nothing has happened|how much longer].
        [For|About] order {order_id} [I am due|I should receive|there should be] [a refund|a repayment|my money back|{amount}], [I see nothing|it is not there|please check].
        [Not a penny|No money|Nothing|No repayment] [has been returned|has reached my account|was credited|has come back to me] [since|after] [the return of the {product}|order {order_id} was cancelled|{date}].
        """
    ),
    "exchange_request": wordings(
        """
        [The shoes|The sleeves|The legs|The straps] [are too narrow|are too short|are too long|do not reach], [I need a size up|can I get the {product} one size larger|please exchange the {product}].
        [Could I|Can I|May I] [have|get|take] [a {replacement}|another one|a larger one|a {product} in grey] [instead|in its place|for it] [and give the {product} back|if I send you the {product}|and return this one]?
        [I bought|I took|I got] the {product} [in the wrong size|one size too small|in a colour that does not suit me|too big], [I would like to change it|can you swap it|what about an exchange].
        [Do you exchange|Do you swap|Will you exchange|Would you swap] [articles bought in {city}|presents|things without a receipt|the {product}|an opened {product}]?
        [I would love|I would need|I am looking for|I want] the [same {product}|very same thing|same model] in [another colour|a smaller size|white|a larger size|size 40], [can we trade|I would send this one back|please swap it].
        [Exchange|Swap|Change] [my {product}|the {product}|this one] [for|with] [something larger|something smaller|a {replacement}|a darker one|one with a longer cable], please.
        [The {product} does not fit|The {product} sits badly|The {product} is too small for us], [have you got it bigger|what other sizes can I swap it for|I want to change to a {replacement}].
        [In exchange|In return|As a swap] for [the {product}|my {product}|order {order_id}] I [would take|would like|want] [a {replacement}|the next size|the green one|two smaller ones].
        [I would like to replace|I want to replace|Let me replace] the {product} [by a {replacement}|with the larger version|with another model|with a different colour].
        [My order|Order {order_id}] [was for size M|was for the small one|was the red one], [I should have taken L|I now want the big one|blue would be better], [can it be swapped|please exchange it|is that possible after delivery].
        [How long|How many days] do I have [to exchange|to swap|for an exchange of] [the {product}|something|it for another size]?
        [Two sizes|Both colours|One] [too small|too large|too dark|too bright], [please exchange|I need to change the {product}|let me swap the {product} for a {replacement}].
        [Not a refund|No money back], [just a different size|only another colour|but a {replacement} for the {product}], please.
        [Could your courier|Can the driver] [bring|deliver] [the new size|a {replacement}|the other model] and [take the {product} with him|pick up the old one|collect this {product}]?
        [I am happy to pay|I will pay|Do I pay] the difference[,|] if I [change to|swap it for|take instead|exchange it for] [a {replacement}|the larger model|the better {product}].
        [It is the wrong shade|The shade is not right|The pattern clashes with my curtains], [I would rather swap the {product}|could I exchange the {product} for another|let me change it].
        """
    ),
    "cancel_order": wordings(
        """
        [I am having second thoughts|I got cold feet|We have reconsidered|I thought it over], [please do not process order {order_id}|cancel the {product}|I want to call the order off|stop the order].
        [Please see to it that|Make sure that|I want] [order {order_id} is not sent|the {product} does not ship|nothing is sent|you do not ship my order][, I am cancelling it|, I do not want it any more|, it is cancelled].
        [The order|Order {order_id}|My purchase of {date}] [can be deleted|is void|can go in the bin|is no longer wanted|need not be filled|should be torn up].
        [Is there any way|Is there a way|What can I do|Is there still a chance] to [undo|take back|reverse|cancel|stop] [my order|order {order_id}|what I just ordered|the purchase]?
        [I have just ordered|I ordered five minutes ago|I placed order {order_id} a moment ago], [can I take that back|please scrap it|I would like to cancel|please cancel it right away].
        [My kid|My cat|My daughter|My little brother] [ordered|bought|clicked on] [the {product}|something] [on my phone|without asking|while playing], [please cancel it|I want the order undone|please stop it].
        [Since|As|Because] [it takes so long|you cannot deliver in time|the price has dropped|I need the money], I [cancel|am cancelling|want to cancel|withdraw from] [order {order_id}|the order|the purchase].
        [No, thank you|No thanks|Never mind|Forget it], [I do not want the {product} any more|cancel order {order_id}|please drop the order|I am backing out].
        [The deal is off|I am pulling out|I am backing out|Count me out], [cancel order {order_id}|please cancel the {product}|do not send the {product}].
        [I would like to|I wish to|Let me|I need to] [take my order back|undo order {order_id}|retract my order|rescind the purchase|have order {order_id} cancelled].
        [My purchase|The {product}|Order {order_id}] [has not been sent yet|is still in the warehouse|still says processing], [so please cancel it|can you still stop it|I want to call it off].
        [Ordered|Bought] [twice by accident|the wrong one|too hastily|in a rush], [please cancel one of the two|please cancel order {order_id}|cancel it before it goes out].
        [Do I have|Have I got] the right to [cancel|withdraw|step back], and [until when|how do I do it for order {order_id}|does that hold for the {product}]?
        [Your site|The app|My account] [does not let me cancel|has no way to cancel|refuses to cancel|shows an error when I cancel] [order {order_id}|my order|the {product}], [please do it for me|can you|].
        [It is no longer necessary|There is no need any more|The occasion is over|The party is off], [please cancel the {product}|order {order_id} can be stopped|so I call off the order].
        [Cancelled|Order cancelled|Cancellation|Cancel]: [order {order_id}|the {product}|my order of {date}][, please confirm|, I do not need it|].
        [Was|Has] [my cancellation|the cancellation of order {order_id}|my withdrawal] [received|accepted|been noted|gone through]?
        """
    ),
    "change_address": wordings(
        """
        [I have|We have] [a new flat|just moved|moved into a new house|changed towns], [the order must go to|from now on it is|so the parcel has to come to] {street}, {postal_code} {city}.
        [Can I|May I|Could I] [still change|still correct|change|alter] [where it is delivered|where order {order_id} goes|the delivery address|the address]? [It ought to be|I want it at|It is now] {street}, {postal_code} {city}.
        [Oh no|Oops|Sorry|My mistake], I [forgot to change the address|sent it to my old place|left my old address in|put in my parents' address], [correct is|it has to be|please send order {order_id} to] {street}, {postal_code} {city}.
        [The right|The proper|My current|My present] [address|place|street] is {street}, {postal_code} {city}[, not the one in order {order_id}|, please change it|, so send the {product} there].
        [Leave|Drop|Deposit] [the {product}|the parcel|order {order_id}] [at|with my neighbour at|at my office,] {street}, {postal_code} {city}[, I have moved|, not at my flat|].
        [We are renovating|The building is closed|There is no doorbell at my flat|I will be at my mother's], [so deliver to|please bring it to|therefore the address is] {street}, {postal_code} {city}.
        [My shipping details|My delivery details|The recipient's address|The label] [must be changed|need updating|should read|are out of date]: {street}, {postal_code} {city}.
        [Is it okay|Is it fine|Would it be all right] to [have it sent|ship the {product}|deliver order {order_id}] [to my workplace|to my sister|somewhere else]? [That would be|The place is|At] {street}, {postal_code} {city}.
        [We no longer live|I do not live|Nobody lives] [at the address you have|in the old street|there any more], [use|the parcel must go to|our home is now] {street}, {postal_code} {city}.
        [Update|Overwrite|Replace|Change] [the old address|what is on file|my address on file] [with|by|to] {street}, {postal_code} {city}.
        [Could the courier|Can the driver|Please let the driver] [go to|deliver to|bring it to] {street}, {postal_code} {city} [instead|rather than to my old house|and not to the other place]?
        [I am expecting|I am waiting for] [order {order_id}|the {product}] but [I moved out|I am moving on {date}|the address is no longer right], [it should come to|please forward it to|send it to] {street}, {postal_code} {city}.
        [Ship-to address|Shipping address|Destination|Recipient address|Deliver to]: {street}, {postal_code} {city}[, please change it in order {order_id}|, not the old one|, instead of the one I gave].
        [There is a slip|There is a typo|I made a typo|There is an error] in [my address|the street|the address for order {order_id}], [it is|make it|correctly] {street}, {postal_code} {city}.
        [My company|Our office|My shop] [has new premises|moved|changed its location], [all parcels go to|the new address reads|deliver to] {street}, {postal_code} {city}.
        """
    ),
    "change_quantity": wordings(
        """
        [It turns out|We noticed|I just realised] [one will not be enough|we ordered too many|I need more of them|that is too few], [please change it to {quantity}|let us have {quantity} of the {product}|make it {quantity}].
        [Can you|Could you|Please] [put|throw in|add] [a couple more|some more|three more|one more] [of the {product}|to order {order_id}], [I want {quantity}|so that I get {quantity}|{quantity} in total].
        [I would like to|I want to|I need to|We must] [go up to|go down to|bring it down to|settle on|stay at] {quantity} [pieces|of the {product}|units][ in order {order_id}|].
        [Reduce|Shorten|Trim|Scale back|Scale down] [my order|order {order_id}|the number of the {product}] to {quantity}[ pieces| units|][, please|].
        [There should be|I thought there were|It must read] {quantity} [pieces|of the {product}] [in order {order_id}|in my basket|on the order], [please correct the number|not one|I typed it wrong].
        [How about|What about|Let us say] {quantity} [of the {product}|pieces] [instead|in order {order_id}|rather than the number I gave], [is that still possible|can you change that|please adjust].
        [My finger slipped|The page changed it|I hit the wrong key], [it says ten instead of {quantity}|I want {quantity} pieces|order {order_id} should have {quantity}].
        [Can order {order_id}|Could my order|Can my purchase] be [made bigger|made smaller|enlarged|cut down|extended] to {quantity}[ pieces| of the {product}|]?
        [All I need|All we need|What we need|What I need] [is|are] {quantity} [of the {product}|pieces], [please change order {order_id}|the number in my order is wrong|not as many as I ordered].
        [Two colleagues|My friends|The neighbours|My sisters] [want one too|would like one as well|join in], [so please make it {quantity}|can we have {quantity} of the {product}|please raise the number to {quantity}].
        [One fewer|One less|Two fewer|A few less] [would do|is enough|please], [{quantity} of the {product}|so {quantity} in all|make order {order_id} {quantity} pieces].
        [In place of a single one|Instead of a single {product}|Not just the one], [I want {quantity}|send {quantity}|please deliver {quantity}][ in order {order_id}|].
        [The count|The number of units|The number I ordered|The amount of items] [is off|is wrong|has to change|should be different]: {quantity}[, please| of the {product}| in order {order_id}|].
        [Am I too late|Is it too late|Is there time] to [order some more|add a few|take away some|reduce the number]? I [would want|want|need] {quantity} [of the {product}|in order {order_id}|pieces].
        [Before you pack|Before it is packed|Before it goes out], [change the number|correct the pieces|please alter the quantity] [to {quantity}|of the {product} to {quantity}|in order {order_id} to {quantity}].
        """
    ),
    "invoice_request": wordings(
        """
        [I am doing|I do|I am preparing|I sit over] [my taxes|my expenses|the accounts|my travel expenses], [and lack the invoice|and need the bill for order {order_id}|can you send me the receipt for the {product}].
        [Something official|A piece of paper|A written statement|A document] [that shows what I paid|with the price and the tax|for my records], [please|would you send one|for order {order_id}].
        [Did you|Have you] [send|sent|issue|issued|mail|mailed] [the invoice|a bill|a receipt] [yet|already|with the parcel], [I have none|I cannot find it|mine is missing]?
        [Could you|Can you|Would you] [put|make|write] the [invoice|bill|receipt] [out to my company|in English|on my firm's name|in my wife's name|with our tax number]?
        [An itemised bill|A detailed invoice|A stamped receipt|A signed invoice|A pro forma invoice] [is required|is what I need|would be good|please][ for order {order_id}| for the {product}|].
        [Where|In which mail|In which folder|Under which menu] [is|do I find|did you put] [my invoice|the receipt|the bill] [for order {order_id}|for the {product}|for {amount}]?
        [No invoice|No bill|No receipt] [in my mail|in the box|came with it|to be found|in my account], [where is it|please mail me one|I need it for {amount}].
        [Please correct|Please amend|Could you amend|Could you fix] [the invoice|the bill|my receipt], [the name is wrong|the VAT is missing|it shows the old address|it lists the wrong amount].
        [To be reimbursed|To get it paid by my employer|To claim it|For the insurance|For customs], [I need the invoice|a receipt is required|I have to show a bill|please send the receipt].
        [The document|The paper|The PDF|The file] [with the tax|called invoice|with the bill] [cannot be opened|is blank|got deleted|is not attached], [please resend it|send me a new one|can you mail it again].
        [Every purchase|All purchases|My last three orders], [I need the receipts|please send all bills|can I get the invoices in one file].
        [May I ask for|I kindly ask for|I hereby request|I wish to request|Requesting] [an invoice|the bill|a copy of the bill|a receipt for {amount}][ for order {order_id}|].
        [How come|Why is it that] [I got no invoice|no bill was enclosed|there is no receipt|my invoice is not in my account][ for order {order_id}|]?
        [Do you|Will you|Does your shop] [send|issue|provide|make] [invoices by post|a bill automatically|paper receipts|receipts for gifts|e-invoices]?
        [The auditor|The landlord|The school|The treasurer|My client] [would like to see|wants|has asked for] [the bill|a receipt|the invoice for the {product}].
        """
    ),
    "payment_failed": wordings(
        """
        [My money is not wanted|You do not want my money|I would pay if I could]: [the card is declined|the payment keeps failing|the checkout refuses me].
        [The PIN|The one-time code|The 3-D check|The fingerprint|The bank app] [was right|was confirmed|went well], [but the payment broke off|then it said payment failed|and still the purchase was declined].
        [I filled in|I typed in|I entered] [all my card details|the card number|my bank details], [and it said declined|then an error came|and it just spins|but it says invalid].
        [It spins and spins|It loads for ever|The circle keeps turning|The page hangs] [when I pay|at the payment step|after I press pay], [nothing is paid|and then it times out|and the payment fails].
        [Insufficient funds|Card not supported|Do not honour|Error 402|Not authorised], [it says|says your page|I read], [but there is plenty on my card|when I try to pay|although the card is new].
        [What other|Which] [ways to pay|cards|means of payment|payment methods] [do you take|are there|can I use]? [Mine is refused|My card gets declined|The payment does not go through].
        [Order {order_id}|My basket|The {product}] [is waiting|is ready], [I just cannot pay|but paying is impossible|only the payment does not succeed].
        [I tried again|I tried later|I tried on my phone|I tried another browser|We tried with my wife's card], [the same error when paying|the payment was refused again|still declined|it would not take the money].
        [Why does|Why is|Why will] [the shop|your website|the checkout|the app] [not take|refusing|not accept|rejecting] [my credit card|my debit card|PayPal|my bank card]?
        [The amount|{amount}|The money] [was not taken|was never deducted|could not be debited|has not been collected], [the payment failed|it says the payment did not work|my order is unpaid].
        [I received|I got|There came] a mail that [my payment has failed|the payment was unsuccessful|my card could not be charged|the debit was returned][, why|, what do I do|, can I pay some other way].
        [Could you|Can you|Please] [unblock my payment|check my payment|retry the payment|try to charge my card again|send me a payment link], [the first attempt failed|it was declined|it did not go through].
        [Is|Are] [something wrong with your checkout|your payment servers down|there problems with card payments|payments broken today]? [I cannot get through|I get errors|Mine fails].
        [Apple Pay|Google Pay|The credit card|The instant transfer|Paying by phone] [does not respond|throws an error|gets rejected|is greyed out|fails each time] [at your till|in your shop|for order {order_id}|].
        [My card expired|I got a new card|My bank changed my card|My limit was reached], [now the payment for order {order_id} failed|so the payment bounced|and the payment was refused].
        """
    ),
    "double_charge": wordings(
        """
        [I see double|Am I seeing double|Is this a mistake]: [{amount} and again {amount}|two payments for order {order_id}|the {product} is on my bill twice].
        [You helped yourselves|Your system helped itself] [twice|two times] [to my money|from my account|to {amount}].
        [Once is enough|Once would have been enough|One time was agreed], [you charged me twice|why was {amount} taken two times|the card was debited twice].
        [I am out of pocket|I am short|I lost] {amount} [because of a double payment|as you billed twice|because it was taken two times].
        [The same amount|The identical sum|Exactly {amount}|The very same charge] [appears|shows up|is listed|was posted] [twice|two times|on two days|again] [on my statement|on my card|in my account].
        [First you charged|First you took|At first you debited] {amount} [on {date}|], [then again|and a day later the same|then the same sum once more].
        [I confirmed|I clicked|I tapped] [only once|a single time|just once], [still two charges came|but was billed twice|and two payments went off].
        [Please check|Can you check|Could you look at] [the payments|the charges|the bookings] [for order {order_id}|on my card], [I think I paid double|there is one too many|it has been booked twice].
        [My bank|My card company|My bank adviser] [says|confirms|tells me] [you debited twice|there are two charges from you|{amount} went out two times|that you have collected double].
        [Two lines|Two entries|Two items|Two identical amounts] [on my bank statement|in my online banking|on the card bill] [from your shop|for order {order_id}|of {amount} each].
        [Cancel|Undo|Correct|Remove|Take back] [the extra charge|the surplus payment|the second booking|the double debit][ of {amount}| for order {order_id}|].
        [For a single|For one|For only one] {product} [you have taken|I have paid|you collected] [two times {amount}|double|the price twice].
        [Was|Has] [my card|my account|order {order_id}] [really|by any chance|] [charged twice|billed two times|been debited double]?
        [The payment went through twice|It went through two times|The payment was duplicated|It got processed twice], [please fix that|{amount} each time|can one be returned].
        [Shipping|The deposit|The subscription|The fee] was [charged twice|billed two times|taken double|debited a second time][ in order {order_id}|].
        """
    ),
    "discount_code": wordings(
        """
        [I have got|I own|I still have|Here is] [a voucher|a coupon|a gift card|a discount code], {code}, [how can I spend it|what can I use it for|can it be used for the {product}|does it still count].
        [Where|At what point|When] [does one|do you|am I supposed to|should I] [type in|put|enter|mention] {code}?
        [My discount|The price cut|The promised reduction|The bonus|The rebate] [with|under|from] {code} [has vanished|was forgotten|is not on the bill|did not come off|never showed up].
        [Minus|Less] [ten|twenty|fifteen] percent [was promised|was announced|should apply] with {code}, [I see no difference|the price is unchanged|not in my basket].
        [I missed the chance|I overlooked the box|I pressed buy too soon], [can you still apply {code}|please count {code} afterwards|can {code} be added to order {order_id}].
        [Is {code}|Can {code} be] [limited|restricted|tied] to [new customers|certain articles|one use|a minimum order]?
        [The minimum order|The small print|The terms|The conditions] for {code}, [what are they|I do not understand them|why am I excluded|where do I find them]?
        [From|Through|Via] [an influencer|a magazine|the radio|your app|a leaflet] I [have|know|got] [the code|the promo code|a coupon:] {code}[, it is not recognised|, is it genuine|, how does it work].
        [Invalid|Expired|Not recognised|Already used|Unknown code], [says your page|it says|I am told], [about {code}|when I type {code}|for the voucher {code}].
        [Why does {code} not work|Why is {code} rejected|How come {code} was not deducted|How come I get nothing off with {code}|Why is the voucher {code} worth nothing]?
        [I want to give|Can I give|May I pass on] [my voucher|the gift card|the coupon] {code} [to a friend|to someone else|to my sister]?
        [There is|I still have|How much is] [a balance|some money|credit|left] on [the gift card|the voucher|my gift card] {code}, [can I use the rest|what is left|how do I check it]?
        [Your mail|The banner|The app|The poster] [says|advertises|promises] [save with {code}|{code} for less|the coupon {code}], [it does not do anything|yet I pay the full price|it has no effect].
        [Kindly|Please] [validate|activate|renew|extend|unlock|confirm] [the code|my coupon|the voucher] {code}.
        [I am trying|I have been trying|We tried] to [use|redeem|spend|enter|cash in] [{code}|the voucher {code}|the gift code {code}], [in vain|it refuses|nothing is taken off|without luck].
        [The letters|The digits|One letter] [in|of] [my voucher|the coupon|the code on the card] [are unreadable|is smudged|cannot be read], [it could be {code}|is it {code}|something like {code}].
        [Loyalty points|Student discount|Staff discount|Welcome bonus|Black Friday], [the code is {code}|I was given {code}|{code}], [it will not apply|is not taken into account|how do I claim it].
        [Can|Could] I [use|apply|combine|stack] {code} [with the sale|with free shipping|on the {product}|twice|together with another voucher]?
        """
    ),
    "price_question": wordings(
        """
        [What would|What does|What will] [a {product}|the {product}|one of your {product}s] [set me back|run me|come to|amount to|go for]?
        [Is|Was] the {product} [really|truly|] [that dear|that cheap|so expensive|so pricey|such a bargain], [what does it cost now|what is the price today|how much exactly]?
        [How much dearer|How much cheaper|How much more|How much less] [is the {product} than the {other_product}|would {quantity} of the {product} be|is the larger {product}]?
        [I saw|We saw|My friend saw] the {product} for {amount}, [is that still the price|does that hold|is it the same today|would you match that].
        [Any|Are there any|Do you plan any] [sales|offers|bargains|special offers|reductions|deals] [on the {product}|for the {product}|this month][, and what would it cost|, how much then|]?
        [Does that|Does the price of the {product}|Does the price] [include|cover|contain] [tax|delivery|installation|batteries|shipping], [and how much is it|or what is extra|what do I pay in all]?
        [A ballpark figure|A rough price|A rough idea of the cost|Roughly what], please, [for the {product}|for {quantity} of the {product}|for a {product}].
        [I am comparing prices|I am shopping around|I compare offers], [how much is your {product}|what do you ask for the {product}|your price for the {product}, please].
        [The price|The figure|The amount] [on your site|in the catalogue|in the shop window] [is different from the one in my mail|has no tax|is crossed out], [what does the {product} cost|which one is right for the {product}].
        [Do companies|Do pensioners|Do schools|Do members|Do students] [pay less|get a better price|get special rates] [for the {product}|on {quantity} pieces]?
        [How much do you take|How much do you charge|What is your fee|What are the charges] for [delivery to {city}|express shipping|setting up the {product}|gift wrapping|assembling the {product}]?
        [Would you come down|Can you come down|Can we talk|Could you do something] [in price|about the price|on the price] of the {product}?
        [I am on a budget|Money is tight|I have to save], [what is the cheapest {product}|how much is the {product}|what is the lowest price for the {product}].
        [Price per piece|Cost per unit|Unit price|Total price|List price|Price] [of|for] [the {product}|{quantity} of the {product}], please.
        [Does a {product}|Would the {product}|Does the {product}] cost [more than {amount}|under {amount}|over {amount}|about {amount}]?
        """
    ),
    "stock_question": wordings(
        """
        [Got|Have you got] [any {product}s|a {product}|the {product}] [left|in|there|at the shop in {city}|for immediate delivery]?
        [Is it worth|Does it make sense] [coming to|driving to|a trip to] [your shop in {city}|{city}] for [a {product}|the {product}], [do you have it|is it there|or are you out of it]?
        [Your shelves|The racks|The boxes] [were empty|had no {product}], [when do you refill|are you expecting more|will there be any {product} soon].
        [I have had my eye on|I would love to have|I want to buy] [a {product}|the {product}], [but it is sold out|is it obtainable|can one still get it|is it to be had anywhere].
        [Does|Do] [your branch|the shop|the branch in {city}|any of your shops] [still have|keep|offer|hold] [a {product}|the {product}|{quantity} of the {product}]?
        [Have you stopped|Did you stop|Are you going to stop|Why did you stop] [making|selling|stocking|offering] the {product}?
        [Pre-order|A pre-order|Advance order] for the {product}, [is that possible|from when|can I|how, if it is not out yet]?
        [When does|When will|On which date does] the [new|next|latest] {product} [come out|hit the shops|reach the shops|go on sale|appear]?
        [Which|What] [sizes|colours|versions|models] of the {product} [do you have|are in stock|are there|can be had|are available] [now|in {city}|at the moment|]?
        [Supply|Availability|Stock level|Stock] of the {product}[ in {city}|]: [how many|enough for {quantity}|please tell me|any left]?
        [If I order|If I buy] the {product} [today|now], [is it there|is it in the warehouse|do you have it on hand|can it go out at once because it is in stock]?
        [Somebody|A friend|My colleague] [told me|said] [you have the {product} again|the {product} is back|you ran out of the {product}], [is that so|is it true|can you confirm].
        [I need|We need|Our club needs] {quantity} [of the {product}|pieces of the {product}], [is that number available|have you got that many|do you keep that many].
        [Please put|Could you put|Can you put] [one|a {product}|{quantity} of the {product}] [to one side|aside for me|on hold|under the counter], [if there is still one|should you have it|in case it is available].
        [All gone|None left|Nothing left|Gone already]? [I wanted the {product}|When is the {product} back|Will the {product} be restocked]?
        [My size|Size 42|The blue one|The large one] of the {product} [is greyed out|cannot be chosen|is missing in the list], [is it sold out|does it come back|do you have it somewhere].
        """
    ),
    "warranty_claim": wordings(
        """
        [I still have|I have|There is] [a year|eight months|some time|six months] of [warranty|guarantee] [left|to go|remaining] on [the {product}|my {product}], [how do I use it|please repair it|so fix it for free].
        [Who pays|Who bears the cost|Do I have to pay] [for the repair|when the {product} needs a new part|if the {product} breaks], [is it under warranty|or does the guarantee|is that not covered by guarantee]?
        [The {product} is|My {product} is] [thirteen months|not even a year|a year and a half|two and a half years] old, [is there still a guarantee|does it still have warranty|is it covered].
        [What proof|Which papers|Which documents|What] do I [need|have to show|have to send] [for the guarantee|to make a claim under the warranty|for a warranty repair of the {product}]?
        [Covered|Not covered|Is it covered]? [The {product} broke after ten months|My {product} has a defect within the guarantee|What does the warranty of the {product} say].
        [I would like to|I want to|May I|Let me] [make a claim|report a warranty case|hand in a claim|open a claim] [under the guarantee|for my {product} under warranty|on the warranty of the {product}].
        [Will I lose|Do I lose|Does it affect] [my warranty|the guarantee|warranty protection] if I [open the {product}|repair the {product} myself|use other parts|sell the {product}]?
        [Is the warranty|Is the guarantee|Are the warranty rights] [transferable|valid abroad|international|valid without the receipt|tied to registration][ for the {product}|]?
        [Under|According to|As promised in] [the warranty terms|the guarantee|the five-year guarantee|your warranty conditions] [you must replace|you should mend|I can have you replace] the {product}.
        [I never got|There was no|Where do I find] [the warranty card|a guarantee slip|the guarantee conditions|the warranty terms] [for|of] the {product}?
        [My|The] [warranty|guarantee] [request|claim|case|ticket] [for the {product}|number {order_id}|] [is being ignored|has not been answered|is still open|was closed without a repair].
        [Repair or replacement|A new one or a repair|Fixed or exchanged], [as the warranty provides|under guarantee|on warranty], [for the {product}|what am I entitled to|please decide].
        [You give|You advertise|The box says] [lifetime|three years of|five years of|a long] [guarantee|warranty], [mine broke in year two|so I expect a repair of the {product}|how do I make use of it].
        [Send the {product} to you|Bring the {product} to the shop|Send the {product} to the maker], [what is right for a warranty case|how does the guarantee work|where do warranty repairs go]?
        [The guarantee|The warranty] [ran out|ended|expired] [last week|two days ago|on {date}], [can you be generous|is there any goodwill|would you still cover the {product}].
        """
    ),
    "account_locked": wordings(
        """
        [I cannot|I can't|I could not|We cannot] [get past the login|get any further than the login|open my account|see my orders], [it says I am blocked|the account has been locked|since you suspended me|a message says locked].
        [Your page|The login page|The app|The website] [throws me out|keeps me out|turns me away|shuts me out|will not let me in], [account locked|it says suspended|saying my account is blocked].
        [Somebody|Someone|My son|My colleague] [guessed my password wrong|tried too many passwords|entered the wrong code], [and the account is locked now|so you blocked me|now nobody gets in].
        [Have I|Did I|Was I] [been banned|been blocked|been kicked out|get suspended|done something wrong]? [I cannot log in|My account is closed to me|It says no access].
        [What have I done|What did I do|What is the reason], [that my account is locked|that you lock me out|that I am suspended|why is {email} blocked]?
        [Your robot|A filter|The fraud department|An automatic check|Some algorithm] [blocked me|locked my account|flagged my account|put a hold on {email}], [please undo it|I am a real customer|set it free].
        [Please make|Make] my account [work again|accessible again|usable again|open again], [it is locked|you suspended it|it has been blocked since {date}].
        [Temporarily|Permanently|Suddenly|Wrongly|Unfairly] [locked|suspended|blocked|banned|disabled][, my account {email}|, that is what I read|: my profile], [please check|what now|help].
        [I need|I have to get] [into my account|access to my account|in] [urgently|today|to see my orders], [but it is blocked|it is locked|and it is suspended, please unlock it].
        [The unlock mail|The mail to unlock my account|The link for unlocking|The code to unblock me] [never came|does not work|has expired|did not arrive].
        [I was on holiday|I was abroad|I logged in from abroad|I used a VPN|I used a new phone] [and now|, so] [my account is blocked|you locked me out|I am suspended].
        [My customer account|Account {customer_id}|The account with {email}] [shows a padlock|is greyed out|says inactive|says deactivated|has been put to sleep], [how do I open it|please reactivate it|can you wake it up].
        [No access|No entry|No login possible|No way in]: [my account is suspended|the account {email} is blocked|I have been locked out].
        [Whom do I call|Who can help|Who is responsible|Where do I report], [when my account is locked|to get my account unblocked|since my profile is blocked]?
        [Verification|The identity check|Proof of identity] [was sent|is done|took place] [on {date}|last week], [my account is still locked|why is the account not released|when will you unblock me].
        [How many attempts|How many tries|How many wrong logins] [until I am locked|before you block an account|do I have]? [Mine is locked now|It locked me out|I am blocked].
        [Give me|I want|Please give me] [back my account|access again|my access back|my login back], [it was locked|the block is a mistake|you had no reason to suspend it].
        """
    ),
    "password_reset": wordings(
        """
        [My mind is blank|I have drawn a blank|I am getting old|I am forgetful], [the password is gone|I do not know my password|I need a new password].
        [I have tried|I tried] [ten passwords|all my passwords|every password I know|the usual ones], [none is right|none works, I need a reset|it must be another, please send a reset link].
        [Caps lock was on|I have too many passwords|I changed it last week and forgot it|I use a different one everywhere], [please reset mine|how can I get a new password|what is the way to a new one].
        [The forgotten password page|The reset form|The reset page|The password form] [shows an error|does not send anything|does not know {email}|keeps loading].
        [Nothing arrives|No mail comes|I get no mail] when I [ask for a new password|request a reset|click on forgot password|try to reset the password].
        [Could you|Can you|Would you please] [assign|generate|create|issue|text] [me|] [a new password|a fresh password|a one-time password|a temporary login password]?
        [Sign-in details|Login data|Credentials|Login details] [forgotten|lost|gone], [I need a new password|please reset|how do I renew the password].
        [I share|I told someone|My brother knows|I typed in public] my password[,|] [and want to change it|so I want a new one|how do I change it].
        [How often must I change my password|How long must the new password be|What characters may a password have|How long does a new password stay valid]?
        [The new password|The temporary password|The password you mailed|The code for the reset] [does not work either|is refused|is wrong too|ran out].
        [Which|What] [mail address|number] [does the reset link go to|is the new password sent to]? [I see none|I forgot the password for {email}|Nothing came].
        [The hint|The security question|My mother's maiden name|The name of my first pet] [does not help|is wrong, it says|is not accepted], [how else can I reset the password|I still need my password].
        [I would like|I want|I need] [to be sent|to get|to receive] [the reset instructions|a link for my password|a code to set my password anew].
        [Password|The password]: [forgotten|lost|change it how|please reset|gone, {email}].
        [Once more|Again|For the third time] I [have forgotten|forgot|mislaid] [my password|the password for your shop][, sorry|, please help|, send me a link].
        """
    ),
    "delete_account": wordings(
        """
        [I want nothing more to do with you|We are done|It is over between us|I am leaving you], [delete my account|close the account|wipe my data|remove my profile].
        [Take down|Shut down|Switch off|Tear down|Do away with] [my account|my profile|the account {email}|my page][, please| for ever|].
        [I would like|I want|I wish] [to vanish|to disappear|to be removed|to be gone] from your [system|records|customer files|database][, delete it all|, close my account|].
        [The account|My account|The profile {email}] [should be|must be|has to be|is to be] [deleted|closed|removed|wiped|terminated][ by {date}| at once| for good|].
        [Privacy|Safety|Peace of mind] [matters to me|is important], [please erase my profile|so delete my account|I want all data about me removed].
        [You were hacked|There was a data leak|I read about your data breach], [delete my account|I want my data gone|close my account, please].
        [How quickly|When|How soon] [do you delete an account|will you delete my account|is my account deleted|are my data erased|is my profile gone]?
        [Am I allowed|Am I able|Is it possible|What must I do] to [delete my account|close my account for ever|have my profile erased|have my data removed]?
        [I only ordered once|I was just a guest|I signed up to look around|I needed it for one purchase], [please remove the account|delete my registration|close {email}].
        [Deleting|Closing|Removing|Erasing] my [account|profile|data] [does not work|is not possible on your page|gives an error|is too complicated], [please do it for me|can you do it|do it by hand].
        [My account {email}|Customer {customer_id}|The profile {customer_id}]: [please delete|close for good|erase everything|to be closed].
        [I have stopped|I quit|I gave up] [shopping online|buying from you|using your app], [the account can be deleted|my account is not needed|please close it].
        [Under article 17|As the law says|With reference to data protection], [erase my personal data|I ask for deletion|I request that my account be deleted].
        [What data|Which data|How much] do you [keep|still hold|have on file] [about me|after I close my account]? [Delete all|I want my account removed|Please erase it].
        [I asked for it|I wrote|I called] [in {date}|weeks ago|twice], [why does my account still exist|my profile is still there, delete it|you still have not deleted my account].
        """
    ),
    "change_email": wordings(
        """
        [Could you|Can you|Would you] [put down|enter|register|set|save] {email} [as the e-mail for my account|as my main e-mail|for me|as my login e-mail]?
        [I can no longer open|I have lost access to|I no longer read|I do not check] [my old mailbox|the old e-mail account|the mail address you have], [use {email}|please change it to {email}|new e-mail: {email}].
        [Where I used to have another e-mail|Instead of my work e-mail|Rather than my old e-mail] [I now have|please put|take] {email}.
        [You are writing to|You send everything to|Your mails go to] [the wrong inbox|an old e-mail|my ex-husband's mail|a dead mailbox], [the right e-mail is {email}|I use {email}|make it {email}].
        [My mail address|My email|The e-mail] [reads|is spelt|is written|ends in another way, it is] {email}[, not as you have it|, please correct my account|, there was a typo].
        [Log-in|Login|Sign-in] [e-mail|email|by e-mail] [must change|should change|needs changing] to {email}.
        [I got|I have got|I opened|I created] [a new inbox|a fresh mail account|a proper e-mail], {email}, [please use that|for my customer account|change it in my profile].
        [The confirmation|The invoice mail|Your last message] went to [the wrong e-mail|my old mail address], [please correct it to {email}|my email is {email}|from now on {email}].
        [Contact details|My contact data|My details|Personal data] have changed: [the e-mail is {email}|new e-mail {email}|write to {email}].
        [Make|Please make] {email} [the e-mail of my account|my primary e-mail|the address you write to|my new login][, the other one is closed|].
        [In your records|In the system|On my profile] [change the e-mail|replace the e-mail|the e-mail should be changed] to {email}[, customer {customer_id}|].
        [My surname has changed|I changed my name|Our domain changed|Our firm has a new name], [so has my e-mail, now {email}|the e-mail is {email} now|please note {email}].
        [Am I able|How is one able|Is it allowed] to [use another e-mail|change the e-mail|have a different email] [for the same account|in my account]? [It would be {email}|I want {email}].
        [Please do not write to|Stop writing to|Nobody reads] my old e-mail[,|] [write to {email}|use {email} from now on|the new one is {email}].
        [Replace|Exchange|Swap out|Overwrite] the [old|current|wrong] e-mail [with|by] {email}[ in account {customer_id}|, please|].
        """
    ),
    "unsubscribe": wordings(
        """
        [Your mails|These mails|Your messages|Your circulars|Those weekly letters] [annoy me|get on my nerves|go straight to the bin|are a nuisance|clog my inbox], [no more of them|please leave me off|make it stop].
        [How do I|How can I|Where can I|Who can] [turn off|switch off|get rid of|disable|mute|shut off] [your marketing mails|the newsletter|push messages|promotional texts|the weekly offers]?
        [I never|I did not|Who said I] [ordered|signed up for|subscribed to|agreed to|asked for] [a newsletter|your newsletter|your advertising|these promotions][, stop it|, remove me|, take me off].
        [Get|Keep|Leave|Have] me [off your mailing list|out of your mailings|off the newsletter|off the distribution list][, please|, thank you|].
        [I am drowning in|I am swamped with|I am sick and tired of|I have had it with] [your newsletters|your advertising|your offers|promotional mail], [unsubscribe me|take me off|please stop].
        [I clicked|I have clicked|I pressed] [unsubscribe|the unsubscribe link|sign off] [three times|again and again|last week|every time], [still the mails come|but nothing changes|and I still get the newsletter].
        [I would like|I want|I wish] to [receive|hear|read|get] [no more offers|nothing more about your sales|no more marketing from you|no further newsletters].
        [Another|Yet another|One more] [newsletter|promotion|ad|mail about a sale|special offer] [today|in my inbox|this morning], [I want out|I have had enough|please sign me off].
        [You write|You mail me|You send something] [too often|every single day|three times a day|all the time], [please cancel the newsletter|drop me from the list|no more promotions].
        [Mark|Please mark|Put] [me|{email}|my account] as [not wanting advertising|no newsletter|opted out|unsubscribed].
        [I want to keep my account|I still want to shop|My account can stay], [only without the newsletter|but stop the ads|just no promotional mails].
        [My subscription|The subscription|The sign-up] to [the newsletter|your mailings|the daily offers] [should end|can be cancelled|must be stopped|is to be removed].
        [To whom it may concern|Hello marketing|Dear newsletter team], [take {email} off your list|stop mailing me|I unsubscribe].
        [Not interested|No interest|No longer interested] in [your mails|your promotions|the newsletter|your weekly news][, remove me|, stop sending them|, sign me off].
        [Do I have to|Must I|Should I] [write to a lawyer|block you|report spam] before you [stop the newsletter|take me off the list|end the advertising]?
        [Unsubscribing|Signing off|Opting out] [does not work|is impossible|leads to an error|fails][, take me off by hand|, the newsletter keeps coming|].
        [The catalogue|Your paper catalogue|Your brochure|The flyers] [need not come any more|should no longer be mailed|go unread], [take me off the mailing list|no more advertising|please stop].
        [Permission|Consent] to [mail me|advertise|send me news] [is withdrawn|is hereby revoked|was never given].
        """
    ),
    "complaint": wordings(
        """
        [I was on hold for an hour|I called five times|I was passed around|I had to explain it six times], [nobody could help|and then the line was cut|and was treated like a nuisance], [I am not happy|that is poor|what a service].
        [What kind of|What sort of] [customer service|shop|company|behaviour|support] is [this|that]? [{staff} was so rude|I was laughed at|Nobody listens|I feel cheated].
        [{staff}|Your colleague|The agent|The assistant] [had no clue|could not care less|was bored|kept interrupting me|spoke to me like a child|refused to give a name|was sarcastic|raised his voice].
        [I feel|I felt|We felt] [ignored|insulted|humiliated|not taken seriously|treated unfairly|fooled|let down] [by {staff}|by your staff|by your company|in your shop in {city}].
        [I am writing|I write|I contact you] to [express my dissatisfaction|tell you how bad it was|let you know that I am unhappy|complain] [about {staff}|about the way I was spoken to|with your service].
        [Is that|Is this] how you [treat your customers|speak to people|train your staff|deal with complaints]? [Unbelievable|I am outraged|{staff} was insulting|Disgraceful].
        [Your employees|The people in {city}|The ladies at the till|Your staff] [chatted and ignored me|were on their phones|could not answer a simple question|sent me from one to another|were grumpy].
        [The answer|The reply|The mail] [I got|from {staff}|from your support] was [rude|useless|a copied text|cold and arrogant|no help at all].
        [Zero|No|Not a bit of] [help|respect|politeness|understanding|interest] [from your side|from {staff}|at the counter|on the hotline], [I complain|so disappointing|I expect better].
        [Your delivery man|The courier|The driver] [parked on my flowers|would not ring|was shouting|threw my parcel over the fence|slammed the gate|called me stupid], [I want to complain about him|this behaviour is not okay|I am outraged].
        [I regret|I am sorry|It makes me sad] to say that [your service is poor|{staff} was unfriendly|I was treated badly|I am disappointed with your company].
        [Somebody|Someone|Your manager|The boss] should [have a word with {staff}|hear about this|know how rude {staff} was|look into how customers are treated].
        [Worst|Poorest|Rudest|Slowest] [service|hotline|experience|treatment] [of my life|I have had|imaginable], [{staff} hung up|no one cares|a disgrace].
        [I will leave a bad review|I will tell everyone|I will go to the press|I shall post this online], [{staff} treated me like dirt|your service is that bad|no one apologised].
        [You lost|You have lost|You are about to lose] [a customer|me as a customer|my trust|a loyal customer], [because of {staff}|with this treatment|because of your rude people].
        [The chat|The chatbot|The phone menu|Your hotline] [is a joke|drives me mad|led me in circles|never lets me talk to a human], [that is no service|I am frustrated|I want to complain].
        [I want|I demand|I expect|I would like] [my complaint to be recorded|a statement from {staff}|somebody to apologise|consequences for {staff}].
        [Promises, promises|Nothing but excuses|Only excuses|Always the same excuses], [nobody does anything|I am really angry|your service is a disappointment].
        """
    ),
    "praise": wordings(
        """
        [I ordered on {date}|I ordered in the evening|I ordered late at night] and [it was here the next morning|got it the very next day|the parcel came in a day], [amazing|thank you|I am impressed|great service].
        [My refund|The exchange|The return|The repair|The replacement] [was quick|went without a hitch|took only a day|was so easy|was no problem at all], [thank you|great service|{staff} was wonderful|well done].
        [{staff}|Your colleague {staff}|The technician|The lady on the phone|The young man in {city}] [is a treasure|was an angel|deserves a medal|knew everything|sorted it out in two minutes|could not have been nicer|was so patient with me].
        [I had a problem|I had a question|I made a mistake|There was a mix-up], [{staff} fixed it at once|and it was solved in minutes|but you put it right so nicely|and your help was wonderful].
        [The {product}|My new {product}|This {product}] [makes my day|is a joy|is so soft|looks even better than in the picture|is worth the money|does its job perfectly|is a little miracle|is the best I have had].
        [No complaints|Nothing to complain about|No criticism|I have nothing bad to say], [only praise|everything was wonderful|the {product} is great|I am satisfied].
        [I did not expect|I had not expected|I would never have thought] [such quality|such friendly help|so fast a delivery|so much service], [chapeau|thank you|I am really pleased].
        [Happy|A happy|One happy|Another happy] customer [here|speaking|in {city}|], [thank you|the {product} is lovely|you do great work|all the best].
        [This is|Just] [no question|not a complaint|no complaint], [I only wanted to say well done|just a thank you|just to say that {staff} was great|I simply want to praise you].
        [The packaging was lovely|So nicely packed|Carefully wrapped|What a beautiful box], [the {product} is perfect|thank you to whoever packed it|I was so glad].
        [Finally|At last] [a shop that cares|a shop one can trust|someone who listens|a {product} that works], [I am delighted|thank you|you have earned five stars].
        [You made|The {product} made|{staff} made|You have made] [my mother very happy|me smile|our wedding perfect|my day|a child very happy][, thank you so much|, thanks|].
        [I shop here|We shop here|I have been a customer] [for years|since the beginning|again and again], [never disappointed|always good|you never let me down|and it is always a pleasure].
        [Please pass|Please hand|Kindly pass|Would you pass] [my thanks|this compliment|a thank you|my best wishes] [on to {staff}|to {staff}|to the team|to the driver], [so friendly|that was great help|very kind].
        [Fast|Quick|Speedy|Smooth|Easy|Reliable|Honest] [delivery|help|answer|service|shipping|ordering], [friendly people|good quality|lovely {product}|fair price], [thank you|perfect|top|gladly again].
        [We appreciate|I appreciate|I am thankful for|I am touched by] [the handwritten card|the little gift in the box|your honesty|how kind {staff} was|the extra effort|your patience].
        [I take my hat off|Respect|Compliments|Kudos|Thumbs up] to [you|{staff}|your team|the driver|your service], [what a good shop|the {product} is excellent|that was really quick|].
        [Even the|Also the] [delivery man|driver|hotline|packaging] was [great|so friendly|first class|lovely], [I recommend you|thanks|all perfect].
        [My old {product} lasted ten years|I bought my third {product} from you|It is my second {product}], [always satisfied|such quality|I love it|I am a fan].
        [Everyone|Everybody|Whoever sees it|My guests] [admires|compliments me on|praises|is in love with|envies me for] [the {product}|my {product}][, thank you|].
        [Better|Faster|Friendlier|More beautiful] than [I expected|I dared hope|I thought|anywhere else], [the {product} is super|thank you|your service is great|I am happy].
        """
    ),
    "delivery_schedule": wordings(
        """
        [I would like|I want|I need|It would suit me] [to receive|to get|to have] [the {product}|order {order_id}|the parcel] [on {delivery_date}|only on {delivery_date}|not before {delivery_date}|exactly on {delivery_date}][, after {time}|, around {time}|].
        [My shift|My work|The school run|My appointment] [ends at {time}|keeps me away till {time}], [so deliver after that on {delivery_date}|can the driver come later on {delivery_date}|{delivery_date} in the evening would be good].
        [Which day|What day|At what time|What time] [will you come|will the driver come|is the delivery planned|do you bring the {product}]? [{delivery_date} would be best|I can do {delivery_date}|I would like {delivery_date}].
        [Could we|Can we|Shall we|May we] [say|agree on|settle for|make it|move it to] {delivery_date}[ at {time}| after {time}|] [for the delivery|for bringing the {product}|for order {order_id}]?
        [Our holiday|My trip|The renovation|The move] [lasts|goes on|takes] until {delivery_date}, [keep the parcel till then|do not deliver earlier|deliver the {product} after that].
        [It is a surprise|It is a birthday gift|The {product} is for a birthday], [so bring it on {delivery_date}|it must come on {delivery_date}, not earlier|deliver exactly on {delivery_date}].
        [Please put off|Put off|Defer|Please defer|Hold back|Push back] [the delivery|order {order_id}|the shipment|my parcel] [till|until|to] {delivery_date}.
        [Earlier would be better|Sooner would be nice|Not so soon], [is {delivery_date} possible for the delivery|can you deliver on {delivery_date}|could it be {delivery_date}]?
        [The proposed|The suggested|The planned|Your] [day|date|slot|window] [is no good|does not work|is bad|is impossible for me], [{delivery_date} is better|can it be {delivery_date}|please come on {delivery_date}].
        [On weekdays|In the mornings|At noon|During office hours|Before {time}] [nobody is here|nobody opens|the gate is shut|I am out], [please deliver on {delivery_date}|could you come on {delivery_date}|take {delivery_date}].
        [I have taken|I took] [{delivery_date}|the day] off [for|to receive] [the delivery|the {product}|your driver], [please be here then|come on that day|make sure it is {delivery_date}].
        [The driver|The courier|The delivery men] [need not come|should not come|must not come] [on {date}|before {delivery_date}|tomorrow], [but on {delivery_date}|deliver on {delivery_date}|{delivery_date} is fine].
        [A slot|A time|A window|An appointment|A date] [on {delivery_date}|between {time} and the evening on {delivery_date}|for {delivery_date}] [for delivering the {product}|for my delivery|to bring order {order_id}], please.
        [Do you|Can you|Will you] [come|deliver|drive out] [on Sundays|at night|after work|so early], [I would like {delivery_date}|say on {delivery_date} at {time}|for example {delivery_date}]?
        [Weather permitting|If it can be done|If you can|If the driver is free], [deliver order {order_id} on {delivery_date}|please bring the {product} on {delivery_date}|come {delivery_date} at {time}].
        """
    ),
}
