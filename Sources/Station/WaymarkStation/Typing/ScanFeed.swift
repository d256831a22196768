package import WaymarkClient
package import WaymarkProtocol
import WaymarkService
import WaymarkSystem

/// Selects the codes to type from the service's events, and keeps a scan armed for them.
package struct ScanFeed {
  /// The events to subscribe to.
  package static let events = ["scan.successful", "scan.ended", "profile.changed"]

  /// An observer is not told what codes say.
  package static let observes = ClientError(
    code: "notPermitted", message: "Typing needs the role operator: observers do not receive the text of codes.",
    hint: "Join the group that owns the socket, or name this user under roles.operators.")

  /// The settings of `type:` that say which codes are typed.
  package struct Choice: Equatable, Sendable {
    fileprivate let arm: TypingSettings.Arm
    /// The camera whose codes are typed; nil for any, of which the first is armed.
    fileprivate let camera: String?
    fileprivate let symbologies: [String]?

    /// The choice of a configuration.
    package init(_ typing: TypingSettings) {
      (arm, camera, symbologies) = (typing.arm, typing.camera, typing.symbologies)
    }
  }

  private var choice: Choice
  private let onProblem: @Sendable (ServiceError) -> Void
  private var client: WaymarkClient?
  /// The names of the service's cameras, the first one's first; none where it has one camera.
  private var cameras: [String] = []
  /// The scan of one's own that is armed.
  private var own: String?
  /// The scan whose one code was typed.
  private var done: String?

  /// - Parameter onProblem: told why a scan could not be armed.
  package init(_ choice: Choice, onProblem: @escaping @Sendable (ServiceError) -> Void) {
    self.choice = choice
    self.onProblem = onProblem
  }

  /// Connected: arms its scan, where it is to have one.
  ///
  /// - Parameter snapshot: the state of the service.
  /// - Returns: whether a scan is armed whose codes are typed.
  package mutating func connected(_ client: WaymarkClient, _ snapshot: Snapshot) async -> Bool {
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

  /// Selects by other settings from now on: a scan of one's own is armed again with them, or ended.
  package mutating func use(_ new: Choice) async {
    guard new != choice else { return }
    let old = choice
    (choice, done) = (new, nil)
    // One in another camera is not replaced by the next.
    if old.arm == .always, new.arm != .always || new.camera != old.camera, let own {
      self.own = nil
      _ = try? await client?.send(ScanCancelRequest(scan: own))
    }
    if new.arm == .always { _ = await begin() } else if client != nil { checkCamera() }
  }

  /// The connection is over.
  package mutating func disconnected() { client = nil }

  /// The code to be typed that an event tells of.
  package mutating func code(in event: Event) async -> ScanSuccessful? {
    switch event.body {
    case .scanEnded(let ended):
      // The client that held the camera is done with it, or somebody took over our scan; not what our own scan took the place of.
      guard choice.arm == .always, own == nil || own == ended.scan,
        event.camera == nil || event.camera == choice.camera ?? cameras.first
      else { return nil }
      _ = await begin()
      return nil
    case .scanSuccessful(let code):
      // A code with a kind waits for a person's confirmation: onboarding is not for a keyboard.
      guard code.source != .picture, code.kind == nil, code.text != nil else { return nil }
      // Where there is one camera, events do not name it.
      guard choice.camera == nil || event.camera == nil || event.camera == choice.camera else { return nil }
      switch choice.arm {
      case .always: return code.by?.client == client?.hello.client ? code : nil
      case .service: return code.by == nil ? code : nil
      case .key: return code.by == nil && code.scan != done ? code : nil
      }
    default: return nil
    }
  }

  /// The code was typed: with `arm: key` the scan has done its work.
  package mutating func typed(_ code: ScanSuccessful) async {
    guard choice.arm == .key else { return }
    done = code.scan
    // If it ended by itself, so much the better.
    _ = try? await client?.send(ScanCancelRequest(scan: code.scan))
  }

  /// Tells of a camera that the service does not have: nothing would ever be typed.
  private func checkCamera() {
    guard let camera = choice.camera, !cameras.isEmpty, !cameras.contains(camera) else { return }
    onProblem(
      ServiceError(
        .notFound, "The service has no camera of the name that type.camera gives.",
        hint: ServiceConfiguration.hint(of: cameras)))
  }

  /// Arms a scan of one's own; another client's is waited for.
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
      // The connection is over, which is reported separately.
      return false
    }
  }
}
