import Foundation
import Testing
import WaymarkSystem

@testable import WaymarkProtocol

/// The description of the protocol is that of the types.
@Suite struct SchemaTests {
  @Test func aWordMayStandForAnObject() throws {
    let patterns = try ProtocolSchema().members(of: "TextBeginRequest").first { $0.name == "patterns" }
    #expect(
      patterns?.value["items"] == ["anyOf": [["type": "string"], ["$ref": "#/$defs/TextPatternRequest"]]])
  }

  @Test func everyMessageOfTheCatalogIsInTheDocument() throws {
    let schema = try ProtocolSchema()
    #expect(schema.methods.map(\.name) == ProtocolCatalog.requests.map { $0.method })
    #expect(Set(schema.events.map(\.name)) == Set(ProtocolCatalog.events.map { $0.event }))
    #expect(Set(schema.events.filter(\.isPersonal).map(\.name)) == Set(ProtocolCatalog.personal.map { $0.event }))
    for method in schema.methods { #expect(method.result["$ref"] != nil, "\(method.name)") }
  }

  /// The document says of each type what the type itself writes: a value without its optional members has the required ones.
  @Test func theDocumentIsThatOfTheTypes() throws {
    let schema = try ProtocolSchema()
    for request in Samples.allRequests {
      let written = try JSONParser.parse(JSONLineEncoder.encode(request)).members?.map(\.name) ?? []
      let name = String(reflecting: type(of: request)).split(separator: ".").dropFirst().joined(separator: ".")
      #expect(Set(written).isSubset(of: schema.members(of: name).map(\.name)), "\(name)")
      #expect(Set(schema.members(of: name).filter(\.isRequired).map(\.name)).isSubset(of: written), "\(name)")
    }
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
    let definitions = schema.definitions(at: "")
    #expect(definitions.count > 150)
    for definition in definitions {
      #expect(definition.value["description"]?.string?.isEmpty == false, "\(definition.name)")
      for member in schema.members(of: definition.name) {
        #expect(!member.description.isEmpty, "\(definition.name).\(member.name)")
      }
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
