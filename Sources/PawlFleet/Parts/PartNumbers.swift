/// Gives each attempt to upload a part a number of its own.
///
/// A store knows a part of an upload only by its number, and a later part with the same number
/// replaces it. A node that lost its lease may have a part on its way. The next owner uploads that
/// part under another number, so what the earlier one sent late is a part that nobody lists. A store
/// wants the numbers in a list to ascend, and allows gaps.
package struct PartNumbers: Hashable, Sendable {
    /// The largest number of a part.
    package static let largest = 10_000

    /// The number of attempts after which the numbers of a part repeat.
    package let numbersPerPart: Int

    /// Creates the numbers of an upload with `parts` parts; at most `UploadGrid.mostParts` if their
    /// number is unknown.
    package init(parts: Int?) {
        numbersPerPart = Self.largest / max(1, min(parts ?? UploadGrid.mostParts, Self.largest))
    }

    /// Returns the number of a part in an attempt, which the owners of the part count from 0.
    package func number(of part: Int, attempt: Int) -> Int {
        part * numbersPerPart + attempt % numbersPerPart + 1
    }

    /// Returns the part that has a number.
    package func part(of number: Int) -> Int { (number - 1) / numbersPerPart }

    /// Whether no earlier attempt has used the numbers of this one.
    ///
    /// If one has, a late part of it may replace a recorded part. The store then refuses the list,
    /// because it contains another entity tag, and `CompletionJudge` has the part uploaded again.
    package func isFresh(attempt: Int) -> Bool { attempt < numbersPerPart }
}
