import Testing
import WaymarkSystem

@testable import WaymarkProtocol

/// Requests are held to the bounds that the schema states.
@Suite struct ParameterBoundTests {
  @Test(arguments: [
    (ParameterBound("limit", .value, from: 1, to: 500, ""), "must be between 1 and 500"),
    (ParameterBound("rate", .value, from: 0.01, to: 240, ""), "must be between 0.01 and 240"),
    (ParameterBound("timeout", .value, above: 0, to: 86400, ""), "must be greater than 0 and at most 86400"),
    (ParameterBound("key", .bytes, from: 1, to: 128, ""), "must have 1 to 128 bytes"),
    (ParameterBound("fields", .entries, from: 1, to: 200, ""), "must have 1 to 200 entries"),
  ])
  func boundsAreToldInWords(_ bound: ParameterBound, _ demand: String) { #expect(bound.demand == demand) }

  @Test func boundsAreHeldExactly() throws {
    let number = ParameterBound("limit", .value, from: 1, to: 500, "")
    for (value, lies) in [("0", false), ("1", true), ("500", true), ("501", false), ("500.5", false), ("-1", false)] {
      #expect(number.contains(.number(value)) == lies, "\(value)")
    }
    let seconds = ParameterBound("timeout", .value, above: 0, to: 86400, "")
    for (value, lies) in [("0", false), ("0.001", true), ("86400", true), ("86400.1", false)] {
      #expect(seconds.contains(.number(value)) == lies, "\(value)")
    }
    let word = ParameterBound("key", .bytes, from: 1, to: 4, "")
    for (value, lies) in [("", false), ("a", true), ("öö", true), ("ööö", false)] {
      #expect(word.contains(.string(value)) == lies, "\(value)")
    }
    let list = ParameterBound("fields", .entries, from: 1, to: 2, "")
    #expect(![0, 3].contains { list.contains(.array(Array(repeating: .null, count: $0))) })
    #expect([1, 2].allSatisfy { list.contains(.array(Array(repeating: .null, count: $0))) })
    // Bounds do not judge values of another kind.
    #expect(number.contains(.null) && word.contains(.number("7")) && list.contains("word"))
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

  /// A value for the place of a bound in the parameters of a request: the outermost first.
  private func parameters(_ bound: ParameterBound, _ value: JSONValue) -> JSONValue {
    bound.path.split(separator: ".").reversed().reduce(value) { inner, part in
      part.hasSuffix("[]")
        ? .object([.init(String(part.dropLast(2)), .array([inner]))]) : .object([.init(String(part), inner)])
    }
  }

  /// A value of a size that a bound measures.
  private func value(_ bound: ParameterBound, _ size: Double) -> JSONValue {
    switch bound.measure {
    case .value: Int(exactly: size).map { .int($0) } ?? .double(size)
    case .bytes: .string(String(repeating: "x", count: Int(size)))
    case .entries: .array(Array(repeating: .object([]), count: Int(size)))
    }
  }

  /// Every bound of every method, on it and one step outside of it, at both ends.
  @Test func everyBoundIsHeldAtBothEnds() throws {
    var tried = 0
    for request in ProtocolCatalog.requests {
      for bound in request.bounds {
        let isWhole = bound.measure != .value || bound.range.lowerBound == bound.range.lowerBound.rounded()
        let step = isWhole ? 1 : bound.range.lowerBound / 2
        let (least, greatest) = (bound.range.lowerBound, bound.range.upperBound)
        for size in [bound.excludesLeast ? least + step / 1024 : least, greatest] {
          guard bound.measure == .value || size >= 0 else { continue }
          try bound.check(parameters(bound, value(bound, size)))
        }
        for size in [bound.excludesLeast ? least : least - step, greatest + step] {
          guard bound.measure == .value || size >= 0 else { continue }
          #expect(throws: ParameterBound.Violation.self, "\(request.method) \(bound.path) \(size)") {
            try bound.check(parameters(bound, value(bound, size)))
          }
        }
        tried += 1
      }
    }
    #expect(tried >= 22)
  }

  /// The bounds that requests are held to, and those of the document that clients read, are the same ones.
  @Test func theDocumentStatesEveryBound() throws {
    let definitions = try ProtocolSchema().jsonSchema["$defs"]
    let keywords = ["minimum", "exclusiveMinimum", "minLength", "minItems"]
    func bounded(_ type: String, _ path: String) -> Set<String> {
      var found: Set<String> = []
      for member in definitions?[type]?["properties"]?.members ?? [] {
        let shape = member.value["anyOf"]?.array?.first ?? member.value
        if keywords.contains(where: { shape[$0] != nil }) { found.insert(path + member.name) }
        let element = shape["items"]
        let alternatives = element?["anyOf"]?.array ?? shape["anyOf"]?.array ?? []
        for reference in [shape, element].compactMap({ $0?["$ref"]?.string })
          + alternatives.compactMap({ $0["$ref"]?.string })
        {
          found.formUnion(
            bounded(String(reference.dropFirst(8)), "\(path)\(member.name)\(element == nil ? "" : "[]")."))
        }
      }
      return found
    }
    for request in ProtocolCatalog.requests {
      let name = String(reflecting: request).split(separator: ".").dropFirst().joined(separator: ".")
      #expect(bounded(name, "") == Set(request.bounds.map(\.path)), "\(name)")
    }
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
