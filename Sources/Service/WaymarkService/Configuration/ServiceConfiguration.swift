import Logging
package import WaymarkConfiguration
package import WaymarkServer
import WaymarkSystem

/// The configuration, by section.
package struct ServiceConfiguration: Sendable {
  package struct Socket: Hashable, Sendable {
    package var path: String?
    package var group: String?
    package var mode: UInt32 = 0o660
  }

  package struct Roles: Hashable, Sendable {
    var operatorUsers: [String] = []
    var operatorGroups: [String] = []
    var observerUsers: [String] = []
    var observerGroups: [String] = []
    var observersSeePictures = false
  }

  package struct Source: Hashable, Sendable {
    /// A folder, a file, `-`, or an address.
    package var path: String?
    /// The file with user and password for an address.
    package var credentials: String?
    /// Pictures a second.
    package var rate: Double?
    package var loops = true
    /// True when codes in its frames may onboard the device.
    package var onboarding = false
  }

  package struct Camera: Hashable, Sendable {
    /// Its name among several.
    package var name: String?
    package var device: String?
    package var format: String?
    package var width: Int?
    package var height: Int?
    package var rate: Double?
    /// Degrees, clockwise.
    package var rotation = 0
    package var mirror = false
    /// True if libv4l2 may decode, in the service, what a camera compresses in a way of its own.
    package var vendorFormats = false
    var keepOpen = false
    /// Seconds without need after which it is closed.
    var closeAfter = 10.0
    /// Controls to set, by name.
    package var controls: [String: Int] = [:]
    /// Camera-info files.
    package var calibrations: [String] = []
    /// Horizontal, in degrees, of a camera that is not calibrated.
    package var fieldOfView: Double?
  }

  package struct Scan: Hashable, Sendable {
    package var autoBegin: String?
    package var onboardingSymbologies: [String]?
    package var barcodeSymbologies: [String]?
    /// Frames a second at most.
    package var rate: Double?
    /// Seconds after which a code counts as new again.
    package var newAfter: Double?
  }

  package struct Trigger: Hashable, Sendable {
    package var device: String?
    package var key: String?
    package var mode: String?
    /// The camera in which it arms; nil for the first.
    package var camera: String?
  }

  package struct Scenes: Hashable, Sendable {
    package var folders: [String] = []
    package var cache: String?
    package var load: String?
    package var start = false
    /// Seconds from matched to annotating.
    package var annotateAfter: Double?
    /// Seconds out of view after which an anchor counts as lost.
    package var lostAfter: Double?
  }

  /// A camera beside the first. Of `source`, `camera` and `scan` it has what its own section says.
  package struct NamedCamera: Sendable {
    /// Its name.
    package let name: String
    package let source: Source
    package let camera: Camera
    /// The settings of scans that it has of its own.
    let scan: Scan
    /// Frames a second that the anchor lane looks at.
    let anchorRate: Double?
    /// What its section says, for features.
    package let values: ConfigurationReader

    /// The parts that a restart alone changes.
    var fixed: [AnyHashable] { [name, source, camera.keepOpen, camera.closeAfter] }

    /// The name of the first camera where it has none of its own.
    static let firstName = "main"

    /// A camera of a name, with what its section says alone.
    init(_ name: String, _ own: ServiceConfiguration) {
      self.name = name
      (source, camera, scan) = (own.source, own.camera, own.scan)
      (anchorRate, values) = (own.anchorRate, own.values)
    }
  }

  package var socket = Socket()
  package var roles = Roles()
  package var limits = ConnectionLimits()
  package var source = Source()
  package var camera = Camera()
  /// The cameras beside the first, in the order of the file.
  package var cameras: [NamedCamera] = []
  package var scan = Scan()
  package var trigger = Trigger()
  package var scenes = Scenes()
  var galleryFolders: [String] = []
  package var replayFolder: String?
  var anchorLibrary: String?
  /// How many copies of each of its anchors are followed.
  var anchorCopies = 1
  /// Frames a second for the anchor lane at most.
  var anchorRate: Double?
  package var log = LogSettings()
  /// True if codes and picture files are read in worker processes.
  package var isIsolated = true
  /// Where what must last is kept, each part in a folder of its own.
  package var stateFolder = "/var/lib/waymark"
  /// The configuration file, read and checked; nil where there is none.
  package var document: ConfigurationDocument?
  /// The values of flags and environment, which go before those of the file.
  var overrides: [[String: ConfigurationValue]] = []

  /// The keys that the program knows.
  package let schema: ConfigurationSchema
  /// The values of all keys, for features, which read those of their own sections.
  package private(set) var values: ConfigurationReader

  /// The path of the configuration file.
  package var file: String? { document?.path }

  /// The standard configuration.
  package init(_ schema: ConfigurationSchema = ConfigurationSchema()) { self.init([], schema: schema) }

  /// Takes values that were checked.
  ///
  /// - Parameter layers: values by the paths of their keys, the most important origin first.
  package init(_ layers: [[String: ConfigurationValue]], schema: ConfigurationSchema) {
    let reader = ConfigurationReader(layers: layers, table: schema.table)
    (self.schema, values) = (schema, reader)
    socket.path = reader.string(forKey: "socket.path")
    socket.group = reader.string(forKey: "socket.group")
    socket.mode = reader.string(forKey: "socket.mode").flatMap { UInt32($0, radix: 8) } ?? 0o660
    roles.operatorUsers = reader.stringArray(forKey: "roles.operators.users") ?? []
    roles.operatorGroups = reader.stringArray(forKey: "roles.operators.groups") ?? []
    roles.observerUsers = reader.stringArray(forKey: "roles.observers.users") ?? []
    roles.observerGroups = reader.stringArray(forKey: "roles.observers.groups") ?? []
    roles.observersSeePictures = reader.bool(forKey: "roles.observers.pictures") ?? false
    limits.clients = reader.int(forKey: "clients.maximum") ?? limits.clients
    limits.perUser = reader.int(forKey: "clients.perUser") ?? limits.perUser
    limits.outbox = reader.int(forKey: "clients.outbox") ?? limits.outbox
    limits.history = reader.int(forKey: "clients.history") ?? limits.history
    limits.slowAfter = reader.double(forKey: "clients.slowAfter") ?? limits.slowAfter
    limits.stalledAfter = reader.double(forKey: "clients.stalledAfter") ?? limits.stalledAfter
    source.path = reader.string(forKey: "source.path")
    source.credentials = reader.string(forKey: "source.credentials").map { Credential.path($0) }
    source.rate = reader.double(forKey: "source.rate")
    source.loops = reader.bool(forKey: "source.loop") ?? true
    source.onboarding = reader.bool(forKey: "source.onboarding") ?? false
    readCamera(reader)
    scan.autoBegin = reader.string(forKey: "scan.autoBegin").flatMap { $0 == "off" ? nil : $0 }
    scan.onboardingSymbologies = reader.stringArray(forKey: "scan.onboardingSymbologies")
    scan.barcodeSymbologies = reader.stringArray(forKey: "scan.barcodeSymbologies")
    scan.rate = reader.double(forKey: "scan.rate")
    scan.newAfter = reader.double(forKey: "scan.newAfter")
    trigger.device = reader.string(forKey: "trigger.device")
    trigger.key = reader.string(forKey: "trigger.key")
    trigger.mode = reader.string(forKey: "trigger.mode")
    trigger.camera = reader.string(forKey: "trigger.camera")
    scenes.folders = reader.stringArray(forKey: "scenes.folders") ?? []
    scenes.cache = reader.string(forKey: "scenes.cache")
    scenes.load = reader.string(forKey: "scenes.load")
    scenes.start = reader.bool(forKey: "scenes.start") ?? false
    scenes.annotateAfter = reader.double(forKey: "scenes.annotateAfter")
    scenes.lostAfter = reader.double(forKey: "scenes.lostAfter")
    galleryFolders = reader.stringArray(forKey: "gallery.folders") ?? []
    replayFolder = reader.string(forKey: "replay.folder")
    anchorLibrary = reader.string(forKey: "anchors.library")
    anchorCopies = reader.int(forKey: "anchors.copies") ?? anchorCopies
    anchorRate = reader.double(forKey: "anchors.rate")
    isIsolated = reader.string(forKey: "isolation") != "off"
    readLog(reader)
  }

  private mutating func readLog(_ reader: ConfigurationReader) {
    func level(_ key: String) -> Logger.Level? {
      reader.string(forKey: key).flatMap(Logger.Level.init(rawValue:))
    }
    log.level = level("log.level") ?? .info
    for part in LogSubsystem.allCases { log.levels[part] = level("log.levels.\(part.rawValue)") }
    log.format = reader.string(forKey: "log.format").flatMap(LogSettings.Format.init(rawValue:)) ?? .text
  }

  private mutating func readCamera(_ reader: ConfigurationReader) {
    camera.name = reader.string(forKey: "camera.name")
    camera.device = reader.string(forKey: "camera.device")
    camera.format = reader.string(forKey: "camera.format")
    camera.width = reader.int(forKey: "camera.width")
    camera.height = reader.int(forKey: "camera.height")
    camera.rate = reader.double(forKey: "camera.rate")
    camera.rotation = reader.string(forKey: "camera.rotation").flatMap { Int($0) } ?? 0
    camera.mirror = reader.bool(forKey: "camera.mirror") ?? false
    camera.vendorFormats = reader.bool(forKey: "camera.vendorFormats") ?? false
    camera.keepOpen = reader.bool(forKey: "camera.keepOpen") ?? false
    camera.closeAfter = reader.double(forKey: "camera.closeAfter") ?? 10
    camera.calibrations = reader.stringArray(forKey: "camera.calibrations") ?? []
    camera.fieldOfView = reader.double(forKey: "camera.fieldOfView")
    for name in ["focus", "exposureTime", "gain"] {
      if let value = reader.int(forKey: "camera.\(name)") { camera.controls[name] = value }
    }
    for name in ["focusAuto", "exposureAuto"] {
      if let value = reader.bool(forKey: "camera.\(name)") { camera.controls[name] = value ? 1 : 0 }
    }
    // V4L2_CID_POWER_LINE_FREQUENCY: disabled, 50 Hz, 60 Hz, auto.
    if let word = reader.string(forKey: "camera.powerLineFrequency") {
      camera.controls["powerLineFrequency"] = ["off": 0, "50": 1, "60": 2, "auto": 3][word]
    }
  }
}

extension ServiceConfiguration {
  /// The configuration `wanted` with everything in it that only a restart can change as it is in this one, which runs.
  ///
  /// - Returns: that configuration, and the sections or keys in which both differ.
  func running(insteadOf wanted: ServiceConfiguration) -> (configuration: ServiceConfiguration, restart: [String]) {
    var (result, restart) = (wanted, [String]())
    func keepFor<Value: Equatable>(_ name: String, _ path: WritableKeyPath<ServiceConfiguration, Value>) {
      guard result[keyPath: path] != self[keyPath: path] else { return }
      result[keyPath: path] = self[keyPath: path]
      restart.append(name)
    }
    keepFor("socket", \.socket)
    keepFor("source", \.source)
    keepFor("camera.name", \.camera.name)
    keepFor("camera.keepOpen", \.camera.keepOpen)
    keepFor("camera.closeAfter", \.camera.closeAfter)
    if result.cameras.map(\.fixed) != cameras.map(\.fixed) {
      result.cameras = cameras
      restart.append("cameras")
    }
    keepFor("isolation", \.isIsolated)
    keepFor("trigger", \.trigger)
    // What features read by themselves.
    let fixed = schema.features.flatMap(\.keys).filter { $0.change == .restart }.map(\.path)
    restart += fixed.filter { result.values[$0] != values[$0] }
    result.values = result.values.keeping(fixed, of: values)
    return (result, restart)
  }
}
