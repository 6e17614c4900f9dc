import Glibc
import Pawl
import PawlTesting
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
