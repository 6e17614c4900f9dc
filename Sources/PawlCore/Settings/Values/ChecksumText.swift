/// Reads `sha256=hex`, `sha256:hex`, `auto` or `none`.
package enum ChecksumText {
    package static let form: Advice =
        "write algorithm=hex with \(DigestAlgorithm.names); or auto, or none"

    package static func parse(_ text: String) throws(ValueError) -> ChecksumPolicy {
        switch text.lowercased() {
        case "none": return .none
        case "auto": return .automatic
        default: break
        }
        guard let mark = text.firstIndex(where: { $0 == "=" || $0 == ":" }) else {
            throw ValueError("'\(text)' has no algorithm", advice: adviceForBareDigits(text))
        }
        let digits = String(text[text.index(after: mark)...])
        guard let algorithm = DigestAlgorithm(named: text[..<mark]) else {
            throw ValueError("unknown algorithm '\(text[..<mark])'", advice: form)
        }
        guard let digest = ContentDigest(algorithm, hexadecimal: digits) else {
            throw ValueError(
                mistake(in: digits, of: algorithm),
                advice: "copy the whole hexadecimal checksum from its publisher"
            )
        }
        return .digest(digest)
    }

    private static func mistake(in digits: String, of algorithm: DigestAlgorithm) -> String {
        let expected = algorithm.byteCount * 2
        if digits.count != expected {
            return "\(algorithm.rawValue) has \(expected) hexadecimal digits, not \(digits.count)"
        }
        return "'\(digits)' is not hexadecimal"
    }

    /// Recognizes the algorithm of a bare checksum by its length.
    private static func adviceForBareDigits(_ text: String) -> Advice {
        let likely = DigestAlgorithm.allCases.first {
            ContentDigest($0, hexadecimal: text) != nil
        }
        guard let likely else { return form }
        return "\(text.count) digits look like \(likely.rawValue): write \(likely.rawValue)=\(text)"
    }
}
