# ruff: noqa: E501 - a sentence stays on one line
"""Sentences that nothing is trained on, by a writer who saw none of those that training has: twelve for each intent.

They are there to be measured by, and are not to be read by who writes more for training.
"""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["BLIND_REQUESTS"]

BLIND_REQUESTS = {
    "order_status": wordings(
        """
        ! Hi, could you tell me where my order {order_id} is at the moment?
        ! Has my parcel left your warehouse yet?
        ! Just wondering how far along my order is.
        ! What does "in processing" mean for order {order_id}, and what is the next step?
        ! I'd like to know whether the {product} I bought on {date} has already been shipped.
        ! Can you check the tracking number {tracking} and let me know where the package is right now?
        ! Any news on my order?
        ! Please send me a quick update on the current state of my purchase.
        ! Is my stuff already with the courier or are you still packing it?
        ! I ordered two days ago and would like to see which stage it has reached.
        ! Where can I see how my shipment {tracking} is progressing?
        ! Good morning, I placed an order last night and just want to know if it's being prepared.
        """
    ),
    "late_delivery": wordings(
        """
        ! My parcel was supposed to be here on {date} and there is still no sign of it.
        ! It has been three weeks now and I still haven't received anything.
        ! Order {order_id} is well overdue.
        ! You promised delivery within five working days, and that was ten days ago.
        ! I waited at home all Tuesday as agreed and the delivery never turned up.
        ! Why is my {product} taking so much longer than the date you gave me?
        ! The {product} should have reached me by {delivery_date}, so what is holding it up?
        ! Still nothing in the post, even though the estimated arrival was last Monday!
        ! Your site said next-day delivery and here I am a week later without a package.
        ! The expected arrival date for {order_id} keeps being pushed back and it is already a fortnight behind.
        ! My order hasn't come yet although it was due the day before yesterday.
        ! How come this delivery is so late?
        """
    ),
    "missing_item": wordings(
        """
        ! I unpacked the box and the {product} wasn't in it.
        ! One of the three things I ordered was not in the package.
        ! Order {order_id} arrived today, but there was no {product} inside.
        ! The delivery note lists four articles and I only found three in the carton.
        ! Something has been left out of my parcel.
        ! You forgot to pack the charging cable that should come with it.
        ! I paid for {quantity} pieces, but when I opened the box there was one short.
        ! The screws for the assembly were nowhere to be found in the box.
        ! Half of my order is here, the other half simply wasn't in the parcel.
        ! We got the parcel from {order_id} this morning and the second item is absent.
        ! Everything came except the {product}, could you send it on?
        ! The box was sealed properly, yet the remote that belongs with it was not included.
        """
    ),
    "wrong_item": wordings(
        """
        ! I ordered the {product} and you sent me the {other_product}.
        ! This isn't what I ordered at all.
        ! There was somebody else's jumper in my parcel instead of the one I had picked.
        ! Instead of the {other_product} I was expecting, I found the {product} in the box.
        ! You've sent me the blue version when I clearly chose the green one.
        ! It looks like my package got mixed up, because I have never ordered this kettle.
        ! The article in order {order_id} is not the one shown on my confirmation.
        ! I received a size 38 although I ordered a 42.
        ! Why did I get a completely different product from the one I selected?
        ! My order {order_id} came today, but the box contains another model than the one I bought.
        ! Your warehouse must have picked the wrong thing, I was meant to get the {product}.
        ! I unwrapped the parcel and out came a toaster, but what I'd bought was a blender.
        """
    ),
    "damaged_item": wordings(
        """
        ! The {product} was smashed when I took it out of the box.
        ! My order arrived with a big crack right across the glass.
        ! The parcel looked like someone had jumped on it, and the vase inside is in pieces.
        ! Unfortunately the {product} from order {order_id} came with a dent in the side.
        ! One leg of the table had snapped off during transport.
        ! It got here today all scratched and chipped.
        ! The bottle had leaked all over the carton by the time it reached me.
        ! I opened the package and found the {product} broken.
        ! Two of the plates were shattered on arrival.
        ! The box was soaked through and what's inside is ruined.
        ! I'm sending you photos of the torn fabric, this is how it came out of the packaging on {date}.
        ! Delivery {tracking} came this morning and the contents were crushed.
        """
    ),
    "defective_product": wordings(
        """
        ! The {product} won't turn on no matter what I try.
        ! I've charged it overnight and it still shows no sign of life.
        ! It worked for ten minutes and then just stopped.
        ! The {product} I got from you keeps switching itself off.
        ! None of the buttons respond when I press them.
        ! My new printer only makes a grinding noise and doesn't print a thing.
        ! I followed the manual step by step, but the thing simply does not work.
        ! The speaker in the {product} gives no sound at all.
        ! The screen stays black after I plug it in.
        ! There seems to be something wrong with the motor of the {product} from order {order_id}, because it doesn't spin.
        ! The zip on this jacket has never closed properly since the first time I tried it.
        ! Bluetooth on it doesn't connect to anything, so I think it's faulty.
        """
    ),
    "return_request": wordings(
        """
        ! I'd like to send the {product} back.
        ! How do I go about returning something I bought last week?
        ! Could you e-mail me a return label for order {order_id}?
        ! The shoes don't suit me, so I want to return them.
        ! I have changed my mind and would like to give the {product} back to you.
        ! Which address do I post my return to?
        ! Please arrange for the sofa to be picked up, as I don't want to keep it.
        ! I want to make use of my 14-day right of withdrawal and send everything back.
        ! Can I still return the {product} that was delivered on {date}?
        ! It's not for me after all, so what do I have to do to get it back to your warehouse?
        ! Do I need the original packaging to return the goods from {order_id}?
        ! I need to register a return for two dresses that I'm not keeping.
        """
    ),
    "refund_request": wordings(
        """
        ! I want my money back for the {product}.
        ! Please refund the {amount} to my account.
        ! When will I get the money back for order {order_id}?
        ! I'd prefer a full refund.
        ! You've had the goods back since {date} and I am still waiting for my refund.
        ! Could you please transfer the purchase price back to my credit card?
        ! I expect to be reimbursed for the whole order.
        ! How long does it normally take until a refund shows up in my bank account?
        ! I would like the {amount} I paid to be returned to me by bank transfer.
        ! Kindly reimburse me for the shipping costs as well.
        ! Give me my money back, please.
        ! My refund hasn't come through yet, can you look into it?
        """
    ),
    "exchange_request": wordings(
        """
        ! Can I swap the {product} for the {replacement}?
        ! I'd like to exchange the trousers for a size larger.
        ! Would it be possible to trade my {product} for another colour?
        ! The shoes are too tight, could I have them in 43 instead?
        ! I don't want a refund, I'd just like to change it for a different model.
        ! Please exchange the item from order {order_id} for the {replacement}.
        ! How does an exchange work with you?
        ! The shirt is lovely but too small, so I want to swap it for an L.
        ! Instead of the {product} I'd rather have the {replacement}, can you switch them for me?
        ! My daughter got the same one for her birthday, so may we exchange ours for something else?
        ! I would be glad if you could replace the black one I received with a white one, as the colour doesn't match my kitchen.
        ! Do you do swaps if the size isn't right?
        """
    ),
    "cancel_order": wordings(
        """
        ! Please cancel my order {order_id}.
        ! I don't need the {product} any more, so please call off the order.
        ! I'd like to cancel what I bought this morning.
        ! Is it still possible to stop my order before it ships?
        ! I clicked buy by accident, please cancel it straight away!
        ! Could you annul the purchase I made on {date}?
        ! We found it cheaper somewhere else and want to cancel.
        ! Don't send out {order_id}, I've decided against it.
        ! How can I cancel an order I have only just placed?
        ! I need to withdraw my order for the {product} before it goes out.
        ! My plans have changed, so kindly cancel the whole thing.
        ! I ordered the same thing twice by mistake, so please delete the second order.
        """
    ),
    "change_address": wordings(
        """
        ! Please deliver my order to {street}, {postal_code} {city} instead.
        ! I've moved house, my new address is {street}, {postal_code} {city}.
        ! Could you send the parcel to my office at {street}, {postal_code} {city} rather than to my home?
        ! I made a mistake with the delivery address, it should be {street}, {postal_code} {city}.
        ! The shipping address needs to be changed to {street}, {postal_code} {city}, please.
        ! We're relocating next week, so can everything go to {street}, {postal_code} {city} from now on?
        ! My old flat is still saved as the delivery address, and the correct one is {street}, {postal_code} {city}.
        ! Can you redirect the package to my parents, who live at {street}, {postal_code} {city}?
        ! How do I change where my order gets sent?
        ! I typed the wrong house number, the right address is {street} in {city}.
        ! I need to update the shipping address for order {order_id} because I no longer live there.
        ! Is it still possible to have it shipped to a different address than the one I entered?
        """
    ),
    "change_quantity": wordings(
        """
        ! Please make it {quantity} pieces instead of one.
        ! I'd like to increase the number of chairs in my order to {quantity}.
        ! Could you change the quantity in order {order_id} to {quantity}?
        ! I only need one of them, not two, so please adjust my order.
        ! Can I add another two of the same to the order I placed earlier?
        ! I accidentally ordered {quantity} units when I only wanted one, so could you lower the number?
        ! I want to reduce the number of items in {order_id}.
        ! Instead of five sets we need eight, can you still amend that?
        ! How can I alter the number of pieces after checking out?
        ! We have more guests than planned, so please put {quantity} of the {product} on my order.
        ! I'd like three more on top of what I've already ordered, same colour please.
        ! Please take one of the two pillows off my order and leave the other.
        """
    ),
    "invoice_request": wordings(
        """
        ! Could you send me the invoice for order {order_id}?
        ! I need a bill for my tax return.
        ! There was no invoice in the parcel, can I get one by e-mail?
        ! Please mail me a receipt for the {product}.
        ! Where can I download my invoice?
        ! My accounting department requires a proper VAT invoice made out to the company.
        ! I can't find the bill for my purchase of {date}.
        ! Would you please issue the invoice in my firm's name?
        ! I've lost the receipt, could I have another copy?
        ! My employer will only reimburse me if I hand in an invoice, so I'd need that as a PDF.
        ! Kindly forward the invoice over {amount} to {email}.
        ! Do I get an invoice automatically or do I have to ask for it?
        """
    ),
    "payment_failed": wordings(
        """
        ! My card keeps getting declined at the checkout.
        ! I can't pay, the page just hangs after I enter my card details.
        ! PayPal gives me an error every time I try to complete the purchase.
        ! The payment for order {order_id} didn't go through.
        ! Why is my credit card not being accepted?
        ! I've tried three times to pay the {amount} and each time it says transaction failed.
        ! Your website won't take my payment.
        ! After I confirm in my banking app, I get sent back with the message that the payment was unsuccessful.
        ! I want to buy the {product}, but the payment step always breaks off.
        ! There is more than enough money on my account and still the payment was rejected.
        ! The pay button does nothing when I click on it.
        ! Something's wrong with instalment payment, I get an error message as soon as I choose it.
        """
    ),
    "double_charge": wordings(
        """
        ! You have charged my card twice for the same order.
        ! {amount} was taken from my account two times.
        ! My bank statement shows two identical debits for order {order_id}.
        ! Why have I paid double?
        ! I see the same payment on my credit card twice, both on {date}.
        ! I only bought one {product}, but the money went out twice.
        ! It looks like I've been billed two times for a single purchase.
        ! PayPal says I paid you twice, yet I placed just one order.
        ! There's a duplicate charge of {amount} from your shop on my card.
        ! Please check my payment, the amount was debited twice.
        ! I was charged once on Monday and then again on Tuesday for exactly the same thing.
        ! The direct debit for {order_id} has been collected two times from my bank account.
        """
    ),
    "discount_code": wordings(
        """
        ! The code {code} isn't being accepted in my basket.
        ! Where do I enter my voucher?
        ! I got a 10 percent coupon from you, is it still valid?
        ! My discount code {code} says it has expired, though it should run until the end of the month.
        ! Can I combine two vouchers in one order?
        ! I forgot to type in my promo code when I ordered, can you still apply it?
        ! Does {code} also work on reduced items?
        ! The gift voucher from my aunt shows as invalid.
        ! I was promised a coupon for signing up and never got one.
        ! Why does the total stay the same after I put in {code}?
        ! Is there a minimum spend for using the voucher worth {amount}?
        ! Do you have any promo codes for new customers at the moment?
        """
    ),
    "price_question": wordings(
        """
        ! How much is the {product}?
        ! What does the {product} cost including tax?
        ! Is the price on the website per piece or for the whole set?
        ! Why did the {product} go up to {amount} since last week?
        ! What would I have to pay for shipping to Austria?
        ! Does the price shown already include VAT?
        ! Could you tell me the price for {quantity} of these?
        ! Your catalogue says one price and the website another, which of the two is right?
        ! Is it cheaper if I take a larger number?
        ! How much do you charge for the big version of the garden table?
        ! Is {amount} the final price, or does anything get added to it?
        ! Will the tent be reduced in the summer sale, and what will it cost then?
        """
    ),
    "stock_question": wordings(
        """
        ! Do you have the {product} in stock?
        ! When will the {product} be available again?
        ! Is the green one sold out for good or are you getting more in?
        ! Can you tell me if there are still {quantity} of them left?
        ! I'd like to know whether you carry this in size 46 at the moment.
        ! The website says currently unavailable, do you know when new stock arrives?
        ! Are there any of the large ones left in your warehouse?
        ! Is the {product} something you will be restocking?
        ! Could you let me know how many pieces you still have available?
        ! Have you still got the {product} in white?
        ! I was about to order the bench but it shows as out of stock, will it be coming back?
        ! Is the new edition already available to buy from you?
        """
    ),
    "warranty_claim": wordings(
        """
        ! My {product} broke down after eight months, so I'd like to use the warranty.
        ! Is this still covered by the guarantee?
        ! I would like to make a warranty claim for the {product} I purchased on {date}.
        ! How do I get a repair under warranty?
        ! I bought it a year and a half ago, so it should still fall under the two-year guarantee.
        ! The handle came off after six months of normal use, and I want to claim on the guarantee.
        ! What documents do you need from me for a warranty case?
        ! Please process a guarantee claim for the item from order {order_id}.
        ! Does the manufacturer's warranty pay for a new battery in the {product}?
        ! The coffee machine died within the warranty period, so please have it repaired free of charge.
        ! I'd like to report a guarantee case, as the display has failed after fourteen months.
        ! How long is the warranty on the {product}, and whom do I contact to claim on it?
        """
    ),
    "account_locked": wordings(
        """
        ! My account has been locked and I don't know why.
        ! I can't get in, it says my account is suspended.
        ! Please unblock my customer account {customer_id}.
        ! After too many attempts the login has been blocked.
        ! Why have you blocked my account?
        ! Could you unlock my profile so that I can order again?
        ! When I log in I get the message that access has been temporarily disabled for security reasons.
        ! My account under {email} seems to have been frozen.
        ! How long does the lock on my account last?
        ! I'd like my access restored, as you've apparently deactivated my account for suspicious activity.
        ! It says account locked, please contact customer service.
        ! Customer number {customer_id} is barred from logging in, can you lift the block?
        """
    ),
    "password_reset": wordings(
        """
        ! I've forgotten my password.
        ! How can I set a new password?
        ! The password reset link never reached my inbox.
        ! Please send a reset link to {email}.
        ! I can't remember what password I used, can you help me to choose a new one?
        ! The link for changing my password has expired, could I have another?
        ! I'd like to change my password because I think somebody knows it.
        ! It keeps telling me wrong password, so I need to reset it.
        ! Can you reset the password for customer number {customer_id}?
        ! Where do I click if I don't know my password any longer?
        ! I requested a new password for {email} an hour ago and no mail has arrived.
        ! My browser lost all my saved logins, so I'd need a fresh password for your shop.
        """
    ),
    "delete_account": wordings(
        """
        ! Please delete my account.
        ! I'd like my customer account {customer_id} to be closed for good.
        ! How do I get rid of my profile on your site?
        ! I no longer shop with you and want my account removed.
        ! Under data protection law I ask you to erase my account and all personal data.
        ! Can you permanently remove the account registered under {email}?
        ! I want to close my customer account, what do I need to do?
        ! There's no button for deleting my profile, so please do that for me.
        ! Kindly wipe all the data you hold on me along with my login.
        ! My late father had an account with the number {customer_id}, please dissolve it.
        ! I registered only once to try it out, and now I'd like the account gone.
        ! Please confirm in writing that my user account has been deleted completely.
        """
    ),
    "change_email": wordings(
        """
        ! My new e-mail address is {email}, please update my account.
        ! I'd like to change the e-mail on my account to {email}.
        ! Can you replace the old mail address in my profile with {email}?
        ! I no longer have access to my old mailbox, so please use {email} for my account from now on.
        ! How can I change the e-mail address I log in with?
        ! Please store {email} as the address for customer number {customer_id}.
        ! I've switched providers and need to register a different e-mail address with you.
        ! There is a typo in the e-mail saved on my account, it should read {email}.
        ! From next month I can only be reached at {email}, so could you amend my customer details?
        ! I got married and my e-mail has changed along with my name, it's now {email}.
        ! Where in my settings do I enter a new e-mail address?
        ! My account is still linked to my work e-mail, and I'd like my private one there instead.
        """
    ),
    "unsubscribe": wordings(
        """
        ! Please take me off your mailing list.
        ! I don't want to receive your newsletter any more.
        ! How do I unsubscribe?
        ! Stop sending me advertising!
        ! I keep getting your promotional e-mails even though I opted out.
        ! Please remove {email} from your newsletter list.
        ! Could you stop posting me your catalogue every month?
        ! The unsubscribe link at the bottom of your newsletter doesn't work.
        ! I hereby withdraw my consent to receiving marketing messages.
        ! No more special offers by text message, please.
        ! I'd like to sign off from the weekly deals mail that goes to {email}.
        ! Your ads land in my inbox every single day and I'd like that to end.
        """
    ),
    "complaint": wordings(
        """
        ! {staff} was extremely rude to me on the phone.
        ! I have never experienced such bad customer service.
        ! I was on hold for fifty minutes and then somebody just hung up on me.
        ! I want to complain about the way {staff} spoke to me.
        ! Your driver threw the parcel over the fence and swore at my wife.
        ! Nobody answers my e-mails, and I find that disgraceful.
        ! The person in the chat was unfriendly and made fun of my question.
        ! I would like to speak to a manager about how I've been treated by {staff}.
        ! It's a joke that I get passed from one department to the next and no one feels responsible.
        ! I'm really disappointed with your support team.
        ! On {date} I was promised a call back by {staff}, and no one ever rang.
        ! Your staff gave me three different answers to the same question, which is really unprofessional.
        """
    ),
    "praise": wordings(
        """
        ! Thank you so much, everything went perfectly!
        ! {staff} was incredibly helpful and friendly.
        ! I'm delighted with the {product}.
        ! Great service, I'll definitely be shopping here again.
        ! Just wanted to say how pleased I am with how quickly you delivered.
        ! Please pass on my thanks to {staff}, who took so much time for me.
        ! The quality is even better than I expected.
        ! Super fast shipping and lovely packaging, well done.
        ! My kids absolutely love the {product}, thank you!
        ! You sorted out my problem within an hour, and I'm impressed.
        ! I've been a customer for years and have always been happy with you.
        ! A big compliment to {staff} for the excellent advice.
        """
    ),
    "delivery_schedule": wordings(
        """
        ! Could you deliver on {delivery_date} instead?
        ! I'm not at home that day, can the delivery be moved to {delivery_date}?
        ! Please come after {time}, since I'm at work before that.
        ! Is it possible to pick a different delivery day?
        ! I'd like the {product} to be brought on {delivery_date} at {time}.
        ! We're on holiday next week, so please hold back the delivery until we return.
        ! Can the courier come in the evening rather than in the morning?
        ! The proposed slot doesn't suit me, {time} would be better.
        ! Would a Saturday delivery be possible for order {order_id}?
        ! I need to reschedule the delivery of my wardrobe, as nobody will be in on Thursday.
        ! Could you bring it a day earlier than planned, ideally before {time}?
        ! How can I choose another time window for my delivery?
        """
    ),
}
