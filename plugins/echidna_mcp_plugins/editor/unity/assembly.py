"""A scene, or a prefab, from its file and from the prefabs that it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

from echidna_mcp_plugins.editor.unity.diagnostics import Diagnostics
from echidna_mcp_plugins.editor.unity.documents import (
    GAME_OBJECT,
    PREFAB_INSTANCE,
    SCENE_ROOTS,
    TRANSFORMS,
    Document,
    Documents,
    integer,
    mapping,
    reference,
    sequence,
)
from echidna_mcp_plugins.editor.unity.errors import UnityProjectError
from echidna_mcp_plugins.editor.unity.nesting import Place, nest
from echidna_mcp_plugins.editor.unity.objects import (
    MISSING_SCRIPT,
    Component,
    Content,
    GameObject,
    Scope,
    game_object,
    nested_id,
    owner_of,
)
from echidna_mcp_plugins.editor.unity.prefab import (
    PrefabInstance,
    apply,
    prefab_instance,
    source_of,
    stand_in,
)

_MOST_DEPTH: Final = 16
"""Prefabs in prefabs in a scene."""
_MOST_OBJECTS: Final = 200_000
"""Documents that the prefabs of a scene may bring: each level of nesting multiplies."""


class Assembler:
    """Puts files together to what Unity would load.

    Args:
        read: gives the documents of an asset.
        by_guid: paths of assets.
        diagnostics: takes what could not be resolved.
    """

    def __init__(
        self,
        read: Callable[[str], Documents],
        by_guid: Mapping[str, str],
        diagnostics: Diagnostics,
    ) -> None:
        self._read = read
        self._by_guid = by_guid
        self._diagnostics = diagnostics
        self._brought = 0

    def assemble(self, path: str, chain: tuple[str, ...] = ()) -> Content:
        """Return what a scene or prefab holds.

        Args:
            chain: the files that hold this one, outermost first.

        Raises:
            UnityProjectError: the file can't be read; what it holds never raises.
        """
        documents = self._read(path)
        if chain:
            self._brought += len(documents.by_id)
        for problem in documents.problems:
            self._diagnostics.add(problem)
        return _File(documents, self._expand, (*chain, path), self._diagnostics).load()

    def _expand(
        self, instance: PrefabInstance, scope: Scope, chain: tuple[str, ...]
    ) -> Content:
        """Return a prefab as an instance changes it, with the ids of the outer file."""
        path = self._by_guid.get(instance.source.guid, "")
        found, problem = self._source(path, chain)
        content = found or stand_in(
            instance, PurePosixPath(path).stem or "Missing Prefab"
        )
        unmatched = apply(instance, content, scope)
        if problem:
            self._diagnostics.add(
                f"{chain[-1]}: of the prefab instance &{instance.file_id}, "
                f"{content.roots[0].name!r}, only the root is shown, since {problem}."
            )
        elif unmatched and not content.incomplete:
            self._diagnostics.add(
                f"{chain[-1]}: the prefab instance &{instance.file_id} of {path} has "
                "overrides without effect, since the prefab does not have their "
                f"objects: {unmatched}."
            )
        content.rebase(instance.file_id)
        return content

    def _source(self, path: str, chain: tuple[str, ...]) -> tuple[Content | None, str]:
        """Return what a prefab holds; or None, and why it can't be shown."""
        if problem := self._refusal(path, chain):
            return None, problem
        try:
            content = self.assemble(path, chain)
        except UnityProjectError as error:
            return None, error.message.rstrip(".")
        return (content, "") if content.roots else (None, f"{path} holds no GameObject")

    def _refusal(self, path: str, chain: tuple[str, ...]) -> str:
        """Return why a prefab is not read; empty if it is."""
        if not path:
            return "no asset of the project has its prefab's guid"
        if not path.endswith(".prefab"):
            return f"{path} is a model, which is not kept as text"
        if path in chain:
            return f"{path} would contain itself"
        if len(chain) > _MOST_DEPTH:
            return f"prefabs are nested more than {_MOST_DEPTH} deep"
        if self._brought > _MOST_OBJECTS:
            return f"prefabs bring more than {_MOST_OBJECTS} objects to the scene"
        return ""


class _File:
    """One file on its way to `Content`."""

    def __init__(
        self,
        documents: Documents,
        expand: Callable[[PrefabInstance, Scope, tuple[str, ...]], Content],
        chain: tuple[str, ...],
        diagnostics: Diagnostics,
    ) -> None:
        self._documents = documents
        self._expand = expand
        self._chain = chain
        self._diagnostics = diagnostics
        self._scope: Scope = {}
        self._members: list[GameObject | Component] = []
        self._own: dict[int, GameObject] = {}
        self._instances: dict[int, tuple[PrefabInstance, Content]] = {}

    def load(self) -> Content:
        """Return what the file holds; once."""
        for document in self._documents.of(GAME_OBJECT):
            made = self._own[document.file_id] = game_object(document)
            self._enter(document.file_id, made)
        self._load_instances()
        self._load_stripped()
        insert_at = {
            file_id: index
            for instance, _ in self._instances.values()
            for file_id, index in instance.insert_at.items()
        }
        self._load_components(insert_at)
        roots = nest(
            self._places(), self._scope, insert_at, self._root_order(), self._report
        )
        for file_id, (_, content) in self._instances.items():
            for source, member in content.scope.items():
                self._scope.setdefault(nested_id(file_id, source), member)
        incomplete = any(c.incomplete for _, c in self._instances.values())
        return Content(roots, self._scope, self._members, incomplete)

    def _enter(self, file_id: int, made: GameObject | Component) -> None:
        self._scope[file_id] = made
        self._members.append(made)

    def _report(self, what: str) -> None:
        self._diagnostics.add(f"{self._documents.path}: {what}.")

    def _load_instances(self) -> None:
        # Before Unity 2018.3 an instance could lose its prefab and keep the document:
        # all its objects are in the file then, and are not stripped.
        complete = {
            instance
            for instance, source in map(source_of, self._documents.of(GAME_OBJECT))
            if source
        }
        for document in self._documents.of(PREFAB_INSTANCE):
            instance = prefab_instance(document)
            if instance.source.guid and instance.file_id not in complete:
                content = self._expand(instance, self._scope, self._chain)
                self._instances[instance.file_id] = instance, content
                self._members.extend(content.members)

    def _load_stripped(self) -> None:
        for document in self._documents:
            if not document.stripped:
                continue
            instance, source = source_of(document)
            if instance in self._instances:
                _, content = self._instances[instance]
                found = content.scope.get(source) or self._instead(document, content)
                if found is not None:
                    self._scope[document.file_id] = found

    def _instead(
        self, document: Document, content: Content
    ) -> GameObject | Component | None:
        """Return the root for an object of an instance that is not known.

        It is within a model, or the prefab does not have it any more. What was added to
        it should not be lost.
        """
        if document.class_id not in {GAME_OBJECT, *TRANSFORMS}:
            return None
        root = content.roots[0]
        if document.file_id in self._used:
            self._report(
                f"what was added to &{document.file_id} within {root.name!r} is shown "
                f"at the root of {root.name!r}, since its place is not known"
            )
        return root if document.class_id == GAME_OBJECT else root.transform

    @cached_property
    def _used(self) -> frozenset[int]:
        """File ids of objects at which components or children of the file hang."""
        return frozenset(
            reference(document.fields.get(name)).file_id
            for document in self._documents
            for name in ("m_GameObject", "m_Father")
        )

    def _load_components(self, insert_at: Mapping[int, int]) -> None:
        added: list[Component] = []
        for document in self._documents:
            if document.stripped:
                continue
            owner_id = reference(document.fields.get("m_GameObject")).file_id
            owner = self._scope.get(owner_id)
            if not isinstance(owner, GameObject):
                self._scope.setdefault(document.file_id, document)
                continue
            component = Component(document.file_id, owner, document, self._scope)
            self._enter(document.file_id, component)
            if owner_id not in self._own:
                added.append(component)
        for document in self._documents.of(GAME_OBJECT):
            self._list_components(self._own[document.file_id], document)
        for component in added:
            listed = component.owner.components
            index = insert_at.get(component.file_id, -1)
            listed.insert(index if index >= 0 else len(listed), component)

    def _list_components(self, owner: GameObject, document: Document) -> None:
        listed = set()
        for entry in sequence(document.fields.get("m_Component")):
            # `component: {fileID: …}`; before Unity 5.5 `<class>: {fileID: …}`.
            file_id = reference(next(iter(mapping(entry).values()), None)).file_id
            if file_id and file_id in listed:
                self._report(f"{owner.name!r} lists its component &{file_id} twice")
                continue
            listed.add(file_id)
            found = self._scope.get(file_id)
            if not isinstance(found, Component) or found.owner is not owner:
                found = Component(file_id, owner, None, self._scope, MISSING_SCRIPT)
                self._members.append(found)
            owner.components.append(found)
        transform = owner.transform
        if transform is not None and transform.document is not None:
            owner.root_order = integer(transform.document.fields.get("m_RootOrder"))

    def _places(self) -> list[Place]:
        """Return where everything hangs that this file brings, in its order."""
        places: list[Place] = []
        for document in self._documents:
            if own := self._own.get(document.file_id):
                transform = own.transform
                fields = (
                    transform.document.fields
                    if transform and transform.document
                    else {}
                )
                places.append(
                    Place(
                        own,
                        reference(fields.get("m_Father")).file_id,
                        tuple(
                            reference(each).file_id
                            for each in sequence(fields.get("m_Children"))
                        ),
                    )
                )
            elif found := self._instances.get(document.file_id):
                instance, content = found
                places.extend(Place(r, instance.parent) for r in content.roots)
        return places

    def _root_order(self) -> list[GameObject]:
        """Return the roots in the order that files since Unity 2022.2 give."""
        found: list[GameObject] = []
        for document in self._documents.of(SCENE_ROOTS):
            for each in sequence(document.fields.get("m_Roots")):
                file_id = reference(each).file_id
                if file_id in self._instances:
                    found.extend(self._instances[file_id][1].roots)
                elif root := owner_of(self._scope.get(file_id)):
                    found.append(root)
        return found
