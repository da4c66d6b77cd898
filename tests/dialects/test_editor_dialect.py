"""The dialect of EditorMCP: each of its rules, broken alone, is told alone."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from odd_documents import JSON, mangle

from echidna_mcp.contracts.dialect import dialect_of
from echidna_mcp.errors import ContractDocumentError
from echidna_mcp_plugins.dialects.circular import CIRCULAR
from echidna_mcp_plugins.dialects.editor import EDITOR

# Of the requirement: its complete example, and the parameters it explains.
DEFINITION = {
    "id": "scene.hierarchy.dump",
    "name": "Dump Scene Hierarchy",
    "description": "Returns the complete GameObject hierarchy for a scene, including "
    "components per node and object paths. Cornerstone tool for editor reasoning and "
    "structural analysis.",
    "category": "scene",
    "safetyLevel": "read-only",
    "tier": "core",
    "inputs": {
        "scenePath": {
            "type": "string",
            "required": True,
            "description": "Path to the scene file (e.g., 'Assets/Scenes/Main.unity')",
        }
    },
    "outputs": {
        "scenePath": {
            "type": "string",
            "description": "Path to the scene that was dumped",
        },
        "rootObjects": {
            "type": "array",
            "description": "Root GameObjects in the scene",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "path": {"type": "string"},
                    "instanceId": {"type": "integer"},
                    "components": {"type": "array", "items": {"type": "string"}},
                    "children": {"type": "array"},
                },
            },
        },
    },
    "notes": "Large scenes with thousands of objects may take several seconds to "
    "process.",
    "examples": [
        {
            "description": "Dump hierarchy for main scene",
            "input": {"scenePath": "Assets/Scenes/Main.unity"},
            "output": {
                "scenePath": "Assets/Scenes/Main.unity",
                "rootObjects": [
                    {
                        "name": "Main Camera",
                        "path": "Main Camera",
                        "instanceId": 12345,
                        "components": ["Transform", "Camera"],
                        "children": [],
                    }
                ],
            },
        }
    ],
}
PARAMETERS = {
    "includeInBuild": {
        "type": "boolean",
        "required": False,
        "description": "Filter by scenes included in build settings",
        "default": None,
    },
    "depth": {
        "type": "integer",
        "required": False,
        "description": "Maximum depth to traverse dependency graph",
        "default": 2,
        "minimum": 1,
        "maximum": 10,
    },
    "direction": {
        "type": "string",
        "required": False,
        "description": "Which way to go",
        "default": "both",
        "enum": ["both", "up"],
    },
}


def definition():
    document = copy.deepcopy(DEFINITION)
    document["inputs"] |= copy.deepcopy(PARAMETERS)
    return document


def findings(document):
    return [
        (each.pointer, each.is_error, each.message) for each in EDITOR.check(document)
    ]


def at(*path):
    """Return a function that sets what stands at a path of a document."""

    def change(value):
        def apply(document):
            inner = document
            for part in path[:-1]:
                inner = inner[part]
            inner[path[-1]] = value

        return apply

    return change


def without(*path):
    def apply(document):
        inner = document
        for part in path[:-1]:
            inner = inner[part]
        del inner[path[-1]]

    return apply


ERROR, WARNING = True, False
TEXTS = ("id", "name", "description", "category", "safetyLevel", "tier")
BROKEN = [
    # 1: what must be there
    *((without(key), "", ERROR, f"'{key}' is missing") for key in TEXTS),
    *((at(key)(7), f"/{key}", ERROR, "must be text") for key in TEXTS),
    *((at(key)("  "), f"/{key}", ERROR, "must not be blank") for key in TEXTS),
    (at("inputs")([]), "/inputs", ERROR, "must be an object"),
    # 2: the id
    (at("id")("scene"), "/id", ERROR, "two or more words"),
    (at("id")("Scene.dump"), "/id", ERROR, "lower-case"),
    (at("id")("scene.hierarchy_dump"), "/id", ERROR, "hyphens"),
    (at("id")("scene..dump"), "/id", ERROR, "dots between"),
    (at("id")(".scene.dump"), "/id", ERROR, "dots between"),
    (at("id")("scene.dump."), "/id", ERROR, "dots between"),
    (at("id")("scene. dump"), "/id", ERROR, "lower-case"),
    (at("id")("scene.dump\n"), "/id", ERROR, "lower-case"),
    (at("id")("audio.dump"), "/id", WARNING, "begin it with 'scene'"),
    # 4: name and description
    (at("name")("A" * 50), "/name", WARNING, "fewer than 50"),
    (at("name")("Dump scene Hierarchy"), "/name", WARNING, "'Dump Scene Hierarchy'"),
    (at("description")("No stop"), "/description", WARNING, "full stop"),
    (at("description")("A. B. C. D."), "/description", WARNING, "4 sentences"),
    # 5: the category
    (at("category")("Scene"), "/category", ERROR, "lower case: 'scene'"),
    (at("category")("mcp"), "/category", ERROR, "no category"),
    (at("category")("scenes"), "/category", ERROR, "or a child of one"),
    (at("category")("scene."), "/category", ERROR, "no category"),
    # 6 and 7: safety and tier
    (at("safetyLevel")("safe-write"), "/safetyLevel", ERROR, "reserved for later"),
    (at("safetyLevel")("destructive"), "/safetyLevel", ERROR, "not in v0.1"),
    (at("safetyLevel")("harmless"), "/safetyLevel", ERROR, "unknown"),
    (at("tier")("tier2"), "/tier", ERROR, "must be 'core'"),
    (at("tier")("gold"), "/tier", ERROR, "unknown"),
    # 9: outputs
    (
        at("outputs", "scenePath", "type")("text"),
        *("/outputs/scenePath/type", ERROR, ""),
    ),
    (
        without("outputs", "scenePath", "description"),
        *("/outputs/scenePath/description", ERROR, "must be there"),
    ),
    (
        at("outputs", "scenePath", "items")({"type": "string"}),
        *("/outputs/scenePath/items", ERROR, "is for arrays"),
    ),
    (
        at("outputs", "rootObjects", "items", "properties", "name", "items")({}),
        *("/outputs/rootObjects/items/properties/name/items", ERROR, "is for arrays"),
    ),
    (
        at("outputs", "rootObjects", "items", "properties", "name", "type")("text"),
        *("/outputs/rootObjects/items/properties/name/type", ERROR, "not a draft-07"),
    ),
    (
        without("outputs", "rootObjects", "items"),
        *("/outputs/rootObjects", WARNING, "without 'items'"),
    ),
    # 10: examples
    (at("examples")({}), "/examples", ERROR, "must be a list"),
    (at("examples")([]), "/examples", WARNING, "has 0"),
    (at("examples")(DEFINITION["examples"] * 4), "/examples", WARNING, "has 4"),
    (at("examples", 0)("call it"), "/examples/0", ERROR, "must be an object"),
    (
        without("examples", 0, "description"),
        *("/examples/0/description", ERROR, "must be there"),
    ),
    (without("examples", 0, "input"), "/examples/0/input", ERROR, "must be there"),
    (at("examples", 0, "input")({}), "/examples/0/input", ERROR, "'scenePath' is a r"),
    (
        at("examples", 0, "input", "color")(1),
        *("/examples/0/input", ERROR, "'color' was unexpected"),
    ),
    (
        at("examples", 0, "input", "depth")(11),
        *("/examples/0/input/depth", ERROR, "greater than the maximum"),
    ),
    (
        at("examples", 0, "input", "direction")("down"),
        *("/examples/0/input/direction", ERROR, "is not one of"),
    ),
    (
        at("examples", 0, "output", "scenePath")(1),
        *("/examples/0/output/scenePath", ERROR, "not of type 'string'"),
    ),
    (
        at("examples", 0, "output", "more")(1),
        *("/examples/0/output", ERROR, "'more' was unexpected"),
    ),
    (
        without("examples", 0, "output", "scenePath"),
        *("/examples/0/output", WARNING, "lacks 'scenePath'"),
    ),
    # 11: the rest
    (at("notes")(["slow"]), "/notes", ERROR, "must be text"),
    (at("colour")("red"), "/colour", WARNING, "no field of a definition"),
    (at("note")("slow"), "/note", WARNING, "did you mean notes?"),
    (at("schemaVersion")("0.2.0"), "/schemaVersion", ERROR, "0.1.x"),
    (at("schemaVersion")(0.1), "/schemaVersion", ERROR, "0.1.x"),
]
# 8: parameters, each change of `depth` or `direction`.
PARAMETER = [
    ("depth", {"type": "int"}, "type", "is no type"),
    ("depth", {"required": "true"}, "required", "without quotes"),
    ("depth", {"required": 1}, "required", "true or false"),
    ("depth", {"description": " "}, "description", "must be there"),
    ("depth", {"required": True}, "default", "has no default"),
    ("depth", {"required": True, "default": None}, "default", "has no default"),
    ("depth", {"enum": []}, "enum", "list of the possible values"),
    ("depth", {"enum": [2, "3"]}, "enum/1", "not of the type 'integer'"),
    ("depth", {"enum": [2, True]}, "enum/1", "not of the type 'integer'"),
    ("direction", {"minimum": 1}, "minimum", "not for 'string'"),
    ("depth", {"minimum": "1"}, "minimum", "must be a number"),
    ("depth", {"minimum": 2, "maximum": 1, "default": None}, "minimum", "above 'max"),
    ("depth", {"default": "2"}, "default", "not of the type 'integer'"),
    ("depth", {"default": True}, "default", "not of the type 'integer'"),
    ("depth", {"default": 2.5}, "default", "not of the type 'integer'"),
    ("depth", {"default": 0}, "default", "below 'minimum'"),
    ("depth", {"default": 11}, "default", "above 'maximum'"),
    ("direction", {"default": "down"}, "default", "not among"),
]


def test_the_example_of_the_requirement_has_no_finding():
    assert findings(DEFINITION) == []
    assert findings(definition()) == []


@pytest.mark.parametrize(("change", "pointer", "is_error", "words"), BROKEN)
def test_a_broken_rule_is_told_where_it_is_broken(change, pointer, is_error, words):
    document = definition()
    change(document)
    [(place, error, message)] = findings(document)
    assert (place, error) == (pointer, is_error)
    assert words in message
    assert message.endswith((".", "?"))


@pytest.mark.parametrize(("name", "change", "key", "words"), PARAMETER)
def test_a_wrong_parameter_is_told_where_it_is_wrong(name, change, key, words):
    document = definition()
    document["inputs"][name] |= change
    [(place, error, message)] = findings(document)
    assert (place, error) == (f"/inputs/{name}/{key}", True)
    assert words in message


@pytest.mark.parametrize("key", ["type", "required", "description"])
def test_a_parameter_needs_all_three(key):
    document = definition()
    del document["inputs"]["scenePath"][key]
    [(place, error, _)] = findings(document)
    assert (place, error) == (f"/inputs/scenePath/{key}", True)


@pytest.mark.parametrize("name", ["1st", "a-b", "a b", "", "é"])
def test_names_of_parameters_are_identifiers(name):
    document = definition()
    document["inputs"][name] = PARAMETERS["depth"]
    [(place, error, message)] = findings(document)
    assert (place, error) == (f"/inputs/{name}", True)
    assert "no identifier" in message


@pytest.mark.parametrize(
    "change",
    [
        at("inputs")({}),
        at("inputs", "depth", "default")(2.0),
        at("inputs", "depth", "minimum")(1.0),
        at("inputs", "$count")(PARAMETERS["depth"]),
        at("category")("scene.hierarchy"),
        at("id")("scene.a-b.c.d.e"),
        at("schemaVersion")("0.1.7"),
        at("name")("Dump the Hierarchy of a Scene"),
        without("notes"),
        without("examples"),
    ],
)
def test_what_the_rules_allow_has_no_finding(change):
    document = definition()
    change(document)
    if not document["inputs"]:
        document["examples"][0]["input"] = {}
    assert findings(document) == []


def test_empty_outputs_are_a_warning():
    document = definition()
    document["outputs"] = {}
    del document["examples"]
    assert [(p, e) for p, e, _ in findings(document)] == [("/outputs", False)]


def test_a_category_of_two_words_is_the_whole_of_it():
    document = definition() | {"category": "mcp.platform", "id": "mcp.server.info"}
    assert findings(document) == []


def test_a_definition_becomes_a_tool_for_clients():
    spec = EDITOR.parse(definition(), "scene.json")
    assert spec.name == "scene.hierarchy.dump"
    assert spec.aliases == ("scene_hierarchy_dump",)
    assert spec.title == "Dump Scene Hierarchy"
    assert spec.description.startswith(DEFINITION["description"])
    assert spec.description.endswith(f"Notes: {DEFINITION['notes']}")
    assert spec.input_schema["required"] == ["scenePath"]
    assert spec.input_schema["additionalProperties"] is False
    properties = spec.input_schema["properties"]
    assert properties["scenePath"] == {
        "type": "string",
        "description": "Path to the scene file (e.g., 'Assets/Scenes/Main.unity')",
    }
    assert properties["includeInBuild"]["type"] == ["boolean", "null"]
    assert properties["depth"]["maximum"] == 10
    assert spec.read_only
    assert spec.idempotent
    assert not spec.destructive
    assert not spec.open_world
    assert not spec.needs_campaign
    assert spec.timeout_ms == 30_000
    assert spec.meta["tier"] == "core"
    assert spec.meta["examples"] == DEFINITION["examples"]
    for schema in (spec.input_schema, spec.output_schema):
        Draft7Validator.check_schema(schema)
    Draft7Validator(spec.output_schema).validate(DEFINITION["examples"][0]["output"])
    assert type(spec).from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_a_parameter_that_is_null_by_default_may_be_null_and_is_among_the_choices():
    document = definition()
    document["inputs"]["direction"]["default"] = None
    schema = EDITOR.parse(document, "x").input_schema["properties"]["direction"]
    assert schema["type"] == ["string", "null"]
    assert schema["enum"] == ["both", "up", None]


def test_a_definition_with_an_error_is_refused_by_name_and_place():
    document = definition() | {"tier": "gold"}
    with pytest.raises(ContractDocumentError, match=r"x\.json: /tier: 'gold'"):
        EDITOR.parse(document, "x.json")


def test_the_examples_of_parameters_in_the_requirement_are_accepted():
    path = Path(__file__).parent / "editor_requirement.json"
    blocks = json.loads(path.read_text("utf-8"))
    document = definition()
    document["inputs"] = blocks["inputs"]
    document["examples"][0]["input"] = {"scenePath": "Assets/Scenes/Main.unity"}
    assert findings(document) == []
    document["outputs"] = blocks["outputs"]
    document["examples"][0]["output"] = {
        "scenes": [{"path": "Assets/A.unity", "name": "A", "enabledInBuild": True}]
    }
    assert findings(document) == []


@given(key=st.sampled_from([*DEFINITION, "schemaVersion"]), value=JSON)
def test_whatever_stands_in_a_field_is_told_and_never_a_crash(key, value):
    document = definition() | {key: value}
    for each in EDITOR.check(document):
        assert re.fullmatch(r"(/[^/]*)*", each.pointer)
        assert each.message


@given(
    name=st.sampled_from(sorted(PARAMETERS)),
    key=st.sampled_from(
        ["type", "required", "description", "default", "enum", "minimum", "maximum"]
    ),
    value=JSON,
)
def test_whatever_stands_in_a_parameter_is_told_or_becomes_a_schema(name, key, value):
    document = definition()
    document["inputs"][name][key] = value
    if not any(each.is_error for each in EDITOR.check(document)):
        Draft7Validator.check_schema(EDITOR.read(document).input_schema)


def test_each_dialect_knows_its_own_documents():
    dialects = [EDITOR, CIRCULAR]
    assert dialect_of(definition(), dialects) is EDITOR
    assert dialect_of({"id": "scene.dump", "inputs": {}}, dialects) is EDITOR
    assert dialect_of({"id": 7}, dialects) is None


@pytest.mark.parametrize("seed", range(300))
def test_a_document_that_was_mangled_is_told_or_read_and_never_a_crash(seed):
    document = definition()
    mangle(document, seed)
    if not any(each.is_error for each in EDITOR.check(document)):
        spec = EDITOR.read(document)
        assert type(spec).from_json(json.loads(json.dumps(spec.to_json()))) == spec
