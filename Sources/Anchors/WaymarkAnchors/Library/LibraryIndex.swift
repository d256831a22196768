import Glibc
import WaymarkSystem

/// The index of a library in memory: keys, descriptors, features and the lists of the anchors.
///
/// `IndexValidator` below checks the index while the file is read.
///
/// The index is read and checked once and never changes. Every frame accesses pages all over it, so reading parts on demand would
/// save nothing. Anonymous memory can use huge pages, without which a large library mostly waits for memory.
final class LibraryIndex: @unchecked Sendable {
  let keyBits: Int
  let featureCount: Int
  /// The index of the first feature of each key, with one entry more than there are keys.
  let keyStarts: UnsafePointer<UInt32>
  /// The descriptors sorted by key, four words each.
  let descriptors: UnsafePointer<UInt64>
  /// The features sorted by key.
  let features: UnsafePointer<AnchorFeature>
  private let lists: UnsafePointer<UInt32>
  private let spans: [Range<Int>]
  private let memory: UnsafeMutableRawPointer
  /// The size of the mapping in bytes; zero if nothing is mapped.
  private let size: Int

  /// The number of bytes read and checked at a time: few enough to be in the processor's cache during the check.
  private static let piece = 1 << 18

  /// Reads the index of a library; `nil` if it is damaged, cut off or memory is exhausted.
  ///
  /// - Parameters:
  ///   - header: The header, which must fit the file.
  ///   - spans: The range of each anchor in the lists, all within bounds.
  init?(_ header: LibraryHeader, _ file: LibraryFile, spans: [Range<Int>]) {
    let region = header.index
    size = max(1, region.count)
    guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), memory != MAP_FAILED
    else { return nil }
    self.memory = memory
    self.spans = spans
    (keyBits, featureCount) = (header.keyBits, header.features)
    func pointer<T>(_ section: LibraryLayout.Section) -> UnsafePointer<T> {
      UnsafePointer((memory + header.offsets[section.rawValue] - region.lowerBound).assumingMemoryBound(to: T.self))
    }
    // The sections are aligned to 64 bytes and consecutive in the region.
    keyStarts = pointer(.starts)
    descriptors = pointer(.descriptors)
    features = pointer(.features)
    lists = pointer(.lists)
    if size >= 4 << 20 { madvise(memory, size, MADV_HUGEPAGE) }
    var sum = Checksum()
    var checker = IndexValidator(header)
    for start in stride(from: 0, to: region.count, by: Self.piece) {
      let part = UnsafeMutableRawBufferPointer(start: memory + start, count: min(Self.piece, region.count - start))
      guard file.read(into: part, at: region.lowerBound + start) else { return nil }
      sum.add(UnsafeRawBufferPointer(part))
      checker.add(UnsafeRawBufferPointer(part), at: region.lowerBound + start)
    }
    // Checksums can be forged, so the index is used only if all indices in it are in bounds.
    guard sum.value == header.indexChecksum, checker.isSound else { return nil }
    mprotect(memory, size, PROT_READ)
  }

  /// Creates an empty index for a number of anchors.
  init(emptyFor anchors: Int) {
    (keyBits, featureCount) = (1, 0)
    size = 0
    memory = .allocate(byteCount: 64, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
    spans = Array(repeating: 0..<0, count: anchors)
    keyStarts = UnsafePointer(memory.assumingMemoryBound(to: UInt32.self))
    descriptors = UnsafePointer(memory.assumingMemoryBound(to: UInt64.self))
    features = UnsafePointer(memory.assumingMemoryBound(to: AnchorFeature.self))
    lists = keyStarts
  }

  deinit {
    if size == 0 { memory.deallocate() } else { munmap(memory, size) }
  }

  /// Returns the indices of an anchor's features, the most useful first.
  func list(of anchor: Int) -> UnsafeBufferPointer<UInt32> {
    let span = spans[anchor]
    return UnsafeBufferPointer(start: lists + span.lowerBound, count: span.count)
  }
}

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
  /// True if all pieces so far are valid.
  private(set) var isSound = true

  init(_ header: LibraryHeader) {
    features = header.features
    anchors = header.anchors
    starts = header.range(of: .starts)
    records = header.range(of: .features)
    lists = header.range(of: .lists)
  }

  /// Validates the next piece of the file, which begins at `offset`.
  mutating func add(_ piece: UnsafeRawBufferPointer, at offset: Int) {
    let place = offset..<offset + piece.count
    func part(_ section: Range<Int>) -> UnsafeRawBufferPointer? {
      let both = section.clamped(to: place)
      guard both.count >= 4 else { return nil }
      return UnsafeRawBufferPointer(rebasing: piece[both.lowerBound - offset..<both.upperBound - offset])
    }
    if let part = part(starts) {
      for at in stride(from: 0, through: part.count - 4, by: 4) {
        let start = Int(part.number(at, UInt32.self))
        if start < lastStart || start > features { isSound = false }
        lastStart = start
      }
    }
    if let part = part(records) {
      for at in stride(from: 0, through: part.count - 8, by: 8) {
        let anchor = Int(part.number(at, UInt16.self))
        if anchor >= anchors || Int(part[at + 6]) >= ViewCatalog.linears.count { isSound = false }
      }
    }
    if let part = part(lists) {
      for at in stride(from: 0, through: part.count - 4, by: 4) {
        let place = Int(part.number(at, UInt32.self))
        if place >= features { isSound = false }
      }
    }
  }
}
