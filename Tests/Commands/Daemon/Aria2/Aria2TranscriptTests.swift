import Glibc
import PawlCore
import PawlTesting
import Testing

extension DaemonSuites {
    /// The same calls to the daemon and to aria2 itself.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct Aria2TranscriptTests {
        private static let program = "/usr/bin/aria2c"
        private static var isInstalled: Bool { access(program, X_OK) == 0 }

        /// The responses by the names of the calls.
        private typealias Transcript = [(name: String, response: String)]

        @Test(.enabled(if: isInstalled))
        func `each answer has the form of aria2's own`() async throws {
            let pawl = try await Aria2Scene.make()
            try await pawl.allowPrivateAddresses()
            let (aria2, endpoint) = try await start(pawl.scene.workshop)
            let own = try await transcript(pawl.aria2, pawl.scene.workshop)
            let real = try await transcript(endpoint, pawl.scene.workshop)
            #expect(own.map(\.name) == real.map(\.name))
            for (own, real) in zip(own, real) {
                #expect(own.response == real.response, "\(own.name)")
            }
            _ = try await endpoint.call("forceShutdown")
            await aria2.waitForExit()
        }

        @Test(.enabled(if: isInstalled))
        func `all methods of aria2, and no options that aria2 does not have`() async throws {
            let pawl = try await Aria2Scene.make()
            let (aria2, real) = try await start(pawl.scene.workshop)
            let methods = try await pawl.aria2.call("system.listMethods")
            let known = try await real.call("system.listMethods")
            #expect(Set(methods.values) == Set(known.values))
            let events = try await pawl.aria2.call("system.listNotifications").values
            let knownEvents = try await real.call("system.listNotifications").values
            #expect(Set(events).isSubset(of: knownEvents))
            let options = try await real.call("getGlobalOption").names
                .union(["out", "checksum", "pause", "gid"])
            for endpoint in [pawl.aria2, real] {
                let gid = try await endpoint.add(
                    "http://127.0.0.1:1/a",
                    options: ["pause": "true", "out": "a"]
                )
                let names = try await endpoint.call("getOption", gid).names
                #expect(names.contains("dir") && names.contains("max-download-limit"))
                #expect(names.isSubset(of: options), "\(names.subtracting(options))")
                let global = try await endpoint.call("getGlobalOption").names
                #expect(global.isSubset(of: options), "\(global.subtracting(options))")
            }
            _ = try await real.call("forceShutdown")
            await aria2.waitForExit()
        }

        private func start(_ workshop: Workshop) async throws -> (ProcessRunner, Aria2Endpoint) {
            let port = try UnusedPort.find()
            let folder = try workshop.folder.makeFolder("aria2")
            let settings = ProcessSettings(environment: ["HOME": folder])
            let runner = try ProcessRunner(
                Self.program,
                [
                    "--enable-rpc", "--rpc-listen-port=\(port)", "--rpc-secret=example",
                    "--dir=\(folder)", "--no-conf", "--split=1", "--file-allocation=none",
                ],
                workshop.complete(settings)
            )
            let isReady = await runner.waitForOutput(containing: "listening on TCP port \(port)")
            #expect(isReady, "\(runner.output)\(runner.errors)")
            return (
                runner, Aria2Endpoint(origin: "http://127.0.0.1:\(port)", secret: "example")
            )
        }

        // MARK: - Calls

        private func transcript(
            _ endpoint: Aria2Endpoint,
            _ workshop: Workshop
        ) async throws -> Transcript {
            let latch = Latch()
            workshop.serve(.resource(Resource(size: 5000)), at: "/small")
            workshop.serve(
                .resource(Resource(size: 3_000_000)).holdAfterBytes(1_500_000, until: latch),
                at: "/held"
            )
            var transcript: Transcript = []
            transcript += try await general(endpoint)
            transcript += try await ended(endpoint, workshop)
            transcript += try await running(endpoint, workshop)
            transcript += try await waiting(endpoint, workshop)
            transcript += try await wrong(endpoint)
            latch.release()
            return transcript
        }

        private func record(
            _ endpoint: Aria2Endpoint,
            _ name: String,
            _ method: String,
            _ parameters: JSONValue...
        ) async throws -> Transcript {
            let (status, value) = try await endpoint.respond(
                to: endpoint.object(method, parameters)
            )
            return [(name, "\(status) \(Self.shape(value))")]
        }

        private func general(_ endpoint: Aria2Endpoint) async throws -> Transcript {
            var transcript: Transcript = []
            for method in [
                "getVersion", "getGlobalStat", "getSessionInfo", "tellActive", "pauseAll",
                "unpauseAll", "forcePauseAll", "purgeDownloadResult", "system.listNotifications",
            ] {
                transcript += try await record(endpoint, method, method)
            }
            let call = endpoint.object("getVersion")
            let multicall: JSONValue = [
                [
                    "methodName": "aria2.getVersion",
                    "params": call["params"] ?? [],
                ],
                ["methodName": "system.multicall", "params": []], [:], 5,
            ]
            transcript += try await record(endpoint, "multicall", "system.multicall", multicall)
            let batch = try await endpoint.respond(to: [call, 5, endpoint.object("nothing")])
            transcript.append(("batch", "\(batch.status) \(Self.shape(batch.value))"))
            return transcript
        }

        private func ended(
            _ endpoint: Aria2Endpoint,
            _ workshop: Workshop
        ) async throws -> Transcript {
            var transcript: Transcript = []
            let small = try await endpoint.add(
                workshop.origin.url("/small"),
                options: ["out": "s.bin"]
            )
            try await endpoint.wait(for: "complete", of: small)
            let missing = try await endpoint.add(workshop.origin.url("/missing"))
            try await endpoint.wait(for: "error", of: missing)
            for (name, gid) in [("complete", small), ("error", missing)] {
                for method in [
                    "tellStatus", "getFiles", "getUris", "getServers", "getPeers", "pause",
                    "unpause",
                ] {
                    transcript += try await record(endpoint, "\(name) \(method)", method, gid)
                }
            }
            let keys: JSONValue = ["gid", "status", "errorCode"]
            transcript += try await record(endpoint, "keys", "tellStatus", missing, keys)
            transcript += try await record(endpoint, "stopped", "tellStopped", 0, 10, keys)
            transcript += try await record(endpoint, "last", "tellStopped", -1, 1, keys)
            transcript += try await record(endpoint, "removed", "removeDownloadResult", small)
            transcript += try await record(endpoint, "gone", "tellStatus", small)
            transcript += try await record(endpoint, "changed", "changeOption", missing, [:])
            return transcript
        }

        private func running(
            _ endpoint: Aria2Endpoint,
            _ workshop: Workshop
        ) async throws -> Transcript {
            let gid = try await endpoint.add(workshop.origin.url("/held"))
            // The length is known when the first bytes have been received.
            while try await endpoint.call("tellStatus", gid)["totalLength"] != "3000000" {
                try Task.checkCancellation()
            }
            var transcript: Transcript = []
            for method in ["tellStatus", "getFiles", "getUris", "getServers", "getPeers"] {
                transcript += try await record(endpoint, "running \(method)", method, gid)
            }
            let keys: JSONValue = ["gid", "status", "downloadSpeed"]
            transcript += try await record(endpoint, "active", "tellActive", keys)
            transcript += try await record(
                endpoint,
                "running position",
                "changePosition",
                gid,
                0,
                "POS_SET"
            )
            transcript += try await record(
                endpoint,
                "running result",
                "removeDownloadResult",
                gid
            )
            let options: JSONValue = ["max-download-limit": "10M"]
            transcript += try await record(endpoint, "option", "changeOption", gid, options)
            transcript += try await record(
                endpoint,
                "wrong option",
                "changeOption",
                gid,
                ["split": "x"]
            )
            return transcript + (try await record(endpoint, "remove", "forceRemove", gid))
        }

        private func waiting(
            _ endpoint: Aria2Endpoint,
            _ workshop: Workshop
        ) async throws -> Transcript {
            var gids: [JSONValue] = []
            for name in ["a", "b", "c"] {
                let url = workshop.origin.url("/\(name)")
                gids.append(try await endpoint.add(url, options: ["pause": "true"]))
            }
            var transcript: Transcript = []
            for method in ["tellStatus", "getUris", "getServers", "pause"] {
                transcript += try await record(endpoint, "paused \(method)", method, gids[0])
            }
            let moves: [(JSONValue, JSONValue)] = [
                (2, "POS_SET"), (-1, "POS_CUR"), (-2, "POS_END"), (9, "POS_SET"), (0, "FOO"),
            ]
            for (offset, how) in moves {
                let (status, value) = try await endpoint.respond(
                    to: endpoint.object("changePosition", [gids[0], offset, how])
                )
                // The positions themselves are compared, not only their form.
                let result = value["result"].map { "\($0)" } ?? Self.shape(value)
                transcript.append(("move \(offset) \(how)", "\(status) \(result)"))
            }
            let waiting = try await endpoint.call("tellWaiting", 0, 10, ["gid"]).values
            let order = waiting.map { item in gids.firstIndex { $0 == item["gid"] } ?? -1 }
            transcript.append(("order", "\(order)"))
            let backwards = try await endpoint.call("tellWaiting", -1, 2, ["gid"]).values
            let last = backwards.map { item in gids.firstIndex { $0 == item["gid"] } ?? -1 }
            transcript.append(("backwards", "\(last)"))
            let url = workshop.origin.url("/a")
            transcript += try await record(
                endpoint,
                "uris",
                "changeUri",
                gids[0],
                1,
                [.text(url)],
                [.text("\(url)2")]
            )
            transcript += try await record(endpoint, "file 2", "changeUri", gids[0], 2, [], [])
            return transcript
        }

        private func wrong(_ endpoint: Aria2Endpoint) async throws -> Transcript {
            var transcript: Transcript = []
            let unknown: JSONValue = "0000000000000001"
            for method in [
                "tellStatus", "getFiles", "getUris", "getServers", "getOption", "pause", "unpause",
                "remove", "forceRemove", "removeDownloadResult", "getPeers",
            ] {
                transcript += try await record(endpoint, "unknown \(method)", method, unknown)
                transcript += try await record(endpoint, "missing \(method)", method)
                transcript += try await record(endpoint, "number \(method)", method, 5)
            }
            transcript += try await record(endpoint, "no GID", "tellStatus", "zz")
            let gids: [JSONValue] = ["0123456789abcdef", "0123456789abcdee", "0123", "xyz"]
            for gid in gids + [gids[0]] {
                let options: JSONValue = ["gid": gid, "pause": "true"]
                let (status, value) = try await endpoint.respond(
                    to: endpoint.object("addUri", [["http://host/a"], options])
                )
                // aria2 reports a GID that it refuses as "No URI to download."; ours names it.
                transcript.append(("gid \(gid)", "\(status) \(value["result"] ?? .null)"))
            }
            // Two downloads have GIDs that begin like this.
            transcript += try await record(endpoint, "both", "tellStatus", "0123456789")
            transcript += try await record(
                endpoint,
                "abbreviated",
                "tellStatus",
                "0123456789abcdee",
                ["gid"]
            )
            transcript += try await record(endpoint, "no method", "nothing")
            transcript += try await record(endpoint, "no list", "addUri", "http://host/")
            transcript += try await record(endpoint, "no URI", "addUri", [])
            transcript += try await record(endpoint, "no Metalink", "addMetalink", "AAAA")
            transcript += try await record(
                endpoint,
                "no position",
                "addUri",
                ["http://host/"],
                [:],
                "x"
            )
            for body in [
                "{", "5", "[]", "[5]", #"{"id":1}"#, #"{"id":1,"method":5}"#,
                #"{"id":1,"method":"aria2.getVersion"}"#,
                #"{"id":1,"method":"aria2.getVersion","params":{}}"#,
                #"{"id":1,"method":"aria2.getVersion","params":["token:x"]}"#,
                #"{"method":"system.listMethods"}"#,
            ] {
                let answer = try await endpoint.ask("POST", "/jsonrpc", body)
                transcript.append((body, "\(answer.status) \(answer.body)"))
            }
            let call = "<methodCall><methodName>aria2.getVersion</methodName></methodCall>"
            for (path, body) in [("/rpc", call), ("/rpc", "<foo"), ("/other", "{}")] {
                let answer = try await endpoint.ask("POST", path, body)
                transcript.append(("\(path) \(body)", "\(answer.status) \(answer.body)"))
            }
            return transcript
        }

        // MARK: - Shapes

        /// The names and kinds of the values; messages of errors as they are.
        private static func shape(_ value: JSONValue) -> String {
            switch value {
            case .null: "null"
            case .truth: "truth"
            case .number(let number): number < 0 ? "\(number)" : "number"
            case .decimal: "decimal"
            case .text: "text"
            // All items of a list are alike, unless they are results of calls.
            case .list(let items):
                "[\(Set(items.map(shape)).sorted().joined(separator: ", "))]"
            case .members(let members):
                "{"
                    + members.sorted { $0.name < $1.name }.map { member in
                        member.name == "message"
                            ? "message: \(message(member.value))"
                            : "\(member.name): \(shape(member.value))"
                    }.joined(separator: ", ") + "}"
            }
        }

        /// GIDs differ.
        private static func message(_ value: JSONValue) -> String {
            let words = (value.string ?? "").split(separator: " ").map { word in
                let digits = word.hasPrefix("GID#") ? word.dropFirst(4) : word
                guard digits.utf8.count == 16, digits.allSatisfy(\.isHexDigit) else {
                    return String(word)
                }
                return word.hasPrefix("GID#") ? "GID#" : "GID"
            }
            return words.joined(separator: " ")
        }
    }
}
