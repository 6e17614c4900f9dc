package import struct FoundationEssentials.Date
package import PawlCore

/// What a hook receives about a download: as JSON and as environment variables.
///
/// It contains no secret.
package struct HookFacts: Codable, Sendable, Hashable {
    package var event: HookEvent
    package var at: Date
    /// The number of the download in the daemon; `nil` for a download of the command itself.
    package var id: Int64?
    package var name: String
    /// The URL, without user and with hidden secrets.
    package var url: String
    /// The path of the file; `nil` if it is not known yet.
    package var path: String?
    /// The folder into which the file was unpacked; `nil` if it was not.
    package var folder: String?
    package var completedBytes: Int64
    package var totalBytes: Int64?
    package var session: String?
    package var label: String?
    package var taskDescription: String?
    /// Why the download failed; `nil` for the other events.
    package var problem: Problem?

    package init(_ event: HookEvent, name: String, url: String, at: Date) {
        (self.event, self.name, self.url, self.at) = (event, name, url, at)
        completedBytes = 0
    }

    /// Creates the facts about a download of the daemon.
    package init(_ event: HookEvent, _ download: WireDownload, at: Date) {
        self.init(event, name: download.name, url: download.url, at: at)
        id = download.id
        path = download.path
        completedBytes = download.completedBytes
        totalBytes = download.totalBytes
        session = download.session
        label = download.label
        taskDescription = download.taskDescription
        problem = event == .error ? download.problem : nil
    }

    /// What the names of most environment variables begin with.
    package static let variablePrefix = "PAWL_DOWNLOAD_"
    /// The variable that names the event.
    package static let eventVariable = "PAWL_EVENT"

    /// The environment variables; those whose value is not known are removed, because this process
    /// may be started by another hook.
    package var environment: [String: String?] {
        let values: [(String, String?)] = [
            ("ID", id.map { "\($0)" }), ("NAME", name), ("URL", url), ("PATH", path),
            ("FOLDER", folder), ("BYTES", "\(completedBytes)"),
            ("TOTAL_BYTES", totalBytes.map { "\($0)" }),
            ("LABEL", label), ("DESCRIPTION", taskDescription), ("ERROR", problem?.code.rawValue),
            ("MESSAGE", problem?.title),
        ]
        var variables: [String: String?] = [
            Self.eventVariable: event.rawValue, "PAWL_SESSION": session,
        ]
        for (name, value) in values {
            variables.updateValue(value, forKey: Self.variablePrefix + name)
        }
        return variables.mapValues { $0?.filter { $0 != "\0" } }
    }
}
