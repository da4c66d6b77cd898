"""Classes from lowered schemas, by datamodel-code-generator."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from echidna_mcp.errors import UsageError


def dataclasses(schema: Mapping[str, Any]) -> str:
    """Return a module of frozen, slotted, keyword-only dataclasses."""
    return _generate(
        schema,
        output_model_type="dataclasses.dataclass",
        dataclass_arguments={"frozen": True, "slots": True, "kw_only": True},
        use_generic_container_types=True,
        collapse_root_models=True,
    )


def typed_dicts(schema: Mapping[str, Any]) -> str:
    """Return a module of TypedDicts: the values are JSON already."""
    return _generate(
        schema,
        output_model_type="typing.TypedDict",
        use_closed_typed_dict=False,  # mypy does not know PEP 728
        use_tuple_for_fixed_items=True,
    )


def _generate(schema: Mapping[str, Any], **options: Any) -> str:
    """Run the generator; its output depends on nothing but schema and options."""
    try:
        # Only authors of tools need the generator; it takes a second to import.
        import datamodel_code_generator as generator  # noqa: PLC0415
        from datamodel_code_generator.config import GenerateConfig  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(
            "datamodel-code-generator is missing; "
            "install it with `pip install 'echidna-mcp[codegen]'`."
        ) from error
    config = GenerateConfig.model_validate(
        {
            "input_file_type": "jsonschema",
            "schema_version": "draft-07",
            "schema_version_mode": "strict",
            "target_python_version": "3.11",
            "formatters": ["builtin"],
            "use_double_quotes": True,
            "disable_timestamp": True,
            "strict_nullable": True,
            "skip_root_model": True,
            "enum_field_as_literal": "all",
            "use_schema_description": True,
            "use_field_description": True,
            "use_single_line_docstring": True,
            "allow_remote_refs": False,
            **options,
        }
    )
    text = generator.generate(json.dumps(schema), config=config)
    if not isinstance(text, str):
        raise UsageError(
            "datamodel-code-generator gave no single module; install version 0.89."
        )
    start = text.index("from __future__")  # drops its header: ours replaces it
    return text[start:]
