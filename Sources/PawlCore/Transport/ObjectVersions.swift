package import struct FoundationEssentials.URL
internal import Synchronization

/// The versions of objects that the responses of one download belonged to.
///
/// If further requests ask for the same version, the download stays whole while the object is
/// overwritten.
package final class ObjectVersions: Sendable {
    private struct State {
        var versions: [URL: (tag: EntityTag, version: String)] = [:]
        var isRefused = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Notes the version of an object that has a tag.
    package func record(_ version: String, of url: URL, _ tag: EntityTag) {
        state.withLock { $0.versions[url] = (tag, version) }
    }

    /// Returns the version of an object that has a tag; `nil` if it is not known, or cannot be
    /// requested.
    package func version(of url: URL, _ tag: EntityTag) -> String? {
        state.withLock { state in
            guard !state.isRefused, let known = state.versions[url] else { return nil }
            return known.tag == tag ? known.version : nil
        }
    }

    /// Notes that the server does not let versions be requested: that is a right of its own.
    package func refused() { state.withLock { $0.isRefused = true } }
}
