internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl cancel`: ends downloads and deletes the bytes received so far.
struct CancelCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel downloads and delete the bytes received so far."
    )

    @OptionGroup var targets: LabelledTargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try act(.cancel, on: targets, result: "cancelled", console)
    }
}
