import struct FoundationEssentials.URL
import Pawl
import PawlCore
import PawlLibrary
import PawlTesting
import Testing

/// Secrets given for one server are not sent to another, however the key's URL changes.
@Suite(.timeLimit(.minutes(5)))
struct LibrarySecretTests {
    private let resource = Resource(size: 1 << 20)

    private func secretRequest(_ url: URL) -> LibraryRequest {
        var request = LibraryRequest(url) { settings in
            settings.fields.append(HTTPField(name: "Cookie", value: "c=1"))
            settings.credentials = Credentials(name: "nobody", password: "hunter2")
        }
        request.setValue("k3y", forHTTPHeaderField: "X-Api-Key")
        return request
    }

    private func makeOther(_ resource: Resource) throws -> (ScriptedOrigin, URL) {
        let other = try ScriptedOrigin()
        other.route("/new.bin", .resource(resource))
        return (other, try #require(URL(string: other.url("/new.bin"))))
    }

    private func expectNoSecret(
        at other: ScriptedOrigin,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(!other.requests.isEmpty, sourceLocation: sourceLocation)
        for request in other.requests {
            for name in ["Authorization", "Cookie", "X-Api-Key"] {
                #expect(request[name] == nil, "\(name)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test func `a renewal that leads to another server sends no secret there`() async throws {
        let scene = try ShelfScene(.status(403))
        let (other, url) = try makeOther(resource)
        let library = try await scene.open()
        var request = secretRequest(try scene.url())
        request.renewURL = { _ in url }
        let file = try await library.file(for: "disk", request)
        #expect(try resource.verify(fileAt: file.path) == nil)
        #expect(scene.origin.requests.first?["X-Api-Key"] == "k3y")
        expectNoSecret(at: other)
    }

    @Test func `a replacement URL on another server gets no secret`() async throws {
        let latch = Latch()
        let scene = try ShelfScene(.resource(resource).holdAfterBytes(400_000, until: latch))
        let (other, url) = try makeOther(resource)
        let library = try await scene.open()
        try library.start("disk", secretRequest(try scene.url()))
        await scene.origin.waitForBytes(400_000)
        #expect(scene.origin.requests.first?["X-Api-Key"] == "k3y")
        library.pause("disk")
        await library.waits(for: "disk") { $0?.isPaused == true }
        #expect(try library.replaceURL(url, for: "disk"))
        _ = try await library.file(for: "disk")
        expectNoSecret(at: other)
        latch.release()
    }

    @Test func `secrets given with the new URL are sent there`() async throws {
        let scene = try ShelfScene(.status(404))
        let (other, url) = try makeOther(resource)
        let library = try await scene.open()
        await #expect(throws: DownloadError.self) {
            try await library.file(for: "disk", secretRequest(try scene.url()))
        }
        // A request to another server: the first server's secrets are not sent there.
        _ = try await library.file(for: "disk", from: url)
        expectNoSecret(at: other)
        #expect(try await library.delete("disk"))
        _ = try await library.file(for: "disk", secretRequest(url))
        #expect(other.requests.last?["X-Api-Key"] == "k3y")
    }

    @Test func `a later request to the same server has the fields and changes of the earlier one`()
        async throws
    {
        let scene = try ShelfScene(.status(404))
        let library = try await scene.open { configuration in
            configuration.session.settings.setValue("usual", forHTTPHeaderField: "X-Api-Key")
        }
        await #expect(throws: DownloadError.self) {
            try await library.file(for: "disk", secretRequest(try scene.url()))
        }
        scene.origin.route("/disk.bin", .resource(resource))
        _ = try await library.file(for: "disk", from: try scene.url())
        #expect(scene.origin.requests.count > 1)
        for request in scene.origin.requests {
            #expect(request["X-Api-Key"] == "k3y" && request["Cookie"] == "c=1")
        }
        // The fields alone replace both.
        var other = LibraryRequest(try scene.url())
        other.setValue("other", forHTTPHeaderField: "X-Api-Key")
        other.policy = .reload
        _ = try await library.file(for: "disk", other)
        #expect(scene.origin.requests.last?["X-Api-Key"] == "other")
        #expect(scene.origin.requests.last?["Cookie"] == nil)
    }

    @Test func `the session's own secrets are sent to every server`() async throws {
        let scene = try ShelfScene(.status(403))
        let (other, url) = try makeOther(resource)
        let library = try await scene.open { configuration in
            configuration.session.settings.fields = [HTTPField(name: "X-App-Key", value: "all")]
        }
        var request = secretRequest(try scene.url())
        request.renewURL = { _ in url }
        _ = try await library.file(for: "disk", request)
        #expect(scene.origin.requests.first?["X-App-Key"] == "all")
        #expect(other.requests.last?["X-App-Key"] == "all")
        expectNoSecret(at: other)
    }
}
