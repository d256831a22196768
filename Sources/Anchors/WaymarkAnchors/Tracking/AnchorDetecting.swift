package import WaymarkImage

/// Finds anchors in a single frame: the detector over a library, seen from the engine that follows them.
package protocol AnchorDetecting: AnyObject {
  /// Finds anchors in a frame, best claim first, as many claims an anchor as `copies` allows.
  ///
  /// - Parameters:
  ///   - known: outlines of what is already followed; they are painted over in the frame.
  ///   - copies: what of it may have further copies, which are looked for on its plane and beside it.
  func detections(in frame: ImageView, known: [Quadrilateral], beside copies: [DetectedAnchor]) -> [DetectedAnchor]

  /// The reference with an index that a claim named.
  func reference(_ anchor: Int) -> AnchorReference

  /// Returns the data of a reference for tracking.
  func template(_ anchor: Int) -> AnchorTemplate

  /// For each reference the pairs of references that look alike in which it is the first; empty where none do.
  var twins: [[AnchorTwin]] { get }

  /// How many references there are.
  var referenceCount: Int { get }

  /// How many copies of each anchor are claimed.
  var copies: AnchorCopies { get set }

  /// The lens of the frames: claims and known outlines are then those without its distortion.
  var lens: LensMap? { get set }

  /// The camera, which round anchors cannot be found without; `nil`: assumed.
  var intrinsics: CameraIntrinsics? { get set }
}

extension AnchorDetecting {
  /// Sources whose references do not look alike.
  package var twins: [[AnchorTwin]] { [] }

  /// Sources that claim each anchor once.
  package var copies: AnchorCopies {
    get { AnchorCopies() }
    set {}
  }

  /// Sources that know nothing of lenses.
  package var lens: LensMap? {
    get { nil }
    set {}
  }

  /// Sources of flat anchors only.
  package var intrinsics: CameraIntrinsics? {
    get { nil }
    set {}
  }
}

extension AnchorDetector: AnchorDetecting {
  package func detections(
    in frame: ImageView, known: [Quadrilateral], beside copies: [DetectedAnchor]
  ) -> [DetectedAnchor] {
    beginFrame()
    return detect(frame, except: known, beside: copies)
  }
  package func reference(_ anchor: Int) -> AnchorReference { library.references[anchor] }
  package var referenceCount: Int { library.references.count }
  package var twins: [[AnchorTwin]] { library.twins }
}
