import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The daemon behind the proxies of docs/reverse-proxy.md.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonProxyTests {
        /// A daemon, a proxy in front of it, and a browser at another address of this machine.
        private struct Scene {
            let network: NetworkScene
            let proxy: ProxyRecipe
            /// The browser's address; the proxy has another one.
            static let browser = "127.0.0.3"

            init(_ program: ProxyRecipe.Program, keepsPath: Bool = true) async throws {
                network = try await NetworkScene.make()
                proxy = try await ProxyRecipe(program, toPort: network.port, keepsPath: keepsPath)
                let settings = ["--base-url", proxy.base, "--trusted-proxy", "127.0.0.1"]
                let run = try await network.scene.workshop.run(
                    ["daemon", "start"] + settings,
                    network.scene.settings
                )
                #expect(run.status == .code(0), "\(run.errors)")
            }

            var origin: String { "https://localhost:\(proxy.server.port)" }

            /// The arguments with which curl does what a browser does.
            var browser: [String] {
                let jar = network.scene.home.path("jar")
                return [
                    "-4", "--cacert", proxy.authority, "--interface", Self.browser, "-c", jar, "-b",
                    jar,
                ]
            }

            /// Makes a request of the page; `path` is relative to the base URL.
            func ask(
                _ method: String,
                _ path: String,
                _ body: String? = nil,
                fields: [String] = []
            ) async throws -> NetworkScene.Answer {
                let content =
                    body.map { ["--data-binary", $0, "-H", "Content-Type: application/json"] } ?? []
                let site = ["-H", "Origin: \(origin)", "-H", "Sec-Fetch-Site: same-origin"]
                return try await network.curl(
                    ["-X", method, proxy.base + path] + browser + site + content
                        + fields.flatMap { ["-H", $0] }
                )
            }

            /// Logs in with a link from the command.
            func logIn() async throws -> NetworkScene.Answer {
                let link = try await network.scene.succeed("daemon", "token", "--url").output
                #expect(link.hasPrefix("\(proxy.base)#code="))
                let code = link.split(separator: "=").last?.prefix { $0 != "\n" } ?? ""
                return try await ask("POST", "v1/login", #"{"code":"\#(code)"}"#)
            }

            /// Adds a paused download; returns the status.
            func add(_ name: String) async throws -> Int {
                let url = "http://example.org/\(name)"
                let body = #"{"downloads":[{"url":"\#(url)","destination":"","isPaused":true}]}"#
                return try await ask("POST", "v1/downloads", body).status
            }

            func entries() async throws -> [AuditEntry] {
                try await network.scene.succeed("daemon", "audit", "--json").output
                    .split(separator: "\n").map {
                        try WireJSON.decode(AuditEntry.self, from: $0.utf8)
                    }
            }
        }

        @Test(arguments: ProxyRecipe.Program.allCases)
        func `a browser uses the daemon behind each proxy`(program: ProxyRecipe.Program)
            async throws
        {
            let scene = try await Scene(program)
            // The page and its files.
            let page = try await scene.ask("GET", "")
            #expect(page.status == 200, "\(scene.proxy.server.log)")
            let files = page.body.split(separator: "\"").filter { $0.hasPrefix("assets/") }
            #expect(files.contains("assets/main.js"))
            for file in Set(files) {
                #expect(try await scene.ask("GET", String(file)).status == 200, "\(file)")
            }
            let bare = String(scene.proxy.base.dropLast())
            let moved = try await scene.network.curl([bare] + scene.browser)
            #expect(moved.status == 308)
            #expect(moved.fields["location"] == scene.proxy.base)
            // The login.
            #expect(try await scene.ask("GET", "v1/status").status == 401)
            let login = try await scene.logIn()
            #expect(login.status == 204)
            let cookie = login.fields["set-cookie"] ?? ""
            #expect(cookie.contains("; Path=/downloads/;"))
            #expect(cookie.hasSuffix("; SameSite=Strict; Secure"))
            #expect(try await scene.ask("GET", "v1/status").status == 200)
            #expect(try await scene.ask("GET", "worker.js").status == 200)
            // Downloads, and their events as they happen.
            #expect(try await scene.add("one") == 201)
            let stream = try ProcessRunner(
                "curl",
                ["-sN", "--noproxy", "*", "\(scene.proxy.base)v1/events"] + scene.browser
            )
            // A comment begins the stream.
            #expect(await stream.waitForOutput(containing: ":"))
            #expect(try await scene.add("two") == 201)
            #expect(await stream.waitForOutput(containing: #""name":"two""#))
            stream.signal(15)
            // The log has the browser's address, whatever the browser reports.
            let fields = ["X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.2"]
            let body = #"{"targets":["1"]}"#
            for field in fields {
                let answer = try await scene.ask(
                    "POST",
                    "v1/actions/remove",
                    body,
                    fields: [field]
                )
                #expect(answer.status == 200 || answer.status == 404)
            }
            let entries = try await scene.entries().filter { $0.who == .page }
            #expect(entries.count == 4)
            #expect(entries.allSatisfy { $0.client == Scene.browser }, "\(entries)")
        }

        @Test func `a proxy may strip the path of its URL`() async throws {
            let scene = try await Scene(.nginx, keepsPath: false)
            #expect(try await scene.ask("GET", "").status == 200)
            #expect(try await scene.ask("GET", "assets/main.js").status == 200)
            let login = try await scene.logIn()
            #expect(login.fields["set-cookie"]?.contains("; Path=/downloads/;") == true)
            #expect(try await scene.add("one") == 201)
            #expect(try await scene.ask("GET", "v1/downloads").body.contains("example.org/one"))
        }

        @Test func `a page of another origin is refused behind a proxy, too`() async throws {
            let scene = try await Scene(.nginx)
            #expect(try await scene.logIn().status == 204)
            for origin in ["http://localhost", "https://evil.example", "https://localhost"] {
                let answer = try await scene.network.curl(
                    ["\(scene.proxy.base)v1/status", "-H", "Origin: \(origin)"] + scene.browser
                )
                #expect(answer.status == 403)
            }
            let foreign = try await scene.network.curl(
                ["\(scene.proxy.base)v1/status", "-H", "Host: evil.example"] + scene.browser
            )
            #expect(foreign.status == 421)
        }
    }
}
