internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl retry`: queues downloads that have failed.
struct RetryCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Retry downloads that have failed or are waiting for a retry.",
        discussion: """
            The bytes received so far are kept. A download that is waiting for a retry starts as \
            soon as it can. Cancelled downloads are retried only if you name them or give --state \
            cancelled.
            """
    )

    @OptionGroup var targets: LabelledTargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let states: Set<TaskState> = [.failed, .waiting]
        let named = states.union([.cancelled])
        let selection = try targets.selection(in: targets.all ? states : named)
        guard selection.states?.isSubset(of: named) ?? true else {
            throw .usage(
                "only failed, cancelled and waiting downloads can be retried",
                advice: "for paused downloads, use 'pawl resume'"
            )
        }
        return try act(.resume, on: targets, selection, result: "queued", console)
    }
}
