import CSQLite
import Glibc
import WaymarkSystem

/// An error of SQLite, with its primary result code (https://sqlite.org/rescode.html). `Database` below is a connection
/// to SQLite.
struct DatabaseError: Error {
  let code: Int32
  let message: String
  /// True if the disk or a quota is full, rather than the database at its limit.
  var isOfDisk = false

  static let damage = DatabaseError(code: SQLITE_CORRUPT, message: "it is damaged")

  var isFull: Bool { code == SQLITE_FULL }
  /// True if the file is damaged, or not a database of this program.
  var isDamage: Bool {
    ![SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_BUSY, SQLITE_CANTOPEN, SQLITE_PERM].contains(code)
  }
}

/// A connection to an SQLite database in WAL mode (https://sqlite.org/wal.html). Use it from one thread at a time; other processes
/// must not open the database.
///
/// Its files grow in steps that are allocated before they are written, so that rows can be deleted and checkpointed on a full disk.
final class Database {
  private static let pageSize = 4096
  private let path: String
  private let mostPages: Int
  /// The number of pages after which the write-ahead log is checkpointed, and by which the database grows.
  private let step: Int
  private var handle: OpaquePointer?

  /// Opens a database, or creates it with the statements of `schema`. Its files take at most `bytes` bytes.
  init(_ path: String, bytes: Int, schema: String) throws(DatabaseError) {
    self.path = path
    mostPages = bytes / Self.pageSize * 2 / 3
    step = min(max(bytes / Self.pageSize / 10, 2), 128)
    // Before a checkpoint, the log can exceed a step by one statement.
    let logSize = 2 * step * (Self.pageSize + 24) + 32
    // The file is created here, as SQLite would follow a link and let other users read the file.
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw DatabaseError(code: SQLITE_CANTOPEN, message: systemMessage(errno)) }
    Glibc.close(file)
    try check(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
    let pragmas = """
      PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = \(Self.pageSize); PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = FAST;
      PRAGMA wal_autocheckpoint = \(step); PRAGMA journal_size_limit = \(logSize);
      PRAGMA max_page_count = \(mostPages);
      """
    try check(sqlite3_exec(handle, pragmas, nil, nil, nil))
    let version = try run("PRAGMA user_version")
    if version == 0 {
      try check(sqlite3_exec(handle, "BEGIN; \(schema); PRAGMA user_version = 1; COMMIT", nil, nil, nil))
    }
    let faults = try run("SELECT count(*) FROM pragma_quick_check(1) WHERE quick_check <> 'ok'")
    guard version <= 1, faults == 0 else { throw DatabaseError.damage }
    var size = Int32(step * Self.pageSize)
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_CHUNK_SIZE, &size)
    // The log is allocated in advance; SQLite regards the zeros after its last frame as its end.
    let log = open(path + "-wal", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    _ = posix_fallocate(log, 0, off_t(logSize))
    Glibc.close(log)
    _ = DurableFile.synchronizeFolder(of: path)
  }

  deinit { close() }

  /// Closes the database permanently, and removes the write-ahead log.
  func close() {
    sqlite3_close(handle)
    handle = nil
  }

  /// The bytes of the database's files.
  var bytes: Int {
    [path, path + "-wal"].reduce(0) { sum, file in
      var status = stat()
      return stat(file, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }

  /// Allocates room for a row of `bytes` and for the pages that wait in the write-ahead log; throws `SQLITE_FULL` if the disk is full.
  func reserve(_ bytes: Int) throws(DatabaseError) {
    let pages = step + bytes / Self.pageSize + 8
    guard try run("PRAGMA freelist_count") < pages else { return }
    var size = Int64(min(Int(try run("PRAGMA page_count")) + pages, mostPages) * Self.pageSize)
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_SIZE_HINT, &size) == SQLITE_OK else {
      throw DatabaseError(code: SQLITE_FULL, message: systemMessage(ENOSPC), isOfDisk: true)
    }
  }

  /// Runs a statement with `number` as its first parameter and `payload` as its second. `row` is called with the first two columns
  /// of each row, and returns false to end the statement.
  ///
  /// - Returns: the first column of the last row; 0 without rows.
  @discardableResult func run(
    _ sql: String, _ number: UInt64 = 0, payload: [UInt8] = [], row: (UInt64, [UInt8]) -> Bool = { _, _ in true }
  ) throws(DatabaseError) -> UInt64 {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    sqlite3_bind_int64(statement, 1, Int64(bitPattern: number))
    var last: UInt64 = 0
    let result = payload.withUnsafeBytes { bytes in
      sqlite3_bind_blob(statement, 2, bytes.baseAddress, Int32(bytes.count), nil)
      while true {
        let result = sqlite3_step(statement)
        guard result == SQLITE_ROW else { return result }
        last = UInt64(bitPattern: sqlite3_column_int64(statement, 0))
        let start = sqlite3_column_blob(statement, 1)
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, 1)))
        if !row(last, Array(bytes)) { return SQLITE_DONE }
      }
    }
    if result != SQLITE_DONE { try check(result) }
    return last
  }

  private func check(_ result: Int32) throws(DatabaseError) {
    guard result != SQLITE_OK else { return }
    // SQLite reports an exceeded quota as an I/O error.
    let isQuota = result & 0xFF == SQLITE_IOERR && sqlite3_system_errno(handle) == EDQUOT
    throw DatabaseError(
      code: isQuota ? SQLITE_FULL : result & 0xFF, message: String(cString: sqlite3_errmsg(handle)), isOfDisk: isQuota)
  }
}
