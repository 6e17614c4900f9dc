internal import Pawl
internal import PawlCore

/// Reads a call in the form of XML-RPC, and writes its result.
enum XMLRPC {
    /// Returns the body of the response; `nil` if the text is not a call.
    static func answer(_ bytes: [UInt8], _ request: inout Aria2Request) async -> [UInt8]? {
        if bytes.count > Aria2Request.mostUnknownBytes {
            guard await request.isAuthenticated(bytes) else { return response(to: .unauthorized) }
        }
        // The client learns that the text is not a call, but not why, as from aria2.
        guard let call = try? XMLRPCCall(bytes) else { return nil }
        do throws(Aria2Error) {
            let value = try await request.call(call.method, call.parameters)
            return response("params><param", value, "param></params")
        } catch {
            return response(to: error)
        }
    }

    private static func response(to error: Aria2Error) -> [UInt8] {
        let value: JSONValue = [
            "faultCode": .number(error.code), "faultString": .text(error.message),
        ]
        return response("fault", value, "fault")
    }

    /// Returns the document with a value between two tags.
    private static func response(_ start: String, _ value: JSONValue, _ end: String) -> [UInt8] {
        var text = "<?xml version=\"1.0\"?><methodResponse><\(start)>"
        write(value, to: &text)
        return Array((text + "</\(end)></methodResponse>").utf8)
    }

    private static func write(_ value: JSONValue, to text: inout String) {
        text += "<value>"
        switch value {
        case .null: text += "<string></string>"
        case .truth(let truth): text += "<boolean>\(truth ? 1 : 0)</boolean>"
        case .number(let number): text += "<int>\(number)</int>"
        case .decimal(let number): text += "<double>\(number)</double>"
        case .text(let content): text += "<string>\(content.escapedForXML)</string>"
        case .list(let values):
            text += "<array><data>"
            for value in values { write(value, to: &text) }
            text += "</data></array>"
        case .members(let members):
            text += "<struct>"
            for member in members {
                text += "<member><name>\(member.name.escapedForXML)</name>"
                write(member.value, to: &text)
                text += "</member>"
            }
            text += "</struct>"
        }
        text += "</value>"
    }
}
