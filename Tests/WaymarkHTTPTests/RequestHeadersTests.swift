import Testing

@testable import WaymarkHTTP

@Suite("The codings that a client takes")
struct AcceptedCodingsTests {
  @Test(
    "Gzip is preferred where it is taken and nothing else is wanted more",
    arguments: [
      ("gzip", true), ("gzip, deflate, br, zstd", true), ("GZIP", true), ("x-gzip", true), ("*", true),
      ("br;q=1, *;q=0.1", true),
      ("gzip;q=0.5, identity;q=0.5", true), ("gzip ; q=0.001", true), ("deflate\t,\tgzip", true),
      ("", false), ("identity", false), ("br", false), ("gzip;q=0", false), ("gzip;q=0.000", false),
      ("gzip;q=0, *", false),
      ("*;q=0", false), ("gzip;q=0.5, identity", false), ("gzip;q=nan", false), ("gzip;q=-1", false),
      ("gzip;q=2", false),
      ("gzip;q=", false), ("gzipped", false), ("identity;q=1, *;q=0.5", false), (",;,q=1,;q=0", false),
    ])
  func gzip(field: String, isPreferred: Bool) {
    #expect(AcceptedCodings(field).prefersGzip == isPreferred)
  }

  @Test(
    "Plain bytes are taken unless they are refused by name or with everything that is not named",
    arguments: [
      ("", true), ("gzip", true), ("identity;q=0", false), ("*;q=0", false), ("*;q=0, identity;q=0.1", true),
      ("br;q=0", true),
    ])
  func identity(field: String, isTaken: Bool) {
    #expect(AcceptedCodings(field).takesIdentity == isTaken)
    #expect(AcceptedCodings(nil).takesIdentity && !AcceptedCodings(nil).prefersGzip)
  }
}

@Suite("The part of a file that is asked for")
struct RequestedRangeTests {
  @Test(
    "One part is found, cut at the end of the file; what is unclear asks for everything",
    arguments: [
      ("bytes=0-0", .part(0..<1)), ("bytes=2-5", .part(2..<6)), ("bytes=2-", .part(2..<10)),
      ("bytes=-3", .part(7..<10)),
      ("bytes=-99", .part(0..<10)), ("bytes=9-999999999999999999", .part(9..<10)), ("Bytes= 0-3", .part(0..<4)),
      ("bytes=10-", .outside), ("bytes=10-12", .outside), ("bytes=-0", .outside),
      ("bytes=5-2", .whole), ("bytes=-", .whole), ("bytes=0-1,3-4", .whole), ("bytes=a-b", .whole),
      ("pages=1-2", .whole),
      ("bytes=0-9999999999999999999999", .whole), ("", .whole),
    ] as [(String, RequestedRange)])
  func range(field: String, wanted: RequestedRange) {
    #expect(RequestedRange(field, size: 10) == wanted)
  }

  @Test("An empty file has no part, and no header asks for everything")
  func edges() {
    #expect(RequestedRange("bytes=0-", size: 0) == .outside)
    #expect(RequestedRange("bytes=-1", size: 0) == .outside)
    #expect(RequestedRange(nil, size: 0) == .whole)
  }
}
