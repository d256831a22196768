package import WaymarkBarcodes
package import WaymarkSystem

/// The code of an anchor: its content, and the symbologies it may be printed in.
package struct SceneCode: Hashable, Sendable {
  /// The content of the code.
  package enum Content: Hashable, Sendable {
    /// Exactly this.
    case text(String)
    /// It begins with this.
    case prefix(String)
    /// The whole text is of this form.
    case pattern(RegularExpression)
    /// It has a GS1 element string of this application identifier, and of this value where one is given.
    case gs1(identifier: String, value: String?)
  }

  package var content: Content
  /// The symbologies that it may have; empty: those that the service reads.
  package var symbologies: [Symbology]

  package init(_ content: Content, symbologies: [Symbology] = []) {
    self.content = content
    self.symbologies = symbologies
  }

  /// Returns whether a symbol that was read is such a code.
  ///
  /// - Parameter elements: its GS1 element strings, wherever they come from.
  package func fits(_ symbol: Symbol, elements: [GS1Element]) -> Bool {
    // A part of a message says what the whole may not.
    guard symbol.part == nil, symbologies.isEmpty || symbologies.contains(symbol.symbology) else { return false }
    guard case .gs1(let identifier, let value) = content else { return says(symbol.text) }
    let all = elements + Self.tradeItem(symbol)
    return all.contains { element in
      element.identifier == identifier
        && value.map { Self.plain($0, identifier) == Self.plain(element.value, identifier) } != false
    }
  }

  private func says(_ text: String) -> Bool {
    switch content {
    case .text(let wanted): return wanted == text
    case .prefix(let prefix): return text.hasPrefix(prefix)
    case .pattern(let pattern):
      // Codes are read in every frame: what no label of any length needs counts as another one.
      var steps = Self.stepLimit
      return pattern.matches(text, steps: &steps)
    case .gs1: return false
    }
  }

  /// The steps that an expression may take over one code.
  private static let stepLimit = 2_000_000

  /// The number of a retail code, which carries it without saying so.
  private static func tradeItem(_ symbol: Symbol) -> [GS1Element] {
    switch symbol.symbology {
    case .ean13, .ean8, .upcA: [GS1Element(identifier: "01", value: symbol.text)]
    default: []
    }
  }

  /// A trade item number in 14 digits (GS1 General Specifications, section 3.3.2); anything else as it is.
  private static func plain(_ value: String, _ identifier: String) -> String {
    guard identifier == "01" || identifier == "02", value.count < 14 else { return value }
    return value.zeroPadded(to: 14)
  }

  /// Returns whether it takes every code that another one names exactly, so that the other is never found.
  func hides(_ other: SceneCode) -> Bool {
    let isWider =
      symbologies.isEmpty
      || (!other.symbologies.isEmpty && Set(other.symbologies).isSubset(of: symbologies))
    guard isWider else { return false }
    if content == other.content { return true }
    switch other.content {
    case .text(let text): return says(text)
    case .prefix(let prefix): if case .prefix(let own) = content { return prefix.hasPrefix(own) } else { return false }
    case .gs1(let identifier, _): return content == .gs1(identifier: identifier, value: nil)
    case .pattern: return false
    }
  }
}
