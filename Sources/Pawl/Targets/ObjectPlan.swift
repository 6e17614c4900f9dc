internal import PawlCore
internal import PawlEngine
internal import PawlFleet
internal import struct FoundationEssentials.URL

/// How the bytes of one representation become an object.
struct ObjectPlan: Sendable {
    /// An upload that was begun.
    struct Upload: Sendable {
        var upload: MultipartUpload
        var mark: ObjectMark
        /// The number of runs before this one that have continued it.
        var attempt: Int
    }

    var representation: Representation
    private(set) var source: String
    private(set) var grid: UploadGrid
    private(set) var reading: TargetReading
    /// Whether the user has given a digest, for which the bytes are needed in order.
    private let isVerified: Bool
    /// `nil` until a part has to be sent.
    var upload: Upload?
    /// The number of times that it has begun again with another upload.
    private(set) var beginnings = 0
    /// The uploads of other representations, which are aborted before another one begins.
    var former: [MultipartUpload] = []
    /// The end of the bytes that were read for a digest.
    var readEnd: Int64 = 0
    /// Whether the bytes are not wanted any more.
    var isDiscarded = false

    /// Returns `nil` if the file is too large for an object.
    init?(_ representation: Representation, source: String, isVerified: Bool) {
        guard let grid = UploadGrid(total: representation.total) else { return nil }
        self.init(representation, source, grid, isVerified: isVerified)
    }

    /// Creates the plan of an earlier run's upload; `nil` if its parts cannot be of the file.
    init?(_ recorded: RecordedUpload, isVerified: Bool) {
        guard let total = recorded.representation.total,
            let grid = UploadGrid(total: total, partBytes: recorded.partBytes), !grid.needsNoUpload
        else { return nil }
        self.init(recorded.representation, recorded.source, grid, isVerified: isVerified)
    }

    private init(
        _ representation: Representation,
        _ source: String,
        _ grid: UploadGrid,
        isVerified: Bool
    ) {
        (self.representation, self.source, self.grid) = (representation, source, grid)
        self.isVerified = isVerified
        reading = grid.needsNoUpload ? .anywhere : isVerified ? .once : .never
    }

    /// Whether parts are sent while they arrive.
    var isStreamed: Bool { grid.total != nil && grid.partBytes > UploadGrid.smallestPart }

    /// Whether one transfer receives all bytes: the length is unknown, or a digest needs them in
    /// order.
    var isInOrder: Bool { grid.total == nil || reading == .once }

    /// Whether a later run receives again what the service has, and compares it part by part.
    var isCompared: Bool { grid.total != nil && reading == .once && !isStreamed }

    /// Whether a recorded part can be one of the file.
    func contains(_ recorded: RecordedPart) -> Bool {
        let (index, part) = (recorded.index, recorded.part)
        guard let count = grid.count, (0..<count).contains(index),
            (1...PartNumbers.largest).contains(part.number)
        else { return false }
        return PartNumbers(parts: count).part(of: part.number) == index
            && grid.bytes(of: index).count == part.bytes
    }

    /// Returns what is recorded of the upload; `nil` if there is none.
    func recorded(
        at address: ObjectService.Address,
        _ state: RecordedUpload.State
    ) -> RecordedUpload? {
        guard let upload else { return nil }
        return RecordedUpload(
            name: UploadName(id: upload.upload.id, address: address.url.absoluteString),
            mark: upload.mark.text,
            representation: representation,
            source: source,
            partBytes: grid.partBytes,
            attempt: upload.attempt,
            state: state
        )
    }

    /// Begins with another representation, or with the same one from its first byte.
    mutating func begin(
        _ representation: Representation,
        _ source: String,
        continuesUpload: Bool
    ) {
        (self.representation, self.source, readEnd) = (representation, source, 0)
        guard !continuesUpload else { return }
        if let upload { former.append(upload.upload) }
        upload = nil
        beginnings += 1
        // A file that is too large for an object is refused when bytes are put.
        grid = UploadGrid(total: representation.total) ?? grid
        reading = grid.needsNoUpload ? .anywhere : isVerified ? .once : .never
    }
}
