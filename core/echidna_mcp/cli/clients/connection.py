"""`echidna-mcp config`: how a client connects to this installation."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from echidna_mcp.cli.clients.snippets import Local, Remote, Server, Snippet, clients
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.request.options import DEFAULT_DIRECTORY
from echidna_mcp.errors import TargetError, UsageError
from echidna_mcp.server.address import is_loopback
from echidna_mcp.wording import closest, did_you_mean

PROGRAM = "echidna-mcp"
DEFAULT_PORT = 8080
STARTS_SERVERS_ITSELF = "claude-desktop"
"""The client that knows no URLs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the command line asks for; None is what was left out.

    Attributes:
        transport: `http` for a server that runs, `stdio` for one that is started.
        url, port, with_token: of a server that runs.
        target, contract, corpus_dir, campaigns, uvx: of a server that the client
            starts.
    """

    transport: str | None = None
    url: str | None = None
    port: int | None = None
    with_token: bool = False
    target: Path | None = None
    contract: str | None = None
    corpus_dir: Path | None = None
    campaigns: Path | None = None
    uvx: bool = False


def print_config(name: str, wishes: Wishes) -> None:
    """Print the snippet of a client, and on standard error where it belongs.

    Nothing is written but that.

    Raises:
        UsageError: there is no such client, or it can't do what is asked for.
        TargetError: the target is missing.
    """
    client = clients()[_known(name)]
    server = _server(name, wishes)
    snippet = client(server)
    show(snippet.text)
    show(_hint(snippet, server), err=True)


def _known(name: str) -> str:
    names = list(clients())
    if name in names:
        return name
    wanted = name.lower().replace(" ", "-").replace("_", "-")
    close = closest(wanted, names, 2, cutoff=0.5)
    hint = did_you_mean(close, f"choose from {', '.join(names)}.")
    raise UsageError(f"There is no client {name!r}; {hint}", closest=close)


def _server(client: str, wishes: Wishes) -> Server:
    usual = "stdio" if client == STARTS_SERVERS_ITSELF else "http"
    if (wishes.transport or usual) == "stdio":
        return _local(wishes)
    return _remote(wishes)


def _remote(wishes: Wishes) -> Remote:
    for given, option in (
        (wishes.target, "TARGET"),
        (wishes.contract, "--contract"),
        (wishes.corpus_dir, "--corpus-dir"),
        (wishes.campaigns, "--campaigns"),
        (wishes.uvx, "--uvx"),
    ):
        if given:
            raise UsageError(
                f"{option} is for a server that the client starts; "
                "add --transport stdio, or leave it out."
            )
    if wishes.url is not None and wishes.port is not None:
        raise UsageError("--url has a port of its own; leave --port out.")
    port = wishes.port or DEFAULT_PORT
    url = f"http://127.0.0.1:{port}/mcp" if wishes.url is None else wishes.url
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        usable = usable and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            f"--url {url!r} is no address of a server; write it as "
            f"http://127.0.0.1:{port}/mcp."
        )
    return Remote(url, wishes.with_token)


def _local(wishes: Wishes) -> Local:
    for given, option in (
        (wishes.url, "--url"),
        (wishes.port, "--port"),
        (wishes.with_token, "--with-token"),
    ):
        if given:
            raise UsageError(
                f"{option} is for a server over HTTP; a client that starts the server "
                "(--transport stdio) needs none."
            )
    words = ["serve"]
    if wishes.target is not None:
        if not wishes.target.exists():
            raise TargetError(f"No such file or directory: {wishes.target}.")
        words.append(_absolute(wishes.target))
    if wishes.contract is not None:
        words += ["--contract", wishes.contract]
    words += ["--transport", "stdio", *_place(wishes)]
    program = ("uvx", PROGRAM) if wishes.uvx else this_program()
    return Local((*program, *words))


def _place(wishes: Wishes) -> tuple[str, str]:
    """Return the option that says where campaigns are kept."""
    if wishes.corpus_dir is None:
        return "--campaigns", _absolute(wishes.campaigns or DEFAULT_DIRECTORY)
    if wishes.campaigns is None:
        return "--corpus-dir", _absolute(wishes.corpus_dir)
    raise UsageError("--corpus-dir and --campaigns are both given; choose one.")


def this_program() -> tuple[str, ...]:
    """Return the words that start this installation, wherever they are run."""
    named = Path(sys.argv[0])
    for script in (named, Path(sys.executable).with_name(PROGRAM)):
        # A bare name was found on a search path, which a client may not have.
        if script.stem == PROGRAM and len(script.parts) > 1 and script.exists():
            return (_absolute(script),)
    return (sys.executable, "-m", "echidna_mcp.cli")


def _absolute(path: Path) -> str:
    """Return a whole path; links stay, since what they lead to may be replaced."""
    return os.path.abspath(path)  # noqa: PTH100 (Path.resolve follows links)


def _hint(snippet: Snippet, server: Server) -> str:
    if isinstance(server, Local):
        option, directory = server.command[-2:]
        kept = (
            f"The campaign is kept in {directory} and goes on there; "
            "after a change to the contract, choose another --corpus-dir."
            if option == "--corpus-dir"
            else f"Campaigns are kept in {directory}; one of the same contract goes on."
        )
        return f"{snippet.place}\n{kept}"
    parts = urlsplit(server.url)
    if not is_loopback(parts.hostname or ""):
        return snippet.place
    token = ", with the same token" if server.token else ""
    return (
        f"{snippet.place}\n"
        f"The server must run: {PROGRAM} serve TARGET --port {parts.port or 80}{token}."
    )
