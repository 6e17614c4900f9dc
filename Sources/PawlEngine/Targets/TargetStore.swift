package import PawlCore
package import PawlStorage

/// Keeps the bytes of one download that is not complete: a partial file, or what another target has
/// in its place.
///
/// Its calls may block. `put`, `holds` and `read` may run on any number of threads, and overlap with
/// each other and with all other calls.
///
/// **Parts.** A store whose traits have a grid takes the bytes of a part in order. The engine then
/// begins a part at its first byte, or continues it after the last byte that was put, with one
/// transfer at a time. A transfer whose end was moved may still put bytes after its new end, which
/// the next transfer receives, too. So the store ignores bytes that it has already.
package protocol TargetStore: AnyObject, Sendable {
    /// What the store can do; a reset may change it.
    var traits: TargetTraits { get }
    /// The name of the target, to be shown.
    var name: String { get }
    /// Where the bytes are, for messages.
    var place: String { get }
    /// The partial file; `nil` if the target is not a file.
    var partialFile: PartialStore? { get }

    // MARK: The bytes

    /// Takes bytes at their offset.
    ///
    /// The caller has proven that they belong there.
    func put(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(DownloadError) -> PutAnswer
    /// Whether the store can take bytes at an offset now; only asked after `PutAnswer.full`.
    func hasRoom(at offset: Int64) -> Bool
    /// Sets what is called each time that there is room again after `PutAnswer.full`.
    func whenRoom(_ body: @escaping @Sendable () -> Void)
    /// Sets what is called when bytes that were taken are lost, or can never be kept.
    func whenFailed(_ body: @escaping @Sendable (TargetFailure) -> Void)
    /// Whether the store has these bytes at that offset; only asked without a grid.
    func holds(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DownloadError) -> Bool
    /// Reads bytes.
    ///
    /// Returns their number, which is less than requested only at the end. Which bytes can be read
    /// follows from the traits.
    func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(DownloadError) -> Int
    /// Starts to make the bytes durable, so that the next sync has little to wait for.
    func startWriteback()
    /// Reserves space for all bytes, if the traits say so.
    func reserve(total: Int64) throws(DownloadError)
    /// Frees the space of bytes that nobody needs any more.
    func drop(_ range: ByteRange)

    // MARK: What is kept

    var representation: Representation { get }
    /// Stores what was learned later: the total, or that the entity tag cannot be used.
    func setRepresentation(_ representation: Representation)
    /// The ranges that survive the loss of this process and its machine; with a grid, whole parts.
    var durable: RangeSet { get }
    /// A number that changes when bytes put before no longer count: after a reset, or a failed sync.
    var trustEpoch: Int { get }
    /// What a later run could resume from if this one ended now; `nil` if there is nothing.
    var kept: KeptBytes? { get }
    /// Whether a later run finds the bytes.
    var isInPlace: Bool { get }
    /// Records that these ranges are written, if the traits say that claims are kept.
    ///
    /// `epoch` is the epoch in which the ranges were written. If it has passed, nothing is done.
    func saveCheckpoint(written: RangeSet, epoch: Int?) throws(DownloadError)
    /// Makes these ranges durable; with a grid, the whole parts among them.
    ///
    /// `epoch` means the same as for `saveCheckpoint`.
    func sync(written: RangeSet, epoch: Int?) throws(DownloadError)
    /// Waits, for a moment at most, until the whole parts that are on their way are durable.
    ///
    /// It is called before a download ends without its target.
    func settle() async
    /// Forgets all bytes outside these ranges; with a grid, every part that is not whole in them
    /// begins again.
    ///
    /// Nothing is put meanwhile.
    func restrict(to kept: RangeSet)
    /// Forgets all bytes, because another representation begins.
    ///
    /// Nothing is put meanwhile. `mark` is that of the source's URL, for files.
    func reset(
        representation: Representation,
        source: String,
        mark: SourceMark?
    ) throws(DownloadError)

    // MARK: The end

    /// Ends the use of the store, and keeps what is recorded.
    func close()
    /// Deletes all bytes, and what was recorded of them.
    func discard() throws(DownloadError)
}

extension TargetStore {
    package var partialFile: PartialStore? { nil }
    package var isInPlace: Bool { true }
    package func hasRoom(at offset: Int64) -> Bool { true }
    package func whenRoom(_ body: @escaping @Sendable () -> Void) {}
    package func whenFailed(_ body: @escaping @Sendable (TargetFailure) -> Void) {}
    package func settle() async {}
    package func startWriteback() {}
    package func reserve(total: Int64) throws(DownloadError) {}
    package func drop(_ range: ByteRange) {}

    /// Returns the partial file, for what only files can do.
    func file() throws(DownloadError) -> PartialStore {
        guard let partialFile else {
            throw DownloadError(.unknown, "\(place) is not a partial file")
        }
        return partialFile
    }
}

/// What a store can do.
package struct TargetTraits: Hashable, Sendable {
    /// The parts in which the store takes bytes; `nil` if it takes any byte at any time.
    ///
    /// With a grid, no two transfers fetch the same bytes, and bytes are not compared.
    package var grid: SegmentGrid?
    /// Whether it records written bytes that are not durable, so that they survive the end of the
    /// process.
    package var keepsClaims: Bool
    /// Whether space can be reserved for all bytes.
    package var reservesSpace: Bool
    /// Which bytes can be read.
    package var reading: TargetReading

    package init(
        grid: SegmentGrid? = nil,
        keepsClaims: Bool = false,
        reservesSpace: Bool = false,
        reading: TargetReading = .anywhere
    ) {
        self.grid = grid
        self.keepsClaims = keepsClaims
        self.reservesSpace = reservesSpace
        self.reading = reading
    }
}

/// Which bytes of a store can be read.
package enum TargetReading: Sendable {
    /// All of them.
    case anywhere
    /// Each byte once, from the first to the last: the store keeps it until then.
    ///
    /// A digest that is known from the start can be verified. If bytes are lost, all are put again.
    case once
    /// None: no digest can be verified.
    case never
}

/// What has happened to bytes that a store had taken.
package enum TargetFailure: Sendable {
    /// Those that are not durable are lost, and have to be put again: there is a new epoch.
    case lost(DownloadError)
    /// The store can take no bytes any more.
    case failed(DownloadError)
}

/// The answer of a store to bytes, which it has taken in any case.
package enum PutAnswer: Sendable {
    case taken
    /// There is no room for the bytes that follow, until the store reports that there is.
    case full
}

/// The bytes that a later run could resume from.
package struct KeptBytes: Sendable {
    package var representation: Representation
    package var count: Int64
    /// The checkpoint of a partial file, and its paths.
    package var file: (checkpoint: Checkpoint, paths: DownloadPaths)?

    package init(
        _ representation: Representation,
        count: Int64,
        file: (checkpoint: Checkpoint, paths: DownloadPaths)? = nil
    ) {
        (self.representation, self.count, self.file) = (representation, count, file)
    }
}
