package import WaymarkFrames

/// The lane that looks for pages: luma in, outlines and captured pages out.
package typealias DocumentLane = Lane<DocumentTask, DocumentReading>

extension Lane where Settings == DocumentTask, Output == DocumentReading {
  /// A lane that is off until a session begins.
  ///
  /// - Parameter deliver: receives what every frame gave, also when that is nothing, on the lane's thread.
  ///
  /// - Parameter place: finds a page by colours, where luma does not show it.
  package static func documents(
    maximumRate: Double? = nil, place: PageTracker.Place? = nil,
    deliver: @escaping @Sendable (DocumentReading, Frame) -> Void
  ) -> DocumentLane {
    DocumentLane(
      name: "documents", settings: DocumentTask(), maximumRate: maximumRate, wantsEncoded: true, wantsLuma: true,
      makeWork: {
        let seeker = PageTracker(place: place)
        return { seeker.look($0, $1) }
      }, deliver: deliver)
  }
}
