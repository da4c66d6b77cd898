"""Sessions of the project. `nox` runs what `.ci/run` runs; the rest is run by name."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2024.10"
nox.options.sessions = ["lint", "types", "codegen", "tests"]
nox.options.reuse_existing_virtualenvs = True

PROJECT = nox.project.load_toml("pyproject.toml")
PLAIN = (
    *("tests/fuzz", "tests/backends/test_same_digest.py"),
    *("tests/native/test_native_frames.py", "tests/native/test_native_state.py"),
    "tests/native/test_native_opcodes_memory.py",
    "tests/native/test_native_opcodes_state.py",
    "tests/native/test_native_opcodes_words.py",
    *("tests/evm/test_random_programs.py", "tests/cli/test_odd_targets.py"),
)
NOT_PLAIN = "not compiled and not checked and not can_be_compiled"
"""The tests of these files that compile by themselves, whatever is asked for."""
FAMILIES = ("editor", "circular")
"""Families of tools with a dialect of their own."""
SOURCES = ("core", "plugins", "codegen", "tests", "examples", "noxfile.py")


def install(session: nox.Session, *groups: str) -> None:
    """Install the project, editable, and dependency groups, all pinned."""
    wanted = nox.project.dependency_groups(PROJECT, *groups)
    session.install("-c", "constraints.txt", "-e", ".", *wanted)


def solc(session: nox.Session) -> dict[str, str]:
    """Install the Solidity compiler for the tests; nothing if there is no npm."""
    if shutil.which("npm") is None:
        session.warn("npm is missing: tests that compile Solidity are skipped.")
        return {}
    wanted = json.loads(Path("tests/package.json").read_text())["dependencies"]
    if not all(Path("tests/node_modules", name).is_dir() for name in wanted):
        session.run(
            "npm",
            *("install", "--prefix", "tests", "--no-package-lock", "--silent"),
            external=True,
        )
    return {"REQUIRE_SOLC": "1"}


def run_spread(session: nox.Session, *words: str, **asked: str) -> None:
    """Run tests on every core, in random order."""
    # A file stays in one worker: its tests share servers and compiled contracts.
    spread = ("-n", "auto", "--maxprocesses", "8", "--dist", "loadfile")
    shuffled = "--no-loadscope-reorder"  # else the largest files come first
    # Hundreds of tests start the program: its modules are compiled once for them all.
    env = {**solc(session), "PYTHONDONTWRITEBYTECODE": "", **asked}
    session.run("pytest", *spread, shuffled, *words, *session.posargs, env=env)


@nox.session
def tests(session: nox.Session) -> None:
    """All tests but the suites that have sessions of their own, on every core."""
    install(session, "test")
    run_spread(session)


@nox.session
def servers(session: nox.Session) -> None:
    """Servers and commands that are attacked, interrupted or killed; some minutes."""
    install(session, "test")
    run_servers(session)


def run_servers(session: nox.Session) -> None:
    """Run what `servers` says."""
    folders = ("tests/cli", "tests/requirements", "tests/serve", "tests/transports")
    run_spread(session, *folders, "-m", "servers", ECHIDNA_MCP_SERVERS="1")


@nox.session
def digests(session: nox.Session) -> None:
    """Campaigns of many contracts on every EVM, tier and executor; some minutes."""
    install(session, "test")
    places = ("backends", "campaign", "evm", "native", "outside", "solving")
    run_digests(session, *places)


def run_digests(session: nox.Session, *places: str) -> None:
    """Run what `digests` says of some folders and files of tests."""
    words = (*(f"tests/{each}" for each in places), "-m", "digests")
    run_spread(session, *words, ECHIDNA_MCP_DIGESTS="1")


@nox.session
def examples(session: nox.Session) -> None:
    """Packages and runners of `examples/`, built, installed and run."""
    install(session, "test")
    env = {**solc(session), "ECHIDNA_MCP_EXAMPLES": "1"}
    session.run("pytest", "-q", "tests/examples", *session.posargs, env=env)


@nox.session
def witnesses(session: nox.Session) -> None:
    """Sixty seeded bugs with proved witnesses; a campaign of five hundred findings."""
    install(session, "test")
    asked = {"ECHIDNA_MCP_WITNESSES": "1"}
    session.run(
        "pytest",
        *("-q", "tests/shrinking", *session.posargs),
        env={**solc(session), **asked},
    )


@nox.session
def ray(session: nox.Session) -> None:
    """The executor `ray`: two nodes on this machine, killed actors, nodes that go."""
    install(session, "test", "ray")
    asked = {"ECHIDNA_MCP_RAY": "1", "ECHIDNA_MCP_DIGESTS": "1"}
    same = "test_every_executor_gives_the_digest_of_inline"
    # Ray's own processes import the backends with faults.
    env = {**solc(session), **asked, "PYTHONPATH": str(Path("tests/support").resolve())}
    session.run(
        *("pytest", "-q", "tests/ray", "tests/campaign/test_executors.py"),
        f"tests/campaign/test_determinism.py::{same}",
        *session.posargs,
        env=env,
    )


@nox.session
def lint(session: nox.Session) -> None:
    """Style, formatting and import rules."""
    install(session, "lint")
    session.run("ruff", "check", *SOURCES)
    session.run("ruff", "format", "--check", *SOURCES)


@nox.session
def types(session: nox.Session) -> None:
    """Static types, strict."""
    install(session, "types")
    session.run("mypy")


@nox.session
def codegen(session: nox.Session) -> None:
    """Write the code generated from `contracts/`; `-- --check` only compares."""
    install(session, "test")
    run_codegen(session, *session.posargs)


def run_codegen(session: nox.Session, *words: str) -> None:
    """Run what `codegen` says."""
    session.run("python", "-m", "echidna_mcp_codegen", *words)
    for family in FAMILIES:
        package = f"echidna_mcp_plugins.{family}._generated"
        session.run(
            *("python", "-m", "echidna_mcp_codegen", "--dialect", family),
            *("--contracts", f"contracts/{family}", "--package", package),
            *("--output", f"plugins/{package.replace('.', '/')}", *words),
        )


@nox.session
def docs(session: nox.Session) -> None:
    """Check the documentation: links, commands, hook and tool pages."""
    install(session, "test")
    session.run("pytest", "-q", "tests/docs", *session.posargs)


@nox.session
def quality(session: nox.Session) -> None:
    """What the search finds in a folder of planted bugs: `-- FOLDER`; hours.

    Without FOLDER it is `tests/bench/depth`.
    """
    install(session, "test", "node")
    solc(session)
    session.run("python", "tests/support/npm_install.py", "tests/foundry")
    session.run("python", "tests/bench/bench_quality.py", *session.posargs)


@nox.session
def ablation(session: nox.Session) -> None:
    """What each mechanism of the search brings, alone and with others; half an hour."""
    install(session, "test")
    env = solc(session)
    session.run("python", "tests/bench/bench_ablation.py", *session.posargs, env=env)


@nox.session
def coverage_bench(session: nox.Session) -> None:
    """What the search covers of released packages, beside forge; hours."""
    install(session, "test", "node")
    session.run("python", "tests/support/npm_install.py", "tests/projects")
    session.run("python", "tests/bench/bench_coverage.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure, and print what docs/benchmarks.md quotes."""
    install(session, "test")
    env = solc(session)
    session.run("python", "tests/bench/run.py", *session.posargs, env=env)


@nox.session
def conformance(session: nox.Session) -> None:
    """The official state tests, on every backend.

    ECHIDNA_MCP_VECTORS names a folder or an archive with them.
    """
    install(session, "test")
    tests = "tests/evm/test_state_vectors.py"
    env = {"ECHIDNA_MCP_SLOW": "1"}
    session.run("pytest", "-q", "-rsP", tests, *session.posargs, env=env)


@nox.session
def ethereumjs(session: nox.Session) -> None:
    """Random worlds by the rules of each fork, against @ethereumjs/vm.

    ECHIDNA_MCP_WORLDS says how many for each fork.
    """
    install(session, "test", "node")
    session.run("python", "tests/support/npm_install.py", "tests/ethereumjs")
    env = {"REQUIRE_ETHEREUMJS": "1"}
    session.run("pytest", "-q", "-rsP", "tests/ethereumjs", *session.posargs, env=env)


@nox.session
def plain(session: nox.Session) -> None:
    """A part of the tests in which no kernel function is compiled: some minutes."""
    install(session, "test")
    asked = {"ECHIDNA_MCP_KERNELS": "plain", "ECHIDNA_MCP_DIGESTS": "1"}
    env = {**solc(session), **asked}
    session.run("pytest", "-q", *PLAIN, "-k", NOT_PLAIN, *session.posargs, env=env)


@nox.session
def mcp_conformance(session: nox.Session) -> None:
    """The official conformance suite of MCP; prints its scenarios."""
    install(session, "test", "node")
    session.run("python", "tests/support/npm_install.py", "tests/conformance")
    env = {"REQUIRE_MCP_CLIENTS": "1"}
    session.run("pytest", "-q", "-rsP", "tests/conformance", *session.posargs, env=env)


@nox.session
def clients(session: nox.Session) -> None:
    """Clients of MCP: official, TypeScript, FastMCP, Inspector."""
    install(session, "test", "clients")
    session.run("python", "tests/support/npm_install.py", "tests/clients")
    env = {**solc(session), "REQUIRE_MCP_CLIENTS": "1"}
    session.run("pytest", "-q", "tests/clients", *session.posargs, env=env)


@nox.session
def precompiles(session: nox.Session) -> None:
    """All precompiles against those of EthereumJS.

    ECHIDNA_MCP_PRECOMPILE_CASES says how many times as many cases are tried.
    """
    install(session, "test", "node")
    session.run("python", "tests/support/npm_install.py", "tests/precompiles")
    env = {"REQUIRE_ETHEREUMJS": "1", "ECHIDNA_MCP_DIGESTS": "1"}
    suites = (
        "tests/precompiles",
        "tests/native/test_native_precompiles_differential.py",
    )
    session.run("pytest", "-q", *suites, *session.posargs, env=env)


@nox.session
def agents(session: nox.Session) -> None:
    """LangChain and LangGraph as clients, each in the environment that it needs."""
    install(session, "test", "agents")
    adapters = Path(session.create_tmp(), "adapters").resolve()
    session.run("python", "-m", "venv", "--clear", str(adapters))
    python = str(adapters / "bin" / "python")
    wanted = "tests/mcp/adapters-requirements.txt"  # It needs mcp < 2.
    session.run(python, "-m", "pip", "install", "-q", "-r", wanted, external=True)
    env = {**solc(session), "REQUIRE_AGENTS": "1", "ADAPTERS_PYTHON": python}
    session.run("pytest", "-q", "tests/mcp", *session.posargs, env=env)


@nox.session
def browser(session: nox.Session) -> None:
    """The dashboard in headless Chromium (CHROMIUM names one that is not on PATH)."""
    install(session, "test", "browser")
    env = {**solc(session), "REQUIRE_BROWSER": "1"}
    session.run("pytest", "-q", "tests/dashboard", *session.posargs, env=env)


@nox.session
def outside(session: nox.Session) -> None:
    """Contracts of OpenZeppelin, solmate and solady: 450 campaigns with cold caches."""
    install(session, "test")
    env = {**solc(session), "ECHIDNA_MCP_OUTSIDE": "1"}
    options = ("-n", "auto", "--maxprocesses", "8")
    session.run("pytest", *options, "tests/outside", *session.posargs, env=env)


@nox.session
def projects(session: nox.Session) -> None:
    """Released packages under harnesses, and projects of every layout; some minutes."""
    install(session, "test", "node")
    session.run("python", "tests/support/npm_install.py", "tests/projects")
    env = {"REQUIRE_SOLC": "1", "ECHIDNA_MCP_PROJECTS": "1"}
    session.run("pytest", "-q", "tests/projects", *session.posargs, env=env)


@nox.session
def foundry(session: nox.Session) -> None:
    """Solidity tests of cheatcodes, of which forge says whether they pass."""
    install(session, "test", "node")
    session.run("python", "tests/support/npm_install.py", "tests/foundry")
    env = {"ECHIDNA_MCP_FOUNDRY": "1"}
    session.run("pytest", "-q", "tests/foundry", *session.posargs, env=env)


@nox.session
def exports(session: nox.Session) -> None:
    """Findings of many campaigns as Foundry tests, which forge runs."""
    install(session, "test", "node")
    session.run("python", "tests/support/npm_install.py", "tests/exports")
    env = {"ECHIDNA_MCP_EXPORTS": "1"}
    session.run("pytest", "-q", "-rsP", "tests/exports", *session.posargs, env=env)


@nox.session
def simulation(session: nox.Session) -> None:
    """Campaigns under simulated schedules: 2,000 seeds, or `-- FROM:TO`."""
    install(session, "test")
    seeds, *more = session.posargs or ["0:2000"]
    run_simulation(session, seeds, *more)


def run_simulation(session: nox.Session, seeds: str, *words: str) -> None:
    """Simulate schedules, from a seed to another one."""
    asked = {"ECHIDNA_MCP_SIMULATION": "1", "ECHIDNA_MCP_SEEDS": seeds}
    env = {**solc(session), **asked}
    options = ("-n", "auto", "--maxprocesses", "8")
    session.run("pytest", *options, "tests/simulation", *words, env=env)


@nox.session(venv_backend="none")
def landing(session: nox.Session) -> None:
    """What has to pass beside `tests`, in its environment, which is there by then."""
    # To make another one takes longer than it should.
    environment = Path(".nox", "tests").resolve()
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    if not programs.is_dir():
        session.error("It takes the environment of `tests`: `nox -s tests landing`.")
    os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    run_codegen(session, "--check")
    run_servers(session)
    # Each contract on every EVM; what is special about a few takes three times as long.
    every = ("test_same_digest.py", "test_foundry_digests.py", "test_many_targets.py")
    run_digests(session, "campaign", *(f"backends/{each}" for each in every))
    run_simulation(session, "0:8")


@nox.session
def endurance(session: nox.Session) -> None:
    """The slow suites: concurrent clients, many lifecycles, a campaign of half an hour.

    ECHIDNA_MCP_ENDURANCE_SECONDS says how long that campaign lasts instead.
    """
    install(session, "test")
    # Some of the slow ones start servers.
    asked = {"ECHIDNA_MCP_SLOW": "1", "ECHIDNA_MCP_SERVERS": "1"}
    env = {**solc(session), **asked}
    session.run("pytest", "-q", "-m", "slow", *session.posargs, env=env)
