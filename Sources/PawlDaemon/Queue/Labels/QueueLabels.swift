internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// The labels: what new downloads take from them, and the limits that their downloads share.
final class QueueLabels {
    private let environment: QueueEnvironment
    /// The settings of the labels that have any.
    private var settings: [ExactText: LabelSettings] = [:]

    init(_ environment: QueueEnvironment) { self.environment = environment }

    subscript(name: ExactText) -> LabelSettings? { settings[name] }

    /// What the labels supply to new downloads now.
    var defaults: LabelDefaults { LabelDefaults(settings) }

    /// Returns a new download with what its label supplies.
    func completed(_ new: NewDownload) throws(DownloadError) -> NewDownload {
        try defaults.completed(new)
    }

    /// Gives settings to a label, which need not exist.
    func set(
        _ change: LabelSettings,
        by authority: Authority,
        _ rules: NetworkRules
    ) throws(DownloadError) -> WireLabel {
        try change.check()
        var change = change
        if let folder = change.folder, !folder.isEmpty { change.folder = folder.asFolderPath }
        if try AccessRules.check(.changeLabels, by: authority), let folder = change.folder,
            !folder.isEmpty
        {
            _ = try QueueAccess.root(of: folder, rules)
        }
        let (label, all) = try environment.store.writeWithRoom { [change] transaction in
            try transaction.labels.set(change)
            return (
                try transaction.labels.find(change.name), try transaction.labels.settings()
            )
        }
        apply(all)
        return label
    }

    /// The maximum number of downloads that one transaction takes a label from.
    private static let batch = 500

    /// Begins to remove a label, whose settings no longer apply; returns the id of its newest
    /// download, or `nil` if it has none.
    func beginRemoval(of name: String, by authority: Authority) throws(DownloadError) -> Int64? {
        try AccessRules.check(.changeLabels, by: authority)
        let (newest, all) = try environment.store.writeInAnyCase { transaction in
            (try transaction.labels.removeSettings(name), try transaction.labels.settings())
        }
        apply(all)
        return newest
    }

    /// Takes a label from a part of its downloads, up to `last`, which continue without it; returns
    /// whether others may have it still.
    func takeFromSome(_ name: String, upTo last: Int64) throws(DownloadError) -> Bool {
        let committed = try environment.store.write(for: .endsSomething) { transaction in
            let rows = try transaction.labels.take(name, upTo: last, limit: Self.batch)
            try transaction.commands.note(rows.map(\.id))
            for row in rows { try transaction.events.append(.changed, row, at: transaction.now) }
            return rows
        }
        let rows = committed.value
        for row in rows where row.state.isActive {
            environment.running.regroup(row, limits: [:])
        }
        environment.notifier.published(committed.lastEvent)
        return rows.count == Self.batch
    }

    /// Applies the settings that the store has recorded.
    func apply(_ new: [ExactText: LabelSettings]) {
        let old = settings
        settings = new
        for name in Set(new.keys).union(old.keys) {
            let limit = new[name]?.limitBytesPerSecond
            guard limit != old[name]?.limitBytesPerSecond else { continue }
            environment.running.setLimit(bytesPerSecond: limit, of: .label(name))
        }
    }
}
