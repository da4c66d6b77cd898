"""Both command lines of the Inspector over standard streams.

`--cli` starts a server for each command; all go on with the same campaign, one after
the other. `mcpdo` starts one for a connection.
"""

from __future__ import annotations

import json

import pytest
from client_steps import CAMPAIGN
from inspector_commands import OneShots, connected
from inspector_steps import (
    call_all_nine,
    complete,
    get_a_prompt,
    get_every_prompt,
    hear_of_rounds,
    read_every_kind,
)
from tool_results import TOOLS

pytestmark = pytest.mark.solc

each_era = pytest.mark.parametrize("era", ["legacy", "modern"])


@pytest.fixture
def server(inspector, started_by_a_client, era):
    target, words = started_by_a_client
    return OneShots(inspector, [*target, "--quiet"], era, *words)


@each_era
def test_the_strict_lint_of_the_schemas_is_silent(server):
    result, complaints = server.run("tools/list", "--strict")
    assert [tool["name"] for tool in result["tools"]] == TOOLS
    assert complaints == ""


# The other era's, the other kinds and the other prompts are left to connections: here
# each command starts a server.
@pytest.mark.parametrize("era", ["legacy"])
def test_all_nine_tools_answer_and_a_failure_is_one(server):
    call_all_nine(server)


@each_era
def test_a_resource_and_a_prompt(server):
    assert json.loads(server.read(CAMPAIGN))["contract"].endswith("Lab")
    assert json.loads(server.read(f"{CAMPAIGN}/corpus/0"))["sequence"] == 0
    get_a_prompt(server, "raise_coverage")


@each_era
def test_all_nine_tools_and_updates_on_a_connection(mcpdo, started_by_a_client, era):
    target, words = started_by_a_client
    with connected(mcpdo, target, era, *words) as server:
        call_all_nine(server)
        hear_of_rounds(server)


def test_a_resource_of_each_kind_and_the_prompts_on_a_connection(
    mcpdo, started_by_a_client
):
    target, words = started_by_a_client
    with connected(mcpdo, target, "modern", *words) as server:
        read_every_kind(server)
        get_every_prompt(server)
        complete(server)
