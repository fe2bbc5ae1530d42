"""Generates what the package is made of: models from the OpenAPI file, and the sync client from the async one.

Neither is kept in git, as no generated code of this project is. `npm run proto` writes openapi.json beside this file; a source
distribution contains it.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import unasync
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The limits of values stay with the service: its errors name the field, the value and the allowed ones.
LIMITS = {"minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems", "uniqueItems", "maxProperties", "minProperties"}

NAMES = {
    "AsyncCloudPhone": "CloudPhone",
    "AsyncPhone": "Phone",
    "AsyncDecide": "Decide",
    "AsyncWait": "Wait",
    "AsyncClient": "Client",
    "AsyncBaseTransport": "BaseTransport",
    "async_wait": "wait",
    "aclose": "close",
    "aiter_sse": "iter_sse",
    "aread": "read",
}


class GenerateHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        document = root / "openapi.json"
        if not document.exists():
            raise FileNotFoundError(f"{document} is missing: run `npm ci` at the top of the repository, which writes it.")
        package = root / "src" / "cloudphone"
        write_models(json.loads(document.read_text()), package / "models.py")
        rule = unasync.Rule("/_async/", "/_sync/", additional_replacements=NAMES)
        unasync.unasync_files([str(file) for file in sorted((package / "_async").glob("*.py"))], [rule])


def write_models(document: dict[str, Any], target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "openapi.json"
        source.write_text(json.dumps(for_models(document)))
        words = ["--input", str(source), "--input-file-type", "openapi", "--output", str(target)]
        form = ["--output-model-type", "pydantic_v2.BaseModel", "--target-python-version", "3.10", "--disable-timestamp"]
        style = ["--use-standard-collections", "--use-union-operator", "--use-schema-description", "--use-annotated"]
        style += ["--formatters", "builtin"]
        fields = ["--enum-field-as-literal", "all", "--allow-population-by-field-name", "--snake-case-field"]
        subprocess.run([sys.executable, "-m", "datamodel_code_generator", *words, *form, *style, *fields], check=True)


def for_models(document: dict[str, Any]) -> dict[str, Any]:
    """The schemas of the document as models should have them."""
    schemas = document["components"]["schemas"]
    words = {name: schema["enum"] for name, schema in schemas.items() if "enum" in schema}

    def converted(node: Any) -> Any:
        if isinstance(node, list):
            return [converted(item) for item in node]
        if not isinstance(node, dict):
            return node
        kept = {key: converted(value) for key, value in node.items() if key not in LIMITS or isinstance(value, dict)}
        name = str(node.get("$ref", "")).rpartition("/")[2]
        if name in words:
            del kept["$ref"]
            return {**kept, **open_words(words[name])}
        if isinstance(node.get("enum"), list):
            return {**{key: kept[key] for key in kept if key not in ("type", "enum")}, **open_words(node["enum"])}
        if kept.get("contentEncoding") == "base64":
            # Stays text: pydantic's own type for it wants UTF-8 inside.
            del kept["contentEncoding"]
        if kept.get("format") in ("email", "uri"):
            del kept["format"]
        if "properties" in node:
            # The service checks which fields go together. Responses of a newer service may have further fields.
            for alternatives in ("oneOf", "anyOf", "allOf"):
                kept.pop(alternatives, None)
        return kept

    models = {name: converted(schema) for name, schema in schemas.items() if name not in words}
    models["Error"].pop("additionalProperties", None)
    return {"openapi": document["openapi"], "info": document["info"], "paths": {}, "components": {"schemas": models}}


def open_words(words: list[str]) -> dict[str, Any]:
    """A text for which these words are known: a newer service may have further ones, with which a response is still good."""
    return {"anyOf": [{"type": "string", "enum": words}, {"type": "string"}]}
