internal import PawlCore

/// The arguments of this process.
enum ProgramArguments {
    /// Returns the arguments without the program's name.
    ///
    /// Throws `.usage` if one of them is not UTF-8. `CommandLine.arguments` replaces its bytes by
    /// U+FFFD, and so makes it the name of another file.
    static func read() throws(DownloadError) -> [String] {
        var arguments: [String] = []
        for number in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[number] else { break }
            guard let argument = String(validatingCString: bytes) else {
                // The argument itself may contain a password.
                throw .usage(
                    "argument \(number) is not UTF-8",
                    advice: "percent-encode such bytes in a URL; reach a file or folder with such "
                        + "a name through a symbolic link"
                )
            }
            arguments.append(argument)
        }
        return arguments
    }

    /// The name under which the program was started.
    static var programName: String {
        guard CommandLine.argc > 0, let bytes = CommandLine.unsafeArgv[0] else { return "" }
        return String(String(cString: bytes).pathFile)
    }

    /// Overwrites secrets in the arguments that other users see in the list of processes.
    ///
    /// `arguments` are those of the process, which were read before.
    static func hideSecrets(in arguments: [String], _ options: SecretOptions) {
        let secrets = secretBytes(in: arguments, options)
        for (index, hidden) in secrets.enumerated() where !hidden.isEmpty {
            guard let bytes = CommandLine.unsafeArgv[index + 1] else { return }
            for offset in hidden { bytes[offset] = CChar(bitPattern: UInt8(ascii: "*")) }
        }
    }

    /// Returns the bytes of each argument that may be secret: values of secret settings, and URLs
    /// with a password or a token.
    static func secretBytes(
        in arguments: [String],
        _ options: SecretOptions = .settings
    ) -> [Range<Int>] {
        var isValue = false
        return arguments.map { argument in
            let all = argument.utf8.count
            defer { isValue = !isValue && isOpenSecret(argument, options) }
            if isValue { return 0..<all }
            if let start = secretStart(in: argument, options) { return start..<all }
            return 0..<0
        }
    }

    /// Whether the next argument is the value of a secret setting.
    private static func isOpenSecret(_ argument: String, _ options: SecretOptions) -> Bool {
        if argument.hasPrefix("--") { return options.names.contains(String(argument.dropFirst(2))) }
        return argument.hasPrefix("-") && argument.last.map(options.letters.contains) == true
    }

    /// Returns the offset of a secret within the argument itself.
    private static func secretStart(in argument: String, _ options: SecretOptions) -> Int? {
        if argument.hasPrefix("--") {
            guard let sign = argument.firstIndex(of: "="),
                options.names.contains(String(argument[..<sign].dropFirst(2)))
            else { return nil }
            return argument.utf8.distance(from: argument.startIndex, to: sign) + 1
        }
        if argument.hasPrefix("-"),
            let letter = argument.firstIndex(where: options.letters.contains)
        {
            return argument.utf8.distance(from: argument.startIndex, to: letter) + 1
        }
        guard let scheme = argument.firstRange(of: "://") else { return nil }
        let parts = AddressParts(argument)
        guard parts.userInfo != nil || parts.redacted != argument else { return nil }
        return argument.utf8.distance(from: argument.startIndex, to: scheme.upperBound)
    }
}

/// The options of a command whose values are secret.
package struct SecretOptions: Sendable {
    /// Without hyphens.
    package let names: Set<String>
    package let letters: Set<Character>

    package init(names: Set<String>, letters: Set<Character> = []) {
        (self.names, self.letters) = (names, letters)
    }

    /// Those of Pawl.
    package static let settings = {
        let settings = DownloadSettings.table.settings.filter(\.isSecret)
        return SecretOptions(
            // The token for a daemon cannot be given as an option, but someone may try it. The
            // address of a store may contain a password.
            names: Set(settings.map(\.name) + [UserConfig.daemonToken, UserConfig.store]),
            letters: Set(settings.compactMap(\.letter))
        )
    }()
}
