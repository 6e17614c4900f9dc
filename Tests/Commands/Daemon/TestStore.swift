import Glibc
import Synchronization
import Testing

/// The databases in which scenes keep their queues: `scripts/lab fleet-daemon` runs the suites of
/// the daemon with PostgreSQL, whose address is in `PAWL_TEST_STORE`.
enum TestStore {
    private static let address = getenv("PAWL_TEST_STORE").map { String(cString: $0) }
    private static let last = Atomic<Int>(0)

    /// Returns the address of an empty queue, in a schema that the daemon creates; `nil` if queues
    /// are files.
    static func next() -> String? {
        guard let address else { return nil }
        let number = last.add(1, ordering: .relaxed).newValue
        return "\(address) options='-c search_path=scene\(number)'"
    }

    /// Whether the queues of scenes are files.
    static var isFile: Bool { address == nil }

    /// Returns where the page of an empty table or index begins in such a file: a leaf without cells.
    static func emptyPage(of bytes: [UInt8]) -> Int? {
        stride(from: bytes.count - 4096, to: 0, by: -4096).first { page in
            [0x0A, 0x0D].contains(bytes[page]) && bytes[page + 3..<page + 5] == [0, 0]
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests of a queue in a file.
    static var needsQueueFile: Self {
        .enabled(if: TestStore.isFile, "the test looks at the file of the queue")
    }
}
