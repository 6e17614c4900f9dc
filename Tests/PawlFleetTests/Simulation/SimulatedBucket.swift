import PawlCore
import PawlFleet

/// The object store: it knows no epochs, and does what it is asked.
///
/// It reports what a reader of the bucket must never see.
final class SimulatedBucket {
    private struct Part {
        var listed: SimulatedPart
        var index: Int
        var version: Int
        var bytes: Int64
    }

    private struct Upload {
        var download: Int
        var mark: ObjectMark
        var parts: [Int: Part] = [:]
        var isOpen = true
        var completed: [SimulatedPart]?
        /// The list of the first request to complete the upload that could be carried out.
        var asked: [SimulatedPart]?
        /// Lists with parts that were missing or replaced.
        var wrong: [[SimulatedPart]] = []
    }

    private let truth: SimulatedTruth
    private var uploads: [Upload] = []
    private var objects: [CompletionJudge.Object?]
    private var lastTag = 0
    /// Whether two parts with the same bytes have the same tag.
    private let hasTagsOfContents: Bool

    init(truth: SimulatedTruth, hasTagsOfContents: Bool) {
        self.truth = truth
        self.hasTagsOfContents = hasTagsOfContents
        objects = Array(repeating: nil, count: truth.downloads)
    }

    func create(download: Int, mark: ObjectMark) -> Int {
        uploads.append(Upload(download: download, mark: mark))
        return uploads.count - 1
    }

    /// Stores a part; returns its tag, or `nil` if there is no such upload.
    ///
    /// `recorded`: what the database has recorded of the number.
    func put(
        _ upload: Int,
        number: Int,
        part: Int,
        version: Int,
        attempt: Int,
        recorded: PartRow?
    ) -> Int? {
        guard uploads[upload].isOpen else { return nil }
        let tag = nextTag(part: part, version: version)
        let numbers = truth.numbers(uploads[upload].download, version)
        if attempt >= numbers.numbersPerPart { truth.note(.numberReused) }
        if uploads[upload].parts.keys.contains(where: {
            $0 != number && numbers.part(of: $0) == part
        }) {
            truth.note(.latePartOfAnotherAttempt)
        }
        if let recorded, recorded.attempt != attempt, numbers.isFresh(attempt: attempt),
            numbers.isFresh(attempt: recorded.attempt)
        {
            truth.report("a part of another attempt replaced a recorded part")
        }
        uploads[upload].parts[number] = Part(
            listed: SimulatedPart(number: number, entityTag: tag),
            index: part,
            version: version,
            bytes: truth.bytes(uploads[upload].download, version, part: part)
        )
        return tag
    }

    private func nextTag(part: Int, version: Int) -> Int {
        guard !hasTagsOfContents else { return version * 1_000 + part }
        lastTag += 1
        return lastTag
    }

    /// Returns the parts of an upload in the order of their numbers.
    func list(_ upload: Int) -> [SimulatedPart] {
        uploads[upload].parts.values.map(\.listed).sorted { $0.number < $1.number }
    }

    func complete(
        _ upload: Int,
        _ list: [SimulatedPart],
        ifNoneMatch: Bool
    ) -> CompletionJudge.Answer {
        let known = uploads[upload]
        if let asked = known.asked, asked != list, !known.wrong.contains(list) {
            truth.report("two lists for one upload")
        }
        // A store remembers a completed upload for a while.
        if let completed = known.completed {
            truth.note(.completedTwice)
            return completed == list ? .accepted : .noUpload
        }
        guard known.isOpen else { return .noUpload }
        let parts = list.compactMap { known.parts[$0.number] }
        guard parts.map(\.listed) == list, !list.isEmpty,
            zip(list, list.dropFirst()).allSatisfy({ $0.number < $1.number })
        else {
            truth.note(.partsReplaced)
            uploads[upload].wrong.append(list)
            return .wrongParts
        }
        uploads[upload].asked = list
        if objects[known.download] != nil {
            truth.note(.completionRefused)
            guard !ifNoneMatch else { return .refused }
            truth.report("an upload replaced an object")
        }
        if Set(parts.map(\.version)).count > 1 {
            truth.report("an object has bytes of two representations")
        }
        let version = parts.first?.version ?? 0
        if parts.map(\.index) != Array(0..<truth.parts(known.download, version)) {
            truth.report("an object has not all parts of its representation")
        }
        objects[known.download] = CompletionJudge.Object(
            bytes: parts.reduce(0) { $0 + $1.bytes },
            entityTag: "\(upload)",
            mark: known.mark
        )
        uploads[upload].isOpen = false
        uploads[upload].completed = list
        return .accepted
    }

    /// Stores a whole object with one request.
    func put(_ version: Int, mark: ObjectMark, ifNoneMatch: Bool) -> CompletionJudge.Answer {
        let download = Int(mark.download)
        if objects[download] != nil {
            truth.note(.putRefused)
            guard !ifNoneMatch else { return .refused }
            truth.report("an upload replaced an object")
        }
        lastTag += 1
        objects[download] = CompletionJudge.Object(
            bytes: truth.bytes(download, version),
            entityTag: "put \(lastTag)",
            mark: mark
        )
        return .accepted
    }

    func abort(_ upload: Int) {
        guard uploads[upload].isOpen else { return }
        truth.note(.uploadAborted)
        uploads[upload].isOpen = false
    }

    func content(of download: Int) -> CompletionJudge.Content {
        objects[download].map { .object($0) } ?? .nothing
    }

    /// Someone else stores an object, unless there is one.
    func putForeign(_ download: Int) {
        guard objects[download] == nil else { return }
        truth.note(.foreignObject)
        objects[download] = CompletionJudge.Object(bytes: 1, entityTag: "foreign", mark: nil)
    }

    // MARK: - What must hold

    /// The parts of an open upload that nobody knows any more can still be completed.
    func mustNotBeOpen(_ upload: Int) {
        if uploads[upload].isOpen { truth.report("the database forgot an open upload") }
    }

    func expectObject(of download: Int, mark: ObjectMark?, _ state: DownloadRow.State) {
        let object = objects[download]
        switch state {
        case .finished:
            if object == nil || object?.mark == nil || object?.mark != mark {
                truth.report("a download finished without its object")
            }
        case .conflict:
            if object?.entityTag != "foreign" {
                truth.report("a download failed because of an object that is not there")
            }
        case .absent, .waiting: break
        }
    }
}
