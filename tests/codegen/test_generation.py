"""Generated files are a function of the documents, and committed up to date."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from echidna_mcp.contracts.bundle import meta_schemas
from echidna_mcp.errors import ContractDocumentError, UsageError
from echidna_mcp_codegen.__main__ import main
from echidna_mcp_codegen.generate import generate
from echidna_mcp_codegen.lowering import lower
from echidna_mcp_plugins.dialects.echidna import echidna_dialect

ROOT = Path(__file__).parents[2]
CONTRACTS = ROOT / "contracts"
GENERATED = ROOT / "core" / "echidna_mcp" / "_generated"
PACKAGE = "echidna_mcp._generated"
PAYLOADS = ROOT / "core" / "echidna_mcp" / "events" / "payloads.py"
DIALECT = echidna_dialect(meta_schemas()["tool"])


@pytest.fixture(scope="module")
def files():
    return named(generate(CONTRACTS, PACKAGE, GENERATED, PAYLOADS, DIALECT))


def named(files):
    """Return generated files by name instead of path."""
    return {path.name: text for path, text in files.items()}


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A copy of the documents and of the generated package, as in the repository."""
    shutil.copytree(CONTRACTS, tmp_path / "contracts")
    shutil.copytree(
        GENERATED,
        tmp_path / "core" / "echidna_mcp" / "_generated",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    payloads = tmp_path / PAYLOADS.relative_to(ROOT)
    payloads.parent.mkdir()
    shutil.copy(PAYLOADS, payloads)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def change_read_logs(directory):
    path = directory / "contracts" / "read_logs.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"workerId"', '"worker"'),
        encoding="utf-8",
    )


def test_the_committed_files_fit_the_documents(files):
    committed = {
        path.name: path.read_text(encoding="utf-8")
        for path in [*GENERATED.iterdir(), PAYLOADS]
        if path.suffix in {".py", ".json"}
    }
    assert committed == files, "run: python -m echidna_mcp_codegen"


@pytest.mark.parametrize("seed", ["0", "77"])
def test_files_are_the_same_bytes_in_any_process(files, tmp_path, seed):
    subprocess.run(
        [
            *(sys.executable, "-m", "echidna_mcp_codegen"),
            *("--contracts", str(CONTRACTS), "--output", str(tmp_path / "out")),
            *("--events", str(tmp_path / "out" / PAYLOADS.name)),
        ],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    written = {
        path.name: path.read_bytes().decode() for path in (tmp_path / "out").iterdir()
    }
    assert written == files


def test_nothing_local_is_in_the_files(files):
    for text in files.values():
        assert str(ROOT) not in text


def test_check_is_silent_when_all_is_up_to_date(workspace, capsys):
    assert main(["--check"]) == 0
    assert capsys.readouterr() == ("", "")


def test_check_shows_the_difference_and_the_command_that_repairs(workspace, capsys):
    change_read_logs(workspace)
    before = (GENERATED / "inputs.py").read_text(encoding="utf-8")
    assert main(["--check"]) == 1
    shown = capsys.readouterr()
    assert "-    worker_id: int | None = None" in shown.out
    assert "+    worker: int | None = None" in shown.out
    assert "run: python -m echidna_mcp_codegen\n" in shown.err
    inputs = workspace / "core" / "echidna_mcp" / "_generated" / "inputs.py"
    assert inputs.read_text(encoding="utf-8") == before
    assert main([]) == 0
    assert main(["--check"]) == 0


def test_the_repairing_command_repeats_the_options(workspace, capsys):
    options = [
        "--contracts",
        "contracts",
        "--output",
        "my stubs",
        "--package",
        "hi.gen",
    ]
    assert main([*options, "--check"]) == 1
    assert (
        "run: python -m echidna_mcp_codegen --output 'my stubs' --package hi.gen\n"
        in capsys.readouterr().err
    )


def test_modules_that_no_document_asks_for_are_reported_and_removed(workspace, capsys):
    output = workspace / "core" / "echidna_mcp" / "_generated"
    (output / "own.py").write_text('"""Written by hand."""\n', encoding="utf-8")
    shutil.rmtree(workspace / "contracts" / "events")
    assert main(["--check"]) == 1
    assert "-class CoverageIncreased(TypedDict):" in capsys.readouterr().out
    assert main([]) == 0
    assert not (workspace / PAYLOADS.relative_to(ROOT)).exists()
    assert (output / "own.py").exists()


def test_a_wrong_document_is_one_sentence_and_exit_2(workspace, capsys):
    path = workspace / "contracts" / "read_logs.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["inputSchema"]["properties"]["count"]["type"] = "int"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert main([]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "contracts/read_logs.json: /inputSchema/properties/count" in message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--contracts", "nowhere"], "nowhere: no such directory"),
        (["--contracts", "core"], "core: holds no contract document"),
        (["--package", "not a name"], "'not a name' is no dotted package name"),
    ],
)
def test_wrong_options_are_one_sentence_and_exit_2(workspace, capsys, arguments, words):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_a_file_is_named_after_its_tool(workspace):
    path = workspace / "contracts" / "read_logs.json"
    path.rename(path.with_name("logs.json"))
    with pytest.raises(ContractDocumentError, match=r"call the file read_logs\.json"):
        generate(workspace / "contracts", PACKAGE, GENERATED, PAYLOADS, DIALECT)


def test_an_unknown_shared_definition_is_named(workspace):
    path = workspace / "contracts" / "events" / "corpus_extended.json"
    text = path.read_text(encoding="utf-8").replace("/ExecutedCall", "/DeadCall")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ContractDocumentError, match="no shared definition 'DeadCall'"):
        generate(workspace / "contracts", PACKAGE, GENERATED, PAYLOADS, DIALECT)


def test_a_missing_generator_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "datamodel_code_generator", None)
    with pytest.raises(UsageError, match=r"pip install 'echidna-mcp\[codegen\]'"):
        generate(CONTRACTS, PACKAGE, GENERATED, PAYLOADS, DIALECT)


def test_an_any_of_of_bare_required_lists_does_not_split_a_type(files):
    assert files["inputs.py"].count("class FindTransactionInput") == 1
    assert "FindTransactionInput1" not in files["inputs.py"]


def test_two_types_of_one_name_are_refused():
    schemas = [
        (
            "a",
            {"type": "object", "title": "Same", "properties": {"x": {"type": "null"}}},
        ),
        ("b", {"type": "object", "title": "Same", "properties": {}}),
    ]
    with pytest.raises(ContractDocumentError, match="b: another type is called 'Same'"):
        lower(schemas, python_names=False)


def test_two_properties_of_one_field_are_refused():
    properties = {"fooBar": {"type": "string"}, "foo_bar": {"type": "string"}}
    schemas = [("a", {"type": "object", "title": "A", "properties": properties})]
    with pytest.raises(ContractDocumentError, match="fooBar, foo_bar become the same"):
        lower(schemas, python_names=True)
