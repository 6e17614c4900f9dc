/// The versions of the compared programs.
enum ToolVersions {
    private static let questions = [
        ["curl", "--version"], ["wget2", "--version"], ["aria2c", "--version"],
        ["axel", "--version"], ["lftp", "--version"], ["nginx", "-v"], ["openssl", "version"],
    ]

    /// Reads versions such as `curl 7.88.1`.
    static func read(in workshop: Workshop) throws -> [String] {
        try questions.map { question in
            "\(question[0]) \(version(in: try workshop.command(question)))"
        }
    }

    /// Returns the first word that begins with a number; nginx prints it after a slash.
    private static func version(in output: String) -> String {
        let words = output.split { $0 == " " || $0 == "\n" || $0 == "/" }
        return words.first { $0.first?.isNumber == true && $0.contains(".") }.map(String.init)
            ?? "of an unknown version"
    }
}
