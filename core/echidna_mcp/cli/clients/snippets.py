"""How MCP clients are told of a server: a small function for each client.

Formats are those of the clients' own documentation in November 2026. A token is never
written, only the client's way to take it from the environment.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from echidna_mcp.errors import UsageError

NAME = "echidna"
"""What the server is called in the client."""

TOKEN_VARIABLE = "ECHIDNA_MCP_TOKEN"  # noqa: S105 (the name, not the token)

_BEARER = f"Bearer ${{{TOKEN_VARIABLE}}}"
_BEARER_ENV = f"Bearer ${{env:{TOKEN_VARIABLE}}}"
"""As most editors write it."""

_CODEX_START_SECONDS = 60
"""It waits for ten; uvx may have to fetch the package first."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A server that runs, over HTTP.

    Attributes:
        url: of Streamable HTTP.
        token: whether it asks for the one in the environment.
    """

    url: str
    token: bool


@dataclass(frozen=True, slots=True)
class Local:
    """A server that the client starts, over standard streams."""

    command: tuple[str, ...]


Server: TypeAlias = Remote | Local


@dataclass(frozen=True, slots=True)
class Snippet:
    """What a client is told.

    Attributes:
        text: the whole of it, for a file or a shell.
        place: one or more lines for a person: where it belongs.
    """

    text: str
    place: str


def claude_code(server: Server) -> Snippet:
    """Return a command of Claude Code; its options stand before the name."""
    words = ["claude", "mcp", "add"]
    place = "Run this in the project's directory."
    match server:
        case Local(command):
            words += [NAME, "--", *command]
        case Remote(url, token=False):
            words += ["--transport", "http", NAME, url]
        case Remote(url):
            # Only in the project's file is it sure to expand variables.
            words += ["--transport", "http", "--scope", "project", NAME, url]
            words += ["--header", f"Authorization: {_BEARER}"]
            place += f" It writes .mcp.json, which takes the token from {_the_token()}."
    return Snippet(shlex.join(words), place)


def claude_desktop(server: Server) -> Snippet:
    """Return an entry of Claude Desktop, which starts its servers itself.

    Raises:
        UsageError: the server is to be reached over HTTP.
    """
    if isinstance(server, Remote):
        raise UsageError(
            "The file of Claude Desktop names only servers that it starts itself; "
            "ask for --transport stdio, or leave the option out."
        )
    return Snippet(
        _json({"mcpServers": {NAME: _started(server)}}),
        "Add it to claude_desktop_config.json, and restart Claude Desktop:\n"
        "  macOS    ~/Library/Application Support/Claude/claude_desktop_config.json\n"
        "  Windows  %APPDATA%\\Claude\\claude_desktop_config.json\n"
        "  Linux    ~/.config/Claude/claude_desktop_config.json",
    )


def cursor(server: Server) -> Snippet:
    """Return an entry of Cursor."""
    entry = _started(server) if isinstance(server, Local) else _reached(server, "url")
    return Snippet(
        _json({"mcpServers": {NAME: entry}}),
        "Add it to .cursor/mcp.json in the project, or to ~/.cursor/mcp.json."
        + _wants_token(server, "Cursor"),
    )


def vscode(server: Server) -> Snippet:
    """Return an entry of VS Code, which asks for a token once and keeps it safe.

    Headers are the one place where it does not put in variables of the environment.
    """
    place = "Add it to .vscode/mcp.json in the project, or to the user's mcp.json."
    if isinstance(server, Local):
        entry = {"type": "stdio", **_started(server)}
        return Snippet(_json({"servers": {NAME: entry}}), place)
    entry = {"type": "http", "url": server.url}
    if not server.token:
        return Snippet(_json({"servers": {NAME: entry}}), place)
    entry["headers"] = {"Authorization": "Bearer ${input:echidna-token}"}
    asked = {
        "type": "promptString",
        "id": "echidna-token",
        "description": f"Token of echidna-mcp ({TOKEN_VARIABLE})",
        "password": True,
    }
    return Snippet(
        _json({"inputs": [asked], "servers": {NAME: entry}}),
        f"{place} VS Code asks for the value of {TOKEN_VARIABLE} once.",
    )


def codex(server: Server) -> Snippet:
    """Return a table of Codex's TOML."""
    lines = [f"[mcp_servers.{NAME}]"]
    match server:
        case Local(command):
            arguments = ", ".join(map(_toml, command[1:]))
            lines += [f"command = {_toml(command[0])}", f"args = [{arguments}]"]
            lines += [f"startup_timeout_sec = {_CODEX_START_SECONDS}"]
        case Remote(url, token):
            lines += [f"url = {_toml(url)}"]
            if token:
                lines += [f"bearer_token_env_var = {_toml(TOKEN_VARIABLE)}"]
    return Snippet(
        "\n".join(lines),
        "Add it to ~/.codex/config.toml, or to .codex/config.toml in a trusted project."
        + _wants_token(server, "Codex"),
    )


def windsurf(server: Server) -> Snippet:
    """Return an entry of Windsurf."""
    entry = (
        _started(server) if isinstance(server, Local) else _reached(server, "serverUrl")
    )
    return Snippet(
        _json({"mcpServers": {NAME: entry}}),
        "Add it to ~/.codeium/windsurf/mcp_config.json."
        + _wants_token(server, "Windsurf"),
    )


def zed(server: Server) -> Snippet:
    """Return an entry of Zed.

    Raises:
        UsageError: a token is asked for; Zed has no way to take one from elsewhere.
    """
    match server:
        case Remote(token=True):
            raise UsageError(
                "Zed sends headers as they are written, so a token would stand in its "
                "settings; let it start the server: --transport stdio."
            )
        case Remote(url):
            entry: dict[str, Any] = {"url": url}
        case Local():
            entry = {**_started(server), "env": {}}
    return Snippet(
        _json({"context_servers": {NAME: entry}}),
        "Add it to Zed's settings.json, or to .zed/settings.json in the project.",
    )


def gemini_cli(server: Server) -> Snippet:
    """Return an entry of Gemini CLI."""
    entry = (
        _started(server)
        if isinstance(server, Local)
        else _reached(server, "httpUrl", _BEARER)
    )
    return Snippet(
        _json({"mcpServers": {NAME: entry}}),
        "Add it to .gemini/settings.json in the project, or to ~/.gemini/settings.json."
        + _wants_token(server, "Gemini CLI"),
    )


def inspector(server: Server) -> Snippet:
    """Return a command that opens the MCP Inspector, for people who try things."""
    words = ["npx", "-y", "@modelcontextprotocol/inspector"]
    place = "Run this in a shell; it needs Node 22.19 or newer."
    if isinstance(server, Local):
        program, *arguments = server.command
        # Without the dashes it would take our options for its own.
        line = shlex.join([*words, program, "--", *arguments])
        return Snippet(line, place)
    line = shlex.join([*words, "--transport", "http", "--server-url", server.url])
    if server.token:
        # Double quotes: here the shell puts the token in.
        line += f' --header "Authorization: {_BEARER}"'
        place += f" The shell takes the token from {_the_token()}."
    return Snippet(line, place)


Client: TypeAlias = Callable[[Server], Snippet]


def clients() -> Mapping[str, Client]:
    """Return every client by the name that the command line knows."""
    return {
        "claude-code": claude_code,
        "claude-desktop": claude_desktop,
        "cursor": cursor,
        "vscode": vscode,
        "codex": codex,
        "windsurf": windsurf,
        "zed": zed,
        "gemini-cli": gemini_cli,
        "inspector": inspector,
    }


def _started(server: Local) -> dict[str, Any]:
    return {"command": server.command[0], "args": list(server.command[1:])}


def _reached(server: Remote, key: str, bearer: str = _BEARER_ENV) -> dict[str, Any]:
    """Return the entry of a URL, with the header of a token if it is asked for."""
    entry: dict[str, Any] = {key: server.url}
    if server.token:
        entry["headers"] = {"Authorization": bearer}
    return entry


def _the_token() -> str:
    return f"the variable {TOKEN_VARIABLE}"


def _wants_token(server: Server, client: str) -> str:
    if isinstance(server, Remote) and server.token:
        return f" {client} takes the token from {_the_token()} when it starts."
    return ""


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _toml(text: str) -> str:
    """Return a basic string of TOML: one of JSON, without DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
