import PawlCore
import Testing

/// Whether the text of a private key is encrypted.
@Suite(.timeLimit(.minutes(5)))
struct PrivateKeyTextTests {
    @Test(arguments: [
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ", false),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHI", true),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", false),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIE", true),
        ("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n", true), ("", false),
    ])
    func `an encrypted key is recognized in each format`(text: String, isEncrypted: Bool) {
        #expect(PrivateKeyText.isEncrypted(text) == isEncrypted)
    }
}
