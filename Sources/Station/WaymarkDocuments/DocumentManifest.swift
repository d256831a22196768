import WaymarkCrypto
package import WaymarkImage
package import WaymarkSystem

/// The record of the pages of a session without their pictures, stored as one JSON object. `PageSeal` below encrypts it and the
/// pictures.
package struct DocumentManifest: Codable, Hashable, Sendable {
  package struct Page: Codable, Hashable, Sendable {
    /// The number of the page, unique within a session. The file of the page is named by this number.
    package var number: Int
    /// The revision, which increases with every change.
    package var revision = 1
    /// The width of the picture in pixels.
    package var width: Int
    package var height: Int
    /// The corners of the page in the picture as eight numbers; `nil` for the whole picture.
    package var corners: [Double]?
    /// The bends of the page's sides, see `PageBends.numbers`.
    package var bends: [Double]?
    package var filter: PageFilter
    /// The rotation in clockwise quarter turns.
    package var turns = 0
    /// The time of capture in seconds since 1970.
    package var captured: Int
    /// The size of the picture file in bytes.
    package var bytes: Int
    /// The time of removal in seconds since 1970; `nil` if the page is not removed.
    package var removed: Int?

    package init(
      number: Int, width: Int, height: Int, outline: Quadrilateral?, bends: [Double]? = nil, filter: PageFilter,
      captured: Int, bytes: Int
    ) {
      self.number = number
      self.width = width
      self.height = height
      self.bends = bends
      self.filter = filter
      self.captured = captured
      self.bytes = bytes
      self.outline = outline
    }

    /// The outline of the page in pixels of the picture; `nil` for the whole picture.
    package var outline: Quadrilateral? {
      get {
        guard let c = corners, c.count == 8 else { return nil }
        return Quadrilateral(corners: (0..<4).map { Point2(c[2 * $0], c[2 * $0 + 1]) })
      }
      set { corners = newValue?.corners.flatMap { [$0.x, $0.y] } }
    }
  }

  /// The version of the record's format.
  private var version = 1
  package var session: String
  /// The time of the last change in seconds since 1970.
  package var changed: Int
  private var next = 1
  /// The filter for new pages.
  package var filter: PageFilter
  /// All pages in order, including the removed ones.
  package var pages: [Page] = []

  /// The largest size of a record in bytes.
  package static let byteLimit = 2 << 20
  /// The range of page numbers, within which incrementing cannot overflow.
  package static let numbers = 1..<(1 << 40)
  /// The range of times in seconds since 1970, within which arithmetic cannot overflow.
  private static let times = 0...(1 << 40)
  /// The largest number of pages of a session, including the removed ones.
  package static let pageLimit = 500

  package init(session: String, changed: Int, filter: PageFilter = .colour) {
    self.session = session
    self.changed = changed
    self.filter = filter
  }

  /// The number of the next page.
  package var nextNumber: Int { next }

  /// The pages that are not removed.
  package var kept: [Page] { pages.filter { $0.removed == nil } }
  package var bytes: Int { pages.reduce(0) { $0 + $1.bytes } }

  package mutating func takeNumber() -> Int {
    defer { next += 1 }
    return next
  }

  /// Adds a page that has only its picture, in a folder whose record was lost.
  package mutating func adopt(_ page: Page) {
    pages.append(page)
    next = max(next, page.number + 1)
  }
}

extension DocumentManifest {
  package func encoded() throws -> [UInt8] { try JSONLineEncoder.line(self, capacity: 256 + 320 * pages.count) }

  /// The error of a damaged record.
  package typealias Damage = Problem<DamageCode>

  package enum DamageCode: String, ProblemCode {
    /// The record is not in the format that this program writes.
    case damagedRecord
  }

  /// Returns whether corners are in or near a picture, so that they are written without relevant loss.
  private static func isNear(_ outline: Quadrilateral) -> Bool {
    outline.corners.allSatisfy { $0.x.magnitude < 1e6 && $0.y.magnitude < 1e6 }
  }

  /// Parses a record written by `encoded`, and validates all of it.
  ///
  /// - Throws: `damagedRecord` if the record is too large, has another format, or has a value out of range.
  package init(_ bytes: [UInt8]) throws(Damage) {
    func damaged(_ what: String) -> Damage {
      Damage(
        .damagedRecord, "the record of the pages is damaged: \(what)",
        hint: "It is rebuilt from the pictures of the pages.")
    }
    guard bytes.count <= Self.byteLimit else { throw damaged("it is too large") }
    let ledger: DocumentManifest
    do {
      ledger = try JSONValueDecoder.decode(DocumentManifest.self, from: try JSONParser.parse(bytes))
    } catch {
      throw damaged("it cannot be read")
    }
    guard Self.times.contains(ledger.changed) else { throw damaged("its time is invalid") }
    guard Self.numbers.contains(ledger.next) else { throw damaged("its next number is invalid") }
    guard ledger.version == 1, ledger.pages.count <= Self.pageLimit, ledger.session.utf8.count <= 64 else {
      throw damaged("its version or size is not supported")
    }
    guard Set(ledger.pages.map(\.number)).count == ledger.pages.count else { throw damaged("a page occurs twice") }
    for page in ledger.pages {
      let sizes = 1...100_000
      guard Self.numbers.contains(page.number), page.number < ledger.next, sizes.contains(page.width),
        sizes.contains(page.height), (0...3).contains(page.turns), (0...(1 << 32)).contains(page.bytes),
        page.revision >= 0, page.revision < 1 << 40, Self.times.contains(page.captured),
        Self.times.contains(page.removed ?? 0)
      else { throw damaged("page \(page.number) is invalid") }
      let isOutline = page.outline.map { $0.isConvex && Self.isNear($0) } ?? (page.corners == nil)
      guard isOutline, page.bends.map({ PageBends(numbers: $0) != nil }) ?? true else {
        throw damaged("page \(page.number) has no outline")
      }
    }
    self = ledger
  }
}

/// Encrypts the record and the pictures of unsaved pages (AES-256-GCM, RFC 5116), each authenticated with its file name.
package struct PageSeal: Sendable {
  private static let mark = Array("WMSEAL1\n".utf8)
  private static let keyLength = 32
  private let key: SymmetricKey
  /// Identifies the key at the beginning of each file, so that a wrong key is distinguished from a damaged file.
  private let sign: [UInt8]

  /// Reads the key from a file of 32 bytes, which is created if it is missing.
  ///
  /// - Throws: `documentKey` if the file cannot be read or created, has another length, or is a missing credential of systemd.
  package init(keyFile path: String) throws(ServiceProblem) {
    let problem = { (reason: String) in
      ServiceProblem(
        code: "documentKey", message: "The key file \(path) cannot be used: \(reason).",
        hint: "Name a file of 32 random bytes as documents.keyFile, or one in a folder where it can be made.")
    }
    // The name of a missing credential must not be used as a path in the working folder.
    guard !Credential.isMissing(path) else { throw problem("systemd handed over no such credential") }
    do throws(FileError) {
      if FileKind(path) == nil {
        try DurableFile.replace(path, with: (0..<Self.keyLength).map { _ in UInt8.random(in: 0...255) })
      }
      let bytes = try WholeFile.read(path, limit: 4096)
      guard bytes.count == Self.keyLength else {
        throw FileError(.failed, "it has \(bytes.count) bytes, not \(Self.keyLength)", hint: "")
      }
      key = SymmetricKey(bytes)
    } catch {
      throw problem(error.cause ?? error.message)
    }
    sign = Array(key.authenticationCode(for: Array("waymark documents".utf8)).prefix(8))
  }

  /// Encrypts the contents of the file `name`.
  package func sealed(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
    Self.mark + sign + (try key.seal(bytes, authenticating: Array(name.utf8)))
  }

  /// Decrypts the contents of the file `name`; contents written without a key are returned unchanged.
  ///
  /// - Parameter seal: The seal; `nil` if no key is configured.
  /// - Throws: The problem `documentKey` if the file in `folder` was encrypted with another key; `FileError` if it is damaged.
  package static func opened(_ bytes: [UInt8], _ name: String, in folder: String, by seal: Self?) throws -> [UInt8] {
    guard bytes.starts(with: mark) else { return bytes }
    let rest = bytes.dropFirst(mark.count)
    guard let seal, rest.starts(with: seal.sign) else {
      throw ServiceProblem(
        code: "documentKey", message: "The pages in \(folder) are sealed with another key.",
        hint: "Name the key file that they were sealed with as documents.keyFile, or remove the folder.")
    }
    do {
      return try seal.key.open(Array(rest.dropFirst(seal.sign.count)), authenticating: Array(name.utf8))
    } catch {
      throw FileError(.failed, "\(folder)/\(name) is damaged", hint: "Check the medium it is on.")
    }
  }
}
