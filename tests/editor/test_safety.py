"""What lies outside of a project is never read, and nothing is written."""

from __future__ import annotations

import os

import pytest

from echidna_mcp_plugins.editor.unity import paths
from echidna_mcp_plugins.editor.unity.errors import UnityProjectError

SCENE = "--- !u!1 &1\nGameObject:\n  m_Name: Secret\n"


@pytest.fixture
def outside(tmp_path):
    """A scene beside the project."""
    secret = tmp_path / "outside"
    secret.mkdir()
    (secret / "Secret.unity").write_text(
        "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n" + SCENE
    )
    return secret


@pytest.mark.parametrize(
    "path",
    [
        "",
        "Assets/../../outside/Secret.unity",
        "../outside/Secret.unity",
        "/etc/passwd.unity",
        "Assets//A.unity",
        "./Assets/A.unity",
        "Assets\\A.unity",
        "C:/Assets/A.unity",
        "Assets/A.unity:stream.unity",
        "Assets/A\0.unity",
        "Assets/A\n.unity",
        "Assets/\udc80.unity",
        "Assets/" + "a" * 1024 + ".unity",
    ],
)
def test_what_is_no_path_inside_the_project_is_refused(workshop, outside, path):
    workshop.asset("Assets/A.unity", SCENE)
    with pytest.raises(UnityProjectError) as refused:
        workshop.open().hierarchy(path)
    assert refused.value.kind == "validation"
    assert refused.value.message == (
        f"{path[:80]!r} is no path of a scene; write it from the project's root with "
        "slashes, such as 'Assets/Main.unity'."
    )


@pytest.mark.parametrize("path", ["Assets/A.prefab", "Assets/A", "Assets/A.UNITY"])
def test_only_scenes_are_scenes(workshop, path):
    workshop.asset(path, SCENE)
    with pytest.raises(UnityProjectError) as refused:
        workshop.open().hierarchy(path)
    assert refused.value.kind == "validation"
    assert refused.value.message == (
        f"{path!r} is no scene; the name of a scene ends in .unity."
    )


def test_only_mixers_are_mixers(orchard):
    with pytest.raises(UnityProjectError) as refused:
        orchard.snapshot("Assets/Scenes/Main.unity", "Default")
    assert refused.value.message == (
        "'Assets/Scenes/Main.unity' is no mixer; the name of a mixer ends in .mixer."
    )


@pytest.mark.parametrize(
    "path", ["Assets/Nowhere.unity", "Assets/" + "a" * 300 + ".unity"]
)
def test_a_scene_that_does_not_exist_is_not_found(workshop, path):
    with pytest.raises(UnityProjectError) as refused:
        workshop.open().hierarchy(path)
    assert refused.value.kind == "not_found"
    assert refused.value.message == (
        f"The project has no scene {path!r}; list its scenes to see their paths."
    )


@pytest.mark.parametrize("place", ["Assets/Link.unity", "Assets/Folder/Secret.unity"])
def test_a_symbolic_link_out_of_the_project_is_refused(workshop, outside, place):
    (workshop.root / "Assets/Link.unity").symlink_to(outside / "Secret.unity")
    (workshop.root / "Assets/Folder").symlink_to(outside)
    with pytest.raises(UnityProjectError) as refused:
        workshop.open().hierarchy(place)
    assert refused.value.kind == "validation"
    assert refused.value.message == (
        f"{place!r} leads out of the project; name a file inside of it."
    )


def test_a_symbolic_link_inside_of_the_project_may_be_named(workshop):
    workshop.asset("Assets/A.unity", SCENE)
    (workshop.root / "Assets/Link.unity").symlink_to("A.unity")
    found = workshop.open().hierarchy("Assets/Link.unity")
    assert found["rootObjects"][0]["name"] == "Secret"


def test_prefabs_behind_symbolic_links_are_not_searched(workshop, outside):
    guid = "a" * 32
    (outside / "P.prefab").write_text("%YAML 1.1\n" + SCENE)
    (outside / "P.prefab.meta").write_text(f"guid: {guid}\n")
    (workshop.root / "Assets/Folder").symlink_to(outside)
    (workshop.root / "Assets/P.prefab").symlink_to(outside / "P.prefab")
    (workshop.root / "Assets/P.prefab.meta").symlink_to(outside / "P.prefab.meta")
    workshop.asset(
        "Assets/A.unity",
        "--- !u!1001 &65536\nPrefabInstance:\n  m_Modification: {}\n"
        f"  m_SourcePrefab: {{fileID: 100100000, guid: {guid}, type: 3}}\n",
    )
    found = workshop.open().hierarchy("Assets/A.unity")
    assert [each["name"] for each in found["rootObjects"]] == ["Missing Prefab"]


def test_packages_behind_a_link_out_of_the_project_are_not_searched(workshop, outside):
    guid = "a" * 32
    package = outside / "PackageCache" / "com.example"
    package.mkdir(parents=True)
    (package / "Mover.cs").write_text("")
    (package / "Mover.cs.meta").write_text(f"guid: {guid}\n")
    workshop.asset(
        "Assets/A.unity",
        "--- !u!1 &1\nGameObject:\n  m_Component:\n  - component: {fileID: 2}\n"
        "--- !u!114 &2\nMonoBehaviour:\n  m_GameObject: {fileID: 1}\n"
        f"  m_Script: {{fileID: 11500000, guid: {guid}, type: 3}}\n",
    )
    project = workshop.open()
    (workshop.root / "Library").symlink_to(outside)
    (found,) = project.find_objects("Assets/A.unity")["matches"]
    assert found["components"] == ["MonoBehaviour"]
    (workshop.root / "Library").unlink()
    outside.rename(workshop.root / "Library")
    (found,) = project.find_objects("Assets/A.unity")["matches"]
    assert found["components"] == ["Mover"]


def test_a_setting_that_leads_out_of_the_project_is_told_and_not_read(
    workshop, outside
):
    (workshop.root / "ProjectSettings/EditorBuildSettings.asset").symlink_to(
        outside / "Secret.unity"
    )
    assert workshop.open().scenes() == {
        "scenes": [],
        "diagnostics": [
            (
                "'ProjectSettings/EditorBuildSettings.asset' leads out of the project; "
                "name a file inside of it."
            )
        ],
    }


def test_a_pipe_does_not_hang(workshop):
    os.mkfifo(workshop.root / "ProjectSettings/TagManager.asset")
    workshop.asset("Assets/A.unity", SCENE)
    found = workshop.open().find_objects("Assets/A.unity")
    assert found["diagnostics"] == [
        "ProjectSettings/TagManager.asset is no regular file."
    ]


def test_a_folder_is_no_scene(workshop):
    (workshop.root / "Assets/A.unity").mkdir()
    with pytest.raises(UnityProjectError, match="has no scene"):
        workshop.open().hierarchy("Assets/A.unity")


def test_a_file_beyond_the_bound_is_refused(workshop):
    workshop.asset("Assets/A.unity", SCENE)
    with (workshop.root / "Assets/A.unity").open("ab") as file:
        file.truncate(paths.MOST_BYTES + 1)
    with pytest.raises(UnityProjectError) as refused:
        workshop.open().hierarchy("Assets/A.unity")
    assert refused.value.kind == "unity"
    assert "larger than 32 MiB" in refused.value.message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "Binary",
            (
                "is binary, or no asset of Unity; set Asset Serialization to Force "
                "Text in the project settings under Editor, and save it again."
            ),
        ),
        (
            "Pointer",
            "is a Git LFS pointer; fetch the file with `git lfs pull`.",
        ),
        ("Conflict", "has a merge conflict in line 5; resolve it first."),
    ],
)
def test_a_scene_that_is_no_text_of_unity_is_refused(orchard, name, message):
    path = f"Assets/Scenes/{name}.unity"
    with pytest.raises(UnityProjectError) as refused:
        orchard.hierarchy(path)
    assert refused.value.kind == "unity"
    assert refused.value.message == f"{path} {message}"


def test_reading_writes_nothing(workshop):
    workshop.asset("Assets/A.unity", SCENE)
    before = sorted(workshop.root.rglob("*"))
    project = workshop.open()
    project.hierarchy("Assets/A.unity")
    project.info()
    project.scenes()
    project.mixers()
    assert sorted(workshop.root.rglob("*")) == before
