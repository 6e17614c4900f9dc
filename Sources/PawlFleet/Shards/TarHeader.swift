/// The header of a file in a tar archive (POSIX.1-2017, pax: ustar with extended headers).
package struct TarHeader: Hashable, Sendable {
    /// The unit of an archive: headers and contents begin at a multiple of it.
    package static let blockBytes = 512
    /// The end of an archive: two blocks of zeros.
    package static let end = [UInt8](repeating: 0, count: 2 * blockBytes)

    /// The largest value of a field of 11 octal digits: 8 GiB - 1.
    private static let largestOctal: Int64 = 0o77_777_777_777

    package var name: String
    package var bytes: Int64
    /// The time of the last change, in seconds since 1970.
    package var modified: Int64

    package init(name: String, bytes: Int64, modified: Int64 = 0) {
        self.name = name
        self.bytes = bytes
        self.modified = modified
    }

    /// Returns the number of zeros after contents of this length.
    package static func padding(after bytes: Int64) -> Int {
        Int((Int64(blockBytes) - bytes % Int64(blockBytes)) % Int64(blockBytes))
    }

    /// The blocks before the contents of the file.
    package var encoded: [UInt8] {
        let place = Self.place(of: name)
        var records: [UInt8] = []
        if place == nil { records += Self.record("path", name) }
        if bytes > Self.largestOctal { records += Self.record("size", String(bytes)) }
        if modified < 0 || modified > Self.largestOctal {
            records += Self.record("mtime", String(modified))
        }
        let ascii = name.utf8.map { $0 < 0x80 ? $0 : UInt8(ascii: "_") }
        var blocks: [UInt8] = []
        if !records.isEmpty {
            // Readers that do not know extended headers extract them as files of this name.
            blocks += block(
                name: Array(("PaxHeaders/".utf8 + ascii).prefix(100)),
                prefix: [],
                bytes: Int64(records.count),
                kind: UInt8(ascii: "x")
            )
            let padding = Self.padding(after: Int64(records.count))
            blocks += records + [UInt8](repeating: 0, count: padding)
        }
        blocks += block(
            name: place?.name ?? Array(ascii.prefix(100)),
            prefix: place?.prefix ?? [],
            bytes: bytes > Self.largestOctal ? 0 : bytes,
            kind: UInt8(ascii: "0")
        )
        return blocks
    }

    /// Divides a name into the two fields of the header, at a slash; returns `nil` if it does not
    /// fit or is not ASCII.
    private static func place(of name: String) -> (name: [UInt8], prefix: [UInt8])? {
        let path = Array(name.utf8)
        guard path.allSatisfy({ $0 < 0x80 }) else { return nil }
        if path.count <= 100 { return (path, []) }
        let slashes = path.indices.filter { path[$0] == UInt8(ascii: "/") }
        guard let slash = slashes.first(where: { path.count - $0 - 1 <= 100 }),
            slash > 0, slash <= 155, slash < path.count - 1
        else { return nil }
        return (Array(path[(slash + 1)...]), Array(path[..<slash]))
    }

    /// Returns a record of an extended header: its own length, a key and a value.
    private static func record(_ key: String, _ value: String) -> [UInt8] {
        let rest = " \(key)=\(value)\n"
        var length = rest.utf8.count
        while true {
            let next = rest.utf8.count + String(length).utf8.count
            guard next != length else { break }
            length = next
        }
        return Array((String(length) + rest).utf8)
    }

    private func block(name: [UInt8], prefix: [UInt8], bytes: Int64, kind: UInt8) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: Self.blockBytes)
        func put(_ text: [UInt8], at offset: Int) {
            block.replaceSubrange(offset..<offset + text.count, with: text)
        }
        put(name, at: 0)
        put(Self.octal(0o644, digits: 7), at: 100)
        put(Self.octal(0, digits: 7), at: 108)
        put(Self.octal(0, digits: 7), at: 116)
        put(Self.octal(bytes, digits: 11), at: 124)
        put(Self.octal(min(max(0, modified), Self.largestOctal), digits: 11), at: 136)
        // The checksum counts its own field as spaces.
        put([UInt8](repeating: UInt8(ascii: " "), count: 8), at: 148)
        put([kind], at: 156)
        put(Array("ustar".utf8), at: 257)
        put(Array("00".utf8), at: 263)
        put(prefix, at: 345)
        let sum = block.reduce(Int64(0)) { $0 + Int64($1) }
        put(Self.octal(sum, digits: 6) + [0], at: 148)
        return block
    }

    private static func octal(_ value: Int64, digits: Int) -> [UInt8] {
        let text = String(value, radix: 8)
        return Array((String(repeating: "0", count: digits - text.utf8.count) + text).utf8)
    }
}
