import WaymarkSystem

/// A verdict with all its steps, for people and for programs.
package enum VerdictText {
  /// Several lines; whatever the code says is escaped, secrets are left out unless wanted.
  package static func human(_ verdict: Verdict, showSecrets: Bool) -> String {
    var lines = [verdict.word + (verdict.reason.map { ": \($0)" } ?? "")]
    if let kind = verdict.kind { lines.append("kind: \(DisplayText.escaped(kind.rawValue))") }
    if let host = verdict.connectTo { lines.append("connect to: \(host)") }
    if !verdict.fields.isEmpty { lines.append("fields:") }
    for field in showSecrets ? verdict.fields : verdict.redactedFields {
      lines.append("  \(DisplayText.escaped(field.name)): \(DisplayText.escaped(field.value))")
    }
    if !verdict.steps.isEmpty { lines.append("checks:") }
    for step in verdict.steps {
      let mark =
        switch step.result {
        case .passed: "✓"
        case .failed: "✗"
        case .notNeeded: "·"
        }
      let name = step.check.rawValue
      lines.append("  \(mark) \(name)\(String(repeating: " ", count: max(1, 20 - name.count)))\(step.detail)")
    }
    return lines.joined(separator: "\n")
  }

  /// One JSON object on one line; secrets are left out unless wanted.
  package static func json(_ verdict: Verdict, showSecrets: Bool) -> String {
    var members: [JSONValue.Member] = [.init("outcome", .string(verdict.word))]
    if let reason = verdict.reason { members.append(.init("reason", .string(reason))) }
    if let kind = verdict.kind { members.append(.init("kind", .string(kind.rawValue))) }
    if let host = verdict.connectTo { members.append(.init("connectTo", .string(host))) }
    if !verdict.fields.isEmpty {
      let fields = showSecrets ? verdict.fields : verdict.redactedFields
      members.append(.init("fields", .object(fields.map { .init($0.name, .string($0.value)) })))
    }
    let steps = verdict.steps.map { step in
      JSONValue.object([
        .init("check", .string(step.check.rawValue)), .init("result", .string(step.result.rawValue)),
        .init("detail", .string(step.detail)),
      ])
    }
    members.append(.init("steps", .array(steps)))
    return JSONValue.object(members).compactText
  }
}
