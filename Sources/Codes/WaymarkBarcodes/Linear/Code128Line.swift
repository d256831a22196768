/// Reads Code 128 (ISO/IEC 15417) where libzbar is incomplete: it ignores FNC4, and symbols without a quiet zone.
package enum Code128Line {
  /// Reads a symbol, from its start character to its stop character; `nil` if the line has none with a valid check character.
  ///
  /// - Parameter characters: the least number of values between the start and the check character.
  package static func read(_ line: LinearLine, characters fewest: Int = 1) -> LinearRead? {
    guard line.widths.count >= 25 else { return nil }
    for start in stride(from: 0, to: line.widths.count - 24, by: 2) {
      guard let first = value(line.widths, start), (103...105).contains(first) else { continue }
      var values = [first]
      var at = start + 6
      var length = line.widths[start..<at].reduce(0, +)
      while at + 7 <= line.widths.count, let next = value(line.widths, at) {
        // Perspective changes little from character to character.
        let own = line.widths[at..<(at + 6)].reduce(0, +)
        guard abs(own - length) < 0.25 * length else { break }
        length = own
        values.append(next)
        at += 6
      }
      guard isStop(line.widths, at), values.count >= fewest + 2 else { continue }
      let sum = values.dropLast().enumerated().reduce(0) { $0 + max(1, $1.offset) * $1.element }
      guard sum % 103 == values[values.count - 1] else { continue }
      return LinearRead(
        symbology: .code128, bytes: characters(Array(values.dropLast())), first: start, last: at + 6,
        isGS1: values[1] == 102, component: values[1] == 102 ? component(Array(values.dropLast())) : nil)
    }
    return nil
  }

  /// Returns the 2-D component that the last value declares: a change of the code set that no data follow (ISO/IEC 24723, 4.3).
  private static func component(_ values: [Int]) -> Symbology? {
    let set = values.dropLast().reduce(values[0]) { set, value in
      switch value {
      case 99 where set != 105: 105
      case 100 where set != 104: 104
      case 101 where set != 103: 103
      default: set
      }
    }
    switch (set, values[values.count - 1]) {
    case (103, 100), (104, 99), (105, 101): return .microPDF417
    case (103, 99), (104, 101), (105, 100): return .pdf417
    default: return nil
    }
  }

  /// Returns the value of the character with the closest edges, `nil` if none is close; distances between similar edges do not
  /// change with ink spread.
  private static func value(_ widths: [Double], _ at: Int) -> Int? {
    guard at + 6 <= widths.count else { return nil }
    let own = Array(widths[at..<(at + 6)])
    let module = own.reduce(0, +) / 11
    guard module > 0 else { return nil }
    var best: (value: Int, off: Double)?
    for (value, pattern) in patterns.enumerated() {
      var off = 0.0
      for i in 0..<5 { off = max(off, abs((own[i] + own[i + 1]) / module - Double(pattern[i] + pattern[i + 1]))) }
      // If several patterns have equal distances, the widths of the elements decide.
      var worst = off
      for i in 0..<6 { worst = max(worst, abs(own[i] / module - Double(pattern[i])) / 2) }
      if off < 0.7, worst < best?.off ?? 1 { best = (value, worst) }
    }
    return best?.value
  }

  private static func isStop(_ widths: [Double], _ at: Int) -> Bool {
    guard at + 7 <= widths.count else { return false }
    let own = widths[at..<(at + 7)]
    let module = own.reduce(0, +) / 13
    return zip(own, [2, 3, 3, 1, 1, 1, 2]).allSatisfy { abs($0 / module - $1) < 0.8 }
  }

  private static func characters(_ values: [Int]) -> [UInt8] {
    var set = values[0]
    var shifted = false
    // One FNC4 adds 128 to the next character; two add 128 to all further characters, up to the next two.
    var (isHigh, lifts) = (false, false)
    var pending = false
    var bytes: [UInt8] = []
    for value in values.dropFirst() {
      let current = shifted ? (set == 103 ? 104 : 103) : set
      shifted = false
      if current == 105 {
        switch value {
        case 0...99: bytes += [0x30 + UInt8(value / 10), 0x30 + UInt8(value % 10)]
        case 100: set = 104
        case 101: set = 103
        default: if !bytes.isEmpty { bytes.append(0x1D) }
        }
        continue
      }
      switch value {
      case 0...95:
        let plain = current == 103 && value >= 64 ? value - 64 : value + 32
        bytes.append(UInt8(plain) | (isHigh != lifts ? 0x80 : 0))
        lifts = false
        pending = false
      case 98: shifted = true
      case 99: set = 105
      case 100 where current == 103: set = 104
      case 101 where current == 104: set = 103
      case 100, 101:
        if pending {
          isHigh.toggle()
          (lifts, pending) = (false, false)
        } else {
          (lifts, pending) = (true, true)
        }
      case 102: if !bytes.isEmpty { bytes.append(0x1D) }
      default: break
      }
    }
    return bytes
  }

  /// The widths of bars and spaces in modules (table 1), by the value of the character, without the stop character.
  private static let patterns: [[Int]] = """
    212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 123122
    123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 111323
    131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131
    213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122
    141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212 124112
    124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141
    411131 211412 211214 211232
    """.split { $0 == " " || $0 == "\n" }.map { $0.compactMap(\.wholeNumberValue) }
}
