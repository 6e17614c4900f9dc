import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// What clients of aria2 may not do.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct Aria2SafetyTests {
        @Test func `aria2's RPC needs a token as its secret, and gives what its scope allows`()
            async throws
        {
            let scene = try await Aria2Scene.make()
            let aria2 = scene.aria2
            for secret in ["", "x", "x y", aria2.secret + "x", String(aria2.secret.dropLast())] {
                #expect(try await aria2.failure("getVersion", secret: secret) == "Unauthorized")
            }
            let bare = try await aria2.ask(
                "POST",
                "/jsonrpc",
                #"{"id":1,"method":"aria2.forceShutdown"}"#,
                fields: ["Authorization: Bearer \(aria2.secret)"]
            )
            #expect(bare.status == 400 && bare.body.contains("Unauthorized"))
            let reader = try await scene.token(scope: "read")
            let adder = try await scene.token(scope: "add")
            let url: JSONValue = ["http://127.0.0.1:1/a"]
            let paused: JSONValue = ["pause": "true"]
            let own = try await aria2.call("addUri", url, paused)
            #expect(
                try await aria2.failure("addUri", url, secret: reader).contains("may not do this")
            )
            let (_, added) = try await aria2.respond(
                to: aria2.object("addUri", [url, paused], secret: adder)
            )
            let gid = try #require(added["result"])
            for (method, secret) in [
                ("unpause", reader), ("remove", reader), ("changeOption", reader),
                ("forceShutdown", reader), ("forceShutdown", adder), ("shutdown", adder),
                ("unpause", adder), ("remove", adder),
            ] {
                let message = try await aria2.failure(method, own, paused, secret: secret)
                #expect(message.contains("may not do this"), "\(method): \(message)")
            }
            let (_, removed) = try await aria2.respond(
                to: aria2.object("remove", [gid], secret: adder)
            )
            #expect(removed["result"] == gid)
            #expect(try await scene.scene.downloads().map(\.state) == [.paused, .cancelled])
        }

        @Test func `one request tries one wrong secret only`() async throws {
            let scene = try await Aria2Scene.make()
            let wrong = scene.aria2.object("getVersion", secret: "wrong")
            let right = scene.aria2.object("getVersion")
            let (_, answers) = try await scene.aria2.respond(to: [right, wrong, right])
            let kinds = answers.values.map { $0["result"] != nil }
            // A secret that was checked before stays valid in this request.
            #expect(kinds == [true, false, true])
            let (_, late) = try await scene.aria2.respond(to: [wrong, right])
            #expect(late.values.allSatisfy { $0["error"]?["message"] == "Unauthorized" })
        }

        @Test func `a client of aria2 has the bounds of the API over TCP`() async throws {
            let scene = try await Aria2Scene.make()
            let aria2 = scene.aria2
            let home = scene.scene.home
            let url: JSONValue = ["http://127.0.0.1:1/a"]
            func refusal(_ uris: JSONValue, _ options: JSONValue) async throws -> String {
                try await aria2.failure("addUri", uris, options)
            }
            let other = try home.makeFolder("other")
            for options: JSONValue in [
                ["dir": .text(other)], ["dir": "/etc"], ["out": "../../x"], ["out": ".."],
                ["out": "x.part.pawl"], ["dir": .text(home.path("Downloads/../other"))],
            ] {
                let message = try await refusal(url, options)
                #expect(!message.isEmpty, "\(options)")
            }
            for name in [
                "load-cookies", "ca-certificate", "certificate", "private-key", "netrc-path",
            ] {
                let message = try await refusal(url, .object([(name, .text("/etc/passwd"))]))
                #expect(message.contains("may not do this"), "\(name): \(message)")
            }
            #expect(try await refusal(["file:///etc/passwd"], [:]).contains("may not do this"))
            let mirror: JSONValue = ["http://127.0.0.1:1/a", "file:///etc/passwd"]
            #expect(try await refusal(mirror, [:]).contains("may not do this"))
            let paused = try await aria2.call("addUri", url, ["pause": "true"])
            let changed = try await aria2.failure(
                "changeUri",
                paused,
                1,
                url,
                ["file:///etc/passwd"]
            )
            #expect(changed.contains("may not do this"))
            let renamed = try await aria2.failure("changeOption", paused, ["out": "../x"])
            #expect(renamed.contains("not a valid file name"))
            #expect(try await scene.scene.downloads().count == 1)
        }

        @Test func `a download of a client of aria2 uses no private address`() async throws {
            let scene = try await Aria2Scene.make()
            scene.scene.workshop.serve(.resource(Resource(size: 5000)))
            let gid = try await scene.aria2.add(scene.scene.workshop.url)
            try await scene.aria2.wait(for: "error", of: gid)
            #expect(scene.scene.workshop.origin.requests.isEmpty)
            // A command of aria2 is not a setting of Pawl.
            let options: JSONValue = ["on-download-complete": "/bin/false", "pause": "true"]
            let other = try await scene.aria2.add("http://127.0.0.1:1/b", options: options)
            #expect(
                try await scene.aria2.call("getOption", other)["on-download-complete"] == nil
            )
        }

        @Test func `hostile requests are refused, and the daemon continues`() async throws {
            let scene = try await Aria2Scene.make()
            let home = scene.scene.home
            let space = [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) + 10)
            let many = [UInt8]("[".utf8) + [UInt8](repeating: UInt8(ascii: ","), count: 60_000)
            let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
            let nested = Array(String(repeating: "<value><array><data>", count: 3000).utf8)
            let entity = Array("<!DOCTYPE x [<!ENTITY a \"b\">]><methodCall/>".utf8)
            for (bytes, path, status) in [
                (space, "/jsonrpc", 413), (space, "/rpc", 413), (many, "/jsonrpc", 500),
                (deep, "/jsonrpc", 500), (nested, "/rpc", 400), (entity, "/rpc", 400),
                ([0xFF, 0, 0xFE], "/jsonrpc", 500),
            ] {
                let file = try home.write("body", bytes)
                let answer = try await scene.aria2.ask("POST", path, "@\(file)")
                #expect(answer.status == status, "\(path) \(bytes.prefix(3))")
            }
            let chunked = ["Transfer-Encoding: chunked"]
            let file = try home.write("body", space)
            let answer = try await scene.aria2.ask("POST", "/rpc", "@\(file)", fields: chunked)
            #expect(answer.status == 413)
            // Without a valid secret, even a shorter list is not decoded.
            let list = Array("[\(Array(repeating: "0", count: 2000).joined(separator: ","))]".utf8)
            let unknown = try home.write("body", list)
            let refused = try await scene.aria2.ask("POST", "/jsonrpc", "@\(unknown)")
            #expect(refused.status == 400 && refused.body.contains("Unauthorized"))
            let values = Array(repeating: JSONValue.number(0), count: 2000)
            let call = scene.aria2.object("system.multicall", [.list(values)])
            let wrong = scene.aria2.object("tellStatus", [.list(values)], secret: "x")
            let right = scene.aria2.object("tellStatus", [.list(values)])
            #expect(try await scene.aria2.respond(to: call).status == 400)
            #expect(
                try await scene.aria2.respond(to: wrong).value["error"]?["message"]
                    == "Unauthorized"
            )
            let known = try await scene.aria2.respond(to: right).value["error"]?["message"]
            #expect(known == "The parameter at 0 has wrong type.")
            let padding = String(repeating: " ", count: 70_000)
            let long = try home.write("body", Array("<methodCall>\(padding)</methodCall>".utf8))
            let fault = try await scene.aria2.ask("POST", "/rpc", "@\(long)")
            #expect(fault.body.contains("<string>Unauthorized</string>"))
            let text = try scene.connect(sending: Array("hello\r\n\r\n".utf8))
            await text.waitForExit()
            #expect(text.output.hasPrefix("HTTP/1.1 400"))
            #expect(try await scene.aria2.call("getVersion")["version"] == "1.37.0")
        }

        @Test func `a slow client of aria2's RPC is disconnected`() async throws {
            let scene = try await Aria2Scene.make(
                "--client-timeout",
                BusyMachine.pauseSeconds
            )
            let host = "Host: 127.0.0.1:\(scene.port)\r\n"
            let socket = try scene.openWebSocket(sending: try scene.frame("getVersion"))
            #expect(await socket.waitForOutput(containing: "1.37.0"))
            let clients = try [
                "", "POST /jsonrpc HT", "POST /jsonrpc HTTP/1.1\r\n\(host)",
                "POST /jsonrpc HTTP/1.1\r\n\(host)Content-Length: 100\r\n\r\n{",
            ].map { try scene.connect(sending: Array($0.utf8)) }
            for client in clients {
                await client.waitForExit()
                #expect(!client.output.contains("result"))
            }
            // A WebSocket may wait for notifications.
            let gid = try await scene.aria2.add("http://127.0.0.1:1/a", options: ["pause": "true"])
            _ = try await scene.aria2.call("remove", gid)
            #expect(await socket.waitForOutput(containing: "aria2.onDownloadStop"))
        }

        @Test func `a page of any origin may ask aria2's RPC, but not under a foreign host`()
            async throws
        {
            let scene = try await Aria2Scene.make()
            let call = String(
                decoding: try WireJSON.encode(scene.aria2.object("getVersion")),
                as: UTF8.self
            )
            let page = "Origin: https://ui.example"
            let answer = try await scene.aria2.ask("POST", "/jsonrpc", call, fields: [page])
            #expect(answer.status == 200 && answer.fields["access-control-allow-origin"] == "*")
            #expect(answer.fields["content-type"] == "application/json-rpc")
            let preflight = try await scene.aria2.ask(
                "OPTIONS",
                fields: [
                    page, "Access-Control-Request-Method: POST",
                    "Access-Control-Request-Headers: content-type, x-own",
                ]
            )
            #expect(preflight.fields["access-control-allow-headers"] == "content-type, x-own")
            #expect(preflight.status == 200)
            #expect(preflight.fields["access-control-allow-methods"] == "POST, GET, OPTIONS")
            #expect(preflight.fields["access-control-allow-credentials"] == nil)
            for host in ["ui.example", "ui.example:\(scene.port)", "127.0.0.1:1"] {
                let fields = ["Host: \(host)"]
                let foreign = try await scene.aria2.ask("POST", "/jsonrpc", call, fields: fields)
                #expect(foreign.status == 421, "\(host)")
            }
            // The absolute form of a target names the host, too (RFC 9112 §3.2.2).
            for (host, status) in [("127.0.0.1:\(scene.port)", 200), ("ui.example", 421)] {
                let text =
                    "GET http://\(host)/jsonrpc?method=system.listMethods&id=1 HTTP/1.1\r\n"
                    + "Host: 127.0.0.1:\(scene.port)\r\nConnection: close\r\n\r\n"
                let client = try scene.connect(sending: Array(text.utf8))
                await client.waitForExit()
                #expect(client.output.hasPrefix("HTTP/1.1 \(status)"), "\(client.output)")
            }
            let head = "HEAD /jsonrpc HTTP/1.1\r\nHost: ui.example\r\nConnection: close\r\n\r\n"
            let client = try scene.connect(sending: Array(head.utf8))
            await client.waitForExit()
            #expect(client.output.hasPrefix("HTTP/1.1 421") && client.output.hasSuffix("\r\n\r\n"))
            let local = ["Host: localhost:\(scene.port)"]
            let named = try await scene.aria2.ask("POST", "/jsonrpc", call, fields: local)
            #expect(named.status == 200)
        }

        @Test func `the address for clients of aria2 is a setting of its own`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let none = try await scene.succeed("daemon", "status", "--json").output
            #expect(!none.contains("aria2"))
            try await scene.succeed("daemon", "start", "--aria2-rpc", "127.0.0.1:0")
            let aria2 = try await Aria2Scene.attach(to: daemon, of: scene)
            #expect(try await aria2.aria2.call("getVersion")["version"] == "1.37.0")
            let taken = try await scene.run("daemon", "start", "--listen", "\(aria2.port)")
            #expect(taken.status == .code(ErrorCode.alreadyRunning.exitStatus))
            let far = try await scene.run("daemon", "start", "--aria2-rpc", "0.0.0.0")
            #expect(far.status == .code(ErrorCode.usage.exitStatus))
            try await scene.succeed("daemon", "start", "--aria2-rpc", "off")
            let off = try await scene.succeed("daemon", "status", "--json").output
            #expect(!off.contains("aria2"))
            #expect(try await aria2.aria2.ask("POST", "/jsonrpc", "{}").status == 0)
        }
    }
}
