/// docs/http-api.md: the document for people.
struct APIReference {
    let reading: APIReading

    var text: String {
        var text = """
            # The HTTP API

            A test generates this page from [openapi.yaml](../Sources/PawlDaemon/API/openapi.yaml), which
            the daemon serves at `/openapi.yaml`: `PAWL_RECORD=1` writes this page again.
            [security.md](security.md) lists who may send which request. [daemon.md](daemon.md) explains
            how to begin.

            ```sh
            curl --unix-socket "$XDG_RUNTIME_DIR/pawl/daemon.sock" http://localhost/v1/downloads
            curl -H "Authorization: Bearer $(pawl daemon token)" http://127.0.0.1:6880/v1/downloads
            ```

            The response to a HEAD request is the response to GET without the body. Times are in
            RFC 3339. Values that are not known are omitted. A query is percent-encoded UTF-8, with
            `+` for a space. A body is JSON in UTF-8 (RFC 8259), in which no object has a member
            twice. U+0000 is refused in all texts. An error is a [Problem](#problem), even if the
            request was not valid HTTP. *Not available over TCP* marks operations and members that
            are available only at the Unix socket.

            ## Operations


            """
        text += "| | | body | answer |\n| --- | --- | --- | --- |\n"
        for operation in reading.operations { text += row(operation) }
        for operation in reading.operations where operation.value["parameters"] != nil {
            text += "\n### \(operation.method) \(operation.path)\n\n"
            text += "| parameter | in | |\n| --- | --- | --- |\n"
            for parameter in operation.value["parameters"]?.items ?? [] {
                let name = parameter["name"]?.text ?? ""
                let schema = parameter["schema"].map(type) ?? ""
                text += "| `\(name)` | \(parameter["in"]?.text ?? "") | "
                text += "\(schema): \(parameter["description"]?.text ?? "") |\n"
            }
        }
        text += "\n## Values\n"
        for (name, schema) in reading.schemas.sorted(by: { $0.key < $1.key }) {
            text += section(name, schema)
        }
        return text
    }

    private func row(_ operation: APIReading.Operation) -> String {
        let success = operation.success
        let answer = success.flatMap { APIReading.Operation.schema($0.answer) }
        let media = success?.answer["content"]?.members.keys.first
        let told = answer.map(link) ?? media.map { "`\($0)`" } ?? "nothing"
        return
            "| `\(operation.method) \(operation.path)` | \(operation.value["summary"]?.text ?? "") "
            + "| \(operation.body.map(link) ?? "") | \(success?.status ?? 0): \(told) |\n"
    }

    private func section(_ name: String, _ schema: JSONTree) -> String {
        var text = "\n### \(name)\n\n\(schema["description"]?.text ?? "")\n\n"
        text += "| | | |\n| --- | --- | --- |\n"
        let required = Set((schema["required"]?.items ?? []).compactMap(\.text))
        for (name, value) in (schema["properties"]?.members ?? [:]).sorted(by: { $0.key < $1.key })
        {
            let mark = required.contains(name) ? "always" : ""
            let about = value["description"]?.text ?? ""
            text += "| `\(name)` | \(mark) | \(type(value))\(about.isEmpty ? "" : ": \(about)") |\n"
        }
        return text
    }

    private func link(_ name: String) -> String { "[\(name)](#\(name.lowercased()))" }

    private func type(_ schema: JSONTree) -> String {
        if let name = schema["$ref"]?.text?.split(separator: "/").last { return link(String(name)) }
        if let choices = schema["anyOf"]?.items {
            return choices.map(type).joined(separator: " or ")
        }
        if let words = schema["enum"]?.items {
            return words.compactMap(\.text).map { "`\($0)`" }.joined(separator: ", ")
        }
        if let types = schema["type"]?.items.compactMap(\.text), !types.isEmpty {
            return types.map { $0 == "string" ? "text" : $0 }.joined(separator: " or ")
        }
        switch schema["type"]?.text {
        case "array": return "list of \(schema["items"].map(type) ?? "")"
        case "integer":
            let ends = [schema["minimum"], schema["maximum"]].map {
                $0?.number.map { "\(Int($0))" }
            }
            guard ends.contains(where: { $0 != nil }) else { return "whole number" }
            return "whole number, \(ends[0] ?? "") to \(ends[1] ?? "any")"
        case "string": return schema["format"] == nil ? "text" : "time"
        case "boolean": return "truth value"
        case let type?: return type
        case nil: return ""
        }
    }
}
