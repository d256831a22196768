/// A linear symbology whose elements are narrow or wide: guards, and characters of a constant number of elements. Standard, IATA
/// and Matrix 2 of 5, Code 11 and MSI are such symbologies; their readers `PlainTwoOfFive`, `Code11` and `MSI` are below.
///
/// In a pattern, `0` is a narrow element and `1` a wide one; a bar is first.
struct TwoWidthCode {
  private let start: [Bool]
  private let stop: [Bool]
  private let characters: [[Bool]]
  /// The least number of characters of a symbol.
  private let fewest: Int
  /// False if all spaces are narrow.
  private let hasWideSpaces: Bool

  init(start: String, stop: String, characters: [String], fewest: Int) {
    func elements(_ pattern: String) -> [Bool] { pattern.map { $0 == "1" } }
    (self.start, self.stop, self.characters) = (elements(start), elements(stop), characters.map(elements))
    self.fewest = fewest
    hasWideSpaces = ([start, stop] + characters).contains { pattern in
      pattern.enumerated().contains { $0.element == "1" && !$0.offset.isMultiple(of: 2) }
    }
  }

  /// A space of this many narrow elements ends a symbol: wide elements have up to 4.5, quiet zones at least 10.
  private static let end = 6.0

  /// Decodes a line in its direction.
  ///
  /// - Returns: the indices of the characters in the table of the symbology, and the indices of the first and the last run; nil
  ///   without a symbol.
  func read(_ line: LinearLine) -> (characters: [Int], first: Int, last: Int)? {
    let w = line.widths
    let narrowest = start.indices.filter { !start[$0] }
    let length = characters[0].count
    for first in stride(from: 0, to: w.count - start.count - stop.count, by: 2) {
      let narrow = narrowest.reduce(0) { $0 + w[first + $1] } / Double(narrowest.count)
      guard line.isQuiet(before: first, Self.end * narrow),
        narrowest.allSatisfy({ w[first + $0] > 0.4 * narrow && w[first + $0] < 1.8 * narrow })
      else { continue }
      var last = first
      while last + 2 < w.count, w[last + 1] < Self.end * narrow { last += 2 }
      let count = last - first + 1 - start.count - stop.count
      guard count >= fewest * length, count.isMultiple(of: length), let wide = classified(w[first...last]),
        Array(wide.prefix(start.count)) == start, Array(wide.suffix(stop.count)) == stop
      else { continue }
      let found = stride(from: start.count, to: start.count + count, by: length).map { at in
        characters.firstIndex { $0.elementsEqual(wide[at..<(at + length)]) }
      }
      let read = found.compactMap(\.self)
      if read.count == found.count { return (read, first, last) }
    }
    return nil
  }

  /// Returns for each element whether it is wide; nil if bars or spaces have more than two widths. Bars and spaces have separate
  /// limits, because ink spread makes bars wider and spaces narrower.
  private func classified(_ widths: ArraySlice<Double>) -> [Bool]? {
    let own = Array(widths)
    var limits: [Double] = []
    for kind in 0..<(hasWideSpaces ? 2 : 1) {
      let sorted = stride(from: kind, to: own.count, by: 2).map { own[$0] }.sorted()
      // The limit is at the largest step between sorted widths; there may be only narrow elements.
      let steps = zip(sorted, sorted.dropFirst()).map { $1 / max($0, 1e-6) }
      guard let largest = steps.indices.max(by: { steps[$0] < steps[$1] }) else { return nil }
      let (low, high) = (sorted[...largest], sorted[(largest + 1)...])
      guard let narrowest = low.first, let narrow = low.last, let wide = high.first, let widest = high.last else {
        return nil
      }
      if steps[largest] < 1.25 || (steps[largest] < 1.45 && widest < 1.9 * narrowest) {
        guard widest < 2.4 * narrowest else { return nil }
        limits.append(.infinity)
      } else {
        guard narrow < 2.4 * narrowest, widest < 2.4 * wide, widest < 8 * narrow else { return nil }
        limits.append((narrow + wide) / 2)
      }
    }
    // Coarse pixels may give narrow spaces two different widths, so spaces get the limit of the bars.
    if !hasWideSpaces { limits.append(limits[0]) }
    return own.indices.map { own[$0] > limits[$0 % 2] }
  }
}

// MARK: - 2 of 5

/// Reads Standard, IATA and Matrix 2 of 5, whose digits have two wide bars, or elements, of five. They have no check.
enum PlainTwoOfFive {
  private static let digits = [
    "00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010",
  ]

  /// The patterns of the digits if only bars carry data: each bar is followed by a narrow space.
  private static let inBars = digits.map { String($0.flatMap { [$0, "0"] }) }
  /// The patterns of the digits if bars and spaces carry data: a narrow space separates the digits.
  private static let inBoth = digits.map { "\($0)0" }

  private static let industrialCode = TwoWidthCode(start: "101000", stop: "10001", characters: inBars, fewest: 4)
  private static let iataCode = TwoWidthCode(start: "0000", stop: "100", characters: inBars, fewest: 6)
  private static let matrixCode = TwoWidthCode(start: "100000", stop: "10000", characters: inBoth, fewest: 6)

  static func industrial(_ line: LinearLine) -> LinearRead? { read(line, industrialCode, .standard2of5) }

  static func iata(_ line: LinearLine) -> LinearRead? { read(line, iataCode, .iata2of5) }

  static func matrix(_ line: LinearLine) -> LinearRead? { read(line, matrixCode, .matrix2of5) }

  private static func read(_ line: LinearLine, _ code: TwoWidthCode, _ symbology: Symbology) -> LinearRead? {
    code.read(line).map {
      LinearRead(symbology: symbology, bytes: $0.characters.map { 0x30 + UInt8($0) }, first: $0.first, last: $0.last)
    }
  }
}

// MARK: - Code 11

/// Reads Code 11: digits and dashes, with one or two check characters modulo 11, which stay part of the text.
enum Code11 {
  private static let code = TwoWidthCode(
    start: "001100", stop: "00110",
    characters: [
      "000010", "100010", "010010", "110000", "001010", "101000", "011000", "000110", "100100", "100000", "001000",
    ],
    fewest: 5)

  /// Decodes a symbol whose check characters are right.
  static func read(_ line: LinearLine) -> LinearRead? { read(line, .code11) { checks($0) > 0 } }

  /// Decodes a symbol with any or no check characters.
  static func unchecked(_ line: LinearLine) -> LinearRead? { read(line, .code11Unchecked) { _ in true } }

  private static func read(
    _ line: LinearLine, _ symbology: Symbology, if accepts: ([Int]) -> Bool
  ) -> LinearRead? {
    guard let read = code.read(line), accepts(read.characters) else { return nil }
    return LinearRead(
      symbology: symbology, bytes: read.characters.map { Array("0123456789-".utf8)[$0] }, first: read.first,
      last: read.last)
  }

  /// Returns the symbology identifier and the text: `]H1` if two check characters are right, `]H0` otherwise.
  static func identified(_ text: String) -> (identifier: String, data: String) {
    let values = text.compactMap { $0 == "-" ? 10 : $0.wholeNumberValue }
    return (checks(values) == 2 ? "]H1" : "]H0", text)
  }

  /// Returns the number of correct check characters at the end: C, with weights from 1 to 10 from the right, and K, which also
  /// covers C, with weights from 1 to 9.
  private static func checks(_ values: [Int]) -> Int {
    func fits(_ values: ArraySlice<Int>, _ weights: Int) -> Bool {
      guard let check = values.last, values.count > 1 else { return false }
      let sum = values.dropLast().reversed().enumerated().reduce(0) { $0 + ($1.offset % weights + 1) * $1.element }
      return sum % 11 == check
    }
    if values.count > 2, fits(values[...], 9), fits(values.dropLast(), 10) { return 2 }
    return fits(values[...], 10) ? 1 : 0
  }
}

// MARK: - MSI

/// Reads MSI (modified Plessey): digits of four bits, the most significant first; a bit is a wide bar and a narrow space for 1, a narrow
/// bar and a wide space for 0.
enum MSI {
  private static let bits = ["01", "10"]
  private static let code = TwoWidthCode(
    start: "10", stop: "010",
    characters: (0..<10).map { digit in (0..<4).map { bits[digit >> (3 - $0) & 1] }.joined() }, fewest: 6)

  /// Decodes a symbol whose last digit is a correct check digit, modulo 10 (Luhn) or modulo 11; the check digit stays part of the
  /// text.
  static func read(_ line: LinearLine) -> LinearRead? { read(line, .msi) { isLuhn($0) || isModulo11($0) } }

  /// Decodes a symbol with any or no check digit.
  static func unchecked(_ line: LinearLine) -> LinearRead? { read(line, .msiUnchecked) { _ in true } }

  private static func read(
    _ line: LinearLine, _ symbology: Symbology, if accepts: ([Int]) -> Bool
  ) -> LinearRead? {
    guard let read = code.read(line), accepts(read.characters) else { return nil }
    return LinearRead(
      symbology: symbology, bytes: read.characters.map { 0x30 + UInt8($0) }, first: read.first, last: read.last)
  }

  private static func isLuhn(_ digits: [Int]) -> Bool {
    let sum = digits.reversed().enumerated().reduce(0) { sum, next in
      let value = next.offset.isMultiple(of: 2) ? next.element : 2 * next.element
      return sum + value / 10 + value % 10
    }
    return sum.isMultiple(of: 10)
  }

  /// Returns whether the last digit is the check digit modulo 11 with the weights 2 to 7 from the right (IBM); the check value ten is
  /// printed as two digits.
  private static func isModulo11(_ digits: [Int]) -> Bool {
    func check(_ data: ArraySlice<Int>) -> Int {
      let sum = data.reversed().enumerated().reduce(0) { $0 + ($1.offset % 6 + 2) * $1.element }
      return (11 - sum % 11) % 11
    }
    let ten = digits.suffix(2) == [1, 0] && check(digits.dropLast(2)) == 10
    return ten || check(digits.dropLast()) == digits.last
  }
}
