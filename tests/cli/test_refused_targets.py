"""Targets that can't be fuzzed: one sentence, exit 2, nothing written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import (
    HOLDS,
    POKE,
    RETURN_TRUE,
    SMALL,
    artifact,
    files,
    function,
    invoke,
    parameter,
)
from evm_assembler import assemble
from live_server import run_cli
from solc import require_solc

ERROR_NO_WAY = bytes.fromhex("08c379a0") + b"".join(
    (
        (32).to_bytes(32, "big"),
        (6).to_bytes(32, "big"),
        b"no way".ljust(32, b"\0"),
    )
)


def reverting_with(data: bytes) -> bytes:
    """Return creation code that reverts with `data`."""
    size, head = len(data), 10
    code = assemble(size, "DUP1", head, 0, "CODECOPY", 0, "REVERT")
    return code.ljust(head, b"\0") + data


def refused(*arguments: object) -> str:
    """Return the sentence of a refused `run`; check that it leaves nothing behind."""
    before = files(Path.cwd())
    sentence = invoke("run", *arguments, *SMALL).refusal()
    assert files(Path.cwd()) == before
    return sentence


@pytest.mark.parametrize("name", ["nosuch.sol", "nosuch", "Good.json/inner.sol"])
def test_what_is_not_there(target, name):
    assert refused(name) == f"No such file or directory: {name}."


@pytest.mark.parametrize("content", [None, "readme.txt"])
def test_a_directory_without_contracts(here, content):
    (here / "src").mkdir()
    if content:
        (here / "src" / content).write_text("nothing to fuzz")
    assert refused("src") == "There is no .sol or .vy file in the directory src."


def test_a_text_file(here):
    (here / "notes.txt").write_text("nothing to fuzz")
    assert "notes.txt is no contract; give a .sol or .vy file" in refused("notes.txt")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"abi": [', "broken.json can't be read as JSON: "),
        ("\x00\x01", "broken.json can't be read as JSON: "),
        ("[]", "broken.json is no artifact that can be fuzzed"),
        ('{"abi": []}', "broken.json is no artifact that can be fuzzed"),
        ('{"contracts": 3}', "broken.json is no artifact that can be fuzzed"),
    ],
)
def test_a_broken_artifact(here, text, sentence):
    (here / "broken.json").write_text(text)
    assert sentence in refused("broken.json")


def test_a_name_that_is_no_text(here):
    bad = Path("bad\udcff.sol")
    bad.write_text("contract C {}")
    assert "is not UTF-8; rename the file" in invoke("run", bad, *SMALL).refusal()


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("Goood", "There is no contract 'Goood'; did you mean Good?"),
        ("Zebra", "There is no contract 'Zebra'; there are: Good."),
        ("other.sol:Good", "There is no contract 'other.sol:Good'; did you mean Good?"),
        ("", "There is no contract ''; there are: Good."),
    ],
)
def test_an_unknown_contract(target, asked, sentence):
    assert refused(target, "--contract", asked) == sentence


def test_a_contract_without_a_target(here):
    assert refused("--contract", "Good") == (
        "--contract needs a target; name the file to fuzz."
    )


def test_nothing_that_can_be_deployed(here):
    artifact(here / "Shape.json", creation=b"")
    assert refused("Shape.json") == (
        "'Shape.json:Shape' can't be deployed: it is an interface, an abstract "
        "contract or a library."
    )


@pytest.mark.parametrize(
    ("creation", "why"),
    [
        (reverting_with(ERROR_NO_WAY), 'it reverted (Error("no way"))'),
        (reverting_with(b""), "it reverted (no reason given)"),
        (
            reverting_with(bytes.fromhex("4e487b71") + (1).to_bytes(32, "big")),
            "it reverted (Panic(0x01): assertion failed)",
        ),
        (assemble("INVALID"), "it ended with INVALID_OPCODE"),
        (assemble("POP"), "it ended with HALT"),
        # A memory that costs more than all the gas there is.
        (assemble(0, 1 << 40, "MSTORE"), "it ended with OUT_OF_GAS"),
    ],
)
def test_a_constructor_that_fails(here, creation, why):
    artifact(here / "C.json", creation=creation)
    assert refused("C.json") == (
        f"The constructor of C failed: {why}. It runs as 0x30000 with 0 wei "
        "(deployer, balanceContract)."
    )


def test_a_server_refuses_it_as_well_and_leaves_nothing(here):
    artifact(here / "C.json", creation=reverting_with(ERROR_NO_WAY))
    alone = ("--executor", "threads:2")  # Many cores would be worth a warning.
    words = ("--port", 0, "--corpus-dir", here / "s", *alone)
    done = run_cli("serve", here / "C.json", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: The constructor of C failed: it reverted")
    assert len(done.stderr.splitlines()) == 1
    assert not (here / "s").exists()


def test_a_constructor_with_arguments(here):
    constructor = {"type": "constructor", "inputs": [parameter("uint256")]}
    artifact(here / "C.json", [constructor, POKE, HOLDS])
    assert "The constructor of C takes arguments" in refused("C.json")


@pytest.mark.parametrize(
    ("abi", "sentence"),
    [
        ([], "C has no function that can be called"),
        ([POKE], "C has no function that starts with 'echidna_'; add properties"),
        (
            [POKE, function("echidna_x", [parameter("uint8")], ["bool"])],
            "C.echidna_x(uint8) takes arguments",
        ),
        (
            [POKE, function("echidna_x", outputs=["uint256"])],
            "The property C.echidna_x() must return one bool.",
        ),
        (
            [POKE, function("echidna_x")],
            "The property C.echidna_x() must return one bool.",
        ),
        (
            [POKE, function("echidna_x", outputs=["bool", "bool"])],
            "The property C.echidna_x() must return one bool.",
        ),
        (
            [HOLDS, function("big", [parameter("uint256[1000]")])],
            "The parameters of big(uint256[1000]) are too large to be fuzzed",
        ),
    ],
)
def test_a_contract_without_the_right_functions(here, abi, sentence):
    artifact(here / "C.json", abi)
    assert sentence in refused("C.json")


@pytest.mark.parametrize("mode", ["assertion", "exploration"])
def test_without_properties_other_modes_work(here, mode):
    artifact(here / "C.json", [POKE])
    assert invoke("run", "C.json", "--test-mode", mode, *SMALL).code == 0


# ------------------------------------------------------------------- with compilers

PRAGMA = "pragma solidity >=0.8.0;\n"
LIBRARY = "library L { function f(uint x) public pure returns (uint) { return x; } }"


@pytest.mark.solc
@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("contract C { uint x function }", "C.sol:2:21: ParserError: Expected ';'"),
        ("contract C is D { }", "C.sol:2:15: DeclarationError: "),
        (
            "interface I { function f() external; }",
            "C.sol has no contract that can be deployed, only interfaces",
        ),
        (
            "abstract contract A { function f() external virtual; }",
            "C.sol has no contract that can be deployed, only interfaces",
        ),
        (LIBRARY, "C.sol has no contract that can be deployed, only interfaces"),
        (
            (
                "contract C { constructor(uint) {} function f() public {} "
                "function echidna_f() public returns (bool) { return true; } }"
            ),
            "The constructor of C takes arguments; give them with --constructor-args",
        ),
        ("", "C.sol defines no contract."),
    ],
)
def test_solidity_that_can_not_be_fuzzed(here, source, sentence):
    require_solc()
    (here / "C.sol").write_text(PRAGMA + source)
    assert sentence in refused("C.sol")


@pytest.mark.solc
def test_a_pragma_that_no_compiler_here_fits(here):
    require_solc()
    (here / "C.sol").write_text("pragma solidity ^0.4.0;\ncontract C {}")
    sentence = refused("C.sol")
    assert sentence.startswith("No compiler here can compile C.sol: ")
    assert "the source wants `^0.4.0`" in sentence


def test_without_a_compiler_every_way_to_get_one_is_named(here, monkeypatch):
    node = shutil.which("node")
    (here / "bin").mkdir()
    if node:
        (here / "bin" / "node").symlink_to(node)
    monkeypatch.setenv("PATH", str(here / "bin"))
    monkeypatch.setenv("SOLCJS", str(here / "nowhere"))
    monkeypatch.setenv("VIRTUAL_ENV", str(here))
    monkeypatch.setenv("SOLCX_BINARY_PATH", str(here / "bin"))
    (here / "C.sol").write_text("contract C {}")
    sentence = refused("C.sol")
    assert sentence.startswith("No compiler here can compile C.sol: ")
    for name in ("[solc] ", "[solc-select] ", "[solcjs] "):
        assert name in sentence


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("nosuch", "--solc names nosuch, which does not exist."),
        ("/bin/cat", "--solc can't be used: /bin/cat does not print the version"),
        ("C.sol", "/C.sol can't be started: Permission denied."),
    ],
)
def test_a_solc_that_is_none(here, path, why):
    (here / "C.sol").write_text("contract C {}")
    assert why in refused("C.sol", "--solc", path)


def test_vyper_with_a_syntax_error(here):
    (here / "C.vy").write_text("x: uint256\ndef f(:\n")
    assert refused("C.vy").startswith("C.vy:")


def test_a_path_with_spaces_and_letters_of_all_kinds(here):
    artifact(here / "a b ü" / "Größe ✓.json", runtime=RETURN_TRUE)
    store = here / "störe ✓"
    done = invoke(
        "run", "a b ü/Größe ✓.json", "--corpus-dir", store, "--format", "text", *SMALL
    )
    assert (done.code, "Fuzzing " in done.err) == (0, True)
    assert "Größe ✓" in done.err
    for command in ("verify", "replay"):
        assert invoke(command, store).code == 0
