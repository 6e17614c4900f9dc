internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Changes the requests, the names and the positions of downloads.
struct DownloadEditor {
    let parts: QueueParts

    /// Changes all downloads of a selection, or none.
    ///
    /// - Throws: `.notFound`, `.conflict`, `.usage`, and `.notAllowed` for a change that is refused.
    func change(
        _ selection: Selection,
        _ changes: DownloadChanges,
        by authority: Authority,
        _ rules: NetworkRules
    ) throws(DownloadError) -> WireOutcome {
        guard !changes.isEmpty else {
            throw .usage("no change is given", advice: "give at least one")
        }
        try Self.check(changes)
        let committed = try parts.environment.store.write(for: .needsRoom) { transaction in
            var rows: [WireDownload] = []
            let selected = try transaction.search.select(selection, states: ListQuery.unfinished)
            try transaction.commands.note(selected.map(\.download.id))
            let bounds = Bounds(rules: rules, authority: authority)
            if selected.count > 1, changes.name != nil || changes.before != nil {
                throw Self.onlyOne
            }
            for item in selected {
                guard item.download.state != .finished || changes.isOnlyLabel else {
                    guard item.isNamed else { continue }
                    throw Self.finished(item.download)
                }
                do {
                    rows.append(try change(item.download, changes, bounds, transaction))
                } catch let error as DownloadError where error.code == .notAllowed {
                    guard !item.isNamed else { throw error }
                }
            }
            if let before = changes.before, let row = rows.first {
                rows = try QueueMove.move(row, before: before, transaction)
            }
            // The rows after the first are those that were moved to make room.
            let changed = changes.before == nil ? rows : Array(rows.prefix(1))
            let restarting = changed.filter { $0.state.isActive && changes.restart($0) }
            try transaction.commands.restart(restarting.map(\.id))
            return rows
        }
        let rows = committed.value
        for (index, row) in rows.enumerated() {
            // The rows after the first are those that were moved to make room.
            apply(row, index == 0 || changes.before == nil ? changes : DownloadChanges())
        }
        let outcome = WireOutcome(downloads: rows, lastEvent: committed.lastEvent)
        parts.environment.published(outcome)
        return outcome
    }

    /// - Throws: `.notAllowed` before anything is changed.
    private func change(
        _ download: WireDownload,
        _ changes: DownloadChanges,
        _ bounds: Bounds,
        _ transaction: StoreTransaction
    ) throws -> WireDownload {
        var isConfined = false
        for demand in changes.demands {
            let owner = download.owner ?? .user
            if try AccessRules.check(demand, by: bounds.authority, owner: owner) {
                isConfined = true
            }
        }
        var row = download
        // The run may have chosen the path just now.
        row.path = row.path ?? parts.environment.running.path(of: row.id)
        return try Self.change(row, changes, within: isConfined ? bounds : nil, transaction)
    }

    private static func check(_ changes: DownloadChanges) throws(DownloadError) {
        _ = try changes.settings.settings()
        if let text = changes.taskDescription { try NewDownload.checkDescription(text) }
        if let label = changes.label, !label.isEmpty { try LabelName.check(label) }
        guard let name = changes.name else { return }
        guard !name.isEmpty, name != ".", name != "..", name.pathFolder.isEmpty,
            !name.holdsUnsafeToShow, !FileName.isTooLong(name)
        else {
            throw .usage(
                "'\(name.sanitized(atMost: 100))' is not a valid file name",
                advice: "give a name without folders, of at most 245 bytes"
            )
        }
    }

    /// The limits of an authority that may only change downloads in allowed folders.
    private struct Bounds {
        var rules: NetworkRules
        var authority: Authority

        /// Returns the request, confined to an allowed folder.
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
            // With another URL or name, the request counts as made by this authority, now.
            var request = request
            request.confinedTo = try QueueAccess.root(of: row.path ?? request.destination, rules)
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
            row.notBefore = date > transaction.now ? date : nil
            // The date is no longer that of the next attempt.
            row.failures = nil
        }
        if let text = changes.taskDescription { row.taskDescription = text.isEmpty ? nil : text }
        if let label = changes.label { row.label = label.isEmpty ? nil : label }
        if changes.concernRequest {
            guard let body = try transaction.requests.request(of: row.id) else {
                throw finished(row)
            }
            var request = try WireJSON.decode(NewDownload.self, from: body)
            if let bounds { request = try bounds.confine(request, row, changes) }
            try change(&request, &row, changes, transaction)
            row.url = try request.checked().url.redacted
            try transaction.requests.set(RequestTable.Entry(request), of: row.id)
        }
        try transaction.downloads.save(row)
        try transaction.events.append(.changed, row, at: transaction.now)
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
            try transaction.downloads.setLimit(limit, of: row.id)
        }
        if let name = changes.name { try rename(&request, &row, name, transaction) }
    }

    /// Records the new name; the partial file is renamed before the next run, as this run has it
    /// open.
    private static func rename(
        _ request: inout NewDownload,
        _ row: inout WireDownload,
        _ name: String,
        _ transaction: StoreTransaction
    ) throws {
        let old = row.path ?? request.destination
        guard !ObjectAddress.isOne(old) else { throw keyIsFixed }
        guard !old.pathFolder.isEmpty else { return }
        let path = old.pathFolder + name
        let replaces = request.settings?[\.ifExists] == .overwrite
        // The download may get its old name back before a renaming was carried out.
        let isNew = row.path.map { !path.isExactly($0) } ?? true
        guard !isNew || !LeftoverFiles.isTaken(name, beside: old, replaces: replaces) else {
            throw Conflict.error(
                "\(path.sanitized) already exists",
                advice: "choose another name"
            )
        }
        request.destination = path
        row.destination = path.sanitized
        row.name = name.sanitized
        try transaction.downloads.setDestination(row.destination, of: row.id)
        try transaction.renamings.set(isNew ? name : nil, of: row.id)
    }

    /// Applies the recorded changes to the schedule and to the run.
    private func apply(_ row: WireDownload, _ changes: DownloadChanges) {
        if changes.notBefore != nil { parts.retries.forget(row.id) }
        if changes.name != nil { parts.renames.add(row.id) }
        if row.state == .waiting { parts.waiting.wait(parts.retries.entry(of: row)) }
        guard row.state.isActive else { return }
        if changes.label != nil {
            parts.environment.running.regroup(row, limits: parts.groupLimits(of: row))
        }
        if changes.settings[\.limitBytesPerSecond] != nil {
            parts.environment.running[row.id]?.limitBytesPerSecond = row.limitBytesPerSecond
        }
        if changes.restart(row) { parts.control.restart(row.id) }
    }

    private static func finished(_ download: WireDownload) -> DownloadError {
        Conflict.error(
            "download \(download.id) (\(download.name)) has finished",
            advice: "add it again"
        )
    }

    private static let keyIsFixed = DownloadError.usage(
        "the key of an object cannot be changed",
        advice: "add the download again with another key"
    )

    private static let onlyOne = DownloadError.usage(
        "a name or a position can be given to one download only",
        advice: "name one download"
    )
}

extension DownloadChanges {
    /// Whether nothing but the label changes, which is possible after the end of a download, too.
    fileprivate var isOnlyLabel: Bool {
        var others = self
        others.label = nil
        return others.isEmpty && label != nil
    }

    /// Whether a running download starts again with its new request or at its new date.
    fileprivate func restart(_ row: WireDownload) -> Bool { needRestart || row.notBefore != nil }

    fileprivate var needRestart: Bool {
        // A rate limit applies without a restart.
        url != nil || name != nil || !settings.keeping { $0.path != \.limitBytesPerSecond }.isEmpty
    }

    /// The demands that the changes make.
    fileprivate var demands: [Demand] {
        var demands: [Demand] = []
        let plain = settings.withoutSecrets
        if url != nil || settings != plain { demands.append(.readdress) }
        if url.map(SourceURL.isOfFile) == true { demands.append(.addFromFiles) }
        if name != nil { demands.append(.rename) }
        if taskDescription != nil { demands.append(.describe) }
        if priority != nil || before != nil || notBefore != nil || label != nil
            || !plain.isEmpty
        {
            demands.append(.control)
        }
        return demands
    }

    fileprivate var concernRequest: Bool { needRestart || !settings.isEmpty }
}
