"""A Unity project as the tools see it."""

from __future__ import annotations

import threading
from pathlib import Path, PurePosixPath
from typing import Any, Final

from echidna_mcp_plugins.editor.unity.build_settings import PATH as BUILD_SETTINGS
from echidna_mcp_plugins.editor.unity.build_settings import (
    build_scenes,
    list_scenes,
    tell_profiles,
)
from echidna_mcp_plugins.editor.unity.cache import DocumentCache
from echidna_mcp_plugins.editor.unity.diagnostics import Diagnostics
from echidna_mcp_plugins.editor.unity.errors import UnityProjectError
from echidna_mcp_plugins.editor.unity.guids import AssetIndex, GuidReader
from echidna_mcp_plugins.editor.unity.layers import PATH as LAYERS
from echidna_mcp_plugins.editor.unity.layers import Layers, read_layers
from echidna_mcp_plugins.editor.unity.mixer import Mixer
from echidna_mcp_plugins.editor.unity.paths import ProjectFiles
from echidna_mcp_plugins.editor.unity.scene import Criteria, Scene
from echidna_mcp_plugins.editor.unity.settings import VERSION, Settings, unity_version

_SCENE: Final = (".unity", "scene")
_MIXER: Final = (".mixer", "mixer")


class UnityProject:
    """Answers the questions of the tools, one method each.

    Answers are JSON values in the shape of the tool's definition in `contracts/editor`,
    with `diagnostics`, a list of sentences, if something could not be resolved. They
    depend on the files alone. Methods may be called by several threads.

    Args:
        root: the folder with `Assets` and `ProjectSettings/ProjectVersion.txt`.

    Raises:
        UnityProjectError: there is no such project; so does each method, if its
            arguments are wrong, or name what is not there or can't be read.
    """

    def __init__(self, root: Path) -> None:
        self._files = ProjectFiles(root)
        self._documents = DocumentCache(self._files)
        self._guids = GuidReader(self._files)
        self._lock = threading.Lock()

    @property
    def unity_version(self) -> str:
        """The version of Unity that saved the project, `2022.3.10f1`."""
        return unity_version(self._files.read(VERSION))

    def info(self) -> dict[str, Any]:
        """Answer `project.info`."""
        diagnostics = Diagnostics()
        settings = Settings(self._documents.read, self._assets().by_guid, diagnostics)
        name, targets = settings.player()
        settings.tell_serialization()
        answer = {
            "projectName": name or self._files.root.name,
            "unityVersion": self.unity_version,
            "renderPipeline": settings.render_pipeline(),
            "buildTargets": targets,
            "projectPath": self._files.root.as_posix(),
        }
        return diagnostics.attach(answer)

    def scenes(self, include_in_build: bool | None = None) -> dict[str, Any]:
        """Answer `project.scenes.list`.

        Args:
            include_in_build: only scenes that are built, or only those that are not.
        """
        diagnostics = Diagnostics()
        assets = self._assets()
        try:
            documents = self._documents.read(BUILD_SETTINGS)
            listed = build_scenes(documents)
            for problem in documents.problems:
                diagnostics.add(problem)
        except UnityProjectError as error:
            listed = []
            diagnostics.add(error.message)
        tell_profiles(assets, self._documents.read, diagnostics)
        scenes = [
            scene
            for scene in list_scenes(listed, assets, diagnostics)
            if include_in_build in {None, scene["enabledInBuild"]}
        ]
        return diagnostics.attach({"scenes": scenes})

    def hierarchy(self, scene_path: str) -> dict[str, Any]:
        """Answer `scene.hierarchy.dump`."""
        diagnostics = Diagnostics()
        scene = self._scene(scene_path, diagnostics)
        answer = {"scenePath": scene_path, "rootObjects": scene.hierarchy()}
        return diagnostics.attach(answer)

    def find_objects(
        self,
        scene_path: str,
        component_type: str | None = None,
        name_pattern: str | None = None,
        tag: str | None = None,
        layer: str | None = None,
    ) -> dict[str, Any]:
        """Answer `scene.objects.find`; what is None is no condition.

        Args:
            layer: name or number.
        """
        diagnostics = Diagnostics()
        layers = self._layers(diagnostics)
        criteria = Criteria(
            component_type,
            name_pattern,
            tag,
            None if layer is None else layers.number(layer),
        )
        scene = self._scene(scene_path, diagnostics)
        return diagnostics.attach({"matches": scene.matches(criteria, layers)})

    def components(self, scene_path: str, game_object_path: str) -> dict[str, Any]:
        """Answer `scene.components.list`.

        Args:
            game_object_path: names from the root, joined by slashes, where siblings of
                one name are told apart by an index: `Parent/Child[1]`.
        """
        diagnostics = Diagnostics()
        scene = self._scene(scene_path, diagnostics)
        answer = {
            "gameObjectPath": game_object_path,
            "components": scene.components(game_object_path),
        }
        return diagnostics.attach(answer)

    def mixers(self) -> dict[str, Any]:
        """Answer `audio.mixer.list`; a mixer that can't be read has no groups."""
        diagnostics = Diagnostics()
        mixers: list[dict[str, Any]] = []
        for path in self._assets().ending(_MIXER[0]):
            found: dict[str, Any] = {
                "path": path,
                "name": PurePosixPath(path).stem,
                "groups": [],
                "snapshots": [],
            }
            try:
                mixer = Mixer(self._documents.read(path), diagnostics)
            except UnityProjectError as error:
                diagnostics.add(error.message)
            else:
                found["name"] = mixer.name or found["name"]
                found["groups"] = [
                    {"name": group.name, "path": group.path} for group in mixer.groups
                ]
                found["snapshots"] = [{"name": name} for name in mixer.snapshots()]
            mixers.append(found)
        return diagnostics.attach({"mixers": mixers})

    def snapshot(self, mixer_path: str, snapshot_name: str) -> dict[str, Any]:
        """Answer `audio.mixer.snapshot.read`."""
        diagnostics = Diagnostics()
        path = self._files.find(mixer_path, *_MIXER)
        mixer = Mixer(self._documents.read(path), diagnostics)
        answer = {
            "mixerPath": mixer_path,
            "snapshotName": snapshot_name,
            "parameters": mixer.values(snapshot_name),
        }
        return diagnostics.attach(answer)

    def _assets(self) -> AssetIndex:
        with self._lock:
            return self._guids.read()

    def _scene(self, path: str, diagnostics: Diagnostics) -> Scene:
        path = self._files.find(path, *_SCENE)
        by_guid = self._assets().by_guid
        return Scene(path, self._documents.read, by_guid, diagnostics)

    def _layers(self, diagnostics: Diagnostics) -> Layers:
        try:
            return read_layers(self._documents.read(LAYERS))
        except UnityProjectError as error:
            diagnostics.add(error.message)
            return Layers()
