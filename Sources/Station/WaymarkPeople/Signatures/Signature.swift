import WaymarkCrypto
package import WaymarkSystem

/// Why something is not a signature.
package typealias SignatureError = Problem<SignatureErrorCode>

/// The codes of `SignatureError`.
package enum SignatureErrorCode: String, ProblemCode {
  /// The signature has no stroke.
  case empty
  /// The strokes are not what a pen can have done, or more than is kept.
  case badStrokes
  /// The words beside it are too long, or the size is not a size.
  case badContext
  /// The file holds no signature of ours.
  case notASignature
}

/// Where the pen was at a moment.
package struct SignaturePoint: Hashable, Sendable {
  /// Tenths of a pixel from the left.
  package let x: Int
  /// Tenths of a pixel from above.
  package let y: Int
  /// Milliseconds since the first point of the signature.
  package let time: Int
  /// Thousandths of what the device can tell; `nil` for fingers and mice, which tell none.
  let pressure: Int?

  /// A point from its parts.
  package init(x: Int, y: Int, time: Int, pressure: Int? = nil) {
    self.x = x
    self.y = y
    self.time = time
    self.pressure = pressure
  }
}

/// A person's signature: strokes as they were drawn, and what they were drawn for.
///
/// The hash is over all of it, so that neither the strokes nor a word beside them can be changed without its changing.
package struct Signature: Hashable, Sendable {
  /// Strokes in the order in which they were drawn; each has at least one point.
  package let strokes: [[SignaturePoint]]
  /// The area in which they were drawn, in pixels.
  package let width: Int
  /// The area in which they were drawn, in pixels.
  package let height: Int
  /// When it was saved: RFC 3339, UTC, milliseconds.
  package let time: String
  /// The signer's name, as the program that asked for it knows it; may be empty.
  package let signer: String
  /// The purpose, in words that the person has read.
  package let purpose: String
  /// The thing signed: a text, or the hash of a document; may be empty.
  package let subject: String

  /// The limits: more than an hour's work for a pen, and less than a line of the socket.
  package enum Limits {
    /// Points of all strokes together.
    package static let points = 20_000
    /// Strokes.
    package static let strokes = 1000
    /// Pixels of a side.
    package static let side = 16...4096
    /// Milliseconds from the first to the last point.
    package static let time = 3_600_000
    /// Bytes of `signer` and `purpose`.
    package static let words = 512
    /// Bytes of `subject`.
    package static let subject = 16_384
  }

  /// A signature from its parts.
  ///
  /// - Throws: `empty` without a stroke, else what is out of bounds.
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
      // A pen that is held down may leave the area by as much again: what lies there is not drawn.
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

  /// Strokes as the socket carries them: a flat list of whole numbers each, four a point (x, y, time, pressure or −1), the first
  /// point as it is, every other as its difference from the one before, but for the pressure, which is always as it is.
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

  /// The strokes for the wire.
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

  /// SHA-256 over strokes and words, as 64 hexadecimal digits.
  ///
  /// Hashed is a text that no two signatures share: its name and version, each word behind its length in bytes, the area, and every
  /// point in whole numbers.
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
    let digits = Array("0123456789abcdef")
    return String(hasher.finish().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
