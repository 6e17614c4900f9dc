public import Foundation
public import Pawl
public import PawlLibrary

extension DownloadedFile {
    /// The file URL of the file's path.
    public var fileURL: URL { URL(filePath: path, directoryHint: .notDirectory) }
}

extension LibraryFile {
    /// The file URL of the file's path.
    public var fileURL: URL { URL(filePath: path, directoryHint: .notDirectory) }
}

extension RelocatedFile {
    /// The file URL of the file's path.
    public var fileURL: URL { URL(filePath: path, directoryHint: .notDirectory) }
}

extension Places {
    /// Returns the file URL of a place without creating the folder.
    ///
    /// - Throws: `DownloadError` with the code `.directoryNotUsable` if the system does not name
    ///   one.
    public func url(of place: Place) throws(DownloadError) -> URL {
        URL(filePath: try path(of: place), directoryHint: .isDirectory)
    }

    /// Moves a file to another file URL.
    ///
    /// If that fails, the file stays where it is. It is the same as
    /// `Places/moveFile(at:to:ifExists:)` with the URLs' paths.
    ///
    /// - Throws: `DownloadError`, with the code `.usage` if one is not the URL of a file.
    @discardableResult
    public func moveFile(
        at source: URL,
        to target: URL,
        ifExists policy: ExistingFilePolicy = .rename
    ) async throws(DownloadError) -> RelocatedFile {
        try await moveFile(
            at: try source.filePath(),
            to: try target.filePath(),
            ifExists: policy
        )
    }
}

extension PlaceFolder {
    /// The file URL of the folder.
    public var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    /// Returns the file URL of a file in the folder, which need not exist.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if the name leads out of the folder.
    public func url(of name: String) throws(DownloadError) -> URL {
        URL(filePath: try path(of: name), directoryHint: .notDirectory)
    }
}

extension CheckpointDescription {
    /// Reads a checkpoint, given its own file URL or that of the partial file.
    ///
    /// - Throws: `DownloadError` with the code `.fileUnreadable`, or `.usage` if it is not the URL
    ///   of a file.
    public init(partialFile url: URL) throws(DownloadError) {
        try self.init(partialFile: try url.filePath())
    }
}

extension ResumeSettings {
    /// Sets the partial file to the one that a file URL names.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if it is not the URL of a file.
    public mutating func setPartialFile(_ url: URL) throws(DownloadError) {
        partialFile = try url.filePath()
    }
}

extension LibraryConfiguration {
    /// Sets the drop folder to the one that a file URL names.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if it is not the URL of a file.
    public mutating func setDropFolder(_ url: URL) throws(DownloadError) {
        dropFolder = try url.filePath()
    }
}

extension ImageSize {
    /// Reads the size from the first 256 KiB of the file that a file URL names.
    ///
    /// It is the same as `ImageSize(ofFile:)` with the URL's path.
    ///
    /// - Throws: `DownloadError` with the code `.fileUnreadable`, or `.usage` if it is not the URL
    ///   of a file.
    public init?(ofFile url: URL) async throws(DownloadError) {
        try await self.init(ofFile: try url.filePath())
    }
}
