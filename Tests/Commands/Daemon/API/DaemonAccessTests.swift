import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Each route, requested with each authority for the downloads of each owner.
    ///
    /// The daemon's own document tells which routes there are and which demands each makes; the
    /// expected result is that of the one function that decides.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonAccessTests {
        /// The owner of a download, and its folder.
        private struct Origin: Sendable {
            var authority: Authority
            var owner: DownloadOwner
            var isInFolder = true
        }

        private static let origins = [
            Origin(authority: .user, owner: .user),
            Origin(authority: .user, owner: .user, isInFolder: false),
            Origin(authority: .page, owner: .page),
            Origin(authority: AccessScene.main, owner: .token(TokenName.main)),
            Origin(authority: AccessScene.adder, owner: .token("adder")),
        ]

        /// Whether a rule distinguishes whose download or session the demand concerns.
        private static func dependsOnOwner(_ demand: Demand) -> Bool {
            AccessScene.authorities.contains { authority in
                let decisions = origins.map {
                    AccessRules.decision(on: demand, by: authority, owner: $0.owner)
                }
                return Set(decisions).count > 1
            }
        }

        /// Not each of them has a session.
        private static func origins(of demand: Demand) -> [Origin] {
            guard dependsOnOwner(demand) else { return [origins[0]] }
            guard sessionDemands.contains(demand) else { return origins }
            return origins.filter { origin in
                origin.isInFolder
                    && AccessRules.decision(on: .makeSession, by: origin.authority) == .allowed
            }
        }

        private static let sessionDemands: Set<Demand> = [
            .addToSession, .useSession, .forgetSession,
        ]

        private struct Case: Sendable {
            var authority: Authority
            var method: String
            var path: String
            var body: String?
            var expected: Int
            /// A download that is to stay as it is.
            var untouched: Int64?
            var about: String
        }

        /// A request that makes one demand; `id` and `session` are not used by any other request.
        private struct Request {
            var path: String
            var body: String?
            var isOutside = false
            /// The status if it is allowed; `nil` for that of the document.
            var success: Int?
        }

        private static let overwrite = #","settings":{"ifExists":"overwrite"}"#
        private static let adopt =
            #","settings":{"adoptsPartialFile":true,"checksum":"sha256=\#(digest)"}"#
        private static let digest = String(repeating: "0", count: 64)

        private func requests(
            _ route: String,
            _ demand: Demand,
            _ id: Int64,
            _ session: String,
            _ network: NetworkScene
        ) -> [Request] {
            let path = String(route.split(separator: " ")[1].prefix { $0 != "{" })
            func change(_ change: String) -> [Request] {
                let body = #"{"selection":{"targets":["\#(id)"]},"changes":{\#(change)}}"#
                return [Request(path: path, body: body)]
            }
            switch (route, demand) {
            case ("POST /v1/downloads", _), ("POST /v1/imports", _):
                return additions(demand, path, id, session, network)
            case ("POST /v1/actions/{action}", _):
                let actions: [Demand: [QueueAction]] = [
                    .control: [.pause, .moveFirst, .moveLast], .remove: [.remove],
                    .discard: id.isMultiple(of: 2) ? [.cancel] : [.removeWithFiles],
                ]
                return (actions[demand] ?? []).map { action in
                    Request(path: APIPath.action(action), body: #"{"targets":["\#(id)"]}"#)
                }
            case _ where path.hasPrefix(APIPath.feeds) && demand != .read:
                return feedRequests(route, demand, id, session, network)
            case (_, .undo): return [Request(path: path)]
            case ("POST /v1/changes", .control): return change(#""priority":"high""#)
            case ("POST /v1/changes", .readdress):
                return change(#""url":"http://example.net/a""#)
                    + change(#""fields":[{"name":"A","value":"b"}]"#)
            case ("POST /v1/changes", .rename): return change(#""name":"renamed-\#(id)""#)
            case ("POST /v1/changes", .describe): return change(#""taskDescription":"x""#)
            case ("GET /v1/events", .useSession):
                return [Request(path: "\(path)?session=\(session)&process=\(id)")]
            case ("POST /v1/sessions", .useSession):
                let body = #"{"identifier":"\#(session)","limitBytesPerSecond":1000}"#
                return [Request(path: path, body: body)]
            case ("POST /v1/sessions", .makeSession):
                return [Request(path: path, body: #"{"identifier":"new-\#(id)"}"#)]
            case ("POST /v1/sessions", .setCommand):
                let body = #"{"identifier":"run-\#(id)","relaunchCommand":["/bin/true"]}"#
                return [Request(path: path, body: body)]
            case ("DELETE /v1/sessions", .forgetSession):
                return [Request(path: "\(path)?session=\(session)")]
            case ("POST /v1/acknowledgements", .useSession):
                return [Request(path: path, body: #"{"session":"\#(session)","event":1}"#)]
            case ("POST /v1/labels", .changeLabels): return labelRequests(path, id, network)
            case ("DELETE /v1/labels", .changeLabels):
                return [Request(path: "\(path)?label=label-\(id)")]
            case (_, .manageFleet): return [Self.fleetRequest(path)]
            case ("PATCH /v1/settings", .changeSettings):
                return [Request(path: path, body: #"{"maximumConcurrentDownloads":7}"#)]
            case ("PATCH /v1/settings", .changeBounds):
                return [Request(path: path, body: #"{"allowsPrivateAddresses":false}"#)]
            case ("POST /v1/login", .open):
                return [Request(path: path, body: #"{"token":"\#(network.token)"}"#)]
            case (_, .letIn): return letInRequests(route, path, id)
            case (_, .read) where route.hasPrefix("GET "), (_, .readSecrets), (_, .readAuditLog),
                ("GET /readyz", .open):
                return [Request(path: String(route.dropFirst(4)).replacing("{id}", with: "\(id)"))]
            default: return []
            }
        }

        private func labelRequests(
            _ path: String,
            _ id: Int64,
            _ network: NetworkScene
        ) -> [Request] {
            let folders = [
                (network.scene.home.path("Downloads"), false),
                (network.scene.workshop.folder.path, true),
            ]
            return folders.map { folder, isOutside in
                let body = #"{"name":"label-\#(id)","folder":"\#(folder)/x"}"#
                return Request(path: path, body: body, isOutside: isOutside)
            }
        }

        private func letInRequests(_ route: String, _ path: String, _ id: Int64) -> [Request] {
            switch route {
            case "POST /v1/tokens":
                [Request(path: path, body: #"{"name":"token-\#(id)","scope":"read"}"#)]
            case "DELETE /v1/tokens": [Request(path: "\(path)?token=\(AccessScene.spare)")]
            default: [Request(path: path)]
            }
        }

        private static func fleetRequest(_ path: String) -> Request {
            // The daemon has its queue for itself.
            path == APIPath.drain
                ? Request(path: "\(path)?node=a", success: 409)
                : Request(path: path, body: #"{"kind":"not-found"}"#)
        }

        private func feedRequests(
            _ route: String,
            _ demand: Demand,
            _ id: Int64,
            _ session: String,
            _ network: NetworkScene
        ) -> [Request] {
            switch (route, demand) {
            case ("POST /v1/feeds", _): return feeds(demand, APIPath.feeds, id, session, network)
            case ("POST /v1/feeds/{id}/check", _):
                return [Request(path: APIPath.feedCheck(id))]
            case ("PATCH /v1/feeds/{id}", .control):
                return [Request(path: APIPath.feed(id), body: #"{"rules":{"newest":2}}"#)]
            case ("PATCH /v1/feeds/{id}", .readdress):
                let body = #"{"url":"http://example.net/\#(id)"}"#
                return [Request(path: APIPath.feed(id), body: body)]
            case ("PATCH /v1/feeds/{id}", .rename):
                let folder = network.scene.home.path("Downloads/x/")
                return [Request(path: APIPath.feed(id), body: #"{"destination":"\#(folder)"}"#)]
            case ("PATCH /v1/feeds/{id}", .addToSession):
                return [Request(path: APIPath.feed(id), body: #"{"session":"\#(session)"}"#)]
            case ("DELETE /v1/feeds/{id}", _): return [Request(path: APIPath.feed(id))]
            default: return []
            }
        }

        private func additions(
            _ demand: Demand,
            _ path: String,
            _ id: Int64,
            _ session: String,
            _ network: NetworkScene
        ) -> [Request] {
            func add(_ more: String, outside isOutside: Bool = false) -> Request {
                let folder =
                    isOutside
                    ? network.scene.workshop.folder.path : network.scene.home.path("Downloads")
                let url = #""url":"http://example.org/\#(id)","isPaused":true"#
                let new = #"{\#(url),"destination":"\#(folder)/"\#(more)}"#
                let body = path == APIPath.imports ? new : #"{"downloads":[\#(new)]}"#
                return Request(path: path, body: body, isOutside: isOutside)
            }
            return switch demand {
            case .add: [add(""), add("", outside: true)]
            case .replace:
                [add(Self.overwrite), add(Self.adopt), add(Self.overwrite, outside: true)]
            case .addFromFiles: [add(#","settings":{"authoritiesFile":"/etc/hosts"}"#)]
            case .addToSession: [add(#","session":"\#(session)","taskIdentifier":1"#)]
            default: []
            }
        }

        private func feeds(
            _ demand: Demand,
            _ path: String,
            _ id: Int64,
            _ session: String,
            _ network: NetworkScene
        ) -> [Request] {
            let isNew = demand == .addFeed
            return additions(isNew ? .add : demand, path, id, session, network).compactMap {
                // A feed has several downloads, none of which has an identifier yet.
                let body = $0.body?.replacing(#","taskIdentifier":1"#, with: "")
                    .replacing(
                        #"{"downloads":[{"#,
                        with: #"{"rules":{"everySeconds":0},"download":{"#
                    )
                    .replacing("}]}", with: "}}")
                return Request(path: path, body: body, isOutside: $0.isOutside)
            }
        }

        @Test func `each route does for each authority what the rules allow and no more`()
            async throws
        {
            let access = try await AccessScene.make()
            let operations = try APIReading.document().operations
            var targets = Targets(access)
            var cases: [Case] = []
            var seen: Set<Demand> = []
            for operation in operations {
                let demands = operation.value["x-demands"]?.items.compactMap(\.text) ?? []
                #expect(!demands.isEmpty, "\(operation.name) has no rule")
                for word in demands {
                    let demand = try #require(Demand(rawValue: word))
                    seen.insert(demand)
                    cases += try await make(operation, demand, &targets)
                }
            }
            // Only a method of aria2's RPC ends the daemon.
            #expect(seen == Set(Demand.allCases).subtracting([.shutDown]))
            #expect(cases.count > 400)
            let before = try await rows(access)
            try await run(cases, access)
            let after = try await rows(access)
            for id in Set(cases.compactMap(\.untouched)) {
                #expect(after[id] == before[id], "download \(id)")
            }
        }

        private func make(
            _ operation: APIReading.Operation,
            _ demand: Demand,
            _ targets: inout Targets
        ) async throws -> [Case] {
            var cases: [Case] = []
            let route = "\(operation.method) \(operation.path)"
            let success = operation.success?.status ?? 0
            for authority in AccessScene.authorities {
                for origin in Self.origins(of: demand) {
                    let isFeed = operation.path.hasPrefix("/v1/feeds/")
                    guard
                        let target = isFeed
                            ? try await targets.nextFeed(origin, demand)
                            : try await targets.next(origin, demand)
                    else { continue }
                    let asked = requests(
                        route,
                        demand,
                        target.id,
                        target.session,
                        targets.access.network
                    )
                    #expect(!asked.isEmpty, "\(route): no request of this test makes '\(demand)'")
                    let decision = AccessRules.decision(
                        on: demand,
                        by: authority,
                        owner: Self.dependsOnOwner(demand) ? origin.owner : nil
                    )
                    for request in asked {
                        let isAllowed =
                            decision == .allowed
                            || decision == .allowedInFolders && origin.isInFolder
                                && !request.isOutside
                        let refusal = authority == .nobody ? 401 : 403
                        cases.append(
                            Case(
                                authority: authority,
                                method: operation.method,
                                path: request.path,
                                body: request.body,
                                expected: isAllowed ? request.success ?? success : refusal,
                                untouched: isAllowed || isFeed || !Self.dependsOnOwner(demand)
                                    ? nil : target.id,
                                about: "\(route) as \(authority), \(demand) of \(origin)"
                            )
                        )
                    }
                }
            }
            return cases
        }

        private func run(_ cases: [Case], _ access: AccessScene) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, one) in cases.enumerated() {
                    if index >= 16 { try await group.next() }
                    group.addTask {
                        let answer = try await access.ask(
                            one.authority,
                            one.method,
                            one.path,
                            one.body
                        )
                        let text = "\(one.about): \(one.body ?? one.path): \(answer.body)"
                        #expect(answer.status == one.expected, "\(text)")
                        guard one.expected == 403 else { return }
                        #expect(answer.problem?.code == .notAllowed, "\(text)")
                        #expect(answer.problem?.advice?.isEmpty == false, "\(text)")
                    }
                }
                try await group.waitForAll()
            }
        }

        /// The members of each download except its position in the queue.
        private func rows(_ access: AccessScene) async throws -> [Int64: WireDownload] {
            let rows = try await access.network.scene.downloads().map { row in
                var row = row
                row.position = 0
                return (row.id, row)
            }
            return Dictionary(uniqueKeysWithValues: rows)
        }

        /// Downloads and sessions, each for one request.
        private struct Targets {
            let access: AccessScene
            private var left: [Bool: [Authority: [Int64]]] = [:]
            private var number = 0

            init(_ access: AccessScene) { self.access = access }

            mutating func next(
                _ origin: Origin,
                _ demand: Demand
            ) async throws -> (id: Int64, session: String)? {
                if left[origin.isInFolder]?[origin.authority]?.isEmpty != false {
                    let ids = try await add(origin)
                    left[origin.isInFolder, default: [:]][origin.authority] = ids
                }
                let session = try await nextSession(origin, demand)
                let id = left[origin.isInFolder]?[origin.authority]?.popLast()
                return id.map { ($0, session) }
            }

            /// Returns the name of a session, which is registered if the demand concerns it.
            private mutating func nextSession(
                _ origin: Origin,
                _ demand: Demand
            ) async throws -> String {
                number += 1
                let session = "\(origin.owner.text)-\(number)".replacing(":", with: "-")
                guard DaemonAccessTests.sessionDemands.contains(demand) else { return session }
                let answer = try await access.ask(
                    origin.authority,
                    "POST",
                    "/v1/sessions",
                    #"{"identifier":"\#(session)"}"#
                )
                #expect(answer.status == 200, "\(answer.body)")
                return session
            }

            /// Adds a feed; returns `nil` if the authority may not add any.
            mutating func nextFeed(
                _ origin: Origin,
                _ demand: Demand
            ) async throws -> (id: Int64, session: String)? {
                guard AccessRules.decision(on: .addFeed, by: origin.authority) != .refused else {
                    return nil
                }
                let session = try await nextSession(origin, demand)
                let home = access.network.scene.home.path("Downloads")
                let folder = origin.isInFolder ? home : access.network.scene.workshop.folder.path
                let url = "http://127.0.0.1:1/\(number)"
                let answer = try await access.ask(
                    origin.authority,
                    "POST",
                    APIPath.feeds,
                    #"{"rules":{"everySeconds":0},"download":{"url":"\#(url)","#
                        + #""destination":"\#(folder)/"}}"#
                )
                #expect(answer.status == 201, "\(answer.body)")
                let feed = try WireJSON.decode(WireFeed.self, from: answer.body.utf8)
                #expect(feed.owner == origin.owner)
                return (feed.id, session)
            }

            /// Adds many in one request.
            private func add(_ origin: Origin) async throws -> [Int64] {
                let network = access.network
                let folder =
                    origin.isInFolder
                    ? network.scene.home.path("Downloads") : network.scene.workshop.folder.path
                let downloads = (0..<100).map { index in
                    let url = "http://example.org/\(origin.owner.text)-\(index)"
                    return #"{"url":"\#(url)","destination":"\#(folder)/","isPaused":true}"#
                }
                let answer = try await access.ask(
                    origin.authority,
                    "POST",
                    "/v1/downloads",
                    #"{"downloads":[\#(downloads.joined(separator: ","))]}"#
                )
                #expect(answer.status == 201, "\(answer.body)")
                let outcome = try WireJSON.decode(WireOutcome.self, from: answer.body.utf8)
                #expect(outcome.downloads.allSatisfy { $0.owner == origin.owner })
                return outcome.downloads.map(\.id)
            }
        }
    }
}
