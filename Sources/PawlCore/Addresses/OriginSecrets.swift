package import struct FoundationEssentials.URL

/// Decides which secrets of a download are kept when it gets another URL.
///
/// Secrets belong to the origin that they were given for. Every way to change the URL of a download
/// (`pawl set --url`, the API, a library) uses this type, so that none of them sends a password or
/// a key of one server to another.
package enum OriginSecrets {
    /// Returns those of the fields and credentials given for `old` that may be sent to `new`.
    ///
    /// If either URL is not an HTTP URL, the origins are taken as different.
    package static func kept(
        _ fields: [HTTPField],
        _ credentials: Credentials?,
        from old: URL?,
        to new: URL?
    ) -> (fields: [HTTPField], credentials: Credentials?) {
        guard let old = old.flatMap({ Origin($0) }), let new = new.flatMap({ Origin($0) }) else {
            return (RedirectPolicy.fieldsForAnyOrigin(fields), nil)
        }
        return RedirectPolicy.fieldsToSend(
            fields,
            credentials: credentials,
            original: old,
            to: new
        )
    }
}

extension DownloadSettings {
    /// Returns the settings of a download at `old` for the same file at `new`, without secrets of
    /// another origin.
    package func moved(from old: URL?, to new: URL?) -> DownloadSettings {
        var settings = self
        (settings.fields, settings.credentials) = OriginSecrets.kept(
            fields,
            credentials,
            from: old,
            to: new
        )
        return settings
    }
}
