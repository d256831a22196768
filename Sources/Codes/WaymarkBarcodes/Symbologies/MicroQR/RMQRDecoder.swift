/// From the modules of an rMQR symbol to its message.
package enum RMQRDecoder {
  /// Reads the message.
  package static func decode(_ matrix: ModuleMatrix, _ size: RMQRSize, isHigh: Bool) -> CodeMessage? {
    guard matrix.columns == size.columns, matrix.rows == size.rows else { return nil }
    // In columns of two from the right, upwards first; the outermost ones hold no data (clause 7.7.3).
    var places: [(x: Int, y: Int)] = []
    var up = true
    for right in stride(from: size.columns - 2, to: 0, by: -2) {
      for i in 0..<size.rows {
        let y = up ? size.rows - 1 - i : i
        for x in [right, right - 1] where x > 0 && size.fixed(x, y) == nil && !size.isFormat(x, y) {
          places.append((x, y))
        }
      }
      up.toggle()
    }
    guard places.count >= 8 * size.codewords else { return nil }
    var words: [Int] = []
    var doubt: [Float] = []
    for k in 0..<size.codewords {
      var (word, sure) = (0, Float(1))
      for (x, y) in places[(8 * k)..<(8 * k + 8)] {
        word = word << 1 | (matrix[x, y] != (y / 2 + x / 3).isMultiple(of: 2) ? 1 : 0)
        sure = min(sure, matrix.margin(x, y))
      }
      words.append(word)
      doubt.append(1 - sure)
    }
    let (blocks, count) = (size.blocks(isHigh: isHigh), size.data(isHigh: isHigh))
    let checks = (size.codewords - count) / blocks
    let short = count / blocks
    // The blocks with one data codeword more come last.
    let first = blocks - count % blocks
    var data: [Int] = []
    for block in 0..<blocks {
      var own = (0..<short).map { $0 * blocks + block }
      if block >= first { own.append(short * blocks + block - first) }
      own += (0..<checks).map { count + $0 * blocks + block }
      var codeword = own.map { words[$0] }
      guard
        ReedSolomon.qr.correct(
          &codeword, checks: checks, doubt: matrix.margins.isEmpty ? [] : own.map { doubt[$0] })
      else { return nil }
      data += codeword.dropLast(checks)
    }
    let bits = data.flatMap { word in (0..<8).map { word >> (7 - $0) & 1 == 1 } }
    let widths = QRText.Widths(mode: 3, counts: size.counts, isRectangular: true)
    guard let message = QRText.message(bits, widths), !message.isEmpty else { return nil }
    return message
  }
}
