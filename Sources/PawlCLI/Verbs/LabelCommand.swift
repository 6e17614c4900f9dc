internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl label`: what the downloads with a label have in common.
struct LabelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label",
        abstract: "Give labels a folder, a limit and a priority.",
        discussion: """
            A download has at most one label, from 'pawl add --label' or 'pawl set --label'. \
            Downloads that are added with the label use its folder and its priority. All downloads \
            with the label share its limit.
            """,
        subcommands: [Change.self, List.self, Remove.self]
    )

    /// `pawl label set`: gives settings to a label.
    struct Change: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Create a label, or change its settings.",
            discussion:
                "A new limit applies at once. The folder and the priority apply to downloads that "
                + "are added from now on."
        )

        @Argument(help: ArgumentHelp("The name of the label.", valueName: "name"))
        var name: String

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The folder for downloads that are added without one; none removes it.",
                valueName: "dir"
            )
        )
        var folder: String?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Maximum speed of all downloads with the label together, in bytes per second: off, "
                    + "or 500K, 1.5M or 1G, where K is 1024.",
                valueName: "rate"
            )
        )
        var limit: String?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The priority of downloads that are added without one: low, normal or high.",
                valueName: "priority"
            )
        )
        var priority: String?

        @Flag(help: "Print JSON.")
        var json = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let (settings, json) = (try settings(), json)
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let label = try await client.process.starting {
                    (client) async throws(DownloadError) in try await client.set(settings)
                }
                console.show(label, json: json) { LabelCommand.line(label) }
                return 0
            }
        }

        private func settings() throws(DownloadError) -> LabelSettings {
            var settings = LabelSettings(name: name)
            if let folder {
                settings.folder = folder == LabelName.none ? "" : try Self.path(folder).asFolderPath
            }
            if let limit {
                settings.limitBytesPerSecond = try usage("--limit") { () throws(ValueError) in
                    try NumberText.limit(limit) ?? 0
                }
            }
            if let priority { settings.priority = try AddedDownloadOptions.priority(priority) }
            try settings.check()
            return settings
        }

        private static func path(_ folder: String) throws(DownloadError) -> String {
            guard try ChosenDaemon.isRemote() else {
                return try CurrentFolder.absolute(folder, option: "--folder")
            }
            guard folder.isAbsolutePath else {
                throw .usage(
                    "--folder: '\(folder.sanitized(atMost: 200))' is relative to a folder of this machine",
                    advice: "give an absolute path on the daemon's machine"
                )
            }
            return folder
        }
    }

    /// `pawl label list`: lists labels.
    struct List: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show the labels, their settings, and how many downloads each has."
        )

        @Flag(help: "Print JSON.")
        var json = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let json = json
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let labels = try await client.labels()
                console.show(labels, json: json) { labels.map(LabelCommand.line).joined() }
                return 0
            }
        }
    }

    /// `pawl label remove`: removes labels; their downloads continue without a label.
    struct Remove: PawlVerb {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove labels; their downloads continue without a label."
        )

        @Argument(help: ArgumentHelp("Names or name patterns.", valueName: "name"))
        var names: [String] = []

        @Flag(help: "Print JSON.")
        var json = false

        func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
            let (names, json) = (names, json)
            guard !names.isEmpty else {
                throw .usage("no label is given", advice: "use names from 'pawl label list'")
            }
            return try daemonWork(console) { (client) async throws(DownloadError) in
                let labels = try await LabelCommand.labels(names, client)
                for label in labels { try await client.removeLabel(label.name) }
                console.show(labels, json: json) {
                    labels.map { "\($0.name.sanitized)\tremoved\n" }.joined()
                }
                return 0
            }
        }
    }

    /// The labels with these names, each once.
    ///
    /// - Throws: `.notFound` for a name that matches none.
    private static func labels(
        _ names: [String],
        _ client: DaemonClient
    ) async throws(DownloadError) -> [WireLabel] {
        try NamedChoice.items(names, of: try await client.labels(), "label") { label, name in
            NamePattern.matches(name, label.name)
        }
    }

    private static func line(_ label: WireLabel) -> String {
        let settings = [
            label.folder.map { "folder \($0.sanitized)" },
            label.limitBytesPerSecond.map { "limit \(ByteText.rate(Double($0)))" },
            label.priority.map { "priority \($0.rawValue)" },
        ].compactMap { $0 }.joined(separator: ", ")
        return "\(label.name.sanitized)\t\(label.counts.statesText)"
            + "\t\(settings.isEmpty ? "-" : settings)\n"
    }
}
