package import WaymarkBarcodes
package import WaymarkFrames
package import WaymarkImage

/// The lane that reads codes: luma in, symbols out.
package typealias BarcodeLane = Lane<ScanConfiguration, ScanReading>

extension Lane where Settings == ScanConfiguration, Output == ScanReading {
  /// A lane that is off until somebody arms a scan.
  ///
  /// - Parameters:
  ///   - configuration: what is looked for; may be changed at any time through `settings`.
  ///   - maximumRate: at most so many frames a second; nil: all.
  ///   - makeReading: makes what reads, on the lane's thread and for it alone, and is told where its stages' times go;
  ///     without, codes are read on that thread.
  ///   - deliver: receives what every frame gave, also when that is nothing, on the lane's thread.
  package static func barcodes(
    configuration: ScanConfiguration = .live(), maximumRate: Double? = nil,
    makeReading: @escaping @Sendable (StageTimes) -> Work = localReading,
    deliver: @escaping @Sendable (ScanReading, Frame) -> Void
  ) -> BarcodeLane {
    let stages = StageTimes()
    return BarcodeLane(
      name: "barcode", settings: configuration, maximumRate: maximumRate, stages: stages,
      makeWork: { makeReading(stages) }, deliver: deliver)
  }

  /// Reads codes on the lane's own thread.
  @Sendable private static func localReading(_ stages: StageTimes) -> Work {
    let reader = Reader(stages: stages)
    return { reader.read($0, configuration: $1) }
  }
}

/// Keeps the scanner between frames; lives on the lane's thread.
private final class Reader {
  private let stages: StageTimes
  private var scanner: BarcodeScanner?

  init(stages: StageTimes) { self.stages = stages }

  func read(_ frame: Frame, configuration: ScanConfiguration) -> ScanReading? {
    if scanner?.configuration != configuration {
      scanner = try? BarcodeScanner(configuration)
      scanner?.stages = stages
    }
    return frame.image.withView { view in scanner?.scan(view) }
  }
}
