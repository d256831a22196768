import Foundation
import Glibc
import WaymarkCamera
import WaymarkFrames
import WaymarkImage
import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// Makes the source of frames that a configuration names.
struct SourceFactory {
  let configuration: ServiceConfiguration
  /// Where pictures are decoded.
  var isolation = Isolation.none

  /// The source: the one that is named, else a camera, which is waited for while there is none.
  func make() throws -> any FrameSource {
    let settings = configuration.source
    if let path = settings.path {
      if let address = StreamAddress(path), !address.hasCredentials {
        let credentials = settings.credentials
        let options = StreamOptions(transform: cameraSettings.transform)
        return StreamSource(address: address, options: options, makeDecoder: makeDecoder) { () throws(SourceError) in
          // Read each time, so that a changed password is used with the next attempt.
          guard let credentials else { return try CameraProgram.open(address) }
          let line: String
          do throws(FileError) {
            line = try SecretLine.read(credentials)
          } catch {
            throw .cannotOpen(credentials, reason: error.cause ?? error.message)
          }
          return try CameraProgram.open(address.signedIn(line))
        }
      }
      if let reason = Self.refusal(of: path) { throw reason }
      if path != "-", FileKind(path) == .folder || Self.isPicture(path) {
        return try FolderSource(path: path, rate: settings.rate ?? 30, loops: settings.loops, makeReader: makeReader)
      }
      let options = StreamOptions(
        rate: settings.rate, loops: settings.loops, transform: cameraSettings.transform)
      return try StreamSource(path: path, options: options, makeDecoder: makeDecoder)
    }
    return camera
  }

  /// Returns whether a file is one picture rather than a stream of them: by content, except that a stream of JPEG pictures
  /// begins like one picture and is told by its name.
  private static func isPicture(_ path: String) -> Bool {
    let name = path.lowercased()
    if [".mjpeg", ".mjpg", ".y4m"].contains(where: name.hasSuffix) { return false }
    // Bytes read from a pipe are gone for the one who plays it.
    guard FileKind(path) == .regular else { return false }
    guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: 64) else { return false }
    return (try? PictureFormat.detect(Array(head))) != nil
  }

  /// Why a path can be no source, where that can be told at once: addresses, films and other files that would never give a frame.
  static func refusal(of path: String) -> ServiceProblem? {
    let wanted =
      "A source is a folder of pictures, an MJPEG or Y4M file or pipe, - for standard input, or an address: "
      + "rtsp://, http://, https://, screen:, libcamera: or pipewire:."
    if let scheme = StreamAddress.scheme(of: path) {
      if StreamAddress(path)?.hasCredentials == true {
        return ServiceProblem(
          code: "badSource", message: "The \(scheme) address holds a user or a password, which others could read.",
          hint: "Write user:password into a file that not everybody may read, and name it in source.credentials.")
      }
      let known = StreamAddress.Scheme(rawValue: scheme)
      let hint =
        switch known {
        case .libcamera, .pipewire:
          "Write \(scheme):NAME?width=1280&height=720&rate=30, of which only \(scheme): is needed, and blanks and what is not ASCII with percent signs."
        case .rtsp, .http, .https, .screen:
          "Write a host behind //, and what is not ASCII, blanks and quotes with percent signs."
        case nil: "Let a program fetch it: ffmpeg -i ADDRESS -f yuv4mpegpipe - | waymark serve --source -"
        }
      return ServiceProblem(
        code: "badSource",
        message: (known == nil ? "\(scheme): cannot be a source. " : "The \(scheme) address is malformed. ") + wanted,
        hint: hint)
    }
    guard FileKind(path) == .regular, let file = FileHandle(forReadingAtPath: path),
      let head = try? file.read(upToCount: 16), !head.isEmpty
    else { return nil }
    let bytes = Array(head)
    let films: [(name: String, offset: Int, mark: [UInt8])] = [
      ("a GIF", 0, Array("GIF8".utf8)), ("an MP4 film", 4, Array("ftyp".utf8)),
      ("a Matroska or WebM film", 0, [0x1A, 0x45, 0xDF, 0xA3]), ("an Ogg file", 0, Array("OggS".utf8)),
      ("an AVI film", 8, Array("AVI ".utf8)), ("a PDF", 0, Array("%PDF".utf8)),
    ]
    guard let film = films.first(where: { bytes.dropFirst($0.offset).starts(with: $0.mark) }) else { return nil }
    return ServiceProblem(
      code: "badSource", message: "\(path) is \(film.name). \(wanted)",
      hint: "Convert it: ffmpeg -i \(path) -f mjpeg - | waymark serve --source -")
  }

  /// The settings of the camera.
  var cameraSettings: CameraSettings {
    let wanted = configuration.camera
    var settings = CameraSettings(selector: CameraSelector(wanted.device ?? "auto"))
    if let format = wanted.format.flatMap(PixelFormat.init(rawValue:)) {
      settings.formats = [format] + settings.formats.filter { $0 != format }
    }
    settings.width = wanted.width ?? settings.width
    settings.height = wanted.height ?? settings.height
    settings.rate = wanted.rate ?? settings.rate
    settings.transform = FrameTransform(
      rotation: FrameTransform.Rotation(rawValue: wanted.rotation) ?? .none, mirror: wanted.mirror)
    settings.controls = wanted.controls
    settings.allowsVendorFormats = !configuration.isIsolated || wanted.vendorFormats
    return settings
  }

  /// The camera that is wanted.
  var camera: CameraSource { CameraSource(settings: cameraSettings, makeDecoder: makeDecoder) }

  private var makeDecoder: MakeFrameDecoder { isolation.makeDecoder }

  private var makeReader: @Sendable () -> FolderSource.Reader {
    let isolation = isolation
    return { isolation.pictureReading() }
  }

  /// The project's sample scenes.
  static var sampleScenes: String? { folder(places(of: "scenes")) }

  private static func places(of name: String) -> [String] {
    var candidates: [String] = []
    if let executable = executablePath {
      var folder = executable
      for _ in 0..<6 {
        guard let slash = folder.lastIndex(of: "/") else { break }
        folder = String(folder[..<slash])
        candidates.append("\(folder)/share/waymark/\(name)")
        candidates.append("\(folder)/Samples/\(name)")
      }
    }
    return candidates + ["Samples/\(name)", "/usr/share/waymark/\(name)"]
  }

  private static func folder(_ candidates: [String]) -> String? {
    candidates.first { candidate in
      var information = stat()
      return stat(candidate, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }
  }

  private static var executablePath: String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    return count > 0 ? String(decoding: buffer[..<count].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self) : nil
  }
}
