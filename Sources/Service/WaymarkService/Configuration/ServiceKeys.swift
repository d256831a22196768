import WaymarkAnchors
import WaymarkConfiguration
import WaymarkServer

/// The keys of `waymark.yaml` that the service reads by their path, in the order of the page.
enum ServiceKeys {
  private typealias Key = ConfigurationKey

  static let all: [ConfigurationKey] =
    connections + pictures + scanning + keeping + following + log

  private static let connections: [ConfigurationKey] = [
    // The socket's path has no key in the environment of its own: WAYMARK_SOCKET is what clients read, too.
    Key(
      "socket.path", .string, "where the socket is; `--socket` and `$WAYMARK_SOCKET` go before",
      otherwise: "`/run/waymark/waymark.sock`, or one in `$XDG_RUNTIME_DIR`"),
    Key("socket.group", .string, "the group that owns the socket and operates"),
    Key("socket.mode", .choice(["0600", "0660", "0666"]), "its permissions", defaultValue: .string("0660")),
    Key("roles.operators.users", .strings, "users that operate, besides the service's own and root", change: .reload),
    Key(
      "roles.operators.groups", .strings, "groups that operate; without operators, the socket's group", change: .reload),
    Key("roles.observers.users", .strings, "users that observe", change: .reload),
    Key("roles.observers.groups", .strings, "groups that observe", change: .reload),
    Key(
      "roles.observers.pictures", .bool, "whether observers get pictures too", defaultValue: .bool(false),
      change: .reload),
    Key(
      "clients.maximum", .int(1...10_000),
      "connections at a time; the last 32 are for operators, and of these 8 for root and the service's own user",
      defaultValue: .int(512), change: .reload),
    Key(
      "clients.perUser", .int(1...10_000), "connections of one user at a time, other than root and the service's own",
      defaultValue: .int(128), change: .reload),
    Key(
      "clients.outbox", .int(65_536...67_108_864), "bytes of events that may wait for one client",
      defaultValue: .int(1_048_576), change: .reload),
    Key(
      "clients.history", .int(0...10_000),
      "events that are kept for clients that come back (`subscribe`'s `after`), in at most 4 MiB of "
        + "memory, payloads included",
      defaultValue: .int(0), change: .reload),
    Key(
      "clients.slowAfter", .double(0.1...600), "seconds that a client that loses events may read nothing",
      defaultValue: .double(5), change: .reload),
    Key(
      "clients.stalledAfter", .double(1...3600),
      "seconds that a client may read nothing while something waits, or lose events", defaultValue: .double(30),
      change: .reload),
  ]

  private static let pictures: [ConfigurationKey] = [
    Key(
      "source.path", .string,
      "a folder of pictures, an MJPEG or Y4M file or named pipe, `-`, or an address (`rtsp://`, `http://`, `https://`, `screen:`, `libcamera:`, `pipewire:`), instead of a camera"
    ),
    Key(
      "source.credentials", .string,
      "a file with `user:password` for the address, on one line, that not everybody may read; a [credential](operations.md#secrets) too"
    ),
    Key("source.rate", .double(0.01...240), "pictures a second of a folder"),
    Key(
      "source.loop", .bool, "files and folders again and again; a named pipe is always taken up again",
      defaultValue: .bool(true)),
    Key(
      "source.onboarding", .bool, "codes in the frames of `source.path` may onboard this device; a camera always may",
      defaultValue: .bool(false)),
    Key(
      "camera.name", .string, "its name in requests and events, where `cameras` has more", otherwise: "`main`"),
    Key("camera.device", .string, "an identity from `waymark cameras`, a part of its name, or a node", change: .reload),
    Key(
      "camera.format", .choice(["MJPG", "YUYV", "NV12", "GREY"]), "the form preferred", otherwise: "`MJPG`",
      change: .reload),
    Key("camera.width", .int(16...8192), "the width of its frames", otherwise: "640", change: .reload),
    Key("camera.height", .int(16...8192), "the height of its frames", otherwise: "480", change: .reload),
    Key("camera.rate", .double(0.1...240), "frames a second", otherwise: "30", change: .reload),
    Key(
      "camera.rotation", .choice(["0", "90", "180", "270"]), "degrees clockwise, for cameras mounted sideways",
      defaultValue: .string("0"), change: .reload),
    Key("camera.mirror", .bool, "for cameras that face the user", defaultValue: .bool(false), change: .reload),
    Key(
      "camera.vendorFormats", .bool,
      "whether libv4l2 may decode, in the service, what a camera compresses in a way of its own "
        + "([security.md](security.md)); with `isolation: off` it always may",
      defaultValue: .bool(false), change: .reload),
    Key("camera.keepOpen", .bool, "never closed", defaultValue: .bool(false)),
    Key(
      "camera.closeAfter", .double(0...3600), "seconds without need after which it is closed", defaultValue: .double(10)
    ),
    Key(
      "camera.focus", .int(-1_000_000...1_000_000), "the focus, in units of the camera", otherwise: "as the camera is",
      change: .reload),
    Key(
      "camera.focusAuto", .bool, "whether the camera focuses by itself", otherwise: "as the camera is", change: .reload),
    Key(
      "camera.exposureTime", .int(0...1_000_000), "the exposure time, in units of the camera, most often 0.1 ms",
      otherwise: "as the camera is", change: .reload),
    Key(
      "camera.exposureAuto", .bool, "whether the camera exposes by itself", otherwise: "as the camera is",
      change: .reload),
    Key(
      "camera.gain", .int(0...1_000_000), "the gain, in units of the camera", otherwise: "as the camera is",
      change: .reload),
    Key(
      "camera.powerLineFrequency", .choice(["off", "50", "60", "auto"]), "against flicker under lamps",
      otherwise: "as the camera is", change: .reload),
    Key(
      "camera.calibrations", .strings,
      "camera-info files of ROS or OpenCV, each for the size of frame it names; `CAMERA=FILE` for one "
        + "camera only, by a part of its name",
      change: .reload),
    Key(
      "camera.fieldOfView", .double(5...170),
      "horizontal, in degrees, of a camera without a calibration; else found from what is followed",
      change: .reload),
  ]

  private static let scanning: [ConfigurationKey] = [
    Key(
      "scan.autoBegin", .choice(["off", "onboarding", "barcode"]), "what the service arms by itself",
      defaultValue: .string("off"), change: .reload),
    Key(
      "scan.onboardingSymbologies", .strings, "the symbologies of onboarding scans", otherwise: "`[qr]`",
      change: .reload),
    Key(
      "scan.barcodeSymbologies", .strings, "the symbologies of other scans", otherwise: "all common ones",
      change: .reload),
    Key("scan.rate", .double(0.1...240), "frames a second that are looked at", change: .reload),
    Key(
      "scan.newAfter", .double(0...3600), "seconds out of view after which a code is new again", otherwise: "2",
      change: .reload),
    Key("trigger.device", .string, "an input device with a scan key"),
    Key("trigger.key", .string, "its name or number", otherwise: "`KEY_ENTER`"),
    Key("trigger.mode", .choice(["onboarding", "barcode"]), "what the key arms", otherwise: "`barcode`"),
    Key("trigger.camera", .string, "the name of the camera in which it arms that", otherwise: "the first"),
  ]

  private static let keeping: [ConfigurationKey] = [
    Key(
      "isolation", .choice(["on", "off"]),
      "whether codes, frames and picture files are read in locked-in worker processes ([security.md](security.md))",
      defaultValue: .string("on")),
    Key("replay.folder", .string, "where confirmed payloads are remembered", change: .reload),
    Key("gallery.folders", .strings, "folders of pictures that clients may list", change: .reload),
  ]

  private static let following: [ConfigurationKey] = [
    Key("scenes.folders", .strings, "folders of scenes", change: .reload),
    Key("scenes.cache", .string, "where compiled anchors are kept", change: .reload),
    Key("scenes.load", .string, "the scene to load at the start", change: .reload),
    Key(
      "scenes.start", .bool, "whether the session starts with the scene that is loaded by `scenes.load`",
      defaultValue: .bool(false), change: .told("yes, at its next load")),
    Key("scenes.annotateAfter", .double(0...60), "seconds from matched to annotating", change: .reload),
    Key("scenes.lostAfter", .double(0...60), "seconds out of view after which an anchor is lost", change: .reload),
    Key("anchors.library", .string, "a library to follow while no session is active", change: .reload),
    Key(
      "anchors.copies", .int(1...AnchorCopies.most), "how many copies of each anchor of `anchors.library` are followed",
      defaultValue: .int(1), change: .reload),
    Key("anchors.rate", .double(0.1...240), "frames a second that are looked at", change: .reload),
  ]

  private static let log: [ConfigurationKey] =
    [
      Key("log.level", .choice(logLevels), "how much is logged", defaultValue: .string("info"), change: .reload),
      Key(
        "log.format", .choice(LogSettings.Format.allCases.map(\.rawValue)),
        "one line of words and `key=value`, or one JSON object a line", defaultValue: .string("text"), change: .reload),
    ]
    + LogSubsystem.allCases.map {
      Key(
        "log.levels.\($0.rawValue)", .choice(logLevels), "the level of one part", otherwise: "`log.level`",
        change: .reload)
    }

  private static let logLevels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
}
