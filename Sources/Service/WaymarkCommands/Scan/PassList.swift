import ArgumentParser
import WaymarkBarcodes

/// Passes of the reader, named on the command line.
struct PassList {
  var passes: Set<ScanPass>

  init(passes: Set<ScanPass>) { self.passes = passes }

  init(_ text: String) throws {
    passes = []
    for name in text.split(separator: ",") {
      guard let pass = ScanPass(rawValue: String(name)) else {
        let known = ScanPass.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no pass \"\(name)\"; known are \(known).")
      }
      passes.insert(pass)
    }
  }
}
