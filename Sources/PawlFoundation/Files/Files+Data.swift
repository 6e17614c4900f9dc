public import Foundation
public import Pawl
public import PawlLibrary

extension PlaceFolder {
    /// Creates a new file with all of these bytes, or none.
    ///
    /// - Throws: `DownloadError` with the code `.fileExists` if the name is taken.
    public func createFile(_ name: String, contents: Data) async throws(DownloadError) {
        try await createFile(name, contents: Array(contents))
    }

    /// Writes a file atomically.
    ///
    /// - Throws: `DownloadError`.
    public func write(_ data: Data, to name: String) async throws(DownloadError) {
        try await write(Array(data), to: name)
    }
}

extension DownloadLibrary {
    /// Writes a key's file with data that the program supplies.
    ///
    /// It is the same as `DownloadLibrary/write(_:for:named:)` with the data's bytes.
    ///
    /// - Throws: `DownloadError` with the code `.alreadyRunning` if the key is being fetched.
    @discardableResult
    public func write(
        _ data: Data,
        for key: StorageKey,
        named name: String? = nil
    ) async throws(DownloadError) -> LibraryFile {
        try await write(Array(data), for: key, named: name)
    }
}
