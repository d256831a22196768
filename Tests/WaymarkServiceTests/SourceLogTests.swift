import Testing
import WaymarkFrames

@testable import WaymarkService

@Suite struct SourceLogTests {
  @Test func picturesOfOtherSizesAreLoggedOnceAMinute() {
    var pace = SourceLogPace()
    func takes(_ state: SourceStatus.State, width: Int, rate: Double? = nil, at now: Double) -> Bool {
      pace.takes(
        SourceStatus(state, device: "-", layout: PixelLayout(format: .mjpeg, width: width, height: 240), rate: rate),
        at: now)
    }
    #expect(takes(.opened, width: 320, at: 0))
    #expect(takes(.streaming, width: 320, at: 1))
    let logged = (1...239).filter { takes(.streaming, width: 320 + $0, rate: Double($0), at: 1 + Double($0) / 2) }
    #expect(logged == [120])
    #expect(takes(.lost, width: 320, at: 121))
    #expect(takes(.back, width: 320, at: 121.1))
  }
}
