import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// aria2's RPC over WebSocket.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct Aria2WebSocketTests {
        @Test func `a WebSocket answers calls and reports what happens to downloads`() async throws
        {
            let scene = try await Aria2Scene.make()
            try await scene.allowPrivateAddresses()
            scene.scene.workshop.serve(.resource(Resource(size: 5000)))
            let client = try scene.openWebSocket(sending: try scene.frame("getVersion"))
            #expect(await client.waitForOutput(containing: "1.37.0"), "\(client.output)")
            // The example of RFC 6455 §1.3.
            #expect(client.output.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
            let gid = try await scene.aria2.add(scene.scene.workshop.url)
            for name in ["onDownloadStart", "onDownloadComplete"] {
                let text =
                    #"{"jsonrpc":"2.0","method":"aria2.\#(name)","params":[{"gid":"\#(gid.string ?? "")"}]}"#
                #expect(await client.waitForOutput(containing: text), "\(client.output)")
            }
            let missing = try await scene.aria2.add(scene.scene.workshop.origin.url("/missing"))
            #expect(await client.waitForOutput(containing: "aria2.onDownloadError"))
            #expect(client.output.contains(missing.string ?? "-"))
        }

        @Test func `pausing and removing a download is reported`() async throws {
            let scene = try await Aria2Scene.make()
            let client = try scene.openWebSocket(sending: try scene.frame("getVersion"))
            #expect(await client.waitForOutput(containing: "1.37.0"))
            // Without access to private addresses, it fails or waits; it can be removed anyway.
            let gid = try await scene.aria2.add("http://127.0.0.1:1/a", options: ["pause": "true"])
            _ = try await scene.aria2.call("remove", gid)
            #expect(await client.waitForOutput(containing: "aria2.onDownloadStop"))
            #expect(try await scene.aria2.call("tellStatus", gid)["status"] == "removed")
        }

        @Test func `a message in several frames, a ping and a close are answered`() async throws {
            let scene = try await Aria2Scene.make()
            let client = try scene.openWebSocket(
                sending: Aria2Scene.frame(#"{"id":1,"method":"sys"#, isLast: false),
                Aria2Scene.frame(#"tem.listNotifications"}"#, opcode: 0),
                Aria2Scene.frame("beat", opcode: 9),
                Aria2Scene.frame("", opcode: 8)
            )
            await client.waitForExit()
            #expect(client.output.contains("aria2.onDownloadStart"))
            #expect(client.output.contains("beat"))
        }

        @Test func `pipelined calls are all answered`()
            async throws
        {
            let scene = try await Aria2Scene.make()
            let call = String(
                decoding: try WireJSON.encode(scene.aria2.object("getVersion")),
                as: UTF8.self
            )
            let answers = try await ClientProgram.askOnWebSocket(
                scene.port,
                [[call, call, call], [call], [call, call], [call]]
            )
            #expect(answers.count == 7)
            #expect(answers.allSatisfy { $0.answer.contains("1.37.0") })
        }

        private static let wrong = Aria2Scene.frame(
            #"{"id":1,"method":"aria2.getVersion","params":["token:x"]}"#
        )

        @Test func `a program without a valid secret receives GIDs only, and a page nothing`()
            async throws
        {
            let scene = try await Aria2Scene.make()
            let page = try scene.openWebSocket(sending: Self.wrong)
            let silent = try scene.openWebSocket(origin: nil, sending: Self.wrong)
            let own = "http://127.0.0.1:\(scene.port)"
            let listener = try scene.openWebSocket(
                origin: own,
                sending: Aria2Scene.frame("beat", opcode: 9)
            )
            for client in [page, silent] {
                #expect(await client.waitForOutput(containing: "Unauthorized"))
            }
            #expect(await listener.waitForOutput(containing: "beat"))
            let client = try scene.openWebSocket(sending: try scene.frame("getVersion"))
            #expect(await client.waitForOutput(containing: "1.37.0"))
            let gid = try await scene.aria2.add("http://127.0.0.1:1/a", options: ["pause": "true"])
            _ = try await scene.aria2.call("remove", gid)
            let message =
                #"{"jsonrpc":"2.0","method":"aria2.onDownloadStop","params":[{"gid":"\#(gid.string ?? "")"}]}"#
            for reader in [silent, listener, client] {
                #expect(await reader.waitForOutput(containing: message), "\(reader.output)")
                #expect(!reader.output.contains("127.0.0.1:1/a"))
            }
            #expect(!page.output.contains("onDownload"))
        }

        @Test func `a page must send a secret soon, and a program may listen`() async throws {
            let scene = try await Aria2Scene.make(
                "--client-timeout",
                BusyMachine.pauseSeconds
            )
            let listener = try scene.openWebSocket(
                origin: nil,
                sending: Aria2Scene.frame("beat", opcode: 9)
            )
            #expect(await listener.waitForOutput(containing: "beat"))
            let page = try scene.openWebSocket(sending: Self.wrong)
            await page.waitForExit()
            #expect(page.output.contains("Unauthorized"))
            let gid = try await scene.aria2.add("http://127.0.0.1:1/a", options: ["pause": "true"])
            _ = try await scene.aria2.call("remove", gid)
            #expect(await listener.waitForOutput(containing: "aria2.onDownloadStop"))
        }

        @Test func `too many listeners without a secret replace the oldest`() async throws {
            let scene = try await Aria2Scene.make()
            var listeners: [ProcessRunner] = []
            for _ in 0..<17 {
                let listener = try scene.openWebSocket(
                    origin: nil,
                    sending: Aria2Scene.frame("beat", opcode: 9)
                )
                #expect(await listener.waitForOutput(containing: "beat"))
                listeners.append(listener)
            }
            await listeners[0].waitForExit()
            #expect(listeners.dropFirst().allSatisfy { $0.status == nil })
        }

        @Test func `a WebSocket whose answers nobody reads is closed`() async throws {
            let scene = try await Aria2Scene.make(
                "--client-timeout",
                BusyMachine.pauseSeconds
            )
            let list = (0..<2000).map { "http://127.0.0.1:1/folder/file-\($0).iso" }
                .joined(separator: "\n")
            let path = try scene.scene.home.write("list.txt", Array(list.utf8))
            try await scene.scene.succeed("add", "--paused", "-i", path)
            let call = try scene.frame("tellWaiting", [0, 2000])
            // More than the buffers of both sides hold.
            let frames = Array(repeating: call, count: 20).flatMap { $0 }
            let client = try scene.connectWithoutReading(webSocketFrames: frames)
            // The program ends when the daemon has closed the connection.
            #expect(await client.waitForOutput(containing: "closed"), "\(client.errors)")
            #expect(try await scene.aria2.call("getVersion")["version"] == "1.37.0")
        }

        @Test func `a message that is not a call, is too long or is not text is refused`()
            async throws
        {
            let scene = try await Aria2Scene.make()
            let wrong = try scene.openWebSocket(
                sending: Aria2Scene.frame("{"),
                Aria2Scene.frame("x", opcode: 2)
            )
            await wrong.waitForExit()
            #expect(wrong.output.contains("-32700"))
            // The length of the frame is 2 MiB: the connection ends at its head.
            let long = try scene.openWebSocket(
                sending: [0x81, 0xFF, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0]
            )
            await long.waitForExit()
            let other = try scene.openWebSocket(path: "/other")
            #expect(await other.waitForOutput(containing: "404"))
            #expect(try await scene.aria2.call("getVersion")["version"] == "1.37.0")
        }
    }
}
