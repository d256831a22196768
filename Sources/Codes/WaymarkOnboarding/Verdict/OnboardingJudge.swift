public import FoundationEssentials
import WaymarkCrypto
package import WaymarkSystem

/// Decides whether this device accepts the codes of a picture. `CodeJudgement` below judges a single code, without regard to other
/// codes and the replay store.
public struct OnboardingJudge: Sendable {
  /// The policy by which codes are judged.
  public let policy: OnboardingPolicy
  /// The record of confirmed payloads; nil if codes may be used again.
  public let replayGuard: (any ReplayGuard)?
  /// True if codes from this source may onboard the device. A service sets it to false for frames that do not come from a camera.
  public var trustsSource = true

  /// Creates a judge. Without a replay guard, it accepts a code any number of times.
  public init(policy: OnboardingPolicy = OnboardingPolicy(), replayGuard: (any ReplayGuard)? = nil) {
    self.policy = policy
    self.replayGuard = replayGuard
  }

  /// Judges the codes of one picture. Records nothing.
  ///
  /// - Parameters:
  ///   - codes: every code that was found, of any symbology.
  ///   - now: the time for which tokens are judged.
  ///   - center: the middle of the region of interest, in pixels. Of several codes, the code nearest to it is chosen.
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

  /// Judges a text as the only code in a picture.
  public func verdict(for text: String, now: Date) -> Verdict { verdict(for: [ScannedCode(text)], now: now) }

  /// Records that a person confirmed an accepted code, so that it is not accepted again.
  ///
  /// - Returns: false if the verdict is not successful, or if the code was confirmed before, also by another process. In both cases
  ///   the code must not be used.
  /// - Throws: the error of the replay guard if it cannot record the confirmation. In this case, too, the code must not be used.
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
      steps.append(
        VerdictStep(
          .sourceNotAllowed, .failed, "the frames do not come from a camera",
          expected: "--source-onboarding or source.onboarding: true allows them"))
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

// MARK: - One code

/// Judges one code by the policy, up to the check of its hosts. `OnboardingJudge` adds the checks that depend on other codes or the
/// replay store.
package struct CodeJudgement: Sendable {
  package private(set) var payload: Payload?
  /// True if observers may see the text.
  package private(set) var isHarmless = false
  /// The checks that were made, in order. If a check refused the code, it is the last.
  package private(set) var steps: [VerdictStep] = []
  /// The reason why the code is refused; nil if it is accepted.
  package private(set) var refusal: InvalidReason?
  /// The code's identity for the replay guard; nil for unsigned payloads and without `jti`.
  package private(set) var replayEntry: ReplayEntry?

  /// Judges a code at the time `now`.
  package init(_ code: ScannedCode, policy: OnboardingPolicy, now: Date) {
    let size = code.bytes.count
    guard check(.tooLarge, size <= policy.maximumBytes, "\(size) of at most \(policy.maximumBytes) bytes") else {
      return
    }
    let inspection = Inspection(code, policy: policy)
    payload = inspection.payload
    payload?.fields = inspection.payload.fields.numbered
    isHarmless = inspection.isHarmless
    guard checkForm(inspection, policy), checkSignature(inspection, policy),
      checkClaims(inspection, policy, now: now.timeIntervalSince1970)
    else { return }
    guard checkHosts(inspection.payload, policy) else { return }
    if inspection.token != nil, let claims = inspection.claims, let identifier = claims.identifier {
      replayEntry = Self.entry(issuer: claims.issuer, identifier, expires: claims.expires.map { $0 + policy.clockSkew })
    }
  }

  private static func entry(issuer: String?, _ identifier: String, expires: Double?) -> ReplayEntry {
    let name = JSONValue.array([issuer.map(JSONValue.string) ?? .null, .string(identifier)]).compactText
    return ReplayEntry(
      digest: HashFunction.sha256.hash(Array(name.utf8)).hexadecimal,
      expires: expires.map(Date.init(timeIntervalSince1970:)))
  }

  /// Adds a check to the steps; returns `isGood`.
  private mutating func check(
    _ reason: InvalidReason, _ isGood: Bool, _ finding: String, expected: String? = nil, field: String? = nil
  ) -> Bool {
    steps.append(
      isGood
        ? VerdictStep(reason, .passed, finding)
        : VerdictStep(reason, .failed, finding, expected: expected, field: field))
    if !isGood { refusal = reason }
    return isGood
  }

  private mutating func skip(_ reasons: [InvalidReason], _ detail: String) {
    for reason in reasons { steps.append(VerdictStep(reason, .notNeeded, detail)) }
  }

  private mutating func checkForm(_ inspection: Inspection, _ policy: OnboardingPolicy) -> Bool {
    let kind = inspection.payload.kind
    guard check(.badEncoding, inspection.encodingProblem == nil, inspection.encodingProblem ?? "the text is readable")
    else { return false }
    let isToken = inspection.token != nil || inspection.isOpaqueToken
    if isToken, policy.acceptedSignatures == .refused {
      return check(.kindNotAllowed, false, "a signed token, and the policy refuses signed payloads")
    }
    let shown = DisplayText.escaped(kind.rawValue, limit: 60)
    if inspection.isOpaqueToken, !policy.acceptedKinds.isSubset(of: PayloadKind.unsigned) {
      guard check(.kindNotAllowed, true, "a signed token that cannot be opened") else { return false }
    } else {
      let isAllowed = policy.acceptedKinds.contains(kind)
      let remark = inspection.payload.remark.map { ", for \($0)" } ?? ""
      let finding = "\(isToken ? "a signed " : "")\(shown)" + (isAllowed ? "" : remark)
      let kinds = Self.allowed(policy.acceptedKinds.map(\.rawValue))
      let expected = kinds + (inspection.payload.nearMiss.map { "; \($0)" } ?? "")
      guard check(.kindNotAllowed, isAllowed, finding, expected: expected) else { return false }
    }
    return check(
      .malformed, inspection.payload.problem == nil, inspection.payload.problem ?? "the form matches \(shown)",
      field: inspection.payload.problemField)
  }

  /// Returns the values that a policy allows as a list for an explanation.
  private static func allowed(_ names: some Collection<String>) -> String {
    let shown = names.sorted().prefix(20).map { DisplayText.escaped($0, limit: 120) }
    return "allowed: " + (shown + (names.count > 20 ? ["…"] : [])).joined(separator: ", ")
  }

  private mutating func checkSignature(_ inspection: Inspection, _ policy: OnboardingPolicy) -> Bool {
    guard let token = inspection.token else {
      let isRequired = policy.requiresSignature(of: inspection.payload.kind)
      guard !isRequired else {
        return check(
          .signatureRequired, false, "the payload is not signed",
          expected: "accepted: \(Self.list(policy.keys, for: policy.acceptedAlgorithms))")
      }
      skip([.signatureRequired], "the policy does not require a signature")
      skip([.algorithmNotAllowed, .unknownKey, .badSignature], "the payload is not signed")
      return true
    }
    guard check(.signatureRequired, true, "the payload is signed") else { return false }
    let name = DisplayText.escaped(token.algorithmName, limit: 40)
    // Only algorithms of the policy's list are looked up, by exact spelling.
    let allowed = policy.acceptedAlgorithms
    guard let algorithm = SignatureAlgorithm(rawValue: token.algorithmName), allowed.contains(algorithm) else {
      return check(
        .algorithmNotAllowed, false, "\"\(name)\"", expected: Self.allowed(allowed.map(\.rawValue)), field: "alg")
    }
    guard check(.algorithmNotAllowed, true, name) else { return false }
    let keys = Self.keys(for: token.keyID, algorithm, of: policy)
    let shown = VerificationKey.name(token.keyID)
    guard !keys.isEmpty else {
      let why =
        policy.keys.isEmpty
        ? "the policy has no keys"
        : policy.keys.contains { $0.id == token.keyID && token.keyID != nil }
          ? "the key \(shown) does not serve \(name)" : "no key for \(name) fits the token's, \(shown)"
      let names = policy.keys.map { VerificationKey.name($0.id) }
      let expected =
        names.isEmpty
        ? "the issuer's public key, under keyFiles" : "the policy's keys: \(names.joined(separator: ", "))"
      return check(.unknownKey, false, why, expected: expected, field: "kid")
    }
    guard check(.unknownKey, true, keys.map { "the key \(VerificationKey.name($0.id))" }.joined(separator: ", ")) else {
      return false
    }
    let isGood = keys.contains { $0.verify(token.signature, of: token.signed, with: algorithm) }
    return check(
      .badSignature, isGood, isGood ? "the signature is good" : "the signature does not fit payload and key",
      expected: "tried: \(Self.list(keys, for: [algorithm]))")
  }

  /// Returns the keys that support one of the algorithms, each with these algorithms, as a list for an explanation.
  private static func list(_ keys: [VerificationKey], for algorithms: Set<SignatureAlgorithm>) -> String {
    let fitting = keys.filter { !$0.algorithms.isDisjoint(with: algorithms) }
    guard !fitting.isEmpty else { return "no key" }
    let shown = fitting.prefix(10).map { key in
      let names = key.algorithms.intersection(algorithms).map(\.rawValue).sorted()
      return "the key \(VerificationKey.name(key.id)) (\(names.joined(separator: ", ")))"
    }
    return (shown + (fitting.count > 10 ? ["…"] : [])).joined(separator: ", ")
  }

  /// Returns the keys of `algorithm` that may have signed a token: the keys with the identifier `id` or, if the policy has none,
  /// the keys without an identifier (from PEM files). Returns all keys if `id` is nil.
  private static func keys(
    for id: String?, _ algorithm: SignatureAlgorithm, of policy: OnboardingPolicy
  ) -> [VerificationKey] {
    let fitting = policy.keys.filter { $0.algorithms.contains(algorithm) }
    guard let id else { return fitting }
    // A key with this identifier excludes all other keys, even if it does not support the algorithm.
    if policy.keys.contains(where: { $0.id == id }) { return fitting.filter { $0.id == id } }
    return fitting.filter { $0.id == nil }
  }

  private mutating func checkClaims(_ inspection: Inspection, _ policy: OnboardingPolicy, now: Double) -> Bool {
    guard inspection.token != nil else {
      skip([.notYetValid, .expired, .wrongIssuer, .wrongAudience], "the payload is not signed")
      return true
    }
    let claims = inspection.claims
    let skew = policy.clockSkew
    if let start = [claims?.notBefore, claims?.issuedAt].compactMap({ $0 }).max() {
      let isGood = now >= start - skew
      let finding = "valid from \(Self.time(start)); now \(Self.time(now)), skew \(skew) s"
      guard check(.notYetValid, isGood, finding, field: start == claims?.notBefore ? "nbf" : "iat") else {
        return false
      }
    } else {
      skip([.notYetValid], "the token has neither \"nbf\" nor \"iat\"")
    }
    if let end = claims?.expires {
      // RFC 7519, 4.1.4: the token is invalid on or after `exp`.
      let isGood = now < end + skew
      let start = claims?.issuedAt ?? claims?.notBefore ?? now
      if isGood, let longest = policy.maximumLifetime, end - start > longest {
        return check(
          .expired, false, "valid for \(Int(end - start)) s", expected: "longer than the \(Int(longest)) s allowed",
          field: "exp")
      }
      let finding = "valid until \(Self.time(end)); now \(Self.time(now)), skew \(skew) s"
      guard check(.expired, isGood, finding, field: "exp") else { return false }
    } else if policy.requiresExpiry || policy.maximumLifetime != nil {
      return check(.expired, false, "the token has no \"exp\", and the policy requires one", field: "exp")
    } else {
      skip([.expired], "the token has no \"exp\"")
    }
    if let issuers = policy.issuers {
      let isGood = claims?.issuer.map(issuers.contains) ?? false
      let finding = Self.quoted(claims?.issuer.map { [$0] })
      guard check(.wrongIssuer, isGood, finding, expected: Self.allowed(issuers), field: "iss") else { return false }
    } else {
      skip([.wrongIssuer], "the policy names no issuer")
    }
    if let audiences = policy.audiences {
      let isGood = !audiences.isDisjoint(with: claims?.audiences ?? [])
      let finding = Self.quoted(claims?.audiences)
      guard check(.wrongAudience, isGood, finding, expected: Self.allowed(audiences), field: "aud") else {
        return false
      }
    } else {
      skip([.wrongAudience], "the policy names no audience")
    }
    return true
  }

  private mutating func checkHosts(_ payload: Payload, _ policy: OnboardingPolicy) -> Bool {
    let others = payload.furtherHosts + AddressFinder(in: payload.content, payload.rules, policy: policy).endpoints
    guard payload.host != nil || !others.isEmpty else {
      skip([.hostNotAllowed], "the payload names no host")
      return true
    }
    if let refusal = payload.host.flatMap({ policy.refusal(of: $0, isConnected: true) })
      ?? others.lazy.compactMap({ policy.refusal(of: $0, isConnected: false) }).first
    {
      return check(
        .hostNotAllowed, false, refusal.finding, expected: refusal.expected.map { Self.allowed($0) + refusal.hint },
        field: refusal.field)
    }
    let names = ([payload.host].compactMap { $0 } + others).compactMap(\.authority)
    return check(
      .hostNotAllowed, true,
      names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.joined(separator: ", "))
  }

  private static func quoted(_ names: [String]?) -> String {
    guard let names, !names.isEmpty else { return "the token names none" }
    return names.prefix(5).map { "\"\(DisplayText.escaped($0, limit: 80))\"" }.joined(separator: ", ")
  }

  private static func time(_ seconds: Double) -> String {
    Date(timeIntervalSince1970: seconds).formatted(.iso8601)
  }
}
