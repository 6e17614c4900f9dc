internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl show`: shows all details of downloads.
struct ShowCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all details of downloads.",
        discussion: "Times are local; with --json they are UTC."
    )

    @OptionGroup var named: NamedTargets
    @OptionGroup var labels: LabelOptions

    @Flag(help: "Print JSON.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (json, selection) = (json, try selection())
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let found = try await client.selected(selection)
            console.show(found, json: json) {
                found.map { DownloadReport.text($0) }.joined(separator: "\n")
            }
            return 0
        }
    }

    private func selection() throws(DownloadError) -> Selection {
        var selection = try named.selection(label: labels.label)
        let isLimited =
            selection.states != nil || selection.session != nil || selection.label != nil
        guard isLimited || !named.targets.isEmpty else {
            throw .usage(
                "no download is given",
                advice: "use IDs, names or patterns from 'pawl list', --state, --session or --label"
            )
        }
        // Unlike a verb that changes downloads, this one is possible in all states.
        selection.all = nil
        return selection
    }
}
