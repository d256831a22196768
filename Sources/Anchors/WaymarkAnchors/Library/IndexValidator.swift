/// Validates that the index of a library only points to existing entries, while the file is read in pieces: keys to features, features to
/// anchors and views, lists to features.
///
/// Pieces begin and end at multiples of eight bytes, sections begin at multiples of 64, so that no entry is cut.
struct IndexValidator {
  private let features: Int
  private let anchors: Int
  private let starts: Range<Int>
  private let records: Range<Int>
  private let lists: Range<Int>
  private var lastStart = 0
  /// True if all that went by was in order.
  private(set) var isSound = true

  /// For a library of which the header says this.
  init(_ header: LibraryHeader) {
    features = header.features
    anchors = header.anchors
    starts = header.range(of: .starts)
    records = header.range(of: .features)
    lists = header.range(of: .lists)
  }

  /// Takes the next piece of the file, which lies at `offset` in it.
  mutating func add(_ piece: UnsafeRawBufferPointer, at offset: Int) {
    let place = offset..<offset + piece.count
    func part(_ section: Range<Int>) -> UnsafeRawBufferPointer? {
      let both = section.clamped(to: place)
      guard both.count >= 4 else { return nil }
      return UnsafeRawBufferPointer(rebasing: piece[both.lowerBound - offset..<both.upperBound - offset])
    }
    if let part = part(starts) {
      for at in stride(from: 0, through: part.count - 4, by: 4) {
        let start = Int(UInt32(littleEndian: part.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
        if start < lastStart || start > features { isSound = false }
        lastStart = start
      }
    }
    if let part = part(records) {
      for at in stride(from: 0, through: part.count - 8, by: 8) {
        let anchor = Int(UInt16(littleEndian: part.loadUnaligned(fromByteOffset: at, as: UInt16.self)))
        if anchor >= anchors || Int(part[at + 6]) >= ViewCatalog.linears.count { isSound = false }
      }
    }
    if let part = part(lists) {
      for at in stride(from: 0, through: part.count - 4, by: 4) {
        let place = Int(UInt32(littleEndian: part.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
        if place >= features { isSound = false }
      }
    }
  }
}
