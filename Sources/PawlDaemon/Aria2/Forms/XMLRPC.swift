internal import Pawl
internal import PawlCore

/// Reads a call in the form of XML-RPC, and writes its result.
enum XMLRPC {
    /// Returns the body of the response; `nil` if the text is no call.
    static func answer(_ bytes: [UInt8], _ request: inout Aria2Request) async -> [UInt8]? {
        guard let call = try? XMLRPCCall(bytes) else { return nil }
        var text = "<?xml version=\"1.0\"?><methodResponse>"
        do throws(Aria2Error) {
            let value = try await request.call(call.method, call.parameters)
            text += "<params><param>"
            write(value, to: &text)
            text += "</param></params>"
        } catch {
            text += "<fault>"
            write(
                ["faultCode": .number(error.code), "faultString": .text(error.message)],
                to: &text
            )
            text += "</fault>"
        }
        return Array((text + "</methodResponse>").utf8)
    }

    private static func write(_ value: JSONValue, to text: inout String) {
        text += "<value>"
        switch value {
        case .null: text += "<string></string>"
        case .truth(let truth): text += "<boolean>\(truth ? 1 : 0)</boolean>"
        case .number(let number): text += "<int>\(number)</int>"
        case .decimal(let number): text += "<double>\(number)</double>"
        case .text(let content): text += "<string>\(escaped(content))</string>"
        case .list(let values):
            text += "<array><data>"
            for value in values { write(value, to: &text) }
            text += "</data></array>"
        case .members(let members):
            text += "<struct>"
            for member in members {
                text += "<member><name>\(escaped(member.name))</name>"
                write(member.value, to: &text)
                text += "</member>"
            }
            text += "</struct>"
        }
        text += "</value>"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            // XML 1.0 has no way to write other control characters (§2.2).
            case "\0"..<" " where scalar != "\t" && scalar != "\n", "\u{FFFE}", "\u{FFFF}":
                escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
