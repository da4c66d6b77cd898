"""`echidna-mcp contracts`: a linter for authors of tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from live_server import run_cli

ROOT = Path(__file__).parents[2]
OURS = json.loads((ROOT / "contracts" / "get_corpus_size.json").read_text("utf-8"))
EDITOR = {
    "id": "project.size",
    "name": "Project Size",
    "description": "Tells how large the project is.",
    "category": "project",
    "safetyLevel": "read-only",
    "tier": "core",
    "inputs": {},
    "outputs": {"bytes": {"type": "integer", "description": "All files together"}},
}


def write(directory: Path, name: str, document: object) -> Path:
    path = directory / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps(document), "utf-8")
    return path


def check(*words: object):
    return run_cli("contracts", "check", *words)


def test_our_own_documents_of_all_dialects_are_without_fault():
    done = check(ROOT / "contracts", "--strict")
    assert (done.returncode, done.stderr) == (0, "")
    assert " 0 errors, 0 warnings." in done.stdout


def test_what_is_wrong_is_told_with_file_place_and_remedy(tmp_path):
    path = write(tmp_path, "size.json", EDITOR | {"tier": "gold", "name": "size"})
    done = check(tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"{path}: warning: /name: is not in title case; write 'Size'.",
        f"{path}: error: /tier: 'gold' is unknown; in v0.1 write 'core'.",
    ]
    assert done.stderr == "1 file, 1 error, 1 warning.\n"


def test_a_warning_is_an_error_only_if_asked(tmp_path):
    write(tmp_path, "size.json", EDITOR | {"name": "size"})
    assert check(tmp_path).returncode == 0
    assert check(tmp_path, "--strict").returncode == 1


def test_findings_can_be_had_as_json(tmp_path):
    path = write(tmp_path, "size.json", EDITOR | {"safetyLevel": "destructive"})
    done = check(path, "--json")
    assert done.returncode == 1
    [remark] = json.loads(done.stdout)
    assert remark.pop("message").startswith("'destructive' is reserved")
    assert remark == {
        "file": str(path),
        "pointer": "/safetyLevel",
        "severity": "error",
        "dialect": "editor",
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"id": "a.b", "id": "a.b"}', "'id' is given twice"),
        (b"\xff\xfe", "can't be read"),
        ('{"id": NaN}', "NaN is not JSON"),
        ("[1]", "must hold a JSON object"),
        ('{"colour": "red"}', "in no known dialect"),
        ("[" * 100_000, "can't be read"),
    ],
)
def test_a_file_that_is_no_document_is_told(tmp_path, text, words):
    path = tmp_path / "x.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    done = check(path)
    assert done.returncode == 1
    assert words in done.stdout
    assert "Traceback" not in done.stderr


def test_other_json_files_of_a_directory_are_counted_not_checked(tmp_path):
    write(tmp_path, "size.json", EDITOR)
    write(tmp_path, "package.json", {"name": "x"})
    done = check(tmp_path)
    assert done.returncode == 0
    assert "1 other JSON file not looked at: package.json." in done.stdout
    (tmp_path / "tsconfig.json").write_text('{ // a comment\n "strict": true }')
    write(tmp_path, "numbers.json", [1, 2])
    done = check(tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("1 file, 0 errors, 0 warnings. 3 other JSON files")


def test_a_document_in_a_directory_is_named_however_broken(tmp_path):
    misspelt = {"idd": "project.size", "inputss": {}, "outputs": {}}
    one = write(tmp_path, "misspelt.json", misspelt)
    two = tmp_path / "broken.json"
    two.write_text('{"id": "a.b", "inputs": {},}')
    done = check(tmp_path)
    assert done.returncode == 1
    told = done.stdout.splitlines()
    assert told[0].startswith(f"{two}: error: document: can't be read")
    assert told[1].startswith(f"{one}: error: document: is in no known dialect")


@pytest.mark.parametrize("name", ["schema", "events"])
def test_what_is_above_a_directory_does_not_matter(tmp_path, name):
    write(tmp_path / name, "size.json", EDITOR)
    assert check(tmp_path / name, "--strict").returncode == 0


def test_an_alias_that_another_tool_has_as_a_name_is_told(tmp_path):
    document = EDITOR | {"id": "project.size", "category": "project"}
    write(tmp_path, "size.json", document | {"id": "project.info"})
    done = check(tmp_path, "--plugins", "editor")
    assert "is also a tool of an enabled plugin" in done.stdout
    write(tmp_path, "size.json", EDITOR | {"id": "read.logs", "category": "project"})
    done = check(tmp_path)
    assert done.returncode == 1
    assert "is also a tool of an enabled plugin ('Read logs')" in done.stdout


def test_a_locked_document_with_an_error_is_not_gone(tmp_path):
    write(tmp_path, "size.json", EDITOR)
    assert run_cli("contracts", "lock", tmp_path, "--version", "1").returncode == 0
    write(tmp_path, "size.json", EDITOR | {"tier": "gold"})
    done = check(tmp_path)
    assert "has changed since version 1" in done.stdout
    assert "is gone" not in done.stdout


@pytest.mark.parametrize("name", [".", "absent"])
def test_where_there_is_nothing_to_check_a_sentence_says_so(tmp_path, name):
    done = check(tmp_path / name)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")


def test_two_documents_of_one_name_are_told_in_any_dialect(tmp_path):
    write(tmp_path, "a/size.json", EDITOR)
    second = write(tmp_path, "b/size.json", EDITOR)
    done = check(tmp_path)
    assert done.returncode == 1
    assert f"{second}: error: document: 'project.size' is already that of" in (
        done.stdout
    )


def test_a_name_that_another_tool_has_is_told(tmp_path):
    changed = OURS | {"description": "Another tool of that name."}
    write(tmp_path, "get_corpus_size.json", changed)
    done = check(tmp_path)
    assert done.returncode == 1
    assert "'get_corpus_size' is also a tool of an enabled plugin" in done.stdout
    assert check(tmp_path, "--plugins", "none").returncode == 0


def test_a_definition_that_changes_without_a_new_version_is_told(tmp_path):
    project = "[project]\nname = 'x'\nversion = '1.2.0'\n"
    (tmp_path / "pyproject.toml").write_text(project)
    contracts = tmp_path / "contracts"
    write(contracts, "size.json", EDITOR)
    write(contracts, "info.json", EDITOR | {"id": "project.info"})
    done = run_cli("contracts", "lock", contracts)
    assert done.returncode == 0
    assert "2 tools, 1.2.0" in done.stdout
    assert check(contracts, "--strict").returncode == 0

    write(contracts, "size.json", EDITOR | {"notes": "In bytes."})
    (contracts / "info.json").unlink()
    done = check(contracts)
    assert done.returncode == 0
    lock = contracts / "contracts.lock"
    remedy = "give the package a new version and run `contracts lock`."
    assert done.stdout.splitlines() == [
        f"{lock}: warning: document: {what} since version 1.2.0; {remedy}"
        for what in ("'project.info' is gone or renamed", "'project.size' has changed")
    ]
    assert check(contracts, "--strict").returncode == 1
    (tmp_path / "pyproject.toml").write_text(project.replace("1.2.0", "1.3.0"))
    assert check(contracts, "--strict").returncode == 0


def test_the_layout_of_a_document_is_no_change(tmp_path):
    path = write(tmp_path, "size.json", EDITOR)
    assert run_cli("contracts", "lock", tmp_path, "--version", "1").returncode == 0
    path.write_text(json.dumps(dict(reversed(EDITOR.items())), indent=4))
    assert check(tmp_path, "--strict").returncode == 0


def test_a_lock_that_is_none_is_told(tmp_path):
    write(tmp_path, "size.json", EDITOR)
    (tmp_path / "contracts.lock").write_text("{}")
    done = check(tmp_path)
    assert done.returncode == 2
    assert "is no lock of contracts; write it again" in done.stderr


def test_nothing_is_locked_that_is_wrong_or_has_no_version(tmp_path):
    write(tmp_path, "size.json", EDITOR | {"tier": "gold"})
    for words in (("--version", "1"), ()):
        done = run_cli("contracts", "lock", tmp_path, *words)
        assert done.returncode == 2
    assert not (tmp_path / "contracts.lock").exists()
