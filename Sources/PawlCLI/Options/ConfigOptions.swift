internal import ArgumentParser
internal import PawlCore

/// The choice of the config file.
struct ConfigOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Take options from this file; none ignores the config file and the PAWL_ variables. "
                + "Default: ~/.config/pawl/config.toml; see 'pawl config --help'.",
            valueName: "file|none"
        )
    )
    var config: String?

    /// Returns the options of the file and of the environment.
    func read() throws(DownloadError) -> UserConfig { try UserConfig.read(config) }

    /// The option itself, if it is given.
    var assignments: [OptionAssignment] {
        config.map { [OptionAssignment("config", $0)] } ?? []
    }
}
