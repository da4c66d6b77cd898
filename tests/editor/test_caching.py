"""Answers follow the files, however much was read before."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from echidna_mcp_plugins.editor.unity.cache import DocumentCache
from echidna_mcp_plugins.editor.unity.paths import ProjectFiles

MAIN = "Assets/Scenes/Main.unity"


def scene(name):
    return f"--- !u!1 &1\nGameObject:\n  m_Name: {name}\n"


def root_names(project, path="Assets/A.unity"):
    return [each["name"] for each in project.hierarchy(path)["rootObjects"]]


def instance(guid):
    return (
        "--- !u!1001 &65536\nPrefabInstance:\n  m_Modification: {}\n"
        f"  m_SourcePrefab: {{fileID: 100100000, guid: {guid}, type: 3}}\n"
    )


def test_a_changed_scene_is_read_again(workshop):
    workshop.asset("Assets/A.unity", scene("Before"))
    project = workshop.open()
    assert root_names(project) == ["Before"]
    workshop.asset("Assets/A.unity", scene("After the change"))
    assert root_names(project) == ["After the change"]


def test_a_change_that_keeps_the_size_is_seen_by_its_time(workshop):
    workshop.asset("Assets/A.unity", scene("One"))
    project = workshop.open()
    assert root_names(project) == ["One"]
    workshop.asset("Assets/A.unity", scene("Two"))
    path = workshop.root / "Assets/A.unity"
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))
    assert root_names(project) == ["Two"]


def test_moved_changed_and_removed_prefabs_are_seen(workshop):
    guid = "a" * 32
    workshop.asset("Assets/A.unity", instance(guid))
    project = workshop.open()
    assert root_names(project) == ["Missing Prefab"]
    workshop.asset("Assets/P.prefab", scene("P"), guid)
    assert root_names(project) == ["P"]
    (workshop.root / "Assets/Sub").mkdir()
    for name in ("P.prefab", "P.prefab.meta"):
        (workshop.root / "Assets" / name).rename(workshop.root / "Assets/Sub" / name)
    assert root_names(project) == ["P"]
    workshop.asset("Assets/Sub/P.prefab", scene("Changed"))
    assert root_names(project) == ["Changed"]
    workshop.write("Assets/Sub/P.prefab.meta", f"guid: {'b' * 32}\nchanged: 1\n")
    assert root_names(project) == ["Missing Prefab"]


def test_of_two_assets_with_one_guid_the_first_by_path_counts(workshop):
    guid = "a" * 32
    workshop.asset("Assets/A.unity", instance(guid))
    workshop.asset("Assets/Q.prefab", scene("Q"), guid)
    project = workshop.open()
    assert root_names(project) == ["Q"]
    workshop.asset("Assets/P.prefab", scene("P"), guid)
    assert root_names(project) == ["P"]
    assert root_names(workshop.open()) == ["P"]


def test_answers_do_not_change_what_is_kept(orchard):
    path = "Assets/Scenes/Prefabs.unity"
    first = orchard.hierarchy(path)
    fields = orchard.components(path, "Orchard/Tree A/Apple")
    orchard.components(path, "Orchard/Tree A")
    assert orchard.hierarchy(path) == first
    assert orchard.components(path, "Orchard/Tree A/Apple") == fields


def test_files_are_kept_up_to_a_bound_and_the_oldest_is_forgotten(workshop):
    for name in "ABC":
        workshop.asset(f"Assets/{name}.unity", scene(name * 100))
    size = (workshop.root / "Assets/A.unity").stat().st_size
    cache = DocumentCache(ProjectFiles(workshop.root), most=2 * size)
    a, b = (cache.read(f"Assets/{name}.unity") for name in "AB")
    assert cache.read("Assets/A.unity") is a
    cache.read("Assets/C.unity")
    assert cache.read("Assets/A.unity") is a
    assert cache.read("Assets/B.unity") is not b
    assert cache.read("Assets/B.unity").by_id == b.by_id


def test_threads_get_the_answers_of_one(orchard):
    expected = orchard.hierarchy(MAIN)
    with ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(orchard.hierarchy, [MAIN] * 32)]
    assert answers == [expected] * 32
