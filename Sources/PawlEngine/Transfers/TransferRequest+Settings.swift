internal import struct FoundationEssentials.URL
internal import PawlCore

extension TransferRequest {
    /// A request as the user wants it; what is meant for the original's origin alone stays there.
    init(
        _ address: URL,
        range: ByteRange? = nil,
        settings: DownloadSettings,
        original: URL
    ) {
        self.init(url: address, range: range)
        if address == original {
            (fields, credentials) = (settings.fields, settings.credentials)
        } else if let from = Origin(original), let to = Origin(address) {
            (fields, credentials) = RedirectPolicy.fieldsToSend(
                settings.fields,
                credentials: settings.credentials,
                original: from,
                to: to
            )
        }
        connection = settings.connection
    }

    /// A mirror's own name and password go to its own origin alone.
    mutating func signIn(to mirror: Mirror) {
        guard let own = mirror.credentials, let origin = Origin(mirror.url), origin == Origin(url)
        else { return }
        credentials = own
    }
}
