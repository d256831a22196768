"""Writes the messages of WaymarkProtocol in Swift, plain enough that the compiler is fast with them."""
import load

WIDTH = 120
PLAIN = {"string": "String", "int": "Int", "number": "Double", "bool": "Bool", "any": "JSONValue"}
RESERVED = {"protocol", "operator", "case", "default", "in", "is", "as", "for", "self", "class", "struct", "enum", "func", "var", "let", "repeat", "where", "switch"}


def wrapped(text, indent, prefix):
    """A text in lines that begin with a prefix."""
    lines, line = [], ""
    for word in text.split():
        if line and len(indent) + len(prefix) + len(line) + 1 + len(word) > WIDTH:
            lines.append(f"{indent}{prefix}{line}")
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, f"{indent}{prefix}{line}"] if line else lines


def comment(text, indent=""):
    return wrapped(text, indent, "/// ")


def spelt(name):
    return f"`{name}`" if name in RESERVED else name


def kind(value):
    if value.shape == "list":
        return f"[{kind(value.of)}]"
    if value.shape == "map":
        return f"[String: {kind(value.of)}]"
    return PLAIN.get(value.name, value.name)


def type_of(member):
    return kind(member.kind) + ("?" if member.optional else "")


def arguments(start, listed, end, indent):
    """A list in brackets: on one line, or wrapped as the formatter wraps it."""
    line = f"{indent}{start}{', '.join(listed)}{end}"
    if len(line) <= WIDTH:
        return [line]
    inner = indent + "  "
    lines, line = [], ""
    for number, one in enumerate(listed):
        piece = one + ("," if number < len(listed) - 1 else "")
        if line and len(inner) + len(line) + 1 + len(piece) > WIDTH:
            lines.append(inner + line)
            line = piece
        else:
            line = f"{line} {piece}".strip()
    return [indent + start, *lines, inner + line, indent + end]


class Swift:
    """The writer of one schema."""

    def __init__(self, schema):
        self.schema = schema
        self.payloads = {one.name for one in schema.of("event")}
        self.redacted = self.find_redacted()
        self.shared = self.find_shared()

    def find_redacted(self):
        """The types that observers see less of: by their own rule, or by that of a member."""
        found = {one.name for one in self.schema.types.values() if one.observers not in (None, "all")}
        wanted = set(self.payloads) | found
        grows = True
        while grows:
            grows = False
            for one in self.schema.objects().values():
                inner = {member.kind.inner() for member in one.members}
                if one.name not in found and inner & found and one.sort != "method" and self.reaches(one.name):
                    found.add(one.name)
                    grows = True
        return {name for name in found if name in wanted or self.reaches(name)}

    def reaches(self, name):
        """True if a type stands in an event, or in a type that says what observers see."""
        starts = [one.name for one in self.schema.types.values() if one.observers is not None]
        seen, rest = set(), starts
        while rest:
            next_one = rest.pop()
            if next_one in seen or next_one not in self.schema.types:
                continue
            seen.add(next_one)
            rest = rest + [member.kind.inner() for member in self.schema.types[next_one].members]
        return name in seen

    def find_shared(self):
        """The types of the first feature that other features name, and the types that these name."""
        first, types = self.schema.features[0][0], self.schema.types
        rest = {name for one in types.values() if one.feature != first for name in one.named() if name in types and types[name].feature == first}
        found = set()
        while rest:
            name = rest.pop()
            found.add(name)
            rest |= {inner for inner in types[name].named() if inner in types} - found
        return found

    # Types

    def words(self, one):
        nested = one.name.rsplit(".", 1)
        indent = "  " if len(nested) > 1 else ""
        out = [f"extension {nested[0]} {{"] if indent else []
        out += comment(one.said, indent)
        if one.sort == "words":
            out.append(f"{indent}public enum {nested[-1]}: String, Codable, CaseIterable, Sendable {{")
            for word in one.words:
                out += comment(word.said, indent + "  ")
                raw = f' = "{word.wire}"' if word.wire != word.name else ""
                out.append(f"{indent}  case {spelt(word.name)}{raw}")
        else:
            out += [
                f"{indent}public struct {nested[-1]}: RawRepresentable, Codable, Hashable, Sendable {{",
                f"{indent}  /// The word on the wire.",
                f"{indent}  public let rawValue: String",
                "",
                f"{indent}  /// A word of this service, or of a newer one.",
                f"{indent}  public init(rawValue: String) {{ self.rawValue = rawValue }}",
                "",
            ]
            for word in one.words:
                out += comment(word.said, indent + "  ")
                out.append(f'{indent}  public static let {spelt(word.name)} = {nested[-1]}(rawValue: "{word.wire}")')
        out.append(f"{indent}}}")
        return out + (["}"] if indent else [])

    def default(self, member):
        """The value of an argument that is left out."""
        if member.optional:
            return " = nil"
        if member.default is None:
            return ""
        if member.default == "{}":
            return f" = {kind(member.kind)}()"
        if member.kind.shape == "name" and member.kind.name not in PLAIN:
            return f" = .{member.default}"
        return f" = {member.default}"

    def object(self, one):
        served = one.sort == "method"
        conformance = {"method": "ServiceRequest, ServedRequest", "event": "EventPayload"}.get(one.sort, "Codable, Hashable, Sendable")
        out = [*comment(one.said), f"public struct {one.name}: {conformance} {{"]
        for member in one.members:
            out += comment(member.description(), "  ")
            out.append(f"  public var {spelt(member.name)}: {type_of(member)}")
        harmless = bool(one.observers and one.observers.endswith("unless harmless"))
        if harmless:
            out.append("  /// True if observers may see all of it. Never on the wire.")
            out.append("  package var isHarmless = false")
        for name, swift, value in one.keeps:
            out += ["  /// Decides what observers see. Never on the wire.", f"  package var {name}: {swift} = {value}"]
        if one.members:
            out.append("")
        nulls = any(member.null for member in one.members)
        if harmless or one.keeps or nulls or one.string:
            cases = [spelt(member.name) for member in one.members]
            out += self.keys(cases)
        if served:
            out += [
                "  /// The name on the wire.",
                f'  public static let method = "{one.wire}"',
                "  /// The result of a success.",
                f"  public typealias Result = {one.result}",
                f"  package static let allowsObservers = {'true' if 'observers' in one.flags else 'false'}",
                *self.bounds(one),
                "",
            ]
        if one.sort == "event":
            out += ["  /// The name on the wire.", f'  public static let event = "{one.wire}"', ""]
        if one.name in self.redacted or one.sort == "event":
            out += self.for_observers(one, harmless)
        out += self.initializer(one)
        if nulls:
            out += self.encoder(one)
        if one.string:
            out += self.string_or_object(one)
        out.append("}")
        return out

    def keys(self, cases):
        line = f"  private enum CodingKeys: CodingKey {{ case {', '.join(cases)} }}"
        if len(line) <= WIDTH:
            return [line, ""]
        lines, line = [], "case"
        for number, name in enumerate(cases):
            piece = f" {name}" + ("," if number < len(cases) - 1 else "")
            if len(line) + len(piece) + 4 > WIDTH:
                lines.append(line)
                line = f"  {piece.strip()}"
            else:
                line += piece
        return ["  private enum CodingKeys: CodingKey {", *(f"    {one}" for one in [*lines, line]), "  }", ""]

    def initializer(self, one):
        if not one.members:
            return ["  /// The only value.", "  public init() {}"]
        listed = [f"{spelt(member.name)}: {type_of(member)}{self.default(member)}" for member in one.members]
        return [
            "  /// A value from its members.",
            *arguments("public init(", listed, ") {", "  "),
            *(f"    self.{member.name} = {spelt(member.name)}" for member in one.members),
            "  }",
        ]

    def encoder(self, one):
        nulls = " and ".join(f"`{member.name}`" for member in one.members if member.null)
        out = [
            "",
            f"  /// Writes the value; {nulls} also when null.",
            "  public func encode(to encoder: any Encoder) throws {",
            "    var container = encoder.container(keyedBy: CodingKeys.self)",
        ]
        for member in one.members:
            way = "encodeIfPresent" if member.optional and not member.null else "encode"
            out.append(f"    try container.{way}({spelt(member.name)}, forKey: .{spelt(member.name)})")
        return [*out, "  }"]

    def string_or_object(self, one):
        out = [
            "",
            f"  /// True if it is but its `{one.string}`, which a string on the wire stands for.",
            f"  public var isWord: Bool {{ {one.string} != nil && self == Self({one.string}: {one.string}) }}",
            "",
            "  /// Reads a string or an object.",
            "  public init(from decoder: any Decoder) throws {",
            "    if let word = try? decoder.singleValueContainer().decode(String.self) {",
            f"      self.init({one.string}: word)",
            "      return",
            "    }",
            "    let object = try decoder.container(keyedBy: CodingKeys.self)",
            "    self.init(",
        ]
        for number, member in enumerate(one.members):
            end = ")" if number == len(one.members) - 1 else ","
            out.append(f"      {spelt(member.name)}: try object.decodeIfPresent({kind(member.kind)}.self, forKey: .{spelt(member.name)}){end}")
        out += [
            "  }",
            "",
            "  /// Writes a string where one stands for it.",
            "  public func encode(to encoder: any Encoder) throws {",
            f"    if isWord, let {one.string} {{",
            "      var container = encoder.singleValueContainer()",
            f"      try container.encode({one.string})",
            "      return",
            "    }",
            "    var object = encoder.container(keyedBy: CodingKeys.self)",
        ]
        out += [f"    try object.encodeIfPresent({spelt(member.name)}, forKey: .{spelt(member.name)})" for member in one.members]
        return [*out, "  }"]

    # Roles

    def for_observers(self, one, harmless):
        if one.observers == "by hand":
            return []
        access = "public" if one.sort == "event" else "package"
        visible = load.shown(one)
        changes = []
        for member in one.members:
            name = spelt(member.name)
            if visible is not None and member.name == "redacted":
                changes.append("copy.redacted = true")
            elif visible is not None and member.name not in visible:
                if member.optional:
                    changes.append(f"copy.{name} = nil")
                elif member.kind.shape == "list":
                    changes.append(f"copy.{name} = []")
                elif member.kind.name == "string":
                    changes.append(f'copy.{name} = ""')
                else:
                    raise load.SchemaError(f"{one.place}: {member.name} cannot be hidden from observers: make it `?`.")
            elif member.kind.inner() in self.redacted:
                mark = "?" if member.optional else ""
                part = f"{name}{mark}.forObservers" if member.kind.shape == "name" else f"{name}{mark}.map(\\.forObservers)"
                changes.append(f"copy.{name} = {part}")
        said = "Nothing is hidden." if not changes else "Without what observers may not see."
        out = [f"  /// The value as an observer sees it. {said}"]
        if not changes:
            return [*out, f"  {access} var forObservers: Self {{ self }}", ""]
        out.append(f"  {access} var forObservers: Self {{")
        if harmless:
            out.append("    guard !isHarmless else { return self }")
        return [*out, "    var copy = self", *(f"    {change}" for change in changes), "    return copy", "  }", ""]

    # Bounds

    def bounded(self, one, path=""):
        """The bounds below a type: their path, what they bound, and the description."""
        for member in one.members:
            place = f"{path}{member.name}"
            if member.bounds:
                yield place, member
            inner, shape = member.kind.inner(), member.kind.shape
            if inner in self.schema.types and not self.schema.types[inner].is_words:
                yield from self.bounded(self.schema.types[inner], f"{place}{'[]' if shape == 'list' else '{}' if shape == 'map' else ''}.")

    def bounds(self, one):
        rows = list(self.bounded(one))
        if not rows:
            return ["  package static let bounds: [ParameterBound] = []"]
        out = ["  package static let bounds: [ParameterBound] = ["]
        for path, member in rows:
            limits = member.bounds
            text = member.description().replace("\\", "\\\\").replace('"', '\\"')
            end = ")," if len(rows) > 1 else ")"
            out += [
                "    ParameterBound(",
                f'      "{path}", .{limits.measure}, {"above" if limits.excludes else "from"}: {limits.least}, to: {limits.greatest},',
                *string_lines(text, "      ", end),
            ]
        return [*out, "  ]"]

    # Files

    def file(self, feature):
        types = [one for one in self.schema.types.values() if one.feature == feature and one.name not in self.shared]
        return self.source(f"schema/{feature}.schema", types)

    def source(self, schema, types):
        body = []
        for one in types:
            body += [*(self.words(one) if one.is_words else self.object(one)), ""]
        uses_json = any(member.kind.inner() == "any" for one in types for member in one.members)
        head = [notice(schema), ""]
        if uses_json:
            head += ["public import WaymarkSystem", ""]
        return "\n".join(head + body)

    def events(self):
        events = self.schema.of("event")

        def case(one):
            return one.name[0].lower() + one.name[1:]

        out = [
            notice("schema"),
            "",
            "public import WaymarkSystem",
            "",
            "/// One event as it came over the wire, by its payload.",
            "public enum EventBody: Hashable, Sendable {",
        ]
        for one in events:
            out += [f"  /// `{one.wire}`.", f"  case {case(one)}({one.name})"]
        out += [
            "  /// An event of a newer service, as it stands.",
            "  case unknown(String, JSONValue)",
            "",
            "  /// Reads the payload of the event `name` from its line.",
            "  init(name: String, line: JSONValue) throws {",
            "    switch name {",
        ]
        for one in events:
            out += [f'    case "{one.wire}":', f"      self = .{case(one)}(try JSONValueDecoder.decode({one.name}.self, from: line))"]
        out += [
            "    default: self = .unknown(name, line)",
            "    }",
            "  }",
            "",
            "  /// The name on the wire.",
            "  public var name: String {",
            "    switch self {",
            *(f'    case .{case(one)}: "{one.wire}"' for one in events),
            "    case .unknown(let name, _): name",
            "    }",
            "  }",
            "}",
            "",
            "/// Every request and every event of the protocol, by its type.",
            "package enum ProtocolCatalog {",
            "  /// The version of the protocol, as in `hello`.",
            f"  package static let version = {self.schema.version}",
            "",
            "  /// Every method.",
            "  package static let requests: [any ServedRequest.Type] = [",
            *(f"    {one.name}.self," for one in self.schema.of("method")),
            "  ]",
            "",
            "  /// The packages of the methods that are not of the base.",
            "  package static let packages: [String: String] = [",
            *(f'    "{one.wire}": "{self.schema.packages[one.feature]}",' for one in self.schema.of("method") if self.schema.packages[one.feature]),
            "  ]",
            "",
            "  /// Every event that a subscription can bring.",
            "  static let subscribable: [any EventPayload.Type] = [",
            *(f"    {one.name}.self," for one in events if "personal" not in one.flags),
            "  ]",
            "",
            "  /// Events that concern one connection alone: they come without a subscription.",
            "  static let personal: [any EventPayload.Type] = [",
            *(f"    {one.name}.self," for one in events if "personal" in one.flags),
            "  ]",
            "",
            "  /// Every event.",
            "  package static var events: [any EventPayload.Type] { personal + subscribable }",
            "}",
            "",
        ]
        return "\n".join(out)

    def files(self):
        """Every file by its path."""
        folder = "Sources/Service/WaymarkProtocol/Generated"
        made = {f"{folder}/{feature.capitalize()}.swift": self.file(feature) for feature, _ in self.schema.features}
        # Each file names types of those below it: the shared types, the features, the first feature, which names the others', the catalog.
        made[f"{folder}/Shared.swift"] = self.source("schema", [one for one in self.schema.types.values() if one.name in self.shared])
        made[f"{folder}/Catalog.swift"] = self.events()
        return made


def string_lines(text, indent, end):
    """A string literal: one line, or a literal of several lines that is one line of text."""
    if len(indent) + len(text) + 2 + len(end) <= WIDTH:
        return [f'{indent}"{text}"{end}']
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(indent) + len(line) + len(word) + 3 > WIDTH:
            lines.append(f"{indent}{line} \\")
            line = word
        else:
            line = f"{line} {word}".strip()
    return [f'{indent}"""', *lines, indent + line, f'{indent}"""{end}']


def notice(source):
    return f"// Generated by Scripts/generate from {source}; do not edit."
