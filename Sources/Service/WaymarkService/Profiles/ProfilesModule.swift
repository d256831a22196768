import Logging
import NIOCore
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem

/// Serves `profile.*`, and puts profiles in use. `ProfileChooser` decides; this module adds the clocks, and the
/// translation to the protocol.
@ServiceActor
package final class ProfilesModule: ServiceModule {
  private unowned let hub: Hub
  private var profiles: [ServiceProfile]
  private var chooser: ProfileChooser
  private var timer: Scheduled<Void>?
  private var isStopped = false
  private var active = ProfileStatus(reason: .none)
  /// Called when the profile in use has changed, with its name; nil for the settings without a profile.
  var onChange: @ServiceActor (String?) -> Void = { _ in }

  /// Creates the module with the profiles of the configuration.
  package init(hub: Hub, profiles: [ServiceProfile]) {
    self.hub = hub
    self.profiles = profiles
    chooser = ProfileChooser(profiles)
  }

  package var features: [String] { profiles.isEmpty ? [] : ["profiles"] }

  var activeName: String? { chooser.choice.profile }

  package func start() { handle(.tick) }

  package func stop() {
    isStopped = true
    timer?.cancel()
  }

  /// Replaces the profiles. The profile that a client or a code chose stays in use if it still exists.
  ///
  /// - Returns: the name of the profile in use, or `nil`. `onChange` is not called, since the caller applies all
  ///   settings.
  package func use(_ profiles: [ServiceProfile]) -> String? {
    self.profiles = profiles
    handle(.profiles(profiles), applies: false)
    return activeName
  }

  /// Chooses a profile by the text of a code.
  ///
  /// - Returns: true if a profile has this code, in which case the caller does not publish the code.
  package func take(_ code: String) -> Bool {
    guard profiles.contains(where: \.hasCodes), chooser.profile(for: code) != nil else { return false }
    handle(.code(code))
    return true
  }

  package func contribute(to snapshot: inout Snapshot) { snapshot.profile = profiles.isEmpty ? nil : active }

  package func register(in methods: inout MethodTable) {
    methods.add(ProfileListRequest.self) { [self] _, _ in
      ProfileListResult(profiles: profiles.map(ProfileDescription.init), active: active)
    }
    methods.add(ProfileUseRequest.self) { [self] request, connection in
      if let name = request.profile, !chooser.has(name) { throw unknown(name) }
      handle(.request(request.profile, client: connection.number, seconds: request.seconds))
      return active
    }
  }

  private func unknown(_ name: String) -> ServiceError {
    let shown = DisplayText.escaped(name, limit: 64)
    guard !profiles.isEmpty else {
      return ServiceError(
        .notConfigured, "There is no profile \"\(shown)\": none are configured.", hint: "Write them under profiles.")
    }
    let near = NearestWord.hint(name, among: profiles.map(\.name))
    return ServiceError(
      .notFound, "There is no profile \"\(shown)\".", hint: near ?? "profile.list names those that there are.")
  }

  // MARK: The choice of a profile

  private func handle(_ input: ProfileChooser.Input, applies: Bool = true) {
    guard !isStopped else { return }
    let now = MonotonicClock.now
    if let choice = chooser.handle(input, at: now, LocalMoment(seconds: hub.wall())) {
      changed(choice, at: now, applies)
    }
    timer?.cancel()
    timer = chooser.deadline(at: now, LocalMoment(seconds: hub.wall())).map { due in
      // 50 ms late, since only whole seconds of the wall clock are compared.
      ServiceActor.schedule(after: due - now + 0.05) { [weak self] in self?.handle(.tick) }
    }
  }

  private func changed(_ choice: ProfileChooser.Choice, at now: Double, _ applies: Bool) {
    let isOther = choice.profile != active.profile
    active = status(choice, at: now)
    if isOther {
      hub.log.subsystem(.service).notice(
        "another profile is in use",
        metadata: ["profile": "\(choice.profile ?? "none")", "reason": "\(active.reason.rawValue)"])
      if applies { onChange(choice.profile) }
    }
    hub.publish(active)
  }

  private func status(_ choice: ProfileChooser.Choice, at now: Double) -> ProfileStatus {
    var status = ProfileStatus(profile: choice.profile, reason: .none)
    switch choice.reason {
    case .none: break
    case .request(let client):
      status.reason = .request
      status.by = hub.actor(client)
    case .code: status.reason = .code
    case .schedule: status.reason = .schedule
    }
    status.until = choice.until.map { WallClock.timestamp(seconds: Int(hub.wall() + $0 - now)) }
    status.cues = choice.profile.flatMap { name in profiles.first { $0.name == name }?.cues }
    return status
  }
}

extension ProfileDescription {
  init(_ profile: ServiceProfile) {
    func list(_ words: [String]) -> [String]? { words.isEmpty ? nil : words }
    self.init(
      profile: profile.name, days: list(profile.days.map(\.rawValue)), times: list(profile.times.map(\.text)),
      codes: profile.hasCodes)
  }
}
