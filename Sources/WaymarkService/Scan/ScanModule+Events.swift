import Logging
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkOnboarding
import WaymarkPipeline
import WaymarkProtocol
import WaymarkServer

/// The armed scan's effects on the wire.
extension ScanModule {
  func publish(_ effect: Machine.Effect) {
    switch effect {
    case .successful(let scan, let success):
      let event = successful(scan, success)
      hub.log.subsystem(.scan).info(
        "a code was accepted", metadata: ["scan": "\(scan.id)", "kind": "\(event.kind ?? event.symbology)"])
      hub.publish(event, frame: frame)
    case .invalid(let scan, let reason, let result):
      hub.log.subsystem(.scan).info(
        "a code was refused", metadata: ["scan": "\(scan.id)", "reason": "\(reason.rawValue)"])
      hub.publish(
        ScanInvalid(
          scan: scan.id, context: scan.request.context, reason: reason.rawValue,
          kind: result.verdict.kind?.rawValue, corners: result.corners.map(Self.corners), source: source(scan),
          picture: pictureID(scan), by: actor(scan.request.owner)), frame: frame)
    case .unsuccessful(let scan, let reason, let missing, let corners):
      hub.publish(
        ScanUnsuccessful(
          scan: scan.id, context: scan.request.context, reason: Self.reason(reason),
          missing: missing.isEmpty ? nil : missing, corners: corners.map(Self.corners), source: source(scan),
          by: actor(scan.request.owner)))
    case .guide(let scan, let advice):
      guard let word = ScanAdvice(rawValue: advice.advice.rawValue) else { return }
      hub.publish(
        ScanGuide(
          scan: scan.id, context: scan.request.context, advice: word, corners: advice.corners.map(Self.corners),
          by: actor(scan.request.owner)),
        frame: frame)
    case .confirmed(let scan, let success, let owner):
      hub.log.subsystem(.scan).info("a scan was confirmed", metadata: ["scan": "\(scan.id)"])
      hub.publish(ScanConfirmed(scan: scan.id, context: scan.request.context, by: actor(owner)))
      if scan.request.mode == .onboarding { onConfirmed(successful(scan, success)) }
    case .cancelled(let scan, let ending, let owner):
      hub.publish(
        ScanCancelled(
          scan: scan.id, context: scan.request.context, reason: CancelReason(rawValue: ending.rawValue) ?? .cancelled,
          by: actor(owner)))
    case .ended(let scan, let ending, let owner):
      guard let reason = ScanEnding(rawValue: ending.rawValue) else { return }
      hub.publish(ScanEnded(scan: scan.id, context: scan.request.context, reason: reason, by: actor(owner)))
    // Nothing that anybody is told.
    case .began, .refused, .changed, .record, .notRecorded: break
    }
  }

  /// The kind of source that a verdict of `scan` comes from: the picture, the frame at hand, else what plays now.
  func source(_ scan: Machine.Scan) -> ScanSource {
    picture?.scan == scan.id ? .picture : frame?.source ?? ScanSource(capture.pipeline.source.origin)
  }

  func pictureID(_ scan: Machine.Scan) -> String? { picture?.scan == scan.id ? picture?.id : nil }

  func successful(_ scan: Machine.Scan, _ success: Machine.Success) -> ScanSuccessful {
    Self.successful(
      scan.id, scan.request.context, success, source: source(scan), picture: pictureID(scan),
      by: actor(scan.request.owner), policy: rules.judge.policy)
  }
}
