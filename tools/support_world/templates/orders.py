# ruff: noqa: E501 - a template stays on one line
"""Orders by mail: what somebody wants to buy, how many, where to and how it is paid."""

from __future__ import annotations

from tools.support_world.templates.more_texts import orders as more_orders
from tools.support_world.wording import wordings

__all__ = ["DELIVERY", "EXPRESS", "GIFT", "OPENINGS", "PAYMENT", "TOTALS"]

OPENINGS = wordings(
    """
    [I would like to order|Please send me|I want to order|I need|I'd like to buy|We would like to order|Can I order] {items}.
    [Order|My order|New order|Our order]: {items}
    [Please put me down for|Please add|We need|Please ship] {items}.
    [For my company {company}|On behalf of {company}|For {company}], [please send|I order|we need] {items}.
    [Please find my order below|Here is my order|I would like the following|We order as follows]:\\n{list}
    [Order|Purchase order|Order number] {order_id}:\\n{list}
    ! Could you get {items} ready for me?
    ! This time we take {items}.
    ! My shopping list:\\n{list}
    """
).widened(more_orders.OPENINGS)

DELIVERY = wordings(
    """
    [Please deliver|Delivery|I need everything|It should arrive] [by|on|before] {delivery_date}.
    [Delivery date|Wanted by|Deliver by]: {delivery_date}
    [I need it for|The party is on|It has to be here by] {delivery_date}.
    ! It must reach us no later than {delivery_date}.
    ! We count on {delivery_date} for the delivery.
    """
).widened(more_orders.DELIVERY)

PAYMENT = {
    "card": wordings(
        """
        I [pay|will pay|want to pay] [by card|by credit card|with my credit card].
        Payment: [credit card|card]
        ! Charge it to my credit card.
        """
    ).widened(more_orders.PAYMENT["card"]),
    "paypal": wordings(
        """
        I [pay|will pay|want to pay] [with PayPal|by PayPal|via PayPal].
        Payment: PayPal
        ! PayPal is how I settle it.
        """
    ).widened(more_orders.PAYMENT["paypal"]),
    "invoice": wordings(
        """
        [I pay|We pay|I want to pay|Please let us pay] [by invoice|on invoice|against invoice].
        Payment: [invoice|on invoice]
        ! Please bill us with an invoice.
        """
    ).widened(more_orders.PAYMENT["invoice"]),
    "bank_transfer": wordings(
        """
        I [pay|will pay|want to pay] [by bank transfer|by transfer|with a bank transfer].
        Payment: [bank transfer|transfer]
        ! I will wire the money by transfer.
        """
    ).widened(more_orders.PAYMENT["bank_transfer"]),
    "cash": wordings(
        """
        I [pay|will pay|want to pay] [cash|in cash|cash on delivery].
        Payment: [cash|cash on delivery]
        ! The courier gets cash from me.
        """
    ).widened(more_orders.PAYMENT["cash"]),
}

EXPRESS = wordings(
    """
    [Please ship by express|Express delivery please|Please use express shipping|Shipping: express].
    ! Send it with express, please.
    """
).widened(more_orders.EXPRESS)

GIFT = wordings(
    """
    [Please wrap it as a gift|It is a gift, please wrap it|Gift wrapping please|Please use gift wrap].
    ! Gift paper around it would be lovely.
    """
).widened(more_orders.GIFT)

TOTALS = wordings(
    """
    [The total should be|That makes|I calculated a total of|Total:|The sum is] {total}[.|]
    [According to your website that is|Your offer was] {total}.
    ! All in all it comes to {total}.
    """
).widened(more_orders.TOTALS)
