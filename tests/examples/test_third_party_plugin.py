"""A package that we don't know is built, installed, enabled by name and called.

Everything runs on wheels in a new environment, outside of the checkout.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal
import zipfile
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from jsonschema import Draft7Validator
from mcp import Client
from mypy import api
from wheels import ROOT, Environment, build_wheel, clean_environment

from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.plugins.selection import DEFAULT_PLUGINS
from echidna_mcp_codegen.__main__ import main

EXAMPLE = ROOT / "examples" / "echidna-mcp-campaign-summary"
SOURCE = EXAMPLE / "src"
TODOS = ROOT / "examples" / "echidna-mcp-script-todos"
DOCUMENT = json.loads(
    (EXAMPLE / "contracts" / "campaign_summary.json").read_text(encoding="utf-8")
)
BOTH = "default,campaign-summary,findings-file"
SMALL = ("--seed", "1", "--workers", "2", "--round-budget", "20000")
BREAKS_THE_VAULT = ["deposit()", "requestWithdrawal(1)", "cancelWithdrawal(0)"]


@pytest.fixture(scope="module")
def our_wheel(tmp_path_factory):
    return build_wheel(ROOT, tmp_path_factory.mktemp("ours"))


@pytest.fixture(scope="module")
def environment(tmp_path_factory, our_wheel):
    theirs = [
        build_wheel(package, tmp_path_factory.mktemp("theirs"))
        for package in (EXAMPLE, TODOS)
    ]
    return Environment(tmp_path_factory.mktemp("environment"), [our_wheel, *theirs])


@asynccontextmanager
async def serving(environment, directory, *options, **variables):
    """Serve the demo from the wheels; yields a connected client."""
    process = await asyncio.create_subprocess_exec(
        str(environment.scripts / "echidna-mcp"),
        *("serve", "--port", "0", "--executor", "inline", "--format", "none"),
        *(*SMALL, "--corpus-dir", "corpus", *options),
        cwd=directory,
        env=clean_environment(variables),
        stderr=asyncio.subprocess.PIPE,
    )
    told = []
    try:
        async with asyncio.timeout(300):
            while not (told and "listening on" in told[-1]):
                told.append((await process.stderr.readline()).decode())
                assert told[-1], "".join(told)
        async with Client(told[-1].split()[-1]) as client:
            yield client
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(300):
            _, rest = await process.communicate()
        assert process.returncode == 0, rest.decode()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def eventually(look, enough):
    """Look again and again until it is enough; a campaign needs time."""
    async with asyncio.timeout(300):
        while not enough(found := await look()):  # noqa: ASYNC110 (another process)
            await asyncio.sleep(0.1)
    return found


async def summary(client, **arguments):
    result = await client.call_tool("campaign_summary", arguments)
    assert not result.is_error
    Draft7Validator(DOCUMENT["outputSchema"]).validate(result.structured_content)
    return result.structured_content


# ------------------------------------------------------------------- the wheel


def test_the_wheel_of_echidna_mcp_has_all_that_it_reads(our_wheel):
    names = set(zipfile.ZipFile(our_wheel).namelist())
    assert {
        "echidna_mcp/demo/program.json",
        "echidna_mcp/demo/Vault.sol",
        "echidna_mcp/_generated/contracts.json",
        "echidna_mcp/py.typed",
        "echidna_mcp_plugins/py.typed",
        "echidna_mcp_codegen/py.typed",
    } <= names
    assert any(re.fullmatch(r"[^/]+\.dist-info/licenses/LICENSE", n) for n in names)
    roots = {name.split("/")[0] for name in names}
    assert {r for r in roots if not r.endswith(".dist-info")} == {
        "echidna_mcp",
        "echidna_mcp_plugins",
        "echidna_mcp_codegen",
    }
    packaged = {name for name in names if name.endswith(".py")}
    for source in ("core", "plugins", "codegen"):
        for path in (ROOT / source).rglob("*.py"):
            assert path.relative_to(ROOT / source).as_posix() in packaged


def test_the_installed_package_is_the_wheel_and_fuzzes_outside_of_the_checkout(
    environment, tmp_path
):
    script = "import echidna_mcp; print(echidna_mcp.__file__)"
    origin = environment.run("python", "-c", script, cwd=tmp_path)
    assert Path(origin.strip()).is_relative_to(environment.packages)
    command = ("run", "--test-limit", "300", "--seed", "1", "--format", "json")
    report = json.loads(
        environment.run("echidna-mcp", *command, cwd=tmp_path, codes=(0, 1))
    )
    assert report["contract"] == "Vault.sol:Vault"
    assert report["calls"] >= 300
    assert report["coverage"]["lineCoverage"] > 50
    assert len(list((tmp_path / "echidna-corpus").glob("*/campaign.db"))) == 1


# ----------------------------------------------------------------- the example


@pytest.mark.parametrize(
    ("example", "package", "dialect"),
    [
        (EXAMPLE, "echidna_mcp_campaign_summary", "echidna"),
        (TODOS, "echidna_mcp_script_todos", "editor"),
    ],
)
def test_the_committed_stubs_fit_the_contract_document_of_the_example(
    example, package, dialect
):
    options = ["--check", "--contracts", str(example / "contracts")]
    options += ["--output", str(example / "src" / package / "_generated")]
    options += ["--dialect", dialect, "--package", f"{package}._generated"]
    assert main(options) == 0


@pytest.mark.parametrize(
    ("source", "package"),
    [
        (SOURCE, "echidna_mcp_campaign_summary"),
        (TODOS / "src", "echidna_mcp_script_todos"),
    ],
)
def test_the_handler_of_the_example_fits_its_stubs(
    monkeypatch, tmp_path, source, package
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MYPYPATH", str(source))
    text, errors, code = api.run(["--strict", "-p", package])
    assert code == 0, text + errors


def test_a_handler_that_no_longer_fits_its_definition_is_pointed_at(
    monkeypatch, tmp_path
):
    """Of a definition in the dialect of EditorMCP that has lost a parameter."""
    package = "echidna_mcp_script_todos"
    copy = Path(shutil.copytree(TODOS, tmp_path / "todos"))
    document = copy / "contracts" / "asset.scripts.todos.json"
    definition = json.loads(document.read_text("utf-8"))
    del definition["inputs"]["maximum"]
    document.write_text(json.dumps(definition), "utf-8")
    options = ["--dialect", "editor", "--contracts", str(copy / "contracts")]
    options += ["--output", str(copy / "src" / package / "_generated")]
    assert main([*options, "--package", f"{package}._generated"]) == 0
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MYPYPATH", str(copy / "src"))
    text, _, code = api.run(["--strict", "-p", package])
    assert code == 1
    assert re.search(r'tool\.py:\d+: error: .* has no attribute "maximum"', text)


@pytest.mark.parametrize("example", [EXAMPLE, TODOS])
def test_the_tests_of_the_example_pass_on_the_wheels(environment, tmp_path, example):
    shutil.copytree(example / "tests", tmp_path / "tests")
    shutil.copy(example / "pyproject.toml", tmp_path)
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:asyncio")
    text = environment.run("python", "-m", "pytest", *options, cwd=tmp_path)
    assert " passed" in text


def test_a_plugin_is_listed_but_enabled_only_by_name(environment, tmp_path):
    def listed(*options):
        command = ("plugins", "--json", *options)
        text = environment.run("echidna-mcp", *command, cwd=tmp_path)
        return {record["name"]: record for record in json.loads(text)}

    theirs = listed()["campaign-summary"]
    assert (theirs["status"], theirs["hooks"]) == ("disabled", [])
    named = listed("--plugins", "default,campaign-summary")
    assert named["campaign-summary"] == {
        "name": "campaign-summary",
        "distribution": "echidna-mcp-campaign-summary",
        "version": "0.1.0",
        "hooks": ["register_tools"],
        "status": "loaded",
        "error": None,
    }
    assert named["findings-file"]["status"] == "disabled"
    assert {named[name]["status"] for name in DEFAULT_PLUGINS} == {"loaded"}


async def test_the_tool_is_called_over_mcp_and_sees_what_agents_do(
    environment, tmp_path
):
    findings = tmp_path / "findings.jsonl"
    variables = {"ECHIDNA_MCP_FINDINGS": str(findings)}
    options = ("--plugins", BOTH)
    async with serving(environment, tmp_path, *options, **variables) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert len(tools) == 10
        tool = tools["campaign_summary"]
        assert tool.annotations.read_only_hint is True
        assert tool.description == DOCUMENT["description"]

        first = await summary(client)
        assert first["contract"] == "Vault.sol:Vault"
        assert len(first["functions"]) == 10
        refused = await client.call_tool("campaign_summary", {"top": -1})
        assert json.loads(refused.content[0].text)["error"]["code"] == "INVALID_INPUT"

        await client.call_tool(
            "inject_transaction", {"sequence": BREAKS_THE_VAULT, "value": "1"}
        )

        def solved(found):
            return solvency(found)["state"] == "falsified" and injected(found)

        found = await eventually(lambda: summary(client, top=1), solved)
        assert len(found["functions"]) == 1
        assert found["calls"] > first["calls"]
        assert injected(found) == 1
        reproducer = solvency(found)["reproducer"]
        assert named(reproducer) == named(BREAKS_THE_VAULT)

    lines = [json.loads(line) for line in findings.read_text("utf-8").splitlines()]
    assert [line["shrunk"] for line in lines] == [False, True]
    assert lines[-1]["calls"] == reproducer
    with EventStore.read_only(store_path(tmp_path / "corpus")) as store:
        started = next(iter(store.read(limit=1)))
    assert {
        "name": "campaign-summary",
        "distribution": "echidna-mcp-campaign-summary",
        "version": "0.1.0",
    } in started.payload["plugins"]
    # Neither plugin had a say in the results: the campaign replays without them.
    text = environment.run("echidna-mcp", "replay", "corpus", cwd=tmp_path)
    assert text.startswith("Reproduced: ")


async def test_a_tool_in_another_dialect_is_called_beside_its_family(
    environment, tmp_path
):
    scripts = tmp_path / "game" / "Assets"
    scripts.mkdir(parents=True)
    (scripts / "Player.cs").write_text("// TODO: jump\n")
    process = await asyncio.create_subprocess_exec(
        str(environment.scripts / "echidna-mcp"),
        *("serve", "--port", "0", "--plugins", "editor,script-todos"),
        *("--unity-project", "game"),
        cwd=tmp_path,
        env=clean_environment({}),
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(300):
            told = (await process.stderr.readline()).decode()
        async with Client(told.split()[-1]) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert len(tools) == 11
            assert tools["asset.scripts.todos"].annotations.read_only_hint is True
            result = await client.call_tool("asset.scripts.todos", {})
            assert result.structured_content["total"] == 1
            refused = await client.call_tool("asset.scripts.todos", {"maximum": 0})
            assert json.loads(refused.content[0].text)["code"] == -32002
            listed = await client.call_tool("mcp.tools.list", {"category": "asset"})
            assert [t["id"] for t in listed.structured_content["tools"]] == [
                "asset.scripts.todos"
            ]
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(60):
            await process.wait()
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def named(calls):
    return [call.partition("(")[0] for call in calls]


def injected(found):
    return found["corpus"]["injected"]


def solvency(found):
    (record,) = [p for p in found["properties"] if p["name"] == "echidna_solvent"]
    return record


async def test_without_its_name_only_the_nine_tools_are_listed(environment, tmp_path):
    async with serving(environment, tmp_path) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
    assert len(names) == 9
    assert "campaign_summary" not in names
