package import PawlCore

/// Divides a file into the parts of a multipart upload.
///
/// A store accepts up to 10,000 parts of up to 5 GiB, all but the last of at least 5 MiB, and
/// objects of up to 5 TiB. Some stores demand that all parts but the last have the same size. The
/// grid uses up to 5,000 parts, so that each part has several numbers (`PartNumbers`).
package struct UploadGrid: Hashable, Sendable {
    /// The smallest size of a part; a file up to it needs no multipart upload.
    package static let smallestPart: Int64 = 8 << 20
    package static let largestObject: Int64 = 5 << 40
    /// The maximum number of parts.
    package static let mostParts = 5_000

    /// The first size of the parts of a file whose length is unknown.
    private static let firstPart: Int64 = 16 << 20
    /// The number of parts after which the size doubles if the length is unknown.
    private static let partsPerSize = 500
    /// The number of times that it doubles: to 4 GiB, as a store refuses parts above 5 GiB.
    private static let doublings = 8

    /// The length of the file; `nil` if it is unknown.
    package let total: Int64?
    /// The size of all parts but the last; of the first part if the length is unknown.
    package let partBytes: Int64

    /// Creates the grid of a file.
    ///
    /// Returns `nil` if the file is too large for an object.
    package init?(total: Int64?) {
        guard let total else {
            (self.total, partBytes) = (nil, Self.firstPart)
            return
        }
        guard total >= 0, total <= Self.largestObject else { return nil }
        let mebibyte: Int64 = 1 << 20
        let least = Self.quotient(total, Int64(Self.mostParts))
        self.total = total
        partBytes = max(Self.smallestPart, Self.quotient(least, mebibyte) * mebibyte)
    }

    /// Creates a grid with a recorded size of the parts.
    ///
    /// Returns `nil` if the values cannot be of a grid.
    package init?(total: Int64, partBytes: Int64) {
        guard (0...Self.largestObject).contains(total),
            (1...Self.largestObject).contains(partBytes),
            Self.quotient(total, partBytes) <= Int64(Self.mostParts)
        else { return nil }
        (self.total, self.partBytes) = (total, partBytes)
    }

    /// The number of parts; `nil` if the length is unknown.
    package var count: Int? { total.map { Int(Self.quotient($0, partBytes)) } }

    /// Whether one request stores the whole file.
    package var needsNoUpload: Bool { total.map { $0 <= partBytes } ?? false }

    /// Returns the bytes of a part; an empty range if the file ends before it.
    package func bytes(of part: Int) -> ByteRange {
        let start = start(of: part)
        return ByteRange(start, min(start + size(of: part), total ?? Self.largestObject))
    }

    /// Returns the part that contains an offset.
    package func part(at offset: Int64) -> Int {
        guard total == nil else { return Int(offset / partBytes) }
        var (first, last) = (0, Self.mostParts)
        while last - first > 1 {
            let middle = (first + last) / 2
            if start(of: middle) <= offset { first = middle } else { last = middle }
        }
        return first
    }

    private func size(of part: Int) -> Int64 {
        guard total == nil else { return partBytes }
        return Self.firstPart << Int64(min(part / Self.partsPerSize, Self.doublings))
    }

    private func start(of part: Int) -> Int64 {
        guard total == nil else { return Int64(part) * partBytes }
        let doublings = min(part / Self.partsPerSize, Self.doublings)
        // The parts of all smaller sizes: 1 + 2 + 4 … times the first size.
        let before = Self.firstPart * Int64(Self.partsPerSize) * ((1 << Int64(doublings)) - 1)
        return before + Int64(part - doublings * Self.partsPerSize) * size(of: part)
    }

    private static func quotient(_ value: Int64, _ divisor: Int64) -> Int64 {
        value / divisor + (value % divisor > 0 ? 1 : 0)
    }
}
