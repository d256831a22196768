import Foundation
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkFrames

/// Y4M streams whose rows are padded, as GStreamer 1.22 writes them, and those without padding.
final class PaddedStreamTests {
  private let path = FileManager.default.temporaryDirectory.appendingPathComponent("waymark-\(UUID().uuidString).y4m")

  deinit { try? FileManager.default.removeItem(at: path) }

  private static let sizes = [(101, 75), (1, 1), (2, 3), (4, 2), (63, 48), (66, 48), (85, 31), (64, 48)]

  /// Returns the rows and columns of the planes, and the bytes of a row in GStreamer's memory.
  private static func planes(_ colour: String, _ width: Int, _ height: Int) -> [(Int, Int, stride: Int, rows: Int)] {
    func four(_ value: Int) -> Int { (value + 3) & ~3 }
    let (evenRows, half) = ((height + 1) & ~1, (width + 1) / 2)
    switch colour {
    case "420":
      let chroma = (half, (height + 1) / 2, stride: four(half), rows: evenRows / 2)
      return [(width, height, stride: four(width), rows: evenRows), chroma, chroma]
    case "422":
      let chroma = (half, height, stride: ((width + 7) & ~7) / 2, rows: height)
      return [(width, height, stride: four(width), rows: height), chroma, chroma]
    case "411":
      let chroma = ((width + 3) / 4, height, stride: ((width + 15) & ~15) / 4, rows: height)
      return [(width, height, stride: four(width), rows: height), chroma, chroma]
    default:
      return Array(repeating: (width, height, stride: four(width), rows: height), count: 3)
    }
  }

  /// A picture without padding, and the same one with it. Padding is not constant, as that of a reused buffer.
  private static func frame(_ colour: String, _ width: Int, _ height: Int) -> (tight: [UInt8], padded: [UInt8]) {
    var (tight, padded): ([UInt8], [UInt8]) = ([], [])
    for (index, plane) in planes(colour, width, height).enumerated() {
      for row in 0..<plane.rows {
        for column in 0..<plane.stride {
          let isInside = column < plane.0 && row < plane.1
          let value = UInt8(truncatingIfNeeded: isInside ? 3 * column + 5 * row + index : 200 + column)
          if isInside { tight.append(value) }
          padded.append(value)
        }
      }
    }
    return (tight, padded)
  }

  @Test(arguments: ["420", "422", "411", "444"])
  func readsRowsWithAndWithoutPadding(colour: String) throws {
    for (width, height) in Self.sizes {
      let line = "YUV4MPEG2 W\(width) H\(height) F30:1 C\(colour)"
      let header = try #require(Y4MHeader(line: Array(line.utf8)))
      let (tight, padded) = Self.frame(colour, width, height)
      #expect(header.frameBytes == (tight.count, padded.count), "\(line)")
      for bytes in [tight, padded] {
        var copy = bytes
        if bytes.count == padded.count { header.compact(&copy, at: 0) }
        #expect(Array(copy.prefix(tight.count)) == tight, "\(line)")
        // One frame alone, and several.
        for count in [1, 3] {
          let frame = Array("FRAME\n".utf8) + bytes
          try Data(Array("\(line)\n".utf8) + Array([[UInt8]](repeating: frame, count: count).joined())).write(to: path)
          let source = try StreamSource(path: path.path, options: .init(rate: 1000, loops: false))
          let sink = source.started()
          #expect(sink.ended)
          source.stop()
          let frames = sink.seen.withLock { $0.frames }
          #expect(frames.count == count, "\(line)")
          for frame in frames {
            #expect(
              (0..<height).allSatisfy { y in
                (0..<width).allSatisfy { frame.image[$0, y] == tight[y * width + $0] }
              }, "\(line)")
          }
        }
      }
    }
  }

  @Test func knowsTheSizesOfGStreamer() throws {
    for (width, height, tight, padded) in [(1366, 768, 1_573_632, 1_575_936), (640, 475, 456_320, 456_960)] {
      let header = try #require(Y4MHeader(line: Array("YUV4MPEG2 W\(width) H\(height) C420".utf8)))
      #expect(header.frameBytes == (tight, padded))
    }
  }

  @Test func namesAFrameOfAnotherSize() throws {
    let frame = Array("FRAME\n".utf8) + Self.frame("420", 101, 75).tight + [0]
    try Data(Array("YUV4MPEG2 W101 H75\n".utf8) + frame + frame).write(to: path)
    let source = try StreamSource(path: path.path, options: .init(rate: 1000, loops: false))
    let sink = source.started()
    #expect(sink.ended)
    source.stop()
    #expect(sink.seen.withLock { $0.frames.isEmpty && $0.statuses.last?.problem?.code == "damagedStream" })
  }

  /// The bars of the test picture are vertical; in a sheared one they are not.
  @Test(.enabled(if: access(StreamProgram.gstreamer.path, X_OK) == 0), arguments: ["I420", "Y42B", "Y41B", "Y444"])
  func readsWhatTheInstalledGStreamerWrites(format: String) throws {
    for (width, height) in [(166, 98), (82, 75), (101, 75), (64, 48)] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: StreamProgram.gstreamer.path)
      process.arguments =
        ["-q", "videotestsrc", "num-buffers=2", "!", "video/x-raw,format=\(format),width=\(width),height=\(height)"]
        + ["!", "y4menc", "!", "filesink", "location=\(path.path)"]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      // Without the plug-ins of plugins-good there is nothing to read.
      guard process.terminationStatus == 0 else { return }
      let source = try StreamSource(path: path.path, options: .init(rate: 1000, loops: false))
      let sink = source.started()
      #expect(sink.ended)
      source.stop()
      let frames = sink.seen.withLock { $0.frames }
      #expect(frames.count == 2)
      let image = try #require(frames.last?.image)
      #expect(Set((0..<width).map { image[$0, 0] }).count >= 7)
      #expect((0..<height / 2).allSatisfy { y in (0..<width).allSatisfy { image[$0, y] == image[$0, 0] } })
    }
  }
}
