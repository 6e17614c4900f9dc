internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl cancel`: ends downloads and throws away what came.
struct CancelCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End downloads of the daemon and throw away what came."
    )

    @OptionGroup var targets: TargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try act(.cancel, on: targets, said: "cancelled", console)
    }
}
