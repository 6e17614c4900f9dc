import Glibc
import PawlCore
import PawlStorage
import SystemPackage
import Testing

extension Representation {
    /// A representation with a strong entity tag.
    static func sample(_ total: Int64?, tag: String = "\"v1\"") -> Representation {
        var sample = Representation(total: total)
        sample.entityTag = EntityTag(isWeak: false, opaque: tag)
        sample.lastModified = "Mon, 06 Jul 2026 08:49:37 GMT"
        sample.lastModifiedIsOld = true
        sample.mediaType = "application/octet-stream"
        return sample
    }
}

extension RangeSet {
    init(_ pairs: (Int64, Int64)...) {
        self.init(pairs.map { ByteRange($0.0, $0.1) })
    }
}

extension PartialStore {
    func write(_ bytes: [UInt8], at offset: Int64) throws {
        try bytes.withUnsafeBytes { try write($0, at: offset) }
    }

    static func sample(
        _ paths: DownloadPaths,
        total: Int64?,
        unnamed: Bool = true,
        boot: BootIdentity = .firstBoot
    ) throws -> PartialStore {
        try PartialCreation.create(
            paths,
            source: "https://example.com/disk.iso",
            representation: .sample(total),
            settings: .on(boot, unnamed: unnamed)
        )
    }
}

extension FrontierDigest {
    convenience init(_ algorithm: DigestAlgorithm, store: PartialStore) throws(DownloadError) {
        try self.init(algorithm, of: { store.paths.partial.string }) {
            (buffer, offset) throws(DownloadError) in
            try store.read(into: buffer, at: offset)
        }
    }
}

extension BootIdentity {
    static let firstBoot = BootIdentity("first")
    static let secondBoot = BootIdentity("second")
}

extension StoreSettings {
    static func on(_ boot: BootIdentity, unnamed: Bool = true) -> StoreSettings {
        var settings = StoreSettings()
        settings.boot = boot
        settings.startsUnnamed = unnamed
        return settings
    }
}

struct Resumable {
    let store: PartialStore
    let recovery: Recovery
}

func resume(
    _ paths: DownloadPaths,
    allowsWeakResume: Bool = false,
    boot: BootIdentity = .firstBoot
) throws -> Resumable {
    let found = try PartialRecovery.recover(
        paths,
        allowsWeakResume: allowsWeakResume,
        settings: .on(boot)
    )
    guard case .resumable(let store, let recovery) = found else {
        Issue.record("found \(found)")
        throw Errno.noSuchFileOrDirectory
    }
    return Resumable(store: store, recovery: recovery)
}

func notesOfNothing(_ found: RecoveredStore) -> [String]? {
    if case .nothing(let notes) = found { notes } else { nil }
}

func isForeign(_ found: RecoveredStore) -> Bool {
    if case .foreignPartial = found { true } else { false }
}

/// The error that the body throws.
///
/// Records an issue if it throws none.
func failure(_ body: () throws -> Void) -> DownloadError? {
    #expect(throws: DownloadError.self) { try body() }
}
