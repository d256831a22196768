import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Codes that are spoilt on the way, and pictures without any.
@Suite struct HardCodeTests {
  /// A picture through a map from its pixels to those of the source, white outside.
  private func warp(_ image: GrayImage, width: Int, height: Int, _ map: (Point2) -> Point2) -> GrayImage {
    GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          pixels[y * width + x] = UInt8(image.unsafeView.sample(map(Point2(Double(x), Double(y)))))
        }
      }
    }
  }

  private func adjusted(_ image: GrayImage, _ body: (Int, Int, UInt8) -> Int) -> GrayImage {
    GrayImage(width: image.width, height: image.height) { pixels in
      for y in 0..<image.height {
        for x in 0..<image.width {
          pixels[y * image.width + x] = UInt8(min(max(0, body(x, y, image[x, y])), 255))
        }
      }
    }
  }

  @Test func readsACodeSeenFromTheSide() throws {
    let code = try Fixture.load("qr-v7")
    let (w, h) = (Double(code.width), Double(code.height))
    let seen = Quadrilateral(topLeft: [60, 40], topRight: [230, 75], bottomRight: [225, 190], bottomLeft: [20, 235])
    let source = Quadrilateral(topLeft: [0, 0], topRight: [w, 0], bottomRight: [w, h], bottomLeft: [0, h])
    let map = try #require(Homography(from: seen, to: source))
    let reading = try warp(code, width: 260, height: 260) { map.apply($0) }.read()
    #expect(reading.symbols.map(\.symbology) == [.qr])
    let corners = try #require(reading.symbols.first).corners
    // Four modules of margin of 53 in all.
    let inset = 4 * w / 53
    let expected = try #require(map.inverse).apply([inset, inset])
    #expect(corners.topLeft.distance(to: expected) < 3)
  }

  @Test func readsLightOnDark() throws {
    let reading = try adjusted(Fixture.load("qr-ascii")) { _, _, v in 255 - Int(v) }.read()
    #expect(reading.symbols.map(\.text) == ["WAYMARK-1"])
    #expect(reading.symbols.first?.pass == .modules)
  }

  @Test func readsInAMirror() throws {
    let code = try Fixture.load("qr-ascii")
    let mirrored = GrayImage(width: code.width, height: code.height) { pixels in
      for y in 0..<code.height { for x in 0..<code.width { pixels[y * code.width + x] = code[code.width - 1 - x, y] } }
    }
    #expect(try mirrored.read().symbols.map(\.text) == ["WAYMARK-1"])
  }

  @Test func readsFaintCodesInAGradient() throws {
    let faint = try adjusted(Fixture.load("qr-v7")) { x, y, v in 90 + x / 3 + (Int(v) - 128) / 12 }
    #expect(try faint.read().symbols.count == 1)
    let bars = try adjusted(Fixture.load("ean13")) { x, y, v in 90 + x / 4 + (Int(v) - 128) / 12 }
    #expect(try bars.read().symbols.map(\.text) == ["4006381333931"])
  }

  @Test(arguments: [15.0, 37, 80])
  func readsTurnedBarsAndGivesTheirCorners(degrees: Double) throws {
    let code = try Fixture.load("code128")
    let map = ImageRotation(degrees: degrees, of: code)
    let reading = try map.apply(code).read()
    #expect(reading.symbols.map(\.text) == ["Waymark 128"])
    let corners = try #require(reading.symbols.first).corners
    // The bars lie along the code: the way back must be nearly level, and not on its head.
    let left = map.toSource(corners.topLeft)
    let right = map.toSource(corners.topRight)
    #expect(right.x - left.x > 0.8 * Double(code.width - 48))
    #expect(abs(right.y - left.y) < 12)
  }

  @Test func readsNothingInNoiseAndStripes() throws {
    var state: UInt32 = 1
    let noise = GrayImage(width: 320, height: 240) { pixels in
      for i in pixels.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        pixels[i] = UInt8(state >> 24)
      }
    }
    #expect(try noise.read().symbols.isEmpty)
    let stripes = GrayImage(width: 320, height: 240) { pixels in
      for y in 0..<240 { for x in 0..<320 { pixels[y * 320 + x] = (x / 3).isMultiple(of: 2) ? 30 : 220 } }
    }
    #expect(try stripes.read().symbols.isEmpty)
    #expect(try GrayImage(width: 1, height: 1, value: 9).read().symbols.isEmpty)
    #expect(try GrayImage(width: 500, height: 3, value: 9).read().symbols.isEmpty)
    #expect(try Fixture.load("pharmacode").read().symbols.isEmpty)
  }

  @Test func reportsACodeThatCannotBeRead() throws {
    // The data of a version 7 code wiped out; its fixed patterns stand.
    let code = try Fixture.load("qr-v7")
    let wiped = adjusted(code) { x, y, v in
      let (mx, my) = (x / 3 - 4, y / 3 - 4)
      return mx > 9 && my > 9 && mx < 38 && my < 38 ? ((mx * 7 + my * 3) % 5 < 2 ? 0 : 255) : Int(v)
    }
    let reading = try wiped.read()
    #expect(reading.symbols.isEmpty)
    #expect(reading.unread.map(\.kind) == [.qr])
  }

  @Test func liveFramesReadWhatStillsRead() throws {
    let inverted = try adjusted(Fixture.load("qr-ascii")) { _, _, v in 255 - Int(v) }
    var scanner = try BarcodeScanner(.live())
    let reads = (0..<2).map { _ in inverted.withView { scanner.scan($0) }.symbols.count }
    #expect(reads.contains(1), "light on dark is looked for in every other frame")
  }

  /// Most frames show no code, so that what looks like one may cost as much as in a still.
  @Test(arguments: [1, 1.25, 1.45]) func theFirstLiveFrameReadsBlurredCodesSeenFromTheSide(blur: Double) throws {
    let code = try Fixture.load("qr-v7")
    let (w, h) = (Double(code.width), Double(code.height))
    let source = Quadrilateral(topLeft: [0, 0], topRight: [w, 0], bottomRight: [w, h], bottomLeft: [0, h])
    let seen = Quadrilateral(
      topLeft: [20, 20], topRight: [20 + 0.9 * w, 20 + 0.1 * h], bottomRight: [20 + 0.9 * w, 20 + 0.9 * h],
      bottomLeft: [20, 20 + h])
    let map = try #require(Homography(from: seen, to: source))
    let sharp = warp(code, width: code.width + 40, height: code.height + 40) { map.apply($0) }
    let blurred = GrayImage(width: sharp.width, height: sharp.height) { pixels in
      for i in pixels.indices { pixels[i] = sharp[i % sharp.width, i / sharp.width] }
      if let first = pixels.baseAddress {
        GaussianBlur.apply(first, width: sharp.width, height: sharp.height, sigma: blur)
      }
    }
    #expect(try blurred.read(.live()).symbols.count == 1)
  }
}
