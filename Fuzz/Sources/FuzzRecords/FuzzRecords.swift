import FuzzSupport
import WaymarkSystem

@testable import WaymarkPeople

/// The files in which users and signatures are kept, and strokes of the wire, as a disk or another hand may have left them.
@main
struct FuzzRecords {
  static func main() { fuzz(seeds: seeds()) { feed($0, $1) } }
}

private let id = "abcdefgh"

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let all = input(bytes, count)
  let rest = Array(all[1...])
  switch all[0] % 3 {
  case 0: readAccount(rest)
  case 1: readSignature(rest)
  default: readStrokes(rest)
  }
  return 0
}

private func readAccount(_ bytes: [UInt8]) {
  guard let account = AccountFile.decode(bytes, id: id) else { return }
  require(account.id == id, "somebody else")
  require(account.consents.count <= Account.consentLimit, "more choices than are kept")
  let wait = account.waits.remaining(at: 0, PasscodeRules())
  require(wait.isFinite && wait >= 0, "a wait that never ends")
  let again = (try? AccountFile.encode(account)).flatMap { AccountFile.decode($0, id: id) }
  require(again == account, "a user does not survive being written")
}

private func readSignature(_ bytes: [UInt8]) {
  guard let finding = try? SignatureFinding.of(bytes) else { return }
  let signature = finding.signature
  require(!finding.isUnchanged || finding.claimed == signature.hash, "taken for unchanged")
  let again = try? SignatureRecord(json: Array(SignatureRecord(signature).json.utf8)).signature()
  require(again == signature, "a signature does not survive being written")
}

private func readStrokes(_ bytes: [UInt8]) {
  guard let value = try? JSONParser.parse(bytes), let lists = try? JSONValueDecoder.decode([[Int]].self, from: value),
    let strokes = try? Signature.strokes(fromWire: lists),
    let signature = try? Signature(
      strokes: strokes, width: 64, height: 32, time: "t", signer: "s", purpose: "p", subject: "")
  else { return }
  let wire = signature.wireStrokes
  require((try? Signature.strokes(fromWire: wire)) == strokes, "strokes change on the wire")
  // Drawing takes time, a little signature little.
  if wire.reduce(0, { $0 + $1.count }) < 400 { _ = SignatureSVG.draw(signature) }
}

private func seeds() -> [[UInt8]] {
  var account = Account(id: id, subject: "u1", title: "Ada", host: "example.com", created: "2026-01-01T00:00:00Z")
  account.passcode = "$scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA"
  account.add(
    ConsentRecord(consent: "c", version: "1", hash: "h", language: "en", choice: .allow, time: "2026-01-01T00:00:00Z"))
  var all: [[UInt8]] = [[0] + ((try? AccountFile.encode(account)) ?? []), [2] + Array("[[10,8,0,-1,1,0,5,500]]".utf8)]
  let strokes = try? Signature.strokes(fromWire: [[10, 8, 0, -1, 9, 4, 5, 500], [2, 2, 20, -1]])
  if let strokes,
    let signature = try? Signature(
      strokes: strokes, width: 64, height: 32, time: "t", signer: "s", purpose: "p", subject: "x")
  {
    all.append([1] + Array(SignatureRecord(signature).json.utf8))
    all.append([1] + Array(SignatureSVG.draw(signature).utf8))
    all.append([1] + ((try? SignaturePNG.encode(signature)) ?? []))
  }
  return all
}
