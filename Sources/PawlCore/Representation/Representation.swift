/// A specific version of a file, as the first good response described it.
package struct Representation: Hashable, Sendable {
    /// The length of the whole file; `nil` if the server does not report it.
    package var total: Int64?
    package var entityTag: EntityTag?
    /// The field as received.
    ///
    /// It is compared as text, because servers may use any form.
    package var lastModified: String?
    /// Whether `Last-Modified` was at least one second older than `Date` (RFC 9110 §8.8.2.2).
    package var lastModifiedIsOld = false
    package var mediaType: String?
    /// The coding if it is not identity: the bytes are in an encoding that was not requested.
    package var contentEncoding: String?
    /// The digest of the whole file according to the server, if any; the strongest of several.
    package var digest: ContentDigest?

    package init(total: Int64? = nil) { self.total = total }
}

/// An entity tag (RFC 9110 §8.8.3).
package struct EntityTag: Hashable, Sendable {
    package var isWeak: Bool
    /// The tag with its quotes, without `W/`.
    package var opaque: String

    package init(isWeak: Bool, opaque: String) {
        self.isWeak = isWeak
        self.opaque = opaque
    }
}

/// What a representation's validators can prove after the connection has ended.
package enum ValidatorStrength: Sendable {
    /// A strong entity tag, or a modification date that is old enough.
    case strong
    /// A weak entity tag, or a date that is too recent: another version may have the same.
    case weak
    case none
}

extension Representation {
    package var validatorStrength: ValidatorStrength {
        // Broken servers send an empty tag for every version.
        if let entityTag, !entityTag.isWeak, entityTag.opaque != "\"\"" { return .strong }
        if lastModified != nil, lastModifiedIsOld { return .strong }
        return entityTag == nil && lastModified == nil ? .none : .weak
    }
}
