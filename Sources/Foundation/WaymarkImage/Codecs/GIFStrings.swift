/// The codes of a GIF's pixels: bits from the lowest on, in blocks of up to 255 bytes.
struct GIFCodes {
  private let file: ByteReader
  private var at: Int
  /// Bytes that are left of the block.
  private var left = 0
  private var buffer = 0
  private var held = 0

  init(_ file: ByteReader, at: Int) {
    self.file = file
    self.at = at
  }

  /// The next code; nil when there is no more.
  mutating func next(bits: Int) -> Int? {
    while held < bits {
      if left == 0 {
        guard let count = file.byte(at), count > 0 else { return nil }
        left = Int(count)
        at += 1
      }
      guard let byte = file.byte(at) else { return nil }
      buffer |= Int(byte) << held
      held += 8
      at += 1
      left -= 1
    }
    defer {
      buffer >>= bits
      held -= bits
    }
    return buffer & ((1 << bits) - 1)
  }
}

/// The strings that codes stand for, in GIF's variant of Lempel, Ziv and Welch's method (appendix F): at most 4096, each a known one with one
/// more pixel.
struct GIFStrings {
  /// The kind of a code.
  enum Outcome {
    /// It stands for `pixels`.
    case pixels
    /// The strings are forgotten.
    case nothing
    case end
    case invalid
  }

  private static let limit = 4096
  private let codeSize: Int
  private let clearCode: Int
  /// Of each string: the one it continues, its last pixel, its length.
  private var prefixes = [UInt16](repeating: 0, count: limit)
  private var lasts = [UInt8](repeating: 0, count: limit)
  private var lengths = [UInt16](repeating: 0, count: limit)
  private var count: Int
  private var previous: Int?
  /// Bits of the next code.
  private(set) var bits: Int
  /// The numbers of colours that the last code stood for.
  private(set) var pixels: [UInt8] = []

  init(codeSize: Int) {
    self.codeSize = codeSize
    clearCode = 1 << codeSize
    for value in 0..<clearCode { (lasts[value], lengths[value]) = (UInt8(value), 1) }
    count = clearCode + 2
    bits = codeSize + 1
  }

  mutating func handle(_ code: Int) -> Outcome {
    if code == clearCode {
      (count, bits, previous) = (clearCode + 2, codeSize + 1, nil)
      return .nothing
    }
    if code == clearCode + 1 { return .end }
    guard let previous else {
      guard code < clearCode else { return .invalid }
      expand(code)
      self.previous = code
      return .pixels
    }
    // The string that is about to be made may be named already: then it ends as it begins.
    guard code < count || (code == count && count < Self.limit) else { return .invalid }
    expand(code < count ? code : previous)
    let first = pixels[0]
    if code == count { pixels.append(first) }
    if count < Self.limit {
      (prefixes[count], lasts[count], lengths[count]) = (UInt16(previous), first, lengths[previous] &+ 1)
      count += 1
      if count == 1 << bits, bits < 12 { bits += 1 }
    }
    self.previous = code
    return .pixels
  }

  /// Writes a string out, from its end.
  private mutating func expand(_ code: Int) {
    let length = Int(lengths[code])
    if pixels.count > length {
      pixels.removeLast(pixels.count - length)
    } else {
      pixels.append(contentsOf: repeatElement(0, count: length - pixels.count))
    }
    var code = code
    for place in stride(from: length - 1, through: 0, by: -1) {
      pixels[place] = lasts[code]
      code = Int(prefixes[code])
    }
  }
}
