internal import PawlCore
internal import PawlWire

extension DaemonSettings {
    /// Reads and checks the certificate; `nil` if the settings name none.
    ///
    /// Throws if it cannot be used, and `.usage` if the listener needs one.
    func loadedTLS() throws(DownloadError) -> CurrentTLS.Loaded? {
        guard let tlsCertificate else {
            if let address = listenAddress { try Self.checkIsOwn(address) }
            if tlsKey != nil {
                throw .usage(
                    "a TLS key has no effect without a certificate",
                    advice: "give one: pawl daemon start --tls-cert FILE"
                )
            }
            return nil
        }
        return try CurrentTLS.Loaded(TLSFiles(certificate: tlsCertificate, key: tlsKey))
    }

    /// Throws `.usage` for an address that other machines can reach.
    private static func checkIsOwn(_ address: ListenAddress) throws(DownloadError) {
        guard !address.isLoopback else { return }
        throw .usage(
            "other machines can reach '\(address.hostText)', so the daemon needs TLS to listen there",
            advice: """
                give a certificate: pawl daemon start --tls-cert FILE; or listen at 127.0.0.1, and \
                connect through a reverse proxy or ssh -L \(Int(address.port)):127.0.0.1:\(Int(address.port)) HOST
                """
        )
    }
}

extension DaemonSettingsChange {
    /// Whether it changes the certificate, its key, or the listener that uses them.
    var concernsTLS: Bool {
        self[\.tlsCertificate] != nil || self[\.tlsKey] != nil || self[\.listen] != nil
    }
}
