import PawlCore
import PawlTesting
import Testing

/// `pawl` with Metalinks, from a file and from a server.
@Suite(.timeLimit(.minutes(5)))
struct MetalinkCommandTests {
    private let resource = Resource(size: 600_000)

    /// A Metalink of the workshop's file; a damaged mirror comes first.
    private func metalink(_ workshop: Workshop, name: String = "disk.iso") throws -> String {
        var damaged = resource.bytes()
        damaged[300_000] ^= 1
        workshop.serve(.resource(Resource(bytes: damaged)), at: "/damaged")
        let digest = try #require(resource.digest(.sha256)).hexadecimal
        let pieces = stride(from: Int64(0), to: resource.size, by: 65_536).map { start in
            let range = ByteRange(start, min(resource.size, start + 65_536))
            let digest = Resource(bytes: resource.bytes(range)).digest(.sha1)
            return "<hash>\(digest?.hexadecimal ?? "")</hash>"
        }
        return """
            <?xml version="1.0"?>
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="\(name)">
            <size>\(resource.size)</size><hash type="sha-256">\(digest)</hash>
            <pieces length="65536" type="sha-1">\(pieces.joined())</pieces>
            <signature mediatype="application/pgp-signature">signed</signature>
            <url priority="2" location="de">\(workshop.url)</url>
            <url priority="1" location="us">\(workshop.origin.url("/damaged"))</url>
            </file></metalink>
            """
    }

    @Test func `a file without a URL cannot be downloaded`() async throws {
        let workshop = try Workshop()
        try workshop.folder.write(
            "list.meta4",
            "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='a'></file></metalink>"
        )
        let run = try await workshop.run("list.meta4")
        expectError(.usage, run)
        #expect(run.errors.contains("file a: it has no URL that Pawl can use"), "\(run.errors)")
    }

    @Test(arguments: ["file", "input", "url", "standard input"])
    func `a Metalink of a file or a server`(form: String) async throws {
        let (workshop, sources) = (try Workshop(resource), try ScratchFolder())
        let text = try metalink(workshop, name: "sub/disk.iso")
        let path = try sources.write("list.meta4", text)
        workshop.serve(.resource(Resource(text: text)), at: "/list.meta4")
        let arguments =
            switch form {
            case "file": [path]
            case "input": ["-i", path]
            case "url": [workshop.origin.url("/list.meta4")]
            default: ["-i", "-"]
            }
        let settings = ProcessSettings(input: form == "standard input" ? text : "")
        let run = try await workshop.run(arguments + ["-x", "1"], settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read("sub/disk.iso") == resource.bytes())
        #expect(try workshop.folder.readText("sub/disk.iso.asc") == "signed\n")
        #expect(workshop.folder.list("sub") == ["disk.iso", "disk.iso.asc"])
        // The damaged piece alone came from the other source.
        let repaired = workshop.origin.requests.filter { $0.path == Workshop.path }
        #expect(repaired.requestedBytes(of: resource.size).count <= 65_536)
        #expect(run.errors.contains("arrived damaged"), "\(run.errors)")
    }

    @Test func `--output names the single file of a Metalink`() async throws {
        let (workshop, sources) = (try Workshop(resource), try ScratchFolder())
        let path = try sources.write("list.meta4", try metalink(workshop))
        let run = try await workshop.run(path, "-o", "other.iso")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.folder.list() == ["other.iso", "other.iso.asc"])
        #expect(try workshop.folder.read("other.iso") == resource.bytes())
        let file = "<file name='NAME'><url>\(workshop.url)</url></file>"
        let files = ["a", "b"].map { file.replacing("NAME", with: $0) }.joined()
        try sources.write(
            "two.meta4",
            "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(files)</metalink>"
        )
        let two = try await workshop.run(sources.path("two.meta4"), "-o", "x")
        expectFailure(.usage, two)
        #expect(two.errors.contains("cannot be used with a list of 2 files"), "\(two.errors)")
        let output = try await workshop.run(path, "-o", "-")
        expectFailure(.usage, output)
    }

    @Test(arguments: [true, false])
    func `a Metalink in UTF-16`(bigEndian: Bool) async throws {
        let (workshop, sources) = (try Workshop(resource), try ScratchFolder())
        let text =
            "\u{FEFF}" + (try metalink(workshop)).replacing("?>", with: " encoding=\"UTF-16\"?>")
        let bytes = text.utf16.flatMap { unit -> [UInt8] in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return bigEndian ? [high, low] : [low, high]
        }
        let path = try sources.write("list.meta4", bytes)
        let run = try await workshop.run(path)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read("disk.iso") == resource.bytes())
        let verified = try await workshop.run("verify", "--metalink", path, "disk.iso")
        #expect(verified.status == .code(0), "\(verified.errors)")
        // Other lists are UTF-8, as Pawl writes them.
        let list = try sources.write("list", Array(bytes.drop { $0 != UInt8(ascii: "x") }))
        expectFailure(.usage, try await workshop.run("-i", list))
    }

    @Test func `the preferred country comes first`() async throws {
        let (workshop, sources) = (try Workshop(resource), try ScratchFolder())
        let path = try sources.write("list.meta4", try metalink(workshop))
        let run = try await workshop.run(path, "-x", "1", "--metalink-location", "fr,DE")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(!workshop.origin.requests.contains { $0.path == "/damaged" })
        let wrong = try await workshop.run(path, "--metalink-location", "Germany")
        #expect(wrong.status == .code(ErrorCode.usage.exitStatus))
    }

    @Test func `the Metalink itself`() async throws {
        let workshop = try Workshop(resource)
        workshop.serve(.resource(Resource(text: "<x/>")), at: "/list.meta4")
        let run = try await workshop.run(
            workshop.origin.url("/list.meta4"),
            "--no-follow-metalink"
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.readText("list.meta4") == "<x/>")
    }

    @Test(arguments: [
        (
            "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='../../x'><url>http://a/b</url></file></metalink>",
            "is not an allowed file name"
        ),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><x/>", "document type declaration"),
        ("<html><body></body></html>", "not a Metalink"),
        (
            "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='x'>",
            "cannot be read as XML"
        ),
    ])
    func `a hostile Metalink leaves nothing behind`(text: String, reason: String) async throws {
        let workshop = try Workshop(resource)
        workshop.serve(.resource(Resource(text: text)), at: "/list.meta4")
        let run = try await workshop.run(workshop.origin.url("/list.meta4"))
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains(reason), "\(run.errors)")
        #expect(workshop.folder.list().isEmpty)
    }
}
