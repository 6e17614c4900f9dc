public import PawlCore
package import PawlStorage
internal import SystemPackage

/// A folder and operations on its files, by names relative to it.
///
/// Names may contain folders (`covers/1.png`), but not `.` or `..`, so nothing outside the folder
/// is reached. Each failure is a `DownloadError`; a name that leads outside gives the code
/// `.usage`.
public struct PlaceFolder: Sendable {
    /// The default size limit of `read(_:limit:)`: 64 MiB.
    public static let standardLimit = 64 << 20

    private let files: FileFolder
    private let places: Places

    package init(_ files: FileFolder, places: Places) {
        self.files = files
        self.places = places
    }

    /// The folder's path.
    public var path: String { files.path.string }

    /// Returns the path of a name in the folder.
    ///
    /// - Throws: `DownloadError` with the code `.usage` for a name that leads outside.
    public func path(of name: String) throws(DownloadError) -> String {
        try files.resolve(name).string
    }

    /// Creates a folder and its missing parents.
    ///
    /// - Returns: Whether the folder is new.
    /// - Throws: `DownloadError` with the code `.directoryNotUsable` if a file has the name.
    @discardableResult
    public func createDirectory(_ name: String) async throws(DownloadError) -> Bool {
        try await places.run { [files] () throws(DownloadError) in
            try files.createDirectory(name)
        }
    }

    /// Creates a new file with all of these bytes, or none.
    ///
    /// - Throws: `DownloadError` with the code `.fileExists` if the name is taken.
    public func createFile(
        _ name: String,
        contents: [UInt8] = []
    ) async throws(DownloadError) {
        try await places.run { [files] () throws(DownloadError) in
            try files.createFile(name, contents)
        }
    }

    /// Writes a file, replacing an existing one.
    ///
    /// A reader sees either the old bytes or the new ones, even after a power cut.
    ///
    /// - Throws: `DownloadError`.
    public func write(_ bytes: [UInt8], to name: String) async throws(DownloadError) {
        try await places.run { [files] () throws(DownloadError) in
            try files.write(bytes, to: name)
        }
    }

    /// Reads all bytes of a file.
    ///
    /// - Throws: `DownloadError` with the code `.fileUnreadable` if there is no such file, or it
    ///   has more bytes than `limit`.
    public func read(
        _ name: String,
        limit: Int = PlaceFolder.standardLimit
    ) async throws(DownloadError) -> [UInt8] {
        try await places.run { [files] () throws(DownloadError) in
            try files.read(name, limit: limit)
        }
    }

    /// Returns the size in bytes of a file, or of all files below a folder; `nil` if there is
    /// nothing.
    ///
    /// - Throws: `DownloadError`.
    public func size(of name: String) async throws(DownloadError) -> Int64? {
        try await places.run { [files] () throws(DownloadError) in try files.size(of: name) }
    }

    /// Returns the size in bytes of all files below the folder.
    ///
    /// A file with several names counts once.
    ///
    /// - Throws: `DownloadError`.
    public func size() async throws(DownloadError) -> Int64 {
        try await places.run { [files] () throws(DownloadError) in try files.size() }
    }

    /// Removes a file, or a folder with its content.
    ///
    /// - Returns: Whether there was anything.
    /// - Throws: `DownloadError` if something could not be removed.
    @discardableResult
    public func delete(_ name: String) async throws(DownloadError) -> Bool {
        try await places.run { [files] () throws(DownloadError) in try files.delete(name) }
    }

    /// Returns whether there is a file or folder of that name.
    ///
    /// - Throws: `DownloadError`.
    public func exists(_ name: String) async throws(DownloadError) -> Bool {
        try await places.run { [files] () throws(DownloadError) in try files.exists(name) }
    }

    /// Returns the sorted names in the folder, including hidden ones.
    ///
    /// Names that are not UTF-8 are left out.
    ///
    /// - Throws: `DownloadError`.
    public func names() async throws(DownloadError) -> [String] {
        try await places.run { [files] () throws(DownloadError) in try files.names() }
    }

    /// Returns the sorted names in a folder of the folder, including hidden ones.
    ///
    /// Names that are not UTF-8 are left out.
    ///
    /// - Throws: `DownloadError` with the code `.fileUnreadable` if there is no such folder.
    public func names(in name: String) async throws(DownloadError) -> [String] {
        try await places.run { [files] () throws(DownloadError) in try files.names(in: name) }
    }

    /// Records that a file was used now.
    ///
    /// Cleaning removes the least recently used files first. Many file systems record that a file
    /// was read only once per day, or never.
    ///
    /// - Throws: `DownloadError`.
    public func markUsed(_ name: String) async throws(DownloadError) {
        try await places.run { [files] () throws(DownloadError) in try files.markUsed(name) }
    }
}
