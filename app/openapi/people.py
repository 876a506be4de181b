"""Accounts, tokens, links, kiosks, and what was done by whom."""

from app.accounts.accounts import GIVEN_ROLES, PASSWORD_LENGTHS
from app.accounts.token_routes import DEFAULT_DAYS
from app.accounts.tokens import MOST_DAYS
from app.openapi.operation import Answer, Asked, Operation, Operations, answers
from app.openapi.shapes import (
    FLAG,
    MOMENT,
    TEXT,
    WHOLE,
    Schema,
    array,
    body,
    either,
    maybe,
    one_of,
    part,
    record,
    text,
    whole,
)
from app.roles import Role

NAME = text(60)
GIVEN = one_of(*(role.label for role in GIVEN_ROLES))
ACCOUNT: dict[str, Schema] = {
    "name": TEXT,
    "role": GIVEN,
    "state": one_of("active", "invited", "disabled"),
    "made": MOMENT,
    "seen": maybe(MOMENT),
}
TOKEN: dict[str, Schema] = {
    "id": TEXT,
    "of": TEXT,
    "name": TEXT,
    "role": GIVEN,
    "reads_only": FLAG,
    "made": MOMENT,
    "until": MOMENT,
    "seen": maybe(MOMENT),
    "mine": FLAG,
}
DEED = record(id=WHOLE, at=MOMENT, who=TEXT, what=TEXT, object=TEXT, outcome=TEXT, address=TEXT)
KIOSK = record(name=TEXT, point=TEXT)
DONE, REMOVED = record(done=TEXT), record(removed=TEXT)
INVITED = record(**ACCOUNT, link=TEXT)

PARTS: dict[str, Schema] = {
    "Account": record(**ACCOUNT),
    "Invited": INVITED,
    "Token": record(**TOKEN),
    "Deed": DEED,
    "Kiosk": KIOSK,
}

OPERATIONS: Operations = {
    "GET /api/accounts": Operation("Who may sign in.", answers(record(accounts=array(part("Account"))))),
    "POST /api/accounts": Operation(
        "Make an account; its invitation's link is told once.",
        answers(part("Invited"), "made", 201),
        body=body(name=NAME, role=GIVEN),
    ),
    "PATCH /api/accounts/<name>": Operation(
        "Give an account another role, keep it out, or let it in again.",
        answers(part("Account")),
        body={**body({"role": GIVEN, "disabled": FLAG}), "minProperties": 1},
    ),
    "DELETE /api/accounts/<name>": Operation("Remove an account.", answers(REMOVED)),
    "POST /api/accounts/<name>/invitation": Operation(
        "Make another invitation; the one before is no more.", answers(part("Invited"), "made", 201)
    ),
    "POST /api/me/password": Operation(
        "Choose another password; ends every other session of the account.",
        answers(DONE),
        body=body(
            {"old": TEXT}, new={**TEXT, "minLength": PASSWORD_LENGTHS[0], "maxLength": PASSWORD_LENGTHS[1]}
        ),
    ),
    "DELETE /api/me/sessions": Operation("End every other session of the account.", answers(DONE)),
    "GET /api/tokens": Operation(
        "One's own API tokens; for an admin those of all.", answers(record(tokens=array(part("Token"))))
    ),
    "POST /api/tokens": Operation(
        "Make an API token of one's own account; the state folder's token makes one of any account.",
        answers(record(**TOKEN, token=TEXT), "made; the token is told this once", 201),
        body=body(
            {"role": GIVEN, "reads_only": FLAG, "days": whole(1, MOST_DAYS, DEFAULT_DAYS), "of": NAME},
            name=NAME,
        ),
    ),
    "DELETE /api/tokens/<identity>": Operation(
        "Take an API token back: one's own, or, for an admin, any.",
        answers(REMOVED),
        refuses={404: "there is no such token"},
    ),
    "GET /api/audit": Operation(
        "What was done by whom, the last first.",
        answers(record(rows=array(part("Deed")))),
        asks=(
            Asked("words", "that a row has", {"type": "string", "maxLength": 200}),
            Asked("most", "at most so many", whole(1, 200, 50)),
            Asked("before", "the id of the last row of the page before", whole(0, 2**63 - 1)),
        ),
    ),
    "POST /api/links": Operation(
        "Make a link, good once, that signs in by a role without an account.",
        answers(record(link=TEXT)),
        body=body(role=one_of(*(role.label for role in Role))),
    ),
    "GET /api/kiosk": Operation(
        "Which kiosk this is, empty for anybody else; renews the kiosk's session.", answers(part("Kiosk"))
    ),
    "GET /api/kiosks": Operation(
        "The kiosks that have a link.", answers(record(kiosks=array(part("Kiosk"))))
    ),
    "POST /api/kiosks": Operation(
        "Make a kiosk's link, which is told once, or take it back.",
        {
            201: Answer("made", record(name=TEXT, point=TEXT, link=TEXT)),
            200: Answer("taken back", record(name=TEXT, removed=FLAG)),
        },
        body=either(body({"point": TEXT}, name=NAME), body(name=NAME, removed={"const": True})),
    ),
}
