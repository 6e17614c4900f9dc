internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl resume`: what was paused, failed or was cancelled goes on.
struct ResumeCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Let downloads of the daemon go on, or try again."
    )

    @OptionGroup var targets: TargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try act(.resume, on: targets, said: "in line", console)
    }
}
