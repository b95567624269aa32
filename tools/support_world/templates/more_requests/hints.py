# ruff: noqa: E501 - a template stays on one line
"""Still more ways to say each intent: by a hint, or with words of other intents that are not what the customer wants."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["HINTS"]

HINTS = {
    "order_status": wordings(
        """
        [I do not want to cancel|It is not late yet|No hurry|Nothing is wrong], I [only want to know|would just like to know|am only curious] [where order {order_id} is|how far the {product} has come|whether it has been sent].
        [My account does not show|I deleted the mail with|I lost] the tracking [number|link|code], [can you send it|where is my parcel|what is the state of order {order_id}].
        [Has the money arrived|Did my transfer reach you|Was my payment received], and [is order {order_id} being prepared now|has the {product} been shipped|when does it go out]?
        [Should I be worried|Do I need to do anything|Is something the matter]? [Order {order_id} still says pending|The status has not changed|I have no shipping mail for the {product}].
        [Is the {product} still coming|Will the {product} be shipped this week|When does the {product} leave your warehouse|How soon does order {order_id} go out]?
        [I am calling|I am asking|I write|I am getting in touch] [about the whereabouts of|to hear about|because of|concerning|to enquire about] [order {order_id}|my order|my {product}], [what can you tell me|how does it look|any progress].
        [Give me a hint|Throw me a bone|Put me in the picture|Bring me up to date], [where is my order|how is order {order_id} doing|has the {product} gone out].
        [Could you confirm|Can you confirm|Please confirm] [receipt of my order|that order {order_id} is being handled|that you got my order|that the {product} has left].
        [The last I heard|The last message|The latest entry] was [from {date}|that it was packed|that it left the sorting centre], [what has happened since|where is it now|is order {order_id} on its way].
        [By which date|By when] will [order {order_id}|my {product}] [be ready|be sent off|be packed|leave your house|be processed]?
        [Who has|Who is holding|Which company has] my [parcel|order|{product}] [now|at the moment], [the post or you|and where|and how can I follow it]?
        [Estimated arrival|Expected delivery|ETA] [of|for] [order {order_id}|my {product}|my parcel], please[?|.]
        [Is it on a truck|Is it on a ship|Is it in the air|Is it still with you], [my {product}|order {order_id}|the parcel with the {product}]?
        [My wife|My boss|My client|A customer of mine] [keeps asking|wants to know|would like to know] [where the {product} is|how order {order_id} stands|whether the order went out].
        I [see|read|notice] ["shipped"|"label printed"|"on hold"|"partly sent"] [on my order|in my account|for order {order_id}], [what is the real status|where is it|so is it on the way].
        [All I ask|All I want|My only question] is [where my order is|the state of order {order_id}|whether the {product} is on the road].
        """
    ),
    "late_delivery": wordings(
        """
        [I do not want another day|I do not want to change the date|No new date, please], [I want the {product} that was due on {date}|where is the parcel that should be here|just bring what is overdue].
        [The {product} is not damaged, it is just not here|Nothing is wrong with the order except that it does not come|It is not lost, you say, but I have not got it], [and it was due on {date}|after three weeks|long after the date].
        [Snail mail|The slow boat|A pigeon|A donkey] would [be faster|have been here by now], [where is my {product}|order {order_id} is two weeks late|I am still waiting].
        [Christmas|The birthday|Our anniversary|The exam|My trip] [is over|has passed|was yesterday], [the {product} is still not here|and the present has not come|order {order_id} did not come in time].
        [Can I still count on|Should I still expect|Do I still get|Will I ever see] [my parcel|the {product}|order {order_id}]? It [was due on {date}|is so late|should be here since last week].
        [I paid extra|I paid for express|We paid for fast shipping|It was urgent], [where is the speed|and it takes longer than normal mail|what took so long|order {order_id} has still not come].
        [My parcel has been|Order {order_id} has been|The {product} has been] [in transit|on the way|underway|out for delivery] [for twelve days|since {date}|for weeks], [that is too long|when does it arrive|it should not take that long].
        [The courier|The driver|Your carrier] [has postponed again|missed me three times|says tomorrow every day|never shows up|claims nobody was home], [I still have no {product}|the parcel is overdue|it is a week late].
        [Excuses aside|No more excuses|Spare me the apology], [when does order {order_id} come|why is the {product} late|where is the parcel you promised for {date}].
        [I cancelled my plans|I sat at home|My mother waited|We stayed in] [on {date}|all day|the whole afternoon], [no delivery came|but you did not deliver|nobody brought the {product}].
        [Delayed|Behind time|Not on time|Past due|Beyond the promised date]: [order {order_id}|my {product}|the delivery of {date}].
        [How can|Why does] [a simple parcel|a delivery|sending a {product}] [take a month|take this long|need so many weeks]?
        [By now|Meanwhile|By this time] [I should have had the {product}|order {order_id} should be here|the parcel ought to be in my hands], [it was promised for {date}|but nothing|and I hear only excuses].
        [Do something|Please push|Please press the courier|Get moving], [my delivery is late|order {order_id} is already a week over|I need the {product} that was due on {date}].
        [It is {date}|Today is {date}|It is Friday][ and|,] [order {order_id} is not here|there is no {product}|the promised parcel has not shown up].
        [Have you forgotten me|Am I forgotten|Did you forget about me]? [The {product} was due long ago|I am waiting for order {order_id} since {date}|It is two weeks past the date].
        [What is the use of|What good is] [a delivery date|a promise|tracking] [if nobody keeps it|when the parcel does not come|if the {product} comes a week late]?
        [As late as this|This late|So late], I [hardly need the {product} any more|have never had a parcel|begin to doubt that it comes], [where is it|when will it get here|order {order_id} is overdue].
        """
    ),
    "missing_item": wordings(
        """
        [The parcel was on time|It came quickly|Nothing is broken|What came is fine], but [the {product} is not in it|one thing is lacking|you left out the {product}|it is not complete].
        [I do not want my money back|It is not the wrong article|I got the right things], [only one of them is missing|the {product} was not with them|just send the one that you forgot].
        [Ten plates|Six chairs|Four bulbs|Eight cups] [were ordered|are on the bill|I paid for], [I have nine|five are here|three were in the box|there is one too few].
        [A quick count|Counting again|After counting], [one is missing|I am one short|the {product} is not there|there are fewer than there should be].
        [How am I to|How shall I|How can I] [use|build|set up|charge] the {product} without [the cable|the screws|the remote|the battery|the second half]? [It was not in the box|You did not pack it].
        [The {product} on its own|The {product} alone|Just the {product}] [is not what was in the offer|was sent], [the case that goes with it is not here|the extra {other_product} is missing|the {other_product} was left out].
        [Tick, tick, no tick|On my list one line is open|Checked against the invoice]: [the {product} is not in the parcel|no {product}|the {product} was not sent along].
        [My son's|My wife's|Our] [part of the order|present|half of order {order_id}] [was not packed|is missing|was not in the box|did not come with mine].
        [I have a receipt for|I was charged for|My bill has] [a {product}|two {product}s|a {product} and a {other_product}], [I only see one|but the {product} is nowhere in the box|only the {other_product} is here].
        [Please check|Look in|Would you look in] [your warehouse|your shelves|the packing room], [the {product} must still be lying there|my {product} stayed behind|it did not get into my parcel].
        [Nearly|Almost] [complete|everything|all of order {order_id}] [came|is here|was in it], [what I miss is the {product}|the {product} is lacking|one article did not come].
        [When do I get|When does|Where is] the [rest|remainder|other half|last piece|missing part] [of order {order_id}|of my order|come|]? [The box held only a part|Only some of it was in the box|The {product} was not packed].
        [I shook the box|I looked under the flap|Even under the padding], [no {product}|nothing fell out|it was not there], [you forgot it|it must have been left out|please send the {product}].
        [An empty|A nearly empty|A half-filled] [box|envelope|parcel|carton] [was delivered|came today|is all I got], [the {product} is missing|no {product} in it|the thing itself was not inside].
        [The {other_product} is here|The {other_product} came|I do have the {other_product}], [the {product} is not|but where is the {product}|but you left out the {product}].
        [Not included|Not enclosed|Not supplied|Not packed|Absent]: [the {product} of order {order_id}|the charger for the {product}|one of the parts].
        """
    ),
    "wrong_item": wordings(
        """
        [It is not broken|Nothing is missing|It works well|It came on time], [but it is not my {product}|only it is a {other_product}|it just is not what I ordered].
        [I did not change my mind|I do not want another size|It is not a matter of taste], [you sent a {other_product} for a {product}|what you sent is simply the wrong article|I got something that I never ordered].
        [Who ordered|Who wants|Who asked for] [this {other_product}|a {other_product}]? [Not me|I wanted a {product}|Order {order_id} is for a {product}].
        [Left instead of right|Black instead of white|Tea instead of coffee|Size S instead of XL|Winter instead of summer], [that is what came|you sent the wrong one|the {product} is not the one I ordered].
        [The barcode|The name on the box|The tag|The slip] [says another thing|belongs to another article|reads {other_product}], [I was to get a {product}|this is not my order|you must have mixed it up].
        [A complete stranger's|Somebody's|Mr Miller's|Another person's] [things|name|invoice|order] [were in my box|is on the slip|came in my parcel], [not mine|where is my {product}|you have confused us].
        [Good try|Close|Nearly right], but [I ordered the {product}, not the {other_product}|it is the wrong {product}|the model is another].
        [What came|What arrived|The contents] [today|on {date}|in order {order_id}] [was not ordered by me|is foreign to me|is something I have never seen on your page], [I ordered a {product}|it is the wrong article].
        [I asked for|I requested|My order says] [two the same|a pair|a set in blue|the new edition], [these are different|you sent the old edition|what came is green|this is another set].
        [This cannot be|This is certainly not|I do not believe this is|How is this] the {product} [I saw online|from the picture|of order {order_id}|that I picked], [it is another|you sent a different one|it is a {other_product}].
        [You have|Your packer has|The warehouse has] [got the numbers wrong|read the order wrong|taken the wrong box|exchanged two labels], [a {other_product} has come|I have the wrong thing here|my {product} went elsewhere].
        [Do I keep|What do I do with|Where do I send|May I keep] [the {other_product}|this {other_product}|the wrong thing] [that you sent by mistake|you sent instead of my {product}|which I did not order]?
        [I can show you|Compare|Look at] [the picture of|the order confirmation and|the listing and] what [came|I got|you sent]: [two different things|that is no {product}|it is a {other_product}].
        [Incorrectly delivered|Wrongly delivered|Falsely sent|Sent in error]: [a {other_product}|another {product} than ordered|order {order_id}].
        [The {product} I have now|The one you delivered|Yours] [fits another car|is for dogs, I have a cat|is meant for children|needs another plug], [I had ordered a different one|wrong model|it was not the one I chose].
        """
    ),
    "damaged_item": wordings(
        """
        [It was on time|It is the right one|Nothing is missing|You were quick], but [the {product} is broken|it has a crack|the box was crushed and the {product} with it|it came with scratches].
        [It may well work|It still runs|It turns on], but [the casing is cracked|the side is dented|the {product} has scratches all over|it was damaged on the way].
        [Never used it|I have not even used it|I have not touched it], [it was broken in the parcel|the {product} came with a broken leg|the crack was there when I opened the box].
        [Somebody sat on it|An elephant stepped on it|It looks run over|It must have fallen off the van], [the {product} is flat|the box is squashed and the {product} broken|my parcel is a wreck].
        [The {product} has seen|My {product} has seen] [a war|better days|rough handling] [on its way|before it came to me|in your van], [it is dented|it is scratched|it is in pieces].
        [Scratch|Dent|Crack|Tear|Hole|Stain] [on the front|on one side|in the middle|on the bottom|near the edge] of [the {product}|my new {product}][, straight out of the box|, on delivery|, please replace it].
        [The packing paper was wet|The box had a boot mark|One side of the carton was open|The tape had come off], [the {product} did not survive|and the {product} is damaged|so the {product} got hurt].
        [We had to pick|I picked|I swept up] [splinters|glass|bits|shards] [out of the box|from the parcel|off the floor], [the {product} is smashed|the {product} had burst|it arrived shattered].
        [The {product} wobbles|The door of the {product} hangs|The lid does not close|The {product} stands crooked], [because it was bent on the way|it must have been dropped in transit|the transport did that].
        [Can I keep it|Shall I keep it|I could keep it] [at a lower price|for less|with a reduction], [as the {product} came scratched|it arrived with a dent|since it was damaged in the post]?
        [Who|Which of you] [wraps|packs|ships] [a {product}|glass|such a thing] [in plain paper|without padding|in a bag]? [It came broken|It is cracked|Everything is in bits].
        [In one word|In short|To be brief]: [broken|smashed|ruined|crushed|torn], [the {product} you sent|order {order_id}|on arrival].
        [The gift|The present|The surprise] [was spoilt|was a disaster], [the {product} came broken|there was a crack in the {product}|we unpacked shards].
        [I signed for it|The driver let me sign|I told the driver], [but the parcel was crushed|the {product} is damaged, as I found out|the box was already torn].
        """
    ),
    "defective_product": wordings(
        """
        [It arrived in perfect condition|There is not a scratch on it|The box was fine|It came on time], but [the {product} does not work|it will not turn on|it stopped after a day|nothing happens when I use it].
        [It is the right model|I have the right {product}|It is what I ordered], [only it does not run|but it is faulty|it just does not function].
        [No complaints about the delivery|Delivery was quick|Your service is fine], [but the {product} breaks down all the time|the {product} is dead|it is the {product} that fails].
        [I pressed every button|I read the instructions twice|I let it rest for a day|I cleaned it], [no reaction|it does not come back to life|the {product} remains silent|the same fault].
        [The {product} is supposed to|A {product} should|It ought to] [be quiet|stay warm|cool|cut|dry|shine|keep time|last for years], [mine does not|this one fails|it does nothing of the sort|not mine, it is defective].
        [The light|The lamp|The indicator] [on the {product}|of my {product}] [flashes red|never goes green|flickers|goes out after a second], [and it does not run|what is broken|then it is dead].
        [One day|One morning|Last night|Yesterday|On {date}] the {product} [just gave up|simply stopped|went bang|did not start|switched off and stayed off|made a pop and died].
        [The left side|One speaker|Every second key|Half the display|One burner|The lower part] of [the {product}|my {product}] [does nothing|has gone silent|does not light up|has failed|is dead].
        [Water drips|Oil drips|Steam escapes|Sparks fly|Smoke comes|Heat comes] from [the {product}|my {product}|the back of the {product}], [it is not safe|that is a fault|it must be broken].
        [Is a reset|Is an update|Is there a trick|Is there a spare part] [possible|available|needed] [to get the {product} going|for a dead {product}|when the {product} hangs]?
        [You call this|Is this] [quality|a new {product}|a working {product}]? It [stopped after three days|broke the second time I used it|never did what it should|crashes all the time].
        [The {product} needs|My {product} needs|It needs] [ten tries to start|repair already|to be restarted every hour|to be hit before it runs].
        [My {product} no longer|The {product} no longer|It no longer] [holds a charge|connects|closes|reacts|gets warm|keeps the time|prints|cools|turns].
        [It will not|The {product} will not|It won't] [pair with my phone|hold the temperature|save the settings|stay on|go off|open|lock|spin|inflate].
        [It died|The {product} died|It gave up|It failed] [on me|in my hands|during the first wash|in the middle of dinner|while charging][, after two weeks|, what can I do|, and it is new].
        [I suspect|I fear|I think|It seems] [a short circuit|a faulty battery|a broken motor|a production fault|a loose contact] [in the {product}|in my {product}], [it goes off by itself|it does not start|it fails again and again].
        [Unusable|Not fit for use|Totally useless|Non-functional]: [the {product}|my {product} after a week|a {product} that does not turn on].
        [Three of us|Even my brother, an engineer,|The repair shop] [could not|were unable to|failed to] [get it to run|start the {product}|bring the {product} to life], [it is defective|so it must be faulty|there is a fault inside].
        [Every few minutes|After each use|Once it is warm|As soon as it rains] the {product} [cuts out|drops the signal|jams|stalls|shuts off|goes haywire].
        """
    ),
    "return_request": wordings(
        """
        [It is not faulty|Nothing is wrong with it|The {product} works|It is not damaged], [I just do not want it|it simply does not please me|but I would like to send it back|I merely wish to return it].
        [I do not need a replacement|No exchange, please|I do not want another one], [just tell me how to send the {product} back|I want to return it|the {product} goes back to you].
        [The order already came|It is too late to cancel|It has been delivered], [so I want to return the {product}|can I send it back instead|I would like to give the {product} back].
        [Where do I leave|Who takes|Which shop accepts|Where may I drop] [the parcel with the return|the {product} that I am returning|what goes back to you]?
        [How should I pack|How do I wrap|In what do I pack] [the return|the {product} for the way back|the {product} to send it back]?
        [Before I keep it|Before I cut off the tag|Before I unpack it], [until when can I return the {product}|can it still go back|may I give the {product} back later]?
        [Back to sender|Back to the shop|It goes home again|Please have it back], [I do not like the {product}|that is what I want for the {product}|the {product} from order {order_id}].
        [The {product} was a bad choice|Wrong choice|I bought too much|My wife does not like the {product}], [how do returns work|may I bring it back|I would like to send it back].
        [My return|The return of the {product}|Return {order_id}] [cannot be registered|was not accepted at the post office|is still not confirmed|was not picked up], [what do I do|how else can I send it back|please help me return it].
        [Would you|Could you|Can you] [mail|print|generate|send] [another label|the return sticker|a new return code], [I want to send back the {product}|for my return|the old one has expired]?
        """
    ),
    "refund_request": wordings(
        """
        [I do not want a new one|No replacement, no voucher|Do not send another], [I want what I paid|just the {amount}|my money, please|only a refund].
        [The cancellation was confirmed|The return is done|Everything was settled], [what is missing is my money|only the {amount} has not come|but you have not paid me back].
        [It is not about the invoice|The card was charged once, that is right|I was not charged twice], [I want the {amount} back for what I returned|but the {product} never came and I want my money|you should pay me back].
        [My wallet|My purse|My bank balance] [is still waiting|misses {amount}|would be glad], [when do you refund|since you have not paid me back|please return my money].
        [Kindly settle|Please settle|Please sort out|Please clear] [the repayment|my refund|what you owe me|the open refund] [of {amount}|for order {order_id}|by {date}].
        [Was the {amount} paid back|Have you repaid the {amount}|Did you already refund me|Has my refund left]? [I see nothing on my account|Nothing has arrived|My card shows nothing].
        [I gave the {product} back|The {product} is back in your shop|I handed the {product} in] [on {date}|in {city}|two weeks ago], [now pay me|I want the {amount}|how do I get paid].
        [Pay up|Please pay|It is time to pay|I ask you to pay], [I want the {amount} back|you have the {product} again and my money too|the refund is overdue].
        [By bank transfer|To my card|By cheque|In cash] [please|I would like], [the {amount} that you owe me|the refund for order {order_id}|my money for the {product}].
        [Half|A part|Ten percent] of [the price|what I paid|the {amount}] [back would be fair|should be returned], [because the {product} was not as promised|since the service was not given|for all that trouble].
        [I disputed|I will dispute|I shall dispute] the payment [with my bank|with the card company], [unless you refund me|if the {amount} does not come back|I want my money].
        """
    ),
    "exchange_request": wordings(
        """
        [You sent what I ordered|It is not your mistake|I ordered it myself], [but it does not fit, can I swap it|I should have taken another size|I would like to change the {product} for a {replacement}].
        [I do not want to return it for money|I will not give it back for good|No refund needed], [give me another size|I want a {replacement} for it|just change it for a larger one].
        [The {product} works|It is not broken|Nothing is wrong with it], [I would just like it in another colour|but I would rather have a {replacement}|only the size should be bigger, can we swap].
        [Cinderella's shoe|Like a tent|Like a sausage skin|Far too baggy], [the {product} needs to be a different size|please exchange the {product}|could I swap it].
        [What can I get|What would you give me|Which models can I have] [in exchange for the {product}|if I trade in the {product}|as a swap for my {product}]?
        [My feet|My arms|My shoulders] are [longer|bigger|wider|smaller] than [I thought|your chart says], [please change the {product} for another size|can I have the {product} a size larger|I need to swap sizes].
        [Could we do|Is there|How about|I propose] [a trade|an exchange|a straight swap], [my {product} for a {replacement}|this size for the next|the red one for the blue]?
        [Changing|Swapping|Exchanging] [the {product}|one size for another|colours|models] [is free, is it not|costs what|is done where|takes how long]?
        [For my table|For my age|For this room|With my hair], [white would be nicer|the smaller {product} is better|a {replacement} would be right], [can I exchange what I have|please swap it|would you change it].
        [I have the {product} here unused|The {product} is still in its wrapping], [can it become a {replacement}|I would like to change it for another|please swap it for a different size].
        """
    ),
    "cancel_order": wordings(
        """
        [I do not want to know where it is|Never mind the status|No need to tell me when it ships], [I want it cancelled|just cancel order {order_id}|I do not want the {product} any more].
        [Not the newsletter|Not my account|Not the whole account], [only order {order_id} is to be cancelled|just the order for the {product} should be stopped|it is the order I want to call off].
        [I have not got it yet and|It has not come yet and|As it is still not here], [I do not want it any more|please cancel order {order_id}|I am calling it off].
        [Save yourself the postage|Save yourselves the trouble|You can put it back on the shelf|Keep the {product}], [I cancel|I am cancelling order {order_id}|I do not want it after all].
        [Put the {product} back|Return it to the shelf|Unpack it again|Do not load it], [order {order_id} is cancelled|I am not buying|please call off my order].
        [Stop the presses|Hold your horses|Wait|Hold on|Not so fast], [do not send the {product}|I want to cancel|order {order_id} must not go out].
        [I am no longer sure|I am out of work|I have no money left|My circumstances are different now], [please let me out of the order|I must cancel the {product}|can order {order_id} be called off].
        [The doctor|My landlord|My bank|My wife] [advises against it|will not allow it|says we cannot afford it], [so cancel the {product}|please stop order {order_id}|I have to withdraw].
        [Only one|Just the {product}|Not all, only the {product}|One line] [of the order|in order {order_id}] [should be cancelled|is to be dropped|can go|is no longer wanted].
        [My order|Order {order_id}|The purchase], [please make it go away|let us pretend it never happened|undo it|I take it back].
        [I withdraw|I hereby withdraw|I herewith cancel|I revoke|I declare the withdrawal], [order {order_id}|the contract of {date}|my order for the {product}|from the purchase].
        [If it is not too late|As long as nothing has been packed|Should it still be possible|Unless it has left], [I would like to cancel|call off order {order_id}|please do not send the {product}].
        [A stop|A cancellation|An end] [for|to] order {order_id}, [please|quickly please|before it leaves], [I changed my mind|I need it no more|I ordered the wrong thing].
        [How late|How soon after ordering|Up to what point] can [I|one|you] [cancel|call off an order|change one's mind|step back from an order]?
        """
    ),
    "change_address": wordings(
        """
        [The day is fine, only the place is wrong|Not another day, another place|The time can stay], [deliver to|bring it to|the address should be] {street}, {postal_code} {city}.
        [My e-mail stays the same|Not my e-mail, my home address|It is about the postal address], [now it is|please enter|please change it to] {street}, {postal_code} {city}.
        [I am not cancelling|The order is fine|Keep the order], [just send it somewhere else:|only the address must be|but the parcel should go to] {street}, {postal_code} {city}.
        [Goodbye old flat|New keys, new door|We finally have our own house|I moved in with my partner], [the {product} should come to|please note|order {order_id} goes to] {street}, {postal_code} {city}.
        [I am on the move|I move next week|By then I will have moved], [what do I do about order {order_id}|how do I give you the new address|can you change where it goes]? [It is|Then I live at|The new place is] {street}, {postal_code} {city}.
        [Can my parcel|Can order {order_id}|Could the {product}] [follow me|be redirected|be rerouted|go elsewhere]? [I now live at|It should find me at|The place is] {street}, {postal_code} {city}.
        [Please do not bring it to|It is no use bringing it to|Nobody would take it at] [my old house|the address in my account|number 5], [come to|go to|ship it to] {street}, {postal_code} {city}.
        [The flat number|The floor|The entrance|The zip code|The name of the road] [was left out|is not right|got lost], [in full it is|the whole address|correct would be]: {street}, {postal_code} {city}.
        [Autofill|My phone|The form|The website] [put in|took|chose] [an old address|the wrong address|my last flat], [please replace it by|I want|it has to be] {street}, {postal_code} {city}.
        [In future|From {date} on|Until further notice|For the summer] [all orders|my parcels|order {order_id} and the rest] [go to|should be sent to|come to] {street}, {postal_code} {city}.
        """
    ),
    "change_quantity": wordings(
        """
        [The price is clear|I know the price|I do not ask for the price], [I just want {quantity}|only make it {quantity} of the {product}|change order {order_id} to {quantity} pieces].
        [I do not want to cancel it all|Not cancel, only reduce|Do not cancel the order], [just make it {quantity}|take it down to {quantity}|{quantity} instead of ten].
        [Nothing was missing|The parcel has not left, has it], [I only would like {quantity} of the {product}|may I have {quantity} in order {order_id}|please raise it to {quantity}].
        [A bigger|A smaller|A larger] [order|number|quantity], please: {quantity} [of the {product}|pieces|in order {order_id}].
        [The club has grown|Our class got bigger|Two guests said no|Half the team is ill], [please make that {quantity}|we now need {quantity}|so {quantity} of the {product} will do].
        [I was too greedy|I was too modest|I was too careful|My eyes were bigger than my stomach], [make it {quantity}|please change order {order_id} to {quantity}|{quantity} of the {product} are right].
        [Where it says|In the line with the {product} it says|My order reads] [one|two|twelve], [put {quantity}|it should read {quantity}|please write {quantity}].
        [Would you mind|Do you mind] [changing|raising|lowering|correcting] [the number|my order|the quantity|the pieces] to {quantity}?
        [The new number|The number I need|The figure|The final count] [for order {order_id}|of the {product}|] is {quantity}.
        [Give me|Let me have|Pack] [a few extra|one extra|some extra|fewer], [{quantity} of the {product}|so that there are {quantity}|in all {quantity}], [in order {order_id}|please|if it is not too late].
        """
    ),
    "invoice_request": wordings(
        """
        [I paid without trouble|The payment is fine|The price is right|Everything arrived], [I only need the bill|what I lack is the invoice|just the receipt, please].
        [I am not asking for money|No refund, no return|It is not a complaint], [I want the invoice for order {order_id}|just a copy of the receipt|only a bill for my books].
        [How shall I|How can I|How am I to] [prove the purchase|show the tax office what I paid|book {amount}|claim the VAT] [without|if I have no] [a bill|an invoice|a receipt|a proper document]?
        [The year is ending|My tax deadline is {date}|Month-end is near|The audit is next week], [I still lack the bill|please send the invoice|where is the receipt for the {product}].
        [The invoice says|The bill says|My receipt says] [the old company|a wrong sum|no tax number|someone else's name], [please issue it anew|can you rewrite it|I need it corrected].
        [Do you need my tax number|What do you need from me|Do you need my company data] [to write the invoice|to make out a bill|for a proper receipt]?
        [In paper|In digital form|By post|As a PDF|As a printout], please, [the invoice for order {order_id}|my receipt|the bill of {amount}|the bill for the {product}].
        [The printer|My dog|The wash|My child] [ate|destroyed|ruined] the [receipt|bill|invoice], [could I have a new one|please send it again|can you print another].
        [Documentation|Accounting papers|Evidence of payment|Expense receipt] [for order {order_id}|for {amount}|for the {product}] [please|is needed|would be appreciated].
        [Once a month|For each order|For every purchase|Automatically] [I would like a bill|please send an invoice|I need a receipt][, for order {order_id} as well| to {email}|].
        """
    ),
    "payment_failed": wordings(
        """
        [It was not charged twice, it was not charged at all|No money has left my account|Nothing was taken], [the payment failed|the card was refused|the checkout gave an error].
        [I do not want to cancel|I still want the {product}|I would like to keep the order], [but my payment was declined|only I cannot pay|the payment just does not go through].
        [My account with you is fine|I can log in|The voucher worked|The address is right], [but when it comes to paying there is an error|only the card is rejected|the payment breaks off].
        [The last click|The final step|The very end] [goes wrong|does not work|fails], [my card is turned down|paying is not possible|the payment is not accepted].
        [Is it my card|Is it me|Is it your system|Whose fault is it], [that the payment fails|that I cannot pay|that {amount} is declined every time]?
        [May I|Can I|Could I] [pay by invoice|pay in cash|pay by transfer|send a cheque|pay when it comes] [instead|], [since the card is declined|because the checkout fails|as my payment is refused]?
        [Thrown back to the basket|Back at the start|Logged out], [each time I pay|when I confirm the payment|after entering the card], [what is wrong|the payment is not made|so I cannot finish].
        [The message|The text|The screen] says [contact your bank|payment could not be verified|try another method|transaction cancelled], [my bank knows nothing|but the card is good|why is it not accepted].
        [Your bank|The payment provider|Your card service|The processor] [is at fault|blocks me|turns me down|rejects everything], [I tried to pay {amount}|order {order_id} cannot be paid|my money does not get through].
        [No luck|No success|Without success|In vain] [paying|with the payment|at the checkout|with my card][ for order {order_id}|], [please help|what can I do|the error stays].
        """
    ),
    "double_charge": wordings(
        """
        [I have no wish to return anything|The {product} is fine|The order came], [but the money was taken twice|only I paid for it two times|why was {amount} charged double].
        [The payment worked, even too well|It did not fail, it worked twice|It went through, and then again], [{amount} was debited two times|you charged me double|there are two payments].
        [One {product}|One order|One delivery|A single parcel], [two payments|but paid for twice|and two times {amount} on my card|two debits].
        [Is it usual|Is it normal|Is that how you work], that [you collect {amount} twice|one pays double|the card is charged two times]?
        [Shown|Posted|Listed|Debited] [on {date} and again the next day|twice in a row|two times in one minute]: [{amount}|the payment for order {order_id}|the same charge].
        [My husband noticed|Going through my statement I see|While checking my account I saw|My daughter found], [a double debit|that {amount} is there twice|that we paid order {order_id} two times].
        [I wonder|I would like to know|Tell me] why [the {product} was paid two times|there is a second payment of {amount}|you took double|I was billed twice].
        [Half of it|One half|One of them|{amount} of that] [is mine|belongs to me|should come back], [since you charged double|as the bill was paid twice|because two payments were taken].
        [Pending or not|Reserved or booked], [I see the charge twice|there are two amounts of {amount}|it looks like a double payment].
        [The direct debit|PayPal|The card|The bank] [ran twice|was used two times|paid you twice|went off double] for [order {order_id}|the {product}|the same bill].
        """
    ),
    "discount_code": wordings(
        """
        [The payment works|I can pay|My card is fine], [only {code} is not accepted|but the voucher {code} is not deducted|it is just the code {code} that fails].
        [The price is right, but|I know the price, but|Apart from the price,] [with {code} it should be less|{code} should take something off|I want to use {code}].
        [For spending over {amount}|With my first order|For a review|For recommending you], I was [promised|offered|sent|given] {code}, [how do I get it off the price|where is my discount|it is declined].
        [What is|What does|What gives] {code} [worth|good for|give me|get me|stand for]?
        [Nothing happens|No change|No effect|It does nothing], [when I apply {code}|with {code}|after entering the voucher {code}].
        [I typed it|I copied it|I scanned it] [exactly|letter by letter|with and without the dash], {code}, [it says wrong|still not recognised|no reduction].
        [Deduct|Subtract|Take|Knock] [the discount|something|my ten percent|the promised amount] [off|from order {order_id}], [I have {code}|my code is {code}|with {code}].
        [A gift card|A voucher|A coupon] [from my aunt|from work|from a raffle|won on the radio]: {code}[, how do I redeem it|, does it expire|, it is rejected].
        [Free shipping|Two for one|Ten euros off|The welcome gift] with {code}[, it says|, you said|], [not in my basket|I do not get it|how do I activate it].
        [Expired|Too old|Out of date|No longer valid], is it, {code}? [Can you extend it|I only got it yesterday|Is there a new one].
        [To save|To get the reduction|To pay less], I [entered|used|showed] {code}, [without result|and was told no|and the till refused it].
        """
    ),
    "price_question": wordings(
        """
        [I have not ordered yet|I am only looking|I do not want an invoice, only a price|Just an idea], [what would the {product} cost|how much is a {product}|what do you charge for {quantity}].
        [It is in stock, I see|I know that you have it], [but what does it cost|how much is the {product}|only the price is not there].
        [Gold plated|Made of gold|Is there a diamond in it], or why [does the {product} cost {amount}|is the {product} so dear|such a price for the {product}]?
        [And the damage|What is the damage|What am I in for|What is the bottom line] [for a {product}|for {quantity} of the {product}|if I buy the {product}]?
        [If I buy|If I took|Should I take|When buying] {quantity}[ of the {product}|], [what do I pay|how much per piece|is it cheaper|what price can you make].
        [Monthly|Per month|Per year|Per hour|Per metre], [what does the {product} cost|how much would the {product} be|what do you charge]?
        [Have prices gone up|Did you raise your prices|Has the price changed|Are prices going up]? [The {product} was {amount}|How much is the {product} today|What is the {product} now].
        [The cheapest|The dearest|A simple|A second-hand|A refurbished] {product}, [how much|what does it cost|what is its price], please?
        [Is there a charge|Do you charge|Does it cost something|Is it free] [for shipping|for gift wrap|for assembly|to install the {product}|to deliver the {product} to {city}]?
        [Send me|I would like|Please mail me|Could I get] [your rates|the costs|the tariff|a written offer|price information] [for the {product}|for {quantity} pieces|].
        [Two prices|One price online, another in the shop|Your ad says {amount}], [which one is it for the {product}|what do I pay for the {product}|what is the true price].
        """
    ),
    "stock_question": wordings(
        """
        [I have not ordered anything|I have no order yet|Before I pay|I do not care about the price], [is the {product} in stock|do you have the {product}|is there a {product} to be had].
        [Not where my order is|It is not about an order], [just whether you have the {product}|I only ask if you sell the {product}|only if the {product} is available].
        [Is the {product}|Was the {product}] [a limited edition|only for the season|a one-off|taken out of the range], [or will it come back|can one still buy it|or do you get more]?
        [I only find|I only see|Your page only has] [the old {product}|the {product} in red|pictures of the {product}], [do you also have the new one|can I buy it in blue|is it not sold any more].
        [How quickly|How fast|How often] [is the {product} sold out|do you restock the {product}|do new {product}s come in|does the {product} come back]?
        [The last one|The only one left|The display piece] of the {product}, [can I buy it|is it still there|would you sell it|keep it for me].
        [Is it true|Did I hear right|I heard], that [the {product} is no longer made|you are out of the {product}|the {product} is available again]?
        [Where else|At what shop|In which city|With whom] [can I get|do I find|is there] [a {product}|the {product}], [if you have none|since you are sold out|or do you have one]?
        [A whole|A larger] [box|pallet|set] of [the {product}|{product}s], [do you have that|would that be available|is that on hand]?
        [Tell me|Drop me a line|Ring me|Ping me|Alert me] when [you have the {product} again|the {product} is back|new {product}s come in].
        [Does it|Does the {product}|Do they] [still exist|exist in another size|exist in green|come in a larger pack], [and do you have it|can I order it from you|is it on your shelves]?
        """
    ),
    "warranty_claim": wordings(
        """
        [It is past the return period|I cannot return it any more|It is too late to give it back], [but the {product} is under warranty, is it not|so I use the guarantee|does the warranty help me].
        [It stopped working, well within two years|It broke, but I have a guarantee|The fault is covered, I think], [so please repair the {product} under warranty|how do I make a claim|who does the warranty repair].
        [I ask for no refund|I need no refund|Not my money], [only what the guarantee promises|I want the {product} repaired under warranty|just a warranty repair].
        [The small print|The leaflet|The last page of the manual] [mentions a guarantee|speaks of a five-year warranty|says warranty], [does it hold for the {product}|how do I claim it|is my {product} included].
        [Somebody else|My neighbour|My sister] got [a new {product}|the {product} repaired] [on warranty|under the guarantee|for free within the warranty], [can I too|what about mine|how is it done].
        [Age of the {product}|Bought|Purchase date]: [{date}|eleven months|last year], [is there warranty on it|guarantee yes or no|does it fall under the guarantee].
        [Is it|Would it be] [your duty|up to the maker|your job] to [repair|replace] [the {product}|my {product}] [in the first two years|under the law of warranty|within the guarantee]?
        [Guarantee|Warranty] [start|end|length|extension|conditions|papers] of [the {product}|my {product}], please[?|.]
        [My {product} came back|The {product} came back|You sent the {product} back] from the [warranty repair|guarantee repair] [with the same fault|unrepaired|after six weeks], [what are my rights|I claim the warranty again|please honour the guarantee].
        [I have kept|I have|Here is] the [receipt|guarantee card|warranty certificate|serial number], [what else do I need to claim|please start the warranty case|now please repair my {product}].
        """
    ),
    "account_locked": wordings(
        """
        [I do not want it deleted|Please do not delete it|I want to keep it|It is not to be closed], [I want my account unlocked|just lift the block|I only want back in].
        [I have not forgotten my password|The password is not the problem|I know the password well], [the account is blocked|you have locked me out|it says account suspended].
        [My e-mail is right|Everything I typed is right|Name and password are right], [still I am not let in|but the account is locked|and still it says blocked].
        [Like a stranger|Like a thief|Like a criminal] I [am kept out of my own account|am locked out|have been banned|am shut out of my profile].
        [The gate is shut|The door stays shut|I knock and nobody opens|I stand outside], [my account is locked|please unblock {email}|let me back into my account].
        [A red banner|A message|A warning|A padlock] [says|tells me|shows] that [I am suspended|my account has been blocked|{email} is locked|the profile is disabled].
        [I cannot order|I cannot pay|I cannot check my orders|I cannot change anything], [as my account is locked|because you suspended me|since {email} has been blocked|I am locked out].
        [Wrong PIN|Wrong code|Wrong password] [five times|too many times|three times], [now I have to wait|and now I am barred|locked for a day|my account is blocked], [can you shorten it|please unlock it|how do I get in].
        [Was it|Is it|Could it be] [because I moved|because of my new card|because I live abroad|because of a late payment], that [my account was locked|I have been suspended|you blocked {email}]?
        [Please reopen|Reopen|Re-enable|Reinstate|Switch on again] [my account|the profile of {email}|customer {customer_id}|my login], [you closed it on me|it has been deactivated|it was suspended by mistake].
        [You lock people out|You shut off my account|You suspended me|You barred me] [without a word|without warning|for nothing|just like that], [open it again|why|let me in].
        [Deactivated|Inactive|On hold|Under review], [it says|that is what I read|says your page], [my account|the account of {email}], [how do I get it back|what do I do|please free it].
        [Can you see|Would you check|Please check] [why I am blocked|whether {email} is locked|why my account is on hold|if I am banned]?
        [Nobody but me|Only I|I alone] [used the account|has the password|logs in], [so why was it locked|why do you block me|there is no reason to suspend it].
        [Still locked|Still blocked|Still shut out|Still suspended]: [my account|{email}|customer {customer_id}], [since {date}|for a week now|although you promised to free it].
        """
    ),
    "password_reset": wordings(
        """
        [The account is not blocked|I am not locked out|My account is open], [I simply forgot the password|I only need a new password|just the password is lost].
        [My e-mail is the same|The user name I know|I know my e-mail], [but not the password|only the password has gone|I just need a new password].
        [I do not want a new account|I do not want to register again|No new account, please], [just a new password|only a reset of the password|send me the link for a new password].
        [It asks|The page asks|Your app asks] for [my password|the password|a password], [which one|I have none any more|I forgot it long ago].
        [Open sesame|One two three four|My birthday|The name of my cat] [is not it|was not it|does not work], [I have forgotten the password|please reset it|I need the reset link].
        [The keyboard changed|The accent on my keyboard|A special sign] [makes my password impossible to type|is in my password and I cannot type it], [please reset it|I need another password].
        [Where is|What about|What happened to] [the reset mail|the link for the new password|the code you were sending for my password]? [It is not in my spam either|I wait since {date}|I asked twice].
        [For safety|After the news of the leak|Every year], I [want to change my password|renew my password|would like a new password], [how|where is that|the page will not let me].
        [My grandmother|My mother|My father] [forgot her password|does not know the password any more|lost the slip with the password], [can you reset it|how does she get a new one|please send a link to {email}].
        [Reset, please|A reset, please|Please reset]: [password of {email}|my password|the login password|the password for customer {customer_id}].
        """
    ),
    "delete_account": wordings(
        """
        [It is not locked|I can log in, that is not it|I know my password], [I want the account deleted|but I want to close it|just delete my profile].
        [Not only the newsletter|Unsubscribing is not enough|More than the newsletter], [I want the whole account gone|delete my account too|erase all my data].
        [No order to cancel|I have no open orders|Nothing is outstanding], [so please close my account|you can delete the account {email}|my profile can be removed].
        [Out of sight, out of mind|Out, out, out|Adieu|So long], [delete me|close my account|please remove all my data].
        [My data belong to me|I want my data back and gone|I do not trust you with my data], [delete the account|erase everything|remove my profile].
        [Do not lock it|Do not just deactivate it|Not merely disable it], [delete it for good|erase the account|wipe the profile {email}].
        [A user|A customer|A member] [less|fewer] for you: [delete my account|please close {email}|I want my account removed].
        [What do I lose|What happens to my points|What happens to my invoices] if [I delete my account|the account is closed|I have my profile removed]?
        [Can I come back|May I register again|Can I sign up again] [later|one day], if I [delete my account now|have my account erased|close it today]?
        [My ex|My son|A child|Someone] [opened an account in my name|registered me|made this account], [please delete it|I want it removed|close the account {email}].
        """
    ),
    "change_email": wordings(
        """
        [I have not moved|My postal address stays|It is not about my street], [only my e-mail is new: {email}|just the e-mail has to be {email}|but the e-mail should be {email}].
        [I do not want to unsubscribe|Keep sending me mails|I like your mails], [only to {email}|but please use {email}|my e-mail has changed to {email}].
        [Password and name stay|My password is fine|The rest can stay], [just change the e-mail to {email}|only the e-mail must become {email}|{email} is my new e-mail].
        [The @ was missing|The ending is .org|The first letter is wrong|It is with a hyphen], [my e-mail should be {email}|please save {email}|correct e-mail: {email}].
        [Students get a new address|At my new school|With my new employer|At my new firm] [I have|I got] the e-mail {email}, [please put it in|please change my account|use this one].
        [Spam has killed my old mailbox|My old inbox is hacked|I closed my old mail], [now it is {email}|please change to {email}|write to {email}].
        [Who do I tell|Where do I say|To whom do I report] that my e-mail [is now {email}|has changed to {email}|should be {email}]?
        [My mails bounce|Your mails bounce|Your mails come back], [because my e-mail is {email} now|the right one is {email}|please use {email}].
        [A second e-mail|A backup e-mail|Another e-mail], {email}, [should become the main one|please add it and drop the old|is the one to use].
        [The mail about|Messages about|Notices about] order {order_id} [should reach me at|must go to|ought to come to] {email}, [not at the old one|change my account, please|as I have a new e-mail].
        """
    ),
    "unsubscribe": wordings(
        """
        [I do not want to cancel my order|My order is fine|The order can stay], [cancel the newsletter|it is the mails I want to stop|just stop the advertising].
        [Do not delete my account|My account stays|I want to remain a customer], [only take me off the newsletter|just no more offers|I merely want no advertising].
        [My e-mail is right|There is no need to change my e-mail], [but I want no newsletters|only stop writing to me about sales|just take me off the list].
        [Ding, another mail|Ping, there it is again|Every time my phone rings], [it is your newsletter|an ad from you|one of your offers], [make it stop|I want out|unsubscribe me].
        [Nothing against you|You mean well|I like your shop], but [the newsletter is too much|I do not need daily offers|please leave me out of your mailings].
        [How often must I|How many times do I have to|Must I really] [ask|unsubscribe|click|write], [until the newsletter stops|before you stop the ads|to be off the list]?
        [I read|I open|I look at] [none|not one|not a single one] of your [mails|newsletters|offers|promotions], [save the trouble|you can stop sending them|take my name off].
        [Trash|The bin|The spam folder|Delete] is where your [newsletter|offers|ads|weekly mails] [ends up|end|land|go], [please stop it|unsubscribe me|take {email} off].
        [The box|The tick|The checkmark] for [the newsletter|news and offers|advertising] [was already set|was ticked without me|I must have overlooked], [please remove it|I want none|take me out].
        [Newsletters|Vouchers|Surveys|Birthday greetings|Sale alerts|News] [from you|] [I can do without|are not for me|I do not need|should no longer come], [please stop|remove me from the list|unsubscribe me].
        [Can you|Could you|Would you] [stop|end|switch off|turn off] [those notifications|the promotional texts|the ads by mail|the reminders to buy|the weekly news] [for {email}|for good|please|]?
        [One mail a year|Once a month|Only at Christmas] [would be enough|is fine|I could bear], [not daily ads|so please stop the daily newsletter|but not this flood, unsubscribe me].
        [A flood|A stream|A storm|Tons|Heaps] of [newsletters|advertising|promotional mails|offers] [from your shop|in my mailbox|every week], [turn it off|I want to be taken off|no more, please].
        [My wife|My late husband|My company|My mother] [still gets|keeps getting|does not want] your [newsletter|advertising|mailings], [please strike {email}|take that off your list|stop it].
        [What do I have to do|What must I do|What does it take|Where is the switch] [to get no more newsletters|to be left alone by your ads|to leave the list|so that the mails stop]?
        [Opt-out|Sign-off|Removal|Withdrawal] [from the newsletter|of consent to advertising|from the mailing list][: {email}|, please|, at once].
        """
    ),
    "complaint": wordings(
        """
        [The {product} is fine|The goods are fine|My order came|It is not about the {product}], [but {staff} was rude|it is the way I was treated|your service is what I complain about].
        [I do not want money|I ask for no refund|Nothing is to be paid], [I want an apology|just somebody to say sorry for how I was treated|only decent treatment].
        [Thanks for nothing|Thank you for nothing|Great service, not|Congratulations on the worst service], [{staff} was no help|nobody listened to me|I am really annoyed].
        [I used to love your shop|You used to be good|I was a happy customer|I once recommended you], [now the service is awful|but {staff} was so unfriendly|no more, after how I was treated].
        [Five calls|Three mails|Two letters|An hour in the queue] and [not one answer|nobody feels responsible|nothing but rudeness|no one took me seriously].
        [If you ask me|To be honest|Frankly|I am sorry, but] [your support is hopeless|{staff} should not work with customers|the service was a shame|you treat people badly].
        [The way|The tone in which|The manner in which|How] {staff} [spoke to me|answered|dealt with me|looked at me] [was out of line|hurt me|is not right|made me cry].
        [Arrogance|Rudeness|Ignorance|Indifference|Chaos], [that is all I got from {staff}|that is what I met in {city}|is what your service offers].
        [Can it be|Is it too much to ask|Do I ask too much], that [someone is friendly|{staff} says hello|I am treated with respect|a call is answered]?
        [In {city}|At the till|At the information desk|In your branch] [I waited forty minutes|three people ignored me|the clerk walked off|they laughed behind my back], [I am angry|what manners|I complain].
        [Please take|Take|Kindly take] [my complaint|this criticism|my displeasure|this feedback] seriously, [{staff} was impolite|it was a bad experience|your service must improve].
        [I have had enough of|I am tired of|I am fed up with|I am sick of] [your service|being ignored|{staff}|your arrogant hotline|being treated like this].
        [Your staff should|{staff} should|You should] [learn some manners|be trained|treat people better|listen for once], [I felt insulted|that was disrespectful|I am disappointed].
        [This incident|What happened in {city}|The conversation with {staff}|My last call] [was outrageous|must have consequences|has upset me|leaves a bad taste|needs an apology].
        [Discriminated against|Talked down to|Pushed aside|Sent away|Made to look stupid], [that is how I felt|by {staff}|in your shop in {city}], [I protest|I want to complain|it was awful].
        """
    ),
    "praise": wordings(
        """
        [I returned a {product}|I had to exchange the {product}|My {product} was broken|My order was late once], [you solved it so kindly|and {staff} handled it wonderfully|and you made up for it splendidly], [thank you|bravo|I am grateful].
        [Nothing was damaged|Nothing was missing|Not late at all|On time to the minute|Nothing to return], [everything perfect|a wonderful {product}|great work|thank you so much].
        [I do not want to complain|I have no request|I need nothing|There is nothing you have to do], [I only want to say how good you are|I am just happy|simply thank you|{staff} was lovely].
        [I called|I wrote|I asked] [expecting the worst|late on a Friday|with a silly question], and [{staff} was delightful|got a friendly answer at once|was helped so kindly].
        [It fits|It works|It runs|It looks|It sounds|It smells|It tastes] [perfectly|wonderfully|beautifully|like a dream|just right|great], [I love the {product}|the {product} is super|thank you|what a good buy].
        [Never sell anything else than|Please never stop making|Do not change|Keep making] [the {product}|this {product}], [it is marvellous|I adore it|the best I have had].
        [I have told|I told|I will tell|I am telling] [my whole office|all my friends|my neighbours|everybody] [about you|how good the {product} is|about your lovely service|about {staff}].
        [Without|If not for|Were it not for|Thanks to] [{staff}|your help|your quick team], [the party would have failed|I would still be searching|everything worked out|my mother has her {product}], [thank you|so kind|I will not forget it].
        [My cat|My dog|My baby|My grandson|Grandma] [sleeps on|plays with|will not part from|loves|smiles at] the {product}[, thank you|, what a success|, wonderful].
        [Worth|It is worth|Well worth] [every penny|the wait|the money|a recommendation], [this {product}|the {product}|your service], [I am thrilled|thank you|great].
        [May your|I wish your|Let your] [team|shop|business|people] [stay as they are|all the best|go on like this|a lot of success], [the {product} is great|{staff} was so nice|I was very pleased].
        [Cheers|Thanks a lot|Thanks again|Thank you kindly|A thousand thanks|God bless you], [{staff}|the {product} is splendid|it was so quick|that was a pleasure|all is well now].
        [Sunshine|A smile|Joy|A ray of light], [that is what {staff} gave me|that is your service|came with the {product}], [thank you|lovely people|I am so pleased].
        [As good as|Exactly as|Just as] [described|promised|in the picture|hoped], [the {product} is perfect|I am delighted with the {product}|fast and friendly too|thank you].
        [In a class of its own|First rate|Top notch|Simply the best|A pleasure|Outstanding|Superb|Flawless]: [your service|the {product}|{staff}|the advice|the delivery].
        [Rarely|Seldom|Not often|It is rare that one is] [so well advised|so happy with a purchase|treated so kindly|helped so fast], [my compliments|thank you {staff}|well done].
        [My faith in|My trust in] [online shops|people|good service] is [restored|back], [thanks to {staff}|after this purchase|thanks to you].
        """
    ),
    "delivery_schedule": wordings(
        """
        [It is not late|Nothing is late|I am not complaining|No complaint], [I would only like another day, {delivery_date}|just bring it on {delivery_date}|could you deliver on {delivery_date} instead].
        [The address is right|The place stays the same|Same place], [only the day should be {delivery_date}|but please come on {delivery_date}|another time would be better, {delivery_date} at {time}].
        [I do not want to cancel|Do not cancel it|I still want the {product}], [just not before {delivery_date}|only deliver on {delivery_date}|but it should come on {delivery_date}].
        [I am hard to catch|I work nights|I sleep in the daytime|I am often out], [when can you come|so let us fix a day|an agreed day would help]: [{delivery_date}|{delivery_date} after {time}|{delivery_date} at {time}].
        [My diary|My calendar|My timetable] [says|allows|has room on] {delivery_date}[ at {time}|], [for the delivery|to receive the {product}|so deliver order {order_id} then].
        [The lift is out of order|There is a street party|The road is closed|We get new floors] until {delivery_date}, [please deliver after that|bring the {product} then|so come on that day].
        [Two days|A week|One day|A month] [earlier|later|sooner|on], [that is {delivery_date}|on {delivery_date}], [would suit us for the delivery|please bring the {product} then|could that be done].
        [How early|How late|At what hour] [can you deliver|does the driver come|could the {product} be brought] on {delivery_date}? [After {time} is good|{time} would be ideal|Not before {time}].
        [Ring|Call|Text|Phone] me [before you come|an hour ahead], [I am in on {delivery_date}|and come on {delivery_date}|best on {delivery_date} after {time}].
        [Weekend|Evening|Morning|Afternoon|Lunchtime] [delivery|only|would be best|please]: {delivery_date}[, {time}|], [for order {order_id}|for the {product}|when I am at home].
        """
    ),
}
