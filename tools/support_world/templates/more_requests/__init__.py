"""Many more ways to say each intent, for the model that is tuned to find intents and the wide side of tickets.

Other models, and the first stage of extraction, are trained on the wordings of `templates/tickets` and
`templates/requests` alone, so that they come out the same as ever.
"""

from __future__ import annotations

from tools.support_world.templates.more_requests.accounts import ACCOUNTS
from tools.support_world.templates.more_requests.deliveries import DELIVERIES
from tools.support_world.templates.more_requests.everyday import EVERYDAY
from tools.support_world.templates.more_requests.goods import GOODS
from tools.support_world.templates.more_requests.hints import HINTS
from tools.support_world.templates.more_requests.money import MONEY
from tools.support_world.templates.more_requests.phrases import PHRASES
from tools.support_world.templates.more_requests.plain_accounts import PLAIN_ACCOUNTS
from tools.support_world.templates.more_requests.plain_goods import PLAIN_GOODS
from tools.support_world.templates.more_requests.plain_orders import PLAIN_ORDERS
from tools.support_world.templates.more_requests.situations import SITUATIONS
from tools.support_world.wording import Wordings

__all__ = ["MORE_REQUESTS"]

_WRITTEN = DELIVERIES | GOODS | MONEY | ACCOUNTS
_PLAIN = PLAIN_GOODS | PLAIN_ORDERS | PLAIN_ACCOUNTS

MORE_REQUESTS = {
    intent: of
    + PHRASES[intent]
    + EVERYDAY[intent]
    + HINTS[intent]
    + _PLAIN[intent]
    + SITUATIONS.get(intent, Wordings(()))
    for intent, of in _WRITTEN.items()
}
"""For each intent, beside those of `tickets` and `requests`."""
