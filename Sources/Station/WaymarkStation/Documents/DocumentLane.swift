package import WaymarkDocuments
package import WaymarkFrames
package import WaymarkService

/// The lane that looks for pages: luma in, outlines and captured pages out.
package typealias DocumentLane = Lane<DocumentTask, DocumentReading>

extension Lane where Settings == DocumentTask, Output == DocumentReading {
  /// A lane that is off until a session begins.
  ///
  /// - Parameters:
  ///   - models: by which outlines are found and judged.
  ///   - colours: finds a page by colours, where luma does not show it, and the exact outline of one that is captured.
  ///   - deliver: receives what every frame gave, also when that is nothing, on the lane's thread.
  package static func documents(
    _ models: PageModels, maximumRate: Double? = nil, colours: PageColours? = nil,
    deliver: @escaping @Sendable (DocumentReading, Frame) -> Void
  ) -> DocumentLane {
    DocumentLane(
      name: "documents", settings: DocumentTask(), maximumRate: maximumRate, wantsEncoded: true, wantsLuma: true,
      makeWork: {
        let seeker = PageTracker(models, colours: colours)
        return { seeker.look($0, $1) }
      }, deliver: deliver)
  }
}
