import WaymarkSystem

/// The bytes of an event log's files. All numbers are little-endian, on every machine.
///
/// - A segment: a header of 32 bytes (magic, stream, number of its first record, checksum, zero), then records.
/// - A record: length of its payload (4 bytes), checksum of all that follows (4), number (8), payload.
/// - The file of acknowledgements: two slots of 32 bytes (magic, counter, number, checksum, zero) that are written in turn, so that
///   one of them is whole at any moment.
enum LogFormat {
  static let headerSize = 32
  static let recordOverhead = 16
  static let slotSize = 32
  /// The longest payload of a record.
  static let largestPayload = 1 << 20
  private static let segmentMagic = Array("WAYMLOG1".utf8)
  private static let slotMagic = Array("WAYMACK1".utf8)

  static func header(stream: UInt64, first: UInt64) -> [UInt8] { block(segmentMagic, stream, first) }

  /// The stream and the number of the first record; `nil` when it is not a header.
  static func parseHeader(_ bytes: some Collection<UInt8>) -> (stream: UInt64, first: UInt64)? {
    parseBlock(bytes, segmentMagic)
  }

  static func slot(counter: UInt64, sequence: UInt64) -> [UInt8] { block(slotMagic, counter, sequence) }

  static func parseSlot(_ bytes: some Collection<UInt8>) -> (counter: UInt64, sequence: UInt64)? {
    parseBlock(bytes, slotMagic)
  }

  static func append(_ payload: [UInt8], sequence: UInt64, to bytes: inout [UInt8]) {
    append(UInt32(truncatingIfNeeded: payload.count), to: &bytes)
    let place = bytes.count
    append(UInt32(0), to: &bytes)
    append(sequence, to: &bytes)
    bytes.append(contentsOf: payload)
    let sum = CRC32C.of(bytes[(place + 4)...])
    for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(index))) }
  }

  /// The beginning of some bytes, parsed.
  enum Parsed: Equatable {
    case record(payload: [UInt8], size: Int)
    /// More bytes are needed: so many in all.
    case incomplete(Int)
    /// No record of this number.
    case damaged
  }

  /// Reads the record number `sequence` at `offset`.
  static func parse(_ bytes: [UInt8], at offset: Int, sequence: UInt64) -> Parsed {
    guard bytes.count - offset >= recordOverhead else { return .incomplete(recordOverhead) }
    let length = Int(number(bytes[offset..<offset + 4]))
    guard length <= largestPayload else { return .damaged }
    guard number(bytes[offset + 8..<offset + 16]) == sequence else { return .damaged }
    let size = recordOverhead + length
    guard bytes.count - offset >= size else { return .incomplete(size) }
    guard UInt64(CRC32C.of(bytes[offset + 8..<offset + size])) == number(bytes[offset + 4..<offset + 8]) else {
      return .damaged
    }
    return .record(payload: Array(bytes[offset + recordOverhead..<offset + size]), size: size)
  }

  private static func block(_ magic: [UInt8], _ one: UInt64, _ other: UInt64) -> [UInt8] {
    var bytes = magic
    append(one, to: &bytes)
    append(other, to: &bytes)
    append(CRC32C.of(bytes), to: &bytes)
    append(UInt32(0), to: &bytes)
    return bytes
  }

  private static func parseBlock(_ bytes: some Collection<UInt8>, _ magic: [UInt8]) -> (UInt64, UInt64)? {
    let bytes = Array(bytes)
    guard bytes.count == 32, bytes.starts(with: magic), number(bytes[24..<32]) == UInt64(CRC32C.of(bytes[..<24])) else {
      return nil
    }
    return (number(bytes[8..<16]), number(bytes[16..<24]))
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    for index in 0..<value.bitWidth / 8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// An event and its number.
package struct LogRecord: Hashable, Sendable {
  /// Its number, from 1 on.
  package let sequence: UInt64
  /// Its bytes.
  package let payload: [UInt8]

  /// A record from its parts.
  package init(sequence: UInt64, payload: [UInt8]) {
    self.sequence = sequence
    self.payload = payload
  }
}
