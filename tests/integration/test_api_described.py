"""What the API's description says is what a running building answers, whatever is asked of it.

Requests are made of the description by schemathesis, with an admin's token: right ones, and ones that are
wrong in some part. No answer is a failure of ours, each has a status and a shape that the description names,
and without the token there is none.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from http import HTTPStatus
from urllib.error import HTTPError
from urllib.request import Request

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from openapi_spec_validator import validate
from schemathesis import APIOperation, Case, CheckContext, GenerationMode, Response
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from app.openapi.document import AREAS
from scripts.places import ROOT
from tests.environment.product import OPENER, Demo, demo
from tests.environment.waiting import until

pytestmark = [pytest.mark.integration]


def is_no_failure_of_ours(_context: CheckContext, response: Response, _case: Case) -> None:
    """Refuse 500; what is not there for now, a 502 to 504, the description has to name."""
    assert response.status_code != HTTPStatus.INTERNAL_SERVER_ERROR, response.text


CHECKS = [
    is_no_failure_of_ours,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    unsupported_method,
    ignored_auth,
]
ENDLESS = {"POST /api/query": "its answer goes on until its reader leaves; tests/test_app_api.py reads it"}
FEW, MANY = 3, 60
PATIENCE = 240  # seconds for one answer, of a machine that others use too
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """The simulated building."""
    with demo(tmp_path_factory.mktemp("described") / "state") as product:
        yield product


def smartcis(running: Demo, *arguments: str) -> str:
    """Run the command line and return what it prints."""
    environment = {**os.environ, "SMARTCIS_STATE": str(running.state)}
    command = [sys.executable, "-m", "app.cli", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def status(running: Demo, path: str, secret: str) -> int:
    request = Request(running.url + path, headers={"Authorization": f"Bearer {secret}"})
    try:
        return int(OPENER.open(request, timeout=PATIENCE).status)
    except HTTPError as error:
        return error.code


@pytest.fixture(scope="module")
def token(running: Demo) -> str:
    return str(running.get("/api/tokens", {"name": "schemathesis", "role": "admin"})["token"])


@pytest.fixture(scope="module")
def description(running: Demo) -> BaseSchema:
    found = schemathesis.openapi.from_dict(running.get("/openapi.json"))
    found.config.update(base_url=running.url)
    return found


def test_the_served_description_is_openapi(running: Demo) -> None:
    validate(running.get("/openapi.json"))


def test_a_running_building_is_ready(running: Demo) -> None:
    until(lambda: status(running, "/readyz", "") == 200, 60, "the building to be ready")
    assert running.get("/readyz") == {"status": "ready"}


def test_the_command_line_makes_a_token_lists_it_and_takes_it_back(running: Demo) -> None:
    said, secret = smartcis(running, "token", "sync", "--role", "operator", "--reads-only").splitlines()
    assert said.startswith("sync of admin  operator, reads only  until ")
    assert [status(running, path, secret) for path in ("/api/sources", "/api/accounts")] == [200, 403]
    assert "sync of admin  operator, reads only" in smartcis(running, "tokens")
    assert smartcis(running, "token", "sync", "--revoke") == "the token sync of admin was taken back\n"
    assert status(running, "/api/sources", secret) == 401


@pytest.mark.parametrize("area", AREAS)
def test_every_answer_is_as_described(area: str, description: BaseSchema, token: str) -> None:
    ask(description, area, token, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("area", AREAS)
def test_every_answer_to_many_requests_is_as_described(
    area: str, description: BaseSchema, token: str
) -> None:
    ask(description, area, token, MANY)


def takes_something(operation: APIOperation) -> bool:
    """Tell whether a request can be wrong in some part: a parameter, a body, the token."""
    return any(operation.definition.raw.get(part) for part in ("parameters", "requestBody", "security"))


def ask(description: BaseSchema, area: str, token: str, examples: int) -> None:
    """Send so many right requests, and so many wrong ones, to each operation of an area."""
    headers, asked = {"Authorization": f"Bearer {token}"}, 0
    for found in description.include(tag=area).get_all_operations():
        operation = found.ok()
        if operation.label in ENDLESS:
            continue
        for mode in MODES if takes_something(operation) else MODES[:1]:

            @settings(
                max_examples=examples, deadline=None, database=None, derandomize=True,
                phases=[Phase.generate], suppress_health_check=list(HealthCheck),
            )  # fmt: skip
            @given(case=operation.as_strategy(generation_mode=mode))
            def answers_as_described(case: Case) -> None:
                case.call_and_validate(headers=headers, checks=CHECKS, timeout=PATIENCE)

            answers_as_described()
            asked += 1
    assert asked
