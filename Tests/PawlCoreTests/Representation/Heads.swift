import struct FoundationEssentials.URL
import PawlCore

/// Heads for tests, in one line each.
extension ResponseHead {
    init(_ status: Int, _ fields: KeyValuePairs<String, String> = [:], reason: String = "") {
        self.init(
            url: URL(filePath: "/disk.iso"),
            status: status,
            reason: reason,
            fields: fields.map { HTTPField(name: $0.key, value: $0.value) }
        )
    }

    func with(_ name: String, _ value: String?) -> ResponseHead {
        var changed = self
        changed.fields.removeAll { $0.name == name }
        if let value { changed.fields.append(HTTPField(name: name, value: value)) }
        return changed
    }
}

let tuesday = "Tue, 04 Nov 2025 10:00:00 GMT"
let wednesday = "Wed, 05 Nov 2025 10:00:00 GMT"

extension Representation {
    /// The representation of a valid 200 of 1,000 bytes.
    static var pinned: Representation {
        var pinned = Representation(total: 1000)
        pinned.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        pinned.lastModified = tuesday
        pinned.lastModifiedIsOld = true
        pinned.mediaType = "application/x-iso9660-image"
        return pinned
    }

    func with(_ change: (inout Representation) -> Void) -> Representation {
        var changed = self
        change(&changed)
        return changed
    }
}
