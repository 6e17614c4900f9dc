/// The version of what the daemon and those who ask it say to each other.
///
/// It rises with each change that an older side does not understand: a field that is new in a request, a
/// code or a status that is another one.
package enum ProtocolVersion {
    /// Of this program.
    ///
    /// 1: does not say its version; answers conflicts with the code `usage`.
    package static let current = 2

    /// The field of each answer that has it.
    package static let field = "Pawl-Protocol"

    /// Of who has sent that field.
    package static func parse(_ text: String?) -> Int { text.flatMap { Int($0) } ?? 1 }
}
