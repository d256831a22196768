import FuzzSupport
import Glibc
import WaymarkImage
import WaymarkSystem

@testable import WaymarkFrames

/// A stream that is piped into the service: Motion JPEG, multipart or Y4M, cut into frames and turned into luma.
@main
struct FuzzStream {
  static func main() {
    // The input to play was read before; standard input has nothing more.
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO)
    fuzz(seeds: [Array("YUV4MPEG2 W8 H4 F30:1 C420jpeg\nFRAME\n".utf8) + [UInt8](repeating: 90, count: 48)]) {
      bytes, count in
      guard count > 1 else { return 0 }
      let all = input(bytes, count)
      let state = SourceState()
      state.demand = FrameDemand(luma: true, encoded: all[0] & 1 == 1)
      let transforms = FrameTransform.Rotation.allCases
      let transform = FrameTransform(
        rotation: transforms[Int(all[0] >> 1) % transforms.count], mirror: all[0] & 64 != 0)
      guard let converter = try? LumaConverter(transform: transform) else { return 0 }
      var player = StreamPlayer(
        path: "-", options: StreamOptions(loops: false), isFile: false, state: state, sink: Sink(),
        leftover: Array(all[1...]), converter: converter)
      player.run(until: StopSignal())
      return 0
    }
  }
}

private struct Sink: FrameSink {
  func receive(_ frame: Frame) {
    if frame.hasLuma { _ = frame.image[frame.image.width - 1, frame.image.height - 1] }
    _ = frame.encoded?.withBytes { $0.reduce(0) { $0 &+ Int($1) } }
  }
  func receive(_ status: SourceStatus) {}
}
