package import Logging
import WaymarkAnchors
package import WaymarkCamera
package import WaymarkConfiguration
import WaymarkFrames
package import WaymarkProtocol
package import WaymarkScenes
package import WaymarkServer
import WaymarkSystem

/// The settings of the service, by section. `SceneSettings` below has the settings of scenes and anchors.
package struct ServiceSettings: Configurable, Equatable {
  package struct Socket: Hashable, Sendable {
    package var path: String?
    package var group: String?
    package var mode = ListeningSocket.usualMode
  }

  package struct Roles: Hashable, Sendable {
    var operatorUsers: [String] = []
    var operatorGroups: [String] = []
    var observerUsers: [String] = []
    var observerGroups: [String] = []
    var observersSeePictures = false
  }

  package struct Source: Hashable, Sendable {
    /// The path of a folder or file, `-` for standard input, or an address; nil for a camera.
    package var path: String?
    /// The path of the file with the user and password for an address.
    package var credentials: String?
    /// The pictures per second of a folder or a file; nil for the rate in the file's header, or 30.
    package var rate: Double?
    package var loops = true
    /// True if codes in the frames of the source may onboard the device.
    package var onboarding = false
  }

  package struct Camera: Equatable, Sendable {
    /// The name of the first camera, if there are several.
    package var name = "main"
    package var device: String?
    /// The format, size, rate, transform and controls.
    package var settings = CameraSettings(allowsVendorFormats: false)
    var keepOpen = false
    /// The seconds without need for frames after which the camera is closed.
    package var closeAfter = 10.0
    /// The paths of camera-info files, each with an optional `CAMERA=` before it.
    package var calibrations: [String] = []
    /// The angle of view across the longer side of the frame, in degrees, for a camera without a calibration.
    package var fieldOfView: Double?
  }

  package struct Scan: Hashable, Sendable {
    package var autoBegin: ScanMode?
    package var onboardingSymbologies: [String]?
    package var barcodeSymbologies: [String]?
    /// The maximum number of frames read per second; nil for all.
    package var rate: Double?
    /// The seconds that a code must be out of view before it is reported again.
    package var newAfter = LiveScan.Settings().newAfter
  }

  package struct Trigger: Hashable, Sendable {
    package var device: String?
    package var key = "KEY_ENTER"
    package var mode = ScanMode.barcode
    /// The camera in which the key arms a scan; nil for the first.
    package var camera: String?
  }

  package var socket = Socket()
  package var roles = Roles()
  package var limits = ConnectionLimits()
  package var source = Source()
  package var camera = Camera()
  package var scan = Scan()
  package var trigger = Trigger()
  package var scenes = SceneSettings()
  var galleryFolders: [String] = []
  package var replayFolder: String?
  package var log = LogSettings()
  /// True if codes and picture files are read in worker processes.
  package var isIsolated = true

  package init() {}

  package static let settings: [Setting<Self>] = connections + pictures + scanning + keeping + following + log

  private static let connections: [Setting<Self>] = [
    Setting(
      "socket.path", .path, "overridden by `--socket` and `$WAYMARK_SOCKET`",
      into: \.socket.path, otherwise: "`/run/waymark/waymark.sock`, or one in `$XDG_RUNTIME_DIR`", change: .restart),
    Setting(
      "socket.group", .string, "group that owns the socket; operators by default", into: \.socket.group,
      change: .restart),
    Setting(
      "socket.mode", .choice(["0600", "0660", "0666"]), "its permissions", into: \.socket.mode, change: .restart,
      from: { UInt32($0, radix: 8) }, to: { "0" + String($0, radix: 8) }),
    Setting(
      "roles.operators.users", .strings, "operators, in addition to root and the service's own user",
      into: \.roles.operatorUsers),
    Setting(
      "roles.operators.groups", .strings, "groups of operators; by default the socket's group",
      into: \.roles.operatorGroups),
    Setting("roles.observers.users", .strings, "observers", into: \.roles.observerUsers),
    Setting("roles.observers.groups", .strings, "groups of observers", into: \.roles.observerGroups),
    Setting(
      "roles.observers.pictures", .bool, "observers get pictures", into: \.roles.observersSeePictures),
    Setting(
      "clients.maximum", .int(1...10_000),
      "connections; the last 32 are for operators, the last 8 of these for root and the service's own user",
      into: \.limits.clients),
    Setting(
      "clients.perUser", .int(1...10_000),
      "connections of a user other than root and the service's own", into: \.limits.perUser),
    Setting(
      "clients.outbox", .int(65_536...67_108_864), "bytes of events that may wait for a client",
      into: \.limits.outbox),
    Setting(
      "clients.history", .int(0...10_000),
      "events kept for `subscribe` with `after`, payloads included, in at most 4 MiB", into: \.limits.history),
    Setting(
      "clients.slowAfter", .double(0.1...600), "seconds that a client may read nothing while it loses events",
      into: \.limits.slowAfter),
    Setting(
      "clients.stalledAfter", .double(1...3600),
      "seconds that a client may lose events, or read nothing while lines wait", into: \.limits.stalledAfter),
  ]

  private static let pictures: [Setting<Self>] =
    [
      Setting(
        "source.path", .path,
        "instead of a camera a folder of pictures, an MJPEG or Y4M file or named pipe, `-`, or an address (`rtsp://`, `http://`, `https://`, `screen:`, `libcamera:`, `pipewire:`)",
        into: \.source.path, change: .restart),
      Setting(
        "source.credentials", .path,
        "file with the line `user:password` for the address, not readable for all users, or a [credential](operations.md#secrets)",
        into: \.source.credentials, change: .restart, from: { Credential.path($0) }),
      Setting(
        "source.rate", .double(0.01...240), "pictures a second of a folder", into: \.source.rate, change: .restart),
      Setting(
        "source.loop", .bool, "repeats files and folders; a named pipe is always reopened",
        into: \.source.loops, change: .restart),
      Setting(
        "source.onboarding", .bool,
        "codes of `source.path` may onboard this device; those of a camera always may",
        into: \.source.onboarding, change: .restart),
      Setting(
        "camera.name", .string, "its name in requests and events, with further `cameras`", into: \.camera.name,
        change: .restart),
      Setting(
        "camera.device", .string, "identity from `waymark cameras`, a part of its name, or a node",
        into: \.camera.device),
      Setting(
        "camera.format", .choice([PixelFormat.mjpeg, .yuyv, .nv12, .grey].map(\.rawValue)), "preferred format",
        into: \.camera.settings.formats,
        from: { word in
          PixelFormat(rawValue: word).map { first in [first] + CameraSettings().formats.filter { $0 != first } }
        }, to: { $0.first?.rawValue }),
      Setting("camera.width", .int(16...8192), "in pixels", into: \.camera.settings.width),
      Setting("camera.height", .int(16...8192), "in pixels", into: \.camera.settings.height),
      Setting("camera.rate", .double(0.1...240), "frames a second", into: \.camera.settings.rate),
      Setting(
        "camera.rotation", .choice(FrameTransform.Rotation.allCases.map { String($0.rawValue) }),
        "degrees clockwise", into: \.camera.settings.transform.rotation,
        from: { Int($0).flatMap(FrameTransform.Rotation.init(rawValue:)) }, to: { String($0.rawValue) }),
      Setting(
        "camera.mirror", .bool, "for cameras that face the user", into: \.camera.settings.transform.mirror),
      Setting(
        "camera.vendorFormats", .bool,
        "libv4l2 may decode vendor formats in the service ([security.md](security.md)); with `isolation: off` it always may",
        into: \.camera.settings.allowsVendorFormats),
      Setting("camera.keepOpen", .bool, "never closes it", into: \.camera.keepOpen, change: .restart),
      Setting(
        "camera.closeAfter", .double(0...3600), "seconds without use until it is closed",
        into: \.camera.closeAfter, change: .restart),
      control("focus", .int(-1_000_000...1_000_000), "in units of the camera") { $0 },
      control("focusAuto", .bool, "automatic focus") { $0 ? 1 : 0 },
      control(
        "exposureTime", .int(0...1_000_000), "in units of the camera, usually 0.1 ms"
      ) { $0 },
      control("exposureAuto", .bool, "automatic exposure") { $0 ? 1 : 0 },
      control("gain", .int(0...1_000_000), "in units of the camera") { $0 },
      // The values of V4L2_CID_POWER_LINE_FREQUENCY.
      control("powerLineFrequency", .choice(["off", "50", "60", "auto"]), "against flicker of lamps") {
        ["off": 0, "50": 1, "60": 2, "auto": 3][$0]
      },
      Setting(
        "camera.calibrations", .paths,
        "camera-info files of ROS or OpenCV, for the frame size they name; `CAMERA=FILE` for one camera, by a part of its name",
        into: \.camera.calibrations),
      Setting(
        "camera.fieldOfView", .double(5...170),
        "horizontal, in degrees, without a calibration; else found from what is followed",
        into: \.camera.fieldOfView),
    ]

  /// Creates the setting of a camera's control.
  ///
  /// - Parameter read: converts the value in the file to the driver's value; nil if it is invalid.
  private static func control<Value: SettingValue>(
    _ name: String, _ kind: ConfigurationKind, _ meaning: String, from read: @escaping @Sendable (Value) -> Int?
  ) -> Setting<Self> {
    Setting(
      "camera.\(name)", kind, meaning, into: \.camera.settings.controls[name], otherwise: "unchanged", from: read
    )
  }

  private static let scanning: [Setting<Self>] = [
    Setting(
      "scan.autoBegin", .choice(["off"] + ScanMode.allCases.map(\.rawValue)), "scan that the service arms",
      into: \.scan.autoBegin, from: { .some(ScanMode(rawValue: $0)) }, to: { $0?.rawValue ?? "off" }),
    Setting(
      "scan.onboardingSymbologies", .strings, "symbologies of onboarding scans",
      into: \.scan.onboardingSymbologies, otherwise: "`[qr]`"),
    Setting(
      "scan.barcodeSymbologies", .strings, "symbologies of other scans", into: \.scan.barcodeSymbologies,
      otherwise: "all common ones"),
    Setting("scan.rate", .double(0.1...240), "frames a second at most", into: \.scan.rate),
    Setting(
      "scan.newAfter", .double(0...3600), "seconds out of view after which a code is new again", into: \.scan.newAfter),
    Setting(
      "trigger.device", .string, "input device with a scan key", into: \.trigger.device, change: .restart),
    Setting("trigger.key", .string, "its name or number", into: \.trigger.key, change: .restart),
    Setting("trigger.mode", "what the key arms", into: \.trigger.mode, change: .restart),
    Setting(
      "trigger.camera", .string, "camera in which it arms", into: \.trigger.camera,
      otherwise: "the first", change: .restart),
  ]

  private static let keeping: [Setting<Self>] = [
    Setting(
      "isolation", .choice(["on", "off"]),
      "reads codes, frames and picture files in sandboxed workers ([security.md](security.md))",
      into: \.isIsolated, change: .restart, from: { $0 != "off" }, to: { $0 ? "on" : "off" }),
    Setting("replay.folder", .path, "folder of confirmed payloads", into: \.replayFolder),
    Setting("gallery.folders", .paths, "pictures that clients may list", into: \.galleryFolders),
  ]

  private static let following: [Setting<Self>] = [
    Setting("scenes.folders", .paths, "folders of scenes", into: \.scenes.folders),
    Setting("scenes.cache", .path, "folder of compiled anchors", into: \.scenes.cache),
    Setting("scenes.load", .string, "scene to load at the start", into: \.scenes.load),
    Setting(
      "scenes.start", .bool, "starts the session with `scenes.load`; a change applies at its next load",
      into: \.scenes.start, change: .described("")),
    Setting(
      "scenes.annotateAfter", .double(0...60), "seconds from matched to annotating",
      into: \.scenes.session.annotateAfter),
    Setting(
      "scenes.lostAfter", .double(0...60), "seconds out of view after which an anchor is lost",
      into: \.scenes.session.lostAfter),
    Setting(
      "anchors.library", .path, "library followed while no session is active", into: \.scenes.library),
    Setting(
      "anchors.copies", .int(1...AnchorCopies.most),
      "copies followed of each anchor of `anchors.library`", into: \.scenes.copies),
    Setting("anchors.rate", .double(0.1...240), "frames a second at most", into: \.scenes.rate),
  ]

  private static let log: [Setting<Self>] =
    [
      Setting("log.level", "how much is logged", into: \.log.level),
      Setting("log.format", "lines of words and `key=value`, or of JSON", into: \.log.format),
    ]
    + LogSubsystem.allCases.map {
      Setting(
        "log.levels.\($0.rawValue)", "level of one part", into: \.log.levels[$0], otherwise: "`log.level`")
    }
}

extension ScanMode: SettingWord {}
extension Logger.Level: SettingWord {}
extension LogSettings.Format: SettingWord {}

// MARK: - Scenes and anchors

/// The settings of scenes and anchors.
package struct SceneSettings: Equatable, Sendable {
  package var folders: [String] = []
  /// The folder of compiled anchors; nil for a folder in the cache folder of the service or user.
  package var cache: String?
  /// The name of the scene to load at the start; nil without a scene.
  package var load: String?
  /// True if the session starts as soon as that scene is loaded.
  package var start = false
  /// The timing of a session: the seconds before it shows annotations, and the seconds before it counts an anchor as lost.
  package var session = SessionConfiguration()
  /// The path of the library whose anchors are followed while no session is active; nil without a library.
  package var library: String?
  /// The largest number of copies of one library anchor that are followed at the same time.
  package var copies = 1
  /// The maximum number of frames per second; nil for all.
  package var rate: Double?
  /// The calibrations and the field of view of the first camera.
  package var cameras = CameraChoice()
  /// The calibrations and the field of view of the further cameras, by name.
  var others: [String: CameraChoice] = [:]
  /// The maximum numbers of frames per second in the sections of further cameras, by name.
  var rates: [String: Double] = [:]
  /// The seconds between two checks of the scene's files.
  var watchInterval = 1.0

  package init() {}
}
