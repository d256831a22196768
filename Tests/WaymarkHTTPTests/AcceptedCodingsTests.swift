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
