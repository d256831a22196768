import Foundation
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkAnchors

final class AnchorLibraryTests {
  private let path = temporaryPath()

  deinit { remove(path) }

  @Test func aLibraryComesBackAsItWasWritten() throws {
    let library = try Scenery.library(Scenery.anchors)
    #expect(library.references.map(\.name) == ["picture-1", "picture-2", "picture-3"])
    #expect(library.references.allSatisfy { $0.physicalWidth == 0.2 })
    for (i, anchor) in Scenery.anchors.enumerated() {
      let back = try library.compiled(i)
      #expect(back.features == anchor.features)
      #expect(back.descriptors == anchor.descriptors)
      #expect(library.featureCount(of: i) == anchor.features.count)
      #expect((0..<480).allSatisfy { back.image[$0, 100] == anchor.image[$0, 100] })
    }
  }

  @Test func theSamePicturesGiveTheSameBytes() throws {
    let again = AnchorCompiler().compile(name: "picture-1", physicalWidth: 0.2, image: Scenery.picture(seed: 1))
    let bytes = try LibraryWriter.bytes(of: [again] + Scenery.anchors[1...])
    #expect(try bytes == LibraryWriter.bytes(of: Scenery.anchors))
    // Out of a library and into another one: the same again.
    let library = try Scenery.library(Scenery.anchors)
    let copied = try LibraryWriter.bytes(of: (0..<3).map { try library.compiled($0) })
    #expect(copied == bytes)
  }

  @Test func everyChangedByteOfTheHeaderIsNoticed() throws {
    let bytes = try LibraryWriter.bytes(of: [Scenery.anchors[0]])
    for offset in 0..<LibraryLayout.headerSize {
      for flip: UInt8 in [0x01, 0x80] {
        var damaged = bytes
        damaged[offset] ^= flip
        try Data(damaged).write(to: URL(fileURLWithPath: path))
        #expect(throws: AnchorError.self) { try AnchorLibrary(path: path) }
      }
    }
  }

  @Test func damageBehindTheHeaderIsNoticed() throws {
    let bytes = try LibraryWriter.bytes(of: [Scenery.anchors[0]])
    for offset in stride(from: LibraryLayout.headerSize, to: bytes.count, by: bytes.count / 37) {
      var damaged = bytes
      damaged[offset] ^= 0x10
      try Data(damaged).write(to: URL(fileURLWithPath: path))
      #expect { try AnchorLibrary(path: path) } throws: { ($0 as? AnchorError)?.code == .damaged }
    }
  }

  @Test func thePixelsOfALargePictureComeBack() throws {
    let picture = Scenery.picture(seed: 73, width: 1000, height: 700)
    let anchor = try AnchorCompiler().compile(name: "large", physicalWidth: 0.3, picture: picture)
    let detail = try #require(anchor.detail)
    let library = try Scenery.library([anchor, Scenery.anchors[0]])
    let reference = library.references[0]
    #expect((reference.width, reference.height) == (480, 336))
    #expect(reference.image?.width == 480 && reference.detail == 2 && library.references[1].detail == 1)
    var back = try library.compiled(0)
    #expect((back.detail?.width, back.detail?.height) == (960, 672))
    #expect((0..<960).allSatisfy { back.detail?[$0, 300] == detail[$0, 300] })
    #expect(back.features.map(\.kind.rawValue).sorted() == back.features.map(\.kind.rawValue))
    #expect(library.asked(of: 0) == [700, 400, 300] && library.asked(of: 1) == [700, 0, 0])
    back.keep([100, 20, 0])
    #expect(back.features == Array(anchor.features[..<100]) + anchor.features.filter { $0.kind == .near }.prefix(20))
    #expect(back.descriptors.count == 4 * 120 && back.descriptors[..<400] == anchor.descriptors[..<400])
  }

  @Test func filesThatAreCutOffForeignOrNewerAreRefused() throws {
    let bytes = try LibraryWriter.bytes(of: [Scenery.anchors[0]])
    func code(_ contents: [UInt8]) throws -> AnchorError.Code? {
      try Data(contents).write(to: URL(fileURLWithPath: path))
      do {
        _ = try AnchorLibrary(path: path)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(try code([]) == .notALibrary)
    #expect(try code(Array("P5 1 1 255 x".utf8)) == .notALibrary)
    #expect(try code(Array(bytes[..<60])) == .damaged)
    #expect(try code(Array(bytes[..<(bytes.count - 64)])) == .damaged)
    #expect(try code(bytes + [0]) == .damaged)
    var newer = bytes
    newer[8] = UInt8(LibraryLayout.version) + 1
    #expect(try code(newer) == .unsupportedVersion)
    var older = bytes
    older[8] = 2
    #expect(try code(older) == .unsupportedVersion)
    #expect { try AnchorLibrary(path: path + ".none") } throws: { ($0 as? AnchorError)?.code == .cannotOpen }
    #expect { try AnchorLibrary(path: "/tmp") } throws: { ($0 as? AnchorError)?.code == .notALibrary }
  }

  /// Checksums detect accidents, not forgery: the values of a crafted file are bounded as well.
  @Test func filesThatWouldCostWithoutBoundAreRefused() throws {
    let bytes = try LibraryWriter.bytes(of: Array(Scenery.anchors.prefix(2)))
    func opens(_ change: (inout [UInt8]) -> Void) throws -> Bool {
      var file = bytes
      change(&file)
      func sum(_ range: Range<Int>) -> UInt64 {
        var sum = Checksum()
        file.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[range])) }
        return sum.value
      }
      func put(_ value: UInt64, at offset: Int) {
        for i in 0..<8 { file[offset + i] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(i))) }
      }
      let header = try #require(LibraryHeader(Array(bytes[..<LibraryLayout.headerSize])))
      put(sum(header.directory), at: 96)
      put(sum(0..<120), at: 120)
      try Data(file).write(to: URL(fileURLWithPath: path))
      return (try? AnchorLibrary(path: path)) != nil
    }
    #expect(try opens { _ in })
    let (first, second) = (LibraryLayout.headerSize, LibraryLayout.headerSize + LibraryLayout.recordSize)
    // Two anchors, each with the features of both.
    #expect(
      try !opens { file in
        for record in [first, second] {
          file.replaceSubrange(record + 20..<record + 28, with: [0, 0, 0, 0] + file[28..<32])
        }
      })
    // A picture as large as what is left of the file, twice.
    #expect(
      try !opens { file in
        for record in [first, second] {
          file.replaceSubrange(record + 32..<record + 40, with: Array(file[first + 32..<first + 40]))
          file.replaceSubrange(record + 16..<record + 20, with: [0xE0, 0x01, 0xA0, 0x02])
        }
      })
    // An index by no bits at all.
    #expect(try !opens { $0[32] = 0 })
  }

  /// Small libraries are read whole when they are opened.
  @Test func aSmallLibraryThatIsCutOffWhileInUseStaysWhole() throws {
    try LibraryWriter.write(LibraryWriter.bytes(of: Scenery.anchors), to: path)
    let library = try AnchorLibrary(path: path)
    #expect(truncate(path, 0) == 0)
    for (i, anchor) in Scenery.anchors.enumerated() {
      let back = try library.compiled(i)
      #expect(back.features == anchor.features)
      #expect((0..<480).allSatisfy { back.image[$0, 100] == anchor.image[$0, 100] })
    }
    #expect(library.failure == nil)
  }

  private static let map = Homography(SIMD3(0.7, 0.1, 150), SIMD3(-0.1, 0.7, 90), SIMD3(0, 0, 1))

  /// The part of a large library that was not read yet is missing when the file is cut off, and the process does not end by SIGBUS.
  @Test func aLargeLibraryThatIsCutOffWhileInUseIsSaidToBeDamaged() throws {
    try LibraryWriter.write(LibraryWriter.bytes(of: Scenery.anchors), to: path)
    let frame = Scenery.frame(Scenery.picture(seed: 1), Self.map)
    func detections(cut: Bool, loadedBefore: Bool) throws -> (Int, AnchorError.Code?) {
      try LibraryWriter.write(LibraryWriter.bytes(of: Scenery.anchors), to: path)
      let library = try AnchorLibrary(path: path, small: 0, promptIndex: 0)
      if loadedBefore { try library.load() }
      if cut { #expect(truncate(path, 0) == 0) }
      let found = frame.withView { AnchorDetector(library: library).detect($0) }
      if cut { #expect(throws: AnchorError.self) { try library.compiled(0) } }
      return (found.count, library.failure?.code)
    }
    #expect(try detections(cut: false, loadedBefore: false) == (1, nil))
    // Without the index nothing is found; with it, no anchor whose picture cannot be read.
    #expect(try detections(cut: true, loadedBefore: false) == (0, .damaged))
    #expect(try detections(cut: true, loadedBefore: true) == (0, .damaged))
  }

  /// A library of ten thousand is opened without reading its index and its pictures: damage is found when they are read.
  @Test func damageOfALargeLibraryIsNoticedWhenItIsRead() throws {
    let bytes = try LibraryWriter.bytes(of: [Scenery.anchors[0]])
    let header = try #require(LibraryHeader(Array(bytes[..<LibraryLayout.headerSize])))
    for offset in [header.index.lowerBound + 5, header.index.upperBound - 5, header.index.upperBound + 480 * 100] {
      var damaged = bytes
      damaged[offset] ^= 0x10
      try Data(damaged).write(to: URL(fileURLWithPath: path))
      let library = try AnchorLibrary(path: path, small: 0, promptIndex: 0)
      #expect(library.failure == nil)
      #expect { try library.compiled(0) } throws: { ($0 as? AnchorError)?.code == .damaged }
      let isIndex = header.index.contains(offset)
      #expect((library.references[0].image == nil) == !isIndex)
      if isIndex {
        #expect { try library.load() } throws: { ($0 as? AnchorError)?.code == .damaged }
        #expect(library.failure?.code == .damaged)
      }
    }
  }

  @Test func checksumsDoNotDependOnHowTheBytesCome() {
    let bytes = (0..<1003).map { UInt8(truncatingIfNeeded: $0 * 37 + $0 / 256) }
    var whole = Checksum()
    bytes.withUnsafeBytes { whole.add($0) }
    for cut in [8, 16, 24, 40, 512] {
      var parts = Checksum()
      bytes.withUnsafeBytes {
        parts.add(UnsafeRawBufferPointer(rebasing: $0[..<cut]))
        parts.add(UnsafeRawBufferPointer(rebasing: $0[cut...]))
      }
      #expect(parts.value == whole.value)
    }
  }

  @Test func aHugeFileThatIsNoLibraryIsNotReadWhole() throws {
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(truncate(path, 1 << 40) == 0)
    #expect { try AnchorLibrary(path: path) } throws: { ($0 as? AnchorError)?.code == .notALibrary }
  }

  /// Checksums keep out accidents; a person makes them fit. An index that points outside must not be followed.
  @Test func indexesThatPointOutsideAreRefused() throws {
    let bytes = try LibraryWriter.bytes(of: [Scenery.anchors[0]])
    func number(_ bytes: [UInt8], _ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    func put(_ value: UInt64, _ at: Int, _ count: Int, _ bytes: inout [UInt8]) {
      for i in 0..<count { bytes[at + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i)) }
    }
    func section(_ section: LibraryLayout.Section) -> Int { number(bytes, 40 + 8 * section.rawValue) }
    func opens(_ change: (inout [UInt8]) -> Void) throws -> Bool {
      var changed = bytes
      change(&changed)
      func sum(_ range: Range<Int>) -> UInt64 {
        var sum = Checksum()
        changed.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[range])) }
        return sum.value
      }
      let (starts, pixels) = (section(.starts), section(.pixels))
      put(sum(LibraryLayout.headerSize..<starts), 96, 8, &changed)
      put(sum(starts..<pixels), 104, 8, &changed)
      put(sum(0..<120), 120, 8, &changed)
      try Data(changed).write(to: URL(fileURLWithPath: path))
      return (try? AnchorLibrary(path: path)) != nil
    }
    let features = number(bytes, 28)
    #expect(try opens { _ in })
    // A key beyond the features, and one that goes backwards.
    #expect(try !opens { put(UInt64(features) + 1, section(.starts) + 8, 4, &$0) })
    #expect(try !opens { put(UInt64(features), section(.starts), 4, &$0) })
    // A recall that is not a number, or none between 0 and 1.
    for recall in [Float.nan, .infinity, -1, 1.5] {
      #expect(try !opens { put(UInt64(recall.bitPattern), section(.records) + 28, 4, &$0) })
    }
    // A feature of an anchor, and of a view, that is not there.
    #expect(try !opens { put(1, section(.features) + 8, 2, &$0) })
    #expect(try !opens { put(255, section(.features) + 8 + 6, 1, &$0) })
    // A list that names a feature that is not there.
    #expect(try !opens { put(UInt64(features), section(.lists) + 4 * (features - 1), 4, &$0) })
    // Keys longer than any.
    #expect(try !opens { put(UInt64(FeatureKey.greatestBits) + 1, 32, 4, &$0) })
    // Sections that lie outside, or so far that adding to them overflows.
    #expect(try !opens { put(.max & ~63, 40 + 8 * 4, 8, &$0) })
    #expect(try !opens { put(UInt64(bytes.count), 40 + 8 * 3, 8, &$0) })
  }

  @Test func keysOfLargeLibrariesAreLonger() {
    let bits = [35_000, 560_000, 2_000_000, 5_600_000, LibraryHeader.mostFeatures].map {
      LibraryLayout.keyBits(features: $0)
    }
    #expect(bits == [13, 16, 17, 20, 20])
  }

  @Test func namesMustDiffer() {
    #expect { try LibraryWriter.bytes(of: [Scenery.anchors[0], Scenery.anchors[0]]) } throws: {
      ($0 as? AnchorError)?.code == .duplicateName
    }
  }

  @Test func aFolderThatIsNotThereIsSaid() {
    #expect { try LibraryWriter.write([1], to: "/nowhere/at/all") } throws: {
      ($0 as? AnchorError)?.code == .cannotWrite
    }
  }

  @Test func unusablePicturesAreRefused() {
    let compiler = AnchorCompiler()
    for (w, h) in [(1, 1), (480, 8), (15, 15), (2000, 100)] {
      #expect {
        try compiler.compile(name: "x", physicalWidth: nil, picture: GrayImage(width: w, height: h, value: 0))
      } throws: { ($0 as? AnchorError)?.code == .unusablePicture }
    }
    for name in ["", "a\nb", "a\u{9B}31m", "gnp.\u{202E}x"] {
      #expect(throws: AnchorError.self) {
        try compiler.compile(name: name, physicalWidth: nil, picture: GrayImage(width: 100, height: 100, value: 0))
      }
    }
  }
}

/// A path for a file that does not exist yet.
func temporaryPath() -> String {
  FileManager.default.temporaryDirectory.appendingPathComponent("waymark-anchors-\(UUID().uuidString)").path
}

func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
