internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl resume`: queues downloads that were paused, have failed or were cancelled.
struct ResumeCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume paused downloads, or retry failed or cancelled ones."
    )

    @OptionGroup var targets: LabelledTargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try act(.resume, on: targets, result: "queued", console)
    }
}
