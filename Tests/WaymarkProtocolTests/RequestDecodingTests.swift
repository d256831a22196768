import Testing
import WaymarkSystem

@testable import WaymarkProtocol

/// What a request's parameters are refused for, in words.
@Suite struct RequestDecodingTests {
  /// The refusal of a line's parameters; nil where they are taken.
  private func refusal<R: ServedRequest>(_ type: R.Type, _ params: String) throws -> ServiceError? {
    let line = #"{"id":1,"method":"\#(R.method)","params":\#(params)}"#
    let request = try IncomingRequest.parse(line.utf8).get()
    do {
      _ = try request.decode(R.self)
      return nil
    } catch {
      return error
    }
  }

  @Test func whatIsUnknownIsNamedWithWhatWasMeant() throws {
    let error = try #require(try refusal(ScanBeginRequest.self, #"{"mode":"barcode","regoin":[0,0,1,1]}"#))
    #expect(error.code == .badParams)
    #expect(error.message == #"scan.begin: there is no parameter "regoin"."#)
    #expect(error.hint.hasPrefix("Did you mean region? It takes "))
  }

  @Test func aMisspeltParameterIsNamedWithTheMissingOne() throws {
    for (params, words) in [
      (#"{"mdoe":"barcode"}"#, #"mode: it is missing, and there is no parameter "mdoe""#),
      (#"{"region":[0,0,1,1]}"#, "mode: it is missing"),
      (#"{"kind":"barcode"}"#, #"mode: it is missing, and there is no parameter "kind""#),
      (#"{"other":1,"mod":2}"#, #"mode: it is missing, and there is no parameter "mod""#),
    ] { #expect(try refusal(ScanBeginRequest.self, params)?.message == "scan.begin: \(words).") }
  }

  @Test func aLongNameIsCut() throws {
    let error = try #require(try refusal(PingRequest.self, #"{"\#(String(repeating: "x", count: 100))":1}"#))
    #expect(error.message == #"ping: there is no parameter "\#(String(repeating: "x", count: 80))"."#)
    #expect(error.hint == "It takes none there.")
  }

  @Test func aBoundIsNamedWithTheParameter() throws {
    let error = try #require(try refusal(GalleryListRequest.self, #"{"limit":501}"#))
    #expect(error.message == "gallery.list: limit must be between 1 and 500.")
    #expect(try refusal(GalleryListRequest.self, #"{"limit":500}"#) == nil)
  }

  @Test func anotherKindOfValueIsNamed() throws {
    let error = try #require(try refusal(GalleryListRequest.self, #"{"limit":"many"}"#))
    #expect(error.code == .badParams)
    #expect(error.message.hasPrefix("gallery.list: "))
    #expect(error.message.contains("limit"))
  }

  @Test func aWrongWordListsTheRightOnes() throws {
    let mode = try #require(try refusal(ScanBeginRequest.self, #"{"mode":"qr"}"#))
    #expect(mode.code == .badParams)
    #expect(mode.message == #"scan.begin: mode: "qr" is not one of onboarding, barcode."#)
    let check = try #require(try refusal(TextBeginRequest.self, #"{"patterns":["gtin",{"check":"mod 97"}]}"#))
    #expect(
      check.message
        == #"text.begin: patterns.1.check: "mod 97" is not one of luhn, mod97-10, mod11-2, mod37-36, gtin, vin, iban."#)
    let long = try #require(try refusal(TorchRequest.self, #"{"on":"\#(String(repeating: "x", count: 100))"}"#))
    #expect(long.message == "torch: on: true or false is expected, not a string.")
  }

  /// Every member that is one of a list of words, of every method, refuses another word and lists its own.
  @Test func everyListOfWordsIsClosed() throws {
    let schema = try ProtocolSchema()
    func plausible(_ value: JSONValue) -> JSONValue {
      if let word = value["enum"]?.array?.first { return word }
      return switch value["type"]?.string {
      case "string": "x"
      case "integer", "number": 1
      case "boolean": true
      case "array": []
      default: .object([])
      }
    }
    func refused<R: ServedRequest>(_ type: R.Type, _ params: JSONValue) -> ServiceError? {
      do {
        _ = try IncomingRequest(id: 1, method: R.method, params: params).decode(type)
        return nil
      } catch {
        return error
      }
    }
    var tried = 0
    for request in ProtocolCatalog.requests {
      let name = String(reflecting: request).split(separator: ".").dropFirst().joined(separator: ".")
      let members = schema.members(of: name)
      for member in members {
        guard let words = member.value["enum"]?.array?.compactMap(\.string) else { continue }
        let others = members.filter { $0.isRequired && $0.name != member.name }
          .map { JSONValue.Member($0.name, plausible($0.value)) }
        // The macro cannot open the type.
        let refusal = refused(request, .object(others + [.init(member.name, "no word")]))
        let error = try #require(refusal)
        #expect(error.message.hasSuffix("\(member.name): \"no word\" is not one of \(words.joined(separator: ", "))."))
        tried += 1
      }
    }
    #expect(tried >= 13)
  }

  @Test func theLargestPictureIsTheOneThatItsBoundStates() throws {
    #expect(ScanPictureRequest.largest == 16 * 1024 * 1024)
    #expect(try refusal(ScanPictureRequest.self, #"{"size":\#(ScanPictureRequest.largest)}"#) == nil)
    #expect(try refusal(ScanPictureRequest.self, #"{"size":\#(ScanPictureRequest.largest + 1)}"#) != nil)
  }

  @Test func aPictureIsAnsweredWithoutAnEnvelope() throws {
    let schema = try ProtocolSchema().jsonSchema
    let (picture, words) = (schema["$defs"]?["reply.media.preview"], schema["$defs"]?["reply.ping"])
    #expect(picture?["properties"]?["result"] == nil)
    #expect(words?["required"] == ["id", "result"])
  }
}

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
