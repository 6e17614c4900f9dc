package import struct FoundationEssentials.Date
package import PawlCore

/// Which downloads something is to be done to.
package struct Selection: Codable, Sendable, Hashable {
    /// Ids, names, or patterns of names with `*` and `?`.
    package var targets: [String]?
    /// All that the thing can be done to.
    package var all: Bool?
    /// Only those of this session.
    package var session: String?

    package init(targets: [String]? = nil, all: Bool? = nil, session: String? = nil) {
        self.targets = targets
        self.all = all
        self.session = session
    }
}

/// What is asked of downloads that are there.
package enum QueueAction: String, Codable, Sendable, CaseIterable {
    /// End the connections, keep what came.
    case pause
    /// Go on, or try again.
    case resume
    /// End, and throw away what came.
    case cancel
    /// Take off the list; what is on the disk stays.
    case remove
    /// Take off the list with the finished file, or with what came of it.
    case removeWithFiles = "remove-with-files"
    /// To the beginning of the queue.
    case moveFirst = "move-first"
    /// To the end of the queue.
    case moveLast = "move-last"
}

/// What to change of downloads that are there; what is nil stays.
package struct DownloadChanges: Codable, Sendable, Hashable {
    package var priority: WirePriority?
    /// In front of that download of the same priority; one that is changed with it counts as it then is.
    package var before: Int64?
    /// The same file at another address; it may hold secrets.
    ///
    /// Where its origin is another one, the download's own secrets go, unless they are given again here.
    package var url: String?
    /// One that has passed is none.
    package var notBefore: Date?
    /// The finished file's, in its folder.
    package var name: String?
    /// What a session's process says of it; empty is nothing.
    package var taskDescription: String?
    /// Settings that can change while a download runs; null gives a default back.
    package var settings = SettingsDocument<DownloadSettings>()

    package init() {}

    package var isEmpty: Bool { self == DownloadChanges() }
}

/// The settings are members beside the others.
extension DownloadChanges {
    private enum CodingKeys: String, CodingKey {
        case priority, before, url, notBefore, name, taskDescription
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        priority = try members.decodeIfPresent(WirePriority.self, forKey: .priority)
        before = try members.decodeIfPresent(Int64.self, forKey: .before)
        url = try members.decodeIfPresent(String.self, forKey: .url)
        notBefore = try members.decodeIfPresent(Date.self, forKey: .notBefore)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        taskDescription = try members.decodeIfPresent(String.self, forKey: .taskDescription)
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
        try settings.encode(to: encoder)
    }
}

/// A selection and what to change of it.
package struct SelectedChanges: Codable, Sendable, Hashable {
    package var selection: Selection
    package var changes: DownloadChanges

    package init(_ selection: Selection, _ changes: DownloadChanges) {
        self.selection = selection
        self.changes = changes
    }
}

/// What became of something that was asked of several downloads.
package struct WireOutcome: Codable, Sendable, Hashable {
    /// Those that it was done to, or that were so already, as they are now; of removed ones as they were.
    package var downloads: [WireDownload]
    /// The newest event that tells of it.
    package var lastEvent: Int64
    /// What was to be thrown away and is still there; nil where nothing is.
    package var notRemoved: [WireNotRemoved]?

    package init(downloads: [WireDownload], lastEvent: Int64) {
        self.downloads = downloads
        self.lastEvent = lastEvent
    }
}

/// A file that was to be thrown away, and why it is still there.
package struct WireNotRemoved: Codable, Sendable, Hashable {
    /// Whose it was.
    package var download: Int64
    /// The file, finished or to come.
    package var path: String
    package var problem: Problem

    package init(download: Int64, path: String, problem: Problem) {
        self.download = download
        self.path = path
        self.problem = problem
    }
}
