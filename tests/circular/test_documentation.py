"""docs/circular.md says what is."""

from __future__ import annotations

import re

from documentation import code, page

from echidna_mcp_plugins.circular.devnet.options import DevnetOptions
from echidna_mcp_plugins.circular.devnet.orders import order_routes
from echidna_mcp_plugins.circular.errors import RULES, ErrorType
from echidna_mcp_plugins.circular.exchange import PAUSES, TIME_LIMIT
from echidna_mcp_plugins.circular.locks import WAIT_SECONDS
from echidna_mcp_plugins.circular.settings import (
    DEFAULT_NETWORK,
    DISCOVERY,
    PUBLIC_DISCOVERY,
    Settings,
)
from echidna_mcp_plugins.circular.tools.session import POLL_SECONDS, POLLS

PAGE = page("docs/circular.md")


def test_exactly_the_variables_that_exist_are_documented():
    rows = {code(row[0]): row for row in PAGE.section("Configuration").rows("variable")}
    for name in rows:
        value = {
            DEFAULT_NETWORK: "mainnet",
            DISCOVERY: "https://example.org",
        }.get(name, "12".zfill(64))
        assert Settings.from_environment({name: value}).configured
    assert len(rows) == 8
    assert code(rows[DISCOVERY][1]) == PUBLIC_DISCOVERY
    assert code(rows[DEFAULT_NETWORK][1]) == Settings.from_environment({}).network


def test_exactly_the_ten_errors_are_documented_with_their_status():
    rows = PAGE.section("Errors").rows("type")
    assert [code(row[0]) for row in rows] == [each.value for each in ErrorType]
    for name, status, retry, _ in rows:
        rule = RULES[ErrorType(code(name))]
        assert int(status) == rule.status_code
        assert (retry != "no") == (rule.retry_suggestion is not None)
        seconds = re.search(r"\d+", retry)
        assert seconds is None or seconds[0] in rule.retry_suggestion


def test_exactly_the_four_tools_are_documented():
    rows = PAGE.section("Tools").rows("tool")
    assert [code(row[0]) for row in rows] == [
        *("get_wallet_nonce", "certify_data"),
        *("get_transaction_status", "get_certification_proof"),
    ]


async def test_exactly_the_orders_of_the_devnet_are_documented(devnet, client):
    rows = {code(row[0]): row[1] for row in PAGE.section("Devnet").rows("order")}
    routes = order_routes(devnet.chain, devnet.faults)
    assert set(rows) == {f"POST {route.path}" for route in routes}
    for order, members in rows.items():
        url = f"{devnet.url}{order.removeprefix('POST ')}"
        answer = await client.post(url, json={"something": 1})
        _, _, known = answer.json()["error"].rstrip(".").partition("there are: ")
        assert sorted(known.split(", ")) == sorted(re.findall(r"\w+", members))


def test_the_documented_times_and_amounts_are_those_of_the_program():
    assert f"{POLLS} looks, one each {POLL_SECONDS:g} s" in PAGE.text
    assert f"{POLLS * POLL_SECONDS:g} s in all" in PAGE.text
    assert f"a limit of {TIME_LIMIT:g} s a step" in PAGE.text
    assert f"after {WAIT_SECONDS:g} s they fail with API_UNAVAILABLE" in PAGE.text
    first, second, third = PAUSES
    assert f"after {first:g}, {second:g} and {third:g} s" in PAGE.text
    options = DevnetOptions()
    assert f"gets {options.grant:,} CIRX" in PAGE.text
    assert f"Each {options.block_seconds:g} s there is a block" in PAGE.text
