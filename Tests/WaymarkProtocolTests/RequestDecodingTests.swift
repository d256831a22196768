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
