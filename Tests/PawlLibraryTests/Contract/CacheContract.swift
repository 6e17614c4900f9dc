import FoundationEssentials
import Glibc
import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// The contract for users of `URLSession`, one test per row: docs/urlsession.md.
@Suite("Contract: a cache of files", .timeLimit(.minutes(5)))
struct CacheContract {
    /// Sets the access time explicitly, because a file system records it when it likes.
    ///
    /// If `isUse` is true, the modification time stays as it is.
    private func age(_ path: String, days: Int, isUse: Bool = false) {
        var times = [timespec](repeating: timespec(), count: 2)
        for index in times.indices { times[index].tv_sec = time(nil) - days * 86_400 }
        // UTIME_OMIT.
        if isUse { times[1].tv_nsec = (1 << 30) - 2 }
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    }

    @Test("Size of the cache, clearing it: of a library")
    func librarySizeAndClearing() async throws {
        let scene = try ShelfScene(.resource(Resource(size: 1000)))
        let library = try await scene.open()
        let ages = [("old", 30), ("key", 2), ("new", 0)]
        for (key, days) in ages {
            age(
                try await library.file(for: StorageKey(key), from: try scene.url()).path,
                days: days
            )
        }
        // The files have another modification time now, but the same bytes. Verifying reads them,
        // and that counts as a use.
        #expect(try await library.verify().intact.count == 3)
        for (key, days) in ages {
            let file = try #require(library.finishedFile(for: StorageKey(key)))
            age(file.path, days: days, isUse: true)
        }
        #expect(try await library.size() == 3000)
        #expect(try await library.size(of: "old") == 1000)
        let byAge = try await library.clean(CleaningPolicy(maximumAge: .seconds(86_400 * 7)))
        #expect(byAge.removed == ["old"] && byAge.removedBytes == 1000)
        #expect(try await library.clean(["key", "none"]).removed == ["key"])
        let bySize = try await library.clean(CleaningPolicy(maximumTotalBytes: 999))
        #expect(bySize.removed == ["new"] && bySize.remainingBytes == 0)
        #expect(scene.folder.list().isEmpty)
    }

    private struct Answer: Decodable, Equatable {
        var size: Int
    }

    @Test("NSData and String, image")
    func dataAsText() async throws {
        let scene = try ShelfScene()
        let gif = Array("GIF89a".utf8) + [3, 0, 2, 0, 0, 0, 0]
        scene.origin.route("/text", .status(200, body: #"{"size": 3}"#))
        scene.origin.route(
            "/image",
            .resource(Resource(bytes: gif)).setting("Content-Type", "image/gif")
        )
        let session = DownloadSession(.default)
        let text = try await session.data(from: try scene.url("/text"))
        #expect(try text.string(encoding: .utf8) == #"{"size": 3}"#)
        #expect(Array(text.data) == Array(#"{"size": 3}"#.utf8))
        #expect(try text.json(Answer.self) == Answer(size: 3))
        let image = try await session.data(from: try scene.url("/image"))
        #expect(image.mediaType == "image/gif")
        let size = try #require(ImageSize(ofHead: image.bytes))
        #expect(size.width == 3 && size.height == 2)
    }
}
