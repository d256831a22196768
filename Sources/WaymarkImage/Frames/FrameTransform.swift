/// How a captured picture is turned so that it stands upright: first the rotation, then the mirror.
package struct FrameTransform: Sendable, Hashable {
  /// A turn clockwise, in degrees.
  package enum Rotation: Int, Sendable, CaseIterable, Codable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270
  }

  /// Nothing to do.
  package static let identity = FrameTransform(rotation: .none, mirror: false)

  /// For cameras mounted sideways.
  package var rotation: Rotation
  /// For cameras that face the user: left and right exchanged, after the rotation.
  package var mirror: Bool

  /// A rotation followed by a mirror.
  package init(rotation: Rotation = .none, mirror: Bool = false) {
    self.rotation = rotation
    self.mirror = mirror
  }

  /// Whether width and height change places.
  package var swapsAxes: Bool { rotation == .quarter || rotation == .threeQuarters }

  /// The size of the upright picture.
  package func size(width: Int, height: Int) -> (width: Int, height: Int) {
    swapsAxes ? (height, width) : (width, height)
  }

  /// The same as a value of the EXIF tag Orientation (EXIF 2.32, 4.6.4 A, tag 0x0112), which viewers of a passed-through
  /// JPEG follow.
  package var exifOrientation: UInt8 {
    switch (rotation, mirror) {
    case (.none, false): 1
    case (.none, true): 2
    case (.half, false): 3
    case (.half, true): 4
    case (.quarter, true): 5
    case (.quarter, false): 6
    case (.threeQuarters, true): 7
    case (.threeQuarters, false): 8
    }
  }
}

extension FrameTransform {
  /// Writes the upright picture, rows without gaps.
  ///
  /// - Parameter output: memory for `view.width * view.height` bytes.
  package func apply(_ view: ImageView, to output: UnsafeMutablePointer<UInt8>) {
    let (width, height) = (view.width, view.height)
    if !swapsAxes {
      let upsideDown = rotation == .half
      // Turning by 180 degrees mirrors both axes; the mirror undoes one of them.
      let leftRight = upsideDown != mirror
      for y in 0..<height {
        let source = view.row(upsideDown ? height - 1 - y : y)
        let target = output + y * width
        if leftRight {
          for x in 0..<width { target[x] = source[width - 1 - x] }
        } else {
          target.update(from: source, count: width)
        }
      }
      return
    }
    // Captured (x, y) goes to (height-1-y, x) for a quarter turn and to (y, width-1-x) for three.
    let flipX = (rotation == .quarter) != mirror
    let flipY = rotation == .threeQuarters
    // In blocks, so that neither side leaves the cache.
    let block = 32
    for y0 in stride(from: 0, to: height, by: block) {
      for x0 in stride(from: 0, to: width, by: block) {
        for x in x0..<min(x0 + block, width) {
          let target = output + (flipY ? width - 1 - x : x) * height
          for y in y0..<min(y0 + block, height) {
            target[flipX ? height - 1 - y : y] = view.row(y)[x]
          }
        }
      }
    }
  }
}
