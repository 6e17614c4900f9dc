import PawlTransport
import Testing

/// Which proxy the environment names.
@Suite(.timeLimit(.minutes(5)))
struct EnvironmentProxyTests {
    private func proxy(_ scheme: String, _ variables: [String: String]) -> EnvironmentProxy {
        EnvironmentProxy(scheme: scheme) { variables[$0] }
    }

    @Test func `the variables are looked for in libcurl's order`() {
        let all = ["all_proxy": "a:1", "ALL_PROXY": "b:1", "https_proxy": "", "HTTPS_PROXY": "c:1"]
        #expect(proxy("https", all) == .proxy("http://c:1"))
        #expect(proxy("ftp", all) == .proxy("http://a:1"))
        #expect(proxy("ftp", [:]) == .unset)
        // To a CGI program, this one is a header of its client.
        #expect(proxy("http", ["HTTP_PROXY": "a:1"]) == .unset)
    }

    @Test func `the proxy of a desktop is SOCKS 4, as in libcurl`() {
        #expect(proxy("http", ["all_proxy": "socks://a:1/"]) == .proxy("socks4://a:1/"))
    }

    @Test(arguments: [
        "http://joe:p#hunter2@a:1", "http://joe:hunter2@a:99999", "foo://joe:hunter2@a:1",
        "joe:hunter2/@a:1",
    ])
    func `the reason why a value is not a proxy does not contain the password`(value: String) {
        guard case .invalid(let reason) = proxy("http", ["http_proxy": value]) else {
            Issue.record("\(value) is taken")
            return
        }
        #expect(reason.hasPrefix("http_proxy: "))
        #expect(!reason.contains("hunter2") && !reason.contains("joe"), "\(reason)")
    }
}
