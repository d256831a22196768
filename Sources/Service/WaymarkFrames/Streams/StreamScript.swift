/// How ffmpeg is told to play an address as Y4M: arguments, which every user of a computer can read, and a script, which holds the address
/// and reaches it through a descriptor.
package struct StreamScript: Equatable {
  package let arguments: [String]
  /// nil: there is nothing to keep from the arguments.
  package let script: String?

  /// - Parameters:
  ///   - descriptor: the pipe of the script.
  ///   - display: the display of the environment.
  package init(_ address: StreamAddress, descriptor: Int32, display: String) {
    let common = ["-nostdin", "-hide_banner", "-loglevel", "quiet"]
    // As it comes: no frame twice, none left out, none waited for. Without sound.
    let output = [
      "-map", "0:v:0", "-an", "-fps_mode", "passthrough", "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "pipe:1",
    ]
    guard address.scheme != .screen else {
      let wanted = String(address.secret.dropFirst("screen:".count))
      let input = ["-f", "x11grab", "-framerate", "15", "-i", wanted.isEmpty ? display : wanted]
      (arguments, script) = (common + input + output, nil)
      return
    }
    // A stranger answers: it gets neither other protocols nor other formats than those that were meant.
    let input = [
      "-protocol_whitelist", "pipe,rtsp,rtp,udp,tcp,tls,http,https", "-format_whitelist",
      "concat,rtsp,sdp,rtp,mpjpeg,mjpeg,jpeg_pipe", "-f", "concat", "-safe", "0", "-i", "pipe:\(descriptor)",
    ]
    // In microseconds and bytes. A second of a stream tells its form.
    var options = ["probesize 500000", "analyzeduration 1000000", "fflags nobuffer"]
    switch address.scheme {
    case .rtsp: options += ["rtsp_transport tcp", "timeout 5000000"]
    case .https: options += ["rw_timeout 5000000", "tls_verify 1", "ca_file /etc/ssl/certs/ca-certificates.crt"]
    case .http: options += ["rw_timeout 5000000"]
    case .screen, .libcamera, .pipewire: break
    }
    arguments = common + input + output
    script =
      (["ffconcat version 1.0", "file '\(address.secret)'"] + options.map { "option \($0)" })
      .joined(separator: "\n") + "\n"
  }
}
