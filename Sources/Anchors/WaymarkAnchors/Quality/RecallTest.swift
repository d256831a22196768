import WaymarkImage
import WaymarkSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Asks the detector itself how well a picture is found: it is shown in many hard views, the same for every picture.
///
/// Takes about a second a picture. Used from one thread; one trial a worker. The result depends on the anchor alone.
package final class RecallTest {
  /// In how many views a picture is shown.
  package let views: Int
  private let camera = TestCamera()

  package init(views: Int = 64) { self.views = views }

  /// Shows an anchor and takes into its quality in how many views it was found.
  ///
  /// - Throws: `AnchorError` where there is no room for a small temporary file.
  package func judge(_ anchor: inout CompiledAnchor) throws(AnchorError) {
    let found = try count(anchor)
    anchor.trial = CompiledAnchor.Trial(views: views, found: found)
    anchor.recall = AnchorQuality.Scale.recall(anchor.sightings, found: found, of: views)
  }

  /// In how many views the anchor is named and its corners are right within ten pixels.
  private func count(_ anchor: CompiledAnchor) throws(AnchorError) -> Int {
    let detector = AnchorDetector(library: try Self.library(of: anchor))
    let reference = Quadrilateral(width: Double(anchor.image.width), height: Double(anchor.image.height))
    camera.load(anchor.image)
    var found = 0
    for i in 0..<views {
      camera.show(i, of: views) { view, map in
        guard let detection = detector.detect(view).first else { return }
        if detection.homography.apply(reference).meanCornerDistance(to: map.apply(reference)) < 10 { found += 1 }
      }
    }
    return found
  }

  /// A library of one anchor. Libraries are read from files; this one has lost its name when it is returned.
  private static func library(of anchor: CompiledAnchor) throws(AnchorError) -> AnchorLibrary {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let path = "\(folder)/waymark-trial-\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    // The trial camera shows the picture flat.
    var flat = anchor
    flat.radius = nil
    try LibraryWriter.write(LibraryWriter.bytes(of: [flat]), to: path)
    defer { unlink(path) }
    return try AnchorLibrary(path: path)
  }
}
