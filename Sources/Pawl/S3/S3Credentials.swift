/// What identifies the sender of a signed request.
///
/// Printing the value shows none of it.
package struct S3Credentials: Hashable, Sendable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    package var keyID: String
    package var secret: String
    /// The token of temporary credentials.
    package var sessionToken: String?
    /// The time when temporary credentials end, in seconds since 1970; `nil` if they do not end or
    /// the end is not known.
    package var expiry: Int64?

    package var description: String { "S3Credentials(hidden)" }
    package var debugDescription: String { description }

    package init(
        keyID: String,
        secret: String,
        sessionToken: String? = nil,
        expiry: Int64? = nil
    ) {
        (self.keyID, self.secret) = (keyID, secret)
        (self.sessionToken, self.expiry) = (sessionToken, expiry)
    }
}
