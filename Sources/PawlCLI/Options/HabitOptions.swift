internal import ArgumentParser
internal import PawlCore

/// Options that people type from habit, and that ask for what Pawl does anyway.
struct HabitOptions: ParsableArguments {
    @Flag(name: [.customShort("L"), .customLong("location")], help: .hidden) var follow = false
    @Flag(name: [.customShort("O"), .customLong("remote-name")], help: .hidden)
    var remoteName = false
    @Flag(name: [.customShort("c"), .customLong("continue")], help: .hidden) var resume = false
    @Option(
        name: [.customShort("C", allowingJoined: true), .customLong("continue-at")],
        parsing: .unconditional,
        help: .hidden
    )
    var offset: String?

    /// Throws `.usage` for an offset that the user has chosen.
    func check() throws(DownloadError) {
        guard let offset, offset != "-" else { return }
        throw .usage(
            "-C \(offset.sanitized(atMost: 40)): Pawl itself determines where to resume",
            advice: "leave the option out, or use '-C -'"
        )
    }
}
