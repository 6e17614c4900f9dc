package import struct FoundationEssentials.URL

/// Decides which secrets of a download are kept when it gets another URL.
///
/// Secrets belong to the origin that they were given for. Every way to change the URL of a download
/// (`pawl set --url`, the API, a library) uses this type, so that none of them sends a password or
/// a key of one server to another.
package enum OriginSecrets {
    /// What is given with a URL and may contain secrets.
    package struct Given: Hashable, Sendable {
        package var fields: [HTTPField]
        package var credentials: Credentials?
        /// The page that links to the file.
        ///
        /// Every server of the download may see it, but its query can be as secret as a password.
        package var referer: URL?
        package var identity: ClientIdentity
        package var authentication: AuthenticationScheme?
        /// The body of the request, such as a form with a password.
        package var body: [UInt8]

        package init(
            fields: [HTTPField],
            credentials: Credentials?,
            referer: URL?,
            identity: ClientIdentity = ClientIdentity(),
            authentication: AuthenticationScheme? = nil,
            body: [UInt8] = []
        ) {
            (self.fields, self.credentials, self.referer) = (fields, credentials, referer)
            (self.identity, self.authentication) = (identity, authentication)
            self.body = body
        }
    }

    /// Returns what was given for `old` and may be sent to `new`.
    ///
    /// If either URL is not an HTTP URL, the origins are taken as different.
    package static func kept(_ given: Given, from old: URL?, to new: URL?) -> Given {
        let origins = [old, new].map { $0.flatMap { Origin($0) } }
        guard origins[0] == nil || origins[0] != origins[1] else { return given }
        return Given(
            fields: RedirectPolicy.fieldsForAnyOrigin(given.fields),
            credentials: nil,
            referer: nil,
            authentication: given.authentication == .negotiate ? nil : given.authentication
        )
    }
}

extension DownloadSettings {
    /// Returns the settings of a download at `old` for the same file at `new`, without secrets of
    /// another origin.
    package func moved(from old: URL?, to new: URL?) -> DownloadSettings {
        var settings = self
        let kept = OriginSecrets.kept(
            .init(
                fields: fields,
                credentials: credentials,
                referer: connection.referer,
                identity: connection.clientIdentity,
                authentication: connection.authentication,
                body: body
            ),
            from: old,
            to: new
        )
        (settings.fields, settings.credentials) = (kept.fields, kept.credentials)
        settings.connection.referer = kept.referer
        settings.connection.clientIdentity = kept.identity
        settings.connection.authentication = kept.authentication
        settings.body = kept.body
        return settings
    }

    /// Returns the settings of a download at `old` for the same file at `new`, without secrets of
    /// another origin, except those that the `usual` settings contain for every URL.
    package func moved(
        from old: URL?,
        to new: URL?,
        keepingThoseOf usual: DownloadSettings
    ) -> DownloadSettings {
        var settings = moved(from: old, to: new)
        settings.fields = fields.filter { field in
            settings.fields.contains(field) || usual.fields.contains(field)
        }
        if credentials == usual.credentials { settings.credentials = credentials }
        if connection.referer == usual.connection.referer {
            settings.connection.referer = connection.referer
        }
        if connection.clientIdentity == usual.connection.clientIdentity {
            settings.connection.clientIdentity = connection.clientIdentity
        }
        if connection.authentication == usual.connection.authentication {
            settings.connection.authentication = connection.authentication
        }
        return settings
    }
}
