package import WaymarkImage

/// The state of one code in one frame.
@dynamicMemberLookup
package struct CodeObservation: Sendable {
  /// Counts up from 1; a code that comes back after it was lost has a new one.
  package var id: Int
  package var content: CodeDetection.Content
  package var trackingMethod: AnchorPlacement.Method
  /// Where the outer edges of the symbol are, from the top left of the upright code clockwise.
  package var placement: AnchorPlacement
  /// True if its picture is drawn from its modules rather than cut out of a frame: the proportions of its reference are exact.
  package var isDrawn = false
  /// The times of the frames in which it was last seen and last read, in seconds.
  package var lastSeen: Double
  package var lastRead: Double

  /// A part of the placement.
  package subscript<Part>(dynamicMember part: KeyPath<AnchorPlacement, Part>) -> Part { placement[keyPath: part] }
}
