import struct FoundationEssentials.URL
import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// Contract: "a key apart from the URL", which may differ from one request to the next.
@Suite(.timeLimit(.minutes(5)))
struct LibraryURLTests {
    private let resource = Resource(size: 1 << 20)

    /// A signed URL whose transfer breaks in the middle and that is expired from then on.
    private func expiring(status: Int = 403) -> Reply {
        .resource(resource).afterBytes(400_000, .close)
            .choosing(.status(status, body: "expired\n")) { $0.ordinal > 1 }
    }

    @Test(arguments: [401, 403, 410])
    func `the closure replaces an expired URL, and the bytes stay`(status: Int) async throws {
        let scene = try ShelfScene(expiring(status: status))
        scene.origin.route("/new.bin", .resource(resource))
        let new = try scene.url("/new.bin")
        let asked = Observed<[ExpiredURL]>([])
        let library = try await scene.open { configuration in
            configuration.session.settings.retries = 3
            configuration.renewURL = { expired in
                asked.update { $0.append(expired) }
                return new
            }
        }
        let events = library.events
        let file = try await library.file(for: "disk", from: try scene.url())
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(asked.value.map(\.status) == [status])
        #expect(asked.value.map(\.key) == ["disk"])
        #expect(asked.value.map(\.url) == [try scene.url()])
        let last = try #require(scene.origin.requests.last)
        #expect(last.path == "/new.bin")
        #expect(last.range?.first == 400_000)
        #expect(
            await events.first { if case .urlReplaced("disk") = $0 { true } else { nil } } == true
        )
    }

    @Test func `a different file behind the new URL is fetched from its beginning`() async throws {
        let scene = try ShelfScene(expiring())
        let other = Resource(size: 1 << 20, seed: 7)
        scene.origin.route("/new.bin", .resource(other))
        let new = try scene.url("/new.bin")
        let library = try await scene.open { configuration in
            configuration.session.settings.retries = 3
            configuration.renewURL = { _ in new }
        }
        let file = try await library.file(for: "disk", from: try scene.url())
        #expect(try other.verify(fileAt: file.path) == nil)
    }

    @Test func `the closure is called once, and its failure is the download's failure`()
        async throws
    {
        let scene = try ShelfScene(.status(403))
        let count = Observed(0)
        let library = try await scene.open()
        var request = LibraryRequest(try scene.url())
        request.renewURL = { expired in
            count.update { $0 += 1 }
            return expired.url
        }
        let error = await #expect(throws: DownloadError.self) {
            try await library.file(for: "disk", request)
        }
        #expect(error?.httpStatus == 403)
        #expect(count.value == 1)
        request.renewURL = { _ in throw CancellationError() }
        let again = await #expect(throws: DownloadError.self) {
            try await library.file(for: "disk", request)
        }
        #expect(again?.httpStatus == 403)
    }

    @Test func `a closure that ignores cancellation delays nobody`() async throws {
        let scene = try ShelfScene(.status(403))
        let asked = Observed<CheckedContinuation<Void, Never>?>(nil)
        let library = try await scene.open { configuration in
            configuration.renewURL = { expired in
                await withCheckedContinuation { answer in asked.update { $0 = answer } }
                return expired.url
            }
        }
        try library.start("disk", from: try scene.url())
        let answer = try #require(await asked.wait { $0 != nil })
        await library.close()
        #expect(library.entry(for: "disk")?.state.isPaused == true)
        answer.resume()
        #expect(scene.origin.requests.count == 1)
    }

    @Test func `a URL is replaced while the bytes stay, running or paused`() async throws {
        let scene = try ShelfScene()
        scene.origin.route("/new.bin", .resource(resource))
        let library = try await scene.open()
        for isPaused in [false, true] {
            _ = try await scene.hold(library, of: resource)
            if isPaused {
                library.pause("disk")
                await library.waits(for: "disk") { $0?.isPaused == true }
            }
            #expect(try library.replaceURL(try scene.url("/new.bin"), for: "disk"))
            let file = try await library.file(for: "disk")
            #expect(try resource.verify(fileAt: file.path) == nil)
            let last = try #require(scene.origin.requests.last)
            #expect(last.path == "/new.bin")
            #expect(last.range?.first == 400_000)
            #expect(try await library.delete("disk"))
        }
        #expect(try !library.replaceURL(try scene.url(), for: "none"))
        let odd = try #require(URL(string: "gopher://example.org/a"))
        #expect(throws: DownloadError.self) { try library.replaceURL(odd, for: "disk") }
    }

    @Test func `a URL replaced while paused is known to the next process`() async throws {
        let scene = try ShelfScene()
        scene.origin.route("/new.bin", .resource(resource))
        let library = try await scene.open()
        _ = try await scene.hold(library, of: resource)
        library.pause("disk")
        await library.waits(for: "disk") { $0?.isPaused == true }
        try library.replaceURL(try scene.url("/new.bin"), for: "disk")
        await library.close()
        let next = try await scene.open()
        _ = try await next.file(for: "disk")
        #expect(scene.origin.requests.last?.path == "/new.bin")
    }
}
