import Glibc
import WaymarkSystem

/// The index of a library in memory: keys, descriptors, features and the lists of the anchors.
///
/// It is read from the file in one go, checked on the way, and never changes. Every frame touches pages all over it, so nothing is gained
/// by leaving parts out; and in memory of its own it can lie in huge pages, without which a large library is mostly waited for.
final class LibraryIndex: @unchecked Sendable {
  let keyBits: Int
  let featureCount: Int
  /// Where the features of each key start; one more than there are keys.
  let keyStarts: UnsafePointer<UInt32>
  /// Four words a feature, in the order of the keys.
  let descriptors: UnsafePointer<UInt64>
  /// The features, in the order of the keys.
  let features: UnsafePointer<AnchorFeature>
  private let lists: UnsafePointer<UInt32>
  private let spans: [Range<Int>]
  private let memory: UnsafeMutableRawPointer
  /// Zero where nothing was mapped.
  private let size: Int

  /// Bytes that are read and checked at a time: they stay in the processor's cache between the two.
  private static let piece = 1 << 18

  /// Reads the index of a library; `nil` where it is damaged or there is no memory for it.
  ///
  /// - Parameters:
  ///   - header: fits the file.
  ///   - spans: which part of the lists each anchor has, all of them inside.
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
    // The sections are aligned to 64 bytes and lie one behind the other in the region.
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
    // The checksums fit whatever a person has written them to fit: the index is trusted only when nothing in it points outside.
    guard sum.value == header.indexChecksum, checker.isSound else { return nil }
    mprotect(memory, size, PROT_READ)
  }

  /// The index of a library in which nothing can be found, for so many anchors.
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

  /// The places of an anchor's features, the most useful first.
  func list(of anchor: Int) -> UnsafeBufferPointer<UInt32> {
    let span = spans[anchor]
    return UnsafeBufferPointer(start: lists + span.lowerBound, count: span.count)
  }
}
