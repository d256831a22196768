extension Verdict {
  /// The verdict in place of this one when its confirmation finds that another was first.
  public var replayed: Verdict {
    var verdict = self
    verdict.outcome = .invalid(.replayed)
    verdict.connectTo = nil
    verdict.replayEntry = nil
    verdict.steps.removeAll { $0.check == .replayed }
    verdict.steps.append(VerdictStep(.replayed, .failed, "the token was used before"))
    return verdict
  }
}
