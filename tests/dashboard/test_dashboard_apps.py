"""The page inside an MCP client that supports MCP Apps, in a sandboxed frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser import PATIENCE, SCHEMES, Visit, keep_screenshot
from dashboard_campaigns import read
from live_server import LiveServer

HOST = Path(__file__).parents[1] / "support" / "apps_host.html"
PAGE = "ui://echidna/campaign.html"
ROOT = "echidna://campaign"
REVISION = "2026-07-28"
ALL: dict[str, Any] = {"serverTools": {}, "serverResources": {}, "logging": {}}


def request(server: LiveServer, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Send one request over MCP and return the whole answer."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientCapabilities": {
            "extensions": {
                "io.modelcontextprotocol/ui": {
                    "mimeTypes": ["text/html;profile=mcp-app"]
                }
            }
        },
    }
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": method,
        "params": {**params, "_meta": meta},
    }
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": REVISION,
        "Mcp-Method": method,
        **({"Mcp-Name": params.get("name") or params["uri"]} if params else {}),
    }
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=30)
    try:
        connection.request("POST", "/mcp", json.dumps(body), headers)
        answer = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    assert isinstance(answer, dict)
    return answer


@dataclass(slots=True)
class Client:
    """A client that shows the page."""

    visit: Visit
    server: LiveServer

    @property
    def view(self) -> Any:
        """The page in its frame."""
        return self.visit.page.frame_locator("#view")

    def show(
        self,
        capabilities: dict[str, Any] | None = None,
        context: dict[str, Any] | None = None,
        **given: Any,
    ) -> None:
        """Call `show_coverage` and show the page beside its result."""
        page = request(self.server, "resources/read", {"uri": PAGE})["result"]
        call = {"name": "show_coverage", "arguments": given}
        result = request(self.server, "tools/call", call)["result"]
        self.visit.page.evaluate(
            "([html, options, given, result]) => show(html, options, given, result)",
            [
                page["contents"][0]["text"],
                {
                    "capabilities": ALL if capabilities is None else capabilities,
                    "context": context or {},
                },
                given,
                result,
            ],
        )

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification to the page."""
        self.visit.page.evaluate(
            "(message) => send(message)", {"method": method, "params": params}
        )

    def ask(self, method: str) -> dict[str, Any]:
        """Send a request to the page and return its answer."""
        answer = self.visit.page.evaluate("(method) => ask(method)", method)
        assert isinstance(answer, dict)
        return answer

    def heard(self) -> list[dict[str, Any]]:
        """Return what the page has sent."""
        log = self.visit.page.evaluate("log")
        return [message for message in log if message.get("from") == "view"]


@pytest.fixture
def client(vault, browser) -> Iterator[Callable[..., Client]]:
    """Open clients; at the end, none had a problem, or asked any network."""
    clients: list[Client] = []

    def opened(**options: Any) -> Client:
        page = browser.new_context(**options).new_page()
        page.set_default_timeout(PATIENCE)
        found = Client(Visit(page), vault)

        def pass_on(asked: dict[str, Any]) -> Any:
            answer = request(vault, asked["method"], asked["params"])
            return answer.get("result") or answer["error"]

        page.expose_function("server", pass_on)
        found.visit.watch()
        page.set_content(HOST.read_text("utf-8"))
        clients.append(found)
        return found

    yield opened
    for found in clients:
        found.visit.page.context.close()
        assert found.visit.problems == []
        assert found.visit.hosts() <= {""}


def test_show_coverage_names_the_page_and_the_page_declares_what_it_needs(vault):
    tools = request(vault, "tools/list", {})["result"]["tools"]
    named = {tool["name"]: tool.get("_meta") for tool in tools if tool.get("_meta")}
    assert named == {"show_coverage": {"ui": {"resourceUri": PAGE}}}
    (content,) = request(vault, "resources/read", {"uri": PAGE})["result"]["contents"]
    assert content["mimeType"] == "text/html;profile=mcp-app"
    assert content["text"].startswith("<!doctype html>")
    interface = content["_meta"]["ui"]
    assert interface["prefersBorder"] is True
    assert interface["csp"]
    assert all(domains == [] for domains in interface["csp"].values())
    listed = request(vault, "resources/list", {})["result"]["resources"]
    (entry,) = [each for each in listed if each["uri"] == PAGE]
    assert entry["mimeType"] == content["mimeType"]
    assert entry["_meta"] == content["_meta"]


def test_the_handshake_is_the_one_of_the_specification(client):
    host = client()
    host.show()
    host.view.locator("#connection", has_text="Connected").wait_for()
    host.view.locator(".functions").first.wait_for()
    first, second, *rest = host.heard()
    assert first["method"] == "ui/initialize"
    assert first["jsonrpc"] == "2.0"
    assert first["origin"] == "null"
    assert first["params"] == {
        "protocolVersion": "2026-01-26",
        "appInfo": {
            "name": "echidna-mcp",
            "title": "Campaign view",
            "version": first["params"]["appInfo"]["version"],
        },
        "appCapabilities": {"availableDisplayModes": ["inline", "fullscreen"]},
    }
    assert second["method"] == "ui/notifications/initialized"
    assert "id" not in second
    methods = {message["method"] for message in rest}
    assert methods - {"ui/notifications/size-changed"} == {"resources/read"}


@pytest.mark.parametrize("theme", SCHEMES)
def test_the_page_reads_the_campaign_through_the_client(theme, client, vault):
    host = client(color_scheme="light", viewport={"width": 800, "height": 1200})
    host.show(context={"theme": theme})
    view = host.view
    view.locator(".functions").first.wait_for()
    assert view.locator("h1").text_content() == "Vault"
    assert view.locator("#tab-coverage").get_attribute("aria-selected") == "true"
    scheme = view.locator(":root").evaluate(
        "(root) => getComputedStyle(root).colorScheme"
    )
    assert scheme == theme
    keep_screenshot(host.visit.page, f"client-{theme}")
    view.locator("text=executeWithdrawal(uint256)").click()
    assert "function executeWithdrawal" in view.locator("tr.target").inner_text()
    view.locator("#tab-tests").click()
    calls = view.locator(".calls .call")
    calls.first.wait_for()
    reproducer = read(vault, f"{ROOT}/reproducers/echidna_solvent")
    assert calls.all_text_contents() == [call["call"] for call in reproducer["calls"]]
    keep_screenshot(host.visit.page, f"client-tests-{theme}")


def test_the_contract_that_was_asked_for_is_marked(client):
    host = client()
    host.show(contract="Vault")
    host.view.locator(".card.chosen", has_text="Vault").wait_for()


def test_the_frame_grows_with_the_page_and_comes_to_rest(client):
    host = client()
    host.show()
    host.view.locator(".functions").first.wait_for()
    host.visit.page.wait_for_timeout(1000)
    page = host.view.locator("body")
    height = page.evaluate("(body) => body.offsetHeight")
    assert int(host.visit.page.locator("#view").get_attribute("height")) == height > 400
    sizes = [m for m in host.heard() if m["method"] == "ui/notifications/size-changed"]
    assert {size["params"]["width"] for size in sizes} == {760}
    host.visit.page.wait_for_timeout(1000)
    again = [m for m in host.heard() if m["method"] == "ui/notifications/size-changed"]
    assert len(again) == len(sizes)
    host.view.locator("#tab-source").click()
    host.view.locator(".source").wait_for()
    host.visit.page.wait_for_timeout(500)
    # A long source scrolls inside: no client shows a frame of thousands of pixels well.
    assert int(host.visit.page.locator("#view").get_attribute("height")) < 1000


def test_the_page_follows_the_theme_and_the_fonts_of_the_client(client):
    host = client(color_scheme="light")
    variables = {"--font-sans": "Georgia, serif", "--color-text-primary": "#777"}
    host.show(context={"theme": "light", "styles": {"variables": variables}})
    body = host.view.locator("body")
    host.view.locator(".functions").first.wait_for()
    style = """(body) => {
        const style = getComputedStyle(body);
        return [style.color, style.fontFamily];
    }"""
    light, font = body.evaluate(style)
    assert font == "Georgia, serif"
    host.tell("ui/notifications/host-context-changed", {"theme": "dark"})
    host.view.locator(":root[data-theme=dark]").wait_for(state="attached")
    dark, _ = body.evaluate(style)
    # Its colours are ours: only of those the contrast is known.
    assert (light, dark) == ("rgb(26, 30, 37)", "rgb(230, 233, 239)")


def test_full_screen_is_offered_where_the_client_has_it(client):
    host = client()
    host.show()
    host.view.locator(".functions").first.wait_for()
    assert host.view.locator("#fullscreen").is_hidden()
    modes = {"availableDisplayModes": ["inline", "fullscreen"], "displayMode": "inline"}
    host.tell("ui/notifications/host-context-changed", modes)
    host.view.locator("#fullscreen").click()
    host.view.locator("text=Leave full screen").wait_for()
    panel = host.view.locator("#panel-coverage")
    assert panel.evaluate("(panel) => getComputedStyle(panel).maxHeight") == "none"
    asked = [m for m in host.heard() if m["method"] == "ui/request-display-mode"]
    assert [each["params"] for each in asked] == [{"mode": "fullscreen"}]


def test_a_client_that_reads_nothing_for_the_page_gets_what_the_tool_returned(
    client, vault
):
    host = client()
    host.show({"serverTools": {}})
    view = host.view
    view.locator("#notice", has_text="does not let the page read").wait_for()
    view.locator(".functions").first.wait_for()
    assert view.locator("[role=tab]:visible").all_text_contents() == ["Coverage"]
    campaign = read(vault, ROOT)
    figures = view.locator("#figures").inner_text()
    assert f"{campaign['coverage']['lineCoverage']:g}%" in figures
    assert "executeWithdrawal(uint256)" in view.locator(".functions").inner_text()
    assert view.locator(".functions button").count() == 0
    keep_screenshot(host.visit.page, "client-result-only")
    view.locator("#refresh").click()
    host.visit.page.wait_for_function(
        "() => log.some((each) => each.from === 'view' && each.method === 'tools/call')"
    )
    (call,) = [m for m in host.heard() if m["method"] == "tools/call"]
    assert call["params"] == {"name": "show_coverage", "arguments": {}}


def test_it_looks_again_after_some_seconds_and_on_request(client):
    host = client()
    host.show()
    host.view.locator(".functions").first.wait_for()

    def reads() -> int:
        uris = [
            m["params"]["uri"] for m in host.heard() if m["method"] == "resources/read"
        ]
        return uris.count(ROOT)

    before = reads()
    host.view.locator("#refresh").click()
    host.visit.page.wait_for_timeout(1500)
    assert reads() == before + 1
    host.visit.page.wait_for_timeout(6000)
    assert reads() in (before + 2, before + 3)


def test_requests_of_the_client_are_answered_and_the_end_is_the_end(client):
    host = client()
    host.show()
    host.view.locator(".functions").first.wait_for()
    assert host.ask("ping")["result"] == {}
    assert host.ask("nonsense")["error"]["code"] == -32601
    assert host.ask("ui/resource-teardown")["result"] == {}
    heard = len(host.heard())
    host.visit.page.wait_for_timeout(6000)
    assert len(host.heard()) == heard


def test_messages_of_others_than_the_client_are_not_heard(client):
    host = client()
    host.show()
    view = host.view
    view.locator(".functions").first.wait_for()
    view.locator("body").evaluate("""() => window.postMessage({
        jsonrpc: "2.0",
        method: "ui/notifications/host-context-changed",
        params: { theme: "dark" },
    }, "*")""")
    host.visit.page.wait_for_timeout(300)
    assert view.locator(":root[data-theme]").count() == 0


def test_the_page_in_a_client_can_be_read_and_used(client):
    host = client(viewport={"width": 800, "height": 900})
    host.show()
    host.view.locator(".functions").first.wait_for()
    frame = host.visit.page.frames[1]
    inside = Visit(frame)
    assert inside.audit() == []
    assert inside.overflow() == 0
