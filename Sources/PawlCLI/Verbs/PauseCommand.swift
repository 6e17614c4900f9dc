internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl pause`: closes the connections of downloads; the bytes received so far are kept.
struct PauseCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause downloads; the bytes received so far are kept."
    )

    @OptionGroup var targets: LabelledTargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try act(.pause, on: targets, result: "paused", console)
    }
}
