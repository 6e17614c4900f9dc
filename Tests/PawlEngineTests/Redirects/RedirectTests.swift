import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .inTurn)
struct RedirectTests {
    private let resource = Resource(size: Scene.size)

    @Test(arguments: [301, 302, 303, 307, 308], Scene.connectionCounts)
    func `a redirect is followed, and the answer's address is kept`(
        status: Int,
        connections: Int
    ) async throws {
        let scene = try Scene(.redirect(to: "/real/disk.bin", status: status))
        scene.origin.route("/real/disk.bin", .resource(resource))
        try await scene.download(scene.settings(connections))
        try scene.expectFile(resource)
        scene.expectManners()
        #expect(scene.origin.requests(to: Scene.path).count == 1)
    }

    @Test(arguments: ["other.bin", "./other.bin", "../files/other.bin", "?v=2", "//HOST/x.bin"])
    func `a relative redirect is resolved`(location: String) async throws {
        let scene = try Scene()
        let host = "127.0.0.1:\(scene.origin.port)"
        let location = location.replacing("HOST", with: host)
        scene.origin.route("/files/disk.bin", .redirect(to: location))
        let targets = ["/files/other.bin", "/files/disk.bin?v=2", "/x.bin"]
        for target in targets { scene.origin.route(target, .resource(resource)) }
        try await scene.download(scene.settings(1), from: "/files/disk.bin")
        try scene.expectFile(resource)
    }

    private func chain(of hops: Int) throws -> Scene {
        let scene = try Scene(.redirect(to: "/hop/1"))
        scene.origin.route(
            "/hop/*",
            .each { exchange in
                let hop = Int(exchange.request.path.dropFirst(5)) ?? 0
                return hop < hops ? .redirect(to: "/hop/\(hop + 1)") : .resource(resource)
            }
        )
        return scene
    }

    @Test func `twenty redirects are followed`() async throws {
        let scene = try chain(of: 20)
        try await scene.download(scene.settings(1))
        try scene.expectFile(resource)
        #expect(scene.asked.count == 21)
    }

    @Test func `the twenty-first redirect is too many`() async throws {
        let scene = try chain(of: 21)
        let error = try await scene.failure(scene.settings(1))
        #expect(error.code == .tooManyRedirects)
        #expect(scene.asked.count == 21)
        #expect(scene.folder.list().isEmpty)
    }

    @Test(arguments: [1, 2, 3])
    func `as many redirects are followed as the settings allow`(maximum: Int) async throws {
        let scene = try chain(of: 2)
        var settings = scene.settings(1)
        settings.maximumRedirects = maximum
        guard maximum < 2 else {
            try await scene.download(settings)
            try scene.expectFile(resource)
            return
        }
        let error = try await scene.failure(settings)
        #expect(error.code == .tooManyRedirects)
        #expect(scene.asked.count == 2)
    }

    @Test(arguments: Scene.connectionCounts)
    func `no redirect is followed if the settings say so`(connections: Int) async throws {
        let scene = try Scene(.redirect(to: "/real/disk.bin", status: 307))
        scene.origin.route("/real/disk.bin", .resource(resource))
        var settings = scene.settings(connections)
        settings.maximumRedirects = 0
        let error = try await scene.failure(settings)
        #expect(error.code == .redirectRefused)
        #expect(error.httpStatus == 307)
        let response = try #require(error.errorResponse?.response)
        #expect(response.value("Location") == "/real/disk.bin")
        #expect(response.redirects.isEmpty)
        #expect(scene.asked.count == 1)
        #expect(scene.folder.list().isEmpty)
    }

    @Test func `the error of a source has the redirect of that source`() async throws {
        // The mirror is asked once the first source is given up.
        let both = try MirrorScene(
            .redirect(to: "/first", status: 307),
            mirror: .redirect(to: "/second", status: 307)
        )
        var settings = try both.settings(1)
        settings.maximumRedirects = 0
        let error = try await both.scene.failure(settings)
        #expect(error.code == .redirectRefused)
        #expect(error.errorResponse?.response.value("Location") == "/first")
        #expect(both.scene.asked.count == 1 && both.asked.count == 1)
    }

    @Test func `a redirect loop ends`() async throws {
        let scene = try Scene(.redirect(to: Scene.path))
        let error = try await scene.failure(scene.settings(4))
        #expect(error.code == .tooManyRedirects)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"])
    func `a redirect to a scheme other than HTTP is refused`(location: String) async throws {
        let scene = try Scene(.redirect(to: location))
        let error = try await scene.failure(scene.settings(1))
        #expect(error.code == .redirectRefused)
        #expect(scene.folder.list().isEmpty)
    }

    @Test(arguments: [false, true])
    func `HTTPS redirects to HTTP only if allowed`(isAllowed: Bool) async throws {
        let plain = try Scene(.resource(resource))
        let scene = try Scene(tls: true)
        scene.serve(.redirect(to: plain.origin.url(Scene.path)))
        try scene.folder.write("authority.pem", try #require(scene.origin.certificatePEM))
        var settings = scene.settings(1)
        settings.connection.authoritiesFile = scene.folder.path("authority.pem")
        settings.allowsInsecureRedirects = isAllowed
        if isAllowed {
            try await scene.download(settings)
            try scene.expectFile(resource, besides: ["authority.pem"])
        } else {
            let error = try await scene.failure(settings)
            #expect(error.code == .redirectRefused)
            #expect(plain.origin.requests.isEmpty)
        }
    }

    @Test func `an untrusted certificate is refused`() async throws {
        let scene = try Scene(tls: true)
        scene.serve(.resource(resource))
        let error = try await scene.failure(scene.settings(1))
        #expect(error.code == .tlsFailed)
        #expect(scene.asked.isEmpty)
    }

    @Test(arguments: Scene.connectionCounts)
    func `credentials and cookies are not sent to another origin`(connections: Int) async throws {
        let scene = try Scene()
        // The same server under another name is another origin.
        let elsewhere = scene.origin.url("/elsewhere.bin", host: "localhost")
        scene.serve(.redirect(to: elsewhere).requireBasic(name: "anna", password: "secret"))
        scene.origin.route("/elsewhere.bin", .resource(resource))
        var settings = scene.settings(connections)
        settings.credentials = Credentials(name: "anna", password: "secret")
        settings.fields = [
            HTTPField(name: "Cookie", value: "id=1"),
            HTTPField(name: "X-Kept", value: "yes", isForAnyOrigin: true),
            HTTPField(name: "X-Own", value: "yes"), HTTPField(name: "Accept", value: "*/*"),
        ]
        try await scene.download(settings)
        try scene.expectFile(resource)
        let here = scene.origin.requests(to: Scene.path)
        #expect(here.allSatisfy { $0["Cookie"] == "id=1" })
        let there = scene.origin.requests(to: "/elsewhere.bin")
        #expect(!there.isEmpty)
        #expect(there.allSatisfy { $0["Authorization"] == nil && $0["Cookie"] == nil })
        #expect(there.allSatisfy { $0["X-Kept"] == "yes" && $0["Accept"] == "*/*" })
        #expect(there.allSatisfy { $0["X-Own"] == nil })
    }

    @Test func `the user's Authorization field is not sent to another origin`() async throws {
        let scene = try Scene()
        scene.serve(.redirect(to: scene.origin.url("/else.bin", host: "localhost")))
        scene.origin.route("/else.bin", .resource(resource))
        var settings = scene.settings(1)
        settings.fields = [HTTPField(name: "Authorization", value: "Bearer token")]
        try await scene.download(settings)
        #expect(scene.asked.map { $0["Authorization"] } == ["Bearer token", nil])
    }

    @Test func `credentials are sent to redirects within their origin`() async throws {
        let scene = try Scene(.redirect(to: "/inner.bin"))
        scene.origin.route(
            "/inner.bin",
            .resource(resource).requireBasic(name: "a", password: "b")
        )
        var settings = scene.settings(1)
        settings.credentials = Credentials(name: "a", password: "b")
        try await scene.download(settings)
        try scene.expectFile(resource)
    }
}
