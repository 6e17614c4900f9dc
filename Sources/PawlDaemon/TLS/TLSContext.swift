internal import CCrypto
package import PawlCore

/// A certificate with its key, which OpenSSL presents to clients.
package final class TLSContext: @unchecked Sendable {
    // Guard: not changed after init; OpenSSL allows several threads to use a context and to read a
    // certificate.
    private let handle: OpaquePointer
    private let certificate: OpaquePointer

    /// Reads and checks the files.
    ///
    /// Throws `.fileUnreadable` with the reason.
    package init(_ files: TLSFiles) throws(DownloadError) {
        let chain = try Self.certificates(in: files)
        defer { for certificate in chain { X509_free(certificate) } }
        guard let first = chain.first else {
            throw TLSFiles.failure(
                "the file \(files.certificate.sanitized) contains no certificate in PEM",
                """
                give a file with BEGIN CERTIFICATE; to convert one: openssl x509 -inform der \
                -in FILE -out NEWFILE
                """
            )
        }
        try Self.checkTime(of: first, files)
        let key = try Self.key(in: files)
        defer { EVP_PKEY_free(key) }
        guard X509_check_private_key(first, key) == 1 else {
            ERR_clear_error()
            throw TLSFiles.failure(
                "the key in \(files.key.sanitized) does not belong to the certificate in "
                    + files.certificate.sanitized,
                "give the key of the first certificate in the file to pawl daemon start --tls-key"
            )
        }
        guard let context = pawl_tls_server_context() else {
            throw Self.refusal(files)
        }
        guard SSL_CTX_use_certificate(context, first) == 1,
            SSL_CTX_use_PrivateKey(context, key) == 1,
            chain.dropFirst().allSatisfy({ pawl_tls_add_to_chain(context, $0) == 1 }),
            X509_up_ref(first) == 1
        else {
            SSL_CTX_free(context)
            throw Self.refusal(files)
        }
        (handle, certificate) = (context, first)
    }

    deinit {
        SSL_CTX_free(handle)
        X509_free(certificate)
    }

    /// Begins a connection; `nil` if there is no memory.
    func makeSession() -> TLSSession? { SSL_new(handle).flatMap { TLSSession($0) } }

    /// Whether the certificate is for this host name or address, which has no port.
    package func isFor(_ host: String) -> Bool {
        // With the bytes' count 0, OpenSSL would look for the end of the text itself.
        guard !host.isEmpty, host.utf8.count <= 255, !host.utf8.contains(0) else { return false }
        if let address = IPAddress(host) {
            return X509_check_ip(certificate, address.bytes, address.bytes.count, 0) == 1
        }
        return X509_check_host(certificate, host, host.utf8.count, 0, nil) == 1
    }

    // MARK: - Reading the files

    /// Returns the bytes as an input of OpenSSL; `nil` if there is no memory.
    private static func memory(_ bytes: [UInt8]) -> OpaquePointer? {
        guard let input = BIO_new(BIO_s_mem()) else { return nil }
        guard bytes.isEmpty || BIO_write(input, bytes, Int32(bytes.count)) == Int32(bytes.count)
        else {
            BIO_free(input)
            return nil
        }
        return input
    }

    private static func certificates(
        in files: TLSFiles
    ) throws(DownloadError) -> [OpaquePointer] {
        let bytes = try files.readCertificate()
        guard let input = memory(bytes) else { throw refusal(files) }
        defer { BIO_free(input) }
        ERR_clear_error()
        var certificates: [OpaquePointer] = []
        while let certificate = PEM_read_bio_X509(input, nil, nil, nil) {
            certificates.append(certificate)
        }
        guard pawl_tls_is_end_of_pem() == 1 else {
            for certificate in certificates { X509_free(certificate) }
            throw TLSFiles.failure(
                "the file \(files.certificate.sanitized) contains a damaged certificate",
                "write the file again, or give another: pawl daemon start --tls-cert FILE"
            )
        }
        return certificates
    }

    private static func checkTime(
        of certificate: OpaquePointer,
        _ files: TLSFiles
    ) throws(DownloadError) {
        // OpenSSL compares with the time of the system's clock.
        if X509_cmp_current_time(X509_get0_notAfter(certificate)) <= 0 {
            throw TLSFiles.failure(
                "the certificate in \(files.certificate.sanitized) has expired",
                "renew it"
            )
        }
        if X509_cmp_current_time(X509_get0_notBefore(certificate)) >= 0 {
            throw TLSFiles.failure(
                "the certificate in \(files.certificate.sanitized) is not valid yet",
                "check the clock of this machine, or give another: pawl daemon start --tls-cert FILE"
            )
        }
    }

    private static func key(in files: TLSFiles) throws(DownloadError) -> OpaquePointer {
        let bytes = try files.readKey()
        guard let input = memory(bytes) else { throw refusal(files) }
        defer { BIO_free(input) }
        var isEncrypted: Int32 = 0
        if let key = pawl_tls_read_key(input, &isEncrypted) { return key }
        ERR_clear_error()
        guard isEncrypted == 0 else {
            throw TLSFiles.failure(
                "the TLS key in \(files.key.sanitized) is encrypted, and the daemon cannot ask for "
                    + "its password",
                """
                store it without a password, in a file that only the daemon's user can read: \
                openssl pkey -in FILE -out NEWFILE
                """
            )
        }
        throw TLSFiles.failure(
            "the file \(files.key.sanitized) contains no private key in PEM",
            "give the file of the key to pawl daemon start --tls-key"
        )
    }

    private static func refusal(_ files: TLSFiles) -> DownloadError {
        TLSFiles.failure(
            "OpenSSL refuses the certificate in \(files.certificate.sanitized): "
                + TLSSession.lastError(),
            "give another certificate: pawl daemon start --tls-cert FILE"
        )
    }
}
