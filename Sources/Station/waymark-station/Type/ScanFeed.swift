import WaymarkClient
import WaymarkProtocol
import WaymarkService
import WaymarkStation
import WaymarkSystem

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
    /// The camera whose codes are typed; nil for all, of which the first is armed.
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
  /// The id of the scan that this client has armed; nil if none.
  private var own: String?
  /// With `arm: key`, the id of the scan whose first code was typed; nil before that.
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

  /// Applies new settings: the scan that this client has armed is replaced, or ended.
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

  /// Returns the code to type after an event.
  mutating func code(in event: Event) async -> ScanSuccessful? {
    switch event.body {
    case .scanEnded(let ended):
      // Arms a scan again after another client's scan or this client's own scan ended. A scan that this client's
      // scan replaced is ignored.
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
      // The connection is over, which is reported separately.
      return false
    }
  }
}
