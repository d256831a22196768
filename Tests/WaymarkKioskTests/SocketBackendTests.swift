import Foundation
import Testing

@testable import WaymarkKiosk

@Suite("The kiosk's way to the service", .ownThread)
struct SocketBackendTests {
  @Test("A page's old stream that ends at last leaves the connection of its new one alone", .timeLimit(.minutes(2)))
  func oldStream() async throws {
    let service = try FakeService()
    let backend = SocketBackend(path: service.path)
    let first = backend.events(page: "p")
    let old = try service.subscriber()
    let (heard, told) = AsyncStream.makeStream(of: [UInt8].self)
    let reader = Task { for await line in first { told.yield(line) } }
    var lines = heard.makeAsyncIterator()
    #expect(await lines.next() != nil)

    var second = backend.events(page: "p").makeAsyncIterator()
    let new = try service.subscriber()
    #expect(await second.next() != nil)
    reader.cancel()
    #expect(old.hasEnded())

    let reply = Task { await backend.command("scan.begin", params: Array("{}".utf8), page: "p") }
    #expect(try new.answer(#"{"scan":"s1"}"#) == "scan.begin")
    #expect(await reply.value.succeeded)
    new.send(try FakeService.fixture("events.ndjson", beginning: #"{"event":"scan.invalid""#))
    let next = await second.next().map { String(decoding: $0, as: UTF8.self) }
    #expect(next?.contains("scan.invalid") == true, "\(next ?? "the end")")
  }

  @Test("A stream that nobody reads ends, and has left out nothing before its end", .timeLimit(.minutes(2)))
  func unread() async throws {
    let service = try FakeService()
    let stream = SocketBackend(path: service.path).events(page: "p")
    let link = try service.subscriber()
    let event = try FakeService.fixture("events.ndjson", beginning: #"{"event":"scan.invalid""#)
    for number in 0..<3000 { link.send(event.replacingOccurrences(of: #""seq":42"#, with: #""seq":\#(number)"#)) }
    // A client that is gone holds nothing of the service any more.
    try #require(link.hasEnded())
    var lines: [String] = []
    for await line in stream { lines.append(String(decoding: line, as: UTF8.self)) }
    #expect(lines.first?.contains("kiosk.connection") == true)
    #expect(lines.count > 1 && lines.count < 3000)
    for (number, line) in lines.dropFirst().enumerated() { #expect(line.contains(#""seq":\#(number),"#)) }
  }
}
