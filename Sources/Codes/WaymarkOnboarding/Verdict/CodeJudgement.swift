package import FoundationEssentials
import WaymarkCrypto
import WaymarkSystem

/// Judges one code by the policy, up to the check of its hosts. Checks that need other codes or the replay store follow.
package struct CodeJudgement: Sendable {
  /// The payload.
  package private(set) var payload: Payload?
  /// True if its text is known to hold nothing that observers must not see.
  package private(set) var isHarmless = false
  /// Every check up to the one that refused.
  package private(set) var steps: [VerdictStep] = []
  /// Why the code is refused, if it is.
  package private(set) var refusal: InvalidReason?
  /// The entry by which the replay guard would know it.
  package private(set) var replayEntry: ReplayEntry?

  /// Judges a code at a moment.
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
    let digest = HashFunction.sha256.hash(Array(name.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return ReplayEntry(digest: digest.joined(), expires: expires.map(Date.init(timeIntervalSince1970:)))
  }

  /// Notes a check; returns whether to go on.
  private mutating func check(_ reason: InvalidReason, _ isGood: Bool, _ detail: String) -> Bool {
    steps.append(VerdictStep(reason, isGood ? .passed : .failed, detail))
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
    let carriers: Set<PayloadKind> = [.binary, .text, .url, .wifi, .dpp, .otpauth, .gs1DigitalLink, .vcard, .sapLink]
    if inspection.isOpaqueToken, !policy.acceptedKinds.subtracting(carriers).isEmpty {
      guard check(.kindNotAllowed, true, "a signed token that cannot be opened") else { return false }
    } else {
      let isAllowed = policy.acceptedKinds.contains(kind)
      let remark = inspection.payload.remark.map { ", for \($0)" } ?? ""
      let known = policy.acceptedKinds.map(\.rawValue).sorted().joined(separator: ", ")
      let detail = "\(isToken ? "a signed " : "")\(shown)" + (isAllowed ? "" : "\(remark); allowed: \(known)")
      guard check(.kindNotAllowed, isAllowed, detail) else { return false }
    }
    return check(
      .malformed, inspection.payload.problem == nil, inspection.payload.problem ?? "the form matches \(shown)")
  }

  private mutating func checkSignature(_ inspection: Inspection, _ policy: OnboardingPolicy) -> Bool {
    let isRequired = policy.acceptedSignatures == .required
    guard let token = inspection.token else {
      guard !isRequired else { return check(.signatureRequired, false, "the payload is not signed") }
      skip([.signatureRequired], "the policy does not require a signature")
      skip([.algorithmNotAllowed, .unknownKey, .badSignature], "the payload is not signed")
      return true
    }
    guard check(.signatureRequired, true, "the payload is signed") else { return false }
    let name = DisplayText.escaped(token.algorithmName, limit: 40)
    // The policy's list decides, by exact spelling; whatever else the token asks for is not even looked up.
    let allowed = policy.acceptedAlgorithms
    guard let algorithm = SignatureAlgorithm(rawValue: token.algorithmName), allowed.contains(algorithm) else {
      let list = allowed.map(\.rawValue).sorted().joined(separator: ", ")
      return check(.algorithmNotAllowed, false, "\"\(name)\"; allowed: \(list)")
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
      return check(.unknownKey, false, why)
    }
    guard check(.unknownKey, true, keys.map { "the key \(VerificationKey.name($0.id))" }.joined(separator: ", ")) else {
      return false
    }
    let isGood = keys.contains { $0.verify(token.signature, of: token.signed, with: algorithm) }
    return check(.badSignature, isGood, isGood ? "the signature is good" : "the signature does not fit payload and key")
  }

  /// A token that names a key gets that key; keys without a name (from PEM files) serve any token. Never a default.
  private static func keys(
    for id: String?, _ algorithm: SignatureAlgorithm, of policy: OnboardingPolicy
  ) -> [VerificationKey] {
    let fitting = policy.keys.filter { $0.algorithms.contains(algorithm) }
    guard let id else { return fitting }
    // A name that some key bears means that key alone, even when it is of the wrong type.
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
      guard check(.notYetValid, isGood, "valid from \(Self.time(start)); now \(Self.time(now)), skew \(skew) s") else {
        return false
      }
    } else {
      skip([.notYetValid], "the token has neither \"nbf\" nor \"iat\"")
    }
    if let end = claims?.expires {
      // RFC 7519, 4.1.4: on the stroke of `exp` the token is over.
      let isGood = now < end + skew
      let start = claims?.issuedAt ?? claims?.notBefore ?? now
      if isGood, let longest = policy.maximumLifetime, end - start > longest {
        return check(.expired, false, "valid for \(Int(end - start)) s, longer than the \(Int(longest)) s allowed")
      }
      guard check(.expired, isGood, "valid until \(Self.time(end)); now \(Self.time(now)), skew \(skew) s") else {
        return false
      }
    } else if policy.requiresExpiry || policy.maximumLifetime != nil {
      return check(.expired, false, "the token has no \"exp\", and the policy requires one")
    } else {
      skip([.expired], "the token has no \"exp\"")
    }
    if let issuers = policy.issuers {
      let isGood = claims?.issuer.map(issuers.contains) ?? false
      guard check(.wrongIssuer, isGood, Self.quoted(claims?.issuer.map { [$0] })) else { return false }
    } else {
      skip([.wrongIssuer], "the policy names no issuer")
    }
    if let audiences = policy.audiences {
      let isGood = !audiences.isDisjoint(with: claims?.audiences ?? [])
      guard check(.wrongAudience, isGood, Self.quoted(claims?.audiences)) else { return false }
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
    if let problem = payload.host.flatMap({ policy.refusal(of: $0, isConnected: true) })
      ?? others.lazy.compactMap({ policy.refusal(of: $0, isConnected: false) }).first
    {
      return check(.hostNotAllowed, false, problem)
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
