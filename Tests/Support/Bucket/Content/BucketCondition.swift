/// The condition under which a request may write an object.
enum BucketCondition: Sendable {
    case none
    /// `If-None-Match: *`: there is no object.
    case absent
    /// `If-Match`: the object has this entity tag.
    case matches(String)

    init(_ request: RecordedRequest, _ support: BucketTraits.Support) throws(BucketRefusal) {
        let (match, noneMatch) = (request["If-Match"], request["If-None-Match"])
        self = .none
        guard match != nil || noneMatch != nil, support != .ignored else { return }
        guard support == .supported, match == nil || noneMatch == nil else {
            throw .notImplemented("a conditional write")
        }
        if let match {
            self = .matches(match.hasPrefix("\"") ? match : "\"\(match)\"")
        } else if noneMatch == "*" {
            self = .absent
        } else {
            throw .notImplemented("If-None-Match with an entity tag")
        }
    }

    func check(_ object: BucketObject?) throws(BucketRefusal) {
        switch self {
        case .none: break
        case .absent:
            guard object == nil else { throw .preconditionFailed("If-None-Match") }
        case .matches(let tag):
            guard let object else { throw .noSuchKey }
            guard object.entityTag == tag else { throw .preconditionFailed("If-Match") }
        }
    }
}
