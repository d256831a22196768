package import WaymarkSystem

/// The error of reading a fitted model from its file (`ModelFile` below).
package typealias ModelError = Problem<ModelErrorCode>

/// The codes of `ModelError`.
package enum ModelErrorCode: String, ProblemCode {
  /// The file has no valid head, or another length or checksum.
  case damagedModel
  /// The file has a format that this program does not support.
  case unknownModelFormat
  /// The file has another model than the program runs: another name, other sizes, or numbers that are not finite.
  case otherModel
}

/// A file of fitted numbers, as `Benchmarks/documents/models.py` writes it: a head of text lines with format, name, script, length
/// and checksum, an empty line, and the numbers.
package struct ModelFile {
  /// The numbers, as bytes.
  package let payload: [UInt8]
  package let name: String
  /// The script that wrote the file.
  package let script: String

  /// The only version of the format that this program reads.
  package static let format = 1
  /// The greatest length of the head, in bytes.
  private static let longestHead = 512

  /// Reads a file.
  ///
  /// - Parameter name: the expected name of the model.
  package init(_ file: some Collection<UInt8>, name: String) throws(ModelError) {
    let bytes = [UInt8](file)
    let lines = try Self.head(bytes, name)
    guard lines.first?.first == "waymark model", let format = lines.first?.last else {
      throw Self.damaged(name, "it does not begin as a model does")
    }
    guard format == String(Self.format) else {
      throw ModelError(
        .unknownModelFormat, "The model \(name) has the format \(format.prefix(20)), not \(Self.format).",
        hint: "Make it again with the scripts of this version.")
    }
    func field(_ key: String) -> String? { lines.first { $0[0] == key }?[1] }
    guard field("name") == name else {
      throw Self.other(name, "its name is \(field("name")?.prefix(40) ?? "missing")", field("script"))
    }
    let payload = bytes.suffix(from: Self.headLength(bytes) ?? bytes.count)
    guard let count = field("bytes").flatMap({ Int($0) }), count == payload.count else {
      throw Self.damaged(name, "it holds \(payload.count) bytes instead of \(field("bytes")?.prefix(20) ?? "some")")
    }
    guard let sum = field("crc32c").flatMap({ UInt32($0, radix: 16) }), sum == CRC32C.of(payload) else {
      throw Self.damaged(name, "its checksum is wrong")
    }
    self.payload = [UInt8](payload)
    self.name = name
    script = field("script") ?? ""
  }

  /// Reads a file that is linked into the program.
  ///
  /// - Parameter embedded: the C function that returns the bytes and stores their number.
  package init(
    _ embedded: (UnsafeMutablePointer<Int>?) -> UnsafeRawPointer?, name: String
  ) throws(ModelError) {
    var count = 0
    let bytes = embedded(&count)
    try self.init(UnsafeRawBufferPointer(start: bytes, count: count), name: name)
  }

  /// Returns the offset of the numbers, after the first empty line, in bytes; `nil` if the head is longer than
  /// `longestHead`.
  private static func headLength(_ bytes: [UInt8]) -> Int? {
    let head = bytes.prefix(longestHead)
    return head.indices.dropFirst().first { head[$0] == 0x0A && head[$0 - 1] == 0x0A }.map { $0 + 1 }
  }

  /// Returns the lines of the head, each as its name and its value.
  private static func head(_ bytes: [UInt8], _ name: String) throws(ModelError) -> [[String]] {
    guard let length = headLength(bytes), let text = String(validating: bytes[..<(length - 2)], as: UTF8.self) else {
      throw damaged(name, "it has no head")
    }
    var lines: [[String]] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let space = lines.isEmpty ? line.lastIndex(of: " ") : line.firstIndex(of: " ") else {
        throw damaged(name, "its head is broken")
      }
      lines.append([String(line[..<space]), String(line[line.index(after: space)...])])
    }
    return lines
  }

  private static func damaged(_ name: String, _ cause: String) -> ModelError {
    ModelError(
      .damagedModel, "The model \(name) is damaged: \(cause).",
      hint: "Install the program again, or build it from an unchanged checkout.", cause: cause)
  }

  private static func other(_ name: String, _ cause: String, _ script: String?) -> ModelError {
    ModelError(
      .otherModel, "The model \(name) is not the one that this program runs: \(cause).",
      hint: "Make it again with \(script ?? "its script") of this version.", cause: cause)
  }

  /// Returns the error for an intact file whose numbers do not fit the model.
  package func misfit(_ cause: String) -> ModelError { Self.other(name, cause, script) }
}

extension ModelFile {
  /// Reads little-endian numbers from the beginning to the end; after the end, every number is 0.
  package struct Numbers {
    private var bytes: ArraySlice<UInt8>

    package init(_ file: ModelFile) { bytes = file.payload[...] }

    package var isEmpty: Bool { bytes.isEmpty }
    package var count: Int { bytes.count }

    package mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    package mutating func half() -> UInt16 { UInt16(byte()) | UInt16(byte()) << 8 }

    /// Reads up to `count` bytes.
    package mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
      let first = bytes.prefix(max(0, count))
      bytes = bytes.dropFirst(first.count)
      return first
    }

    package mutating func word() -> UInt32 {
      var bits: UInt32 = 0
      for shift in 0..<4 { bits |= UInt32(byte()) << (8 * UInt32(shift)) }
      return bits
    }

    package mutating func float() -> Float { Float(bitPattern: word()) }

    package mutating func floats(_ count: Int) -> [Float] { (0..<count).map { _ in float() } }
  }
}
