package import WaymarkConfiguration
package import WaymarkSystem

/// The name of a profile and the conditions under which it is chosen. `ServiceConfiguration.using(profile:)` reads its settings.
/// `ProfileChooser` below decides which profile is in use.
package struct ServiceProfile: Sendable {
  package let name: String
  /// The days of the week; empty for all if there are times.
  package var days: [Weekday] = []
  /// The times of day; empty for all day if there are days.
  package var times: [DayTime] = []
  package var codes: Set<String> = []
  var codePattern: RegularExpression?
  /// The seconds after which a choice by a code ends; nil for no limit.
  var holdFor: Double?
  /// The cues that are signalled; nil for all.
  package var cues: [String]?

  package init(_ name: String) { self.name = name }

  /// True if the profile is chosen by the time of day or the day of the week.
  var hasSchedule: Bool { !days.isEmpty || !times.isEmpty }

  var hasCodes: Bool { !codes.isEmpty || codePattern != nil }

  /// Returns whether the profile's schedule contains a moment. A time over midnight belongs to the day on which it begins.
  package func isDue(_ moment: LocalMoment) -> Bool {
    guard hasSchedule else { return false }
    guard !times.isEmpty else { return days.contains(moment.day) }
    return times.contains { time in
      guard let day = time.beginning(moment) else { return false }
      return days.isEmpty || days.contains(day)
    }
  }

  func isChosen(by text: String) -> Bool { codes.contains(text) || codePattern?.matches(text) == true }
}

extension ServiceProfile {
  /// Reads the profiles of a configuration file, in its order, and the problems of their schedules and codes.
  package static func read(
    _ document: ConfigurationDocument
  ) -> (profiles: [ServiceProfile], problems: [ConfigurationProblem]) {
    var problems: [ConfigurationProblem] = []
    var profiles: [ServiceProfile] = []
    for entry in document.checked["profiles"]?.entries ?? [] {
      let path = "profiles.\(entry.key)"
      func wrong(_ message: String, _ key: String, _ node: SourceNode?, hint: String) {
        problems.append(document.problem(message, key, node ?? entry.node, hint: hint))
      }
      guard entry.key.wholeMatch(of: #/[A-Za-z0-9][A-Za-z0-9_\-]{0,63}/#) != nil else {
        wrong(
          "it is not a name for a profile", path, nil, hint: "Use letters, digits, - and _, 64 characters at most.")
        continue
      }
      guard profiles.count < ProfileKeys.limit else {
        wrong("there are more than \(ProfileKeys.limit) profiles", path, nil, hint: "Leave some out.")
        continue
      }
      var profile = ServiceProfile(entry.key)
      let when = entry.node["when"]
      profile.days = (when?["days"]?.strings ?? []).compactMap(Weekday.init(rawValue:))
      for node in when?["times"]?.elements ?? [] {
        if let time = node.string.flatMap({ DayTime($0) }) {
          profile.times.append(time)
        } else {
          wrong(
            "\"\(node.string ?? "")\" is not a time of day", "\(path).when.times", node,
            hint: "Write \"08:00-17:30\", from 00:00 to 24:00.")
        }
      }
      profile.codes = Set(when?["codes"]?.strings ?? [])
      if let node = when?["codePattern"], let expression = node.string {
        do throws(RegularExpressionFlaw) {
          profile.codePattern = try RegularExpression(expression)
        } catch {
          wrong(error.message, "\(path).when.codePattern", node, hint: "Correct the regular expression.")
        }
      }
      profile.holdFor = when?["holdFor"]?.double
      profile.cues = entry.node.at("feedback.cues")?.strings
      if profile.hasCodes, let node = entry.node["onboarding"] {
        wrong(
          "a profile that a code chooses cannot change what is accepted for onboarding", "\(path).onboarding", node,
          hint: "Any visitor can show a code: choose the profile in another way, or leave the section out.")
      }
      profiles.append(profile)
    }
    return (profiles, problems.inOrder)
  }
}

// MARK: - The choice of a profile

/// Decides which profile is in use: the profile that a client or a code chose, or else the first profile whose schedule contains
/// the moment, or else none. A state machine whose inputs contain the time, in seconds of a monotonic clock.
package struct ProfileChooser: Sendable {
  package enum Reason: Hashable, Sendable {
    case none
    case request(client: Int)
    case code
    case schedule
  }

  /// The profile in use, or nil for the settings without a profile, and the reason.
  package struct Choice: Hashable, Sendable {
    package var profile: String?
    package var reason: Reason
    /// The time at which the choice ends, in seconds of the clock of the inputs; nil if the choice lasts until it is replaced.
    package var until: Double?

    static let usual = Choice(profile: nil, reason: .none)
  }

  package enum Input: Sendable {
    /// A client requests a profile, for a number of seconds or without end; a nil profile ends the choice of any client or code.
    case request(String?, client: Int, seconds: Double?)
    case code(String)
    case profiles([ServiceProfile])
    case tick
  }

  private var profiles: [ServiceProfile]
  /// The choice by a client or a code, or `nil`.
  private var made: Choice?
  /// The texts of codes that were in view, and when they were last seen, the newest last.
  private var seen: [(text: String, time: Double)] = []
  package private(set) var choice = Choice.usual

  /// The seconds that a code must be out of view before it chooses a profile again.
  static let newAfter = 2.0
  /// The maximum number of codes that are remembered.
  private static let memory = 16

  /// Creates a chooser.
  ///
  /// - Parameter profiles: the profiles. Of several that apply, the first is chosen.
  package init(_ profiles: [ServiceProfile]) { self.profiles = profiles }

  /// True if at least one profile has a schedule.
  var hasSchedule: Bool { profiles.contains(where: \.hasSchedule) }

  package func has(_ name: String) -> Bool { profiles.contains { $0.name == name } }

  package func profile(for code: String) -> ServiceProfile? { profiles.first { $0.isChosen(by: code) } }

  /// Returns the time at which the input `tick` is due, in seconds of the clock of the inputs; nil if it is not due.
  package func deadline(at now: Double, _ moment: LocalMoment) -> Double? {
    let minute = hasSchedule ? now + Double(60 - min(moment.second, 59)) : nil
    guard let until = made?.until else { return minute }
    return min(until, minute ?? until)
  }

  /// Processes an input.
  ///
  /// - Returns: the new choice; nil if it has not changed.
  package mutating func handle(_ input: Input, at now: Double, _ moment: LocalMoment) -> Choice? {
    if let until = made?.until, until <= now { made = nil }
    switch input {
    case .request(let name?, let client, let seconds):
      made = Choice(profile: name, reason: .request(client: client), until: seconds.map { now + $0 })
    case .request(nil, _, _): made = nil
    case .code(let text): scanned(text, at: now)
    case .profiles(let new):
      profiles = new
      if let name = made?.profile, !has(name) { made = nil }
    case .tick: break
    }
    let before = choice
    choice = current(moment)
    return choice == before ? nil : choice
  }

  private mutating func scanned(_ text: String, at now: Double) {
    let last = seen.firstIndex { $0.text == text }.map { seen.remove(at: $0).time }
    seen.append((text, now))
    if seen.count > Self.memory { seen.removeFirst() }
    // A code that stays in view chooses once: two codes in view would otherwise alternate with every frame.
    if let last, now - last < Self.newAfter { return }
    guard let profile = profile(for: text) else { return }
    made = Choice(profile: profile.name, reason: .code, until: profile.holdFor.map { now + $0 })
  }

  private func current(_ moment: LocalMoment) -> Choice {
    if let made { return made }
    if let profile = profiles.first(where: { $0.isDue(moment) }) {
      return Choice(profile: profile.name, reason: .schedule)
    }
    return .usual
  }
}
