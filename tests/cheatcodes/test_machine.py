"""What a campaign tells its cheatcodes of the machine, and what it does not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.evm.outside import Reply, Request, RequestKind
from echidna_mcp.outside import programs
from echidna_mcp.outside.files import MOST_FILE
from echidna_mcp.outside.machine import Machine

EVERYTHING = CampaignConfig(allow_ffi=True)
PATH = os.environ.get("PATH", "").encode()


def ask(
    root: Path,
    kind: RequestKind,
    *arguments: str,
    config: CampaignConfig = EVERYTHING,
    **environment: bytes,
) -> Reply:
    """Ask a machine with these variables, and PATH."""
    variables = {name.encode(): value for name, value in environment.items()}
    machine = Machine(root, config, {b"PATH": PATH, **variables})
    return machine(Request(kind=kind, arguments=arguments))


def permitted(*permissions: tuple[str, str]) -> CampaignConfig:
    return CampaignConfig(fs_permissions=permissions)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with files; one lies beside it."""
    project = tmp_path / "project"
    (project / "data" / "secret").mkdir(parents=True)
    (project / "data" / "a.txt").write_text("a")
    (project / "data" / "secret" / "b.txt").write_text("b")
    (project / "foundry.toml").write_text("")
    (tmp_path / "beside.txt").write_text("beside")
    return Path(os.path.realpath(project))


# ----------------------------------------------------------------------- variables


def test_a_variable_of_the_process_stands_before_that_of_the_project(root: Path):
    (root / ".env").write_text("A=file\nB=${A}+file\n")
    assert ask(root, "variable", "A", A=b"process") == Reply(values=(b"process",))
    assert ask(root, "variable", "B", A=b"process").values == (b"process+file",)
    assert ask(root, "variable", "A").values == (b"file",)
    assert ask(root, "variable", "C") == Reply()


def test_variables_are_read_from_no_file_outside_of_the_project(root: Path):
    (root.parent / "beside.env").write_text("A=beside\n")
    (root / ".env").symlink_to("../beside.env")
    assert ask(root, "variable", "A") == Reply()


def test_variables_of_ours_are_nobodys_business(root: Path):
    key = "CIRCULAR_CEP_MAINNET_PRIVATE_KEY"
    secret = {"ECHIDNA_MCP_TOKEN": b"secret", key: b"secret"}
    (root / ".env").write_text(f"{key}=secret\n")
    assert ask(root, "variable", "ECHIDNA_MCP_TOKEN", **secret) == Reply()
    assert ask(root, "variable", key, **secret) == Reply()
    told = ask(root, "program", "env", **secret)
    assert b"PATH=" in told.values[1]
    assert b"secret" not in told.values[1]


def test_a_variable_that_is_no_text_is_an_error(root: Path):
    assert ask(root, "variable", "A", A=b"a\xff\xc3\xa9").error == (
        'environment variable "A" was not valid unicode: "a\\xFFé"'
    )


# ----------------------------------------------------------------------- permissions


def test_a_project_permits_paths_and_the_longest_one_decides(root: Path):
    config = permitted(("read", "./data"), ("none", "data/secret"))
    assert ask(root, "file", "data/a.txt", config=config).values[1] == b"a"
    for path in ("data/secret/b.txt", "data/../foundry.toml"):
        reply = ask(root, "file", path, config=config)
        shown = path.replace("data/../", "")
        assert reply.values == ()
        assert reply.error == (
            f"the path {shown} is not allowed to be accessed for read operations"
        )
        assert reply.refusal == (
            f"reads {shown}, which fs_permissions of foundry.toml do not let tests "
            "read; add it there."
        )


@pytest.mark.parametrize("access", ["write", "none"])
def test_other_permissions_are_none_to_read(root: Path, access: str):
    config = permitted((access, "data"))
    assert ask(root, "file", "data/a.txt", config=config).refusal


def test_where_nothing_is_permitted_the_user_may(root: Path):
    assert ask(root, "file", "data/secret/b.txt").values[1] == b"b"
    assert ask(root, "file", "data/a.txt", config=CampaignConfig()).refusal == (
        "reads data/a.txt; if tests may read the project, give --allow-ffi."
    )
    stated = CampaignConfig(allow_ffi=True, fs_permissions=(("read", "data"),))
    assert ask(root, "file", "foundry.toml", config=stated).refusal


def test_a_project_of_foundry_that_says_nothing_permits_its_artifacts(root: Path):
    (root / "out").mkdir()
    (root / "out" / "A.json").write_text("{}")
    config = CampaignConfig(cheat_dialect="foundry")
    assert ask(root, "file", "out/A.json", config=config).values[1] == b"{}"
    assert ask(root, "file", "data/a.txt", config=config).refusal
    other = CampaignConfig(cheat_dialect="echidna")
    assert ask(root, "file", "out/A.json", config=other).refusal


@pytest.mark.parametrize("path", ["../beside.txt", "/etc/hosts", "leads", "dir/x"])
@pytest.mark.parametrize("config", [EVERYTHING, permitted(("read", "/"))])
def test_nothing_is_read_outside_of_the_project(
    root: Path, path: str, config: CampaignConfig
):
    (root / "leads").symlink_to("../beside.txt")
    (root / "dir").symlink_to("..")
    for kind in ("file", "entry", "metadata", "link"):
        reply = ask(root, kind, path, config=config)
        assert reply.values == ()
        assert "which lies outside of the project" in reply.refusal
    reply = ask(root, "directory", str(Path(path).parent), "1", "1", config=config)
    assert b"beside.txt" not in b"".join(reply.values)


def test_directories_behind_links_are_not_told_if_they_may_not_be_read(root: Path):
    (root / "data" / "up").symlink_to("../..")
    reply = ask(root, "directory", "data", "5", "1")
    assert b"a.txt" in b"".join(reply.values)
    assert b"beside.txt" not in b"".join(reply.values)


def test_a_link_within_the_project_is_followed(root: Path):
    (root / "here").symlink_to("data/a.txt")
    assert ask(root, "file", "here").values == (
        str(root / "data" / "a.txt").encode(),
        b"a",
    )
    (root / "dead").symlink_to("nowhere")
    assert ask(root, "entry", "dead").values == (str(root / "dead").encode(),)
    assert ask(root, "link", "dead").values == (b"nowhere",)


def test_what_is_no_ordinary_file_is_not_waited_for(root: Path):
    os.mkfifo(root / "pipe")
    assert "no ordinary file" in ask(root, "file", "pipe").refusal


def test_a_file_that_is_too_large_is_refused(root: Path):
    with (root / "large").open("wb") as file:
        file.truncate(MOST_FILE + 1)
    assert "more than 4 MiB" in ask(root, "file", "large").refusal


def test_odd_paths_are_errors(root: Path):
    for path in ("a\0b", "a" * 5000, "data/a.txt/b"):
        reply = ask(root, "file", path)
        assert reply.error, path
        assert reply.values == ()


# ------------------------------------------------------------------------- programs


def test_programs_run_only_if_the_user_says_so(root: Path):
    reply = ask(root, "program", "touch", "made", config=permitted(("read", ".")))
    assert reply.refusal
    assert not (root / "made").exists()


def test_a_program_runs_in_the_project_without_a_shell(root: Path):
    reply = ask(root, "program", "printf", "%s|", "a b", "$PATH", ";touch made")
    assert reply.values == (b"0", b"a b|$PATH|;touch made|", b"")
    assert not (root / "made").exists()
    assert ask(root, "program", "pwd").values[1] == f"{root}\n".encode()


def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(programs, "MOST_SECONDS", 0.5)
    script = "sleep 1000 & echo $! > pid; wait"
    assert "takes more than" in ask(root, "program", "sh", "-c", script).refusal
    number = int((root / "pid").read_text())
    for _ in range(600):
        state = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(number)],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
        if not state or state.startswith("Z"):
            return
        time.sleep(0.1)
    pytest.fail("the program's child is still there")


def test_a_program_that_prints_without_end_is_ended(root: Path):
    assert "prints more than 4 MiB" in ask(root, "program", "yes").refusal


def test_both_outputs_may_be_long(root: Path):
    script = "import sys; sys.stderr.write('e' * 200000); print('o' * 200000)"
    code, output, errors = ask(root, "program", sys.executable, "-c", script).values
    assert (code, len(output), len(errors)) == (b"0", 200001, 200000)
