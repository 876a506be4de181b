"""What a person opens: the map, the book, and the ways in and out."""

from flask import Blueprint, Response, g, redirect, render_template, request, session, url_for
from flask_limiter import Limiter
from werkzeug.wrappers import Response as PlainResponse

from app.accounts.accounts import ADMIN
from app.accounts.noting import note, who_asks
from app.auth import Auth
from app.book.routes import add_book_routes
from app.refusals import refusal
from app.roles import Role, public, requires
from app.vendor import vendor_tags

Page = str | Response | PlainResponse | tuple[str, int]
LOGIN_LIMIT = "10 per minute"
PROGRAMS = ("/api/", "/metrics", "/healthz", "/readyz", "/openapi.json")
WRONG = "That is not the password of that name."
HELD = "That name was tried too often. Wait a quarter of an hour, or ask an admin for a link."


def create_pages(auth: Auth, building_name: str, limiter: Limiter) -> Blueprint:
    """Return the routes of the pages."""
    pages = Blueprint("pages", __name__)

    @pages.get("/")
    @requires(Role.KIOSK)
    def map_page() -> Page:
        visitor = auth.visitor(request, session)
        role = visitor.role if visitor else Role.KIOSK
        name = visitor.name if visitor else ""
        return render_template(
            "map.html", building=building_name, vendor=vendor_tags(), role=role.label, name=name
        )

    add_book_routes(pages)
    _sign_in_routes(pages, auth, limiter)
    return pages


def _sign_in_routes(pages: Blueprint, auth: Auth, limiter: Limiter) -> None:
    @pages.get("/enter")
    @public("redeems a one-time link; its token is the proof")
    def enter() -> Page:
        note("signed in by a link")
        if not auth.enter(request.args.get("token", ""), session):
            return refusal(auth, "This sign-in link has been used or is too old.", 403)
        g.audit_who = who_asks(auth)
        return _inside()

    @pages.get("/login")
    @public("shows the way in")
    def login_page() -> Page:
        return _login(auth)

    @pages.post("/login")
    @public("checks the password; limited to a few tries a minute")
    @limiter.limit(LOGIN_LIMIT)
    def login() -> Page:
        name = request.form.get("name", ADMIN).strip()
        note("signed in", name)
        if auth.tries.is_held(name):
            return _login(auth, name, HELD), 429
        if not auth.password_fits(name, request.form.get("password", "")):
            return _login(auth, name, WRONG), 403
        auth.sign_in_as(session, auth.accounts.get(name))
        g.audit_who = name
        return _inside()

    @pages.post("/logout")
    @public("whoever is signed in may stop being so")
    def logout() -> Page:
        note("signed out")
        auth.sign_out(session)
        return redirect(url_for("pages.login_page"), 303)


def _login(auth: Auth, name: str = "", problem: str = "") -> str:
    return render_template("login.html", has_password=auth.has_password, name=name, problem=problem)


def _inside() -> PlainResponse:
    session.permanent = True
    return redirect(url_for("pages.map_page"), 303)


def wants_page() -> bool:
    """Tell whether whoever asked reads HTML rather than calls the API."""
    return not request.path.startswith(PROGRAMS) and request.accept_mimetypes.accept_html
