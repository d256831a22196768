"""Makes the protocol's document: JSON Schema 2020-12 with `x-methods`, `x-events` and `x-errors`, as `waymark protocol --schema` prints it."""
import json

AT = "#/$defs/"
PLAIN = {"string": "string", "int": "integer", "number": "number", "bool": "boolean"}


def whole(text):
    """A number as JSON writes it: whole where it is written so."""
    return float(text) if "." in text else int(text)


class Document:
    """The document of one schema."""

    def __init__(self, schema):
        self.schema = schema
        self.objects = schema.objects()
        self.closed = self.find_closed()

    def reached(self, names):
        """The objects that are reached from some, themselves included."""
        found, rest = set(), list(names)
        while rest:
            name = rest.pop()
            if name in self.objects and name not in found:
                found.add(name)
                rest += [member.kind.inner() for member in self.objects[name].members]
        return found

    def find_closed(self):
        """The types of parameters, and those that stand in them and in nothing else: the service refuses members that it does not know."""
        methods = self.schema.of("method")
        sent = self.reached(one.name for one in methods)
        received = self.reached([one.name for one in self.schema.of("event")] + [one.result for one in methods] + ["ServiceError", "FrameReference"])
        return sent - received

    def kind(self, kind):
        if kind.shape == "list":
            return {"type": "array", "items": self.kind(kind.of)}
        if kind.shape == "map":
            return {"type": "object", "additionalProperties": self.kind(kind.of)}
        if kind.name == "any":
            return {}
        if kind.name in PLAIN:
            return {"type": PLAIN[kind.name]}
        one = self.schema.types[kind.name]
        if one.sort == "open":
            return {"type": "string"}
        if one.sort == "words":
            return {"type": "string", "enum": [word.wire for word in one.words]}
        if one.string:
            return {"anyOf": [{"type": "string"}, {"$ref": AT + one.name}]}
        return {"$ref": AT + one.name}

    def bounds(self, bounds):
        names = {"value": ("minimum", "maximum"), "bytes": ("minLength", "maxLength"), "entries": ("minItems", "maxItems")}[bounds.measure]
        least = whole(bounds.least)
        # A string of the fewest bytes may be one character.
        if bounds.measure == "bytes":
            least = min(least, 1)
        return {"exclusiveMinimum" if bounds.excludes else names[0]: least, names[1]: whole(bounds.greatest)}

    def member(self, member):
        """A member; one that may be missing may be null."""
        shape = self.kind(member.kind) | (self.bounds(member.bounds) if member.bounds else {})
        said = {"description": member.description()}
        if not member.optional or not shape:
            return said | shape
        return said | {"anyOf": [shape, {"type": "null"}]}

    def definition(self, one):
        fields = {
            "type": "object",
            "description": one.said,
            "properties": {member.name: self.member(member) for member in one.members},
            "required": [member.name for member in one.members if not member.optional],
        }
        return fields | ({"additionalProperties": False} if one.name in self.closed else {})

    ID = {"description": "Comes back with the answer. A string has at most 256 bytes.", "type": ["integer", "string", "null"]}

    def request(self, one):
        return {
            "type": "object",
            "description": one.said,
            "properties": {"id": self.ID, "method": {"const": one.wire}, "params": {"$ref": AT + one.name}},
            "required": ["method", "params"] if any(not member.optional for member in one.members) else ["method"],
        }

    def reply(self, one):
        result = {"$ref": AT + one.result}
        if one.result == "MediaHeader":
            return result
        return {
            "type": "object",
            "description": f"The answer to {one.wire}.",
            "properties": {"id": self.ID, "result": result},
            "required": ["id", "result"],
        }

    def event(self, one):
        envelope = {
            "event": {"const": one.wire},
            "seq": {"description": "The service's counter; gaps are normal.", "type": "integer", "minimum": 1},
            "time": {"description": "RFC 3339, UTC, milliseconds.", "type": "string", "format": "date-time"},
            "camera": {"description": "The name of the camera that it is of, where the service has several.", "type": "string"},
            "frame": {"$ref": AT + "FrameReference"},
        }
        required = ["event"] + ([] if "personal" in one.flags else ["seq", "time"])
        return {
            "type": "object",
            "description": one.said,
            "properties": envelope | {member.name: self.member(member) for member in one.members},
            "required": required + [member.name for member in one.members if not member.optional],
        }

    def json(self):
        methods, events = self.schema.of("method"), self.schema.of("event")
        definitions = {name: self.definition(self.objects[name]) for name in sorted(self.objects)}
        for one in methods:
            definitions[f"request.{one.wire}"] = self.request(one)
            definitions[f"reply.{one.wire}"] = self.reply(one)
        for one in events:
            definitions[f"event.{one.wire}"] = self.event(one)
        definitions["reply.error"] = {
            "type": "object",
            "description": "A request that was refused or failed.",
            "properties": {"id": self.ID, "error": {"$ref": AT + "ServiceError"}},
            "required": ["id", "error"],
        }

        def any_of(names):
            return {"anyOf": [{"$ref": AT + name} for name in names]}

        definitions["request"] = any_of(f"request.{one.wire}" for one in methods)
        definitions["event"] = any_of(f"event.{one.wire}" for one in events)
        definitions["reply"] = any_of([*(f"reply.{one.wire}" for one in methods), "reply.error"])
        version = self.schema.version
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"urn:waymark:protocol:{version}",
            "title": f"Waymark socket protocol {version}",
            "description": "One JSON object a line, in both directions over a Unix stream socket.",
            **any_of(["request", "reply", "event"]),
            "x-methods": {
                one.wire: {
                    "description": one.said,
                    "params": one.name,
                    "result": {"$ref": AT + one.result},
                    "answersPicture": one.result == "MediaHeader",
                    "carriesPicture": "bytes" in one.flags,
                }
                for one in methods
            },
            "x-events": {one.wire: {"description": one.said, "payload": one.name, "personal": "personal" in one.flags} for one in events},
            "x-errors": {word.wire: word.said for word in sorted(self.schema.types["ServiceError.Code"].words, key=lambda word: word.wire)},
            "$defs": definitions,
        }


def text(document):
    """The document with a line for each definition, so that a difference can be read."""

    def compact(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    out = ["{"]
    for name, value in document.items():
        if name.startswith("x-") or name == "$defs":
            out += [f"{compact(name)}:{{"]
            out += [f"{compact(key)}:{compact(one)}," for key, one in value.items()]
            out[-1] = out[-1].rstrip(",")
            out.append("},")
        else:
            out.append(f"{compact(name)}:{compact(value)},")
    out[-1] = out[-1].rstrip(",")
    return "\n".join([*out, "}", ""])
