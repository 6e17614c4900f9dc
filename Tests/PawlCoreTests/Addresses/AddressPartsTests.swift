import struct FoundationEssentials.URL
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AddressPartsTests {
    @Test(arguments: [
        "https://user:p%40ss@host.example:8443/a/b?c=d&e#f", "http://[::1]:80/", "//host/path",
        "/a/b?c#d?e", "?q", "#f", "", "mailto:a@b", "https://", "a:b:c", "http://h?q", "http://@h",
        "https://host:/x", "http://a@b@c:1:2/",
    ])
    func `the parts join to the original text`(text: String) {
        #expect(AddressParts(text).text == text)
    }

    @Test func `each part is found`() {
        let parts = AddressParts("HTTPS://us@er:pw@host.example:8443/a/b?c?d#e#f")
        #expect(parts.scheme == "HTTPS")
        #expect(parts.userInfo == "us@er:pw")
        #expect(parts.host == "host.example")
        #expect(parts.port == "8443")
        #expect(parts.path == "/a/b")
        #expect(parts.query == "c?d")
        #expect(parts.fragment == "e#f")
    }

    @Test func `brackets enclose an address`() {
        let parts = AddressParts("http://[2001:db8::1]:8080/x")
        #expect(parts.host == "[2001:db8::1]")
        #expect(parts.port == "8080")
        #expect(AddressParts("http://[::1]/x").port == nil)
    }

    @Test(arguments: [
        ("https://u:p@h/a?b=c#d", "https://h/a?b=c"),
        (
            "https://h/?X-Amz-Signature=abc&x-amz-credential=q&X-Amz-Expires=60",
            "https://h/?X-Amz-Signature=REDACTED&x-amz-credential=REDACTED&X-Amz-Expires=60"
        ),
        ("https://h/?X-Amz-Security-Token=abc", "https://h/?X-Amz-Security-Token=REDACTED"),
        (
            "https://h/?X-Goog-Signature=a&X-Goog-Credential=b",
            "https://h/?X-Goog-Signature=REDACTED&X-Goog-Credential=REDACTED"
        ),
        ("https://h/?se=1&sp=r&sv=2&sig=abc%3D", "https://h/?se=1&sp=r&sv=2&sig=REDACTED"),
        (
            "https://h/?Policy=a&Key-Pair-Id=b&Signature=c&Expires=1",
            "https://h/?Policy=REDACTED&Key-Pair-Id=REDACTED&Signature=REDACTED&Expires=1"
        ),
        ("https://h/?AWSAccessKeyId=a", "https://h/?AWSAccessKeyId=REDACTED"),
        (
            "https://h/?access_token=a=b=c&accessToken=d",
            "https://h/?access_token=REDACTED&accessToken=REDACTED"
        ),
        ("https://h/?to%6ben=a&to%6Ben", "https://h/?to%6ben=REDACTED&to%6Ben"),
        (
            "https://h/?key=1&api_key=2&apikey=3&API-KEY=4",
            "https://h/?key=REDACTED&api_key=REDACTED&apikey=REDACTED&API-KEY=REDACTED"
        ),
        (
            "https://h/?password=1&passwd=2&pwd=3&secret=4&client_secret=5",
            "https://h/?password=REDACTED&passwd=REDACTED&pwd=REDACTED&secret=REDACTED"
                + "&client_secret=REDACTED"
        ),
        (
            "https://h/?auth=1&session=2&credential=3",
            "https://h/?auth=REDACTED&session=REDACTED&credential=REDACTED"
        ),
        (
            "https://h/?design=1&keyboard=2&author=3&page=4&file=a.iso",
            "https://h/?design=1&keyboard=2&author=3&page=4&file=a.iso"
        ),
    ])
    func `a redacted URL hides its secrets`(text: String, expected: String) throws {
        #expect(try #require(URL(string: text)).redacted == expected)
    }

    @Test(arguments: [
        ("https://h.example:8443/a@b", "https://h.example:8443/a@b"), ("/a@b", "/a@b"),
        ("http:/\u{301}/u:pw@h/a@b/c", "http://b/c"), ("u:pw@h/a", "h/a"),
        ("http://u:pw", "http://u:REDACTED"), ("http://h:/a", "http://h:/a"),
        ("http://u:x/pw@h:80/a", "http://h:80/a"), ("http://h:99999/a", "http://h:99999/a"),
        ("\\\\u:pw@h/x", "h/x"), ("://u:pw@h/", "h/"), ("file:///a@2/b", "file:///a@2/b"),
    ])
    func `a text that is not a valid URL is shown without what may be its user`(
        text: String,
        expected: String
    ) {
        let shown = AddressParts(text).redacted
        #expect(shown == expected)
        #expect(AddressParts(shown).redacted == shown)
    }

    @Test(arguments: [
        "Authorization", "proxy-authorization", "COOKIE", "Set-Cookie", "X-API-Key",
        "Private-Token",
        "x-amz-security-token", "X-Secret", "X-Password", "X-Auth", "X-Auth-Key",
    ])
    func `a field that carries a secret is recognized`(name: String) {
        #expect(SecretField.isSecret(name))
    }

    @Test(arguments: [
        "Accept", "Referer", "User-Agent", "X-Author", "Range", "WWW-Authenticate", "Policy",
    ])
    func `other fields are not secret`(name: String) {
        #expect(!SecretField.isSecret(name))
    }
}
