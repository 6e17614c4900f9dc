/// Searches for a free name.
///
/// It tries the name itself, then the name with the numbers 1, 2, 3 and so on.
package enum FreeName {
    /// The maximum number of names that are tried.
    package static let limit = 10_000

    /// Calls `attempt` with one number after another, 0 for none, and returns the first result that
    /// is not `nil`.
    ///
    /// `next` returns the first number from the given one on that is worth trying. Returns `nil` if
    /// all names are taken.
    package static func search<Result, Failure: Error>(
        from first: Int = 0,
        _ attempt: (_ number: Int) throws(Failure) -> Result?,
        next: (_ number: Int) -> Int = { $0 }
    ) throws(Failure) -> Result? {
        var number = next(first)
        while number < limit {
            if let result = try attempt(number) { return result }
            number = next(number + 1)
        }
        return nil
    }

    /// Returns the first free numbered name of `name`; `nil` if all of them are taken.
    package static func first<Failure: Error>(
        of name: String,
        _ isFree: (String) throws(Failure) -> Bool
    ) throws(Failure) -> String? {
        try search { (number) throws(Failure) in
            let candidate = FileName.numbered(name, number)
            return try isFree(candidate) ? candidate : nil
        }
    }
}
