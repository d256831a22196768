import ArgumentParser
import WaymarkAnchors

/// How many copies of each anchor a command tells.
struct CopiesOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How many copies of each anchor are told in a frame, at most \(AnchorCopies.most); as many of all anchors together.",
      valueName: "n"))
  var copies = 1

  func validate() throws {
    guard (1...AnchorCopies.most).contains(copies) else {
      throw ValidationError("--copies takes a number from 1 to \(AnchorCopies.most)")
    }
  }
}
