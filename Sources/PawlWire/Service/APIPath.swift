/// The paths of the API.
///
/// A later version of the API gets another number.
package enum APIPath {
    package static let root = "/v1"
    package static let status = "/v1/status"
    package static let downloads = "/v1/downloads"
    package static let imports = "/v1/imports"
    package static let requests = "/v1/requests"
    package static let changes = "/v1/changes"
    package static let undo = "/v1/undo"
    package static let events = "/v1/events"
    package static let sessions = "/v1/sessions"
    package static let labels = "/v1/labels"
    package static let feeds = "/v1/feeds"
    package static let settings = "/v1/settings"
    package static let audit = "/v1/audit"
    package static let fleet = "/v1/fleet"
    package static let drain = "/v1/fleet/drain"
    package static let leftovers = "/v1/fleet/leftovers"
    package static let failures = "/v1/fleet/failures"
    package static let failureRetries = "/v1/fleet/failures/retries"
    package static let foreignUploads = "/v1/fleet/foreign-uploads"

    package static let acknowledgements = "/v1/acknowledgements"
    package static let login = "/v1/login"
    package static let tokens = "/v1/tokens"
    package static let loginCodes = "/v1/login-codes"

    package static func action(_ action: QueueAction) -> String {
        "/v1/actions/\(action.rawValue)"
    }

    package static func download(_ id: Int64) -> String { "\(downloads)/\(id)" }

    package static func feed(_ id: Int64) -> String { "\(feeds)/\(id)" }

    package static func feedCheck(_ id: Int64) -> String { "\(feed(id))/check" }

    package static func resumeData(_ id: Int64) -> String { "\(download(id))/resume-data" }

    package static func errorResponse(_ id: Int64) -> String { "\(download(id))/error-response" }

    package static func segments(_ id: Int64) -> String { "\(download(id))/segments" }

    package static func events(of id: Int64) -> String { "\(download(id))/events" }

    package static let idempotencyKey = "Idempotency-Key"
    package static let lastEvent = "Last-Event-ID"
}
