import WaymarkGeometry
import WaymarkImage
public import WaymarkSystem

/// A compiled set of reference pictures, used as it lies in memory.
///
/// Made by `AnchorLibraryBuilder` or `waymark anchors build`. Immutable and shared freely between threads. The file may be
/// replaced, changed or cut off while the library is in use.
public final class AnchorLibrary: Sendable {
  /// The anchors, in the order of the library.
  public let references: [AnchorReference]

  /// How many features of all anchors it holds.
  public let featureCount: Int
  let keyBits: Int
  private let file: MappedFile
  private let starts: Int
  private let descriptorBase: Int
  private let featureBase: Int
  private let listBase: Int
  private let lists: [(start: Int, count: Int)]
  /// The recall measured when each anchor was compiled, 0…1.
  let recalls: [Float]

  /// Opens a library; every byte is checked before any is used.
  ///
  /// - Throws: `AnchorError` with `cannotOpen`, `notALibrary`, `unsupportedVersion` or `damaged`.
  public convenience init(path: String) throws(AnchorError) { try self.init(path: path, isOurs: false) }

  /// Opens a library.
  ///
  /// - Parameter isOurs: nobody but this service writes the file, and never in place: it is used without a copy.
  package init(path: String, isOurs: Bool) throws(AnchorError) {
    var checker = LibraryChecker()
    let file = try MappedFile(path: path, isOurs: isOurs) { checker.add($0) }
    let header = try checker.header(path: path, size: file.bytes.count)
    self.file = file
    keyBits = header.keyBits
    featureCount = header.features
    starts = header.offsets[LibraryLayout.Section.starts.rawValue]
    descriptorBase = header.offsets[LibraryLayout.Section.descriptors.rawValue]
    featureBase = header.offsets[LibraryLayout.Section.features.rawValue]
    listBase = header.offsets[LibraryLayout.Section.lists.rawValue]
    var references: [AnchorReference] = []
    var lists: [(start: Int, count: Int)] = []
    var recalls: [Float] = []
    let names = header.offsets[LibraryLayout.Section.names.rawValue]
    for i in 0..<header.anchors {
      let o = header.offsets[0] + i * LibraryLayout.recordSize
      func number<T: FixedWidthInteger>(_ at: Int, _ type: T.Type) -> T {
        T(littleEndian: file.bytes.loadUnaligned(fromByteOffset: o + at, as: T.self))
      }
      let nameStart = names + Int(number(0, UInt32.self))
      let nameEnd = nameStart + Int(number(4, UInt32.self))
      let (width, height) = (Int(number(16, UInt16.self)), Int(number(18, UInt16.self)))
      let (listStart, listCount) = (Int(number(20, UInt32.self)), Int(number(24, UInt32.self)))
      let pixels = Int(clamping: number(32, UInt64.self))
      let physical = Double(bitPattern: number(8, UInt64.self))
      let recall = Float(bitPattern: number(28, UInt32.self))
      let radius = Double(bitPattern: number(40, UInt64.self))
      guard (0...1).contains(recall), nameEnd <= names + header.nameBytes, width > 0, height > 0,
        pixels <= file.bytes.count, width * height + 64 <= file.bytes.count - pixels,
        listStart + listCount <= header.features, physical.isFinite, physical >= 0, radius.isFinite, radius >= 0,
        physical == 0 || radius == 0 || CylinderMap.fits(width: physical, radius: radius),
        let base = file.bytes.baseAddress
      else { throw LibraryChecker.damaged(path) }
      let buffer = PixelBuffer(
        lent: (base + pixels).assumingMemoryBound(to: UInt8.self), capacity: width * height, by: file)
      references.append(
        AnchorReference(
          name: String(decoding: file.bytes[nameStart..<nameEnd], as: UTF8.self),
          physicalWidth: physical > 0 ? physical : nil,
          image: GrayImage(width: width, height: height, buffer: buffer),
          radius: physical > 0 && radius > 0 ? radius : nil))
      lists.append((listStart, listCount))
      recalls.append(recall)
    }
    self.references = references
    self.lists = lists
    self.recalls = recalls
  }

  /// How many features an anchor has.
  public func featureCount(of anchor: Int) -> Int { lists[anchor].count }

  /// The quality of an anchor's picture, 0…100, as measured when it was compiled.
  public func quality(of anchor: Int) -> Int { Int((100 * recalls[anchor]).rounded()) }

  /// The index of the anchor of this name.
  public func index(of name: String) -> Int? { references.firstIndex { $0.name == name } }

  // MARK: The index, as it lies

  /// Where the features of each key start; one more than there are keys.
  var keyStarts: UnsafePointer<UInt32> { pointer(starts) }
  /// Four words a feature, in the order of the keys.
  var descriptors: UnsafePointer<UInt64> { pointer(descriptorBase) }
  /// The features, in the order of the keys.
  var features: UnsafePointer<AnchorFeature> { pointer(featureBase) }

  /// The places of an anchor's features, the most useful first.
  func list(of anchor: Int) -> UnsafeBufferPointer<UInt32> {
    let l = lists[anchor]
    return UnsafeBufferPointer(start: pointer(listBase) + l.start, count: l.count)
  }

  private func pointer<T>(_ offset: Int) -> UnsafePointer<T> {
    // The sections are aligned to 64 bytes and checked to lie inside the file.
    (file.bytes.baseAddress.unsafelyUnwrapped + offset).assumingMemoryBound(to: T.self)
  }

  /// Lets the memory that holds the pixels of a reference go until they are read again.
  func forgetPixels(of anchor: Int) {
    let image = references[anchor].image
    file.release(UnsafeRawBufferPointer(start: image.buffer.bytes, count: image.width * image.height))
  }

  /// An anchor as it was compiled, for writing it into another library.
  package func compiled(_ anchor: Int) -> CompiledAnchor {
    var features: [AnchorFeature] = []
    var words: [UInt64] = []
    for place in list(of: anchor) {
      var f = self.features[Int(place)]
      f.anchor = 0
      features.append(f)
      for k in 0..<4 { words.append(descriptors[4 * Int(place) + k]) }
    }
    let r = references[anchor]
    return CompiledAnchor(
      name: r.name, physicalWidth: r.physicalWidth, radius: r.radius, image: r.image, features: features,
      descriptors: words,
      recall: Double(recalls[anchor]), sightings: [], reasons: [])
  }
}
