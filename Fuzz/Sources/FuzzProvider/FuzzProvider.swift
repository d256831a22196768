import FuzzSupport
import WaymarkOnboarding
import WaymarkPeople
import WaymarkProtocol
import WaymarkSystem

/// Answers of the integrator's program, to a device that a person continues to use meanwhile.
///
/// An input is lines: one that begins with `{` is the parameters of `authentication.answer`, the first letter of any other says what the
/// person does next.
@main
struct FuzzProvider {
  static func main() { fuzz(seeds: seeds()) { feed($0, $1) } }
}

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let all = input(bytes, count)
  var device = TestDevice(AccountPolicy.whole(all[0] & 1 == 0 ? .single : .shared))
  device.answer = { _ in nil }
  for line in all[1...].split(separator: UInt8(ascii: "\n")).prefix(100) {
    if line.first == UInt8(ascii: "{") {
      guard let (ticket, answer) = answer(line) else { continue }
      check(answer)
      // To the question that is open, and to the one that the answer names.
      for case .ask(let question) in device.effects.suffix(3) { device.send(.answered(question.ticket, answer)) }
      device.send(.answered(ticket, answer))
    } else {
      act(line.first ?? 0, &device)
    }
    check(device)
  }
  return 0
}

private func answer(_ line: ArraySlice<UInt8>) -> (ticket: Int, ProviderAnswer)? {
  guard let value = try? JSONParser.parse(Array(line)),
    let request = try? JSONValueDecoder.decode(AuthenticationAnswerRequest.self, from: value),
    let answer = try? ProviderAnswer(request)
  else { return nil }
  return (request.request, answer)
}

/// Checks that an accepted answer can be displayed and identifies one user.
private func check(_ answer: ProviderAnswer) {
  let person: ProviderPerson
  switch answer {
  case .accepted(let accepted): person = accepted
  case .conflict(let other, let text):
    person = other
    require((text?.utf8.count ?? 0) <= 2000, "words without a bound")
  case .refused(let text), .offline(let text):
    require((text?.utf8.count ?? 0) <= 2000, "words without a bound")
    return
  }
  require(person.subject.map { !$0.isEmpty } ?? true, "a subject that is everybody's")
  for text in [person.subject, person.title, person.subtitle] {
    require(text.map(DisplayText.isPlain) ?? true, "a name that does not show as itself")
  }
  if let host = person.host {
    require(
      !host.contains("/") && !host.contains("@") && !host.contains(" "), "a host with more than a name and a port")
    require(!host.lowercased().hasPrefix("javascript:"), "a host that is a script")
  }
}

private func act(_ action: UInt8, _ device: inout TestDevice) {
  switch action {
  case UInt8(ascii: "n"): device.does(.next(agreed: true))
  case UInt8(ascii: "b"): device.does(.back)
  case UInt8(ascii: "l"): device.does(.leave)
  case UInt8(ascii: "p"): device.does(.choose(.preset))
  case UInt8(ascii: "c"): device.does(.submit(TestDevice.fields))
  case UInt8(ascii: "d"): device.does(.submit(["user": Secret("ben"), "password": Secret("p")]))
  case UInt8(ascii: "y"):
    for consent in device.flow.policy.consents {
      for _ in consent.pages.dropFirst() { device.does(.next(agreed: false)) }
      device.does(.consent(consent.id, .allow, language: "en"))
    }
  case UInt8(ascii: "s"): for _ in 0..<2 { device.does(.setPasscode(Secret("1234"))) }
  case UInt8(ascii: "e"): device.does(.enterPasscode(Secret("1234")))
  case UInt8(ascii: "f"): device.does(.forgot)
  case UInt8(ascii: "u"): device.does(.switchUser)
  case UInt8(ascii: "a"): device.does(.add)
  case UInt8(ascii: "r"): device.does(.retry)
  case UInt8(ascii: "g"): device.send(.provider(isConnected: false))
  case UInt8(ascii: "h"): device.send(.provider(isConnected: true))
  case UInt8(ascii: "R"): device.restart()
  default:
    device.now.seconds += Double(action)
    device.send(.tick)
  }
}

/// Checks that no two users have one subject, and that every user's file can be written and read again.
private func check(_ device: TestDevice) {
  var subjects: Set<String> = []
  for (id, var account) in device.disk {
    // The test device's hashes are not valid in a file.
    account.passcode = nil
    require(account.id == id, "somebody else's file")
    if let subject = account.subject { require(subjects.insert(subject).inserted, "two users of one subject") }
    let again = (try? AccountFile.encode(account)).flatMap { AccountFile.decode($0, id: id) }
    require(again == account, "a user that cannot be read again")
  }
  if case .signedIn(let id) = device.phase {
    require(device.flow.accounts[id]?.isReady == true, "in without having finished")
  }
}

private func seeds() -> [[UInt8]] {
  let accepted =
    #"{"request":1,"outcome":"accepted","subject":"ada","title":"Ada","subtitle":"x","host":"example.com:8443"}"#
  let ben = #"{"request":1,"outcome":"accepted","subject":"ben","title":"Ben"}"#
  let others = ["refused", "offline", "conflict"].map {
    #"{"request":2,"outcome":"\#($0)","subject":"ben","text":"No."}"#
  }
  let whole = ["n", "p", accepted, "n", accepted, "c", accepted, "y", "s", accepted]
  let second = ["l", "u", "a"] + whole.dropLast(3).map { $0 == accepted ? ben : $0 } + ["d", ben, "y", "s", ben]
  return [
    whole, whole + ["l", "e", accepted, "f", others[0]], whole + second, ["n", "p"] + others + ["r", accepted],
  ].flatMap { lines in
    [[0], [1]].map { $0 + Array(lines.joined(separator: "\n").utf8) }
  }
}
