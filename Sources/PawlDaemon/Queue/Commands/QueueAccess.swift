internal import struct FoundationEssentials.URL
internal import Pawl
internal import PawlCore
internal import PawlWire

/// Checks the rights of commands before they change anything.
enum QueueAccess {
    /// Returns the downloads as they may be added: confined to an allowed folder if the rules or
    /// the request demand it.
    ///
    /// - Throws: `.notAllowed`, and `.usage` for a destination that is not a valid path.
    static func admitted(
        _ new: [NewDownload],
        by authority: Authority,
        _ rules: NetworkRules
    ) throws(DownloadError) -> [NewDownload] {
        let isConfined = try AccessRules.check(.add, by: authority)
        if new.contains(where: \.usesFiles) {
            try AccessRules.check(.addFromFiles, by: authority)
        }
        if new.contains(where: \.mayReplace) { try AccessRules.check(.replace, by: authority) }
        var admitted = new
        for index in admitted.indices where isConfined || admitted[index].isConfined == true {
            admitted[index] = try rules.confine(admitted[index])
            let folder = admitted[index].destination.pathFolder
            guard let root = admitted[index].confinedTo, !ObjectAddress.isOne(root) else {
                continue
            }
            // A link that leads out of the folder is refused at once; each run checks again.
            _ = try ConfinedFolder(folder, in: root, creates: false)
        }
        return admitted
    }

    /// Whether an action is allowed for a download; a download that was not named is left out.
    ///
    /// - Throws: `.notAllowed` if a download that was named is refused.
    static func allows(
        _ action: QueueAction,
        for item: DownloadSearch.Selected,
        by authority: Authority,
        _ rules: NetworkRules,
        _ transaction: StoreTransaction
    ) throws -> Bool {
        let row = item.download
        let resumes = action == .resume && authority != .user
        let isConfined =
            try resumes && transaction.requests.confiningFolder(of: row.id) != nil
        do throws(DownloadError) {
            let owner = row.owner ?? .user
            let isLimited = try AccessRules.check(action.demand, by: authority, owner: owner)
            if resumes, !isConfined, row.problem?.code == .settingsLost {
                throw settingsAreLost(row)
            }
            // Only the user may resume a download in a folder that is no longer allowed.
            guard isLimited || isConfined else { return true }
            _ = try root(of: row.path ?? row.destination, rules)
            return true
        } catch {
            guard item.isNamed else { return false }
            throw error
        }
    }

    /// The request of a rebuilt download may have confined it to a folder.
    private static func settingsAreLost(_ row: WireDownload) -> DownloadError {
        DownloadError(
            .notAllowed,
            "only the user may resume download \(row.id) (\(row.name)): its settings are lost",
            advice: "use the Unix socket: pawl resume \(row.id)"
        )
    }

    /// Returns the allowed folder that a file is in, by its path and by the links of that path.
    static func root(of path: String, _ rules: NetworkRules) throws(DownloadError) -> String {
        let root = try rules.root(of: path)
        guard !ObjectAddress.isOne(root) else { return root }
        _ = try ConfinedFolder(path.pathFolder, in: root, creates: false)
        return root
    }

    /// Checks a demand on a session.
    ///
    /// A session that nobody has registered belongs to the user: its program may not have started
    /// yet.
    static func check(
        _ demand: Demand,
        _ session: String,
        by authority: Authority,
        _ transaction: StoreTransaction
    ) throws {
        let owner = try transaction.sessions.owner(of: session) ?? .user
        try AccessRules.check(demand, by: authority, owner: owner)
    }
}

extension NewDownload {
    /// Whether the daemon would read files of the user.
    fileprivate var usesFiles: Bool {
        resumeData != nil || settings?.hasLocalSettings == true
            || SourceURL.isOfFile(url)
            || settings?[\.mirrors]?.contains { SourceURL.isOfFile($0.absoluteString) } == true
    }

    /// Whether it may replace or change an existing file.
    var mayReplace: Bool { settings?.mayReplaceFiles == true }
}

extension QueueAction {
    /// The right that the action needs.
    var demand: Demand {
        switch self {
        case .pause, .resume, .moveFirst, .moveLast: .control
        case .remove: .remove
        case .cancel, .removeWithFiles: .discard
        }
    }
}
