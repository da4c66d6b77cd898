"""project.info and project.scenes.list."""

from __future__ import annotations

import pytest

from echidna_mcp_plugins.editor.unity.errors import UnityProjectError
from echidna_mcp_plugins.editor.unity.project import UnityProject


def scene(path, index, enabled):
    name = path.rpartition("/")[2].removesuffix(".unity")
    return {
        "path": path,
        "name": name,
        "enabledInBuild": enabled,
        "buildIndex": index,
    }


BUILT = [
    scene("Assets/Levels/Cave.unity", 2, True),
    scene("Assets/Scenes/Gone.unity", 3, True),
    scene("Assets/Scenes/Main.unity", 0, True),
]
OTHERS = [
    scene("Assets/Scenes/Binary.unity", -1, False),
    scene("Assets/Scenes/Conflict.unity", -1, False),
    scene("Assets/Scenes/Pointer.unity", -1, False),
    scene("Assets/Scenes/Prefabs.unity", 1, False),
]
TOLD = [
    (
        "The build profile Assets/Settings/Build Profiles/Web.asset has a list of "
        "scenes of its own, which is not shown."
    ),
    (
        "The build settings name 'Assets/Scenes/Gone.unity', which does not exist; "
        "remove it there."
    ),
]


@pytest.mark.parametrize(
    ("included", "expected"),
    [
        (None, sorted(BUILT + OTHERS, key=lambda each: each["path"])),
        (True, BUILT),
        (False, OTHERS),
    ],
)
def test_scenes_are_listed_by_path_and_a_moved_one_by_its_guid(
    orchard, included, expected
):
    assert orchard.scenes(included) == {"scenes": expected, "diagnostics": TOLD}


def test_entries_without_guid_count_by_path(antique):
    assert antique.scenes() == {"scenes": [scene("Assets/Old.unity", 0, True)]}


def test_scenes_of_embedded_packages_are_listed_and_those_that_unity_ignores_not(
    workshop,
):
    workshop.asset("ProjectSettings/EditorBuildSettings.asset", "")
    for path in (
        "Packages/com.example.mine/Demo.unity",
        "Packages/com.example.mine/Samples~/Hidden.unity",
        "Assets/.git/Hidden.unity",
        "Assets/CVS/Hidden.unity",
        "Library/PackageCache/com.example.other/Hidden.unity",
    ):
        workshop.asset(path, "")
    assert workshop.open().scenes() == {
        "scenes": [scene("Packages/com.example.mine/Demo.unity", -1, False)]
    }


def test_a_project_says_what_it_is(orchard):
    found = orchard.info()
    path = found.pop("projectPath")
    assert path.endswith("tests/editor/projects/orchard")
    assert found == {
        "projectName": "Orchard",
        "unityVersion": "2022.3.10f1",
        "renderPipeline": "URP",  # of the current quality level
        "buildTargets": ["Android", "Standalone", "WebGL", "iOS"],
    }


def test_without_settings_there_are_defaults_and_sentences(workshop):
    found = workshop.open().info()
    assert found == {
        "projectName": "project",
        "unityVersion": "6000.0.1f1",
        "renderPipeline": "Built-in",
        "buildTargets": [],
        "projectPath": workshop.root.resolve().as_posix(),
        "diagnostics": [
            f"ProjectSettings/{name}.asset can't be read: No such file or directory."
            for name in (
                "ProjectSettings",
                "EditorSettings",
                "QualitySettings",
                "GraphicsSettings",
            )
        ],
    }


@pytest.mark.parametrize(
    ("script", "expected", "told"),
    [
        ("guid: 0cf1dab834d4ec34195b920ea7bbf9ec", "HDRP", 0),
        (f"guid: {'5' * 32}", "ToonPipeline", 0),
        (f"guid: {'6' * 32}", "Custom", 1),
    ],
)
def test_a_pipeline_is_told_by_the_class_of_its_asset(workshop, script, expected, told):
    workshop.asset(
        "ProjectSettings/GraphicsSettings.asset",
        "--- !u!30 &1\nGraphicsSettings:\n  m_CustomRenderPipeline: {fileID: 11400000, "
        f"guid: {'4' * 32}, type: 2}}\n",
    )
    for name in ("ProjectSettings", "EditorSettings", "QualitySettings"):
        workshop.asset(f"ProjectSettings/{name}.asset", "")
    workshop.asset(
        "Assets/Pipeline.asset",
        "--- !u!114 &11400000\nMonoBehaviour:\n"
        f"  m_Script: {{fileID: 11500000, {script}, type: 3}}\n",
        "4" * 32,
    )
    workshop.write("Assets/ToonPipeline.cs", "", "5" * 32)
    found = workshop.open().info()
    assert found["renderPipeline"] == expected
    assert len(found.get("diagnostics", [])) == told


def test_a_project_that_keeps_binary_assets_is_told(workshop):
    workshop.asset(
        "ProjectSettings/EditorSettings.asset",
        "--- !u!159 &1\nEditorSettings:\n  m_SerializationMode: 0\n",
    )
    told = workshop.open().info()["diagnostics"]
    assert (
        "Assets may be binary, and can't be read then; set Asset Serialization to Force"
        " Text in the project settings under Editor."
    ) in told


def test_a_folder_that_is_no_project_is_refused(tmp_path):
    with pytest.raises(UnityProjectError) as refused:
        UnityProject(tmp_path)
    assert refused.value.kind == "not_found"
    assert refused.value.message == (
        f"{tmp_path} is no Unity project; give the folder that holds Assets and "
        "ProjectSettings/ProjectVersion.txt."
    )
