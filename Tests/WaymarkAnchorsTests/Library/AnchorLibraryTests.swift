import Foundation
import Testing
import WaymarkGeometry
import WaymarkImage
import WaymarkSystem

@testable import WaymarkAnchors

struct AnchorLibraryTests {
  @Test func aLibraryComesBackAsItWasWritten() throws {
    try Scenery.withLibrary(Scenery.anchors) { library, _ in
      #expect(library.references.map(\.name) == ["picture-1", "picture-2", "picture-3"])
      #expect(library.references.allSatisfy { $0.physicalWidth == 0.2 })
      for (i, anchor) in Scenery.anchors.enumerated() {
        let back = library.compiled(i)
        #expect(back.features == anchor.features)
        #expect(back.descriptors == anchor.descriptors)
        #expect(library.featureCount(of: i) == anchor.features.count)
        #expect((0..<480).allSatisfy { back.image[$0, 100] == anchor.image[$0, 100] })
      }
    }
  }

  @Test func theSamePicturesGiveTheSameBytes() throws {
    let again = AnchorCompiler().compile(name: "picture-1", physicalWidth: 0.2, image: Scenery.picture(seed: 1))
    let bytes = try LibraryWriter.bytes(of: [again] + Scenery.anchors[1...])
    #expect(try bytes == LibraryWriter.bytes(of: Scenery.anchors))
    // Out of a library and into another one: the same again.
    try Scenery.withLibrary(Scenery.anchors) { library, _ in
      let copied = try LibraryWriter.bytes(of: (0..<3).map { library.compiled($0) })
      #expect(copied == bytes)
    }
  }

  @Test func everyChangedByteOfTheHeaderIsNoticed() throws {
    let path = temporaryPath()
    defer { remove(path) }
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
    let path = temporaryPath()
    defer { remove(path) }
    let bytes = try LibraryWriter.bytes(of: [Scenery.anchors[0]])
    for offset in stride(from: LibraryLayout.headerSize, to: bytes.count, by: bytes.count / 37) {
      var damaged = bytes
      damaged[offset] ^= 0x10
      try Data(damaged).write(to: URL(fileURLWithPath: path))
      #expect { try AnchorLibrary(path: path) } throws: { ($0 as? AnchorError)?.code == .damaged }
    }
  }

  @Test func filesThatAreCutOffForeignOrNewerAreRefused() throws {
    let path = temporaryPath()
    defer { remove(path) }
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
    newer[8] = 2
    #expect(try code(newer) == .unsupportedVersion)
    #expect { try AnchorLibrary(path: path + ".none") } throws: { ($0 as? AnchorError)?.code == .cannotOpen }
    #expect { try AnchorLibrary(path: "/tmp") } throws: { ($0 as? AnchorError)?.code == .notALibrary }
  }

  /// A copy, so that whoever replaces a library in place ends nobody by SIGBUS.
  @Test func aLibraryThatIsCutOffWhileInUseStaysWhole() throws {
    let path = temporaryPath()
    defer { remove(path) }
    try LibraryWriter.write(LibraryWriter.bytes(of: Scenery.anchors), to: path)
    let library = try AnchorLibrary(path: path)
    #expect(truncate(path, 0) == 0)
    for (i, anchor) in Scenery.anchors.enumerated() {
      library.forgetPixels(of: i)
      let back = library.compiled(i)
      #expect(back.features == anchor.features)
      #expect((0..<480).allSatisfy { back.image[$0, 100] == anchor.image[$0, 100] })
    }
  }

  @Test func aHugeFileThatIsNoLibraryIsNotReadWhole() throws {
    let path = temporaryPath()
    defer { remove(path) }
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(truncate(path, 1 << 40) == 0)
    #expect { try AnchorLibrary(path: path) } throws: { ($0 as? AnchorError)?.code == .notALibrary }
  }

  /// Checksums keep out accidents; a person makes them fit. An index that points outside must not be followed.
  @Test func indexesThatPointOutsideAreRefused() throws {
    let path = temporaryPath()
    defer { remove(path) }
    let bytes = try LibraryWriter.bytes(of: [Scenery.anchors[0]])
    func number(_ bytes: [UInt8], _ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    func put(_ value: UInt64, _ at: Int, _ count: Int, _ bytes: inout [UInt8]) {
      for i in 0..<count { bytes[at + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i)) }
    }
    func opens(_ change: (inout [UInt8]) -> Void) throws -> Bool {
      var changed = bytes
      change(&changed)
      var content = Checksum()
      changed.withUnsafeBytes { content.add(UnsafeRawBufferPointer(rebasing: $0[LibraryLayout.headerSize...])) }
      put(content.value, 96, 8, &changed)
      var header = Checksum()
      changed.withUnsafeBytes { header.add(UnsafeRawBufferPointer(rebasing: $0[..<120])) }
      put(header.value, 120, 8, &changed)
      try Data(changed).write(to: URL(fileURLWithPath: path))
      return (try? AnchorLibrary(path: path)) != nil
    }
    func section(_ section: LibraryLayout.Section) -> Int { number(bytes, 40 + 8 * section.rawValue) }
    let features = number(bytes, 28)
    #expect(try opens { _ in })
    // A key beyond the features, and one that goes backwards.
    #expect(try !opens { put(UInt64(features) + 1, section(.starts) + 8, 4, &$0) })
    #expect(try !opens { put(UInt64(features), section(.starts), 4, &$0) })
    // A recall that is no number, or none between 0 and 1.
    for recall in [Float.nan, .infinity, -1, 1.5] {
      #expect(try !opens { put(UInt64(recall.bitPattern), section(.records) + 28, 4, &$0) })
    }
    // A feature of an anchor, and of a view, that is not there.
    #expect(try !opens { put(1, section(.features) + 8, 2, &$0) })
    #expect(try !opens { put(255, section(.features) + 8 + 6, 1, &$0) })
    // A list that names a feature that is not there.
    #expect(try !opens { put(UInt64(features), section(.lists) + 4 * (features - 1), 4, &$0) })
    // Sections that lie outside, or so far that adding to them overflows.
    #expect(try !opens { put(.max & ~63, 40 + 8 * 4, 8, &$0) })
    #expect(try !opens { put(UInt64(bytes.count), 40 + 8 * 3, 8, &$0) })
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
    #expect(throws: AnchorError.self) {
      try compiler.compile(name: "", physicalWidth: nil, picture: GrayImage(width: 100, height: 100, value: 0))
    }
  }
}
