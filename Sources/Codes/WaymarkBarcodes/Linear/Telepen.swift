/// Reads Telepen, full ASCII.
enum Telepen {
  /// Decodes a line. Bytes have even parity, the least significant bit first, encoded as pairs of a bar and a space. Narrow and
  /// narrow is 1, wide and narrow 00, wide and wide 010; narrow and wide is 01 at the beginning of a run of ones, 10 at its end.
  /// The check byte makes the sum a multiple of 127.
  static func read(_ line: LinearLine) -> LinearRead? {
    let w = line.widths
    guard w.count >= 47 else { return nil }
    for start in stride(from: 0, to: w.count - 46, by: 2) {
      // The start character has twelve runs: ten narrow ones, then a wide bar and a wide space.
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
      return LinearRead(symbology: .telepen, bytes: data.map { UInt8($0) }, first: start, last: at - 2)
    }
    return nil
  }
}
