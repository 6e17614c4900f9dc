import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ContentDispositionTests {
    @Test(arguments: [
        ("attachment; filename=disk.iso", "disk.iso"),
        ("attachment; filename=\"disk.iso\"", "disk.iso"),
        ("Attachment;FileName = \"a b.txt\" ; size=5", "a b.txt"),
        ("inline; filename=\"a;b=c.txt\"", "a;b=c.txt"),
        (#"attachment; filename="say \"hi\".txt""#, #"say "hi".txt"#),
        (#"attachment; filename="back\\slash""#, #"back\slash"#),
        (#"attachment; filename="C:\dir\file.txt""#, #"C:\dir\file.txt"#),
        ("attachment; filename*=UTF-8''na%C3%AFve%20plan.txt", "naïve plan.txt"),
        ("attachment; filename*=utf-8'en'%e2%82%ac%20rates", "€ rates"),
        ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
        ("attachment; filename=\"plain\"; filename*=UTF-8''ext", "ext"),
        ("attachment; filename*=UTF-8''ext; filename=\"plain\"", "ext"),
        ("attachment; filename=plain; filename*=koi8-r''x", "plain"),
        ("attachment; filename=plain; filename*=broken", "plain"),
        ("attachment; filename*=\"UTF-8''quoted.txt\"", "quoted.txt"),
        ("attachment; filename*=UTF-8''it's.txt", "it's.txt"),
        ("attachment; filename*=UTF-8''100%zz%", "100%zz%"),
        ("attachment; filename*=UTF-8''%FF.txt", "\u{FFFD}.txt"),
        ("attachment; filename=my file.txt", "my file.txt"),
        ("attachment; filename=\"no end", "no end"),
        ("attachment; filename=\"a\"b; x=y", "a"),
        ("attachment;; ; filename=x;", "x"),
        ("filename=bare.txt", "bare.txt"),
        ("attachment filename=\"comma.txt\"", "comma.txt"),
        ("attachment; filename=first; filename=second", "first"),
        ("attachment; filename=\"../../evil\"", "../../evil"),
        ("attachment; filename=\"%2e%2e\"", "%2e%2e"),
        ("attachment; filename=naïve.txt", "naïve.txt"),
        ("attachment; filename=\"=?UTF-8?B?bmHDr3ZlLnR4dA==?=\"", "naïve.txt"),
        ("attachment; filename=\"=?iso-8859-1?Q?na=EFve_plan.txt?=\"", "naïve plan.txt"),
        ("attachment; filename=\"=?UTF-8?Q?a?= =?UTF-8?Q?b.txt?=\"", "ab.txt"),
        ("attachment; filename=\"=?x?B?!!?=\"", "=?x?B?!!?="),
        ("attachment; filename=\"=?=\"", "=?="),
        ("attachment; filename=\"=??=\"", "=??="),
    ])
    func `a file name is parsed`(field: String, expected: String) {
        #expect(ContentDisposition(parsing: field).fileName == expected)
    }

    @Test(arguments: [
        "", "attachment", "inline;", ";;;", "=", "=;=;=", "attachment; size=5",
        "attachment; filename*=UTF-8", "attachment; notfilename=x", "\"", "filename",
    ])
    func `a field without a file name has none`(field: String) {
        #expect(ContentDisposition(parsing: field).fileName == nil)
    }

    @Test func `an empty name is empty`() {
        #expect(ContentDisposition(parsing: "attachment; filename=").fileName == "")
        #expect(ContentDisposition(parsing: "attachment; filename=\"").fileName == "")
    }

    @Test func `random fields do no harm`() {
        var random = TestSeed.generator("fields")
        let pieces = [
            "filename", "*", "=", "\"", ";", "\\", "'", "UTF-8''", "%", "%41", " ", "=?", "?=",
            "?B?",
            "é", "\u{0}", "/",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...14, using: &random)
            let field = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let name = ContentDisposition(parsing: field).fileName.flatMap(FileName.clean)
            #expect(name?.contains("/") != true, "\(field)")
        }
    }
}
