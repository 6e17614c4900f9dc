extension Array where Element: Sendable {
    /// Runs an operation on each element, several at the same time, and returns the results in the
    /// order of the elements.
    ///
    /// - Parameters:
    ///   - width: The maximum number of operations at the same time.
    ///   - operation: Takes the index of the element and the element.
    package func concurrentMap<Result: Sendable>(
        atMost width: Int,
        _ operation: @escaping @Sendable (Int, Element) async -> Result
    ) async -> [Result] {
        await withTaskGroup(of: (Int, Result).self) { group in
            var results = [Result?](repeating: nil, count: count)
            for (index, element) in enumerated() {
                if index >= width, let (ended, result) = await group.next() {
                    results[ended] = result
                }
                group.addTask { (index, await operation(index, element)) }
            }
            for await (ended, result) in group { results[ended] = result }
            return results.compactMap(\.self)
        }
    }
}
