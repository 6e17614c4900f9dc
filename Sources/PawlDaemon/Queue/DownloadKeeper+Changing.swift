internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Changing downloads that are there.
extension DownloadKeeper {
    /// Changes all that are meant, or none.
    ///
    /// - Throws: `.notAllowed` for what may not be changed, among others.
    func change(
        _ selection: Selection,
        _ changes: DownloadChanges,
        by authority: Authority
    ) throws(DownloadError) -> WireOutcome {
        let rules = networkRules
        guard !changes.isEmpty else {
            throw DownloadError(.usage, "nothing is to be changed", advice: "say what")
        }
        try Self.check(changes)
        let (rows, last) = try store.writeWithRoom { transaction in
            var rows: [WireDownload] = []
            let selected = try transaction.select(selection, states: ListQuery.unfinished)
            let bounds = Bounds(rules: rules, authority: authority)
            if selected.count > 1, changes.name != nil || changes.before != nil {
                throw Self.onlyOne
            }
            for item in selected {
                guard item.download.state != .finished else {
                    guard item.isNamed else { continue }
                    throw Self.finished(item.download)
                }
                var isConfined = false
                for demand in changes.demands {
                    let owner = item.download.owner ?? .user
                    let isBound = try AccessRules.check(demand, by: authority, owner: owner)
                    isConfined = isConfined || isBound
                }
                var row = item.download
                // It may have been decided in this moment.
                row.path = row.path ?? live.path(of: row.id)
                let within = isConfined ? bounds : nil
                rows.append(try Self.change(row, changes, within: within, transaction))
            }
            if let before = changes.before, let row = rows.first {
                rows = try Self.move(row, before: before, transaction)
            }
            return (rows, try transaction.lastEvent())
        }
        for (index, row) in rows.enumerated() {
            // Behind it are those that have made room.
            follow(row, index == 0 || changes.before == nil ? changes : DownloadChanges())
        }
        let outcome = WireOutcome(downloads: rows, lastEvent: last)
        published(outcome)
        return outcome
    }

    private static func check(_ changes: DownloadChanges) throws(DownloadError) {
        _ = try changes.settings.settings()
        if let text = changes.taskDescription { try NewDownload.checkDescription(text) }
        guard let name = changes.name else { return }
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"),
            !name.holdsUnsafeToShow, !FileName.isTooLong(name)
        else {
            throw DownloadError(
                .usage,
                "'\(name.sanitized(atMost: 100))' is no name of a file",
                advice: "give a name without folders, of 245 bytes at most"
            )
        }
    }

    /// The limits of someone who may change downloads in allowed folders alone.
    private struct Bounds {
        var rules: NetworkRules
        var authority: Authority

        /// What was asked for, kept to an allowed folder.
        ///
        /// - Throws: `.notAllowed`.
        func confine(
            _ request: NewDownload,
            _ row: WireDownload,
            _ changes: DownloadChanges
        ) throws(DownloadError) -> NewDownload {
            if let name = changes.name { try NetworkRules.checkName(name) }
            let isOtherFile = changes.name != nil || changes.url != nil
            if isOtherFile, request.mayReplace {
                try AccessRules.check(.replace, by: authority)
            }
            guard request.confinedTo == nil else { return request }
            // Another URL or name makes it what was asked for by who asks now.
            var request = request
            request.confinedTo = try rules.root(of: row.path ?? request.destination)
            return request
        }
    }

    private static func change(
        _ download: WireDownload,
        _ changes: DownloadChanges,
        within bounds: Bounds?,
        _ transaction: StoreTransaction
    ) throws -> WireDownload {
        var row = download
        row.priority = changes.priority ?? row.priority
        if let date = changes.notBefore {
            row.notBefore = date > Date() ? date : nil
            // It is not the time of another try any more.
            row.failures = nil
        }
        if let text = changes.taskDescription { row.taskDescription = text.isEmpty ? nil : text }
        if changes.concernRequest {
            guard let body = try transaction.request(of: row.id) else { throw finished(row) }
            var request = try WireJSON.decode(NewDownload.self, from: body)
            if let bounds { request = try bounds.confine(request, row, changes) }
            try change(&request, &row, changes, transaction)
            row.url = try request.checked().url.redacted
            try transaction.setRequest(try WireJSON.encode(request), of: row.id)
        }
        try transaction.save(row)
        try transaction.append(.changed, row, at: Date())
        return row
    }

    private static func change(
        _ request: inout NewDownload,
        _ row: inout WireDownload,
        _ changes: DownloadChanges,
        _ transaction: StoreTransaction
    ) throws {
        try request.change(url: changes.url, settings: changes.settings)
        if let limit = changes.settings[\.limitBytesPerSecond] {
            row.limitBytesPerSecond = limit
            try transaction.setLimit(limit, of: row.id)
        }
        if let name = changes.name { try rename(&request, &row, name, transaction) }
    }

    /// What has come of it is renamed when its next run begins: until then that of this one has it.
    private static func rename(
        _ request: inout NewDownload,
        _ row: inout WireDownload,
        _ name: String,
        _ transaction: StoreTransaction
    ) throws {
        let place = row.path ?? request.destination
        guard let slash = place.lastIndex(of: "/") else { return }
        let path = String(place[...slash]) + name
        let replaces = request.settings?[\.ifExists] == .overwrite
        // One that it has already may come back before another change was done.
        let isNew = path != row.path
        guard !isNew || !LeftoverNames.isTaken(name, beside: place, replaces: replaces) else {
            throw Conflict.error(
                "\(path.sanitized) is there already",
                advice: "choose another name"
            )
        }
        request.destination = path
        row.destination = path.sanitized
        row.name = name.sanitized
        try transaction.setDestination(row.destination, of: row.id)
        try transaction.setNewName(isNew ? name : nil, of: row.id)
    }

    private func follow(_ row: WireDownload, _ changes: DownloadChanges) {
        if changes.notBefore != nil { retryTimes[row.id] = nil }
        if changes.name != nil { newNames.insert(row.id) }
        if row.state == .waiting { wait(entry(of: row)) }
        guard row.state.isActive else { return }
        if changes.settings[\.limitBytesPerSecond] != nil {
            live[row.id]?.limitBytesPerSecond = row.limitBytesPerSecond
        }
        // What runs begins again with what is new.
        if changes.needRestart || row.notBefore != nil { restart(row.id) }
    }

    func restart(_ id: Int64) {
        guard let task = live[id] else { return }
        stopAnnouncing(of: id)
        task.end(keeping: true)
        restarts.insert(id)
    }

    private static func finished(_ download: WireDownload) -> DownloadError {
        Conflict.error(
            "download \(download.id) (\(download.name)) has finished",
            advice: "add it anew"
        )
    }

    private static let onlyOne = DownloadError(
        .usage,
        "one name or one place for several downloads",
        advice: "name one download"
    )
}

extension DownloadChanges {
    fileprivate var needRestart: Bool {
        // A limit holds at once.
        url != nil || name != nil || !settings.keeping { $0.path != \.limitBytesPerSecond }.isEmpty
    }

    /// Which rights it takes.
    fileprivate var demands: [Demand] {
        var demands: [Demand] = []
        let plain = settings.withoutSecrets
        if url != nil || settings != plain { demands.append(.readdress) }
        if name != nil { demands.append(.rename) }
        if taskDescription != nil { demands.append(.describe) }
        if priority != nil || before != nil || notBefore != nil || !plain.isEmpty {
            demands.append(.control)
        }
        return demands
    }

    fileprivate var concernRequest: Bool { needRestart || !settings.isEmpty }
}
