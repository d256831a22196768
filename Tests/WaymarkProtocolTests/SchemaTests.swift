import Foundation
import Testing
import WaymarkJSON

@testable import WaymarkProtocol

/// The description of the protocol is that of the types.
@Suite struct SchemaTests {
  private struct Outer: Codable {
    struct Inner: Codable {
      var word: ScanMode
      var numbers: [Double]?
    }
    var whole: Int
    var inner: [Inner]
    var byName: [String: Inner]?
    var anything: JSONValue?
  }

  private struct Loop: Decodable {
    var next: [Loop]
  }

  @Test func aTypeTellsItsMembers() throws {
    var recorder = WireShapeRecorder()
    guard case .object(let name) = try recorder.shape(of: Outer.self) else {
      Issue.record("an object")
      return
    }
    let inner = "\(name).Inner"
    #expect(
      recorder.objects[name] == [
        WireMember(name: "whole", shape: .integer, isRequired: true),
        WireMember(name: "inner", shape: .list(.object(inner)), isRequired: true),
        WireMember(name: "byName", shape: .map(.object(inner)), isRequired: false),
        WireMember(name: "anything", shape: .any, isRequired: false),
      ])
    #expect(
      recorder.objects[inner] == [
        WireMember(name: "word", shape: .word(["onboarding", "barcode"]), isRequired: true),
        WireMember(name: "numbers", shape: .list(.number), isRequired: false),
      ])
  }

  @Test func aWordMayStandForAnObject() throws {
    var recorder = WireShapeRecorder()
    #expect(try recorder.shape(of: TextPatternRequest.self) == .stringOr(.object("TextPatternRequest")))
    #expect(recorder.objects["TextPatternRequest"]?.map(\.name).contains("alphabet") == true)
  }

  @Test func aTypeThatContainsItselfIsRefused() {
    var recorder = WireShapeRecorder()
    #expect(throws: WireShapeError.self) { try recorder.shape(of: Loop.self) }
  }

  @Test func everyTypeOfTheSourcesIsInTheCatalog() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/WaymarkProtocol").resolvingSymlinksInPath()
    var methods: Set<String> = []
    var events: Set<String> = []
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      methods.formUnion(text.matches(of: /static let method = "([^"]+)"/).map { String($0.1) })
      events.formUnion(text.matches(of: /static let event = "([^"]+)"/).map { String($0.1) })
    }
    #expect(methods == Set(ProtocolCatalog.requests.map { $0.method }))
    #expect(events == Set(ProtocolCatalog.events.map { $0.event }))
  }

  @Test func parametersAreClosedAndResultsAreOpen() throws {
    let schema = try ProtocolSchema().jsonSchema
    #expect(schema["$defs"]?["ScanBeginRequest"]?["additionalProperties"] == false)
    #expect(schema["$defs"]?["ScanBeginRequest"]?["required"] == ["mode"])
    #expect(schema["$defs"]?["ScanSuccessful"]?["additionalProperties"] == nil)
    #expect(schema["$defs"]?["request.ping"]?["required"] == ["method"])
    #expect(schema["x-methods"]?["media.preview"]?["answersPicture"] == true)
    #expect(schema["x-methods"]?["scan.picture"]?["carriesPicture"] == true)
  }

  @Test func everyTypeMemberAndErrorIsDescribed() throws {
    let schema = try ProtocolSchema()
    for (name, members) in schema.objects {
      #expect(schema.description(name) != nil, "\(name)")
      for member in members { #expect(schema.description(name, member.name) != nil, "\(name).\(member.name)") }
    }
    #expect(schema.errors.count > 25)
    #expect(schema.errors.allSatisfy { !$0.description.isEmpty })
  }

  @Test func asyncAPINamesEveryMessage() throws {
    let schema = try ProtocolSchema()
    let document = schema.asyncAPI(serviceVersion: "1.2.3")
    #expect(document["asyncapi"] == "3.0.0")
    #expect(document["info"]?["version"] == "1.2.3")
    let operations = Set(document["operations"]?.members?.map(\.name) ?? [])
    #expect(operations.count == schema.methods.count + schema.events.count)
    let messages = Set(document["components"]?["messages"]?.members?.map(\.name) ?? [])
    let named = Set(document["channels"]?["socket"]?["messages"]?.members?.map(\.name) ?? [])
    #expect(messages == named)
  }
}
