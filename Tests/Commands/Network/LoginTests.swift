import PawlCore
import PawlTesting
import Testing

/// The ways to sign in, with the built program.
@Suite(.timeLimit(.minutes(5)))
struct LoginTests {
    private let resource = Resource(size: 30_000)

    private func signedIn(_ password: String = "hunter2") -> Reply {
        .resource(resource).requireBasic(name: "me", password: password)
    }

    /// A workshop whose folder is the user's home, too.
    private func home(_ netrc: String) throws -> (Workshop, ProcessSettings) {
        let workshop = try Workshop()
        try workshop.folder.makeFolder("home")
        try workshop.folder.write("home/.netrc", netrc)
        let home = workshop.folder.path("home")
        return (workshop, ProcessSettings(environment: ["HOME": home]))
    }

    @Test func `the password is taken from netrc`() async throws {
        let (workshop, settings) = try home("machine 127.0.0.1 login me password hunter2\n")
        workshop.serve(signedIn())
        let run = try await workshop.run(workshop.url, "-v", settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(!run.everything.contains("hunter2"))
        let without = try await workshop.run(
            workshop.url,
            "-o",
            "other",
            "--netrc",
            "none",
            settings: settings
        )
        #expect(without.status == .code(ErrorCode.unauthorized.exitStatus))
        try workshop.folder.write("own", "machine 127.0.0.1\nlogin me\npassword hunter2\n")
        let own = try await workshop.run(workshop.url, "-o", "other", "--netrc", "own")
        #expect(own.status == .code(0), "\(own.errors)")
    }

    @Test func `a netrc that is damaged is named`() async throws {
        let workshop = try Workshop(Resource(size: 1000))
        try workshop.folder.write("own", "machine 127.0.0.1 login \"me\n")
        let run = try await workshop.run(workshop.url, "--netrc", "own")
        #expect(run.status == .code(ErrorCode.usage.exitStatus), "\(run.errors)")
        #expect(run.errors.contains("not in the format of .netrc (own)"), "\(run.errors)")
        #expect(run.errors.contains("--netrc"), "\(run.errors)")
    }

    @Test func `each host gets only its own password of netrc`() async throws {
        let (workshop, settings) = try home(
            """
            machine 127.0.0.1 login me password hunter2
            machine localhost login me password other2

            """
        )
        let other = try ScriptedOrigin()
        other.route(Workshop.path, signedIn("other2"))
        workshop.serve(
            Reply.redirect(to: other.url(Workshop.path, host: "localhost"))
                .requireBasic(name: "me", password: "hunter2")
        )
        let run = try await workshop.run(workshop.url, settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        let sent = other.requests.compactMap { $0["Authorization"] }
        // Base64 of me:other2.
        #expect(!sent.isEmpty && sent.allSatisfy { $0 == "Basic bWU6b3RoZXIy" })
    }

    @Test func `the options and the URL come before netrc`() async throws {
        let (workshop, settings) = try home("machine 127.0.0.1 login me password wrong\n")
        workshop.serve(signedIn())
        let run = try await workshop.run(workshop.url, "-u", "me:hunter2", settings: settings)
        #expect(run.status == .code(0), "\(run.errors)")
        workshop.serve(.resource(resource))
        let token = try await workshop.run(
            workshop.url,
            "-o",
            "other",
            "--bearer",
            "t0ken",
            "-v",
            settings: settings
        )
        #expect(token.status == .code(0), "\(token.errors)")
        #expect(workshop.origin.requests.last?["Authorization"] == "Bearer t0ken")
        #expect(!token.everything.contains("t0ken"))
    }

    @Test func `basic sends the password with the first request`() async throws {
        let workshop = try Workshop()
        workshop.serve(signedIn())
        let run = try await workshop.run(workshop.url, "-u", "me:hunter2", "--auth", "basic")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.origin.requests.count == 1)
    }

    @Test func `digest does not send the password to a server that wants basic`() async throws {
        let workshop = try Workshop()
        workshop.serve(signedIn())
        let run = try await workshop.run(workshop.url, "-u", "me:hunter2", "--auth", "digest")
        #expect(run.status == .code(ErrorCode.unauthorized.exitStatus), "\(run.errors)")
        let sent = workshop.origin.requests.compactMap { $0["Authorization"] }
        #expect(sent.allSatisfy { !$0.hasPrefix("Basic") })
    }

    @Test func `headers can come from a file`() async throws {
        let workshop = try Workshop(resource)
        try workshop.folder.write("headers", "X-One: 1\r\n\nCookie: a=s3cret\n")
        let run = try await workshop.run(
            workshop.url,
            "--header-file",
            "headers",
            "-H",
            "X-One: 2",
            "-o",
            "file"
        )
        #expect(run.status == .code(0), "\(run.errors)")
        let request = try #require(workshop.origin.requests.first)
        #expect(request["Cookie"] == "a=s3cret")
        #expect(request.fields.filter { $0.hasName("X-One") }.map(\.value) == ["2", "1"])
        try workshop.folder.write("bad", "X-One: 1\nno colon s3cret\n")
        let bad = try await workshop.run(workshop.url, "--header-file", "bad")
        #expect(bad.status == .code(ErrorCode.usage.exitStatus))
        #expect(bad.errors.contains("--header-file, line 2: the header has no colon"))
        #expect(!bad.errors.contains("s3cret"))
    }
}
