# ruff: noqa: E501 - a template stays on one line
"""More introductions, contact details and details beside the point."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["CONTACT", "DISTRACTORS", "INTRODUCTIONS"]

INTRODUCTIONS = wordings(
    """
    [Here writes|You are reading a message from|My full name:|I go by the name of] {name}.
    [Customer name|Sender|From|Contact person|Buyer]: {name}
    {name} [here|writing|speaking].
    [You will find me as|I am registered as|My account says|Please look for] {name}.
    [Let me introduce myself|Allow me to introduce myself|First of all, a word about me|To begin with][: my name is|: I am|, I'm] {name}.
    [You may|You might|You probably] remember me[ from last time| from an earlier purchase|]: [I am|I'm|it's] {name}.
    [The name is|The name's|My full name is|The full name is|The first and last name are] {name}[, by the way|, for your files|].
    [Just so you know who is writing|So that you know who I am|In case you need it|For your records][:|,] [I am|my name is|the name is] {name}.
    [My account|My customer profile|My customer account|The profile] [runs under|is under|was opened under|was set up in] the name {name}.
    [Everything|The invoice|The bill|The paperwork|The receipt] [is made out to|was issued to|is addressed to|carries the name of] me, {name}.
    I, {name}, [have been a customer of yours for years|am writing to you as a customer|am the buyer|am the person who placed the order].
    [You will find|You can find|You should find] [me|my details|my data|the purchase] [under|by searching for|filed under] {name}.
    [I shopped|I bought|I placed the order|I signed up|I checked out] [as|under my own name,|using my name,] {name}.
    [The buyer|The customer|The account holder|The person who ordered|The person who paid] [is me, {name}|is {name}, that is me|is called {name}, which is me].
    [Customer details|My details|About me|Contact details|Personal details][:|]\\n[Name|Full name|First and last name]: {name}
    [Surname and first name|First name and surname|First and last name|Name of customer|Name of the buyer|Account holder][:| -] {name}
    [Sent by|Written by|Submitted by|Message from|Request from|Enquiry from][:|] {name}
    {name} is [my name|the name on the account|the name I ordered under|the name on the invoice|who I am].
    [Is there|Do you have|Can you see] [an account|anything|a profile|a record] [for|under|in the name of] {name}? [That is me|That would be me|It is mine].
    [Could you|Can you|Would you] [look me up|search for me|find me in your system|check my file]? [My name is|I'm|It's] {name}.
    [I sign with|The system knows me as|Your shop knows me as|In your files I appear as|Your records list me as] {name}.
    [As you can see from|As it says in|According to] my [account|profile|signature|customer file], [I am|my name is|I'm called] {name}.
    [I am called|I'm called|They call me|People know me as|I am known as] {name}[ and I am a customer of yours| and I buy from you regularly|].
    [A quick introduction|Short introduction|Briefly about me][:|,] [I am|I'm|name is] {name}, [a regular customer|a new customer|one of your customers|a private customer].
    [For the record|To be clear|To avoid confusion|Before I forget|To start with], [I'm|I am|the name is|my name is] {name}.
    [It is|It's] me[ again|, again|], {name}.
    [Here is|This is] {name}[ again| once more| with another message| from the other day|].
    [The person writing this|The undersigned|The sender of this message|The writer of these lines] is {name}.
    [I was registered|I got registered|I opened the account|I created my account|I made the account] [with the name|under the name of|as] {name}.
    [The card|The account|The credit card|The bank transfer|The payment] is [also in my name|in my name|in my own name], {name}.
    [If you need my name|In case you ask for my name|Should you need a name|Since you will ask], [it is|it's|here it is:] {name}.
    [Please file this|Please note this|Please book this|Please put this] under my name, {name}[, as always|, as before|].
    [Dear team|Hello], [I am|I'm|my name is|you are hearing from|here is] {name}.
    [On the phone|Last time|At the till|In the chat] I [gave|used|was asked for] my [full |]name, [that is|which is|namely] {name}.
    [The parcel label|The delivery note|The label|The receipt|Your confirmation] [says|shows|reads|has the name] {name}, [which is me|that's me|which is my name].
    I'm {name} [and I shop with you now and then|and I have an account with you|and I have bought from you before].
    [User|Client|Purchaser|Ordering party|Applicant|Signed]: {name}
    [With this message|Today|Once more] I, {name}, [turn to you|get in touch with you|write to your team|contact you].
    [My name|The name][, as on my passport,|, written in full,|, in case it matters,|] is {name}.
    """
).train

CONTACT = {
    "email": wordings(
        """
        [An answer to|A mail to|Write back to|Replies go to|The best address is|I am listed as] {email}[ is enough| please|].
        [Contact|Login|Account|E-mail address|Reply to|My mail][:| is] {email}
        {email} is [the address I use|where you reach me|my e-mail].
        [You can email me|You can write to me|I can be reached|I can be contacted|I am reachable|Please get in touch with me][ any time|] [at|via|under] {email}.
        [Drop me a line|Drop me an email|Send me a message|Shoot me an email|Send me a quick note|Just email me] at {email}[, please|].
        [Please use|Kindly use|Use|I'd prefer that you use] {email} [for your reply|for your answer|for all correspondence|to contact me|when you write back].
        [If you have questions|If you need more information|For further details|Should anything be missing|For any queries], [email|write to|contact|mail] {email}.
        [The email|The e-mail address|The mail address|The email address] [on my account|in my profile|I registered with|I ordered with|I use with you] is {email}.
        I [registered|signed up|ordered|log in|created my account] [with|using|under] [the email|the address|my email address] {email}.
        [Contact by email|Email for replies|Email address|My e-mail address|Contact e-mail|E-mail for contact|Mail address][:| -] {email}
        [Where can you reach me? At|How to reach me? At|How to contact me? Via|Where to write? To] {email}.
        [Could you|Can you|Would you|Will you] [reply|send your answer|get back to me|forward everything|send me the details] [to|at] {email}?
        [I look forward to|I am waiting for|I'd be happy about|I would like to get] [your reply|an answer|a message|your response] [at|to] {email}.
        [The best way to reach me|The easiest way to contact me|The quickest way to get hold of me|My preferred contact] is [by email at|email:|mail to] {email}.
        [Any|All|Further] [letters|questions|updates|documents|papers] [should go|can be sent|may be sent|are to be sent] to {email}[, please|].
        [My inbox is|My mailbox is|My private email is|My work email is|Here is my email:|My current address for mails is] {email}.
        [I have an account with you|My login is|My user name is my email|I am in your system], [the email is|under|registered with] {email}.
        [By email|By e-mail|Via email|Through email] I [can be reached|am available|can be contacted|read everything] [at|under] {email}.
        [Please confirm|Please reply|Please respond|Please let me know] [by email|by mail|in writing][:| to| at] {email}.
        [Here|Below] [is|you have] [my email|my e-mail address|the address for your answer]:\\n{email}
        [My contact details|Contact details|Contact|How to reach me][:|]\\n[Email|E-mail|Mail|Email address]: {email}
        [Somebody|Someone|Whoever is in charge] [can|may|should] [write|email|answer] me at {email}.
        [That account|My customer account|The shop account|My profile] [is linked to|belongs to|goes with|is tied to|uses] {email}.
        [I check|I read|I always look at|I regularly check] {email}[ every day| daily| several times a day|], [so please write there|so send it there|write to me there].
        [Note my new email|My email has not changed|In case you lost my email|My email once more][:|, it is|, here it is:] {email}.
        """
    ).train,
    "phone": wordings(
        """
        [Ring me on|Text me at|I pick up at|My mobile is|By telephone|My landline is] {phone}[.|]
        [Phone number|Call|Cell|Contact number|T]: {phone}
        {phone} is [my number|where I can be called|the number to call].
        [You can reach me|I can be reached|I'm available|You'll get me|I can be contacted][ by phone| by telephone|] [on|at|under] {phone}.
        [Give me a ring|Give me a call|Drop me a text|Send me a text|Give me a bell|Give me a buzz] [on|at] {phone}[ if you need to| any time| when you can|].
        [If you have questions|If there is a problem|Should you need anything|If something is missing|In case of questions], [please call|ring|phone|just call|you can call] {phone}.
        [For questions|For queries|For any questions|In urgent cases|For a quick chat][,| please] [dial|call|ring|phone] {phone}.
        [Could you|Can you|Would you|Will you] [call me|ring me|phone me|call me back|give me a call] [on|at] {phone}?
        [Best number|Mobile number|Mobile phone|Daytime number|Phone (mobile)|Call back number|Tel. no.][:| -] {phone}
        [The best number|The number to reach me|My mobile number|My cell number|My telephone number|My daytime number] is {phone}.
        [I prefer|I would prefer|I'd like|I would like] [a call|a phone call|a call back|to be called][:| on| at] {phone}.
        [The phone number|The mobile number|The number|The contact number] [in my account|on file|you have from me|in my profile|on the order] is {phone}.
        [A text|A text message|A short call|A quick call|An SMS] to {phone} [is fine|will do|is enough|would be great|works best for me].
        [I answer the phone|I can talk|I am free to talk|I pick up] [after work|in the evening|all day|during lunch] [at|on] {phone}.
        [Please have|Please let|You can have|You may have] [someone|somebody|a colleague|one of your team] [call|ring|phone] me [on|at] {phone}.
        [My contact details|Contact|Contact details|Reach me here][:|]\\n[Phone|Mobile|Tel|Telephone|Cell phone]: {phone}
        [Just in case|In case you need it|For the driver|For the courier|Should the driver not find me], my [number|mobile|phone number|telephone number] is {phone}.
        [The driver|The courier|Your colleague|The delivery person] [can|may|should] [call|ring|phone|text] me [on|at] {phone}[ before arriving| first|].
        [Here is|This is|Here's|Below is] [my number|my phone number|my mobile|a number for calls]: {phone}.
        [My new number|My mobile|My home number|My office number|My work phone][, in case you want to call,|, by the way,|] is {phone}.
        [You may|Please|Feel free to|You're welcome to|Do] [leave a message|leave a voicemail|text|send an SMS] [at|on] {phone}.
        [On the phone|By phone|By mobile|Over the phone] you [can get|can catch|will reach|will find] me [on|at] {phone}.
        [Use|Please use|Kindly use|Save|Note] [this number|my number|the number] [to call me|for calls|for call backs]: {phone}.
        I'd [be happy|be glad|be pleased] [if you called|if someone called|if you rang] [me on|me at] {phone}.
        [If an email does not reach me|If mails bounce|If that is easier|If you'd rather talk], [call|try|ring|dial] {phone}.
        """
    ).train,
    "address": wordings(
        """
        [Our address|The place|Where to deliver|My house|The parcel goes to]: {street}, {postal_code} {city}[.|]
        [You will find us at|We are at|Bring it to|Leave it at] {street}, {city} {postal_code}.
        [Delivery|Recipient's address|To]:\\n{street}\\n{city} {postal_code}
        [I am living|I'm living|I reside|We live|We are living|My home is] [at|in] {street}, {postal_code} {city}.
        [My home address|My postal address|My full address|My current address|Our home address|The shipping address] [is|reads|would be] {street}, {city}, {postal_code}.
        [Please send it|Send it|Please post it|Mail it|Have it sent|Dispatch it] to {street}, {postal_code} {city}[, please|].
        [Could you|Can you|Would you|Will you] [ship it|deliver it|send it|post it|have it delivered] to {street}, {city} {postal_code}?
        [Delivery address|Postal address|Home address|Mailing address|My address|Invoice address][:| -] {street}, {postal_code} {city}
        [Send to|Please deliver to|Ship it to|My address is as follows|The address is as follows|Please use this address]:\\n{street}\\n{postal_code} {city}
        [Street|Street and number|Street address]: {street}\\n[Postcode|Postal code|Zip|ZIP code]: {postal_code}\\n[City|Town|Place]: {city}
        [Address details|My address|Shipping details|Where I live|Delivery details][:|]\\n{street},\\n{city},\\n{postal_code}
        [Street|Road]: {street}\\n[City|Town]: {city}\\n[Zip code|Postcode|Post code|ZIP]: {postal_code}
        [My street is|The street is|The house is on|I live on] {street}, [in|the town is|the city is] {city}, [postcode|postal code|zip code|zip] {postal_code}.
        [The parcel|The package|The goods|The delivery|Everything] [should go|has to go|can go|must be sent|is to be sent|should be delivered] to {street}, {city}, {postal_code}.
        [The address|The shipping address|The home address] [on file|in my account|in my profile|I gave you|on the order] is {street}, {postal_code} {city}.
        [For delivery|For shipping|For the post|As delivery address|As shipping address][, please use|, use|, take|, note] {street}, {city} {postal_code}.
        {street}, {postal_code} {city} is [my address|where I live|the delivery address|the address to use|where it should go].
        {street} in {postal_code} {city} is [the right address|our home address|where to send it|where we live|my place].
        [You can|Please|Kindly|Just] [send the parcel|deliver|send everything|drop it off|send the goods] [to|to my home at|to my office at] {street} in {city} ({postal_code}).
        [I'd like it|I would like it|I want it|We want it] [delivered|sent|shipped|brought] to {street}, {city}, [zip|postcode|postal code] {postal_code}.
        [My new address|My correct address|The right address|Our current address][:|]\\n{street}\\n{city}, {postal_code}
        [Where to send it?|Where should it go?|Where do I live?|Which address?] {street}, {postal_code} {city}.
        [The courier|The driver|The postman|The delivery service] [can find|will find|finds|reaches] me at {street}, {postal_code} {city}.
        [I am registered at|My account is registered at|The order is addressed to|The invoice is addressed to] {street}, {city} {postal_code}.
        [Destination|Recipient address|Place of delivery|Deliver here|Drop-off]: {street}, {city}, {postal_code}
        [It goes|Delivery goes|Shipping goes|Please forward it] to {postal_code} {city}, {street}.
        [Town|City|Place]: {postal_code} {city}\\n[Street|Street and house number|Road and number]: {street}
        [I live|We live|I am at home|You find me] in {city}, {postal_code}, [at|to be exact at|more precisely at] {street}.
        """
    ).train,
    "city": wordings(
        """
        [Our home is|We are at home in|Greetings from|The shop I went to is in|I come from] {city}.
        [I live|I am living|I'm staying|I am at home|My family lives] [in|near the centre of|right in] {city}.
        [I am|I'm] [from|a customer from|a resident of|writing to you from|contacting you from] {city}.
        [My home town is|My city is|My place is in|My home is in|My flat is in|Our house is in] {city}[, by the way|].
        [City|Town|Place of residence|Home town|Location|Residence][:| -] {city}
        [It was bought|I purchased it|I got it|It was sold to me|I paid for it] [at your store in|at your branch in|in your store in|in] {city}.
        [The shop|The store|The branch|Your branch|The outlet] [where I bought it|where I was|I went to|in question|I used] [is in|is the one in|was the one in] {city}.
        [Your|The] {city} [shop|store|branch|outlet] is [where I bought it|where I paid|where I got it|the one I went to].
        [Please note|For your information|Just so you know|In case it helps], [I live in|I am from|I'm in|my home is in] {city}.
        [Living|As I live|Since I live|Because I am based] in {city}, I [order most things online|usually shop online|buy from you online].
        [Do you have|Is there] [my local shop|your branch|the shop|your store] in {city} in your list? [That is where I bought it|I bought it there|It was bought there].
        [Delivered|The delivery went|It was delivered|The order went|It was shipped] to {city}[, where I live|, my home town|].
        [Hello from|Best wishes from|A customer from|Regards from|Writing from] {city}.
        [We are|My wife and I are|My husband and I are|My family is] [based|living|at home|resident] in {city}.
        In {city}, [where I live|my home town|where I am from|the place I live in], [everything closes early|it is raining today|the post comes at noon|there is only one shop of yours].
        [I visited|I was in|I went to|I stopped by] [your shop|your store|your branch|the outlet] in {city}[ to buy it| and bought it there| for the purchase].
        """
    ).train,
    "customer_id": wordings(
        """
        [My number with you|Account number|Customer|My client id|Reference as a customer][:| is] {customer_id}[.|]
        I am [registered|listed] [under|as] {customer_id}.
        [My customer number|My client number|My customer ID|My account number|My customer code][ with you| at your shop|] is {customer_id}.
        [I'm|I am] [the customer|a customer|the client|your client] with the [number|customer number|ID|client number] {customer_id}.
        [Customer ID|Client ID|Client no.|Account no.|Cust. no.|Customer code][:| -] {customer_id}
        [In your system|In your files|With you|In your database|On your books] I [am|run under|have the customer number|am listed with customer number] {customer_id}.
        [My account|My customer account|The customer account|My customer profile] [has the number|has the customer number|is number|has the ID|is] {customer_id}.
        [Please look up|Look me up under|You can look up|Please check|You will find me under] [customer|customer number|client|account] {customer_id}.
        [The customer number|The customer ID|The account number] [on my invoice|on my card|on the letter|in my profile|printed on my bills] [is|says|reads] {customer_id}.
        [If you need|In case you need|You will ask for|Should you need] my customer number[, it is|, here it is:|: it's] {customer_id}.
        {customer_id} is [my customer number|the number of my account|my client ID|the ID you gave me as a customer].
        [My details|My data|All my details|My purchases] [are stored|are saved|can be found|are filed] under [customer number|customer ID|client number|account number] {customer_id}.
        [I have|I was given|You gave me|I got|I was assigned] [the customer number|customer ID|the client number|the account number] {customer_id}.
        [As customer|As client|As the customer] {customer_id} I [have ordered from you before|have bought from you for some time|am surely in your files|am known to you].
        [Customer data|My data|About my account|For your records][:|]\\n[Customer number|Customer ID|Client number|Account]: {customer_id}
        [When I log in|In my profile|In my account|On my loyalty card] [it says|I see|you can read|I find] customer [number|no.|ID] {customer_id}.
        [Can you|Could you|Would you|Please can you] [find|look up|open|check] [customer|my account, number|my file, customer number|client] {customer_id}?
        [Please quote|Please use|Kindly use|Always state] my customer number, {customer_id}[, when you reply|, in your answer|, on all letters|].
        My customer [number|no.|ID] [should be|must be|ought to be|is, I believe,] {customer_id}.
        [Long-standing customer|Regular customer|Private customer|Registered customer|Existing client], [number|no.|ID|customer no.] {customer_id}.
        """
    ).train,
    "order_id": wordings(
        """
        [Reference|Ref.|Order code|Purchase number|Order reference|For your files, order][:| is|] {order_id}[.|]
        [See|Regarding|Look at|Details are in] [order|purchase] {order_id}.
        {order_id} is [the order|the number of my order|what the confirmation says].
        [The order number|My order number|The order ID|The order code|The number of the order] [I was given|in your confirmation|on the invoice|in my account|I got by mail] is {order_id}.
        [I am writing|I'm writing|I am getting in touch|This message is|I contact you] about [order|my order|order number|purchase] {order_id}.
        [With regard to|In reference to|With reference to|Referring to|Concerning|In connection with] [my order|order|order number|order no.] {order_id}.
        [Order ID|Order no|Order nr.|Order #|My order no.|Purchase ID|Purchase no.][:| -] {order_id}
        [It concerns|This concerns|This is about|This refers to|It relates to|We are talking about] [order|my order|order number|the order with the number] {order_id}.
        [You will find|You can find|Please find|You should see] [the order|my order|my purchase|the details] under [number|order number|the reference|order ID] {order_id}.
        [Could you|Can you|Would you|Please can you] [look at|look up|open|check|pull up] [order|my order|order number|purchase] {order_id}?
        [The confirmation|Your confirmation email|The invoice|The receipt|The delivery note] [shows|gives|states|has|mentions] [order number|the order number|order ID] {order_id}.
        [If you need|In case you need|You will want|Should you need] [the order number|the order ID|the order reference][, it is|, here it is:|: it's] {order_id}.
        {order_id} is [the order in question|the order I mean|my order number|the reference of my order|the order this is about].
        [Order details|Details of my order|About the order|My purchase][:|]\\n[Order number|Order|Order no.|Order ID]: {order_id}
        [The order|The order in question|My order|The purchase] [runs under|was registered as|is listed as|was saved as|shows up as] [number |no. |]{order_id}.
        [I have|I hold|I received|You sent me|I was given] the order [number|code|ID|reference] {order_id}.
        [My purchase|My last order|My recent order|The recent purchase], [number|no.|order no.|with the number] {order_id}, [is what this is about|is the one I mean|is what I am referring to].
        [Under|With|By] [order number|order ID|purchase number] {order_id} you [will find|can find|should see|can look up] [everything|the whole order|my order|all details].
        [Please quote|Please use|Kindly use|Please mention] [order number|my order number,|order reference|the order number] {order_id} [when you reply|in your answer|in all letters|in your reply].
        [Which order? That is|Which order? It is|The order I mean? It is|You ask which order? It's] [number|no.|order no.] {order_id}.
        [I placed|I made|I sent you|We placed|I submitted] [order|the order|order no.|the order with number] {order_id}.
        [In my account|On your site|In the app|In your shop] [it|the order|my order|the purchase] [is shown as|appears as|is called|has the ID] {order_id}.
        [All this|What I write|My message|My mail|My question] [is about|concerns|relates to|has to do with|refers to] order [no. |number |]{order_id}.
        """
    ).train,
    "date": wordings(
        """
        [Bought on|Ordered on|Purchased|Day of the order][:|] {date}[.|]
        [That was on|It was|The day I bought it was|I made the purchase on] {date}.
        On {date} I [paid for it|clicked on buy|sent the order|made the purchase].
        [I bought it|I purchased it|I ordered it|I got it from you|I made this purchase|I acquired it][ online| in your shop|] on {date}.
        [My order|The order|My purchase|The purchase] [was made on|was placed on|dates from|goes back to|is dated|was from] {date}.
        [Order date|Date of order|Purchase date|Date bought|Ordered|Date of the purchase][:| -] {date}
        [It was|This was|The item was|The whole thing was] [bought|purchased|ordered|paid for] [on {date}|by me on {date}|by us on {date}].
        [When did I order?|When did I buy it?|The date of purchase?|When was it ordered?|When I bought it?] [On|That was on|It was on] {date}.
        On {date}[,|] I [ordered it|bought it|purchased it|placed my order|placed an order with you|ordered from you].
        [The receipt|The invoice|My receipt|The bill|The order confirmation] [is dated|shows|has the date|says|is from] {date}.
        [We|My wife and I|My husband and I|Both of us] [bought it|ordered it|purchased it|placed the order|went shopping for it] on {date}.
        [It has been mine|I have had it|I've owned it|It has been in use|I have used it] since [I bought it on|the purchase on|I ordered it on|buying it on] {date}.
        {date} is [when I ordered|the day I ordered|the date of my order|the date of purchase|when I bought it].
        [According to|As stated on|As per|Going by] [the receipt|my invoice|the confirmation|my account], [I ordered|it was bought|I bought it|the order was placed] on {date}.
        [Purchase|My purchase|Details of the purchase|Order details][:|]\\n[Date of order|Order date|Date of purchase|Bought on]: {date}
        [If you need the date|In case you need the date|You may need the date|To help you find it]: [I ordered|the order was placed|I bought it|I purchased it] on {date}.
        [I ordered|I bought it|I placed the order|I did my shopping|I sent off my order][ from home| by phone| through your website| via the app|], on {date} [to be exact|to be precise|if I remember rightly].
        It was on {date} [that I|when I] [ordered|bought it|placed the order|purchased it|paid].
        [I have an order|There is an order|You have an order|You will find an order|You should see an order] [of mine|from me|by me|in my name] [from|dated|of] {date}.
        [The date|The day] [of my order|of the purchase|I ordered|I bought it|the order was made] [is|was] {date}.
        [You sold it to me|You took my order|You confirmed my order|You accepted the order] on {date}.
        [Since|As] I [bought it|ordered it|purchased it|placed the order] on {date}, [the receipt should be in your files|you should find it easily|it should be in the system|you can surely look it up].
        [My order|The order|Our order][, placed on {date},|, which I made on {date},|, dated {date},| from {date}] was [paid at once|confirmed by mail|done online|a small one].
        """
    ).train,
    "amount": wordings(
        """
        [Price paid|Paid|The bill|Value|Costs][:| was| is] {amount}[.|]
        [It was worth|You took|I transferred|My card shows|I spent|The price tag said] {amount}.
        {amount} [was the price|is what I paid|left my account].
        [I have paid|I had to pay|We paid|I paid you|I ended up paying] {amount}[ in total| for it| altogether| in all| at the till|].
        [The total|The full price|The purchase price|The total amount|The invoice total|The final price] [was|came to|amounted to|is|comes to] {amount}.
        [Amount paid|Total paid|Purchase price|Invoice amount|Order total|Total price|Sum paid][:| -] {amount}
        [You charged me|You billed me|You debited|I was billed|You took from my card] {amount}[ for it| for this| for the order|].
        [It|The item|The whole thing|The order|Everything together] [cost|cost me|was priced at|set me back|came to] {amount}.
        [My card|My account|My credit card|My bank account] was [charged|debited|billed] [with |]{amount}[ for this| for the order| by you|].
        [The invoice|The receipt|The bill|My bank statement|The confirmation] [shows|says|states|lists] {amount}.
        [I sent you|I wired you|I transferred to you|I sent over|I gave you|I remitted] {amount}[ for it| by bank transfer| as payment|].
        {amount} [was charged|was debited|has been paid|was what it cost me|was the total|is the amount that I paid].
        [What I paid|What it cost|The sum I paid|The price I paid|What you charged me] [was|is|comes to] {amount}[ including shipping| with tax|].
        [How much did I pay?|What did it cost?|The price?|What I paid?|The amount?] [It was|Exactly|It came to|A total of] {amount}.
        [I bought it|I got it|I purchased it|I ordered it] for {amount}[ in your shop| online| from you|].
        [For this|For that|For the order|For the item|For all of it] I [paid|was charged|transferred|spent|paid you] {amount}.
        [A payment of|A total of|An amount of|The sum of|A charge of] {amount} [was made|was taken from my account|was booked|was debited|went through].
        [Payment|Payment details|About the payment|Invoice][:|]\\n[Amount|Total|Paid|Price]: {amount}
        [As you can see|According to your invoice|As stated on the receipt|By the receipt], [I paid|the price was|the total was|it cost] {amount}.
        [The purchase|The order|My order|The transaction|The invoice] [was for|was worth|amounts to|is for|had a value of] {amount}.
        [At|With] a [price|cost|total] of {amount}[,|] [it was not cheap|it was a fair buy|it was a big purchase for me|I paid a lot].
        [The amount|The price|The sum] [on the bill|on my statement|that I paid|you charged|that was debited] [is|was] {amount}.
        [It was paid|I paid|The payment was made|I settled the bill] [in full|by card|in cash|by bank transfer|via PayPal], {amount}[ in total| altogether|].
        """
    ).train,
    "product": wordings(
        """
        [It concerns|We speak of|What I have is|My purchase was|What I talk of is] [the|a|your] {product}.
        [Goods|Object|Ordered|Name of the product][:| is] {product}
        [The|My] {product} is [what I mean|the one|what this is about].
        [I have bought|I purchased|I recently bought|I got|We bought|I picked up] [a|the|this] {product}[ from you| in your shop| on your website| at your store|].
        [This concerns|This is about|The matter concerns|My message is about|I am writing about|I'm writing about] [the|my|a|your] {product}.
        [Product name|Item name|Article name|Purchased item|Ordered item|Item bought][:| -] {product}
        [The item I bought|What I bought|What I ordered|The thing I purchased|The article in question] [is|was] [a|the|your] {product}.
        [The item in question|The product in question|The article|The product I mean] [is|would be] [a|the|my] {product}.
        [My order|The order|The purchase|My purchase|The parcel] [was for|contained|consisted of|included] [a|the|one] {product}.
        [I placed an order for|I sent you an order for|I made an order for|I went for|I chose|I decided on] [a|the|your] {product}.
        [We are talking about|I refer to|I am referring to|I mean|What I mean is] [the|a|my|your] {product}.
        [It was|It is] [a|the|your] {product} [that I ordered|that I bought|I purchased|which I got from you|I am writing about].
        [The|My|Your] {product} [is the item in question|is what I ordered|is the product I bought|is what I am writing about].
        [Which item?|Which product?|What did I buy?|What I ordered?|Which article?] [The|A|Your] {product}.
        [You sold me|You sent me|I received from you|You delivered|Your shop sold me] [a|the|this] {product}.
        [Order details|About the item|My purchase|What I bought][:|]\\n[Item|Product|Article|Ordered product]: {product}
        [I am the owner of|I own|I have|I'm the owner of|I've got] [a|the|this] {product} [from you|from your shop|bought in your shop|that I bought from you].
        [The invoice|The receipt|The order confirmation|My account] [lists|shows|names|mentions|is for] [a|the|one] {product}.
        [With regard to|Regarding|Concerning|In connection with|As regards] [the|my|your] {product}[ I ordered| I bought from you| from your shop|].
        [A|One|Your] {product} [was ordered|was bought|was purchased|is what I bought|was in the parcel].
        [I spent my money on|I paid for|What I paid for was|What I have here is|My money went on] [a|the|your] {product}.
        [Some time ago|A while ago|Recently|Not long ago], [I bought|I ordered|we ordered|I purchased|my wife and I bought] [a|the|this] {product}.
        [In your shop|In your online shop|On your site|From you|At your store] I [bought|ordered|chose|got|found and bought] [a|the|this] {product}.
        """
    ).train,
    "tracking": wordings(
        """
        [The carrier gave me|Parcel number|Consignment|The code for tracking is|Shipment][:|] {tracking}[.|]
        [The tracking code|The parcel number|The tracking ID|The shipment number|The consignment number|The tracking no.] [is|reads|would be|I was given is] {tracking}.
        [Tracking ID|Tracking no.|Parcel ID|Shipment number|Consignment number|Parcel tracking][:| -] {tracking}
        [You can track|One can track|I tracked|I have been tracking|You may follow] [the parcel|the package|it|the shipment] [with|under|by] [number|the number|the code|tracking number] {tracking}.
        [The parcel|The package|The shipment|The delivery|My parcel] [has|travels under|is registered under|is listed with] [the tracking number|tracking number|tracking ID|the shipment number] {tracking}.
        [The label|The dispatch mail|Your shipping email|The courier's app|The carrier's page] [shows|gives|says|states] [tracking number|parcel number|the tracking code] {tracking}.
        [If you need|In case you need|Should you need|Here is] [the tracking number|the parcel number|the tracking code]: {tracking}.
        {tracking} is [the tracking number|my tracking code|the number of the parcel|the parcel number|what I use to track the parcel].
        [I was sent|I received|You sent me|You gave me|I got] [the tracking number|tracking code|the parcel number|a tracking number, namely] {tracking}.
        [Could you|Can you|Would you|Please can you] [check|trace|look up|follow] [the parcel|the package|the shipment] [with number|with tracking number|number|with code] {tracking}?
        [According to|On|Going by] the [courier's|carrier's|delivery service's|postal service's] [site|website|page], [the parcel is number|the tracking number is|the tracking code is] {tracking}.
        [Shipping details|Delivery details|About the parcel|Shipment][:|]\\n[Tracking|Tracking number|Tracking code|Parcel number]: {tracking}
        [It was sent|It was shipped|It was dispatched|The order went out|It left your warehouse] [with|under] [the tracking number|tracking code|parcel number|tracking ID] {tracking}.
        [When I enter|When I type in|When I put in|If you enter] [the tracking number|the tracking code|tracking number|the parcel code] {tracking}, [you see the parcel|I see the parcel|a map opens|the status page opens].
        [Package|Parcel|Shipment] [no.|number|ID] {tracking}, [as per your dispatch mail|as the carrier calls it|as you wrote to me|according to the label].
        [Tracking|The tracking|Parcel tracking] [works|runs|goes] [under|with|via] [the number|number|the code] {tracking}.
        """
    ).train,
}

DISTRACTORS = wordings(
    """
    [My colleague|My uncle|My boss|Our neighbour] {other_person} [says hello|bought the same|was surprised|laughed about it].
    [In another shop|Last year|Elsewhere|Before the sale] [they wanted|I would have paid|it cost] {other_amount}.
    [We are moving|My birthday is|The warranty ends|The party was] on {other_date}.
    [I grew up in|My parents live in|The next shop is in] {other_city}.
    [Ticket|My old case|The earlier conversation] {other_number} [is closed|was about something else|can be ignored].
    [Besides|In addition|Some day], the {other_product} [looks nice too|might be next|is on my wish list].
    [There are 4 of us|I waited 20 minutes in the queue|It has 3 floors|I am 47 years old].
    [My wife|My husband|My partner|My flatmate|My cousin] {other_person} [thinks I worry too much|sends regards|knows your shop too|is sitting next to me as I write].
    [A friend of mine|A good friend|A relative|A former classmate], {other_person}, [told me about you|swears by your shop|gave me your address|has been a customer for ages].
    {other_person}, [my neighbour|my best friend|my sister-in-law|a friend from the choir], [has had no trouble with you|ordered something similar once|is very happy with you|buys from you as well].
    [I heard about you from|You were recommended by|I got the tip from|I found you thanks to] [my friend|my neighbour|my uncle|my grandmother] {other_person}.
    [I showed it to|I discussed it with|I talked it over with|I asked] {other_person}, [my brother|my nephew|an old friend|my neighbour][, and we both wondered|, who just shrugged|].
    [Last time|The other day|Yesterday evening] {other_person} from [next door|my football club|the flat above|my evening class] [came round for tea|was here for dinner|helped me write this].
    [My aunt|My mother|My father-in-law|My grandson] {other_person} [always said one should ask|would have known what to do|is better with computers than I am|taught me to keep receipts].
    [The last time I wrote|In spring|Some months ago|A year ago], [my case had|the ticket had|another matter of mine had|it was given] the ticket number {other_number}.
    [Someone on the phone|A colleague of yours|The chat assistant|Your hotline] [mentioned ticket|noted case|referred to case number|told me about ticket] {other_number}.
    [Case|Ticket|Case number|Ticket number] {other_number} [has long been closed|was a different matter|was settled back then|is an old story|has nothing to do with this].
    [Please ignore|You can forget about|You need not look at|Never mind] [ticket|case|the old case|the earlier ticket] {other_number}[, that is done|, it was sorted out|].
    [There was once|I once had|There used to be] [a case|a ticket|an old ticket] {other_number}[, but that was something else|, which you solved nicely|, long since closed].
    [A competitor|Another shop|The shop round the corner|A rival website|A discount store] [asks|wants|charges|takes] {other_amount} for [something similar|much the same thing|a comparable one].
    [I have a voucher for|I still have a gift card over|A friend owes me|I have put aside|My monthly budget is] {other_amount}[, but that is another matter|, not that it matters|].
    [The repair of my bike|My phone bill|My electricity bill|The train ticket|Our dinner] [cost|came to|was] {other_amount}[, so money is tight|, which was a shock|].
    [Last week|Years ago|On another occasion|At Christmas] I [spent|left|paid] {other_amount} [at the dentist's|at the garage|at the supermarket|at a garden centre].
    [A friend of mine|My neighbour|My sister|A colleague] [paid|had to pay|would pay] {other_amount} [at another place|somewhere else|for hers elsewhere|at a market].
    [My sister|My brother|My flatmate|A friend|My neighbour] [has|owns|uses|bought] [the|a|your] {other_product}[ and loves it| and is happy with it| too|].
    [I have been looking at|I have my eye on|I am also interested in|I am thinking about|I was admiring] [the|your] {other_product}[ as well| for later| for next year|].
    [The|Your] {other_product} [I got years ago|from an earlier purchase|that we have at home|my parents gave me] [still works perfectly|is as good as new|is used every day].
    [Maybe|Perhaps|One day|In the new year] I [will get|will try|might order|may treat myself to] [a|the|your] {other_product}[ too| as well|].
    [By the way|Incidentally|On a different note], [do you still sell|will you keep selling|is there an advert for|do your other shops have] the {other_product}[ these days|]?
    [Your advert for|The picture of|A review of|The video about] the {other_product} [made me smile|was well done|was in my newspaper|came up in my feed].
    [We are having guests|I start a new job|My exam is|The school holidays begin|Our wedding anniversary is] on {other_date}.
    [On {other_date}|After {other_date}|From {other_date} on] [I will be travelling|we are away|I start my new job|we have builders in the house|I will be in hospital for a few days].
    [My birthday party was|We had a power cut|I had a doctor's visit|There was a street festival|My neighbours moved out] on {other_date}[, but never mind|].
    [The newspaper of|A leaflet dated|Your newsletter of|Your catalogue of] {other_date} [lies in front of me|had a nice article about you|is still on my desk].
    [I have been in|I spent a week in|I was visiting friends in|We had a holiday in|I used to work in] {other_city}[ lately| not long ago|][ and liked it a lot|].
    [My daughter|My son|My brother|My best friend|My mother] [lives|studies|works|has just moved to a flat] in {other_city}[ and shops with you as well| and asked about your shop|].
    [Before that|Until last year|In the past|As a student] I [lived|worked|had a flat|ran a small shop] in {other_city}.
    [They say that|I read that|Someone said that|I heard that] you [are opening|plan to open|once had|will have] a [shop|branch|warehouse|store] in {other_city}.
    [I found your shop|I discovered you|I came across your site|I first heard of you] [through an advert|on the internet|in a magazine|by chance|through a search].
    [I have been shopping with you|I've been a loyal customer|I have known your shop] for [3|5|8|10|more than 6] years[ now| and always liked it|].
    [I spent|I have spent|I must have spent] [20|30|45|nearly 90] minutes [on the phone|in the queue|looking for your address|searching your website|writing this].
    [Our dog|My cat|The baby|The little one] [is 3 years old|woke up at 5 this morning|keeps me busy|does not let me type in peace].
    [We are a household of|We are a family of|Our team has|Our office has] [3|4|5|6|12] [people|members][, so you can imagine|, all of them curious|].
    [The box|The parcel|The packaging|It] [is about 40 cm wide|weighs roughly 2 kg|feels quite heavy|is bigger than I expected|looked nice].
    [The weather here|The weather in our village|The sky outside] is [lovely today|awful at the moment|quite grey right now|nice for the season][, by the way|].
    [Sorry for my English|Please excuse my typing|Excuse any mistakes|Forgive the long text], [it is not my first language|I am writing on my phone|I am no great writer|I am typing on the train].
    [I am retired|I'm a teacher|I work shifts|I'm a student|I work as a nurse], so [I have little time in the week|I write late in the evening|money matters to me|I do most things online].
    [It is|It was] [a present|a gift|a surprise|meant] for [my wife|my husband|my nephew|my old teacher|a colleague][, who turns 40|, who knows nothing yet|].
    [We live|Our flat is|My office is] on the [second|third|fourth|top] floor[, without a lift|, and there are 62 steps|, the bell is broken|].
    [Your site|The website|The app|Your page] [loaded slowly|looks nicer than before|asked me 3 times to log in|was in another language at first].
    [My neighbours|Our friends|People at work|The children] [keep asking me about it|are curious too|say I should be patient|had a good laugh].
    [Once|In 2017|In 2019|Years ago], [you helped me very quickly|your service was excellent|I won a prize in your raffle|I visited your old shop].
    """
).train
