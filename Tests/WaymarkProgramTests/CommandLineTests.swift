import ArgumentParser
import Testing
import WaymarkBarcodes
import WaymarkImage

@testable import WaymarkCommands
@testable import waymark_station

/// What commands do with their words, and how they end.
struct CommandLineTests {
  @Test(
    arguments: [
      (["-hq"], nil), (["-qh"], nil), (["-dash.png"], "-dash.png"), (["scan", "-qx", "-dash.png"], "-qx"),
      (["-j4"], nil), (["-ofile"], nil), (["-pA.B"], nil), (["-fpage.png"], nil), (["-4.5"], nil), (["-.5"], nil),
      (["--long"], nil), (["-x"], nil), (["-"], nil), (["--", "-dash.png"], nil), (["-dash.png", "--"], "-dash.png"),
      ([], nil),
    ] as [([String], String?)]) func wordsThatAreNoFlagsAreFound(words: [String], misread: String?)
  {
    #expect(ShortOptions.misread(in: words) == misread)
  }

  /// When several apply the worst wins, in the order of the manual.
  @Test func theWorstEndWins() {
    let order: [Int32] = [0, 1, 2, 69, 65, 74, 66, 77, 64, 70]
    let sorted = ExitStatus.allCases.sorted()
    #expect(sorted.map(\.rawValue) == order)
    for (index, status) in sorted.enumerated() {
      #expect(!(status < status))
      for worse in sorted[(index + 1)...] { #expect(status < worse && max(status, worse) == worse) }
    }
  }

  @Test func passesAreNamed() throws {
    #expect(try PassList("base").passes == [.base])
    #expect(try PassList("modules,strip,equalized").passes == [.modules, .strip, .equalized])
    #expect(throws: ValidationError.self) { try PassList("base,wave") }
  }

  /// The base names the package of every command that the station has beside its own.
  @Test func theBaseKnowsTheStationsCommands() {
    func names(_ configuration: CommandConfiguration) -> Set<String> {
      Set(configuration.subcommands.compactMap { $0.configuration.commandName })
    }
    let more = names(Station.configuration).subtracting(names(WaymarkBase.configuration))
    #expect(Set(WaymarkBase.station) == more)
  }
}
