/// The records of hosts that are kept for later downloads, as a text that processes share.
///
/// It is bounded, and only a hint: a line that cannot be read is ignored.
package struct HostMemory: Hashable, Sendable {
    /// Makes the keys of this memory different from those of any other, so that nobody who sees it
    /// can look up hosts in a prepared table.
    package let salt: String
    private var records: [String: HostRecord] = [:]

    /// The maximum number of hosts; the least recently used ones are dropped.
    package static let mostHosts = 500
    private static let version = "pawl-hosts-1"
    private static let keyLength = 16

    /// Creates an empty memory.
    package init(salt: String) { self.salt = salt }

    /// Reads a text; `nil` if it is not one of this version.
    ///
    /// `now` is in seconds since 1970.
    package init?(text: String, at now: Int64) {
        let lines = text.split(separator: "\n")
        let head = lines.first?.split(separator: " ") ?? []
        guard head.count == 2, head[0] == Self.version else { return nil }
        salt = String(head[1])
        for line in lines.dropFirst().prefix(Self.mostHosts) {
            guard let (key, record) = Self.entry(line), record.isValid(at: now) else { continue }
            records[key] = record
        }
    }

    /// Returns the record for a key of 16 hexadecimal digits; `nil` if there is none that is valid.
    package func record(for key: String, at now: Int64) -> HostRecord? {
        records[key].flatMap { $0.isValid(at: now) ? $0 : nil }
    }

    /// Adds what a download has learned to what is known; returns whether that is worth writing.
    package mutating func learn(_ record: HostRecord, for key: String) -> Bool {
        var new = record
        new.best = record.best ?? records[key]?.best
        let isNew = records[key].map { !$0.isClose(to: new) } ?? true
        guard isNew else { return false }
        records[key] = new
        if records.count > 2 * Self.mostHosts { dropOldest() }
        return true
    }

    private mutating func dropOldest() {
        let newest = records.sorted { $0.value.learnedAt > $1.value.learnedAt }
        records = Dictionary(uniqueKeysWithValues: newest.prefix(Self.mostHosts).map { ($0, $1) })
    }

    /// Adds the newer records of a memory with the same salt.
    package mutating func merge(_ other: HostMemory) {
        records.merge(other.records) { own, other in
            own.learnedAt >= other.learnedAt ? own : other
        }
    }

    /// Returns the text: a line with the version and the salt, then one line per host.
    ///
    /// The fields of a line are separated by spaces: the key, the time, the best number of
    /// connections, whether it is proven (0 or 1), its bytes per second, the limit, and the round
    /// trip in microseconds. A hyphen stands for an unknown value.
    package func text(at now: Int64) -> String {
        let newest = records.filter { $0.value.isValid(at: now) }
            .sorted { ($0.value.learnedAt, $0.key) > ($1.value.learnedAt, $1.key) }
        let lines = newest.prefix(Self.mostHosts).map { Self.line($0.key, $0.value) }
        return (["\(Self.version) \(salt)"] + lines).map { $0 + "\n" }.joined()
    }

    private static func line(_ key: String, _ record: HostRecord) -> String {
        let best = record.best
        let fields: [Int64?] = [
            record.learnedAt, best.map { Int64($0.connections) },
            best.map { $0.isProven ? 1 : 0 }, best.map { Int64(min($0.bytesPerSecond, 1e15)) },
            record.limit.map(Int64.init),
            record.roundTrip.map { $0.nanoseconds / 1_000 },
        ]
        return ([key] + fields.map { $0.map(String.init) ?? "-" }).joined(separator: " ")
    }

    private static func entry(_ line: Substring) -> (String, HostRecord)? {
        let fields = line.split(separator: " ")
        guard fields.count == 7, fields[0].utf8.count == keyLength else { return nil }
        let numbers = fields.dropFirst().map { Int64($0) }
        guard zip(fields.dropFirst(), numbers).allSatisfy({ $0 == "-" || ($1 ?? -1) >= 0 }),
            let learnedAt = numbers[0]
        else { return nil }
        var record = HostRecord(learnedAt: learnedAt)
        let counts = 1...Int64(ConnectionGovernor.automaticCeiling)
        if let count = numbers[1], counts.contains(count), let speed = numbers[3], speed > 0 {
            record.best = ConnectionSpeed(
                connections: Int(count),
                bytesPerSecond: Double(speed),
                isProven: numbers[2] == 1
            )
        }
        record.limit = numbers[4].flatMap { (1...1_000).contains($0) ? Int($0) : nil }
        record.roundTrip = numbers[5].flatMap {
            $0 <= 60_000_000 ? .microseconds($0) : nil
        }
        return (String(fields[0]), record)
    }
}
