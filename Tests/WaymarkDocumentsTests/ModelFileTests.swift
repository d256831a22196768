import CPageModels
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkDocuments

/// What was fitted is taken in whole, or not at all.
struct ModelFileTests {
  private static let network = bytes(waymark_page_network)
  private static let scorers = bytes(waymark_page_scorers)

  private static func bytes(_ embedded: (UnsafeMutablePointer<Int>?) -> UnsafeRawPointer?) -> [UInt8] {
    var count = 0
    let start = embedded(&count)
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  private func file(_ payload: [UInt8], name: String = "page-network", format: String = "1") -> [UInt8] {
    ModelBytes.file(payload, name: name, format: format)
  }

  private func code(_ network: [UInt8] = network, _ scorers: [UInt8] = scorers) -> ModelErrorCode? {
    do throws(ModelError) {
      _ = try PageModels(
        network: ModelFile(network, name: "page-network"), scorers: ModelFile(scorers, name: "page-scorers"))
      return nil
    } catch {
      #expect(!error.message.isEmpty && !error.hint.isEmpty)
      return error.code
    }
  }

  @Test func thoseOfTheProgramFit() throws {
    let models = try PageModels.load()
    #expect(models.network.side == 160 && models.network.widths == [24, 48, 96, 128, 160])
    #expect(models.first.hidden.count == 96)
    #expect(models.followed.means.count == PageFeatures.countWithoutMask)
    #expect(try ModelFile(Self.network, name: "page-network").script == "Benchmarks/documents/segment")
    #expect(try ModelFile(Self.scorers, name: "page-scorers").script == "Benchmarks/documents/train")
    #expect(PageFeatures().values.count == PageFeatures.count)
    #expect(code() == nil)
  }

  @Test func aByteThatChangedIsSeen() {
    for index in stride(from: 0, to: Self.network.count, by: 997) {
      var bytes = Self.network
      bytes[index] ^= 0x10
      #expect(code(bytes) != nil, "byte \(index)")
    }
    for index in stride(from: 0, to: Self.scorers.count, by: 97) {
      var bytes = Self.scorers
      bytes[index] ^= 1
      // The name of its script alone may change: nothing is computed by it.
      let script = Array("script Benchmarks/documents/train".utf8)
      let isScript = bytes.prefix(200).indices.contains(index) && (31..<(31 + script.count + 8)).contains(index)
      #expect(isScript || code(Self.network, bytes) != nil, "byte \(index)")
    }
  }

  @Test func anEndThatIsMissingIsSeen() {
    for count in [0, 1, 15, 60, 100, 200, Self.network.count - 1] {
      #expect(code(Array(Self.network.prefix(count))) == .damagedModel, "\(count) bytes")
    }
    #expect(code(Self.network + [0]) == .damagedModel)
  }

  @Test func anotherFormatOrModelIsRefused() throws {
    let payload = try ModelFile(Self.network, name: "page-network").payload
    #expect(code(file(payload)) == nil)
    #expect(code(file(payload, format: "2")) == .unknownModelFormat)
    #expect(code(file(payload, name: "page-scorers")) == .otherModel)
    #expect(code(Self.scorers) == .otherModel)
  }

  private static func replacing(_ bytes: [UInt8], at place: Int, by other: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes.replaceSubrange(place..<(place + other.count), with: other)
    return bytes
  }

  /// Files that are whole, with numbers that do not fit.
  @Test func numbersThatDoNotFitAreRefused() throws {
    let payload = try ModelFile(Self.network, name: "page-network").payload
    #expect(code(file(Array(payload.dropLast()))) == .otherModel)
    #expect(code(file(payload + [0])) == .otherModel)
    #expect(code(file([])) == .otherModel)
    let nan = withUnsafeBytes(of: Float.nan.bitPattern.littleEndian) { Array($0) }
    // The side, how many levels there are and their channels come first.
    let head = 4 * (2 + (try PageModels.load().network.widths.count))
    #expect(code(file(Self.replacing(payload, at: head, by: nan))) == .otherModel)
    for (index, value) in [(0, UInt8(97)), (1, 0xFF), (4, 0), (4, 31), (8, 12), (9, 0xFF)] {
      var other = payload
      other[index] = value
      #expect(code(file(other)) == .otherModel, "byte \(index)")
    }
    let judges = try ModelFile(Self.scorers, name: "page-scorers").payload
    func judged(_ payload: [UInt8]) -> ModelErrorCode? { code(Self.network, file(payload, name: "page-scorers")) }
    #expect(judged(judges) == nil)
    #expect(judged(Self.replacing(judges, at: 0, by: [20])) == .otherModel)
    #expect(judged(judges + [0, 0, 0, 0]) == .otherModel)
    #expect(judged(Array(judges.dropLast(4))) == .otherModel)
    // The counts of something much larger than what follows.
    #expect(judged(Self.replacing(judges, at: 4, by: [0xFF, 0xFF, 0xFF, 0x7F])) == .otherModel)
    // A deviation of zero would divide by it.
    let at = 8 + 4 * PageFeatures.count
    #expect(judged(Self.replacing(judges, at: at, by: [0, 0, 0, 0])) == .otherModel)
    #expect(judged(Self.replacing(judges, at: at, by: nan)) == .otherModel)
  }
}
