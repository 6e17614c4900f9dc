/// The value of NetworkManager's property `Metered`, as one of several programs prints it.
package enum MeteredAnswer {
    /// Returns `true` if the connection is metered, and `nil` if NetworkManager does not know or
    /// the output is not understood.
    ///
    /// A guess by NetworkManager counts as the value that it guesses.
    package static func parse(_ output: [UInt8]) -> Bool? {
        guard output.count <= limit else { return nil }
        let text = String(decoding: output, as: UTF8.self)
        // nmcli prints a word, sometimes followed by "(guessed)".
        switch text.prefix(while: \.isLetter) {
        case "yes": return true
        case "no": return false
        default: break
        }
        // The others print a number at the end: NM_METERED_YES, _NO, _GUESS_YES, _GUESS_NO.
        let digits = text.reversed().drop { !$0.isASCIIDigit }.prefix { $0.isASCIIDigit }
        switch String(digits.reversed()) {
        case "1", "3": return true
        case "2", "4": return false
        default: return nil
        }
    }

    /// The maximum length of an answer, in bytes.
    ///
    /// A longer output is not an answer to that question.
    package static let limit = 4096
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
