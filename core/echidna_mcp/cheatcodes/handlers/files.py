"""`readFile`, `exists`, `readDir` and the like: files of the project, as recorded.

Where a project has no file, and what tests may not read, the texts are Foundry's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.cheatcodes.asking import found_outside
from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.formats.text import (
    not_unicode,
    quoted,
    read,
)
from echidna_mcp.cheatcodes.host import Site
from echidna_mcp.cheatcodes.registry import cheat
from echidna_mcp.evm.outside import Request

if TYPE_CHECKING:
    from echidna_mcp.cheatcodes.cheats import Cheats

_ENTRY: Final = "(string,string,uint64,bool,bool)"
"""Of `readDir`: an error, path, depth, whether it is a directory, or a link."""
_ENTRY_MEMBERS: Final = 5
_METADATA: Final = "((bool,bool,uint256,bool,uint256,uint256,uint256))"


@cheat("projectRoot()", returns="(string)")
def project_root(cheats: Cheats, _site: Site) -> tuple[bytes]:
    """Return the directory of the project."""
    (root,) = found_outside(cheats, "projectRoot()", Request(kind="root"))
    return (root,)


@cheat("readFile(string)", returns="(string)")
def read_file(cheats: Cheats, _site: Site, path: bytes) -> tuple[bytes]:
    """Return the text in a file."""
    place, content = _file(cheats, "readFile(string)", path)
    if wrong := not_unicode(content):
        raise CheatError(f"failed to read from {quoted(read(place))}: {wrong}")
    return (content,)


@cheat("readFileBinary(string)", returns="(bytes)")
def read_file_binary(cheats: Cheats, _site: Site, path: bytes) -> tuple[bytes]:
    """Return the bytes in a file."""
    _, content = _file(cheats, "readFileBinary(string)", path)
    return (content,)


@cheat("readLine(string)", returns="(string)")
def read_line(cheats: Cheats, _site: Site, path: bytes) -> tuple[bytes]:
    """Return the next line of a file without its end; nothing after the last one."""
    place, content = _file(cheats, "readLine(string)", path)
    held = cheats.held
    begin = held.read_files.get(place, 0)
    end = content.find(b"\n", begin) + 1 or len(content)
    held.read_files = {**held.read_files, place: end}
    line = content[begin:end]
    if not_unicode(line):
        raise CheatError("stream did not contain valid UTF-8")
    return (line.removesuffix(b"\n").removesuffix(b"\r"),)


@cheat("closeFile(string)")
def close_file(cheats: Cheats, _site: Site, path: bytes) -> None:
    """Let `readLine` begin with the first line of a file again."""
    place = _entry(cheats, "closeFile(string)", path)[0]
    held = cheats.held
    held.read_files = {
        name: position for name, position in held.read_files.items() if name != place
    }


@cheat("exists(string)", returns="(bool)")
def exists(cheats: Cheats, _site: Site, path: bytes) -> tuple[bool]:
    """Tell whether there is anything at a path."""
    return (len(_entry(cheats, "exists(string)", path)) > 1,)


@cheat("isDir(string)", returns="(bool)")
def is_dir(cheats: Cheats, _site: Site, path: bytes) -> tuple[bool]:
    """Tell whether there is a directory at a path."""
    _, *found = _entry(cheats, "isDir(string)", path)
    return (found[:1] == [b"1"],)


@cheat("isFile(string)", returns="(bool)")
def is_file(cheats: Cheats, _site: Site, path: bytes) -> tuple[bool]:
    """Tell whether there is a file at a path."""
    _, *found = _entry(cheats, "isFile(string)", path)
    return (found[:1] == [b"0"],)


@cheat("fsMetadata(string)", returns=_METADATA)
def metadata(cheats: Cheats, _site: Site, path: bytes) -> tuple[tuple[Any, ...]]:
    """Return what is known of a file or directory.

    Whether it is a directory, or a link; its size in bytes; whether it is read-only;
    when it was changed, read and created, in seconds since 1970.
    """
    request = Request(kind="metadata", arguments=(read(path),))
    found = found_outside(cheats, "fsMetadata(string)", request)
    directory, link, size, read_only, *times = map(int, found)
    return ((bool(directory), bool(link), size, bool(read_only), *times),)


@cheat("readLink(string)", returns="(string)")
def read_link(cheats: Cheats, _site: Site, path: bytes) -> tuple[bytes]:
    """Return where a link leads that leads nowhere: others are followed before."""
    request = Request(kind="link", arguments=(read(path),))
    (target,) = found_outside(cheats, "readLink(string)", request)
    return (target,)


def _read_directory(
    cheats: Cheats, signature: str, path: bytes, depth: int, *, follow: bool
) -> tuple[tuple[Any, ...]]:
    """Return what is in a directory, and in those in it, by their paths."""
    arguments = (read(path), str(depth), str(int(follow)))
    request = Request(kind="directory", arguments=arguments)
    found = found_outside(cheats, signature, request)
    rows = zip(*[iter(found)] * _ENTRY_MEMBERS, strict=True)
    return (
        tuple(
            (error, place, int(level), directory == b"1", link == b"1")
            for error, place, level, directory, link in rows
        ),
    )


@cheat("readDir(string)", returns=f"({_ENTRY}[])")
def read_directory(cheats: Cheats, _site: Site, path: bytes) -> tuple[Any]:
    """Return what is in a directory."""
    return _read_directory(cheats, "readDir(string)", path, 1, follow=False)


@cheat("readDir(string,uint64)", returns=f"({_ENTRY}[])")
def read_deep_directory(
    cheats: Cheats, _site: Site, path: bytes, depth: int
) -> tuple[Any]:
    """Do it with directories in it, down to a depth."""
    return _read_directory(cheats, "readDir(string,uint64)", path, depth, follow=False)


@cheat("readDir(string,uint64,bool)", returns=f"({_ENTRY}[])")
def read_followed_directory(
    cheats: Cheats, _site: Site, path: bytes, depth: int, follow: bool
) -> tuple[Any]:
    """Do it with what links lead to, if they are followed."""
    signature = "readDir(string,uint64,bool)"
    return _read_directory(cheats, signature, path, depth, follow=follow)


def _file(cheats: Cheats, signature: str, path: bytes) -> tuple[bytes, bytes]:
    """Return where a file is, and its content."""
    request = Request(kind="file", arguments=(read(path),))
    place, content = found_outside(cheats, signature, request)
    return place, content


def _entry(cheats: Cheats, signature: str, path: bytes) -> tuple[bytes, ...]:
    """Return a path, and, if something is there, whether it is a directory."""
    request = Request(kind="entry", arguments=(read(path),))
    return found_outside(cheats, signature, request)
