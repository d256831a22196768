public import WaymarkImage

/// A code that was read.
public struct Symbol: Hashable, Sendable {
  /// The symbology of the code.
  public var symbology: Symbology
  /// Its content as text; a Code 39 that spells full ASCII is resolved, check digits are kept.
  public var text: String
  /// Its content as the code carries it.
  public var bytes: [UInt8]
  /// The character set by which `bytes` became `text`.
  public var charset: Charset
  /// The GS1 element strings, where the code declares that it holds such; else empty.
  public var gs1: [GS1Element]
  /// Where it is, in pixels of the picture: from the top left of the upright code clockwise.
  public var corners: Quadrilateral
  /// How many scan lines agree on it (1-D), relative only; 1 for a matrix code.
  public var quality: Int
  /// The pass that read it.
  public var pass: ScanPass
  /// The two or five digits of the add-on beside a code of retail, where add-ons were asked for and there is one.
  public var addOn: String?
  /// Which part of a message it carries that is spread over several codes of which some were not seen; else `nil`, also
  /// where all parts were seen and their message is put together.
  public var part: SymbolPart?

  /// A symbol from its parts.
  public init(
    symbology: Symbology, text: String, bytes: [UInt8], charset: Charset, gs1: [GS1Element] = [],
    corners: Quadrilateral, quality: Int = 1, pass: ScanPass = .base, addOn: String? = nil,
    part: SymbolPart? = nil
  ) {
    self.symbology = symbology
    self.text = text
    self.bytes = bytes
    self.charset = charset
    self.gs1 = gs1
    self.corners = corners
    self.quality = quality
    self.pass = pass
    self.addOn = addOn
    self.part = part
  }

  /// Returns whether two readings are of the same content.
  public func sameContent(as other: Symbol) -> Bool { symbology == other.symbology && bytes == other.bytes }
}

/// The place of a code in a message that is spread over several (structured append, Macro PDF417).
public struct SymbolPart: Hashable, Sendable {
  /// Its number, from 1.
  public var index: Int
  /// How many codes carry the message; `nil` where only another of them tells (Macro PDF417).
  public var count: Int?
  /// The identifier that all parts of one message share: the parity of QR codes and the file identification of Data Matrix as a
  /// number, that of PDF417 as three digits a codeword, the name of Aztec Code; `nil` where there is none.
  public var id: String?

  /// A place from its parts.
  public init(index: Int, count: Int?, id: String?) {
    self.index = index
    self.count = count
    self.id = id
  }
}
