public import FoundationEssentials

/// Decides whether this device accepts the codes of a picture.
public struct OnboardingJudge: Sendable {
  /// The policy.
  public let policy: OnboardingPolicy
  /// The memory of confirmed payloads; nil when codes may be used again.
  public let replayGuard: (any ReplayGuard)?
  /// True when what shows the codes may onboard this device. A service sets it to false for frames that come from no
  /// camera, because a device must not connect anywhere on the word of a recording.
  public var trustsSource = true

  /// A judge with a policy and, if wished, a memory.
  public init(policy: OnboardingPolicy = OnboardingPolicy(), replayGuard: (any ReplayGuard)? = nil) {
    self.policy = policy
    self.replayGuard = replayGuard
  }

  /// The verdict on one picture's codes. Looking changes nothing: the same question can be asked again.
  ///
  /// - Parameters:
  ///   - codes: every code that was found, of whatever symbology.
  ///   - now: the moment to judge tokens by.
  ///   - center: the middle of the region of interest, in pixels: decides which of several refused codes is meant.
  ///   - sawUnreadable: whether a code was seen that could not be read.
  public func verdict(
    for codes: [ScannedCode], now: Date, center: SIMD2<Double> = .zero, sawUnreadable: Bool = false
  ) -> Verdict {
    let candidates = codes.indices.filter { codes[$0].isAcceptedSymbology }
    let judged = candidates.filter { !codes[$0].isIncomplete }.map { index in
      (index: index, judgement: CodeJudgement(codes[index], policy: policy, now: now))
    }
    let accepted = judged.filter { $0.judgement.refusal == nil }
    if let first = accepted.min(by: { distance(codes[$0.index], center) < distance(codes[$1.index], center) }) {
      // The same payload twice is one code printed twice.
      let different = Set(accepted.map { codes[$0.index].bytes }).count
      return verdict(on: first.judgement, chosen: first.index, different: different)
    }
    guard let nearest = candidates.min(by: { distance(codes[$0], center) < distance(codes[$1], center) }) else {
      if sawUnreadable { return Verdict(.unsuccessful(.codeNotReadable)) }
      return Verdict(.unsuccessful(codes.isEmpty ? .nothingFound : .notQR))
    }
    guard let refused = judged.first(where: { $0.index == nearest })?.judgement, let reason = refused.refusal else {
      return Verdict(.unsuccessful(.incomplete), missing: codes[nearest].missing, chosen: nearest)
    }
    return Verdict(
      .invalid(reason), kind: refused.payload?.kind, fields: refused.payload?.fields ?? [], chosen: nearest,
      steps: refused.steps, isHarmless: refused.isHarmless)
  }

  /// The verdict on a text, as if it were the only code.
  public func verdict(for text: String, now: Date) -> Verdict { verdict(for: [ScannedCode(text)], now: now) }

  /// Records that a person went on with an accepted code, so that it is not accepted again.
  ///
  /// Returns false when the code was confirmed before, be it by another process a moment ago: it must not be used then.
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
        .invalid(reason), kind: payload?.kind, fields: payload?.fields ?? [], chosen: chosen, steps: steps,
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
      .successful, kind: payload?.kind, connectTo: payload?.host?.authority, fields: payload?.fields ?? [],
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
      // A device that cannot remember must not trust.
      return VerdictStep(.replayed, .failed, "the replay guard cannot tell: \(error)")
    }
  }
}
