import Testing
import WaymarkImage

@testable import WaymarkDocuments

/// What the detection of pages computes for pictures that are drawn, number by number.
@Suite struct RecordedPagesTests {
  private static let width = 240
  private static let height = 320
  private static let page = Quadrilateral(
    topLeft: Point2(48, 55), topRight: Point2(186, 42), bottomRight: Point2(210, 260), bottomLeft: Point2(30, 249))

  /// Pages in easy and hard surroundings.
  private static let pictures: [(name: String, outline: Quadrilateral, picture: RGBImage)] = [
    ("plain", page, picture(page)),
    ("pale", page, picture(page, paper: SIMD3(228, 226, 222)) { _, _ in SIMD3(205, 200, 190) }),
    ("boards", page, picture(page) { x, _ in x % 40 < 3 ? SIMD3(60, 50, 40) : SIMD3(140, 120, 95) }),
    ("cut", low, picture(low)),
    ("dark", page, picture(page, paper: SIMD3(60, 62, 70)) { x, y in SIMD3(repeating: Double(150 + (x + y) % 9)) }),
    (
      "shaded", page,
      picture(page) { x, y in SIMD3(110, 95, 80) * (x + 2 * y < 330 ? 1 : 0.5) + Double((x * 5 + y * 3) % 7) }
    ),
    ("ticket", ticket, picture(ticket)),
  ]
  private static let low = Quadrilateral(
    topLeft: Point2(60, 110), topRight: Point2(200, 120), bottomRight: Point2(190, 360), bottomLeft: Point2(40, 350))
  private static let ticket = Quadrilateral(
    topLeft: Point2(60, 140), topRight: Point2(196, 120), bottomRight: Point2(204, 180), bottomLeft: Point2(66, 202))

  private static func picture(
    _ outline: Quadrilateral, paper: SIMD3<Double> = SIMD3(235, 232, 225),
    ground: (Int, Int) -> SIMD3<Double> = { _, _ in SIMD3(90, 70, 55) }
  ) -> RGBImage {
    Drawing.photograph(outline, width: width, height: height, paper: paper, ground: ground)
  }

  private func numbers(_ outline: Quadrilateral?) -> [Double] { outline?.corners.flatMap { [$0.x, $0.y] } ?? [] }

  private func numbers(_ page: DetectedPage?) -> [Double] {
    page.map { numbers($0.outline) + [$0.score, $0.logOdds] } ?? []
  }

  @Test func pagesAreFoundAndFollowedAsRecorded() throws {
    var golden = NumberGolden()
    let detector = PageDetector()
    for (name, outline, picture) in Self.pictures {
      let found = detector.detect(picture)
      golden.add("\(name).found", numbers(found))
      golden.add("\(name).again", numbers(detector.lookAgain(near: outline)))
      golden.add("\(name).others", found.map { detector.others(beside: $0).flatMap(numbers) } ?? [])
      let moved = outline.mapped { $0 + Point2(4, -3) }
      golden.add("\(name).followed", numbers(detector.follow(picture, from: moved)))
      golden.add("\(name).settled", numbers(detector.settle(picture, near: moved)))
      golden.add("\(name).gray", numbers(gray(picture).withView { detector.detect($0) }))
    }
    try golden.check("Documents/found.txt")
  }

  @Test func theirEvidenceIsAsRecorded() throws {
    var golden = NumberGolden()
    let detector = PageDetector()
    for (name, _, picture) in Self.pictures {
      let (first, traced) = detector.evidence(in: picture)
      golden.add("\(name).count", [Double(first.count), Double(traced.count)])
      for (kind, list) in [("first", first), ("traced", traced)] {
        for (place, one) in list.prefix(4).enumerated() {
          golden.add("\(name).\(kind).\(place)", numbers(one.outline) + one.values)
        }
      }
    }
    try golden.check("Documents/evidence.txt")
  }

  /// A sheet is laid on a table, with a hand over its corner; the sheet moves on; light falls.
  @Test func whatIsNewInViewIsAsRecorded() throws {
    var golden = NumberGolden()
    let memory = BackgroundModel()
    let sheet = Quadrilateral(
      topLeft: Point2(90, 50), topRight: Point2(230, 58), bottomRight: Point2(222, 175), bottomLeft: Point2(82, 168))
    let elsewhere = sheet.mapped { $0 + Point2(40, 25) }
    let wider = Quadrilateral(
      topLeft: Point2(84, 44), topRight: Point2(236, 52), bottomRight: Point2(228, 181), bottomLeft: Point2(76, 174))
    for step in 0..<16 {
      let place = step < 6 ? nil : step < 12 ? sheet : elsewhere
      let light = step < 14 ? 100 : 80
      let frame = Self.table(sheet: place, hasHand: (8..<12).contains(step), light: light)
      let foreground = frame.withView { memory.foreground(in: $0) }
      let new = memory.sheet()
      golden.add("\(step).view", [foreground?.share ?? -1, memory.changedFraction] + numbers(new?.outline))
      let outlines = [sheet, elsewhere, wider]
      golden.add("\(step).fits", [new?.fitScore ?? -1] + outlines.map { memory.fitScore(of: $0) ?? -1 })
      golden.add(
        "\(step).changed",
        outlines.flatMap { outline in memory.change(of: outline).map { [$0.inside, $0.outside] } ?? [-1, -1] })
      golden.add(
        "\(step).is",
        outlines.flatMap { outline in
          [
            memory.isNewInView(outline), memory.isForeground(outline), memory.isForeground(outline, everySide: true),
            memory.isShadow(between: outline, and: wider),
          ].map { $0 ? 1 : 0 }
        })
      memory.learn(at: Double(step) / 15, page: step < 7 ? nil : new?.outline)
    }
    try golden.check("Documents/foreground.txt")
  }

  private static func table(sheet: Quadrilateral?, hasHand: Bool, light: Int) -> GrayImage {
    let sides = sheet.map { sheet in
      (0..<4).map { (sheet.corners[$0], sheet.corners[($0 + 1) % 4] - sheet.corners[$0]) }
    }
    func isInside(_ place: Point2) -> Bool { sides?.allSatisfy { $1.cross(place - $0) > 0 } ?? false }
    func value(_ x: Int, _ y: Int) -> Int {
      if hasHand, (190..<215).contains(x), y > 150 { return 140 }
      let place = Point2(Double(x), Double(y))
      if isInside(place) { return (y / 6) % 3 == 0 && x % 5 < 3 ? 110 : 175 }
      let ground: Int = x < 200 ? 90 : 120
      // Its shadow falls to the right and below.
      return isInside(place - Point2(6, 5)) ? ground * 3 / 4 : ground
    }
    return GrayImage(width: 320, height: 240) { out in
      for y in 0..<240 {
        for x in 0..<320 {
          let grain: Int = (x * 7 + y * 13) % 3
          out[y * 320 + x] = UInt8((value(x, y) + grain) * light / 100)
        }
      }
    }
  }

  @Test func pagesAreMadeFlatAndFilteredAsRecorded() throws {
    var golden = NumberGolden()
    for (name, outline, picture) in Self.pictures.prefix(3) {
      let quality = gray(picture).withView { PageQuality($0, outline: outline) }
      golden.add(
        "\(name).quality",
        [
          quality.brightness, quality.light, quality.glare, quality.sharpness?.across ?? -1,
          quality.sharpness?.down ?? -1, quality.share, quality.foreshortening, quality.isCut ? 1 : 0,
        ])
      golden.add("\(name).bends", PageBends(outline: outline, in: picture)?.numbers ?? [])
      let flat = try #require(PageRectifier().rectify(picture, outline: outline))
      golden.add("\(name).size", [Double(flat.width), Double(flat.height)])
      golden.add("\(name).flat", blocks(flat))
      for filter in PageFilter.allCases {
        let page = filter.apply(flat)
        golden.add("\(name).\(filter.rawValue)", blocks(page))
      }
    }
    try golden.check("Documents/output.txt", within: 0.02)
  }

  private func gray(_ image: RGBImage) -> GrayImage {
    GrayImage(width: image.width, height: image.height) { out in
      image.withBytes { bytes in
        for i in out.indices { out[i] = Luma.of(bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]) }
      }
    }
  }

  private func blocks(_ page: FilteredPage) -> [Double] {
    switch page {
    case .colour(let image): blocks(image)
    case .gray(let image), .bilevel(let image): blocks(RGBImage(image))
    }
  }

  /// The mean of each channel in 4×4 parts of a picture.
  private func blocks(_ image: RGBImage) -> [Double] {
    var sums = [Double](repeating: 0, count: 48)
    var counts = sums
    image.withBytes { bytes in
      for i in bytes.indices {
        let (x, y) = (i / 3 % image.width, i / 3 / image.width)
        let block = (4 * y / image.height * 4 + 4 * x / image.width) * 3 + i % 3
        sums[block] += Double(bytes[i])
        counts[block] += 1
      }
    }
    return zip(sums, counts).map { $0 / max(1, $1) }
  }
}
