"""What a person is told who does not get what they asked for: what is wrong, and what to do about it.

    status  →  a heading of our own where the library has only its own words, and remedies for the page

A remedy is said for what the person can do; how to get in, only to who is not in.
"""

from flask import render_template, request, session
from werkzeug.exceptions import HTTPException

from app.auth import Auth

FORBIDDEN, TOO_LONG, TOO_MANY, OURS = 403, 413, 429, 500
MAX_BODY = 64_000
HEADINGS = {
    400: "That request could not be understood.",
    404: "There is nothing at this address.",
    405: "This address does not take that kind of request.",
    500: "Something went wrong on our side.",
    503: "That cannot be done right now.",
}
REMEDIES = {
    400: "Go back and try it again; a link may have been cut off on its way to you.",
    404: "The address may be mistyped, or what it named is gone.",
    405: "Go back and use the page's own buttons; the address alone does not do it.",
    413: "Send less at once.",
    429: "Wait a minute, then try again.",
    500: "Try again. The reason is in the server's log; if it stays, tell whoever runs the server "
    "the address and when it was.",
    503: "Try again in a little while.",
}
FROM_ELSEWHERE = "Open the page here and do it there; nothing was changed."
NOT_YOURS = (
    "You are signed in as {role}. An admin can make you a link of a higher role; opening it is enough."
)


def problem_of(error: HTTPException) -> str:
    """Return what went wrong in one line: the words of whoever raised it, else ours, else the library's."""
    if error.code == TOO_MANY:
        return f"That was tried too often; at most {error.description} are taken."
    if error.code == TOO_LONG:
        most = request.max_content_length or 0
        return f"The request has more than {most:,} bytes, which is what is read at most."
    said = error.description if error.description != type(error).description else None
    return said or HEADINGS.get(error.code or OURS) or error.description or error.name


def refusal(auth: Auth, problem: str, status: int, remedy: str = "") -> tuple[str, int]:
    """Return the page that says why not, and what to do."""
    visitor = auth.visitor(request, session)
    remedy = remedy or REMEDIES.get(status, "")
    if status == FORBIDDEN and visitor is not None and not remedy:
        remedy = NOT_YOURS.format(role=visitor.role.label)
    page = render_template(
        "refused.html",
        problem=problem,
        status=status,
        remedy=remedy,
        has_password=auth.has_password,
        address=request.host_url.rstrip("/"),
    )
    return page, status
