package import WaymarkImage
package import WaymarkSystem

/// Encodes messages between daemon and worker: little-endian, with lengths before contents. `WireReader` below decodes them, `Wire`
/// and `WireForm` describe the encoding of a type, and `WireValue` is a type with an encoding.
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

/// Decodes the output of `WireWriter`. Checks it completely, because a picture may have compromised the worker that sent it.
package struct WireReader {
  package struct Malformed: Error {}

  private let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var isAtEnd: Bool { position == bytes.count }

  package mutating func number() throws(Malformed) -> UInt32 {
    guard bytes.count - position >= 4 else { throw Malformed() }
    var value: UInt32 = 0
    for i in 0..<4 { value |= UInt32(bytes[position + i]) << UInt32(8 * i) }
    position += 4
    return value
  }

  /// Reads a number of at most `limit`.
  package mutating func count(upTo limit: Int) throws(Malformed) -> Int {
    let value = Int(try number())
    guard value <= limit else { throw Malformed() }
    return value
  }

  /// Reads a number within `range`, so that computations with it cannot overflow.
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

// MARK: - Descriptions

/// The encoding of a value in messages between daemon and worker. Both processes use the same description, so that they cannot
/// disagree. Every field has bounds. Writing limits values to the bounds if possible, and reading fails for values outside.
package struct Wire<Value>: Sendable {
  package let write: @Sendable (Value, inout WireWriter) -> Void
  package let read: @Sendable (inout WireReader) throws(WireReader.Malformed) -> Value

  /// Returns the encoding of another value with the same fields; reading fails if `make` returns nil.
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

  /// Returns the same encoding, except that reading fails for values for which `holds` returns false.
  package func when(_ holds: @escaping @Sendable (Value) -> Bool) -> Wire { map({ holds($0) ? $0 : nil }, { $0 }) }

  /// The encoding of an optional value.
  package var optional: Wire<Value?> { list(upTo: 1).map({ .some($0.first) }, { $0.map { [$0] } ?? [] }) }

  /// Returns the encoding of an array; values beyond `limit` are not written.
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

  /// Returns the encoding of a value with several forms, such as the cases of an enumeration: the index of the form, then its fields.
  package static func forms(_ forms: WireForm<Value>...) -> Wire {
    Wire { value, wire in
      for (place, form) in forms.enumerated() where form.write(value, UInt32(place), &wire) { return }
    } read: { wire throws(WireReader.Malformed) in
      try forms[try wire.count(upTo: forms.count - 1)].read(&wire)
    }
  }
}

/// Returns the encoding of several fields one after the other. Declare the fields with types, because inferring many types slows
/// the compiler down.
package func inOrder<each Field>(_ fields: repeat Wire<each Field>) -> Wire<(repeat each Field)> {
  Wire<(repeat each Field)> { values, wire in
    repeat (each fields).write(each values, &wire)
  } read: { wire throws(WireReader.Malformed) in
    (repeat try (each fields).read(&wire))
  }
}

/// One form of a value, such as a case of an enumeration with its associated values.
package struct WireForm<Value>: Sendable {
  /// Writes the index of the form and its fields, and returns true; returns false if the value has another form.
  fileprivate let write: @Sendable (Value, UInt32, inout WireWriter) -> Bool
  fileprivate let read: @Sendable (inout WireReader) throws(WireReader.Malformed) -> Value

  /// Creates a form from the encoding of its fields.
  ///
  /// - Parameters:
  ///   - make: creates the value of this form from the fields.
  ///   - match: returns the fields of a value; nil if it has another form.
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
  package static let flag = Wire<Int>.count(upTo: 1).map({ $0 == 1 }, { $0 ? 1 : 0 })
}

extension Wire<Double> {
  /// Returns the encoding of a number within a range; numbers outside are written as the nearest bound.
  package static func real(within range: ClosedRange<Double>) -> Wire {
    Wire {
      $1.real(range.contains($0) ? $0 : min(max($0, range.lowerBound), range.upperBound))
    } read: { wire throws(WireReader.Malformed) in
      try wire.real(within: range)
    }
  }
}

extension Wire<[UInt8]> {
  package static func raw(upTo limit: Int) -> Wire {
    Wire {
      $1.raw($0)
    } read: { wire throws(WireReader.Malformed) in
      try wire.raw(upTo: limit)
    }
  }
}

extension Wire<String> {
  package static func text(upTo limit: Int) -> Wire {
    Wire<[UInt8]>.raw(upTo: limit).map({ String(validating: $0, as: UTF8.self) }, { Array($0.utf8) })
  }
}

extension Wire where Value: Equatable & Sendable {
  /// Returns the encoding of one of `values` by its index. Both processes agree on the index because they run the same executable.
  package static func choice(_ values: [Value]) -> Wire {
    Wire<Int>.count(upTo: values.count - 1).map({ values[$0] }, { values.firstIndex(of: $0) ?? 0 })
  }
}

extension Wire where Value: CaseIterable & Equatable & Sendable, Value.AllCases == [Value] {
  package static var choice: Wire { choice(Value.allCases) }

  /// The encoding of a set of cases, each at most once and in the order of `allCases`.
  package static var set: Wire<[Value]> {
    choice.list(upTo: Value.allCases.count).when { values in values == Value.allCases.filter(values.contains) }
  }
}

// MARK: - Messages

/// A value that daemon and worker exchange.
package protocol WireValue {
  static var wire: Wire<Self> { get }
}

extension WireValue {
  /// The value as the bytes of a message.
  package var wireBytes: [UInt8] {
    var wire = WireWriter()
    Self.wire.write(self, &wire)
    return wire.bytes
  }

  /// Decodes a value; throws if the bytes are malformed or bytes are left.
  package init(wireBytes bytes: [UInt8]) throws(WireReader.Malformed) {
    var wire = WireReader(bytes)
    self = try Self.wire.read(&wire)
    guard wire.isAtEnd else { throw WireReader.Malformed() }
  }
}

extension Problem: WireValue where Kind == ImageErrorCode {
  /// The maximum bytes of an encoded error.
  package static var byteLimit: Int { 4096 }

  package static var wire: Wire<ImageError> {
    let code: Wire<ImageErrorCode> = Wire<String>.text(upTo: 64).map(
      { ImageErrorCode(rawValue: $0) }, { $0.rawValue })
    let words: Wire<String> = Wire<String>.text(upTo: 1024)
    return inOrder(code, words, words).map({ ImageError($0.0, $0.1, hint: $0.2) }, { ($0.code, $0.message, $0.hint) })
  }
}
