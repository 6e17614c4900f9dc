internal import ArgumentParser

/// The help as `--help` shows it in a terminal of so many columns.
package enum HelpText {
    package static func get(columns: Int) -> String {
        PawlCommand.helpMessage(for: GetCommand.self, columns: columns)
    }

    package static func inspect(columns: Int) -> String {
        PawlCommand.helpMessage(for: InspectCommand.self, columns: columns)
    }
}
