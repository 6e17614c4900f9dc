internal import ArgumentParser
internal import PawlCore

extension PawlCommand {
    /// The error of arguments that begin with a word that is neither a verb nor a URL; nil if they are
    /// in order so far.
    static func wrongVerb(in arguments: [String]) -> DownloadError? {
        guard var word = arguments.first else { return nil }
        var (path, rest) = ([String](), arguments.dropFirst())
        if word == "help" {
            guard let topic = rest.popFirst() else { return nil }
            word = topic
        }
        var command: any ParsableCommand.Type = PawlCommand.self
        while isWord(word) {
            let subcommands = command.configuration.subcommands
            let known = subcommands.first { $0.configuration.commandName == word }
            guard let known else {
                let names = subcommands.compactMap { $0.configuration.commandName }
                return refusal(of: word, behind: path, names)
            }
            path.append(word)
            command = known
            guard !known.configuration.subcommands.isEmpty, let next = rest.popFirst() else {
                return nil
            }
            word = next
        }
        return nil
    }

    /// A URL, even one without a scheme, has a dot, a colon or a slash in it.
    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("-") && !text.contains { ".:/@?#[".contains($0) }
    }

    private static func refusal(
        of word: String,
        behind path: [String],
        _ names: [String]
    ) -> DownloadError? {
        // The parser knows `pawl daemon help`.
        guard word != "help" else { return nil }
        let command = (["pawl"] + path).joined(separator: " ")
        let shown = word.sanitized(atMost: 40)
        let nearest = SimilarWord.nearest(to: word.lowercased(), among: names)
        return DownloadError(
            .usage,
            path.isEmpty
                ? "'\(shown)' is neither a command of pawl nor a URL"
                : "'\(shown)' is no command of \(command)",
            advice: nearest.map { "did you mean \(command) \($0)?" }
                ?? "write \(command) --help for the list of commands"
        )
    }
}

/// Which of some known words another one may be meant to be.
package enum SimilarWord {
    /// The only word that begins with `text`, otherwise the one that the fewest typing errors separate
    /// from it; nil if all of them are too different.
    package static func nearest(to text: String, among words: [String]) -> String? {
        let longer = words.filter { text.count > 1 && $0.hasPrefix(text) }
        if longer.count == 1 { return longer[0] }
        let most = max(1, text.count / 3)
        return words.map { (word: $0, distance: distance(text, $0)) }
            .filter { $0.distance <= most }
            .min { $0.distance < $1.distance }?.word
    }

    /// How many characters were left out, added, mistaken, or exchanged with their neighbour.
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
