import PawlCore
import Testing

/// Each reader of advice gets it in their own words.
@Suite(.timeLimit(.minutes(5)))
struct AdviceWordsTests {
    /// Advice with each term.
    private static let terms: [Advice] =
        AdvicePhrase.allCases.map { "\($0)" } + AdviceSetting.allCases.map { "\($0)" } + [
            "\(set: .ifExists, to: "rename", "overwrite")",
            "\(set: .adoptsPartialFile, to: "false")",
        ]

    @Test func `advice has the words of its reader`() {
        let advice: Advice = "choose \(.otherName), or \(set: .ifExists, to: "rename")"
        #expect(
            advice.text(for: .library)
                == "choose another destination, or set `ifExists` to `.rename`"
        )
        #expect(
            advice.text(for: .command)
                == "choose another name with --output, or use --if-exists rename"
        )
        #expect(
            advice.text(for: .api)
                == "choose another `destination`, or set `ifExists` to `rename`"
        )
    }

    @Test(arguments: terms)
    func `each term has words for each reader`(term: Advice) {
        for reader in AdviceReader.allCases {
            #expect(!term.text(for: reader).isEmpty)
        }
        #expect(!term.text(for: .library).contains("--"))
        #expect(!term.text(for: .command).contains("`"))
    }

    @Test(arguments: AdviceSetting.allCases)
    func `each setting in advice is in the table, and its property exists`(setting: AdviceSetting)
        throws
    {
        let row = try #require(setting.row)
        let member = try #require(row.member)
        let name: Advice = "\(setting)"
        #expect(name.text(for: .api) == "`\(member)`")
        if setting != .maximumRetryAfter { #expect(row.entries.contains(.command)) }
        var value: Any = DownloadSettings()
        for name in setting.property.split(separator: ".") {
            let child = Mirror(reflecting: value).children.first { $0.label == String(name) }
            value = try #require(child, "\(setting.property)").value
        }
    }

    @Test func `a flag is used or omitted, and a setting gets one of its values`() {
        let flag: Advice = "\(set: .adoptsPartialFile, to: "false")"
        #expect(flag.text(for: .command) == "omit --adopt")
        #expect(flag.text(for: .library) == "set `adoptsPartialFile` to `false`")
        let given: Advice = "\(set: .allowsUntrustedCertificates, to: "true")"
        #expect(given.text(for: .command) == "use --insecure")
        let two: Advice = "\(set: .ifExists, to: "rename", "overwrite")"
        #expect(two.text(for: .command) == "use --if-exists rename or overwrite")
        #expect(two.text(for: .library) == "set `ifExists` to `.rename` or `.overwrite`")
    }

    @Test(arguments: terms)
    func `a template describes the advice`(term: Advice) throws {
        let advice = "100 %7B {of} a|b: " + term + ", or wait"
        let template = try #require(advice.template)
        #expect(Advice(template: template) == advice)
        #expect(template.hasSuffix("}, or wait"))
    }

    @Test func `stored templates are still read`() {
        let template =
            "choose {phrase other-name}, raise {setting max-time}, or "
            + "{set if-exists rename}"
        let advice: Advice =
            "choose \(.otherName), raise \(.maximumDuration), or \(set: .ifExists, to: "rename")"
        #expect(advice.template == template)
        #expect(Advice(template: template) == advice)
    }

    @Test func `advice without terms needs no template`() {
        #expect(Advice("wait").template == nil)
        #expect(("" as Advice).isEmpty)
    }

    @Test(arguments: [
        "{", "a {phrase resume", "{}", "{phrase}", "{phrase later}", "{setting later}",
        "{set if-exists}", "{later a}", "{phrase resume a}",
    ])
    func `a template of a later version is not used`(template: String) {
        #expect(Advice(template: template) == nil)
    }

    @Test(arguments: TransferFailure.Kind.allCases)
    func `a failed exchange has no option in the library's advice`(kind: TransferFailure.Kind) {
        let error = DownloadError(TransferFailure(kind, "why"), host: "host")
        // A command line of pawl is for a shell, and keeps its options.
        #expect(!error.advice.contains("--") || error.advice.contains(": pawl "), "\(error)")
        #expect(error.recoverySuggestion ?? "" == error.advice)
    }

    @Test func `a refused response has no option in the library's advice`() {
        for status in 400...599 {
            let error = DownloadError(status: status, reason: "", host: "host")
            #expect(!error.advice.contains(" --"), "\(error)")
        }
        let error = DownloadError(status: 401, reason: "", host: "host")
        #expect(error.advice == "give a name and password with `credentials`, or check them")
        #expect(error.text(for: .command).hasSuffix("with --user, or check them"))
    }

    @Test func `the advice to resume is replaced if the next run starts over`() {
        let failure = TransferFailure(.connectTimedOut, "")
        let error = DownloadError(failure, host: "host").withoutResumeAdvice
        #expect(error.advice.hasPrefix("the next run starts from the beginning"))
        #expect(error.advice.hasSuffix(", or raise `connection.connectTimeout`"))
    }
}
