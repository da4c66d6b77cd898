"""What Echidna's documented options mean to the command: flags, input and output.

What they decide of a campaign is in `tests/backends/test_documented_options.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from command_line import Outcome, invoke
from documented import SHOWN_BY_THE_COMMAND
from solc import require_solc

from echidna_mcp.cli.main import cli
from echidna_mcp.cli.request.campaign import read_settings
from echidna_mcp.config.projects.loader import LoadedConfig

FLAGS: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "--workers": (("3",), "workers: 3"),
    "--contract": (("Vault",), "contract: Vault"),
    "--format": (("json",), "format: json"),
    "--corpus-dir": (("kept",), "corpusDir: kept"),
    "--coverage-dir": (("shown",), "coverageDir: shown"),
    "--test-mode": (("overflow",), "testMode: overflow"),
    "--all-contracts": ((), "allContracts: true"),
    "--timeout": (("9",), "timeout: 9"),
    "--test-limit": (("9",), "testLimit: 9"),
    "--shrink-limit": (("9",), "shrinkLimit: 9"),
    "--seq-len": (("9",), "seqLen: 9"),
    "--seed": (("9",), "seed: 9"),
    "--contract-addr": (("0x1234",), 'contractAddr: "0x1234"'),
    "--deployer": (("0x1234",), 'deployer: "0x1234"'),
    "--sender": (("0x2", "--sender", "0x3"), 'sender: ["0x2", "0x3"]'),
    "--crytic-args": (
        ("--compile-libraries=(A,0x1234) --foundry-compile-all",),
        "cryticArgs: ['--compile-libraries=(A,0x1234)', --foundry-compile-all]",
    ),
    "--solc-args": (("--via-ir --optimize",), "solcArgs: --via-ir --optimize"),
}
"""Flags of Echidna: what is written behind one, and the key that means the same."""

OTHER_FLAGS: Final[Mapping[str, str]] = {
    "--config": "names the file",
    "--disable-slither": "changes nothing",
    "--help": "shows the flags",
}
"""Flags that are there and no key means."""

LEFT_OUT: Final[Mapping[str, str]] = {
    "--version": "is one of echidna-mcp, not of a command",
    "--server": "events are not served; --mcp-port serves MCP",
    "--rpc-url": "no campaign begins on a live chain yet",
    "--rpc-block": "the same",
    "--disable-onchain-sources": "the same",
    "--sym-exec": "there is no symbolic execution",
    "--sym-exec-target": "the same",
    "--sym-exec-timeout": "the same",
    "--sym-exec-n-solvers": "the same",
}
"""Flags of Echidna that `run` does not have, and why."""


ECHIDNAS: Final = frozenset(
    (
        *("--workers", "--server", "--contract", "--config", "--format"),
        *("--corpus-dir", "--coverage-dir", "--test-mode", "--all-contracts"),
        *("--timeout", "--test-limit", "--shrink-limit", "--seq-len", "--seed"),
        *("--rpc-url", "--rpc-block", "--contract-addr", "--deployer", "--sender"),
        *("--disable-slither", "--crytic-args", "--solc-args", "--sym-exec"),
        *("--sym-exec-target", "--sym-exec-timeout", "--sym-exec-n-solvers"),
        *("--disable-onchain-sources", "--version", "--help"),
    )
)
"""Every flag of Echidna 2.3.3 (its module `Main`)."""


def loaded(words: tuple[str, ...]) -> LoadedConfig:
    """Return the configuration that `run` reads."""
    with cli.commands["run"].make_context("run", ["T.sol", *words]) as context:
        return read_settings(context.params).loaded


def test_every_flag_of_echidna_is_there_or_left_out_for_a_reason() -> None:
    assert {*FLAGS, *OTHER_FLAGS, *LEFT_OUT} == ECHIDNAS
    told = set(invoke("run", "--help").out.replace(",", " ").split())
    assert told & ECHIDNAS == {*FLAGS, *OTHER_FLAGS}
    for flag in LEFT_OUT:
        assert f"No such option '{flag}'" in invoke("run", "T.sol", flag, "1").refusal()
    assert invoke("--version").out.startswith("echidna-mcp, version ")


@pytest.mark.parametrize("flag", FLAGS)
def test_a_flag_means_what_its_key_means_and_is_stronger(flag: str, here: Path) -> None:
    words, text = FLAGS[flag]
    Path("same.yaml").write_text(text, "utf-8")
    Path("other.yaml").write_text("prefix: echidna_\n", "utf-8")
    asked = loaded((flag, *words))
    assert asked == loaded(("--config", "same.yaml"))
    assert asked != loaded(())
    key = text.partition(":")[0]
    others = {"sender": '["0x77"]', "testMode": "assertion", "allContracts": "false"}
    if key in others:
        Path("other.yaml").write_text(f"{key}: {others[key]}\n", "utf-8")
        assert loaded(("--config", "other.yaml", flag, *words)) == asked


def test_slither_may_be_disabled(here: Path) -> None:
    assert loaded(("--disable-slither",)) == loaded(())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("--sender", "me"),
            "--sender must be a list of one or more addresses, not [`me`].",
        ),
        (("--deployer", "me"), "--deployer must be an address, 0x and up to 40 hex"),
        (("--contract-addr", "0x1"), "--contract-addr must be an address that no pre"),
        (("--crytic-args", "--compile-libraries=A"), "--crytic-args must be `--compil"),
        (("--crytic-args", "--nothing"), "--crytic-args holds '--nothing', which"),
    ],
)
def test_what_a_flag_can_not_be_is_refused(here, words, told) -> None:
    assert told in invoke("run", *words).refusal()


SOURCE: Final = """
import "./parts/Part.sol";
contract C is Part {
    bool found;
    function guess(uint64 n) external { if (n == 0x1122334455667788) found = true; }
    function echidna_hidden() external view returns (bool) { return !found; }
    function echidna_true() external pure returns (bool) { return true; }
}
"""
BASE: Final = {
    "seed": 7,
    "workers": 2,
    "roundBudget": 20_000,
    "testLimit": 200,
    "climbing": False,
    "dictFreq": 0,
    "allEvents": True,
}
SEED: Final = {
    "call": {
        "contents": [
            "guess",
            [{"contents": [64, str(0x1122334455667788)], "tag": "AbiUInt"}],
        ],
        "tag": "SolCall",
    },
    "delay": [f"0x{0:064x}"] * 2,
    "dst": "0x00a329c0648769A73afAc7F9381E08FB43dBEA72",
    "gas": 12_500_000,
    "gasprice": f"0x{0:064x}",
    "src": "0x0000000000000000000000000000000000010000",
    "value": f"0x{0:064x}",
}
"""A call as Echidna's corpus has it; nothing else finds it."""


def ran(**settings: Any) -> Outcome:
    """Run a campaign of the project with a file of these settings."""
    file = Path("settings.yaml")
    file.write_text(json.dumps(BASE | settings), "utf-8")
    return invoke("run", "C.sol", "--contract", "C", "--config", file)


def campaign_of(done: Outcome) -> Path:
    """Return the directory in which a campaign lies."""
    (line,) = [x for x in done.err.splitlines() if x.startswith("Campaign: ")]
    return Path(line.removeprefix("Campaign: "))


def named(directory: Path) -> set[str]:
    """Return the names of the coverage files in a directory."""
    return {path.name for path in directory.glob("covered.*")}


def check_format() -> None:
    text, machine, none = (ran(format=each) for each in ("text", "json", "none"))
    assert [each.code for each in (text, machine, none)] == [0, 0, 0]
    assert "echidna_true: passing" in text.out
    told = json.loads(machine.out)
    assert {test["status"] for test in told["tests"]} == {"passing"}
    assert "[campaign]" in text.err
    assert none.out == ""
    for done in (machine, none):
        # Echidna prints progress even then, and no warnings.
        assert "[campaign]" not in done.err
        assert "Warning: settings.yaml, line 1: `allEvents`" in done.err


def check_quiet() -> None:
    loud, quiet = ran(), ran(quiet=True)
    assert "Warning: settings.yaml, line 1: `allEvents` is not supported" in loud.err
    assert "Warning" not in quiet.err
    # The result is as complete as ever.
    for done in (loud, quiet):
        assert "echidna_true: passing" in done.out
        assert "Not honoured: settings.yaml, line 1: `allEvents`" in done.out


def check_timeout() -> None:
    done = ran(testLimit=10**12, timeout=1, format="json")
    told = json.loads(done.out)
    assert told["reason"] == "TimeLimitReached"
    assert 0 < told["calls"] < 10**12


def check_corpus_dir() -> None:
    folder = Path("corpus", "reproducers")
    folder.mkdir(parents=True)
    (folder / "1.txt").write_text(json.dumps([SEED]), "utf-8")
    without, with_it = ran(), ran(corpusDir="corpus")
    assert (without.code, with_it.code) == (0, 1)
    assert "echidna_hidden: failed!" in with_it.out
    assert campaign_of(with_it).parent == Path("corpus")
    # What was found is there for Echidna to read.
    assert len(list(folder.iterdir())) == 2
    assert list(Path("corpus", "coverage").iterdir())


def check_coverage_dir() -> None:
    without = ran(coverageExcludes=[])
    assert named(campaign_of(without)) == {
        "covered.txt",
        "covered.html",
        "covered.lcov",
    }
    done = ran(coverageDir="shown")
    assert named(Path("shown")) == {"covered.txt", "covered.html", "covered.lcov"}
    assert named(campaign_of(done)) == set()


def check_coverage_formats() -> None:
    ran(coverageDir="shown", coverageFormats=["lcov"])
    assert named(Path("shown")) == {"covered.lcov"}
    # Another name of Echidna's for txt.
    ran(coverageDir="again", coverageFormats=["text"])
    assert named(Path("again")) == {"covered.txt"}


def check_coverage_excludes() -> None:
    ran(coverageDir="all")
    ran(coverageDir="some", coverageExcludes=["parts/*"])
    every, some = (Path(each, "covered.lcov").read_text() for each in ("all", "some"))
    assert "Part.sol" in every
    assert "Part.sol" not in some
    assert "C.sol" in some


CHECKS: Final[Mapping[str, Callable[[], None]]] = {
    "format": check_format,
    "quiet": check_quiet,
    "timeout": check_timeout,
    "corpusDir": check_corpus_dir,
    "coverageDir": check_coverage_dir,
    "coverageFormats": check_coverage_formats,
    "coverageExcludes": check_coverage_excludes,
}


@pytest.mark.solc
@pytest.mark.parametrize("key", sorted(SHOWN_BY_THE_COMMAND))
def test_a_key_about_input_and_output_does_what_it_is_said_to(here, key) -> None:
    require_solc()
    Path("C.sol").write_text(SOURCE, "utf-8")
    Path("parts").mkdir()
    Path("parts", "Part.sol").write_text(
        "contract Part { uint8 kept; function set(uint8 n) external { kept = n; } }"
    )
    CHECKS[key]()
