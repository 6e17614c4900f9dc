extension String {
    /// The text as the content of an XML element.
    package var escapedForXML: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            // A reader would take it for the end of a line (XML 1.0, §2.11).
            case "\r": escaped += "&#13;"
            // XML 1.0 has no way to write other control characters (§2.2).
            case "\0"..<" " where scalar != "\t" && scalar != "\n", "\u{FFFE}", "\u{FFFF}":
                escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
