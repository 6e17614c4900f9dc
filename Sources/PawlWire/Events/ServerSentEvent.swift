/// One event of a stream of `text/event-stream` (HTML §9.2).
package struct ServerSentEvent: Sendable, Hashable {
    /// The last id that was sent, with this event or an earlier one.
    package var id: String?
    /// The name; `message` if the stream gives none.
    package var name: String
    package var data: String

    package init(id: String? = nil, name: String = "message", data: String) {
        self.id = id
        self.name = name
        self.data = data
    }

    package static let mediaType = "text/event-stream"
    /// A comment, which readers ignore.
    ///
    /// It shows them that the stream is alive.
    package static let comment = Array(":\n\n".utf8)

    /// The event as it is sent.
    package var bytes: [UInt8] {
        var text = ""
        if let id { text += "id: \(id)\n" }
        if name != "message" { text += "event: \(name)\n" }
        for line in data.split(separator: "\n", omittingEmptySubsequences: false) {
            text += "data: \(line)\n"
        }
        return Array((text + "\n").utf8)
    }
}
