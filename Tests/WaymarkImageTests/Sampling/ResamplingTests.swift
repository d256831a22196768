import Testing

@testable import WaymarkImage

struct ResamplingTests {
  @Test func smallerMeansTheMean() {
    let picture = GrayImage(width: 4, height: 2) { out in
      for (i, v) in [0, 100, 200, 200, 100, 0, 40, 0].enumerated() { out[i] = UInt8(v) }
    }
    let half = picture.resized(width: 2, height: 1)
    #expect((half[0, 0], half[1, 0]) == (50, 110))
  }

  @Test func anySizeKeepsAPlainPicturePlain() {
    let plain = GrayImage(width: 17, height: 23, value: 77)
    for (w, h) in [(1, 1), (5, 23), (16, 40), (33, 7), (100, 100)] {
      let other = plain.resized(width: w, height: h)
      #expect((other.width, other.height) == (w, h))
      for y in 0..<h { for x in 0..<w { #expect(other[x, y] == 77) } }
    }
  }

  @Test func largerIsLinearBetweenCentres() {
    let two = GrayImage(width: 2, height: 1) {
      $0[0] = 0; $0[1] = 100
    }
    let four = two.resized(width: 4, height: 1)
    #expect([four[0, 0], four[1, 0], four[2, 0], four[3, 0]] == [0, 25, 75, 100])
  }

  @Test func colourGoesTheSameWay() {
    let gray = TestPictures.gray(40, 30)
    let (a, b) = (gray.resized(width: 13, height: 9), RGBImage(gray).resized(width: 13, height: 9))
    for y in 0..<9 { for x in 0..<13 { #expect(b[x, y].blue == a[x, y]) } }
  }
}
