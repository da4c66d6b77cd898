"""The two command lines of the MCP Inspector, away from the user's settings.

`mcp-inspector --cli` connects anew for each command. `mcpdo` has connections that stay,
held by a process of its own, and so it can wait for updates of resources. Both take the
same options.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import Timer
from typing import IO, Any

from mcp.types import CallToolResult
from node_packages import require_node, require_package

NAME = "@modelcontextprotocol/inspector"
SESSION = "clients"
UPDATES = 3
"""How many updates are waited for."""

_SECONDS = 120
_UPDATES_SECONDS = 60
_CONNECT = ("--connect-timeout", "90000")


class Commands(ABC):
    """Commands for one server."""

    @abstractmethod
    def run(self, method: str, *words: str, code: int = 0) -> tuple[Any, str]:
        """Return the result of a command and what it complained of.

        Args:
            method: of the protocol.
            words: options that say what to do there.
            code: the exit code that it must have.
        """

    def call(
        self, tool: str, arguments: Mapping[str, Any], code: int = 0
    ) -> CallToolResult:
        """Call a tool."""
        words = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        result, _ = self.run("tools/call", *words, code=code)
        return CallToolResult.model_validate(result)

    def read(self, uri: str) -> str:
        """Read a resource."""
        result, _ = self.run("resources/read", "--uri", uri)
        (content,) = result["contents"]
        assert content["uri"] == uri
        text = content["text"]
        assert isinstance(text, str)
        if content["mimeType"] == "application/json":
            json.loads(text)
        return text


class Inspector:
    """The installed package, with a home directory of its own."""

    def __init__(self, home: Path, folder: Path) -> None:
        """Skip or fail if it is not installed.

        Args:
            home: instead of the user's.
            folder: holds the `package.json` that pins the version.
        """
        self._package = require_package(folder, NAME, SESSION)
        self._node = str(require_node(SESSION))
        self._variables = {
            **os.environ,
            "HOME": str(home),
            "MCP_CATALOG_PATH": str(home / "mcp.json"),
            "MCP_INSPECTOR_SECRET_STORE": "memory",
        }

    def program(self, client: str, file: str, **variables: str) -> Program:
        """Return one of the programs of the package."""
        script = self._package / "clients" / client / "build" / file
        return Program([self._node, str(script)], {**self._variables, **variables})


class Program:
    """A program with its environment."""

    def __init__(self, words: Sequence[str], variables: Mapping[str, str]) -> None:
        self._words = list(words)
        self._variables = dict(variables)

    def run(self, *words: str, code: int) -> tuple[Any, str]:
        """Run it to its end; return the JSON that it printed and its complaints."""
        done = self._done(*words)
        assert done.returncode == code, (done.stdout, done.stderr)
        return json.loads(done.stdout), done.stderr

    def refusal(self, *words: str) -> dict[str, Any]:
        """Run what must fail and print nothing but an error; return that."""
        done = self._done(*words)
        assert (done.returncode, done.stdout) == (1, ""), (done.stdout, done.stderr)
        error = json.loads(done.stderr)["error"]
        assert isinstance(error, dict)
        return error

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start it, to be read while it runs."""
        return subprocess.Popen(
            [*self._words, *words],
            env=self._variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _done(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._words, *words],
            env=self._variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )


class OneShots(Commands):
    """`mcp-inspector --cli`: each command connects, and starts what it has to."""

    def __init__(
        self, inspector: Inspector, target: Sequence[str], era: str, *server: str
    ) -> None:
        """Prepare commands.

        Args:
            inspector: the package.
            target: options that say where the server is.
            era: legacy or modern.
            server: how to start one, for standard streams.
        """
        self._program = inspector.program("launcher", "index.js")
        self._before = ["--cli", *target, "--protocol-era", era, "--format", "json"]
        self._after = ["--", *server] if server else []

    def run(self, method: str, *words: str, code: int = 0) -> tuple[Any, str]:
        """Run a command in a process of its own, and so in a connection of its own."""
        said, complaints = self._program.run(
            *(*self._before, "--method", method, *words, *_CONNECT, *self._after),
            code=code,
        )
        return said["result"], complaints


class Connection(Commands):
    """One connection of `mcpdo`, which stays from one command to the next."""

    def __init__(self, program: Program, name: str) -> None:
        self._program = program
        self._words = ("--format", "json", "--connection", name)

    def run(self, method: str, *words: str, code: int = 0) -> tuple[Any, str]:
        """Run a command on the connection."""
        return self._program.run(*self._words, method, *words, code=code)

    def refusal(self, method: str, *words: str) -> dict[str, Any]:
        """Run a command that must fail before anything was asked of the server."""
        return self._program.refusal(*self._words, method, *words)

    def complete(self, kind: str, of: str, argument: str, typed: str) -> list[str]:
        """Complete an argument of a prompt or a variable in a resource's URI."""
        result, _ = self.run(
            "prompts/complete",
            *("--complete-ref-type", f"ref/{kind}", "--complete-ref", of),
            *("--complete-arg-name", argument, "--complete-arg-value", typed),
        )
        found: list[str] = result["values"]
        return found

    def updates(self, uri: str) -> list[str]:
        """Subscribe, return what some updates name, and leave as Ctrl-C does."""
        words = (*self._words, "resources/subscribe", "--uri", uri)
        with self._program.start(*words) as process:
            assert process.stdout is not None
            late = Timer(_UPDATES_SECONDS, process.kill)
            late.start()
            try:
                said = list(islice(_objects(process.stdout), 1 + UPDATES))
                process.send_signal(signal.SIGINT)
                process.stdout.read()
                process.wait()
            finally:
                late.cancel()
                process.kill()
        assert said[:1] == [{"type": "subscribed", "uri": uri}]
        news = said[1:]
        assert {each["type"] for each in news} == {"resources/updated"}
        return [each["uri"] for each in news]


@contextmanager
def connection_keeper(inspector: Inspector) -> Iterator[Program]:
    """Return `mcpdo` with a process of its own for connections, ended at the end."""
    # Its socket's path may have a hundred characters, no more.
    with tempfile.TemporaryDirectory() as directory:
        program = inspector.program(
            *("mcpdo", "mcp-bin.js"),
            MCP_INSPECTOR_DAEMON_DIR=directory,
            MCP_INSPECTOR_DAEMON_TOKEN="a token of the tests",
        )
        try:
            yield program
        finally:
            program.run("--format", "json", "daemon", "stop", code=0)


@contextmanager
def connected(
    program: Program, target: Sequence[str], era: str, *server: str
) -> Iterator[Connection]:
    """Connect `mcpdo`; the arguments are as those of `OneShots`."""
    connection = Connection(program, "echidna")
    started = ("--", *server) if server else ()
    connection.run("connect", *target, "--era", era, *_CONNECT, *started)
    try:
        yield connection
    finally:
        connection.run("disconnect")


def _objects(lines: IO[str]) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that are printed, each over several lines."""
    text = ""
    for line in lines:
        text += line
        if line == "}\n":
            yield json.loads(text)
            text = ""
