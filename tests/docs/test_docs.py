"""The documentation says what is: links, commands, options, hooks, tools, keys."""

from __future__ import annotations

import ast
import json
import re
import shlex
import tomllib

import click
import pytest
import yaml
from documentation import ROOT, code, page, pages
from jsonschema import Draft7Validator
from suites import SUITES

from echidna_mcp.abi.call_text import parse_call
from echidna_mcp.abi.function import functions_of
from echidna_mcp.cli.main import cli
from echidna_mcp.config.campaign import CampaignConfig, RunOptions
from echidna_mcp.config.crytic_args import KNOWN as CRYTIC_ARGUMENTS
from echidna_mcp.config.keys import (
    IGNORED,
    NEEDLESS,
    OBSOLETE,
    REFUSED,
    SUPPORTED,
    is_default,
)
from echidna_mcp.config.projects import foundry, medusa
from echidna_mcp.config.projects.choice import KINDS, Choice
from echidna_mcp.config.projects.loader import load_choice, load_config
from echidna_mcp.contracts import load_bundle
from echidna_mcp.plugins.hookspecs import Hooks
from echidna_mcp.plugins.selection import PLUGINS_VARIABLE, SETS, select
from echidna_mcp.tools.envelope import CODES
from echidna_mcp_codegen.__main__ import _parser as codegen_parser

PAGES = pages()
EVERYTHING = "\n".join(p.text for p in PAGES)
EXAMPLE = ROOT / "examples" / "echidna-mcp-campaign-summary"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TOOLS = load_bundle().tools
each_page = pytest.mark.parametrize("page_", PAGES, ids=lambda p: p.name)


def all_commands(group=cli):
    """Every command by its words, those of groups of commands as well."""
    found = {}
    for name, command in group.commands.items():
        found[name] = command
        inner = all_commands(command) if isinstance(command, click.Group) else {}
        found |= {f"{name} {word}": each for word, each in inner.items()}
    return found


def options_of(command):
    return {name for p in command.params for name in (*p.opts, *p.secondary_opts)}


def nox_sessions():
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.decorator_list
    }


def shell_commands():
    """Every command of every shell block: page, words."""
    found = []
    for page_ in PAGES:
        for block in page_.blocks("sh"):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                while words:
                    end = words.index("&&") if "&&" in words else len(words)
                    command, words = words[:end], words[end + 1 :]
                    while re.fullmatch(r"[A-Z_]+=\S*", command[0]):
                        del command[0]
                    found.append((page_, command))
    return found


# -------------------------------------------------------------------- all pages


@each_page
def test_every_link_leads_somewhere(page_):
    for link in page_.links():
        if re.match(r"https?://", link):
            continue
        path, _, anchor = link.partition("#")
        target = page_.path.parent / path if path else page_.path
        assert target.exists(), f"{page_.name} links to {link}"
        assert target.resolve().is_relative_to(ROOT)
        if anchor:
            assert anchor in page(target.resolve().relative_to(ROOT)).anchors(), link


@each_page
def test_no_path_of_a_machine_is_shown(page_):
    found = re.findall(r"(?<![\w.])/(?:home|root|tmp|work|Users|var)\b", page_.text)
    assert found == []


@each_page
def test_every_block_of_data_or_code_can_be_read(page_):
    for block in page_.blocks("json"):
        json.loads(block)
    for block in page_.blocks("toml"):
        tomllib.loads(block)
    for block in page_.blocks("python"):
        ast.parse(block)


def test_all_pages_that_should_be_there_are():
    assert {
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/agents.md",
        "docs/architecture.md",
        "docs/benchmarks.md",
        "docs/configuration.md",
        "docs/dashboard.md",
        "docs/mcp.md",
        "docs/plugins.md",
        "docs/projects.md",
        "docs/quickstart.md",
        "docs/tools.md",
    } <= {p.name for p in PAGES}


# --------------------------------------------------------------------- commands


@pytest.mark.parametrize(
    ("page_", "words"),
    shell_commands(),
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else value.name,
)
def test_every_shell_command_exists_with_its_options(page_, words):  # noqa: C901
    program, *rest = words
    match program.rpartition("/")[2]:
        case "echidna-mcp":
            name, *arguments = rest
            # Parses and checks everything; runs nothing.
            with cli.commands[name].make_context(name, arguments):
                pass
        case "nox":
            options, _, _ = " ".join(rest).partition(" -- ")
            named = options.split("-s", 1)[1].split()
            assert named
            assert set(named) <= nox_sessions()
        case "python" | "python3" if rest[:2] == ["-m", "echidna_mcp_codegen"]:
            chosen = codegen_parser().parse_args(rest[2:])
            assert any(
                (base / chosen.contracts).is_dir() and (base / chosen.output).is_dir()
                for base in (page_.path.parent, EXAMPLE, ROOT)
            )
        case "python" | "python3":
            known = rest[:2] in (["-m", "venv"], ["-m", "mypy"], ["-m", "pytest"])
            assert known or (ROOT / rest[0]).is_file()
        case "pip":
            assert rest[0] == "install"
            for wanted in rest[1:]:
                if extra := re.fullmatch(r"\.\[(\w+)\]", wanted):
                    assert extra[1] in PROJECT["project"]["optional-dependencies"]
                elif wanted.startswith("./"):
                    assert (ROOT / wanted / "pyproject.toml").exists()
        case "ray":
            assert rest[0] == "start"
        case "cd":
            assert (ROOT / rest[0]).is_dir()
        case "claude":
            assert rest[:2] == ["mcp", "add"]
        case _:
            pytest.fail(f"{page_.name} runs {program}")


def test_the_main_command_and_the_test_command_stand_in_the_readme():
    commands = [
        " ".join(words) for p, words in shell_commands() if p.name == "README.md"
    ]
    assert ".venv/bin/echidna-mcp serve --plugins default" in commands
    assert ".venv-test/bin/nox -s tests" in commands


def test_every_option_of_every_command_is_documented():
    documented = page("docs/configuration.md").text
    for name, command in all_commands().items():
        for option in options_of(command):
            if option.startswith("--"):
                found = re.search(rf"`{option}(?![\w-])", documented)
                assert found, f"{option} of {name} is not in docs/configuration.md"


@each_page
def test_every_documented_option_exists(page_):
    known = {option for c in all_commands().values() for option in options_of(c)}
    known |= {o for action in codegen_parser()._actions for o in action.option_strings}
    known |= {*CRYTIC_ARGUMENTS}
    prose = re.sub(r"\]\([^)]*\)", "]", page_.prose)
    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", prose):
        assert option in known, f"{page_.name} names {option}"


def test_arguments_that_a_client_passes_are_real():
    found = 0
    for page_ in PAGES:
        for block in page_.blocks("json"):
            data = json.loads(block)
            for server in data.get("mcpServers", data.get("servers", {})).values():
                if "args" in server:
                    name, *arguments = server["args"]
                    with cli.commands[name].make_context(name, arguments):
                        found += 1
    assert found


def test_every_variable_that_a_command_reads_is_documented():
    names = {p.envvar for c in cli.commands.values() for p in c.params if p.envvar}
    assert {PLUGINS_VARIABLE, "ECHIDNA_MCP_TOKEN"} == names
    for name in names:
        assert f"`{name}`" in page("docs/configuration.md").text


def test_the_sessions_of_nox_are_listed():
    rows = page("CONTRIBUTING.md").rows("command")
    assert {code(row[0]).removeprefix("nox -s ") for row in rows} == nox_sessions()
    apart = page("CONTRIBUTING.md").rows("session")
    assert {code(row[0]) for row in apart} == {suite.session for suite in SUITES}
    assert {suite.session for suite in SUITES} < nox_sessions()


# ---------------------------------------------------------------- configuration


def documented_keys():
    document = page("docs/configuration.md")
    rows = {}
    for title in ("What decides a campaign", "Where and how it runs"):
        for row in document.section(title).rows("key"):
            rows[code(row[0])] = row
    return rows


def test_every_supported_key_is_documented_where_it_belongs():
    assert set(documented_keys()) == {key.name for key in SUPPORTED}
    section = page("docs/configuration.md").section("What decides a campaign")
    deciding = {code(row[0]) for row in section.rows("key")}
    # `seed` stands with LoadedConfig because its default is no value.
    wanted = {key.name for key in SUPPORTED if key.owner == "campaign"} | {"seed"}
    assert deciding == wanted


@pytest.mark.parametrize("key", [key.name for key in SUPPORTED])
def test_the_documented_default_is_the_default(key, tmp_path):
    path = tmp_path / "echidna.yaml"
    path.write_text(f"{key}: {code(documented_keys()[key][1])}\n", encoding="utf-8")
    loaded = load_config(path)
    assert loaded.campaign == CampaignConfig()
    assert loaded.options == RunOptions()
    assert (loaded.seed, loaded.solc_args, loaded.unhonoured) == (None, "", ())


def test_documented_options_of_keys_set_those_keys():
    run = options_of(cli.commands["run"])
    for key, row in documented_keys().items():
        if row[2]:
            assert code(row[2]) in run
            words = re.sub(r"[A-Z]+", lambda m: f"-{m[0].lower()}", key)
            assert code(row[2]) == f"--{words}"


@pytest.mark.parametrize(
    ("title", "keys"),
    [
        ("Known to Echidna, refused here", REFUSED),
        ("Known to Echidna, without effect here", IGNORED),
    ],
)
def test_keys_that_do_not_work_are_documented_with_echidnas_defaults(title, keys):
    section = page("docs/configuration.md").section(title)
    rows = {code(row[0]): code(row[1]) for row in section.rows("key")}
    assert set(rows) == set(keys)
    for key, default in rows.items():
        assert is_default(key, yaml.safe_load(default))
        assert yaml.safe_load(default) == keys[key]


def test_keys_that_need_not_do_anything_are_documented():
    section = page("docs/configuration.md").section(
        "Known to Echidna, without effect here"
    )
    for key in (*NEEDLESS, *OBSOLETE):
        assert f"`{key}`" in section.text


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_documented_presets_are_the_presets(kind, tmp_path):
    section = page("docs/projects.md").section("Presets")
    rows = {code(row[0]): row[1:] for row in section.rows("key")}
    column = {"medusa": 1, "foundry": 2}.get(kind.name, 0)
    documented = {key: cells[column] for key, cells in rows.items()}
    assert set(kind.preset) <= set(documented)
    campaign = load_choice(Choice(kind=kind)).campaign
    fields = {key.name: key.field for key in SUPPORTED}
    path = tmp_path / "echidna.yaml"
    for key, cell in documented.items():
        if cell.startswith("`"):  # Others are written in words.
            path.write_text(f"{key}: {code(cell)}\n", encoding="utf-8")
            expected = load_config(path).campaign
            assert getattr(campaign, fields[key]) == getattr(expected, fields[key]), key


def test_the_documented_kinds_are_the_kinds_in_order():
    rows = page("docs/projects.md").section("Which file is read").rows("kind")
    assert [code(row[0]) for row in rows] == [kind.name for kind in KINDS]
    for row, kind in zip(rows, KINDS, strict=True):
        named = re.findall(r"`([^`]+)`", row[1])
        assert len(named) == len(kind.files)
        assert all(
            file.endswith(name) for file, name in zip(kind.files, named, strict=True)
        )


def test_what_medusa_and_foundry_may_say_is_documented():
    document = page("docs/projects.md")
    section = document.section("Medusa").text
    for path in medusa.KNOWN:
        name = path.rpartition(".")[2]
        summed_up = ".failOn" in path or ".forkConfig." in path
        assert name in section or summed_up or path in medusa.OBSOLETE, path
    section = document.section("Foundry").text
    for name in (*foundry.MAPPED, *foundry.REFUSED):
        assert name.rpartition(".")[2] in section, name


# ------------------------------------------------------------------------ tools


def test_exactly_the_nine_tools_are_documented():
    document = page("docs/tools.md")
    found = {
        title: set(
            re.findall(r"^### (\w+)$", document.section(title).text, re.MULTILINE)
        )
        for title in ("Observe", "Control")
    }
    assert found["Observe"] | found["Control"] == set(TOOLS)
    assert found["Control"] == {
        name for name, spec in TOOLS.items() if spec.category == "control"
    }
    for name in TOOLS:
        assert f"`{name}`" in page("README.md").text


@pytest.mark.parametrize("name", TOOLS)
def test_the_arguments_of_a_tool_are_those_of_its_contract_document(name):
    section = page("docs/tools.md").section(name)
    properties = TOOLS[name].input_schema.get("properties", {})
    required = TOOLS[name].input_schema.get("required", ())
    if not properties:
        assert "| argument |" not in section.text
        return
    rows = {code(row[0]): row for row in section.rows("argument")}
    assert set(rows) == set(properties)
    for argument, (_, kind, default, _) in rows.items():
        assert kind == properties[argument]["type"]
        if argument in required:
            assert default == "required"
        elif "default" in properties[argument]:
            assert json.loads(code(default)) == properties[argument]["default"]
        else:
            assert default == "–"  # noqa: RUF001 (as it is printed)


@pytest.mark.parametrize("name", TOOLS)
def test_the_example_of_a_tool_is_a_valid_call_with_a_valid_result(name):
    spec = TOOLS[name]
    call, *result = map(json.loads, page("docs/tools.md").section(name).blocks("json"))
    Draft7Validator(spec.input_schema).validate(call)
    if spec.output_schema["type"] == "object":
        (result,) = result
        Draft7Validator(spec.output_schema).validate(result)
    else:
        (text,) = page("docs/tools.md").section(name).blocks("text")
        assert text.startswith("TN:")


def test_every_error_code_is_documented():
    rows = page("docs/tools.md").section("Errors").rows("code")
    assert {code(row[0]) for row in rows} == CODES


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("integer", "int256"),
        ("address", "address"),
        ("bool", "bool"),
        ("string", "string"),
        ("bytes", "bytes"),
        ("array", "uint256[]"),
        ("let the fuzzer choose", "uint256"),
    ],
)
def test_every_documented_way_to_write_an_argument_is_understood(row, kind):
    parameter = {"name": "a", "type": kind}
    check_written(row, parameter)


def test_every_documented_way_to_write_a_struct_is_understood():
    members = [{"name": "x", "type": "uint8"}, {"name": "y", "type": "uint8[]"}]
    check_written("struct", {"name": "a", "type": "tuple", "components": members})


def check_written(row, parameter):
    rows = {r[0]: r[1] for r in page("docs/tools.md").section("Calls").rows("argument")}
    entry = {"type": "function", "name": "f", "inputs": [parameter], "outputs": []}
    texts = re.findall(r"`([^`]+)`", rows[row])
    assert texts
    for text in texts:
        assert parse_call(f"f({text})", functions_of([entry])).arguments


# ---------------------------------------------------------------------- plugins


def test_exactly_the_hooks_that_exist_are_documented():
    rows = page("docs/plugins.md").section("Hooks").rows("hook")
    assert [code(row[0]) for row in rows] == [
        name for name in vars(Hooks) if not name.startswith("_")
    ]


def test_the_entry_points_shown_are_those_of_the_example():
    (shown,) = map(tomllib.loads, page("docs/plugins.md").blocks("toml"))
    text = (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")
    real = tomllib.loads(text)["project"]
    assert shown["project"].items() <= real.items()


def test_the_members_of_a_contract_document_are_those_of_its_schema():
    text = (ROOT / "contracts" / "schema" / "tool.schema.json").read_text("utf-8")
    rows = page("docs/plugins.md").section("A tool in five steps").rows("member")
    shown = {name for row in rows for name in re.findall(r"`(\w+)`", row[0])}
    assert shown == set(json.loads(text)["properties"]) - {"$schema"}


def test_the_items_of_a_plugin_set_mean_what_the_page_says():
    installed = ["http", "mine"]
    default = select("default", installed)
    rows = page("docs/plugins.md").section("Plugin sets").rows("item")
    words = [*SETS, "all", "none", "NAME", "-NAME"]
    assert sorted(code(row[0]) for row in rows) == sorted(words)
    assert select("all", installed) == set(installed)
    assert select("default,none,mine", installed) == {"mine"}
    assert select("default,mine", installed) == default | {"mine"}
    assert select("-http", installed) == default - {"http"}


def test_the_folders_that_architecture_names_exist():
    document = page("docs/architecture.md")
    rows = document.section("Layers").rows("folder of `core/echidna_mcp/`")
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row[0])}
    core = ROOT / "core" / "echidna_mcp"
    folders = {p.name for p in core.iterdir() if (p / "__init__.py").exists()}
    assert named == folders - {"demo"}


GUIDE = [page_ for page_ in PAGES if page_.path.parent.name == "contributing"]


@pytest.mark.parametrize("page_", GUIDE, ids=lambda p: p.name)
def test_the_files_and_names_of_the_contributors_guide_exist(page_):
    text = re.sub(r"\s+", " ", page_.text)
    paths = re.findall(r"`((?:core|plugins|tests|contracts)/[\w./-]+)`", text)
    assert paths
    for path in paths:
        if "NAME" not in path:
            assert (ROOT / path).exists(), path
    pairs = re.findall(
        r"((?:`\w+`(?:, | and )?)+) (?:of|in) `((?:core|plugins|tests)/[\w./]+\.py)`",
        text,
    )
    for names, path in pairs:
        code_ = (ROOT / path).read_text("utf-8")
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"\b{name}\b", code_), f"{name} is not in {path}"


def test_the_guide_has_a_page_for_each_thing_that_is_added():
    assert {page_.path.stem for page_ in GUIDE} == {
        *("README", "opcode", "tool", "mutator"),
        *("event", "configuration-key", "compiler", "project-kind"),
    }
