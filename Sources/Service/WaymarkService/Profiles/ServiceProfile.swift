package import WaymarkConfiguration
package import WaymarkSystem

/// A profile of the configuration: its name, and when it is in use by itself. What it sets is read by `ServiceConfiguration.using(profile:)`.
package struct ServiceProfile: Sendable {
  /// Its name.
  package let name: String
  /// Days of the week; all where there are times alone.
  package var days: [Weekday] = []
  /// Times of day; all where there are days alone.
  package var times: [DayTime] = []
  /// Texts of codes that choose it.
  package var codes: Set<String> = []
  /// The texts of codes that choose it, too.
  var codePattern: RegularExpression?
  /// Seconds after which the choice by a code ends.
  var holdFor: Double?
  /// The cues that are signalled; nil: all.
  package var cues: [String]?

  /// A profile that nothing chooses by itself.
  package init(_ name: String) { self.name = name }

  /// True if it depends on the time of day or of the week.
  var hasSchedule: Bool { !days.isEmpty || !times.isEmpty }

  /// True if codes choose it.
  var hasCodes: Bool { !codes.isEmpty || codePattern != nil }

  /// Returns whether its schedule holds. A time over midnight belongs to the day on which it begins.
  package func isDue(_ moment: LocalMoment) -> Bool {
    guard hasSchedule else { return false }
    guard !times.isEmpty else { return days.contains(moment.day) }
    return times.contains { time in
      guard let day = time.beginning(moment) else { return false }
      return days.isEmpty || days.contains(day)
    }
  }

  /// Returns whether a code chooses it.
  func isChosen(by text: String) -> Bool { codes.contains(text) || codePattern?.matches(text) == true }
}

extension ServiceProfile {
  /// The profiles of a configuration file in its order, and what is wrong with when they are in use.
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
          hint: "Anybody can show a code: choose the profile in another way, or leave the section out.")
      }
      profiles.append(profile)
    }
    return (profiles, problems.inOrder)
  }
}
