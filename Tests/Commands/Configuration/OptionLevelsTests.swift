import PawlCLI
import PawlCore
import PawlTesting
import Testing

/// Which options of several levels have an effect.
@Suite(.timeLimit(.minutes(5)))
struct OptionLevelsTests {
    /// `name=value`; with a colon in front of the name, the value is a command.
    private func option(_ text: String) -> OptionAssignment {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        let isCommand = parts[0].hasPrefix(":")
        let name = isCommand ? String(parts[0].dropFirst()) : parts[0]
        var option = OptionAssignment(name, parts[1])
        if isCommand { option.form = .command }
        return option
    }

    /// Each string is a level; a `-` stands before an option that is expected to be replaced.
    @Test(arguments: [
        ["-retries=1", "retries=2"],
        ["-http1.1=true", "http2=true"],
        ["-http1.1=true http2=true"],
        ["retries=1 limit=1K", "connections=2"],
        ["header=A:1 -header=b:2", "header=B:3"],
        ["-bearer=x", "header=Authorization:y"],
        ["header=A:1 header=A:2"],
        ["-user=a:b -:password=p", "bearer=x"],
        ["-bearer=x", "user=a:b"],
        ["bearer=x user=a:b"],
        ["-:user=pass", "user=a:b"],
        ["-user=a:b", "-:bearer=t", "-user=c:d", ":bearer=u"],
        ["-user=a :password=p", "user=a"],
        ["-user=a -:password=p", "user=b"],
        ["-user=a -:password=p", "user=a:b"],
        ["-:password=p", "user=a :password=q"],
        [":password=p", "user=a"],
        ["-user=a -:password=p", "-bearer=x", "user=a"],
        [":header=pass", "header=A:1"],
        ["resolve=a:1:192.0.2.1 -resolve=b:1:192.0.2.2", "resolve=B:1:192.0.2.3"],
        ["-pinned-public-key=\(Self.keys[0])", "pinned-public-key=\(Self.keys[1])"],
        ["-user-agent=a", "header=User-Agent:b"],
        ["-header=User-Agent:a", "user-agent=b"],
        ["-directory=/a", "directory=/b"],
        ["-jobs=1", "jobs=2"],
        ["-referer=http://a/", "-referer=http://b/", "referer=http://c/"],
    ])
    func `a later level replaces earlier options for the same setting`(levels: [String]) {
        let words = levels.map { $0.split(separator: " ").map(String.init) }
        let plain = words.map { $0.map { option($0.hasPrefix("-") ? String($0.dropFirst()) : $0) } }
        let replaced = OptionLevels(plain).levels.map { $0.map(\.isReplaced) }
        #expect(replaced == words.map { $0.map { $0.hasPrefix("-") } }, "\(levels)")
    }

    private static let keys = ["A", "B"].map { letter in
        "sha256//" + String(repeating: letter, count: 42) + "A="
    }

    private static let samples = [
        "retries=1", "retries=10", "limit=1K", "compressed=true", "compressed=false",
        "http1.1=true", "http2=true", "http-version=1.1", "ipv4=true", "ipv6=true",
        "header=A:1", "header=a:2", "header=B:3", "header=Authorization:c", "bearer=x", "bearer=y",
        "redirect-header=A:4", "user=a:b", "user=c:d", "user=a", "user-agent=u",
        "header=User-Agent:v", "proxy=none", "proxy=http://p:1", "referer=http://r/",
        "resolve=a:1:192.0.2.1", "resolve=a:1:192.0.2.2", "resolve=*:2:192.0.2.3",
        "pinned-public-key=\(keys[0])", "pinned-public-key=\(keys[1])", "directory=/tmp",
        "directory=/", "auth=basic", "netrc=none", ":password=p", ":password=q",
    ]

    private struct Outcome: Equatable {
        var settings: SettingsDocument<DownloadSettings>
        var directory: String?
        var missing: MissingPassword?
    }

    /// Applies options; addresses that are never used are left out.
    private func outcome(of levels: [[OptionAssignment]]) throws -> Outcome {
        var options = DownloadOptions()
        for level in levels { try options.apply(level, .configured) }
        var settings = options.settings
        var seen: Set<String> = []
        settings.connection.fixedAddresses.removeAll { fixed in
            !seen.insert("\(fixed.host ?? "*"):\(fixed.port ?? 0)").inserted
        }
        return Outcome(
            settings: SettingsDocument(settings),
            directory: options.directory,
            missing: options.missingPassword
        )
    }

    /// Some options, of which only repeatable ones occur several times.
    private func level(using random: inout SplitMix64) -> [OptionAssignment] {
        var names: Set<String> = []
        return (0..<Int.random(in: 0...5, using: &random)).compactMap { _ in
            guard let option = Self.samples.randomElement(using: &random).map(option),
                names.insert(option.name).inserted || Self.repeatable.contains(option.name)
            else { return nil }
            return option
        }
    }

    private static let repeatable: Set = [
        "header", "redirect-header", "bearer", "resolve", "pinned-public-key",
    ]

    @Test func `replaced options have no effect on a download`() throws {
        for seed in TestSeed.seeds("OptionLevelsTests", count: 3_000) {
            var random = SplitMix64(seed: seed)
            let levels = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                level(using: &random)
            }
            let kept = OptionLevels(levels).levels.map { level in
                level.filter { !$0.isReplaced }.map(\.option)
            }
            let expected = try outcome(of: levels)
            let shown = levels.map { $0.map { "\($0.name)=\($0.value)" } }
            #expect(try outcome(of: kept) == expected, "PAWL_SEED=\(seed): \(shown)")
        }
    }
}
