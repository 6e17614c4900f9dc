/// Checks how deeply the arrays and objects of a JSON text are nested, before it is decoded.
package enum JSONNesting {
    package static let most = 32

    /// Whether the nesting is at most as deep as allowed; the decoder finds invalid JSON.
    package static func isAllowed(_ bytes: some Sequence<UInt8>) -> Bool {
        var depth = 0
        var (isText, isEscaped) = (false, false)
        for byte in bytes {
            guard !isText else {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth > most { return false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return true
    }
}
