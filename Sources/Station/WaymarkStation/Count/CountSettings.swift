package import WaymarkConfiguration
import WaymarkProtocol
package import WaymarkService
import WaymarkSystem

/// The section `count` of the configuration: the articles with which counts are compared until a program sets them.
package struct CountSettings: Configurable, Hashable {
  /// The file with the expected articles; nil for no comparison.
  private var file: String?

  package init() {}

  package static let settings = section(
    "count",
    [
      Setting(
        "expected", .path,
        "JSON file with the `articles` that counts are compared with until [`count.expected`](protocol.md#counting) sets others",
        into: \.file, change: .restart)
    ])

  /// Reads the section of a configuration.
  init(_ configuration: ServiceConfiguration) { read(configuration.values) }

  /// Reads the expected articles; nil without a file.
  ///
  /// - Throws: `FileError` if the file cannot be read, and `ServiceError` if it has no valid list of articles.
  func articles() throws -> [ExpectedArticle]? {
    guard let file else { return nil }
    let bytes = try WholeFile.read(file, limit: 1 << 20)
    do {
      let list = try JSONParser.parse(bytes)
      let request = IncomingRequest(id: .null, method: CountExpectedRequest.method, params: ["articles": list])
      return try request.decode(CountExpectedRequest.self).checked()
    } catch let error as JSONSyntaxError {
      throw ServiceError(
        .badParams, "\(file) is not JSON: \(error.problem) (byte \(error.offset)).", hint: "Write a list of articles.")
    }
  }

  /// Returns the problem of the file with the expected articles; empty if its content is valid or no file is named.
  static func problems(_ configuration: ServiceConfiguration) -> [ConfigurationProblem] {
    let problem = configuration.problem("count.expected") { _ = try CountSettings(configuration).articles() }
    return problem.map { [$0] } ?? []
  }
}

extension CountExpectedRequest {
  /// Returns the articles.
  ///
  /// - Throws: `badParams` if two have the same text.
  func checked() throws(ServiceError) -> [ExpectedArticle] {
    guard Set(articles.map(\.text)).count == articles.count else {
      throw ServiceError(
        .badParams, "An expected article is named twice.", hint: "Name each text once, with its whole amount.")
    }
    return articles
  }
}
