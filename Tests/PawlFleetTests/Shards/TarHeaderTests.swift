import Glibc
import PawlFleet
import PawlTesting
import SystemPackage
import Testing

/// What GNU tar and Python read of archives with our headers.
@Suite(.timeLimit(.minutes(5)))
struct TarHeaderTests {
    private static let names = [
        "a", "folder/sample.jpg", "with a space and ' quotes", "ümlaut/日本語.txt",
        String(repeating: "n", count: 100), String(repeating: "n", count: 101),
        String(repeating: "p", count: 155) + "/" + String(repeating: "n", count: 100),
        String(repeating: "p", count: 156) + "/" + String(repeating: "n", count: 100),
        String(repeating: "f/", count: 300) + "deep.bin", String(repeating: "é", count: 90),
    ]

    /// Prints each member as a line of JSON: name, size, time, offset of the contents, kind.
    private static let reader = """
        import json, sys, tarfile
        with tarfile.open(sys.argv[1], "r:") as archive:
            for m in archive:
                print(json.dumps([m.name, m.size, int(m.mtime), m.offset_data, m.isreg()],
                                 ensure_ascii=False, separators=(",", ":")))
        """

    private func run(_ program: String, _ arguments: [String]) async throws -> [Substring] {
        let settings = ProcessSettings(environment: ["LC_ALL": "C.UTF-8"])
        let result = try await ProcessRunner.run(program, arguments, settings)
        #expect(result.status == .code(0), "\(result.errors)")
        return result.output.split(separator: "\n")
    }

    @Test func `Python reads names, sizes, times and contents`() async throws {
        let folder = try ScratchFolder()
        var archive: [UInt8] = []
        var expected: [String] = []
        for (index, name) in Self.names.enumerated() {
            let contents = [UInt8](repeating: UInt8(ascii: "x"), count: index * 300)
            let time = Int64(index) * 1_000_000_000
            archive += TarHeader(name: name, bytes: Int64(contents.count), modified: time).encoded
            expected.append("[\"\(name)\",\(contents.count),\(time),\(archive.count),true]")
            archive += contents
            archive += [UInt8](
                repeating: 0,
                count: TarHeader.padding(after: Int64(contents.count))
            )
            #expect(archive.count % TarHeader.blockBytes == 0)
        }
        let path = try folder.write("archive.tar", archive + TarHeader.end)
        let lines = try await run("python3", ["-c", Self.reader, path])
        #expect(lines.map(String.init) == expected)
    }

    @Test func `GNU tar lists and extracts the same names`() async throws {
        let folder = try ScratchFolder()
        var archive: [UInt8] = []
        for name in Self.names {
            archive += TarHeader(name: name, bytes: 3, modified: 1_700_000_000).encoded
            archive += Array("abc".utf8) + [UInt8](repeating: 0, count: 509)
        }
        let path = try folder.write("archive.tar", archive + TarHeader.end)
        let listed = try await run("tar", ["--quoting-style=literal", "-tf", path])
        #expect(listed.map(String.init) == Self.names)
        let target = try folder.makeFolder("target")
        // Names longer than a file system allows were only listed.
        let short = Self.names.filter { $0.utf8.count <= 200 && $0.utf8.first != 0x70 }
        _ = try await run("tar", ["-C", target, "-xf", path] + short)
        for name in short {
            #expect(try folder.readText("target/\(name)") == "abc")
        }
    }

    @Test func `a member above 8 GiB is read to its end`() async throws {
        let folder = try ScratchFolder()
        for bytes in [8 << 30 - 1, 8 << 30, 9 << 30 + 5] as [Int64] {
            let first = TarHeader(name: "large", bytes: bytes).encoded
            let second = TarHeader(name: "after", bytes: 0).encoded
            let path = try folder.write("large.tar", first)
            let file = try FileDescriptor.open(FilePath(path), .readWrite)
            // The contents are a hole.
            let rest = Int64(first.count) + bytes + Int64(TarHeader.padding(after: bytes))
            try file.closeAfter {
                _ = try file.writeAll(toAbsoluteOffset: rest, second + TarHeader.end)
            }
            let seen = try await run("python3", ["-c", Self.reader, path])
            #expect(
                seen.map(String.init) == [
                    "[\"large\",\(bytes),0,\(first.count),true]",
                    "[\"after\",0,0,\(rest + Int64(second.count)),true]",
                ]
            )
            let listed = try await run("tar", ["-tvf", path])
            #expect(listed.count == 2)
            #expect(listed.first?.contains(" \(bytes) ") == true, "\(listed)")
        }
    }

    @Test func `times that the field cannot hold are in an extended header`() async throws {
        let folder = try ScratchFolder()
        var archive: [UInt8] = []
        let times: [Int64] = [-1, 0, 8 << 30 - 1, 8 << 30]
        for time in times {
            archive += TarHeader(name: "t", bytes: 0, modified: time).encoded
        }
        let path = try folder.write("times.tar", archive + TarHeader.end)
        let lines = try await run("python3", ["-c", Self.reader, path])
        #expect(lines.map { $0.split(separator: ",")[2] } == times.map { Substring("\($0)") })
    }

    @Test func `a header without anything special is one block`() {
        #expect(TarHeader(name: "a", bytes: 5).encoded.count == 512)
        #expect(TarHeader(name: "a", bytes: 8 << 30).encoded.count == 3 * 512)
        #expect(TarHeader.padding(after: 0) == 0)
        #expect(TarHeader.padding(after: 1) == 511)
        #expect(TarHeader.padding(after: 512) == 0)
    }
}
