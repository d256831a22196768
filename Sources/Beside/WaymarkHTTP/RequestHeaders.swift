/// The content codings that a client accepts, from its header `Accept-Encoding` (RFC 9110, section 12.5.3). `RequestedRange` below
/// reads the header `Range`.
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
