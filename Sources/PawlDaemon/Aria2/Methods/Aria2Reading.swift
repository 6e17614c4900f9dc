internal import PawlCore
internal import PawlWire

/// The methods that report downloads.
enum Aria2Reading {
    /// The maximum number of downloads in a list.
    private static let most = 10_000

    // MARK: - One download

    static func status(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        let keys = try call.parameters.optionalTexts(1)
        let written = try await written(download, keys, call)
        return Aria2Status(download, call.gid(download), written: written).value(keys)
    }

    /// Returns the written ranges of a download if its status contains them.
    private static func written(
        _ download: WireDownload,
        _ keys: [String]?,
        _ call: Aria2Call
    ) async throws -> [WireSegments.Part]? {
        guard download.state != .finished, keys?.contains("bitfield") ?? true || keys == [] else {
            return nil
        }
        return try await DownloadHandlers(queue: call.queue).segments(of: download).written
    }

    static func uris(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        guard !download.state.isEnd else {
            throw Aria2Error("No URI data is available for GID#\(call.gid(download))")
        }
        return Aria2Status(download, call.gid(download)).uris
    }

    static func files(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        return Aria2Status(download, call.gid(download)).files
    }

    static func peers(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        guard download.state.isActive else {
            throw Aria2Error("No peer data is available for GID#\(call.gid(download))")
        }
        return []
    }

    static func servers(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        guard download.state.isActive else {
            throw Aria2Error("No active download for GID#\(call.gid(download))")
        }
        let server: JSONValue = [
            "currentUri": .text(download.url),
            "downloadSpeed": .text("\(download.bytesPerSecond ?? 0)"),
            "uri": .text(download.url),
        ]
        return [["index": "1", "servers": [server]]]
    }

    // MARK: - Lists

    static func active(_ call: Aria2Call) async throws -> JSONValue {
        let keys = try call.parameters.optionalTexts(0)
        let downloads = try await call.queue.store.read { try $0.order.running() }
        var list = List(keys, call)
        try list.add(call.queue.running.overlay(downloads))
        return .list(list.values)
    }

    static func list(_ part: DownloadOrder.Part, _ call: Aria2Call) async throws -> JSONValue {
        let offset = try call.parameters.number(0)
        let count = min(try call.parameters.count(1), most)
        let keys = try call.parameters.optionalTexts(2)
        // Page by page, so that a list of long URLs ends at its limit.
        let list = try await call.queue.store.read { transaction -> List? in
            var (list, next) = (List(keys, call), offset)
            while list.values.count < count {
                let downloads = try transaction.order.downloads(
                    part,
                    offset: next,
                    count: min(page, count - list.values.count)
                )
                // A negative offset goes backwards.
                next += next < 0 ? -downloads.count : downloads.count
                // The store reports only errors of its own.
                guard (try? list.add(downloads)) != nil else { return nil }
                if downloads.count < page { break }
            }
            return list
        }
        guard let list else { throw Aria2Error.tooMuch }
        return .list(list.values)
    }

    /// The number of downloads that are read at a time.
    private static let page = 500

    /// A list of limited size.
    private struct List: Sendable {
        private(set) var values: [JSONValue] = []
        private let keys: [String]?
        private let call: Aria2Call
        private var size = 0

        init(_ keys: [String]?, _ call: Aria2Call) { (self.keys, self.call) = (keys, call) }

        mutating func add(_ downloads: [WireDownload]) throws(Aria2Error) {
            for download in downloads {
                let value = Aria2Status(download, call.gid(download)).value(keys)
                size += JSONWriter.size(of: value)
                guard size <= call.room else { throw .tooMuch }
                values.append(value)
            }
        }
    }

    // MARK: - All downloads

    static func globalStatistics(_ call: Aria2Call) async throws -> JSONValue {
        let counts = try await call.queue.store.read { try $0.downloads.counts() }
        func count(_ matches: (TaskState) -> Bool) -> Int {
            TaskState.allCases.filter(matches).map { counts[$0.rawValue] ?? 0 }.reduce(0, +)
        }
        let stopped = JSONValue.text("\(count(\.isEnd))")
        return [
            "downloadSpeed": .text("\(call.queue.running.bytesPerSecond)"),
            "numActive": .text("\(count(\.isActive))"),
            "numStopped": stopped,
            "numStoppedTotal": stopped,
            "numWaiting": .text("\(count { !$0.isEnd && !$0.isActive })"),
            "uploadSpeed": "0",
        ]
    }
}
