import Glibc
import Pawl
import PawlTesting
import Testing

/// Contract: "where files belong", by the public names.
@Suite(.timeLimit(.minutes(5)))
struct PlacesTests {
    @Test func `each application has its own folder in each place`() throws {
        let one = Places(applicationIdentifier: "org.example.one")
        let two = Places(applicationIdentifier: "org.example.two")
        let own: [Place] = [
            .documents, .caches, .temporary, .preferences, .applicationSupport,
        ]
        for place in own {
            let path = try one.path(of: place)
            #expect(path.hasPrefix("/"))
            #expect(try two.path(of: place) != path)
            #expect(path.split(separator: "/").last?.hasPrefix("org.example.one") == true)
        }
        #expect(try one.path(of: .directory("/srv/x")) == "/srv/x")
        #expect(!Places().applicationIdentifier.isEmpty)
    }

    @Test func `a folder creates, writes, reads, measures and deletes files`() async throws {
        let scratch = try ScratchFolder()
        let places = Places(applicationIdentifier: "test")
        let folder = try await places.folder(.directory(scratch.path("a/b")))
        #expect(folder.path == scratch.path("a/b"))
        #expect(try await folder.createDirectory("covers"))
        try await folder.createFile("covers/1.png", contents: [1, 2, 3])
        let taken = await #expect(throws: DownloadError.self) {
            try await folder.createFile("covers/1.png", contents: [])
        }
        #expect(taken?.code == .fileExists)
        #expect(taken?.advice == "use another name, or replace the file")
        try await folder.write(Array("hello".utf8), to: "greeting.txt")
        #expect(try await folder.read("greeting.txt") == Array("hello".utf8))
        #expect(try await folder.size(of: "covers") == 3)
        #expect(try await folder.size() == 8)
        #expect(try await folder.exists("covers/1.png"))
        #expect(try await folder.names() == ["covers", "greeting.txt"])
        #expect(try await folder.names(in: "covers") == ["1.png"])
        for name in ["absent", "greeting.txt", "../"] {
            await #expect(throws: DownloadError.self) { try await folder.names(in: name) }
        }
        try await folder.markUsed("greeting.txt")
        #expect(try await folder.delete("covers"))
        #expect(try await !folder.delete("covers"))
        #expect(try folder.path(of: "x/y") == scratch.path("a/b/x/y"))
        await #expect(throws: DownloadError.self) { try await folder.read("../x") }
    }

    @Test func `the program's resources and the home folder are found, and never created`()
        async throws
    {
        let places = Places(applicationIdentifier: "pawl-test")
        let resources = try places.path(of: .resources)
        #expect(resources.hasPrefix("/"))
        // The program of the tests is not in a folder `bin`.
        #expect(access(resources, R_OK | X_OK) == 0)
        #expect(try await places.folder(.resources).path == resources)
        let home = try places.path(of: .home)
        #expect(home.hasPrefix("/") && !home.contains("pawl-test"))
    }

    @Test func `only the user can access the temporary place`() async throws {
        let places = Places(applicationIdentifier: "pawl-test-\(getpid())")
        let folder = try await places.folder(.temporary)
        var status = stat()
        #expect(lstat(folder.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        rmdir(folder.path)
    }

    @Test func `caches are cleaned, documents never`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write("old", [1, 2, 3])
        let places = Places(applicationIdentifier: "test")
        let policy = CleaningPolicy(maximumTotalBytes: 0)
        let result = try await places.clean(.directory(scratch.path), policy)
        #expect(result.removed == [scratch.path("old")])
        #expect(result.removedBytes == 3)
        #expect(result.remainingFiles == 0)
        let kept: [Place] = [
            .documents, .preferences, .applicationSupport, .resources, .home,
        ]
        for place in kept {
            let error = await #expect(throws: DownloadError.self) {
                try await places.clean(place, policy)
            }
            #expect(error?.code == .usage)
        }
    }

    @Test func `a file is moved with the requested policy`() async throws {
        let scratch = try ScratchFolder()
        let places = Places(applicationIdentifier: "test")
        try scratch.write("a", [1])
        try scratch.write("b", [2])
        let skipped = try await places.moveFile(
            at: scratch.path("a"),
            to: scratch.path("b"),
            ifExists: .skip
        )
        #expect(skipped.wasSkipped && skipped.sourceRemains)
        let moved = try await places.moveFile(at: scratch.path("a"), to: scratch.path("b"))
        #expect(moved.path == scratch.path("b.1"))
        #expect(!moved.sourceRemains)
        let error = await #expect(throws: DownloadError.self) {
            try await places.moveFile(
                at: scratch.path("b"),
                to: scratch.path("b.1"),
                ifExists: .fail
            )
        }
        #expect(error?.code == .fileExists)
        #expect(error?.advice.contains(scratch.path("b")) == true)
    }
}
