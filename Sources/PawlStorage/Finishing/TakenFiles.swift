internal import PawlCore
internal import SystemPackage

/// The files that have the numbered names of one finished file, by number.
struct TakenFiles: Sendable {
    struct File: Sendable {
        let path: FilePath
        let stamp: FileStamp
        /// Pawl's mark on the file; `nil` if there is none.
        let record: RepresentationMark.Record?
        /// The address that the file was fetched from, if that is known.
        let address: String?
    }

    /// The files with one size and the same validators.
    private struct Group: Sendable {
        var numbers: Set<Int> = []
        var byAddress: [String: Set<Int>] = [:]
        /// The marks of the files whose address is not known.
        var marks: [Int: SourceMark] = [:]
    }

    /// The minimum time between two checks of the files.
    private static let shortestInterval = Duration.seconds(1)
    /// The minimum time between two checks, as a multiple of the time that a check takes.
    private static let restFactor = 20

    private var files: [Int: File] = [:]
    private var groups: [String: Group] = [:]
    private var bySize: [Int64: Set<Int>] = [:]
    /// The first number that is not known to be taken.
    private var firstOpen = TakenNames.firstNumber
    private var nextCheck: ContinuousClock.Instant?

    mutating func add(_ file: File, _ number: Int, _ now: () -> ContinuousClock.Instant) {
        if let known = files[number] {
            guard known.stamp != file.stamp else { return }
            files[number] = file
            return rebuild()
        }
        if nextCheck == nil { nextCheck = now() + Self.shortestInterval }
        insert(file, number)
    }

    private mutating func insert(_ file: File, _ number: Int) {
        files[number] = file
        bySize[file.stamp.size, default: []].insert(number)
        if let record = file.record {
            var group = groups.removeValue(forKey: record.key) ?? Group()
            group.numbers.insert(number)
            if let address = file.address {
                group.byAddress[address, default: []].insert(number)
            } else if let mark = record.source {
                group.marks[number] = mark
            }
            groups[record.key] = group
        }
        while files[firstOpen] != nil { firstOpen += 1 }
    }

    /// Forgets the files that have changed or gone, if the last check was some time ago.
    mutating func checkIfDue(_ now: () -> ContinuousClock.Instant) {
        let start = now()
        guard let nextCheck, start >= nextCheck else { return }
        let count = files.count
        // A file that cannot be checked is compared again.
        files = files.filter { _, file in
            (try? file.path.status()).flatMap { $0 }.map { FileStamp($0) } == file.stamp
        }
        if files.count < count { rebuild() }
        let end = now()
        self.nextCheck = end + max(Self.shortestInterval, (end - start) * Self.restFactor)
    }

    private mutating func rebuild() {
        let known = files
        (files, groups, bySize) = ([:], [:], [:])
        firstOpen = TakenNames.firstNumber
        for (number, file) in known { insert(file, number) }
    }

    func next(from number: Int, orIn candidates: Set<Int>) -> Int {
        var next = candidates.isEmpty ? max(number, firstOpen) : number
        while files[next] != nil, !candidates.contains(next) { next += 1 }
        return next
    }

    /// Returns the numbers of the files that may be the one that is sought.
    func candidates(for sought: SoughtFile) -> Set<Int> {
        if sought.hasDigest {
            guard let total = sought.total else { return Set(files.keys) }
            return bySize[total] ?? []
        }
        guard let key = sought.key, let group = groups[key] else { return [] }
        if sought.isStrong { return group.numbers }
        var numbers = Set<Int>()
        for address in sought.addresses {
            numbers.formUnion(group.byAddress[address] ?? [])
            numbers.formUnion(group.marks.filter { $0.value.matches(address: address) }.keys)
        }
        return numbers
    }
}
