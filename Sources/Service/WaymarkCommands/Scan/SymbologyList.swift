import ArgumentParser
package import WaymarkBarcodes
import WaymarkOnboarding
import WaymarkSystem

/// Symbologies by name, separated by commas.
package struct SymbologyList: Sendable {
  package let symbologies: Set<Symbology>

  package init(_ argument: String) throws {
    var all: Set<Symbology> = []
    for word in argument.split(separator: ",") {
      guard let symbology = Symbology(name: String(word)) else {
        let known = Symbology.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no symbology “\(DisplayText.escaped(String(word)))”. Known are \(known).")
      }
      all.insert(symbology)
    }
    guard !all.isEmpty else { throw ValidationError("--formats needs at least one symbology.") }
    symbologies = all
  }
}
