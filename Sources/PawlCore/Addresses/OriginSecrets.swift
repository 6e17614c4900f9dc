package import struct FoundationEssentials.URL

/// Which secrets of a download stay when it gets another URL.
///
/// Secrets belong to the origin that they were given for. Every way to change the URL of a download
/// (`pawl set --url`, the API, a library) asks here, so that none of them sends a password or a key
/// of one server to another.
package enum OriginSecrets {
    /// Returns the fields and credentials that may be sent to `new` of those that were given for `old`.
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
    /// The settings of a download at `old` for the same file at `new`, without secrets of another origin.
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
