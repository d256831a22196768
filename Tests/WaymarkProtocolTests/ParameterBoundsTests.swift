import Testing
import WaymarkJSON

@testable import WaymarkProtocol

/// Requests are held to the bounds that the comments of parameters state.
@Suite struct ParameterBoundsTests {
  @Test(arguments: [
    ("The most to return. From 1 to 500.", "must be between 1 and 500"),
    ("Rate. From 0.01 to 240 a second.", "must be between 0.01 and 240"),
    ("Seconds. More than 0, at most 86400.", "must be greater than 0 and at most 86400"),
    ("A word. From 1 to 128 bytes.", "must have 1 to 128 bytes"),
    ("The fields. From 1 to 200 entries.", "must have 1 to 200 entries"),
  ])
  func commentsStateBounds(_ comment: String, _ demand: String) {
    #expect(StatedBounds(comment)?.demand == demand)
  }

  @Test(arguments: ["The way from 1 to 2.", "At most 16.", "From 5 to 1.", ""])
  func otherCommentsStateNone(_ comment: String) { #expect(StatedBounds(comment) == nil) }

  @Test func boundsAreHeldExactly() throws {
    let number = try #require(StatedBounds("From 1 to 500."))
    for (value, lies) in [("0", false), ("1", true), ("500", true), ("501", false), ("500.5", false), ("-1", false)] {
      #expect(number.contain(.number(value)) == lies, "\(value)")
    }
    let seconds = try #require(StatedBounds("More than 0, at most 86400."))
    for (value, lies) in [("0", false), ("0.001", true), ("86400", true), ("86400.1", false)] {
      #expect(seconds.contain(.number(value)) == lies, "\(value)")
    }
    let word = try #require(StatedBounds("From 1 to 4 bytes."))
    for (value, lies) in [("", false), ("a", true), ("öö", true), ("ööö", false)] {
      #expect(word.contain(.string(value)) == lies, "\(value)")
    }
    let list = try #require(StatedBounds("From 1 to 2 entries."))
    #expect(![0, 3].contains { list.contain(.array(Array(repeating: .null, count: $0))) })
    #expect([1, 2].allSatisfy { list.contain(.array(Array(repeating: .null, count: $0))) })
    // Bounds do not judge values of another kind.
    #expect(number.contain(.null) && word.contain(.number("7")) && list.contain("word"))
  }

  @Test func theSchemaShowsWhatRequestsAreHeldTo() throws {
    let definitions = try ProtocolSchema().jsonSchema["$defs"]
    let fields = definitions?["FormSubmitRequest"]?["properties"]?["fields"]
    #expect(fields?["minItems"] == 1 && fields?["maxItems"] == 200)
    let timeout = definitions?["ScanBeginRequest"]?["properties"]?["timeout"]?["anyOf"]?.array?.first
    #expect(timeout?["exclusiveMinimum"] == 0 && timeout?["maximum"] == 86400)
    let name = definitions?["FormField"]?["properties"]?["name"]
    #expect(name?["minLength"] == 1 && name?["maxLength"] == 128)
  }

  /// Every bound that the schema states for a parameter is tried on it, where that is a value that fits, and one step outside of it.
  @Test func everyStatedBoundIsEnforced() throws {
    let schema = try ProtocolSchema()
    let bounds = try ParameterBounds.ofThisVersion.get()
    var tried = 0
    for request in ProtocolCatalog.requests {
      let type = WireShapeRecorder.name(of: request)
      for member in schema.objects[type] ?? [] {
        guard let stated = StatedBounds(schema.description(type, member.name)) else { continue }
        try #require(!stated.keywords(for: member.shape).isEmpty, "\(type).\(member.name) states bounds of another kind")
        let (least, greatest) = (try #require(Double(stated.least)), try #require(Double(stated.greatest)))
        let step = min(0.001, greatest - least)
        let value = { (size: Double) -> JSONValue? in
          switch stated.measure {
          case .value: .double(size)
          case .bytes: size < 0 ? nil : .string(String(repeating: "x", count: Int(size)))
          case .entries: size < 0 ? nil : .array(Array(repeating: .null, count: Int(size)))
          }
        }
        let isCount = stated.measure != .value
        let below = stated.excludesLeast ? least : least - (isCount ? 1 : step)
        for outside in [below, greatest + (isCount ? 1 : step)] {
          guard let value = value(outside) else { continue }
          #expect(throws: ParameterBounds.Violation.self, "\(type).\(member.name) \(outside)") {
            try bounds.check(.object([.init(member.name, value)]), as: request)
          }
        }
        for inside in [stated.excludesLeast ? least + step : least, greatest] {
          let value = try #require(value(inside))
          #expect(throws: Never.self, "\(type).\(member.name) \(inside)") {
            try bounds.check(.object([.init(member.name, value)]), as: request)
          }
        }
        tried += 1
      }
    }
    #expect(tried >= 18)
  }

  @Test func withoutASchemaNothingIsServed() {
    struct Unreadable: Error {}
    #expect(throws: ServiceError.self) { try ParameterBounds.reading { throw Unreadable() }.get() }
    #expect(throws: Never.self) { try ProtocolCatalog.verify() }
  }

  @Test func aViolationNamesItsPlace() {
    let form: JSONValue = [
      "form": "visit", "fields": [["name": "a", "value": "1"], ["name": "", "value": "2"]],
    ]
    let request = IncomingRequest(id: 1, method: "form.submit", params: form)
    do {
      _ = try request.decode(FormSubmitRequest.self)
      Issue.record("refused")
    } catch {
      #expect(error.code == .badParams)
      #expect(error.message == "form.submit: fields[1].name must have 1 to 128 bytes.")
      #expect(error.hint.contains("From 1 to 128 bytes."))
    }
  }

  @Test func whatIsWithinIsDecoded() throws {
    let request = IncomingRequest(id: 1, method: "form.pending", params: ["limit": 100])
    #expect(try request.decode(FormPendingRequest.self).limit == 100)
    #expect(
      try IncomingRequest(id: 1, method: "form.pending", params: ["limit": .null]).decode(FormPendingRequest.self).limit
        == nil)
  }
}
