internal import Glibc
internal import PawlCore
internal import SystemPackage

/// A database of SQLite that is only read.
///
/// It is opened for writing, too, which SQLite needs to use a write-ahead log.
/// The library is loaded when it is needed first, because most programs that use Pawl never read
/// such a file.
final class SQLiteFile {
    private let library: Library
    private let database: OpaquePointer
    private let path: FilePath

    init(_ path: FilePath) throws(DownloadError) {
        guard let library = Library.shared else {
            throw DownloadError(
                .fileUnreadable,
                "libsqlite3, which reads the cookies of browsers, is not installed",
                advice: "install it; on Debian it is the package libsqlite3-0"
            )
        }
        var database: OpaquePointer?
        let code = library.open(path.string, &database, Library.readWrite, nil)
        guard code == 0, let database else {
            _ = library.close(database)
            throw Self.failure(path, code)
        }
        self.library = library
        self.database = database
        self.path = path
    }

    deinit { _ = library.close(database) }

    /// The values of a row of a result.
    struct Row {
        fileprivate let library: Library
        fileprivate let statement: OpaquePointer

        func integer(_ column: Int32) -> Int64 { library.integer(statement, column) }

        /// The bytes of a text or a blob.
        func bytes(_ column: Int32) -> [UInt8] {
            guard let start = library.blob(statement, column) else { return [] }
            let count = Int(library.count(statement, column))
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }

        /// A text; `nil` if it is not UTF-8.
        func text(_ column: Int32) -> String? { String(validating: bytes(column), as: UTF8.self) }
    }

    /// Calls a closure with each row of a query's result.
    func forEachRow(of query: String, _ body: (Row) -> Void) throws(DownloadError) {
        var statement: OpaquePointer?
        let code = library.prepare(database, query, -1, &statement, nil)
        guard code == 0, let statement else { throw Self.failure(path, code) }
        defer { _ = library.finalize(statement) }
        while true {
            let code = library.step(statement)
            if code == Library.done { return }
            guard code == Library.row else { throw Self.failure(path, code) }
            body(Row(library: library, statement: statement))
        }
    }

    private static func failure(_ path: FilePath, _ code: Int32) -> DownloadError {
        DownloadError(
            .fileUnreadable,
            "the browser's cookies cannot be read: SQLite reports error \(code)",
            advice: "try again; if that does not help, the version of the browser is not supported",
            context: "reading \(path)"
        )
    }
}

/// The functions of libsqlite3 that are used.
private struct Library: @unchecked Sendable {
    typealias Open =
        @convention(c) (
            UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?, Int32,
            UnsafePointer<CChar>?
        ) -> Int32
    typealias Prepare =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<OpaquePointer?>?,
            UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) -> Int32
    typealias Handle = @convention(c) (OpaquePointer?) -> Int32
    typealias Integer = @convention(c) (OpaquePointer?, Int32) -> Int64
    typealias Count = @convention(c) (OpaquePointer?, Int32) -> Int32
    typealias Blob = @convention(c) (OpaquePointer?, Int32) -> UnsafeRawPointer?

    static let readWrite: Int32 = 2
    static let row: Int32 = 100
    static let done: Int32 = 101
    static let shared = Library()

    let open: Open
    let close: Handle
    let prepare: Prepare
    let step: Handle
    let finalize: Handle
    let integer: Integer
    let count: Count
    let blob: Blob

    private init?() {
        guard let handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL) else { return nil }
        func find<Function>(_ name: String, _ type: Function.Type) -> Function? {
            dlsym(handle, "sqlite3_\(name)").map { unsafeBitCast($0, to: type) }
        }
        guard let open = find("open_v2", Open.self), let close = find("close", Handle.self),
            let prepare = find("prepare_v2", Prepare.self), let step = find("step", Handle.self),
            let finalize = find("finalize", Handle.self),
            let integer = find("column_int64", Integer.self),
            let count = find("column_bytes", Count.self), let blob = find("column_blob", Blob.self)
        else { return nil }
        self.open = open
        self.close = close
        self.prepare = prepare
        self.step = step
        self.finalize = finalize
        self.integer = integer
        self.count = count
        self.blob = blob
    }
}
