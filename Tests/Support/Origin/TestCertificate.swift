import CCrypto

/// A self-signed certificate and its key, made in memory once per process.
package final class TestCertificate: @unchecked Sendable {
    // Guard: not changed after init; OpenSSL counts references to both atomically.
    private let certificate: OpaquePointer
    private let key: OpaquePointer
    package let pem: String
    /// The private key in PEM, for servers in other processes.
    package let keyPEM: String

    /// A certificate for localhost, 127.0.0.1 and ::1, valid from a day ago until ten years from
    /// now.
    package static let localhost = make("localhost", names: localNames, validFor: 10 * year)
    /// Another certificate for the same names, as a renewal makes one.
    package static let renewed = make("localhost", names: localNames, validFor: 10 * year)
    /// A valid certificate for another host than the one that presents it.
    package static let otherHost = make(
        "other.example",
        names: [0x30, 0x0F, 0x82, 0x0D] + Array("other.example".utf8),
        validFor: 10 * year
    )
    /// A certificate for localhost that expired an hour ago.
    package static let expired = make("localhost", names: localNames, validFor: -3600)

    private static let year = 365 * 86_400

    /// The subjectAltName in DER (RFC 5280 §4.2.1.6): a DNS name and two addresses.
    private static let localNames: [UInt8] =
        [0x30, 0x23, 0x82, 0x09] + Array("localhost".utf8) + [0x87, 0x04, 127, 0, 0, 1]
        + [0x87, 0x10] + [UInt8](repeating: 0, count: 15) + [1]

    private init(certificate: OpaquePointer, key: OpaquePointer, pem: String, keyPEM: String) {
        self.certificate = certificate
        self.key = key
        self.pem = pem
        self.keyPEM = keyPEM
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// The private key in PEM, encrypted with a password.
    package var encryptedKeyPEM: String? {
        let password = Array("a password".utf8)
        return Self.encode {
            PEM_write_bio_PrivateKey(
                $0,
                key,
                EVP_aes_256_cbc(),
                password,
                Int32(password.count),
                nil,
                nil
            )
        }
    }

    /// Sets this certificate and its key on a TLS context.
    func use(in context: OpaquePointer) -> Bool {
        SSL_CTX_use_certificate(context, certificate) == 1
            && SSL_CTX_use_PrivateKey(context, key) == 1
    }

    /// Creates a certificate, or `nil` if the library lacks a function, which is not a test's
    /// fault.
    private static func make(_ host: String, names: [UInt8], validFor seconds: Int)
        -> TestCertificate?
    {
        guard let key = makeKey() else { return nil }
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            return nil
        }
        guard fill(certificate, host: host, key: key, validFor: seconds),
            // basicConstraints CA:TRUE (RFC 5280 §4.2.1.9), so that the certificate can be its own
            // authority.
            add(NID_basic_constraints, value: [0x30, 0x03, 0x01, 0x01, 0xFF], to: certificate),
            add(NID_subject_alt_name, value: names, to: certificate),
            X509_sign(certificate, key, EVP_sha256()) > 0,
            let pem = encode({ PEM_write_bio_X509($0, certificate) }),
            let keyPEM = encode({ PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) })
        else {
            X509_free(certificate)
            EVP_PKEY_free(key)
            return nil
        }
        return TestCertificate(certificate: certificate, key: key, pem: pem, keyPEM: keyPEM)
    }

    private static func makeKey() -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &key) == 1
        else { return nil }
        return key
    }

    private static func fill(
        _ certificate: OpaquePointer,
        host: String,
        key: OpaquePointer,
        validFor seconds: Int
    ) -> Bool {
        let name = X509_get_subject_name(certificate)
        let serial = Int.random(in: 1...Int(Int32.max))
        return X509_set_version(certificate, 2) == 1
            && ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial) == 1
            && X509_gmtime_adj(X509_getm_notBefore(certificate), -86_400) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), seconds) != nil
            && X509_set_pubkey(certificate, key) == 1
            && X509_NAME_add_entry_by_txt(
                name,
                "CN",
                MBSTRING_FLAG | 1,
                host,
                -1,
                -1,
                0
            ) == 1
            && X509_set_issuer_name(certificate, name) == 1
    }

    private static func add(_ identifier: Int32, value: [UInt8], to certificate: OpaquePointer)
        -> Bool
    {
        guard let octets = ASN1_OCTET_STRING_new() else { return false }
        defer { ASN1_OCTET_STRING_free(octets) }
        ASN1_OCTET_STRING_set(octets, value, Int32(value.count))
        guard let field = X509_EXTENSION_create_by_NID(nil, identifier, 0, octets) else {
            return false
        }
        defer { X509_EXTENSION_free(field) }
        return X509_add_ext(certificate, field, -1) == 1
    }

    private static func encode(_ write: (OpaquePointer) -> Int32) -> String? {
        guard let memory = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(memory) }
        guard write(memory) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        let count = BIO_read(memory, &buffer, Int32(buffer.count))
        return count > 0 ? String(decoding: buffer.prefix(Int(count)), as: UTF8.self) : nil
    }
}
