package import PawlCore
package import PawlStorage
package import SystemPackage

/// Where the bytes of a download go.
package struct ByteTarget: Sendable {
    package let opening: any TargetOpening
    package let finishing: any TargetFinishing
    package let work: (any TargetWork)?

    /// Creates a target.
    ///
    /// `work` is what it does beside the calls to its store.
    package init(
        opening: any TargetOpening,
        finishing: any TargetFinishing,
        work: (any TargetWork)? = nil
    ) {
        (self.opening, self.finishing, self.work) = (opening, finishing, work)
    }
}

/// What a target does while a download runs, such as sending parts to a service.
package protocol TargetWork: Sendable {
    /// Works until `end()` was called, even if the task is cancelled: the received bytes are kept
    /// then.
    func run() async

    /// Ends what the target waits for, because the download is stopped: a call for which the download
    /// waits then throws `.interrupted`, and what is on its way may still be kept.
    ///
    /// It returns at once, and is called at any time, perhaps several times.
    func stop()

    /// Ends the work after the store was closed, and completes what the last calls to it demand.
    func end() async
}

/// Finds and opens the store of one download.
package protocol TargetOpening: Sendable {
    /// The name to show before the server has responded.
    var expectedName: String { get }

    /// Finds what an earlier run left, as far as that is known before the server is asked.
    func findBeforeAsking() async throws(DownloadError) -> TargetFinding

    /// Opens the store for the server's response: an earlier run's or a new one.
    ///
    /// `drop` ends the response, if its connection is needed to find out which of them.
    func open(
        _ response: TargetResponse,
        drop: () async -> Void
    ) async throws(DownloadError) -> TargetFinding

    /// Creates a new store in place of one that proved to be another download's.
    func openBeside(
        _ other: any TargetStore,
        _ representation: Representation,
        source: String
    ) async throws(DownloadError) -> TargetFinding

    /// Returns the mark by which a later run recognizes a store; `nil` if it needs none.
    func mark(for store: any TargetStore) -> SourceMark?
}

extension TargetOpening {
    /// Finds nothing: only files are shared among downloads.
    package func openBeside(
        _ other: any TargetStore,
        _ representation: Representation,
        source: String
    ) async throws(DownloadError) -> TargetFinding {
        .nothing(notes: [], absent: nil)
    }

    package func mark(for store: any TargetStore) -> SourceMark? { nil }
}

/// What was found where the bytes of a download go.
package enum TargetFinding: Sendable {
    /// Nothing to resume.
    ///
    /// `notes` are for the log; `absent` is a path with neither a file nor a partial one.
    case nothing(notes: [String], absent: FilePath?)
    case alreadyThere(FinishedTarget)
    case created(any TargetStore, notes: [String])
    case resumable(any TargetStore, Recovery)
}

/// The response for which a store is opened.
package struct TargetResponse: Sendable {
    package let head: ResponseHead
    package let representation: Representation
    /// The digest that the file must have, if it is known.
    package let digest: ContentDigest?
    /// The URLs of the download without their secrets, to be recorded.
    package let source: String

    package init(
        _ head: ResponseHead,
        _ representation: Representation,
        digest: ContentDigest?,
        source: String
    ) {
        (self.head, self.representation) = (head, representation)
        (self.digest, self.source) = (digest, source)
    }
}

/// Completes the store of one download.
package protocol TargetFinishing: Sendable {
    /// Makes a verified store durable, and gives it its name.
    func finish(_ complete: CompleteTarget) async throws(DownloadError) -> FinishedTarget

    /// Keeps bytes that proved to be wrong where they cannot be taken for right ones; returns the
    /// place, or `nil` if they were discarded.
    func keepAsCorrupt(
        _ store: any TargetStore,
        total: Int64,
        _ error: DownloadError
    ) async throws(DownloadError) -> String?
}

/// A store with all its bytes, which are verified.
package struct CompleteTarget: Sendable {
    package let store: any TargetStore
    package let total: Int64
    /// Whether the response proved the length.
    package let isLengthVerified: Bool
    package let digests: VerifiedDigests
    /// The store's epoch in which all bytes count.
    package let epoch: Int

    package init(
        store: any TargetStore,
        total: Int64,
        isLengthVerified: Bool,
        digests: VerifiedDigests,
        epoch: Int
    ) {
        (self.store, self.total, self.isLengthVerified) = (store, total, isLengthVerified)
        (self.digests, self.epoch) = (digests, epoch)
    }
}

/// A download that is complete under its name.
package struct FinishedTarget: Hashable, Sendable {
    /// The path of a file, or the URL of what another target has in its place.
    package var path: String
    package var name: String
    package var size: Int64
    /// Whether the same bytes had the name already.
    package var wasThere: Bool

    package init(path: String, name: String, size: Int64, wasThere: Bool = false) {
        (self.path, self.name, self.size, self.wasThere) = (path, name, size, wasThere)
    }

    /// Creates the value of a file.
    init(_ path: FilePath, size: Int64, wasThere: Bool) {
        let name = path.lastComponent?.string ?? ""
        self.init(path: path.string, name: name, size: size, wasThere: wasThere)
    }
}
