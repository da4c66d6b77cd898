"""What the dashboard asks the server for, without a browser."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from handmade_campaign import HandmadeCampaign
from loop_time import PATIENCE, loop_time, until
from tool_plugins import make_service

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.catalogue.news import Change
from echidna_mcp.catalogue.resource import Resource
from echidna_mcp.contracts.bundle import load_bundle
from echidna_mcp.errors import EchidnaMcpError, InvalidInputError
from echidna_mcp.server.http import HttpServer
from echidna_mcp.tools.principal import LOCAL
from echidna_mcp.tools.stage import Stage
from echidna_mcp_plugins import dashboard, resources
from echidna_mcp_plugins.dashboard.live import MOST_URIS, SECONDS
from echidna_mcp_plugins.dashboard.page import read_page
from echidna_mcp_plugins.dashboard.resources import PAGE_TYPE, PAGE_URI
from echidna_mcp_plugins.resources.coverage import LINES
from echidna_mcp_plugins.transports import http

ROOT = "echidna://campaign"


def odd(uri: str, answer: Any, mime_type: str = "text/plain") -> Resource:
    async def read(_values: Any, _context: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    return Resource(
        name=uri, uri=uri, title=uri, description=uri, mime_type=mime_type, read=read
    )


ODD = (
    odd("odd://markup", "<script>alert(1)</script>", "text/html"),
    odd("odd://bytes", b"\x00\xff", "image/png"),
    odd("odd://wrong", InvalidInputError("That is wrong.")),
    odd("odd://broken", EchidnaMcpError("That is broken.")),
    odd("odd://crash", RuntimeError("secret")),
)


@pytest.fixture
def catalogue(tmp_path):
    campaign = HandmadeCampaign()
    campaign.run_round(10)
    context = campaign.context(tmp_path)
    offered = [*resources.register_resources(), *dashboard.register_resources(), *ODD]
    return Catalogue(make_service(campaign, tmp_path), Stage(context), offered)


@pytest.fixture
def serve(catalogue):
    @asynccontextmanager
    async def serving(**options: Any) -> AsyncIterator[tuple[HttpServer, str]]:
        transports = [*dashboard.register_transports(), *http.register_transports()]
        server = HttpServer(transports, **options)
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(server.serve(catalogue, ready.set_result))
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        try:
            await ready
            yield server, server.pages["Dashboard"].rstrip("/")
        finally:
            server.stop()
            await task

    return serving


async def read(client: httpx2.AsyncClient, url: str, uri: str) -> httpx2.Response:
    return await client.get(f"{url}/dashboard/read", params={"uri": uri})


async def events(stream: httpx2.Response) -> AsyncIterator[tuple[str, Any]]:
    """Yield type and data of server-sent events."""
    kind = ""
    async for line in stream.aiter_lines():
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            yield kind, json.loads(value)


# ------------------------------------------------------------------------ page


async def test_the_page_allows_nothing_but_its_own_script_and_style(serve):
    async with serve() as (_, url), httpx2.AsyncClient() as client:
        response = await client.get(f"{url}/")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.text == read_page().html
    policy = dict(
        part.split(" ", 1)
        for part in response.headers["content-security-policy"].split("; ")
    )
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    for element, directive in (("script", "script-src"), ("style", "style-src")):
        (content,) = re.findall(
            rf"<{element}[^>]*>(.*?)</{element}>", response.text, re.DOTALL
        )
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert policy[directive] == f"'sha256-{digest}'"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["x-frame-options"] == "DENY"
    assert response.headers["referrer-policy"] == "no-referrer"
    assert "set-cookie" not in response.headers


def test_the_page_names_no_other_place():
    html = read_page().html
    # Namespaces are names: nothing is loaded from there.
    urls = set(re.findall(r"\b(?:https?:)?//[\w.-]+\.\w+[^\s\"']*", html))
    assert urls == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(link|script|img|iframe)[^>]*(src|href)=\"(?!data:)", html)


def test_the_script_never_turns_text_into_markup():
    script = read_page().html
    for name in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
    ):
        assert name not in script


def test_the_script_knows_the_event_types_and_the_length_of_pages():
    script = read_page().html
    (listed,) = re.findall(r"const EVENT_TYPES = \[(.*?)\];", script, re.DOTALL)
    assert re.findall(r'"(\w+)"', listed) == list(load_bundle().events)
    assert f"const LINES_PER_PAGE = {LINES};" in script


async def test_the_page_is_a_resource_that_shows_the_results_of_show_coverage(
    catalogue,
):
    assert catalogue.view_of("show_coverage") == PAGE_URI
    content = await catalogue.resources.read(PAGE_URI)
    assert content.data == read_page().html
    assert content.resource.mime_type == PAGE_TYPE == "text/html;profile=mcp-app"
    csp = content.resource.meta["ui"]["csp"]
    assert csp
    assert all(domains == [] for domains in csp.values())
    assert content.resource.meta["ui"]["prefersBorder"] is True


# --------------------------------------------------------------------- reading


async def test_what_can_be_read_is_what_mcp_clients_read(serve, catalogue):
    async with serve() as (_, url), httpx2.AsyncClient() as client:
        for uri in (
            ROOT,
            f"{ROOT}/coverage",
            f"{ROOT}/history",
            f"{ROOT}/coverage.lcov",
        ):
            response = await read(client, url, uri)
            assert response.status_code == 200
            assert response.text == (await catalogue.resources.read(uri)).data
            assert response.headers["cache-control"] == "no-store"
        assert response.headers["content-type"].startswith("text/plain")


async def test_events_can_be_read_by_type(serve):
    async with serve() as (_, url), httpx2.AsyncClient() as client:
        found = (await read(client, url, f"{ROOT}/events/RoundCommitted")).json()
        assert {event["eventType"] for event in found["events"]} == {"RoundCommitted"}
        none = await read(client, url, f"{ROOT}/events/Nonsense")
    assert none.status_code == 404
    assert "PropertyFalsified" in none.json()["error"]["message"]


@pytest.mark.parametrize(
    ("uri", "status", "code"),
    [
        ("echidna://nothing", 404, "RESOURCE_NOT_FOUND"),
        (f"{ROOT}/corpus/999999", 404, "RESOURCE_NOT_FOUND"),
        ("", 400, "INVALID_INPUT"),
        ("odd://wrong", 400, "INVALID_INPUT"),
        ("odd://broken", 500, "INTERNAL_ERROR"),
        ("odd://crash", 500, "INTERNAL_ERROR"),
    ],
)
async def test_what_cannot_be_read_is_explained_in_one_sentence(
    serve, uri, status, code
):
    async with serve() as (_, url), httpx2.AsyncClient() as client:
        response = await read(client, url, uri)
    assert response.status_code == status
    error = response.json()["error"]
    assert error["code"] == code
    assert error["message"].endswith((".", "?"))
    assert "secret" not in response.text


@pytest.mark.parametrize("query", ["", "?uri=a&uri=b", "?url=echidna://campaign"])
async def test_a_reading_names_exactly_one_resource(serve, query):
    async with serve() as (_, url), httpx2.AsyncClient() as client:
        response = await client.get(f"{url}/dashboard/read{query}")
    assert response.status_code == 400
    assert "uri=echidna://campaign" in response.json()["error"]["message"]


async def test_what_is_read_can_do_nothing_in_a_browser(serve):
    async with serve() as (_, url), httpx2.AsyncClient() as client:
        for uri, kind in (
            ("odd://markup", "text/plain; charset=utf-8"),
            ("odd://bytes", "application/octet-stream"),
            (PAGE_URI, "text/plain; charset=utf-8"),
        ):
            response = await read(client, url, uri)
            assert response.headers["content-type"] == kind
            assert response.headers["x-content-type-options"] == "nosniff"
            policy = response.headers["content-security-policy"]
            assert policy == "default-src 'none'; sandbox"


async def test_nothing_is_taken_from_other_methods(serve):
    async with serve() as (_, url), httpx2.AsyncClient() as client:
        for path in ("/", "/dashboard/read", "/dashboard/live"):
            assert (await client.post(url + path)).status_code == 405


# ----------------------------------------------------------------------- token


async def test_only_the_page_itself_needs_no_token(serve):
    async with (
        serve(tokens={"sesame": LOCAL}) as (_, url),
        httpx2.AsyncClient() as client,
    ):
        assert (await client.get(f"{url}/")).status_code == 200
        assert (await read(client, url, ROOT)).status_code == 401
        assert (await client.get(f"{url}/dashboard/live")).status_code == 401
        headers = {"Authorization": "Bearer sesame"}
        query = {"uri": ROOT}
        allowed = await client.get(
            f"{url}/dashboard/read", params=query, headers=headers
        )
        assert allowed.status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403)],
)
@pytest.mark.parametrize(
    "path", ["/", f"/dashboard/read?uri={ROOT}", "/dashboard/live"]
)
async def test_other_sites_are_told_nothing(serve, path, headers, status):
    async with serve() as (_, url), httpx2.AsyncClient() as client:
        assert (await client.get(url + path, headers=headers)).status_code == status


# ------------------------------------------------------------------------ live


@asynccontextmanager
async def following(url: str) -> AsyncIterator[httpx2.Response]:
    async with (
        httpx2.AsyncClient() as client,
        client.stream("GET", f"{url}/dashboard/live") as stream,
    ):
        yield stream


async def test_a_stream_begins_at_once_and_then_names_what_changed(serve, catalogue):
    async with serve() as (_, url), following(url) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        told = events(stream)
        assert await anext(told) == ("ready", {"uris": [], "all": True})
        catalogue.news.publish(Change((ROOT, f"{ROOT}/coverage")))
        assert await anext(told) == (
            "change",
            {"uris": [ROOT, f"{ROOT}/coverage"], "all": False},
        )


async def test_news_of_a_moment_come_as_one_event(serve, catalogue):
    async with serve() as (_, url), following(url) as stream:
        told = events(stream)
        await anext(told)
        catalogue.news.publish(Change((ROOT,)))
        await anext(told)
        for number in range(20):
            catalogue.news.publish(Change((ROOT, f"{ROOT}/corpus/{number}")))
        async with loop_time() as time:
            _, data = await anext(told)
        assert set(data["uris"]) == {
            ROOT,
            *(f"{ROOT}/corpus/{n}" for n in range(20)),
        }
        assert time.seconds < 4 * SECONDS


async def test_very_much_news_is_told_as_everything(serve, catalogue):
    async with serve() as (_, url), following(url) as stream:
        told = events(stream)
        await anext(told)
        for number in range(10 * MOST_URIS):
            catalogue.news.publish(Change((f"{ROOT}/corpus/{number}",)))
        assert await anext(told) == ("change", {"uris": [], "all": True})
        catalogue.news.publish(Change((ROOT,)))
        assert await anext(told) == ("change", {"uris": [ROOT], "all": False})


async def test_a_client_that_does_not_read_gets_one_merged_event_later(catalogue):
    stream = dashboard_events(catalogue)
    await anext(stream)
    for number in range(100_000):
        catalogue.news.publish(Change((f"{ROOT}/corpus/{number}", ROOT)))
    event = await anext(stream)
    assert json.loads(event["data"]) == {"uris": [], "all": True}
    catalogue.news.publish(Change((ROOT,)))
    assert json.loads((await anext(stream))["data"])["uris"] == [ROOT]
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(2 * SECONDS)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert not catalogue.news._listeners


def dashboard_events(catalogue):
    from echidna_mcp_plugins.dashboard.live import live_events  # noqa: PLC0415

    return live_events(catalogue.news)


async def test_a_client_that_leaves_is_forgotten(serve, catalogue):
    async with serve() as (_, url), following(url) as stream:
        await anext(events(stream))
        assert len(catalogue.news._listeners) == 1
        await until(lambda: not catalogue.news._listeners)


async def test_streams_end_when_the_server_stops(serve, catalogue):
    async with serve() as (server, url), following(url) as stream:
        told = events(stream)
        await anext(told)
        server.stop()
        async with asyncio.timeout(PATIENCE):
            assert [event async for event in told] == []
    assert not catalogue.news._listeners


async def test_silence_is_broken_by_comments(serve, monkeypatch):
    from echidna_mcp_plugins.dashboard import routes  # noqa: PLC0415

    monkeypatch.setattr(routes, "KEEP_ALIVE_SECONDS", 0.1)
    async with serve() as (_, url), following(url) as stream:
        async for line in stream.aiter_lines():
            if line.startswith(":"):
                return
    pytest.fail("the stream ended without a comment")
