# ruff: noqa: E501 - a template stays on one line
"""More hotel bookings."""

from __future__ import annotations

from tools.support_world.wording import wordings

__all__ = ["BREAKFAST", "NIGHTS", "OPENINGS", "PRICE"]

OPENINGS = wordings(
    """
    [I'd like to|We'd like to|I wish to|We want to|I am hoping to] [book|reserve] a {room} [at|in] {hotel}, {city}, [checking in on|arriving on] {check_in} and [checking out on|leaving on] {check_out}, for {guests} guests.
    [Could you|Can you|Would you|Will you] [book|reserve] us a {room} [at|in] {hotel} in {city} from {check_in} until {check_out}[ for {guests} people| for {guests} persons|]?
    [Do you have|Would you have|Have you got|Is there] a {room} [free|available|vacant] [at|in] {hotel} for {guests} [people|guests|adults] from {check_in} to {check_out}? [If so, please book it|We would take it|Please reserve it for us].
    [We would like to stay|We plan to stay|We intend to stay|I want to stay|We're going to stay] [at|in] {hotel}[ in {city}|] from {check_in} to {check_out} and need a {room} for {guests} [people|guests].
    [We arrive|I arrive|We'll arrive|Our arrival is] on {check_in} and [leave|depart|check out|go home] on {check_out}; please [book|reserve|keep] a {room} for {guests} [people|guests] at {hotel}[ in {city}|].
    From {check_in} to {check_out} [we need|I need|we're looking for|I would like|we require] a {room} in {city}[, at {hotel}| at {hotel}], for {guests} [people|guests|persons].
    [Booking|Hotel booking|Room reservation|New reservation][:|] {hotel}, {city}, {room}, {check_in} [to|until|-] {check_out}, {guests} [guests|people|persons|pax].
    [Please make|Kindly make|I'd like to make|I would like to make] a [reservation|booking] for {guests} [people|guests] [at|in] {hotel}, {city}: {room}, from {check_in} to {check_out}.
    [Hotel|Name of hotel]: {hotel}\\n[City|Place|Town]: {city}\\n[Room|Room type]: {room}\\n[From|Check in|Arriving]: {check_in}\\n[To|Until|Check out|Leaving]: {check_out}\\n[Guests|People|Number of guests]: {guests}
    [Arrival|Arrival date|Date of arrival|Check-in]: {check_in}\\n[Departure|Departure date|Date of departure|Check-out]: {check_out}\\n[Room type|Room]: {room}\\n[Number of guests|Number of persons|Guests]: {guests}\\n[Hotel|At]: {hotel}
    [Room wanted|Room request|Reservation request|Request][:| -] a {room} for {guests} [guests|people], {hotel}[ in {city}|], [check-in|arrival] {check_in}, [check-out|departure] {check_out}.
    [My family and I|My wife and I|My friends and I|Some colleagues and I] [will visit|are coming to|are travelling to|will be in] {city} from {check_in} to {check_out}. [Please book|We'd like] a {room} at {hotel} for {guests} guests.
    [I'm planning|We're planning|I am organising|We are arranging] a [trip|short break|stay] to {city}: [please reserve|we would like] a {room} at {hotel}, [in on|arriving] {check_in}, [out on|leaving] {check_out}, {guests} guests.
    A {room} [at|in] {hotel}[, {city},|] for {guests} [people|guests], from {check_in} to {check_out}, [please|if possible|if you have one|would be perfect|is what we need].
    [Reserve|Book|Put aside|Hold|Keep] a {room} for {guests} [people|guests|adults] at {hotel}[ in {city}|], {check_in} [to|until|through] {check_out}[, please|].
    [There will be|There are|It's for] {guests} [people|persons|guests], [arriving|coming|checking in] on {check_in} and [leaving|staying until|checking out] {check_out}. We would like a {room} at {hotel}.
    [For the nights|For the time|For our stay|For the period] from {check_in} to {check_out}, [please book|we wish to reserve|I want to book|we need] a {room} [at|in] {hotel}, {city}[, for {guests} guests|].
    {guests} [people|guests|adults|persons], {room}, [from|arriving] {check_in} [to|until] {check_out}, {hotel}, {city}. [Please book|Please reserve that|To be booked, please|Kindly reserve].
    [On {check_in}|From {check_in}] [we'd like to|we want to|we will] stay at {hotel}[ in {city}|], [departing|leaving] on {check_out}. [We're|It is for] {guests} [people|guests]; [a {room}, please|we want a {room}].
    [Is it possible|Would it be possible|Is there a chance] to [book|reserve|get|have] a {room} at {hotel} in {city} from {check_in} to {check_out}[ for {guests} people| for {guests} guests| for the {guests} of us|]?
    [I am interested in|We are interested in|I'm enquiring about|We are asking for] [booking|reserving] a {room} [at|in] {hotel}[, {city},|] for {guests} people, [check-in|arrival on] {check_in}, [check-out|departure on] {check_out}.
    [Check-in|Checking in|Arriving|Coming] on {check_in}, [check-out|checking out|leaving] on {check_out}: [I'd like|please reserve|we need] a {room} for {guests} [guests|persons] at {hotel}.
    [Looking for|Searching for|In need of|Need] a {room} in {city}, [preferably at|ideally at|at] {hotel}, {check_in} to {check_out}, {guests} [guests|people|pax].
    [My boss|My assistant|The office|My husband] [asked me|told me] to [book|reserve] a {room} at {hotel}[, {city},|] for {guests} [people|guests], from {check_in} [to|until] {check_out}.
    [Your hotel|{hotel}] [was recommended to us|looks lovely|seems just right]. [May we|Could we|Can we] [book|have|reserve] a {room} in {city} from {check_in} to {check_out} for {guests} guests?
    [We|My wife and I|Our group] will [arrive in|reach|get to|come to] {city} on {check_in} and [depart|leave|fly home] on {check_out}, {guests} [people|guests] in all. [We want|Please reserve|Book us] a {room} at {hotel}.
    [I would be grateful|I would be glad|It would be great|We'd be happy] if you could [book|reserve|hold] a {room} for {guests} guests at {hotel}, from {check_in} until {check_out}[, in {city}|].
    [Accommodation|Stay|Trip|Hotel] in {city}: {hotel}, {room}\\n[Dates|When|Period]: {check_in} [to|-|until] {check_out}\\n[People|Guests|Persons|Party size]: {guests}
    [I hereby book|I hereby reserve|We hereby book|Herewith I book] a {room} at {hotel}, {city}, for the [period|time|stay] from {check_in} to {check_out} for {guests} [persons|guests|people].
    [What about|How about|Any chance of|Anything free, such as] a {room} at {hotel} for {guests} [people|guests], {check_in} to {check_out}? [We'd book it|I'd like to book it|Please reserve it].
    [Staying|Our stay|Length of stay|Stay]: from {check_in} to {check_out}. [Hotel|Place]: {hotel}[ in {city}|]. [Room|Type of room]: {room}. [Guests|We are]: {guests}.
    [As we|Since we|Because we] [are in|will be in|are coming to|have business in] {city} from {check_in} to {check_out}, we [need|would like to book|want to reserve] a {room} at {hotel} for {guests} guests.
    [You have|You offer] a {room} that [we like|would suit us|I would like]; [please reserve it|please book it for us|we'd take it] from {check_in} to {check_out}, for {guests} [guests|people], at {hotel}.
    [I'll|We'll|I will|We will] [take|have|book] a {room} at {hotel}[ in {city}|] for {guests} [people|guests]. [Arrival is|We come|We get in] on {check_in}, [departure is|we leave|we go] on {check_out}.
    [A booking for|A reservation for|Booking for|Reservation for] {guests} [people|guests|adults], please: {hotel}, {city}, {room}, [in|arrival|check-in] {check_in}, [out|departure|check-out] {check_out}.
    [We have chosen|We've picked|I've decided on|We settled on] {hotel} in {city} for our [holiday|weekend|break]; [please book|kindly reserve] a {room}, {check_in} to {check_out}, {guests} [guests|people].
    [Please put us|Put us|Kindly put us] [down for|in] a {room} at {hotel}[, {city}|], from {check_in} to {check_out}, {guests} people[ in total| altogether|].
    [A party of {guests}|A group of {guests}|A family of {guests}] [would like|needs|wants] a {room} at {hotel}[ in {city}|]; [arrival|check-in] {check_in}, [departure|check-out] {check_out}.
    [We want|I want|I'd like] to [spend a few days|stay|spend our holiday] at {hotel}, {city}, [arriving {check_in} and leaving {check_out}|from {check_in} until {check_out}]. [Room|Preferred room]: {room}. [Guests|Persons]: {guests}.
    [Hotel room|Room] [needed|wanted|required|requested] in {city} for {guests} [people|guests], {check_in} until {check_out}: a {room} at {hotel}[, please|].
    """
).train

BREAKFAST = {
    True: wordings(
        """
        [We want|I want|I'd like|We'd like|We wish] [breakfast|to have breakfast|our breakfast][ as well| included| at the hotel|].
        [Please include|Kindly include|Include|Book us|We also take|Also book] breakfast[, please| each morning| for everyone|].
        [Can you|Could you|Would you|Will you] [include|add|book|put down] breakfast[ too| as well| for all of us|][, please|]?
        [Breakfast|Breakfast included|With breakfast][:| -] [yes|yes, please|yes please, every day].
        [We will|We'll|I will|I'll] [have|take|eat] breakfast [at the hotel|in the hotel|with you|in your dining room][ every morning| each day|].
        [The rate|The price|The booking|The room] should [include|come with|be with] breakfast[, please| as well|].
        [Bed and breakfast|B&B|Room and breakfast][, please| for everyone, please| is what we want| would be great].
        [Breakfast|The breakfast buffet|The morning buffet] [should be|must be|has to be] [included|part of the booking|booked too|in the price].
        [Breakfast|A good breakfast|Your breakfast buffet] is [a must|important to us|wanted|welcome], so [please book it|add it|include it|we take it].
        [Yes to breakfast|Yes, breakfast too|And yes, with breakfast|Yes, we want breakfast][, please| every day| for all of us|].
        [I would also like to|We would also like to|We also want to|Also, I wish to] [book|add|reserve|order] breakfast[ for each day| for everybody|].
        [It would be nice|It would be great|We would be glad|I would be happy] to have breakfast [included|with the room|at the hotel|in the mornings].
        [In the morning|Every morning|Each day] we [would like|want|will need|are going to have] breakfast [at the hotel|there|in your restaurant|with you].
        [We need|We require|I need|We definitely need] [breakfast|breakfast too|breakfast with it][ for the whole stay| on all days|].
        [As for|Regarding|About|Concerning] breakfast[,|:] [yes, please|we want it|please include it|we will have it|count us in].
        """
    ).train,
    False: wordings(
        """
        [We don't need|I don't need|I do not need|We don't want|I do not want] [any breakfast|breakfast|the breakfast][, thank you| at the hotel| in the mornings|].
        [Please do not|Please don't|Kindly do not|Do not|Don't] [include|add|book|order] breakfast[, thanks| for us| with it|].
        [Breakfast|Breakfast included|With breakfast][:| -] [no|no, thank you|no thanks|not needed].
        [Room only|Just the room|Only the room|The room alone|A room-only rate][, please|, without breakfast|, no breakfast|, breakfast is not needed].
        [Breakfast|The breakfast] is [not necessary|not needed|not required|not wanted][, thank you| in our case| for us|].
        [We will|We'll|I will|I'll] [skip|do without|go without|pass on|manage without] breakfast[, thank you| at the hotel|].
        [Without|Minus|Leaving out|Not including] breakfast[, thanks|, thank you|, if possible|, as we leave early].
        [We will|We'll|I will|I plan to] [eat|have breakfast|get breakfast|have our morning coffee] [elsewhere|in town|somewhere else|in a cafe], so [no breakfast|leave it out|please no hotel breakfast].
        [You can|You may|We would like to|I'd rather] [leave out|leave off|omit|drop|skip] [breakfast|the breakfast][, thank you| this time|].
        [The rate|The price|The booking|The room] should [be without|not include|exclude|come without] breakfast[, please|].
        [As for|Regarding|About|Concerning] breakfast[,|:] [no, thank you|we do not want it|please leave it out|we do not need any|count us out].
        [We never|We don't|We do not|I rarely] [eat|have anything] [in the morning|that early|before noon], so [breakfast is not needed|please book without breakfast|no breakfast, please].
        [No need for breakfast|No breakfast|No hotel breakfast|No morning buffet][, thank you| for us| this time|, we eat in town].
        [There is no need|It is not necessary|You do not have] to [include breakfast|add breakfast|book breakfast|serve us breakfast].
        [We would prefer|I'd prefer|We'd rather have|I would like] the room [without breakfast|with no breakfast|with breakfast left out][, please| this time|].
        """
    ).train,
}

NIGHTS = wordings(
    """
    [We will stay|I will stay|We'll stay|We are staying|I'm staying|We plan to stay] [for |]{nights} nights[ in total| altogether|].
    [The stay is|Our stay is|It is|That would be|This means|It comes to] {nights} nights[ in total| altogether| in all|].
    [Number of nights|Total nights|Overnight stays|Length of stay in nights|Nights in total][:| -] {nights}
    [So|So that's|In other words,|In total,|Altogether,|All in all,] {nights} nights[, if I count correctly|, as I count it|].
    [We need|I need|We want|We require|I want] the room for {nights} nights[, please| in total|].
    [Our|The|My] [stay|visit|trip|holiday] [lasts|is for|will last|covers] {nights} nights.
    {nights} nights [in all|in total|altogether|is what we need|is how long we stay|are planned].
    [We sleep|We will sleep|I will sleep|We'll spend|I'm spending|We are spending] {nights} nights [there|at the hotel|with you].
    [How long?|For how long?|How many nights?|Length of stay?] [It is|That is|We need|We stay] {nights} nights.
    [By my count|If I am right|According to my calendar|If I count correctly][,|] [that is|that makes|it is|we stay] {nights} nights.
    [Please book|Please reserve|Kindly book|Book us in for|Put us down for] {nights} nights[ in total| in all|].
    [Stay|Duration of stay|Length of stay|Period][:| -] {nights} nights[ in all| in total|].
    """
).train

PRICE = wordings(
    """
    [The website|Your site|The booking page|Your page|The offer] [shows|gives|lists|states|quotes] {amount}[ for the stay| for the whole stay| in total|].
    [The rate|The price|The total|The full price|The price of the stay] [is|should be|would be|comes to|shown was] {amount}[ in total| for the whole stay|].
    [I was quoted|We were quoted|You quoted me|You gave me|I was offered] a [price|total|rate|special price] of {amount}[ for the stay|].
    [Total|Total for the stay|Price for the stay|Room price|Total rate|Cost of stay][:| -] {amount}
    [The stay|Our stay|The room|The booking|All of it] [costs|should cost|would cost|comes to] {amount}[, as I see online|, it says|, according to your site|].
    [We would pay|I would pay|We are to pay|I expect to pay|We will pay] {amount}[ for the stay| for the room| in total| in all|].
    [On the phone|In your offer|In your email|On the booking page] [you named|there was|I was given|I saw] a price of {amount}[ for the stay| for everything|].
    {amount} [was the price|is the rate|was the total|is what it costs][ on your website| in your offer| for the stay|].
    [I hope|I assume|I take it|I understand|I trust] [the price|the total|the rate] [is|is still|remains] {amount}[ for the stay|].
    [Is it right|Is it correct|Can you confirm|Do I understand correctly] that [the stay costs|the total is|the price is|we pay] {amount}?
    [At|For] a [price|rate|total] of {amount}[, please| for the stay|, as advertised|, as shown online|, as agreed].
    [The agreed|The advertised|The listed|The quoted|The offered] [price|rate|total] [is|was] {amount}[ for the stay| for all nights|].
    [According to|As per|Going by|Based on] [your website|your offer|your price list|the booking page], [it is|the total is|the stay costs|we pay] {amount}.
    [We accept|We agree to|I accept|I agree to|We are fine with] [the price of|your offer of|the rate of|a total of] {amount}.
    [All nights together|The whole stay|Everything|The complete stay] for {amount}[, as your site says|, as you offered|, as I was told|, as agreed].
    """
).train
