internal import PawlCore

extension Console {
    /// Writes a value as JSON, or as its text.
    func show(_ value: some Encodable, json: Bool, _ text: () -> String) {
        output(json ? JSONOutput.pretty(value) + "\n" : text())
    }
}

struct ProgressEvent: Encodable {
    var event = "progress"
    var id: Int
    var url: String
    var name: String
    var completed: Int64
    @Nullable var total: Int64?
    var speed: Int64
    @Nullable var eta: Int64?
    var connections: Int
    var phase: String

    init(_ download: RunningDownload) {
        let progress = download.progress
        id = download.id
        url = download.source
        name = progress.name.sanitized
        completed = progress.completedBytes
        total = progress.totalBytes
        speed = Int64(exactly: progress.bytesPerSecond.rounded()) ?? 0
        eta = progress.timeLeft.map { Int64($0.seconds.rounded(.up)) }
        connections = progress.connections
        phase = progress.phase.word
    }
}

struct FinishedEvent: Encodable {
    var event = "finished"
    var id: Int
    var url: String
    var name: String
    var path: String
    var bytes: Int64
    @Nullable var digest: String?
    var alreadyThere: Bool

    init(_ download: EndedDownload, _ file: DownloadedFile) {
        id = download.id
        url = download.source
        name = download.name.sanitized
        path = file.path
        bytes = file.byteCount
        digest = file.verifiedDigest?.description
        alreadyThere = file.wasAlreadyThere
    }
}

struct FailedEvent: Encodable {
    var event = "failed"
    var id: Int
    var url: String
    var name: String
    var code: String
    var message: String
    var exit: Int32

    init(_ download: EndedDownload, _ error: DownloadError) {
        id = download.id
        url = download.source
        name = download.name.sanitized
        code = error.code.rawValue
        message = error.text(for: .command)
        exit = error.code.exitStatus
    }
}

/// An optional that is encoded as null instead of being left out.
@propertyWrapper
struct Nullable<Value: Encodable>: Encodable {
    var wrappedValue: Value?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue {
            try container.encode(wrappedValue)
        } else {
            try container.encodeNil()
        }
    }
}

extension DownloadPhase {
    /// The phase's name in JSON.
    var word: String {
        switch self {
        case .waiting: "waiting"
        case .connecting: "connecting"
        case .receiving: "receiving"
        case .retrying: "retrying"
        case .waitingForConnectivity: "waiting-for-network"
        case .verifying: "verifying"
        case .finished: "finished"
        case .failed: "failed"
        }
    }
}
