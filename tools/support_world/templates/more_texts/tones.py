# ruff: noqa: E501 - a template stays on one line
"""More greetings, closings, courtesy, rudeness and urgency."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["CLOSINGS", "GREETINGS", "POLITE", "RUDE", "SMALL_TALK", "URGENCY"]

GREETINGS = {
    "polite": wordings(
        """
        [Dear|Hello] [colleagues|ladies and gentlemen|shop team|service desk|friends at the shop],
        [A good day to you|Warm greetings|Greetings from a happy customer|Good day to the whole team][,|!]
        Hello, [thanks for reading this|nice to write to you|I hope your week started well].
        Dear [Sir|Madam|Sirs|Sir/Madam|Madam or Sir|Sir and Madam],
        Dear [customer care|customer support|helpdesk|sales|service|order] [team|department|staff],
        Dear [friends|people|folks|ladies|gentlemen|helpers] [at customer service|in the support team|of the service desk|at your shop],
        [A very|A wonderful|A lovely|A beautiful] good [morning|afternoon|evening|day] to [you|you all|everyone|the team][,|!]
        [Good morning|Good afternoon|Good evening|Hello] and [thank you|thanks|many thanks] for [taking the time to read this|your time|reading my message][,|.|!]
        [Hello|Good morning|Dear all], I [trust|hope] you are [keeping well|in good health|having a pleasant day|all fine][.|,]
        [Hello|Hi|Dear team], [I do hope|I hope|we hope] you had a [nice|lovely|relaxing|pleasant] [weekend|start to the week|holiday][.|!]
        [Hi|Hello|Dear support], [sorry|so sorry|apologies|I am sorry] to [bother|trouble|disturb|interrupt] you[.|!|, I know you are busy.]
        [Excuse me|Pardon me|Forgive me] for [writing to you|disturbing you|the interruption|contacting you out of the blue][,|.]
        [Esteemed|Valued|Honoured|Highly esteemed] [team|ladies and gentlemen|colleagues|support staff],
        [Respected|Honourable|Most respected] [Sir|Madam|Sir or Madam|team],
        [Warm|Kind|Cordial|Friendly|Heartfelt] [greetings|wishes] to [you all|the whole team|everyone at the shop|all of you][,|!|.]
        [Hello|Hi|Good day] to [the lovely people|the kind people|the friendly people|the nice people|the wonderful team] [at your shop|in support|at the service desk][,|!]
        [Hello|Hi|Good morning], [how are you|how are you all|how are you doing|how is everyone] [today|this week|over there]?
        I hope [this message|this mail|this email|my note|this letter] [reaches you in good health|finds you in good spirits|finds you and your families well][.|,]
        I hope [you do not mind my writing|I am not disturbing you|it is all right to write to this address|I have come to the right place with my request][.|,]
        [Hello|Hi|Good day], it is [always|again|really] a pleasure to [write to you|be in touch|hear from you|deal with you][.|,|!]
        [First of all|To begin with|Before anything else|Let me start by saying]: [thank you|many thanks|a big thank you] for your [great|kind|excellent|friendly] [service|support|work][.|!]
        [Hello|Dear team|Hi everyone], [may I ask for a moment of your time|could I trouble you for a moment|might I ask you a favour|could you kindly help me]?
        [Hello again|Hi again|Good day again], and [thank you|thanks so much|many thanks] for [your kind reply|the friendly answer|your patience so far|getting back to me][,|.|!]
        [Thank you|Thanks|Many thanks] for [being there for us|your wonderful work|all you do|your kind message|your friendly note][,|.|!]
        [Best|Kindest|Warmest|Good] wishes to [the team|you|everybody there|your colleagues][,|.|!]
        [Wishing you|I wish you|We wish you] a [good|pleasant|happy|sunny|successful] [morning|day|week|start to the day][,|.|!]
        To the [kind|helpful|friendly|dear|hard-working] [people|person|colleague|soul] [reading this|who opens this mail|at the other end|in customer care],
        Dear [reader|helper|colleague|friend|service person], [how nice that you read this|thank you for opening this mail|I hope you are well][.|!|,]
        [Delighted|Glad|Happy|Pleased] to [be in touch with you|write to you again|make your acquaintance|contact your team][,|.|!]
        [Nice|Lovely|Good|Great] to [meet you|be in contact|hear from your team|have found your address][, and hello to all|][,|!]
        Dear [all|everyone|team], [please accept my apologies for|please excuse|kindly forgive|do forgive] [this late mail|my long message|the disturbance][.|,]
        With [great respect|all due respect|sincere appreciation] I [turn|write] to [you|your team|your service] [today|with a request|with a small matter][.|,]
        [Good morning|Good evening|Hello], dear [people|friends|team|support|all][!|,| of the service desk,| in the shop,]
        [Hello|Hi|Greetings], you [lovely|wonderful|kind|helpful|great] [people|team|bunch|folks][!|,]
        As a [happy|grateful|satisfied|loyal|very content] customer I [greet you|say hello|wish you a good day|send you my greetings][.|!]
        Hello [and good day|and best wishes|and greetings], [if I may|with your permission|if you allow], [a small request|a humble question|a little favour][.|,]
        [Hi|Hello|Good day]! [You helped me so kindly last time|Your team has always been so nice|Everyone praises your friendly service][.|!|, thank you.]
        [Thanks|Thank you] [in advance|already|ever so much] for [your attention|your help|your kind support|hearing me out], and [hello|good day|a good morning][!|,|.]
        """
    ).train,
    "neutral": wordings(
        """
        [Hey|Hi all|Service team|Customer care|For the attention of customer care][,|:|]
        [Topic|About|Matter]: [purchase|your shop|an order|my request]
        [Hi|Hello|Hey] [again|all|everybody|folks|guys][,|.|!]
        [Morning|Afternoon|Evening|Day|Hiya|Hullo][,|!|.]
        [Hello|Hi|Hey|Morning] [support|service|sales|customer service|helpdesk|shop][,|.|!]
        [Good day|Greetings|Salutations|Howdy|Hello hello][,|.|!]
        To [customer service|the support team|the service desk|the sales department|the office|your department][,|.]
        Attention: [customer service|sales|support|the order desk|the front office]
        [Attn.|Attn|FAO|For] [support|sales|customer service|the service desk|accounts][,|.]
        Subject: [an order|a purchase|my account|an enquiry|a request|a message for support]
        Subject - [question for support|request from a customer|my last purchase|something about your shop]
        [Re:|RE:|Re.|Fwd:] [your mail|your message|our conversation|my enquiry|our call]
        [Reference|Ref.|Regards|With regard to]: [my purchase|our phone call|your website|the matter below]
        [Message|Note|Mail|Request|Enquiry] [for|to] [support|customer service|the shop|the team][.|,]
        [This is a message|This is a request|This is a mail|Here is a note] [for|to] [customer service|the support desk|the shop][.|,]
        I am [writing|contacting you|getting in touch|mailing] [about|regarding|concerning|with regard to] [an order|a purchase|the following|something in your shop][.|,]
        [Writing|Mailing|Getting in touch|Reaching out] [about|because of|regarding] [an order|my purchase|the matter below|something you sell][.|,]
        [Hi|Hello|Hey], [me again|it is me again|it's me|a customer here|customer here][.|,|!]
        [Hi|Hello|Hey], [quick question|short question|a question|one question|small thing][.|,]
        [Question|Request|Info|Message|Query] from [a customer|a buyer|one of your customers|a user][.|,]
        [Hello|Hi], [I have|I've got|there is|here is] [a question|a request|an issue|a matter] [for you|for support|for the team][.|,]
        [Hello|Hi|Morning], [following up on|coming back to|going back to] [my last mail|our call|my message|what I wrote before][.|,]
        [In reply to|In response to|Further to|Referring to|As a reply to] your [mail|message|letter|email][,|.]
        [As discussed|As agreed|As announced] [on the phone|in the shop|in the chat|by telephone][,|.]
        Is this [the right address|the right inbox|the address] for [customer service|questions|support|such requests]?
        [Anyone|Anybody|Someone] [there|in support|at the desk|on duty]?
        [Department|Team|Recipient|Addressee]: [support|customer service|sales|orders]
        [Category|Type|Kind|Reason for contact]: [question|request|message|other|general]
        [Hello|Hi|Hey] from [a customer|a buyer|a user|a reader of your newsletter|one of your customers][.|,|!]
        [Hello|Hi|Greetings] [shop owner|shop|store|company|online shop|customer department][,|.|!]
        [So|OK|Well|Right], [here is my case|this is what it is about|this is about my purchase|here is the story][.|,]
        [Hello|Hey|Hi], [here are the details|details below|see below|here is what happened|the facts are below][.|,]
        """
    ).train,
    "rude": wordings(
        """
        [Oi|So|Right then|Wake up|Now read this][,|!]
        [To whoever is asleep there|To the so-called support|Dear incompetents],
        [Listen|Look|Hear me|Pay attention], you [idiots|clowns|fools|morons|amateurs|crooks][,|!|.]
        To the [clowns|fools|idiots|amateurs|muppets|jokers] [who run this shop|in customer service|at your company|who read this][,|.|!]
        Dear [clowns|crooks|liars|thieves|fools|time-wasters][,|!]
        [Hey|Oi|Yo], [morons|you lot|dimwits|geniuses|you clowns|sleepyheads][,|!]
        [Hello|Hello again|Good morning], [you useless bunch|you bunch of crooks|you lazy lot|you hopeless people|you liars][,|!]
        [Is anybody awake|Is anyone alive|Does anyone work|Is there a brain] [there|at your company|in that shop|in that office of yours][?|?!]
        [Have you|Have you lot|Have you people] [lost your minds|gone mad|completely lost it|gone crazy|no shame][?|?!]
        [Are you|Are you lot|Are you people] [deaf|blind|mad|out of your minds|kidding me|having a laugh][?|?!]
        What [on earth|the hell|the heck|in the world] [is wrong with you|are you doing there|do you think you are doing|is going on in that shop][?|?!]
        [Wow|Bravo|Congratulations|Well done|Great job|Oh great], [you messed up again|you failed again|another disaster|what a mess|what a shambles][.|!]
        [Thanks|Thank you|Cheers] for [nothing|ruining my day|wasting my time|another disaster|absolutely nothing][.|!]
        [Shame|Shame on you|You should be ashamed|Disgraceful|Disgusting][, all of you|, the lot of you|][.|!]
        [I have had it|I am done|I am fed up|I am through|I am sick and tired] with [you|you people|you lot|this rotten shop|your nonsense][.|!]
        So, [you still|you lot still|you really] [think you can fool me|have not woken up|think this is funny|believe I am stupid][?|?!]
        [Enough|Enough is enough|That does it|That is it|This is the last straw], you [crooks|liars|amateurs|clowns][.|!]
        To the [laziest|worst|dumbest|rudest|most useless] [shop|company|support team|service] [I know|in the country|on the planet|of all time][,|.|!]
        [A message|A few words|This mail is] for the [lazybones|incompetent|fools|good-for-nothings|idiots] [of your support|in your office|at the other end][,|!|.]
        [Wake up|Get up|Open your eyes|Stop snoring|Put down your coffee], [you sleepyheads|you lazy lot|people|support][!|, it is about time!]
        [What kind of|What sort of] [joke|circus|rubbish|madhouse|garbage] [company|shop|outfit] [is this|are you running|do you call this][?|?!]
        I [cannot|can't|do not|don't] believe how [stupid|dumb|incompetent|useless|lazy] [you are|you people are|your staff is|this shop is][.|!]
        [Subject|Re|Topic]: [your pathetic service|your incompetence|your lies|the worst shop ever|your idiotic staff]
        [Really|Seriously|Honestly], you [clueless|brainless|hopeless|miserable|spineless] [people|amateurs|bunch|lot][?|!|?!]
        [Not again|Again|Oh no, you again|Here we go again], you [had one simple job|never learn anything|fail every time|mess up everything][.|!]
        [For crying out loud|For heaven's sake|For God's sake|Damn it|Good grief|Bloody hell][,|!]
        You [are|must be] [joking|out of your mind|kidding|taking the mickey|insane|dreaming][.|!|, you fools.]
        [Now you listen to me|You had better read this|Read this slowly so that you get it|Get this into your thick heads][.|!|,]
        [Spare me|Save me|Do not send me|Keep] your [usual lies|stupid excuses|fake smiles|copied phrases|robot answers][.|!|, you hypocrites.]
        [Hey|Hello|Well], [so-called experts|great masters of nothing|kings of excuses|champions of failure|genius team][,|!]
        [Who|What fool|What idiot|Which clown|What genius] [is in charge there|runs your shop|hired you people|is responsible for this mess][?|?!]
        [No greeting|No hello|No kind words] [for you|this time|today], you [do not deserve it|have not earned it|know why, crooks][.|!]
        """
    ).train,
}

CLOSINGS = {
    "polite": wordings(
        """
        [Thanks ever so much|Thank you for your time and effort|With sincere thanks|Have a lovely weekend|You are very kind][,|.|!]
        [Many thanks and best regards|Warmly|Respectfully yours|Yours truly],
        [Thank you|Many thanks|Thanks a million|Thanks so much] for your [kind|friendly|valuable|generous] [support|assistance|attention|cooperation|advice][.|!]
        [With|Sending] [kind|warm|friendly|cordial|warmest|kindest] [regards|greetings|wishes][,|.]
        [Yours|Very truly yours|Sincerely yours|Faithfully yours|Yours faithfully|Most sincerely yours][,| and with many thanks,| and with gratitude,]
        [I look forward|We look forward|Looking forward] to [hearing from you|your kind reply|your friendly answer|your response].\\n[Kind regards|Yours sincerely|Best wishes|Warm regards],
        [Thank you|Thanks] for [your understanding|your patience|being so patient|bearing with me|your consideration][.|!]\\n[Best wishes|Kind regards|Sincerely],
        I [would be|will be|am] [very grateful|most grateful|much obliged|deeply thankful|truly thankful] for [your help|a short answer|any advice|your support][.|!]
        [Have|Enjoy|I wish you|Wishing you] a [nice|great|wonderful|pleasant|beautiful|lovely] [day|week|evening|weekend][!|.|, and thank you.]
        [Have|Enjoy] a [nice|great|pleasant|sunny] [day|weekend|evening][!|.]\\n[Kind regards|With best wishes|Warmly|Yours],
        [Please accept|Do accept] my [apologies|sincere apologies|excuses] for [the trouble|the extra work|any inconvenience|the long mail].\\n[Sincerely|Respectfully|Kind regards],
        [Sorry|So sorry|Very sorry|Apologies] again for [the trouble|the bother|the mix-up|any inconvenience|disturbing you], and [thank you|thanks|many thanks][.|!]
        [Keep up|Please keep up|Do keep up] the [good|great|excellent|fantastic|wonderful] work[!|.]\\n[All the best|Warm regards|Best wishes],
        [Take care|Take good care|Stay well|Stay healthy|Be well][, and thank you| and many thanks| and thanks again][.|!]
        [Thanking you|Thanking you all] [in advance|in anticipation|for your kind help|for your time and trouble][,|.]
        [Thank you|Thanks|Many thanks] [again|once more|once again] for [everything|all your help|your kindness|your trouble][.|!]
        [Much|Greatly|Truly|Very much|Deeply|Highly] appreciated[!|.|, thank you!|, dear team!]
        [Any help|Any advice|A short reply|Your support|A few kind words] would be [greatly|much|very much|highly] appreciated[.|, thank you.]
        [Please|Kindly|Do] [let me know|tell me|write to me] if I can [be of help|help in any way|do anything from my side|make this easier for you].\\n[Kind regards|Best wishes|Many thanks],
        [Please|Do|By all means] feel free to [contact|ask|call|write to] me [if anything is unclear|if you need more details|with any question].\\n[Kind regards|Sincerely|With thanks],
        With [gratitude|deep gratitude|sincere appreciation|heartfelt thanks|great respect and thanks][,|.]
        [My|Our] [best|warmest|kindest|sincere|heartfelt] [regards|wishes|thanks] to [the team|you and your colleagues|you all|everyone there][.|!]
        [Give|Please give|Pass on|Please pass on] my [thanks|regards|compliments|best wishes] to [the team|your colleagues|everybody|your staff][.|!]
        [God bless|Bless you|Bless you all|All good wishes|Every good wish][, and thank you|][.|!]
        You are [the best|wonderful|a star|a gem|amazing|angels|lifesavers][!|, thank you!|. Thanks so much!]
        I [thank|already thank|sincerely thank|warmly thank] [you|you all|your team|you and your colleagues] [for your help|in advance|from the bottom of my heart|very much][.|!]
        [Hoping|I am hoping|We are hoping] for [your understanding|your kind help|a kind reply|your support], [with kind regards|with many thanks|yours sincerely|warmly yours].
        [I hope|I do hope|Hopefully] [this is not too much trouble|that is all right with you|this does not cause you extra work|I did not bother you too much].\\n[Thank you kindly|Best wishes|Kind regards],
        It [is|was|is always|has always been] a [pleasure|joy|delight] [to be your customer|to deal with you|doing business with you|to shop with you].\\n[Warm regards|Yours|All the best],
        [Thanks|Thank you] for [reading|listening|hearing me out|your attention|taking care of this], [it means a lot|I really appreciate it|I value that very much|that is very kind][.|!]
        [Have a good one|All the very best|Best of luck|Much love|Warm hugs], and [thank you so much|thanks a million|many thanks|thanks ever so much][!|.]
        [Thank you|Thanks|Many thanks], [dear team|dear support|you kind people|my friends|dear all][!|.]\\n[Yours truly|Your grateful customer|Warm greetings|Cordially],
        [Yours|Your|Always your] [happy|loyal|faithful|grateful|thankful] customer[,|.| with many thanks.]
        [With|I send] [all good|all my best|my very best|kind] wishes for [you|the whole team|you and your families|the coming season][,|.]
        [May I thank you|Let me thank you|I want to thank you|I would like to thank you] [in advance|already now|once again|very warmly] for [your help|your effort|looking into it].
        [If you could help|If you could look into it|If you could let me know], I would be [so happy|very glad|really grateful|delighted].\\n[Thank you|Kind regards|Sincerely yours],
        [Respectfully|Gratefully|Cordially|Most sincerely|Very sincerely|With respect][,|.| and with thanks,| yours,]
        """
    ).train,
    "neutral": wordings(
        """
        [Bye|See you|So long|Greetings|Talk soon|BR][,|.|]
        [That is all|That was it|More I do not need|Over to you].\\n[Greetings|Regards],
        [Ok thanks|OK, thanks|Right, thanks|Thanks, bye|Thanks and bye|Thanks and regards][.|,]
        [Regards|Rgds|Rgrds|Greetings|Greets][,|.| from here.]
        [Bye|Bye for now|Goodbye|Bye bye|See you later|Until then|Later][.|,|!]
        [Ciao|So long|Take it from there|Speak soon|Until next time|Talk later][.|,]
        [That's all|That's it|This is all|That is everything|Nothing else|End of message][.| from me.| for now.| for today.]
        [I await|Awaiting|I am awaiting|I expect] [your reply|an answer|your response|your feedback|a reply][.|]\\n[Regards|Best|Thanks],
        [Reply|Answer|Respond|Write back] [by mail|to this address|here|by email][.|, thanks.|. Thanks.]
        [Tell me|Let me know|Write to me|Inform me] [what you think|how this goes on|what comes next|what the result is|how you decide].
        [Tell me|Let me know] if [anything is missing|you need more information|something is unclear|you need something else].\\n[Regards|Best|Cheers|Thanks],
        [Confirm|Please confirm|A confirmation is enough|Send a confirmation][ by mail.|.]\\n[Regards|Best|Thanks|Cheers],
        [Over|Over and out|The end|Done|End|Full stop][.|, that was my message.|, regards.]
        [Sent from|Written on|Typed on] my [phone|tablet|mobile|computer|laptop].
        [I hope|Hope] [this is clear|that helps|this is enough information|that explains it][.|, bye.|, regards.]
        [What do we do now|What happens next|What is the next step|What should I do now|How do we go on]?\\n[Regards|Thanks|Best],
        [Waiting|I wait|I'll wait|I am waiting] for [your message|news|your answer|a reply|feedback][.|, bye.|, regards.]
        [I will|I'll] [check my mail|look out for your reply|wait for your mail|read your answer here].\\n[Regards|Bye|Best|Cheers],
        [See|Read|More in|For details see] the [message|text|lines|details] above[.|. Regards.|. Bye.]
        [Hear from you|Hear you|See you|Talk to you|Speak to you] [soon|later|then][.|,|!]
        [Signed|Sent by|Written by|From|Regards from] [the customer|a customer|the buyer|the account holder].
        [I have|There is] [nothing|no more|nothing else] to [add|say|report][.|. Bye.|. Regards.]
        [Over to you|Your turn|It is your turn now|The ball is in your court|I leave it to you][.|, bye.|. Regards.]
        [Can you|Could you|Will you|Do you] [confirm|confirm that|confirm this|answer by mail]?\\n[Thanks|Regards|Best|Cheers],
        [Keep me posted|Keep me informed|Keep me updated|Get back to me][.|, thanks.|, bye.]
        [Rest|More|The rest|Details|Further details] [by phone|when we talk|in the next mail|on request|when you need it][.|, regards.]
        [Please|Just] [get back to me|reply|send a short note|drop me a line][.|]\\n[Regards|Cheers|Best|Bye],
        [What is your answer|What do you say|What do you suggest|Is that possible|Does that work|OK for you]?\\n[Regards|Bye|Best],
        [Thx|Tnx|Thanx|Ta|Tks][,|.| and bye.| and regards,]
        [I would like|I want|I expect] [to know the result|an answer by mail|a reply|to hear how it goes on].\\n[Regards|Bye|Best],
        [You have|You now have|There you have] [all the details|everything|the whole story|all the information][.|. Regards.|. Bye.]
        [That was|That is|This was|This is] [my question|my message|my request|the matter|the whole story][.|. Regards.|. Thanks.]
        """
    ).train,
    "rude": wordings(
        """
        [Shame on you|You disgust me|What a circus|I am sick of you][.|!]
        [Move it|Get off your chairs|Do something for once|Stop sleeping][.|!]
        [I hope|I really hope|Let us hope] [you go bankrupt|you all get fired|your shop goes bust|you choke on your excuses|nobody ever buys from you again][.|!]
        [Get lost|Go away|Go to hell|Drop dead|Get stuffed|Good riddance][.|!|, all of you.|, you crooks!]
        [Thanks|Thank you|Cheers] for [nothing|nothing at all|the worst service ever|wasting my day|all the lies][.|!]
        [You will|You'll|You are going to] [regret this|be sorry|pay for this|hear from my lawyer|see me in court|get what you deserve][.|!]
        I [will|shall|am going to] [tell everyone|write a terrible review|warn all my friends|report you|expose you][, you crooks|, you liars|][.|!]
        [Learn|Go and learn|Why not learn] [your job|some manners|to read|how to run a business|basic decency][.|!]
        [Never|Not ever|Never ever] again[!|.| with you people.| with this rotten shop.| at this circus.]
        [No regards|No kind regards|No greetings|Without regards|No thanks], [you do not deserve any|not after this farce|not for people like you|not for liars].
        [Angry|Disgusted|Furious|Fed up|Utterly disgusted|Appalled],\\n[a former customer|your ex-customer|someone you cheated|the one you made a fool of].
        [A very angry|An extremely annoyed|A furious|A deceived|Your former] [customer|buyer|client][!|.| who is sick of you.]
        [Pull yourselves together|Get yourselves a brain|Drag yourselves out of bed|Get off the sofa|Earn your pay][.|!|, you fools!|, you lazy lot!]
        [Now|So|Well], [do something|get to work|do your damn job|use your brains|move your lazy backsides][.|!| for a change.]
        [Find|Look for|Get yourselves|Try] [another job|a job you can do|work that needs no brain|some other trade][.|!|, you amateurs.]
        [Close|Shut|Just close] [your shop|the place|your pathetic company|this rotten business] [down|for good][.|!| and spare us all.]
        [You are|You people are|You lot are] [a joke|a disgrace|the worst|a waste of space|an insult to customers|beyond help][.|!]
        [Pathetic|Disgraceful|Shameful|Laughable|Appalling|Embarrassing][.|!|, all of it.|, simply that.]
        [Clowns|Crooks|Liars|Thieves|Morons|Amateurs|Losers][.|!|, the lot of you!|, all of you.]
        [And do not|Do not|Don't] [dare|even try|bother] to [send me another excuse|lie to me again|ignore me|answer with your usual rubbish][.|!]
        [Spare me|Keep|I do not want] [your excuses|your hypocrisy|your fake apologies|your blah blah|your empty phrases][.|!]
        [Is that|Was that|Is this] [too hard|too difficult|too much|too complicated] for [you|your tiny brain|your sleepy team|such great experts][?|?!]
        [Have you|Have you lot|Have you finally] got [that|it|the message] [into your thick heads|through your skulls|into your tiny brains][?|?!|, you sleepyheads?]
        [One more|Another] [mistake|lie|excuse|stupid reply] and [I call my lawyer|you will see me in court|the papers hear of it|you will regret it][.|!]
        [I despise|I loathe|I hate|I detest|I curse] [you|your shop|your whole company|this rotten place|the day I found you][.|!]
        [Rot in hell|May your shop burn down|May you all get sacked|Bad luck to you|Nothing good to you][.|!|, you swindlers!]
        [If you do not|Unless you] [act|wake up|get moving|fix this mess], [I will|I'll] [take you to court|make your life hell|drag your name through the mud][.|!]
        [My lawyer|A judge|The consumer agency|The whole internet|The press] will [deal with you|be interested|teach you manners|love this story][, you frauds|, you cheats|][.|!]
        What [idiots|fools|crooks|losers|a pathetic outfit|a rotten company|a shower of amateurs] [you are|you people are|you have turned out to be][.|!]
        [Congratulations|Bravo|Well done|Great work], [you have lost a customer|you made an enemy|worst shop of the year|you reached a new low][.|!]
        [I am done with|I have finished with|I never want to hear again from] [you|you people|your lousy shop|this bunch of liars][.|!]
        [Nobody|No one|Not a soul] [needs|misses|likes|respects] [you|a shop like yours|people like you|your sort][.|!]
        With [no|zero] [respect|regards|thanks|sympathy] [at all|whatsoever|for any of you],
        [Get|Just get|Damn it, get] [your act together|your finger out|off your backsides|your heads out of the sand|a grip][.|!]
        [Try|Start|How about] [working|thinking|using your head|earning your pay|telling the truth] [for a change|for once|one day][.|!]
        [Up yours|Stuff it|Shove it|Get knotted|To hell with you][.|!|, and your shop too!|, liars!]
        You [disgust|sicken|anger|revolt|infuriate] me[.|!|, all of you.]\\n[Not yours|In anger|Furiously|Disgusted],
        """
    ).train,
}

RUDE = wordings(
    """
    [Nobody there has a brain|Your service is rubbish|You are all useless amateurs|How stupid can a shop be][.|!|?]
    [Even a child could do your job|Do you get paid for this nonsense|I have rarely seen such fools][.|!|?]
    [Stop wasting my time|This is pathetic|Your whole team is a disgrace][.|!]
    [You are|You people are|You lot are|All of you are] [complete|total|utter|absolute] [idiots|fools|morons|amateurs|clowns|failures][.|!]
    [Your staff|Your support|Your team|The person on the phone] is [lazy|stupid|arrogant|clueless|rude|lousy|good for nothing][.|!]
    What a [load of|pile of|heap of] [rubbish|garbage|nonsense|crap|lies|tripe][.|!]
    What [a shambles|a farce|a fiasco|a mess|a nightmare|a disaster|a botch][.|!| you have made of this.]
    [I have never|Never have I|Never in my life have I] [seen|met|dealt with] such [incompetence|stupidity|arrogance|laziness|cheek|impudence][.|!]
    [This is|That is] the [worst|lousiest|most pathetic|most useless|shabbiest] [service|shop|company|support] [I have ever seen|I know|on earth|of all][.|!]
    [A trained monkey|A blind man|My dog|My cat|A toddler|A brick] could [do this better|do your work|run your shop better|give a smarter answer][.|!]
    [Do you|Do you people|Does anybody there] [ever use a brain|even read mails|know anything at all|do any work|have a clue][?|?!]
    [Are you|Are you people] [too dumb|too lazy|too stupid|too thick|too arrogant] to [read a simple mail|answer properly|do your job|understand plain words][?|?!]
    [Is|Was] it [really so hard|too much to ask|asking too much|beyond you] to [do your job|answer like a human|get a simple thing right|use your head][?|?!]
    [How dare you|You have the nerve to|You have the cheek to|How can you dare to] [lie to me|ignore me|treat me like dirt|send me such nonsense][?|!|?!]
    How [stupid|dumb|thick|dense|incompetent|lazy] [do you have to be|can people be|must you be|can a company get][?|?!]
    How [many more times|often] [must I|do I have to] [repeat myself|explain this|chew it over for you|tell you the same thing][, you fools|, you dimwits|][?|?!]
    Do you [take me for|think I am] [a fool|an idiot|a simpleton|a complete moron|some kind of clown][?|?!]
    [I am|We are] [fed up with|sick of|sick and tired of|tired of|furious about] [your lies|your excuses|your incompetence|being fooled by you][.|!]
    [Stop|Quit] [lying|making excuses|fooling around|talking nonsense|playing games with me|messing me about][.|!|, you frauds.]
    [Spare me|Keep|I am sick of] your [lame|cheap|feeble|stupid|pathetic|fake] [excuses|apologies|promises|answers][.|!]
    [Use your brain|Switch on your brain|Try thinking|Open your eyes|Wake up] [for once|for a change|if you have one at all][.|!]
    [You should|You ought to|You all should] be [ashamed of yourselves|sacked|fired|locked up|thrown out|put out of business][.|!]
    [You could not|You couldn't|You people cannot] [organise a tea party|run a lemonade stand|find your own nose|tie your own shoes|boil an egg][.|!]
    [If you had|If you people had] [half a brain|any brains|a shred of decency|any manners|an ounce of sense], [this would not have happened|you would be ashamed|you would know better].
    [Oh great|How wonderful|Lovely|Brilliant|Fantastic|Marvellous], [another useless answer|yet another excuse|the geniuses did it again|you messed up once more][.|!]
    [Congratulations|Bravo|Well done|Hats off], you [have outdone yourselves in stupidity|have reached a new low|managed to ruin everything|failed once more][.|!]
    [Thanks|Thank you so much|Cheers] for [wasting my time|ruining everything|nothing|making my life a misery|the insolent reply][.|!]
    [I suppose|I guess|Apparently|Obviously|Clearly] [nobody there can read|thinking is not allowed there|you hire only fools|you were all asleep again][.|!]
    [So this is|So that is|And this is|And that is] what you [dare to call|call|have the nerve to call|proudly call] [service|support|quality|customer care][?|?!]
    [Customer service|Support|Quality|Service], [my foot|what a bad joke|do not make me laugh|you must be dreaming][!|.]
    [I will|I'll|I am going to|We will] [sue you|report you|take you to court|set my lawyer on you|go to the press|expose you online][.|!| and enjoy it.]
    [My lawyer|The police|The consumer association|The newspaper|A judge] will [hear about this|be informed of your tricks|make you pay|take you apart][.|!]
    [I will make sure|I'll see to it|You can bet] that [everybody knows what crooks you are|nobody buys from you again|you lose your job|your shop gets the worst reviews][.|!]
    [If you do not|Unless you] [sort out this mess|get off your backsides|stop lying], [you will regret it|there will be trouble|I will ruin your reputation|you will see me in court][.|!]
    [You crooks|You liars|You thieves|You cheats|You swindlers|You con artists] [have cheated me|have fooled me long enough|belong in jail|will not get away with this][.|!]
    [A gang|A bunch|A band|A pack] of [crooks|liars|thieves|cheats|fraudsters|idiots], [that is what you are|the lot of you|nothing else][.|!]
    It takes [an idiot|a fool|a complete moron|a true genius like you] to [come up with such a thing|make such a mess of it|write such rubbish].
    [Which|What] [idiot|fool|clown|genius|halfwit|dimwit] [came up with this|is responsible for this|wrote that answer|made this decision][?|?!]
    [I have wasted|You have cost me|You have robbed me of] [enough time|my nerves|my patience|my whole afternoon] [with your nonsense|with your stupidity|with this farce][.|!]
    My patience [is gone|is over|has run out|is at an end|is exhausted], [you fools|you clowns|you useless lot|you lazybones][.|!]
    [I do not|I don't|I really do not] [care|give a damn|give a toss|want to hear] about your [stupid|silly|ridiculous|idiotic] [rules|excuses|policy|problems][.|!]
    [Shut up|Be quiet|Save your breath|Hold your tongue|Button it] and [do your job|listen for once|do what you are paid for|start working][.|!]
    [Get|Move] your [lazy backsides|fat behinds|lazy bones] [off the chair|off the sofa|out of bed|into gear][.|!|, you slackers!]
    [This|It] [stinks|sucks|is crap|is a load of bull|is beneath contempt|beggars belief][.|!|, like your whole shop!]
    [Your|Your whole|Your entire] [shop|company|website|business|outfit] is [trash|junk|a scam|crap|a pigsty|an insult|one big fraud][.|!]
    [Absolutely|Totally|Utterly|Simply|Just] [disgusting|outrageous|shameful|appalling|scandalous|abysmal|dreadful][.|!]
    [Disgusting|Outrageous|Shameful|Scandalous|Atrocious|Despicable] [service|behaviour|manners|support|treatment][.|!|, that is all I can say.]
    [I am|I feel] [disgusted|appalled|outraged|livid|enraged|infuriated] by [your insolence|your attitude|such stupidity|your bad manners|your arrogance][.|!]
    [You|You people|Your lot] [make me sick|drive me mad|get on my nerves|drive me up the wall|are a pain in the neck|make my blood boil][.|!]
    [Nothing|Not a single thing] [works|goes right|is done properly] [with you idiots|in your rotten shop|when fools like you are in charge|at your miserable company][.|!]
    [Instead of|Rather than] [sleeping|drinking coffee|twiddling your thumbs|staring at the wall], [you could do some work|try working|do your damned job][.|!|, you sloths.]
    [As usual|As always|Once again|Typical], [nobody cares|you have no clue|your support is useless|you got it all wrong|the left hand ignores the right], [you amateurs|you bunglers|you losers].
    [Your|That] [answer|reply|apology|explanation|letter] was [an insult|a bad joke|idiotic|insolent|laughable|pure mockery|worthless drivel][.|!]
    [Your chatbot|A parrot|A wet sponge|My toaster|A potato] [has more sense|shows more intelligence|is more helpful] than [you|your staff|your so-called experts][.|!]
    [I would not|I wouldn't|Nobody should] [wish you on my worst enemy|trust you with a paper clip|let you mind a goldfish|believe a word you say][.|!]
    Your [so-called|alleged|famous|precious|laughable] [experts|support team|service|specialists|manager] [know nothing|could not care less|should go back to school|are a waste of space][.|!]
    [You have no|You lot have no|There is no] [shame|decency|respect|honour|common sense] [at all|in that shop of yours|whatsoever][.|!]
    [It is|It's] [beyond me|a mystery|a miracle|incredible] how [fools like you|such bunglers|people this stupid|a shop this bad] can [stay in business|keep a job|find the way to work].
    [Even|Perhaps even] [someone as slow as you|a halfwit|the dumbest of you|a sleepyhead like you] [should|ought to|must] [get that|understand this|be able to see it][.|!]
    [Let me|I will|I'll] [spell it out|say it slowly|explain it|put it in simple words] [for the idiots among you|for your tiny brains|since you are so slow][.|!]
    [For heaven's sake|For God's sake|Damn it|Bloody hell|For crying out loud], [do your job|stop this nonsense|learn to read|get a grip|do something right][!|.]
    [Liars|Cheats|Idiots|Fools|Jokers|Scoundrels], [nothing but|all of you] [liars|cheats|idiots] [in that shop|at that company|as far as the eye can see][.|!]
    [Go to hell|Get lost|Take a hike|Stick it|Get stuffed] [with your excuses|with your lousy offers|with your fake smile|with your stupid rules][.|!]
    """
).train

POLITE = wordings(
    """
    [It would be very kind of you to help|I would be glad of your advice|Your help would mean a lot to me].
    [Thank you for your kind attention|I appreciate what you do|No hurry at all, and thank you|Many thanks for your trouble][.|!]
    [If it is not too much trouble, please have a look|Would you mind having a look]?
    [Could you|Would you|Can you|Might you] [please|kindly] [help me|assist me|advise me|lend me a hand|support me] [with this|here|in this matter|]?
    [Would|Might] it be [possible|all right|okay|convenient] [to ask for your advice|to get your kind support|to ask a small favour|to trouble you with something]?
    [May I|Might I|Could I] [ask you a favour|kindly ask for help|trouble you with something|beg your assistance|bother you for a moment]?
    [Would you mind|Do you mind|Would you be willing to consider] [helping me out|taking a look|looking into this|explaining this to me][|, please]?
    [I would|I'd|We would] [be grateful|be thankful|be much obliged|be delighted|be so glad] [if you could help|if you could look into it|if I could have your support|if you gave me a hint].
    [I would|I'd|We would] [really|very much|greatly|truly] [appreciate|value|welcome] [your help|your advice|a kind reply|your assistance].
    [Any help|Your assistance|A little support|Any hint] would be [wonderful|very welcome|much appreciated|greatly appreciated|fantastic], [thank you|many thanks|thanks so much].
    If [you could help|you were so kind|you could spare a moment|that is possible], [I would be very happy|I would be most grateful|that would be lovely|I would be in your debt].
    If [it is not too much to ask|I may ask|you do not mind|it is no trouble|it suits you], [please help me|kindly take a look|I would love your advice|do let me know].
    [Please|Kindly|Do] [be so kind|be so good|do me the favour|have the kindness] and [help me|take a look|look into it|advise me].
    [Would you be|Could you be] so [kind|good|nice|friendly] as to [assist me|look at this|take care of it|give me a hand]?
    [Please excuse|Please forgive|Kindly excuse|Pardon] [the trouble|my ignorance|my poor English|my mistake|the long story|the extra work].
    [I apologise|I am sorry|My apologies|I do apologise|I am truly sorry] for [the trouble|any misunderstanding|the confusion|the extra work|my mistake|any inconvenience].
    [Sorry|So sorry|Terribly sorry|I am so sorry] [if I am asking too much|if I missed something|to be a nuisance|that I have to bother you|if this is a silly question].
    [I hope|I do hope|We hope] [it is no trouble|I am not a bother|you do not mind my asking|this is not too much work for you|you can forgive me].
    [Please do not|Do not|Please don't] [worry|take it badly|feel bad about it|get me wrong], [I appreciate your work|I am very happy with you|you have all my sympathy|these things happen to the best].
    [It may be|It could be|Perhaps it is|Maybe it is] [my own fault|my mistake|my misunderstanding|my oversight], [and I am sorry if so|so please forgive me|in which case I apologise].
    [Thank you|Thanks|Many thanks] for [your patience|your understanding|your kindness|your effort|your quick help|your great service][.|!]
    [Thank you|Thanks|I thank you] [so much|very much|a lot|indeed|ever so much] for [everything|looking after me|taking care of this|being so helpful][.|!]
    [I thank you|I want to thank you|Let me thank you|I would like to thank you] [sincerely|very much|from the heart|warmly] for [your help|the good advice|the friendly chat|your trouble].
    [A big|A huge|A warm|A heartfelt|A special] [thank you|thanks] to [you|your team|your colleagues|everyone involved][.|!]
    [I am|We are] [so|very|truly|really|deeply] [grateful|thankful|glad|touched] [for your support|for your kindness|that you are helping|to have your help].
    [I am|We are] [much obliged|indebted to you|very impressed|overjoyed|more than satisfied], [and I mean it|and thank you|and please tell your colleagues].
    [You are|You have been|Your team is] [so kind|very helpful|wonderful|most generous|incredibly friendly|a great help][.|!]
    [You|Your people|Your team] [always|never fail to] [do a great job|find a solution|give good advice|make customers happy|treat me kindly][, thank you|][.|!]
    [That is|This is|It is] [very|so|really|extremely] [kind|nice|thoughtful|generous|considerate|good] of you[.|!|, thank you.]
    [How|That would be so|It would be very] [kind|nice|thoughtful|sweet] of you[.|!]
    [I love|I adore|I really enjoy|I am a fan of|I am very fond of] [your shop|your products|your friendly service|your website|shopping with you][.|!]
    [Your shop|Your service|Your support|Your company] is [excellent|outstanding|first class|superb|fantastic|the best I know|second to none][.|!]
    [What a|Such a] [lovely|great|wonderful|charming|fine] [shop|team|service|company][.|!|, thank you for it.]
    [I have|We have] [always been|been nothing but] [very happy|satisfied|delighted|pleased] with [you|your work|your friendly staff|your lovely shop].
    [I really|I very much|We greatly|I truly] [admire|respect|value|esteem|appreciate] [your work|your dedication|your patience|what you do for customers].
    [I know|I understand|I realise|I can imagine] [you have a lot to do|your work is not easy|you are doing your best|you get many mails], so [thank you|I am all the more grateful|many thanks].
    [I fully|I completely|I quite|Of course I] understand [if that is not possible|that mistakes happen|that you need to check|your position], [and thank you anyway|no hard feelings|so please do not worry].
    [Please|Kindly|Do] [give my regards|pass on my thanks|send my best wishes|convey my compliments] to [your team|your colleagues|the friendly person on the phone|everyone in the shop].
    [Your colleague|The young man on the phone|The lady at the desk|Your staff|The driver] was [very friendly|so helpful|charming|a real gem|extremely kind][, please thank them|].
    [With your kind permission|If I may|With all due respect|If you allow|If you will forgive me], I would [like to ask for help|gladly explain|kindly ask for your advice].
    [I kindly|I humbly|I respectfully|We kindly|I politely] [ask|beg] for [your help|your kind attention|your support|your assistance].
    [I look forward|We look forward] to your [kind|friendly|valued|esteemed] [reply|answer|response|message] and [thank you|wish you well|remain grateful].
    [Thank you|Thanks|Many thanks] in advance for [your help|looking into it|your kind answer|any advice|your cooperation][.|!]
    [It is|It's|It has been] [a pleasure|a joy|an honour|a delight] to [be your customer|deal with such nice people|work with you|be looked after so well][.|!]
    [Your kindness|Your help|Your friendly manner|Your patience with me] [means a lot to me|made my day|is much appreciated|does not go unnoticed][.|!]
    [Please|Kindly] accept my [sincere|heartfelt|warmest|humble] [thanks|apologies|gratitude|appreciation|compliments].
    [Please|Kindly|Do] [let me know|tell me|say so] if there is [anything I can do|something I can do for you|any way I can help|a way to make it easier for you].
    [I am happy|I would be glad|I would be pleased|I am more than willing] to [explain more|send you more details|answer your questions|help in any way], [of course|with pleasure|naturally].
    [Well done|Great job|Good work|Excellent work|Kudos|My compliments], [and thank you|dear team|you are the best|keep it up][.|!]
    [Bless you|You are a star|You are an angel|You are a lifesaver|You saved my day|You made my day][!|.|, thank you!]
    [Thanks to|Because of] [your great help|your kind advice|your lovely colleague|your wonderful staff], I [feel well looked after|am a happy customer|gladly come back to you].
    [I cannot|I can't|We cannot] [thank you enough|praise you enough|tell you how grateful I am|say how much I appreciate this][.|!]
    [I trust|I am confident|I have every confidence|I am certain] [you will find a good way|in your kind help|you will do your best], [thank you|many thanks|as you always do].
    [I wish|We wish] you [all the best|a lovely day|a nice weekend|every success|good health][.|!| and thank you for your help.]
    [Forgive me|Excuse me|Pardon me|I beg your pardon] for [asking|asking again|the silly question|writing once more|being a little confused].
    [No offence meant|I do not want to complain|I do not wish to be rude|I do not blame anyone], [your team does good work|I simply hope for your kind help|I really like your shop].
    [Could I|May I|Might I] [please|kindly] have [your advice|a little help|a moment of your time|your opinion|some guidance]?
    [Would you|Could you|Will you] do me [a favour|a small favour|a kindness|the favour] and [have a look|help me out|look into it][|, please]?
    [Your|Any] [kind|friendly|generous|valuable] [help|support|advice|assistance] [is very welcome|would make me happy|would be a blessing|is highly valued].
    [I feel|I am|I feel a bit] [uneasy about bothering you|embarrassed to ask|sorry to take up your time|sorry to add to your work], [but you are always so kind|and I thank you|so many thanks].
    [Please|Kindly] [be assured of|rest assured of|count on] my [gratitude|appreciation|thanks|full understanding|loyalty].
    [As always|As ever|As usual], [thank you for your kindness|your service is excellent|I am grateful for your help|it is nice to write to you][.|!]
    [Please take|Do take|Please accept] [this as a kind request|my question as a friendly one|my words as a friendly note], [I value you highly|I mean it well|with all my respect].
    """
).train

URGENCY = {
    "high": wordings(
        """
        [I need an answer by tonight|Every hour counts|It is really pressing|Act at once, please|Top priority][.|!]
        [I cannot wait another day|There is no time left|It burns|I need it by tomorrow morning|Drop everything else][.|!]
        [This|It|The matter|My request] is [extremely|really|highly|absolutely|rather] [urgent|time-critical|time-sensitive|pressing][.|!]
        [Urgent|Very urgent|Extremely urgent|Pressing|Emergency|Rush][!|.|, as time is short.|: time is running out.]
        [I need|We need|I require|I want] [a reply|an answer|a solution|help|this solved] [right now|at once|immediately|straight away|without delay|instantly][.|!]
        [I need|We need|I must have|We require] [an answer|a solution|this|help] [today|tonight|this morning|within the hour|before noon|by tomorrow][.|!]
        [Please reply|Reply|Answer|Respond|Get back to me|Please answer] [asap|as soon as possible|as quickly as possible|as fast as you can|right away][.|!]
        [Deal with|Look into|Take care of|See to|Handle] [this|it|the matter] [immediately|at once|right away|without delay|as a matter of urgency][, please|][.|!]
        [Time|My time] is [running out|very short|pressing|short|almost up|of the essence][.|!]
        [There is|We have|I have] [no time to lose|not a minute to lose|hardly any time left|very little time|not much time][.|!]
        [I am|We are] [in a hurry|in a great hurry|in a rush|pressed for time|under time pressure|short of time][.|!]
        [It|This|The matter] [cannot|can't|must not] [be delayed|be put off|be postponed|wait any longer|wait until tomorrow|wait][.|!]
        [Every|Each] [minute|hour|day|moment] [counts|matters|is important|makes a difference][.|!| here.| now.]
        [Hurry|Hurry up|Be quick|Make haste|Quickly|Fast], please[.|!|, I need it today.|, it is important.]
        [Mark|Flag|Treat|Handle|File] [this|it|my mail|my message] as [urgent|top priority|high priority|an emergency][.|, please.]
        [Priority|Urgency|Importance|Level of urgency]: [high|very high|highest|critical|top|immediate].
        [High|Highest|Top|Maximum] [priority|urgency|importance][.|!| for this one.| for me.]
        [This|It|My request] has [the highest priority|top priority|high priority|to go first|to be done first][.|!]
        [It is|It's|This is] [an emergency|a matter of urgency|a race against time|a critical case|a pressing matter][.|!]
        [The deadline|My deadline|Our deadline] is [today|tonight|tomorrow|in a few hours|very close|around the corner][.|!]
        [I have|We have|There is] [a tight|a very short|a close|a strict] deadline[.|!| for this.| and must act fast.]
        [Can|Could|Will] [you|somebody|someone] [do|solve|handle|settle|sort out] this [today|at once|immediately|right now|within hours]?
        [How fast|How quickly|How soon] can [you|somebody] [act|reply|help|solve this|do it]? [It is urgent|I need it today|We are running out of time].
        [If possible today|Best today|Today if possible|Ideally within the hour|Tomorrow at the latest], [as it is urgent|time is short|I cannot wait longer|it is pressing].
        [I cannot|I can't|We cannot] [wait any longer|wait that long|afford any delay|wait for days|wait till next week][.|!]
        [Any|A|A further] delay [would be a disaster|is not possible|would cause big problems|would be very bad for us|must be avoided][.|!]
        [Since|As|Because] [time is short|it is urgent|I need it today|the deadline is near], [a quick answer matters|I need a fast reply|act without delay|speed is important].
        [Speed|A fast answer|A quick reply|A prompt reaction|Quick help] [is vital|is essential|is crucial|is really important|matters a lot][.|!| here.]
        [I depend on|I rely on|We depend on] [a quick answer|a prompt reply|an immediate solution|fast help][.|, the matter is urgent.]
        [Without|If I do not get] [a quick solution|an answer today|help right now|a reply within hours], [I am in trouble|we are stuck|our work stands still|everything stops].
        [We are|I am] [completely stuck|at a standstill|blocked] [until this is solved|until you answer], [so be quick|so it is urgent|so it must happen fast].
        [My boss|My team|The whole office|Everyone here] [is waiting for this|needs it today|needs this at once], [it is urgent|so time is short|so it cannot wait].
        [Better today than tomorrow|Rather sooner than later|It should be done right away|Better now than later], [it is really urgent|time flies|I am in a hurry].
        [Call|Ring|Phone|Contact] me [at once|immediately|straight away|right now|as soon as you read this][, it is urgent.|.|!]
        [The sooner|The faster|The quicker] [the better|I hear from you the better], [it is urgent|I need it today|time is short|we are in a hurry].
        [Drop everything|Put this first|Put it at the top of the list|Move this up the queue|Give this priority][.|!|, please.|, it is urgent.]
        [Immediate|Urgent|Instant|Prompt|Swift] [action|attention|help|reply|reaction] [needed|required|necessary|requested][.|!]
        [It|This|That] [has to|must|needs to|should] [happen|be done|be solved|be settled] [today|right now|at once|before tonight|immediately][.|!]
        [At the latest|No later than|Latest] [tomorrow|tonight|tomorrow morning|this evening], [otherwise it is too late|after that it is no use|it is urgent].
        [Tomorrow|Next week|Later|In a few days] [is|will be] too late[.|!|, I need it now.|, so act fast.]
        [It is|It's] [almost|nearly|very nearly] too late[.|!|, so hurry.|, so every minute counts.]
        [I am writing|I write|I contact you] [because it is urgent|in great haste|with an urgent matter|as time presses][.|!]
        [Express|Fast-track|Rush job|On the double|Without delay|Immediately][, please.|, if you can.|, it is urgent.]
        [I was told|They told me|My boss says] [it must be done today|it cannot wait|this is top priority|that it is very urgent][.|!]
        [Need|Needed|Wanted] [asap|today|right now|immediately|very soon|urgently][.|!|, time is short.]
        [I urgently need|We urgently need|I desperately need|I badly need] [an answer|your reply|help|a solution] [today|now|in the next hours|this very day][.|!]
        Would [an immediate reply|a very fast answer|help within the hour|quick action] be [possible|feasible], as [this is urgent|I am running late|the matter is pressing]?
        """
    ).train,
    "low": wordings(
        """
        [Any time this month is fine|It is not pressing|Answer when it suits you|I am not in a hurry|Whenever you get to it][.|!]
        [Next week will do|It may take a while|There is plenty of time|Low priority][.|]
        [This|It|The matter|My request|My question] is [not urgent|not pressing|not very urgent|not at all urgent|anything but urgent][.|, so it can wait.]
        [There is|There's|I see] [no hurry|no rush|no need to hurry|no need to rush|no urgency|no time pressure][.| here.| with this.]
        [Take|Just take|You can take|Feel free to take] [your time|all the time you need|as long as you need|as much time as you like].
        [I am|We are] [not in a hurry|in no hurry|in no rush|not pressed for time|not in a rush][.| at all.| with this.]
        [It|This|That|The matter] can [wait|easily wait|wait a while|wait a bit|wait until next week|wait its turn][.|, there is no hurry.]
        [I can|We can|I am able to] [wait|easily wait|happily wait|wait a while|wait a few weeks][.|, no hurry.|, it is not urgent.]
        [Reply|Answer|Respond|Write back|Get back to me] [whenever you like|when you have time|when you find the time|at your leisure|when it is quiet].
        [Whenever|Any time] [it suits you|you are free|you find a moment|it is convenient|you have a minute] [is fine|will do|is good enough].
        [Whenever|When|Once] [you have nothing else to do|things are quieter|work is slow|the busy time is over], [look at this|answer me|you can deal with it].
        [Priority|Urgency|Importance]: [low|very low|lowest|minor|none|not urgent].
        [Low|Lowest|Minor|No special] [priority|urgency|importance][.| for this one.| for me.| from my side.]
        [This|It|My request] has [low priority|no priority|no deadline|time|plenty of time|all the time in the world][.| from my side.]
        [No|There is no|I have no|We have no] [deadline|fixed deadline|time limit|time pressure][.| for this.| here.]
        [Next week|Next month|Some time later|In a few weeks|Later this month] is [fine|early enough|soon enough|quite all right|good enough][.| for me.]
        [A reply|An answer|A response|A solution] [next week|some time this month|in a few weeks|at some point|in due course] [is fine|will do|is early enough].
        [I do not need|I don't need|We do not need] [it right now|an answer today|it so soon|a quick reply|this any time soon][.|, so no hurry.]
        [You do not need to|You don't have to|There is no need to|Nobody has to] [hurry|rush|answer at once|reply straight away|do this today][.|, it can wait.]
        [It does not matter|It doesn't matter|I do not mind|It is all the same to me] [when you answer|how long it takes|when this is done|if it takes a while].
        [It may|It can|This may|That can] take [a while|some time|a few days|a few weeks|as long as it takes][.|, I am not in a hurry.]
        [Do|Deal with|Handle|Finish|Look at] [more important|more urgent|the pressing|the other] [things|matters|requests] first[.|, this can wait.]
        [Other|More important|More pressing] [requests|customers|matters|things] can [go first|come first|be done before mine][.|, I have time.]
        [Put|Place|File] [this|it|my request] [at the bottom of the pile|at the end of the queue|at the end of the list|aside for now][, it is not urgent.|.]
        [I have|We have|There is] [plenty of time|lots of time|enough time|time enough|all the time in the world|ample time].
        [Today or tomorrow|This week or next|Sooner or later|Now or next month], [it is all the same to me|either is fine|it makes no difference|I am flexible].
        [Not urgent|Nothing urgent|No emergency|Non-urgent|Not pressing][.|, just for your list.|, it can wait.|, so take your time.]
        [It's|It is|This is] [just|only|merely] a [minor|small|general|routine] [matter|question|thing] [without any hurry|that can wait|with no deadline].
        [Since|As|Because] [it is not urgent|I have time|there is no deadline|I only need it later], [you can answer later|it may take a while|a slow reply is fine].
        [If|Even if] it takes [longer|a while|some weeks|until next month], [that is fine|that is no problem|I can wait|that does not matter].
        [Must it be|Does it have to be] [today|now|this week]? [No|Not at all|Certainly not], [it can wait|there is time|any time will do].
        [At your own pace|At leisure|Without any haste|Slowly and calmly|Bit by bit][.|, it is not urgent.|, there is no rush.]
        [In your own time|At your convenience|In due course|At some point|Eventually|By and by], [there is no rush|as it is not pressing|since it can wait].
        [Sometime|Some time|Any day|At any point] [this month|in the coming weeks|before the end of the season|in the near future] [will do|is fine|suits me].
        [I only|I just|We only] [need it later|need this next month|need an answer at some point|want to know it one day][.|, so no hurry.]
        [It would be enough|It is enough|It's enough|It is sufficient] to [answer next week|do this later|look at it next month|reply when you can].
        [Nothing bad will happen|No harm is done|Nothing is lost|We lose nothing] if [this waits|it takes longer|you do it later|the reply comes late].
        [I am|We are] [patient|flexible|relaxed about it|easy about the time|happy to wait][.|, it is not urgent.|, there is no deadline.]
        [No|There is no|I see no] [need|reason] to [stress|hurry|rush|panic|drop everything|work overtime][.|, this has time.]
        [Leave it|Put it aside|Keep it|Save it] [until later|for a quiet day|for next week|until you have time][.|, there is no hurry.]
        [You can|You may|Feel free to] [postpone this|put this off|leave it for later|do it last|come back to it later][.|, it is not pressing.]
        [How long it takes|When you do it|The exact time|The speed] [is up to you|is not important|does not matter|is your choice].
        """
    ).train,
}

SMALL_TALK = wordings(
    """
    [I work|My sister works|My neighbour works|My flatmate works] [in a bakery|at a school|in a hospital|for the post office|as a gardener].
    [It has been|It was] [raining|snowing|windy|cloudy|foggy|rather warm] [here|where I live|in our area][.| and we stayed inside.]
    [We have|My family has|My parents have|I have] a [cat|dog|parrot|big bookshelf|rabbit|piano] [at home|in the house|in the flat].
    [I am|I was] [sitting|writing this] [in the kitchen|on the train|in the library|at my desk|on the sofa].
    [I heard|I learned|I got to know] of [you|your shop|your company] [through a friend|from a magazine|from the radio|through an advert|at work].
    [My husband|My wife|My brother|My father] [reads|looks at|knows|has seen] your [newsletter|blog|catalogue|website].
    [The kids|My children|The neighbours|Our guests] are [playing outside|watching television|in the garden|making music|cooking] [while I write|as I type this].
    [Our office|Our flat|My room|The house] is on the [top floor|ground floor|corner|main road][.|, next to the park.|, near the station.]
    [I do not|I don't|I hardly|I rarely] [know much about|understand|deal with|read about] [technical things|computers|such matters|shops like yours].
    [I wrote|I typed|I am typing] this [on my phone|with a new keyboard|on an old laptop|with the tablet|on the bus].
    [As you may know|As you may have read|By the way|Incidentally], [there is a market in our street|the library has a new roof|our village has a new bakery].
    [Most of my friends|Some people at work|My colleagues|Our neighbours] [shop online|use a similar one|prefer the other colour|buy in the market].
    [In the evening|At the weekend|After work|In my free time] I [read|go for a walk|play the guitar|cook|ride my bike|watch films].
    [My son|My daughter|My nephew|My grandmother] [showed me|told me about|found] [your website|the app|the shop|your catalogue].
    [The garden|Our street|The park|The town] is [quite green|rather quiet|as it always is|the same as ever] [in this season|these days|where we are].
    [I usually|I often|I sometimes|We normally] [go to the market|shop online|read the reviews|compare shops|look at catalogues] [before deciding|at the weekend|with the family].
    [Our dog|The cat|My parrot|The rabbit] is [asleep|on the carpet|in its basket|watching me] [while I write this|as I write|at the moment].
    [We|My partner and I|My family and I|My flatmate and I] [talked about it|looked at it together|read the page|looked at the pictures] [at breakfast|over dinner|at home].
    [I used to|My mother used to|We used to] [work in a shop|live by the sea|sell books|teach at a school|run a café].
    [There is|They are building] a [new road|new school|bus stop|small park] [near us|in our street|behind the house|across the road].
    [I am|My brother is|My neighbour is] a [teacher|nurse|student|carpenter|driver|retired baker][.| by profession.]
    [The radio is on|The kettle is boiling|The window is open|Music is playing] [while I write this|here in the kitchen|at the moment].
    [I have|We have|My parents have] [moved the furniture|painted the walls|changed the curtains|tidied the cellar] [at home|in the flat|lately].
    [Is it|Was it] also [raining|cloudy|warm|windy|cold] [where you are|at your place|in your town]?
    [The colour|The design|The shape|The pattern] is [a matter of taste|similar to my old one|like in the picture|rather plain].
    [Many people|People here|Folks in the village|My relatives] [talk about|know|have heard of|have seen] [your shop|your advert|your brand|your van].
    [I use|We use|My family uses] [it in the kitchen|things like that at work|such things in the garden|this kind of thing at home].
    [I found|I saw|We found|We saw] [your address|this contact|your page] [on the website|in the catalogue|on the packaging|with a search engine].
    [Before that|Back then|At that time|In those days], [I was at home|we lived in the country|I was at work|my parents ran a farm].
    [It is a long story|That is how it was|That is the background|So it goes with us], [as I said|but never mind|as you see].
    """
).train
