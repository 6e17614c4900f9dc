public import Foundation
public import Pawl

extension TaskDestination {
    /// The file that a file URL names; its folder is created.
    ///
    /// It is the same as `TaskDestination/file(_:)` with the URL's path.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if it is not the URL of a file.
    public static func file(_ url: URL) throws(DownloadError) -> TaskDestination {
        .file(try url.filePath())
    }

    /// The folder that a file URL names; the server or the other URL determines the file's name.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if it is not the URL of a file.
    public static func directory(_ url: URL) throws(DownloadError) -> TaskDestination {
        .directory(try url.filePath())
    }
}

extension Destination {
    /// The file that a file URL names.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if it is not the URL of a file.
    public static func file(_ url: URL) throws(DownloadError) -> Destination {
        .file(try url.filePath())
    }

    /// The folder that a file URL names; the server or the other URL determines the file's name.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if it is not the URL of a file.
    public static func directory(_ url: URL) throws(DownloadError) -> Destination {
        .directory(try url.filePath())
    }
}

extension Place {
    /// The folder that a file URL names, for places, destinations and libraries.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if it is not the URL of a file.
    public static func directory(_ url: URL) throws(DownloadError) -> Place {
        .directory(try url.filePath())
    }
}
