import struct FoundationEssentials.URL
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SourceURLTests {
    @Test(arguments: [
        ("https://host.example/disk.iso", "https://host.example/disk.iso"),
        ("  HTTP://Host.example/a \n", "http://Host.example/a"),
        ("https://host.example", "https://host.example/"),
        ("https://host.example?x=1", "https://host.example/?x=1"),
        ("https://host.example/a#part", "https://host.example/a"),
        ("https://host.example:8443/a", "https://host.example:8443/a"),
        ("https://host.example:/a", "https://host.example/a"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("http://127.0.0.1/a", "http://127.0.0.1/a"),
        ("http://my_host/a", "http://my_host/a"),
        ("https://h/a b/ü{}[].iso?q=ü x", "https://h/a%20b/%C3%BC%7B%7D%5B%5D.iso?q=%C3%BC%20x"),
        ("https://h/100%/%41%zz", "https://h/100%25/%41%25zz"),
        ("https://h/a\\b", "https://h/a%5Cb"),
        ("https://h/a@b:c", "https://h/a@b:c"),
    ])
    func `a URL is parsed`(text: String, expected: String) throws {
        let (url, credentials) = try SourceURL.parse(text)
        #expect(url.absoluteString == expected)
        #expect(credentials == nil)
    }

    @Test func `an international host name is kept for DNS to read`() throws {
        // Foundation converts it to punycode if ICU is linked. Otherwise it percent-encodes it.
        let (url, _) = try SourceURL.parse("https://münchen.example/a")
        let forms = ["https://xn--mnchen-3ya.example/a", "https://m%C3%BCnchen.example/a"]
        #expect(forms.contains(url.absoluteString))
    }

    @Test(arguments: [
        ("https://me:pw@h/a", "me", "pw"),
        ("https://me@h/a", "me", ""),
        ("https://me:@h/a", "me", ""),
        ("https://m%40e:p%3Aw%2F@h/a", "m@e", "p:w/"),
        ("https://me:p:w@x@h/a", "me", "p:w@x"), ("https://me:\u{301}pw@h/a", "me", "\u{301}pw"),
    ])
    func `a user is removed from the URL`(text: String, name: String, password: String) throws {
        let (url, credentials) = try SourceURL.parse(text)
        #expect(url.absoluteString == "https://h/a")
        #expect(credentials == Credentials(name: name, password: password))
    }

    @Test func `an invalid data URL is quoted with its media type, and without its bytes`() {
        for text in ["data:text/plain;base64,YQ@b", "data:text/plain;base64,YQ?x@b/c#d"] {
            let error = #expect(throws: DownloadError.self) { try SourceURL.parse(text) }
            let message = error?.message ?? ""
            #expect(
                message.hasPrefix("'data:text/plain;base64,\(QueryRedaction.mark)-"),
                "\(message)"
            )
            #expect(!message.contains("YQ"), "\(message)")
        }
    }

    @Test(arguments: [
        ("", "https://host/file"),
        ("   ", "https://host/file"),
        ("host.example/disk.iso", "did you mean https://host.example/disk.iso?"),
        ("//host.example/disk.iso", "did you mean https://host.example/disk.iso?"),
        ("localhost:8080/a", "did you mean https://localhost:8080/a?"),
        ("host.example:8080", "did you mean https://host.example:8080?"),
        ("disk.iso", "did you mean https://disk.iso?"),
        ("hello world", "https://host/file"),
        ("=====", "https://host/file"),
        ("ftp://h/a/", "give the URL of a file"),
        ("file:///folder/", "give the URL of a file"),
        ("file://host.example/a", "write it as file:///folder/name"),
        ("file:a", "write it as file:///folder/name"),
        ("magnet:?xt=urn:btih:abc", "use http, https, ftp, ftpes, ftps, sftp, file, data or s3"),
        ("data:text/plain", "write it as data:,text"),
        ("data:;base64,?", "write it as data:,text"),
        ("data:," + String(repeating: "x", count: 1 << 20), "save the bytes in a file"),
        ("https:///a", "https://host/file"),
        ("https://", "https://host/file"),
        ("https:h/a", "https://host/file"),
        ("https://:80/a", "https://host/file"),
        ("https://a b/c", "https://host/file"),
        ("https://a%2eb/c", "https://host/file"),
        ("https://a／b.example/c", "https://host/file"),
        ("https://a℀b.example/c", "https://host/file"),
        ("https://a．example/c", "https://host/file"),
        ("https://a\\b/c", "https://host/file"),
        ("https://[::1/c", "https://host/file"),
        ("https://[x]/c", "https://host/file"),
        ("https://h:0/a", "1 to 65535"),
        ("https://h:65536/a", "1 to 65535"),
        ("https://h:-1/a", "1 to 65535"),
        ("https://h:99999999999999999999/a", "1 to 65535"),
        ("https://h:abc/a", "1 to 65535"),
        ("https://h/a\nb", "%XX"),
        ("https://h/\u{1B}[31m", "%XX"),
    ])
    func `an invalid URL is an error with useful advice`(text: String, advice: String) throws {
        let error = #expect(throws: DownloadError.self) { try SourceURL.parse(text) }
        #expect(error?.code == .usage)
        #expect(error?.advice.contains(advice) == true, "\(String(describing: error))")
        #expect(error.map { $0.description == $0.description.sanitized } == true)
    }

    @Test(arguments: [
        "me:hunter2@host.example/a", "gopher://me:hunter2@h/a", "https://me:hunter2@h:0/a",
        "https://me:x/hunter2@h/a", "https://me:x#hunter2@h/a", "https://me:x?hunter2@h/a",
        "https:me:hunter2@h/a", "https://me:hunter2@/a", "https://h:0/?token=hunter2",
        "//me:hunter2@h/a", "me:x/hunter2@h",
    ])
    func `no error shows a password`(text: String) {
        let error = #expect(throws: DownloadError.self) { try SourceURL.parse(text) }
        #expect(error?.description.contains("hunter2") == false, "\(String(describing: error))")
    }
}
