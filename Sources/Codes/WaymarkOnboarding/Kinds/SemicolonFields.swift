/// `X:value;Y:value;;` with `\` before `\ ; , " :`, as `WIFI:` and `DPP:` have it.
package enum SemicolonFields {
  /// The pairs in their order; nil when the form is broken.
  package static func parse(_ text: some StringProtocol) -> [(name: String, value: String)]? {
    var result: [(name: String, value: String)] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: ";") {
        rest = rest.dropFirst()
        // An empty field ends the list, and nothing follows it.
        return rest.isEmpty ? result : nil
      }
      guard result.count < 64, let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let name = rest[..<colon]
      guard !name.isEmpty, name.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }) else {
        return nil
      }
      rest = rest[(colon + 1)...]
      var value: [UInt8] = []
      var isClosed = false
      while let next = rest.popFirst() {
        if next == UInt8(ascii: ";") {
          isClosed = true
          break
        }
        if next == UInt8(ascii: "\\") {
          guard let escaped = rest.popFirst() else { return nil }
          value.append(escaped)
        } else {
          value.append(next)
        }
      }
      guard isClosed, let decoded = String(validating: value, as: UTF8.self) else { return nil }
      result.append((String(decoding: name, as: UTF8.self), decoded))
    }
    return result
  }
}
