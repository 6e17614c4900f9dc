import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// The contract's row: `ResumeObstacle` states why there is no resume data; if a check fails, there
/// is a clean restart or a clear error, never a short file.
@Suite(.timeLimit(.minutes(5)))
struct ResumeObstacleTests {
    private let resource = Resource(size: DownloadScene.size)
    private let partial = "disk.bin.part"

    enum Server: String, CaseIterable, Sendable {
        case noValidator, weakValidatorOnly, noRanges, encoded

        func reply(_ resource: Resource) -> Reply {
            let reply = Reply.resource(resource)
            return switch self {
            case .noValidator: reply.omitValidators
            case .weakValidatorOnly: reply.weakEntityTag.removing("Last-Modified")
            case .noRanges: reply.ignoreRange.setting("Accept-Ranges", "none")
            case .encoded: reply.contentEncoding("gzip")
            }
        }

        var obstacle: ResumeObstacle {
            switch self {
            case .noValidator: .noValidator
            case .weakValidatorOnly: .weakValidatorOnly
            case .noRanges: .noRanges
            case .encoded: .encoded
            }
        }
    }

    @Test(arguments: Server.allCases)
    func `the obstacle states why there is no resume data`(server: Server) async throws {
        let scene = try DownloadScene()
        var settings = scene.fixed(1)
        settings.resumesWithoutValidator = false
        let download = scene.task(
            try scene.url(),
            to: scene.file(),
            settings: settings
        )
        let reply = server.reply(resource)
        let error = try await scene.interrupt(download, reply, connections: 1) { download in
            #expect(download.resumability == .notResumable(server.obstacle))
        }
        #expect(error.resumeData == nil && download.resumeData == nil)
        #expect(error.resumeObstacle == server.obstacle)
    }

    @Test func `an unknown length is an obstacle`() async throws {
        let scene = try DownloadScene()
        let download = scene.task(
            try scene.url(),
            to: scene.file(),
            settings: scene.fixed(1)
        )
        let reply = Reply.resource(resource).omitValidators.chunked()
        let error = try await scene.interrupt(download, reply, connections: 1)
        #expect(error.resumeObstacle == .lengthUnknown)
    }

    @Test func `having received nothing, or everything, is an obstacle`() async throws {
        let scene = try DownloadScene()
        let gone = scene.task(try scene.url("/gone"), to: scene.file())
        let error = await #expect(throws: DownloadError.self) {
            try await scene.session.finish(gone)
        }
        #expect(error?.code == .notFound && error?.resumeObstacle == .nothingReceived)
        scene.origin.route("/disk.bin", .resource(resource))
        let whole = scene.task(try scene.url(), to: scene.file())
        _ = try await scene.session.finish(whole)
        #expect(whole.resumability == .notResumable(.finished))
        #expect(whole.resumeData == nil)
    }

    enum Fault: String, CaseIterable, Sendable {
        case partialFileMissing, partialFileChanged, changedOnServer

        var obstacle: ResumeObstacle {
            switch self {
            case .partialFileMissing: .partialFileMissing
            case .partialFileChanged: .partialFileChanged
            case .changedOnServer: .changedOnServer
            }
        }
    }

    private func introduce(_ fault: Fault, to scene: DownloadScene, _ other: Resource) throws {
        switch fault {
        case .partialFileMissing: scene.remove(partial)
        case .partialFileChanged:
            scene.remove(partial + ".pawl")
            try scene.folder.write(partial, other.bytes())
        case .changedOnServer: scene.origin.route("/disk.bin", .resource(other))
        }
    }

    @Test(arguments: Fault.allCases)
    func `by default a failed check restarts the download, and the file is whole`(fault: Fault)
        async throws
    {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        let other = Resource(size: DownloadScene.size + 5, seed: 2)
        try introduce(fault, to: scene, other)
        let file = try await scene.resume(data)
        let now = fault == .changedOnServer ? other : resource
        #expect(try now.verify(fileAt: file.path) == nil)
        #expect(file.path == scene.folder.path("disk.bin"))
        if fault == .partialFileChanged {
            // Nothing proves that the file is ours.
            #expect(try scene.folder.read(partial) == other.bytes())
        }
    }

    @Test(arguments: Fault.allCases)
    func `on request a failed check is a clear error and nothing is lost`(
        fault: Fault
    ) async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        let other = Resource(size: DownloadScene.size + 5, seed: 2)
        try introduce(fault, to: scene, other)
        let before = scene.folder.list()
        let error = await #expect(throws: DownloadError.self) {
            try await scene.resume(data) { $0.fallback = .fail }
        }
        #expect(error?.code == .notResumable)
        #expect(error?.resumeObstacle == fault.obstacle)
        #expect(scene.folder.list() == before)
        guard fault == .changedOnServer else { return }
        // The old version is back: the remaining bytes can be used again.
        scene.origin.route("/disk.bin", .resource(resource))
        let count = scene.origin.requests.count
        let file = try await scene.resume(data) { $0.fallback = .fail }
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.asked(since: count).allSatisfy { $0.status == 206 })
    }

    @Test func `another download's partial file is left alone`() async throws {
        let scene = try DownloadScene()
        let data = try await scene.leave(.resource(resource))
        scene.remove(partial)
        scene.remove(partial + ".pawl")
        let other = Resource(size: DownloadScene.size, seed: 3)
        _ = try await scene.leave(.resource(other))
        scene.move(partial, to: "kept.part")
        scene.move(partial + ".pawl", to: "kept.part.pawl")
        let kept = try scene.folder.read("kept.part")
        scene.origin.route("/disk.bin", .resource(resource))
        let file = try await scene.resume(data) {
            $0.partialFile = scene.folder.path("kept.part")
        }
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(try scene.folder.read("kept.part") == kept)
    }
}
