import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// The programs of `Examples/`, compiled like a user's code.
@Suite(.timeLimit(.minutes(5)))
struct ExampleTests {
    private func start(_ name: String, _ arguments: String..., in workshop: Workshop) throws
        -> ProcessRunner
    {
        try start(name, arguments, in: workshop)
    }

    private func start(_ name: String, _ arguments: [String], in workshop: Workshop) throws
        -> ProcessRunner
    {
        let program = BuiltProduct.path(name)
        let settings = ProcessSettings(environment: [
            "HOME": workshop.folder.path, "XDG_CACHE_HOME": nil, "XDG_CONFIG_HOME": nil,
        ])
        return try ProcessRunner(program, arguments, workshop.complete(settings))
    }

    private func waitForCheckpoint(in workshop: Workshop) async throws {
        try await FolderWatch.wait(for: "disk.iso.part.pawl", in: workshop.folder)
        // Nothing announces that a checkpoint claims bytes, so this polls. The first checkpoint may
        // be incomplete.
        let partial = workshop.folder.path("disk.iso.part")
        while (try? CheckpointDescription(partialFile: partial))?.usableBytes ?? 0 == 0,
            !Task.isCancelled
        {
            await Task.yield()
        }
    }

    @Test func `the code of the articles runs`() async throws {
        let resource = Resource(size: 3 << 20)
        let workshop = try Workshop()
        let digest = try #require(resource.digest(.sha256))
        workshop.serve(.resource(resource).setting("X-SHA-256", digest.hexadecimal))
        workshop.serve(.status(200, body: #"{"name": "first"}"#), at: "/latest.json")
        workshop.serve(.status(200, body: "\(digest.hexadecimal)  disk.iso\n"), at: "/SHA256SUMS")
        let base = String(workshop.url.dropLast(Workshop.path.count)) + "/"
        try writeAppleResumeData(of: resource, in: workshop)
        let run = try start("Articles", base, workshop.folder.path, in: workshop)
        #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
        #expect(run.output.contains("\nverified\n"))
        #expect(run.output.contains("\nthere is no such file\n"))
        #expect(run.output.hasSuffix("\nErrors is done\n"), "\(run.output)")
        let releases = workshop.folder.path("Recipes/releases/disk.iso")
        #expect(run.output.contains("\nfetched: \(releases)\n"))
        #expect(run.output.contains("\nevent: finished\ndata: \(resource.size)\n\n"))
        #expect(run.output.contains("\n2 of 2 files, "))
        let names = [
            "GettingStarted/disk.iso", "HowADownloadRuns/other.iso", "Recipes/releases/disk.iso",
            "ResumeData/apple/disk.iso",
        ]
        for name in names {
            try expectExact(name, resource, in: workshop)
        }
        // The bytes of Apple's temporary file were used.
        #expect(workshop.folder.list("ResumeData/apple") == ["disk.iso", "resume.plist"])
    }

    /// Writes what Apple's `URLSession` leaves of an interrupted download.
    private func writeAppleResumeData(of resource: Resource, in workshop: Workshop) throws {
        let count: Int64 = 400_000
        let name = "CFNetworkDownload_4711.tmp"
        try workshop.folder.makeFolder("ResumeData")
        try workshop.folder.makeFolder("ResumeData/apple")
        try workshop.folder.write(
            "ResumeData/apple/\(name)",
            resource.bytes(ByteRange(0, count))
        )
        let list = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>NSURLSessionDownloadURL</key><string>\(workshop.url)</string>
            <key>NSURLSessionResumeBytesReceived</key><integer>\(count)</integer>
            <key>NSURLSessionResumeEntityTag</key><string>\(resource.entityTag ?? "")</string>
            <key>NSURLSessionResumeInfoTempFileName</key><string>\(name)</string>
            </dict></plist>
            """
        try workshop.folder.write("ResumeData/apple/resume.plist", list)
    }

    @Test func `FetchFile downloads a file, and reports an error`() async throws {
        let resource = Resource(size: 1 << 20)
        let workshop = try Workshop(resource)
        let run = try start("FetchFile", workshop.url, workshop.folder.path, in: workshop)
        #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
        #expect(run.output == "\(workshop.folder.path("disk.iso")) 1048576\n")
        try expectExact("disk.iso", resource, in: workshop)

        let gone = String(workshop.url.dropLast(Workshop.path.count)) + "/gone"
        let failed = try start("FetchFile", gone, workshop.folder.path, in: workshop)
        #expect(await failed.waitForExit() == .code(1))
        #expect(failed.output.hasPrefix("failed: "), "\(failed.output)")
    }

    @Test func `UsingFoundation downloads with Foundation's types`() async throws {
        let resource = Resource(size: 3 << 20)
        let workshop = try Workshop(resource)
        let run = try start("UsingFoundation", workshop.url, workshop.folder.path, in: workshop)
        #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
        #expect(run.output.hasSuffix("\ndisk.iso 3145728 bytes\n"), "\(run.output)")
        #expect(workshop.origin.requests.allSatisfy { $0["Accept-Language"] == "en" })
        try expectExact("disk.iso", resource, in: workshop)

        let gone = String(workshop.url.dropLast(Workshop.path.count)) + "/gone"
        let failed = try start("UsingFoundation", gone, workshop.folder.path, in: workshop)
        #expect(await failed.waitForExit() == .code(1))
        #expect(failed.output.contains("\nPawlErrorDomain 3 "), "\(failed.output)")
    }

    @Test func `TestWithoutNetwork passes without a server`() async throws {
        let workshop = try Workshop()
        let run = try start("TestWithoutNetwork", workshop.folder.path, in: workshop)
        #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
        let request = "GET https://example.com/disk.iso "
        let expected = "\(request)the whole file\n\(request)bytes=400000-999999\npassed\n"
        #expect(run.output == expected)
        #expect(workshop.folder.size("disk.iso") == 1_000_000)
    }

    @Test func `FourWays fetches a file in each of the four ways`() async throws {
        let resource = Resource(size: 3 << 20)
        let workshop = try Workshop(resource)
        let run = try start("FourWays", workshop.url, workshop.folder.path, in: workshop)
        #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
        let lines = run.output.split(separator: "\n")
        for way in ["block", "delegate", "file handle", "stream"] {
            #expect(lines.contains("\(way): 3145728 bytes"), "\(run.output)")
        }
        let names = ["block.bin", "delegate.bin", "handle.bin", "stream.bin"]
        // The caches are of this home, too.
        #expect(workshop.folder.list().filter { $0 != ".cache" } == names)
        for name in names { try expectExact(name, resource, in: workshop) }
    }

    @Test func `ResumableFetch resumes where it was killed`() async throws {
        let resource = Resource(size: 24 << 20)
        let workshop = try Workshop()
        // Additional connections must not complete the file.
        let held = Reply.resource(resource).holdAfterBytes(10 << 20, until: Latch())
        workshop.serve(held.forRanges(.never))
        let killed = try start("ResumableFetch", workshop.url, "disk.iso", in: workshop)
        try await waitForCheckpoint(in: workshop)
        killed.signal(SIGKILL)
        #expect(await killed.waitForExit() == .signal(SIGKILL))
        let before = await workshop.origin.waitForQuiet().requests.count

        workshop.serve(.resource(resource))
        let run = try start("ResumableFetch", workshop.url, "disk.iso", in: workshop)
        #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
        let asked = workshop.origin.requests.dropFirst(before)
        #expect(!asked.isEmpty && asked.allSatisfy { $0.range?.first ?? 0 > 0 })
        #expect(run.output.contains("resumes at "), "\(run.output)")
        #expect(run.output.contains("finished: \(resource.size) bytes, fetched\n"))
        #expect(workshop.folder.list() == ["disk.iso"])
        try expectExact("disk.iso", resource, in: workshop)

        let again = try start("ResumableFetch", workshop.url, "disk.iso", in: workshop)
        #expect(await again.waitForExit() == .code(0), "\(again.output)\(again.errors)")
        #expect(again.output.contains("there before"), "\(again.output)")
    }

    @Test func `MediaCache fetches a key once, trims and repairs`() async throws {
        let workshop = try Workshop(Resource(size: 1 << 20))
        func run(_ arguments: String...) async throws -> String {
            let all = [workshop.folder.path + "/media"] + arguments
            let run = try start("MediaCache", all, in: workshop)
            #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
            return run.output
        }
        #expect(try await run("get", "film", workshop.url).hasPrefix("fetched: "))
        #expect(try await run("get", "film").hasPrefix("from the cache: "))
        #expect(workshop.origin.requests.count == 1)
        #expect(try await run("get", "other", workshop.url).hasPrefix("fetched: "))
        #expect(workshop.folder.exists("media/other.iso"))
        try workshop.folder.write("media/film.iso", "damage")
        let repaired = try await run("verify")
        #expect(repaired == "repaired: film, 1048576 bytes\n1 were intact\n")
        #expect(try await run("list").hasSuffix("\n2097152 bytes in all\n"))
        #expect(try await run("trim", "1").hasSuffix("\n1048576 bytes are left\n"))
        let left = try await run("list")
        #expect(left.contains("1048576 bytes in all"))
        let key = left.hasPrefix("film") ? "film" : "other"
        #expect(try await run("remove", key) == "removed\n")
        #expect(try await run("remove", key) == "not there\n")
    }

    @Test func `FollowDownloads downloads all files and reports the one that fails`() async throws {
        let resource = Resource(size: 3 << 20)
        let workshop = try Workshop(resource)
        workshop.serve(.resource(resource), at: "/other.iso")
        let base = String(workshop.url.dropLast(Workshop.path.count))
        let folder = workshop.folder.path
        let urls = ["/disk.iso", "/other.iso"].map { base + $0 }
        let run = try start("FollowDownloads", [folder] + urls, in: workshop)
        #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
        #expect(run.output.contains(": finished: \(folder)/disk.iso\n"), "\(run.output)")
        #expect(run.output.contains(": 3145728 bytes\n"), "\(run.output)")
        for name in ["disk.iso", "other.iso"] { try expectExact(name, resource, in: workshop) }

        let failed = try start("FollowDownloads", folder, base + "/gone", in: workshop)
        #expect(await failed.waitForExit() == .code(1))
        #expect(failed.output.contains(": failed: "), "\(failed.output)\(failed.errors)")
    }

    @Test func `FetchList resumes a list, and fetches nothing twice`() async throws {
        let resource = Resource(size: 3 << 20)
        let workshop = try Workshop(resource)
        let base = String(workshop.url.dropLast(Workshop.path.count))
        try workshop.folder.write("list", "\(base)/disk.iso\n\(base)/other.iso\n")
        let arguments = [workshop.folder.path("list"), workshop.folder.path("films")]
        let failed = try start("FetchList", arguments, in: workshop)
        #expect(await failed.waitForExit() == .code(1), "\(failed.output)\(failed.errors)")
        #expect(failed.output.contains("\nfailed: "), "\(failed.output)")
        try expectExact("films/disk.iso", resource, in: workshop)

        workshop.serve(.resource(resource), at: "/other.iso")
        // The head alone shows that the file is complete.
        workshop.serve(.resource(resource).holdAfterBytes(0, until: Latch()))
        let run = try start("FetchList", arguments, in: workshop)
        #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
        #expect(run.output.hasSuffix("\r2 of 2 files, 100 %  \n"), "\(run.output)")
        try expectExact("films/other.iso", resource, in: workshop)
    }

    @Test func `CoverCache downloads a key once`() async throws {
        let workshop = try Workshop(Resource(size: 1 << 20))
        let arguments = [workshop.folder.path + "/covers", "album-17", workshop.url]
        for beginning in ["downloaded: ", "from the cache: "] {
            let run = try start("CoverCache", arguments, in: workshop)
            #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
            #expect(run.output.hasPrefix(beginning), "\(run.output)")
            #expect(run.output.hasSuffix("\n1048576 bytes in the cache\n"), "\(run.output)")
        }
        #expect(workshop.origin.requests.count == 1)
    }

    @Test func `ResumeLater resumes from the data that it stored`() async throws {
        let resource = Resource(size: 24 << 20)
        let workshop = try Workshop()
        let held = Reply.resource(resource).holdAfterBytes(10 << 20, until: Latch())
        workshop.serve(held.forRanges(.never))
        let path = workshop.folder.path(Workshop.name)
        let stopped = try start("ResumeLater", workshop.url, path, in: workshop)
        // The program handles Ctrl-C before it starts the download.
        try await waitForCheckpoint(in: workshop)
        stopped.signal(SIGINT)
        #expect(await stopped.waitForExit() == .code(75), "\(stopped.output)\(stopped.errors)")
        #expect(workshop.folder.exists("disk.iso.resume"), "\(stopped.output)")
        let before = await workshop.origin.waitForQuiet().requests.count

        workshop.serve(.resource(resource))
        let run = try start("ResumeLater", workshop.url, path, in: workshop)
        #expect(await run.waitForExit() == .code(0), "\(run.output)\(run.errors)")
        #expect(run.output.hasPrefix("resumes after "), "\(run.output)")
        let asked = workshop.origin.requests.dropFirst(before)
        #expect(!asked.isEmpty && asked.allSatisfy { $0.range?.first ?? 0 > 0 })
        #expect(!workshop.folder.exists("disk.iso.resume"))
        try expectExact("disk.iso", resource, in: workshop)
    }
}
