internal import PawlCore

/// A method of aria2's RPC, and the function that answers it.
package struct Aria2Method: Sendable {
    package let name: String
    /// The demands that a call may make; a client that may make none of them is refused.
    package let demands: [Demand]
    /// Whether the daemon ends after the response.
    let endsDaemon: Bool
    let respond: @Sendable (Aria2Call) async throws -> JSONValue

    private init(
        _ name: String,
        _ demands: [Demand] = [.read],
        endsDaemon: Bool = false,
        respond: @escaping @Sendable (Aria2Call) async throws -> JSONValue
    ) {
        self.name = "aria2.\(name)"
        (self.demands, self.endsDaemon, self.respond) = (demands, endsDaemon, respond)
    }

    /// Whether a call may change something.
    var changes: Bool { demands != [.read] }

    /// Throws `.notAllowed` if a client may make none of the demands.
    func check(_ authority: Authority) throws(DownloadError) {
        let isRefused = demands.allSatisfy {
            AccessRules.decision(on: $0, by: authority) == .refused
        }
        if isRefused { throw AccessRules.refusal(of: demands.first, to: authority) }
    }

    static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The results of the methods that need no secret.
    static let open: [String: JSONValue] = [
        "system.listMethods": .list(
            (all.map(\.name) + [
                "system.multicall", "system.listMethods", "system.listNotifications",
            ])
            .map { .text($0) }
        ),
        "system.listNotifications": .list(Aria2Notification.names.map { .text($0) }),
    ]

    /// The methods that need a secret, in the order of aria2's manual.
    package static let all: [Aria2Method] = adding + control + reading + options + service

    private static let adding: [Aria2Method] = [
        Aria2Method("addUri", [.add], respond: Aria2Adding.addURIs),
        Aria2Method("addTorrent", [.add]) { call in
            _ = try call.parameters.text(0)
            throw Aria2Error("BitTorrent is not supported.")
        },
        Aria2Method("addMetalink", [.add], respond: Aria2Adding.addMetalink),
    ]

    private static let control: [Aria2Method] = [
        Aria2Method("remove", [.discard], respond: Aria2Control.remove),
        Aria2Method("forceRemove", [.discard], respond: Aria2Control.remove),
        Aria2Method("pause", [.control], respond: Aria2Control.pause),
        Aria2Method("pauseAll", [.control], respond: Aria2Control.pauseAll),
        Aria2Method("forcePause", [.control], respond: Aria2Control.pause),
        Aria2Method("forcePauseAll", [.control], respond: Aria2Control.pauseAll),
        Aria2Method("unpause", [.control], respond: Aria2Control.resume),
        Aria2Method("unpauseAll", [.control], respond: Aria2Control.resumeAll),
        Aria2Method("changePosition", [.control], respond: Aria2Control.changePosition),
        Aria2Method("changeUri", [.readdress], respond: Aria2Control.changeURIs),
        Aria2Method("purgeDownloadResult", [.remove], respond: Aria2Control.removeAllEnded),
        Aria2Method("removeDownloadResult", [.remove], respond: Aria2Control.removeEnded),
    ]

    private static let reading: [Aria2Method] = [
        Aria2Method("tellStatus", respond: Aria2Reading.status),
        Aria2Method("getUris", respond: Aria2Reading.uris),
        Aria2Method("getFiles", respond: Aria2Reading.files),
        Aria2Method("getPeers", respond: Aria2Reading.peers),
        Aria2Method("getServers", respond: Aria2Reading.servers),
        Aria2Method("tellActive", respond: Aria2Reading.active),
        Aria2Method("tellWaiting") { try await Aria2Reading.list(.waiting, $0) },
        Aria2Method("tellStopped") { try await Aria2Reading.list(.ended, $0) },
        Aria2Method("getGlobalStat", respond: Aria2Reading.globalStatistics),
    ]

    private static let options: [Aria2Method] = [
        Aria2Method("getOption", respond: Aria2Options.show),
        Aria2Method("changeOption", [.control, .readdress, .rename], respond: Aria2Options.change),
        Aria2Method("getGlobalOption", respond: Aria2Options.showGlobal),
        Aria2Method("changeGlobalOption", [.changeSettings], respond: Aria2Options.changeGlobal),
    ]

    private static let service: [Aria2Method] = [
        Aria2Method("getVersion") { _ in
            ["enabledFeatures": .list(features), "version": .text(version)]
        },
        Aria2Method("getSessionInfo") { ["sessionId": .text($0.service.session)] },
        Aria2Method("shutdown", [.shutDown], endsDaemon: true) { _ in ok },
        Aria2Method("forceShutdown", [.shutDown], endsDaemon: true) { _ in ok },
        // The queue is always saved.
        Aria2Method("saveSession") { _ in ok },
    ]

    static let ok: JSONValue = "OK"

    /// The version of aria2 whose RPC this is.
    private static let version = "1.37.0"

    private static let features: [JSONValue] = [
        "Async DNS", "GZip", "HTTPS", "Message Digest", "Metalink", "XML-RPC", "SFTP",
    ]
}
