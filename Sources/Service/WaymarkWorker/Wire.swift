/// Writes the values that pass between daemon and worker: little-endian, lengths before contents.
package struct WireWriter {
  private(set) var bytes: [UInt8] = []

  package mutating func number(_ value: UInt32) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func count(_ value: Int) { number(UInt32(clamping: value)) }

  package mutating func real(_ value: Double) {
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func raw(_ value: some Collection<UInt8>) {
    count(value.count)
    bytes.append(contentsOf: value)
  }
}

/// Reads what `WireWriter` wrote, trusting nothing: the worker that wrote it may be compromised by its input.
package struct WireReader {
  /// The message does not follow the protocol.
  package struct Malformed: Error {}

  private let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// True if everything was read.
  package var isAtEnd: Bool { position == bytes.count }

  package mutating func number() throws(Malformed) -> UInt32 {
    guard bytes.count - position >= 4 else { throw Malformed() }
    var value: UInt32 = 0
    for i in 0..<4 { value |= UInt32(bytes[position + i]) << UInt32(8 * i) }
    position += 4
    return value
  }

  /// A number of at most `limit`.
  package mutating func count(upTo limit: Int) throws(Malformed) -> Int {
    let value = Int(try number())
    guard value <= limit else { throw Malformed() }
    return value
  }

  /// A number within `range`: what is far outside of what can be meant overflows where something is made of it.
  package mutating func real(within range: ClosedRange<Double>) throws(Malformed) -> Double {
    let low = UInt64(try number())
    let value = Double(bitPattern: low | UInt64(try number()) << 32)
    guard range.contains(value) else { throw Malformed() }
    return value
  }

  package mutating func raw(upTo limit: Int) throws(Malformed) -> [UInt8] {
    let count = try count(upTo: min(limit, bytes.count - position))
    guard bytes.count - position >= count else { throw Malformed() }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }
}

/// The encoding of a value between daemon and worker. One description serves both ends, so that they cannot disagree, and every field in it has
/// its bounds: writing keeps to them where it can, reading refuses what lies outside.
package struct Wire<Value>: Sendable {
  package let write: @Sendable (Value, inout WireWriter) -> Void
  package let read: @Sendable (inout WireReader) throws(WireReader.Malformed) -> Value

  /// The same fields as another value.
  ///
  /// - Parameters:
  ///   - make: the value; nil for fields that do not go together.
  ///   - fields: what it is made of.
  package func map<Other>(
    _ make: @escaping @Sendable (Value) -> Other?, _ fields: @escaping @Sendable (Other) -> Value
  ) -> Wire<Other> {
    let (write, read) = (write, read)
    return Wire<Other> { value, wire in
      write(fields(value), &wire)
    } read: { wire throws(WireReader.Malformed) in
      guard let value = make(try read(&wire)) else { throw WireReader.Malformed() }
      return value
    }
  }

  /// Refuses what does not hold.
  package func when(_ holds: @escaping @Sendable (Value) -> Bool) -> Wire { map({ holds($0) ? $0 : nil }, { $0 }) }

  /// The value or nothing.
  package var optional: Wire<Value?> { list(upTo: 1).map({ .some($0.first) }, { $0.map { [$0] } ?? [] }) }

  /// Several of them; what is beyond `limit` is not written.
  package func list(upTo limit: Int) -> Wire<[Value]> {
    let (write, read) = (write, read)
    return Wire<[Value]> { values, wire in
      wire.count(min(values.count, limit))
      for value in values.prefix(limit) { write(value, &wire) }
    } read: { wire throws(WireReader.Malformed) in
      let count = try wire.count(upTo: limit)
      var values: [Value] = []
      for _ in 0..<count { values.append(try read(&wire)) }
      return values
    }
  }

  /// One of several forms, each with fields of its own, by its place among them.
  package static func forms(_ forms: WireForm<Value>...) -> Wire {
    Wire { value, wire in
      for (place, form) in forms.enumerated() where form.write(value, UInt32(place), &wire) { return }
    } read: { wire throws(WireReader.Malformed) in
      try forms[try wire.count(upTo: forms.count - 1)].read(&wire)
    }
  }
}

/// One field after the other. The fields are to name their types: a compiler that has to find them out takes its time over many of them.
package func inOrder<each Field>(_ fields: repeat Wire<each Field>) -> Wire<(repeat each Field)> {
  Wire<(repeat each Field)> { values, wire in
    repeat (each fields).write(each values, &wire)
  } read: { wire throws(WireReader.Malformed) in
    (repeat try (each fields).read(&wire))
  }
}

/// One of the forms that a value has.
package struct WireForm<Value>: Sendable {
  /// Writes its place and its fields, if the value is of this form.
  fileprivate let write: @Sendable (Value, UInt32, inout WireWriter) -> Bool
  fileprivate let read: @Sendable (inout WireReader) throws(WireReader.Malformed) -> Value

  /// - Parameters:
  ///   - make: the value of this form with those fields.
  ///   - match: the fields; nil for a value of another form.
  package init<Fields>(
    _ fields: Wire<Fields>, _ make: @escaping @Sendable (Fields) -> Value,
    _ match: @escaping @Sendable (Value) -> Fields?
  ) {
    write = { value, place, wire in
      guard let values = match(value) else { return false }
      wire.number(place)
      fields.write(values, &wire)
      return true
    }
    read = { wire throws(WireReader.Malformed) in make(try fields.read(&wire)) }
  }
}

// MARK: - Fields

extension Wire<Int> {
  /// A number from `least` to `most`.
  package static func count(from least: Int = 0, upTo most: Int) -> Wire {
    Wire {
      $1.count(min(max($0, least), most))
    } read: { wire throws(WireReader.Malformed) in
      let value = try wire.count(upTo: most)
      guard value >= least else { throw WireReader.Malformed() }
      return value
    }
  }
}

extension Wire<Bool> {
  /// Yes or no.
  package static let flag = Wire<Int>.count(upTo: 1).map({ $0 == 1 }, { $0 ? 1 : 0 })
}

extension Wire<Double> {
  /// A number within a range. What lies outside is written as the nearest that does not.
  package static func real(within range: ClosedRange<Double>) -> Wire {
    Wire {
      $1.real(range.contains($0) ? $0 : min(max($0, range.lowerBound), range.upperBound))
    } read: { wire throws(WireReader.Malformed) in
      try wire.real(within: range)
    }
  }
}

extension Wire<[UInt8]> {
  /// At most so many bytes.
  package static func raw(upTo limit: Int) -> Wire {
    Wire {
      $1.raw($0)
    } read: { wire throws(WireReader.Malformed) in
      try wire.raw(upTo: limit)
    }
  }
}

extension Wire<String> {
  /// At most so many bytes of UTF-8.
  package static func text(upTo limit: Int) -> Wire {
    Wire<[UInt8]>.raw(upTo: limit).map({ String(validating: $0, as: UTF8.self) }, { Array($0.utf8) })
  }
}

extension Wire where Value: Equatable & Sendable {
  /// One of some values, by its place among them: both ends are the same executable, so that they agree on it.
  package static func choice(_ values: [Value]) -> Wire {
    Wire<Int>.count(upTo: values.count - 1).map({ values[$0] }, { values.firstIndex(of: $0) ?? 0 })
  }
}

extension Wire where Value: CaseIterable & Equatable & Sendable, Value.AllCases == [Value] {
  /// One of the cases of an enumeration.
  package static var choice: Wire { choice(Value.allCases) }

  /// Some of them, each once and in their order.
  package static var set: Wire<[Value]> {
    choice.list(upTo: Value.allCases.count).when { values in values == Value.allCases.filter(values.contains) }
  }
}

// MARK: - Messages

/// A value that passes between daemon and worker.
package protocol WireValue {
  static var wire: Wire<Self> { get }
}

extension WireValue {
  /// The value as it is sent.
  package var wireBytes: [UInt8] {
    var wire = WireWriter()
    Self.wire.write(self, &wire)
    return wire.bytes
  }

  /// Reads the value that was sent, and nothing behind it.
  package init(wireBytes bytes: [UInt8]) throws(WireReader.Malformed) {
    var wire = WireReader(bytes)
    self = try Self.wire.read(&wire)
    guard wire.isAtEnd else { throw WireReader.Malformed() }
  }
}
