internal import Glibc
package import SystemPackage

/// Names as bytes: a file's name need not be UTF-8.
extension FilePath {
    /// Names of partial files and checkpoints must fit too: at most 255 bytes on most file systems.
    static let longestStem = 236

    package var bytes: [UInt8] {
        withPlatformString { text in
            Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
        }
    }

    package var nameBytes: [UInt8] {
        let bytes = bytes
        return bytes.lastIndex(of: UInt8(ascii: "/")).map { Array(bytes[($0 + 1)...]) } ?? bytes
    }

    /// The path's folder; `.` for a bare name.
    package var folder: FilePath {
        let folder = removingLastComponent()
        return folder.isEmpty ? "." : folder
    }

    package init(bytes: [UInt8]) {
        self.init(platformString: bytes.map { CChar(bitPattern: $0) } + [0])
    }

    func appending(suffix: String) -> FilePath {
        FilePath(bytes: bytes + Array(suffix.utf8))
    }

    /// Nil where the name does not end so, or is nothing else.
    func removing(suffix: String) -> FilePath? {
        let name = nameBytes
        let suffix = Array(suffix.utf8)
        guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else {
            return nil
        }
        return FilePath(bytes: bytes.dropLast(suffix.count))
    }

    /// The path itself; a name so long that suffixes do not fit is cut and made unique again by a
    /// checksum of the whole name.
    var shortenedStem: FilePath {
        guard length > Self.longestStem else { return self }
        let name = nameBytes
        guard name.count > Self.longestStem else { return self }
        var kept = Array(name.prefix(Self.longestStem - 17))
        // Never in the middle of a UTF-8 sequence: drop what continues, then what began it.
        if name[kept.count] & 0xC0 == 0x80 {
            while let last = kept.last, last & 0xC0 == 0x80 { kept.removeLast() }
            if let last = kept.last, last >= 0xC0 { kept.removeLast() }
        }
        let checksum = name.withUnsafeBytes { ShortChecksum.of($0) }
        let digits = String(checksum, radix: 16)
        let padding = String(repeating: "0", count: 16 - digits.count)
        let short = FilePath(bytes: kept + Array("~\(padding)\(digits)".utf8))
        return removingLastComponent().appending(short.components)
    }
}
