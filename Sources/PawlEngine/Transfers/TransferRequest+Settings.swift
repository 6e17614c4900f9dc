internal import struct FoundationEssentials.URL
internal import PawlCore

extension TransferRequest {
    /// Creates a request from the user's settings.
    ///
    /// What is meant only for the original's origin is not sent elsewhere.
    init(
        _ address: URL,
        range: ByteRange? = nil,
        settings: DownloadSettings,
        original: URL
    ) {
        self.init(url: address, range: range)
        connection = settings.connection
        stallTimeout = settings.stallTimeout
        if address == original {
            (fields, credentials) = (settings.fields, settings.credentials)
        } else if let from = Origin(original), let to = Origin(address) {
            if from != to { connection.forgetIdentity() }
            (fields, credentials) = RedirectPolicy.fieldsToSend(
                settings.fields,
                credentials: settings.credentials,
                original: from,
                to: to
            )
        } else {
            connection.forgetIdentity()
        }
    }

    /// Adds a mirror's own user and password, which are sent only to the mirror's origin.
    mutating func signIn(to mirror: Mirror) {
        guard let own = mirror.credentials, let origin = Origin(mirror.url), origin == Origin(url)
        else { return }
        credentials = own
    }
}
