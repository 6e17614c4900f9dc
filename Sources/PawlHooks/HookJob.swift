package import struct FoundationEssentials.Date
package import struct FoundationEssentials.URL
package import PawlCore
package import PawlWire

/// One thing to do for an event of a download: a program, a request or a notification.
package struct HookJob: Codable, Sendable, Hashable {
    package var facts: HookFacts
    /// The words of the program to run; `nil` if the job is another one.
    package var command: [String]?
    /// Whether the file is unpacked.
    package var unpacks: Bool?
    /// The identity of the folder into which the file was unpacked, if it has or will get its name.
    package var unpackedFolder: String?
    /// The URL to send the facts to.
    package var webhook: URL?
    /// The number of requests that have failed.
    package var failures = 0
    /// The time before which the next request is not sent.
    package var notBefore: Date?

    private init(_ facts: HookFacts) { self.facts = facts }

    /// Returns the jobs for an event, in their order.
    package static func jobs(_ hooks: DownloadHooks, _ facts: HookFacts) -> [HookJob] {
        var jobs: [HookJob] = []
        // An object is in no folder.
        let isFile = facts.path.map { !ObjectAddress.isOne($0) } ?? false
        if hooks.unpacks == true, facts.event == .complete, isFile {
            var job = HookJob(facts)
            job.unpacks = true
            jobs.append(job)
        }
        if let command = hooks.command(for: facts.event) {
            var job = HookJob(facts)
            job.command = command.words
            jobs.append(job)
        }
        guard facts.event != .start else { return jobs }
        if let url = hooks.webhook?.url {
            var job = HookJob(facts)
            job.webhook = url
            jobs.append(job)
        }
        return hooks.notifies == true ? jobs + [HookJob(facts)] : jobs
    }

    /// The job in the log, without secrets.
    package var name: String {
        if let command { return "hook '\(command[0].sanitized(atMost: 200))'" }
        if unpacks == true { return "unpacking" }
        if let webhook { return "webhook \(webhook.redacted)" }
        return "notification"
    }
}
