internal import Glibc
package import PawlCore
package import PawlWire

/// The store of the daemon that the options, the environment and the config file choose.
package enum ChosenStore {
    /// Returns the choice for this process, which is the daemon.
    ///
    /// The option replaces the variable, and the variable replaces the config file. The variable is
    /// removed from the environment: the programs that the daemon starts must not receive a
    /// password.
    package static func take(typed: String?) throws(DownloadError) -> StoreChoice {
        let variable = UserConfig.takeVariables().last { $0.name == StoreChoice.name }
        unsetenv(StoreChoice.variable)
        if let typed { return try choice(OptionAssignment(StoreChoice.name, typed)) }
        if let variable { return try choice(variable) }
        return try UserConfig.storeInFile().map(choice) ?? .file
    }

    /// Hands the option to the daemon that this process starts or becomes.
    ///
    /// A variable, unlike an argument, is not visible to other users.
    static func handOver(_ typed: String?) {
        if let typed { setenv(StoreChoice.variable, typed, 1) }
    }

    /// Parses the value of an option.
    static func choice(_ option: OptionAssignment) throws(DownloadError) -> StoreChoice {
        try usage(option.location) { () throws(ValueError) in
            try StoreChoice(parsing: option.value)
        }
    }

    /// What a user should know about a password in an option; `nil` without one.
    package static func warning(about typed: String?) -> String? {
        guard let typed, StoreChoice.hasPassword(typed) else { return nil }
        return """
            --store contains a password: other users can see it for a moment, and the shell may keep \
            it. Instead, set \(StoreChoice.variable), or leave the password out and put it into the \
            file that PGPASSFILE names, or into a service file (service=NAME)
            """
    }
}
