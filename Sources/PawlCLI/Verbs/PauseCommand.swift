internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl pause`: the connections end, what came is kept.
struct PauseCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop downloads of the daemon; what came is kept."
    )

    @OptionGroup var targets: TargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try act(.pause, on: targets, said: "paused", console)
    }
}
