/// The topics of one device: `PREFIX/DEVICE/…`.
package struct BridgeTopics: Hashable, Sendable {
  /// Where everything of this device lies.
  package let base: String

  /// The topics of a device; `nil` when prefix or device could be mistaken for other topics.
  package init?(prefix: String, device: String) {
    guard Self.isLevels(prefix), Self.isLevel(device) else { return nil }
    base = "\(prefix)/\(device)"
  }

  /// True if the device is there: retained, and the last will.
  package var status: String { "\(base)/status" }
  /// The answers to commands.
  package var reply: String { "\(base)/reply" }
  /// The filter by which commands are subscribed to.
  package var commandFilter: String { "\(base)/command/#" }

  /// The topic of an event: `scan.successful` lies at `event/scan/successful`.
  package func topic(ofEvent name: String) -> String {
    "\(base)/event/\(name.split(separator: ".").joined(separator: "/"))"
  }

  /// The method that a topic of commands names; `nil` for other topics.
  package func method(ofTopic topic: String) -> String? {
    let start = "\(base)/command/"
    guard topic.utf8.starts(with: start.utf8) else { return nil }
    let levels = topic.utf8.dropFirst(start.utf8.count).split(separator: UInt8(ascii: "/"))
    guard (1...4).contains(levels.count) else { return nil }
    return levels.map { String(Substring($0)) }.joined(separator: ".")
  }

  /// Returns whether a text can be one level of a topic: no wildcard, no separator, nothing that a terminal or a log would stumble over.
  static func isLevel(_ text: String) -> Bool {
    let allowed = { (byte: UInt8) in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    return (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(allowed)
  }

  private static func isLevels(_ text: String) -> Bool {
    let levels = text.split(separator: "/", omittingEmptySubsequences: false)
    return levels.count <= 4 && levels.allSatisfy { isLevel(String($0)) }
  }
}
