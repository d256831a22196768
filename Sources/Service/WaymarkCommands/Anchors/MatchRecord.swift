import Foundation
import WaymarkAnchors
import WaymarkImage

/// The record of one frame.
struct MatchRecord: Encodable {
  /// A pose as the protocol writes it.
  struct PoseRecord: Encodable {
    var position: [Double]
    var orientation: [Double]
    var matrix: [Double]

    init(_ pose: Pose) {
      position = [pose.position.x, pose.position.y, pose.position.z]
      orientation = [
        pose.orientation.vector.x, pose.orientation.vector.y, pose.orientation.vector.z, pose.orientation.vector.w,
      ]
      matrix = pose.matrix
    }
  }

  /// One anchor in the frame.
  struct Anchor: Encodable {
    var name: String
    /// Which copy it is, where several are followed.
    var copy: Int?
    var corners: [[Double]]
    /// Of a round anchor: the outline of what is in sight.
    var outline: [[Double]]?
    var homography: [Double]
    var inliers: Int
    var score: Double
    var pose: PoseRecord?
    var rawPose: PoseRecord?
    var trackingMethod: String
    /// Where it is not proven that it is this anchor: the others that it may be as well; empty: a part in sight contradicts its picture.
    var ambiguous: [String]?

    func encode(to encoder: any Encoder) throws {
      var c = encoder.container(keyedBy: CodingKeys.self)
      try c.encode(name, forKey: .name)
      try c.encodeIfPresent(copy, forKey: .copy)
      try c.encode(corners, forKey: .corners)
      try c.encodeIfPresent(outline, forKey: .outline)
      try c.encode(homography, forKey: .homography)
      try c.encode(inliers, forKey: .inliers)
      try c.encode(score, forKey: .score)
      try c.encode(pose, forKey: .pose)
      try c.encode(rawPose, forKey: .rawPose)
      try c.encode(trackingMethod, forKey: .trackingMethod)
      try c.encodeIfPresent(ambiguous, forKey: .ambiguous)
    }

    enum CodingKeys: CodingKey {
      case name, copy, corners, outline, homography, inliers, score, pose, rawPose, trackingMethod, ambiguous
    }
  }

  var input: String
  /// Seconds in the engine, all threads counted, the picture already gray in memory.
  var elapsed: Double
  var anchors: [Anchor]
}
