import Glibc
import PawlCore
import PawlTesting
import Testing

/// URLs that expire and files that change, over several runs.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct ChangingSourceTests {
    private let resource = Resource(size: 12 << 20)

    /// Each signed URL serves one request, which breaks in the middle.
    @Test func `a download resumes by the original URL when a signed one expires`() async throws {
        let workshop = try Workshop()
        workshop.serve(.redirect { "/signed?signature=\($0.ordinal)" })
        workshop.serve(
            .resource(resource).afterBytes(5 << 20, .reset).expireAfter(requests: 1),
            at: "/signed"
        )
        let run = try await workshop.run(workshop.url, "-x", "1", "-v")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(workshop.origin.requests(to: Workshop.path).count == 3)
        let asked = workshop.origin.requests(to: "/signed")
        #expect(Set(asked.map(\.target)).count == 3)
        // It resumed at its position by the new URL.
        #expect(asked.compactMap(\.status).filter { $0 == 206 }.count == 2)
        #expect(!run.everything.contains("signature=1"))
    }

    @Test func `another run uses the original URL, not the expired one`() async throws {
        let workshop = try Workshop()
        workshop.serve(.redirect { "/signed?signature=\($0.ordinal)" })
        let held = Reply.resource(resource).holdAfterBytes(10 << 20, until: Latch())
        workshop.serve(held.expireAfter(requests: 1), at: "/signed")
        let runner = try workshop.start(workshop.url, "-x", "1")
        try await FolderWatch.wait(for: "disk.iso.part", in: workshop.folder)
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(7))
        let run = try await workshop.run(workshop.url, "-x", "1")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(workshop.origin.requests(to: "/signed").last?.range != nil)
    }

    enum Change: String, CaseIterable {
        case content, entityTag, lastModified, size
    }

    private func changed(_ change: Change) -> Resource {
        var other = Resource(size: resource.size, seed: 2)
        switch change {
        case .content: break
        case .entityTag: other.lastModified = resource.lastModified
        case .lastModified: other.entityTag = resource.entityTag
        case .size: other = Resource(size: resource.size - 4096, seed: 3)
        }
        return other
    }

    @Test(arguments: Change.allCases)
    func `a file that changed between a kill and the next run is never mixed`(change: Change)
        async throws
    {
        let workshop = try Workshop()
        let runner = try await workshop.begin(resource, [workshop.url])
        runner.signal(SIGKILL)
        #expect(await runner.waitForExit() == .signal(SIGKILL))
        let other = changed(change)
        workshop.serve(.resource(other))
        let run = try await workshop.run(workshop.url)
        try expectOnly(Workshop.name, other, in: workshop, run)
    }

    @Test(arguments: [true, false])
    func `starting over is reported without --verbose`(servesRanges: Bool) async throws {
        let workshop = try Workshop()
        let runner = try await workshop.begin(resource, [workshop.url])
        runner.signal(SIGKILL)
        await runner.waitForExit()
        let other = changed(.size)
        workshop.serve(servesRanges ? .resource(other) : .resource(other).ignoreRange)
        let run = try await workshop.run(workshop.url)
        try expectOnly(Workshop.name, other, in: workshop, run)
        let note = try #require(run.errorLines.first { $0.hasPrefix("pawl: note: ") })
        #expect(note.contains("the file changed on the server: starting over"))
        #expect(note.contains(workshop.url))
    }

    @Test func `setting a partial file aside is reported without --verbose`() async throws {
        let workshop = try Workshop(resource)
        try workshop.folder.write("disk.iso.part", Array("anything".utf8))
        try workshop.folder.write("disk.iso.part.pawl", Array("torn".utf8))
        let run = try await workshop.run(workshop.url)
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact(Workshop.name, resource, in: workshop)
        #expect(try workshop.folder.readText("disk.iso.part.1") == "anything")
        let note = try #require(run.errorLines.first { $0.hasPrefix("pawl: note: ") })
        #expect(note.contains("disk.iso.part.1"))
        let quiet = try await workshop.run(workshop.url, "-q")
        #expect(quiet.errors.isEmpty)
    }

    @Test(arguments: Change.allCases)
    func `a file that changes during the download is never mixed`(change: Change) async throws {
        let workshop = try Workshop()
        let other = changed(change)
        // The first connection continues with the old file, as from an open file, when another one
        // has received bytes of the new file.
        let latch = Latch()
        let old = Reply.resource(resource).rate(6 << 20).holdAfterBytes(1 << 20, until: latch)
        workshop.serve(old.from(request: 2, .resource(other)))
        async let finished = workshop.run(workshop.url, "-x", "4")
        await workshop.origin.waitUntil { snapshot in
            snapshot.requests.dropFirst().contains { $0.bodyBytesSent > 0 }
        }
        latch.release()
        let run = try await finished
        // If only the tag differs, the server may send another one with each response: the first
        // stream continues alone.
        try expectOnly(Workshop.name, change == .entityTag ? resource : other, in: workshop, run)
    }

    @Test func `a login page between two runs changes nothing`() async throws {
        let workshop = try Workshop()
        let runner = try await workshop.begin(resource, [workshop.url])
        runner.signal(SIGINT)
        await runner.waitForExit()
        let kept = try await Inspection.of("disk.iso.part", in: workshop).claimed
        workshop.serve(.htmlPortal)
        let portal = try await workshop.run(workshop.url, "--retries", "1")
        expectFailure(.captivePortal, portal)
        #expect(workshop.folder.list() == ["disk.iso.part", "disk.iso.part.pawl"])
        #expect(try await Inspection.of("disk.iso.part", in: workshop).claimed == kept)
        workshop.serve(.resource(resource))
        try expectOnly(Workshop.name, resource, in: workshop, await workshop.run(workshop.url))
    }
}
