public import PawlCore
internal import PawlStorage
internal import SystemPackage

/// A folder and what is done with the files in it, by names relative to it.
///
/// Names may have folders in them (`covers/1.png`), but no `.` and `..`: nothing outside is reached. Each
/// failure is a `DownloadError`; a name that leads outside has the code `.usage`.
public struct PlaceFolder: Sendable {
    /// The longest file that `read(_:limit:)` reads unless told otherwise: 64 MiB.
    public static let standardLimit = 64 << 20

    private let files: FileFolder
    private let places: Places

    init(_ files: FileFolder, places: Places) {
        self.files = files
        self.places = places
    }

    /// The folder's path.
    public var path: String { files.path.string }

    /// The path of a name in the folder.
    ///
    /// - Throws: `DownloadError` with the code `.usage` for a name that leads outside.
    public func path(of name: String) throws(DownloadError) -> String {
        try files.resolve(name).string
    }

    /// Creates a folder and those above it that are missing.
    ///
    /// - Returns: Whether it was not there before.
    /// - Throws: `DownloadError` with the code `.directoryNotUsable` where a file has the name.
    @discardableResult
    public func createDirectory(_ name: String) async throws(DownloadError) -> Bool {
        try await places.run { [files] () throws(DownloadError) in
            try files.createDirectory(name)
        }
    }

    /// Creates a file that is not there yet, with all of these bytes or not at all.
    ///
    /// - Throws: `DownloadError` with the code `.fileExists` where the name is taken.
    public func createFile(
        _ name: String,
        contents: [UInt8] = []
    ) async throws(DownloadError) {
        try await places.run { [files] () throws(DownloadError) in
            try files.createFile(name, contents)
        }
    }

    /// Writes a file anew: a reader meets the old bytes or the new ones, also after a power cut.
    ///
    /// - Throws: `DownloadError`.
    public func write(_ bytes: [UInt8], to name: String) async throws(DownloadError) {
        try await places.run { [files] () throws(DownloadError) in
            try files.write(bytes, to: name)
        }
    }

    /// All bytes of a file.
    ///
    /// - Throws: `DownloadError` with the code `.fileUnreadable` where there is no such file, or it has
    ///   more bytes than `limit`.
    public func read(
        _ name: String,
        limit: Int = PlaceFolder.standardLimit
    ) async throws(DownloadError) -> [UInt8] {
        try await places.run { [files] () throws(DownloadError) in
            try files.read(name, limit: limit)
        }
    }

    /// How many bytes a file has, or all files below a folder; nil where there is nothing.
    ///
    /// - Throws: `DownloadError`.
    public func size(of name: String) async throws(DownloadError) -> Int64? {
        try await places.run { [files] () throws(DownloadError) in try files.size(of: name) }
    }

    /// How many bytes all files below the folder have; one with several names counts once.
    ///
    /// - Throws: `DownloadError`.
    public func size() async throws(DownloadError) -> Int64 {
        try await places.run { [files] () throws(DownloadError) in try files.size() }
    }

    /// Removes a file, or a folder with all that is in it.
    ///
    /// - Returns: Whether there was anything.
    /// - Throws: `DownloadError` where something is still there.
    @discardableResult
    public func delete(_ name: String) async throws(DownloadError) -> Bool {
        try await places.run { [files] () throws(DownloadError) in try files.delete(name) }
    }

    /// Whether there is anything of that name.
    ///
    /// - Throws: `DownloadError`.
    public func exists(_ name: String) async throws(DownloadError) -> Bool {
        try await places.run { [files] () throws(DownloadError) in try files.exists(name) }
    }

    /// The names in the folder, hidden ones too, sorted; such as are no UTF-8 are left out.
    ///
    /// - Throws: `DownloadError`.
    public func names() async throws(DownloadError) -> [String] {
        try await places.run { [files] () throws(DownloadError) in try files.names() }
    }

    /// Notes that a file was used now, so that a cleaning takes it late.
    ///
    /// Many file systems note a reading once a day, or never.
    ///
    /// - Throws: `DownloadError`.
    public func markUsed(_ name: String) async throws(DownloadError) {
        try await places.run { [files] () throws(DownloadError) in try files.markUsed(name) }
    }
}
