import WaymarkSystem

/// Symbologies of bars that libzbar has no decoder for. But for DataBar Limited they check little or nothing, so they are looked
/// for only where they are asked for.
package enum LinearReaders {
  package static let symbologies: Set<Symbology> = [.standard2of5, .telepen, .pharmacode, .dataBarLimited]

  /// Decodes a line from either end.
  ///
  /// - Parameter isBackward: the line runs to the left of the picture, or, where it is upright, downwards.
  package static func read(_ line: LinearLine, _ wanted: Set<Symbology>, isBackward: Bool) -> [LinearRead] {
    var found: [LinearRead] = []
    let back = line.reversed
    for (line, isReversed) in [(line, false), (back, true)] {
      if wanted.contains(.standard2of5), let read = standard2of5(line) { found.append(flip(read, line, isReversed)) }
      if wanted.contains(.dataBarLimited), let read = DataBarLimitedReader.read(line) {
        found.append(flip(read, line, isReversed))
      }
      if wanted.contains(.telepen), let read = telepen(line) { found.append(flip(read, line, isReversed)) }
    }
    // Nothing says from which end it is to be read: as it lies.
    if wanted.contains(.pharmacode), let read = pharmacode(isBackward ? back : line) {
      found.append(flip(read, line, isBackward))
    }
    return found
  }

  /// The same read by the runs of the line as it lies.
  static func flip(_ read: LinearRead, _ line: LinearLine, _ isReversed: Bool) -> LinearRead {
    guard isReversed else { return read }
    let last = line.widths.count - 1
    var other = read
    (other.first, other.last) = (last - read.last, last - read.first)
    return other
  }

  // MARK: Standard (industrial) 2 of 5

  /// Two of the five bars of a digit are wide; the spaces say nothing. Before it stand two wide bars and a narrow one, after
  /// it a wide, a narrow and a wide one.
  private static func standard2of5(_ line: LinearLine) -> LinearRead? {
    let w = line.widths
    for start in stride(from: 0, to: w.count - 25, by: 2) {
      let narrow = w[start + 4]
      guard w[start] > 1.7 * narrow, w[start + 2] > 1.7 * narrow, w[start] < 4.5 * narrow,
        line.isQuiet(before: start, 4 * narrow)
      else { continue }
      let limit = (narrow + (w[start] + w[start + 2]) / 2) / 2
      func isWide(_ i: Int) -> Bool? {
        // A bar between both says nothing.
        abs(w[i] - limit) < 0.12 * limit ? nil : w[i] > limit
      }
      var bytes: [UInt8] = []
      var at = start + 6
      while at + 4 < w.count {
        let ends = isWide(at) == true && isWide(at + 2) == false && isWide(at + 4) == true
        if ends, bytes.count >= 4, line.isQuiet(after: at + 4, 4 * narrow) {
          return LinearRead(symbology: .standard2of5, bytes: bytes, first: start, last: at + 4)
        }
        guard at + 9 < w.count else { break }
        let bars = (0..<5).compactMap { isWide(at + 2 * $0) }
        let spaces = (0..<5).map { w[at + 2 * $0 + 1] }
        guard bars.count == 5, spaces.allSatisfy({ $0 < 2.2 * narrow + 2 }),
          let digit = digits.firstIndex(of: bars)
        else { break }
        bytes.append(0x30 + UInt8(digit))
        at += 10
      }
    }
    return nil
  }

  /// Which of the five elements of a digit are wide.
  static let digits: [[Bool]] = [
    "00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010",
  ].map { $0.map { $0 == "1" } }

  // MARK: Telepen

  /// Bytes of even parity, the lowest bit first, as pairs of a bar and a space: narrow and narrow is 1, wide and narrow 00, wide
  /// and wide 010; narrow and wide begins or ends a run of ones between two zeros. The check byte makes the sum a multiple of
  /// 127.
  private static func telepen(_ line: LinearLine) -> LinearRead? {
    let w = line.widths
    guard w.count >= 47 else { return nil }
    for start in stride(from: 0, to: w.count - 46, by: 2) {
      // The start character is twelve narrow and wide runs that begin 1:1:1:1:1:1.
      let narrow = w[start..<(start + 10)].reduce(0, +) / 10
      guard w[start..<(start + 10)].allSatisfy({ $0 > 0.5 * narrow && $0 < 1.6 * narrow }),
        line.isQuiet(before: start, 4 * narrow)
      else { continue }
      var bits: [Bool] = []
      var inOnes = false
      var at = start
      while at < w.count {
        let bar = w[at] > 2 * narrow
        let isLast = at + 1 >= w.count || w[at + 1] > 5 * narrow
        let space = isLast ? false : w[at + 1] > 2 * narrow
        switch (bar, space) {
        case (false, false): bits.append(true)
        case (true, false): bits += [false, false]
        case (true, true): bits += [false, true, false]
        case (false, true):
          bits += inOnes ? [true, false] : [false, true]
          inOnes.toggle()
        }
        at += 2
        if isLast { break }
      }
      guard bits.count.isMultiple(of: 8), bits.count >= 32 else { continue }
      let bytes = stride(from: 0, to: bits.count, by: 8).map { i in
        (0..<8).reduce(0) { $0 | (bits[i + $1] ? 1 << $1 : 0) }
      }
      guard bytes.allSatisfy({ $0.nonzeroBitCount.isMultiple(of: 2) }) else { continue }
      let values = bytes.map { $0 & 127 }
      guard values.first == 0x5F, values.last == 0x7A else { continue }
      let data = values.dropFirst().dropLast(2)
      let check = (127 - data.reduce(0, +) % 127) % 127
      guard !data.isEmpty, check == values[values.count - 2] else { continue }
      return LinearRead(symbology: .telepen, bytes: data.map { UInt8($0) }, first: start, last: min(at, w.count) - 2)
    }
    return nil
  }

  // MARK: Pharmacode

  /// Two to sixteen bars, a narrow one half as wide as a space and a wide one one and a half times: a number in which the n-th
  /// bar from the right counts 2ⁿ where it is narrow and twice that where it is wide.
  private static func pharmacode(_ line: LinearLine) -> LinearRead? {
    let w = line.widths
    var start = 0
    while start < w.count {
      // As long as no space is longer than the bars allow.
      var last = start
      while last + 2 < w.count, w[last + 1] < 2.5 * max(w[last], w[last + 2]) { last += 2 }
      let bars = stride(from: start, through: last, by: 2).map { w[$0] }
      let spaces = stride(from: start + 1, to: last, by: 2).map { w[$0] }
      if (2...16).contains(bars.count), let space = spaces.sorted().dropFirst(spaces.count / 2).first,
        spaces.allSatisfy({ abs($0 - space) < 0.35 * space }),
        bars.allSatisfy({ $0 < 0.8 * space || $0 > 1.2 * space }),
        bars.allSatisfy({ $0 > 0.2 * space && $0 < 2.4 * space }),
        line.isQuiet(before: start, 3 * space), line.isQuiet(after: last, 3 * space)
      {
        let value = bars.reduce(0) { 2 * $0 + ($1 > space ? 2 : 1) }
        if (3...131_070).contains(value) {
          return LinearRead(symbology: .pharmacode, bytes: Array(String(value).utf8), first: start, last: last)
        }
      }
      start = last + 2
    }
    return nil
  }

  // MARK: Code 32

  /// The number that a Code 39 of six characters spells as an Italian pharmacode: nine digits to the base 32 without vowels, the
  /// last of which checks the others; "A" stands before it.
  package static func code32(_ code39: String) -> String? {
    let alphabet = Array("0123456789BCDFGHJKLMNPQRSTUVWXYZ")
    let values = code39.compactMap { alphabet.firstIndex(of: $0) }
    guard values.count == 6, code39.count == 6 else { return nil }
    let number = values.reduce(0) { 32 * $0 + $1 }
    guard number < 1_000_000_000 else { return nil }
    let padded = number.digits(9)
    let digits = padded.compactMap(\.wholeNumberValue)
    let sum = digits.dropLast().enumerated().reduce(0) { sum, digit in
      let value = digit.offset.isMultiple(of: 2) ? digit.element : 2 * digit.element
      return sum + value / 10 + value % 10
    }
    return sum % 10 == digits[8] ? "A" + padded : nil
  }
}
