# ruff: noqa: E501 - a template stays on one line
"""More ways to say what concerns money: what things cost, how they are paid, what was paid wrongly or is to come back."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["MONEY"]

MONEY = {
    "refund_request": wordings(
        """
        [I expect|I insist on|I am entitled to|I am owed|I claim] [a refund|my money back|a full refund|repayment][ of {amount}| for the {product}| for order {order_id}|].
        [Where has|What happened to|What about|Where is] [my refund|the money you owe me|the repayment|my {amount}]?
        [You have|You got|You received] the {product} back [since {date}|already|last week], [so where is my money|but I have not been refunded|please refund me].
        [Kindly|Please] [reimburse|repay|refund|pay back|return] [the purchase price|the full amount|{amount}|what I paid for the {product}].
        [My return|The return|The {product} I sent back] [reached you|arrived at your warehouse|was accepted] [on {date}|days ago], [when is the refund coming|the money is still not here|but no refund so far].
        [The refund|My refund|The repayment] [of {amount}|for order {order_id}|] [is overdue|has been pending for weeks|was promised for {date}|is still outstanding].
        [Could you|Can you|Would you] [refund|reimburse|repay|credit] [me|the {amount}|the price of the {product}|order {order_id}][ to my card| to my bank account|], please?
        [I want to be|I would like to be|I have to be|When will I be] [refunded|reimbursed|paid back|compensated][ for the {product}| for order {order_id}|]?
        [The {product} is no good|The {product} never came|The {product} was bad|I never got the {product}], [I want my money|give me my money back|so refund me].
        [You refunded|I got back|You paid back|Only] [only a part|only half|too little|just a part], [{amount} is still missing|the rest please|I am owed {amount} more].
        [I was told|You promised|{staff} promised] [a refund|to refund me|I would get my money back|{amount} back], [nothing has come|where is it|I am still waiting].
        [My bank account|My card|My account] [shows no refund|has not been credited|still has no repayment], [please check|when does it come|you owe me {amount}].
        [How do I get|How can I get|What do I do to get|How do I obtain] [my money back|a refund|the {amount} back|reimbursed] [for the {product}|for order {order_id}|]?
        [Money back|Refund|Repayment|Reimbursement] [for order {order_id}|for the {product}|of {amount}], please[ and soon| at last|].
        [I would rather have|I prefer|I do not want another one, I want|No voucher, please, but] [my money back|a refund|the {amount} back|cash].
        [The shipping costs|The postage|The delivery fee] [should be|must be] [refunded|paid back|returned to me] [too|as well|for order {order_id}].
        [Please process|Please issue|Issue|Please start] [the refund|my refund|a refund] [for order {order_id}|of {amount}|to my original payment method|].
        [Since|As] [order {order_id} was cancelled|you could not deliver|the {product} was returned], [I want the {amount} back|please pay me back|I am due a refund].
        [When|By when|On what day] [do you|will you|can you] [pay|transfer|give] [me back|back my money|the {amount} back|the refund]?
        [To which account|On which account|By what way] [do you pay|will you send|comes] the [refund|money][ of {amount}| for order {order_id}|]?
        [You kept|You are keeping|You are sitting on] my money[ for the {product}| for order {order_id}|], [return it|pay it back|I want it back].
        I [paid|transferred|spent] {amount} [for nothing|and got nothing|too much], [please pay it back|I want it refunded|refund it].
        [The price dropped|The price fell|It is cheaper now], [will you refund the difference|I want the difference back|please pay back {amount}].
        I [still have not seen|have not seen a cent of|keep waiting for|am missing] [my refund|the refund|the {amount} you were going to pay back].
        [Transfer|Wire|Send|Put] [the {amount}|my money|the refund] [back to me|back to my account|to my card], [please|at last|now].
        """
    ),
    "invoice_request": wordings(
        """
        [Could I have|May I have|Can you give me|I would like] [an invoice|a receipt|a bill|proof of purchase][ for order {order_id}| for the {product}|][, please|]?
        [Please forward|Please provide|Please issue|Provide] [an invoice|a proper invoice|a tax invoice|a proof of payment][ for order {order_id}| over {amount}|].
        [The bill|The receipt|The invoice] [for the {product}|of order {order_id}|] [got lost|was lost|is not in the box|went missing|cannot be found], [please send it again|can I have another|I need a copy].
        [My employer|My boss|Our bookkeeping|The insurance|My firm|The tax man] [wants|asks for|requires|insists on] [a receipt|the invoice|a bill with VAT|proof of purchase].
        [I have to hand in|I must submit|I need to file] [a receipt|the invoice|a bill] [for the {product}|for order {order_id}|].
        [Is there|Do you have|Can I find] [an invoice|a receipt|a bill] [in my account|as a PDF|by e-mail|online] [for order {order_id}|]?
        [Where do you keep|Where can I see|Where can I print|How can I print] [the invoice|my invoices|the receipt|the bill for order {order_id}]?
        [Please put|Can you put|Put] [my company name|our VAT number|the company address|my tax number] on the [invoice|bill][ for order {order_id}|].
        [The VAT|The tax|The company name|The date] [on the invoice|on the bill] [is wrong|is missing|is not shown], [please send a corrected invoice|I need a corrected one|issue it again].
        [Invoice|Receipt|Bill|Copy of the invoice] [for order {order_id}|for the {product}|] [please|needed|wanted|missing].
        [I deleted|I lost|I cannot find] [the mail with the invoice|the invoice|my receipt|the bill], [could you send it again|please send a copy|can you resend it].
        [For the books|For accounting|For my tax return|To claim expenses|To get the VAT back] I [require|need|would like] [an invoice|the bill|a receipt][ of {amount}|].
        [Send|E-mail|Mail|Forward] [the invoice|a receipt|the bill] to [{email}|my accountant|our bookkeeping|me][, please|].
        [You did not send|You have not sent|There was] [an invoice|any invoice|no bill|no receipt] [with order {order_id}|with the {product}|].
        [A receipt|An invoice|The bill] [was promised|should be enclosed|should have come by mail], [but I did not get one|but it is not there|please send it].
        [Can you split|Could you split|I need] [the bill|the invoice|two invoices] [into two|for two companies|for order {order_id}]?
        [Would you kindly|Would you please|Could you please] [draw up|write|print|make out] [an invoice|a bill|a receipt] [for the {product}|for order {order_id}|in my company's name].
        [All my invoices|All the bills|The invoices of this year|An overview of my invoices], [please|as PDF please|are needed for the tax office].
        I [paid in cash|paid by card|paid {amount}] and [got no receipt|need a receipt|want a bill for it].
        [The amount on|The sum on] [the invoice|the bill] [does not match order {order_id}|is wrong|should be {amount}], [please correct the invoice|can I get a new one].
        [Proof of purchase|A proof of payment|A document with the price|Paperwork] [for the {product}|for order {order_id}] [is required|would help me|is what I need].
        [When do I get|When will you send|When does] [the invoice|my bill|a receipt][ come|] [for order {order_id}|for the {product}|]?
        [My order came|The {product} came|Everything arrived], [only the invoice is missing|but there was no bill|now I just need the invoice].
        [Billing|Invoice] [address|name] [should be changed|is wrong], [please make out a new invoice|reissue the invoice|I need the bill with the right one].
        [I would appreciate|Please let me have|Kindly let me have] [a copy of the invoice|a duplicate of the receipt|the bill][ for order {order_id}|].
        """
    ),
    "payment_failed": wordings(
        """
        [I keep trying to pay|I have been trying to pay|I am trying to pay|We try to pay][ {amount}| for order {order_id}|], but [it fails|it is refused every time|the page shows an error].
        [My card|My credit card|My debit card|The card] [keeps being|is being|was|gets] [declined|refused|rejected|turned down] [at checkout|in your shop|when paying|by your system].
        [The payment|My payment|The transaction] [bounced|was not accepted|was unsuccessful|could not be completed|got stuck|timed out][ for order {order_id}|].
        [At the checkout|In the last step|When I click pay|On the payment page] [it says payment failed|nothing happens|the page freezes|I am thrown out|there is an error].
        [Why can I not|Why can't I|How come I cannot] [pay|complete the payment|check out|finish my order]?
        [Something goes wrong|Something went wrong|There is a problem|There is trouble] [with the payment|with my payment|when I try to pay|at the checkout][ for order {order_id}|].
        [I have enough money|My card is valid|My account is covered|There is money on my card], [but the payment is rejected|yet you decline it|but your page says declined].
        [PayPal|The bank transfer|The instalment plan|Direct debit|My gift card] [does not work|is not accepted|fails|ended with an error] [at the checkout|for order {order_id}|when I pay].
        [I could not|I cannot|It was not possible to] [complete|finish|make|settle] [the payment|the purchase|paying][ of {amount}| for the {product}|][, error|, it was declined|].
        [Payment|Paying|The payment] [impossible|not possible|not working|unsuccessful], [why|please help|what is the matter].
        [The payment window|The card form|The checkout page|The pay button] [does not open|hangs|does not react|closes by itself|crashes].
        I [get|got|see] the message [payment declined|payment failed|card refused|transaction not possible|invalid card], [although my card is fine|what does it mean|why].
        [Order {order_id}|My order] [could not be paid|is still unpaid because the payment failed|was not paid because my card was declined|shows payment error].
        [Is your payment system|Is the checkout|Is your card terminal] [down|broken|out of order]? [I cannot pay|My payment fails|My card does not go through].
        [How else|In what other way|With what else] can I pay[ for order {order_id}| {amount}|]? [My card is not taken|The payment keeps failing|Your page refuses the card].
        [Three times|Again and again|Over and over] [I entered my card|I tried to pay], [each time it was refused|always an error|it never went through].
        [The security code|The confirmation code|The TAN|The code from the bank] [never comes|is not accepted|does not arrive], [so I cannot pay|so the payment fails|and the payment breaks off].
        [My bank|The bank] [approved|released|confirmed] the payment[ of {amount}|], [but your shop says it failed|yet you show an error|but it was rejected by you].
        [You have declined|You rejected|Your system rejected|You sent back] [my payment|my transfer|the {amount} I paid|my card].
        [The attempt|My attempt|Every attempt] to pay [for order {order_id}|{amount}|] [failed|was unsuccessful|ended in an error].
        [I wanted to buy|I was about to buy|I tried to buy] the {product}, but [the payment did not work|my card was not accepted|the checkout broke down].
        [Please tell me|Can you tell me|Do you know] why [my payment failed|the payment is not going through|my card was rejected|the transaction was declined].
        [Card declined|Payment error|Payment refused|Transaction failed][ for order {order_id}|, {amount}|]: [what should I do|please help|why].
        [The direct debit|The transfer|The deduction] [was returned|bounced|did not work|failed], [how can I pay now|what do I do|shall I pay again].
        [Your shop|The website|The app] [does not let me pay|will not take my money|does not want my card|breaks off the payment].
        """
    ),
    "double_charge": wordings(
        """
        [Twice|Two times] [{amount} was|the same sum was|the price of the {product} was] [taken|deducted|withdrawn|debited|charged] [from my account|from my card|on {date}|].
        [I have been|I was] [double charged|double billed|overcharged, twice {amount}|charged a second time] [for order {order_id}|for the {product}|].
        [You took|You withdrew|You deducted|You collected] [the money|{amount}|the payment] [twice|two times|double|a second time][ for order {order_id}|].
        [Only one order|I ordered once|I bought one {product}|A single purchase], [but two payments|but you charged twice|yet I paid two times].
        [On my bank statement|On my card|In my online banking|On the bill] [the payment appears twice|I see {amount} twice|there are two debits|the charge is listed two times].
        [My account|My card|My credit card] [was debited|was charged|was billed] [two times|twice|double][ with {amount}| for one order| for order {order_id}|].
        [Why are there|How come there are|Why do I see] two [charges|payments|debits|deductions|transactions] [of {amount}|for order {order_id}|for the {product}]?
        [One payment|One of the payments|One of the two charges|The second charge] [too many|is wrong|was a mistake|should not be there][, {amount}|, please correct it|].
        [I paid once|I paid only once|I clicked once], [and you took it twice|but was charged twice|but two amounts are gone].
        [Duplicate|Double|Repeated] [charge|payment|debit|billing|booking] [of {amount}|for order {order_id}|on my card].
        [The same order|The same thing|The same {product}|Order {order_id}] [was paid twice|has been paid two times|was billed double|has been charged twice].
        [There seems to be|It looks like|I think there is|There must be] a [double|duplicate|second] [payment|charge|booking|debit][ for order {order_id}| of {amount}|].
        [Please give back|Return|Please cancel|Please reverse|Reverse] [the second payment|the duplicate charge|one of the two charges|the double booking].
        [Somehow|By mistake|For some reason|Due to an error] [I paid twice|my card was charged two times|the money was taken twice|you have billed me double].
        I [notice|noticed|see|saw|found out] that [you charged me two times|{amount} was booked twice|I have paid double|order {order_id} was debited twice].
        [My wife and I|My husband and I|Both of us] [paid|have paid] [order {order_id}|for the {product}], [so it was paid twice|you got the money two times|now it is paid double].
        [The first payment|The first charge] [hung|showed an error|was on {date}], [then it was booked twice|then you took {amount} again|and then the same again].
        [Two bills|Two invoices|Two debits|Two transactions] for [one order|one {product}|the same purchase], [how can that be|that is one too many|please check].
        [Instead of {amount}|Instead of once] you [took double|booked it two times|charged the double amount|debited me twice].
        [Charged|Billed|Debited] [twice|double|two times]: [order {order_id}|{amount}|the {product}].
        [I should pay|I was to pay] {amount}, [not twice that|but double was taken|but you charged that two times].
        [Can you explain|Please explain|Could you check] [why I was charged twice|the second debit of {amount}|the two payments for order {order_id}|why I paid double]?
        [A second time|Once again|Again] you [charged|debited|booked|took] {amount}[ for order {order_id}|][, though I had paid|, which I have already paid|].
        [The money|The price|The amount] [for order {order_id}|for the {product}|] [left my account twice|is gone twice|has been collected two times].
        [I already paid|I had already paid] [for order {order_id}|the {product}|{amount}], [why was it charged again|and now it was taken a second time|still you debited me again].
        """
    ),
    "discount_code": wordings(
        """
        [The checkout|Your site|Your page|The basket] [does not accept|refuses|rejects|does not know] [the code|my voucher|the coupon|the promo code] {code}.
        [What is wrong with|What is the matter with|Why can I not use|Why won't it take] [the code|my coupon|the voucher|the discount code] {code}?
        [I have|There is|I got|I was given] a [voucher|coupon|gift code|discount|promo code] {code}[, can I use it for the {product}|, how do I redeem it|, where does it go].
        [Your newsletter|Your advertisement|A flyer|Your mail] [promised|offered|contained|had] [a discount with|the code|the voucher] {code}, [but it does not work|it is not accepted|how do I use it].
        [Can you|Could you|Would you] [apply|add|count|take into account|deduct] [the code|my voucher|the coupon|the discount] {code} [afterwards|after all|to order {order_id}|on the {product}]?
        [I forgot|I did not manage|I failed] to [enter|type in|redeem|apply] [the code|my voucher|the coupon] {code}[ in order {order_id}| when I ordered|].
        [Until when|How long|Till what date] is [the code|the voucher|the coupon|the promotion] {code} [valid|good]?
        [Does|Will] [the code|the coupon|the voucher|my promo code] {code} [work|count|hold] [for the {product}|on reduced goods|with other discounts|more than once]?
        [Code|Voucher|Coupon|Promo code] {code}: [invalid, it says|not accepted|no reduction|what is wrong].
        [It says|The page says|I am told] that [the code|the voucher|the coupon] {code} [is invalid|has expired|has been used already|does not exist].
        [I wanted to redeem|I tried to redeem|I would like to redeem|Please redeem] [the voucher|the coupon|my gift card|the code] {code}[ on order {order_id}| for the {product}|].
        [The ten percent|The twenty percent|The reduction|The welcome discount|The birthday discount] [of {code}|with {code}|from the code {code}] [was not subtracted|is not shown|was not given|did not apply].
        [Despite|In spite of|Even with] [the code|the coupon|the voucher] {code} [I paid full price|I paid {amount}|the price did not change|nothing came off].
        [I did not get|I never got|I should have got|Where is] [the discount|the reduction|the money off] [for {code}|promised by {code}|with the code {code}].
        [Where is the field|Where is the box|I cannot find the field|There is no field] for [the code|the voucher|my coupon|the promo code] {code}?
        [My friend|A colleague|My neighbour] [gave me|sent me] [the code|the coupon|the voucher] {code}, [may I use it|does it work for me|but it is rejected].
        [Can I combine|May I combine|Can I use both] [{code} with another voucher|the code {code} and a sale price|my coupon {code} with other offers]?
        [Do you have|Is there|Can I get] a [new code|code that works|different voucher], {code} [does not work|has run out|is refused]?
        [I typed in|I entered|I put in|I used] {code} [as the code|as the promo code|as the discount code], [nothing was deducted|the price is the same|but an error came].
        [Please honour|Please accept|Please take|Accept] [the code|my voucher|the coupon] {code}[ for order {order_id}|].
        [The discount|The saving|The price reduction] [that goes with|from|of] {code} [is missing in order {order_id}|was left out|should come off my bill].
        [Which articles|What products|What] [does the coupon|does the voucher|does the code] {code} [cover|apply to|count for]?
        [How much|What percentage|How many percent] [do I save|comes off|do I get off] with [the code|the coupon|the voucher] {code}?
        [Redeem|Use|Activate|Enter] [the voucher|my code|the coupon] {code} [for me|on my order|for order {order_id}], please.
        [Your code|That coupon of yours|The voucher you mailed me], {code}, [is worthless|is not recognised|brings nothing|will not go through].
        """
    ),
    "price_question": wordings(
        """
        [How much|What] [do you want|do you ask|would you charge|would I pay|do I have to pay] for [a {product}|the {product}|one {product}|{quantity} pieces of the {product}]?
        [What is|What would be|Tell me|May I ask] [the price|the cost|the retail price|the current price|the unit price] [of the {product}|for one {product}|for {quantity} pieces]?
        [I cannot see|I cannot find|I do not see|There is no] [a price|the price|any price] [for the {product}|of the {product}|on the page of the {product}], [what does it cost|how much is it|please tell me].
        [What does it come to|What is the total|How much in total|What will it be] [for {quantity} of the {product}|with shipping for the {product}|if I take {quantity}]?
        [Could you|Can you|Would you|Please] [make|send|give|prepare] me [an offer|a quote|a quotation|a cost estimate] [for the {product}|for {quantity} pieces of the {product}|over {quantity} pieces]?
        [I am interested in|I am thinking of buying|I would like to buy|We consider buying] [the {product}|a {product}|{quantity} of the {product}], [what does it cost|how much is it|what is the price].
        [How much|What] is [shipping|delivery|the postage] for [the {product}|a {product}]?
        [Do you give|Do you offer|Is there|Are there] [a discount for large orders|a bulk price|a better price for {quantity} pieces|a volume discount|a student price] [on the {product}|]?
        [Will the {product}|Does the {product}|Is the {product} going to] [get cheaper|be on sale|go on sale|be reduced] [soon|next week|before {date}|]?
        [Is the price|Is that price|Are the prices] [negotiable|final|with VAT|per piece|still valid][ for the {product}|]?
        [The {product} costs {amount}|Your price is {amount}|You ask {amount} for the {product}], [is that right|does that include delivery|is that per piece|can you do better]?
        [Elsewhere|In another shop|At your competitor's] the {product} [costs {amount}|is cheaper], [can you match that|do you match prices|can you go lower]?
        [Price|Cost|Price please|Price request|Quote please]: [{product}|{quantity} pieces of the {product}|one {product}].
        [What are|Tell me|Please tell me|I would like to know] [your prices|your rates|the prices] [for the {product}|for a {product}|].
        [How costly|How expensive|How cheap] [would|will] [a {product}|the {product}|{quantity} pieces] [be|come]?
        [For how much|At what price|At which price] [do you sell|can I buy|could I get|can I have] [the {product}|a {product}|{quantity} of the {product}]?
        [Do you have|Is there|Have you got] [a price list|a catalogue with prices|a list of prices] [for the {product}|]?
        [What was|Why is] the price of the {product} [last week|higher than yesterday|different on the phone|so high]?
        I [want|need|would like] to know [what the {product} costs|how much the {product} is|the price of the {product}|what {quantity} of them would cost].
        [My budget is|I have|I can spend] {amount}, [is that enough for the {product}|can I get the {product} for that|does the {product} cost more]?
        [Can I get|Could I have|Would you sell me] [the {product}|a {product}] [for less|cheaper|at a lower price|for {amount}]?
        [How do you price|How is the price of|What makes up the price of] the {product}[, per piece or per box|]?
        [And what|So what|Now what] [does the {product} cost|is the price of the {product}|would a {product} cost me]?
        [Any idea|Could you say|Do you know] [how much the {product} costs|what the {product} would cost|what a {product} goes for]?
        [The cost|The price] [of the {product}|for {quantity} of them], [please|what is it|including tax, please].
        """
    ),
    "stock_question": wordings(
        """
        [Do you|Does your shop|Does your shop in {city}] [sell|carry|stock|keep|have] [the {product}|a {product}|any {product}]?
        [Is there|Is there still|Would there be] [a {product}|one {product}|any {product}] [in stock|available|on the shelf|in your shop in {city}|left]?
        [When|How soon|On what day] [does|will] [the {product}|your {product}] [come back|return|be available again|be restocked|come in again]?
        [Will you get|Are you getting|Do you expect] [the {product}|more of the {product}|another lot of the {product}] [soon|this month|before {date}|again]?
        [I cannot put|I cannot add|It will not let me put] the {product} [into the basket|in my cart], [is it sold out|is it out of stock|is it not available]?
        [The {product}|Your {product}] [seems to be|appears to be|is shown as] [sold out|unavailable|out of stock|gone], [will there be more|when will you have it|do you still get it].
        [Please reserve|Can you put aside|Can you hold|Could you reserve] [a {product}|one {product}|{quantity} of the {product}] [for me|in {city}|], [if it is in stock|if you have it|if there is one].
        [Can you order|Could you order|Will you order] [the {product}|more of the {product}] [in|for me], [it is not on your shelves|if it is not in stock|since it is sold out]?
        [Notify me|Let me know|Please write to me|Send me a message] [when|as soon as|once] the {product} is [available|back|in again|in stock].
        [How many|How much] of the {product} [are there|have you got|is left|do you still have] [in the warehouse|in {city}|at the moment|]?
        [Have you|Did you] [run out of|sold all of|stopped selling|discontinued] the {product}?
        I [would take|need|want] {quantity} [of the {product}|pieces], [do you have that many|are there enough in stock|is that available]?
        [Which shop|Which of your shops|What shop|Where] [has|can I find|still has|offers] [the {product}|a {product}] [in stock|on the shelf|available]?
        [Available|In stock|On stock|On the shelf]? [The {product}|{product}|The {product} in {city}].
        [Is the {product}|Will the {product} be] [discontinued|still made|still in your range|part of your range|in the catalogue]?
        [Before I drive to {city}|Before I come to your shop|Before I order], [is the {product} there|do you have the {product}|can you check that the {product} is in stock]?
        [Can the {product}|Could the {product}|Can a {product}] [still be ordered|still be had|be bought at the moment|be delivered from stock]?
        [Does the {product}|Do you have the {product}] [come in other colours|in blue|in size L|in another size], [and is it in stock|and is it available|available now]?
        [What is|How is] [the availability|the stock] of the {product}[ in {city}| at the moment|]?
        [I would like to check|I want to check|Can you check|Please check] [if the {product} is available|whether you have the {product}|the stock of the {product}|if there are {quantity} of the {product} left].
        [Next delivery|New stock|Next batch] of the {product}: [when|when is it due|any date]?
        [Every time I look|For weeks|Since {date}] the {product} is [sold out|out of stock|unavailable], [will it ever come back|when do you get more].
        [Are you out of|Are you still selling|Do you still carry|Do you still sell] the {product}?
        [I was in your shop|I visited your shop in {city}], [the shelf was empty|there was no {product}|and could not find the {product}], [when will you get it|do you have any in the back].
        [Is it|Would it be] possible to [buy|get|have|order] [the {product}|a {product}] [now|from stock|in {city}], [or is it sold out|or must I wait for new stock|is it available]?
        """
    ),
}
