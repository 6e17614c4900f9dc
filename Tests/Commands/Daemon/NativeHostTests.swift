import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The program that the browser extension talks to.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct NativeHostTests {
        private let resource = Resource(size: 3000)

        private func message(_ text: String) -> [UInt8] { head(text.utf8.count) + Array(text.utf8) }

        private func head(_ count: Int) -> [UInt8] {
            withUnsafeBytes(of: UInt32(clamping: count)) { Array($0) }
        }

        private func settings(_ scene: DaemonScene, _ input: [UInt8] = []) -> ProcessSettings {
            var settings = scene.settings
            settings.input = input
            return settings
        }

        /// Sends the bytes to the host; returns its status, the texts of its messages, and all
        /// that it wrote.
        private func send(
            _ input: [UInt8],
            in scene: DaemonScene
        ) async throws -> (status: PawlTesting.ExitStatus, answers: [String], errors: String) {
            let run = try ProcessRunner(
                Workshop.program,
                [
                    "native-host", "run", "--",
                    "chrome-extension://odbjaenahpejckehdnennpcngmflbamd/",
                ],
                scene.workshop.complete(settings(scene, input))
            )
            let status = await run.waitForExit()
            var (bytes, answers) = (run.outputBytes[...], [String]())
            while bytes.count >= 4 {
                let count = bytes.prefix(4).enumerated().reduce(0) { $0 + Int($1.1) << (8 * $1.0) }
                answers.append(String(decoding: bytes.dropFirst(4).prefix(count), as: UTF8.self))
                bytes = bytes.dropFirst(4 + count)
            }
            #expect(bytes.isEmpty)
            return (status, answers, run.errors)
        }

        @Test func `a download gets the browser's cookies, and no output contains them`()
            async throws
        {
            let scene = try DaemonScene(Workshop(resource))
            let folder = scene.home.path("Downloads")
            let daemon = try await scene.startDaemon()
            try await scene.succeed("daemon", "allow", "--private-addresses", "yes")
            let add = """
                {"version":1,"add":[{"url":"\(scene.workshop.url)","referrer":"http://page.example/",
                "userAgent":"Browser/1","cookies":"session=hunter2","fileName":"../film.iso"}]}
                """
            let (status, answers, errors) = try await send(
                message(#"{"version":1,"ping":true}"#) + message(add),
                in: scene
            )
            #expect(status == .code(0), "\(errors)")
            #expect(answers.first == #"{"program":"pawl \#(PawlVersion.current)","version":1}"#)
            #expect(answers.last == #"{"added":[{"id":1,"name":"film.iso"}],"version":1}"#)
            try await scene.succeed("wait", "1")
            let request = try #require(scene.workshop.origin.requests.first)
            #expect(request["Cookie"] == "session=hunter2")
            #expect(request["Referer"] == "http://page.example/")
            #expect(request["User-Agent"] == "Browser/1")
            let path = try #require(try await scene.downloads().first?.path)
            #expect(path.hasSuffix("/film.iso") && path.hasPrefix(folder), "\(path)")
            let shown = try await scene.succeed("show", "1", "--json").output
            #expect(!(shown + answers.joined() + errors + daemon.errors).contains("hunter2"))
            withExtendedLifetime(daemon) {}
        }

        @Test(arguments: [
            #"{"version":1,"add":[{"url":"file:///etc/passwd"}]}"#,
            #"{"version":1,"add":[{"url":"data:,text"}]}"#,
            #"{"version":1,"add":[{"url":"s3://bucket/key"}]}"#,
            #"{"version":1,"add":[{"url":"https://a.example/","destination":"/tmp/x"}]}"#,
            #"{"version":1,"remove":[1]}"#, #"{"version":2,"ping":true}"#, "[]", "{",
        ])
        func `anything else is refused`(text: String) async throws {
            let scene = try DaemonScene(Workshop())
            let (status, answers, _) = try await send(message(text), in: scene)
            #expect(status == .code(0))
            #expect(answers.count == 1 && answers[0].contains(#""problem":{"#), "\(answers)")
            // Nothing was added, so no daemon was started.
            #expect(!scene.home.exists("run/pawl/daemon.sock"))
        }

        @Test func `lengths that are wrong end the program with an answer`() async throws {
            let scene = try DaemonScene(Workshop())
            for input in [
                [0xFF, 0xFF, 0xFF, 0xFF] as [UInt8], head(2 << 20), [3, 0], head(100) + [1, 2, 3],
            ] {
                let (status, answers, _) = try await send(input, in: scene)
                #expect(status != .code(0))
                #expect(answers.count == 1 && answers[0].contains(#""problem":{"#), "\(answers)")
            }
            let none = try await send([], in: scene)
            #expect(none.status == .code(0) && none.answers.isEmpty)
        }

        @Test func `it is installed for a browser, twice, and uninstalled`() async throws {
            let scene = try DaemonScene(Workshop())
            let arguments = ["native-host", "install", "--browser", "chromium"]
            let folder = ".config/chromium/NativeMessagingHosts"
            for _ in 1...2 {
                let run = try await scene.workshop.run(arguments, scene.settings)
                #expect(run.status == .code(0), "\(run.errors)")
            }
            let manifest = try scene.home.readText("\(folder)/org.pawl.host.json")
            #expect(manifest.contains("chrome-extension://odbjaenahpejckehdnennpcngmflbamd/"))
            let script = try scene.home.readText("\(folder)/org.pawl.host")
            #expect(script.hasPrefix("#!/bin/sh\n"))
            let ping = try ProcessRunner(
                scene.home.path("\(folder)/org.pawl.host"),
                ["chrome-extension://odbjaenahpejckehdnennpcngmflbamd/"],
                scene.workshop.complete(settings(scene, message(#"{"version":1,"ping":true}"#)))
            )
            #expect(await ping.waitForExit() == .code(0), "\(ping.errors)")
            #expect(ping.output.contains(#""program":"pawl "#))
            try await scene.succeed("native-host", "uninstall")
            #expect(!scene.home.exists("\(folder)/org.pawl.host"))

            try scene.home.write("\(folder)/org.pawl.host", "mine")
            let refused = try await scene.workshop.run(arguments, scene.settings)
            expectFailure(.fileExists, refused)
            #expect(try scene.home.readText("\(folder)/org.pawl.host") == "mine")
        }

        @Test func `mistakes are errors`() async throws {
            let scene = try DaemonScene(Workshop())
            expectFailure(
                .usage,
                try await scene.run("native-host", "install", "--browser", "netscape")
            )
            expectFailure(.notFound, try await scene.run("native-host", "install"))
            #expect(try await scene.succeed("native-host", "uninstall").errors.contains("Nothing"))
        }
    }
}
