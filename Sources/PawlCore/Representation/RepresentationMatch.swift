/// What a representation's validators can prove after the connection has ended.
package enum ValidatorStrength: Sendable {
    /// A strong entity tag, or a modification date that is old enough.
    case strong
    /// A weak entity tag, or a date that is too recent: another version may have the same.
    case weak
    case none
}

/// The result of comparing a response's validators with the pinned ones.
package enum RepresentationMatch: Hashable, Sendable {
    /// Nothing differs, and no pinned validator is missing without other proof.
    case same
    /// A validator differs.
    ///
    /// `onlyEntityTag`: total and Last-Modified equal the pinned ones.
    case changed(onlyEntityTag: Bool)
    /// Nothing differs, but a pinned validator is missing.
    case unproven(missing: String)
}

/// The reason why a response is not taken for the file, or for another version of it.
package enum Doubt: Hashable, Sendable {
    /// It is a web page, although the pinned response was of another type.
    case webPage
    /// It lacks this validator, which the pinned response had, and no validator of the same kind
    /// proves another version.
    case missing(String)
    /// It is encoded, although the pinned response was not.
    case encoded(String)
    /// Its length differs from that of the pinned response, and no validator proves another
    /// version.
    case otherLength(Int64?)
    /// Its entity tag differs from that of the pinned response, but one of them is weak.
    case otherWeakTag
}
