import WaymarkCrypto
import WaymarkImage
package import WaymarkSystem

// A signature as a value: its points and strokes, its hash, the record in which it is stored, and their errors.

/// The error of a signature that is invalid or cannot be read.
package typealias SignatureError = Problem<SignatureErrorCode>

package enum SignatureErrorCode: String, ProblemCode {
  /// The signature has no stroke.
  case empty
  /// The strokes are impossible for a pen, or exceed the limits.
  case badStrokes
  /// A text member is too long, or the size of the area is out of bounds.
  case badContext
  /// The file contains no signature.
  case notASignature
}

/// The position of the pen at a time.
package struct SignaturePoint: Hashable, Sendable {
  /// The distance from the left in tenths of a pixel.
  package let x: Int
  /// The distance from the top in tenths of a pixel.
  package let y: Int
  /// The time since the first point of the signature in milliseconds.
  package let time: Int
  /// The pressure in thousandths of the maximum; `nil` for fingers and mice.
  var pressure: Int?
}

/// A signature: the drawn strokes and their purpose. The hash covers both.
package struct Signature: Hashable, Sendable {
  /// The strokes in the order in which they were drawn, each of at least one point.
  package let strokes: [[SignaturePoint]]
  /// The size of the area in pixels.
  package let width: Int
  package let height: Int
  /// The time of saving: RFC 3339, UTC, milliseconds.
  package let time: String
  /// The signer's name; may be empty.
  package let signer: String
  /// The purpose, as shown to the signer.
  package let purpose: String
  /// The signed text, or the hash of a document; may be empty.
  package let subject: String

  /// The limits, which keep a signature shorter than a line of the socket.
  package enum Limits {
    /// The largest number of points of all strokes together.
    package static let points = 20_000
    package static let strokes = 1000
    /// The range of the sides of the area in pixels.
    package static let side = 16...4096
    /// The longest time from the first to the last point in milliseconds.
    package static let time = 3_600_000
    /// The largest number of bytes of `signer` and of `purpose`.
    package static let words = 512
    /// The largest number of bytes of `subject`.
    package static let subject = 16_384
  }

  /// Creates a signature after checking all of it.
  ///
  /// - Throws: `badContext` if the area or a text is outside of `Limits`; `empty` without a stroke; `badStrokes` if there are too
  ///   many strokes or points, a stroke has no points, or a position, time or pressure is impossible.
  package init(
    strokes: [[SignaturePoint]], width: Int, height: Int, time: String, signer: String, purpose: String, subject: String
  ) throws(SignatureError) {
    guard Limits.side.contains(width), Limits.side.contains(height) else {
      throw Self.bad(.badContext, "the area is \(width) x \(height) pixels, not 16 to 4096 on each side")
    }
    for (name, text, limit) in [
      ("time", time, 64), ("signer", signer, Limits.words), ("purpose", purpose, Limits.words),
      ("subject", subject, Limits.subject),
    ] where text.utf8.count > limit {
      throw Self.bad(.badContext, "\(name) has more than \(limit) bytes")
    }
    guard !strokes.isEmpty else {
      throw SignatureError(.empty, "The signature has no stroke.", hint: "Sign, then save.")
    }
    let count = strokes.reduce(0) { $0 + $1.count }
    guard strokes.count <= Limits.strokes, count <= Limits.points else {
      throw Self.bad(
        .badStrokes,
        "it has \(strokes.count) strokes of \(count) points; \(Limits.strokes) of \(Limits.points) are taken")
    }
    var last = 0
    for point in strokes.joined() {
      // A pen that is held down may leave the area by up to the area's size; points outside are not drawn.
      guard (-10 * width...20 * width).contains(point.x), (-10 * height...20 * height).contains(point.y) else {
        throw Self.bad(.badStrokes, "a point lies far outside of the area")
      }
      guard point.time >= last, point.time <= Limits.time else {
        throw Self.bad(.badStrokes, "its times do not increase")
      }
      guard point.pressure.map({ (0...1000).contains($0) }) ?? true else {
        throw Self.bad(.badStrokes, "a pressure is not between 0 and 1000")
      }
      last = point.time
    }
    guard strokes.allSatisfy({ !$0.isEmpty }) else { throw Self.bad(.badStrokes, "a stroke has no points") }
    self.strokes = strokes
    self.width = width
    self.height = height
    self.time = time
    self.signer = signer
    self.purpose = purpose
    self.subject = subject
  }

  static func bad(_ code: SignatureErrorCode, _ what: String) -> SignatureError {
    SignatureError(code, "The signature is invalid: \(what).", hint: "docs/signature.md describes the format.")
  }

  // MARK: The wire

  /// Decodes strokes from the socket. Each stroke is a list of four numbers per point (x, y, time, pressure or −1); the first three
  /// are differences from the previous point of the stroke.
  ///
  /// - Throws: `badStrokes` if a stroke has another count of numbers, there are too many points, or a sum is too large.
  package static func strokes(fromWire lists: [[Int]]) throws(SignatureError) -> [[SignaturePoint]] {
    var strokes: [[SignaturePoint]] = []
    var left = Limits.points
    for list in lists.prefix(Limits.strokes + 1) {
      guard list.count.isMultiple(of: 4) else { throw bad(.badStrokes, "a stroke is not four numbers a point") }
      left -= list.count / 4
      guard left >= 0 else { throw bad(.badStrokes, "it has more than \(Limits.points) points") }
      var points: [SignaturePoint] = []
      points.reserveCapacity(list.count / 4)
      for start in stride(from: 0, to: list.count, by: 4) {
        let before = points.last
        func sum(_ value: Int?, _ more: Int) throws(SignatureError) -> Int {
          let (sum, overflow) = (value ?? 0).addingReportingOverflow(more)
          guard !overflow, sum.magnitude < 1 << 32 else { throw bad(.badStrokes, "a number is too large") }
          return sum
        }
        let pressure = list[start + 3]
        points.append(
          SignaturePoint(
            x: try sum(before?.x, list[start]), y: try sum(before?.y, list[start + 1]),
            time: try sum(before?.time, list[start + 2]), pressure: pressure == -1 ? nil : pressure))
      }
      strokes.append(points)
    }
    return strokes
  }

  /// The strokes encoded for the socket, as `strokes(fromWire:)` decodes them.
  package var wireStrokes: [[Int]] {
    strokes.map { stroke in
      var list: [Int] = []
      list.reserveCapacity(4 * stroke.count)
      var before = SignaturePoint(x: 0, y: 0, time: 0)
      for point in stroke {
        list += [point.x - before.x, point.y - before.y, point.time - before.time, point.pressure ?? -1]
        before = point
      }
      return list
    }
  }

  // MARK: The hash

  /// The SHA-256 as 64 hexadecimal digits. The hashed text is unambiguous: the format, each text member after its length in bytes,
  /// the area, and the points.
  package var hash: String {
    let hasher = PieceHasher(.sha256)
    func add(_ text: String) { hasher.update(Array(text.utf8)) }
    add("waymark-signature/1\n")
    for word in [time, signer, purpose, subject] { add("\(word.utf8.count):\(word)\n") }
    add("\(width) \(height)\n")
    for stroke in strokes {
      for point in stroke { add("\(point.x),\(point.y),\(point.time),\(point.pressure ?? -1);") }
      add("\n")
    }
    return hasher.finish().map { $0.digits(2, radix: 16) }.joined()
  }
}

/// The stored form of a signature: all hashed data, and the hash.
package struct SignatureRecord: Codable, Hashable, Sendable {
  /// `waymark-signature/1`.
  package let format: String
  package let time: String
  package let signer: String
  package let purpose: String
  package let subject: String
  package let width: Int
  package let height: Int
  /// The strokes, see `Signature.wireStrokes`.
  package let strokes: [[Int]]
  package let hash: String

  static let format = "waymark-signature/1"
  /// The largest record in bytes.
  static let limit = 2 << 20
}

extension SignatureRecord {
  package init(_ signature: Signature) {
    self.init(
      format: Self.format, time: signature.time, signer: signature.signer, purpose: signature.purpose,
      subject: signature.subject, width: signature.width, height: signature.height, strokes: signature.wireStrokes,
      hash: signature.hash)
  }

  /// Decodes the signature, without checking the hash.
  ///
  /// - Throws: `notASignature` for another `format`, or the errors of an invalid `Signature`.
  package func signature() throws(SignatureError) -> Signature {
    guard format == Self.format else {
      throw Signature.bad(.notASignature, "its format is \(format.prefix(40)), not \(Self.format)")
    }
    return try Signature(
      strokes: try Signature.strokes(fromWire: strokes), width: width, height: height, time: time, signer: signer,
      purpose: purpose, subject: subject)
  }

  /// The record as a line of JSON.
  package var json: String {
    // Encoding whole numbers and strings does not fail.
    String(decoding: (try? JSONLineEncoder.encode(self)) ?? [], as: UTF8.self)
  }

  /// Decodes a record from JSON.
  ///
  /// - Throws: `notASignature` if the record is larger than `limit`, or a member is missing or has another type.
  package init(json: some Sequence<UInt8>) throws(SignatureError) {
    guard json.underestimatedCount <= Self.limit else {
      throw Signature.bad(.notASignature, "its record has more than \(Self.limit >> 20) MiB")
    }
    do {
      self = try JSONValueDecoder.decode(Self.self, from: try JSONParser.parse(json))
    } catch {
      throw Signature.bad(.notASignature, "it is not a complete signature")
    }
  }
}
