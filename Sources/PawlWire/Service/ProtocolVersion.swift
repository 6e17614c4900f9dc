/// The version of the protocol between the daemon and its clients.
///
/// It rises with each change that an older side does not understand, such as a new field in a
/// request, or a changed code or status.
package enum ProtocolVersion {
    /// The version of this program.
    ///
    /// Version 1 does not report its version, and responds to conflicts with the code `usage`.
    package static let current = 2

    /// The header field that reports the version in each response.
    package static let field = "Pawl-Protocol"

    /// Returns the version of the side that sent this field.
    package static func parse(_ text: String?) -> Int { text.flatMap { Int($0) } ?? 1 }
}
