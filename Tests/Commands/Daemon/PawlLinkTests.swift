import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Links of web pages that the desktop hands to `pawl add`.
    @Suite(.timeLimit(.minutes(5)))
    struct PawlLinkTests {
        @Test func `a link adds its URL, to the folder for downloads`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 1000)))
            try scene.home.makeFolder("Downloads")
            try await scene.succeed("daemon", "start")
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            try await scene.succeed("add", "--", "pawl:" + scene.workshop.url)
            try await scene.succeed("wait", "--all")
            #expect(scene.home.size("Downloads/" + Workshop.name) == 1000)
        }

        @Test func `a link is confined like a download that is added over TCP`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 1000)))
            let link = "PAWL:" + scene.workshop.url
            let own = try scene.workshop.folder.makeFolder("own")
            let refused = try await scene.run("add", "--directory", own, link)
            expectFailure(.notAllowed, refused)
            try await scene.succeed("daemon", "allow", "--folder", own)
            try await scene.succeed("add", link)
            // The server of the test is at a private address.
            let stopped = try await scene.run("wait", "1")
            #expect(stopped.status != .code(0))
            #expect(scene.workshop.origin.requests.isEmpty)
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            try await scene.succeed("add", "--directory", own, link)
            try await scene.succeed("wait", "2")
            #expect(scene.workshop.folder.size("own/" + Workshop.name) == 1000)
        }

        @Test func `brackets in a link are not a pattern`() async throws {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed("add", "--paused", "pawl:http://host.example/a[1-9]{b,c}")
            #expect(
                try await scene.downloads().map(\.url) == [
                    "http://host.example/a%5B1-9%5D%7Bb,c%7D"
                ]
            )
        }

        @Test(arguments: [
            "pawl:", "pawl:file:///etc/passwd", "pawl:a", "pawl:data:,a", "pawl:s3://bucket/a",
            "pawl:http://me:x@host.example/", "pawl:pawl:http://host.example/", "pawl:-k",
        ])
        func `a web page cannot choose anything else`(link: String) async throws {
            let scene = try DaemonScene(Workshop())
            let run = try await scene.run("add", "--paused", "--", link)
            #expect(run.status == .code(ErrorCode.usage.exitStatus))
            #expect(run.errors.contains("is not a link to a download"), "\(run.errors)")
        }
    }
}
