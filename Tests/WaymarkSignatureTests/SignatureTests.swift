import Foundation
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkPeople

@Suite struct SignatureTests {
  /// A signature of two strokes: a wave as a hand draws it, and a dot.
  static func sample(pressure: Bool = false, subject: String = "sha256:9f86") throws -> Signature {
    let wave = (0...120).map { i in
      let x = 60.0 + 4.2 * Double(i)
      let y = 120 + 70 * sin(Double(i) / 6.1) * cos(Double(i) / 31)
      return SignaturePoint(
        x: Int(x * 10), y: Int(y * 10), time: i * 8, pressure: pressure ? 200 + (i * 13) % 800 : nil)
    }
    let dot = [SignaturePoint(x: 5900, y: 700, time: 1200, pressure: pressure ? 600 : nil)]
    return try Signature(
      strokes: [wave, dot], width: 640, height: 240, time: "2026-01-02T03:04:05.678Z", signer: "Ada Müller & Söhne",
      purpose: "Goods received, order <4711>", subject: subject)
  }

  private static func pixels(_ png: [UInt8]) -> (width: Int, height: Int, values: [UInt8])? {
    guard let image = try? PictureDecoder().rgb(png).image else { return nil }
    return (
      image.width, image.height,
      image.withBytes { bytes in stride(from: 0, to: bytes.count, by: 3).map { bytes[$0] } }
    )
  }

  /// The chunks of a PNG, each with its length and checksum.
  private static func chunks(_ png: [UInt8]) -> [[UInt8]] {
    var (found, place) = ([[UInt8]](), SignaturePNG.mark.count)
    while place + 12 <= png.count {
      let length = png[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      found.append(Array(png[place..<min(png.count, place + 12 + length)]))
      place += 12 + length
    }
    return found
  }

  // MARK: What is one

  @Test func anEmptyOneIsNone() {
    #expect {
      try Signature(strokes: [], width: 640, height: 240, time: "", signer: "", purpose: "", subject: "")
    } throws: {
      ($0 as? SignatureError)?.code == .empty
    }
    #expect(throws: SignatureError.self) {
      try Signature(strokes: [[]], width: 640, height: 240, time: "", signer: "", purpose: "", subject: "")
    }
  }

  @Test func whatNoPenCanDrawIsRefused() throws {
    let point = SignaturePoint(x: 10, y: 10, time: 5)
    func make(_ strokes: [[SignaturePoint]], width: Int = 640, purpose: String = "") -> SignatureErrorCode? {
      do throws(SignatureError) {
        _ = try Signature(
          strokes: strokes, width: width, height: 240, time: "", signer: "", purpose: purpose, subject: "")
        return nil
      } catch { return error.code }
    }
    #expect(make([[point]]) == nil)
    #expect(make([[point, SignaturePoint(x: 10, y: 10, time: 4)]]) == .badStrokes)
    #expect(make([[point], [SignaturePoint(x: 10, y: 10, time: 4)]]) == .badStrokes)
    #expect(make([[SignaturePoint(x: 20_000, y: 10, time: 5)]]) == .badStrokes)
    #expect(make([[SignaturePoint(x: 10, y: 10, time: 5, pressure: 1001)]]) == .badStrokes)
    #expect(make([[SignaturePoint(x: 10, y: 10, time: 3_600_001)]]) == .badStrokes)
    #expect(make(Array(repeating: [point], count: 1001)) == .badStrokes)
    #expect(make([Array(repeating: point, count: 20_001)]) == .badStrokes)
    #expect(make([[point]], width: 15) == .badContext)
    #expect(make([[point]], purpose: String(repeating: "x", count: 513)) == .badContext)
  }

  @Test func strokesComeBackFromTheWire() throws {
    for pressure in [false, true] {
      let signature = try Self.sample(pressure: pressure)
      #expect(try Signature.strokes(fromWire: signature.wireStrokes) == signature.strokes)
    }
    #expect(throws: SignatureError.self) { try Signature.strokes(fromWire: [[1, 2, 3]]) }
    #expect(throws: SignatureError.self) { try Signature.strokes(fromWire: [[.max, 0, 0, -1, 1, 0, 0, -1]]) }
    #expect(throws: SignatureError.self) { try Signature.strokes(fromWire: [[.min, 0, 0, -1]]) }
  }

  // MARK: The hash

  @Test func theHashIsWhatTheDocumentSays() throws {
    let signature = try Signature(
      strokes: [[SignaturePoint(x: 1200, y: 800, time: 0), SignaturePoint(x: 1214, y: 794, time: 8, pressure: 500)]],
      width: 640, height: 240, time: "T", signer: "Ä", purpose: "", subject: "s")
    // printf 'waymark-signature/1\n1:T\n2:Ä\n0:\n1:s\n640 240\n1200,800,0,-1;1214,794,8,500;\n' | sha256sum
    #expect(signature.hash == "3f4b57b6d78462959c87eb9b2be2a59c3f21bc6da88bba44e72cdd59ce5b84dd")
  }

  @Test func everythingIsInTheHash() throws {
    let signature = try Self.sample()
    let record = SignatureRecord(signature)
    var hashes: Set = [signature.hash]
    func changed(
      strokes: [[SignaturePoint]]? = nil, width: Int? = nil, time: String? = nil, signer: String? = nil,
      purpose: String? = nil, subject: String? = nil
    ) throws {
      let other = try Signature(
        strokes: strokes ?? signature.strokes, width: width ?? signature.width, height: signature.height,
        time: time ?? signature.time, signer: signer ?? signature.signer, purpose: purpose ?? signature.purpose,
        subject: subject ?? signature.subject)
      #expect(hashes.insert(other.hash).inserted)
    }
    try changed(width: 641)
    try changed(time: "2026-01-02T03:04:05.679Z")
    try changed(signer: "Ada")
    try changed(purpose: "Nothing")
    try changed(subject: "sha256:9f87")
    try changed(
      strokes: Array(signature.strokes.reversed().map { $0.map { SignaturePoint(x: $0.x, y: $0.y, time: 0) } }))
    // Words do not run into one another.
    try changed(signer: signature.signer + "1:", purpose: signature.purpose)
    #expect(record.hash == signature.hash)
  }

  // MARK: Files

  @Test func filesAreFoundWhole() throws {
    for pressure in [false, true] {
      let signature = try Self.sample(pressure: pressure)
      for file in [
        Array(SignatureSVG.draw(signature).utf8), try SignaturePNG.encode(signature),
        Array(SignatureRecord(signature).json.utf8),
      ] {
        let finding = try SignatureFinding.of(file)
        #expect(finding.isWhole)
        #expect(finding.signature == signature)
      }
    }
  }

  @Test func aChangedFileIsNotWhole() throws {
    let signature = try Self.sample()
    func replaced(_ text: String, _ old: String, _ new: String) -> [UInt8] {
      #expect(text.contains(old))
      return Array(text.replacingOccurrences(of: old, with: new).utf8)
    }
    let svg = SignatureSVG.draw(signature)
    // The words beneath, the strokes in the metadata, and one curve of the picture.
    #expect(try !SignatureFinding.of(replaced(svg, "Ada M", "Eve M")).isWhole)
    #expect(try !SignatureFinding.of(replaced(svg, "[[600,1200", "[[601,1200")).isUnchanged)
    let curve = try #require(svg.split(separator: "\n").first { $0.hasPrefix("<path") })
    let finding = try SignatureFinding.of(replaced(svg, String(curve) + "\n", ""))
    #expect(finding.isUnchanged && finding.matchesPicture == false && !finding.isWhole)
    let record = SignatureRecord(signature).json
    #expect(try !SignatureFinding.of(replaced(record, "order", "ordeR")).isUnchanged)
    // Another signature's picture under this one's record.
    let png = try SignaturePNG.encode(signature)
    let other = try SignaturePNG.encode(try Self.sample(pressure: true))
    let (own, foreign) = (Self.chunks(png), Self.chunks(other))
    let finding2 = try SignatureFinding.of(
      SignaturePNG.mark + own.prefix(2).joined() + foreign.dropFirst(2).joined())
    #expect(finding2.isUnchanged && finding2.matchesPicture == false)
  }

  /// Everything but the strokes that a viewer might show or a program might read.
  @Test func nothingCanBeAddedToAPicture() throws {
    let signature = try Self.sample()
    let png = try SignaturePNG.encode(signature)
    #expect(try SignatureFinding.of(png).isWhole)
    let chunks = Self.chunks(png)
    #expect(SignaturePNG.mark + chunks.joined() == png)
    func altered(_ pieces: [[UInt8]], _ tail: [UInt8] = []) -> [UInt8] {
      SignaturePNG.mark + Array(pieces.joined()) + tail
    }
    func inserted(_ type: String, _ body: [UInt8], at place: Int = 2) -> [UInt8] {
      altered(Array(chunks[..<place]) + [SignaturePNG.chunk(type, body)] + Array(chunks[place...]))
    }
    // Red strokes over it, which the red channel alone does not show.
    let drawn = SignaturePNG.draw(signature)
    let painted = RGBImage(width: drawn.width, height: drawn.height) { to in
      drawn.withBytes { bytes in
        for (place, byte) in bytes.enumerated() { to[place] = place % 3 == 0 || place > 3000 ? byte : 0 }
      }
    }
    let red = Self.chunks(try PNGEncoder.encode(painted))
    let files = [
      altered([chunks[0], chunks[1]] + red.dropFirst()),
      inserted("gAMA", [0, 0, 0, 1]), inserted("tEXt", Array("Comment\0signed by Eve".utf8)),
      inserted("acTL", [0, 0, 0, 2, 0, 0, 0, 0]), inserted("eXIf", [1, 2, 3]), inserted("PLTE", [255, 0, 0]),
      // A second record, and the first one behind the pixels.
      altered([chunks[0], chunks[1], chunks[1]] + Array(chunks[2...])),
      altered([chunks[0]] + Array(chunks[2..<(chunks.count - 1)]) + [chunks[1], chunks[chunks.count - 1]]),
      altered(chunks, [0]), altered(chunks, png), altered(Array(chunks.dropLast())),
    ]
    for (index, file) in files.enumerated() {
      #expect(try SignatureFinding.of(file).matchesPicture == false, "\(index)")
    }
  }

  @Test func everyWordSurvivesAPicture() throws {
    for signer in ["Ada\nunchanged", "A\u{FFFE}d\u{FFFF}a", "\u{1}\u{7F}\u{85}\u{202E}ada", "<&\"'>", "]]>", "🖊"] {
      let signature = try Signature(
        strokes: [[SignaturePoint(x: 10, y: 10, time: 0)]], width: 64, height: 64, time: "", signer: signer,
        purpose: "\\ufffe", subject: "&amp;")
      for file in [Array(SignatureSVG.draw(signature).utf8), try SignaturePNG.encode(signature)] {
        let finding = try SignatureFinding.of(file)
        #expect(finding.isWhole && finding.signature == signature, "\(signer.debugDescription)")
      }
    }
  }

  /// Counted, not timed: the search for the record ends where no record can reach.
  @Test func aFileOfEntitiesIsNoSignature() {
    let open = Array("<?xml version=\"1.0\"?>\n<metadata id=\"waymark-signature\">".utf8)
    let file = open + [UInt8](repeating: UInt8(ascii: "&"), count: 20 << 20) + Array("</metadata>".utf8)
    #expect(throws: SignatureError.self) { try SignatureFinding.of(file) }
  }

  @Test func anInvalidSignatureIsReported() throws {
    for file in [
      [], Array("{}".utf8), Array("<?xml version=\"1.0\"?><svg/>".utf8), SignaturePNG.mark,
      SignaturePNG.mark + [0xFF, 0xFF, 0xFF, 0xFF] + Array("iTXt".utf8), Array(repeating: 0x41, count: 1000),
      Array("{\"format\":\"waymark-signature/2\"}".utf8),
    ] {
      #expect(throws: SignatureError.self) { try SignatureFinding.of(file) }
    }
    // A flipped bit anywhere never ends in anything but an answer.
    let file = try SignaturePNG.encode(try Self.sample())
    for place in Swift.stride(from: 0, to: min(file.count, 4000), by: 211) {
      var other = file
      other[place] ^= 0x10
      let finding = try? SignatureFinding.of(other)
      #expect(finding?.isWhole != true)
    }
  }

  @Test func thePictureIsTheGoldenOne() throws {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/Signature/signature.png")
    let drawn = try SignaturePNG.encode(try Self.sample(pressure: true))
    if ProcessInfo.processInfo.environment["WAYMARK_RECORD_GOLDEN"] != nil { try Data(drawn).write(to: url) }
    let (golden, now) = (try #require(Self.pixels(Array(try Data(contentsOf: url)))), try #require(Self.pixels(drawn)))
    #expect(golden.width == now.width && golden.height == now.height)
    let different = zip(golden.values, now.values).count { abs(Int($0) - Int($1)) > 32 }
    let ink = golden.values.count { $0 < 128 }
    #expect(ink > 2000)
    // Of the ink, not of all the white around it.
    #expect(Double(different) <= 0.01 * Double(ink))
  }

  @Test func widthFollowsPressureAndSpeed() throws {
    func widths(_ pressure: Int?, step: Int) throws -> [Double] {
      let stroke = (0...40).map { SignaturePoint(x: 100 + $0 * step, y: 1000, time: $0 * 8, pressure: pressure) }
      let signature = try Signature(
        strokes: [stroke], width: 640, height: 240, time: "", signer: "", purpose: "", subject: "")
      return SignatureCurve(signature).pieces.map(\.to)
    }
    let (light, strong) = (try widths(100, step: 40), try widths(900, step: 40))
    #expect(strong.last ?? 0 > 1.5 * (light.last ?? .infinity))
    let (slow, fast) = (try widths(nil, step: 5), try widths(nil, step: 100))
    #expect(slow.last ?? 0 > 1.3 * (fast.last ?? .infinity))
    // Nothing jumps: neighbours differ by a few per cent.
    for all in [light, strong, slow, fast] {
      #expect(zip(all, all.dropFirst()).allSatisfy { abs($0 - $1) <= 0.36 * max($0, $1) })
    }
  }
}

/// The service's pen and the page's draw the same lines: both are compared with one fixture (Tests/Support/kiosk/pen.mjs is the other side).
@Suite struct SignaturePenTests {
  private struct Fixture: Decodable {
    let width: Int
    let height: Int
    /// Points of four numbers: x and y in tenths of a pixel, milliseconds, and thousandths of the pressure or nothing.
    let strokes: [[[Int?]]]
    /// Lines of five numbers: two points in pixels, and the width.
    let lines: [[Double]]
  }

  @Test func theServiceDrawsTheLinesThatThePageDraws() throws {
    let file = URL(fileURLWithPath: #filePath).appending(path: "../../Fixtures/Signature/pen.json").standardized
    let fixture = try JSONDecoder().decode(Fixture.self, from: try Data(contentsOf: file))
    let strokes = fixture.strokes.map { stroke in
      stroke.map { SignaturePoint(x: $0[0] ?? 0, y: $0[1] ?? 0, time: $0[2] ?? 0, pressure: $0[3]) }
    }
    let signature = try Signature(
      strokes: strokes, width: fixture.width, height: fixture.height, time: "", signer: "", purpose: "", subject: "")
    // The page divides a piece as the service does at twice its size.
    let scale = 2.0
    let lines = SignatureCurve(signature).pieces.flatMap { piece in
      let line = piece.line(scale: scale)
      return zip(line, line.dropFirst()).map { from, to in
        [from.at.x, from.at.y, to.at.x, to.at.y, (from.width + to.width) / 2].map { $0 / scale }
      }
    }
    #expect(lines.count == fixture.lines.count)
    for (drawn, wanted) in zip(lines, fixture.lines) {
      #expect(zip(drawn, wanted).allSatisfy { abs($0 - $1) < 1e-5 })
    }
  }
}
