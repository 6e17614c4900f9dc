/// The parts of an HTTP request that the origin needs.
struct RequestHead {
    let isHead: Bool
    /// The requested range, `bytes=A-B` or `bytes=A-`; `nil` if there is none.
    let range: (first: Int, last: Int?)?
    let keepsOpen: Bool

    /// Returns `nil` if the request is invalid or its method is not supported.
    init?(_ text: String) {
        let lines = text.split(separator: "\r\n")
        guard let words = lines.first?.split(separator: " "), words.count == 3,
            words[0] == "GET" || words[0] == "HEAD"
        else { return nil }
        isHead = words[0] == "HEAD"
        var range: (first: Int, last: Int?)?
        var keepsOpen = words[2] == "HTTP/1.1"
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            switch line[..<colon].lowercased() {
            case "range": range = Self.range(value)
            case "connection": keepsOpen = value.lowercased() != "close"
            default: break
            }
        }
        self.range = range
        self.keepsOpen = keepsOpen
    }

    private static func range(_ value: Substring) -> (first: Int, last: Int?)? {
        guard value.hasPrefix("bytes=") else { return nil }
        let parts = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = Int(parts[0]) else { return nil }
        return (first, Int(parts[1]))
    }
}
