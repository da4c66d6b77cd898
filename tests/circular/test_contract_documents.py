"""The contract documents of the four tools."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest
from jsonschema import Draft7Validator, FormatChecker

from echidna_mcp_plugins.circular.errors import RULES, ErrorType
from echidna_mcp_plugins.circular.settings import NETWORKS
from echidna_mcp_plugins.circular.tools.certify_data import certify_data
from echidna_mcp_plugins.circular.tools.get_certification_proof import (
    get_certification_proof,
)
from echidna_mcp_plugins.circular.tools.get_transaction_status import (
    get_transaction_status,
)
from echidna_mcp_plugins.circular.tools.get_wallet_nonce import get_wallet_nonce

FOLDER = Path(__file__).parents[2] / "contracts" / "circular"
DOCUMENTS = {
    path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")
}
OPERATIONS = {
    each.__name__: each
    for each in (
        *(get_wallet_nonce, certify_data),
        *(get_transaction_status, get_certification_proof),
    )
}
INPUTS = {
    "get_wallet_nonce": ({"wallet_address", "network"}, set()),
    "certify_data": ({"data", "network"}, {"wallet_address"}),
    "get_transaction_status": ({"transaction_id", "network"}, {"wait_for_execution"}),
    "get_certification_proof": ({"transaction_id", "network"}, {"include_data"}),
}
"""Required and optional arguments, as the requirement lists them."""
OUTPUTS = {
    "get_wallet_nonce": (
        {"wallet_address", "current_nonce", "network", "last_updated"},
        set(),
    ),
    "certify_data": (
        {"transaction_id", "status", "network", "submitted_at"},
        {"sender"},
    ),
    "get_transaction_status": (
        {"transaction_id", "status", "network"},
        {"block_id", "timestamp", "confirmations", "executed_at"},
    ),
    "get_certification_proof": (
        {"transaction_id", "block_id", "timestamp", "explorer_url", "network"},
        {"block_height", "certified_data", "sender"},
    ),
}
each_tool = pytest.mark.parametrize("name", INPUTS)


def test_there_is_a_document_for_each_operation():
    assert set(DOCUMENTS) == set(OPERATIONS) == set(INPUTS)


@each_tool
def test_the_root_is_the_schema_of_the_input(name):
    document = DOCUMENTS[name]
    Draft7Validator.check_schema(document)
    assert document["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert document["title"] == name
    assert document["type"] == "object"
    assert document["additionalProperties"] is False
    assert document["description"].endswith(".")
    assert set(document) == {
        *("$schema", "title", "description", "type", "properties", "required"),
        *("additionalProperties", "examples", "output", "errors", "notes"),
    }
    required, optional = INPUTS[name]
    assert set(document["required"]) == required
    assert set(document["properties"]) == required | optional
    assert all(each["description"] for each in document["properties"].values())


@each_tool
def test_the_output_has_what_the_requirement_lists(name):
    output = DOCUMENTS[name]["output"]
    Draft7Validator.check_schema(output)
    required, optional = OUTPUTS[name]
    assert set(output["required"]) == required
    assert set(output["properties"]) == required | optional
    assert "additionalProperties" not in output


def test_enumerations_and_defaults_are_those_of_the_requirement():
    for document in DOCUMENTS.values():
        network = document["properties"]["network"]
        assert network["enum"] == list(NETWORKS)
        assert network["default"] == "testnet"
        assert document["output"]["properties"]["network"]["enum"] == list(NETWORKS)
    status = DOCUMENTS["get_transaction_status"]
    assert status["output"]["properties"]["status"]["enum"] == [
        *("Pending", "Verified", "Executed", "Failed")
    ]
    assert status["properties"]["wait_for_execution"]["default"] is True
    proof = DOCUMENTS["get_certification_proof"]
    assert proof["properties"]["include_data"]["default"] is False
    certify = DOCUMENTS["certify_data"]
    assert certify["output"]["properties"]["status"]["const"] == "Pending"
    data = certify["properties"]["data"]
    assert (data["minLength"], data["maxLength"]) == (1, 1048576)


def test_only_the_data_is_kept_out_of_records():
    redacted = {
        (name, argument)
        for name, document in DOCUMENTS.items()
        for argument, schema in document["properties"].items()
        if schema.get("x-redact")
    }
    assert redacted == {("certify_data", "data")}


@each_tool
def test_examples_are_valid_and_wrong_calls_are_not(name):
    document = DOCUMENTS[name]
    validator = Draft7Validator(document)
    assert document["examples"]
    for example in document["examples"]:
        validator.validate(example)
        for argument in document["required"]:
            without = {k: v for k, v in example.items() if k != argument}
            assert not validator.is_valid(without)
        assert not validator.is_valid({**example, "other": 1})
        assert not validator.is_valid({**example, "network": "devnet"})
        for argument, value in example.items():
            assert not validator.is_valid({**example, argument: [value]})
            if isinstance(value, str):
                assert not validator.is_valid({**example, argument: ""})


@each_tool
def test_arguments_and_defaults_are_those_of_the_operation(name):
    parameters = dict(inspect.signature(OPERATIONS[name]).parameters)
    document = DOCUMENTS[name]
    assert set(document["properties"]) <= set(parameters)
    for argument, schema in document["properties"].items():
        default = parameters[argument].default
        if argument in document["required"]:
            assert default is inspect.Parameter.empty
        else:
            assert schema.get("default") == default


@each_tool
def test_errors_are_those_of_the_table(name):
    errors = DOCUMENTS[name]["errors"]
    assert len({(each["type"], each["retry"]) for each in errors}) == len(errors)
    for error in errors:
        rule = RULES[ErrorType(error["type"])]
        assert error["status_code"] == rule.status_code
        assert error["message"]
        assert error["retry"] is ("retry_suggestion" in error)
        if rule.retry_suggestion:
            assert error["retry_suggestion"] == rule.retry_suggestion
    types = {each["type"] for each in errors}
    assert {"API_UNAVAILABLE", "NETWORK_ERROR", "INVALID_INPUT"} <= types


def test_errors_cover_the_ten_types_and_no_others():
    found = {each["type"] for d in DOCUMENTS.values() for each in d["errors"]}
    assert found == set(ErrorType)


async def test_results_are_valid_against_the_documents(lab, devnet):
    async with lab.client(devnet) as session:
        on = {"network": "testnet"}
        sent = await certify_data(session, data="data", **on)
        asked = {"transaction_id": sent.result["transaction_id"], **on}
        known = await get_transaction_status(session, wait_for_execution=False, **asked)
        results = [
            ("certify_data", sent),
            ("get_transaction_status", known),
            ("get_transaction_status", await get_transaction_status(session, **asked)),
            (
                "get_certification_proof",
                await get_certification_proof(session, include_data=True, **asked),
            ),
            (
                "get_wallet_nonce",
                await get_wallet_nonce(
                    session, wallet_address=sent.result["sender"], **on
                ),
            ),
        ]
    for name, (result, meta) in results:
        output = DOCUMENTS[name]["output"] | {"additionalProperties": False}
        Draft7Validator(output, format_checker=FormatChecker()).validate(result)
        assert meta["backend"] == "local-devnet"
        json.dumps(meta)
    assert set(results[2][1].result) == set().union(*OUTPUTS["get_transaction_status"])
