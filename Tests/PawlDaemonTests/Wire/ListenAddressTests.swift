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
            "0.0.0.0:6880", "[::]:6880", "*:6880", "192.168.1.2:6880", "example.org:6880", "::",
            "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
            "70000", "[::1]:x", "[::1", "",
        ]
    )
    func `a reachable or invalid address is refused for listening`(text: String) {
        let error = #expect(throws: DownloadError.self) { try ListenAddress(parsing: text) }
        #expect(error?.code == .usage)
    }
}
