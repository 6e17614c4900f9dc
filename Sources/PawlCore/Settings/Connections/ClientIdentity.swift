/// A certificate that identifies the client, and its private key.
///
/// Printing the value does not show the password.
public struct ClientIdentity: Hashable, Sendable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    /// The file with the certificate: PEM, or PKCS#12 if its name ends in `.p12` or `.pfx`.
    ///
    /// With `nil`, there is no certificate.
    public var certificateFile: String?
    /// A PEM file with the private key; `nil` if the file of the certificate contains it.
    public var keyFile: String?
    /// The password of the file with the private key; `nil` if there is none.
    public var keyPassword: String?

    /// Creates an identity from its files.
    public init(
        certificateFile: String? = nil,
        keyFile: String? = nil,
        keyPassword: String? = nil
    ) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.keyPassword = keyPassword
    }

    /// A text that hides the password.
    public var description: String {
        let files = [certificateFile, keyFile].compactMap(\.self)
        return
            "ClientIdentity(\((files + (keyPassword == nil ? [] : ["hidden"])).joined(separator: ", ")))"
    }
    /// A text that hides the password.
    public var debugDescription: String { description }

    /// Whether the file is PKCS#12, by its name.
    package var isPKCS12: Bool {
        let name = certificateFile?.lowercased() ?? ""
        return name.hasSuffix(".p12") || name.hasSuffix(".pfx")
    }
}
