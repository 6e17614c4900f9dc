internal import Pawl
internal import PawlCore
internal import PawlWire

/// What the labels supply to new downloads, as they are at a moment.
struct LabelDefaults: Sendable {
    private let settings: [ExactText: LabelSettings]

    /// `settings`: those of the labels that have any.
    init(_ settings: [ExactText: LabelSettings]) { self.settings = settings }

    /// Returns a new download with what its label supplies: the priority if it has none, and the
    /// folder if its destination is relative.
    func completed(_ new: NewDownload) throws(DownloadError) -> NewDownload {
        guard let label = new.label else { return new }
        try LabelName.check(label)
        guard let settings = settings[ExactText(label)] else { return new }
        var new = new
        new.priority = new.priority ?? settings.priority
        if let folder = settings.folder, !ObjectAddress.isComplete(new.destination) {
            new.destination = folder.asFolderPath + new.destination
        }
        return new
    }
}
