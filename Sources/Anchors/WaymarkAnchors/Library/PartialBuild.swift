import Foundation
package import WaymarkImage
import WaymarkSystem

/// The anchors that need not be compiled again: those of the library that is to be replaced, and those of a build that was ended.
///
/// Compiling takes a quarter of a second a picture, so a build writes what it has compiled into parts beside the library, every half a
/// minute; the next build takes them over, and the one that is done removes them.
package final class PartialBuild {
  private let folder: String
  private let libraries: [AnchorLibrary]
  /// Where an anchor of a name is; the newest where there are several.
  private let places: [String: (library: Int, anchor: Int)]
  private var number: Int
  private var waiting: [CompiledAnchor] = []
  private var written = MonotonicClock.now

  /// The most anchors of a part, and how long they wait for it in seconds.
  private static let most = 64
  private static let saveInterval = 30.0

  /// - Parameter library: the library that will be written; it may not exist yet.
  package init(beside library: String) {
    folder = library + ".parts"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
      $0.hasSuffix(".anchors")
    }
    .sorted()
    // One that cannot be used, of an older release or damaged, is compiled again.
    let paths = [library] + names.map { "\(library).parts/\($0)" }
    libraries = paths.compactMap { try? AnchorLibrary(path: $0) }
    var places: [String: (library: Int, anchor: Int)] = [:]
    for (index, library) in libraries.enumerated() {
      for (anchor, reference) in library.references.enumerated() { places[reference.name] = (index, anchor) }
    }
    self.places = places
    number = names.compactMap { Int($0.prefix { $0 != "." }) }.max() ?? 0
  }

  /// The anchor of a name as it was compiled before, with the size that it had then; `nil` where its picture has changed, or more features are wanted than were kept then.
  ///
  /// - Parameters:
  ///   - pixels: of the reference as a library keeps them.
  ///   - settings: how many features an anchor keeps.
  package var known:
    @Sendable (_ name: String, _ pixels: GrayImage, _ settings: AnchorCompiler.Settings) -> CompiledAnchor?
  {
    let (libraries, places) = (libraries, places)
    return { name, pixels, settings in
      guard let place = places[name] else { return nil }
      let library = libraries[place.library]
      let reference = library.references[place.anchor]
      // Only a picture that has the detail has features of that kind.
      let limits = [settings.limit, reference.detail == 1 ? 0 : settings.details, settings.grazing]
      guard zip(library.asked(of: place.anchor), limits).allSatisfy(>=) else { return nil }
      // A damaged anchor is compiled again.
      guard reference.pixels?.isSame(as: pixels) == true, var anchor = try? library.compiled(place.anchor) else {
        return nil
      }
      // They lie in the order in which they were chosen, so that fewer are the first of them.
      anchor.keep(limits)
      return anchor
    }
  }

  /// Takes an anchor that was just compiled; it is on the disk within half a minute.
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
    // Without room for it the build goes on; it only cannot be taken up again.
    if let bytes = try? LibraryWriter.bytes(of: waiting) {
      try? LibraryWriter.write(bytes, to: "\(folder)/\(name).anchors")
    }
    waiting = []
  }

  /// The library is written: the parts have done their work.
  package func finish() { try? FileManager.default.removeItem(atPath: folder) }
}

extension GrayImage {
  /// Returns whether two pictures have the same pixels.
  package func isSame(as other: GrayImage) -> Bool {
    guard (width, height) == (other.width, other.height) else { return false }
    return withView { one in
      other.withView { two in
        (0..<height).allSatisfy { y in
          UnsafeBufferPointer(start: one.row(y), count: width).elementsEqual(
            UnsafeBufferPointer(start: two.row(y), count: width))
        }
      }
    }
  }
}
