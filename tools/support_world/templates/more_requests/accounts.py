# ruff: noqa: E501 - a template stays on one line
"""More ways to say what concerns a customer's account, the mails that go there, and how the customer was treated."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["ACCOUNTS"]

ACCOUNTS = {
    "account_locked": wordings(
        """
        [My account|My profile|My customer account][ {email}|] [is disabled|has been deactivated|was frozen|is suspended|has been closed off|is barred].
        [You|Your system|Your security] [locked|blocked|suspended|disabled|froze|barred] [my account|my login|me out|the account {email}][, why| for no reason| again|].
        I [am blocked|am shut out|was locked out|got locked out|have been shut out] [from my account|of my account|of my profile|]; [please unblock me|please let me back in|how do I get in again].
        [Unblock|Please unblock|Unfreeze|Please reactivate|Reactivate|Restore] [my account|my access|the account {email}|my profile].
        [When I log in|When I sign in|At the login|On logging in] [it says account locked|I read that my account is blocked|it says access denied|the page tells me my account is suspended].
        [Too many|After too many|Because of too many|Due to] [wrong attempts|failed attempts|login attempts|failed logins], [my account is locked|now nothing works|I am locked out|you blocked me].
        [How long|Until when] [is my account|does my account stay|will my account be|am I] [locked|blocked|suspended|shut out]?
        [Why is|Why was|For what reason is|How come] [my account|my profile|my access|the login for {email}] [locked|blocked|suspended|disabled|frozen]?
        [I cannot access|I cannot get to|I cannot reach|I have lost access to] my [account|profile|orders][ any more|], [it is blocked|it has been locked|the account is disabled].
        [How do I|How can I|What must I do to|What do I do to] [unlock|unblock|reactivate|reopen|get back into] my [account|blocked account|locked account|suspended profile]?
        [Somebody tried to|A stranger tried to|Someone has tried to] [hack my account|log in with my name], [now it is locked|and you blocked it|please open it again].
        [My login|My access|My account] [was cut off|has been stopped|is stopped|does not open any more], [the account is said to be blocked|please unlock it|it reads suspended].
        [Account|Login|Profile] [locked|blocked|suspended|disabled][: {email}|, number {customer_id}|], [please unlock|please help|why].
        I [did nothing wrong|always paid|have done nothing], [why am I blocked|yet my account is suspended|still you locked my account|please lift the block].
        [Lift|Please lift|Remove|Please remove] [the block|the lock|the suspension|the ban] [on my account|from my account|from {email}].
        [The security check|Your fraud check|A safety measure] [has locked|blocked|froze] my account[ {email}|], [please release it|it is really me|what now].
        [My password is right|I know my password], but [my account is locked|the account is blocked|you do not let me in, the account is suspended].
        I [want|need|have to] [to order|to log in|to get in], but [my account is blocked|the account {email} is locked|my profile is disabled].
        [Can you|Could you|Would you|Will you] [open|release|free|unblock|reinstate] [my account|the account {email}|my customer account][ again|], please?
        [It looks like|It seems|Apparently] [my account|the account {email}|my profile] [has been|was|is] [locked|blocked|suspended|put on hold].
        [Locked out|Shut out|Blocked|Banned]! [I cannot enter my account|My account does not let me in|Please let me into my account again].
        [Since|From] [{date}|yesterday|this morning] [my account is locked|I have no access to my account|I am blocked|the account {email} is frozen].
        [I got a mail|I got a message|You wrote to me] that my account [is locked|was suspended|has been blocked|will stay disabled], [what is the reason|please undo that|how do I unlock it].
        [My account got|The account got] [locked|blocked|suspended] [while I was ordering|when I changed my phone|after I moved|after the update], [please unlock it|please release it|can you help].
        [The account|The customer account] with the number {customer_id} [is locked|is blocked|was suspended|must be unlocked].
        """
    ),
    "password_reset": wordings(
        """
        [The password|My password|My old password] [slipped my mind|escapes me|has been forgotten|is lost|no longer comes to mind].
        [I cannot remember|I can't remember|I do not recall|I have no idea of|I have lost] [my password|the password|which password I used][ for {email}|].
        [Please|Could you|Can you|Would you] [send|mail|e-mail|give] me [a new password|a temporary password|the reset link|instructions for a new password]?
        [Forgot my password|Forgotten password|Lost password|Password forgotten|Password lost][, please help|, {email}|, what now].
        [I would like|I want|I need|I have] to [change|reset|renew|replace|set] [my password|the password for {email}|the password of my account].
        [The mail|The message|The link|The code|The SMS] [to reset|for resetting|for changing] my password [never came|is not coming|does not open|has expired|is invalid].
        [My password|The password] is [not accepted|not recognised|refused|always wrong], [I must have forgotten it|please reset it|please send me a new one|can I set a new one].
        [How can I|How does one|Where do I|In which menu do I] [reset|change|recover|renew|restore|replace] [the password|my password|a forgotten password]?
        [Which|What] [password|login] did I [use|choose|have]? I [forgot it|do not know it any more|need a new one].
        [Could someone|Can somebody|Please have someone] [reset|renew|recover] my password[ for {email}|].
        [I clicked on forgot password|I used the forgot password button|I asked for a reset], [no mail arrived|nothing came|the link does not work|the page shows an error].
        [It says wrong password|Wrong password, it says|The page says my password is wrong], [I need a reset|please send a reset link|I would like a new password].
        [My browser|My phone|My computer] [lost|forgot|deleted|did not save] [my password|the password], [how do I get a new one|please reset it|I need another].
        [Someone knows|Somebody might know|My ex knows|I think someone stole] my password, [I want to change it|please reset it|how do I set a new one].
        [A new password|A password reset|Another password|A fresh password], please[, for {email}|].
        [New phone|New computer], and [I no longer know my password|my password is gone], [please reset it|can I have a new one].
        [Reset|Renew|Recover] [my password|the password of {email}|the login password][, please|, I forgot it|].
        [The reset|The password reset|Resetting my password] [does not work|fails|is impossible|ends in an error][, please do it for me|].
        [Is there a way|Is it possible|Am I able] to [get|set|choose|create] [a new password|another password|a different password][ for {email}|]?
        [I need help|I need assistance|Please assist me] [with my password|to reset my password|with a forgotten password|in choosing a new password].
        [The link you sent|Your reset link|The link in your mail] for [the new password|my password] [is dead|has run out|leads to an error page|cannot be clicked].
        [I mistyped my password when I signed up|I wrote down the wrong password|I mixed up my passwords], [please let me set a new one|please reset it].
        [How long|When|How soon] [does the reset mail take|will I get the reset link|does the mail with the new password come]?
        [Your rules for passwords|The rules for a new password|Your password page] [reject every password|refuse my new password|do not let me save a new password].
        [Without my password|Because I forgot my password|Having lost my password], [I need a reset|I ask for a new one|please send the reset link to {email}].
        """
    ),
    "delete_account": wordings(
        """
        [I would like|I want|I wish|I have decided] to [close|delete|end|cancel|give up|terminate] my [account|customer account|profile|membership].
        [Please|Kindly|Could you|Can you] [close|delete|remove|erase|deactivate for good|cancel] [my account|my profile|the account {email}|my customer account {customer_id}].
        [Account deletion|Deletion of my account|Closing my account|Removal of my data][, please|, {email}|, number {customer_id}|].
        [I do not shop here any more|I am not coming back|I am switching to another shop|I have found another shop], [so delete my account|please close my account|you can delete my profile].
        [I want|I demand|I insist|Make sure] that [all my data are deleted|my personal data are erased|my data are removed from your systems|you forget everything about me].
        [Where is|I cannot find|There is no|Where do I find] [the button|the option|a way] to [delete|close|remove] my [account|profile|data]?
        [What happens to|What becomes of] my data [when I close my account|if I delete my account|after I leave]? [I want to delete it|I want it closed|Please delete everything].
        [Remove|Take|Strike|Delete] [me|my name|my person|my data] [from your system|out of your system|from your customer list|from your database][ entirely| completely|], please.
        [My account|My profile|The account {email}] is [no longer needed|not needed any more|of no use to me|superfluous], [please delete it|close it|it can go].
        [I have two accounts|I have a second account|I opened an account twice], [please delete one|delete {email}|the account {customer_id} can be closed].
        [The right to be forgotten|Data protection|Privacy law|My privacy]: [please delete my account|erase all my data|I want my profile removed].
        [I no longer want|I do not wish|I no longer wish] to [be your customer|have an account with you|be registered with you|be a member][, please delete me|, close my account|].
        [How can I|How does one|In what way can I|What do I do to] [get rid of|cancel|close|delete|remove] [my account|my profile|my registration|my customer data]?
        [Please confirm|Confirm|I want a confirmation] that [my account has been deleted|my account is closed|all my data are gone|my profile was removed].
        [Sign me off|Deregister me|Please deregister me|Cancel my registration], [I want no account any more|and delete my data|my account {email}].
        [My father|My mother|My husband|My aunt] [has died|passed away], [please delete the account {email}|please close the account|the account should be deleted].
        [Do you still have|Why do you still have|Are you still keeping] [my data|my account]? [Delete it|Please erase it all|I asked for deletion].
        [Get rid of|Wipe out|Destroy|Clear] [my account|my profile|all my personal data|everything you store about me].
        [I never use|I hardly use|I have not used] my [account|profile] [any more|for years|], [so please remove it|it should be deleted|I want to close it].
        [Goodbye|Farewell|That is it for me|I am out]: [delete my account|please close my account {email}|remove my profile].
        [Permanently|Finally|For good|Completely] [delete|close|remove|erase] my [account|profile|customer data][, please|, number {customer_id}|].
        [I signed up|I registered|I opened an account] [by mistake|only for one order|years ago], [please delete the account|I want to close it|now please remove my account].
        [My request|I asked you] to [delete my account|close my profile|erase my data] [has not been carried out|was ignored|is from {date}].
        [End|Dissolve|Discontinue] my [membership|customer relationship|account|registration] [with you|], [please|as of {date}|and delete my data].
        [Can an account|Can my account|Can a profile] be [deleted|closed|removed|erased] [for ever|by you|completely|]? [Then please do it|I want that|That is what I want].
        """
    ),
    "change_email": wordings(
        """
        [Please change|Please correct|Please update|Update|Correct] [my e-mail|my contact e-mail|my mail address|the e-mail on file] [to|, it is now] {email}.
        [My mail address|My e-mail address|My contact address] [is different now|is new|has a typo|was misspelt|is no longer right], [it should be {email}|correct is {email}|please take {email}].
        [From now on|In future|As of {date}|From {date} on] [I use|I can be reached at|my e-mail is|please write to] {email}[, not the old e-mail|].
        [New e-mail|New email|Changed e-mail|New mail address] [for my account|for account {customer_id}|]: {email}.
        I [would like|want|need|wish] to [replace|change|switch|update] the e-mail [of my account|in my profile|on my account|] [by|to|with] {email}.
        [My old mailbox|My old e-mail|The old e-mail address] [no longer exists|was closed|is dead|was hacked|is full], [please use {email}|my new e-mail is {email}|change it to {email}].
        [I no longer work there|I changed jobs|I left my company], [so my e-mail is now {email}|please change my e-mail to {email}|use {email} instead].
        [Could|Can|May] [the e-mail|the address {email}|my e-mail address] be [changed to {email}|entered as my e-mail|put in my account|saved in my profile]?
        [I misspelt|I mistyped|There is a typo in|I wrote wrongly] my e-mail[ when I signed up| in the account|], [it is {email}|right is {email}|please correct it to {email}].
        [All mails|All messages|Order confirmations|Your e-mails] should [go to|be sent to|come to] {email} [from now on|in future|instead of the old address].
        [Switch|Move|Transfer|Set] my [account|profile|login] to [the e-mail {email}|{email}|my new e-mail {email}].
        [The login e-mail|My login name|My user e-mail|The e-mail I log in with] [should be|should become|must be changed to|is to be] {email}.
        [How can I|Where can I|In which menu can I] [enter|change|edit|update|correct] [a new e-mail|my e-mail address|my email]? [The new one is {email}|It should be {email}].
        [I cannot change|It will not let me change|The page does not let me change] my e-mail [myself|in the profile|], [please enter {email}|it should be {email}|please set it to {email}].
        [Please enter|Please record|Please store|Please register|Note down] {email} [as my e-mail|as my new address for mails|in my account|for my customer number {customer_id}].
        I [do not get your mails|get no mails from you|miss your e-mails], [you have the wrong e-mail|the e-mail is outdated], [please change it to {email}|it is {email}].
        [My e-mail provider|My provider|My mail service] [closed down|has changed|stopped its service], [my new address is {email}|so please use {email}|please update to {email}].
        [After my wedding|Since I married|Because of my new name], my e-mail [is now {email}|has changed to {email}|should be changed to {email}].
        [Change|Swap|Exchange] [the e-mail address|my old email|the e-mail on my account] [for|to|with] {email}[, please|].
        [Use|Take|Put in] {email} [as contact|as e-mail for my account|in place of my old e-mail|for my account], [please|the old one is dead|not the other one].
        [Is it possible|Would it be possible|How is it possible] to [change my e-mail to {email}|have {email} as my new e-mail|update the email in my account to {email}]?
        [My account|My profile|Customer {customer_id}] [should have|needs|gets] [another e-mail|a new e-mail|a different e-mail address]: {email}.
        [I have switched|I switched|We switched] to [a new e-mail|another mailbox|a new address for e-mail], {email}[, please update your records|, please note it|].
        [The e-mail you have|The e-mail in your files|The address you write to] is [old|wrong|not mine any more], [mine is {email}|please replace it by {email}|now it is {email}].
        [Please be informed|For your records|For your information]: my [e-mail|new e-mail|e-mail address] is [now|from now on|] {email}.
        """
    ),
    "unsubscribe": wordings(
        """
        [I no longer want|I do not wish|I no longer wish|I would prefer not] to [receive|get|be sent] [your newsletter|newsletters|promotional mails|advertising|your offers].
        [Please|Kindly] [stop|cease|end|quit] [the newsletter|sending newsletters|the advertising mails|sending me offers|mailing me your ads].
        [Unsubscribe|Please unsubscribe|Sign me off|Take me off|Drop me], [no more newsletters|I want no more mails|from the newsletter|from all mailings].
        [How can I|How do I|What do I do to|Where do I click to] [stop|cancel|end|opt out of|sign off from] [the newsletter|your mailings|these promotions|the advertising]?
        [I get|I receive|You send me] [too much advertising|a newsletter every day|mails from you every day|so much spam|ads all the time], [please stop|enough|take me off the list].
        [My inbox|My mailbox] is [full of|flooded with|overflowing with] your [newsletters|offers|ads|promotions], [stop it|please unsubscribe me|end this].
        [I have unsubscribed|I already unsubscribed|I signed off] [twice|three times|last month], [but the newsletter keeps coming|and still I get your ads|yet you go on sending mails].
        [Opt me out|I opt out|I want to opt out|Opting out] of [your newsletter|all marketing|the mailing list|promotional e-mails].
        [Spare me|Keep|Please keep|I can do without] your [newsletter|advertising|promotions|offers][, please| in future|].
        [I withdraw|I revoke|I take back] my [consent|permission|agreement] to [advertising|marketing mails|your newsletter|receive offers].
        [Please remove|Remove|Delete|Please take] [my e-mail|me|{email}|my address] [from the newsletter|from your mailing list|from the distribution list|off your list].
        [Your newsletter is spam|Your mails are spam|This is spam], [stop it|unsubscribe me at once|I do not want it].
        [Why do I get|Why am I getting|Why are you sending me] [your newsletter|advertising|these promotions|so many offers]? [I want none|Stop it|I never signed up].
        [The newsletter|Your newsletter] [is no longer interesting to me|does not interest me any more|is not what I want|can be stopped], [please cancel it|please end it|].
        [No newsletter|No advertising|No promotions|No offers|No ads] [any more|from now on|to {email}|in my mailbox], please.
        [I cannot find|Where is|There is no] the [unsubscribe link|unsubscribe button|link to sign off] [in your newsletter|in your mails|].
        [Cancel|Terminate|Discontinue|End] [my newsletter|the newsletter|my newsletter subscription|the daily mails][ to {email}|], please.
        I [only want|just want|want] [order mails|mails about my orders], [no advertising|not the newsletter|no marketing].
        [Stop|End|Quit] [spamming me|the spam|bombarding me with offers|writing to me about offers|these weekly mails].
        [Text messages|SMS|Calls|Letters] with [advertising|offers|promotions] [from you|] [annoy me|should stop|are unwanted], [take me off the list|stop them|I never agreed to that].
        [Please cross|Please strike|Cross] [my name|{email}|my e-mail] off [the mailing list|your newsletter|the list for advertising].
        [I subscribed to your newsletter|I signed up for the newsletter] [by mistake|only for the voucher|once], [now I want to leave|please unsubscribe me|I do not want it any more].
        [Leave me alone|Leave me in peace] with [your newsletter|your ads|your promotions|those mails].
        [Newsletter|Mailing list|Advertising mails]: [unsubscribe|sign me off|I want out|stop please].
        [Do not send|Please do not send|Never send] [me|] [any more newsletters|further offers|advertising|any more promotional mail] [to {email}|again|].
        """
    ),
    "complaint": wordings(
        """
        I [am angry|am upset|am furious|am annoyed|am appalled] [about your service|about {staff}|about how I was treated|at your staff|with your hotline].
        [I would like|I want|I have] to [file|make|raise|register|submit] a [complaint|formal complaint] [about your service|against {staff}|about your shop in {city}|about the driver].
        [{staff}|Your employee {staff}|The man on the phone|The lady at the counter|Your salesman] [was very rude|insulted me|laughed at me|ignored me|was arrogant|lied to me].
        [The service|The support|Customer care|The advice] [is a disaster|is awful|was dreadful|is below all standards|leaves much to be desired|was miserable].
        [Your hotline|The hotline|Your support] [never answers|hung up on me|kept me waiting for an hour|is useless|does not call back], [I want to complain|that is bad service|this is no way to treat people].
        [How can|Why does] [your staff|{staff}|the driver|your shop] [treat customers like this|be so unfriendly|be so impolite|talk to me like that]?
        [Nobody answers|Nobody replies to|You ignore] my [mails|calls|letters], [what sort of service is that|that is poor service|I am really disappointed].
        [I have never been|Never was I|Never before was I] treated [so badly|so rudely|like this|with such disrespect] [by a shop|by {staff}|in a shop|on the phone].
        [I expect|I demand|I am owed] [an apology|an apology from {staff}|an explanation for the behaviour of {staff}|better service].
        [Please pass this complaint on|Forward my complaint|Give this complaint] to [your manager|the management|the boss of {staff}].
        [Disappointed|Shocked|Angry|Dissatisfied] [by|with] [your service|the way {staff} behaved|your hotline|the staff in {city}][, that is all I can say|].
        [The courier|The driver|Your delivery man] [swore at me|was aggressive|blocked my drive|refused to carry the parcel|behaved badly|was drunk], [I complain|this is a complaint|something must be done].
        [In your shop in {city}|At the counter|On the phone|At your service desk] [I was treated badly|they were rude|nobody cared about me|I was sent away|I was made to wait].
        [Your service has got worse|Your support is getting worse|Service used to be better], [I am not satisfied|I am very displeased|and I want to complain].
        [The behaviour|The conduct|The manner|The attitude] of [{staff}|your staff|the driver|your colleague] [was unacceptable|was shameful|is not okay|was unprofessional|needs to be looked into].
        [{staff} promised to call back|{staff} wanted to help|Somebody was to call me] and [never did|did nothing|left me waiting], [I am annoyed|that is bad service|I complain about that].
        [This is a complaint|A complaint|Complaint]: [{staff} was rude|your staff in {city} is unfriendly|the support did not help|bad service].
        [I want to speak to|Let me speak to|Give me|Connect me with] [a manager|your boss|the person in charge|somebody higher up], [I have a complaint about {staff}|about the treatment I got|{staff} was very unfriendly].
        [Unfriendly|Rude|Incompetent|Disrespectful] [staff|service|people on the phone|people in your shop in {city}], [I am upset|I want to complain|never again].
        I [spent hours|lost an hour|wasted an afternoon] [on your hotline|with your support|waiting for {staff}] and [got no help|nobody cared|was passed from one to the next].
        [My experience|The experience] with [{staff}|your shop|your service|your support] was [very bad|terrible|unpleasant|horrible].
        [{staff} did not listen|{staff} talked down to me|{staff} cut me short|{staff} would not let me speak], [that is bad manners|I will not accept that|I complain about it].
        [Where can I|To whom do I|How do I] [complain|send a complaint|make a complaint|address my complaint] [about {staff}|about your service|about the courier]?
        [I am dissatisfied|I am unhappy|I am not happy|I am not pleased] with [the way you treat me|how {staff} handled my case|your customer service|the help I got].
        [Teach|Tell] {staff} [some manners|how to treat customers|to be friendlier], [I was insulted|I was treated like dirt|the tone was awful].
        """
    ),
    "praise": wordings(
        """
        [Just|Only] [a quick thank you|a thank you|some kind words|a compliment|a word of praise] [for {staff}|to your team|for the {product}|for the good service].
        I [am thrilled|am very pleased|am really happy|am more than satisfied|am impressed|am over the moon] with [the {product}|your service|{staff}|order {order_id}|how you work].
        [Thank you|Thanks|Many thanks] [so much for the wonderful {product}|for the quick delivery|for your excellent work|for helping me so well|, {staff}, you were great].
        [{staff}|Your colleague {staff}|Your driver|Your team] was [so kind|extremely helpful|wonderful|very patient|friendly and competent|fantastic][, please pass it on|, thanks again|].
        The {product} [exceeds my expectations|is a dream|is brilliant|is worth every cent|works like a charm|makes me happy|is gorgeous|is exactly what I wanted].
        [Well done|Bravo|Great job|Good work|Hats off|Chapeau][, everybody|, {staff}|, all of you|], [I am very satisfied|the {product} is super|the delivery was very fast|keep going like this].
        [Five stars|Ten out of ten|Top marks|Two thumbs up|An A plus] for [{staff}|your shop|the {product}|your service|the delivery].
        [I have to say|I must say|Let me say|May I say]: [the {product} is superb|your service is outstanding|you are the best shop|{staff} did a great job].
        [My husband|My daughter|My wife|The whole family|My mother] [loves|adores|is delighted with|is crazy about] the {product}[, thank you| so thank you|, good work].
        [Never have I|I have never|Rarely have I] [had such good service|seen such a friendly team|been served so well|got a parcel so fast].
        [Keep up|Carry on with|Continue] the [good work|great work|excellent service|fine work][, I love the {product}|, {staff} was great|].
        [The quality|The design|The finish|The sound] of the {product} is [excellent|outstanding|amazing|first class|superb][, congratulations|, thank you|].
        [You have|Your shop has|You won] [a happy customer|a new fan|a loyal customer][, thanks to {staff}| with the {product}|, thank you for everything].
        [Wow|Super|Amazing|Perfect|Brilliant], [the {product} is great|that was fast|what a service|everything came in perfect order|I am so happy].
        [It is a pleasure|It was a pleasure|It is always a pleasure|It is a joy] to [shop with you|deal with {staff}|order from you|use the {product}].
        I [really appreciate|am grateful for|value|admire] [the help of {staff}|the kindness of your team|your great service|how quickly you reacted].
        [Please give|Give|Hand on] [{staff} a raise|my thanks to {staff}|my compliments to the team|the packers my thanks], [the service was top|it was excellent|I was so well looked after].
        [Order {order_id}|My order|The {product}] [arrived quickly|came earlier than expected|came perfectly packed|was here the next day], [thank you|great|wonderful|I am impressed].
        [I will gladly|I will definitely|I shall certainly|I am going to] [buy again|order from you again|come back|tell everyone about you], [great shop|the {product} is wonderful|thank you].
        [Best|Nicest|Friendliest|Finest] [shop|service|support|team] [ever|I know|in a long time][, thank you| and a great {product}|].
        [No problem at all, I only want to|Nothing is wrong, I just want to|No question today, I just want to] [say thanks|praise {staff}|tell you how good the {product} is|thank you].
        [Your support|Your service|The advice of {staff}] was [outstanding|fast and friendly|first class|exemplary|a real help][, many thanks|].
        [Such|So much] [kindness|good service|friendliness] is rare[, thank you {staff}|, I am delighted|, keep it up].
        [We are|I am] [fully|totally|absolutely|really] [satisfied|happy|content] with [everything|the {product}|your work|the purchase][, all the best to the team|, thank you|].
        {staff} [went out of the way for me|made my day|was a star|saved my day|deserves praise|helped me at once][, thank you|, great support|].
        """
    ),
}
