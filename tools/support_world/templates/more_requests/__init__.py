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
from tools.support_world.templates.more_requests.situations import SITUATIONS
from tools.support_world.wording import Wordings

__all__ = ["MORE_REQUESTS", "TICKET_REQUESTS"]

_WRITTEN = DELIVERIES | GOODS | MONEY | ACCOUNTS

TICKET_REQUESTS = {
    intent: of + PHRASES[intent] + SITUATIONS.get(intent, Wordings(())) for intent, of in _WRITTEN.items()
}
"""Those of the wide side of tickets, beside those of `tickets` and `requests`."""

MORE_REQUESTS = {
    intent: of + PHRASES[intent] + EVERYDAY[intent] + HINTS[intent] + SITUATIONS.get(intent, Wordings(()))
    for intent, of in _WRITTEN.items()
}
"""For each intent, beside those of `tickets` and `requests`."""
