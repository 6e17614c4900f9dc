internal import Pawl
internal import PawlCore
internal import Synchronization

/// A command of the config file that prints a secret, such as `pass show example.org`.
struct SecretCommand: Hashable, Sendable {
    let text: String
    /// The option, for errors.
    let location: String

    init(_ text: String, location: String) { (self.text, self.location) = (text, location) }

    /// What commands have printed; each asks its user once.
    private static let outputs = Mutex<[String: String]>([:])

    /// Runs the command with `sh` and returns the first line of its output.
    ///
    /// It uses the terminal of this process.
    func output() throws(DownloadError) -> String {
        if let known = Self.outputs.withLock({ $0[text] }) { return known }
        let result = ChildProgram.run(["sh", "-c", text], usesTerminal: true)
        guard result.isSuccess else {
            throw DownloadError(
                .usage,
                "\(location): the command failed",
                advice: "run it in a shell: \(text.sanitized(atMost: 200))"
            )
        }
        guard let line = result.line else {
            throw DownloadError(
                .usage,
                "\(location): the command printed no text",
                advice: "use one that prints the secret on the first line"
            )
        }
        Self.outputs.withLock { $0[text] = line }
        return line
    }
}
