import FoundationEssentials
import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// The contract for users of `URLSession`, one test per row: docs/urlsession.md.
@Suite("Contract: where files belong", .timeLimit(.minutes(5)))
struct FilesContract {
    private let places = Places(applicationIdentifier: "pawl-contract-\(getpid())")

    /// Sets the access time explicitly, because a file system records it when it likes.
    private func age(_ path: String, days: Int) {
        var times = [timespec](repeating: timespec(), count: 2)
        for index in times.indices { times[index].tv_sec = time(nil) - days * 86_400 }
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    }

    @Test("Sandbox: Documents, Library/Caches, tmp")
    func sandbox() async throws {
        let paths = try [Place.documents, .caches, .temporary].map { try places.path(of: $0) }
        #expect(Set(paths).count == 3)
        #expect(paths.allSatisfy { $0.contains("pawl-contract") })
        #expect(try places.path(of: .directory("/srv/films")) == "/srv/films")
        let everything = CleaningPolicy(maximumTotalBytes: 0)
        let error = await #expect(throws: DownloadError.self) {
            try await places.clean(.documents, everything)
        }
        #expect(error?.code == .usage)
    }

    @Test("Sandbox: Preferences, Application Support, home, the bundle")
    func otherFolders() async throws {
        let own = try [Place.preferences, .applicationSupport].map { try places.path(of: $0) }
        #expect(Set(own).count == 2)
        #expect(own.allSatisfy { $0.contains("pawl-contract") })
        let home = try places.path(of: .home)
        #expect(try await places.folder(.home).path == home)
        #expect(try await places.folder(.resources).path == places.path(of: .resources))
        await #expect(throws: DownloadError.self) {
            try await places.clean(.home, CleaningPolicy(maximumTotalBytes: 0))
        }
    }

    @Test("tmp: gone on exit")
    func temporaryFilesGo() async throws {
        let scene = try SessionScene(.resource(Resource(size: 1000)))
        weak var gone: DownloadSession?
        var path = ""
        do {
            let session = DownloadSession(scene.configuration)
            gone = session
            path = try await session.download(try scene.url()).path
            #expect(access(path, F_OK) == 0)
        }
        while gone != nil, !Task.isCancelled { await Task.yield() }
        try await ScratchFolder.wait(untilGone: path)
        #expect(access(path, F_OK) != 0)
    }

    @Test("Create directory / file, write, read, size, delete, exists")
    func workWithFiles() async throws {
        let scratch = try ScratchFolder()
        let folder = try await places.folder(.directory(scratch.path("new")))
        #expect(try await folder.createDirectory("a"))
        try await folder.createFile("a/1", contents: [1, 2, 3])
        let error = await #expect(throws: DownloadError.self) {
            try await folder.createFile("a/1", contents: [4])
        }
        #expect(error?.code == .fileExists)
        try await folder.write([5, 6], to: "a/1")
        #expect(try await folder.read("a/1") == [5, 6])
        #expect(try await folder.size(of: "a/1") == 2)
        #expect(try await folder.size(of: "a/2") == nil)
        #expect(try await folder.exists("a/1"))
        #expect(try await folder.delete("a/1"))
        #expect(try await !folder.delete("a/1"))
        #expect(try await !folder.exists("a/1"))
    }

    @Test("Size of the cache, clearing it")
    func cacheSizeAndClearing() async throws {
        let scratch = try ScratchFolder()
        let cache = Place.directory(scratch.path)
        for (name, days) in [("old", 30), ("middle", 2), ("new", 0)] {
            age(try scratch.write(name, [UInt8](repeating: 1, count: 1000)), days: days)
        }
        #expect(try await places.folder(cache).size() == 3000)
        let byAge = try await places.clean(cache, CleaningPolicy(maximumAge: .seconds(86_400 * 7)))
        #expect(byAge.removed == [scratch.path("old")] && byAge.removedBytes == 1000)
        let bySize = try await places.clean(cache, CleaningPolicy(maximumTotalBytes: 1500))
        #expect(bySize.removed == [scratch.path("middle")] && bySize.remainingBytes == 1000)
        let byRoom = try await places.clean(cache, CleaningPolicy(minimumFreeBytes: .max))
        #expect(byRoom.removed == [scratch.path("new")])
        #expect(try await places.folder(cache).size() == 0)
    }
}
