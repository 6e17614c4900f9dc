/// A condition of a ``MoveRule`` (pure).
enum MoveCondition: Sendable, Hashable {
    /// The host of the URL matches a pattern, ignoring case.
    case host(String)
    /// The name of the file matches a pattern.
    case name(String)
    /// The media type matches a pattern, ignoring case.
    case type(String)
    case larger(Int64)
    case smaller(Int64)
    case session(String)
    case label(String)

    private static let names = ["host", "name", "type", "session", "label"]

    init(parsing text: String) throws(ValueError) {
        guard let sign = text.firstIndex(where: { "=<>".contains($0) }) else {
            throw Self.unknown(text)
        }
        let name = text[..<sign].filter { $0 != " " && $0 != "\t" }
        let value = String(text[text.index(after: sign)...].drop { $0 == " " || $0 == "\t" })
        guard !value.isEmpty else {
            throw ValueError(
                "the condition '\(text.sanitized(atMost: 100))' has no value",
                advice: "write a value after the sign, such as name=*.iso"
            )
        }
        switch (name, text[sign]) {
        case ("host", "="): self = .host(value.lowercased())
        case ("name", "="): self = .name(value)
        case ("type", "="): self = .type(value.lowercased())
        case ("session", "="): self = .session(value)
        case ("label", "="): self = .label(value)
        case ("size", ">"): self = .larger(try Self.size(value))
        case ("size", "<"): self = .smaller(try Self.size(value))
        default: throw Self.unknown(text)
        }
    }

    private static func size(_ text: String) throws(ValueError) -> Int64 {
        do throws(ValueError) {
            return try NumberText.rate(text)
        } catch {
            throw ValueError(
                "'\(text.sanitized(atMost: 40))' is not a size",
                advice: "use a number of bytes, such as 500K, 1.5M or 10G, where K is 1024"
            )
        }
    }

    private static func unknown(_ text: String) -> ValueError {
        let names = names.map { "\($0)=" }.joined(separator: ", ")
        return ValueError(
            "'\(text.sanitized(atMost: 100))' is not a condition",
            advice: "use \(names), size> or size<"
        )
    }

    /// Whether a finished file meets the condition; what is not known meets none.
    func isMet(by file: FinishedFacts) -> Bool {
        switch self {
        case .host(let pattern):
            file.host.map { NamePattern.matches(pattern, $0.lowercased()) } ?? false
        case .name(let pattern): NamePattern.matches(pattern, file.name)
        case .type(let pattern):
            file.mediaType.map { NamePattern.matches(pattern, $0.lowercased()) } ?? false
        case .larger(let size): file.size > size
        case .smaller(let size): file.size < size
        case .session(let name): file.session?.isExactly(name) ?? false
        case .label(let name): file.label?.isExactly(name) ?? false
        }
    }
}
