/// Why the value of an option was not understood; the option's name is put before it.
package struct ValueError: Error, Hashable {
    package var reason: String
    /// What to write instead.
    package var advice: String

    package init(_ reason: String, advice: String) {
        self.reason = reason
        self.advice = advice
    }
}
