import ArgumentParser
import Foundation
import Logging
import Synchronization
import WaymarkClient
import WaymarkCommands
import WaymarkConfiguration
import WaymarkHTTP
import WaymarkKiosk
import WaymarkServer
import WaymarkService
import WaymarkSystem

/// `waymark kiosk`: the page, in a process of its own.
struct KioskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kiosk",
    abstract: "Serve the kiosk page: onboarding, the AR scanner, the document scanner and field filling in a browser.",
    discussion: """
      The page talks to the service through this process, which is a client of the socket like any other. It listens on \
      loopback only, and the address it prints carries a code: the browser that opens it first may use the page. \
      For other devices, put a proxy with TLS before it and name the proxy's address with --origin.
      Example:
        waymark kiosk --show onboard,ar --language en
      """)

  @OptionGroup var place: SocketOptions

  @Option(help: "Where to listen: ADDRESS:PORT. Another address than loopback lets the network in.")
  var listen = "127.0.0.1:8631"

  @Option(
    help: """
      Another address under which browsers reach the page, such as https://kiosk.example of a proxy that keeps Host; may \
      be repeated.
      """)
  var origin: [String] = []

  @Option(
    help:
      "What the start view offers: onboard, ar, document, field, count; and account, which asks for signing in first where accounts are configured; separated by commas."
  )
  var show = KioskOptions.View.allCases.map(\.rawValue).joined(separator: ",")

  @Option(help: "Fix the language: en, de, or one of --page. Otherwise the browser's, and a switch.")
  var language: String?

  @Option(help: "Seconds that the last message, such as \"All set\", is shown before the start view returns.")
  var returnAfter = 10.0

  @Option(help: "Seconds without a touch after which the start view returns; 0 for never.")
  var idleAfter = 120.0

  @Flag(inversion: .prefixedNo, help: "Let a person upload a picture from their own device.")
  var upload = true

  @Option(
    help: """
      How high the screen's lower and upper edge are above the floor, in metres, such as 0.6,1.8: buttons then \
      stay below 1.2 m, within reach of a wheelchair.
      """)
  var reach: String?

  @Flag(
    help: "The screen stands fixed: its words ask for things to be held up to the camera, not for it to be moved.")
  var fixed = false

  @Option(
    help: "The integrator's file for the page: brand, words, languages and forms.",
    completion: .file(extensions: ["yaml"]))
  var page: String?

  @Flag(
    help: """
      Show the page while neither a camera nor the service is there, to look at brand, words and forms: what a form \
      would hand over is printed.
      """)
  var preview = false

  @Flag(help: "Print all texts of the page in English as `words` of --page, to be translated, and end.")
  var printWords = false

  @Flag(help: "Look at --page, tell what is wrong with it, and end.")
  var checkPage = false

  @Option(
    help: """
      The address under which phones reach this kiosk, such as https://kiosk.example: results are then taken home by a QR \
      code, once each.
      """)
  var pickup: String?

  @Option(help: "Seconds for which a result waits for that, 30 to 3600.")
  var pickupFor = 300.0

  @Flag(help: "Show a keyboard on the screen while somebody types, for a kiosk without a keyboard.")
  var onScreenKeyboard = false

  @Option(help: "Where the token is kept (else beside the socket).")
  var tokenFile: String?

  @Option(help: "Where to leave an address that opens the page once, always a fresh one, for the same group.")
  var addressFile: String?

  @Option(
    help: """
      Where to leave a file that opens the page once, always a fresh one: chromium --kiosk FILE shows nothing that \
      other users could use.
      """)
  var launchPage: String?

  @Option(help: ArgumentHelp("The folder with the page's files.", visibility: .hidden))
  var assets: String?

  func validate() throws {
    _ = try address()
    _ = try origins()
    _ = try views()
    _ = try reachableShare()
    if let language, page == nil, !["en", "de"].contains(language) {
      throw ValidationError("There is no language \(language): en, de, or one of --page.")
    }
    if checkPage, page == nil { throw ValidationError("--check-page looks at the file of --page.") }
    if let pickup, HTTPOrigin(pickup) == nil {
      throw ValidationError("--pickup takes http or https, a host and perhaps a port, not \(pickup).")
    }
    guard (30...3600).contains(pickupFor) else { throw ValidationError("--pickup-for takes 30 to 3600 seconds.") }
    guard returnAfter.isFinite, returnAfter > 0, idleAfter.isFinite, idleAfter >= 0 else {
      throw ValidationError("Times are seconds, not negative.")
    }
  }

  func run() async throws {
    if printWords {
      for line in PageWords.template(assets: assets ?? KioskOptions.installedAssets) { Output.line(line) }
      return
    }
    let settings = try pageSettings()
    if checkPage {
      Output.line("\(page ?? ""): nothing is wrong.")
      return
    }
    let socket = place.path
    let backend: any KioskBackend = preview ? PreviewBackend { Output.line($0) } : SocketBackend(path: socket)
    let folder = (socket as NSString).deletingLastPathComponent
    do {
      let token = try preview ? KioskToken() : KioskToken(file: tokenFile ?? folder + "/kiosk-token")
      var options = KioskOptions(assets: assets ?? KioskOptions.installedAssets, token: token)
      (options.host, options.port) = try address()
      options.origins = try origins()
      options.views = try views()
      options.language = language
      options.returnSeconds = returnAfter
      options.idleSeconds = idleAfter
      options.upload = upload
      options.reach = try reachableShare()
      options.keyboard = onScreenKeyboard
      options.isFixed = fixed
      options.page = settings
      options.pickup = pickup.flatMap(HTTPOrigin.init)
      options.pickupSeconds = pickupFor
      let isJournal = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil
      JournalLogHandler.use(LogSettings(level: .warning))
      var logger = Logger(label: "kiosk") { JournalLogHandler(label: $0, isJournal: isJournal) }
      logger.logLevel = .warning
      let host = options.host.contains(":") ? "[\(options.host)]" : options.host
      if !["127.0.0.1", "[::1]", "localhost"].contains(host) {
        Output.diagnostic(
          """
          waymark: everyone who reaches \(host) can try to open this page, over a connection that is not encrypted.
            Listen on 127.0.0.1, put a proxy with TLS before it and name its address with --origin, unless this network is
            yours alone.
          """)
      }
      if ["0.0.0.0", "[::]"].contains(host), options.origins.isEmpty {
        Output.diagnostic(
          """
          waymark: \(host) is not an address that other devices can open, and the page is refused under any other name.
            Name the address they open with --origin, such as http://192.0.2.7:\(options.port), or with --listen.
          """)
      }
      let origins = options.origins
      let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
      ServiceManager.clearEnvironment()
      let (file, launch) = (addressFile.map(SecretFile.address), launchPage.map(SecretFile.launchPage))
      try file?.clear()
      try launch?.clear()
      // An address of a page that is gone leads to whoever takes the port next.
      defer {
        try? file?.clear()
        try? launch?.clear()
      }
      let isTerminal = isatty(STDOUT_FILENO) == 1
      let printed = Atomic(false)
      try await KioskServer(options: options, backend: backend, logger: logger).run(
        endedBySignals: true,
        onCode: { port, code in
          let address = "http://\(host):\(port)/?token=\(code)"
          do throws(KioskError) {
            try file?.write(address)
            try launch?.write(SecretFile.launch(to: address))
          } catch {
            // The page is there anyway, for whoever has its address from elsewhere.
            Output.diagnostic("waymark: \(error.message)\n  \(error.hint)")
          }
          // A person may want to open it in another browser, too; whatever reads a pipe wants one address, and may read no further.
          guard !printed.exchange(true, ordering: .relaxed) || isTerminal else { return }
          Output.line(address)
          for origin in origins { Output.line("\(origin.text)/?token=\(code)") }
        }
      ) { port in manager.ready("The page is at http://\(host):\(port)/") }
    } catch {
      try fail(error)
    }
  }

  /// The integrator's settings of the page. What is wrong with their file is told, and ends the program: half of a form is none.
  private func pageSettings() throws -> PageSettings {
    guard let page else { return PageSettings() }
    let settings: PageSettings
    do {
      settings = try PageSettings(file: page, assets: assets ?? KioskOptions.installedAssets)
    } catch {
      try fail(error)
    }
    var problems = settings.problems
    if let language, !settings.languages.contains(language) {
      problems.append(
        ConfigurationProblem(
          origin: "flags", key: "language", message: "there are no words for \(language)",
          hint: "Choose of \(settings.languages.joined(separator: ", ")), or add words.\(language) to --page."))
    }
    guard problems.isEmpty else {
      for problem in problems { Output.diagnostic("\(problem)\n  \(problem.hint)") }
      throw ExitCode(ExitStatus.badData.rawValue)
    }
    return settings
  }

  /// The address and port to listen on.
  private func address() throws -> (host: String, port: Int) {
    guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]) else {
      throw ValidationError("--listen takes ADDRESS:PORT, such as 127.0.0.1:8631.")
    }
    var host = String(listen[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty else { throw ValidationError("--listen takes ADDRESS:PORT, such as 127.0.0.1:8631.") }
    return (host, Int(port))
  }

  /// The share of the screen, from below, that lies under 1.2 m: the highest operable part of ISO 21542:2021 and of the ADA
  /// Standards (308.2) for a side or forward reach from a wheelchair.
  private func reachableShare() throws -> Double {
    guard let reach else { return 1 }
    let edges = reach.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard edges.count == 2, let low = edges[0], let high = edges[1], low >= 0, low < 1.1, high > low, high <= 10 else {
      throw ValidationError(
        "--reach takes the heights of the screen's lower and upper edge in metres, such as 0.6,1.8; the lower one below 1.1."
      )
    }
    return min(1, (1.2 - low) / (high - low))
  }

  /// Parses the origins of a proxy before it.
  private func origins() throws -> [HTTPOrigin] {
    try origin.map { text in
      guard let origin = HTTPOrigin(text) else {
        throw ValidationError(
          "--origin takes http or https, a host and perhaps a port, such as https://kiosk.example, not \(text).")
      }
      return origin
    }
  }

  /// Everything that the start view can offer, as a list to read.
  private static var names: String { KioskOptions.View.allCases.map(\.rawValue).joined(separator: ", ") }

  /// The entries of the start view.
  private func views() throws -> [KioskOptions.View] {
    let views = try show.split(separator: ",").map { word in
      guard let view = KioskOptions.View(rawValue: String(word)) else {
        throw ValidationError("--show takes \(Self.names), not \(word).")
      }
      return view
    }
    guard !views.isEmpty else {
      throw ValidationError("--show needs at least one of \(Self.names).")
    }
    return views
  }
}

extension KioskErrorCode: CommandErrorCode {
  var exitStatus: ExitStatus {
    switch self {
    case .tokenFile, .addressFile, .assets: .cannotOpen
    case .listen: .unavailable
    }
  }
}
