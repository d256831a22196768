import Testing
import WaymarkJSON

@testable import WaymarkProtocol

/// What a request's parameters are refused for, in words.
@Suite struct RequestDecodingTests {
  /// The refusal of a line's parameters; nil where they are taken.
  private func refusal<R: ServiceRequest>(_ type: R.Type, _ params: String) throws -> ServiceError? {
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

  @Test func theLargestPictureIsTheOneThatItsBoundStates() throws {
    #expect(ScanPictureRequest.largest == 16 * 1024 * 1024)
    #expect(try refusal(ScanPictureRequest.self, #"{"size":\#(ScanPictureRequest.largest)}"#) == nil)
    #expect(try refusal(ScanPictureRequest.self, #"{"size":\#(ScanPictureRequest.largest + 1)}"#) != nil)
  }

  @Test func fewestBytesOfAWordAreOneCharacter() throws {
    let word = try #require(StatedBounds("A word. From 2 to 10 bytes."))
    // Two bytes may be one letter.
    #expect(word.keywords(for: .string).map(\.value) == [.number("1"), .number("10")])
    #expect(StatedBounds("A word. From 0 to 10 bytes.")?.keywords(for: .string).first?.value == .number("0"))
    #expect(StatedBounds("From 2 to 10 entries.")?.keywords(for: .string) == [])
  }

  @Test func aPictureIsAnsweredWithoutAnEnvelope() throws {
    let schema = try ProtocolSchema().jsonSchema
    let (picture, words) = (schema["$defs"]?["reply.media.preview"], schema["$defs"]?["reply.ping"])
    #expect(picture?["properties"]?["result"] == nil)
    #expect(words?["required"] == ["id", "result"])
  }
}
