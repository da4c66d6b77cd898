"""The Inspector's `mcpdo`, whose connections stay, over HTTP and legacy HTTP+SSE.

Over standard streams it is tested in test_inspector_stdio.py.
"""

from __future__ import annotations

import pytest
from client_steps import CAMPAIGN, VERSIONS
from inspector_commands import connected
from inspector_steps import (
    call_all_nine,
    complete,
    get_every_prompt,
    hear_of_rounds,
    read_every_kind,
)

pytestmark = pytest.mark.solc
REVISIONS = {"legacy": VERSIONS["legacy"], "modern": VERSIONS["auto"]}

each_era = pytest.mark.parametrize("era", ["legacy", "modern"])
each_transport = pytest.mark.parametrize("transport", ["http", "sse"])
# In the other era of each, test_inspector.py reads them.
ONE_ERA_EACH = [("http", "legacy"), ("sse", "modern")]


@pytest.fixture
def server(mcpdo, lab, transport, era):
    url = lab.sse_url if transport == "sse" else lab.url
    with connected(mcpdo, [url, "--transport", transport], era) as server:
        yield server


@each_era
@each_transport
def test_all_nine_tools_answer_on_a_connection(server, era):
    shown, _ = server.run("connections/show")
    assert shown["protocolVersion"] == REVISIONS[era]
    call_all_nine(server)


@pytest.mark.parametrize(("transport", "era"), ONE_ERA_EACH)
def test_a_resource_of_each_kind_and_the_prompts(server):
    read_every_kind(server)
    get_every_prompt(server)
    complete(server)


@pytest.mark.parametrize(
    ("transport", "era"), [("http", "modern"), ("sse", "legacy"), ("sse", "modern")]
)
def test_it_hears_of_committed_rounds(server):
    hear_of_rounds(server)


@pytest.mark.parametrize(("transport", "era"), [("http", "legacy")])
def test_without_a_session_updates_are_not_offered(server):
    error = server.refusal("resources/subscribe", "--uri", CAMPAIGN)
    assert "not support resource subscriptions" in error["message"]
