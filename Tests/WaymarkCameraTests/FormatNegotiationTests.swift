import Testing
import WaymarkFrames

@testable import WaymarkCamera

struct FormatNegotiationTests {
  private func best(_ offers: [VideoFormat], _ settings: CameraSettings = CameraSettings()) -> String? {
    FormatNegotiation.candidates(offers, settings: settings).first.map {
      "\(PixelFormat.text(ofFourCC: $0.fourCC)) \($0.width)x\($0.height)@\(Int($0.rate))"
    }
  }

  private func offer(_ format: PixelFormat, emulated: Bool = false, _ sizes: (Int, Int, [Double])...) -> VideoFormat {
    VideoFormat(
      fourCC: format.fourCC, isEmulated: emulated,
      sizes: sizes.map { VideoFormat.FrameSize(width: $0.0, height: $0.1, rates: $0.2) })
  }

  @Test func prefersTheExactSizeAtFullRate() {
    let offers = [
      offer(.yuyv, (640, 480, [30, 15]), (1280, 720, [10])), offer(.mjpeg, (640, 480, [30]), (1920, 1080, [30])),
    ]
    #expect(best(offers) == "MJPG 640x480@30")
    #expect(best(offers, CameraSettings(formats: [.yuyv, .mjpeg])) == "YUYV 640x480@30")
    #expect(best(offers, CameraSettings(width: 1280, height: 720)) == "YUYV 1280x720@10")
  }

  @Test func prefersTheRateToTheForm() {
    let offers = [offer(.yuyv, (1280, 720, [10])), offer(.mjpeg, (1280, 720, [30]))]
    #expect(best(offers, CameraSettings(formats: [.yuyv, .mjpeg], width: 1280, height: 720)) == "MJPG 1280x720@30")
  }

  @Test func takesTheNextLargerSizeElseTheLargest() {
    let offers = [offer(.mjpeg, (320, 240, [30]), (800, 600, [30]), (1920, 1080, [30]))]
    #expect(best(offers) == "MJPG 800x600@30")
    #expect(best(offers, CameraSettings(width: 3840, height: 2160)) == "MJPG 1920x1080@30")
  }

  @Test func takesWhatTheCameraMakesItself() {
    let offers = [offer(.grey, emulated: true, (640, 480, [30])), offer(.nv12, (640, 480, [30]))]
    #expect(best(offers, CameraSettings(formats: [.grey, .nv12])) == "NV12 640x480@30")
  }

  @Test func passesOverWhatCannotBeRead() {
    let h264 = VideoFormat(fourCC: 0x3436_3248, sizes: [.init(width: 640, height: 480, rates: [30])])
    #expect(best([h264]) == nil)
    #expect(best([h264, offer(.grey, (640, 480, [30]))]) == "GREY 640x480@30")
  }

  @Test func stepsThroughARangeOfSizes() {
    let size = VideoFormat.FrameSize(width: 48...2592, height: 32...1944, widthStep: 16, heightStep: 8, rates: [])
    #expect(size.nearest(width: 640, height: 480) == (640, 480))
    #expect(size.nearest(width: 641, height: 479) == (656, 480))
    #expect(size.nearest(width: 1, height: 9999) == (48, 1944))
  }

  @Test func passesOverSizesThatNoPictureHas() {
    let largest = Int(UInt32.max)
    #expect(best([offer(.mjpeg, (largest, largest, [30]), (0, 480, [30]))]) == nil)
    #expect(best([offer(.mjpeg, (largest, 480, [30]), (320, 240, [30]))]) == "MJPG 320x240@30")
  }

  @Test func asksForTheRateWantedWhereAllAreOffered() {
    func offer(_ range: ClosedRange<Double>) -> [VideoFormat] {
      [
        VideoFormat(
          fourCC: PixelFormat.mjpeg.fourCC,
          sizes: [
            .init(width: 640, height: 480, rates: [range.upperBound, range.lowerBound], rateRange: range)
          ])
      ]
    }
    #expect(best(offer(5...120)) == "MJPG 640x480@30")
    #expect(best(offer(5...20)) == "MJPG 640x480@20")
    #expect(best(offer(60...90)) == "MJPG 640x480@60")
  }

  @Test func asksForTheWantedSizeIfTheDriverListsNone() {
    #expect(best([VideoFormat(fourCC: PixelFormat.yuyv.fourCC)]) == "YUYV 640x480@30")
  }
}
