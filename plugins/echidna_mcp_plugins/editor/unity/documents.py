"""A text-serialised asset as a sequence of typed documents.

Unity's format is YAML 1.1 with two habits of its own: each document is headed by
`--- !u!<class> &<file id>`, which `stripped` may follow, and no YAML parser knows that;
and the handle `!u!` is declared once for all documents. So the file is cut at these
lines, and each body is read for itself. All scalars stay text: a guid may look like a
number, a name like a boolean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from echidna_mcp_plugins.editor.unity.errors import UnityProjectError
from echidna_mcp_plugins.editor.unity.yaml_body import read_body

# https://docs.unity3d.com/Manual/ClassIDReference.html
GAME_OBJECT: Final = 1
TRANSFORM: Final = 4
MONO_BEHAVIOUR: Final = 114
RECT_TRANSFORM: Final = 224
AUDIO_MIXER: Final = 241
AUDIO_GROUP: Final = 243
AUDIO_EFFECT: Final = 244
AUDIO_SNAPSHOT: Final = 245
PREFAB_INSTANCE: Final = 1001
BUILD_SETTINGS: Final = 1045
SCENE_ROOTS: Final = 1660057539
TRANSFORMS: Final = frozenset({TRANSFORM, RECT_TRANSFORM})

_HEADER: Final = re.compile(
    r"^--- !u!([0-9]{1,10}) &(-?[0-9]{1,19})( stripped)?[ \t]*$", re.MULTILINE
)
_CONFLICT: Final = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
# What libyaml refuses to read; Unity writes it where a script puts it into a text.
_UNPRINTABLE: Final = re.compile(
    "[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_LFS: Final = b"version https://git-lfs.github.com/spec/"
_KIND: Final = re.compile(r"\n(\w+):")
_INTEGER: Final = re.compile(r"-?[0-9]{1,20}\Z")


@dataclass(frozen=True, slots=True)
class Document:
    """One object of an asset.

    Attributes:
        file_id: signed, 64 bits; names the object within its file.
        class_id: number of its class.
        stripped: it stands for an object of a prefab instance, without fields.
        kind: the class by name, `Transform`; empty if the body is no mapping.
        fields: texts, lists and mappings of them, by the names in the file.
    """

    file_id: int
    class_id: int
    stripped: bool
    kind: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Documents:
    """The objects of an asset, in the order of the file, by file id.

    Attributes:
        path: of the asset, from the project's root.
        problems: sentences on bodies that could not be read; these are empty.
    """

    path: str
    by_id: Mapping[int, Document]
    problems: tuple[str, ...] = field(default=())

    def __iter__(self) -> Iterator[Document]:
        return iter(self.by_id.values())

    def of(self, class_id: int) -> Iterator[Document]:
        """Yield the objects of a class that are not stripped."""
        return (d for d in self if d.class_id == class_id and not d.stripped)


@dataclass(frozen=True, slots=True)
class Reference:
    """`{fileID: …, guid: …}`: an object of this file, or of the asset with that guid.

    Attributes:
        file_id: 0 for none.
        guid: empty for this file.
    """

    file_id: int
    guid: str = ""


_NOTHING: Final = Reference(0)


def reference(value: Any) -> Reference:
    """Return the reference that a field holds; one to nothing if it is no reference."""
    if not isinstance(value, dict):
        return _NOTHING
    return Reference(integer(value.get("fileID")), text(value.get("guid")))


def integer(value: Any) -> int:
    """Return the number that a field holds; 0 if it holds none."""
    return int(value) if isinstance(value, str) and _INTEGER.match(value) else 0


def text(value: Any) -> str:
    """Return the text that a field holds; empty if it is a list or a mapping."""
    return value if isinstance(value, str) else ""


def mapping(value: Any) -> Mapping[str, Any]:
    """Return the mapping that a field holds; empty if it is none."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """Return the list that a field holds; empty if it is none."""
    return value if isinstance(value, list) else []


def read_documents(content: bytes, path: str) -> Documents:
    """Return the objects of an asset.

    A body that is no YAML makes its object empty and is told in `problems`: one odd
    component should not hide a scene. Of objects with one file id the first counts.

    Args:
        path: of the asset, for messages.

    Raises:
        UnityProjectError: the whole file is not what Unity writes as text.
    """
    source = _source(content, path)
    by_id: dict[int, Document] = {}
    problems: list[str] = []
    headers = [*_HEADER.finditer(source)]
    ends = [header.start() for header in headers[1:]]
    for header, end in zip(headers, [*ends, len(source)], strict=False):
        file_id = int(header[2])
        if file_id in by_id:
            problems.append(f"{path} has two objects &{file_id}; the first is shown.")
            continue
        body = source[header.end() : end]
        try:
            root = read_body(body)
        except yaml.YAMLError as error:
            line = source.count("\n", 0, header.start()) + 1
            root = {found[1]: {}} if (found := _KIND.match(body)) else {}
            problems.append(
                f"{path}: the object &{file_id} in line {line} is read as empty, since "
                f"it is no YAML: {getattr(error, 'problem', None) or error}."
            )
        kind, fields = next(iter(mapping(root).items()), ("", {}))
        by_id[file_id] = Document(
            file_id, int(header[1]), bool(header[3]), kind, mapping(fields)
        )
    return Documents(path, by_id, tuple(problems))


def _source(content: bytes, path: str) -> str:
    if content.startswith(_LFS):
        raise UnityProjectError(
            "unity",
            f"{path} is a Git LFS pointer; fetch the file with `git lfs pull`.",
        )
    if not content.removeprefix(b"\xef\xbb\xbf").startswith(b"%YAML"):
        raise UnityProjectError(
            "unity",
            f"{path} is binary, or no asset of Unity; set Asset Serialization to Force "
            "Text in the project settings under Editor, and save it again.",
        )
    source = content.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    if found := _CONFLICT.search(source):
        line = source.count("\n", 0, found.start()) + 1
        raise UnityProjectError(
            "unity",
            f"{path} has a merge conflict in line {line}; resolve it first.",
        )
    return _UNPRINTABLE.sub("\ufffd", source)
