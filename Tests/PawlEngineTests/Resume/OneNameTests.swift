import Glibc
import PawlCore
import PawlEngine
import PawlTesting
import Testing

/// A partial file belongs to its download: others of the same name leave it alone.
@Suite(.timeLimit(.minutes(5)), .inTurn)
struct OneNameTests {
    private let resource = Resource(size: Scene.size)
    private let other = Resource(size: Scene.size / 2, seed: 5)
    private let partial = [Scene.name + ".part", Scene.name + ".part.pawl"]
    private let second = "disk.1.bin"
    private let otherPath = "/b/disk.bin"

    private func numbered(_ number: Int) -> [String] {
        ["disk.\(number).bin.part", "disk.\(number).bin.part.pawl"]
    }

    @Test(arguments: Scene.connectionCounts)
    func `another URL leaves a partial file alone, which is then resumed`(
        connections: Int
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let had = try await scene.interrupt(.resource(resource), settings)
        let kept = try scene.folder.read(partial[0])
        scene.origin.route(otherPath, .resource(other))
        let running = try scene.start(settings, from: otherPath)
        #expect(try await running.file().path == scene.folder.path(second))
        try scene.expectFile(other, name: second, besides: partial)
        #expect(try scene.folder.read(partial[0]) == kept)
        #expect(running.monitor.progress.name == second)
        scene.forgetRequests()
        let first = try scene.start(settings)
        #expect(try await first.file().path == scene.folder.path(Scene.name))
        try scene.expectFile(resource, besides: [second])
        // Bytes that a connection takes over from another may have been on their way to both.
        let rest = Scene.size - had
        #expect((rest...rest + had / 2).contains(first.monitor.receivedBytes))
        #expect(scene.asked.allSatisfy { $0.status == 206 })
    }

    /// Its owner can change the bytes at any time.
    @Test(.enabled(if: geteuid() == 0), arguments: [[0], [1], [0, 1]])
    func `another user's partial file is left alone`(files: [Int]) async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        try await scene.interrupt(.resource(resource), settings)
        let kept = try scene.folder.read(partial[0])
        for file in files {
            #expect(chown(scene.folder.path(partial[file]), 65_534, 65_534) == 0)
        }
        scene.forgetRequests()
        let file = try await scene.download(settings)
        #expect(file.path == scene.folder.path(second))
        try scene.expectFile(resource, name: second, besides: partial)
        #expect(try scene.folder.read(partial[0]) == kept)
        #expect(scene.asked.allSatisfy { ($0.range?.first ?? 0) == 0 })
        var status = stat()
        #expect(stat(scene.folder.path(second), &status) == 0 && status.st_uid == 0)
    }

    @Test func `secret parameters distinguish URLs, too`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        scene.origin.route(
            otherPath,
            .resource(resource).holdAfterBytes(Scene.heldBytes, until: Latch())
        )
        let first = try scene.start(settings, from: otherPath + "?token=a&n=1")
        await first.waitForBytes(Scene.heldBytes)
        first.cancel()
        await #expect(throws: DownloadError.self) { try await first.file() }
        scene.origin.route(otherPath, .resource(other))
        let file = try await scene.download(settings, from: otherPath + "?token=b&n=1")
        #expect(file.path == scene.folder.path(second))
        #expect(scene.folder.list() == (partial + [second]).sorted())
    }

    @Test func `a numbered download finds its own partial file again`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        try await scene.interrupt(.resource(resource), settings)
        let hold = Reply.resource(other).holdAfterBytes(Scene.heldBytes, until: Latch())
        scene.origin.route(otherPath, hold)
        let stopped = try scene.start(settings, from: otherPath)
        await stopped.waitForBytes(Scene.heldBytes)
        stopped.cancel()
        await #expect(throws: DownloadError.self) { try await stopped.file() }
        #expect(scene.folder.list() == (partial + numbered(1)).sorted())
        scene.origin.route(otherPath, .resource(other))
        scene.forgetRequests()
        let again = try scene.start(settings, from: otherPath)
        #expect(try await again.file().path == scene.folder.path(second))
        #expect(scene.asked.map { $0.range?.first } == [Scene.heldBytes])
        // The number stays, even if the name without one is free by then.
        try await scene.interrupt(.resource(resource), settings)
        try scene.expectFile(other, name: second, besides: partial)
    }

    @Test func `a numbered partial file is found after the lower names are gone`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        try await scene.interrupt(.resource(resource), settings)
        scene.origin.route(
            otherPath,
            .resource(other).holdAfterBytes(Scene.heldBytes, until: Latch())
        )
        let stopped = try scene.start(settings, from: otherPath)
        await stopped.waitForBytes(Scene.heldBytes)
        stopped.cancel()
        await #expect(throws: DownloadError.self) { try await stopped.file() }
        for name in partial { unlink(scene.folder.path(name)) }
        scene.origin.route(otherPath, .resource(other))
        scene.forgetRequests()
        let file = try await scene.download(settings, from: otherPath)
        #expect(file.path == scene.folder.path(second))
        #expect(scene.asked.map { $0.range?.first } == [Scene.heldBytes])
    }

    @Test func `a partial file is found by any number, even if the lower ones are free`()
        async throws
    {
        let scene = try Scene()
        let settings = scene.settings(1)
        scene.serve(.resource(resource).holdAfterBytes(Scene.heldBytes, until: Latch()))
        let stopped = try scene.start(settings, to: "disk.27.bin")
        await stopped.waitForBytes(Scene.heldBytes)
        stopped.cancel()
        await #expect(throws: DownloadError.self) { try await stopped.file() }
        scene.serve(.resource(resource))
        scene.forgetRequests()
        let file = try await scene.download(settings)
        #expect(scene.asked.map { $0.range?.first } == [Scene.heldBytes])
        try scene.expectFile(resource, name: "disk.27.bin")
        #expect(file.path == scene.folder.path("disk.27.bin"))
    }

    @Test func `with skip, a file beside another's partial file has the name`() async throws {
        let scene = try Scene()
        var settings = scene.settings(1)
        settings.ifExists = .skip
        try await scene.interrupt(.resource(resource), settings)
        scene.origin.route(otherPath, .resource(other))
        for round in 0..<2 {
            let file = try await scene.download(settings, from: otherPath)
            #expect(file.path == scene.folder.path(Scene.name))
            #expect(file.wasAlreadyThere == (round > 0))
        }
        // The first download finds a file of its name, and keeps its own bytes.
        #expect(try await scene.download(settings).wasAlreadyThere)
        try scene.expectFile(other, besides: partial)
    }

    @Test(arguments: [false, true])
    func `a file finished beside another's partial file is not fetched again`(
        hasValidators: Bool
    ) async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        try await scene.interrupt(.resource(resource), settings)
        var other = other
        if !hasValidators { (other.entityTag, other.lastModified) = (nil, nil) }
        scene.origin.route(otherPath, .resource(other))
        for round in 0..<3 {
            let file = try await scene.download(settings, from: otherPath)
            #expect(file.path == scene.folder.path(second))
            #expect(file.wasAlreadyThere == (round > 0))
        }
        try scene.expectFile(other, name: second, besides: partial)
        // A third download finds neither a file of its own nor a free name before the third.
        let third = Resource(size: Scene.size, seed: 9)
        scene.origin.route("/c/disk.bin", .resource(third))
        let file = try await scene.download(settings, from: "/c/disk.bin")
        #expect(file.path == scene.folder.path("disk.2.bin"))
        try scene.expectFile(third, name: "disk.2.bin", besides: partial + [second])
    }

    @Test(arguments: [false, true])
    func `three URLs with one name at the same time all finish`(isOneProcess: Bool) async throws {
        let scene = try Scene()
        let latch = Latch()
        let resources = (1...3).map { Resource(size: Scene.size, seed: UInt64($0)) }
        for (number, resource) in resources.enumerated() {
            let reply = Reply.resource(resource).holdAfterBytes(Scene.heldBytes, until: latch)
            scene.origin.route("/\(number)/disk.bin", reply)
        }
        let process = EngineProcess()
        let runs = try resources.indices.map { number in
            try scene.start(
                scene.settings(1),
                from: "/\(number)/disk.bin",
                by: isOneProcess ? process : EngineProcess()
            )
        }
        try await scene.waitForNames((partial + numbered(1) + numbered(2)).sorted())
        #expect(
            Set(runs.map(\.monitor.progress.name))
                == [Scene.name, "disk.1.bin", "disk.2.bin"]
        )
        latch.release()
        for (running, resource) in zip(runs, resources) {
            let file = try await running.file()
            #expect(try resource.verify(fileAt: file.path) == nil)
            #expect(file.path == scene.folder.path(running.monitor.progress.name))
        }
        #expect(scene.folder.list() == ["disk.1.bin", "disk.2.bin", "disk.bin"])
    }

    @Test func `files of one length without validators are never joined`() async throws {
        let scene = try Scene()
        var settings = scene.settings(1)
        settings.resumesWithoutValidator = true
        var (bare, another) = (resource, Resource(size: Scene.size, seed: 7))
        (bare.entityTag, bare.lastModified) = (nil, nil)
        (another.entityTag, another.lastModified) = (nil, nil)
        try await scene.interrupt(.resource(bare), settings)
        scene.origin.route(otherPath, .resource(another))
        let file = try await scene.download(settings, from: otherPath)
        try scene.expectFile(another, name: second, besides: partial)
        #expect(file.path == scene.folder.path(second))
    }

    @Test func `equal tags prove nothing about another path`() async throws {
        let scene = try Scene()
        let settings = scene.settings(1)
        try await scene.interrupt(.resource(resource), settings)
        var same = Resource(size: Scene.size, seed: 7)
        (same.entityTag, same.lastModified) = (resource.entityTag, resource.lastModified)
        scene.origin.route(otherPath, .resource(same))
        try await scene.download(settings, from: otherPath)
        try scene.expectFile(same, name: second, besides: partial)
    }

    @Test(arguments: Scene.connectionCounts)
    func `a link with a new signature resumes the bytes`(connections: Int) async throws {
        let scene = try Scene()
        let settings = scene.settings(connections)
        let had = try await scene.interrupt(.resource(resource), settings)
        let running = try scene.start(settings, from: Scene.path + "?signature=new")
        #expect(try await running.file().path == scene.folder.path(Scene.name))
        try scene.expectFile(resource)
        #expect(running.log.says("starting over") == false)
        #expect(scene.asked.dropFirst().allSatisfy { $0.firstByte >= min(had, Scene.heldBytes) })
    }

    @Test func `while the first runs, a link with a new signature takes a number`() async throws {
        let scene = try Scene()
        let latch = Latch()
        scene.serve(.resource(resource).holdAfterBytes(Scene.heldBytes, until: latch))
        let first = try scene.start(scene.settings(1))
        try await scene.waitForNames(partial)
        scene.serve(.resource(resource))
        let file = try await scene.download(
            scene.settings(1),
            from: Scene.path + "?signature=new"
        )
        #expect(file.path == scene.folder.path(second))
        latch.release()
        #expect(try await first.file().path == scene.folder.path(Scene.name))
    }

    @Test func `overwriting gets the name and leaves another's partial file`() async throws {
        let scene = try Scene()
        var settings = scene.settings(1)
        try await scene.interrupt(.resource(resource), settings)
        scene.origin.route(otherPath, .resource(other))
        settings.ifExists = .overwrite
        let file = try await scene.download(settings, from: otherPath)
        #expect(file.path == scene.folder.path(Scene.name))
        try scene.expectFile(other, besides: partial)
    }

    @Test func `a download bound to its name fails beside another's partial file`() async throws {
        let scene = try Scene()
        var settings = scene.settings(1)
        try await scene.interrupt(.resource(resource), settings)
        scene.origin.route(otherPath, .resource(other))
        settings.ifExists = .fail
        let error = try await scene.failure(settings, from: otherPath)
        #expect(error.code == .fileExists)
        #expect(scene.folder.list() == partial)
    }

    @Test func `two downloads of one URL at the same time end with one file`() async throws {
        let latch = Latch()
        let scene = try Scene(.resource(resource).holdAfterBytes(100_000, until: latch))
        let runs = [try scene.start(scene.settings(1)), try scene.start(scene.settings(1))]
        // A download whose request is late finds the checkpoint of the other, and ends.
        while latch.arrivalCount < 2, !runs.contains(where: { $0.progress.phase.isEnd }) {
            try Task.checkCancellation()
            await Task.yield()
        }
        latch.release()
        for running in runs {
            do throws(DownloadError) {
                #expect(try await running.file().path == scene.folder.path(Scene.name))
            } catch {
                #expect(error.code == .alreadyRunning)
            }
        }
        try scene.expectFile(resource)
    }

    @Test func `a file finished after the request was sent is not fetched again`() async throws {
        let latch = Latch()
        let scene = try Scene(.resource(resource).holdAfterBytes(100_000, until: latch))
        let second = try scene.start(scene.settings(1))
        await latch.waitForArrivals()
        scene.serve(.resource(resource))
        try await scene.download(scene.settings(1))
        latch.release()
        let file = try await second.file()
        #expect(file.path == scene.folder.path(Scene.name))
        #expect(file.wasAlreadyThere)
        try scene.expectFile(resource)
    }
}

extension Scene {
    /// Waits until the folder contains exactly these names.
    func waitForNames(_ names: [String]) async throws {
        try await folder.wait { $0.list() == names }
    }
}
