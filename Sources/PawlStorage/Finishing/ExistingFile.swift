package import struct FoundationEssentials.URL
internal import Glibc
package import PawlCore
package import SystemPackage

/// The result of comparing an existing file that has the finished file's name.
package enum ExistingFile: Hashable, Sendable {
    /// The file is proven to have the same bytes.
    case same
    /// The file has the server's validators, but came from another URL.
    ///
    /// An entity tag is unique only among the versions of one resource (RFC 9110 §8.8.3), and files
    /// written in the same second have the same date. So the bytes must be compared.
    case hasValidators
    /// The file is not proven to be the same.
    case different
    case absent
    /// A folder has the name.
    case folder

    /// Compares by size, and by the digest if there is one, otherwise by the validators that Pawl
    /// recorded with the file.
    ///
    /// `urls` are the URLs of the download. With a digest the whole file is read. `onPiece` is
    /// called before each piece; an error that it throws ends the reading.
    package static func compare(
        _ path: FilePath,
        _ representation: Representation,
        of urls: [URL] = [],
        digest: ContentDigest?,
        onPiece: () throws(DownloadError) -> Void = {}
    ) throws(DownloadError) -> ExistingFile {
        switch try presence(at: path) {
        case .nothing: return .absent
        case .link: return .different
        case .folder: return .folder
        case .file: break
        }
        // A file that cannot be read is not proven to be the same.
        guard let file = try? open(path), let status = try? file.status() else {
            return .different
        }
        if let total = representation.total, total != status.size { return .different }
        if let digest {
            let found = try FileDigest.compute(digest.algorithm, of: file, path, onPiece)
            return found == digest ? .same : .different
        }
        guard let mark = RepresentationMark(representation, total: status.size), mark.isStrong,
            representation.total != nil || RepresentationMark.isLengthVerified(on: file, at: path)
        else { return .different }
        guard mark.isOn(file, at: path) else { return .different }
        return RepresentationMark.isOf(urls, file, at: path) ? .same : .hasValidators
    }

    /// What has a name.
    package enum Presence: Sendable {
        case nothing, file, folder
        /// A symbolic link that leads to nothing, or that is not followed.
        case link
    }

    /// Returns what has that name; throws for a device, a pipe or a socket.
    package static func presence(at path: FilePath) throws(DownloadError) -> Presence {
        guard let named = try attempt(.create, path, path.status()) else { return .nothing }
        if HeldFolder.contains(path), named.isSymbolicLink { return .link }
        guard let target = try attempt(.create, path, path.targetStatus()) else { return .link }
        guard !target.isDirectory else { return .folder }
        try checkKind(target, path)
        return .file
    }

    /// Opens a file for reading, without waiting if it is a pipe.
    private static func open(_ path: FilePath) throws(Errno) -> OpenFile {
        let following = HeldFolder.contains(path) ? O_NOFOLLOW : 0
        return try OpenFile(path, O_RDONLY | O_NONBLOCK | following)
    }

    /// Whether anything has that name.
    package static func isThere(_ path: FilePath) throws(DownloadError) -> Bool {
        try presence(at: path) != .nothing
    }

    /// Throws for a folder, a device, a pipe or a socket, which may not be replaced and beside
    /// which no file is created.
    static func checkKind(_ status: FileStatus?, _ path: FilePath) throws(DownloadError) {
        guard let status, !status.isRegular else { return }
        if status.isDirectory { throw DownloadError(.isDirectory, while: .create, path) }
        throw DownloadError(
            .fileNotCreatable,
            "\(path) is a device, a pipe or a socket instead of a file",
            advice: "choose \(.otherLocation)"
        )
    }

    /// Whether a file has these bytes at that offset.
    package static func has(
        _ bytes: [UInt8],
        at offset: Int64,
        _ path: FilePath
    ) throws(DownloadError) -> Bool {
        try attempt(.inspect, path) { () throws(Errno) in
            let file = try open(path)
            var found = [UInt8](repeating: 0, count: bytes.count)
            return try file.read(into: &found, at: offset) == bytes.count && found == bytes
        }
    }

    /// Returns the file's size in bytes.
    package static func size(_ path: FilePath) throws(DownloadError) -> Int64 {
        try attempt(.inspect, path) { () throws(Errno) in
            try (HeldFolder.contains(path) ? path.status() : path.targetStatus())?.size ?? 0
        }
    }

    // MARK: - Comparing bytes

    private static let pieceLength = 256 << 10

    /// Returns the regular file of `total` bytes at `path`, and its status; `nil` if there is none
    /// that can be read.
    static func candidate(
        at path: FilePath,
        total: Int64
    ) -> (file: OpenFile, stamp: FileStamp)? {
        // A file that cannot be opened or read counts as another file, which keeps its name.
        guard let file = try? open(path),
            let status = try? file.status(), status.isRegular, status.size == total
        else { return nil }
        return (file, FileStamp(status))
    }

    /// Whether two files have the same first `total` bytes.
    ///
    /// Returns `false` if one of them cannot be read.
    ///
    /// `onPiece` is called before each piece; an error that it throws ends the comparison.
    static func haveSameBytes(
        _ one: OpenFile,
        _ other: OpenFile,
        _ total: Int64,
        _ onPiece: () throws(DownloadError) -> Void = {}
    ) throws(DownloadError) -> Bool {
        let length = Int(max(0, min(total, Int64(pieceLength))))
        var first = [UInt8](repeating: 0, count: length)
        var second = first
        var offset: Int64 = 0
        while offset < total {
            try onPiece()
            // A file that cannot be read counts as different.
            guard let count = try? one.read(into: &first, at: offset), count > 0,
                (try? other.read(into: &second, at: offset)) == count,
                first[..<count] == second[..<count]
            else { return false }
            offset += Int64(count)
        }
        return true
    }

    // MARK: - Web pages

    /// Throws if a web page would overwrite a file of another type.
    package static func checkOverwriting(
        _ path: FilePath,
        with representation: Representation
    ) throws(DownloadError) {
        guard representation.isHTML, try presence(at: path) == .file, isOtherThanWebPage(path)
        else { return }
        throw DownloadError(
            .captivePortal,
            "the server sent a web page, which must not overwrite "
                + "\(path.lastComponent?.string ?? path.string), a file of another type",
            advice:
                "if the network requires a login, log in; otherwise choose \(.otherName)"
        )
    }

    /// Whether a file is neither empty nor a web page, according to its name and its first bytes.
    ///
    /// A file that cannot be read is judged by its name alone.
    private static func isOtherThanWebPage(_ path: FilePath) -> Bool {
        let kind = path.extension?.lowercased() ?? ""
        guard !pageExtensions.contains(kind) else { return false }
        var bytes = [UInt8](repeating: 0, count: 1024)
        // A file that cannot be opened or read may be anything, so it is kept.
        guard let file = try? open(path),
            let count = try? bytes.withUnsafeMutableBytes({ buffer throws(Errno) in
                try file.read(into: buffer, at: 0)
            })
        else { return true }
        guard count > 0 else { return false }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self).lowercased()
        return !text.contains("<html") && !text.contains("<!doctype html")
    }

    /// The extensions of web pages, including those that programs generate.
    private static let pageExtensions: Set<String> = [
        "html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cgi",
    ]
}

extension OpenFile {
    /// Returns the number of bytes read, which is less than requested only at the end of the file.
    package func read(into bytes: inout [UInt8], at offset: Int64) throws(Errno) -> Int {
        // The array's own method does not preserve the closure's error type.
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(Errno) in try read(into: buffer, at: offset) }
        }
        return try result.get()
    }
}
