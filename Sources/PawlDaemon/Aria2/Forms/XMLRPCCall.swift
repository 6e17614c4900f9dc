internal import Pawl
package import PawlCore

/// A call as XML-RPC writes it.
package struct XMLRPCCall: Sendable {
    package private(set) var method = ""
    package private(set) var parameters: [JSONValue] = []
    /// The number of values so far.
    private var values = 0
    /// The values that are not complete yet, the outermost first.
    private var open: [Frame] = []

    /// An element that is not complete yet.
    private struct Frame {
        enum Kind { case value, list, members, member }

        let kind: Kind
        /// The name of a member.
        var name = ""
        /// The content of a value, or the value of a member.
        var content: JSONValue?
        var items: [JSONValue] = []
        var members: [(String, JSONValue)] = []
    }

    /// The maximum number of values in a document.
    private static let mostValues = 50_000
    private static let invalid = DownloadError.usage("the document is no call of XML-RPC")

    /// Reads a document.
    package init(_ bytes: [UInt8]) throws(DownloadError) {
        let reader = XMLReader("the request", failure: .usage)
        try reader.read(bytes) { (event) throws(DownloadError) in try take(event) }
        try reader.finish { (event) throws(DownloadError) in try take(event) }
        guard !method.isEmpty, open.isEmpty else { throw Self.invalid }
    }

    private mutating func take(_ event: XMLEvent) throws(DownloadError) {
        switch event {
        case .start(let element): try start(element.name.local)
        case .end(let name, let text): try end(name.local, text)
        }
    }

    private mutating func start(_ name: String) throws(DownloadError) {
        switch name {
        case "value":
            values += 1
            guard values <= Self.mostValues else { throw Self.invalid }
            open.append(Frame(kind: .value))
        case "array": open.append(Frame(kind: .list))
        case "struct": open.append(Frame(kind: .members))
        case "member": open.append(Frame(kind: .member))
        default: break
        }
    }

    private mutating func end(_ name: String, _ text: String) throws(DownloadError) {
        let word = text[...].trimmed(of: " \t\r\n")
        switch name {
        case "methodName": method = word
        // As in JSON, base64 stays a text.
        case "string", "base64", "dateTime.iso8601": try fill(.text(text))
        case "int", "i4", "i8":
            guard let number = Int(word) else { throw Self.invalid }
            try fill(.number(number))
        case "double":
            guard let number = Double(word) else { throw Self.invalid }
            try fill(.decimal(number))
        case "boolean": try fill(.truth(word == "1"))
        case "name":
            guard open.last?.kind == .member else { throw Self.invalid }
            open[open.count - 1].name = text
        case "array", "struct", "member", "value": try close(text)
        default: break
        }
    }

    /// Gives the innermost value its content.
    private mutating func fill(_ content: JSONValue) throws(DownloadError) {
        guard open.last?.kind == .value else { throw Self.invalid }
        open[open.count - 1].content = content
    }

    private mutating func close(_ text: String) throws(DownloadError) {
        guard let frame = open.popLast() else { throw Self.invalid }
        switch frame.kind {
        case .value: try add(frame.content ?? .text(text))
        case .list: try fill(.list(frame.items))
        case .members: try fill(.object(frame.members))
        case .member:
            guard open.last?.kind == .members, let value = frame.content else { throw Self.invalid }
            open[open.count - 1].members.append((frame.name, value))
        }
    }

    /// Adds a complete value to the element that contains it.
    private mutating func add(_ value: JSONValue) throws(DownloadError) {
        guard let outer = open.last else { return parameters.append(value) }
        switch outer.kind {
        // In place: copies of a long list would take long.
        case .list: open[open.count - 1].items.append(value)
        case .member: open[open.count - 1].content = value
        case .value, .members: throw Self.invalid
        }
    }
}
