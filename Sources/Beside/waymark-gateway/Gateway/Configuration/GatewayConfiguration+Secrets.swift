import WaymarkSpool
import WaymarkSystem

extension GatewayConfiguration {
  /// The tokens and whom each stands for.
  ///
  /// - Throws: with the code `cannotOpen`.
  func tokenTable() throws(GatewayError) -> TokenTable {
    var rows: [(token: String, caller: Caller)] = []
    for token in tokens {
      rows.append(
        (try Self.secret(token.file, named: "token \(token.name)"), Caller(name: token.name, role: token.role)))
    }
    return TokenTable(rows)
  }

  /// The webhooks, with what waits for them.
  ///
  /// - Throws: with the code `store` or `cannotOpen`.
  func openWebhooks() throws(GatewayError) -> [WebhookSender] {
    guard !webhooks.isEmpty else { return [] }
    do {
      try Folder.make(storeFolder, withParents: false)
    } catch {
      throw GatewayError(.store, error.message, hint: error.hint, cause: error.cause)
    }
    var opened: [WebhookSender] = []
    for settings in webhooks {
      let limits = EventLog.Limits(events: storeEvents, bytes: storeBytes)
      opened.append(try WebhookSender(settings, folder: storeFolder, limits: limits))
    }
    return opened
  }

  /// Reads every file that the configuration names.
  ///
  /// - Throws: with the code `cannotOpen`.
  package func checkFiles() throws(GatewayError) {
    _ = try tokenTable()
    for webhook in webhooks { _ = try Self.secret(webhook.secretFile, named: "secret of \(webhook.name)") }
    do {
      if let tls { _ = try SecretLine.file(tls.keyFile) }
      for file in namedFiles { _ = try WholeFile.read(file, limit: 1 << 20) }
    } catch {
      throw GatewayError(.cannotOpen, error.message, hint: error.hint)
    }
  }

  /// A secret: the first line of its file.
  static func secret(_ path: String, named name: String) throws(GatewayError) -> String {
    let line: String
    do {
      line = try SecretLine.read(path)
    } catch {
      throw GatewayError(.cannotOpen, error.message, hint: error.hint)
    }
    guard line.utf8.count >= TokenTable.shortest else {
      throw GatewayError(
        .cannotOpen, "The \(name) in \(path) has fewer than \(TokenTable.shortest) characters",
        hint: "Make another one: head -c 32 /dev/urandom | base64 > \(path)")
    }
    return line
  }
}
