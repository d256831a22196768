package import WaymarkProtocol
package import WaymarkSystem

/// The methods of a server by name.
@ServiceActor
package struct MethodTable {
  /// The outcome of a request.
  package enum Outcome {
    /// The answer is there.
    case result(any Encodable)
    /// The answer takes time; the loop goes on meanwhile.
    case later(@Sendable () async throws -> any Encodable & Sendable)
    /// The method answers by itself.
    case taken
  }

  struct Method {
    let allowsObservers: Bool
    /// The bytes that follow the request's line, known before anything else of it is looked at.
    var upload: @ServiceActor (IncomingRequest) throws -> Int? = { _ in nil }
    let run: @ServiceActor (IncomingRequest, Connection, RequestBody?) throws -> Outcome
  }

  /// A request after which a connection's bytes have no meaning: it is answered, then the connection is closed.
  struct EndlessUpload: Error {
    let error: ServiceError
  }

  private(set) var methods: [String: Method] = [:]

  package nonisolated init() {}

  /// Adds a method that answers at once.
  package mutating func add<R: ServedRequest>(
    _ type: R.Type, _ body: @escaping @ServiceActor (R, Connection) throws -> R.Result
  ) {
    methods[R.method] = Method(allowsObservers: R.allowsObservers) { request, connection, _ in
      .result(try body(try request.decode(R.self), connection))
    }
  }

  /// Adds a method whose answer takes time: `body` checks at once and returns what is to be awaited.
  package mutating func addLater<R: ServedRequest>(
    _ type: R.Type,
    _ body: @escaping @ServiceActor (R, Connection) throws -> @Sendable () async throws -> R.Result
  ) {
    methods[R.method] = Method(allowsObservers: R.allowsObservers) { request, connection, _ in
      let work = try body(try request.decode(R.self), connection)
      return .later { try await work() }
    }
  }

  /// Adds a method whose request is followed by bytes, as many as its parameter `size` says.
  ///
  /// - Parameters:
  ///   - largest: a request with more ends the connection: so many bytes are not skipped.
  ///   - body: checks at once; it, or what it returns, decides whether the bytes are kept. If it throws they are skipped.
  package mutating func addUpload<R: ServedRequest>(
    _ type: R.Type, largest: Int,
    _ body: @escaping @ServiceActor (R, RequestBody?, Connection) throws -> @Sendable () async throws -> R.Result
  ) {
    methods[R.method] = Method(
      allowsObservers: R.allowsObservers,
      upload: { request in
        switch request.params["size"]?.int {
        case let size? where (1...largest).contains(size): return size
        case 0?: return nil
        default:
          throw EndlessUpload(
            error: ServiceError(
              .badParams, "size must be a whole number between 1 and \(largest): the bytes that follow.",
              hint: "Make the picture smaller."))
        }
      },
      run: { request, connection, upload in
        let work = try body(try request.decode(R.self), upload, connection)
        return .later { try await work() }
      })
  }

  /// Adds the methods of several tables that have the same ones.
  ///
  /// - Parameters:
  ///   - choose: the word of the table that answers a request with these parameters; nil: the first does.
  ///   - unknown: the error for a word that no table has.
  package mutating func add(
    _ tables: [(word: String, methods: MethodTable)], by choose: @escaping @ServiceActor (JSONValue) -> String?,
    unknown: @escaping @ServiceActor (String) -> ServiceError
  ) {
    guard let first = tables.first else { return }
    for (method, standard) in first.methods.methods {
      let others = tables.compactMap { table in table.methods.methods[method].map { (table.word, $0) } }
      let byWord = Dictionary(others) { first, _ in first }
      methods[method] = Method(
        allowsObservers: standard.allowsObservers, upload: standard.upload,
        run: { request, connection, upload in
          guard let word = choose(request.params) else { return try standard.run(request, connection, upload) }
          guard let chosen = byWord[word] else { throw unknown(word) }
          return try chosen.run(request, connection, upload)
        })
    }
  }

  /// Adds a method that answers by itself, such as one that sends pictures.
  package mutating func addTaking<R: ServedRequest>(
    _ type: R.Type,
    _ body: @escaping @ServiceActor (R, IncomingRequest, Connection) throws -> Void
  ) {
    methods[R.method] = Method(allowsObservers: R.allowsObservers) { request, connection, _ in
      try body(try request.decode(R.self), request, connection)
      return .taken
    }
  }
}
