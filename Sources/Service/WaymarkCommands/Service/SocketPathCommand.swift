import ArgumentParser

/// `waymark socket-path`: where the service is to be found.
struct SocketPathCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "socket-path", abstract: "Print the path of the service's socket.",
    discussion: """
      Example:
        socat - UNIX-CONNECT:"$(waymark socket-path)"
      """)

  @OptionGroup var place: SocketOptions

  func run() { Output.line(place.path) }
}
