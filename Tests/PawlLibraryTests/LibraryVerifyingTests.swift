import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// Contract: "a finished file that was changed or damaged on disk is found, and fetched again on
/// request".
@Suite(.timeLimit(.minutes(5)))
struct LibraryVerifyingTests {
    private let resource = Resource(size: 300_000)

    /// Flips a bit of one byte and restores the file's times, as a failing disk does.
    private func damage(_ path: String) throws {
        var status = stat()
        #expect(stat(path, &status) == 0)
        let file = open(path, O_RDWR)
        var byte: UInt8 = 0
        #expect(pread(file, &byte, 1, 12_345) == 1)
        byte ^= 0x10
        #expect(pwrite(file, &byte, 1, 12_345) == 1)
        let times = [status.st_atim, status.st_mtim]
        #expect(futimens(file, times) == 0)
        close(file)
    }

    @Test func `a flipped byte is found, reported, remembered and repaired`() async throws {
        let scene = try ShelfScene(.resource(resource))
        var library = try await scene.open()
        for key in ["a", "b"] as [StorageKey] {
            _ = try await library.file(for: key, from: try scene.url())
        }
        let path = try #require(library.finishedFile(for: "a")).path
        try damage(path)
        // The damage cannot be seen without reading.
        #expect(try await library.verify(reading: false).intact == ["a", "b"])
        let events = library.events
        let found = try await library.verify()
        #expect(found.intact == ["b"])
        let fault = try #require(found.faults.first)
        #expect(fault.key == "a")
        guard case .damaged(let expected, let digest) = fault.kind else {
            Issue.record("\(fault)")
            return
        }
        #expect(expected == resource.digest(.sha256))
        #expect(digest != expected)
        let told = await events.first {
            if case .damageFound(let fault) = $0 { fault } else { nil }
        }
        #expect(told == fault)
        #expect(!library.exists("a"))
        await library.close()
        // The next process does not treat the file as finished either.
        library = try await scene.open()
        #expect(library.entry(for: "a")?.state.isChanged == true)
        let file = try await library.refetch("a")
        #expect(file.path == path)
        #expect(try resource.verify(fileAt: path) == nil)
        #expect(try await library.verify().intact == ["a", "b"])
        #expect(scene.folder.list() == ["a.bin", "b.bin"])
    }

    @Test func `changed and missing files are found without reading`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open { $0.watchesFolder = false }
        for key in ["a", "b", "c"] as [StorageKey] {
            _ = try await library.file(for: key, from: try scene.url())
        }
        try scene.folder.write("a.bin", "mine")
        unlink(scene.folder.path("b.bin"))
        let found = try await library.verify(reading: false)
        #expect(found.faults.map(\.key) == ["a", "b"])
        #expect(found.faults.map(\.kind) == [.changed, .missing])
        #expect(found.intact == ["c"])
        #expect(library.entry(for: "a")?.state.isChanged == true)
        #expect(library.entry(for: "b") == nil)
    }

    @Test func `a file that was only touched is proven by its bytes`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open { $0.watchesFolder = false }
        let file = try await library.file(for: "a", from: try scene.url())
        #expect(utimensat(AT_FDCWD, file.path, nil, 0) == 0)
        #expect(try await library.verify().intact == ["a"])
        #expect(try await library.verify(reading: false).intact == ["a"])
        await library.close()
        #expect(try await scene.open().exists("a"))
    }

    @Test func `without digests the first verification computes them`() async throws {
        let scene = try ShelfScene(.resource(resource))
        let library = try await scene.open { $0.keepsDigests = false }
        #expect(try await library.file(for: "a", from: try scene.url()).digest == nil)
        #expect(try await library.verify().newlyDigested == ["a"])
        #expect(library.finishedFile(for: "a")?.digest == resource.digest(.sha256))
        try damage(scene.folder.path("a.bin"))
        #expect(try await library.verify().faults.map(\.key) == ["a"])
    }

    @Test func `a digest from the server is kept as it is`() async throws {
        let digest = try #require(resource.digest(.sha512))
        let text = "sha-512=:\(Base64.text(digest.bytes)):"
        let scene = try ShelfScene(.resource(resource).setting("Repr-Digest", text))
        let library = try await scene.open()
        #expect(try await library.file(for: "a", from: try scene.url()).digest == digest)
        #expect(try await library.verify().intact == ["a"])
    }

    @Test func `the given keys without a file are absent, even in a later process`() async throws {
        let scene = try ShelfScene(.resource(resource))
        var library = try await scene.open { $0.watchesFolder = false }
        for key in ["a", "b"] as [StorageKey] {
            _ = try await library.file(for: key, from: try scene.url())
        }
        unlink(scene.folder.path("b.bin"))
        #expect(try await library.verify(["a", "b", "never"]).absent == ["never"])
        let again = try await library.verify(["never", "a", "b"])
        #expect(again.intact == ["a"])
        #expect(again.faults == [])
        #expect(again.absent == ["b", "never"])
        #expect(try await library.verify().absent == [])
        await library.close()
        library = try await scene.open()
        #expect(try await library.verify(["a", "b"]).absent == ["b"])
        // The URL is stored with a file, and only there.
        #expect(try await library.refetch("a").path == scene.folder.path("a.bin"))
        let error = await #expect(throws: DownloadError.self) { try await library.refetch("b") }
        #expect(error?.code == .usage)
    }
}
