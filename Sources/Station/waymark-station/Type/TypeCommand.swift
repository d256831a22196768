import ArgumentParser
import Foundation
import Glibc
import WaymarkClient
import WaymarkCommands
import WaymarkProtocol
import WaymarkService
import WaymarkStation
import WaymarkSystem

/// `waymark type`: types codes as a keyboard; a client of the socket like any other. `ScanFeed` below selects the codes
/// to type.
struct TypeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "type",
    abstract: "Type codes into the program that has the focus, as a keyboard-wedge scanner does.",
    discussion: """
      A virtual keyboard (/dev/uinput) works on the console, X11 and Wayland. The section type: of the \
      configuration says what is typed around a code and on which layout; docs/typing.md explains it. Codes with \
      secrets, such as Wi-Fi and onboarding codes, are never typed.

      With texts as arguments they are typed as if they had been read, and the command ends; - reads a line each from \
      standard input.
      Examples:
        waymark type --layout de --dry-run 'AB-12'
        waymark type --arm always --suffix {Tab}
      """)

  @OptionGroup var place: SocketOptions

  @Option(help: "The configuration file (else $WAYMARK_CONFIG, else the default place).")
  var config: String?

  @Option(help: "The keyboard layout that the focused program reads with, such as de.")
  var layout: String?

  @Option(help: "The variant of the layout, such as nodeadkeys.")
  var variant: String?

  @Option(help: "Whose codes are typed: service, key or always.")
  var arm: String?

  @Option(help: "The camera whose codes are typed, where the service has several.")
  var camera: String?

  @Option(help: "Typed after each code, such as {Tab}.")
  var suffix: String?

  @Option(help: "End after so many codes, typed or refused.")
  var count: Int?

  @Flag(help: "Print the keys as JSON instead of typing them; needs no /dev/uinput.")
  var dryRun = false

  @Argument(help: "Texts to type instead of codes.")
  var text: [String] = []

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count takes a number from 1 on.") }
  }

  func run() async throws {
    do {
      var flags: [String: String] = [:]
      for (key, value) in [
        ("type.layout", layout), ("type.variant", variant), ("type.arm", arm), ("type.camera", camera),
        ("type.suffix", suffix),
      ] { flags[key] = value }
      let environment = ProcessInfo.processInfo.environment
      let loader = ConfigurationLoader(
        named: config, environment: environment, flags: flags,
        isSystem: getuid() == 0 || environment["INVOCATION_ID"] != nil && environment["XDG_RUNTIME_DIR"] == nil,
        schema: Program.current.schema)
      let (configuration, problems) = loader.load()
      let typing = TypingConfiguration(configuration)
      try refuse(problems + typing.problems, separator: ". ")
      let show: @Sendable (TypingController.Plan) -> Void = { try? Output.record($0) }
      let controller = try TypingController(configuration, typing, show: dryRun ? show : nil)
      if text.isEmpty {
        try await follow(configuration, typing.settings, controller)
      } else {
        try await typeTexts(controller)
      }
    } catch is CancellationError {
      return
    } catch {
      try fail(error)
    }
  }

  private func typeTexts(_ controller: TypingController) async throws {
    controller.endOnSignals { Glibc.exit(ExitStatus.success.rawValue) }
    try await controller.attach()
    func type(_ line: String) async throws {
      try await controller.type(TypedCode(symbology: "", text: line, isSecret: controller.isSecret(line)))
    }
    for word in text {
      guard word == "-" else {
        try await type(word)
        continue
      }
      while let line = readLine(strippingNewline: true) { try await type(line) }
    }
  }

  /// Types the codes that the service reads, until the program ends.
  private func follow(
    _ configuration: ServiceConfiguration, _ settings: TypingSettings, _ controller: TypingController
  ) async throws {
    controller.endOnSignals { Glibc.exit(ExitStatus.success.rawValue) }
    try await controller.attach()
    let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
    ServiceManager.clearEnvironment()
    manager.ready("Types on the layout \(controller.layoutName)")
    var feed = ScanFeed(
      ScanFeed.Choice(settings),
      onProblem: { Output.diagnostic("waymark: \($0.message)\n  \($0.hint)") })
    var left = count ?? Int.max
    for try await update in WaymarkClient.updates(at: place.path, events: ScanFeed.events) {
      switch update {
      case .connected(let client, let snapshot):
        guard client.hello.role == .operator else { throw ScanFeed.observes }
        await use(snapshot.profile?.profile, of: configuration, controller, &feed)
        if await feed.connected(client, snapshot) {
          Output.diagnostic("waymark: the scan is armed.")
        }
      case .event(let received):
        if case .profileStatus(let status) = received.event.body {
          await use(status.profile, of: configuration, controller, &feed)
        }
        guard let code = await feed.code(in: received.event) else { continue }
        do throws(TypingError) {
          try await controller.type(
            TypedCode(
              symbology: code.symbology, text: code.text ?? "", isGS1: code.gs1 ?? false,
              isSecret: controller.isSecret(code), addOn: code.addOn, component: code.composite?.text))
          await feed.typed(code)
        } catch {
          // The code is not printed, as it may be confidential.
          Output.diagnostic("waymark: \(error.code.rawValue): \(error.message)\n  \(error.hint)")
        }
        left -= 1
        if left == 0 { return }
      case .disconnected(let error, _):
        feed.disconnected()
        Output.diagnostic("waymark: \(error.message) Trying again.")
      }
    }
  }
}

extension TypeCommand {
  /// Applies the settings of a profile, or the settings without a profile if `profile` is nil or not in the file.
  private func use(
    _ profile: String?, of usual: ServiceConfiguration, _ controller: TypingController, _ feed: inout ScanFeed
  ) async {
    let profiled = profile.map { usual.using(profile: $0) } ?? usual
    if let profile, profiled == nil {
      Output.diagnostic(
        "waymark: the service uses the profile \(DisplayText.escaped(profile, limit: 64)), which is not in the file.")
      Output.diagnostic("  Codes are typed by the usual settings; have both read the same file.")
    }
    let configuration = profiled ?? usual
    let typing = TypingConfiguration(configuration)
    do throws(TypingError) {
      try await controller.use(configuration, typing)
    } catch {
      Output.diagnostic("waymark: \(error.code.rawValue): \(error.message)\n  \(error.hint)")
    }
    await feed.use(ScanFeed.Choice(typing.settings))
  }
}

extension TypingErrorCode: CommandErrorCode {
  var exitStatus: ExitStatus {
    switch self {
    case .unknownLayout, .badKeys, .badSubstitution: .badData
    case .noKeyboard, .keyboardLost, .interrupted: .unavailable
    default: .invalid
    }
  }
}

// MARK: - Codes to type

/// Selects the codes to type from the service's events, and keeps a scan armed for them.
struct ScanFeed {
  /// The events to subscribe to.
  static let events = ["scan.successful", "scan.ended", "profile.changed"]

  /// The error for clients with the role observer.
  static let observes = ClientError(
    code: "notPermitted", message: "Typing needs the role operator: observers do not receive the text of codes.",
    hint: "Join the group that owns the socket, or name this user under roles.operators.")

  /// The settings of `type:` that select codes.
  struct Choice: Equatable, Sendable {
    fileprivate let arm: TypingSettings.Arm
    /// The camera whose codes are typed; nil for all cameras, of which the first is armed.
    fileprivate let camera: String?
    fileprivate let symbologies: [String]?

    init(_ typing: TypingSettings) {
      (arm, camera, symbologies) = (typing.arm, typing.camera, typing.symbologies)
    }
  }

  private var choice: Choice
  private let onProblem: @Sendable (ServiceError) -> Void
  private var client: WaymarkClient?
  /// The names of the service's cameras in order; empty for a single camera.
  private var cameras: [String] = []
  /// The id of the scan that this client has armed; nil without one.
  private var own: String?
  /// With `arm: key`, the id of the scan whose first code was typed; nil until a code was typed.
  private var done: String?

  /// - Parameter onProblem: receives the reason why a scan could not be armed.
  init(_ choice: Choice, onProblem: @escaping @Sendable (ServiceError) -> Void) {
    self.choice = choice
    self.onProblem = onProblem
  }

  /// Arms a scan after connecting, if it is configured.
  ///
  /// - Returns: true if a scan is armed whose codes are typed.
  mutating func connected(_ client: WaymarkClient, _ snapshot: Snapshot) async -> Bool {
    self.client = client
    cameras = snapshot.cameras?.map(\.name) ?? []
    (own, done) = (nil, nil)
    if choice.arm == .always { return await begin() }
    guard let camera = choice.camera, let all = snapshot.cameras else {
      return snapshot.scan != nil || snapshot.cameras?.contains { $0.scan != nil } == true
    }
    checkCamera()
    return all.first { $0.name == camera }?.scan != nil
  }

  /// Applies new settings. The scan that this client has armed is replaced or ended.
  mutating func use(_ new: Choice) async {
    guard new != choice else { return }
    let old = choice
    (choice, done) = (new, nil)
    // `begin` does not replace a scan of another camera.
    if old.arm == .always, new.arm != .always || new.camera != old.camera, let own {
      self.own = nil
      _ = try? await client?.send(ScanCancelRequest(scan: own))
    }
    if new.arm == .always { _ = await begin() } else if client != nil { checkCamera() }
  }

  mutating func disconnected() { client = nil }

  /// Returns the code to type after an event; nil if nothing is to be typed.
  mutating func code(in event: Event) async -> ScanSuccessful? {
    switch event.body {
    case .scanEnded(let ended):
      // Arms a scan again after another client's scan or this client's own scan ended. The end of a scan that this client's scan
      // replaced is ignored.
      guard choice.arm == .always, own == nil || own == ended.scan,
        event.camera == nil || event.camera == choice.camera ?? cameras.first
      else { return nil }
      _ = await begin()
      return nil
    case .scanSuccessful(let code):
      // A code with a kind is an onboarding code, which still has to be confirmed.
      guard code.source != .picture, code.kind == nil, code.text != nil else { return nil }
      // Events contain no camera if the service has only one.
      guard choice.camera == nil || event.camera == nil || event.camera == choice.camera else { return nil }
      switch choice.arm {
      case .always: return code.by?.client == client?.hello.client ? code : nil
      case .service: return code.by == nil ? code : nil
      case .key: return code.by == nil && code.scan != done ? code : nil
      }
    default: return nil
    }
  }

  /// Ends the scan of a typed code with `arm: key`.
  mutating func typed(_ code: ScanSuccessful) async {
    guard choice.arm == .key else { return }
    done = code.scan
    // It may have ended already.
    _ = try? await client?.send(ScanCancelRequest(scan: code.scan))
  }

  /// Reports a configured camera that the service does not have.
  private func checkCamera() {
    guard let camera = choice.camera, !cameras.isEmpty, !cameras.contains(camera) else { return }
    onProblem(
      ServiceError(
        .notFound, "The service has no camera of the name that type.camera gives.",
        hint: CameraKeys.hint(of: cameras)))
  }

  /// Arms a scan, unless another client holds the camera; returns whether it is armed.
  private mutating func begin() async -> Bool {
    own = nil
    guard let client else { return false }
    do {
      own = try await client.send(
        ScanBeginRequest(mode: .barcode, symbologies: choice.symbologies, camera: choice.camera)
      ).scan
      return true
    } catch let error as ServiceError where error.code == .busy {
      return false
    } catch let error as ServiceError {
      onProblem(error)
      return false
    } catch {
      // The connection has ended, which is reported separately.
      return false
    }
  }
}
