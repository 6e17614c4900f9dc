internal import ArgumentParser

/// The label to which a selection of downloads is limited.
struct LabelOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only downloads with this label.", valueName: "name")
    )
    var label: String?
}
