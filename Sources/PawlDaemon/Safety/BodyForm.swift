internal import PawlCore
internal import PawlWire

/// The form of a body, which its media type declares: no page of another site can send it without
/// asking.
enum BodyForm: String {
    case json = "application/json"
    /// JSON texts, one per line.
    case lines = "application/x-ndjson"

    init(ofBodyAt path: String) { self = path == APIPath.imports ? .lines : .json }

    /// Whether a `Content-Type` names this form, with any parameters (RFC 9110 §8.3).
    func isDeclared(by contentType: String?) -> Bool {
        contentType?.split(separator: ";").first?.trimmed(of: " \t").lowercased() == rawValue
    }

    /// The error for a body of another form.
    var undeclared: DownloadError {
        .usage(
            "the body is not declared as \(rawValue)",
            advice: "send it with Content-Type: \(rawValue)"
        )
    }
}
