import Glibc
import PawlCore
import PawlTesting
import Testing

/// The table "Resume, before the first request": the target exists.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct ExistingFileTests {
    private let resource = Resource(size: Scene.size)
    private let other = Resource(size: Scene.size / 2, seed: 5)
    private let numbered = "disk.1.bin"

    @Test(arguments: ExistingFilePolicy.allCases.filter { $0 != .fail })
    func `the same file by its validators is not fetched again`(
        policy: ExistingFilePolicy
    ) async throws {
        let scene = try Scene(.resource(resource))
        var settings = scene.settings(4)
        try await scene.download(settings)
        // A download that read its body would wait forever.
        scene.serve(.resource(resource).stallAfterBytes(100_000))
        scene.forgetRequests()
        settings.ifExists = policy
        let file = try await scene.download(settings)
        #expect(file.wasAlreadyThere)
        #expect(file.path == scene.folder.path(Scene.name))
        try scene.expectFile(resource)
        #expect(scene.asked.count <= 1)
    }

    /// Its owner can change the bytes, and set the time back.
    @Test(.enabled(if: geteuid() == 0))
    func `a finished file of another user is not a download of this user`() async throws {
        let scene = try Scene(.resource(resource))
        var settings = scene.settings(1)
        try await scene.download(settings)
        let path = scene.folder.path(Scene.name)
        let file = open(path, O_WRONLY)
        var status = stat()
        #expect(fstat(file, &status) == 0)
        #expect(pwrite(file, "evil", 4, 0) == 4)
        var times = [status.st_atim, status.st_mtim]
        #expect(futimens(file, &times) == 0)
        close(file)
        try #require(chown(path, 65_534, 65_534) == 0)
        settings.ifExists = .overwrite
        let again = try await scene.download(settings)
        #expect(!again.wasAlreadyThere)
        try scene.expectFile(resource)
    }

    @Test func `a private file stays private when it is replaced`() async throws {
        let scene = try Scene(.resource(resource))
        try scene.folder.write(Scene.name, "old")
        try scene.folder.setPermissions(Scene.name, 0o600)
        var settings = scene.settings(1)
        settings.ifExists = .overwrite
        try await scene.download(settings)
        try scene.expectFile(resource)
        var status = stat()
        #expect(stat(scene.folder.path(Scene.name), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    /// A process that ends between renaming a file and removing its checkpoint leaves it.
    @Test(arguments: [ExistingFilePolicy.rename, .overwrite], [true, false])
    func `a checkpoint beside its finished file costs nothing`(
        policy: ExistingFilePolicy,
        isTagged: Bool
    ) async throws {
        var resource = resource
        if !isTagged { (resource.entityTag, resource.lastModified) = (nil, nil) }
        let scene = try Scene()
        var settings = scene.settings(1)
        try await scene.interrupt(.resource(resource), settings)
        let checkpoint = try scene.folder.read("disk.bin.part.pawl")
        scene.serve(.resource(resource))
        try await scene.download(settings)
        try scene.folder.write("disk.bin.part.pawl", checkpoint)
        scene.forgetRequests()
        settings.ifExists = policy
        let file = try await scene.download(settings)
        #expect(file.wasAlreadyThere)
        #expect(file.path == scene.folder.path(Scene.name))
        #expect(scene.folder.list() == [Scene.name])
    }

    @Test(arguments: ExistingFilePolicy.allCases)
    func `a target that is not a regular file is neither replaced nor skipped`(
        policy: ExistingFilePolicy
    ) async throws {
        let scene = try Scene(.resource(resource))
        #expect(mkfifo(scene.folder.path(Scene.name), 0o600) == 0)
        var settings = scene.settings(1)
        settings.ifExists = policy
        let error = await #expect(throws: DownloadError.self) {
            try await scene.download(settings)
        }
        #expect(error?.code == .fileNotCreatable)
        #expect(scene.folder.list() == [Scene.name])
        #expect(scene.asked.isEmpty)
    }

    @Test func `a web page does not overwrite another kind of file`() async throws {
        let scene = try Scene(.htmlPortal)
        try scene.folder.write(Scene.name, resource.bytes())
        var settings = scene.settings(1)
        settings.ifExists = .overwrite
        let error = await #expect(throws: DownloadError.self) {
            try await scene.download(settings)
        }
        #expect(error?.code == .captivePortal)
        try scene.expectFile(resource)
    }

    /// The first answer has no type, so that the page is taken for a new version.
    @Test func `a file that becomes a web page does not overwrite another kind of file`()
        async throws
    {
        let page = Reply.htmlPortal.adding("ETag", "\"portal\"")
        let first = Reply.resource(resource).removing("Content-Type").afterBytes(0, .reset)
        let scene = try Scene(page.choosing(first) { $0.ordinal == 1 })
        let old = Resource(size: 9000, seed: 7)
        try scene.folder.write(Scene.name, old.bytes())
        var settings = scene.settings(1)
        settings.ifExists = .overwrite
        let error = await #expect(throws: DownloadError.self) {
            try await scene.download(settings)
        }
        #expect(error?.code == .captivePortal)
        #expect(error?.message.contains("must not overwrite") == true)
        #expect(try scene.folder.read(Scene.name) == old.bytes())
    }

    @Test(arguments: ["", "<!DOCTYPE HTML>\n<p>old", "<?xml?>\n<html>old"])
    func `a web page overwrites a web page and an empty file`(old: String) async throws {
        let scene = try Scene(.htmlPortal)
        try scene.folder.write(Scene.name, Array(old.utf8))
        var settings = scene.settings(1)
        settings.ifExists = .overwrite
        let file = try await scene.download(settings)
        #expect(!file.wasAlreadyThere)
        #expect(file.path == scene.folder.path(Scene.name))
    }

    @Test func `the same file by its digest is not fetched again`() async throws {
        let scene = try Scene(.resource(resource).omitValidators.stallAfterBytes(100_000))
        try scene.folder.write(Scene.name, resource.bytes())
        var settings = scene.settings(1)
        settings.checksum = .digest(try #require(resource.digest(.sha256)))
        let file = try await scene.download(settings)
        #expect(file.wasAlreadyThere)
        try scene.expectFile(resource)
    }

    @Test func `a file of the same size without proof counts as another file`() async throws {
        let scene = try Scene(.resource(resource))
        let stranger = Resource(size: Scene.size, seed: 7)
        try scene.folder.write(Scene.name, stranger.bytes())
        let file = try await scene.download(scene.settings(1))
        #expect(!file.wasAlreadyThere)
        #expect(file.path == scene.folder.path(numbered))
        try scene.expectFile(stranger, besides: [numbered])
    }

    @Test func `a file edited since then counts as another file`() async throws {
        let scene = try Scene(.resource(resource))
        try await scene.download(scene.settings(1))
        var bytes = resource.bytes()
        bytes[5] ^= 1
        try scene.folder.write(Scene.name, bytes)
        let file = try await scene.download(scene.settings(1))
        #expect(file.path == scene.folder.path(numbered))
        #expect(try resource.verify(fileAt: file.path) == nil)
    }

    @Test(arguments: Scene.connectionCounts)
    func `by default the new file gets a number`(connections: Int) async throws {
        let scene = try Scene(.resource(resource))
        try scene.folder.write(Scene.name, other.bytes())
        let file = try await scene.download(scene.settings(connections))
        #expect(file.path == scene.folder.path(numbered))
        try scene.expectFile(resource, name: numbered, besides: [Scene.name])
        #expect(try other.verify(fileAt: scene.folder.path(Scene.name)) == nil)
    }

    @Test(arguments: Scene.connectionCounts)
    func `overwriting replaces the old file with the whole new one`(connections: Int) async throws {
        let longer = Resource(size: 2 * Scene.size, seed: 5)
        let scene = try Scene(.resource(resource))
        try scene.folder.write(Scene.name, longer.bytes())
        var settings = scene.settings(connections)
        settings.ifExists = .overwrite
        try await scene.download(settings)
        try scene.expectFile(resource)
    }

    @Test func `the old file stays until the new one is whole`() async throws {
        let latch = Latch()
        let scene = try Scene(.resource(resource).holdAfterBytes(500_000, until: latch))
        try scene.folder.write(Scene.name, other.bytes())
        var settings = scene.settings(1)
        settings.ifExists = .overwrite
        let running = try scene.start(settings)
        await latch.waitForArrivals()
        #expect(try other.verify(fileAt: scene.folder.path(Scene.name)) == nil)
        running.cancel()
        await #expect(throws: DownloadError.self) { try await running.file() }
        #expect(try other.verify(fileAt: scene.folder.path(Scene.name)) == nil)
        latch.release()
        try await scene.download(settings)
        try scene.expectFile(resource)
    }

    @Test func `skipping leaves the old file and sends no request`() async throws {
        let scene = try Scene(.resource(resource))
        try scene.folder.write(Scene.name, other.bytes())
        var settings = scene.settings(1)
        settings.ifExists = .skip
        let file = try await scene.download(settings)
        #expect(file.wasAlreadyThere)
        try scene.expectFile(other)
        #expect(scene.asked.isEmpty)
    }

    @Test func `failing leaves the old file and reports an error`() async throws {
        let scene = try Scene(.resource(resource))
        try scene.folder.write(Scene.name, other.bytes())
        var settings = scene.settings(1)
        settings.ifExists = .fail
        let error = await #expect(throws: DownloadError.self) {
            try await scene.download(settings)
        }
        #expect(error?.code == .fileExists)
        try scene.expectFile(other)
    }

    /// The name is known only when the server has answered.
    @Test(arguments: [true, false])
    func `failing in a folder refuses even the complete file of an earlier download`(
        hasDigest: Bool
    ) async throws {
        let scene = try Scene(.resource(resource))
        var settings = scene.settings(1)
        settings.ifExists = .fail
        if hasDigest { settings.checksum = .digest(try #require(resource.digest(.sha256))) }
        let (process, url) = (EngineProcess(), try scene.url())
        let folder = Destination.directory(scene.folder.path)
        _ = try await process.start(url, to: folder, settings).file()
        let error = await #expect(throws: DownloadError.self) {
            try await process.start(url, to: folder, settings).file()
        }
        #expect(error?.code == .fileExists)
        try scene.expectFile(resource)
    }

    @Test(arguments: ExistingFilePolicy.allCases)
    func `a file that appears meanwhile is replaced only on request`(
        policy: ExistingFilePolicy
    ) async throws {
        let latch = Latch()
        let scene = try Scene(.resource(resource).holdAfterBytes(500_000, until: latch))
        var settings = scene.settings(1)
        settings.ifExists = policy
        let running = try scene.start(settings)
        await latch.waitForArrivals()
        await running.waitForBytes(500_000)
        try scene.folder.write(Scene.name, other.bytes())
        latch.release()
        switch policy {
        case .overwrite:
            _ = try await running.file()
            try scene.expectFile(resource)
        case .fail:
            let error = await #expect(throws: DownloadError.self) { try await running.file() }
            #expect(error?.code == .fileExists)
            #expect(try other.verify(fileAt: scene.folder.path(Scene.name)) == nil)
        case .rename:
            #expect(try await running.file().path == scene.folder.path(numbered))
            try scene.expectFile(resource, name: numbered, besides: [Scene.name])
        case .skip:
            let file = try await running.file()
            #expect(file.path == scene.folder.path(Scene.name) && file.wasAlreadyThere)
            try scene.expectFile(other)
        }
    }

    /// Whichever of the two ends last, one copy is left, and nothing else.
    @Test(arguments: [[0, 1], [1, 0]], [true, false])
    func `with skip, two URLs of one name leave one file`(order: [Int], isSmall: Bool) async throws
    {
        let size = isSmall ? 5_000 : Scene.size
        let resources = [Resource(size: size, seed: 1), Resource(size: size, seed: 2)]
        let (latches, paths) = ([Latch(), Latch()], ["/a/disk.bin", "/b/disk.bin"])
        let scene = try Scene()
        var settings = scene.settings(1)
        settings.ifExists = .skip
        let process = EngineProcess()
        var running: [RunningDownload] = []
        for index in 0...1 {
            let reply = Reply.resource(resources[index])
            scene.origin.route(paths[index], reply.holdAfterBytes(1_000, until: latches[index]))
            running.append(try scene.start(settings, from: paths[index], by: process))
            await latches[index].waitForArrivals()
        }
        for index in order {
            latches[index].release()
            #expect(try await running[index].file().wasAlreadyThere == (index != order[0]))
        }
        try scene.expectFile(resources[order[0]])
    }

    /// The second download finds the first one's partial file when it needs a name for its own.
    @Test(arguments: [[0, 1], [1, 0]])
    func `with skip, two URLs of one name with partial files leave one file`(
        order: [Int]
    ) async throws {
        let resources = [Resource(size: Scene.size, seed: 1), Resource(size: Scene.size, seed: 2)]
        let (latches, paths) = ([Latch(), Latch()], ["/a/disk.bin", "/b/disk.bin"])
        let scene = try Scene()
        var settings = scene.settings(1)
        settings.ifExists = .skip
        let process = EngineProcess()
        var running: [RunningDownload] = []
        for index in 0...1 {
            let reply = Reply.resource(resources[index])
            scene.origin.route(paths[index], reply.holdAfterBytes(500_000, until: latches[index]))
            let folder = Destination.directory(scene.folder.path)
            running.append(process.start(try scene.url(paths[index]), to: folder, settings))
        }
        // The first checkpoints give the partial files their names.
        for name in [Scene.name, numbered] { try await scene.folder.wait(for: name + ".part") }
        for index in order {
            latches[index].release()
            #expect(try await running[index].file().wasAlreadyThere == (index != order[0]))
        }
        try scene.expectFile(resources[order[0]])
    }

    @Test(arguments: [5_000, Scene.size])
    func `replacing a file of the same run is noted, and another run's is not`(
        size: Int64
    ) async throws {
        let scene = try Scene(.resource(Resource(size: size, seed: 1)))
        scene.origin.route("/b/disk.bin", .resource(Resource(size: size, seed: 2)))
        var settings = scene.settings(1)
        settings.ifExists = .overwrite
        let note = "has replaced the file that was downloaded from"
        let (first, second) = (EngineProcess(), EngineProcess())
        _ = try await scene.download(settings, by: first)
        #expect(!first.log.says(note))
        _ = try await scene.download(settings, from: "/b/disk.bin", by: second)
        #expect(!second.log.says(note))
        _ = try await scene.download(settings, by: second)
        #expect(second.log.says("\(scene.folder.path(Scene.name)) \(note)"))
        try scene.expectFile(Resource(size: size, seed: 1))
    }

    @Test func `a link to nothing is not a file to be skipped`() async throws {
        let scene = try Scene(.resource(resource))
        #expect(symlink("nowhere", scene.folder.path(Scene.name)) == 0)
        var settings = scene.settings(1)
        settings.ifExists = .skip
        let file = try await scene.download(settings)
        #expect(file.path == scene.folder.path(numbered) && !file.wasAlreadyThere)
        try scene.expectFile(resource, name: numbered, besides: [Scene.name])
    }

    @Test(arguments: ExistingFilePolicy.allCases)
    func `a folder with the name leads to a number, unless a file was demanded there`(
        policy: ExistingFilePolicy
    ) async throws {
        let scene = try Scene(.resource(resource))
        try scene.folder.makeFolder(Scene.name)
        var settings = scene.settings(1)
        settings.ifExists = policy
        let process = EngineProcess()
        let folder = Destination.directory(scene.folder.path)
        let running = process.start(try scene.url(), to: folder, settings)
        switch policy {
        case .rename, .skip:
            #expect(try await running.file().path == scene.folder.path(numbered))
            try scene.expectFile(resource, name: numbered, besides: [Scene.name])
        case .overwrite, .fail:
            let error = await #expect(throws: DownloadError.self) { try await running.file() }
            #expect(error?.message == "\(Scene.name) is a directory")
        }
        let named = try scene.start(settings)
        let error = await #expect(throws: DownloadError.self) { try await named.file() }
        #expect(error?.message == "\(Scene.name) is a directory")
    }

    @Test func `a complete file without a length is not fetched again`() async throws {
        let scene = try Scene(.resource(resource).chunked())
        try await scene.download(scene.settings(1))
        let again = try await scene.download(scene.settings(1))
        #expect(again.wasAlreadyThere)
        try scene.expectFile(resource)
    }

    /// A response that ends with its connection may have been cut off.
    @Test func `a file of unverified length is fetched again`() async throws {
        let scene = try Scene(Reply.resource(resource).closeDelimited)
        let first = try await scene.download(scene.settings(1))
        #expect(!first.isLengthVerified)
        scene.serve(.resource(resource).chunked())
        let second = try await scene.download(scene.settings(1))
        #expect(!second.wasAlreadyThere)
        try scene.expectFile(resource, name: numbered, besides: [Scene.name])
    }
}
