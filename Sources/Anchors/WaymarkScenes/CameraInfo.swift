import WaymarkConfiguration
package import WaymarkImage
package import WaymarkSystem

/// The calibration of a camera in the YAML files of ROS (`camera_info`) and OpenCV (`FileStorage`).
///
/// It has the camera matrix, the distortion coefficients and, if present, the size of the calibration pictures. ROS:
/// http://wiki.ros.org/camera_calibration_parsers. OpenCV: the keys of its calibration sample, and the short keys of hand-written
/// files. `Fields` below finds the fields of such a file by any of their names.
package struct CameraInfo: Hashable, Sendable {
  /// The intrinsics for pictures of `size`.
  package var intrinsics: CameraIntrinsics
  /// The size of the calibration pictures in pixels; `nil` if the file does not have it.
  package var size: Size?

  package struct Size: Hashable, Sendable {
    package var width: Int
    package var height: Int
  }

  /// Returns the intrinsics for frames of another size, with focal lengths and centre scaled in proportion. If the file has no
  /// size, the intrinsics are used unchanged for every size.
  package func intrinsics(width: Int, height: Int) -> CameraIntrinsics {
    guard let size else { return intrinsics }
    return intrinsics.scaled(from: (size.width, size.height), to: (width, height))
  }

  /// Reads a calibration from the text of a YAML file.
  ///
  /// - Parameter name: The name of the file, for messages.
  /// - Throws: `CameraInfoError` with `tooLarge`, `badYAML`, `missingField`, `badNumbers`, `badMatrix` or
  ///   `unsupportedModel`.
  package init(yaml text: String, name: String) throws(CameraInfoError) {
    guard text.utf8.count <= 1 << 20 else {
      throw CameraInfoError("tooLarge", "“\(name)” is too large for a calibration", hint: "name the camera's YAML file")
    }
    // OpenCV's files begin with a directive that is not valid YAML.
    let body = text.hasPrefix("%YAML:1.") ? text.drop { !$0.isNewline } : text[...]
    let root: SourceNode?
    do {
      root = try YAMLSource.parse(String(body))
    } catch {
      throw CameraInfoError("badYAML", "“\(name)” is not YAML", hint: "name a file written by ROS or OpenCV")
    }
    guard let root, case .map(let entries) = root.value else {
      throw CameraInfoError("badYAML", "“\(name)” holds no fields", hint: "give the file that ROS or OpenCV wrote")
    }
    let fields = Fields(entries, name: name)
    let k = try fields.numbers(["camera_matrix", "Camera_Matrix", "cameraMatrix", "K", "k"], counts: [9])
    guard abs(k[1]) <= 1e-6 * abs(k[0]), k[3] == 0, k[6] == 0, k[7] == 0, k[8] != 0 else {
      throw CameraInfoError(
        "badMatrix", "the camera matrix in “\(name)” is not of the form [fx 0 cx; 0 fy cy; 0 0 1]",
        hint: "calibrate without skew")
    }
    let distortion = try Self.distortion(fields, name)
    guard
      let intrinsics = CameraIntrinsics(
        fx: k[0] / k[8], fy: k[4] / k[8], cx: k[2] / k[8], cy: k[5] / k[8], distortion: distortion)
    else {
      throw CameraInfoError(
        "badMatrix", "the camera matrix in “\(name)” has focal lengths that are not greater than 0",
        hint: "calibrate again"
      )
    }
    self.intrinsics = intrinsics
    size = try fields.size()
  }

  private static func distortion(_ fields: Fields, _ name: String) throws(CameraInfoError)
    -> CameraIntrinsics.Distortion
  {
    if let model = fields.text(["distortion_model"]), !["plumb_bob", "radtan", "", "none"].contains(model) {
      // The rational model includes plumb_bob if its further coefficients are zero, which is checked below.
      guard model == "rational_polynomial" else {
        throw CameraInfoError(
          "unsupportedModel", "the distortion model “\(model)” in “\(name)” is not supported",
          hint: "calibrate with the model plumb_bob (k1, k2, p1, p2, k3)")
      }
    }
    let keys = [
      "distortion_coefficients", "Distortion_Coefficients", "distortion_coeffs", "distCoeffs", "dist_coeffs", "D", "d",
    ]
    guard fields.has(keys) else { return CameraIntrinsics.Distortion() }
    let d = try fields.numbers(keys, counts: [0, 4, 5, 8, 12, 14])
    guard d.dropFirst(5).allSatisfy({ $0 == 0 }) else {
      throw CameraInfoError(
        "unsupportedModel", "“\(name)” has \(d.count) distortion numbers, of which five are read",
        hint: "calibrate with the model plumb_bob (k1, k2, p1, p2, k3)")
    }
    func value(_ i: Int) -> Double { i < d.count ? d[i] : 0 }
    return .init(k1: value(0), k2: value(1), p1: value(2), p2: value(3), k3: value(4))
  }
}

package typealias CameraInfoError = Problem<CameraInfoErrorCode>

/// The codes of `CameraInfoError`, stable and in camelCase.
package struct CameraInfoErrorCode: OpenProblemCode {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }
}

/// The fields of a calibration file, found by any of their alternative names.
private struct Fields {
  private let entries: [SourceNode.Entry]
  private let name: String

  init(_ entries: [SourceNode.Entry], name: String) {
    self.entries = entries
    self.name = name
  }

  private func node(_ keys: [String]) -> SourceNode? { entries.first { keys.contains($0.key) }?.node }

  func has(_ keys: [String]) -> Bool { node(keys) != nil }

  func text(_ keys: [String]) -> String? { node(keys)?.written }

  /// Returns the numbers of a matrix, written as `{rows, cols, data: […]}`, as a plain list, or as a list of rows.
  ///
  /// - Parameter counts: The accepted numbers of elements.
  /// - Throws: `CameraInfoError` with `missingField`, or with `badNumbers` for another number of elements or for elements that are
  ///   not finite.
  func numbers(_ keys: [String], counts: [Int]) throws(CameraInfoError) -> [Double] {
    guard var found = node(keys) else {
      throw CameraInfoError(
        "missingField", "“\(name)” has no field \(keys[0])", hint: "name a file written by ROS or OpenCV")
    }
    if case .map(let matrix) = found.value {
      guard let data = Fields(matrix, name: name).node(["data"]) else {
        throw CameraInfoError("missingField", "\(keys[0]) in “\(name)” has no data", hint: "calibrate again")
      }
      found = data
    }
    guard let list = flatten(found, depth: 0), counts.contains(list.count) else {
      throw CameraInfoError(
        "badNumbers", "\(keys[0]) in “\(name)” is not \(counts.max() ?? 0) finite numbers", hint: "calibrate again")
    }
    return list
  }

  private func flatten(_ node: SourceNode, depth: Int) -> [Double]? {
    switch node.value {
    case .text, .number:
      guard let value = node.written.flatMap({ Double($0) }), value.isFinite else { return nil }
      return [value]
    case .list(let nodes):
      guard depth < 2, nodes.count <= 64 else { return nil }
      var result: [Double] = []
      for element in nodes {
        guard let part = flatten(element, depth: depth + 1) else { return nil }
        result += part
      }
      return result
    case .null, .bool, .map: return nil
    }
  }

  func size() throws(CameraInfoError) -> CameraInfo.Size? {
    let width = text(["image_width", "image_Width", "width"])
    let height = text(["image_height", "image_Height", "height"])
    guard width != nil || height != nil else { return nil }
    guard let w = width.flatMap(Double.init), let h = height.flatMap(Double.init), w >= 1, h >= 1, w <= 65536,
      h <= 65536
    else {
      throw CameraInfoError(
        "badNumbers", "image_width and image_height in “\(name)” are not a size in pixels", hint: "calibrate again")
    }
    return CameraInfo.Size(width: Int(w), height: Int(h))
  }
}
