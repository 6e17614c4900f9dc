internal import PawlCore

/// A password that was left out after a user name.
package struct MissingPassword: Hashable, Sendable {
    /// The user name.
    package let name: String
    /// The option with the name, for errors.
    let location: String
    /// Whether that option is on the command line.
    let isTyped: Bool
    /// Prints the password; `nil` means that the user is asked.
    let command: SecretCommand?

    init(name: String, of option: OptionAssignment, command: SecretCommand?) {
        (self.name, location, self.command) = (name, option.location, command)
        isTyped = option.origin == .commandLine
    }

    /// Returns the output of the command, or what the user types.
    func read(_ console: Console) throws(DownloadError) -> String {
        if let command { return try command.output() }
        return try PasswordPrompt.ask(for: self, console: console)
    }
}
