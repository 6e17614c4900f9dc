internal import Pawl
internal import PawlCore
internal import PawlWire

/// Where the keeper asks what may be done: before it does anything.
extension DownloadKeeper {
    /// New downloads as they may be added; those that may go into folders alone are kept to one.
    ///
    /// - Throws: `.notAllowed`, and `.usage` for what is no place of a file.
    func admitted(
        _ new: [NewDownload],
        by authority: Authority
    ) throws(DownloadError) -> [NewDownload] {
        let isConfined = try AccessRules.check(.add, by: authority)
        if new.contains(where: \.usesFiles) {
            try AccessRules.check(.addFromFiles, by: authority)
        }
        if new.contains(where: \.mayReplace) { try AccessRules.check(.replace, by: authority) }
        guard isConfined else { return new }
        let rules = networkRules
        var admitted = new
        for index in admitted.indices {
            admitted[index] = try rules.confine(admitted[index])
            let folder = PathNames.folder(of: admitted[index].destination)
            guard let root = admitted[index].confinedTo else { continue }
            // Where a link leads out already now, that is said now; each run looks again.
            _ = try ConfinedFolder(folder, in: root, creates: false)
        }
        return admitted
    }

    /// Whether an action may be done with a download; one that was not named is left out where it may not.
    ///
    /// - Throws: `.notAllowed` for one that was named.
    static func may(
        _ action: QueueAction,
        with item: StoreTransaction.Selected,
        by authority: Authority,
        _ rules: NetworkRules
    ) throws(DownloadError) -> Bool {
        let row = item.download
        do throws(DownloadError) {
            let owner = row.owner ?? .user
            guard try AccessRules.check(action.demand, by: authority, owner: owner) else {
                return true
            }
            _ = try rules.root(of: row.path ?? row.destination)
            return true
        } catch {
            guard item.isNamed else { return false }
            throw error
        }
    }

    /// Of a session that nobody has registered the user is the owner: it may be a program's that has
    /// not begun yet.
    static func check(
        _ demand: Demand,
        _ session: String,
        by authority: Authority,
        _ transaction: StoreTransaction
    ) throws {
        let owner = try transaction.owner(ofSession: session) ?? .user
        try AccessRules.check(demand, by: authority, owner: owner)
    }
}

extension NewDownload {
    /// Whether it makes the daemon read files of the user.
    fileprivate var usesFiles: Bool { resumeData != nil || settings?.hasLocalSettings == true }

    /// Whether it may replace or change a file that is there already.
    var mayReplace: Bool { settings?.mayReplaceFiles == true }
}

extension QueueAction {
    /// Which right it takes.
    fileprivate var demand: Demand {
        switch self {
        case .pause, .resume, .moveFirst, .moveLast: .control
        case .remove: .remove
        case .cancel, .removeWithFiles: .discard
        }
    }
}
