internal import PawlCore

/// The members that a body may have, according to the API's description.
///
/// A decoder ignores unknown members. So a mistyped one would have no effect, and `isPausd` would
/// start a download.
package indirect enum BodyForm: Sendable {
    /// An object with these members and no others.
    case object([String: BodyForm])
    case list(BodyForm)
    /// Any value; the decoder reports mistakes.
    case any

    /// Returns the form of a schema by its name.
    ///
    /// It is created once.
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
