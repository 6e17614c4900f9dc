package import PawlCore

/// Parses `text/event-stream` (HTML §9.2.6) from pieces that may be split anywhere.
package struct ServerSentEventParser: Sendable {
    /// The maximum length of a line or an event.
    ///
    /// A longer one does not come from the daemon.
    package static let mostBytes = 1 << 20

    private var line: [UInt8] = []
    private var lastWasReturn = false
    private var isAtStart = true
    private var id: String?
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false

    package init() {}

    /// Returns the events that the bytes complete.
    ///
    /// Throws `.badResponse` if an event is too long.
    package mutating func read(
        _ bytes: some Sequence<UInt8>
    ) throws(DownloadError) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            let endsPair = lastWasReturn && byte == UInt8(ascii: "\n")
            lastWasReturn = byte == UInt8(ascii: "\r")
            if endsPair { continue }
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                guard line.count + data.count < Self.mostBytes else { throw Self.tooLong }
                line.append(byte)
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        var content = line[...]
        if isAtStart, content.starts(with: [0xEF, 0xBB, 0xBF]) { content = content.dropFirst(3) }
        isAtStart = false
        guard !content.isEmpty else { return dispatch() }
        let colon = content.firstIndex(of: UInt8(ascii: ":"))
        var value = content[(colon.map { $0 + 1 } ?? content.endIndex)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        take(String(decoding: content[..<(colon ?? content.endIndex)], as: UTF8.self), value)
        return nil
    }

    private mutating func take(_ field: String, _ value: ArraySlice<UInt8>) {
        switch field {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case "id":
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        default: break
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer { (name, data, hasData) = ("", [], false) }
        guard hasData else { return nil }
        return ServerSentEvent(
            id: id,
            name: name.isEmpty ? "message" : name,
            data: String(decoding: data, as: UTF8.self)
        )
    }

    private static let tooLong = DownloadError(
        .badResponse,
        "an event is longer than \(mostBytes) bytes",
        advice: "the server is not Pawl's daemon, or a newer version of it"
    )
}
