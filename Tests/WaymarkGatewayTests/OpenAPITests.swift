import Foundation
import HTTPTypes
import Testing
import WaymarkProtocol
import WaymarkSystem

@testable import waymark_gateway

@Suite("The description of the gateway")
struct OpenAPITests {
  private func document() throws -> JSONValue { OpenAPIDocument(schema: try ProtocolSchema()).json(version: "1.2.3") }

  /// Every `$ref` of a value.
  private func references(_ value: JSONValue) -> Set<String> {
    switch value {
    case .object(let members):
      members.reduce(into: []) { found, member in
        if member.name == "$ref", let text = member.value.string { found.insert(text) }
        found.formUnion(references(member.value))
      }
    case .array(let elements): elements.reduce(into: []) { $0.formUnion(references($1)) }
    default: []
    }
  }

  @Test("Every method is there, but those that belong to a connection, and no other")
  func methods() throws {
    let document = try document()
    let paths = Set(try #require(document["paths"]?.members).filter { $0.value["post"] != nil }.map(\.name))
    let methods = try ProtocolSchema().methods.map(\.name).filter { !GatewayPaths.connectionMethods.contains($0) }
    #expect(paths == Set(methods.map { "/v1/\($0)" }))
    #expect(GatewayPaths.connectionMethods.isSubset(of: Set(try ProtocolSchema().methods.map(\.name))))
  }

  @Test("docs/gateway.md lists the statuses of the gateway's own errors")
  func listedStatuses() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/gateway.md"), encoding: .utf8)
    let list = try #require(page.firstRange(of: "An error has the code")).lowerBound
    let paragraph = page[list...].replacing("\n\n", with: "\0").prefix { $0 != "\0" }.replacing("\n", with: " ")
    for own in GatewayAnswer.ownCodes { #expect(paragraph.contains(" \(own.status.code) "), "\(own.code)") }
  }

  @Test("What it refers to is there")
  func referencesResolve() throws {
    let document = try document()
    let found = references(document)
    #expect(found.count > 50)
    for reference in found {
      var value: JSONValue? = document
      for part in reference.split(separator: "/").dropFirst() { value = value?[String(part)] }
      #expect(value != nil, "\(reference)")
    }
  }

  @Test("The guard knows every path of the document, and its verb")
  func paths() throws {
    let paths = GatewayPaths(try ProtocolSchema())
    for path in try #require(try document()["paths"]?.members) {
      let verbs = path.value.members?.map { $0.name.uppercased() }
      #expect(paths.verbs(of: path.name) == verbs, "\(path.name)")
    }
  }

  @Test(
    "Other paths are none",
    arguments: [
      "/", "/v1", "/v1/", "/v2/ping", "/v1/../etc/passwd", "/v1/%2e%2e/ping", "/v1/ping/", "/v1/a/b", "/v1/.", "/v1/..",
      "/v1/a..b", "/v1/.a", "/v1/ping%00", "/v1/ping\u{0}", "//v1/ping",
    ])
  func otherPaths(path: String) throws { #expect(GatewayPaths(try ProtocolSchema()).verbs(of: path) == nil) }

  @Test("Every code of the socket has a status of an error, and the document lists it")
  func statuses() throws {
    let responses = try document()["paths"]?["/v1/ping"]?["post"]?["responses"]
    for code in try ProtocolSchema().errors.map(\.code) + GatewayAnswer.ownCodes.map(\.code) {
      let status = GatewayAnswer.status(of: code).code
      #expect((400..<600).contains(status), "\(code)")
      #expect(responses?[String(status)] != nil, "\(code): \(status)")
    }
  }
}
