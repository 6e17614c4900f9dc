/// Decides which files become members of which shard, and where.
///
/// A shard is a tar archive in the convention of WebDataset: the files of one sample have the same
/// stem, and stand next to each other. A sample is never divided.
package struct ShardLayout: Sendable {
    package struct Member: Hashable, Sendable {
        package var name: String
        package var bytes: Int64

        package init(name: String, bytes: Int64) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// The position of a member.
    package struct Place: Hashable, Sendable {
        package var shard: Int
        /// The offset of the header in the shard.
        package var header: Int64
        /// The offset of the contents.
        package var contents: Int64
    }

    /// The largest size of a shard, unless a single sample is larger.
    package let shardBytes: Int64
    /// The number of shards so far.
    package private(set) var shards = 0
    /// The offset in the last shard at which the next member begins.
    private var offset: Int64 = 0

    package init(shardBytes: Int64) { self.shardBytes = shardBytes }

    /// The size of the last shard so far.
    package var lastShardBytes: Int64 { shards == 0 ? 0 : offset + Int64(TarHeader.end.count) }

    /// Places the members of a sample.
    ///
    /// A new shard begins if they do not fit into the last one.
    package mutating func place(_ sample: [Member]) -> [Place] {
        let end = Int64(TarHeader.end.count)
        let needed = sample.reduce(0) { $0 + Self.bytes(of: $1) }
        if shards == 0 || offset > 0 && needed > shardBytes - offset - end {
            (shards, offset) = (shards + 1, 0)
        }
        return sample.map { member in
            let header = offset
            offset += Self.bytes(of: member)
            let contents = header + Int64(Self.header(of: member).count)
            return Place(shard: shards - 1, header: header, contents: contents)
        }
    }

    /// Returns the stem that the files of a sample share: the path up to the first dot in the name.
    ///
    /// Names without a dot, or with only a leading one, are samples of their own.
    package static func stem(of path: String) -> String {
        let bytes = Array(path.utf8)
        let name = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        guard let dot = bytes[name...].firstIndex(of: UInt8(ascii: ".")), dot > name else {
            return path
        }
        return String(decoding: bytes[..<dot], as: UTF8.self)
    }

    /// Groups members by their stem, in the order in which the stems occur.
    package static func samples(_ members: [Member]) -> [[Member]] {
        var samples: [[Member]] = []
        var indices: [String: Int] = [:]
        for member in members {
            let stem = stem(of: member.name)
            if let index = indices[stem] {
                samples[index].append(member)
            } else {
                indices[stem] = samples.count
                samples.append([member])
            }
        }
        return samples
    }

    /// Returns the name of a shard, `NAME-000012.tar`.
    package static func name(of shard: Int, base: String) -> String {
        let digits = String(shard)
        return base + "-" + String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
            + ".tar"
    }

    private static func header(of member: Member) -> [UInt8] {
        TarHeader(name: member.name, bytes: member.bytes).encoded
    }

    private static func bytes(of member: Member) -> Int64 {
        Int64(header(of: member).count) + member.bytes
            + Int64(TarHeader.padding(after: member.bytes))
    }
}
