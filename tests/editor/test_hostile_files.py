"""Whatever stands in the files: an answer, or the one exception of the package."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unity_workshop import HEAD, Workshop

from echidna_mcp_plugins.editor.unity.documents import read_documents
from echidna_mcp_plugins.editor.unity.errors import UnityProjectError
from echidna_mcp_plugins.editor.unity.hierarchy import MOST_ID

SCENE = "Assets/A.unity"
PREFAB = "a" * 32
SELF = "b" * 32

# What JSON may hold as it is and YAML reads as a line break is left out.
texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=5)
ids = st.sampled_from([0, 1, 2, 3, 4, 5, -1, 65536, 2**53 + 1, 2**63 - 1, -(2**63)])
references = st.builds(
    lambda file_id, guid: {"fileID": file_id, **({"guid": guid} if guid else {})},
    ids,
    st.sampled_from(["", "", PREFAB, SELF, "c" * 32]),
)
leaves = st.one_of(
    references,
    texts,
    st.sampled_from(["0", "1", "-3", "1e400", "m_Name", "2147483648", "9" * 30]),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner)),
    max_leaves=5,
)
changes = st.lists(
    st.fixed_dictionaries(
        {
            "target": references,
            "propertyPath": st.sampled_from(
                [
                    *("m_Name", "m_RootOrder", "m_Layer", "m_IsActive", "m_Children"),
                    *("a.Array.size", "a.Array.data[0]", "a..b", "Array.size", ""),
                ]
            ),
            "value": leaves,
            "objectReference": references,
        }
    ),
    max_size=3,
)
modifications = st.fixed_dictionaries(
    {},
    optional={
        "m_TransformParent": references,
        "m_Modifications": st.one_of(changes, values),
        "m_RemovedComponents": st.one_of(st.lists(references, max_size=2), values),
        "m_RemovedGameObjects": st.one_of(st.lists(references, max_size=2), values),
        "m_AddedGameObjects": st.lists(
            st.fixed_dictionaries(
                {"addedObject": references, "insertIndex": st.integers(-2, 3)}
            ),
            max_size=2,
        ),
    },
)
listed = st.lists(references, max_size=3)
fields = st.fixed_dictionaries(
    {},
    optional={
        "m_GameObject": references,
        "m_Component": st.lists(
            st.dictionaries(st.sampled_from(["component", "4"]), references, max_size=1)
        ),
        "m_Father": references,
        "m_Children": st.one_of(listed, values),
        "m_Roots": st.one_of(listed, values),
        "m_RootOrder": leaves,
        "m_Script": st.one_of(references, values),
        "m_PrefabInstance": references,
        "m_PrefabInternal": references,
        "m_CorrespondingSourceObject": references,
        "m_SourcePrefab": references,
        "m_Modification": st.one_of(modifications, values),
        "m_Layer": leaves,
        "a": values,
        "m_Snapshots": listed,
        "m_MasterGroup": references,
        "m_Effects": listed,
        "m_FloatValues": values,
        "m_Scenes": values,
        "layers": values,
    },
)
classes = st.sampled_from([1, 1, 1, 4, 4, 4, 224, 114, 20, 1001, 1001, 1660057539])
mixer_classes = st.sampled_from([241, 243, 244, 245, 1045, 78])


def documents(of):
    return st.lists(st.tuples(of, ids, st.booleans(), fields), max_size=8)


def written(parts):
    """Documents as text; GameObjects that are not stripped have a name of their own."""
    bodies = []
    for class_id, file_id, stripped, members in parts:
        plain = class_id == 1 and not stripped
        named = {**members, "m_Name": f"own{file_id}"} if plain else members
        mark = " stripped" if stripped else ""
        # JSON is YAML, but for surrogate pairs.
        body = json.dumps(named, ensure_ascii=False)
        bodies.append(f"--- !u!{class_id} &{file_id}{mark}\nK: {body}\n")
    return "".join(bodies)


def ask(project, path=SCENE):
    """Ask everything; return the dump, None if it is refused."""
    dump = None
    with suppress(UnityProjectError):
        dump = project.hierarchy(path)
        json.dumps(dump, allow_nan=False)
    for question in (
        project.info,
        project.scenes,
        project.mixers,
        lambda: project.find_objects(path, component_type="Transform"),
        lambda: project.snapshot("Assets/A.mixer", ""),
        *(
            lambda name=each["name"]: project.components(path, name)
            for each in (dump or {"rootObjects": []})["rootObjects"]
        ),
    ):
        with suppress(UnityProjectError):
            json.dumps(question(), allow_nan=False)
    return dump


def flat(nodes):
    for each in nodes:
        yield each
        yield from flat(each["children"])


@given(st.binary(max_size=200), st.booleans())
def test_random_bytes_are_an_answer_or_the_one_error(content, with_head):
    with tempfile.TemporaryDirectory() as place:
        workshop = Workshop(Path(place) / "project")
        content = HEAD.encode() * with_head + content
        for path in (
            *(SCENE, "Assets/A.mixer", "ProjectSettings/ProjectVersion.txt"),
            *("ProjectSettings/TagManager.asset", "Assets/A.prefab.meta"),
            *("ProjectSettings/EditorBuildSettings.asset", "Assets/A.prefab"),
        ):
            workshop.write(path, content)
        ask(workshop.open())


@given(st.text(max_size=200), ids)
def test_random_bodies_are_an_answer_or_the_one_error(body, file_id):
    content = f"{HEAD}--- !u!114 &{file_id}\n{body}".encode("utf-8", "replace")
    with suppress(UnityProjectError):
        read_documents(content, SCENE)


@settings(max_examples=80)
@given(documents(classes), documents(classes), documents(mixer_classes))
def test_random_documents_are_answered_and_no_object_is_lost_or_doubled(
    scene, prefab, others
):
    with tempfile.TemporaryDirectory() as place:
        workshop = Workshop(Path(place) / "project")
        workshop.asset(SCENE, written(scene), SELF)
        workshop.asset("Assets/P.prefab", written(prefab).replace("own", "P"), PREFAB)
        for path in (
            *("Assets/A.mixer", "ProjectSettings/TagManager.asset"),
            "ProjectSettings/EditorBuildSettings.asset",
        ):
            workshop.asset(path, written(others))
        found = ask(workshop.open())
        assert found is not None  # The file itself is well-formed.
        nodes = [*flat(found["rootObjects"])]
        numbers = [each["instanceId"] for each in nodes]
        assert len(set(numbers)) == len(numbers)
        assert all(0 < number <= MOST_ID for number in numbers)
        by_id = {}
        for class_id, file_id, stripped, _ in scene:
            by_id.setdefault(file_id, (class_id, stripped))
        own = sorted(
            f"own{file_id}" for file_id, kind in by_id.items() if kind == (1, False)
        )
        assert sorted(n["name"] for n in nodes if n["name"].startswith("own")) == own


@pytest.mark.parametrize(
    "body",
    [
        "a: " + "[" * 100_000,
        "a:\n" + "".join(" " * n + "- \n" for n in range(1, 500)),
        "- " * 10_000 + "x",
        "a: &x [1]\nb: [*x, *x]",
        "? [a]\n: b",
        "a: !!python/object:os.system x",
        "a: !<tag:yaml.org,2002:int> 1",
        "%YAML 9.9",
        "---\n--- a",
        "\t",
        "<<: {a: 1}",
    ],
)
def test_bodies_that_would_harm_a_common_reader_are_harmless(body):
    content = f"{HEAD}--- !u!114 &1\n{body}\n--- !u!1 &2\nGameObject:\n  m_Name: B\n"
    found = read_documents(content.encode(), SCENE)
    assert found.by_id[2].fields == {"m_Name": "B"}


def test_aliases_do_not_multiply():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    content = f"{HEAD}--- !u!114 &1\n" + "\n".join(lines)
    found = read_documents(content.encode(), SCENE)
    assert found.problems == (
        (
            f"{SCENE}: the object &1 in line 3 is read as empty, since it is no YAML: "
            "aliases are not known to Unity."
        ),
    )


def test_long_names_at_every_level_do_not_multiply(workshop):
    parts = []
    for n in range(1, 60):
        father = 10 * (n - 1) + 1 if n > 1 else 0
        parts.append(
            f"--- !u!1 &{10 * n}\nGameObject:\n  m_Component:\n  - component: "
            f"{{fileID: {10 * n + 1}}}\n  m_Name: {'n' * 1000}\n"
            f"--- !u!4 &{10 * n + 1}\nTransform:\n"
            f"  m_GameObject: {{fileID: {10 * n}}}\n"
            f"  m_Father: {{fileID: {father}}}\n"
        )
    workshop.asset(SCENE, "".join(parts))
    found = workshop.open().hierarchy(SCENE)
    assert max(len(each["path"]) for each in flat(found["rootObjects"])) < 6000
    assert "are not shown" in found["diagnostics"][0]
