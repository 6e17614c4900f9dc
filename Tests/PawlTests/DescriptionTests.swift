import Pawl
import PawlCore
import PawlTesting
import Testing

/// What a server reports about a file, and what a checkpoint holds.
@Suite(.timeLimit(.minutes(5)))
struct DescriptionTests {
    private let resource = Resource(size: DownloadScene.size)

    @Test func `inspecting returns what the server reports and fetches no body`() async throws {
        let scene = try DownloadScene()
        let digest = try #require(resource.digest(.sha256))
        scene.origin.route("/disk.bin", .redirect(to: "/real.bin"))
        scene.origin.route(
            "/real.bin",
            .resource(resource).holdAfterBytes(1, until: Latch())
                .setting("Content-Disposition", "attachment; filename=\"../named.bin\"")
                .setting("Repr-Digest", "sha-256=:\(Base64.text(digest.bytes)):")
        )
        let found = try await scene.session.inspect(try scene.url())
        #expect(found.status == 200)
        #expect(found.finalURL == (try scene.url("/real.bin")))
        #expect(found.redirects == [try scene.url()])
        #expect(found.suggestedName == "named.bin")
        #expect(found.totalBytes == DownloadScene.size)
        #expect(found.mediaType == "application/octet-stream")
        #expect(found.entityTag == resource.entityTag)
        #expect(found.lastModified == resource.lastModified)
        #expect(found.acceptsRanges && found.isResumable)
        #expect(found.digests == [digest])
        #expect(found.protocolVersion == "HTTP/1.1")
        #expect(found.contentEncoding == nil)
        #expect(scene.folder.list().isEmpty)
        #expect(scene.origin.requests.allSatisfy { $0.method == "GET" && $0.range == nil })
    }

    @Test func `inspecting reports whether a download could resume`() async throws {
        let scene = try DownloadScene()
        scene.origin.route("/disk.bin", .resource(resource).omitValidators)
        let compared = try await scene.session.inspect(try scene.url())
        #expect(compared.acceptsRanges && compared.isResumable)
        scene.origin.route("/disk.bin", .resource(resource).omitValidators.chunked())
        let endless = try await scene.session.inspect(try scene.url())
        #expect(!endless.acceptsRanges && !endless.isResumable)
        scene.origin.route("/disk.bin", .resource(resource).contentEncoding("gzip"))
        let encoded = try await scene.session.inspect(try scene.url())
        #expect(encoded.contentEncoding == "gzip")
        #expect(!encoded.acceptsRanges && !encoded.isResumable)
    }

    @Test func `inspecting a missing file is an error`() async throws {
        let scene = try DownloadScene()
        let error = await #expect(throws: DownloadError.self) {
            try await scene.session.inspect(try scene.url())
        }
        #expect(error?.code == .notFound)
    }

    @Test func `a checkpoint is described by the name of either file`() async throws {
        let scene = try DownloadScene()
        let latch = Latch()
        scene.origin.route("/disk.bin", .resource(resource).holdAfterBytes(110_000, until: latch))
        let download = scene.task(
            try scene.url("/disk.bin?token=secret"),
            to: scene.file(),
            settings: scene.fixed(4)
        )
        let task = Task { try await scene.session.finish(download) }
        await latch.waitForArrivals(4)
        await download.reaches(440_000)
        task.cancel()
        await #expect(throws: DownloadError.self) { try await task.value }
        for name in ["disk.bin.part", "disk.bin.part.pawl"] {
            let found = try CheckpointDescription(partialFile: scene.folder.path(name))
            #expect(found.partialPath == scene.folder.path("disk.bin.part"))
            #expect(found.checkpointPath == scene.folder.path("disk.bin.part.pawl"))
            #expect(found.totalBytes == DownloadScene.size)
            #expect(found.entityTag == resource.entityTag)
            #expect(found.lastModified == resource.lastModified)
            #expect(found.mediaType == "application/octet-stream")
            #expect(found.source.hasPrefix("http://127.0.0.1:"))
            #expect(!found.source.contains("secret"))
            #expect(found.sequence > 0)
            #expect(found.isOfThisBoot)
            #expect(found.usableBytes == 440_000)
            #expect(found.written.count == 4)
            #expect(found.written.reduce(0) { $0 + $1.count } == 440_000)
            #expect(found.durable == found.written)
        }
    }

    @Test func `a file that is not a checkpoint cannot be described`() throws {
        let folder = try ScratchFolder()
        try folder.write("disk.bin.part", "something")
        for name in ["disk.bin.part", "nothing.part", "disk.bin"] {
            let error = #expect(throws: DownloadError.self) {
                _ = try CheckpointDescription(partialFile: folder.path(name))
            }
            #expect(error?.code == .fileUnreadable)
        }
    }
}
