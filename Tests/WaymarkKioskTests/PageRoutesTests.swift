import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import WaymarkKiosk

@Suite("Which connection a page's commands go over")
struct PageTableTests {
  final class Client {}

  @Test("The newest stream's, whichever ends or comes back meanwhile")
  func newest() {
    var table = PageTable<Client>()
    let (old, new) = (table.began(), table.began())
    let (first, second, third) = (Client(), Client(), Client())
    table.connected("p", stream: old, first)
    #expect(table["p"] === first)
    table.connected("p", stream: new, second)
    #expect(table["p"] === second)
    table.ended("p", stream: old)
    #expect(table["p"] === second)
    table.connected("p", stream: old, third)
    #expect(table["p"] === second)
    table.ended("p", stream: new)
    #expect(table["p"] == nil)
  }

  @Test("Pages have nothing to do with each other")
  func others() {
    var table = PageTable<Client>()
    let (one, two) = (Client(), Client())
    let streams = (table.began(), table.began())
    table.connected("q", stream: streams.1, two)
    table.connected("p", stream: streams.0, one)
    table.ended("q", stream: streams.1)
    #expect(table["p"] === one)
    #expect(table["q"] == nil)
  }
}

@Suite("How the page's files travel")
struct StaticAnswerTests {
  private let text = Assets.File(
    Data(String(repeating: "export const word = 'word';\n", count: 40).utf8), contentType: "text/javascript")
  private let noise = Assets.File(Data((0..<64).map { UInt8(truncatingIfNeeded: $0 &* 167) }), contentType: "image/png")

  private func answer(_ file: Assets.File, _ headers: HTTPFields = [:]) -> Response {
    StaticAnswer(file: file).response(
      to: Request(
        head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/", headerFields: headers),
        body: .init(buffer: ByteBuffer())))
  }

  private func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
    let gzip = Process()
    gzip.executableURL = URL(fileURLWithPath: "/bin/gzip")
    gzip.arguments = ["-dc"]
    let (input, output) = (Pipe(), Pipe())
    gzip.standardInput = input
    gzip.standardOutput = output
    try gzip.run()
    try input.fileHandleForWriting.write(contentsOf: Data(bytes))
    try input.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    gzip.waitUntilExit()
    #expect(gzip.terminationStatus == 0)
    return Array(data)
  }

  @Test("What is compressed is the same file, smaller; what grows by it is kept as it is")
  func compression() throws {
    let packed = try #require(text.compressed)
    #expect(packed.count < text.bytes.count / 4)
    #expect(try unpacked(packed) == text.bytes)
    #expect(noise.compressed == nil)
    #expect(Assets.File(Data(), contentType: "text/css").compressed == nil)
  }

  @Test("Each coding has its own validator and length, and caches are told that there are two")
  func codings() throws {
    let plain = answer(text)
    let packed = answer(text, [.acceptEncoding: "gzip, br"])
    #expect(plain.headers[.contentEncoding] == nil && packed.headers[.contentEncoding] == "gzip")
    #expect(plain.headers[.contentLength] == String(text.bytes.count))
    #expect(packed.headers[.contentLength] == text.compressed.map { String($0.count) })
    #expect(plain.headers[.vary] == "Accept-Encoding" && packed.headers[.vary] == "Accept-Encoding")
    let tags = [plain, packed].compactMap { $0.headers[.eTag] }
    #expect(Set(tags).count == 2)
    // A client that has one of them gets 304 for it, and the other one on request.
    for (tag, coding, status) in [
      (tags[0], "identity", HTTPResponse.Status.notModified), (tags[1], "gzip", .notModified), (tags[0], "gzip", .ok),
      ("W/\(tags[1])", "gzip", .notModified), ("\"other\", \(tags[1])", "gzip", .notModified),
      ("*", "gzip", .notModified),
      ("\"other\"", "gzip", .ok),
    ] {
      let again = answer(text, [.acceptEncoding: coding, .ifNoneMatch: tag])
      #expect(again.status == status, "\(tag) \(coding)")
      if status == .notModified { #expect(again.headers[.eTag] != nil && again.headers[.contentEncoding] == nil) }
    }
    #expect(answer(noise, [.acceptEncoding: "gzip"]).headers[.vary] == nil)
    #expect(answer(noise, [.acceptEncoding: "gzip, identity;q=0"]).status == .notAcceptable)
    #expect(answer(text, [.acceptEncoding: "gzip;q=0, identity;q=0"]).status == .notAcceptable)
  }

  @Test("A part is one of the coding that is sent; a part of another edition is not")
  func ranges() throws {
    let part = answer(text, [.range: "bytes=3-9"])
    #expect(part.status == .partialContent)
    #expect(part.headers[.contentRange] == "bytes 3-9/\(text.bytes.count)" && part.headers[.contentLength] == "7")
    let packed = try #require(text.compressed)
    let last = answer(text, [.range: "bytes=-4", .acceptEncoding: "gzip"])
    #expect(last.headers[.contentRange] == "bytes \(packed.count - 4)-\(packed.count - 1)/\(packed.count)")
    let far = answer(text, [.range: "bytes=99999-"])
    #expect(far.status == .rangeNotSatisfiable && far.headers[.contentRange] == "bytes */\(text.bytes.count)")
    #expect(answer(text, [.range: "bytes=3-9", .ifRange: text.entityTag]).status == .partialContent)
    #expect(answer(text, [.range: "bytes=3-9", .ifRange: text.compressedTag]).status == .ok)
    #expect(answer(text, [.range: "bytes=3-9", .ifRange: "W/\(text.entityTag)"]).status == .ok)
  }
}

/// The words of one part of the page alone stand in a file of their own, in every language.
@Suite("The options of the page's server")
struct KioskOptionsTests {
  @Test("An address to listen on has a port, and IPv6 brackets")
  func listener() throws {
    let listener = try #require(KioskOptions.listener("[::1]:80"))
    #expect(listener.host == "::1" && listener.port == 80)
    for text in ["", "127.0.0.1", ":80", "[]:80", "a:65536", "a:-1"] { #expect(KioskOptions.listener(text) == nil) }
  }

  @Test(
    "Below 1.2 m a screen is within reach",
    arguments: [("0.6,1.8", 0.5), ("0,1", 1), ("1.1,2", nil), ("2,1", nil), ("a", nil)] as [(String, Double?)])
  func reach(_ edges: String, _ share: Double?) {
    #expect(KioskOptions.reachableShare(edges).map { ($0 * 1000).rounded() / 1000 } == share)
  }

  @Test("A launch code opens the page on this machine and behind a proxy")
  func launch() throws {
    var options = KioskOptions(assets: "", token: KioskToken())
    (options.host, options.port) = ("::", 80)
    #expect(options.cautions.count == 2)
    options.origins = [try #require(KioskOptions.origin("https://kiosk.example"))]
    #expect(options.cautions.count == 1)
    #expect(
      options.launchAddresses(port: 81, code: "c") == ["http://[::]:81/?token=c", "https://kiosk.example/?token=c"])
    options.host = "localhost"
    #expect(options.cautions.isEmpty)
  }
}

@Suite struct WordsTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/Station/WaymarkKiosk/Resources/js/strings").standardizedFileURL.path

  @Test func everyPartSpeaksBothLanguages() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
    #expect(names.contains("account.js"))
    for name in names {
      let text = try String(contentsOfFile: Self.folder + "/" + name, encoding: .utf8)
      let tables = text.components(separatedBy: "export const de = {")
      #expect(tables.count == 2, "\(name)")
      let keys = tables.map { $0.matches(of: /(?m)^ *'([a-z]+\.[A-Za-z.]+)':/).map { String($0.1) } }
      #expect(keys.first == keys.last, "\(name)")
    }
  }
}
