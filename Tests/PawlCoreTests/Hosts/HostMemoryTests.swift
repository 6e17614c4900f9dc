import PawlCore
import Testing

/// Tests of the records that downloads keep about hosts.
@Suite(.timeLimit(.minutes(5)))
struct HostMemoryTests {
    private static let day: Int64 = 24 * 60 * 60
    private let now: Int64 = 1_800_000_000
    private let key = "0123456789abcdef"

    private func record(
        connections: Int = 8,
        speed: Double = 4e6,
        isProven: Bool = true,
        limit: Int? = nil,
        age: Int64 = 0
    ) -> HostRecord {
        HostRecord(
            best: ConnectionSpeed(
                connections: connections,
                bytesPerSecond: speed,
                isProven: isProven
            ),
            limit: limit,
            roundTrip: .milliseconds(80),
            learnedAt: now - age
        )
    }

    private func memory(_ records: [String: HostRecord]) -> HostMemory {
        var memory = HostMemory(salt: "salt")
        for (key, record) in records { _ = memory.learn(record, for: key) }
        return memory
    }

    @Test(arguments: [true, false], [nil, 4])
    func `a text contains what was learned`(isProven: Bool, limit: Int?) throws {
        let record = record(isProven: isProven, limit: limit)
        let memory = memory([key: record])
        let read = try #require(HostMemory(text: memory.text(at: now), at: now))
        #expect(read == memory)
        #expect(read.record(for: key, at: now) == record)
        #expect(read.record(for: "fedcba9876543210", at: now) == nil)
    }

    @Test func `a record without a best number keeps the number that was known`() {
        var memory = memory([key: record()])
        let isNew = memory.learn(HostRecord(limit: 4, learnedAt: now), for: key)
        #expect(isNew)
        let both = memory.record(for: key, at: now)
        #expect(both?.best?.connections == 8)
        #expect(both?.limit == 4)
    }

    @Test func `records are kept for a week`() {
        let memory = memory([key: record(age: 6 * Self.day)])
        #expect(memory.record(for: key, at: now) != nil)
        #expect(memory.record(for: key, at: now + Self.day) == nil)
        #expect(memory.text(at: now + Self.day).split(separator: "\n").count == 1)
    }

    @Test func `a record from the future is ignored`() {
        let memory = memory([key: record(age: -Self.day)])
        #expect(memory.record(for: key, at: now) == nil)
    }

    @Test func `the oldest records are dropped`() throws {
        var memory = HostMemory(salt: "salt")
        for number in 0..<UInt64(3 * HostMemory.mostHosts) {
            let record = record(age: Int64(number))
            _ = memory.learn(record, for: number.hexadecimal)
        }
        let read = try #require(HostMemory(text: memory.text(at: now), at: now))
        #expect(read.record(for: UInt64(0).hexadecimal, at: now) != nil)
        let kept = UInt64(HostMemory.mostHosts)
        #expect(read.record(for: (kept - 1).hexadecimal, at: now) != nil)
        #expect(read.record(for: kept.hexadecimal, at: now) == nil)
    }

    @Test func `the newer of two records wins`() {
        var memory = memory([key: record(connections: 2, age: 60)])
        memory.merge(self.memory([key: record(connections: 6), "other": record()]))
        #expect(memory.record(for: key, at: now)?.best?.connections == 6)
        memory.merge(self.memory([key: record(connections: 3, age: 120)]))
        #expect(memory.record(for: key, at: now)?.best?.connections == 6)
        #expect(memory.record(for: "other", at: now) != nil)
    }

    @Test func `a record that says the same is not worth writing`() {
        var memory = memory([key: record()])
        func learn(_ record: HostRecord) -> Bool { memory.learn(record, for: key) }
        #expect(!learn(record(speed: 4.4e6)))
        #expect(learn(record(speed: 8e6)))
        #expect(learn(record(connections: 9, speed: 8e6)))
        #expect(learn(record(connections: 9, speed: 8e6, isProven: false)))
        #expect(learn(record(connections: 9, speed: 8e6, limit: 9)))
    }

    @Test(arguments: [
        "", "pawl-hosts-2 salt", "pawl-hosts-1", "hosts", "pawl-hosts-1 salt more", "\u{0}",
    ])
    func `a text in another format contains no memory of hosts`(text: String) {
        #expect(HostMemory(text: text, at: now) == nil)
    }

    @Test(arguments: [
        "", "- - - - - - -", "0123456789abcdef", "0123456789abcdef 1800000000 8 1 400 - - -",
        "0123456789abcdef -5 8 1 400 - -", "0123456789abcdef 1800000000 8 1 x - -",
        "0123456789abcdef 99999999999999999999 8 1 400 - -", "key 1800000000 8 1 400 - -",
    ])
    func `a damaged line is ignored`(line: String) throws {
        let good = "fedcba9876543210 1800000000 8 1 4000000 - 80000"
        let text = "pawl-hosts-1 salt\n\(line)\n\(good)\n"
        let memory = try #require(HostMemory(text: text, at: now))
        #expect(memory.record(for: key, at: now) == nil)
        #expect(memory.record(for: "fedcba9876543210", at: now) == record())
    }

    @Test(arguments: ["0", "17", "1000000000000"])
    func `an impossible number of connections is ignored`(count: String) throws {
        let text = "pawl-hosts-1 salt\n\(key) 1800000000 \(count) 1 400 3 80000\n"
        let memory = try #require(HostMemory(text: text, at: now))
        let record = try #require(memory.record(for: key, at: now))
        #expect(record.best == nil)
        #expect(record.limit == 3)
    }
}
