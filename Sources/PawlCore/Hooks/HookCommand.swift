/// A program and its arguments, which a user has chosen to run without a shell.
package struct HookCommand: Sendable, Hashable {
    /// The program, by its absolute path or its name in `PATH`, and its arguments; empty to run
    /// nothing.
    package let words: [String]

    /// Runs nothing, instead of the program that a more general setting names.
    package static let none = HookCommand()

    private static let mostWords = 1000
    private static let mostBytes = 64 << 10

    private init() { words = [] }

    /// Creates a command; no words stand for ``none``.
    package init(_ words: [String]) throws(ValueError) {
        guard words.count <= Self.mostWords,
            words.map(\.utf8.count).reduce(0, +) <= Self.mostBytes
        else { throw ValueError("the command is too long", advice: "shorten it") }
        guard words.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw ValueError("the command contains a NUL character", advice: "remove it")
        }
        if let program = words.first, !Self.isProgram(program) {
            throw ValueError(
                "'\(program.sanitized(atMost: 100))' is neither the name of a program nor an "
                    + "absolute path",
                advice: "use a name that is in PATH, or a path that begins with /"
            )
        }
        self.words = words
    }

    private static func isProgram(_ word: String) -> Bool {
        word.isAbsolutePath || (!word.isEmpty && !word.utf8.contains(UInt8(ascii: "/")))
    }

    /// Splits a text into words as a shell does, but replaces no variable and no pattern.
    ///
    /// White space separates words. Single quotes keep everything, double quotes everything but
    /// `\"` and `\\`; outside of quotes, a backslash keeps the next character.
    package init(parsing text: String) throws(ValueError) {
        var splitter = WordSplitter()
        for character in text { splitter.take(character) }
        let words = try splitter.finish()
        guard !words.isEmpty else {
            throw ValueError("no program is given", advice: "give its name, or none")
        }
        try self.init(words == ["none"] ? [] : words)
    }

    /// The command as a text that `init(parsing:)` reads.
    package var text: String {
        words.isEmpty ? "none" : words.map(Self.quoted).joined(separator: " ")
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.allSatisfy { !$0.isWhitespace && !"'\"\\".contains($0) }
        guard word.isEmpty || !isPlain else { return word }
        return "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}

/// Splits a text into words, character by character.
private struct WordSplitter {
    private var words: [String] = []
    /// The word that has begun; `nil` between words.
    private var word: String?
    private var quote: Character?
    private var isEscaped = false

    mutating func take(_ character: Character) {
        if isEscaped {
            isEscaped = false
            if quote != nil, character != "\"", character != "\\" { append("\\") }
            return append(character)
        }
        switch (quote, character) {
        case ("'", "'"), ("\"", "\""): quote = nil
        case (nil, "'"), (nil, "\""):
            quote = character
            word = word ?? ""
        case (nil, "\\"), ("\"", "\\"):
            isEscaped = true
            word = word ?? ""
        case (nil, _) where character.isWhitespace:
            if let word { words.append(word) }
            word = nil
        default: append(character)
        }
    }

    private mutating func append(_ character: Character) { word = (word ?? "") + [character] }

    mutating func finish() throws(ValueError) -> [String] {
        guard quote == nil else {
            throw ValueError("a quotation mark is not closed", advice: "close it")
        }
        guard !isEscaped else {
            throw ValueError(
                "the command ends with a backslash",
                advice: #"write \\ for a backslash"#
            )
        }
        if let word { words.append(word) }
        return words
    }
}
