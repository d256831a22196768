import FuzzSupport
import Glibc
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import WaymarkHTTP

@testable import WaymarkKiosk

/// Requests to the kiosk behind NIO's parser: address, headers, cookies and bodies through the guard and the routes.
///
/// An input is `METHOD PATH`, header lines, an empty line, a body. `$TOKEN` stands for a launch code, `$COOKIE` for a cookie; an input without
/// them must not get anywhere.
@main
struct FuzzKiosk {
  static func main() { fuzz(seeds: seeds()) { feed($0, $1) } }
}

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let all = input(bytes, count)
  let text = String(decoding: all, as: UTF8.self)
  let hasToken = text.contains("$TOKEN") || text.contains("$COOKIE")
  guard let request = parse(text.replacing("$TOKEN", with: gate.code).replacing("$COOKIE", with: cookie)) else {
    return -1
  }
  let status = answer(request)
  if !hasToken, request.method != .options { require(![200, 303, 204].contains(status), "answered without the token") }
  require(status != 500, "an internal error")
  return 0
}

/// The connection that all requests come from. There is only one, because a channel is not freed before it is closed.
private let channel = EmbeddedChannel()
private let token = KioskToken()
private let gate = AccessGate()
private let cookie = KioskCookie(token: token.value).make(for: nil)

private let responder: any HTTPResponder<ConnectionContext> = {
  let folder = "/dev/shm/waymark-fuzz-assets"
  mkdir(folder, 0o700)
  FuzzFile.write(Array("<!doctype html>".utf8), to: folder + "/index.html")
  let options = KioskOptions(assets: folder, token: token)
  guard let server = try? KioskServer(options: options, backend: Backend(), logger: Logger(label: "fuzz")) else {
    fatalError("no server")
  }
  gate.open(
    KioskAccess(token: token.value, port: 80, authorities: ListenAuthorities.of(host: "127.0.0.1", port: 80)))
  return server.router(behind: gate, connections: Connections(options.limits)).buildResponder()
}()

private func parse(_ text: String) -> Request? {
  let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
  var lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)[...]
  guard let first = lines.popFirst()?.split(separator: " ", maxSplits: 1), first.count == 2,
    let method = HTTPRequest.Method(String(first[0]))
  else { return nil }
  var head = HTTPRequest(method: method, scheme: "http", authority: nil, path: String(first[1]))
  for line in lines {
    guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else { continue }
    let value = String(line[line.index(after: colon)...])
    if name.canonicalName == "host" {
      head.authority = value
    } else {
      head.headerFields.append(HTTPField(name: name, value: value))
    }
  }
  let body = ByteBuffer(string: parts.count > 1 ? String(parts[1]) : "")
  return Request(head: head, body: .init(buffer: body))
}

private func answer(_ request: Request) -> Int {
  let done = DispatchlessSemaphore()
  let result = Mutex(0)
  Task.detached {
    let context = ConnectionContext(
      source: ApplicationRequestContextSource(channel: channel, logger: Logger(label: "fuzz")))
    do {
      let response = try await responder.respond(to: request, context: context)
      result.withLock { $0 = response.status.code }
    } catch let error as any HTTPResponseError {
      result.withLock { $0 = error.status.code }
    } catch {
      result.withLock { $0 = 500 }
    }
    done.signal()
  }
  done.wait()
  return result.withLock { $0 }
}

private func seeds() -> [[UInt8]] {
  let good = "Host:127.0.0.1\nCookie:waymark-80=$COOKIE\n"
  return [
    "GET /?token=$TOKEN\nHost:localhost\n\n", "GET /\n\(good)\n", "GET /assets/index.html\n\(good)If-None-Match:x\n\n",
    "GET /assets/../../etc/passwd\n\(good)\n",
    "HEAD /assets/index.html\n\(good)Accept-Encoding:gzip;q=0.5,*;q=0\nRange:bytes=-3\n\n",
    "GET /api/config\n\(good)\n",
    "POST /api/command\n\(good)Origin:http://127.0.0.1\nContent-Type:application/json\nX-Waymark-Page:p\n\n"
      + #"{"method":"scan.begin","params":{"mode":"onboarding"}}"#,
    "POST /api/upload\n\(good)Content-Length:3\n\nabc", "GET /api/resource/guide%2F1\n\(good)\n",
    "GET /api/gallery/a?width=200\n\(good)\n", "GET /api/snapshot\n\(good)\n",
    "GET /api/preview?width=64&rate=5\n\(good)\n",
    "GET /api/preview?width=64&camera=desk\n\(good)\n",
    "GET /api/events?page=p\n\(good)\n",
    "GET /\nHost:evil.example\nCookie:a=b; waymark=\"0\"\nSec-Fetch-Site:cross-site\n\n",
  ].map { Array($0.utf8) }
}

/// A semaphore without Dispatch: the thread of the fuzzer waits for a task.
private final class DispatchlessSemaphore: @unchecked Sendable {
  // A POSIX semaphore is made to be used from several threads.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  init() { sem_init(semaphore, 0, 0) }
  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }
  func signal() { sem_post(semaphore) }
  func wait() { while sem_wait(semaphore) != 0 {} }
}

private struct Backend: KioskBackend {
  func command(_ method: String, params: [UInt8], page: String?) async -> CommandReply {
    require(CommandAllowList.allows(method), "a method that the page may not call")
    return CommandReply(succeeded: true, json: Array(#"{"result":{}}"#.utf8))
  }
  func events(page: String?) -> AsyncStream<[UInt8]> { AsyncStream { $0.finish() } }
  func preview(width: Int?, rate: Double?, camera: String?) -> AsyncThrowingStream<PicturePart, any Error> {
    require(width.map { (16...4096).contains($0) } ?? true, "a width out of bounds")
    return AsyncThrowingStream { $0.finish() }
  }
  func picture(_ request: PictureRequest) async throws -> PicturePart {
    PicturePart(sequence: nil, captured: nil, format: "png", bytes: [1])
  }
  func upload(_ picture: [UInt8], page: String?) async -> CommandReply {
    CommandReply(succeeded: true, json: Array(#"{"result":{}}"#.utf8))
  }
}
