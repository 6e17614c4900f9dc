import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ListenAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1:6880", "127.0.0.1:6880"), ("127.0.0.1", "127.0.0.1:6880"),
            ("localhost:80", "127.0.0.1:80"), ("7000", "127.0.0.1:7000"),
            ("[::1]:7000", "[::1]:7000"), ("[::1]", "[::1]:6880"), ("::1", "[::1]:6880"),
            (":7000", "127.0.0.1:7000"), ("127.0.0.1:0", "127.0.0.1:0"),
        ]
    )
    func `a loopback address is accepted for listening`(text: String, expected: String) throws {
        #expect(try ListenAddress(parsing: text).text == expected)
    }

    @Test(
        arguments: [
            ("0.0.0.0:6880", "0.0.0.0:6880"), ("[::]:7000", "[::]:7000"), ("[::]", "[::]:6880"),
            ("192.168.1.2", "192.168.1.2:6880"), ("[FD00::1]:80", "[fd00::1]:80"),
            ("127.0.0.1:7000", "127.0.0.1:7000"), ("localhost", "127.0.0.1:6880"),
        ]
    )
    func `any address of this machine is accepted for listening`(text: String, expected: String)
        throws
    {
        let address = try ListenAddress(parsing: text)
        #expect(address.text == expected)
        #expect(address.isLoopback == expected.hasPrefix("127"))
    }

    @Test(arguments: [
        "*:6880", "example.org:6880", "0.0.0.0:x", "[fe80::1%eth0]:6880", "fd00::1", "", "::",
        "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "70000",
        "[::1]:x", "[::1",
    ])
    func `a name or an invalid address is refused for listening`(text: String) {
        let error = #expect(throws: DownloadError.self) { try ListenAddress(parsing: text) }
        #expect(error?.code == .usage)
    }

    @Test func `the URL of all interfaces is that of this machine`() throws {
        func url(_ text: String, isSecure: Bool) throws -> String {
            try ListenAddress(parsing: text).url(isSecure: isSecure)
        }
        #expect(try url("0.0.0.0:6880", isSecure: true) == "https://127.0.0.1:6880")
        #expect(try url("[::]:6880", isSecure: true) == "https://[::1]:6880")
        #expect(try url("192.168.1.2:6880", isSecure: true) == "https://192.168.1.2:6880")
        #expect(try url("127.0.0.1:6880", isSecure: false) == "http://127.0.0.1:6880")
    }
}
