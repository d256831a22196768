package import WaymarkSystem

// What observers see of the messages whose rule the schema leaves to code (`observers see by hand`).

extension ScanSuccessful {
  /// The part of a payload that is known to be no secret.
  package struct Harmless: Hashable, Sendable {
    /// True if text and bytes are.
    package var text = false
    /// The fields, with what is not replaced.
    package var fields: JSONValue?

    /// Nothing, unless said otherwise.
    package init(text: Bool = false, fields: JSONValue? = nil) {
      self.text = text
      self.fields = fields
    }
  }

  /// Without text, bytes and fields, but for what is known to be harmless.
  public var forObservers: Self {
    var copy = self
    copy.context = nil
    copy.fields = fields == nil ? nil : harmless.fields
    if !harmless.text {
      copy.text = nil
      copy.bytesBase64 = nil
      copy.charset = nil
      copy.addOn = nil
      copy.part = nil
    }
    copy.redacted = !harmless.text || copy.fields != fields ? true : nil
    return copy
  }
}

extension ScanSuccessful: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scan, the kind and the symbology. What the code says may be a secret, and stays in its properties and on the wire.
  public var description: String { "a code of scan \(scan): \(kind ?? "of no kind"), \(symbology)" }
  /// As `description`.
  public var debugDescription: String { description }
  /// As much as `description` says.
  public var customMirror: Mirror {
    Mirror(self, children: ["scan": scan, "kind": kind as Any, "symbology": symbology], displayStyle: .struct)
  }
}

extension AccountState {
  /// Of users only what the policy shows before signing in, none of their choices; none of the provider's words.
  public var forObservers: Self {
    var copy = self
    copy.user = user?.showing(shown)
    copy.sync?.user = sync?.user?.showing(shown)
    copy.sync?.text = nil
    copy.synced = nil
    copy.choices = nil
    copy.problem?.text = nil
    return copy
  }
}

extension AccountPerson {
  /// Only the parts of these names.
  package func showing(_ parts: Set<String>) -> AccountPerson {
    AccountPerson(
      id: id, title: parts.contains("title") ? title : nil, subtitle: parts.contains("subtitle") ? subtitle : nil,
      initials: parts.contains("initials") ? initials : nil)
  }
}

extension ScanPictureRequest {
  /// The largest picture, in bytes.
  public static let largest = 16 << 20
}
