/// What NetworkManager says of its property `Metered`, as one of several programs prints it.
package enum MeteredAnswer {
    /// True where bytes are paid for; nil where it does not know, or said something else.
    ///
    /// It guesses where nobody told it: a guess is taken for what it is likely to be.
    package static func parse(_ output: [UInt8]) -> Bool? {
        guard output.count <= limit else { return nil }
        let text = String(decoding: output, as: UTF8.self)
        // nmcli has a word, with "(guessed)" behind it or not.
        switch text.prefix(while: \.isLetter) {
        case "yes": return true
        case "no": return false
        default: break
        }
        // The others have a number, last of all: NM_METERED_YES, _NO, _GUESS_YES, _GUESS_NO.
        let digits = text.reversed().drop { !$0.isASCIIDigit }.prefix { $0.isASCIIDigit }
        switch String(digits.reversed()) {
        case "1", "3": return true
        case "2", "4": return false
        default: return nil
        }
    }

    /// More bytes are no answer to that question.
    package static let limit = 4096
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
