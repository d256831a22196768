import Logging
import NIOPosix
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkServer
import WaymarkSystem

/// Publishes the effects of the armed scan as events, and logs them. The file also has the writing of confirmations
/// (`ConfirmationWriter`), and the outcomes that are still expected (`AwaitedOutcomes`).
@ServiceActor
struct ScanPublisher {
  /// The origin of an effect, and the policy that decides what observers may see of it.
  struct View {
    var frame: FrameReference?
    /// The kind of the source: a camera, a stream, a folder, or a single picture.
    var source: ScanSource
    /// The id of the picture in the gallery; nil for frames and for pictures that clients sent.
    var picture: String?
    var policy: OnboardingPolicy
  }

  private unowned let hub: Hub
  /// The name of the camera; nil if there is only one camera.
  private let camera: String?
  /// Called when an onboarding code was confirmed.
  var onConfirmed: @ServiceActor (ScanSuccessful) -> Void = { _ in }

  init(hub: Hub, camera: String?) { (self.hub, self.camera) = (hub, camera) }

  func publish(_ effect: LiveScan.Effect, _ view: View) {
    switch effect {
    case .successful(let scan, let success):
      let event = successful(scan, success, view)
      hub.log.subsystem(.scan).info(
        "a code was accepted", metadata: ["scan": "\(scan.id)", "kind": "\(event.kind ?? event.symbology)"])
      hub.publish(event, camera: camera, frame: view.frame)
    case .invalid(let scan, let reason, let result):
      hub.log.subsystem(.scan).info(
        "a code was refused", metadata: ["scan": "\(scan.id)", "reason": "\(reason.rawValue)"])
      let event = ScanWire.invalid(
        scan.id, scan.request.context, reason, result, source: view.source, picture: view.picture,
        by: hub.actor(scan.request.owner))
      hub.publish(event, camera: camera, frame: view.frame)
    case .unsuccessful(let scan, let reason, let missing, let corners):
      hub.publish(
        ScanUnsuccessful(
          scan: scan.id, context: scan.request.context, reason: reason,
          missing: missing.isEmpty ? nil : missing, corners: corners.map(ScanWire.corners), source: view.source,
          by: hub.actor(scan.request.owner)), camera: camera)
    case .guide(let scan, let advice):
      hub.publish(
        ScanGuide(
          scan: scan.id, context: scan.request.context, advice: ScanAdvice(advice.advice),
          corners: advice.corners.map(ScanWire.corners), by: hub.actor(scan.request.owner)), camera: camera,
        frame: view.frame)
    case .confirmed(let scan, let success, let owner):
      hub.log.subsystem(.scan).info("a scan was confirmed", metadata: ["scan": "\(scan.id)"])
      hub.publish(ScanConfirmed(scan: scan.id, context: scan.request.context, by: hub.actor(owner)), camera: camera)
      if scan.request.mode == .onboarding { onConfirmed(successful(scan, success, view)) }
    case .cancelled(let scan, let ending, let owner):
      guard let reason = CancelReason(ending) else { return }
      hub.publish(
        ScanCancelled(scan: scan.id, context: scan.request.context, reason: reason, by: hub.actor(owner)),
        camera: camera)
    case .ended(let scan, let ending, let owner):
      hub.publish(
        ScanEnded(scan: scan.id, context: scan.request.context, reason: ending, by: hub.actor(owner)),
        camera: camera)
    // These effects have no event.
    case .began, .refused, .changed, .record, .notRecorded: break
    }
  }

  func successful(
    _ scan: LiveScan.Scan, _ success: LiveScan.Success, _ view: View
  ) -> ScanSuccessful {
    ScanWire.successful(
      scan.id, scan.request.context, success, source: view.source, picture: view.picture,
      by: hub.actor(scan.request.owner), policy: view.policy)
  }
}

// MARK: - Confirmations

/// Writes confirmations to the replay guard on another thread. The requests to confirm wait for the result.
@ServiceActor
final class ConfirmationWriter {
  /// The write in progress. Its result is true for the first confirmation of the code, false for a repeated confirmation, nil if it
  /// could not be written.
  private var recording: Task<Bool?, Never>?
  private let log: Logger

  init(log: Logger) { self.log = log }

  /// Starts to write a confirmation.
  ///
  /// - Parameter then: receives the result before the waiting requests resume.
  func write(
    _ entry: ReplayEntry, to replayGuard: (any ReplayGuard)?, then: @escaping @ServiceActor (Bool?) -> Void
  ) {
    let log = log
    recording = Task { @ServiceActor in
      var isFirst: Bool?
      if let replayGuard {
        do {
          isFirst = try await BlockingWork.records.runIfActive { try replayGuard.record(entry) }
        } catch {
          log.error("\((error as? ServiceProblem)?.message ?? "\(error)")")
        }
      }
      then(isFirst)
      return isFirst
    }
  }

  /// Returns the write in progress and removes it, so that only one reply waits for it; nil without a write in progress.
  func take() -> Task<Bool?, Never>? {
    defer { recording = nil }
    return recording
  }

  /// Waits until a confirmation is written.
  ///
  /// - Throws: `internalError` if it could not be written, `replayed` if the code had already been confirmed.
  nonisolated static func written(_ recording: Task<Bool?, Never>?) async throws {
    guard let recording else { return }
    switch await recording.value {
    case true?: return
    case false?: throw ScanWire.alreadyConfirmed
    case nil:
      throw ServiceError(
        .internalError, "The confirmation could not be saved.",
        hint: "Check replay.folder: its disk may be full or it may not be written.")
    }
  }
}

/// The confirmed scans whose onboarding has not been reported as ended yet: the newest 64 of the last ten minutes.
struct AwaitedOutcomes {
  /// The seconds after the confirmation within which the outcome may be reported.
  static let within = 600.0
  static let most = 64

  private var scans: [(id: String, context: JSONValue?, confirmed: Double)] = []

  /// Adds a scan that was confirmed at `now`, in seconds of the monotonic clock.
  mutating func confirmed(_ id: String, _ context: JSONValue?, at now: Double) {
    scans.removeAll { now - $0.confirmed > Self.within }
    if scans.count == Self.most { scans.removeFirst() }
    scans.append((id, context, now))
  }

  /// Removes the scan of a report, and returns its event.
  ///
  /// - Throws: `notFound` if the scan is not awaited.
  mutating func take(_ report: OnboardingOutcomeRequest, at now: Double, by actor: Actor?) throws -> OnboardingEnded {
    scans.removeAll { now - $0.confirmed > Self.within }
    guard let index = scans.firstIndex(where: { $0.id == report.scan }) else {
      throw ServiceError(
        .notFound, "No confirmed scan with this id waits for its outcome.",
        hint: "Report the outcome once, within ten minutes of scan.confirmed, with the scan of that event.")
    }
    let scan = scans.remove(at: index)
    return OnboardingEnded(
      scan: scan.id, context: scan.context, outcome: report.outcome, reason: report.reason, text: report.text, by: actor
    )
  }
}
