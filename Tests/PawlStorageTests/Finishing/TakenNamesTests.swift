import struct FoundationEssentials.URL
import PawlCore
import PawlStorage
import Synchronization
import SystemPackage
import PawlTesting
import Testing

/// The names of existing files are remembered, but never longer than they are right for.
@Suite(.timeLimit(.minutes(5)))
struct TakenNamesTests {
    private let folder: StorageFolder
    private let clock: TestClock
    private let names: TakenNames
    private var wanted: FilePath { folder.path.appending("disk.iso") }

    private final class TestClock: Sendable {
        private let instant = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { instant.withLock { $0 } }
        func advance(by duration: Duration) { instant.withLock { $0 += duration } }
    }

    init() throws {
        folder = try StorageFolder()
        let clock = TestClock()
        self.clock = clock
        names = TakenNames { clock.now }
    }

    private func put(_ numbers: ClosedRange<Int>, _ bytes: [UInt8] = [1]) throws {
        for number in numbers {
            try folder.put(bytes, "disk.\(number).iso")
            names.note(number, at: wanted.numbered(number), of: wanted)
        }
    }

    private func finish(_ number: Int, _ representation: Representation, _ url: URL) throws {
        let final = wanted.numbered(number)
        let store = try PartialCreation.create(
            DownloadPaths(final, partial: final, wanted: wanted, number: number),
            source: url.absoluteString,
            mark: SourceMark(url),
            representation: representation
        )
        try store.write(pattern(10), at: 0)
        names.note(store, of: url)
        _ = try store.finish(total: 10, policy: .fail)
        names.note(number, at: wanted.numbered(number), of: wanted)
    }

    private func candidates(_ representation: Representation, _ url: URL) -> Set<Int> {
        names.candidates(of: wanted, for: SoughtFile(representation, nil, urls: [url]))
    }

    @Test func `names of known files are passed over, and the first names never`() throws {
        try put(0...12)
        #expect(names.next(from: 0, of: wanted) == 0)
        #expect(names.next(from: 7, of: wanted) == 7)
        #expect(names.next(from: 8, of: wanted) == 13)
        #expect(names.next(from: 20, of: wanted) == 20)
        #expect(names.next(from: 8, of: folder.path.appending("other.iso")) == 8)
    }

    @Test func `a name that is freed or gets another file is found after a while`() throws {
        try put(8...20)
        try folder.remove("disk.10.iso")
        try folder.put([1, 2], "disk.12.iso")
        clock.advance(by: .milliseconds(900))
        #expect(names.next(from: 8, of: wanted) == 21)
        clock.advance(by: .milliseconds(200))
        #expect(names.next(from: 8, of: wanted) == 10)
        #expect(names.next(from: 11, of: wanted) == 12)
        #expect(names.next(from: 13, of: wanted) == 21)
    }

    @Test func `names that are not UTF-8 are remembered, too`() throws {
        let wanted = FilePath(bytes: folder.path.bytes + Array("/".utf8) + [0xFF, 0x61])
        let path = wanted.numbered(8)
        let file = try FileDescriptor.open(
            path,
            .writeOnly,
            options: [.create],
            permissions: [.ownerReadWrite]
        )
        try file.close()
        names.note(8, at: path, of: wanted)
        #expect(names.next(from: 8, of: wanted) == 9)
    }

    @Test func `only files that may be the sought one are compared`() throws {
        guard hasAttributes(folder) else { return }
        let one = try #require(URL(string: "https://example.com/1"))
        let two = try #require(URL(string: "https://example.com/2"))
        let weak = Representation(total: 10)
        try finish(8, weak, one)
        try finish(9, weak, two)
        try finish(10, .sample(10, tag: "\"a\""), one)
        try put(11...11, pattern(10))
        #expect(candidates(weak, one) == [8])
        #expect(candidates(weak, two) == [9])
        #expect(candidates(Representation(total: 11), one) == [])
        #expect(candidates(.sample(10, tag: "\"a\""), two) == [10])
        #expect(candidates(.sample(10, tag: "\"b\""), two) == [])
        let digest = ContentDigest(.sha256, bytes: [UInt8](repeating: 0, count: 32))
        let sought = SoughtFile(weak, digest, urls: [one])
        #expect(names.candidates(of: wanted, for: sought) == [8, 9, 10, 11])
        #expect(names.next(from: 8, of: wanted, orIn: [9]) == 9)
        #expect(names.next(from: 10, of: wanted, orIn: [9]) == 12)
    }
}
