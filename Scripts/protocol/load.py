"""Reads the protocol's schema: the files of schema/, in the order of schema/protocol.schema. schema/README.md describes the format."""
import dataclasses
import os
import re

PLAIN = ("string", "int", "number", "bool", "any")
MEMBER = re.compile(r"([a-z]\w*): (\S+)(.*)$")
BOUNDS = re.compile(r"(>?)(-?[0-9]+(?:\.[0-9]+)?)\.\.([0-9]+(?:\.[0-9]+)?)( bytes| entries)?(?= |$)")


class SchemaError(Exception):
    """A fault of a schema file: its place and the remedy."""


@dataclasses.dataclass
class Kind:
    """The type of a value: the name of a type, or a list or map of a type."""

    shape: str  # "name", "list" or "map"
    name: str = ""
    of: "Kind | None" = None

    def inner(self):
        """The name at the end of lists and maps."""
        return self.name if self.shape == "name" else self.of.inner()


@dataclasses.dataclass
class Bounds:
    """The least and the greatest value, number of bytes or number of entries."""

    measure: str  # "value", "bytes" or "entries"
    least: str
    greatest: str
    excludes: bool  # True if the least itself is not allowed

    def sentence(self):
        """The bounds as they stand at the end of a description."""
        if self.excludes:
            return f"More than {self.least}, at most {self.greatest}."
        return f"From {self.least} to {self.greatest}{'' if self.measure == 'value' else ' ' + self.measure}."


@dataclasses.dataclass
class Member:
    """A member of an object."""

    name: str
    kind: Kind
    optional: bool
    null: bool  # True if it is written as null where it is missing
    bounds: Bounds | None
    default: str | None
    said: str

    def description(self):
        """The sentence, with the bounds."""
        return f"{self.said} {self.bounds.sentence()}".strip() if self.bounds else self.said


@dataclasses.dataclass
class Word:
    """A word of a fixed list: its name in programs, and as it is on the wire."""

    name: str
    wire: str
    said: str


@dataclasses.dataclass
class Type:
    """An object, or a list of words."""

    name: str
    sort: str  # "method", "event", "type", "words" or "open"
    feature: str
    place: str
    said: str = ""
    members: list = dataclasses.field(default_factory=list)
    words: list = dataclasses.field(default_factory=list)
    wire: str = ""  # the name of the method or event
    result: str = ""
    flags: set = dataclasses.field(default_factory=set)
    keeps: list = dataclasses.field(default_factory=list)  # (name, Swift type, value): kept beside the wire
    string: str = ""  # the member that a string stands for in the place of the object
    observers: str | None = None
    notes: list = dataclasses.field(default_factory=list)

    @property
    def is_words(self):
        return self.sort in ("words", "open")

    def member(self, name):
        return next((one for one in self.members if one.name == name), None)

    def named(self):
        """The names of the types of its members and of its result."""
        return {member.kind.inner() for member in self.members} | ({self.result} if self.result else set())


class Schema:
    """The whole protocol."""

    def __init__(self, version):
        self.version = version
        self.features = []  # (name, title)
        self.packages = {}  # The package of each feature; None for the base.
        self.types = {}

    def of(self, *sorts):
        """The types of some sorts in the order of the files."""
        return [one for one in self.types.values() if one.sort in sorts]

    def objects(self):
        """The types that are objects, by their names."""
        return {name: one for name, one in self.types.items() if not one.is_words}


def parse_kind(text, fail):
    if text.startswith("[") and text.endswith("]"):
        return Kind("list", of=parse_kind(text[1:-1], fail))
    if text.startswith("{") and text.endswith("}"):
        return Kind("map", of=parse_kind(text[1:-1], fail))
    if not re.fullmatch(r"[A-Za-z][\w.]*", text):
        fail(f"{text} is not a type: write {', '.join(PLAIN)}, the name of a type, [TYPE] or {{TYPE}}")
    return Kind("name", name=text)


def parse_member(line, fail):
    """A line such as `limit: int? 1..100  The most to return.`"""
    head, _, said = line.partition("  ")
    found = MEMBER.match(head)
    if not found:
        fail("a member is NAME: TYPE, two spaces, and a sentence")
    name, kind, rest = found.groups()
    optional = kind.endswith("?")
    member = Member(name, parse_kind(kind.rstrip("?"), fail), optional, False, None, None, said.strip())
    rest = rest.strip()
    if rest.startswith("= "):
        member.default, rest = rest[2:], ""
    found = BOUNDS.match(rest)
    if found:
        excludes, least, greatest, measure = found.groups()
        member.bounds = Bounds((measure or " value").strip(), least, greatest, bool(excludes))
        if float(least) > float(greatest):
            fail(f"{name} is from {least} to {greatest}: the least comes first")
        fits = {"value": member.kind.inner() in ("int", "number") and member.kind.shape == "name",
                "bytes": member.kind.shape == "name" and member.kind.name == "string", "entries": member.kind.shape == "list"}
        if not fits[member.bounds.measure]:
            fail(f"the bounds of {name} are those of another kind of value: N..M for a number, N..M bytes for a string, N..M entries for a list")
        rest = rest[found.end():].strip()
    if rest == "null":
        member.null, rest = True, ""
    if rest:
        fail(f"{rest!r} of {name} is not known: after the type come bounds, `null` or `= DEFAULT`")
    if not said.strip():
        fail(f"{name} has no sentence")
    return member


def parse_head(line, feature, place, fail):
    words = line.split()
    if words[0] == "method" and len(words) >= 5 and words[3] == "->":
        return Type(words[2], "method", feature, place, wire=words[1], result=words[4], flags=set(words[5:]))
    if words[0] == "event" and len(words) >= 3:
        return Type(words[2], "event", feature, place, wire=words[1], flags=set(words[3:]))
    if words[0] == "type" and len(words) == 2:
        return Type(words[1], "type", feature, place)
    if words[0] == "type" and words[2:4] == ["or", "string"] and len(words) == 5:
        return Type(words[1], "type", feature, place, string=words[4])
    if words[0] == "words" and len(words) == 2:
        return Type(words[1], "words", feature, place)
    if words[:2] == ["open", "words"] and len(words) == 3:
        return Type(words[2], "open", feature, place)
    fail("a block begins with method NAME TYPE -> RESULT, event NAME TYPE, type NAME, words NAME, open words NAME, or shared")


def parse_line(one, line, shared, fail):
    """A logical line of a block, without its indentation."""
    if one.is_words and re.match(r"[a-z]\w*(?: = \S+)?(?:  |$)", line):
        head, _, said = line.partition("  ")
        name, _, wire = head.partition(" = ")
        one.words.append(Word(name.strip(), wire.strip() or name.strip(), said.strip()))
    elif line.startswith("observers see "):
        one.observers = line[len("observers see "):]
    elif line.startswith("keeps "):
        found = re.match(r"keeps (\w+): (.+?) = (.+)$", line)
        one.keeps.append(found.groups() if found else fail("write keeps NAME: TYPE = VALUE"))
    elif line.startswith("note "):
        one.notes.append(line[len("note "):])
    elif re.fullmatch(r"[a-z]\w*", line):
        one.members.append(shared.get(line) or fail(f"no shared block has {line}"))
    elif MEMBER.match(line) and not one.is_words:
        one.members.append(parse_member(line, fail))
    elif one.members or one.words:
        fail(f"{line[:40]!r} is neither a member nor a word")
    else:
        one.said = f"{one.said} {line}".strip()


def read_file(path, feature, schema, shared):
    """Adds the types of a file."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    title, one, pending = "", None, None

    def finish():
        nonlocal pending
        if pending:
            number, text = pending
            pending = None

            def fail(reason):
                raise SchemaError(f"{os.path.relpath(path)}:{number}: {reason}.")

            if one is None:
                fail("a line that is set in stands before the first block")
            if one == "shared":
                member = parse_member(text, fail)
                shared[member.name] = member
            else:
                parse_line(one, text, shared, fail)

    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            title = title or line.lstrip("# ")
        elif not line.strip():
            finish()
        elif line.startswith("      ") and pending:
            pending = (pending[0], f"{pending[1]} {line.strip()}")
        elif line.startswith("  "):
            finish()
            pending = (number, line.strip())
        else:
            finish()

            def fail(reason, number=number):
                raise SchemaError(f"{os.path.relpath(path)}:{number}: {reason}.")

            if line == "shared":
                one = "shared"
                continue
            one = parse_head(line, feature, f"{os.path.relpath(path)}:{number}", fail)
            if one.name in schema.types:
                fail(f"{one.name} stands a second time: the first is at {schema.types[one.name].place}")
            schema.types[one.name] = one
    finish()
    return title


def check(schema):
    """Faults that no single line shows."""
    names = set()
    for one in schema.types.values():
        def fail(reason, one=one):
            raise SchemaError(f"{one.place}: {reason}.")

        if one.wire and (one.sort, one.wire) in names:
            fail(f"the {one.sort} {one.wire} stands a second time")
        names.add((one.sort, one.wire))
        if not one.said:
            fail(f"{one.name} has no sentence")
        unknown = one.flags - ({"observers", "bytes"} if one.sort == "method" else {"personal"})
        if unknown:
            fail(f"{', '.join(sorted(unknown))} is not known here")
        if one.sort == "event" and one.observers is None:
            fail(f"{one.name} does not say what observers see: add a line such as `observers see all`")
        if one.result and one.result not in schema.types:
            fail(f"there is no type {one.result}")
        for member in one.members:
            inner = member.kind.inner()
            if inner not in PLAIN and inner not in schema.types:
                fail(f"{member.name} is of type {inner}, which no file has")
            if member.null and not member.optional:
                fail(f"{member.name} is never missing, so it is never null")
        if len({member.name for member in one.members}) != len(one.members):
            fail("a member stands twice")
        if one.is_words and not one.words:
            fail("there are no words")
        for name in shown(one) or []:
            if not one.member(name):
                fail(f"observers see {name}, which is not a member")


def shown(one):
    """The members of a type that observers see; None if all or written by hand."""
    if one.observers is None or one.observers in ("all", "by hand"):
        return None
    text = one.observers.removesuffix(" unless harmless")
    if text.startswith("all but "):
        hidden = text[len("all but "):].split(", ")
        for name in hidden:
            if not one.member(name):
                raise SchemaError(f"{one.place}: observers see all but {name}, which is not a member.")
        return [member.name for member in one.members if member.name not in hidden]
    return text.split(", ")


def load(folder):
    """Reads all files."""
    with open(os.path.join(folder, "protocol.schema"), encoding="utf-8") as file:
        head = file.read()
    version = re.search(r"^version (\d+)$", head, re.M)
    features = re.search(r"^features\n((?:  \w+(?: [\w-]+)?\n)+)", head, re.M)
    if not version or not features:
        raise SchemaError("schema/protocol.schema: write `version N`, and `features` with a feature a line below it.")
    schema = Schema(int(version.group(1)))
    shared = {}
    for line in features.group(1).splitlines():
        feature, *package = line.split()
        schema.packages[feature] = package[0] if package else None
        # What the first file shares, all files may use.
        own = dict(shared)
        title = read_file(os.path.join(folder, f"{feature}.schema"), feature, schema, own)
        shared = shared or own
        schema.features.append((feature, title))
    listed = {f"{feature}.schema" for feature, _ in schema.features} | {"protocol.schema", "README.md"}
    for name in sorted(set(os.listdir(folder)) - listed):
        raise SchemaError(f"schema/{name} is not in the list of schema/protocol.schema: enter it, or remove it.")
    check(schema)
    return schema
