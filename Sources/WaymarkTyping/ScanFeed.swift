package import WaymarkClient
package import WaymarkProtocol
package import WaymarkService
import WaymarkSystem

/// Selects the codes to type from the service's events, and keeps a scan armed for them.
package struct ScanFeed {
  /// The events to subscribe to.
  package static let events = ["scan.successful", "scan.ended", "profile.changed"]

  /// An observer is not told what codes say.
  package static let observes = ClientError(
    code: "notPermitted", message: "Typing needs the role operator: observers do not receive the text of codes.",
    hint: "Join the group that owns the socket, or name this user under roles.operators.")

  private var arm: ServiceConfiguration.Typing.Arm
  private var symbologies: [String]?
  private let onProblem: @Sendable (ServiceError) -> Void
  private var client: WaymarkClient?
  /// The scan that was armed last.
  private var own: String?
  /// The scan whose one code was typed.
  private var done: String?

  /// - Parameter onProblem: told why a scan could not be armed.
  package init(
    arm: ServiceConfiguration.Typing.Arm, symbologies: [String]?, onProblem: @escaping @Sendable (ServiceError) -> Void
  ) {
    self.arm = arm
    self.onProblem = onProblem
    self.symbologies = symbologies
  }

  /// Connected: arms its scan, where it is to have one.
  ///
  /// - Returns: whether a scan is armed whose codes are typed.
  package mutating func connected(_ client: WaymarkClient, armed: Bool) async -> Bool {
    self.client = client
    done = nil
    return arm == .always ? await begin() : armed
  }

  /// Selects by other settings from now on: a scan of one's own is armed again with them, or ended.
  package mutating func use(arm: ServiceConfiguration.Typing.Arm, symbologies: [String]?) async {
    guard arm != self.arm || symbologies != self.symbologies else { return }
    let hadOwn = self.arm == .always
    (self.arm, self.symbologies, done) = (arm, symbologies, nil)
    if arm == .always {
      _ = await begin()
    } else if hadOwn, let own {
      _ = try? await client?.send(ScanCancelRequest(scan: own))
    }
  }

  /// The connection is over.
  package mutating func disconnected() { client = nil }

  /// The code to be typed that an event tells of.
  package mutating func code(in event: Event) async -> ScanSuccessful? {
    switch event.body {
    case .scanEnded:
      // The client that held the camera is done with it, or somebody took over our scan.
      if arm == .always { _ = await begin() }
      return nil
    case .scanSuccessful(let code):
      // A code with a kind waits for a person's confirmation: onboarding is not for a keyboard.
      guard code.source != .picture, code.kind == nil, code.text != nil else { return nil }
      switch arm {
      case .always: return code.by?.client == client?.hello.client ? code : nil
      case .service: return code.by == nil ? code : nil
      case .key: return code.by == nil && code.scan != done ? code : nil
      }
    default: return nil
    }
  }

  /// The code was typed: with `arm: key` the scan has done its work.
  package mutating func typed(_ code: ScanSuccessful) async {
    guard arm == .key else { return }
    done = code.scan
    // If it ended by itself, so much the better.
    _ = try? await client?.send(ScanCancelRequest(scan: code.scan))
  }

  /// Arms a scan of one's own; another client's is waited for.
  private mutating func begin() async -> Bool {
    guard let client else { return false }
    do {
      own = try await client.send(ScanBeginRequest(mode: .barcode, symbologies: symbologies)).scan
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
