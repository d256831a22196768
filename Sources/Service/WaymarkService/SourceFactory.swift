import FoundationEssentials
import WaymarkCamera
import WaymarkFrames
import WaymarkImage
import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// Creates the source of frames that a configuration names.
struct SourceFactory {
  let configuration: ServiceConfiguration
  let isolation: Isolation

  /// Creates the source of `source.path`, or a camera if the key is not set; the camera need not be plugged in yet.
  ///
  /// - Throws: `SourceError` if the path is refused or cannot be opened, or the folder has no pictures.
  func make() throws -> any FrameSource {
    let settings = configuration.source
    let makeDecoder = isolation.makeDecoder
    if let path = settings.path {
      let options = StreamOptions(rate: settings.rate, loops: settings.loops, transform: cameraSettings.transform)
      if let address = StreamAddress(path), !address.hasCredentials {
        let credentials = settings.credentials
        return StreamSource(address: address, options: options, makeDecoder: makeDecoder) { () throws(SourceError) in
          // Each attempt reads the file, so that a changed password is used from the next attempt on.
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
        return try FolderSource(
          path: path, rate: settings.rate ?? 30, loops: settings.loops,
          makeReader: { [isolation] in isolation.pictureReading() })
      }
      return try StreamSource(path: path, options: options, makeDecoder: makeDecoder)
    }
    return CameraSource(settings: cameraSettings, makeDecoder: makeDecoder)
  }

  /// Returns whether a file is a single picture, by its content. An MJPEG stream begins like a JPEG picture and is
  /// recognised by its file extension.
  private static func isPicture(_ path: String) -> Bool {
    let name = path.lowercased()
    if [".mjpeg", ".mjpg", ".y4m"].contains(where: name.hasSuffix) { return false }
    // A pipe is not read here: the bytes would be missing in the stream.
    guard FileKind(path) == .regular else { return false }
    guard let head = try? WholeFile.head(path, count: 64).bytes else { return false }
    return (try? PictureFormat.detect(head)) != nil
  }

  /// Returns the reason why a path cannot be a source, without opening it as a source: an address with a password or of an unknown
  /// scheme, a film, or another file without frames; nil if it may be a source.
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
    guard FileKind(path) == .regular, let bytes = try? WholeFile.head(path, count: 16).bytes, !bytes.isEmpty else {
      return nil
    }
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

  var cameraSettings: CameraSettings {
    var settings = configuration.camera.settings
    settings.selector = CameraSelector(configuration.camera.device ?? "auto")
    settings.allowsVendorFormats = !configuration.isIsolated || settings.allowsVendorFormats
    return settings
  }
}
