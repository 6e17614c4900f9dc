internal import PawlCore

/// Which members a body may have, as the document tells it.
///
/// A decoder passes over what it does not know: a word that was mistyped would be as if it had not been
/// said, and `isPausd` begin a download.
package indirect enum BodyForm: Sendable {
    /// Its members, and no others.
    case object([String: BodyForm])
    case list(BodyForm)
    /// Whatever it is, the decoder says what is wrong with it.
    case any

    /// Of a schema by its name, made once.
    package static func named(_ name: String) -> BodyForm { all[name] ?? .any }

    private static let all: [String: BodyForm] = {
        let names = APIDocument.operations.compactMap(\.body)
        return Dictionary(names.map { ($0, form(of: APISchema.of($0).value)) }) { first, _ in first
        }
    }()

    private static let schemas = Dictionary(
        APISchemas.all.map { ($0.0, $0.1.value) },
        uniquingKeysWith: { first, _ in first }
    )

    private static func form(of schema: JSONValue) -> BodyForm {
        if case .text(let reference)? = schema["$ref"],
            let name = reference.split(separator: "/").last, let value = schemas[String(name)]
        {
            return form(of: value)
        }
        if case .list(let choices)? = schema["anyOf"], let first = choices.first {
            return form(of: first)
        }
        if let item = schema["items"] { return .list(form(of: item)) }
        guard case .members(let members)? = schema["properties"],
            case .truth(false)? = schema["additionalProperties"]
        else { return .any }
        return .object(
            Dictionary(members.map { ($0.name, form(of: $0.value)) }) { first, _ in first }
        )
    }
}
