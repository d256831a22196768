import WaymarkSystem

// The redaction for observers of the messages that the schema marks with `observers see by hand`.

extension ScanSuccessful {
  /// The event without text, bytes and fields, except those known not to be secret.
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
      copy.composite = nil
      copy.label = nil
    }
    copy.redacted = !harmless.text || copy.fields != fields ? true : nil
    return copy
  }
}

extension ScanSuccessful: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scan, the kind and the symbology. The contents of the code may be secret and are not included.
  public var description: String { "a code of scan \(scan): \(kind ?? "of no kind"), \(symbology)" }
  /// The same as `description`.
  public var debugDescription: String { description }
  /// A mirror with the scan, the kind and the symbology only.
  public var customMirror: Mirror {
    Mirror(self, children: ["scan": scan, "kind": kind as Any, "symbology": symbology], displayStyle: .struct)
  }
}

extension ScanInvalid {
  /// The event without the context, and without the part of the explanation that reveals the policy.
  public var forObservers: Self {
    var copy = self
    copy.context = nil
    copy.explanation = finding
    return copy
  }
}

extension AccountState {
  /// The state with the parts of users that the policy shows before signing in, without their choices and the
  /// provider's messages.
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
  /// Returns the person with only the named parts.
  package func showing(_ parts: Set<String>) -> AccountPerson {
    AccountPerson(
      id: id, title: parts.contains("title") ? title : nil, subtitle: parts.contains("subtitle") ? subtitle : nil,
      initials: parts.contains("initials") ? initials : nil)
  }
}
