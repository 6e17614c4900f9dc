import PawlFleet
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ShardLayoutTests {
    private func member(_ name: String, _ bytes: Int64) -> ShardLayout.Member {
        ShardLayout.Member(name: name, bytes: bytes)
    }

    @Test(arguments: [
        ("a/b.c/d.jpg", "a/b.c/d"), ("a.tar.gz", "a"), ("a", "a"), ("x/.hidden", "x/.hidden"),
        ("x/.hidden.txt", "x/.hidden.txt"), (".", "."), ("x/a.", "x/a"), ("ü.png", "ü"),
    ])
    func `the stem is the path up to the first dot of the name`(path: String, stem: String) {
        #expect(ShardLayout.stem(of: path) == stem)
    }

    @Test func `files with the same stem are one sample, in the order of the stems`() {
        let samples = ShardLayout.samples(
            ["b.jpg", "a.jpg", "b.txt", "c/b.txt", "a.json"].map { member($0, 1) }
        )
        #expect(
            samples.map { $0.map(\.name) } == [
                ["b.jpg", "b.txt"], ["a.jpg", "a.json"], ["c/b.txt"],
            ]
        )
    }

    @Test func `a shard is filled up to its size, and a sample is never divided`() {
        // Each member takes a header and two blocks; the end takes two blocks.
        var layout = ShardLayout(shardBytes: (3 + 3 + 2) * 512)
        #expect(layout.lastShardBytes == 0)
        let places = [
            layout.place([member("a.1", 1_024)]), layout.place([member("b.1", 600)]),
            layout.place([member("c.1", 1)]),
            layout.place([member("d.1", 1_024), member("d.2", 1_024), member("d.3", 1_024)]),
            layout.place([member("e.1", 0)]),
        ]
        #expect(places.map { $0.map(\.shard) } == [[0], [0], [1], [2, 2, 2], [3]])
        #expect(places[1].map(\.header) == [1_536])
        #expect(places[1].map(\.contents) == [2_048])
        #expect(places[3].map(\.header) == [0, 1_536, 3_072])
        #expect(layout.shards == 4)
        #expect(layout.lastShardBytes == (1 + 2) * 512)
    }

    @Test func `an archive that follows the layout has its members where it says`() async throws {
        var random = TestSeed.generator("layout of shards")
        var layout = ShardLayout(shardBytes: 20_000)
        var archives: [[UInt8]] = []
        var expected: [[String]] = []
        for sample in 0..<60 {
            let members = (0...Int.random(in: 0...3, using: &random)).map { kind in
                let depth = Int.random(in: 0...90, using: &random)
                let folder = String(repeating: "f/", count: depth)
                return member(
                    "\(folder)\(sample).\(kind)",
                    Int64.random(in: 0...3_000, using: &random)
                )
            }
            for (member, place) in zip(members, layout.place(members)) {
                if place.shard == archives.count {
                    archives.append([])
                    expected.append([])
                }
                let bytes = member.bytes
                #expect(archives[place.shard].count == place.header)
                archives[place.shard] += TarHeader(name: member.name, bytes: bytes).encoded
                #expect(archives[place.shard].count == place.contents)
                let length = Int(bytes) + TarHeader.padding(after: bytes)
                archives[place.shard] += [UInt8](repeating: 1, count: length)
                expected[place.shard].append(member.name)
            }
            #expect(archives[layout.shards - 1].count + 1_024 == layout.lastShardBytes)
        }
        #expect(archives.count > 3)
        let folder = try ScratchFolder()
        for (archive, names) in zip(archives, expected) {
            #expect(archive.count + 1_024 <= 20_000)
            let path = try folder.write("shard.tar", archive + TarHeader.end)
            let listed = try await ProcessRunner.run("tar", ["-tf", path])
            #expect(listed.output.split(separator: "\n").map(String.init) == names)
        }
    }

    @Test func `the name of a shard has six digits`() {
        #expect(ShardLayout.name(of: 12, base: "train") == "train-000012.tar")
        #expect(ShardLayout.name(of: 1_234_567, base: "a") == "a-1234567.tar")
    }
}
