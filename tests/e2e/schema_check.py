"""A validator for the part of JSON Schema (draft 7) that our schemas use; an unknown keyword is an error."""

import re

TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}
NOTES = {"$schema", "$id", "title", "description", "definitions"}


def errors(value, schema, root=None, at=""):
    root = root or schema
    found = []
    for keyword, wanted in schema.items():
        if keyword in NOTES:
            continue
        if keyword == "$ref":
            target = root
            for part in wanted.removeprefix("#/").split("/"):
                target = target[part]
            found += errors(value, target, root, at)
        elif keyword == "type":
            names = wanted if isinstance(wanted, list) else [wanted]
            if not any(TYPES[name](value) for name in names):
                found.append(f"{at or '/'}: {value!r} is not {' or '.join(names)}")
        elif keyword == "required":
            if isinstance(value, dict):
                found += [f"{at}/{name} is missing" for name in wanted if name not in value]
        elif keyword == "properties":
            if isinstance(value, dict):
                for name, part in wanted.items():
                    if name in value:
                        found += errors(value[name], part, root, f"{at}/{name}")
        elif keyword == "items":
            if isinstance(value, list):
                for index, item in enumerate(value):
                    found += errors(item, wanted, root, f"{at}/{index}")
        elif keyword == "enum":
            if value not in wanted:
                found.append(f"{at}: {value!r} is none of {wanted}")
        elif keyword == "const":
            if value != wanted or type(value) is not type(wanted):
                found.append(f"{at}: {value!r} is not {wanted!r}")
        elif keyword == "minimum":
            if TYPES["number"](value) and value < wanted:
                found.append(f"{at}: {value} is below {wanted}")
        elif keyword == "pattern":
            if isinstance(value, str) and not re.search(wanted, value):
                found.append(f"{at}: {value!r} does not match {wanted}")
        elif keyword == "anyOf":
            tried = [errors(value, part, root, at) for part in wanted]
            if all(tried):
                found.append(f"{at}: fits none of {len(tried)}: {min(tried, key=len)}")
        else:
            raise ValueError(f"the schema uses {keyword!r}, which this validator does not know")
    return found
