/// The properties of a code in a picture that the verdict depends on.
public struct ScannedCode: Sendable, Hashable {
  /// The payload as the code stores it.
  public var bytes: [UInt8]
  /// The payload as the reader understood it, where the bytes are not UTF-8; otherwise not needed.
  public var text: String?
  /// True if the code is of a symbology that onboarding reads: QR, unless the reader is told otherwise.
  public var isAcceptedSymbology: Bool
  /// The centre in pixels of the picture.
  public var center: SIMD2<Double>
  /// True if parts of a structured append are not in the picture, so that there is nothing to judge.
  public var isIncomplete: Bool
  /// Which parts are missing, counted from 1, as far as that is known.
  public var missing: [Int]

  /// A code with its payload; `missing` lists the absent parts of a structured append.
  public init(
    bytes: [UInt8], text: String? = nil, isAcceptedSymbology: Bool = true, center: SIMD2<Double> = .zero,
    isIncomplete: Bool = false, missing: [Int] = []
  ) {
    self.bytes = bytes
    self.text = text
    self.isAcceptedSymbology = isAcceptedSymbology
    self.center = center
    self.isIncomplete = isIncomplete || !missing.isEmpty
    self.missing = missing
  }

  /// A QR code with that text.
  public init(_ text: String) { self.init(bytes: Array(text.utf8), text: text) }
}

extension ScannedCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// How long the payload is. What it says may be a secret, and stays in `bytes` and `text`.
  public var description: String { "a code of \(bytes.count) bytes" }
  /// As `description`.
  public var debugDescription: String { description }
  /// The size of the payload alone.
  public var customMirror: Mirror { Mirror(self, children: ["size": bytes.count], displayStyle: .struct) }
}
