import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import WaymarkKiosk

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
    // A client that has one of them is told so, and gets the other one when that is wanted.
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
