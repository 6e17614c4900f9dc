internal import ArgumentParser

/// The feeds that a command acts on, and the form of its output.
struct FeedTargetOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Names, name patterns or IDs.", valueName: "feed"))
    var names: [String] = []

    @Flag(help: "Print JSON.")
    var json = false
}
