internal import struct FoundationEssentials.Date
internal import PawlCore
internal import PawlWire

/// The options of a background task that can be changed at any time, here and by other processes.
struct BackgroundTaskOptions: Equatable, Sendable {
    var description: String?
    var priority: DownloadPriority
    var limit: Int64?
    var notBefore: Date?

    init(_ task: BackgroundTask) {
        description = Self.nonempty(task.taskDescription)
        priority = task.priority
        limit = task.limitBytesPerSecond
        notBefore = task.earliestBeginDate
    }

    init(_ row: WireDownload) {
        description = row.taskDescription
        priority = row.priority.priority
        limit = row.limitBytesPerSecond
        // The time of a retry was not set by anybody.
        notBefore = row.failures == nil ? row.notBefore : nil
    }

    /// Returns the changes that turn `old` into this.
    ///
    /// A date is only for a download that does not run.
    func changes(from old: Self, _ now: Date, isRunning: Bool) -> DownloadChanges {
        var changes = DownloadChanges()
        if description != old.description { changes.taskDescription = description ?? "" }
        if priority != old.priority { changes.priority = WirePriority(priority) }
        if limit != old.limit { changes.settings[\.limitBytesPerSecond] = .some(limit) }
        let (date, oldDate) = (Self.seconds(notBefore, now), Self.seconds(old.notBefore, now))
        if date != oldDate, !isRunning { changes.notBefore = notBefore ?? now }
        return changes
    }

    /// Takes over these options where `options` still has the values of `known`.
    ///
    /// A value that was set here and is being sent takes precedence.
    func apply(to options: inout SessionTask.Options, where known: Self) {
        if Self.nonempty(options.description) == known.description {
            options.description = description
        }
        if options.priority == known.priority { options.priority = priority }
        if options.earliestBeginDate == known.notBefore { options.earliestBeginDate = notBefore }
    }

    private static func nonempty(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a date as it is sent.
    ///
    /// A date in the past counts as none.
    private static func seconds(_ date: Date?, _ now: Date) -> Double? {
        date.flatMap { $0 > now ? $0.timeIntervalSince1970.rounded(.down) : nil }
    }
}
