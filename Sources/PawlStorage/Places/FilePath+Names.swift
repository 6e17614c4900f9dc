internal import Glibc
package import PawlCore
package import SystemPackage

/// Paths and names, as bytes because a file's name need not be UTF-8.
extension FilePath {
    /// The maximum length of a stem, in bytes.
    ///
    /// Names of partial files and checkpoints must fit, too: at most 255 bytes on most file
    /// systems.
    static let longestStem = 236

    /// The absolute path; the path itself if the working folder cannot be determined.
    package var absolute: FilePath {
        guard isRelative, let folder = getcwd(nil, 0) else { return self }
        defer { free(folder) }
        return FilePath(platformString: folder).pushing(self)
    }

    /// Returns the absolute path as text.
    ///
    /// Throws `.directoryNotUsable` if it is not UTF-8: as text, it would be another path.
    package func absoluteText() throws(DownloadError) -> String {
        if let text = String(validating: absolute) { return text }
        throw DownloadError(
            .directoryNotUsable,
            "the path of \(self) is not UTF-8",
            advice: "choose a folder whose path is UTF-8"
        )
    }

    package var bytes: [UInt8] {
        withPlatformString { text in
            Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
        }
    }

    package var nameBytes: [UInt8] {
        let bytes = bytes
        return Array(bytes[Self.nameStart(bytes)...])
    }

    private static func nameStart(_ bytes: [UInt8]) -> Int {
        bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    }

    /// The path's folder; `.` for a plain name.
    package var folder: FilePath {
        let folder = removingLastComponent()
        return folder.isEmpty ? "." : folder
    }

    package init(bytes: some Collection<UInt8>) {
        self.init(platformString: bytes.map { CChar(bitPattern: $0) } + [0])
    }

    /// Returns the path of the file with that name in this folder.
    ///
    /// In contrast to `appending`, it takes a name as it is, and is many times faster.
    package func file(named name: ExactText) -> FilePath {
        FilePath(bytes: bytes + [UInt8(ascii: "/")] + name.text.utf8)
    }

    /// Returns the path of the file with that name in the same folder.
    package func sibling(_ name: some Sequence<UInt8>) -> FilePath {
        // Taking a path apart as bytes is many times faster than as components.
        let bytes = bytes
        return FilePath(bytes: bytes[..<Self.nameStart(bytes)] + name)
    }

    /// Returns the path with a number in its name; 0 stands for no number.
    package func numbered(_ number: Int) -> FilePath {
        guard number > 0 else { return self }
        let name = nameBytes
        guard !name.isEmpty else { return self }
        guard let name = String(validating: name, as: UTF8.self) else {
            return appending(suffix: ".\(number)")
        }
        return sibling(FileName.numbered(name, number).utf8)
    }

    /// Calls `take` with this path or, while it throws `.fileExists`, with the next numbered one.
    ///
    /// Returns the path that was taken.
    package func firstFree(_ take: (FilePath) throws(Errno) -> Void) throws(Errno) -> FilePath {
        try Self.firstFree({ numbered($0) }, take)
    }

    /// Does the same for the paths that `path` returns for the numbers from `first`.
    package static func firstFree(
        _ path: (Int) -> FilePath,
        from first: Int = 0,
        _ take: (FilePath) throws(Errno) -> Void
    ) throws(Errno) -> FilePath {
        let taken = try FreeName.search(from: first) { (number) throws(Errno) -> FilePath? in
            let path = path(number)
            do throws(Errno) {
                try take(path)
                return path
            } catch .fileExists {
                return nil
            }
        }
        guard let taken else { throw .fileExists }
        return taken
    }

    package func appending(suffix: String) -> FilePath {
        FilePath(bytes: bytes + Array(suffix.utf8))
    }

    /// Returns the path without the suffix; `nil` if the name does not end in the suffix, or
    /// consists of nothing else.
    package func removing(suffix: String) -> FilePath? {
        let name = nameBytes
        let suffix = Array(suffix.utf8)
        guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else {
            return nil
        }
        return FilePath(bytes: bytes.dropLast(suffix.count))
    }

    /// Whether a name has the form of those that `shortenedStem` creates.
    static func isShortenedStem(_ name: String) -> Bool {
        let end = name.utf8.suffix(17)
        return name.utf8.count > longestStem - 8 && end.first == UInt8(ascii: "~")
            && name.suffix(16).allSatisfy(\.isHexDigit)
    }

    /// The path itself.
    ///
    /// A name that is too long for suffixes is cut and made unique by a checksum of the whole name.
    package var shortenedStem: FilePath {
        guard length > Self.longestStem else { return self }
        let name = nameBytes
        guard name.count > Self.longestStem else { return self }
        var kept = Array(name.prefix(Self.longestStem - 17))
        // A UTF-8 sequence must not be cut in the middle: its continuation bytes and its first byte
        // are removed.
        if name[kept.count] & 0xC0 == 0x80 {
            while let last = kept.last, last & 0xC0 == 0x80 { kept.removeLast() }
            if let last = kept.last, last >= 0xC0 { kept.removeLast() }
        }
        let digits = name.withUnsafeBytes { SHA256.prefix(of: $0) }.hexadecimal
        return sibling(kept + Array("~\(digits)".utf8))
    }
}
