internal import struct FoundationEssentials.URL
internal import PawlCore
internal import PawlWire

/// The methods that control downloads.
enum Aria2Control {
    // MARK: - States

    static func remove(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        guard !download.state.isEnd else {
            throw Aria2Error("Active Download not found for GID#\(call.gid(download))")
        }
        try await call.act(.cancel, on: download)
        return .text(call.gid(download))
    }

    static func pause(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        guard !download.state.isEnd, download.state != .paused else {
            throw Aria2Error("GID#\(call.gid(download)) cannot be paused now")
        }
        try await call.act(.pause, on: download)
        return .text(call.gid(download))
    }

    static func resume(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        guard download.state == .paused || download.state == .suspended else {
            throw Aria2Error("GID#\(call.gid(download)) cannot be unpaused now")
        }
        try await call.act(.resume, on: download)
        return .text(call.gid(download))
    }

    static func pauseAll(_ call: Aria2Call) async throws -> JSONValue {
        try await act(.pause, on: nil, call)
    }

    /// Resumes paused downloads only: failed ones stay as they are, as in aria2.
    static func resumeAll(_ call: Aria2Call) async throws -> JSONValue {
        try await act(.resume, on: [.paused, .suspended], call)
    }

    static func removeAllEnded(_ call: Aria2Call) async throws -> JSONValue {
        try await act(.remove, on: [.finished, .failed, .cancelled], call)
    }

    private static func act(
        _ action: QueueAction,
        on states: Set<TaskState>?,
        _ call: Aria2Call
    ) async throws -> JSONValue {
        let selection = Selection(all: true, states: states)
        call.changed.adding(
            try await call.queue.act(action, on: selection, by: call.authority)
        )
        return Aria2Method.ok
    }

    static func removeEnded(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        guard download.state.isEnd else {
            throw Aria2Error("Could not remove download result of GID#\(call.gid(download))")
        }
        try await call.act(.remove, on: download)
        return Aria2Method.ok
    }

    // MARK: - Positions

    static func changePosition(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        let position = try call.parameters.number(1)
        let how = try call.parameters.text(2)
        let ids = try await call.queue.store.read { try $0.order.waiting() }
        guard let index = ids.firstIndex(of: download.id) else {
            throw Aria2Error("GID#\(call.gid(download)) not found in the waiting queue.")
        }
        let base: Int
        switch how {
        case "POS_SET": base = 0
        case "POS_CUR": base = index
        case "POS_END": base = ids.count - 1
        default: throw Aria2Error("Illegal argument.")
        }
        // More than the whole queue is not needed, and could overflow.
        let offset = min(max(position, -ids.count), ids.count)
        let target = min(max(0, base + offset), ids.count - 1)
        return .number(try await move(download, in: ids, to: target, call))
    }

    /// Moves a waiting download as near to a position as its priority allows; returns its position.
    static func move(
        _ download: WireDownload,
        in ids: [Int64],
        to target: Int,
        _ call: Aria2Call
    ) async throws -> Int {
        let positions = try await call.queue.store.read {
            try $0.order.positions(of: download.priority)
        }
        // Downloads of a higher priority start before, whatever their positions are.
        let last = max(positions.lowerBound, positions.upperBound - 1)
        let target = min(max(target, positions.lowerBound), last)
        guard let index = ids.firstIndex(of: download.id), index != target else { return target }
        var others = ids
        others.remove(at: index)
        if target >= last || target >= others.count {
            try await call.act(.moveLast, on: download)
        } else {
            var changes = DownloadChanges()
            changes.before = others[target]
            try await call.change(download, changes)
        }
        let now = try await call.queue.store.read { try $0.order.waiting() }
        return now.firstIndex(of: download.id) ?? target
    }

    // MARK: - URIs

    static func changeURIs(_ call: Aria2Call) async throws -> JSONValue {
        let download = try await call.download()
        guard try call.parameters.number(1) == 1 else {
            throw Aria2Error("fileIndex is out of range")
        }
        let (deleted, added) = (try call.parameters.texts(2), try call.parameters.texts(3))
        let position = try call.parameters.optionalNumber(4)
        guard let request = try await call.request(of: download) else {
            throw Aria2Error("Cannot remove URIs from GID#\(call.gid(download))")
        }
        let shown = [download.url] + (download.mirrors ?? [])
        let mirrors = request.settings?[\.mirrors]?.map(\.absoluteString) ?? []
        // Clients know the URLs as they are shown to them: without secrets.
        var uris = zip([request.url] + mirrors, shown).map { (given: $0, shown: $1) }
        let before = uris.count
        for uri in deleted {
            // A comparison with the secret one would answer guesses.
            if let index = uris.firstIndex(where: { $0.shown == uri }) {
                uris.remove(at: index)
            }
        }
        let removed = before - uris.count
        let index = min(max(0, position ?? uris.count), uris.count)
        uris.insert(contentsOf: added.map { (given: $0, shown: $0) }, at: index)
        guard let first = uris.first else {
            throw Aria2Error("a download needs at least one URI; give another one in addUris")
        }
        guard uris.dropFirst().map(\.given) == mirrors else {
            throw Aria2Error(
                "the mirrors of a download cannot change; give them when it is added"
            )
        }
        if first.given != request.url {
            var changes = DownloadChanges()
            changes.url = first.given
            try await call.change(download, changes)
        }
        return [.number(removed), .number(added.count)]
    }
}
