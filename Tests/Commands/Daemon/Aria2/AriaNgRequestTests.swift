import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The requests that AriaNg 1.3 makes, and the members of the answers that it reads.
    ///
    /// A page of another origin sends them: over HTTP with POST or GET, or on a WebSocket.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct AriaNgRequestTests {
        enum Way: CaseIterable {
            case post, get, webSocket
        }

        private static let origin = "http://ariang.example"

        /// What AriaNg asks for in lists of tasks.
        private static let keys: JSONValue = [
            "gid", "totalLength", "completedLength", "uploadSpeed", "downloadSpeed", "connections",
            "numSeeders", "seeder", "status", "errorCode", "verifiedLength",
            "verifyIntegrityPending", "files", "bittorrent", "infoHash",
        ]

        /// Sends calls one after the other; returns their answers.
        private func ask(
            _ scene: Aria2Scene,
            _ way: Way,
            _ calls: [JSONValue]
        ) async throws -> [JSONValue] {
            let texts = try calls.map { String(decoding: try WireJSON.encode($0), as: UTF8.self) }
            if way == .webSocket {
                let answers = try await ClientProgram.askOnWebSocket(
                    scene.port,
                    texts.map { [$0] },
                    origin: Self.origin
                )
                return try answers.map {
                    try WireJSON.decode(JSONValue.self, from: $0.answer.utf8)
                }
            }
            var answers: [JSONValue] = []
            for (call, text) in zip(calls, texts) {
                let answer =
                    way == .post
                    ? try await post(scene, text) : try await get(scene, call)
                #expect(answer.fields["access-control-allow-origin"] == "*")
                answers.append(try WireJSON.decode(JSONValue.self, from: answer.body.utf8))
            }
            return answers
        }

        /// As Angular's `$http` does in a browser: with a question before it.
        private func post(_ scene: Aria2Scene, _ body: String) async throws -> NetworkScene.Answer {
            let preflight = try await scene.aria2.ask(
                "OPTIONS",
                fields: [
                    "Origin: \(Self.origin)", "Access-Control-Request-Method: POST",
                    "Access-Control-Request-Headers: content-type",
                    "Access-Control-Request-Private-Network: true",
                ]
            )
            #expect(preflight.status == 200)
            #expect(preflight.fields["access-control-allow-headers"] == "content-type")
            #expect(preflight.fields["access-control-allow-private-network"] == "true")
            return try await scene.aria2.ask(
                "POST",
                "/jsonrpc",
                body,
                fields: [
                    "Origin: \(Self.origin)", "Accept: application/json, text/plain, */*",
                    "Content-Type: application/json;charset=utf-8",
                ]
            )
        }

        private func get(_ scene: Aria2Scene, _ call: JSONValue) async throws -> NetworkScene.Answer
        {
            let parameters = try WireJSON.encode(call["params"] ?? [])
            let text = parameters.base64.utf8.percentEncoded()
            let query =
                "jsonrpc=2.0&method=\(call["method"]?.string ?? "")&id=\(call["id"]?.string ?? "")"
            return try await scene.aria2.ask(
                "GET",
                "/jsonrpc?\(query)&params=\(text)",
                fields: ["Origin: \(Self.origin)"]
            )
        }

        private func results(
            _ scene: Aria2Scene,
            _ way: Way,
            _ calls: [(method: String, parameters: [JSONValue])],
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> [JSONValue] {
            let objects = calls.map { scene.aria2.object($0.method, $0.parameters) }
            let answers = try await ask(scene, way, objects)
            #expect(answers.count == calls.count, sourceLocation: sourceLocation)
            return try zip(calls, answers).map { call, answer in
                // AriaNg finds the call of an answer by its id.
                #expect(answer["id"] == "1", sourceLocation: sourceLocation)
                return try #require(
                    answer["result"],
                    "\(call.method): \(answer)",
                    sourceLocation: sourceLocation
                )
            }
        }

        /// Whether a text is a number, which AriaNg reads with `parseInt`.
        private func isNumber(_ value: JSONValue?) -> Bool {
            value?.string.flatMap { Int64($0) } != nil
        }

        private func expectTask(
            _ task: JSONValue,
            _ gid: JSONValue,
            status: JSONValue,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(task["gid"] == gid, sourceLocation: sourceLocation)
            #expect(task["status"] == status, sourceLocation: sourceLocation)
            for key in [
                "totalLength", "completedLength", "uploadSpeed", "downloadSpeed", "connections",
            ] {
                #expect(isNumber(task[key]), "\(key)", sourceLocation: sourceLocation)
            }
            #expect(task["bittorrent"] == nil, sourceLocation: sourceLocation)
            let files = task["files"]?.values ?? []
            #expect(files.count == 1, sourceLocation: sourceLocation)
            guard let file = files.first else { return }
            // The name of a task is the end of this path.
            #expect(file["path"]?.string?.hasSuffix("/disk.iso") == true)
            #expect(file["selected"] == "true", sourceLocation: sourceLocation)
            for key in ["index", "length", "completedLength"] {
                #expect(isNumber(file[key]), "\(key)", sourceLocation: sourceLocation)
            }
            #expect(file["uris"]?.values.first?["uri"]?.string?.hasPrefix("http://") == true)
        }

        @Test(arguments: Way.allCases)
        func `AriaNg shows and controls tasks`(way: Way) async throws {
            let scene = try await Aria2Scene.make()
            try await scene.allowPrivateAddresses()
            scene.scene.workshop.serve(.resource(Resource(size: 3_000_000)))
            let url = JSONValue.text(scene.scene.workshop.url)
            let options: JSONValue = [
                "pause": "true", "out": "disk.iso", "header": ["A: 1", "B: 2"],
            ]
            let gid = try await results(scene, way, [("addUri", [[url], options])])[0]
            let lists = try await results(
                scene,
                way,
                [
                    ("tellActive", [Self.keys]), ("tellWaiting", [0, 1000, Self.keys]),
                    ("tellStopped", [-1, 1000, Self.keys]),
                ]
            )
            #expect(lists[0] == [] && lists[2] == [] && lists[1].values.count == 1)
            expectTask(try #require(lists[1].values.first), gid, status: "paused")
            try await expectDetails(scene, way, gid)
            // Starting, and the end of it.
            let changes = try await results(
                scene,
                way,
                [
                    ("changePosition", [gid, 0, "POS_SET"]),
                    ("changeOption", [gid, ["max-download-limit": "0"]]), ("unpause", [gid]),
                ]
            )
            #expect(changes == [0, "OK", gid])
            try await scene.aria2.wait(for: "complete", of: gid)
            let ended = try await results(
                scene,
                way,
                [("tellStopped", [-1, 1000, Self.keys]), ("tellStatus", [gid])]
            )
            expectTask(try #require(ended[0].values.first), gid, status: "complete")
            #expect(ended[1]["totalLength"] == "3000000")
            #expect(ended[1]["bitfield"] == "e0" && ended[1]["numPieces"] == "3")
            let removed = try await results(scene, way, [("removeDownloadResult", [gid])])
            #expect(removed == ["OK"])
        }

        /// The page of one task, the settings and the status of the server.
        private func expectDetails(
            _ scene: Aria2Scene,
            _ way: Way,
            _ gid: JSONValue
        ) async throws {
            let token = JSONValue.text("token:\(scene.aria2.secret)")
            func member(_ method: String) -> JSONValue {
                ["methodName": .text(method), "params": [token, gid]]
            }
            let calls: [JSONValue] = [member("aria2.tellStatus"), member("aria2.getPeers")]
            let details = try await results(
                scene,
                way,
                [
                    ("system.multicall", [.list(calls)]), ("getOption", [gid]),
                    ("getGlobalOption", []), ("getGlobalStat", []), ("getVersion", []),
                    ("getSessionInfo", []),
                    ("changeGlobalOption", [["max-concurrent-downloads": "4"]]),
                    ("saveSession", []),
                ]
            )
            let task = try #require(details[0].values.first?.values.first)
            expectTask(task, gid, status: "paused")
            #expect(isNumber(task["numPieces"]) && isNumber(task["pieceLength"]))
            #expect(task["dir"]?.string?.hasPrefix("/") == true)
            #expect(details[1]["max-download-limit"] == "0" && details[1]["out"] == "disk.iso")
            #expect(details[2].names.isSuperset(of: ["dir", "max-concurrent-downloads"]))
            for key in ["downloadSpeed", "uploadSpeed", "numActive", "numWaiting", "numStopped"] {
                #expect(isNumber(details[3][key]), "\(key)")
            }
            #expect(details[3]["numWaiting"] == "1")
            #expect(details[4]["version"] == "1.37.0")
            #expect(details[4]["enabledFeatures"]?.values.isEmpty == false)
            #expect(details[5]["sessionId"]?.string?.isEmpty == false)
            #expect(details[6] == "OK" && details[7] == "OK")
        }

        @Test(arguments: Way.allCases)
        func `AriaNg reads the messages of errors`(way: Way) async throws {
            let scene = try await Aria2Scene.make()
            let answers = try await ask(
                scene,
                way,
                [
                    scene.aria2.object("getVersion"),
                    scene.aria2.object("tellStatus", ["00000000000000aa"]),
                    scene.aria2.object("getVersion", secret: "wrong"),
                ]
            )
            #expect(answers.count == 3)
            #expect(answers[1]["error"]?["message"]?.string?.contains("is not found") == true)
            // AriaNg translates this message.
            #expect(answers[2]["error"]?["message"] == "Unauthorized")
        }
    }
}
