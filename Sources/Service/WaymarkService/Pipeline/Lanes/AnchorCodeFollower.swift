import WaymarkAnchors
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkOnboarding
package import WaymarkScenes

/// A code that is an anchor.
package struct AnchorCode: Hashable, Sendable {
  /// The anchor's name.
  package var anchor: String
  package var code: SceneCode
  /// The width of the print in metres, without the quiet zone; `nil` where unknown.
  package var physicalWidth: Double?

  package init(anchor: String, code: SceneCode, physicalWidth: Double? = nil) {
    self.anchor = anchor
    self.code = code
    self.physicalWidth = physicalWidth
  }
}

/// Follows the codes that are anchors, in the very frames in which the pictures are looked for. One thread.
final class AnchorCodeFollower {
  private let codes: [AnchorCode]
  private let follower: CodeFollower
  /// The symbols read, and the anchors that have them.
  private var symbols: [CodeDetection.Content: (symbol: Symbol, index: Int)] = [:]
  /// The number of the code that an anchor is: of several that fit, the one that was there first, as long as it is.
  private var holders: [Int: Int] = [:]

  init(_ codes: [AnchorCode], intrinsics: CameraIntrinsics) {
    self.codes = codes
    follower = CodeFollower(intrinsics: intrinsics)
  }

  /// The anchors that are seen in a frame.
  ///
  /// - Parameter read: what the barcode lane has read meanwhile, and in which frame.
  func follow(_ frame: Frame, read: (symbols: [Symbol], frame: Frame)?) -> [AnchorDetection] {
    let reading = read.map { symbols, frame in
      CodeFollower.Reading(frame: frame.image, time: frame.captured, sightings: symbols.compactMap(sighting))
    }
    let report = frame.image.withView { follower.process($0, at: frame.captured, read: reading) }
    holders = holders.filter { holder in report.observations.contains { $0.id == holder.value } }
    return report.observations.compactMap { seen in
      guard let (symbol, index) = symbols[seen.content] else { return nil }
      let holder = holders[index] ?? seen.id
      holders[index] = holder
      // Anchors that the follower only remembers are left out: whether an anchor is there is for the session to say.
      guard holder == seen.id, seen.trackingMethod == .fullTracking else { return nil }
      return AnchorDetection(
        anchor: codes[index].anchor, seen.placement, hasExactProportions: seen.isDrawn, code: symbol)
    }
  }

  /// A symbol that is an anchor's; others are not followed.
  private func sighting(_ symbol: Symbol) -> CodeDetection? {
    var sighting = CodeDetection(symbol)
    let index: Int
    if let known = symbols[sighting.content] {
      index = known.index
    } else {
      let elements = symbol.gs1.isEmpty ? Self.linked(symbol) : symbol.gs1
      guard let first = codes.firstIndex(where: { $0.code.fits(symbol, elements: elements) }) else { return nil }
      if symbols.count >= 256 { symbols = symbols.filter { entry in holders[entry.value.index] != nil } }
      index = first
    }
    symbols[sighting.content] = (symbol, index)
    sighting.physicalWidth = codes[index].physicalWidth
    return sighting
  }

  /// Returns the elements that a GS1 Digital Link names.
  private static func linked(_ symbol: Symbol) -> [GS1Element] {
    guard let address = WebAddress(symbol.text), let payload = GS1DigitalLink.payload(of: address) else { return [] }
    return payload.fields.filter { GS1DigitalLink.isPublic($0.name) }
      .map { GS1Element(identifier: $0.name, value: $0.value) }
  }
}
