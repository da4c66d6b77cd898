"""The tools of the family `editor`: a Unity project, read from disk (`docs/editor.md`).

Definitions: `contracts/editor`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from echidna_mcp import __version__
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.plugins import hookimpl
from echidna_mcp.tools.display import shown
from echidna_mcp.wording import closest, did_you_mean
from echidna_mcp_plugins.editor._generated import tools as generated
from echidna_mcp_plugins.editor.definitions import definition_of, summary_of
from echidna_mcp_plugins.editor.errors import (
    EDITOR_ERRORS,
    AssetNotFoundError,
    UnityFileError,
)
from echidna_mcp_plugins.editor.unity.errors import UnityProjectError
from echidna_mcp_plugins.editor.unity.project import UnityProject

if TYPE_CHECKING:
    from echidna_mcp.tools.rendering import ErrorRenderer
    from echidna_mcp.tools.tool import CallContext, Tool
    from echidna_mcp_plugins.editor._generated import inputs, outputs

DIRECTORY: Final = "unity-project"
"""Where the project is, among the directories that tools were told of."""


class EditorTools:
    """Handlers of the tools, and the projects that they have opened."""

    def __init__(self) -> None:
        self._projects: dict[Path, UnityProject] = {}

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools with their handlers."""
        return (
            generated.mcp_server_info_tool(self.server_info),
            generated.mcp_tools_list_tool(self.list_tools),
            generated.mcp_tool_describe_tool(self.describe_tool),
            generated.project_info_tool(self.project_info),
            generated.project_scenes_list_tool(self.list_scenes),
            generated.scene_hierarchy_dump_tool(self.dump_hierarchy),
            generated.scene_objects_find_tool(self.find_objects),
            generated.scene_components_list_tool(self.list_components),
            generated.audio_mixer_list_tool(self.list_mixers),
            generated.audio_mixer_snapshot_read_tool(self.read_snapshot),
        )

    async def server_info(
        self, _args: inputs.McpServerInfoInput, context: CallContext
    ) -> outputs.McpServerInfoOutput:
        """Tell what serves; without a project, no version of Unity."""
        info: outputs.McpServerInfoOutput = {
            "serverVersion": __version__,
            "platform": sys.platform,
            "enabledToolCategories": sorted({each.category for each in context.tools}),
            "tier": context.principal.tier,
            "toolCount": len(context.tools),
        }
        if DIRECTORY in context.directories:
            info["unityVersion"] = await self._ask(
                context, lambda project: project.unity_version
            )
        return info

    async def list_tools(
        self, args: inputs.McpToolsListInput, context: CallContext
    ) -> outputs.McpToolsListOutput:
        """List the tools that the caller may call."""
        category = None if args.category is None else args.category.lower()
        listed = [
            summary_of(spec)
            for spec in context.tools
            if category in {None, spec.category.lower()}
            and args.tier in {None, spec.tier}
        ]
        return cast("outputs.McpToolsListOutput", {"tools": listed})

    async def describe_tool(
        self, args: inputs.McpToolDescribeInput, context: CallContext
    ) -> outputs.McpToolDescribeOutput:
        """Give the definition of a tool that the caller may call."""
        for spec in context.tools:
            if args.tool_id in {spec.name, *spec.aliases}:
                return cast("outputs.McpToolDescribeOutput", definition_of(spec))
        names = [spec.name for spec in context.tools]
        hint = did_you_mean(closest(args.tool_id, names, 1), "mcp.tools.list has them.")
        raise AssetNotFoundError(f"There is no tool {shown(args.tool_id)}; {hint}")

    async def project_info(
        self, _args: inputs.ProjectInfoInput, context: CallContext
    ) -> outputs.ProjectInfoOutput:
        """Tell what the project is."""
        return cast(
            "outputs.ProjectInfoOutput", await self._ask(context, UnityProject.info)
        )

    async def list_scenes(
        self, args: inputs.ProjectScenesListInput, context: CallContext
    ) -> outputs.ProjectScenesListOutput:
        """List scenes."""
        answer = await self._ask(
            context, lambda project: project.scenes(args.include_in_build)
        )
        return cast("outputs.ProjectScenesListOutput", answer)

    async def dump_hierarchy(
        self, args: inputs.SceneHierarchyDumpInput, context: CallContext
    ) -> outputs.SceneHierarchyDumpOutput:
        """Give the objects of a scene."""
        answer = await self._ask(
            context, lambda project: project.hierarchy(args.scene_path)
        )
        return cast("outputs.SceneHierarchyDumpOutput", answer)

    async def find_objects(
        self, args: inputs.SceneObjectsFindInput, context: CallContext
    ) -> outputs.SceneObjectsFindOutput:
        """Find objects of a scene."""
        answer = await self._ask(
            context,
            lambda project: project.find_objects(
                args.scene_path,
                args.component_type,
                args.name_pattern,
                args.tag,
                args.layer,
            ),
        )
        return cast("outputs.SceneObjectsFindOutput", answer)

    async def list_components(
        self, args: inputs.SceneComponentsListInput, context: CallContext
    ) -> outputs.SceneComponentsListOutput:
        """List the components of an object."""
        answer = await self._ask(
            context,
            lambda project: project.components(args.scene_path, args.game_object_path),
        )
        return cast("outputs.SceneComponentsListOutput", answer)

    async def list_mixers(
        self, _args: inputs.AudioMixerListInput, context: CallContext
    ) -> outputs.AudioMixerListOutput:
        """List audio mixers."""
        return cast(
            "outputs.AudioMixerListOutput",
            await self._ask(context, UnityProject.mixers),
        )

    async def read_snapshot(
        self, args: inputs.AudioMixerSnapshotReadInput, context: CallContext
    ) -> outputs.AudioMixerSnapshotReadOutput:
        """Read a snapshot of an audio mixer."""
        answer = await self._ask(
            context,
            lambda project: project.snapshot(args.mixer_path, args.snapshot_name),
        )
        return cast("outputs.AudioMixerSnapshotReadOutput", answer)

    async def _ask(
        self, context: CallContext, question: Callable[[UnityProject], Any]
    ) -> Any:
        """Ask the project, beside the event loop: a large scene takes its time.

        Raises:
            InvalidInputError: an argument is wrong.
            AssetNotFoundError: what was named is not there.
            UnityFileError: a file can't be read, or there is no project.
        """
        try:
            return await asyncio.to_thread(self._answer, context, question)
        except UnityProjectError as error:
            match error.kind:
                case "validation":
                    raise InvalidInputError(error.message) from error
                case "not_found":
                    raise AssetNotFoundError(error.message) from error
                case "unity":
                    raise UnityFileError(error.message) from error

    def _answer(
        self, context: CallContext, question: Callable[[UnityProject], Any]
    ) -> Any:
        root = context.directories.get(DIRECTORY)
        if root is None:
            raise UnityFileError(
                "No Unity project is served; start the server with --unity-project DIR."
            )
        if root not in self._projects:
            self._projects[root] = UnityProject(root)
        return question(self._projects[root])


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tools (hook)."""
    return EditorTools().tools()


@hookimpl
def register_error_renderers() -> Sequence[ErrorRenderer]:
    """Offer how their failures look (hook)."""
    return (EDITOR_ERRORS,)
