#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every model file of the repository suits the schema, read as YAML 1.1 (PyYAML), as editors do.

Usage: check_schema.py SCHEMA FILE_OR_FOLDER..     (Debian: python3-yaml, python3-jsonschema)
Exit 77 where the two packages are missing: skipped.
"""
import json
import os
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"schema: skipped, {missing}")
    sys.exit(77)


class Loader(yaml.SafeLoader):
    """YAML 1.1, with numbers such as 1e-3 as in YAML 1.2 and JSON."""


Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    __import__("re").compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"),
    list("-+0123456789."),
)


def files(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in os.walk(path):
            for name in sorted(names):
                if name.endswith(".yaml"):
                    yield os.path.join(folder, name)


def main(schema_file, paths):
    with open(schema_file, encoding="utf-8") as f:
        schema = json.load(f)
    jsonschema.Draft202012Validator.check_schema(schema)
    whole = jsonschema.Draft202012Validator(schema)
    part = jsonschema.Draft202012Validator({**schema, "required": []})  # parts may leave out the head
    bad = count = 0
    for path in files(paths):
        with open(path, encoding="utf-8") as f:
            model = yaml.load(f, Loader)
        if not isinstance(model, dict) or "study" in model:
            continue
        count += 1
        validator = part if "/parts/" in path else whole
        for error in validator.iter_errors(model):
            where = "/".join(str(p) for p in error.absolute_path)
            print(f"schema: {path}: {where}: {error.message[:200]}")
            bad += 1
    print(f"schema: {count} files, {bad} problems")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
