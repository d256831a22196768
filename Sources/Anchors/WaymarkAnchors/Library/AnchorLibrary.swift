import Synchronization
public import WaymarkImage

/// A compiled set of reference pictures (`AnchorReference`) with the index of their features.
///
/// `AnchorRecord` below is the record of one anchor in the file.
///
/// Created by `waymark anchors build`. May be used from several threads. The file stays open and may be replaced while the library
/// is in use. If the file is changed or truncated in place, all parts not read before are missing, and `failure` reports the
/// damage.
public final class AnchorLibrary: Sendable {
  /// The anchors, in the order of the file; results refer to them by index.
  public let references: [AnchorReference]

  /// The number of features of all anchors.
  public let featureCount: Int
  private let file: LibraryFile
  private let header: LibraryHeader
  private let records: [AnchorRecord]
  /// For each anchor, the pairs of similar anchors that list it first; empty if the library has no pairs.
  package let twins: [[AnchorTwin]]
  private let state = Mutex(State())

  private struct State {
    var index: LibraryIndex?
    var failure: AnchorError?
  }

  /// The largest file in bytes that is read whole when opened.
  private static let small = 4 << 20
  /// The largest index in bytes that is read when the library is opened; an index four times as large takes a tenth of a second.
  private static let promptIndex = 64 << 20

  /// Opens a library. All data are checked before use: names and sizes now; the index now or, if there are thousands of anchors, in
  /// `load` or with the first frame; each picture when it is read.
  ///
  /// - Throws: `AnchorError` with `cannotOpen`, `notALibrary`, `unsupportedVersion` or `damaged`.
  public convenience init(path: String) throws(AnchorError) {
    try self.init(path: path, small: Self.small, promptIndex: Self.promptIndex)
  }

  /// - Parameters:
  ///   - small: The largest file in bytes that is read whole.
  ///   - promptIndex: The largest index in bytes that is read when the library is opened.
  convenience init(path: String, small: Int, promptIndex: Int) throws(AnchorError) {
    try self.init(LibraryFile(path: path, small: small), promptIndex: promptIndex)
  }

  /// Creates a library from bytes in memory.
  ///
  /// - Throws: `AnchorError` with `unsupportedVersion` or `damaged`.
  package convenience init(bytes: [UInt8]) throws(AnchorError) {
    try self.init(LibraryFile(bytes: bytes), promptIndex: Self.promptIndex)
  }

  private init(_ file: LibraryFile, promptIndex: Int) throws(AnchorError) {
    let path = file.path
    let header = try LibraryHeader(of: file)
    self.file = file
    self.header = header
    featureCount = header.features
    guard let bytes = file.bytes(header.directory), bytes.withUnsafeBytes(\.checksum) == header.directoryChecksum else {
      throw LibraryHeader.damaged(path)
    }
    var records: [AnchorRecord] = []
    records.reserveCapacity(header.anchors)
    // Each byte belongs to one anchor. If records could share pictures or lists, a small file could use unlimited memory.
    var (area, listed) = (0, 0)
    let isSound = bytes.withUnsafeBytes { bytes in
      (0..<header.anchors).allSatisfy { i in
        guard let record = AnchorRecord(bytes, i, header, file) else { return false }
        area += record.reference.width * record.reference.height
        listed += record.list.count
        guard area <= file.size - header.index.upperBound, listed <= header.features else { return false }
        records.append(record)
        return true
      }
    }
    guard isSound else { throw LibraryHeader.damaged(path) }
    self.records = records
    references = records.map(\.reference)
    guard let pairs = LibraryTwins.read(header, file) else { throw LibraryHeader.damaged(path) }
    twins = LibraryTwins.grouped(pairs, anchors: header.anchors)
    if header.index.count <= promptIndex { try load() } else { file.expect(first: header.index.upperBound) }
    if file.isWhole, !references.allSatisfy({ $0.pixels != nil }) { throw LibraryHeader.damaged(path) }
  }

  /// Returns the number of features of the anchor at this index.
  public func featureCount(of anchor: Int) -> Int { records[anchor].list.count }

  /// Returns the quality of an anchor's picture, 0…100, measured when it was compiled.
  public func quality(of anchor: Int) -> Int { Int((100 * records[anchor].recall).rounded()) }

  /// Returns the index of the anchor with this name; `nil` if no anchor has it.
  public func index(of name: String) -> Int? { references.firstIndex { $0.name == name } }

  // MARK: Data read on demand

  /// Reads the index, which a detector otherwise reads on first use. Call this before frames that must not wait for the index, or
  /// to check that the index is intact.
  ///
  /// - Throws: `AnchorError` with `damaged`.
  public func load() throws(AnchorError) {
    let failure = state.withLock { state -> AnchorError? in
      guard state.index == nil else { return nil }
      if state.failure == nil { state.index = LibraryIndex(header, file, spans: records.map(\.list)) }
      if state.index == nil, state.failure == nil { state.failure = LibraryHeader.damaged(file.path) }
      return state.failure
    }
    if let failure { throw failure }
  }

  /// Reads and checks the index and every picture, and keeps the index.
  ///
  /// - Throws: `AnchorError` with `damaged`.
  package func check() throws(AnchorError) {
    try load()
    for reference in references where reference.pixels == nil { throw LibraryHeader.damaged(file.path) }
  }

  /// The damage found since the library was opened, or `nil`. An anchor with a damaged picture is not found;
  /// with a damaged index no anchor is.
  public var failure: AnchorError? { state.withLock { $0.failure } }

  /// The index; empty if the library's index is damaged.
  var index: LibraryIndex {
    try? load()
    return state.withLock { $0.index } ?? LibraryIndex(emptyFor: references.count)
  }

  /// Returns the stored pixels of a reference, read into a reused buffer; `nil` if they are damaged.
  func image(of anchor: Int, in buffer: PixelBuffer) -> GrayImage? {
    if let image = references[anchor].pixels(in: buffer) { return image }
    state.withLock { $0.failure = $0.failure ?? LibraryHeader.damaged(file.path) }
    return nil
  }

  /// Returns the number of features of each kind that were requested when the anchor was compiled, in the order of `AnchorFeature.Kind`.
  package func asked(of anchor: Int) -> [Int] { records[anchor].asked }

  /// Returns an anchor in its compiled form, for writing it into another library. Its sightings and reasons are empty,
  /// because a library does not store them.
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
      detail: r.detail == 1 ? nil : pixels, features: features,
      asked: records[anchor].asked, descriptors: words, recall: Double(records[anchor].recall), sightings: [],
      reasons: [])
  }
}

/// The record of one anchor in a library's file, checked against the bounds of the file.
private struct AnchorRecord: Sendable {
  let reference: AnchorReference
  /// The range of the anchor's features in the lists section.
  let list: Range<Int>
  /// The share of simulated views in which the anchor is expected to be found, 0…1.
  let recall: Float
  /// The number of features of each kind requested at compilation.
  let asked: [Int]

  /// The longest side of a picture accepted in a file, in pixels; references have 480 or twice that.
  private static let longestSide = 4096

  /// - Parameters:
  ///   - directory: The bytes of the records and names.
  ///   - index: The index of the record.
  /// - Returns: `nil` if a value in the record is invalid.
  init?(_ directory: UnsafeRawBufferPointer, _ index: Int, _ header: LibraryHeader, _ file: LibraryFile) {
    let o = index * LibraryLayout.recordSize
    func number<T: FixedWidthInteger>(_ at: Int, _ type: T.Type) -> T {
      directory.number(o + at)
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

/// The reference picture of one anchor, with its name and physical size.
public struct AnchorReference: Sendable {
  private enum Picture: Sendable {
    case image(GrayImage)
    case filed(LibraryPicture)
  }

  /// The anchor's name, unique in the library.
  public let name: String
  /// The width of the printed picture in metres; `nil` if it is unknown, in which case there is no pose.
  public let physicalWidth: Double?
  /// The radius in metres of the upright cylinder round which the picture is wrapped; `nil` if it is flat.
  public let radius: Double?
  /// The width of the reference in pixels; the longer side has 480 by convention.
  public let width: Int
  /// The height of the reference in pixels.
  public let height: Int
  private let picture: Picture
  /// The size of the stored pixels relative to the reference: 1, or 2 if the picture has that much detail.
  package let detail: Int

  /// Creates a reference with its pixels in memory.
  public init(name: String, physicalWidth: Double?, image: GrayImage, radius: Double? = nil) {
    self.name = name
    self.radius = radius
    self.physicalWidth = physicalWidth
    picture = .image(image)
    (width, height, detail) = (image.width, image.height, 1)
  }

  /// Creates a reference whose pixels stay in the library's file.
  init(name: String, physicalWidth: Double?, picture: LibraryPicture, detail: Int, radius: Double?) {
    self.name = name
    self.radius = radius
    self.physicalWidth = physicalWidth
    self.picture = .filed(picture)
    (width, height) = (picture.width / detail, picture.height / detail)
    self.detail = detail
  }

  /// The picture in gray with its long side scaled to 480 pixels, read from the library's file each time; `nil` if the file
  /// was damaged or truncated since it was opened. Homographies and corners are in pixels of this picture.
  public var image: GrayImage? { detail == 1 ? pixels : pixels?.resized(width: width, height: height) }

  /// The stored pixels, at `detail` times the reference's size; `nil` as for `image`.
  package var pixels: GrayImage? {
    switch picture {
    case .image(let image): image
    case .filed(let picture): pixels(in: PixelBuffer(capacity: picture.width * picture.height))
    }
  }

  /// Returns `pixels`, read into `buffer` without allocating memory if its capacity suffices.
  func pixels(in buffer: PixelBuffer) -> GrayImage? {
    guard case .filed(let picture) = picture, buffer.capacity >= picture.width * picture.height else { return pixels }
    guard picture.read(into: buffer) else { return nil }
    return GrayImage(width: picture.width, height: picture.height, buffer: buffer)
  }
}
