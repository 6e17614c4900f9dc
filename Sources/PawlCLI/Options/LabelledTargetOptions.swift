internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// The downloads to which a verb applies, which can be selected by their label, too.
struct LabelledTargetOptions: ParsableArguments {
    @OptionGroup var labels: LabelOptions
    @OptionGroup var unlabelled: TargetOptions

    var all: Bool { unlabelled.all }
    var json: Bool { unlabelled.json }

    /// Returns the selection; a label alone selects all downloads with it.
    ///
    /// See `TargetOptions` for the parameters.
    func selection(
        isOptional: Bool = false,
        in states: Set<TaskState>? = nil
    ) throws(DownloadError) -> Selection {
        var selection = try unlabelled.selection(
            isOptional: isOptional || labels.label != nil,
            in: states
        )
        selection.label = labels.label
        return selection
    }
}
