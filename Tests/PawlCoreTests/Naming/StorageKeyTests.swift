import FoundationEssentials
import PawlCore
import PawlTesting
import Testing

/// Contract: storage keys, "any Unicode string; its own path-safe form on disk".
@Suite(.timeLimit(.minutes(5)))
struct StorageKeyTests {
    /// These forms are on disk and must never change.
    @Test(arguments: [
        ("", "%"), ("disk_1-a", "disk_1-a"), ("Disk", "%44isk"), ("-rf", "%2drf"), (".", "%2e"),
        ("..", "%2e%2e"), ("a/b", "a%2fb"), ("a.jpg", "a%2ejpg"), ("%", "%25"), ("%2f", "%252f"),
        ("é", "%c3%a9"), ("e\u{301}", "e%cc%81"), ("\u{0}", "%00"), ("a b", "a%20b"), ("~", "%7e"),
    ])
    func `each key has its own form, and the form leads back to it`(text: String, form: String) {
        let key = StorageKey(text)
        #expect(key.plainForm == form)
        #expect(StorageKey(plainForm: form) == key)
    }

    @Test(arguments: ["Ab", "a/b", "%2F", "%a", "a%", "%zz", "%+1", "%61", "a.b", "%ff", "-a"])
    func `a form that is not canonical is refused`(form: String) {
        #expect(StorageKey(plainForm: form) == nil)
    }

    @Test func `strings that are equal in Swift are two keys if their bytes differ`() {
        #expect("é" == "e\u{301}")
        #expect(StorageKey("é") != StorageKey("e\u{301}"))
        #expect(Set([StorageKey("é"), StorageKey("e\u{301}")]).count == 2)
        #expect(StorageKey("é").plainForm != StorageKey("e\u{301}").plainForm)
    }

    @Test func `a long key has no plain form, and its head is cut between escapes`() {
        #expect(StorageKey(String(repeating: "a", count: 200)).plainForm?.count == 200)
        #expect(StorageKey(String(repeating: "a", count: 201)).plainForm == nil)
        for length in 0..<3 {
            let key = StorageKey(
                String(repeating: "a", count: length) + String(repeating: "é", count: 99)
            )
            let form = key.shortenedForm(digest: "00ff")
            #expect(form.hasSuffix("%%00ff"))
            #expect(form.count <= 126)
            #expect(!form.dropLast(6).suffix(2).contains("%"))
            #expect(StorageKey(plainForm: form) == nil)
        }
    }

    @Test func `random keys have reversible forms that fit every file system`() async {
        var random = TestSeed.generator("storage keys")
        var keys: [String: StorageKey] = [:]
        var breath = Breath()
        for _ in 0..<20_000 {
            await breath.take()
            let scalars = (0..<Int.random(in: 0...24, using: &random)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(
                        in: 0...(Bool.random(using: &random) ? 0x7F : 0x1_F9FF),
                        using: &random
                    )
                )
            }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            let key = StorageKey(String(text))
            guard let form = key.plainForm else { continue }
            #expect(StorageKey(plainForm: form) == key)
            #expect(form.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
            // Also on file systems that ignore case.
            #expect(form == form.lowercased())
            #expect(keys[form] == nil || keys[form] == key)
            keys[form] = key
        }
    }

    @Test func `a key is made by interpolation, and coded as its text`() throws {
        let (album, track) = ("专辑", 17)
        let key: StorageKey = "\(album)/\(track)"
        #expect(key == StorageKey("专辑/17"))
        #expect("\(key)" == "专辑/17")
        let json = try JSONEncoder().encode([key])
        #expect(try JSONDecoder().decode([String].self, from: json) == ["专辑/17"])
        #expect(try JSONDecoder().decode([StorageKey].self, from: json) == [key])
    }
}
