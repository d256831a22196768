package import WaymarkSystem

/// Decides which profile is in use: one that a client asked for or whose code was scanned, else that of the hour, else none. A
/// value: its times are given to it, in seconds of a clock that runs evenly.
package struct ProfileChooser: Sendable {
  /// The reason why a profile is in use.
  package enum Reason: Hashable, Sendable {
    /// Nothing chose one.
    case none
    /// A client asked for it.
    case request(client: Int)
    /// Its code was scanned.
    case code
    /// Its days and times.
    case schedule
  }

  /// The profile in use, nil for the usual settings, and why.
  package struct Choice: Hashable, Sendable {
    package var profile: String?
    package var reason: Reason
    /// When it ends by itself.
    package var until: Double?

    /// The usual settings.
    static let usual = Choice(profile: nil, reason: .none)
  }

  package enum Input: Sendable {
    /// A client asks for a profile, for some seconds or for good; nil takes its or another's choice back.
    case request(String?, client: Int, seconds: Double?)
    /// A code with this text was read.
    case code(String)
    /// The configuration was read again.
    case profiles([ServiceProfile])
    /// Time has passed.
    case tick
  }

  private var profiles: [ServiceProfile]
  /// The choice that somebody made.
  private var made: Choice?
  /// Codes that were in view, the newest last.
  private var seen: [(text: String, time: Double)] = []
  /// The choice that holds.
  package private(set) var choice = Choice.usual

  /// Seconds out of view after which a code chooses again.
  static let newAfter = 2.0
  /// So many codes in view are told apart.
  private static let memory = 16

  /// A chooser among these, in the order in which they are tried.
  package init(_ profiles: [ServiceProfile]) { self.profiles = profiles }

  /// True if the time of day decides about one of them.
  var hasSchedule: Bool { profiles.contains(where: \.hasSchedule) }

  /// True if there is a profile of this name.
  package func has(_ name: String) -> Bool { profiles.contains { $0.name == name } }

  /// The profile that a code chooses.
  package func profile(for code: String) -> ServiceProfile? { profiles.first { $0.isChosen(by: code) } }

  /// When the next input is due if nothing happens, in seconds of the clock of the inputs; nil: never.
  package func deadline(at now: Double, _ moment: LocalMoment) -> Double? {
    let minute = hasSchedule ? now + Double(60 - min(moment.second, 59)) : nil
    guard let until = made?.until else { return minute }
    return min(until, minute ?? until)
  }

  /// Takes an input.
  ///
  /// - Returns: the choice that holds now, where it is another.
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
    // A code that stays in view chooses once: two of them would choose in turns with every frame.
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
