import FoundationEssentials
package import WaymarkImage
import WaymarkSystem

/// The anchors that need not be compiled again: those of the library that will be replaced, and those of an interrupted build.
///
/// Compiling takes a quarter of a second per picture. So a build saves the compiled anchors about every half minute as
/// parts in a folder beside the library. The next build reuses the parts, and the build that completes removes them.
package final class PartialBuild {
  private let folder: String
  private let libraries: [AnchorLibrary]
  /// The index in `libraries`, and the anchor's index in that library, by the anchor's name; the newest if several
  /// libraries have it.
  private let places: [String: (library: Int, anchor: Int)]
  private var number: Int
  private var waiting: [CompiledAnchor] = []
  private var written = MonotonicClock.now

  /// The number of new anchors at which a part is saved; `saveInterval`: the seconds since the last part after which it
  /// is saved with fewer.
  private static let most = 64
  private static let saveInterval = 30.0

  /// - Parameter library: The path of the library that will be written; it may not exist yet.
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

  /// Returns an anchor as an earlier build compiled it, with its physical size at that time; `nil` if that build has no such anchor,
  /// its picture has changed or more features are required than were kept.
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
      // The features are in the order of choice, so the first ones are those of a smaller limit.
      anchor.keep(limits)
      return anchor
    }
  }

  /// Adds a newly compiled anchor to the next part, and saves the part if it is full or the last one was saved half a
  /// minute ago.
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
