import Synchronization
import WaymarkImage
public import WaymarkSystem

/// A compiled set of reference pictures.
///
/// Made by `AnchorCompiler` and `LibraryWriter`, or by `waymark anchors build`. Shared freely between threads. The file stays open: it may be
/// replaced while the library is in use, and where it is changed or cut off in place, what was not read yet is missing and `failure`
/// says so.
public final class AnchorLibrary: Sendable {
  /// The anchors, in the order of the library.
  public let references: [AnchorReference]

  /// How many features of all anchors it holds.
  public let featureCount: Int
  private let file: LibraryFile
  private let header: LibraryHeader
  private let lists: [Range<Int>]
  private let asked: [[Int]]
  /// The recall measured when each anchor was compiled, 0…1.
  let recalls: [Float]
  /// For each anchor the pairs in which it is the first; empty where no two look alike.
  package let twins: [[AnchorTwin]]
  private let state = Mutex(State())

  private struct State {
    var index: LibraryIndex?
    var failure: AnchorError?
  }

  /// A file of this size is read at once, as whole as it then is.
  private static let small = 4 << 20
  /// An index of this size is read when the library is opened; it takes a tenth of a second for four times as much.
  private static let promptIndex = 64 << 20

  /// Opens a library. Nothing of it is used before it was checked: names and sizes now, the index now or, in a library of thousands of
  /// anchors, with `load` or the first frame, and each picture when it is read.
  ///
  /// - Throws: `AnchorError` with `cannotOpen`, `notALibrary`, `unsupportedVersion` or `damaged`.
  public convenience init(path: String) throws(AnchorError) {
    try self.init(path: path, small: Self.small, promptIndex: Self.promptIndex)
  }

  /// - Parameters:
  ///   - small: the greatest file that is read whole.
  ///   - promptIndex: the greatest index that is read at once.
  convenience init(path: String, small: Int, promptIndex: Int) throws(AnchorError) {
    try self.init(LibraryFile(path: path, small: small), promptIndex: promptIndex)
  }

  /// A library that lies in memory.
  package convenience init(bytes: [UInt8]) throws(AnchorError) {
    try self.init(LibraryFile(bytes: bytes), promptIndex: Self.promptIndex)
  }

  private init(_ file: LibraryFile, promptIndex: Int) throws(AnchorError) {
    let path = file.path
    let header = try LibraryHeader(of: file)
    self.file = file
    self.header = header
    featureCount = header.features
    let directory = header.directory
    var bytes = [UInt8](repeating: 0, count: directory.count)
    var sum = Checksum()
    guard bytes.withUnsafeMutableBytes({ file.read(into: $0, at: directory.lowerBound) }) else {
      throw LibraryHeader.damaged(path)
    }
    bytes.withUnsafeBytes { sum.add($0) }
    guard sum.value == header.directoryChecksum else { throw LibraryHeader.damaged(path) }
    var references: [AnchorReference] = []
    var lists: [Range<Int>] = []
    var recalls: [Float] = []
    var asked: [[Int]] = []
    references.reserveCapacity(header.anchors)
    // Each byte belongs to one anchor: records that share pictures or lists would make a small file cost without bound.
    var (area, listed) = (0, 0)
    let isSound = bytes.withUnsafeBytes { bytes in
      (0..<header.anchors).allSatisfy { i in
        guard let record = AnchorRecord(bytes, i, header, file) else { return false }
        area += record.reference.width * record.reference.height
        listed += record.list.count
        guard area <= file.size - header.index.upperBound, listed <= header.features else { return false }
        references.append(record.reference)
        lists.append(record.list)
        recalls.append(record.recall)
        asked.append(record.asked)
        return true
      }
    }
    guard isSound else { throw LibraryHeader.damaged(path) }
    self.references = references
    self.lists = lists
    self.recalls = recalls
    self.asked = asked
    guard let pairs = LibraryTwins.read(header, file) else { throw LibraryHeader.damaged(path) }
    twins = LibraryTwins.grouped(pairs, anchors: header.anchors)
    if header.index.count <= promptIndex { try load() } else { file.expect(first: header.index.upperBound) }
    if file.isWhole, !references.allSatisfy({ $0.pixels != nil }) { throw LibraryHeader.damaged(path) }
  }

  /// How many features an anchor has.
  public func featureCount(of anchor: Int) -> Int { lists[anchor].count }

  /// The quality of an anchor's picture, 0…100, as measured when it was compiled.
  public func quality(of anchor: Int) -> Int { Int((100 * recalls[anchor]).rounded()) }

  /// The index of the anchor of this name.
  public func index(of name: String) -> Int? { references.firstIndex { $0.name == name } }

  // MARK: What is read later

  /// Reads the index, which a detector otherwise does: where that must not take time, or to hear whether it is whole.
  ///
  /// - Throws: `AnchorError` with `damaged`.
  public func load() throws(AnchorError) {
    let failure = state.withLock { state -> AnchorError? in
      guard state.index == nil else { return nil }
      if state.failure == nil { state.index = LibraryIndex(header, file, spans: lists) }
      if state.index == nil, state.failure == nil { state.failure = LibraryHeader.damaged(file.path) }
      return state.failure
    }
    if let failure { throw failure }
  }

  /// Reads all of it, the index and every picture, and keeps the index.
  ///
  /// - Throws: `AnchorError` with `damaged`.
  package func check() throws(AnchorError) {
    try load()
    for reference in references where reference.pixels == nil { throw LibraryHeader.damaged(file.path) }
  }

  /// The damage found since the library was opened. An anchor whose picture is damaged is not found; without the
  /// index none is.
  public var failure: AnchorError? { state.withLock { $0.failure } }

  /// The index; where it is damaged, one in which nothing is found.
  var index: LibraryIndex {
    try? load()
    return state.withLock { $0.index } ?? LibraryIndex(emptyFor: references.count)
  }

  /// The stored pixels of a reference, in memory that is used again; `nil` where it is damaged.
  func image(of anchor: Int, in buffer: PixelBuffer) -> GrayImage? {
    if let image = references[anchor].pixels(in: buffer) { return image }
    state.withLock { $0.failure = $0.failure ?? LibraryHeader.damaged(file.path) }
    return nil
  }

  /// How many features of each kind were asked for when an anchor was compiled, in the order of `AnchorFeature.Kind`.
  package func asked(of anchor: Int) -> [Int] { asked[anchor] }

  /// An anchor as it was compiled, for writing it into another library.
  ///
  /// - Throws: `AnchorError` with `damaged`.
  package func compiled(_ anchor: Int) throws(AnchorError) -> CompiledAnchor {
    try load()
    let index = index
    let r = references[anchor]
    guard let pixels = r.pixels else { throw LibraryHeader.damaged(file.path) }
    var features: [AnchorFeature] = []
    var words: [UInt64] = []
    for place in index.list(of: anchor) {
      var f = index.features[Int(place)]
      f.anchor = 0
      features.append(f)
      for k in 0..<4 { words.append(index.descriptors[4 * Int(place) + k]) }
    }
    return CompiledAnchor(
      name: r.name, physicalWidth: r.physicalWidth, radius: r.radius,
      image: r.detail == 1 ? pixels : pixels.resized(width: r.width, height: r.height),
      detail: r.detail == 1 ? nil : pixels, features: features, asked: asked[anchor],
      descriptors: words,
      recall: Double(recalls[anchor]), sightings: [], reasons: [])
  }
}

/// The record of one anchor in a library's file.
private struct AnchorRecord {
  let reference: AnchorReference
  /// Its part of the lists.
  let list: Range<Int>
  let recall: Float
  let asked: [Int]

  /// References are 480 pixels long, or twice that; more than this nobody writes.
  private static let longestSide = 4096

  /// - Parameters:
  ///   - directory: records and names.
  ///   - index: which record.
  /// - Returns: `nil` where something in it cannot be.
  init?(_ directory: UnsafeRawBufferPointer, _ index: Int, _ header: LibraryHeader, _ file: LibraryFile) {
    let o = index * LibraryLayout.recordSize
    func number<T: FixedWidthInteger>(_ at: Int, _ type: T.Type) -> T {
      T(littleEndian: directory.loadUnaligned(fromByteOffset: o + at, as: T.self))
    }
    let names = header.range(of: .names)
    let nameStart = names.lowerBound - LibraryLayout.headerSize + Int(number(0, UInt32.self))
    let nameEnd = nameStart + Int(number(4, UInt32.self))
    let (width, height) = (Int(number(16, UInt16.self)), Int(number(18, UInt16.self)))
    let listStart = Int(number(20, UInt32.self))
    list = listStart..<listStart + Int(number(24, UInt32.self))
    recall = Float(bitPattern: number(28, UInt32.self))
    let pixels = Int(clamping: number(32, UInt64.self))
    let detail = Int(number(56, UInt16.self))
    asked = (0..<3).map { Int(number(58 + 2 * $0, UInt16.self)) }
    let physical = Double(bitPattern: number(8, UInt64.self))
    let radius = Double(bitPattern: number(40, UInt64.self))
    guard (0...1).contains(recall), nameEnd <= names.upperBound - LibraryLayout.headerSize,
      (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height),
      (1...2).contains(detail), width % detail == 0, height % detail == 0, pixels >= header.index.upperBound,
      pixels <= file.size, width * height <= file.size - pixels,
      list.upperBound <= header.features, physical.isFinite, physical >= 0, radius.isFinite, radius >= 0,
      physical == 0 || radius == 0 || CylinderMap.fits(width: physical, radius: radius)
    else { return nil }
    reference = AnchorReference(
      name: String(decoding: directory[nameStart..<nameEnd], as: UTF8.self),
      physicalWidth: physical > 0 ? physical : nil,
      picture: LibraryPicture(
        file: file, width: width, height: height, offset: pixels, checksum: number(48, UInt64.self)), detail: detail,
      radius: physical > 0 && radius > 0 ? radius : nil)
  }
}
