import Foundation
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkAnchors

/// Pictures that look alike.
@Suite struct TwinTests {
  /// A box, and its other kind: the right third is another one's.
  static let box = Scenery.picture(seed: 41)
  static let kind = changed(box, like: 42) { x, _ in x >= 320 }

  /// A picture that differs from another one in a part.
  private static func changed(_ picture: GrayImage, like seed: UInt64, where isOther: (Int, Int) -> Bool) -> GrayImage {
    let other = Scenery.picture(seed: seed)
    return GrayImage(width: picture.width, height: picture.height) { pixels in
      for y in 0..<picture.height {
        for x in 0..<picture.width { pixels[y * picture.width + x] = (isOther(x, y) ? other : picture)[x, y] }
      }
    }
  }

  private static let compiled: [CompiledAnchor] = {
    var settings = AnchorCompiler.Settings()
    settings.shots = 16
    let compiler = AnchorCompiler(settings: settings)
    return [("box", box), ("kind", kind)].map {
      compiler.compile(name: $0.0, physicalWidth: nil, image: $0.1)
    }
  }()

  private static let map = Homography(SIMD3(0.8, -0.06, 120), SIMD3(0.05, 0.82, 80), SIMD3(0.00005, 0.00003, 1))

  private static func library(_ anchors: [CompiledAnchor]) throws -> AnchorLibrary {
    try AnchorLibrary(bytes: LibraryWriter.bytesWithTwins(of: anchors))
  }

  /// A frame in which the part of the reference from `x` on is covered.
  private static func frame(_ picture: GrayImage, coveredFrom x: Int? = nil) -> GrayImage {
    Scenery.frame(x.map { edge in changed(picture, like: 77) { u, _ in u >= edge } } ?? picture, map)
  }

  private static func claims(_ frame: GrayImage, _ library: AnchorLibrary) -> [DetectedAnchor] {
    frame.withView { AnchorDetector(library: library).detect($0) }
  }

  @Test func theLibraryKnowsWhereTwoPicturesDiffer() throws {
    let library = try Self.library(Self.compiled)
    let pair = try #require(library.lookalikes.first)
    #expect(library.lookalikes.count == 1)
    #expect((pair.first, pair.second) == ("box", "kind"))
    #expect(abs(pair.difference.share - 0.33) < 0.1)
    #expect(pair.difference.part[0] > 0.6 && pair.difference.part[2] > 0.9)
    #expect(pair.difference.text.hasPrefix("they differ in "))
    // A library of its compiled anchors knows the same pairs.
    let again = try Self.library((0..<2).map { try library.compiled($0) })
    #expect(again.lookalikes == library.lookalikes)
  }

  @Test func eachIsDistinguishedFromTheOther() throws {
    let library = try Self.library(Self.compiled)
    for (name, picture) in [("box", Self.box), ("kind", Self.kind)] {
      let claims = Self.claims(Self.frame(picture), library)
      #expect(claims.map { library.references[$0.anchor].name } == [name])
      #expect(claims.first?.isAmbiguous == false)
    }
  }

  @Test func whereTheDifferenceIsCoveredItMayBeEither() throws {
    let library = try Self.library(Self.compiled)
    let claims = Self.claims(Self.frame(Self.box, coveredFrom: 315), library)
    try #require(claims.count == 1)
    #expect(claims[0].isAmbiguous && claims[0].rivals == [1 - claims[0].anchor])
  }

  @Test func onePictureOfTwoNamesMayBeEither() throws {
    var copy = Self.compiled[0]
    copy.name = "copy"
    let library = try Self.library([Self.compiled[0], copy])
    let claims = Self.claims(Self.frame(Self.box), library)
    try #require(claims.count == 1)
    #expect(claims[0].rivals == [1 - claims[0].anchor])
    #expect(library.lookalikes.first?.difference.part.isEmpty == true)
  }

  @Test func anotherKindThatIsNotInTheLibraryContradicts() throws {
    let library = try Self.library([Self.compiled[0]])
    let right = Self.claims(Self.frame(Self.box), library)
    #expect(right.count == 1 && right[0].contradiction < 0.02 && !right[0].isAmbiguous)
    let wrong = Self.claims(Self.frame(Self.kind), library)
    #expect(wrong.allSatisfy { $0.isAmbiguous && $0.rivals.isEmpty && abs($0.contradiction - 0.33) < 0.12 })
  }

  /// A seventh of the picture is another one's: in one place, in spots, or along the edge, where a frame hides it.
  @Test func anotherPartContradictsAndWearDoesNot() throws {
    let library = try Self.library([Self.compiled[0]])
    func claim(_ isOther: (Int, Int) -> Bool) throws -> DetectedAnchor {
      let claims = Self.claims(Self.frame(Self.changed(Self.box, like: 44, where: isOther)), library)
      try #require(claims.count == 1)
      return claims[0]
    }
    let block = try claim { x, y in (180..<335).contains(x) && (120..<275).contains(y) }
    #expect(block.isAmbiguous && block.rivals.isEmpty)
    let spots = try claim { x, y in x % 60 < 20 && y % 45 < 20 }
    #expect(!spots.isAmbiguous && spots.contradiction < 0.07)
    let edge = try claim { x, y in x < 16 || y < 16 || x >= 464 || y >= 344 }
    #expect(!edge.isAmbiguous && edge.contradiction < 0.02)
  }

  @Test func whatIsPrintedWhereTheReferenceIsBlankContradicts() throws {
    let print = Scenery.picture(seed: 43)
    /// The box with a blank field, or with something printed in it.
    func label(isPrinted: Bool) -> GrayImage {
      GrayImage(width: Self.box.width, height: Self.box.height) { pixels in
        for y in 0..<Self.box.height {
          for x in 0..<Self.box.width {
            let (isField, isInk) = (x >= 280, isPrinted && x >= 300)
            pixels[y * Self.box.width + x] = isInk ? print[x, y] : isField ? 200 : Self.box[x, y]
          }
        }
      }
    }
    var settings = AnchorCompiler.Settings()
    settings.shots = 16
    let blank = AnchorCompiler(settings: settings).compile(
      name: "blank", physicalWidth: nil, image: label(isPrinted: false))
    let library = try Self.library([blank])
    let right = Self.claims(Self.frame(label(isPrinted: false)), library)
    #expect(right.count == 1 && right[0].contradiction < 0.02 && !right[0].isAmbiguous)
    let wrong = Self.claims(Self.frame(label(isPrinted: true)), library)
    #expect(wrong.count == 1 && wrong.allSatisfy { $0.isAmbiguous && $0.rivals.isEmpty })
  }

  /// An anchor that was covered when it was found is proven once it is not; then it may be covered again.
  @Test func whatIsProvenStaysProvenWhileItIsFollowed() throws {
    let engine = AnchorEngine(library: try Self.library([Self.compiled[0]]))
    var number = 0
    func see(_ frame: GrayImage, times: Int) -> AnchorObservation? {
      var last: AnchorReport?
      for _ in 0..<times {
        last = frame.withView { engine.process($0, at: Double(number) / 30) }
        number += 1
      }
      return last?.observations.first
    }
    let covered = Self.frame(Self.box, coveredFrom: 340)
    #expect(see(covered, times: 8)?.ambiguous == .some([]))
    #expect(see(Self.frame(Self.box), times: 8).map { $0.ambiguous == nil } == true)
    #expect(see(covered, times: 8).map { $0.ambiguous == nil } == true)
  }

  @Test func damagedPairsAreNoticed() throws {
    let bytes = try LibraryWriter.bytesWithTwins(of: Self.compiled)
    let header = try #require(LibraryHeader(Array(bytes[..<LibraryLayout.headerSize])))
    #expect(header.twins > 0)
    for offset in [0, 8, 16, 20, 24, 90] {
      var file = bytes
      file[header.twins + offset] ^= 0xff
      #expect { try AnchorLibrary(bytes: file) } throws: { ($0 as? AnchorError)?.code == .damaged }
    }
    // Without the section nothing is known of them, and the library is as good as before.
    #expect(try AnchorLibrary(bytes: LibraryWriter.bytes(of: Self.compiled)).lookalikes.isEmpty)
  }
}
