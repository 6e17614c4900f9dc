internal import Configuration
internal import PawlCore
internal import PawlWire

/// Options in environment variables: `PAWL_STALL_TIMEOUT` is `--stall-timeout`.
package enum ConfigVariables {
    private static let scope = "pawl"

    /// The options in the variables of an environment.
    ///
    /// A variable without text counts as not set. One for an option that can be given several times
    /// contains one value per line.
    package static func options(in environment: [String: String]) -> [OptionAssignment] {
        let names = variables
        let given = environment.filter { names[$0.key] != nil && !$0.value.isEmpty }
        // Most people have none.
        guard !given.isEmpty else { return [] }
        let provider = EnvironmentVariablesProvider(
            environmentVariables: given,
            secretsSpecifier: .all,
            arraySeparator: "\n"
        )
        let reader = ConfigReader(provider: provider).scoped(to: ConfigKey(scope))
        return UserConfig.names.flatMap { name in
            let origin = OptionAssignment.ValueOrigin.variable(variable(name))
            let key = ConfigKey(name)
            let values =
                DownloadOptions.isRepeatable(name)
                ? reader.stringArray(forKey: key, isSecret: true)?.filter { !$0.isEmpty }
                : reader.string(forKey: key, isSecret: true).map { [$0] }
            return (values ?? []).map { OptionAssignment(name, $0, at: origin) }
        }
    }

    /// The `PAWL_` variables of an environment that belong to no option.
    package static func unknown(in environment: [String: String]) -> [String] {
        let prefix = scope.uppercased() + "_"
        let given = environment.keys.filter { $0.hasPrefix(prefix) }
        guard !given.isEmpty else { return [] }
        let names = variables
        return given.filter { names[$0] == nil }
            .filter { !otherVariables.contains($0) && !$0.hasPrefix(HookFacts.variablePrefix) }
            .sorted()
    }

    /// Returns a note for each variable that belongs to no option.
    static func notes(on unknown: [String]) -> [String] {
        let known = Array(variables.keys)
        return unknown.map { name in
            let proposal = SimilarWord.nearest(to: name, among: known)
            return "\(name.sanitized) is not the variable of an option"
                + (proposal.map { "; did you mean \($0)?" } ?? "")
        }
    }

    /// The variables that have another meaning: `PAWL_SESSION` tells an application that the daemon
    /// starts which session has an event, and others tell hooks about a download.
    private static let otherVariables: Set = [
        "PAWL_CONFIG", "PAWL_SESSION", HookFacts.eventVariable,
    ]

    /// The name of the variable for an option.
    package static func variable(_ name: String) -> String {
        "\(scope)_\(name)".uppercased().replacing("-", with: "_").replacing(".", with: "_")
    }

    private static var variables: [String: String] {
        Dictionary(uniqueKeysWithValues: UserConfig.names.map { (variable($0), $0) })
    }
}
