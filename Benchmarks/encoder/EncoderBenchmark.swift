import Foundation
import WaymarkProtocol
import WaymarkSystem

/// How long the hottest event takes to encode: `anchors.updated` with twenty anchors of ten markers each, by the service's
/// encoder and by Foundation's, in turns.
@main
struct EncoderBenchmark {
  static func main() throws {
    let payload = AnchorsUpdated(anchors: (0..<20).map(anchor))
    let foundation = JSONEncoder()
    foundation.outputFormatting = .withoutEscapingSlashes
    var (own, theirs) = ([Double](), [Double]())
    var (ownBytes, theirBytes) = (0, 0)
    for _ in 0..<300 {
      own.append(try time { ownBytes = try JSONLineEncoder.line(EventLine(seq: 1, time: "", payload: payload)).count })
      theirs.append(try time { theirBytes = try foundation.encode(payload).count })
    }
    let (mine, other) = (own.sorted()[150], theirs.sorted()[150])
    let text =
      "\(milliseconds(mine)) ms, \(ownBytes) bytes; Foundation's \(milliseconds(other)) ms, \(theirBytes) bytes: ratio "
      + "\(String(format: "%.2f", mine / other)) (medians of 300 in turns)\n"
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  private static func anchor(_ number: Int) -> AnchorTracking {
    let pose = PoseValue(
      position: [0.0123456, -0.02, -0.351234567], orientation: [0.1, 0.2, 0.3, 0.927],
      matrix: (0..<16).map { Double($0) * 0.0712345 })
    return AnchorTracking(
      anchor: "anchor-\(number)", trackingMethod: .fullTracking,
      corners: [[100, 80.5], [220.25, 82], [218, 200], [98.5, 199]],
      homography: [0.25, 0, 100, 0, 0.25, 80, 0.00001, 0, 1], pose: pose, rawPose: pose, score: 0.93,
      markers: (0..<10).map {
        MarkerTracking(
          id: "marker-\($0)", visible: true, selected: false, screen: [160.503217, 140.25], depth: 0.351234)
      })
  }

  private static func time(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    let taken = ContinuousClock.now - start
    return Double(taken.components.attoseconds) * 1e-18 + Double(taken.components.seconds)
  }

  private static func milliseconds(_ seconds: Double) -> String { String(format: "%.3f", seconds * 1000) }
}
