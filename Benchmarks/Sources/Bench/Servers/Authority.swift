/// A certificate authority for the benchmark, and a certificate that it has issued for this
/// machine.
struct Authority {
    /// The path of the authority's certificate, which the tools must trust.
    let certificate: String
    let serverCertificate: String
    let serverKey: String

    init(in workshop: Workshop) throws {
        let folder = workshop.root
        certificate = folder + "/authority.pem"
        serverCertificate = folder + "/server.pem"
        serverKey = folder + "/server.key"
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        let authorityKey = folder + "/authority.key"
        let request = folder + "/server.request"
        let extensions = folder + "/server.extensions"
        try workshop.command(
            ["openssl", "req", "-x509", "-days", "30", "-subj", "/CN=Pawl benchmark"] + key
                + ["-keyout", authorityKey, "-out", certificate]
        )
        try workshop.command(
            ["openssl", "req", "-subj", "/CN=localhost"] + key
                + ["-keyout", serverKey, "-out", request]
        )
        try Files.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n", to: extensions)
        try workshop.command([
            "openssl", "x509", "-req", "-days", "30", "-in", request, "-CA", certificate,
            "-CAkey", authorityKey, "-CAcreateserial", "-extfile", extensions,
            "-out", serverCertificate,
        ])
    }
}
