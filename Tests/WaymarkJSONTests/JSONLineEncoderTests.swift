import Testing
import WaymarkSystem

/// What types write that encode themselves in unusual ways: by nested containers, and as classes by that of the class above.
@Suite struct JSONLineEncoderTests {
  private class Machine: Encodable {
    private enum Key: String, CodingKey { case name, parts }
    private let name = "pump"

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(name, forKey: .name)
      var parts = container.nestedUnkeyedContainer(forKey: .parts)
      try parts.encode("seal")
      var part = parts.nestedContainer(keyedBy: Key.self)
      try part.encode("valve", forKey: .name)
      try parts.encode(2)
    }
  }

  private final class Leased: Machine {
    private enum Key: String, CodingKey { case machine, lease, until, super_ = "super" }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try super.encode(to: container.superEncoder(forKey: .machine))
      var lease = container.nestedContainer(keyedBy: Key.self, forKey: .lease)
      try lease.encode("2027-01", forKey: .until)
      var list = container.nestedUnkeyedContainer(forKey: .super_)
      try super.encode(to: list.superEncoder())
      try list.encodeNil()
      try container.encode(true, forKey: .until)
    }
  }

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONLineEncoder.encode(value), as: UTF8.self)
  }

  @Test func nestedContainersAreClosedWhereTheyEnd() throws {
    #expect(try text(Machine()) == #"{"name":"pump","parts":["seal",{"name":"valve"},2]}"#)
    #expect(try text([Machine(), Machine()]).hasSuffix(#",2]},{"name":"pump","parts":["seal",{"name":"valve"},2]}]"#))
  }

  @Test func theClassAboveWritesIntoItsOwnPlace() throws {
    let machine = #"{"name":"pump","parts":["seal",{"name":"valve"},2]}"#
    #expect(
      try text(Leased())
        == #"{"machine":\#(machine),"lease":{"until":"2027-01"},"super":[\#(machine),null],"until":true}"#)
  }

  @Test func aLineEndsWithALineFeed() throws {
    #expect(try JSONLineEncoder.line([1, 2]) == Array("[1,2]\n".utf8))
  }
}
