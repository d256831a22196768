package import WaymarkImage
package import WaymarkSystem

/// The record of the pages of a session without their pictures, stored as one JSON object.
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
