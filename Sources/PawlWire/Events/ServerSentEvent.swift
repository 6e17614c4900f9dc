/// One event of a stream of `text/event-stream` (HTML §9.2).
package struct ServerSentEvent: Sendable, Hashable {
    /// The last id that was told, with this event or before it.
    package var id: String?
    /// `message` where the stream does not say.
    package var name: String
    package var data: String

    package init(id: String? = nil, name: String = "message", data: String) {
        self.id = id
        self.name = name
        self.data = data
    }

    package static let mediaType = "text/event-stream"
    /// Ignored by readers; shows them that the stream lives.
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
