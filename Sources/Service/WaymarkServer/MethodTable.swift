package import WaymarkProtocol
package import WaymarkSystem

/// The methods of a server, by name. `ServerModule` below adds methods, and `Replyable` is an error with a reply for
/// clients.
@ServiceActor
package struct MethodTable {
  /// The ways in which a method replies.
  package enum Outcome {
    case result(any Encodable)
    /// The reply is computed asynchronously.
    case later(@Sendable () async throws -> any Encodable & Sendable)
    /// The method sends its reply itself.
    case taken
  }

  struct Method {
    let allowsObservers: Bool
    /// Returns the number of bytes that follow the request's line, before its other parameters are decoded; nil if none
    /// follow.
    var upload: @ServiceActor (IncomingRequest) throws -> Int? = { _ in nil }
    let run: @ServiceActor (IncomingRequest, Connection, RequestBody?) throws -> Outcome
  }

  /// The error of a request with an invalid number of following bytes. The connection is closed after the reply, because its next
  /// bytes cannot be interpreted.
  struct EndlessUpload: Error {
    let error: ServiceError
  }

  private(set) var methods: [String: Method] = [:]

  package nonisolated init() {}

  /// Adds a method that replies at once.
  package mutating func add<R: ServedRequest>(
    _ type: R.Type, _ body: @escaping @ServiceActor (R, Connection) throws -> R.Result
  ) {
    methods[R.method] = Method(allowsObservers: R.allowsObservers) { request, connection, _ in
      .result(try body(try request.decode(R.self), connection))
    }
  }

  /// Adds a method that replies at once or, if `work` returns a task, when the task ends.
  package mutating func add<R: ServedRequest>(
    _ type: R.Type, after work: @escaping @ServiceActor () -> Task<Void, Never>?,
    _ body: @escaping @ServiceActor (R, Connection) throws -> R.Result
  ) {
    methods[R.method] = Method(allowsObservers: R.allowsObservers) { request, connection, _ in
      let request = try request.decode(R.self)
      guard let work = work() else { return .result(try body(request, connection)) }
      return .later {
        await work.value
        return try await body(request, connection)
      }
    }
  }

  /// Adds a method with an asynchronous reply: `body` checks the request at once, and returns a function that computes
  /// the reply.
  package mutating func addLater<R: ServedRequest>(
    _ type: R.Type,
    _ body: @escaping @ServiceActor (R, Connection) throws -> @Sendable () async throws -> R.Result
  ) {
    methods[R.method] = Method(allowsObservers: R.allowsObservers) { request, connection, _ in
      let work = try body(try request.decode(R.self), connection)
      return .later { try await work() }
    }
  }

  /// Adds a method whose request is followed by bytes; the parameter `size` of the request is their number.
  ///
  /// - Parameters:
  ///   - largest: the largest number of bytes. A request with more closes the connection, because so many bytes would take too long
  ///   to skip.
  ///   - body: checks the request at once. Either this function or the function that it returns keeps or skips the bytes. If it
  ///   throws, the bytes are skipped.
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

  /// Adds the methods of several tables with the same methods, one for each camera.
  ///
  /// - Parameters:
  ///   - choose: returns the `word` of the table that handles a request with these parameters; nil for the first table.
  ///   - unknown: returns the error for a word without a table.
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

  /// Adds a method that sends its reply itself, such as a method that sends pictures.
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

// MARK: - Modules

/// A module of a server, which adds methods.
@ServiceActor
package protocol ServerModule: AnyObject {
  func register(in methods: inout MethodTable)
  /// The names of the module's features for `hello.features`.
  var features: [String] { get }
  func connectionClosed(_ connection: Connection)
  /// Ends the module's work when the server stops.
  func stop()
}

extension ServerModule {
  package func register(in methods: inout MethodTable) {}
  package var features: [String] { [] }
  package func connectionClosed(_ connection: Connection) {}
  package func stop() {}
}

/// An error of another module, which a client receives as the corresponding `ServiceError`.
package protocol Replyable: Error {
  /// The error in the reply.
  var reply: ServiceError { get }
}
