package import WaymarkBarcodes
package import WaymarkImage
package import WaymarkSystem

/// The content for one place: pictures and codes to look for, and the annotations attached to them. The file also has
/// its parts: `SceneAnchor` with its `SceneCode`, and `Annotation` with its `Marker` and `SceneCard`.
package struct Scene: Hashable, Sendable {
  /// The name shown to people.
  package var name: String
  /// The text of the coaching view, which shows people where to point the camera; a default text if the file has none.
  package var instruction = Scene.defaultInstruction
  /// The pictures and codes to look for, in the order of the file.
  package var anchors: [SceneAnchor]
  /// The rule for reporting ambiguous anchors as found.
  package var ambiguous = AmbiguousAnchors.show
  /// The name of the camera whose frames are searched for the anchors, if a device has several cameras; `nil` for the first camera.
  package var camera: String?

  static let defaultInstruction = "Point the camera at the picture and hold still."

  /// The anchors that are pictures, which form the scene's library.
  package var pictures: [SceneAnchor] { anchors.filter { $0.code == nil } }

  /// Every annotation with the index of its anchor, in the fixed order used by next and previous.
  package var annotations: [(anchor: Int, annotation: Annotation)] {
    anchors.indices.flatMap { index in anchors[index].annotations.map { (index, $0) } }
  }
}

/// The rule for reporting an ambiguous anchor as found, whose visible part does not prove that it is this picture and not a similar
/// one.
package enum AmbiguousAnchors: String, CaseIterable, Hashable, Sendable {
  /// An ambiguous anchor is reported as found like any other.
  case show
  /// An ambiguous anchor is reported as found once its identity is proven.
  case wait
}

/// A picture or code to look for, with its annotations.
package struct SceneAnchor: Hashable, Sendable {
  /// The name, unique in the scene and also the name in the library.
  package var name: String
  /// The path of the picture relative to the scene's folder. For a code, the picture only shows people where to look.
  package var image: String?
  /// The code to look for; `nil` if the anchor is a picture.
  package var code: SceneCode?
  /// The width in metres of the printed picture, or of the code without its quiet zone; `nil` if unknown. Positions are then in
  /// widths, and there is no pose or depth.
  package var physicalWidth: Double?
  /// The radius in metres of the upright cylinder round which the picture is wrapped; `nil` if it is flat. Set only with a physical width.
  package var radius: Double?
  /// The most copies of the picture that are followed at once.
  package var copies = 1
  /// The copies to which the annotations are attached.
  package var annotate = AnnotationCopies.nearest
  /// The annotations in the order of the file.
  package var annotations: [Annotation] = []
}

extension SceneAnchor {
  /// Computes the positions of the annotations whose place is given on the picture, from the size of the upright picture in pixels.
  ///
  /// - Precondition: if ``hasPixelPlaces`` is true, this is the size of the file's picture, not of a smaller copy.
  package mutating func place(width: Int, height: Int) {
    let scale = (physicalWidth ?? 1) / Double(max(1, width))
    for index in annotations.indices {
      guard let place = annotations[index].place else { continue }
      let pixels = place.unit == .pixels ? Point2(1, 1) : Point2(Double(width), Double(height))
      let fromCenter = place.point * pixels - Point2(Double(width), Double(height)) / 2
      annotations[index].position = Point3(fromCenter.x * scale, 0, fromCenter.y * scale)
    }
  }

  /// True if the file has an annotation with a place in pixels.
  package var hasPixelPlaces: Bool { annotations.contains { $0.place?.unit == .pixels } }

  /// True if several copies may be followed and the annotations are attached to each of them.
  var hangsOnEach: Bool { copies > 1 && annotate == .each }
}

/// The copies of an anchor to which its annotations are attached, if several are followed.
package enum AnnotationCopies: String, CaseIterable, Hashable, Sendable {
  /// The copy nearest to the camera; another copy replaces it when it is clearly nearer.
  case nearest
  case each
}

/// A marker in space and the card that explains it.
package struct Annotation: Hashable, Sendable {
  /// The id, unique in the scene.
  package var id: String
  /// The position in the anchor's frame, whose origin is at the anchor's centre: x along the width (round a cylinder along the
  /// curve), y out of the picture, z down the height. In metres, or in widths of the picture or code if the physical width is
  /// unknown.
  package var position: Point3
  /// The point of the picture from which `SceneAnchor.place` computes the position; `nil` if the file contains the position.
  package var place: PicturePlace?
  package var marker = Marker()
  package var card: SceneCard?
  /// The object that the annotation represents in another system, passed through unchanged.
  package var businessObject: JSONValue?
}

/// A point on an upright picture or beside it, measured from the upper left corner.
package struct PicturePlace: Hashable, Sendable {
  /// The unit of the point; the raw value is the key in a scene file.
  package enum Unit: String, CaseIterable, Hashable, Sendable {
    /// Shares of the width and the height.
    case shares = "at"
    /// Pixels of the file.
    case pixels = "px"
  }

  package var point: Point2
  package var unit: Unit
}

package struct Marker: Hashable, Sendable {
  /// The names of the icons that the kiosk page draws. Other names are passed through, for clients with icons of their
  /// own.
  package static let icons = [
    "bolt", "chart", "document", "drop", "gauge", "hand", "info", "link", "phone", "plug", "thermometer", "valve",
    "video", "warning", "wrench",
  ]

  /// The name of an icon, or the path of a picture in the scene's folder.
  package var icon: String?
  /// The icon's name on clients that draw iOS symbols.
  var iconIOS: String?
  /// The icon's name on clients that draw Android symbols.
  var iconAndroid: String?
}

/// The card that explains an annotation.
package struct SceneCard: Hashable, Sendable {
  package var title: String
  package var description: String?
  /// The path of a picture relative to the scene's folder.
  package var image: String?
  /// The label of the button; `nil`: no button.
  package var actionText: String?
  package var actionType: CardActionType?
  /// The data of the button's action: a link, a telephone number, or data agreed with the app.
  package var actionData: String?
  /// The language of the texts (ISO 639).
  package var language: String?
}

/// The action of a card's button: a web page, a video, a telephone call, or data for the app.
package enum CardActionType: String, CaseIterable, Hashable, Sendable {
  case link, video, phone, custom
}

/// The QR code or bar code of an anchor: its content and its possible symbologies.
package struct SceneCode: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case text(String)
    case prefix(String)
    /// The whole text of the code matches this regular expression.
    case pattern(RegularExpression)
    /// The code has a GS1 element string with this application identifier, and with this value if given.
    case gs1(identifier: String, value: String?)
  }

  package var content: Content
  /// The possible symbologies; empty: all that the service reads.
  package var symbologies: [Symbology]

  package init(_ content: Content, symbologies: [Symbology] = []) {
    self.content = content
    self.symbologies = symbologies
  }

  /// Returns whether a read symbol matches the code.
  ///
  /// - Parameter elements: The GS1 element strings of the symbol.
  package func fits(_ symbol: Symbol, elements: [GS1Element]) -> Bool {
    // A part of a message may match although the whole message does not.
    guard symbol.part == nil, symbologies.isEmpty || symbologies.contains(symbol.symbology) else { return false }
    guard case .gs1(let identifier, let value) = content else { return says(symbol.text) }
    let all = elements + Self.tradeItem(symbol)
    return all.contains { element in
      element.identifier == identifier
        && value.map { Self.plain($0, identifier) == Self.plain(element.value, identifier) } != false
    }
  }

  private func says(_ text: String) -> Bool {
    switch content {
    case .text(let wanted): return wanted == text
    case .prefix(let prefix): return text.hasPrefix(prefix)
    case .pattern(let pattern):
      // Codes are matched in every frame. An expression that exceeds the step limit does not match; no real label comes near the limit.
      var steps = Self.stepLimit
      return pattern.matches(text, steps: &steps)
    case .gs1: return false
    }
  }

  /// The largest number of steps for matching a regular expression with one code.
  private static let stepLimit = 2_000_000

  /// Returns the trade item number of a retail code as an element string with the identifier 01; empty for other
  /// symbologies.
  private static func tradeItem(_ symbol: Symbol) -> [GS1Element] {
    switch symbol.symbology {
    case .ean13, .ean8, .upcA: [GS1Element(identifier: "01", value: symbol.text)]
    default: []
    }
  }

  /// Returns a trade item number in 14 digits (GS1 General Specifications, section 3.3.2); other values unchanged.
  private static func plain(_ value: String, _ identifier: String) -> String {
    guard identifier == "01" || identifier == "02", value.count < 14 else { return value }
    return value.zeroPadded(to: 14)
  }

  /// Returns true if this code certainly matches every symbol that `other` matches. An anchor with `other` that is listed later is
  /// then never found.
  func hides(_ other: SceneCode) -> Bool {
    let isWider =
      symbologies.isEmpty
      || (!other.symbologies.isEmpty && Set(other.symbologies).isSubset(of: symbologies))
    guard isWider else { return false }
    if content == other.content { return true }
    switch other.content {
    case .text(let text): return says(text)
    case .prefix(let prefix): if case .prefix(let own) = content { return prefix.hasPrefix(own) } else { return false }
    case .gs1(let identifier, _): return content == .gs1(identifier: identifier, value: nil)
    case .pattern: return false
    }
  }
}

extension Scene {
  /// Returns whether an icon's name is the path of a picture.
  package static func isPicturePath(_ name: String) -> Bool {
    let lower = name.lowercased()
    return [".png", ".jpg", ".jpeg", ".webp"].contains { lower.hasSuffix($0) }
  }
}
