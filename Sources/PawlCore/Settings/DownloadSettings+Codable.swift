/// The coded form has a member for each setting that differs from its default, as listed in
/// `docs/settings.md`.
///
/// A setting that is missing has the default of the version that decodes it, and unknown members
/// of later versions are ignored. The form contains the secrets in the settings as plain text:
/// ``credentials``, ``fields``, and names, passwords and tokens in the URLs of ``mirrors``. Store
/// it where nobody else can read it.
extension DownloadSettings: Codable {
    /// Decodes settings; a value that is not possible is an error.
    public init(from decoder: any Decoder) throws {
        let document = try SettingsDocument<DownloadSettings>(from: decoder)
        do throws(DownloadError) {
            self = try document.settings()
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: error.description,
                    underlyingError: error
                )
            )
        }
    }

    /// Encodes the settings that differ from their defaults.
    public func encode(to encoder: any Encoder) throws {
        try SettingsDocument(self).encode(to: encoder)
    }
}
