/// The open segments by the identities of their transfers, in the order in which they were opened.
///
/// A dictionary would have another order in each process, and with it the choice among equal
/// segments.
package struct SegmentTable: Sendable {
    package private(set) var values: [Segment] = []

    package var isEmpty: Bool { values.isEmpty }
    package var count: Int { values.count }
    package var keys: [TransferID] { values.map(\.id) }

    package subscript(id: TransferID) -> Segment? {
        get { index(of: id).map { values[$0] } }
        set {
            switch (index(of: id), newValue) {
            case (let index?, let segment?): values[index] = segment
            case (let index?, nil): values.remove(at: index)
            case (nil, let segment?): insert(segment)
            case (nil, nil): break
            }
        }
    }

    package mutating func removeValue(forKey id: TransferID) -> Segment? {
        index(of: id).map { values.remove(at: $0) }
    }

    private func index(of id: TransferID) -> Int? { values.firstIndex { $0.id == id } }

    private mutating func insert(_ segment: Segment) {
        values.insert(segment, at: values.firstIndex { $0.id > segment.id } ?? values.endIndex)
    }
}
