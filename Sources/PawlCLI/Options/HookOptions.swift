internal import ArgumentParser
internal import PawlCore

/// What happens when a download starts, finishes or fails.
struct HookOptions: DownloadOptionGroup {
    @Option(setting: "on-start") var onStart: String?
    @Option(setting: "on-complete") var onComplete: String?
    @Option(setting: "on-error") var onError: String?
    @Option(setting: "webhook") var webhook: String?
    @Option(setting: "move") var move: [String] = []
    @Flag(setting: "notify") var notify: Bool?
    @Flag(setting: "unpack") var unpack: Bool?
}
