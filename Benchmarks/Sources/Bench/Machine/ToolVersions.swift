/// The version of each program that took part.
enum ToolVersions {
    private static let questions = [
        ["curl", "--version"], ["wget2", "--version"], ["aria2c", "--version"],
        ["axel", "--version"], ["nginx", "-v"], ["openssl", "version"],
    ]

    /// `curl 7.88.1`, and so on.
    static func read(in workshop: Workshop) throws -> [String] {
        try questions.map { question in
            "\(question[0]) \(version(in: try workshop.command(question)))"
        }
    }

    /// The first word that begins with a number, which nginx has after a slash.
    private static func version(in output: String) -> String {
        let words = output.split { $0 == " " || $0 == "\n" || $0 == "/" }
        return words.first { $0.first?.isNumber == true && $0.contains(".") }.map(String.init)
            ?? "of an unknown version"
    }
}
