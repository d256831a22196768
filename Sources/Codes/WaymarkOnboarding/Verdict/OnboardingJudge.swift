public import FoundationEssentials
package import WaymarkSystem

/// Decides whether this device accepts the codes of a picture.
public struct OnboardingJudge: Sendable {
  /// The policy by which codes are judged.
  public let policy: OnboardingPolicy
  /// The record of confirmed payloads; nil if codes may be used again.
  public let replayGuard: (any ReplayGuard)?
  /// True if codes from this source may onboard the device. A service sets it to false for frames that do not come from a camera.
  public var trustsSource = true

  /// Creates a judge; without a replay guard it accepts a code any number of times.
  public init(policy: OnboardingPolicy = OnboardingPolicy(), replayGuard: (any ReplayGuard)? = nil) {
    self.policy = policy
    self.replayGuard = replayGuard
  }

  /// Judges the codes of one picture. Records nothing.
  ///
  /// - Parameters:
  ///   - codes: every code that was found, of any symbology.
  ///   - now: the time for which tokens are judged.
  ///   - center: the middle of the region of interest, in pixels; of several codes the nearest is chosen.
  ///   - sawUnreadable: true if a code was found that could not be read.
  public func verdict(
    for codes: [ScannedCode], now: Date, center: SIMD2<Double> = .zero, sawUnreadable: Bool = false
  ) -> Verdict {
    let candidates = codes.indices.filter { codes[$0].isAcceptedSymbology }
    let judged = candidates.filter { !codes[$0].isIncomplete }.map { index in
      (index: index, judgement: CodeJudgement(codes[index], policy: policy, now: now))
    }
    let accepted = judged.filter { $0.judgement.refusal == nil }
    if let first = accepted.min(by: { distance(codes[$0.index], center) < distance(codes[$1.index], center) }) {
      // Codes with equal payloads are one code.
      let different = Set(accepted.map { codes[$0.index].bytes }).count
      return verdict(on: first.judgement, chosen: first.index, different: different)
    }
    guard let nearest = candidates.min(by: { distance(codes[$0], center) < distance(codes[$1], center) }) else {
      if sawUnreadable { return Verdict(outcome: .unsuccessful(.codeNotReadable)) }
      return Verdict(outcome: .unsuccessful(codes.isEmpty ? .nothingFound : .notQR))
    }
    guard let refused = judged.first(where: { $0.index == nearest })?.judgement, let reason = refused.refusal else {
      return Verdict(outcome: .unsuccessful(.incomplete), missing: codes[nearest].missing, chosen: nearest)
    }
    return Verdict(
      outcome: .invalid(reason), kind: refused.payload?.kind, fields: refused.payload?.fields ?? [], chosen: nearest,
      steps: refused.steps, isHarmless: refused.isHarmless)
  }

  /// Judges a text as if it were that of the only code in a picture.
  public func verdict(for text: String, now: Date) -> Verdict { verdict(for: [ScannedCode(text)], now: now) }

  /// Records that a person confirmed an accepted code, so that it is not accepted again.
  ///
  /// - Returns: false if the verdict is not successful, or if the code was confirmed before, also by another process. In both
  ///   cases the code must not be used.
  public func confirm(_ verdict: Verdict) throws -> Bool {
    guard verdict.isSuccessful else { return false }
    guard let replayGuard, let entry = verdict.replayEntry else { return true }
    return try replayGuard.record(entry)
  }

  private func distance(_ code: ScannedCode, _ center: SIMD2<Double>) -> Double {
    let offset = code.center - center
    return (offset * offset).sum()
  }

  private func verdict(on judgement: CodeJudgement, chosen: Int, different: Int) -> Verdict {
    var steps = judgement.steps
    let payload = judgement.payload
    let refuse = { (reason: InvalidReason) in
      Verdict(
        outcome: .invalid(reason), kind: payload?.kind, fields: payload?.fields ?? [], chosen: chosen, steps: steps,
        isHarmless: judgement.isHarmless)
    }
    guard trustsSource else {
      steps.append(VerdictStep(.sourceNotAllowed, .failed, "the frames do not come from a camera"))
      return refuse(.sourceNotAllowed)
    }
    steps.append(VerdictStep(.sourceNotAllowed, .passed, "the source of the code may onboard this device"))
    guard different == 1 else {
      steps.append(VerdictStep(.ambiguous, .failed, "\(different) different codes are acceptable"))
      return refuse(.ambiguous)
    }
    steps.append(VerdictStep(.ambiguous, .passed, "no other acceptable code is in sight"))
    let replay = replayStep(judgement.replayEntry)
    steps.append(replay)
    if replay.result == .failed { return refuse(.replayed) }
    return Verdict(
      outcome: .successful, kind: payload?.kind, connectTo: payload?.host?.authority, fields: payload?.fields ?? [],
      chosen: chosen, steps: steps, isHarmless: judgement.isHarmless,
      replayEntry: replayGuard == nil ? nil : judgement.replayEntry)
  }

  private func replayStep(_ entry: ReplayEntry?) -> VerdictStep {
    guard let replayGuard else { return VerdictStep(.replayed, .notNeeded, "the replay guard is off") }
    guard let entry else { return VerdictStep(.replayed, .notNeeded, "the payload has no \"jti\" under a signature") }
    do {
      return try replayGuard.contains(entry)
        ? VerdictStep(.replayed, .failed, "the token was used before")
        : VerdictStep(.replayed, .passed, "the token was not used before")
    } catch {
      return VerdictStep(.replayed, .failed, "the replay guard failed: \(error)")
    }
  }
}

extension WallClock {
  /// The time of the wall clock as a `Date`.
  package static var date: Date { Date(timeIntervalSince1970: now) }
}
