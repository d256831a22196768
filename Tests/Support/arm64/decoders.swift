// Prints the results of the decoders of Data Matrix, MaxiCode and their error correction for symbols, whole and damaged: compiled with their files for this
// processor and, as Embedded Swift, for arm64. The symbols are Tests/Fixtures/Matrices/matrices.txt on standard input; a line of output is
// a name and the bytes of the message in hexadecimal.

@_extern(c, "getchar") func read() -> Int32
@_extern(c, "putchar") @discardableResult func write(_ byte: Int32) -> Int32

/// Stands in for what converts character sets, which is the C library's.
package enum Charset: Hashable {
  case ascii

  package static func decode(_ bytes: [UInt8], eci: Int?) -> (text: String, charset: Charset) { ("", .ascii) }
}

private func tell(_ name: StaticString, _ found: CodeMessage?) {
  name.withUTF8Buffer { for byte in $0 { write(Int32(byte)) } }
  func hexadecimal(_ value: UInt64, digits: Int) {
    for place in (0..<digits).reversed() {
      let digit = Int32((value >> UInt64(4 * place)) & 15)
      write(digit < 10 ? 48 + digit : 87 + digit)
    }
  }
  write(32)
  if let found {
    for byte in found.bytes { hexadecimal(UInt64(byte), digits: 2) }
  } else {
    write(45)
  }
  write(10)
}

/// The next line's fields; nil at the end.
private func line() -> [[UInt8]]? {
  var fields: [[UInt8]] = [[]]
  while true {
    let byte = read()
    if byte < 0 { return fields.count > 1 ? fields : nil }
    if byte == 10 { return fields }
    if byte == 9 { fields.append([]) } else { fields[fields.count - 1].append(UInt8(byte)) }
  }
}

/// The modules of rows in hexadecimal, each with its last bit to the right.
private func matrix(_ rows: [UInt8], columns: Int) -> ModuleMatrix {
  let rows = rows.split(separator: 32)
  var dark: [Bool] = []
  for row in rows {
    var bits: [Bool] = []
    for digit in row {
      let value = digit <= 57 ? digit - 48 : digit - 87
      for place in (0..<4).reversed() { bits.append(value >> UInt8(place) & 1 == 1) }
    }
    bits = [Bool](repeating: false, count: max(0, columns - bits.count)) + bits
    dark += bits.suffix(columns)
  }
  return ModuleMatrix(columns: columns, rows: rows.count, dark: dark)
}

@main struct Decoders {
  static func main() {
    var random = RandomSource(seed: 7)
    while let fields = line() {
      guard fields.count == 4 else { continue }
      let columns = fields[2].reduce(0) { $0 * 10 + Int($1) - 48 }
      let whole = matrix(fields[3], columns: columns)
      // Whole, and with ever more modules turned over, at last more than can be corrected.
      for share in [0, 100, 50, 20, 8] {
        var modules = whole
        for place in modules.dark.indices where share > 0 && random.below(share) == 0 { modules.dark[place].toggle() }
        if fields[0].count == 8 {  // maxiCode
          tell("maxiCode", MaxiCodeDecoder.decode(modules))
        } else if fields[0].first == 100 {  // dataMatrix
          guard let size = DataMatrixSize.all.first(where: { $0.columns == modules.columns && $0.rows == modules.rows })
          else { continue }
          tell("dataMatrix", DataMatrixDecoder.decode(size, modules))
        }
      }
    }
  }
}
