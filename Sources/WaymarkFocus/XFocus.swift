/// Reads the output of `xprop` about the root window and others, as far as the focus goes.
package enum XFocus {
  /// The window of a line such as `_NET_ACTIVE_WINDOW(WINDOW): window id # 0x1e00007`; nil where there is none (`0x0`).
  package static func window(in line: some StringProtocol) -> String? {
    guard line.hasPrefix("_NET_ACTIVE_WINDOW"), let mark = line.firstIndex(of: "#") else { return nil }
    let id = line[line.index(after: mark)...].drop { $0 == " " }.prefix { $0.isHexDigit || $0 == "x" }
    guard id.hasPrefix("0x"), let number = UInt32(id.dropFirst(2), radix: 16), number != 0 else { return nil }
    return String(id)
  }

  /// The class of a line such as `WM_CLASS(STRING) = "navigator", "Firefox"`: the last of its names.
  package static func program(in text: some StringProtocol) -> String? {
    guard text.hasPrefix("WM_CLASS") else { return nil }
    let line = text.prefix { !$0.isNewline }
    let names = line.split(separator: "\"", omittingEmptySubsequences: false)
    // Between quotation marks stand the names, at every second place.
    let quoted = names.indices.filter { $0 % 2 == 1 && $0 < names.count - 1 }.map { names[$0] }
    return quoted.last { !$0.isEmpty }.map { String($0) }
  }
}
