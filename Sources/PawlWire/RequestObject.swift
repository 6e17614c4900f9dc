package import PawlCore

/// An object that a program sends to the daemon.
///
/// The daemon refuses a request with unknown members. Objects that the daemon sends or stores may
/// have unknown members, because another version may have written them.
package protocol RequestObject: Decodable, Sendable {
    static var knownMembers: KnownMembers { get }
}

extension SettingsDocument: RequestObject {
    package static var knownMembers: KnownMembers {
        KnownMembers(of: Root.table) { $0.entries.contains(.socket) }
    }
}
