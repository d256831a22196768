/// Where an anchor is: the map from the anchor's frame to the camera's (right-handed, +x right, +y up, looking along −z).
public struct PoseValue: Codable, Hashable, Sendable {
  /// x, y, z of the anchor's origin in the camera's frame, in metres.
  public var position: [Double]
  /// A unit quaternion x, y, z, w.
  public var orientation: [Double]
  /// The same as a 4×4 matrix of 16 numbers, column-major.
  public var matrix: [Double]

  /// A value from its parts.
  public init(
    position: [Double], orientation: [Double], matrix: [Double]
  ) {
    self.position = position
    self.orientation = orientation
    self.matrix = matrix
  }
}
