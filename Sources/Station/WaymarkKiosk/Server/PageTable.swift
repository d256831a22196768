/// Which connection a page's commands go over: a pure state machine.
///
/// A browser whose connection broke comes back under the same name while its old stream of events still seems to be there.
/// The newest stream's connection is the page's, and a stream that ends takes none away but its own.
struct PageTable<Client: AnyObject> {
  private var streams = 0
  private var pages: [String: (stream: Int, client: Client)] = [:]

  /// The page's connection.
  subscript(page: String) -> Client? { pages[page]?.client }

  /// The number of a stream that begins.
  mutating func began() -> Int {
    streams += 1
    return streams
  }

  /// A stream has connected; one that a newer has followed no longer speaks for the page.
  mutating func connected(_ page: String, stream: Int, _ client: Client) {
    if let newest = pages[page]?.stream, newest > stream { return }
    pages[page] = (stream, client)
  }

  /// A stream's connection has ended.
  mutating func ended(_ page: String, stream: Int) {
    if pages[page]?.stream == stream { pages[page] = nil }
  }
}
