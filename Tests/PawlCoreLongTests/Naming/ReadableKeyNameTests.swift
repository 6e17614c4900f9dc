import Foundation
import PawlCore
import PawlTesting
import Testing

/// The names of files that users see, made from storage keys.
@Suite(.timeLimit(.minutes(5)))
struct ReadableKeyNameTests {
    /// These forms are on disk and must never change.
    @Test(arguments: [
        ("", "%"), ("disk_1-a", "disk_1-a"), ("专辑/17", "专辑%2f17"), ("a.jpg", "a.jpg"),
        ("org.example.player", "org.example.player"), ("café", "café"), ("한국어", "한국어"),
        ("हिन्दी", "हिन्दी"), ("ไทย", "ไทย"), ("привет 2", "привет 2"), ("שלום", "שלום"),
        ("e\u{301}", "e%cc%81"), ("Disk", "%44isk"), ("Привет", "%d0%9fривет"),
        ("straße", "stra%c3%9fe"), ("λόγος", "λόγο%cf%82"), ("-rf", "%2drf"), ("a-", "a-"),
        (".", "%2e"), ("..", "%2e%2e"), (".a", "%2ea"), ("a.", "a%2e"), ("a..b", "a%2e.b"),
        ("a/../b", "a%2f%2e.%2fb"), (" a ", "%20a%20"), ("a b", "a b"), ("%2f", "%252f"),
        ("\u{0}", "%00"), ("a\u{202E}b", "a%e2%80%aeb"), ("a\u{200D}b", "a%e2%80%8db"),
        ("\u{2126}", "%e2%84%a6"), ("\u{212B}", "%e2%84%ab"), ("\u{F900}", "%ef%a4%80"),
        ("con", "%63on"), ("nul.txt", "%6eul.txt"), ("com1", "%63om1"), ("console", "console"),
        ("a.part", "a%2epart"), ("a.part.1", "a%2epart.1"), ("a.pawl", "a%2epawl"),
        ("a.party", "a.party"), ("~", "%7e"), ("a\\b", "a%5cb"), ("a:b", "a%3ab"),
        ("日本語が", "日本語が"), ("か\u{3099}", "か%e3%82%99"), ("\u{1112}\u{1161}", "ᄒ%e1%85%a1"),
    ])
    func `each key has its own form, and the form leads back to it`(text: String, form: String) {
        let key = StorageKey(text)
        #expect(key.readableForm == form)
        // Swift's own comparison would not tell a composed letter from a decomposed one.
        #expect(key.readableForm?.utf8.elementsEqual(form.utf8) == true)
        #expect(StorageKey(readableForm: form) == key)
    }

    @Test(arguments: ["Ab", "a/b", "%2F", "%a", "a%", "%61", "con", ".a", "a.", "e\u{301}", "%ff"])
    func `a form that is not canonical is refused`(form: String) {
        #expect(StorageKey(readableForm: form) == nil)
    }

    @Test func `random keys have reversible forms that are safe on every file system`() async {
        var random = TestSeed.generator("readable names")
        var keys: [String: StorageKey] = [:]
        var breath = Breath()
        for _ in 0..<30_000 {
            await breath.take()
            let key = Self.randomKey(&random)
            guard let form = key.readableForm else { continue }
            #expect(StorageKey(readableForm: form) == key)
            expectSafe(form)
            // Also on file systems that ignore case, and normalize: the text is a key of the
            // dictionary by canonical equivalence.
            let folded = form.decomposedStringWithCanonicalMapping.uppercased().lowercased()
            #expect(keys[folded] == nil || keys[folded] == key, "\(form)")
            keys[folded] = key
        }
    }

    /// Each scalar between two letters: no form may change in normalization, and each differs.
    @Test func `every scalar is safe within a form`() async {
        var keys: [String: UInt32] = [:]
        var breath = Breath()
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            await breath.take()
            guard let form = StorageKey("か\(scalar)한a").readableForm else { continue }
            let composed = form.precomposedStringWithCanonicalMapping
            #expect(composed.utf8.elementsEqual(form.utf8), "\(value)")
            guard !form.contains("%") else { continue }
            let folded = form.uppercased().lowercased()
            #expect(keys[folded] == nil, "\(value) and \(keys[folded] ?? 0)")
            keys[folded] = value
        }
        // Letters of all scripts.
        #expect(keys.count > 100_000)
    }

    private func expectSafe(_ form: String) {
        #expect(form.precomposedStringWithCanonicalMapping.utf8.elementsEqual(form.utf8), "\(form)")
        #expect(!form.isEmpty && form.utf8.count <= 200)
        #expect(!form.hasPrefix(".") && !form.hasPrefix("-") && !form.hasPrefix(" "))
        #expect(!form.hasSuffix(".") && !form.hasSuffix(" ") && !form.contains(".."))
        #expect(!FileName.isReserved(form))
        for scalar in form.unicodeScalars {
            let category = scalar.properties.generalCategory
            #expect(category != .control && category != .format && category != .surrogate)
            #expect(!"/\\:*?\"<>|".unicodeScalars.contains(scalar))
        }
    }

    private static func randomKey(_ random: inout some RandomNumberGenerator) -> StorageKey {
        let pieces = ["é", "e", "\u{301}", "\u{323}", ".", " ", "part", "が", "한", "\u{11A8}"]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...16, using: &random) {
            if Bool.random(using: &random), let piece = pieces.randomElement(using: &random) {
                text.append(contentsOf: piece.unicodeScalars)
            } else if let scalar = Unicode.Scalar(
                UInt32.random(
                    in: 0...(Bool.random(using: &random) ? 0x7F : 0x2_FFFF),
                    using: &random
                )
            ) {
                text.append(scalar)
            }
        }
        return StorageKey(String(text))
    }
}
