import Testing
import WaymarkImage
import WaymarkScenes
import WaymarkSystem

@Suite struct CameraInfoTests {
  let ros = """
    image_width: 640
    image_height: 480
    camera_name: front
    camera_matrix:
      rows: 3
      cols: 3
      data: [605.5, 0, 318.25, 0, 604.75, 241.5, 0, 0, 1]
    distortion_model: plumb_bob
    distortion_coefficients:
      rows: 1
      cols: 5
      data: [0.1, -0.2, 0.001, -0.002, 0.03]
    rectification_matrix:
      rows: 3
      cols: 3
      data: [1, 0, 0, 0, 1, 0, 0, 0, 1]
    """
  let openCV = """
    %YAML:1.0
    ---
    calibration_time: "Sat 21 Nov 2026 08:00:00 AM CET"
    nframes: 20
    image_width: 640
    image_height: 480
    camera_matrix: !!opencv-matrix
       rows: 3
       cols: 3
       dt: d
       data: [ 6.0550000000000000e+02, 0., 3.1825000000000000e+02, 0.,
           6.0475000000000000e+02, 2.4150000000000000e+02, 0., 0., 1. ]
    distortion_coefficients: !!opencv-matrix
       rows: 5
       cols: 1
       dt: d
       data: [ 1.0e-01, -2.0e-01, 1.0e-03, -2.0e-03, 3.0e-02 ]
    avg_reprojection_error: 1.9e-01
    """

  @Test func bothFormsSayTheSame() throws {
    let a = try CameraInfo(yaml: ros, name: "ros.yaml")
    let b = try CameraInfo(yaml: openCV, name: "opencv.yml")
    #expect(a == b)
    #expect(a.intrinsics.focal == Point2(605.5, 604.75) && a.intrinsics.center == Point2(318.25, 241.5))
    #expect(a.intrinsics.distortion.values == [0.1, -0.2, 0.001, -0.002, 0.03])
    #expect(a.intrinsics.source == .calibrated)
  }

  @Test func otherFrameSizes() throws {
    let info = try CameraInfo(yaml: ros, name: "ros.yaml")
    let half = info.intrinsics(width: 320, height: 240)
    #expect(half.focal == Point2(302.75, 302.375))
    #expect(abs(half.center.x - ((318.25 + 0.5) / 2 - 0.5)) < 1e-12)
  }

  @Test func writtenByHand() throws {
    let info = try CameraInfo(yaml: "K: [[500, 0, 320], [0, 500, 240], [0, 0, 1]]\nD: [0, 0, 0, 0]\n", name: "k")
    #expect(info.size == nil && info.intrinsics(width: 1280, height: 960).focal == Point2(500, 500))
  }

  @Test(arguments: [
    ("", "badYAML"), ("a: [", "badYAML"), ("[1, 2]", "badYAML"), ("image_width: 3", "missingField"),
    ("K: [1, 2, 3]", "badNumbers"), ("K: [.nan, 0, 1, 0, 1, 1, 0, 0, 1]", "badNumbers"),
    ("K: [-5, 0, 1, 0, 1, 1, 0, 0, 1]", "badMatrix"), ("K: [5, 0, 1, 0, 5, 1, 0, 0, 0]", "badMatrix"),
    ("K: [5, 0, 1, 0, 5, 1, 0, 0, 1]\ndistortion_model: equidistant\nD: [0, 0, 0, 0]", "unsupportedModel"),
    ("K: [5, 0, 1, 0, 5, 1, 0, 0, 1]\nD: [0, 0, 0, 0, 0, 1, 0, 0]", "unsupportedModel"),
    ("K: [5, 0, 1, 0, 5, 1, 0, 0, 1]\nimage_width: -1", "badNumbers"),
  ])
  func refused(_ text: String, _ code: String) {
    #expect { try CameraInfo(yaml: text, name: "x") } throws: { ($0 as? CameraInfoError)?.code.rawValue == code }
  }
}
