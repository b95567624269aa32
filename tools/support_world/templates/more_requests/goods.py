# ruff: noqa: E501 - a template stays on one line
"""More ways to say what is wrong with the goods that came, and what is to become of them."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["GOODS"]

GOODS = {
    "missing_item": wordings(
        """
        [I was expecting|There should be|There should have been] [a {product}|the {product}] in [the parcel|order {order_id}|the box], [but it is not there|but there is none|but nothing of the kind].
        [I unpacked everything|I looked through the whole box|I emptied the parcel|We searched the box], [no {product}|but found no {product}|and the {product} is not there].
        [Two of three|Only one of two|Three of four|One of two] [things|articles|items|pieces] [were in the box|arrived|came], [the {product} is lacking|the {product} is still missing|where is the {product}].
        [Where is|What happened to] the {product}? [The rest of order {order_id}|The rest of the parcel|Everything else] [came today|is here|arrived].
        [The cable|The manual|A screw|The charger|The lid|A part|The plug] [of the {product}|for the {product}|that belongs to the {product}] [is missing|was not in the box|was not supplied|is not included].
        [My shipment|My parcel|The delivery|The package] [is incomplete|was not complete|is not complete|lacks something]: [no {product}|the {product} is absent|there is no {product}].
        I [opened|unpacked] [order {order_id}|the parcel|the carton] and [the {product} was not in it|could not find the {product}|noticed that the {product} is missing].
        [An item|An article|One article|One piece|One of the things] [from|of] [order {order_id}|my order] [is absent|did not come|is lacking|was not delivered|is still outstanding][: the {product}|].
        You [billed|charged|invoiced] [me for|] the {product}, [but did not send it|yet it was not in the box|although it never came with the rest].
        [The box was empty|The carton was empty|There was nothing in the box|I got an empty box], [where is the {product}|no {product} in it|the {product} was not inside].
        [Please send|Please send on|Can you send|Could you post] the [missing|forgotten|lacking] {product}[ from order {order_id}| as soon as possible|].
        [The {product}|One thing] was [omitted|forgotten|overlooked|skipped] [when you packed order {order_id}|by your packers|in my parcel].
        [Half|A third|Some|A part] of [what I ordered|the goods|the articles] [is missing|was not there|was not delivered][, above all the {product}|, among them the {product}|].
        [According to the list|On the slip|The packing slip says] [there should be a {product}|the {product} is included|the {product} was packed], [it is not here|but it is not there|which is not true].
        [Came without|Arrived without|Delivered without] [the {product}|any {product}|one of the articles]: order {order_id}.
        [I count|We count|I counted] [one piece too few|only two of the three things|one article less], [the {product} is missing|no {product}|the {product} did not come with it].
        [Order {order_id}|The parcel|My order] [contained|had|held] [everything but|all but|everything except] the {product}.
        [Did you forget|Have you forgotten|Did someone forget] [the {product}|to pack the {product}|to put in the {product}]?
        [Will the {product} come|Does the {product} come|Is the {product} coming] [separately|in another parcel|later]? It was not [in the box|with the rest|in order {order_id}].
        The {product} [never made it into|was nowhere in|did not lie in|was not among the contents of] [the box|the parcel|order {order_id}].
        [Accessories|Parts|Pieces] [are missing|were missing|are lacking] [from the {product}|in the box of the {product}|in order {order_id}].
        I [am missing|miss|lack] [the {product}|one article|a part] [from order {order_id}|from my parcel|from yesterday's delivery].
        [Short delivery|Incomplete delivery|Item missing|Missing part]: [the {product}|order {order_id}|no {product} in the parcel].
        [The parcel weighed hardly anything|The box felt light|The parcel had been opened], [and the {product} is gone|no {product} inside|the {product} had been taken out].
        [You only sent|You sent only|I only got|We only received] [a part of order {order_id}|one of the articles|the half], [the {product} is still to come|not the {product}|without the {product}].
        """
    ),
    "wrong_item": wordings(
        """
        [This is|That is|What came is] [the wrong|not the right] [product|article|{product}|thing|model|version].
        I [opened|unpacked] [the box|the parcel|order {order_id}] and [found a {other_product}|there was something else in it|it is a different article] [instead|and not the {product}|].
        [A {other_product} arrived|There came a {other_product}|You delivered a {other_product}|I was sent a {other_product}], [but I ordered the {product}|although I wanted the {product}|which I never ordered].
        [I never|I did not] [order|ask for|buy|want] [a {other_product}|this thing|what you sent], [it should be the {product}|I ordered the {product}|please take it back and send the {product}].
        The {product} [has another colour than|is in another colour than|differs from|does not match|is not the one on] [the picture|what I ordered|the description|order {order_id}].
        [The label says|The box says|It says] {product}, but [inside is a {other_product}|something else is in it|it is another thing].
        [Someone else's|Another customer's|A stranger's|My neighbour's] [order|parcel|goods] [came to me|was sent to me|landed at my door][, not order {order_id}|, and not my {product}|].
        [Delivered|Sent|Received] the wrong [thing|{product}|colour|size|article], [I ordered another one|order {order_id} says otherwise|that is not mine].
        [Your warehouse|Your packers|You] [confused|mistook|swapped|mixed up] [the articles|my {product} with a {other_product}|two orders|the parcels].
        I [asked for|chose|ordered] [the blue one|size M|the large one|the black version], [you sent red|you sent another|a different one came|and got the small one].
        [What is this|What am I to do with this|Why is there a {other_product}]? I [ordered|bought|paid for] the {product}.
        [Not the|Not my] {product} [was in the box|came|arrived], but [a {other_product}|another one|something quite different|some other thing].
        [The contents|What is in the box|The article] [do not match|does not match|is not what is on] [my order|order {order_id}|the invoice].
        You [have sent|sent|delivered] [an incorrect|a false|a different|the wrong] [article|item|product|model][ in order {order_id}| for the {product}|].
        [In order {order_id}|In my parcel|In the box] [was|there was|I found] the wrong [{product}|model|article|type].
        It [is the wrong|came in the wrong|has the wrong] [model|version|type|colour|edition] of the {product}, [I ordered another|not what I clicked|not as ordered].
        [There has been a mistake|There was a mistake|You made a mistake] [with order {order_id}|with my parcel|when packing]: [I got a {other_product}|it is not the {product}|another product came].
        [I expected|I was looking forward to] the {product} and [got|unpacked|found] [a {other_product}|something else entirely|another product].
        [That thing|This article|The {other_product}] [is not mine|does not belong to me|was not in my order], [I wanted the {product}|where is the {product}|order {order_id} was something else].
        [You swapped|Somebody swapped|It seems you swapped] [the labels|two parcels|my order with another's], [I have a {other_product} here|the {product} went to someone else|this is not order {order_id}].
        [Right box, wrong content|Wrong content|Wrong thing in the box]: [a {other_product}|not the {product}|something I did not order].
        [The {product}|The model] that [came|arrived|you sent] [is not the one I ordered|is another than I ordered|is for another machine|is the old version].
        [The number|The article number|The code] on the {product} [is not the one in order {order_id}|does not agree with my order|is a different one], [you sent the wrong one|so it is the wrong model].
        [How come|How is it that] [I got|I received|you sent] [a {other_product}|the wrong {product}|another model] [when order {order_id} says {product}|though I ordered something else|]?
        [Please collect|Please pick up] the [wrong|false] [article|{product}|parcel] [and send the right one|and send what I ordered|, it was not for me].
        """
    ),
    "damaged_item": wordings(
        """
        [Broken|Damaged|Smashed|Shattered] [on arrival|when delivered|in the post|in transit]: [the {product}|order {order_id}|my {product}].
        The {product} [fell apart|broke|got bent|got crushed|was squashed|was crushed] [on the way|during shipping|in the parcel|in transit].
        [When I opened|As I opened|On opening] [the parcel|the box|order {order_id}], [the {product} lay there in pieces|there were shards|the {product} had a hole|I saw cracks].
        [There is|There was|I found] a [hole|crack|dent|big scratch|chip|tear] in the {product}[ when it came| when I unpacked it| from the transport|].
        [The screen|The handle|The surface|The edge|The foot|The casing] of the {product} [is cracked|is scratched|is chipped|was broken off|is dented] [on delivery|right out of the box|as it came].
        [The post|The parcel service|The transport|Shipping|The carrier] [has ruined|damaged|destroyed|wrecked|broke] [my {product}|the {product}|order {order_id}].
        [The parcel|The box|The carton] [looked|was] [beaten up|dented|soaked|squashed|open], [the {product} got damaged|and the {product} has scratches|inside the {product} was broken].
        [Bad packing|Poor packaging|No padding in the box|Hardly any packing material]: the {product} [broke|arrived broken|has dents|is damaged].
        The {product} [reached me|came|was delivered|got here] [with dents|with scratches|with a broken corner|in two pieces|all bent|torn].
        [It rattles in the box|Something rattles|I hear glass rattling], [the {product} is broken|the {product} must have broken on the way|the {product} is in pieces].
        [Order {order_id}|My order|My delivery] [contains|came with|included] a [broken|damaged|dented|cracked|smashed|torn] {product}.
        [I want to report|I am reporting|I have to report|Please note] [transport damage|a damage|shipping damage|damaged goods] [on the {product}|for order {order_id}|].
        [Water|Oil|Something wet] [got into|leaked into|has soaked] [the parcel|the box], [the {product} is ruined|the {product} is stained|and the {product} is spoilt].
        [Part|One corner|A piece] of the {product} [has broken off|is broken off|was snapped off|is chipped] [in transit|in the box|when it arrived].
        [The paint|The finish|The cover] of the {product} is [scratched|peeling|torn|stained], [it came like that|it was so when it arrived|right from the parcel].
        [Brand new and already|New, but] [scratched|broken|dented|cracked|bent]: [the {product}|the {product} from order {order_id}].
        [Your courier|The driver|The postman] [threw|tossed|let fall|dropped] [the parcel|the box|order {order_id}], [and it broke|so the {product} is in pieces|now the {product} has a dent].
        I [attached|can send|took] [photos|pictures] of the [damage|broken {product}|dents|cracked {product}].
        [Who pays for|Who is liable for|What about] the [damage|transport damage|broken {product}][ in order {order_id}|]?
        The {product} is [visibly damaged|badly damaged|completely smashed|bent out of shape|torn open], [I cannot use it|please replace it|it must have happened on the way].
        [Everything|All|Half of what was] in [order {order_id}|the parcel] [was broken|was smashed|is damaged|was in shards].
        [Glass|Shards|Splinters] [everywhere|all over the box|in the parcel], the {product} [is broken|did not make it|shattered].
        [The {product} was not packed well|You packed the {product} badly] and [arrived with a crack|has a dent now|got scratched on the way|is broken].
        [Cracks|Scratches|Dents|Tears|Stains] [all over|on] the {product}[ that you sent| from order {order_id}| that came on {date}|].
        The {product} [was already broken|was already damaged|had been damaged|was cracked] [in the box|when the courier brought it|on delivery|before I touched it].
        """
    ),
    "defective_product": wordings(
        """
        The {product} [won't|does not|will not] [start|turn on|switch on|charge|heat up|run|react|work any more].
        [Nothing happens|Nothing moves|No light comes on] when I [press the button|switch on the {product}|plug in the {product}|turn on my {product}].
        [Out of nowhere|All of a sudden|Overnight|From one day to the next] [the {product}|my {product}] [quit|died|stopped|went dead|gave up the ghost].
        The {product} [overheats|smokes|leaks|crashes|freezes|hums loudly|flickers|smells burnt|vibrates badly].
        [I plugged it in|I charged it all night|I changed the batteries|I read the manual], [but the {product} stays dead|still the {product} does nothing|the {product} does not run].
        [My|The] {product} is [broken|kaputt|dead|out of order|not functioning|useless now][, after only a week| after two weeks of use|, it worked at first|].
        [Only a week|Barely a month|Three days|A few weeks] [after I bought it|of use|later], the {product} [broke down|failed|no longer runs|stopped working].
        [The motor|The switch|The battery|The screen|The fan|The pump|The sensor] of [my|the] {product} [failed|has failed|is faulty|burnt out|stopped working|makes odd sounds].
        [What can I do|What should I do|Any advice], [my {product} does not work|the {product} keeps crashing|the {product} has stopped|the {product} will not turn on]?
        [I have a problem|I have trouble|I am having trouble|There is a problem] with [the {product}|my {product}], it [keeps turning off|does not do anything|does not work properly|works only sometimes].
        The {product} [works only now and then|works one day and not the next|switches itself off after a minute|stops after five minutes|runs for a moment and stops].
        [A technical fault|A malfunction|A technical problem|A defect] [in the {product}|of the {product}|has appeared in my {product}].
        [How do I fix|Can one fix|Is there a way to repair|Can you fix] [the {product}|my {product}], it [does not turn on|is not working|has broken down]?
        [The {product} I bought|My {product}, bought|The {product}, bought] on {date} [is already broken|does not function|has stopped working|is not working any more].
        It [used to work|worked fine|was fine] [at first|until yesterday|for a few days], [now the {product} is dead|but the {product} does not start any more|then the {product} failed].
        The {product} [shows an error code|displays an error|blinks red|beeps all the time|shows nothing on the display] [and will not start|and does not work|].
        [Poor quality|Bad quality|Cheap workmanship]: [the {product} broke after a week|the {product} failed at once|the {product} stopped running after two days].
        [Even after|After] [a reset|several restarts|many attempts|changing the battery] the {product} [does not work|is still dead|will not run|fails].
        [Faulty|Defective|Not working|Out of order]: [my {product}|the {product}|the {product} from order {order_id}].
        The {product} [cannot be switched on|cannot be used|can no longer be charged|cannot be turned off|refuses to start].
        I [used|tried|started|switched on] the {product} [once|twice|for the first time], and [it broke|it stopped working|it gave up|there was a bang].
        [The {product} does not do what it should|The {product} does not work as it should|The {product} does not work as described|The function of the {product} is impaired].
        [Is my {product} defective|Could my {product} be faulty|Do I have a faulty {product}]? It [makes grinding noises|loses power quickly|does not get warm|shuts down by itself].
        [Smoke|Sparks|A burning smell|Strange noises] [came|come] [out of|from] the {product}[ when I used it|, it is unusable now|].
        My {product} [has packed up|conked out|is not responding|keeps breaking down|acts up][, please help| again|, what now].
        """
    ),
    "return_request": wordings(
        """
        [May I|Could I|Am I allowed to|Is it possible to] [send back|return|give back|bring back] [the {product}|order {order_id}|what I bought]?
        [The {product} is not for me|The {product} is not what I hoped|I do not need the {product} after all|The {product} does not please me], [I want to send it back|how do I return it|I would like to return it].
        [How many days|How long|How much time] do I have to [send back|return] [the {product}|order {order_id}|goods]?
        [I would like|I wish|I intend|I plan] to [give back|return|send back] [the {product}|order {order_id}|my purchase][, please tell me how|, what must I do|].
        [A return slip|A return form|The return papers|A return sticker|A prepaid label|The return label] [for order {order_id}|for the {product}|] [is needed|please|was not in the parcel|is missing].
        [Who pays|Do I pay|Do you pay] [the postage|for the return|the return shipping|for sending back the {product}]?
        [Which way|In what way|How] [does returning|do returns|does a return] work [at your shop|with you|for order {order_id}|for the {product}]?
        [Where|To what address|To whom] [must I post|shall I send|do I ship|do I bring] [the return|the {product} I do not want|the {product} to return it]?
        [Please take back|Please take|Take back|Will you take back] [the {product}|order {order_id}|what you sent][, I do not want it|, I have no use for it|, it is unused].
        The {product} is [unused|unopened|still sealed|as new|in its box], [can I return it|I would like to send it back|I want to give it back].
        [Return|Returning|Sending back] [of order {order_id}|order {order_id}|the {product}]: [what do I have to do|how does it work|please send a label].
        [I do not want to keep|I am not going to keep|We will not keep|I cannot keep] [the {product}|order {order_id}], [how can I return it|please arrange the return|I am sending it back].
        [Can your driver|Can a courier|Can somebody|Will you] [collect|pick up|fetch] [the {product}|the return|order {order_id}], [I am returning it|I want to send it back|as I am giving it back]?
        [Can I hand in|Can I bring|May I drop off] [the return|the {product}] [at your shop in {city}|at the post office|in one of your shops][ to return it|]?
        [It was a gift|It was a present], and [I do not like it|I have one already], [so I want to return the {product}|can the {product} be returned|how do I send back the {product}].
        [Is the {product}|Are sale goods|Is an opened box] [excluded from returns|returnable|possible to return]?
        [The time for returns|My return period|The return deadline|The return window] [for order {order_id}|] [ends on {date}|is nearly over|has not passed], [so please send a label|I want to send it back|I would like to return the {product}].
        I [registered|announced|requested] a return[ of the {product}| for order {order_id}|], [but got no label|what now|how do I go on].
        [The {product} disappoints me|The {product} is a disappointment|The {product} looks different than I thought], [I am sending it back|back it goes|I want to return it].
        [What are the conditions|What are the rules|What is the procedure|What steps are there] for [returning goods|a return|returning the {product}]?
        [Have you received|Did you get|Has] my return[ of the {product}| for order {order_id}|][ arrived|]?
        [I lost|I threw away|I no longer have] [the box|the original packaging|the return label], [can I still return the {product}|how do I return the {product} now].
        I [would like to make|want to start|want to arrange|need to organise] a return [for order {order_id}|of the {product}|].
        [Within the fourteen days|Within the return period|In time], I [return the {product}|send back order {order_id}|give the {product} back].
        [Print|E-mail|Mail|Post] me [a return label|the return form|the label for the return][ for order {order_id}|], please.
        """
    ),
    "exchange_request": wordings(
        """
        [I would like|I want|I need] [the {product}|it|the same thing] in [another size|a bigger size|a different colour|blue|black|size L], [can we swap|please exchange it|can you exchange it].
        [Instead of|In place of] the {product} [I would like|I would rather have|I want] a {replacement}, [can you exchange it|is a swap possible|please exchange].
        [Would you|Could you|Can you|Will you] [exchange|swap|replace|trade|change] [the {product}|my {product}] [for|with|against] [a {replacement}|another model|a smaller one|one that fits]?
        The {product} is [too tight|too large|too long|too short|too wide|a size too small], [I need the next size|could I get another size|please send me a larger one in exchange].
        [An exchange|A swap|A trade] [would be nice|is what I want|please]: [the {product} for a {replacement}|my {product} against another one|order {order_id} in another size].
        [I would be glad to|I would love to|I hope I can|I was hoping to] [exchange|swap|trade] [the {product}|it|order {order_id}] for [a {replacement}|another size|another colour|something bigger].
        [How does an exchange work|How do exchanges work|How can I exchange something|What do I do to exchange the {product}]?
        [Can I change|Could I change|May I change] the {product} [for|into|against] [a {replacement}|another colour|the bigger one|a different model]?
        [Please replace|Replace|Please change] the {product} [by|with] [a {replacement}|one in red|a smaller size|the other model].
        [Wrong size|The size is wrong|The size does not fit]: [please exchange the {product}|can I swap it for a larger one|I want to change it for the next size].
        I [picked|ordered|took|chose] the {product} in [the wrong size|green|medium|the wrong colour], [can you swap it|I would like to exchange it|may I exchange it].
        The {product} [does not suit me|does not match my sofa|does not go with the rest|is not my size], [I would like a different one|I want to trade it|could I have the other colour instead].
        [My daughter|My husband|My wife|My mother] [would rather have|prefers|wants] [a {replacement}|another colour|the other model], [can I exchange the {product}|please swap the {product}|is an exchange okay].
        [Is it okay|Is it allowed|Would it be all right|Is there a chance] to [swap|exchange|trade] [the {product}|order {order_id}] for [a {replacement}|another size|a different one]?
        [I do not want my money back|No refund], [I want another size|I want to swap the {product}|just an exchange for a {replacement}].
        [Take|Please take] [the {product}|it] back and [give|send] me [a {replacement}|a bigger one|the other colour] [for it|instead|in exchange].
        [Exchange|Swap|Trade] [for order {order_id}|wanted|please]: {product} [to|against|for] [{replacement}|a larger size|another colour].
        [Do I have to pay|Does it cost extra|What does it cost] [to exchange|to swap|if I exchange] [the {product}|the {product} for a {replacement}|order {order_id}]?
        I [received it as a gift|got the {product} as a present], [can I exchange it|may I swap it for a {replacement}|I would like to exchange it for something else].
        [The {product} is fine|The {product} is nice|I like the {product}], but [I need it bigger|I want it in another colour|the size is wrong], [can we exchange it|please swap it].
        [Send me|Please send me] [a {replacement}|the larger one|the right size] [and I send back the {product}|in exchange for the {product}|and take the {product} back].
        [Where|In which shop|To which address] [can I|do I|should I] [exchange|swap|change] [the {product}|order {order_id}|it for another size]?
        [I would like to upgrade|I want to upgrade|Can I upgrade|Can I switch] [from the {product} to a {replacement}|the {product} to a {replacement}|to the bigger model and give back the {product}].
        [Could it be|Can it be|May it be] [exchanged|swapped|replaced by another|changed for a larger one], [the {product}|the {product} from order {order_id}]?
        [We would like|I should like] to [have the {product} exchanged|swap sizes|trade in the {product}][ for a {replacement}| for a different colour|].
        """
    ),
    "warranty_claim": wordings(
        """
        [Do I|Does my {product}|Does it] still have [a warranty|a guarantee|warranty cover|any guarantee]?
        [How many years|How many months|How long] [of warranty|of guarantee|does the warranty run|is the guarantee] [do I have|are there|] [on the {product}|for the {product}]?
        I [would like to|want to|need to|must] [claim under|invoke|make use of|use|call on] the [warranty|guarantee][ for the {product}| of my {product}|].
        [The {product} broke|My {product} failed|The {product} stopped working] [within the warranty|during the guarantee period|before the warranty ended], [so please repair it|I ask for a free repair|I claim the guarantee].
        [Is this|Is that|Is such a thing] [a warranty case|covered|a case for the guarantee|under guarantee]? The {product} [is from {date}|is one year old|broke].
        [When does|When did|When will] the [warranty|guarantee|warranty period] [on|for|of] [the {product}|my {product}] [end|expire|run out]?
        [Free repair|A free replacement|Repair free of charge|A new {product}] under [the warranty|the guarantee|my warranty], please.
        [The manufacturer|The maker|The brand|Your shop] [gives|promises|grants] [two years|three years|five years] of [warranty|guarantee] on the {product}, [I want to use it|how do I claim it|does it still hold].
        [My warranty|The guarantee|The warranty claim] [was refused|was turned down|was rejected] [for the {product}|although it is only a year old|], why?
        [Where|To whom|How] do I [register|file|submit|send|report] [a warranty claim|a guarantee claim|the {product} for warranty|a claim under warranty]?
        [Bought|Purchased] on {date}, [the {product} must still be under warranty|so the {product} has a guarantee|is the {product} still in the guarantee period].
        [What is covered|What does the warranty cover|What does the guarantee include|What falls under the warranty][ for the {product}|]?
        [Warranty|Guarantee] [for the {product}|on my {product}]: [how long|is it still valid|how do I claim|what do I need].
        [Do I need|Is] the [receipt|invoice|original box] [necessary|needed] [to claim the warranty|for a warranty claim|for the guarantee] [on the {product}|]?
        I [lost|no longer have|cannot find] the [receipt|warranty card|guarantee certificate] [of the {product}|for the {product}], [is the warranty still valid|do I still have a guarantee|can I claim anyway].
        [Can I extend|Do you offer|Is there|Could I buy] [an extended warranty|a longer guarantee|more years of guarantee|an extra warranty] [for the {product}|on the {product}]?
        [Please check|Please look up|Can you check|Could you see] [whether my {product} is under warranty|if the guarantee still covers the {product}|the warranty of the {product}].
        The {product} [is two years old|is still new|is from {date}], [surely the warranty covers it|does the warranty apply|the guarantee should cover the repair].
        I [expect|demand|ask for|request] [a repair|a replacement] [under the warranty|as the guarantee says|within the guarantee|because the {product} is under warranty].
        [The guarantee|The warranty] [on|of|for] the {product} [has not expired|is still valid|still runs|runs until {date}], [please honour it|so it is your turn|so repair it].
        [Making|Opening|Starting] a [warranty claim|guarantee case|warranty case] [for the {product}|for my {product}|for order {order_id}].
        [Who handles|Who takes care of|Who is responsible for] [warranty claims|guarantee repairs|the warranty of the {product}]?
        [Does water damage|Does a broken screen|Does a worn battery|Does this fault] [count as warranty|fall under the guarantee|fall under the warranty|void the warranty][ of the {product}|]?
        [Legal|Statutory] [warranty|guarantee]: [the {product} is defective within two years|I want my {product} repaired|you have to repair the {product}].
        [I registered|I never registered|Must I register] the {product} for the [warranty|guarantee], [does it count|is it valid|is that a problem]?
        """
    ),
}
