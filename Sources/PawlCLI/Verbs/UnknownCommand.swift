internal import ArgumentParser
internal import PawlCore

/// Finds mistyped subcommands before `pawl get` takes them for URLs.
enum UnknownCommand {
    /// The error of arguments that start with a word that is neither a subcommand nor a URL; `nil`
    /// if there is no such word.
    static func error(in arguments: [String]) -> DownloadError? {
        guard var word = arguments.first else { return nil }
        var (path, rest) = (["pawl"], arguments.dropFirst())
        if word == "help" {
            guard let topic = rest.popFirst() else { return nil }
            word = topic
        }
        var command: any ParsableCommand.Type = PawlCommand.self
        while isWord(word) {
            let subcommands = command.configuration.subcommands
            guard let found = subcommands.first(where: { $0.configuration.commandName == word })
            else {
                return error(
                    word,
                    after: path.joined(separator: " "),
                    known: subcommands.compactMap { $0.configuration.commandName }
                )
            }
            path.append(word)
            command = found
            guard !found.configuration.subcommands.isEmpty, let next = rest.popFirst() else {
                return nil
            }
            word = next
        }
        return nil
    }

    /// What to write in place of the commands of other tools.
    private static let foreignCommands: [String: Advice] = [
        "copyurl": "for rclone's copyurl: give only the URL, as in 'pawl https://host/file'",
        "copy": "for rclone's copy: use 'pawl mirror'",
        "sync": "for rclone's sync: use 'pawl mirror --delete'",
        "cp": "for aws s3 cp: give only the URL, as in 'pawl s3://bucket/file'",
        "cat": "for rclone's cat: use 'pawl -o - URL'",
    ]

    /// A URL contains a dot, a colon or a slash, even without a scheme.
    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("-") && !text.contains { ".:/@?#[".contains($0) }
    }

    private static func error(
        _ word: String,
        after command: String,
        known names: [String]
    ) -> DownloadError? {
        // The parser handles `pawl daemon help`.
        guard word != "help" else { return nil }
        let shown = word.sanitized(atMost: 40)
        if command == "pawl", let instead = foreignCommands[word] {
            return DownloadError.usage("no command '\(shown)'", advice: instead)
        }
        if let nearest = SimilarWord.nearest(to: word.lowercased(), among: names) {
            return DownloadError.usage(
                "no command '\(shown)'",
                advice: "did you mean '\(command) \(nearest)'?"
            )
        }
        return DownloadError.usage(
            command == "pawl"
                ? "'\(shown)' is neither a command nor a URL" : "no command '\(shown)'",
            advice: "see '\(command) --help'"
        )
    }
}

/// Finds the word that a mistyped one was probably meant to be.
package enum SimilarWord {
    /// The only word that starts with `text`; otherwise the one with the smallest distance to it, or
    /// `nil` if all of them are too different.
    ///
    /// Of several with the same distance, it is the one that shares the longest beginning.
    package static func nearest(to text: String, among words: [String]) -> String? {
        let longer = words.filter { text.count > 1 && $0.hasPrefix(text) }
        if longer.count == 1 { return longer[0] }
        let maximum = max(1, text.count / 3)
        return words.map { (word: $0, distance: distance(text, $0)) }
            .filter { $0.distance <= maximum }
            .min { ($0.distance, -shared(text, $0.word)) < ($1.distance, -shared(text, $1.word)) }?
            .word
    }

    /// The number of characters at the beginning that both have.
    private static func shared(_ left: String, _ right: String) -> Int {
        zip(left, right).prefix { $0 == $1 }.count
    }

    /// The number of characters to insert, delete, replace, or exchange with their neighbour.
    package static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var rows = [Array(0...right.count)]
        for row in 0..<left.count {
            var next = [row + 1]
            for column in 0..<right.count {
                let isSame = left[row] == right[column]
                var best = min(rows[row][column + 1], next[column]) + 1
                best = min(best, rows[row][column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                next.append(best)
            }
            rows.append(next)
        }
        return rows[left.count][right.count]
    }
}
