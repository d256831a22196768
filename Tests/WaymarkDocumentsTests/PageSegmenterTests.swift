import Testing
import WaymarkImage

@testable import WaymarkDocuments

struct PageSegmenterTests {
  /// The same values by PyTorch, with the weights of eight bits: `Benchmarks/documents/segment` prints them.
  @Test func findsTheSameMaskAsTheFittedNetwork() throws {
    let network = try PageModels.load().network
    let side = network.side
    var values = [Float](repeating: 0, count: 3 * side * side)
    for y in 0..<side {
      for x in 0..<side {
        let isPage = x > side / 4 && x < side * 3 / 4 && y > side / 6 && y < side * 5 / 6
        for c in 0..<3 {
          let texture = (x * 7 + y * 3 + c * 50) % 97
          values[(y * side + x) * 3 + c] = Float(texture) / 4 + (isPage ? 150 : 70)
        }
      }
    }
    let found = PageSegmenter(network).probabilities(of: values)
    for (x, y, expected) in [
      (0, 0, Float(0.0012)), (10, 40, 0), (20, 13, 0.3067), (40, 40, 0.9931), (60, 32, 0.0899), (53, 66, 0.4501),
    ] {
      #expect(abs(found[y * network.cells + x] - expected) < 0.002, "\(x), \(y)")
    }
  }

  @Test func marksThePageAlone() throws {
    for isGray in [false, true] {
      let image = Drawing.photograph(
        Drawing.slanted, paper: SIMD3(200, 205, 210), ground: { x, y in SIMD3(90, 80, 60 + Double(x % 16)) })
      let picture = WorkingPicture()
      if isGray {
        GrayImage(width: image.width, height: image.height) { out in
          for i in out.indices { out[i] = image[i % image.width, i / image.width].green }
        }.withView { picture.load($0) }
      } else {
        picture.load(image)
      }
      let network = try PageModels.load().network
      let mask = PageMask(
        PageSegmenter(network).probabilities(picture), cells: network.cells, width: picture.width,
        height: picture.height)
      let scale = 1 / Double(picture.factor)
      #expect(mask.agreement(with: Drawing.slanted.scaled(by: scale)).overlap > 0.85)
    }
  }
}

struct PageMaskTests {
  private let outline = Quadrilateral(
    topLeft: Point2(99.5, 99.5), topRight: Point2(299.5, 99.5), bottomRight: Point2(299.5, 199.5),
    bottomLeft: Point2(99.5, 199.5))

  /// Twenty-four columns by twenty-four rows of 48 cells are the outline in a picture of 400 × 200 pixels, each cell of them at `inside`.
  private func mask(_ inside: Float, elsewhere: Float = 0) -> PageMask {
    let n = 48
    let probabilities = (0..<(n * n)).map { i in
      (12..<36).contains(i % n) && i / n >= 24 ? inside : elsewhere
    }
    return PageMask(probabilities, cells: n, width: 400, height: 200)
  }

  @Test func anOutlineThatIsTheMaskAgreesWhollyWithIt() {
    let agreement = mask(1).agreement(with: outline)
    #expect(abs(agreement.overlap - 1) < 1e-6)
    #expect(abs(agreement.inside - 1) < 1e-6)
    #expect(abs(agreement.share - 1) < 1e-6)
  }

  @Test func itsHalfHoldsHalfOfIt() {
    var half = outline
    half.topRight.x = 199.5
    half.bottomRight.x = 199.5
    let agreement = mask(1).agreement(with: half)
    #expect(abs(agreement.inside - 1) < 1e-6)
    #expect(abs(agreement.share - 0.5) < 1e-6)
    // Its right side runs through the middle of the mask.
    #expect(abs(mask(1).agreement(with: half, alongSides: []).weakestSide) < 0.1)
    #expect(mask(1).agreement(with: outline, alongSides: []).weakestSide > 0.9)
    #expect(abs(agreement.overlap - 0.5) < 1e-6)
  }

  @Test func nothingAgreesWithNothing() {
    #expect(mask(0).agreement(with: outline).overlap == 0)
    let beyond = outline.corners.map { $0 + Point2(1000, 0) }
    let agreement = mask(1).agreement(
      with: Quadrilateral(topLeft: beyond[0], topRight: beyond[1], bottomRight: beyond[2], bottomLeft: beyond[3]))
    #expect(agreement.overlap == 0)
    #expect(agreement.inside == 0)
  }

  @Test func anOutlineThatIsOffIsMovedToTheMask() {
    let moves = [Point2(-21, 9), Point2(14, -12), Point2(11, -16), Point2(-9, -14)]
    let start = Quadrilateral(corners: zip(outline.corners, moves).map { $0 + $1 })
    let fitted = mask(0.9, elsewhere: 0.02).fitted(start)
    #expect(start.largestCornerDistance(to: outline) > 15)
    #expect(fitted.largestCornerDistance(to: outline) < 3)
    #expect(mask(0).fitted(start).corners == start.corners)
  }

  @Test func doubtCountsInPart() {
    let agreement = mask(0.6, elsewhere: 0.1).agreement(with: outline)
    #expect(abs(agreement.inside - 0.6) < 1e-5)
    // 576 cells in it, 1,728 others.
    #expect(abs(agreement.share - 345.6 / 518.4) < 1e-4)
    #expect(abs(agreement.overlap - 345.6 / (518.4 + 576 - 345.6)) < 1e-4)
  }
}
