import ArgumentParser
import Foundation
import Logging
import Synchronization
import WaymarkCommands
import WaymarkKiosk
import WaymarkService
import WaymarkSystem

/// `waymark kiosk`: serves the page in a process of its own.
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

  @Flag(help: "Check --page, print its problems, and end.")
  var checkPage = false

  @Option(
    help: """
      The address under which phones reach this kiosk, such as https://kiosk.example: results are then taken home by a QR \
      code, once each.
      """)
  var pickup: String?

  @Option(help: "Seconds for which a result waits for that, 30 to 3600.")
  var pickupFor = 300.0

  @Flag(help: "Show a keyboard on the screen while a field is edited, for a kiosk without a keyboard.")
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
    _ = try options(token: KioskToken(), PageSettings())
    if let language, page == nil, !["en", "de"].contains(language) {
      throw ValidationError("There is no language \(language): en, de, or one of --page.")
    }
    if checkPage, page == nil { throw ValidationError("--check-page looks at the file of --page.") }
    guard (30...3600).contains(pickupFor) else { throw ValidationError("--pickup-for takes 30 to 3600 seconds.") }
    guard returnAfter.isFinite, returnAfter > 0, idleAfter.isFinite, idleAfter >= 0 else {
      throw ValidationError("Times are seconds, not negative.")
    }
  }

  private var folder: String { assets ?? KioskOptions.installedAssets }

  func run() async throws {
    if printWords {
      for line in PageWords.template(assets: folder) { Output.line(line) }
      return
    }
    let settings = try pageSettings()
    if checkPage {
      Output.line("\(page ?? ""): nothing is wrong.")
      return
    }
    let socket = place.path
    let backend: any KioskBackend = preview ? PreviewBackend { Output.line($0) } : SocketBackend(path: socket)
    do {
      let standard = (socket as NSString).deletingLastPathComponent + "/kiosk-token"
      let options = try options(token: try preview ? KioskToken() : KioskToken(file: tokenFile ?? standard), settings)
      for caution in options.cautions { Output.diagnostic("waymark: \(caution.message)\n  \(caution.hint)") }
      try await serve(options, backend)
    } catch {
      try fail(error)
    }
  }

  /// Serves the page until a signal ends it.
  private func serve(_ options: KioskOptions, _ backend: any KioskBackend) async throws {
    let environment = ProcessInfo.processInfo.environment
    let logger = Daemon.logger("kiosk", level: .warning, environment: environment)
    let manager = ServiceManager(environment: environment)
    ServiceManager.clearEnvironment()
    let (file, launch) = (addressFile.map(SecretFile.address), launchPage.map(SecretFile.launchPage))
    try file?.clear()
    try launch?.clear()
    // After the end, the address would lead to the next program that listens on the port.
    defer {
      try? file?.clear()
      try? launch?.clear()
    }
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let printed = Atomic(false)
    try await KioskServer(options: options, backend: backend, logger: logger).run(
      endedBySignals: true,
      onCode: { port, code in
        let addresses = options.launchAddresses(port: port, code: code)
        do throws(KioskError) {
          try file?.write(addresses[0])
          try launch?.write(SecretFile.launch(to: addresses[0]))
        } catch {
          // The page can be used without the file.
          Output.diagnostic("waymark: \(error.message)\n  \(error.hint)")
        }
        // On a terminal every new address is printed, for further browsers. Programs that read a pipe expect only one address.
        guard !printed.exchange(true, ordering: .relaxed) || isTerminal else { return }
        for address in addresses { Output.line(address) }
      }
    ) { port in manager.ready("The page is at \(options.address(port: port))") }
  }

  /// Reads the integrator's settings of the page. Problems of the file are printed and end the program.
  private func pageSettings() throws -> PageSettings {
    guard let page else { return PageSettings() }
    let settings: PageSettings
    do {
      settings = try PageSettings(file: page, assets: folder)
    } catch {
      try fail(error)
    }
    try refuse(settings.problems(fixing: language))
    return settings
  }

  /// Returns the options of the server.
  ///
  /// - Throws: `ValidationError` that names an invalid option.
  private func options(token: KioskToken, _ settings: PageSettings) throws -> KioskOptions {
    var options = KioskOptions(assets: folder, token: token)
    guard let listener = KioskOptions.listener(listen) else {
      throw ValidationError("--listen takes ADDRESS:PORT, such as 127.0.0.1:8631.")
    }
    (options.host, options.port) = listener
    options.origins = try origin.map { text in
      guard let origin = KioskOptions.origin(text) else {
        throw ValidationError(
          "--origin takes http or https, a host and perhaps a port, such as https://kiosk.example, not \(text).")
      }
      return origin
    }
    options.views = try views()
    if let reach {
      guard let share = KioskOptions.reachableShare(reach) else {
        throw ValidationError(
          "--reach takes the heights of the screen's lower and upper edge in metres, such as 0.6,1.8; the lower one below 1.1."
        )
      }
      options.reach = share
    }
    if let pickup {
      guard let origin = KioskOptions.origin(pickup) else {
        throw ValidationError("--pickup takes http or https, a host and perhaps a port, not \(pickup).")
      }
      options.pickup = origin
    }
    options.language = language
    options.returnSeconds = returnAfter
    options.idleSeconds = idleAfter
    options.upload = upload
    options.keyboard = onScreenKeyboard
    options.isFixed = fixed
    options.page = settings
    options.pickupSeconds = pickupFor
    return options
  }

  /// Returns the entries of the start view; throws `ValidationError` if an entry is unknown, or the view would be empty.
  private func views() throws -> [KioskOptions.View] {
    let names = KioskOptions.View.allCases.map(\.rawValue).joined(separator: ", ")
    let views = try show.split(separator: ",").map { word in
      guard let view = KioskOptions.View(rawValue: String(word)) else {
        throw ValidationError("--show takes \(names), not \(word).")
      }
      return view
    }
    guard !views.isEmpty else {
      throw ValidationError("--show needs at least one of \(names).")
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
