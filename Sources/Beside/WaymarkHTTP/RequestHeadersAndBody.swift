import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization
import WaymarkSystem

/// The content codings that a client accepts, from its header `Accept-Encoding` (RFC 9110, section 12.5.3). `RequestedRange` below
/// reads the header `Range`, and `BodyCollector` collects the body.
package struct AcceptedCodings: Sendable {
  /// The weight of each named coding, 0 to 1; `*` stands for all others.
  private var weights: [String: Double] = [:]

  /// - Parameter field: the header's value; nil, without a header, selects plain bytes.
  package init(_ field: String?) {
    for part in (field ?? "").split(separator: ",") {
      let words = part.split(separator: ";", omittingEmptySubsequences: false).map {
        $0.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
      guard let name = words.first, !name.isEmpty else { continue }
      weights[name == "x-gzip" ? "gzip" : name] = Self.weight(words.dropFirst())
    }
  }

  /// The weight among a coding's parameters: 1 without a weight; 0 if it is malformed, so that a doubtful coding is not sent.
  private static func weight(_ parameters: ArraySlice<String>) -> Double {
    guard let parameter = parameters.first(where: { $0.hasPrefix("q=") }) else { return 1 }
    let digits = parameter.dropFirst(2)
    guard digits.wholeMatch(of: /0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?/) != nil, let weight = Double(digits) else {
      return 0
    }
    return weight
  }

  /// True if the client accepts gzip with at least the weight of plain bytes (RFC 9110, 12.5.3).
  package var prefersGzip: Bool {
    guard let gzip = weights["gzip"] ?? weights["*"], gzip > 0 else { return false }
    return gzip >= weights["identity"] ?? 0
  }

  /// True unless the client refuses plain bytes explicitly.
  package var takesIdentity: Bool { (weights["identity"] ?? weights["*"] ?? 1) > 0 }
}

/// The part of a file that a `Range` header requests (RFC 9110, section 14).
package enum RequestedRange: Equatable, Sendable {
  /// The whole file: no header, another unit than bytes, several ranges, or a malformed value.
  case whole
  case part(Range<Int>)
  /// The range cannot be satisfied: it begins behind the end of the file, or is empty.
  case outside

  /// - Parameters:
  ///   - field: the header's value.
  ///   - size: the file's size, in bytes.
  package init(_ field: String?, size: Int) {
    guard let match = field?.wholeMatch(of: /(?i)bytes= *([0-9]{0,18})-([0-9]{0,18}) */) else {
      self = .whole
      return
    }
    switch (Int(match.1), Int(match.2)) {
    case (nil, nil): self = .whole
    case (nil, let last?): self = last == 0 || size == 0 ? .outside : .part(max(0, size - last)..<size)
    case (let first?, nil): self = first < size ? .part(first..<size) : .outside
    case (let first?, let last?):
      if last < first { self = .whole } else { self = first < size ? .part(first..<min(last + 1, size)) : .outside }
    }
  }
}

/// Collects the bodies of requests, limited in bytes, time and rate.
package enum BodyCollector {
  /// The first seconds of a body, for which no bytes are required.
  private static let grace = 5.0

  /// Reads a whole body; nil if it is too large or too slow, or if the connection or the task ends before the body.
  ///
  /// - Parameter rate: the bytes per second that must arrive on average after the first seconds; 0 to accept any rate.
  package static func collect(
    _ request: Request, upTo limit: Int, within deadline: Duration, rate: Int = 0
  ) async -> [UInt8]? {
    if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { return nil }
    let received = Received()
    return await withTaskGroup(of: [UInt8]?.self) { group in
      group.addTask {
        var bytes: [UInt8] = []
        do {
          for try await piece in request.body {
            guard bytes.count + piece.readableBytes <= limit else { return nil }
            bytes.append(contentsOf: piece.readableBytesView)
            received.count.store(bytes.count, ordering: .relaxed)
          }
        } catch {
          return nil
        }
        return Task.isCancelled ? nil : bytes
      }
      group.addTask {
        let end = deadline / .seconds(1)
        var elapsed = 0.0
        while elapsed < end, !Task.isCancelled {
          let pause = min(rate > 0 ? 1 : end, end - elapsed)
          try? await Task.sleep(for: .seconds(pause))
          elapsed += pause
          if isTooSlow(received.count.load(ordering: .relaxed), after: elapsed, rate: rate) { break }
        }
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }

  /// Returns whether the bytes that have arrived are fewer than `rate` a second, not counting the first `grace`
  /// seconds.
  static func isTooSlow(_ bytes: Int, after seconds: Double, rate: Int) -> Bool {
    Double(bytes) < Double(rate) * (seconds - grace)
  }

  /// The number of bytes of a body that have arrived.
  private final class Received: Sendable { let count = Atomic(0) }
}
