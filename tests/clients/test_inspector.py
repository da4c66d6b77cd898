"""The Inspector's `--cli` over HTTP and legacy HTTP+SSE: lint, lists, calls, reads.

It has no command that subscribes or completes. `mcpdo` of the same package has both,
and is tested in test_inspector_connections.py.
"""

from __future__ import annotations

import pytest
from inspector_commands import OneShots
from inspector_steps import call_all_nine, get_every_prompt, read_every_kind
from tool_results import TOOLS

pytestmark = pytest.mark.solc

each_era = pytest.mark.parametrize("era", ["legacy", "modern"])
each_transport = pytest.mark.parametrize("transport", ["http", "sse"])
# Each command takes most of a second. In the other era of each, connections read them.
ONE_ERA_EACH = [("http", "modern"), ("sse", "legacy")]


@pytest.fixture
def server(inspector, lab, transport, era):
    url = lab.sse_url if transport == "sse" else lab.url
    return OneShots(inspector, [url, "--transport", transport], era)


@each_era
@each_transport
def test_the_strict_lint_of_the_schemas_is_silent(server):
    result, complaints = server.run("tools/list", "--strict")
    assert [tool["name"] for tool in result["tools"]] == TOOLS
    assert complaints == ""


@each_era
@each_transport
def test_all_nine_tools_answer_and_a_failure_is_one(server):
    call_all_nine(server)


@pytest.mark.parametrize(("transport", "era"), ONE_ERA_EACH)
def test_a_resource_of_each_kind_and_the_prompts(server):
    read_every_kind(server)
    get_every_prompt(server)
