internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl export`: writes downloads so that they can be added again, here or elsewhere.
struct ExportCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the daemon's downloads as JSON or as a list, to add them again later.",
        discussion: """
            Without names and --state, writes the downloads that have not ended and those that \
            have failed. 'pawl import' reads the JSON; 'pawl add --input-file' and other tools \
            read the list. Both contain passwords and header fields unless --no-secrets is given.
            """
    )

    @Flag(help: "Write a list for --input-file: one URL per line, with indented options.")
    var list = false

    @Flag(help: "Leave out passwords and header fields; URLs keep their parameters.")
    var noSecrets = false

    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp("Write to this file, which only you can read.", valueName: "file")
    )
    var output: String?

    @OptionGroup var named: NamedTargets
    @OptionGroup var labels: LabelOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let selection = try named.selection(label: labels.label)
        let (form, hasSecrets) = (list ? QueueExport.Form.list : .json, !noSecrets)
        let output = try output.flatMap { (path) throws(DownloadError) -> String? in
            guard path != OutputPath.standardOutput else { return nil }
            let path = try CurrentFolder.absolute(path, option: "--output")
            guard !UserFile(path: path).exists else {
                throw .usage("'\(path.sanitized)' exists already", advice: "use another name")
            }
            return path
        }
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let export = QueueExport(client: client, form: form, hasSecrets: hasSecrets)
            let result = try await export.run(selection)
            if let output {
                try UserFile(path: output).write(result.text, mode: 0o600)
            } else {
                console.output(result.text)
            }
            for note in result.notes { console.message(note) }
            return 0
        }
    }
}
