import PawlCore

/// The validators of a chaos origin, from which a client can tell one version from another.
package enum ChaosIdentity: String, CaseIterable, Sendable {
    /// A strong entity tag and a date, both specific to the version.
    case strong
    /// A strong entity tag alone.
    case tagOnly
    /// `Last-Modified` alone, one day later for each version.
    case dateOnly
    /// `Last-Modified` alone, as recent as `Date` and the same for all versions.
    case freshDate
    /// A weak entity tag, the same for all versions.
    case weakTag
    /// A new entity tag for each response.
    case tagPerRequest
    /// No entity tag and no date.
    case none

    /// Whether the heads of two versions of the same length are identical.
    var isBlind: Bool {
        switch self {
        case .freshDate, .weakTag, .none, .tagPerRequest: true
        case .strong, .tagOnly, .dateOnly: false
        }
    }

    /// Sets the validators of a version, counted from 0, on a resource.
    func mark(_ resource: inout Resource, seed: UInt64, version: Int, request: Int) {
        let tag = "\"\(String(seed, radix: 16))-\(version)\""
        let date = HTTPDate(secondsSince1970: 1_704_164_645 + Int64(version) * 86_400).text
        resource.entityTag = nil
        resource.lastModified = nil
        switch self {
        case .strong: (resource.entityTag, resource.lastModified) = (tag, date)
        case .tagOnly: resource.entityTag = tag
        case .dateOnly: resource.lastModified = date
        case .freshDate: resource.lastModified = resource.date
        case .weakTag: resource.entityTag = "W/\"\(String(seed, radix: 16))\""
        case .tagPerRequest: resource.entityTag = "\"request-\(request)\""
        case .none: break
        }
    }
}
