import Glibc
import Pawl
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// The same file, moved into one folder by several processes.
@Suite(.timeLimit(.minutes(5)))
struct MovedFilesTests {
    private let resource = Resource(size: 100_000)

    @Test(arguments: [["disk.bin", "disk.1.bin"], ["disk.1.bin", "disk.bin"]])
    func `the first of two equal files keeps its name, whatever the numbers are`(
        names: [String]
    ) async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let url = try scene.url()
        for name in names { _ = try await session.download(url, to: scene.target(name)) }
        let first = try await move(names[0], in: session, scene)
        #expect(first == scene.folder.path("moved/\(names[0])"))
        #expect(try await move(names[1], in: session, scene) == first)
        #expect(scene.folder.list("moved") == [names[0]])
        #expect(scene.folder.list() == ["moved"])
        // A process whose file somebody else has moved finds it, whatever number its own name had.
        for name in ["disk.bin", "disk.1.bin", "disk.2.bin"] {
            let found = await session.leftovers.findMoved(
                scene.folder.path(name),
                into: scene.folder.path("moved"),
                size: resource.size,
                of: [url]
            )
            #expect(found == first)
        }
    }

    @Test func `files with other bytes or of another URL stay`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        _ = try await session.download(scene.url(), to: scene.target())
        _ = try await move("disk.bin", in: session, scene)
        scene.origin.route("/other.bin", .resource(resource))
        _ = try await session.download(scene.url("/other.bin"), to: scene.target("disk.1.bin"))
        let foreign = try await move("disk.1.bin", of: "/other.bin", in: session, scene)
        #expect(foreign == scene.folder.path("moved/disk.1.bin"))
        scene.origin.route("/disk.bin", .resource(Resource(size: 100_000, seed: 2)))
        _ = try await session.download(scene.url(), to: scene.target())
        #expect(
            try await move("disk.bin", in: session, scene)
                == scene.folder.path("moved/disk.2.bin")
        )
        #expect(scene.folder.list("moved") == ["disk.1.bin", "disk.2.bin", "disk.bin"])
    }

    @Test func `of many that move it at once, each gets the path of the one file that stays`()
        async throws
    {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let names = (0..<6).map { $0 == 0 ? "disk.bin" : "disk.\($0).bin" }
        for _ in 0..<10 {
            for name in names {
                _ = try await session.download(scene.url(), to: scene.target(name))
            }
            let paths = try await withThrowingTaskGroup { group in
                for name in names {
                    group.addTask { try await move(name, in: session, scene) }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(paths.count == 1)
            #expect(
                scene.folder.list("moved").map { scene.folder.path("moved/\($0)") } == Array(paths)
            )
            #expect(scene.folder.list() == ["moved"])
            for path in paths { unlink(path) }
        }
    }

    @Test func `a move within one folder does not take the moved file for another one`()
        async throws
    {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let url = try scene.url()
        _ = try await session.download(url, to: scene.target("disk.2.bin"))
        var move = FileMove(
            FilePath(scene.folder.path("disk.2.bin")),
            to: FilePath(scene.folder.path("disk.bin")),
            policy: .rename
        )
        move.sharedURLs = [url]
        #expect(try move.run().path == FilePath(scene.folder.path("disk.bin")))
        #expect(scene.folder.list() == ["disk.bin"])
    }

    @Test func `files are compared while the folder is free for others`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let url = try scene.url()
        for name in ["disk.bin", "disk.1.bin", "disk.2.bin"] {
            _ = try await session.download(url, to: scene.target(name))
        }
        // The first file that is compared is a changed one, and the same file arrives meanwhile.
        let folder = scene.folder.path("moved")
        _ = try await move("disk.2.bin", in: session, scene)
        try scene.folder.write("moved/disk.2.bin", [UInt8](repeating: 0, count: 100_000))
        let other = FilePath(scene.folder.path("moved/disk.2.bin"))
        let mark = try #require(
            TextAttribute.representation.text(of: FilePath(scene.folder.path("disk.bin")))
        )
        var lines = mark.split(separator: "\n", omittingEmptySubsequences: false)
        let time = try #require(try other.status()).modifiedNanoseconds
        lines[5] = "\(time)"
        #expect(TextAttribute.representation.put(lines.joined(separator: "\n"), on: other))
        var move = FileMove(
            FilePath(scene.folder.path("disk.1.bin")),
            to: FilePath(scene.folder.path("moved/disk.1.bin")),
            policy: .rename
        )
        move.sharedURLs = [url]
        var attempts: [FileLock.Attempt] = []
        let moved = try move.run {
            guard let lock = try? OpenFile(FilePath(folder), O_RDONLY | O_DIRECTORY) else { return }
            // The lock ends with the descriptor.
            if let attempt = try? FileLock.tryToTake(lock) { attempts.append(attempt) }
            rename(scene.folder.path("disk.bin"), "\(folder)/disk.bin")
        }
        #expect(moved.path == FilePath(scene.folder.path("moved/disk.bin")))
        #expect(!attempts.isEmpty && attempts.allSatisfy { $0 == .taken })
        #expect(scene.folder.list("moved") == ["disk.2.bin", "disk.bin"])
        #expect(scene.folder.list() == ["moved"])
    }

    /// Moves a file into the folder `moved`; returns its path.
    private func move(
        _ name: String,
        of path: String = "/disk.bin",
        in session: DownloadSession,
        _ scene: SessionScene
    ) async throws -> String {
        try await session.leftovers.move(
            scene.folder.path(name),
            into: scene.folder.path("moved"),
            removingDuplicateOf: [scene.url(path)]
        ).file.path
    }
}
