/// Writes the values that pass between daemon and worker: little-endian, lengths before contents.
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  mutating func number(_ value: UInt32) {
    for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  mutating func count(_ value: Int) { number(UInt32(clamping: value)) }

  mutating func real(_ value: Double) {
    let bits = value.bitPattern
    number(UInt32(truncatingIfNeeded: bits))
    number(UInt32(truncatingIfNeeded: bits >> 32))
  }

  mutating func raw(_ value: some Collection<UInt8>) {
    count(value.count)
    bytes.append(contentsOf: value)
  }

  mutating func text(_ value: String) { raw(value.utf8) }

  mutating func list<T>(_ values: [T], _ write: (inout WireWriter, T) -> Void) {
    count(values.count)
    for value in values { write(&self, value) }
  }
}
