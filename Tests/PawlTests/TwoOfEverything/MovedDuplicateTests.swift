import Pawl
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Equal files that two processes have moved into one folder.
@Suite(.timeLimit(.minutes(5)))
struct MovedDuplicateTests {
    private let resource = Resource(size: 100_000)

    @Test func `of two equal files the one with the lower number stays, whoever looks first`()
        async throws
    {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let url = try scene.url()
        let names = ["disk.bin", "disk.1.bin"]
        for name in names { _ = try await session.download(url, to: scene.target(name)) }
        let paths = names.map { FilePath(scene.folder.path($0)) }
        #expect(MovedDuplicate.remove(paths[0], of: [url])?.path == nil)
        #expect(Set(scene.folder.list()) == Set(names))
        let elsewhere = try scene.url("/other.bin")
        #expect(MovedDuplicate.remove(paths[1], of: [elsewhere])?.path == nil)
        #expect(MovedDuplicate.remove(paths[1], of: [url])?.path == paths[0])
        #expect(scene.folder.list() == ["disk.bin"])
    }

    @Test func `a file with other bytes stays`() async throws {
        let scene = try SessionScene(.resource(resource))
        let session = DownloadSession(scene.configuration)
        let url = try scene.url()
        _ = try await session.download(url, to: scene.target())
        scene.origin.route("/disk.bin", .resource(Resource(size: 100_000, seed: 2)))
        _ = try await session.download(url, to: scene.target("disk.1.bin"))
        let path = FilePath(scene.folder.path("disk.1.bin"))
        #expect(MovedDuplicate.remove(path, of: [url])?.path == nil)
        #expect(scene.folder.list().count == 2)
    }
}
