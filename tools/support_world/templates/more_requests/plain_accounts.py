# ruff: noqa: E501 - a template stays on one line
"""Still more ways to say each intent, in plain words: guarantees, accounts, mailings, service and delivery days."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["PLAIN_ACCOUNTS"]

PLAIN_ACCOUNTS = {
    "warranty_claim": wordings(
        """
        [I want|I would like|I need|We wish|I am writing] to [file|submit|open|lodge|register|start] a [warranty|guarantee] claim[ for the {product}| for order {order_id}|].
        [How do I|How can I|Where do I|Where can I] [file|submit|open|make|report|start] a [warranty|guarantee] claim[ for the {product}| for order {order_id}|]?
        [Can I|Could I|May I|Is it possible to|Am I able to] [claim on|use|make use of|rely on] the [warranty|guarantee] [for|on] [the|my] {product}?
        [Does|Will] [the|your|the manufacturer's] [warranty|guarantee] still [apply to|hold for|cover] [my {product}|order {order_id}|an item bought on {date}]?
        When does the [warranty|guarantee|warranty period|guarantee cover] [on|for] [the|my] {product} [expire|end|run out|lapse]?
        [Is|Was] there [a|any] [warranty|guarantee] [with|on|for|included with] [the {product}|my {product}|my order {order_id}|what I bought on {date}]?
        What [kind of |sort of |][warranty|guarantee|warranty cover] do [you give on|you offer on|I have on|I get with] [the|my] {product}?
        My {product} [broke|failed|stopped working|packed up|developed a fault] [within|inside|during] the [warranty|guarantee] period[, please replace it|, what do I do now|].
        [Since|As|Because] [the|my] {product} is [still under warranty|still in guarantee|within the warranty period], [please repair it for free|I expect a free repair|you should replace it|I want a replacement].
        [Please|Kindly] [repair|replace|fix|mend] [the|my] {product} [under warranty|under the guarantee|as a warranty case|at no cost, there is a warranty on it].
        [Can|Could|Will|Would] you [repair|replace|fix|mend] [my|the] {product} [under warranty|under guarantee|free of charge under the warranty]?
        Who [handles|deals with|takes care of|is in charge of] [warranty claims|guarantee cases|warranty repairs|repairs under guarantee][ for the {product}|]?
        Where [do I|can I|should I|must I] [send|take|bring] [the|my] {product} for a [warranty repair|repair under guarantee|repair that the warranty covers]?
        [Warranty|Guarantee] [claim|case|request|repair] for [the {product}|order {order_id}|a {product} bought on {date}|an item I bought from you].
        [Question about the warranty|Warranty question|About the guarantee]: [is my {product} still covered|how long am I covered|what does it cover|is it valid without a receipt]?
        How many [years|months] of [warranty|guarantee|cover under the warranty] [are there on|come with|do you give on|do I get with|remain on] [the|my] {product}?
        Is there [any|still some] [warranty|guarantee|warranty cover] left on [my {product}|order {order_id}|an item bought on {date}|the {product} I bought last year]?
        I [have|bought|took out|paid for] [an extended warranty|a three-year guarantee|the extra warranty|additional warranty cover] for the {product}[ and want to use it now| and need it now|].
        [Can I|How do I|Is it possible to|What does it cost to] [extend|renew|prolong|lengthen] the [warranty|guarantee] [on|for|of] [my|the] {product}?
        [Do I have to|Must I|Should I|How do I|Where can I] register [the|my] {product} [for the warranty|to get the guarantee|to be covered by the guarantee|so that the warranty is valid]?
        You [refused|rejected|declined|turned down] my [warranty|guarantee] claim[ for the {product}|], [and I do not agree|please look at it again|although the fault is covered|please tell me why].
        [What has happened to|Is there any news about|What about|Have you looked at|Did you accept] my [warranty|guarantee] claim[ for the {product}| of {date}|]?
        The [warranty|guarantee] [on|for] my {product} [has not expired|is still valid|is still running|has not run out|is good for another year][, so please repair it|, so I want it replaced|].
        [What is|Which parts are|Which faults are|What damage is] [covered by|included in|excluded from] [the|your] [warranty|guarantee][ on the {product}|]?
        Is [a broken screen|the battery|normal wear|water damage|a repair|this fault] [covered by|included in] [the|your] [warranty|guarantee][ on the {product}|]?
        I [have|still have|kept] the [receipt|warranty card|proof of purchase|guarantee slip] for the {product} and [would like to make a claim under the warranty|want to use the guarantee|ask for a repair under warranty].
        Do I need [the receipt|the original box|the warranty card|a proof of purchase] [for a warranty claim|to use the guarantee|for a repair under warranty][ of my {product}|]?
        I [lost|cannot find|no longer have|threw away] the [receipt|bill|box|papers], [is my warranty still valid|do I still have a guarantee|can I claim the warranty anyway]?
        According to [your website|the manual|the box|the warranty card] the {product} has [two years of warranty|a two-year guarantee|a warranty of 24 months|a lifetime warranty][, and I need it now|].
        [The|My] {product} is [a warranty case|a guarantee case|a case for the warranty], [it broke after three months|the fault is not my doing|please tell me what to do].
        Would [this defect|this fault|my {product}|such damage|the repair] [fall under|be covered by|come under] [the warranty|the guarantee|your guarantee]?
        [Please check|I want to know|I would like to know|Let me know|Please tell me] [whether|if] [my {product}|order {order_id}|my purchase of {date}] is [still |]under [warranty|guarantee].
        I [bought|got|purchased|received] the {product} on {date}, so [it is still under warranty|the guarantee should cover it|the warranty has not run out|it must still be in guarantee].
        The {product} [broke|failed|gave out] after [ten months|a year|half a year] and I [want|expect|ask for|am entitled to] [a repair under warranty|a new one under the guarantee|a free repair by warranty].
        [Send me|Please send me|I need|I am looking for] [the warranty form|the warranty terms|a claim form for the guarantee|the guarantee certificate][ for the {product}| for order {order_id}|].
        You [must|have to|should|are obliged to] [honour|respect|stand by|keep to] [the|your] [warranty|guarantee] [on|for] [my {product}|order {order_id}|the {product}, it is not two years old].
        """
    ),
    "account_locked": wordings(
        """
        Why [is my account|has my account been|was my account] [locked|blocked|suspended|disabled|deactivated|frozen]?
        My account[ {email}|] [got|was|has been] [deactivated|disabled|restricted|frozen|put on hold|barred][ without warning| for no reason| on {date}|].
        I [cannot|can't|am unable to|am not able to] [access|get into|log into|sign in to|open] my account, [it has been locked|it seems to be blocked|it was suspended|because it is disabled].
        [Please|Kindly] [let me back into|unblock|reactivate|restore|reinstate|re-enable|release] my [account|customer account|blocked login|locked profile][ {email}| with the number {customer_id}|].
        [Can|Could|Would|Will] you [please |][unblock|reactivate|restore|re-enable|open up] my [locked |blocked |suspended |]account[ {email}|]?
        [How do I|How can I|What must I do to|Who can help me to] [unlock|unblock|reactivate|get back into] my [blocked|suspended|locked|frozen] account?
        I [have been|was|got] [locked out of|blocked from|barred from|shut out of] my account[ {email}| since {date}| after three attempts|].
        [After|Because of|Due to] too many [failed|wrong|unsuccessful] [attempts|logins|tries], my account [is locked|has been blocked|was suspended|got frozen].
        When I [try to|want to] [log in|sign in|log on], [it says|I read|I see|I am told] that [the account is blocked|the account is suspended|my account has been disabled|my access is denied].
        [Locked account|Blocked account|Account suspended|Blocked login|Account locked|Access blocked]: {email}
        [Account|Customer account|Login] [locked|blocked|suspended|disabled], [please help|please unlock it|I need access|cannot get in].
        You [locked|blocked|suspended|disabled|froze] my account[ on {date}|], [although I did nothing wrong|and I do not know why|please undo that|without telling me].
        What is the reason for [the block on|the suspension of|the lock on|blocking|suspending] [my account|the account {email}|my login|my customer account]?
        How long will [my account|my login|the account {email}|my profile] [be|stay|remain] [locked|blocked|suspended|frozen]?
        When [will|can] [my account|the account {email}|account {customer_id}] be [unlocked|unblocked|reactivated|released from the block|freed again]?
        My [account|customer account|user account|profile] [seems|appears] to be [locked|blocked|suspended|disabled|deactivated][, can you check|, please have a look|].
        I [got|received|had] [an e-mail|a message|a notice] [saying|that says|telling me] that my account [has been suspended|is locked for security reasons|was blocked|has been restricted].
        For [security reasons|some reason|unknown reasons] my account[ {email}|] [was locked|has been blocked|is suspended|got disabled|was put on hold].
        My password is [right|correct|fine|not the problem], but [the account is locked|my account has been blocked|you have suspended the account|my login is barred].
        I [need|want|would like|must have] my account [unlocked|unblocked|reactivated|released|opened again][, please| as soon as possible| today|].
        [Lift|Remove|Undo|Please lift|Please remove|Take away] the [block|lock|suspension|ban|restriction] on my account[ {email}|].
        [Someone|Somebody|A stranger] tried to [get into|log into|hack] my account[ and now it is locked| and you have blocked it|, so it was suspended].
        Is my account [locked|blocked|suspended|deactivated]? I [can't log in|cannot sign in|no longer get in|am refused at the login].
        The [app|website|shop|login page] [won't let me in|does not let me in|keeps me out|turns me away]: [account locked|account suspended|user blocked|access denied].
        I [get|see|keep getting|always get] the [message|error|notice] [account locked|account suspended|user blocked|account disabled][ when I log in| every time I sign in|].
        My account was [wrongly|mistakenly|unfairly|accidentally] [locked|blocked|suspended|disabled][, please correct that|, please open it again|].
        There must be [a mistake|an error|a misunderstanding|a mix-up]: [my account is suspended|my account has been locked|you have blocked my account|my login was disabled].
        I [was|have been] [suspended|banned|blocked] from [your shop|your site|my own account|logging in][ and want to know why| by mistake| and cannot see my orders|].
        My [login|user account|access] [no longer works|has stopped working|does not work], because [you locked it|it has been suspended|it was blocked on {date}|it is barred].
        Since [yesterday|this morning|last week|{date}] [my account has been locked|I have been locked out|my login has been blocked|my access has been suspended].
        [Could somebody|Can someone|Who can|Can anybody] [unlock|unblock|release|reactivate] [my account|my login|the account {email}|account {customer_id}][ for me|]?
        I [can't order|cannot see my orders|am unable to check out|cannot buy anything] [because|since|as] my account [is blocked|is frozen|was suspended|has been locked].
        [What should I do|What can I do|What happens now|Whom do I contact]? My account[ {email}|] [is locked|is blocked|has been suspended|got disabled].
        The account [with the e-mail {email}|with the number {customer_id}|of my company] [cannot be used|is not accessible|is inactive], [it is locked|you blocked it|it has been suspended].
        [Account|Customer account|User] {customer_id} is [locked|blocked|suspended|disabled], [please unlock it|kindly release it|I cannot log in|why is that].
        [Getting|Logging] into my account is [impossible|no longer possible|not possible] [because of a block|while it is locked|since you suspended it|since it was blocked on {date}].
        """
    ),
    "password_reset": wordings(
        """
        I [have forgotten|can't remember|cannot remember|don't know|no longer have] my password[ for {email}|], [please reset it|please send me a new one|what now|can you help].
        [I want|I would like|I need|I'd like|I have] to [reset|change|renew|replace|update] my password[ for {email}| for the account {customer_id}|].
        [Can|Could|Would|Will] you [please |][reset|change|renew|replace] my password[ for {email}| for me|]?
        [Can|Could|Would] you [send|e-mail|mail|give] me [a new password|a temporary password|a link to reset my password|a password reset link][ to {email}|]?
        How [do I|can I|does one|would I] [recover|retrieve|get back|restore|find] my [password|lost password|forgotten password|old password]?
        [Forgot password|Password forgotten|Password lost|New password, please|Password reset|Lost password]: {email}
        [Forgot|Lost|Forgotten|Mislaid] my password[ for {email}| again|], [please help|please reset|need a new one|cannot log in].
        Your [site|shop|page|system] [does not accept|rejects|refuses|does not recognise|no longer takes] [my password|my password for {email}|the password I have always used].
        [What can I do|What should I do|What happens|Is there a way in] [if|when] I [have forgotten|lost|do not know|cannot recall] my password?
        I [requested|asked for|ordered] a [password reset|new password|reset link][ on {date}| an hour ago|], but [nothing has arrived|I have not received anything|no e-mail has come|the link does not open].
        I [did not get|have not received|never received|am still waiting for|don't get] the [password reset e-mail|link to reset my password|mail with my new password|code for the password reset].
        [Please send|Please resend|Send|Resend|Please mail] me the [password reset e-mail|reset link for my password|instructions to change my password|password reset code] [again|once more|at {email}].
        The [password reset|page to reset the password|forgotten password page|form for a new password] [does not work|is not working|gives an error|will not load|is broken].
        [The link|The button] [to reset|to change|to recover] my password [has expired|is broken|leads nowhere|is invalid|does nothing][, please send another|].
        I [clicked on|pressed|chose|tapped] forgot password, [but nothing happened|but I got no mail|and I see an error|but no link came].
        I can't [log in|sign in|get in|log on] because I [forgot|lost|cannot recall|no longer know] [my password|the password][ for {email}|].
        My [old|current|saved] password [is no longer valid|is not recognised|doesn't work anymore|has expired|is refused], [how do I set a new one|please reset it|I need another one].
        My password [has expired|is too weak|is not safe any more|was stolen|has been hacked] and I [want to change it|need to set a new one|would like to choose another|have to renew it].
        Where [can I|do I|on the page can I] [change|reset|update|replace|enter] my [password|login password|new password]?
        Is it possible to [reset my password|change my password|get a new password|recover the password for {email}] [by phone|by text message|without the old one|from here]?
        [Remind me of|Please remind me of|Tell me|Please tell me] [my password|the password for {email}|what my password is], I [forgot|lost|cannot find] it.
        I [need|want|would like|require|am asking for] a [new|fresh|different|temporary|replacement] password[ for {email}| for my account {customer_id}| for my login|].
        Help, [I forgot my password|my password is lost|I can't remember my password|the password no longer works][ again| and I cannot get in| and I need a new one|, so please reset it]!
        [The new password|The temporary password|The password you sent me|The one-time password] [does not work|is wrong|has expired|is not accepted|never came].
        [The code|The reset mail|The verification code] [for changing|for resetting|to change] my password [has not come|is not accepted|went to the wrong address|is said to be invalid].
        I [want to|would like to|need to] [choose|set|create|pick|set up] a new password, [how does that work|please send me the link|where do I do that|how is it done].
        [Which|What] [e-mail|link|page|steps] [do I need|must I use|should I use] [to reset my password|for a new password|if I forgot the password]?
        After [your update|the change to your website|buying a new phone|a long break] I [no longer know|have lost|cannot remember|need to reset] my password.
        My [browser|computer|phone|husband] [deleted|lost|did not save|changed] my password, [please send me a new one|so I need to reset it|can I get another].
        [Password reset|New password|Change of password|Resetting my password]: [how does it work|what do I have to do|where is the link|is there a link for it]?
        I [tried|have tried|keep trying] to [reset|change|recover|renew] my password, but [it does not work|I get an error|the link is dead|your page will not let me].
        [Someone|Somebody|A stranger] [knows|has|found out|may know] my password, [please change it|I need a new one|how can I reset it quickly].
        [Please|Kindly] [start|begin|arrange|do|trigger] a password reset for [{email}|my account|account {customer_id}|my login].
        None of my passwords [works|is right|is accepted|fits], [please reset the password|please send me a new password|I must have forgotten the right one].
        It says [wrong password|incorrect password|password not valid|invalid password] [every time|whenever I log in|again and again], [please reset it|I must have forgotten it|send me a new one].
        [Can|Could|May] I [get|have|choose|be sent] [a new password|another password|a password reset|a link for a new password][ at {email}|, please|]?
        """
    ),
    "delete_account": wordings(
        """
        [I want|I would like|I'd like|I wish|I need|We want] to [delete|close|remove|cancel|terminate|shut down] my [account|customer account|user account|profile][ {email}| with the number {customer_id}|].
        [I want|I would like|I'd like|I need|We want] my [account|profile|customer account][ {email}|] [to be |][deleted|closed|removed|erased][, please| today|].
        Please [close|remove|cancel|terminate|erase|shut down|dissolve] my [account|profile|registration|customer account][ {email}|][ for good| at once| permanently|].
        [Can|Could|Would|Will] you [please |][delete|close|remove|erase|cancel] [my account|my profile|my customer account|the account {email}|account {customer_id}]?
        How [do I|can I|does one] [delete|cancel|terminate|get rid of|shut down|erase] my [account|user account|profile|registration|data]?
        Where [can I|do I|on the site can I] [delete|close|remove|cancel|deactivate for good] my [account|profile|user account|registration]?
        Please [delete|erase|remove|destroy] [all my personal data|all data you hold about me|my personal information|my details|everything you have stored about me].
        [I request|I ask for|I demand|I hereby request|I am asking for] the [deletion|removal|erasure|closure|closing] of [my account|my customer account|the account {email}|account {customer_id}].
        [Delete account|Account deletion|Close my account|Account to be deleted|Remove my profile]: {email}
        [Delete|Close|Remove] my account[ {email}|], [please|thanks|thank you|and all the data with it].
        I [do not use|never use|hardly use|no longer use] my account, [so please delete it|so it can go|please close it|and want it closed].
        I no longer [want|wish] to [be your customer|have an account with you|be registered|be in your customer files|shop with you], [please delete my account|close my account|remove all my data].
        [Under the GDPR|Under data protection rules|Under article 17|As the law allows], [I request the erasure of my data|I want you to erase my data|I ask you to delete my account|I want my account to be removed].
        I [want|would like|ask] to [make use of|exercise|use] my right to [be forgotten|have my data deleted|erasure|deletion of my data].
        [Is it possible|Is there a way|Am I allowed|What do I do] to [delete|close|remove|cancel] my [account|profile|customer account][ completely| permanently| online|]?
        [Can|May|Could] I [delete|close|cancel|remove] my [account|profile|user account] [myself|online|by e-mail|at any time|in the app]?
        [I cannot|I can't|I don't] find [the button|the link|the page|a way|the option] to [delete|close|cancel|remove] my [account|profile].
        I [asked|told|wrote to] you [on {date}|last week|a month ago] to [delete my account|close my account|erase my data], [but it still exists|and it is still there|please do it now].
        Why [is my account|is my profile|are my data] still [there|online|stored]? I [asked|told] you to [delete it all|erase everything|remove me completely].
        Please [confirm|let me know|tell me|write to me] [that|when|as soon as] my [account|profile|data] has been [deleted|erased|removed].
        [What happens to|Do you also delete|Will you erase] my [data|details|old orders|personal data] [when I delete my account|if I close my account|after my account is closed]?
        How long does it take [to delete an account|to close my account|until my account is deleted|until you have erased my data]?
        I [opened|created|set up|made|registered] [an account|a customer account|a profile] [by mistake|by accident|only for one order], [please delete it|please remove it|it can be closed].
        I have [two accounts|an old account|a second account|a double account], please [delete|close|remove] [one of them|the one with {email}|the one with the number {customer_id}|the older one].
        [My mother|My father|My husband|My wife] has [died|passed away], please [close the account|delete the account|remove the account] [{email}|with the number {customer_id}|and all data].
        [The account|My account|The profile] {email} [is no longer needed|can be deleted|should be closed|has to go|is to be erased][, please delete it|].
        [Delete|Erase|Please delete|Please erase] [my name, address and account|my data and my account|all my details|my whole profile] [from your system|from your database|from your files|in your shop].
        [I am closing|I am cancelling|I am ending|I hereby cancel|I hereby terminate] my [account|customer account|membership|registration] [with you|in your shop|at your store][, number {customer_id}|].
        [You may|You can|You must|You should] [delete|close|remove] [my account|my profile|my customer account|the account {customer_id}] [now|today|and all that is in it|for ever].
        I do not want [you to keep|you to store|my name and address to stay in|you to hold] my [data|details] any longer, [delete my account|please erase everything|please remove them].
        [I have decided|I decided|We have decided] to [leave|quit|stop shopping with you], [so please close my account|please delete my account|so delete all my data].
        [Deactivate|Please deactivate] my account [for good|permanently|for ever] and [delete|erase|remove] [my data|everything|all my details].
        My [request|wish]: [the deletion of my account|to have my account closed|the removal of all my data|my account deleted][, customer number {customer_id}| by the end of the week|].
        [Take me out of|Remove me from|Delete me from|Erase me from] your [customer database|customer files|system|records][ completely|, my number is {customer_id}|, my account was {email}|].
        [Deregister me|Please deregister me|Sign me off as a customer|Cancel my registration], [I do not need the account|I will not order again|my account is {email}|the number is {customer_id}].
        I [need help|have trouble|have difficulty] [deleting|closing|removing|cancelling] my [account|profile|user account|customer account][ {email}|].
        """
    ),
    "change_email": wordings(
        """
        [I want|I would like|I'd like|I need|We wish|I have] to [change|update|replace|correct|modify|switch] my [e-mail|email|e-mail address|mail address] to {email}.
        [Can|Could|Would|Will] you [please |][change|update|switch|correct|set] my [e-mail|email|email address|contact e-mail] to {email}?
        [Please|Kindly] [change|update|correct|amend|edit|adjust] the [e-mail address|email|mail address] [in my profile|on my account|for my customer number {customer_id}|you have for me] to {email}.
        My e-mail address [has changed|is different now|is no longer the same|was changed], [it is now|the new one is|please note the new one:|from today it is] {email}.
        [I no longer use|I have given up|I don't read|I lost access to|I closed] my [old e-mail|old mailbox|previous address], [please change it to {email}|my new one is {email}|take {email} instead|write to {email}].
        [New e-mail address|New email|Change of e-mail|My new e-mail|E-mail change|Updated email address]: {email}
        [Change|Update|Switch|Correct] my [e-mail|email|e-mail address] to {email}[, please|, thanks|, customer {customer_id}|].
        I have [moved to|changed to|switched to|got] a new e-mail provider[ and|, so] [my address is now|the new address is|my e-mail becomes] {email}.
        There is [a typo|a mistake|an error|a letter missing] in my e-mail address, [it should be|the right one is|please correct it to|it has to be] {email}.
        I [mistyped|misspelt|entered wrongly|got wrong] my e-mail when I [signed up|registered|ordered], [correct is|the correct one is|please change it to|it should read] {email}.
        Is it possible to [change|update|switch|correct] [the e-mail of my account|my e-mail address|my login e-mail] to {email}?
        How [do I|can I|would I] [update|change|edit|replace|correct] [my e-mail address|my email|the e-mail in my profile|my login e-mail]?
        Where [can I|do I|on the site can I] [change|edit|update|enter] my [e-mail|new e-mail address|contact e-mail|login email]?
        I [cannot|can't|am not able to] change my e-mail [in my account|in my profile|on your site|myself], [please do it for me|please set it to {email}|it should be {email}|the new one is {email}].
        From [now on|today|next week] [please use|my e-mail is|please write to|use only|my account should have] {email}[ instead of the old one|].
        [Please note|Take note of|Please record|Please save|Please enter] [my new e-mail|my new email address|the new address for my mails|my changed e-mail]: {email}
        I would like to [log in|sign in|be registered|have my account] with [a new e-mail|another e-mail|a different address], [namely|that is] {email}.
        My [login|account|profile|user name] still [has|shows|uses|runs on] my old e-mail, [please change it to|it should be|I now use] {email}.
        [The e-mail|The address] you have [for me|on file|in my account] is [out of date|no longer valid|wrong|not mine any more], [please replace it with|the new one is|it is now] {email}.
        [Could you|Can you|Would you] [enter|save|register|store|put in] {email} as my [new e-mail|e-mail address|main e-mail|login e-mail]?
        [I married|I changed my name|I changed jobs|I left my old company] and [have a new e-mail|my e-mail is different now|got another e-mail address]: {email}
        [Please|Kindly] [send|direct|forward] [all mails|all messages|your e-mails|order mails] to my new address {email} [from now on|in future|and forget the old one].
        [Delete|Remove|Drop|Please delete] my old e-mail [from my account|in my profile] and [use|enter|save|take] {email} instead.
        {email} [is my new e-mail|is my new email address|is the e-mail I use now|replaces my old e-mail|should be my e-mail from now on][, please update it|].
        My old e-mail [was hacked|no longer exists|is shut down|has been deactivated|expires soon], [please switch my account to|the new one is|please change it to] {email}.
        [Customer|Account|Customer number] {customer_id}: [new e-mail|please change my e-mail to|my e-mail is now|e-mail to be changed to] {email}
        I [need|want|would like] {email} [as my e-mail in the account|to be my new e-mail|as my new contact address|to replace the old e-mail|in my profile instead of the old one].
        Your [confirmation mails|messages|invoices|e-mails] still go to my old address, [please change it to|my new e-mail is|use] {email}.
        [May I|Can I|Could I] [change|give you|send you|tell you] my new e-mail [here|this way|by this message]? It is {email}.
        As of [today|now|{date}|this month] my e-mail [changes to|will be|is] {email}[, please update it|, please correct my account|].
        [I asked|I told] you to change my e-mail, [but the old one is still there|but nothing has changed|please do it now], [it should be|the new one is] {email}.
        [Set|Switch|Please set|Move] [my account|my profile|account {customer_id}|my login] to [the new e-mail|the new e-mail address|my other e-mail], {email}.
        I [have|use|registered with|gave you] [the wrong e-mail|an old e-mail|my work e-mail], [I want to change it to|please change it to|better take|it should be] {email}.
        [Instead of|In place of|Rather than] my [old|current|previous|present] e-mail [please use|please enter|I want to use|my account should have] {email}.
        [What do I have to do|What must I do|Whom do I ask|Who can help me] to [change|update|switch] my e-mail[ to {email}| in the account|]?
        [Another e-mail|A new e-mail|A different email] for my [account|profile|customer data|login], [please|thank you]: {email}
        """
    ),
    "unsubscribe": wordings(
        """
        [I want|I would like|I'd like|I wish|Please allow me|I need] to [unsubscribe|opt out|be removed|be taken off|sign off] from your [newsletter|mailing list|marketing e-mails|promotional mails].
        [Please|Kindly] [unsubscribe|remove|delete|sign off|withdraw] [me|{email}|my e-mail|my address] from [the newsletter|your mailing list|your newsletter list|the marketing list].
        [Can|Could|Would|Will] you [please |][unsubscribe me|take me off your list|stop the newsletter|stop sending me advertising|remove me from the mailing list]?
        [How do I|How can I|Where do I|Where can I] [unsubscribe from|opt out of|cancel|stop|switch off|turn off] [your newsletter|these promotional e-mails|the marketing mails|your advertising]?
        I [do not want|don't want|no longer want|don't wish] to [receive|get|read|be sent] [your newsletter|advertising|promotional e-mails|marketing messages|special offers by e-mail][ any more|].
        I no longer wish to [receive|get|be sent] [your newsletter|any advertising|your offers by mail|marketing e-mails][ at {email}|].
        [Please stop|Stop|Quit|Cease] [sending|mailing|e-mailing] [me |][newsletters|advertisements|promotional mails|marketing e-mails|your weekly offers][ to {email}|].
        [Please stop|Stop|Cancel|End|Please cancel] [the newsletter|your newsletters|my newsletter subscription|all advertising|the marketing mails][ to {email}| now| at once|].
        [Unsubscribe|Newsletter unsubscribe|Opt out|Remove from mailing list|No more newsletters|Cancel newsletter]: {email}
        Unsubscribe[ me| please| {email}|] from [the newsletter|all marketing|all mailings|advertising mails|your promotions].
        I [keep getting|still get|still receive|am still receiving] [your newsletter|marketing e-mails|promotional mails|advertising] [although I unsubscribed|after I unsubscribed|even though I opted out|and want it to stop].
        I [unsubscribed|opted out|signed off] [weeks ago|twice|on {date}|a month ago], [but the newsletter still comes|but you keep sending advertising|and I still get promotional mails].
        Why [do I get|do I keep getting|am I getting|do you send me] [newsletters|marketing e-mails|promotional mails|advertising][ when I never signed up| although I opted out|]?
        I [signed up|registered] for [the newsletter|your mailing list] [by mistake|by accident|once], please [take me off|remove me|unsubscribe me|cancel it].
        I [get|receive|am getting] [too many|far too many|so many|at least ten] [newsletters|promotional e-mails|marketing mails|advertising mails][ from you|], [unsubscribe me|please stop them|take me off the list].
        [Your spam|Your junk mail|This flood of advertising|The endless advertising] [has to stop|must stop|fills my mailbox|is too much], [unsubscribe me|please take me off the list|remove {email}].
        I am [no longer|not] interested in [your newsletter|your offers by e-mail|your promotions|advertising], [please unsubscribe me|please remove me|take me off the list].
        I [withdraw|revoke|take back|cancel] my [consent|permission|agreement] to [advertising|marketing e-mails|the newsletter|promotional mails][ for {email}|].
        I [object to|do not agree to|never agreed to|never gave consent to] [the use of my e-mail for advertising|advertising by e-mail|receiving marketing mails|your newsletter].
        [My e-mail address|My address|The address {email}|{email}] [should be|must be|is to be|has to be] [removed from|taken off|deleted from] [your mailing list|the newsletter list|your marketing list].
        [Please make sure|Please see to it|I insist|I ask] that I [get|receive] [no more newsletters|no further advertising|no more promotional e-mails|no marketing mails any more].
        There is no [unsubscribe link|unsubscribe button|way to opt out|link to sign off] in [your newsletter|your mails|the e-mail], [please unsubscribe me|please remove me|take {email} off the list].
        The unsubscribe [button|page|function|form] [does nothing|shows an error|does not work|will not load], [please remove {email} from the list|please take me off the mailing list|and the newsletter keeps coming].
        [I want no|I wish no|No] more [ads|promotional offers|commercial mails|newsletters|sales mails] [in my inbox|at {email}|from you|from your shop].
        [I would like|I want|I'd like] [my newsletter subscription cancelled|to cancel the newsletter|to end my subscription to the newsletter|the newsletter stopped][, please|].
        [Can I|Is it possible to|Could I|May I] [get your newsletter less often|cancel the newsletter|stop the advertising|opt out of marketing|unsubscribe from the mailings]?
        Please do not [send|mail|e-mail] me [any more|any further] [newsletters|advertising|offers|promotions|product news].
        [Please|Kindly] do not [use {email} for|write to {email} with|fill my mailbox with] [advertising|marketing|newsletters|promotions|offers][ any more| in future|].
        You [send|mail|write] me [advertising|newsletters|offers|promotions] [every day|three times a week|all the time], [please stop that|I want to unsubscribe|take me off your list].
        Please [switch off|turn off|disable|deactivate] [the newsletter|advertising mails|marketing messages|promotional e-mails] [for my account|for {email}|in my profile].
        Also no more [catalogues|flyers|advertising text messages|advertising by post|ads on my phone], [please|thank you|I do not want any advertising].
        I only want [order mails|mails about my orders|the invoices], [no newsletters|no advertising|not your promotions|please unsubscribe me from the rest].
        [Leave me alone with|Spare me|Keep] your [newsletters|promotions|advertising mails|special offers][, I want to unsubscribe|, take me off the list|].
        I [am|was|have been] [signed up for|subscribed to|entered in] your [newsletter|mailing list] [without my consent|without asking for it|against my will], [please remove me|unsubscribe me|take me off].
        [Taking me off|Removing me from|Deleting me from] [the mailing list|your newsletter|the list for advertising] [would be nice|is all I ask|is long overdue], [{email}|thank you|many thanks].
        The [newsletter|advertising|mailing|marketing e-mail] [that you send to {email}|that I get every week|from your shop] is [no longer wanted|unwanted|not welcome|to be cancelled].
        """
    ),
    "complaint": wordings(
        """
        [I want|I would like|I'd like|I wish|I need|I am writing] to [complain|make a complaint|file a complaint|raise a complaint] about [your service|your customer service|one of your employees|the way I was treated|{staff}].
        [This is|Please treat this as|Please take this as] [a complaint|a formal complaint|an official complaint] about [{staff}|your customer service|your driver|your shop in {city}|the behaviour of your staff].
        [How do I|How can I|Where do I|Where can I|To whom do I] [complain|make a complaint|address a complaint] about [{staff}|your service|an employee|the rude driver]?
        [I want to|I demand to|I need to|I would like to|Let me] [speak to|talk to] [the manager|a supervisor|the person in charge] about [the behaviour of {staff}|the bad service|your rude staff].
        I am [very |really |extremely |][disappointed|dissatisfied|unhappy|upset|angry|annoyed] [with|about] [your service|your customer support|the service in {city}|{staff}|your staff].
        I was [shocked|appalled|disgusted|hurt|annoyed] by [the rudeness of {staff}|how I was treated|the behaviour of your driver|the tone of your staff|the attitude of {staff}].
        {staff} [was|has been] [rude|unfriendly|disrespectful|arrogant|unprofessional|very short] [to me|towards me|on the phone|in the chat|when I called].
        {staff} [yelled at me|insulted me|laughed at me|ignored me|lied to me|refused to help me|put the phone down on me][ on {date}| in your shop in {city}|].
        [Your employee|Your colleague|The shop assistant|Somebody called|Your agent|The salesperson] {staff} [did not listen|talked down to me|was no help at all|did not even say hello|made fun of me].
        [Your customer service|Your support|The service|Your hotline] is [bad|poor|horrible|lousy|dreadful|a joke|unacceptable], [I have never been treated like this|and I want to complain|and nobody cares].
        [What|Such] [a terrible|an awful|a horrible|a miserable] [service|customer service|experience|support], [I am very disappointed|I was treated like dirt|{staff} was so rude|never again].
        [The worst|By far the worst|This was the worst] [service|customer service|support|treatment] I have ever [had|seen|experienced|met with].
        [The behaviour|The attitude|The tone|The conduct|The manner] of [{staff}|your driver|your staff|the person on the phone] [was unacceptable|was inappropriate|was rude|leaves much to be desired].
        Complaint[ about|:| against] [{staff}|the hotline|bad service|rude staff|unfriendly treatment in {city}].
        [Rude|Unfriendly|Unhelpful|Impolite|Incompetent] [staff|employees|service|driver|people] [in your shop in {city}|on the phone|at your hotline|at the counter], [I am not amused|that is bad|I complain].
        [Why is|Why was] [{staff}|your staff|your driver|the person on the phone] [so rude|so unfriendly|so unhelpful|so impolite|so arrogant] [to me|to customers]?
        Is [this|that|such behaviour] how you [treat|speak to|deal with] [customers|your customers|people], [{staff} was very rude|{staff} just hung up|I am really upset]?
        [Nobody|No one] [answers|replies to|reads|reacts to] my [e-mails|messages|calls|letters], [that is bad service|what kind of service is that|I am very dissatisfied].
        I [called|rang|phoned] [three times|five times|again and again] and [was cut off|nobody could help me|was passed from one to the next|got no answer], [that is poor service|I want to complain].
        I was [kept waiting|on hold|left hanging|in the queue] [for an hour|for forty minutes|for ever] on [the phone|your hotline], [which is unacceptable|and then cut off|and {staff} was rude as well].
        {staff} [promised to call me back|said I would get an answer|promised to look into it|said that I would be called], but [nobody called|I heard nothing|nothing was done], [I am annoyed|that is bad service].
        Your [driver|courier|delivery man] [was rude|swore at me|threw my parcel over the fence|would not ring the bell|parked on my lawn], [I want to complain|that is unacceptable|I am very angry].
        I [expect|demand|want|am waiting for|would like] an apology [from {staff}|for the bad service|for the behaviour of your staff|for the way I was treated].
        I [expected|had hoped for|would have expected] [better service|more respect|a friendlier tone|more politeness] from [you|your shop|{staff}|your team].
        Your [staff|team|employees|people] [should be|need to be|ought to be] [trained better|more polite|friendlier|more respectful], [{staff} was very rude|{staff} was no help|I was treated badly].
        [I have never been|Never before have I been|Never in my life was I] [treated so badly|so rudely treated|spoken to like that|so disrespected] [by a shop|by {staff}|in a shop].
        [The service|The advice|The support|My treatment] [in {city}|on the phone|by {staff}|in your shop] was [bad|very poor|disappointing|below any standard|unprofessional].
        I [felt|feel] [ignored|insulted|not taken seriously|badly treated|disrespected] [by {staff}|by your staff|by your support|in your shop in {city}].
        [The way|How] {staff} [treated me|talked to me|dealt with my call|answered my question] [was very impolite|is a shame|made me cry|is not acceptable|was humiliating].
        [Please pass|Pass|Forward] my complaint about [{staff}|the hotline|the driver|your shop in {city}] on to [the manager|your boss|the management].
        [I made|I sent|I filed] a complaint about [{staff}|your service|the driver] [on {date}|last week|a month ago] and [have had no answer|nobody replied|nothing has happened].
        [Please talk to|Have a word with|Please speak with|Do something about] {staff}, [who was very rude to me|that behaviour is not acceptable|customers should not be treated like this].
        Nobody [feels responsible|takes me seriously|listens to me|cares about customers] [at your shop|in your support|in {city}|at the hotline], [it is a disgrace|I am very disappointed|I complain].
        I am [not happy|not satisfied|not pleased|anything but satisfied] with [the service|your support|how my call was handled|the way {staff} helped me|your staff in {city}].
        [It is|That is|It was] [unacceptable|outrageous|a shame|shameful|not right] [how I was treated|how {staff} spoke to me|that {staff} shouted at me|that your staff ignore customers].
        [On {date}|Last week|Yesterday] I [was treated rudely|was insulted|got very bad service|was sent away] [in your shop|by your staff|by {staff}|on your hotline][ and I want to complain|].
        """
    ),
    "praise": wordings(
        """
        [Thank you|Thanks|Many thanks|A big thank you|Thanks a lot|Thank you so much] for [the great service|your help|the quick delivery|the lovely {product}|your excellent work].
        [Thank you|Thanks|Many thanks|A big thank you], {staff}, for [your help|your patience|the friendly advice|being so kind|such good service].
        [I want|I would like|I'd like|I just wanted|I wish|We want] to [thank|praise|compliment] [{staff}|your team|your staff|your shop] for [the good work|the friendly service|the quick help|the kindness].
        I am [very|really|so|extremely|more than] [happy|satisfied|pleased|content] with [the {product}|your service|my purchase|the quality|order {order_id}].
        We are [delighted|thrilled|impressed|over the moon|highly satisfied] with [the {product}|your service|the quick delivery|the help of {staff}].
        {staff} [was|has been] [very|so|extremely|really|wonderfully] [helpful|friendly|kind|patient|polite|competent][, thank you| and helped me at once|].
        {staff} [did a great job|was a great help|helped me a lot|went the extra mile for me|is a star|deserves a raise][, many thanks|, please pass it on|].
        [Great|Good|Excellent|Fantastic|Super|Awesome] [job|work|shop|service|product|quality][, thank you|, thanks| as always|, keep it up|].
        [I love|We love|I really like|I adore|We enjoy] [the|my] [new |][{product}|{product}, thank you|{product}, great quality|{product} I bought from you].
        The {product} is [amazing|awesome|brilliant|superb|outstanding|beautiful|really good][, thank you|, exactly what I wanted|, I am thrilled|].
        The {product} [works perfectly|works like a charm|looks beautiful|fits perfectly|does all I want][ and I am very happy| and I love it|, thanks|].
        The {product} [exceeds|exceeded|surpasses|beats] [my expectations|all my hopes|everything I had before|what I had hoped for].
        [Your team|Your staff|Your support|Your customer service|The hotline] [is|was] [great|excellent|first class|fantastic|very helpful|wonderful][, thank you|].
        [Five stars|Ten out of ten|Full marks|Top marks|A clear A] for [your shop|the {product}|{staff}|the service|the quick delivery][, thank you|].
        [Well done|Bravo|Congratulations|Hats off|Chapeau|Kudos] to [{staff}|your team|the whole team|the people in the warehouse|your shop in {city}]!
        [Keep up the good work|Keep it up|Carry on like that|Stay as you are], [your service is great|I love your shop|the {product} is wonderful|{staff} was brilliant].
        [Please pass|Pass|Kindly pass] my [thanks|compliments|praise|gratitude] on to [{staff}|your team|the driver|the packers|your colleagues].
        Please tell [{staff}|the team|your driver|the boss of {staff}] [how happy I am|how grateful we are|that I was very satisfied|that the service was excellent].
        I [really |truly |very much |][appreciate|value|admire|like] [your help|the friendly service|the quick reply|the work of {staff}|your kindness].
        [I was|We were] [pleasantly surprised|very impressed|touched|delighted] by [the quality of the {product}|your friendly service|how quickly you helped|the kindness of {staff}].
        [Delivery was fast|The delivery was quick|The parcel came early|Everything arrived in time] and [the {product} is great|I am very happy|all was well packed|the driver was friendly], thank you.
        [The packaging|The quality|The advice|The delivery|The price] was [excellent|great|perfect|outstanding|very good][, thank you| and I will order again|, I am impressed|].
        I [will|will certainly|will gladly|am going to] [buy from you again|shop here again|come back|order again|stay your customer], [the service was excellent|the {product} is great|{staff} was so kind].
        I [can only|would|can really|can warmly] recommend [your shop|the {product}|you|your service], [everything was perfect|I am very satisfied|top quality|great people].
        [The best|Simply the best|One of the best|You are the best] [shop|service|online shop|customer service] I [know|have ever had|have ever used|can think of].
        [No complaints|Nothing to complain about|Only good things to say], [everything was perfect|the {product} is wonderful|{staff} was great|I am very satisfied].
        [My daughter|My wife|My husband|My mother|The whole family] [loves|is delighted with|is very happy with|adores] the {product}[, thank you|, thanks a lot|].
        I [bought|got|received|ordered] the {product}[ on {date}|] and [I am very happy with it|I love it|it is wonderful|it is worth every penny|could not be happier].
        [Thanks to|With the help of|Because of] {staff} [my problem was solved|everything worked out|all was sorted in minutes|I am a happy customer again][, thank you so much|].
        [How nice|How lovely|How good|So nice] [to be treated so well|that there are people like {staff}|to find such a shop|to get such friendly service][, thank you|]!
        [Order {order_id}|My order|The parcel|The {product}] [arrived quickly|came very fast|arrived safely|came in perfect condition], [great service|thank you|well done|I am very pleased].
        [You have|Your shop has|Your team has] [made my day|won a loyal customer|done a wonderful job|been a pleasure to deal with|helped me greatly][, thank you|].
        It was [a pleasure|a joy|a delight|very nice] to [shop with you|deal with {staff}|talk to {staff}|buy from you|visit your shop in {city}][, thank you|].
        [Praise|Positive feedback|Good feedback|Compliment|A word of thanks]: [the {product} is great|{staff} was very kind|the service was quick and friendly|everything was perfect].
        [So|Very|Really|All in all] [happy|satisfied|pleased|impressed] with [the {product}|your service|the support from {staff}|your shop|everything][, thank you|].
        [If only|I wish] [all shops were like yours|everyone were as helpful as {staff}|every service were so good|all parcels came so fast][, many thanks|, great work|].
        """
    ),
    "delivery_schedule": wordings(
        """
        [I want|I would like|I'd like|I need|We wish|I have] to [change|move|reschedule|postpone|shift|put off] [the delivery|my delivery|the delivery date|the delivery of the {product}] to {delivery_date}.
        [Can|Could|Would|Will] you [please |][move|reschedule|postpone|push back|change|shift] [the delivery|my delivery|delivery of order {order_id}|the delivery date] to {delivery_date}?
        [Please|Kindly] [deliver|bring|drop off|hand over] [the {product}|my parcel|my order|order {order_id}|it] on {delivery_date}, [not earlier|not before|when I am at home|not on any other day].
        [Can|Could|May] I [get|have|receive] [the {product}|my parcel|my order|order {order_id}|the delivery] on {delivery_date}[ instead| rather than tomorrow|, please|]?
        Is it possible to [deliver|bring|get|receive|send out] [the {product}|my order|order {order_id}|the parcel] on {delivery_date}[ instead| in the morning|]?
        Is [a delivery|delivery] [on {delivery_date}|on {delivery_date} at {time}|on {delivery_date} after {time}|as early as {delivery_date}] [possible|an option|feasible|something you offer]?
        [Would|Will] {delivery_date} [be possible|work|be all right|be an option|suit you] for [the delivery|delivering the {product}|order {order_id}|my parcel]?
        Please [arrange|set|fix|plan|organise|set up] [the delivery|my delivery|a delivery date|delivery of the {product}] [for|on] {delivery_date}.
        [I want|I would like|I'd like|We would like] to [arrange|agree on|fix|book|schedule] [a delivery date|a delivery appointment|a delivery slot|a time for the delivery]: {delivery_date}[ at {time}|], please.
        [Preferred delivery day|Delivery, please|Wish for delivery|Desired delivery date|Delivery wanted on|Preferred date of delivery]: {delivery_date}
        [New delivery date|Change of delivery date|Delivery to be moved to|Reschedule delivery to|Other delivery day]: {delivery_date}[ at {time}|, order {order_id}|].
        I [will be|am|shall be] [away|at work|out of town|on a business trip|in hospital] until {delivery_date}, [please deliver after that|please hold the parcel till then|do not deliver before].
        [I will only be|I am only|We are only|Somebody is only] [at home|in|there|available] on {delivery_date}[ after {time}|], [please deliver then|so please come then|can you bring the parcel then].
        I [cannot|can't|will not be able to] [take the parcel|accept the delivery|be at home|receive it] [on the planned day|tomorrow|that day], [would {delivery_date} be possible|is {delivery_date} possible|could it be {delivery_date} instead]?
        [Hold|Please hold|Keep|Please keep] [my order|the parcel|order {order_id}|the {product}] [until|till] {delivery_date}, [I am on holiday|nobody is at home before|and bring it then].
        [Do not|Please do not|Don't] [deliver|bring|send] [the {product}|my order|order {order_id}|my parcel] before {delivery_date}[, we are away|, nobody is there|].
        Please [bring the delivery forward|move the delivery up|advance the delivery|bring my delivery date forward] [if you can|if possible|this time], [ideally to|preferably to|say to] {delivery_date}.
        [I need|We need|I must have] [the {product}|my order|order {order_id}|the parcel] [on|by|no later than] {delivery_date}, [can you deliver by then|please plan the delivery accordingly|can the courier come then].
        [Can|Could] the [delivery|parcel|driver|order] [come|arrive|be here] [later|earlier|on another day], [for example|say|perhaps|ideally] on {delivery_date}?
        [Can|May|Could] I [choose|pick|change|name|set] the [delivery day|delivery date|day of delivery|delivery time]? I [would like|want|prefer|would take] {delivery_date}.
        [How do I|How can I|Where can I|Where do I] [change|move|reschedule|postpone|alter] the [delivery date|delivery day|delivery] [to {delivery_date}|of order {order_id}|for my parcel]?
        [Which|What] delivery [slots|times|windows] [do you have|are there|are free|can I book] on {delivery_date}?
        [Do you|Does the courier|Does your driver] [also |][deliver|come] [on {delivery_date}|on {delivery_date} after {time}|on {delivery_date} before {time}|on {delivery_date} in the evening]?
        [Please come|Please deliver|Deliver] [in the morning|in the afternoon|in the evening|after work|around noon] on {delivery_date}, [I am at home then|that suits me best|not at any other time].
        [Please deliver|Please bring the parcel|The driver should come] [between {time} and noon|not before {time}|after {time}|at {time} sharp], [on {delivery_date}|preferably on {delivery_date}|and the day should be {delivery_date}].
        {delivery_date} [would suit me|is fine|works|is convenient|would be best|is the only day] for [the delivery|delivery of the {product}|bringing order {order_id}|my parcel].
        [The delivery|My delivery|Delivery of the {product}|Delivery of order {order_id}] [should|must|needs to|is to|has to] [take place on|be made on|be fixed for|be moved to|be postponed to] {delivery_date}.
        [Please change|Change|Could you change|I want to change] the [delivery day|delivery date|day of delivery][ of order {order_id}| for the {product}|], {delivery_date} [is better|suits me more|would be right].
        [Please deliver|Deliver|Bring] [the {product}|order {order_id}|everything] on {delivery_date} [rather than on|instead of] the [planned day|day you proposed|day in your e-mail|agreed day].
        The [planned|proposed|given|announced] [delivery date|day|delivery time] [does not suit me|is bad for me|will not work|is no good], [please come on|can you make it|I would rather have] {delivery_date}.
        [We are having|There is|I am planning] [a party|a birthday|an event|an opening] on {delivery_date}, [please deliver on that day|the delivery should come that morning|please bring the {product} that day].
        [May|Can|Could] the delivery be [delayed|postponed|moved|put back|brought forward] to {delivery_date}[, order {order_id}|, please|]?
        I [ask for|request|would prefer|suggest|propose|opt for] [a delivery|delivery] on {delivery_date}[ at {time}| after {time}| in the evening|].
        [Something came up|I have a doctor's appointment|I have to work late|We will be out], [so please move the delivery to|please postpone the delivery to|can the parcel come on] {delivery_date}.
        [Send|Please send|Ship] [my order|order {order_id}|the {product}] so that it [arrives|gets here|is delivered|comes] on {delivery_date}[, not earlier|, not later|].
        [How about|What about|Shall we say|Can we say|Can we agree on] {delivery_date} [for the delivery|as the delivery date|for bringing the {product}|to deliver order {order_id}]?
        """
    ),
}
