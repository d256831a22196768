import WaymarkBarcodes
import WaymarkImage

/// What a worker answers about the codes of a frame.
struct CodeReply: Equatable {
  /// How long a stage of the reading took.
  struct Stage: Equatable {
    let name: String
    let seconds: Double
  }

  /// What no answer is larger than, in bytes.
  static let byteLimit = 8 << 20
  /// The stages that are told apart within a reading.
  static let stageLimit = 8
  /// How long a stage may have taken, in seconds: no worker is waited for as long.
  private static let longest = 3600.0

  let reading: ScanReading
  let stages: [Stage]

  init(_ reading: ScanReading, _ stages: StageTimes) {
    self.reading = reading
    // One frame's times: the median is all there is.
    self.stages = stages.summary.map { Stage(name: $0.name, seconds: $0.median) }
  }

  func write(to wire: inout WireWriter) {
    reading.write(to: &wire)
    wire.list(stages) { wire, stage in
      wire.text(stage.name)
      wire.real(stage.seconds)
    }
  }

  /// What was written; throws for anything else.
  init(_ bytes: [UInt8]) throws(WireReader.Malformed) {
    var wire = WireReader(bytes)
    reading = try ScanReading(&wire)
    stages = try wire.list(upTo: Self.stageLimit) { wire throws(WireReader.Malformed) in
      let name = try wire.text(upTo: 16)
      guard name.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { throw WireReader.Malformed() }
      return Stage(name: name, seconds: try wire.real(within: 0...Self.longest))
    }
    guard wire.isAtEnd else { throw WireReader.Malformed() }
  }
}
