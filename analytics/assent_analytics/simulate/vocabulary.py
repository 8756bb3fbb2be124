"""The words of the simulated company: goals, systems, beliefs, summaries and reasons, by action type.

A template has at most two places, `{kind}` with a kind of `WORDS`. No goal speaks of anything that the service's risk
formula listens for (keys, tokens, shipping, pushing, ...) beyond what its type's `floor` counts in.
"""

from __future__ import annotations

WORDS: dict[str, tuple[str, ...]] = {
    "order": tuple(str(10_000 + 37 * n % 89_989) for n in range(2000)),
    "ticket": tuple(f"T-{4000 + 17 * n % 5987}" for n in range(1000)),
    "amount": tuple(f"{4 + 7 * n % 395}.{(13 * n) % 100:02d} EUR" for n in range(400)),
    "percent": ("5%", "8%", "10%", "12%", "15%", "20%", "25%"),
    "customer": (
        "Amelie Brandt", "Noah Petit", "Sofia Ricci", "Liam Novak", "Emma Larsen", "Mateo Ortiz", "Hanna Virtanen",
        "Oscar Nilsson", "Chiara Conti", "Jakub Zielak", "Ines Duarte", "Felix Gruber", "Yara Haddad", "Tom de Wit",
        "Lena Fischer", "Arjun Mehta", "Grace Okoye", "Pavel Horak", "Maya Cohen", "Elif Demir",
    ),
    "product": (
        "trail running shoes", "a cast-iron pan", "noise-cancelling headphones", "a linen duvet cover", "a desk lamp",
        "the winter jacket", "a coffee grinder", "a bike helmet", "two garden chairs", "a yoga mat", "a carry-on case",
        "a rain cape", "wool socks", "a bread knife", "the standing desk", "a picture frame",
    ),
    "question": (
        "where the parcel is", "how to return an item", "why the card was charged twice", "if the size runs small",
        "when the lamp is back in stock", "how to change the delivery address", "what the warranty covers",
        "why the voucher was refused", "how to cancel a subscription", "when the money comes back",
    ),
    "company": (
        "Nordwind Logistics", "Bakery Sonne", "Atelier Lumen", "Kestrel Hotels", "Fjord Outdoor", "Casa Verde",
        "Blue Harbor Clinics", "Maple & Sons", "Orbit Fitness", "Studio Kante", "Vela Travel", "Pine Street Books",
    ),
    "segment": (
        "customers of the last 90 days", "newsletter readers", "the loyalty programme", "abandoned carts",
        "wholesale partners", "first-time buyers", "people who asked about restocks",
    ),
    "campaign": (
        "the autumn sale", "the new running line", "free returns until January", "the spring lookbook",
        "a reminder about reviews", "the store opening in Utrecht", "gift wrapping",
    ),
    "topic": (
        "return rates of footwear", "prices of three competitors", "delivery times in the Nordics",
        "which payment methods fail most", "why carts are abandoned on phones", "suppliers of recycled packaging",
        "customer reviews of the winter jacket", "VAT rules for gift cards",
    ),
    "service": (
        "checkout", "catalogue", "search", "recommendations", "payments", "invoices", "accounts", "warehouse-sync",
        "notifications", "pricing", "storefront", "returns",
    ),
    "version": tuple(f"{1 + n % 5}.{n * 7 % 24}.{n * 3 % 10}" for n in range(120)),
    "pull": tuple(f"#{1200 + 11 * n % 1789}" for n in range(500)),
    "setting": (
        "the request timeout", "the cache lifetime", "the retry limit", "the pool size", "the log level",
        "the rollout share", "the basket limit", "the maintenance banner",
    ),
    "region": ("Germany", "France", "Spain", "Italy", "the Netherlands", "Poland", "Sweden", "Austria"),
}  # fmt: skip

GOALS: dict[str, tuple[str, ...]] = {
    "answer_ticket": (
        "Answer ticket {ticket}: {customer} asks for help",
        "Reply to {customer} about {question}",
        "Ticket {ticket}: explain {question}",
        "Apologise to {customer} for the delay of {product}",
        "Close ticket {ticket}, the customer wanted to know {question}",
    ),
    "lookup_order": (
        "Look up order {order} of {customer}",
        "Find out where order {order} is",
        "Check whether {product} in order {order} was returned",
        "List the open orders of {customer}",
    ),
    "refund": (
        "Refund {amount} for order {order}",
        "Refund {product} to {customer}",
        "Give {customer} {amount} back, the parcel never arrived",
        "Refund the second charge on order {order}",
        "Pay {amount} back to {customer} after a return",
    ),
    "discount": (
        "Offer {percent} on {product}",
        "Give {customer} {percent} on the next order",
        "Lower the price of {product} by {percent}",
        "Take {percent} off order {order} for the late delivery",
    ),
    "update_crm": (
        "Note the call with {company} in the CRM",
        "Merge two records of {customer}",
        "Set {company} to active, contact is {customer}",
        "Add the new address of {customer}",
        "Move {company} to the next stage",
    ),
    "send_email": (
        "Write to {segment} about {campaign}",
        "Send {customer} the invoice of order {order}",
        "Tell {segment} about {campaign}",
        "Ask {customer} for a review of {product}",
        "Confirm the appointment with {company}",
    ),
    "research": (
        "Find out about {topic}",
        "Summarise {topic} for {region}",
        "Compare {topic} with last year",
        "Read up on {company} before the meeting",
    ),
    "review": (
        "Review pull request {pull} of {service}",
        "Look over the change {pull} for {service}",
        "Check pull request {pull} for missing tests",
    ),
    "test": (
        "Run the integration tests of {service}",
        "Test {service} {version} under load",
        "Repeat the failed tests of {pull}",
        "Run the nightly browser tests of {service}",
    ),
    "release": (
        "Release {service} {version} to production",
        "Deploy {service} {version}",
        "Release {service} for {region}",
        "Deploy the fix {pull} to {service}",
    ),
    "config": (
        "Raise {setting} of {service}",
        "Set {setting} of {service} back",
        "Change {setting} for {region}",
        "Turn on the new {service} page for {region}",
    ),
    "delete_customers": (
        "Wipe customers without an order in {region}",
        "Wipe the record of {customer}",
        "Wipe duplicates of {customer} in the CRM",
    ),
}

SYSTEMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "answer_ticket": (("helpdesk",), ("helpdesk", "crm"), ("helpdesk", "shop")),
    "lookup_order": (("shop",), ("shop", "warehouse"), ("warehouse", "carrier")),
    "refund": (("payments", "shop"), ("payments",), ("payments", "shop", "helpdesk")),
    "discount": (("shop",), ("pricing", "shop")),
    "update_crm": (("crm",), ("crm", "calendar")),
    "send_email": (("mail",), ("mail", "crm"), ("mail", "shop")),
    "research": (("web",), ("web", "warehouse"), ("analytics",)),
    "review": (("repository",),),
    "test": (("ci",), ("ci", "staging")),
    "release": (("production", "ci"), ("production",), ("staging", "ci")),
    "config": (("production",), ("staging",), ("feature-flags",)),
    "delete_customers": (("database", "crm"), ("crm",)),
}

DONE: dict[str, tuple[str, ...]] = {
    "answer_ticket": (
        "Answered, no further question.",
        "Answered; the customer was content.",
        "Passed on to a person.",
    ),
    "lookup_order": ("Found: on its way, due tomorrow.", "Found: delivered to a neighbour.", "No such order."),
    "refund": ("Paid back to the original method.", "Paid back, confirmation sent.", "Paid back as a voucher."),
    "discount": ("Price changed.", "Voucher made and sent.", "Applied to the next order."),
    "update_crm": ("Record updated.", "Two records merged.", "Note added."),
    "send_email": ("Sent.", "Sent; two addresses bounced.", "Sent, and the thread was noted in the CRM."),
    "research": ("Five sources, one page of findings.", "Summary written.", "Nothing newer than last month."),
    "review": ("Two remarks, no objection.", "Approved with a suggestion.", "Changes requested: no test for the edge."),
    "test": ("All green.", "All green after one retry.", "412 passed, 3 skipped."),
    "release": ("Live, error rate unchanged.", "Live in all regions.", "Live for a tenth, then for all."),
    "config": ("Changed and verified.", "Changed; the old value is noted.", "Changed, no restart needed."),
    "delete_customers": ("Removed.",),
}

WENT_WRONG: tuple[str, ...] = (
    "The remote system answered 503 three times.",
    "The record had changed in the meantime.",
    "A required field was missing.",
    "Timed out after 30 seconds.",
    "The amount did not match the order.",
    "Permission was refused by the remote system.",
    "A check afterwards found the old state.",
    "The input could not be understood.",
)

BELIEFS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "answer_ticket": (
        ("The customer means the latest order", "the date of the ticket", "It was about an older order."),
        ("The tracking page is up to date", "carrier status", "The carrier was two days behind."),
    ),
    "lookup_order": (("The order number is complete", "the ticket's text", "A digit was missing."),),
    "refund": (
        ("The order was paid in full", "payment status", "Half of it was paid with a voucher."),
        ("The goods are back in the warehouse", "return scan", "The scan belonged to another parcel."),
        ("Nobody has refunded this yet", "no refund on record", "A colleague had refunded it by hand."),
    ),
    "discount": (("The product is not on sale already", "price list of today", "A sale had begun at noon."),),
    "update_crm": (("Both records are the same person", "same e-mail address", "Two people share that address."),),
    "send_email": (
        ("Everybody on the list has agreed to mail", "consent flag", "Three had withdrawn it last week."),
        ("The offer is valid until Sunday", "campaign sheet", "It ended on Friday."),
    ),
    "research": (("The source is current", "date of the page", "The page was two years old."),),
    "review": (("The tests of the pull request are green", "CI status", "The run was of an older commit."),),
    "test": (("The staging data is fresh", "nightly copy", "The copy had failed that night."),),
    "release": (
        ("The migration was rehearsed on staging", "release checklist", "It had run on other data."),
        ("No other rollout is under way", "release calendar", "The hotfix was not in the calendar."),
        ("The previous version can be put back", "last drill", "The schema had moved on."),
    ),
    "config": (("The value applies without a restart", "documentation", "It is read at the start only."),),
    "delete_customers": (("Nobody bought in two years", "order history", "Orders by phone were not counted."),),
}
"""Belief, what it rests on, and why it was wrong."""

DENIALS: tuple[str, ...] = (
    "Not today, the sale is running.",
    "The amount is more than the order.",
    "Please add the rollback plan first.",
    "Wait for the second review.",
    "The customer was refunded by hand.",
    "Outside of the release window.",
)
CONSENTS: tuple[str, ...] = ("Checked, fine.", "Go ahead.", "Agreed with the team.", "Looks right.")
