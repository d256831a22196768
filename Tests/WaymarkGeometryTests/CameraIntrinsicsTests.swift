import Testing
import WaymarkImage

@Suite struct CameraIntrinsicsTests {
  let lens = CameraIntrinsics(
    fx: 520, fy: 515, cx: 322, cy: 236, distortion: .init(k1: -0.32, k2: 0.11, p1: 0.0012, p2: -0.0007, k3: -0.02))!

  @Test func undistortionInvertsDistortion() {
    for y in stride(from: 0.0, through: 480, by: 40) {
      for x in stride(from: 0.0, through: 640, by: 40) {
        let p = Point2(x, y)
        #expect(lens.project(lens.unproject(p)).distance(to: p) < 1e-8)
        #expect(lens.unrectify(lens.rectify(p)).distance(to: p) < 1e-8)
      }
    }
  }

  @Test func brownsModelByHand() {
    // x = 0.3, y = −0.2: r² = 0.13.
    let d = lens.distort(Point2(0.3, -0.2))
    let radial = 1 - 0.32 * 0.13 + 0.11 * 0.0169 - 0.02 * 0.002197
    #expect(abs(d.x - (0.3 * radial + 2 * 0.0012 * -0.06 - 0.0007 * (0.13 + 0.18))) < 1e-12)
    #expect(abs(d.y - (-0.2 * radial + 0.0012 * (0.13 + 0.08) + 2 * -0.0007 * -0.06)) < 1e-12)
  }

  @Test func neverNotANumber() {
    let wild = CameraIntrinsics(fx: 300, fy: 300, cx: 100, cy: 100, distortion: .init(k1: -5, k2: 20, k3: -40))!
    for x in stride(from: -2000.0, through: 2000, by: 250) {
      let p = wild.unproject(Point2(x, 2 * x + 5))
      #expect(p.x.isFinite && p.y.isFinite)
    }
    #expect(CameraIntrinsics(fx: 0, fy: 1, cx: 0, cy: 0) == nil)
    #expect(CameraIntrinsics(fx: .nan, fy: 1, cx: 0, cy: 0) == nil)
    #expect(CameraIntrinsics(assumedFor: 0, 0, fieldOfView: 9).focal.x.isFinite)
  }

  @Test func scalingKeepsDirections() {
    let half = lens.scaled(from: (640, 480), to: (320, 240))
    // The middle between pixels (0,0) and (1,1) of the large frame is pixel (0,0) of the small one.
    #expect(half.unproject(Point2(0, 0)).distance(to: lens.unproject(Point2(0.5, 0.5))) < 1e-10)
  }

  @Test func assumedFromFieldOfView() {
    let c = CameraIntrinsics(assumedFor: 640, 480, fieldOfView: 90 * .pi / 180)
    #expect(abs(c.focal.x - 320) < 1e-9 && c.center == Point2(319.5, 239.5) && c.source == .assumed)
  }
}
