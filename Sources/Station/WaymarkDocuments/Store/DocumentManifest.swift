package import WaymarkImage
package import WaymarkSystem

/// The record of the pages of a session: all but their pictures. One JSON object.
package struct DocumentManifest: Codable, Hashable, Sendable {
  /// A page.
  package struct Page: Codable, Hashable, Sendable {
    /// Counts up within a session, never the same again: it names the page's file.
    package var number: Int
    /// Rises with every change.
    package var revision = 1
    /// Of the picture, in pixels.
    package var width: Int
    package var height: Int
    /// Where the page is in it, as eight numbers; nil: the whole picture.
    package var corners: [Double]?
    /// `PageBends.numbers`.
    package var bends: [Double]?
    package var filter: PageFilter
    /// Quarter turns, clockwise.
    package var turns = 0
    /// Seconds since 1970.
    package var captured: Int
    /// Of the picture file.
    package var bytes: Int
    /// When it was taken out; seconds since 1970.
    package var removed: Int?

    /// A page.
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

    /// Where the page is in the picture, in pixels; nil: the whole picture.
    package var outline: Quadrilateral? {
      get {
        guard let c = corners, c.count == 8 else { return nil }
        return Quadrilateral(
          topLeft: Point2(c[0], c[1]), topRight: Point2(c[2], c[3]), bottomRight: Point2(c[4], c[5]),
          bottomLeft: Point2(c[6], c[7]))
      }
      set { corners = newValue?.corners.flatMap { [$0.x, $0.y] } }
    }
  }

  /// The layout of this record.
  private var version = 1
  /// The session's id.
  package var session: String
  /// When something was last changed; seconds since 1970.
  package var changed: Int
  private var next = 1
  /// The filter for new pages.
  package var filter: PageFilter
  /// In their order, those that were taken out among them.
  package var pages: [Page] = []

  /// No record has more bytes.
  package static let byteLimit = 2 << 20
  /// The range of page numbers: far from where counting on would overflow.
  package static let numbers = 1..<(1 << 40)
  /// The range of times, in seconds since 1970: arithmetic on them does not overflow.
  private static let times = 0...(1 << 40)
  /// No session has more pages.
  package static let pageLimit = 500

  /// A session without pages.
  package init(session: String, changed: Int, filter: PageFilter = .colour) {
    self.session = session
    self.changed = changed
    self.filter = filter
  }

  /// The number that the next page gets.
  package var nextNumber: Int { next }

  /// The pages that were not taken out.
  package var kept: [Page] { pages.filter { $0.removed == nil } }
  /// Bytes of all pictures.
  package var bytes: Int { pages.reduce(0) { $0 + $1.bytes } }

  /// A number for one more page.
  package mutating func takeNumber() -> Int {
    defer { next += 1 }
    return next
  }

  /// Knows a page that is only a picture, in a folder whose record was lost.
  package mutating func adopt(_ page: Page) {
    pages.append(page)
    next = max(next, page.number + 1)
  }
}

extension DocumentManifest {
  /// As it is written.
  package func encoded() throws -> [UInt8] { try JSONLineEncoder.line(self, capacity: 256 + 320 * pages.count) }

  /// A fault of a record.
  package typealias Damage = Problem<DamageCode>

  /// The codes of `Damage`.
  package enum DamageCode: String, ProblemCode {
    /// It is not what this program writes.
    case damagedRecord
  }

  /// Returns whether corners are where a page can be, in or around a picture: numbers that are written without loss that matters.
  private static func isNear(_ outline: Quadrilateral) -> Bool {
    outline.corners.allSatisfy { $0.x.magnitude < 1e6 && $0.y.magnitude < 1e6 }
  }

  /// Reads what `encoded` wrote, trusting nothing of it.
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
