import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Postal codes of four-state bars, as zint draws them.
@Suite struct FourStateTests {
  private static let symbologies: Set<Symbology> = [
    .intelligentMail, .rm4scc, .mailmark, .kix, .australiaPost, .japanPost,
  ]

  private func fixtures() throws -> [MatrixFixture] { try MatrixFixture.load("postal.txt") }

  private func bars(_ fixture: MatrixFixture) -> FourStateBars {
    FourStateBars(
      states: stride(from: 0, to: fixture.modules.columns, by: 2).map {
        (fixture.modules[$0, 0] ? 2 : 0) + (fixture.modules[$0, 2] ? 1 : 0)
      })
  }

  private func text(_ bars: FourStateBars, _ symbology: Symbology) -> String? {
    FourStateCode.all.first { $0.symbology == symbology }?.read(bars)?.text
  }

  private func read(_ image: GrayImage) throws -> [String] {
    try image.read(ScanConfiguration(symbologies: Self.symbologies, effort: .still)).symbols.map(\.text)
  }

  /// Returns the symbol with bars 3, 2 and 3 modules high above, in and below the band, and six light modules around.
  private func draw(_ bars: FourStateBars, scale: Int) -> GrayImage {
    let (width, height) = ((2 * bars.count + 11) * scale, 20 * scale)
    return GrayImage(width: width, height: height) { pixels in
      for i in pixels.indices {
        let (u, v) = (i % width / scale - 6, i / width / scale - 6)
        let isBar = u >= 0 && u % 2 == 0 && u / 2 < bars.count && v >= 0 && v < 8
        let state = isBar ? bars.states[u / 2] : 0
        let isDark = isBar && (v < 3 ? state & 2 != 0 : v < 5 || state & 1 != 0)
        pixels[i] = isDark ? 20 : 235
      }
    }
  }

  @Test("each is read both ways up, and as no other")
  func decodes() throws {
    let fixtures = try fixtures()
    #expect(Set(fixtures.map(\.symbology)) == Self.symbologies)
    for fixture in fixtures {
      let bars = bars(fixture)
      for symbology in Self.symbologies {
        let wanted = symbology == fixture.symbology ? fixture.text : nil
        #expect(text(bars, symbology) == wanted, "\(fixture.testDescription) as \(symbology)")
        #expect(text(bars.turned, symbology) == wanted, "\(fixture.testDescription) turned, as \(symbology)")
      }
    }
  }

  @Test("the example of USPS-B-3200")
  func published() throws {
    let mail = try #require(FourStateBars("AADTFFDFTDADTAADAATFDTDDAAADDTDTTDAFADADDDTFFFDDTTTADFAAADFTDAADA"))
    #expect(text(mail, .intelligentMail) == "0123456709498765432101234567891")
  }

  @Test("one wrong bar is corrected or refused, never read as another text")
  func wrongBars() throws {
    for fixture in try fixtures() {
      let right = bars(fixture)
      for bar in right.states.indices {
        for change in 1...3 {
          var wrong = right
          wrong.states[bar] ^= change
          for symbology in Self.symbologies where symbology != .kix {
            let text = text(wrong, symbology)
            #expect(text == nil || text == fixture.text, "\(fixture.testDescription), bar \(bar)")
          }
          let isCorrected = fixture.symbology == .mailmark || fixture.symbology == .australiaPost
          let isGuard = fixture.symbology == .australiaPost && !(2..<(right.count - 2)).contains(bar)
          if isCorrected, !isGuard { #expect(text(wrong, fixture.symbology) == fixture.text) }
        }
      }
    }
  }

  @Test("turned, tilted, and above an address")
  func pictures() throws {
    for fixture in try fixtures() {
      let bars = bars(fixture)
      for scale in [2, 4] {
        let picture = draw(bars, scale: scale)
        #expect(try read(picture) == [fixture.text], "\(fixture.testDescription)")
        for degrees in [37.0, 90, 191] {
          let turned = ImageRotation(degrees: degrees, of: picture).apply(picture)
          #expect(try read(turned) == [fixture.text], "\(fixture.testDescription) turned by \(degrees)")
        }
      }
      // A skew of five degrees, and a tilt.
      let (w, h) = (Double(bars.count * 8), 90.0)
      let seen = Quadrilateral(
        topLeft: [20, 20], topRight: [20 + w, 34], bottomRight: [12 + w, 104 + 14], bottomLeft: [12, 20 + h])
      let picture = draw(bars, scale: 4).seen(as: seen, width: Int(w) + 40, height: 140)
      #expect(try read(picture) == [fixture.text], "\(fixture.testDescription) seen at an angle")
    }
  }

  @Test("random bars, equal bars and stripes are no code")
  func nothing() throws {
    var random = RandomSource(seed: 5)
    for count in [28, 32, 37, 42, 52, 65, 66, 67, 78] {
      for _ in 0..<200 {
        let bars = FourStateBars(states: (0..<count).map { _ in Int(random.next() % 4) })
        for symbology in Self.symbologies { #expect(text(bars, symbology) == nil) }
      }
      for state in 0...3 {
        let bars = FourStateBars(states: [Int](repeating: state, count: count))
        #expect(try read(draw(bars, scale: 3)).isEmpty)
      }
    }
  }
}
