"""Which web pages may speak to the server: its own, and none of another program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.server.address import Hosts

LOCAL = Hosts.of("127.0.0.1")
NAMES = ("127.0.0.1", "localhost", "[::1]")


@given(st.sampled_from(NAMES), st.integers(1, 65535), st.integers(1, 65535))
def test_a_page_of_another_local_port_is_foreign_unless_it_has_the_token(
    name, port, other
):
    host, origin = f"{name}:{port}", f"http://{name}:{other}"
    assert LOCAL.allow_origin(origin, host) is (port == other)
    assert LOCAL.allow_origin(origin, host, trusted=True)


@pytest.mark.parametrize("page", ["http://localhost:8080", "HTTP://LocalHost:8080"])
def test_our_own_page_is_ours_by_the_name_by_which_it_was_opened(page):
    assert LOCAL.allow_origin(page, "localhost:8080")
    assert not LOCAL.allow_origin(page, "127.0.0.1:8080")


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost", "localhost:80"),
        ("http://localhost:80", "localhost"),
        ("https://fuzz.example", "fuzz.example:443"),
        ("https://fuzz.example:443", "fuzz.example"),
    ],
)
def test_the_port_of_a_scheme_may_be_left_out(origin, host):
    assert LOCAL.allow_origin(origin, host)


@given(st.integers(1, 65535))
def test_a_name_that_was_allowed_may_have_pages_on_any_port(port):
    hosts = Hosts.of("127.0.0.1", ["fuzz.example"])
    assert hosts.allow_origin(f"https://fuzz.example:{port}", "127.0.0.1:8080")
    assert not hosts.allow_origin(f"https://localhost:{port}", "fuzz.example")


@pytest.mark.parametrize(
    "origin", ["null", "", "file://", "localhost:1", "ftp://localhost:1"]
)
@pytest.mark.parametrize("trusted", [False, True])
def test_what_is_no_page_of_the_web_is_foreign(origin, trusted):
    assert not LOCAL.allow_origin(origin, "localhost:1", trusted=trusted)
