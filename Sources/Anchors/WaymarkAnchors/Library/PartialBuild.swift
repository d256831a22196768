import FoundationEssentials
package import WaymarkImage
import WaymarkSystem

/// The anchors that need not be compiled again: the anchors of the library that will be replaced, and of an interrupted build.
///
/// Compiling takes a quarter of a second per picture. So a build saves the compiled anchors about every half minute as parts in a
/// folder beside the library. The next build reuses the parts, and removes them when it completes.
package final class PartialBuild {
  private let folder: String
  private let libraries: [AnchorLibrary]
  /// By the name of an anchor: the index in `libraries` of the newest library that has it, and its index in that library.
  private let places: [String: (library: Int, anchor: Int)]
  private var number: Int
  private var waiting: [CompiledAnchor] = []
  private var written = MonotonicClock.now

  /// A part is saved once it has this many new anchors, or once `saveInterval` seconds have passed since the last part was saved.
  private static let most = 64
  private static let saveInterval = 30.0

  /// - Parameter library: The path of the library that will be written. The file need not exist yet.
  package init(beside library: String) {
    folder = library + ".parts"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
      $0.hasSuffix(".anchors")
    }
    .sorted()
    // A library that cannot be read, from an older release or damaged, is ignored and its anchors are compiled again.
    let paths = [library] + names.map { "\(library).parts/\($0)" }
    libraries = paths.compactMap { try? AnchorLibrary(path: $0) }
    var places: [String: (library: Int, anchor: Int)] = [:]
    for (index, library) in libraries.enumerated() {
      for (anchor, reference) in library.references.enumerated() { places[reference.name] = (index, anchor) }
    }
    self.places = places
    number = names.compactMap { Int($0.prefix { $0 != "." }) }.max() ?? 0
  }

  /// Returns an anchor as an earlier build compiled it, with its physical size at that time; `nil` if that build has no such
  /// anchor, the picture has changed since, or more features are requested than the build kept.
  ///
  /// - Parameters:
  ///   - pixels: The pixels of the reference as a library stores them.
  ///   - settings: The numbers of features requested for an anchor.
  package var known:
    @Sendable (_ name: String, _ pixels: GrayImage, _ settings: AnchorCompiler.Settings) -> CompiledAnchor?
  {
    let (libraries, places) = (libraries, places)
    return { name, pixels, settings in
      guard let place = places[name] else { return nil }
      let library = libraries[place.library]
      let reference = library.references[place.anchor]
      // Only a picture stored at double size has features of close views.
      let limits = [settings.limit, reference.detail == 1 ? 0 : settings.details, settings.grazing]
      guard zip(library.asked(of: place.anchor), limits).allSatisfy(>=) else { return nil }
      // A damaged anchor is compiled again.
      guard reference.pixels?.isSame(as: pixels) == true, var anchor = try? library.compiled(place.anchor) else {
        return nil
      }
      // The features are in the order in which they were chosen, so a smaller limit keeps the first ones.
      anchor.keep(limits)
      return anchor
    }
  }

  /// Adds a newly compiled anchor to the next part, and saves the part if it is full or half a minute has passed since the last was
  /// saved.
  package func keep(_ anchor: CompiledAnchor) {
    waiting.append(anchor)
    guard waiting.count >= Self.most || MonotonicClock.now - written > Self.saveInterval else { return }
    flush()
  }

  private func flush() {
    written = MonotonicClock.now
    guard !waiting.isEmpty else { return }
    try? Folder.make(folder, mode: 0o777)
    number += 1
    let name = number.digits(5)
    // If the disk is full, the build continues but cannot be resumed.
    if let bytes = try? LibraryWriter.bytes(of: waiting) {
      try? LibraryWriter.write(bytes, to: "\(folder)/\(name).anchors")
    }
    waiting = []
  }

  /// Removes the parts after the library is written.
  package func finish() { try? FileManager.default.removeItem(atPath: folder) }
}
