package import struct FoundationEssentials.Date
package import PawlCore

/// The downloads that an operation applies to.
package struct Selection: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case targets, all, states, session, label
    }

    package static let knownMembers = KnownMembers(CodingKeys.self)

    /// Ids, names, or patterns of names with `*` and `?`.
    package var targets: [String]?
    /// Whether it applies to all downloads for which the operation is possible.
    package var all: Bool?
    /// The states to which the selection is limited; `nil` for those for which the operation makes
    /// sense.
    package var states: Set<TaskState>?
    /// The session to which the selection is limited.
    package var session: String?
    /// The label to which the selection is limited.
    package var label: String?

    package init(
        targets: [String]? = nil,
        all: Bool? = nil,
        states: Set<TaskState>? = nil,
        session: String? = nil,
        label: String? = nil
    ) {
        self.targets = targets
        self.all = all
        self.states = states
        self.session = session
        self.label = label
    }

    /// Returns the message for a target that matches no download.
    package func unmatched(_ target: String) -> String {
        let states = states.map { $0.map(\.rawValue).sorted().alternatives + " " } ?? ""
        return "no \(states)download matches '\(target.sanitized(atMost: 100))'"
    }
}

/// An operation on existing downloads.
package enum QueueAction: String, Codable, Sendable, CaseIterable {
    /// Closes the connections and keeps the bytes received so far.
    case pause
    /// Resumes the download, or retries it.
    case resume
    /// Ends the download and deletes the bytes received so far.
    case cancel
    /// Removes the download from the list; its files stay on disk.
    case remove
    /// Removes the download from the list and deletes its finished or partial file.
    case removeWithFiles = "remove-with-files"
    /// Moves the download to the beginning of the queue.
    case moveFirst = "move-first"
    /// Moves the download to the end of the queue.
    case moveLast = "move-last"
}

/// The changes to make to existing downloads; a value that is `nil` stays as it is.
package struct DownloadChanges: Codable, Sendable, Hashable, RequestObject {
    package static let knownMembers = KnownMembers(CodingKeys.self)
        .union(KnownMembers(of: DownloadSettings.table) { $0.isChangeable })

    package var priority: WirePriority?
    /// The download of the same priority before which this one is put.
    ///
    /// If that download is changed by the same request, its new state counts.
    package var before: Int64?
    /// The new URL of the same file, which may contain secrets.
    ///
    /// If its origin differs, the download's own secrets are dropped, unless they are given again
    /// here.
    package var url: String?
    /// The time before which the download does not start.
    ///
    /// A time in the past has no effect.
    package var notBefore: Date?
    /// The new name of the finished file, in its folder.
    package var name: String?
    /// The description given by a session's process; an empty one removes it.
    package var taskDescription: String?
    /// The label; an empty one removes it.
    package var label: String?
    /// The settings to change, of those that can change while a download runs; null restores a
    /// default.
    package var settings = SettingsDocument<DownloadSettings>()

    package init() {}

    package var isEmpty: Bool { self == DownloadChanges() }
}

/// The settings are members of the same object as the others.
extension DownloadChanges {
    private enum CodingKeys: CodingKey, CaseIterable {
        case priority, before, url, notBefore, name, taskDescription, label
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        priority = try members.decodeIfPresent(WirePriority.self, forKey: .priority)
        before = try members.decodeIfPresent(Int64.self, forKey: .before)
        url = try members.decodeIfPresent(String.self, forKey: .url)
        notBefore = try members.decodeIfPresent(Date.self, forKey: .notBefore)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        taskDescription = try members.decodeIfPresent(String.self, forKey: .taskDescription)
        label = try members.decodeIfPresent(String.self, forKey: .label)
        settings = try SettingsDocument(from: decoder)
            .keeping { $0.isChangeable }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(priority, forKey: .priority)
        try members.encodeIfPresent(before, forKey: .before)
        try members.encodeIfPresent(url, forKey: .url)
        try members.encodeIfPresent(notBefore, forKey: .notBefore)
        try members.encodeIfPresent(name, forKey: .name)
        try members.encodeIfPresent(taskDescription, forKey: .taskDescription)
        try members.encodeIfPresent(label, forKey: .label)
        try settings.encode(to: encoder)
    }
}

/// A selection, and the changes to make to it.
package struct SelectedChanges: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case selection, changes
    }

    package static let knownMembers = KnownMembers(
        CodingKeys.self,
        objects: [.selection: Selection.knownMembers, .changes: DownloadChanges.knownMembers]
    )

    package var selection: Selection
    package var changes: DownloadChanges

    package init(_ selection: Selection, _ changes: DownloadChanges) {
        self.selection = selection
        self.changes = changes
    }
}

/// The result of an operation on several downloads.
package struct WireOutcome: Codable, Sendable, Hashable {
    /// The downloads that the operation applied to, including those that were already in the
    /// requested state.
    ///
    /// They are shown as they are now; removed ones as they were.
    package var downloads: [WireDownload]
    /// The newest event that the operation caused.
    package var lastEvent: Int64
    /// The files that could not be deleted; `nil` if there are none.
    package var notRemoved: [WireNotRemoved]?
    /// The feeds that an undo has put back; `nil` if there are none.
    package var feeds: [WireFeed]?

    package init(downloads: [WireDownload], lastEvent: Int64) {
        self.downloads = downloads
        self.lastEvent = lastEvent
    }
}

/// A file that could not be deleted, and the reason.
package struct WireNotRemoved: Codable, Sendable, Hashable {
    /// The download that the file belongs to.
    package var download: Int64
    /// The path of the finished or partial file.
    package var path: String
    package var problem: Problem

    package init(download: Int64, path: String, problem: Problem) {
        self.download = download
        self.path = path
        self.problem = problem
    }
}
