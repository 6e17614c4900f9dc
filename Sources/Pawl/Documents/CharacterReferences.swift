internal import PawlCore

/// Character references in HTML, such as `&amp;` and `&#38;` (HTML Living Standard §13.2.5.72).
///
/// Known are the names of ISO-8859-1 and of the usual marks; others stay as they are.
package enum CharacterReferences {
    private static let named: [String: Unicode.Scalar] = {
        var names: [String: Unicode.Scalar] = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "num": "#", "percnt": "%",
            "plus": "+", "sol": "/", "colon": ":", "semi": ";", "comma": ",", "period": ".",
            "lpar": "(", "rpar": ")", "lsqb": "[", "rsqb": "]", "excl": "!", "quest": "?",
            "equals": "=", "commat": "@", "dollar": "$", "ast": "*", "hellip": "…", "ndash": "–",
            "mdash": "—", "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”",
            "bdquo": "„", "bull": "•", "euro": "€", "trade": "™", "OElig": "Œ", "oelig": "œ",
            "Scaron": "Š", "scaron": "š", "Yuml": "Ÿ", "lsaquo": "‹", "rsaquo": "›",
        ]
        for (index, name) in latin.split(separator: " ").enumerated() {
            names[String(name)] = Unicode.Scalar(UInt32(0xA0 + index))
        }
        return names
    }()

    /// The names from U+00A0 to U+00FF.
    private static let latin = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg \
        plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest \
        Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute \
        Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc \
        Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute \
        ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide \
        oslash ugrave uacute ucirc uuml yacute thorn yuml
        """
    /// The length of the longest reference, without `&` and `;`.
    private static let longest = 10

    /// Returns the text with its references replaced; those to control characters stay.
    package static func replaced(in text: String) -> String {
        replaced(in: Array(text.utf8)[...], { $0.value >= 0x20 }) { $1.append($0) }
    }

    /// Returns the text with its references replaced, in which the bytes that are not ASCII are
    /// percent-encoded, because the page's encoding is not known.
    static func replaced(in bytes: ArraySlice<UInt8>) -> String {
        replaced(in: bytes, { _ in true }) { byte, result in
            if byte < 0x80 {
                result.append(byte)
            } else {
                result += [byte].percentEncoded().utf8
            }
        }
    }

    private static func replaced(
        in bytes: ArraySlice<UInt8>,
        _ isWanted: (Unicode.Scalar) -> Bool,
        _ append: (UInt8, inout [UInt8]) -> Void
    ) -> String {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "&"), let found = reference(in: bytes[(index + 1)...]),
                isWanted(found.scalar)
            {
                for byte in String(Character(found.scalar)).utf8 { append(byte, &result) }
                index += found.length + 1
            } else {
                append(bytes[index], &result)
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The character of a reference, and its length with the semicolon.
    private static func reference(
        in rest: ArraySlice<UInt8>
    ) -> (scalar: Unicode.Scalar, length: Int)? {
        let body = rest.prefix(longest + 1).prefix { $0 != UInt8(ascii: ";") }
        guard body.count <= longest, body.count < rest.count else { return nil }
        let name = String(decoding: body, as: UTF8.self)
        let scalar: Unicode.Scalar?
        if name.hasPrefix("#x") || name.hasPrefix("#X") {
            scalar = UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        } else if name.hasPrefix("#") {
            scalar = UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
        } else {
            scalar = named[name]
        }
        return scalar.map { ($0, body.count + 1) }
    }
}
