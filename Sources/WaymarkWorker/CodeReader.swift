import WaymarkBarcodes
import WaymarkImage

/// Keeps the scanner between pictures. One thread.
struct CodeReader: ~Copyable {
  private var scanner: BarcodeScanner?
  /// Where the times of stages go.
  private let stages: StageTimes?

  init(stages: StageTimes? = nil) {
    scanner = nil
    self.stages = stages
  }

  /// The codes in a picture; nothing when there is nothing to look for.
  mutating func read(_ view: ImageView, _ configuration: ScanConfiguration) -> ScanReading {
    if scanner?.configuration != configuration {
      scanner = try? BarcodeScanner(configuration)
      // Once a scanner: what is set through an optional that cannot be copied is retained each time and never released.
      scanner?.stages = stages
    }
    return scanner?.scan(view) ?? ScanReading()
  }

  mutating func read(_ image: GrayImage, _ configuration: ScanConfiguration) -> ScanReading {
    // Not by `withView`: closures cannot borrow a noncopyable value while it is written.
    let reading = read(image.unsafeView, configuration)
    return withExtendedLifetime(image) { reading }
  }
}
