"""The definitions in `contracts/editor`: the rules of schema v0.1, and the truth.

Rules: "Tool Definition Schema v0.1" of EditorMCP.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from echidna_mcp_plugins.editor.unity.project import UnityProject

FOLDER = Path(__file__).parents[2] / "contracts" / "editor"
DEFINITIONS = {
    path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")
}
CATEGORIES = ("mcp.platform", "project", "scene", "asset", "audio", "editor")
TYPES = ("string", "integer", "number", "boolean", "array", "object")
each_definition = pytest.mark.parametrize("id_", sorted(DEFINITIONS))


def input_schema(definition):
    """Inputs as JSON Schema: `required` gathered, null where it is the default."""
    properties = {}
    for name, parameter in definition["inputs"].items():
        schema = {k: v for k, v in parameter.items() if k != "required"}
        if parameter.get("default", ...) is None:
            schema["type"] = [parameter["type"], "null"]
        properties[name] = schema
    return {
        "type": "object",
        "properties": properties,
        "required": [n for n, p in definition["inputs"].items() if p["required"]],
        "additionalProperties": False,
    }


def closed(schema):
    """A schema in which no object has more than it declares, and all of that.

    `diagnostics` and members that depend on what is described are optional.
    """
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if schema.get("properties"):
        made.setdefault("additionalProperties", False)
        made["required"] = [
            name for name in schema["properties"] if name != "diagnostics"
        ]
    return made


def output_schema(definition):
    return {"type": "object", "properties": definition["outputs"]}


def test_the_family_has_ten_tools():
    assert set(DEFINITIONS) == {
        *("mcp.server.info", "mcp.tools.list", "mcp.tool.describe"),
        *("project.info", "project.scenes.list", "scene.hierarchy.dump"),
        *("scene.objects.find", "scene.components.list"),
        *("audio.mixer.list", "audio.mixer.snapshot.read"),
    }


@each_definition
def test_identity_and_safety(id_):
    definition = DEFINITIONS[id_]
    assert definition["id"] == id_
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+", id_)
    assert definition["category"] in CATEGORIES
    assert definition["category"].split(".")[0] == id_.split(".")[0]
    assert (definition["safetyLevel"], definition["tier"]) == ("read-only", "core")
    assert len(definition["name"]) < 50
    assert all(word[0].isupper() for word in definition["name"].split())
    sentences = re.split(r"(?<=[.!?])\s+", definition["description"])
    assert 1 <= len(sentences) <= 3
    assert set(definition) <= {
        *("id", "name", "description", "category", "safetyLevel", "tier"),
        *("inputs", "outputs", "notes", "examples"),
    }


@each_definition
def test_parameters_are_typed_described_and_required_or_not(id_):
    definition = DEFINITIONS[id_]
    for name, parameter in definition["inputs"].items():
        assert name.isidentifier()
        assert parameter["type"] in TYPES
        assert isinstance(parameter["required"], bool)
        assert parameter["description"].strip()
        assert not (parameter["required"] and "default" in parameter)
    Draft7Validator.check_schema(input_schema(definition))


@each_definition
def test_outputs_are_typed_and_described_down_to_their_items(id_):
    definition = DEFINITIONS[id_]
    for output in definition["outputs"].values():
        assert output["type"] in TYPES
        assert output["description"].strip()
        assert ("items" in output) == (output["type"] == "array")
        assert ("properties" in output) == (output["type"] == "object")
    Draft7Validator.check_schema(output_schema(definition))


@each_definition
def test_examples_fit_the_schemas(id_):
    definition = DEFINITIONS[id_]
    assert 1 <= len(definition["examples"]) <= 3
    for example in definition["examples"]:
        assert example["description"].strip()
        Draft7Validator(input_schema(definition)).validate(example["input"])
        schema = {**output_schema(definition), "additionalProperties": False}
        Draft7Validator(schema).validate(example["output"])


def test_examples_of_tools_about_tools_are_those_tools():
    (example,) = DEFINITIONS["mcp.tool.describe"]["examples"]
    described = DEFINITIONS[example["input"]["toolId"]]
    assert example["output"].items() <= described.items()
    (example,) = DEFINITIONS["mcp.tools.list"]["examples"]
    for listed in example["output"]["tools"]:
        assert listed.items() <= DEFINITIONS[listed["id"]].items()


def test_the_complete_example_of_the_schema_is_one_of_the_tools():
    path = Path(__file__).with_name("required_definition.json")
    required = json.loads(path.read_text("utf-8"))
    ours = DEFINITIONS[required["id"]]
    assert ours["notes"].startswith(required.pop("notes"))
    assert required.pop("outputs").items() <= ours["outputs"].items()
    assert required.items() <= ours.items()


@each_definition
def test_every_number_for_an_object_says_what_it_is(id_):
    definition = DEFINITIONS[id_]
    if "instanceId" in json.dumps(definition["outputs"]):
        assert "not the number that Unity gives" in definition["notes"]


def answers(project):
    scene = "Assets/Scenes/Prefabs.unity"
    mixer = "Assets/Audio/Main.mixer"
    return {
        "project.info": project.info(),
        "project.scenes.list": project.scenes(),
        "scene.hierarchy.dump": project.hierarchy(scene),
        "scene.objects.find": project.find_objects(scene),
        "scene.components.list": project.components(scene, "Orchard/Tree A/Apple"),
        "audio.mixer.list": project.mixers(),
        "audio.mixer.snapshot.read": project.snapshot(mixer, "Paused"),
    }


def test_answers_are_exactly_what_the_definitions_declare(orchard: UnityProject):
    found = answers(orchard)
    assert found.keys() == {id_ for id_ in DEFINITIONS if not id_.startswith("mcp.")}
    for id_, answer in found.items():
        Draft7Validator(closed(output_schema(DEFINITIONS[id_]))).validate(answer)
