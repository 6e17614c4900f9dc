internal import ArgumentParser

/// The texts that `--help` prints.
package enum HelpText {
    /// The minimum width of the texts.
    ///
    /// The parser indents descriptions by 26 columns, and ends the process if no column remains.
    package static let minimumColumns = 40

    /// The width of the texts: `COLUMNS` if it is a positive number, otherwise the width of the
    /// terminal, otherwise 80.
    package static func columns(_ variable: String?, terminal: Int?) -> Int {
        let wanted = variable.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        return max(minimumColumns, wanted ?? terminal ?? 80)
    }

    /// The text of `pawl --help`: all subcommands by group, then the options of `pawl get`.
    package static func overview(columns: Int) -> String {
        """
        \(PawlCommand.helpMessage(columns: columns))

        The following arguments and options are those of 'pawl get'.

        \(GetArguments.helpMessage(columns: columns))
        """
    }

    /// Returns the names of the long options of a command, including hidden ones.
    static func optionNames(
        of command: any ParsableCommand.Type,
        in root: any ParsableCommand.Type
    ) -> Set<String> {
        let text = root.helpMessage(for: command, includeHidden: true, columns: widestColumns)
        var names: Set<String> = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split { " ,/".contains($0) }
            // The description follows the names and the value.
            let labels = words.prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
            names.formUnion(labels.filter { $0.hasPrefix("--") }.map(String.init))
        }
        return names
    }

    /// The width at which the names of an option are on one line.
    private static let widestColumns = 1000

    /// The text of each subcommand, with the command line that prints it.
    package static func all(columns: Int) -> [(command: String, text: String)] {
        texts(of: PawlCommand.self, named: "pawl", columns: columns)
    }

    private static func texts(
        of parent: any ParsableCommand.Type,
        named name: String,
        columns: Int
    ) -> [(command: String, text: String)] {
        parent.configuration.subcommands.flatMap { command in
            let name = "\(name) \(command.configuration.commandName ?? "")"
            let text = PawlCommand.helpMessage(for: command, columns: columns)
            return [("\(name) --help", text)] + texts(of: command, named: name, columns: columns)
        }
    }
}

/// Renders the arguments and options of `pawl get` without its overview.
private struct GetArguments: ParsableCommand {
    static let configuration = CommandConfiguration(usage: "")

    @OptionGroup var get: GetCommand
}
