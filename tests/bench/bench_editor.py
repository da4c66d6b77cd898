"""Processor time in which the editor's tools answer on a scene of 100 kB.

Run it: `python tests/bench/bench_editor.py`. Cold is the first question to a project,
warm the same question again. The project is made here: a scene with 110 objects of its
own and 60 instances of a prefab of 20 objects, and 5,000 assets with a `.meta` each.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from echidna_mcp_plugins.editor.unity.project import UnityProject

SCENE = "Assets/Main.unity"
PREFAB = f"{1:032x}"
SCRIPT = f"{2:032x}"
ASSETS = 5_000
ROUNDS = 9
HEAD = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"
OBJECT = """--- !u!1 &{id}0
GameObject:
  m_ObjectHideFlags: 0
  m_CorrespondingSourceObject: {{fileID: 0}}
  m_Component:
  - component: {{fileID: {id}1}}
  - component: {{fileID: {id}2}}
  m_Layer: 0
  m_Name: Object {id}
  m_TagString: Untagged
  m_IsActive: 1
--- !u!4 &{id}1
Transform:
  m_GameObject: {{fileID: {id}0}}
  m_LocalRotation: {{x: 0, y: 0, z: 0, w: 1}}
  m_LocalPosition: {{x: 1, y: 2.5, z: -3}}
  m_Children: []
  m_Father: {{fileID: {father}}}
--- !u!114 &{id}2
MonoBehaviour:
  m_GameObject: {{fileID: {id}0}}
  m_Enabled: 1
  m_Script: {{fileID: 11500000, guid: {script}, type: 3}}
  speed: 1.5
  target: {{fileID: {id}1}}
"""
INSTANCE = """--- !u!1001 &{id}
PrefabInstance:
  m_Modification:
    m_TransformParent: {{fileID: 0}}
    m_Modifications:
    - target: {{fileID: 1000, guid: {prefab}, type: 3}}
      propertyPath: m_Name
      value: Instance {id}
      objectReference: {{fileID: 0}}
    - target: {{fileID: 1001, guid: {prefab}, type: 3}}
      propertyPath: m_LocalPosition.x
      value: 4
      objectReference: {{fileID: 0}}
    m_RemovedComponents: []
  m_SourcePrefab: {{fileID: 100100000, guid: {prefab}, type: 3}}
"""


def tree(count: int) -> str:
    """Return objects below one of them."""
    ids = range(100, 100 + count)
    return "".join(
        OBJECT.format(id=n, father=0 if n == 100 else 1001, script=SCRIPT) for n in ids
    )


def write(root: Path, path: str, text: str, guid: str) -> None:
    """Write an asset and its `.meta`."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    Path(f"{target}.meta").write_text(f"fileFormatVersion: 2\nguid: {guid}\n")


def make_project(root: Path) -> int:
    """Write the project; return the size of its scene in bytes."""
    version = root / "ProjectSettings" / "ProjectVersion.txt"
    version.parent.mkdir(parents=True)
    version.write_text("m_EditorVersion: 2022.3.10f1\n")
    write(root, "Assets/P.prefab", HEAD + tree(20), PREFAB)
    write(root, "Assets/Mover.cs", "", SCRIPT)
    instances = "".join(
        INSTANCE.format(id=n << 20, prefab=PREFAB) for n in range(1, 61)
    )
    write(root, SCENE, HEAD + tree(110) + instances, f"{3:032x}")
    for n in range(ASSETS):
        write(root, f"Assets/Art/{n % 50}/{n}.png", "", f"{n + 1000:032x}")
    return (root / SCENE).stat().st_size


def milliseconds(answer: Callable[[], object]) -> float:
    """Return the processor time of one answer."""
    start = time.process_time()
    answer()
    return 1000 * (time.process_time() - start)


def main() -> None:
    """Print one line for each tool that reads a scene."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        size = make_project(root)
        print(f"scene of {size / 1000:.0f} kB, {ASSETS} assets beside it")
        print(f"{'tool':24} {'cold ms':>8} {'warm ms':>8}")
        questions: dict[str, Callable[[UnityProject], object]] = {
            "scene.hierarchy.dump": lambda p: p.hierarchy(SCENE),
            "scene.objects.find": lambda p: p.find_objects(SCENE, name_pattern="In*"),
            "scene.components.list": lambda p: p.components(SCENE, "Object 100"),
            "project.scenes.list": lambda p: p.scenes(),
        }
        for name, question in questions.items():
            cold, warm = [], []
            for _ in range(ROUNDS):
                project = UnityProject(root)
                cold.append(milliseconds(lambda: question(project)))  # noqa: B023
                warm.append(milliseconds(lambda: question(project)))  # noqa: B023
            print(
                f"{name:24} {statistics.median(cold):>8.1f}"
                f" {statistics.median(warm):>8.1f}"
            )


if __name__ == "__main__":
    main()
