import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Lists in pages, besides that of the downloads.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonPagingTests {
        @Test func `sessions come in pages, by name`() async throws {
            let network = try await NetworkScene.make()
            let names = ["b", "a+b", "ä", "a b", "c"]
            for name in names {
                let body = #"{"identifier":"\#(name)"}"#
                #expect(try await network.ask("POST", "/v1/sessions", body).status == 200)
            }
            var seen: [String] = []
            var cursor = ""
            while true {
                let answer = try await network.ask("GET", "/v1/sessions?limit=2\(cursor)")
                let page = try WireJSON.decode(WireSessions.self, from: answer.body.utf8)
                #expect((1...2).contains(page.sessions.count))
                seen += page.sessions.map(\.identifier)
                guard let next = page.next else { break }
                cursor = "&after=" + next.replacing("+", with: "%2B").replacing(" ", with: "+")
            }
            #expect(seen == ["a b", "a+b", "b", "c", "ä"])
            let run = try await network.scene.succeed("session", "list", "--json")
            let all = try WireJSON.decode([WireSession].self, from: run.output.utf8)
            #expect(all.map(\.identifier) == seen)
            // The name with the sign that reads as a space is forgotten, and not the other.
            try await network.scene.succeed("session", "forget", "a+b")
            let rest = try await network.ask("GET", "/v1/sessions?limit=1")
            #expect(rest.body.contains("a b"))
        }

        private func hosts(_ network: NetworkScene, _ query: String = "") async throws -> WireHosts
        {
            let answer = try await network.ask("GET", "/v1/hosts\(query)")
            return try WireJSON.decode(WireHosts.self, from: answer.body.utf8)
        }

        @Test func `hosts and events come in pages`() async throws {
            let network = try await NetworkScene.make()
            let workshop = network.scene.workshop
            let latch = Latch()
            workshop.serve(.resource(Resource(size: 1000)).holdAfterBytes(100, until: latch))
            let other = workshop.url.replacing("127.0.0.1", with: "localhost")
            try await network.scene.succeed("add", workshop.url, other)
            // The daemon knows a host while a download uses it.
            while try await hosts(network).hosts.count < 2 { try Task.checkCancellation() }
            let first = try await hosts(network, "?limit=1")
            #expect(first.hosts.map(\.host) == [first.next])
            let next = try #require(first.next)
            let second = try await hosts(network, "?after=\(next)")
            #expect(second.hosts.count == 1 && second.next == nil)
            #expect((second.hosts.first?.host ?? "") > next)

            latch.release()
            try await network.scene.succeed("wait", "--all")
            let path = APIPath.events(of: 1)
            let newest = try await network.ask("GET", "\(path)?limit=1")
            let last = try WireJSON.decode(WireEvents.self, from: newest.body.utf8)
            #expect(last.events.map(\.kind) == [.finished])
            let before = try #require(last.next)
            let older = try await network.ask("GET", "\(path)?limit=5&before=\(before)")
            let page = try WireJSON.decode(WireEvents.self, from: older.body.utf8)
            #expect(page.events.map(\.kind) == [.added, .started] && page.next == nil)
        }

        @Test(arguments: [
            "/v1/sessions?limit=0", "/v1/sessions?limit=1001", "/v1/sessions?limit=x",
            "/v1/hosts?limit=-1", "/v1/downloads/1/events?limit=0",
            "/v1/downloads/1/events?before=x", "/v1/downloads/1/events?after=1",
        ])
        func `an invalid page is refused`(path: String) async throws {
            let network = try await NetworkScene.make()
            let answer = try await network.ask("GET", path)
            #expect(answer.status == 400)
            #expect(answer.problem?.advice?.isEmpty == false)
        }

        @Test func `the mirrors of a download are listed without their secrets`() async throws {
            let network = try await NetworkScene.make()
            let mirrors = ["https://me:pass@a.example/f?token=secret", "http://b.example/f"]
            let body = """
                {"downloads":[{"url":"http://c.example/f","destination":"","isPaused":true,
                "settings":{"mirrors":["\(mirrors[0])","\(mirrors[1])"]}}]}
                """
            #expect(try await network.ask("POST", "/v1/downloads", body).status == 201)
            let shown = ["https://a.example/f?token=REDACTED", mirrors[1]]
            #expect(try await network.scene.downloads().map(\.mirrors) == [shown])
            let text = try await network.scene.succeed("show", "1").output
            for mirror in shown { #expect(text.contains(mirror)) }
            try await network.scene.succeed("cancel", "1")
            let one = try await network.ask("GET", "/v1/downloads/1")
            let download = try WireJSON.decode(WireDownload.self, from: one.body.utf8)
            // The mirrors are still listed after the request was erased.
            #expect(download.state == .cancelled && download.mirrors == shown)
        }
    }
}
