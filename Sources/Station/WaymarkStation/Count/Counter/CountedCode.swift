package import WaymarkImage

/// The contents by which two codes are the same.
package struct CodeContent: Hashable, Sendable {
  /// The symbology's name, such as `ean13`.
  package var symbology: String
  package var text: String

  package init(symbology: String, text: String) {
    self.symbology = symbology
    self.text = text
  }
}

/// A code in a view.
package struct ObservedCode: Hashable, Sendable {
  package var content: CodeContent
  /// Its corners in pixels of the view, from the upright code's top left clockwise.
  package var quad: Quadrilateral

  package init(content: CodeContent, quad: Quadrilateral) {
    self.content = content
    self.quad = quad
  }
}

/// A place where a code hangs, and how often it was seen there.
package struct CountedCode: Hashable, Sendable {
  package let content: CodeContent
  /// Which chart it is on: stretches of the way between which the camera's position was lost have one each.
  var chart: Int
  /// Its corners in pixels of the chart's first view.
  package internal(set) var quad: Quadrilateral
  /// Views that showed it.
  package internal(set) var sightings: Int
  /// The number of the view that showed it first, from 0 on.
  let firstView: Int
}
