/// The content codings that a client takes, as its `Accept-Encoding` states them (RFC 9110, section 12.5.3).
package struct AcceptedCodings: Sendable {
  /// The weight of each coding that is named, 0 to 1; `*` for all others.
  private var weights: [String: Double] = [:]

  /// - Parameter field: the header's value; `nil` where there is none, which asks for plain bytes here.
  package init(_ field: String?) {
    for part in (field ?? "").split(separator: ",") {
      let words = part.split(separator: ";", omittingEmptySubsequences: false).map {
        $0.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
      guard let name = words.first, !name.isEmpty else { continue }
      weights[name == "x-gzip" ? "gzip" : name] = Self.weight(words.dropFirst())
    }
  }

  /// The weight among a coding's parameters: 1 without one, 0 where it is malformed, so that doubt never sends what nobody can read.
  private static func weight(_ parameters: ArraySlice<String>) -> Double {
    guard let parameter = parameters.first(where: { $0.hasPrefix("q=") }) else { return 1 }
    let digits = parameter.dropFirst(2)
    guard digits.wholeMatch(of: /0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?/) != nil, let weight = Double(digits) else {
      return 0
    }
    return weight
  }

  /// Returns true if the client takes gzip at least as gladly as plain bytes.
  package var prefersGzip: Bool {
    guard let gzip = weights["gzip"] ?? weights["*"], gzip > 0 else { return false }
    return gzip >= weights["identity"] ?? 0
  }

  /// Returns true if the client takes plain bytes: everybody does who does not refuse them in so many words.
  package var takesIdentity: Bool { (weights["identity"] ?? weights["*"] ?? 1) > 0 }
}
