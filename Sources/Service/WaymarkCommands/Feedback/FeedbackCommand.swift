import ArgumentParser
import FoundationEssentials
import Glibc
import WaymarkClient
import WaymarkProtocol
import WaymarkService
import WaymarkSystem

/// `waymark feedback`: signals the results of scans by sound, LED and vibration (`FeedbackOutput`).
struct FeedbackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feedback",
    abstract: "Signal the results of scans by sound, LED and vibration.",
    discussion: """
      Cues are read (a code was read), accepted (one was accepted for onboarding), refused (one was refused, or none \
      could be read), separated by commas, or all. Only the cues that are named are signalled.
      Examples:
        waymark feedback --sound all --led green:status=read,accepted --vibrate refused --vibrator /dev/input/event3
        waymark feedback --sound all --try accepted
      """)

  @OptionGroup var place: SocketOptions

  @Option(help: "Cues that are played as sounds (needs libasound2).")
  var sound: String?

  @Option(help: "How loud, from 0 to 1.")
  var volume = 0.3

  @Option(help: "The device of ALSA.")
  var soundDevice = "default"

  @Option(help: "A LED of /sys/class/leds and its cues, NAME=CUES; may be repeated.")
  var led: [String] = []

  @Option(help: "Cues that are signalled by vibration.")
  var vibrate: String?

  @Option(help: "The input device with force feedback that vibrates, such as /dev/input/event3.")
  var vibrator: String?

  @Option(name: .customLong("try"), help: "Signal this cue once, and end.")
  var trial: String?

  @Option(help: ArgumentHelp("Where LEDs are.", visibility: .hidden))
  var leds = "/sys/class/leds"

  func validate() throws {
    guard sound != nil || vibrate != nil || !led.isEmpty else {
      throw ValidationError("Name cues with --sound, --led or --vibrate.")
    }
    guard (vibrate == nil) == (vibrator == nil) else { throw ValidationError("--vibrate and --vibrator go together.") }
    guard volume.isFinite, (0...1).contains(volume) else {
      throw ValidationError("--volume takes a number from 0 to 1.")
    }
    _ = try outputs()
    if let trial, Cue(rawValue: trial) == nil { throw ValidationError("--try takes read, accepted or refused.") }
  }

  /// Returns the outputs with the cues that they signal. For an LED, the output is nil and the name is set: the LED is looked up
  /// only when the command runs.
  private func outputs() throws -> [(cues: Set<Cue>, name: String, output: FeedbackOutput?)] {
    func cues(_ text: String) throws -> Set<Cue> {
      guard let cues = Cue.list(text) else {
        throw ValidationError(
          "\"\(text)\" is not a list of cues: read, accepted, refused, separated by commas, or all.")
      }
      return cues
    }
    var outputs: [(Set<Cue>, String, FeedbackOutput?)] = []
    if let sound { outputs.append((try cues(sound), "", .sound(device: soundDevice, volume: volume))) }
    if let vibrate, let vibrator { outputs.append((try cues(vibrate), "", .vibrator(path: vibrator))) }
    for entry in led {
      // The names of LEDs, such as input3::capslock, never contain an equals sign.
      guard let split = entry.lastIndex(of: "=") else { throw ValidationError("--led takes NAME=CUES, not \(entry).") }
      outputs.append((try cues(String(entry[entry.index(after: split)...])), String(entry[..<split]), nil))
    }
    return outputs
  }

  func run() async throws {
    do {
      let outputs = try outputs().map { entry -> (Set<Cue>, FeedbackOutput) in
        (entry.cues, try entry.output ?? .led(LED(name: entry.name, root: leds)))
      }
      if let cue = trial.flatMap(Cue.init(rawValue:)) {
        for (cues, output) in outputs where cues.contains(cue) {
          try output.signal(cue, wait: Self.wait)
        }
        return
      }
      try await follow(
        outputs.enumerated().map { index, entry in
          FeedbackLane(
            cues: entry.0, label: "waymark.feedback.\(index)",
            signal: { cue throws(FeedbackError) in try entry.1.signal(cue, wait: Self.wait) },
            onProblem: { Output.diagnostic("waymark: \($0.code.rawValue): \($0.message)\n  \($0.hint)") })
        })
    } catch is CancellationError {
      return
    }
  }

  private func follow(_ lanes: [FeedbackLane]) async throws {
    let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
    ServiceManager.clearEnvironment()
    manager.ready("Signalling the results of scans")
    let events = ["scan.successful", "scan.invalid", "scan.unsuccessful", ProfileStatus.event]
    // The cues enabled by the current profile; `nil` for all.
    var signalled: Set<Cue>?
    for try await update in WaymarkClient.updates(at: place.path, events: events) {
      switch update {
      case .connected(_, let snapshot): signalled = Self.cues(snapshot.profile)
      case .event(let received):
        if case .profileStatus(let status) = received.event.body { signalled = Self.cues(status) }
        guard let cue = Self.cue(received.event), signalled?.contains(cue) ?? true else { continue }
        for lane in lanes { lane.push(cue) }
      case .disconnected(let error, _): Output.diagnostic("waymark: \(error.message) Trying again.")
      }
    }
  }

  private static func cues(_ status: ProfileStatus?) -> Set<Cue>? {
    status?.cues.map { Set($0.compactMap(Cue.init(rawValue:))) }
  }

  private static func cue(_ event: Event) -> Cue? {
    switch event.body {
    case .scanSuccessful(let code): Cue(event: ScanSuccessful.event, hasKind: code.kind != nil)
    case .scanInvalid: Cue(event: ScanInvalid.event, hasKind: true)
    case .scanUnsuccessful: Cue(event: ScanUnsuccessful.event, hasKind: false)
    default: nil
    }
  }

  private static func wait(_ seconds: Double) { usleep(UInt32(seconds * 1e6)) }
}

extension FeedbackErrorCode: CommandErrorCode {
  package var exitStatus: ExitStatus { self == .noLED ? .cannotOpen : .unavailable }
}
