internal import Glibc
internal import PawlCore

/// A question on the terminal.
enum Confirmation {
    /// Whether there is a user who can answer.
    static func isPossible(on console: Console) -> Bool {
        console.traits.isTerminal && isatty(STDIN_FILENO) == 1
    }

    /// Asks; returns whether the user types one of the words before the run is interrupted.
    static func ask(
        _ question: String,
        on console: Console,
        accepting words: [String] = ["yes"]
    ) -> Bool {
        console.prompt("\(question) [yes/no] ")
        var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 200) <= 0 {
            if Task.isCancelled { return false }
        }
        return readLine().map { words.contains($0.trimmed.lowercased()) } ?? false
    }
}
