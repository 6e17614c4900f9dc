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
}
