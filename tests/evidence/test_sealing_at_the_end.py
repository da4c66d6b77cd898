"""`--seal` at the end of a campaign: beside the result, which it never changes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys

import pytest
from evidence_stores import (
    FALSIFIED,
    QUICK,
    evidence_files,
    kinds,
    recorded,
    store_of,
    with_another_finding,
)
from live_server import STOP_SECONDS, command, run_cli

from echidna_mcp.cli.commands.sealing import sealed_at_the_end
from echidna_mcp.cli.request.evidence import SealWishes
from echidna_mcp.evidence.checking import check_evidence

KEY = {"CIRCULAR_CEP_TESTNET_PRIVATE_KEY": "11" * 32}
SEALED = " up to event "


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    return recorded(tmp_path_factory.mktemp("recorded") / "campaign")


def ending(places, how):
    """End campaigns in a way, as a command does that has told their result."""
    with sealed_at_the_end(SealWishes()) as ended:
        ended.extend(places)
        raise how


def test_the_result_is_told_before_anything_is_sealed(tmp_path):
    campaign = tmp_path / "campaign"
    done = subprocess.run(
        command("run", *QUICK, "--corpus-dir", campaign, "--seal", "campaign"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.index("Campaign: ") < done.stdout.index(SEALED)
    assert done.stdout.index(f"{FALSIFIED}") < done.stdout.index(SEALED)


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_it_is_certified_ends_that_and_nothing_else(
    tmp_path, number
):
    campaign = tmp_path / "campaign"
    words = ("--corpus-dir", campaign, "--seal", "findings", "--certify")
    # A network that is connected to, and never answers.
    with socket.create_server(("127.0.0.1", 0)) as server:
        discovery = f"http://127.0.0.1:{server.getsockname()[1]}/getNAG"
        running = subprocess.Popen(
            command("run", *QUICK, *words, "--data-dir", tmp_path / "data"),
            env={**os.environ, **KEY, "CIRCULAR_CEP_NAG_DISCOVERY_URL": discovery},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        server.settimeout(STOP_SECONDS)
        with server.accept()[0]:
            running.send_signal(number)
            out, err = running.communicate(timeout=STOP_SECONDS)
    assert running.returncode == 1
    assert FALSIFIED in out
    again = f"echidna-mcp seal {campaign} --findings --certify --data-dir "
    assert f"Warning: not all is sealed or certified: interrupted; `{again}" in err
    assert "Traceback" not in err
    assert kinds(campaign) == ["EvidenceSealed"]
    [path] = evidence_files(campaign)
    assert run_cli("verify", path).returncode == 0


def test_evidence_that_can_not_be_written_is_a_warning(tmp_path):
    campaign = tmp_path / "campaign"
    campaign.mkdir()
    (campaign / "evidence").write_text("something else", "utf-8")
    done = run_cli("run", *QUICK, "--corpus-dir", campaign, "--seal", "campaign")
    assert done.returncode == 1
    assert "Warning: not all is sealed or certified: The evidence " in done.stderr
    assert "can't be written: File exists. It is sealed in the store" in done.stderr
    done = run_cli("seal", campaign)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: The evidence ")
    (campaign / "evidence").unlink()
    assert run_cli("seal", campaign).returncode == 0
    assert kinds(campaign) == ["EvidenceSealed"]


@pytest.mark.parametrize("code", [0, 1, 4])
def test_all_campaigns_of_a_suite_are_sealed_and_the_exit_code_stays(
    events, tmp_path, code
):
    places = [tmp_path / name for name in "ab"]
    for place in places:
        store_of(place, events).close()
    with pytest.raises(SystemExit) as left:
        ending(places, SystemExit(code))
    assert left.value.code == code
    for place in places:
        assert kinds(place) == ["EvidenceSealed"]
        [path] = evidence_files(place)
        assert check_evidence(path, place)


def test_a_store_that_can_not_be_sealed_leaves_the_others(events, tmp_path, capsys):
    store_of(tmp_path / "there", events).close()
    with sealed_at_the_end(SealWishes()) as ended:
        ended.extend([tmp_path / "missing", tmp_path / "there"])
    assert "Warning: not all is sealed or certified: There is no campaign in" in (
        capsys.readouterr().err
    )
    assert kinds(tmp_path / "there") == ["EvidenceSealed"]


def test_who_quits_at_once_waits_for_no_sealing(events, tmp_path):
    store_of(tmp_path, events).close()
    with pytest.raises(KeyboardInterrupt):
        ending([tmp_path], KeyboardInterrupt())
    assert kinds(tmp_path) == []


def test_what_can_not_be_certified_has_a_file_and_the_command_that_certifies_it(
    events, tmp_path
):
    name = "echidna_isn't"
    store_of(tmp_path, with_another_finding(events, name)).close()
    done = subprocess.run(
        command("seal", tmp_path, "--findings", "--certify", "--data-dir", tmp_path),
        env={
            **os.environ,
            **KEY,
            "CIRCULAR_CEP_NAG_DISCOVERY_URL": "http://127.0.0.1:9/getNAG",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    options = f"--certify --data-dir {tmp_path}"
    for word in (FALSIFIED, "'echidna_isn'\"'\"'t'"):
        again = f"echidna-mcp seal {tmp_path} --finding {word} {options}"
        assert f"The evidence is sealed; `{again}` certifies it." in done.stderr
    assert kinds(tmp_path) == ["EvidenceSealed"] * 2 + ["CertificationFailed"] * 2
    paths = evidence_files(tmp_path)
    assert len(paths) == 2
    for path in paths:
        assert check_evidence(path, tmp_path).certified is None
