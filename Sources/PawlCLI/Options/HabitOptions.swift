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

    /// Throws `.usage` for an offset that the user has chosen, and for a name that follows `-O` as
    /// in wget.
    func check(_ urls: [String]) throws(DownloadError) {
        if remoteName, urls.count > 1,
            let name = urls.first(where: { AddressParts($0).scheme == nil })
        {
            let shown = name.sanitized(atMost: 80)
            throw .usage(
                "'\(shown)' is not a URL, and -O takes no name",
                advice: "to name the file, use '-o \(shown)'"
            )
        }
        guard let offset, offset != "-" else { return }
        throw .usage(
            "-C \(offset.sanitized(atMost: 40)): Pawl itself determines where to resume",
            advice: "leave the option out, or use '-C -'"
        )
    }
}
