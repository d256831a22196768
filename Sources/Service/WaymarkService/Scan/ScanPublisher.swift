import Logging
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkServer

/// Tells what comes of the armed scan, in the words of the wire.
@ServiceActor
struct ScanPublisher {
  /// The frame or picture in which an effect was seen, and the rules by which it is shown.
  struct View {
    /// The frame at hand.
    var frame: FrameReference?
    /// The kind of source that a verdict comes from.
    var source: ScanSource
    /// The id of a picture of the gallery.
    var picture: String?
    var policy: OnboardingPolicy
  }

  private unowned let hub: Hub
  /// The camera whose scan it is, where there are several.
  private let camera: String?
  /// Called when a person went on with an accepted onboarding code.
  var onConfirmed: @ServiceActor (ScanSuccessful) -> Void = { _ in }

  init(hub: Hub, camera: String?) { (self.hub, self.camera) = (hub, camera) }

  func publish(_ effect: ScanMachine.Effect, _ view: View) {
    switch effect {
    case .successful(let scan, let success):
      let event = successful(scan, success, view)
      hub.log.subsystem(.scan).info(
        "a code was accepted", metadata: ["scan": "\(scan.id)", "kind": "\(event.kind ?? event.symbology)"])
      hub.publish(event, camera: camera, frame: view.frame)
    case .invalid(let scan, let reason, let result):
      hub.log.subsystem(.scan).info(
        "a code was refused", metadata: ["scan": "\(scan.id)", "reason": "\(reason.rawValue)"])
      hub.publish(
        ScanInvalid(
          scan: scan.id, context: scan.request.context, reason: RefusalReason(reason),
          kind: result.verdict.kind?.rawValue, corners: result.corners.map(ScanWire.corners), source: view.source,
          picture: view.picture, by: hub.actor(scan.request.owner)), camera: camera, frame: view.frame)
    case .unsuccessful(let scan, let reason, let missing, let corners):
      hub.publish(
        ScanUnsuccessful(
          scan: scan.id, context: scan.request.context, reason: ScanWire.reason(reason),
          missing: missing.isEmpty ? nil : missing, corners: corners.map(ScanWire.corners), source: view.source,
          by: hub.actor(scan.request.owner)), camera: camera)
    case .guide(let scan, let advice):
      hub.publish(
        ScanGuide(
          scan: scan.id, context: scan.request.context, advice: ScanAdvice(advice.advice),
          corners: advice.corners.map(ScanWire.corners),
          by: hub.actor(scan.request.owner)), camera: camera,
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
        ScanEnded(scan: scan.id, context: scan.request.context, reason: ScanEnding(ending), by: hub.actor(owner)),
        camera: camera)
    // Nothing that anybody is told.
    case .began, .refused, .changed, .record, .notRecorded: break
    }
  }

  /// An accepted code as its event tells it.
  func successful(
    _ scan: ScanMachine.Scan, _ success: ScanMachine.Success, _ view: View
  ) -> ScanSuccessful {
    ScanWire.successful(
      scan.id, scan.request.context, success, source: view.source, picture: view.picture,
      by: hub.actor(scan.request.owner), policy: view.policy)
  }
}
